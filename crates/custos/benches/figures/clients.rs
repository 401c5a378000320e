//! Calls of the server as people cause them: by real clients, with a scripted model that answers at once.
//!
//! What a call takes is up to its surroundings as well: when a client asks for the first time after the list of tools, what else it does
//! meanwhile, what its hooks write. So the clients are run as in the tests of their journeys, on the disk, over a large base, with a clock
//! between them and the server (`tests/clients/clock.py`). In each session the agent itself switches to a branch on which every file of the
//! base is another one, twice, and asks right after that, as quickly as its client lets it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use custos_testkit::TempHome;
use serde_json::{Value, json};

use crate::heavy::{close, two_branches};
use crate::mcp::{DECISIONS, MEMORIES};
use crate::tools::{BUDGET, decision, longest_pause, memory};
use crate::{Table, ms};

const CLIENTS: [&str; 2] = ["claude-code", "codex"];
const SESSIONS: usize = 4;
/// How many decisions and memories a session keeps at its end.
const KEPT: usize = 3;

/// A call that a client made.
struct Call {
    client: &'static str,
    tool: String,
    time: Duration,
}

pub(crate) fn clients(table: &mut Table, name: &str, program: &Path) {
    let mut pause = Duration::ZERO;
    // For as long as the calls of a session take.
    let mut between = || pause = (0..10).map(|_| longest_pause()).fold(pause, Duration::max);
    let calls: Vec<Call> =
        CLIENTS.into_iter().flat_map(|client| calls_of(client, program, &mut between)).collect();
    if calls.is_empty() {
        eprintln!("no real client could be run: see tests/clients/drive.py");
        return;
    }
    let late: Vec<String> = calls
        .iter()
        .filter(|call| call.time >= BUDGET)
        .map(|call| format!("`{}` {}", call.tool, ms(call.time)))
        .collect();
    let mut times: Vec<Duration> = calls.iter().map(|call| call.time).collect();
    times.sort_unstable();
    let slowest = calls.iter().max_by_key(|call| call.time).unwrap();
    let of = |percent: usize| ms(times[(times.len() - 1) * percent / 100]);
    let told = if late.is_empty() { String::new() } else { format!(": {}", late.join(", ")) };
    table.row(
        &format!(
            "`custos mcp`: {} calls of {} in {} sessions, the agent switching branches in between, on the disk, {DECISIONS} decisions and {MEMORIES} memories, {name}",
            calls.len(),
            CLIENTS.join(" and "),
            CLIENTS.len() * SESSIONS,
        ),
        &format!(
            "slowest {} (`{}`, {}), p95 {}, median {}; {} took 10 ms or more{told}",
            ms(slowest.time),
            slowest.tool,
            slowest.client,
            of(95),
            of(50),
            late.len()
        ),
        &format!("longest pause of an empty loop, run in between: {}", ms(pause)),
        None,
        "10 ms for each",
        late.is_empty(),
    );
}

/// Lets a client work, and gives the calls that it made; none where it cannot be had. Does something else between its sessions.
fn calls_of(client: &'static str, program: &Path, between: &mut dyn FnMut()) -> Vec<Call> {
    let home = TempHome::new().unwrap();
    let root = home.path().join("project");
    two_branches(&root);
    let custos = |arguments: &[&str]| {
        let mut command = seeing(home.path(), program);
        assert!(command.current_dir(&root).args(arguments).output().unwrap().status.success());
    };
    custos(&["setup", "--yes", "--no-init", "--client", client]);
    let times = home.path().join("times");
    put_clock(client, home.path(), &times);
    if client == "codex" && !drive(client, "trust", home.path(), &root).status().unwrap().success() {
        return Vec::new();
    }
    for session in 0..SESSIONS {
        let script = home.path().join("script.json");
        fs::write(&script, json!({ "main": turns(client, session) }).to_string()).unwrap();
        let mut run = drive(client, "run", home.path(), &root);
        run.args(["--prompt", "Go on.", "--script"]).arg(&script).arg("--out").arg(home.path().join("out"));
        let output = run.output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        if report["unplayed"] != json!({ "turns": 0, "requests": 0 }) {
            eprintln!("{client} did not play its part: {report}{}", String::from_utf8_lossy(&output.stderr));
            return Vec::new();
        }
        between();
    }
    let times = fs::read_to_string(times).unwrap();
    let lines = times.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .filter(|line| line["method"] == "tools/call")
        .map(|line| Call {
            client,
            tool: line["tool"].as_str().unwrap().to_owned(),
            time: Duration::from_secs_f64(line["ms"].as_f64().unwrap() / 1e3),
        })
        .collect()
}

/// What the model of a session does.
fn turns(client: &str, session: usize) -> Vec<Value> {
    let n = session * 2;
    let asked = [
        Some(("context", json!({}))),
        Some(("decisions", json!({}))),
        Some(("memories", json!({}))),
        Some(("save_decision", decision(n))),
        None,
        Some(("context", json!({}))),
        Some(("memories", json!({}))),
        Some(("get_decision", json!({ "id_or_slug": "D-400" }))),
        Some(("save_memory", memory(n))),
        None,
        Some(("safety", json!({}))),
        Some(("kb_doctor", json!({}))),
        Some(("save_memory", memory(n + 1))),
        Some(("begin_close", json!({}))),
        Some(("finalize_close", close(session, KEPT))),
    ];
    let mut turns = Vec::new();
    if client == "claude-code" {
        let names = ["get_decision", "safety", "kb_doctor", "begin_close", "finalize_close"];
        let query = format!("select:mcp__custos__{}", names.join(",mcp__custos__"));
        turns.push(json!({ "tool": "ToolSearch", "args": { "query": query } }));
    }
    for asked in asked {
        match asked {
            Some((tool, arguments)) if client == "codex" => {
                turns.push(json!({ "tool": "tool_search", "args": { "query": format!("custos {tool}") } }));
                turns.push(json!({ "tool": tool, "namespace": "mcp__custos", "args": arguments }));
            }
            Some((tool, arguments)) => {
                turns.push(json!({ "tool": format!("mcp__custos__{tool}"), "args": arguments }));
            }
            // Between the two branches, to and fro.
            None if client == "codex" => {
                turns.push(json!({ "tool": "exec_command", "args": { "cmd": "git checkout -q -" } }));
            }
            None => turns.push(json!({ "tool": "Bash", "args": { "command": "git checkout -q -" } })),
        }
    }
    turns.push(json!({ "text": "Done." }));
    turns
}

/// Puts the clock between the client and the server that was installed for it.
fn put_clock(client: &str, home: &Path, times: &Path) {
    let server = home.join(".local/bin/custos");
    let clocked = home.join("clocked");
    let clock = driver().join("clock.py");
    let script = format!(
        "#!/bin/sh\nexec python3 '{}' '{}' '{}' \"$@\"\n",
        clock.display(),
        times.display(),
        server.display()
    );
    fs::write(&clocked, script).unwrap();
    make_executable(&clocked);
    let settings = home.join(if client == "codex" { ".codex/config.toml" } else { ".claude.json" });
    let text = fs::read_to_string(&settings).unwrap();
    let with_clock = text.replace(server.to_str().unwrap(), clocked.to_str().unwrap());
    assert_ne!(with_clock, text, "the server is not registered in {}", settings.display());
    fs::write(settings, with_clock).unwrap();
}

#[cfg(unix)]
fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;

    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) {}

/// Prepares what runs a client; see there.
fn drive(client: &str, verb: &str, home: &Path, root: &Path) -> Command {
    let mut drive = Command::new("python3");
    drive.arg(driver().join("drive.py")).args([verb, client, "--project"]).arg(root).arg("--home").arg(home);
    drive
}

fn driver() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients").canonicalize().unwrap()
}

/// Prepares a program that sees a home and a `PATH`, as clients do.
fn seeing(home: &Path, program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("HOME", home).env("CUSTOS_NO_WORKER", "1");
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command
}
