//! Calls of the server as people cause them: by real clients, with a scripted model, once one that answers at once, and once one that takes its
//! time as all of them do.
//!
//! What a call takes is up to its surroundings as well: when a client asks for the first time after the list of tools, what else it does
//! meanwhile, what its hooks write. So the clients are run as in the tests of their journeys, on the disk, over a large base, with a clock
//! between them and the server (`tests/clients/clock.py`). In each session the agent itself switches to a branch on which every file of the
//! base is another one, twice, and asks right after that, as quickly as its client lets it.
//!
//! Two cores are shared by the client, its model, its hooks, git and the server, and on a virtual machine with whoever else is on it: an
//! empty loop is kept from going on for 20 ms now and then. So a witness runs beside the sessions, which does as much as a usual call and
//! needs nothing of Custos ([`Witness`]). How many of its rounds are late is what the machine does to anybody. It excuses nothing: the budget is that of every call.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use custos_testkit::TempHome;
use serde_json::{Value, json};

use crate::heavy::{close, two_branches};
use crate::mcp::{DECISIONS, MEMORIES};
use crate::tools::{BUDGET, decision, durable_write, memory};
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

/// How long the model takes for each answer: none at all, which is the hardest, and less than any that people use.
const THINKING: [(Duration, &str); 2] = [
    (Duration::ZERO, "a model that answers at once"),
    (Duration::from_millis(300), "a model that takes 0.3 s for an answer"),
];

pub(crate) fn clients(table: &mut Table, name: &str, program: &Path) {
    for (thinks, model) in THINKING {
        clients_with(table, name, program, thinks, model);
    }
}

fn clients_with(table: &mut Table, name: &str, program: &Path, thinks: Duration, model: &str) {
    let is_over = AtomicBool::new(false);
    let (calls, witness) = thread::scope(|scope| {
        let witness = scope.spawn(|| Witness::watch(&is_over));
        // Also if something goes wrong: nobody would ever end the witness.
        let end = End(&is_over);
        let calls: Vec<Call> =
            CLIENTS.into_iter().flat_map(|client| calls_of(client, program, thinks)).collect();
        drop(end);
        (calls, witness.join().unwrap())
    });
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
            "`custos mcp`: {} calls of {} in {} sessions with {model}, the agent switching branches in between, on the disk, {DECISIONS} decisions and {MEMORIES} memories, {name}",
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
        &witness.told(),
        None,
        "10 ms for each",
        late.is_empty(),
    );
}

/// Says that it is over when it is dropped.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Does every few milliseconds what a usual call does at the least, and notes what it takes: computes for as long as most of them take, or
/// keeps one file durably.
struct Witness {
    computed: Vec<Duration>,
    written: Vec<Duration>,
}

impl Witness {
    /// What a call computes, about.
    const WORK: Duration = Duration::from_millis(3);
    /// How long it rests between two rounds, so that it takes a tenth of one core and is in nobody's way.
    const REST: Duration = Duration::from_millis(30);
    /// Every so many rounds it writes: about as often as the agents do.
    const WRITES: usize = 4;

    #[expect(
        clippy::disallowed_methods,
        reason = "a witness that never rests is in the way of what it watches"
    )]
    fn watch(is_over: &AtomicBool) -> Self {
        let home = TempHome::new().unwrap();
        let steps = steps_in(Self::WORK);
        let mut witness = Self { computed: Vec::new(), written: Vec::new() };
        for round in 0.. {
            if is_over.load(Ordering::Acquire) {
                break;
            }
            thread::sleep(Self::REST);
            if round % Self::WRITES == 0 {
                witness.written.push(durable_write(home.path(), round));
            } else {
                let begun = Instant::now();
                compute(steps);
                witness.computed.push(begun.elapsed());
            }
        }
        witness
    }

    fn told(&self) -> String {
        let of = |times: &[Duration]| {
            let late = times.iter().filter(|time| **time >= BUDGET).count();
            let slowest = times.iter().max().copied().unwrap_or_default();
            format!("slowest {}, {late} of {} took 10 ms or more", ms(slowest), times.len())
        };
        format!(
            "beside them, without Custos: computing for {}: {}; one durable write: {}",
            ms(Self::WORK),
            of(&self.computed),
            of(&self.written)
        )
    }
}

/// Computes something that cannot be left out.
fn compute(steps: u64) {
    std::hint::black_box(
        (0..steps).fold(1_u64, |sum, step| sum.wrapping_mul(31) ^ std::hint::black_box(step)),
    );
}

/// How many steps take that long on this machine, where nobody is in the way: by the quickest of some tries.
fn steps_in(time: Duration) -> u64 {
    const TRIED: u64 = 100_000;
    let took = |_| {
        let begun = Instant::now();
        compute(TRIED);
        begun.elapsed()
    };
    let quickest: Duration = (0..50).map(took).min().unwrap();
    TRIED * u64::try_from(time.as_nanos() / quickest.as_nanos().max(1)).unwrap()
}

/// Lets a client work, and gives the calls that it made; none where it cannot be had.
fn calls_of(client: &'static str, program: &Path, thinks: Duration) -> Vec<Call> {
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
        fs::write(
            &script,
            json!({ "main": turns(client, session), "thinks": thinks.as_secs_f64() }).to_string(),
        )
        .unwrap();
        let mut run = drive(client, "run", home.path(), &root);
        run.args(["--prompt", "Go on.", "--script"]).arg(&script).arg("--out").arg(home.path().join("out"));
        let output = run.output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        if report["unplayed"] != json!({ "turns": 0, "requests": 0 }) {
            eprintln!("{client} did not play its part: {report}{}", String::from_utf8_lossy(&output.stderr));
            return Vec::new();
        }
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
