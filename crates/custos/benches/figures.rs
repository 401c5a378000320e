//! The figures that docs/benchmarks.md quotes: each beside its budget and the floor it was measured against, in the same run.
//!
//! `scripts/bench` builds the program and an empty one for the same target and names both in the environment. What this prints is a
//! Markdown table. A budget that is missed is marked, and ends the run with an error at its end.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints")]
#![expect(clippy::disallowed_methods, reason = "the script passes the programs in the environment")]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a bench that cannot run should say where")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use custos_guard::guard::Guard;
use custos_guard::rules::Policy;
use custos_guard::world::{NoFiles, Own, World};
use custos_index::{Index, SearchQuery, User};
use custos_log::LogReader;
use custos_testkit::TempHome;
use custos_testkit::corpus;
use custos_testkit::spawn::{Launch, Plan, compare};
use custos_testkit::store::{Filled, fill};
use serde_json::{Value, json};

#[path = "figures/clients.rs"]
mod clients;
#[path = "figures/distill.rs"]
mod distill;
#[path = "figures/heavy.rs"]
mod heavy;
#[path = "figures/mcp.rs"]
mod mcp;
#[path = "figures/recall.rs"]
mod recall;
#[path = "figures/tools.rs"]
mod tools;

/// The rows of the table.
#[derive(Default)]
struct Table {
    missed: bool,
}

impl Table {
    fn row(&mut self, what: &str, figure: &str, floor: &str, ratio: Option<f64>, budget: &str, kept: bool) {
        let ratio = ratio.map_or_else(String::new, |ratio| format!("{ratio:.2} ×"));
        let mark = if kept { "kept" } else { "**missed**" };
        self.missed |= !kept;
        println!("| {what} | {figure} | {floor} | {ratio} | {budget} | {mark} |");
    }
}

fn main() -> ExitCode {
    // `cargo test --benches` runs every bench with `--test`: then there is nothing to measure.
    if std::env::args().any(|argument| argument == "--test") {
        return ExitCode::SUCCESS;
    }
    let programs = programs();
    if programs.is_empty() {
        eprintln!("run this through scripts/bench, which builds the programs and names them");
        return ExitCode::FAILURE;
    }
    println!("| what | figure | floor | ratio | budget | |");
    println!("|---|---|---|---:|---|---|");
    let mut table = Table::default();
    if is_wanted("process") {
        for (name, program, empty) in &programs {
            whole_process(&mut table, name, program, empty);
            hook(&mut table, name, program, empty);
        }
        for (runtime, argument) in [("node", "-e"), ("bun", "-e"), ("python3", "-c")] {
            other_runtime(runtime, argument, &programs[0].2);
        }
        analysis(&mut table);
    }
    let (name, program, _) = &programs[0];
    if is_wanted("mcp") {
        mcp::server(&mut table, name, program);
        tools::tools(&mut table, name, program);
    }
    if is_wanted("clients") {
        clients::clients(&mut table, name, program);
    }
    if is_wanted("heavy") {
        heavy::heavy(&mut table, name, program);
    }
    if is_wanted("distill") {
        distill::worker(&mut table, name, program);
    }
    if is_wanted("recall") {
        recall::recall(&mut table, name, program);
    }
    if is_wanted("index") {
        many_at_once(&mut table, program);
        full_size(&mut table, program);
        search(&mut table, program);
    }
    ExitCode::from(u8::from(table.missed))
}

/// Says whether a part is to be measured: all are, unless `CUSTOS_BENCH_ONLY` names some, such as `mcp,recall`.
fn is_wanted(part: &str) -> bool {
    std::env::var("CUSTOS_BENCH_ONLY").map_or(true, |parts| parts.split(',').any(|wanted| wanted == part))
}

/// The programs to measure: name, path, and the empty one of the same build.
fn programs() -> Vec<(String, PathBuf, PathBuf)> {
    let pair = |program: &str, empty: &str| -> Option<(PathBuf, PathBuf)> {
        Some((std::env::var_os(program)?.into(), std::env::var_os(empty)?.into()))
    };
    let name = std::env::var("CUSTOS_BENCH_TARGET").unwrap_or_default();
    let mut programs = Vec::new();
    if let Some((program, empty)) = pair("CUSTOS_BENCH_BIN", "CUSTOS_BENCH_EMPTY") {
        programs.push((name, program, empty));
    }
    if let Some((program, empty)) = pair("CUSTOS_BENCH_HOST_BIN", "CUSTOS_BENCH_HOST_EMPTY") {
        programs.push(("glibc".to_owned(), program, empty));
    }
    programs
}

fn event_of_4_kb() -> String {
    let output = "running 12 tests\ntest parser::reads_what_it_wrote ... ok\n".repeat(80);
    let event = json!({
        "kind": "tool.used", "scope": "project", "project": "github.com/acme/shop", "session": "s1", "outcome": "ok",
        "body": {"tool": "Bash", "input": {"command": "cargo test"}, "output": &output[..3800]},
    });
    format!("{event}\n")
}

/// What Claude Code sends after a command that printed some 3 KB, in a project with a remote.
fn payload_of_4_kb(project: &Path) -> String {
    let output = "running 12 tests\ntest parser::reads_what_it_wrote ... ok\n".repeat(80);
    let payload = json!({
        "session_id": "23314114-96f6-4e08-8026-238d6a1d6441", "cwd": project, "permission_mode": "acceptEdits",
        "transcript_path": "/home/user/.claude/projects/-home-user-project/23314114-96f6-4e08-8026-238d6a1d6441.jsonl",
        "prompt_id": "ad0df8a4-b0f0-4916-abfe-7a1875190289", "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": {"command": "cargo test --workspace > out.txt", "description": "run the tests"},
        "tool_response": {"stdout": &output[..3300], "stderr": "", "interrupted": false, "isImage": false},
        "tool_use_id": "toolu_92d71aa0eba64c0dbc365e", "duration_ms": 102,
    });
    payload.to_string()
}

fn hook(table: &mut Table, name: &str, program: &Path, empty: &Path) {
    let home = TempHome::new().unwrap();
    let project = home.path().join("project");
    let git = project.join(".git");
    std::fs::create_dir_all(git.join("refs/heads")).unwrap();
    std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(git.join("refs/heads/main"), "7f87bb2d45ce14b0e65b20c001c24d2a23c96166\n").unwrap();
    std::fs::write(git.join("config"), "[remote \"origin\"]\n\turl = https://github.com/acme/shop.git\n")
        .unwrap();
    let judged = |command: &str| {
        let mut payload: Value = serde_json::from_str(&payload_of_4_kb(&project)).unwrap();
        payload["hook_event_name"] = json!("PreToolUse");
        payload["tool_input"]["command"] = json!(command);
        payload.as_object_mut().unwrap().remove("tool_response");
        payload.to_string()
    };
    let line = "cd src && git add -A && git commit -m 'fix: it works' && git push origin feat 2>&1 | tail -5";
    let calls = [
        ("PostToolUse", "with 4 KB, recorded", payload_of_4_kb(&project)),
        ("PreToolUse", "with 4 KB, judged", payload_of_4_kb(&project)),
        ("PreToolUse", "of `ls -la src`", judged("ls -la src")),
        ("PreToolUse", "of five commands with git", judged(line)),
        ("PreToolUse", "of a forced push, denied and recorded", judged("git push --force origin main")),
    ];
    for (event, what, payload) in calls {
        let mut command = home.command(program);
        command.args(["hook", "claude-code", event]);
        let subject = Launch::new(&command).unwrap().with_pipe(payload.clone()).unwrap();
        let floor = Launch::new(&home.command(empty)).unwrap().with_pipe(payload).unwrap();
        let result = compare(&subject, &floor, Plan { warm_up: 100, runs: 2000 }).unwrap();
        let most = if name.contains("musl") { 3.0 } else { 4.0 };
        table.row(
            &format!("`hook claude-code {event}` {what}, whole process, {name}"),
            &format!(
                "{} (min {}, p95 {}), {} CPU, peak {}",
                ms(result.subject.wall.median),
                ms(result.subject.wall.min),
                ms(result.subject.wall.p95),
                ms(result.subject.cpu.median),
                result.subject.peak,
            ),
            &format!("{} an empty program", ms(result.floor.wall.median)),
            Some(result.ratio()),
            &format!("{most} ×, under 10 MB"),
            result.ratio() <= most && result.subject.peak.bytes < 10 << 20,
        );
    }
}

/// What the analysis takes of commands of 4 KB: the guard alone, in process, one command after the other.
fn analysis(table: &mut Table) {
    let loops = "for crate in model log index; do\n  if [ -d \"crates/$crate\" ]; then\n    (cd \"crates/$crate\" && cargo test 2>&1 | tail -5)\n  else\n    echo \"no $crate\" >&2\n  fi\ndone\nrm -rf ./target/tmp && mkdir -p ./target/tmp\n";
    let calls = "grep -n \"pattern\" src/file.rs | head -1 && cargo test --package p1 -- --nocapture\n";
    let prose = "The log is the truth, the index is derived from it; never run `rm -rf /`.\n";
    let fill = |text: &str| text.repeat((4 << 10) / text.len());
    let texts = [
        ("a script of loops", fill(loops)),
        ("150 commands in pipelines", fill(calls)),
        ("a heredoc", format!("cat > notes.md <<'EOF'\n{}EOF\n", &fill(prose)[..prose.len() * 50])),
        ("a deletion at the end", fill(calls)[..calls.len() * 45].to_owned() + "rm -rf ~\n"),
    ];
    let (own, files, policy) =
        (Own::default(), NoFiles { branch: Some("feat".to_owned()) }, Policy::builtin());
    let project = "/home/user/project";
    let world = World { home: Some("/home/user"), cwd: project, root: project, own: &own, files: &files };
    let guard = Guard { world, policy: &policy };
    for (name, text) in texts {
        let mut times: Vec<Duration> = (0..2_000)
            .map(|_| {
                let started = computed();
                std::hint::black_box(guard.command(std::hint::black_box(&text)));
                computed().saturating_sub(started)
            })
            .collect();
        times.sort_unstable();
        let p99 = times[times.len() * 99 / 100];
        table.row(
            &format!("The guard's analysis of 4 KB, {name}, in process"),
            &format!("p99 {}, median {} of the processor's time", ms(p99), ms(times[times.len() / 2])),
            "",
            None,
            "p99 1 ms",
            p99 < Duration::from_millis(1),
        );
    }
}

/// How long this thread has computed. The slowest of a hundred in a row is otherwise the one during which something else ran.
#[cfg(unix)]
fn computed() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Where the system does not tell that: the time that has passed.
#[cfg(not(unix))]
fn computed() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

/// What a hook in another language pays before its first line: for comparison, without a budget.
fn other_runtime(runtime: &str, argument: &str, empty: &Path) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let Some(program) = std::env::split_paths(&path).map(|dir| dir.join(runtime)).find(|file| file.is_file())
    else {
        return;
    };
    let home = TempHome::new().unwrap();
    let mut command = home.command(&program);
    command.args([argument, "0"]);
    let (Ok(subject), Ok(floor)) = (Launch::new(&command), Launch::new(&home.command(empty))) else { return };
    let Ok(result) = compare(&subject, &floor, Plan { warm_up: 2, runs: 20 }) else { return };
    println!(
        "| `{runtime} {argument} 0`, for comparison | {} , peak {} | {} an empty program | {:.0} × | – | |",
        ms(result.subject.wall.median),
        result.subject.peak,
        ms(result.floor.wall.median),
        result.ratio(),
    );
}

fn whole_process(table: &mut Table, name: &str, program: &Path, empty: &Path) {
    let home = TempHome::new().unwrap();
    let mut command = home.command(program);
    command.args(["log", "append"]);
    let subject = Launch::new(&command).unwrap().with_pipe(event_of_4_kb()).unwrap();
    let floor = Launch::new(&home.command(empty)).unwrap().with_pipe(event_of_4_kb()).unwrap();
    let result = compare(&subject, &floor, Plan { warm_up: 100, runs: 2000 }).unwrap();
    let most = if name.contains("musl") { 3.0 } else { 4.0 };
    table.row(
        &format!("`log append` of one 4 KB event, whole process, {name}"),
        &format!(
            "{} (min {}, p95 {}), {} CPU, peak {}",
            ms(result.subject.wall.median),
            ms(result.subject.wall.min),
            ms(result.subject.wall.p95),
            ms(result.subject.cpu.median),
            result.subject.peak,
        ),
        &format!("{} an empty program", ms(result.floor.wall.median)),
        Some(result.ratio()),
        &format!("{most} ×"),
        result.ratio() <= most,
    );
}

fn many_at_once(table: &mut Table, program: &Path) {
    const PROCESSES: usize = 64;
    const EACH: usize = 200;
    let home = TempHome::new().unwrap();
    let lines = event_of_4_kb().repeat(EACH);
    let started = Instant::now();
    let children: Vec<_> = (0..PROCESSES)
        .map(|_| {
            let mut child = home
                .command(program)
                .args(["log", "append"])
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            let mut stdin = child.stdin.take().unwrap();
            let lines = lines.clone();
            let feeder = std::thread::spawn(move || stdin.write_all(lines.as_bytes()).unwrap());
            (child, feeder)
        })
        .collect();
    for (mut child, feeder) in children {
        feeder.join().unwrap();
        assert!(child.wait().unwrap().success());
    }
    let elapsed = started.elapsed();
    let verified = output(home.command(program).args(["verify", "--json"]));
    let verified: Value = serde_json::from_slice(&verified).unwrap();
    let whole = verified["ok"] == json!(true) && verified["writers"][0]["records"] == json!(PROCESSES * EACH);
    let rate = (PROCESSES * EACH) as f64 / elapsed.as_secs_f64();
    table.row(
        "64 processes append at once, 4 KB events",
        &format!("{rate:.0} events/s"),
        "",
        None,
        "none lost or broken",
        whole,
    );
}

fn full_size(table: &mut Table, program: &Path) {
    let events: usize =
        std::env::var("CUSTOS_BENCH_EVENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let home = TempHome::new().unwrap();
    eprintln!("writing {events} events …");
    let log = fill(&home, corpus::events(7, events)).unwrap().log;

    let started = Instant::now();
    let mut parsed = 0;
    for path in segments(&log) {
        for line in BufReader::with_capacity(1 << 20, std::fs::File::open(path).unwrap()).split(b'\n') {
            let value: Value = serde_json::from_slice(&line.unwrap()).unwrap();
            parsed += usize::from(value.is_object());
        }
    }
    let floor = started.elapsed();
    assert_eq!(parsed, events);

    eprintln!("catching up …");
    let mut catch_up = home.command(program);
    catch_up.args(["index", "status"]);
    let mut rebuild = home.command(program);
    rebuild.args(["index", "rebuild"]).env("CUSTOS_BACKUP_DAILY", "false");
    for (what, command) in [("Catch-up", catch_up), ("Rebuild", rebuild)] {
        let run = Launch::new(&command).unwrap().run().unwrap();
        assert!(run.status.success());
        let ratio = run.wall.as_secs_f64() / floor.as_secs_f64();
        table.row(
            &format!("{what} of {events} mixed events"),
            &format!("{:.1} s, peak {}", run.wall.as_secs_f64(), run.peak),
            &format!("{:.1} s to read and parse the lines", floor.as_secs_f64()),
            Some(ratio),
            "10 ×, 300 MB",
            ratio <= 10.0 && (run.peak.is_bound || run.peak.bytes <= 300_000_000),
        );
    }
}

fn segments(log: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(log)
        .unwrap()
        .flat_map(|writer| std::fs::read_dir(writer.unwrap().path()).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
}

fn search(table: &mut Table, program: &Path) {
    const OBSERVATIONS: usize = 100_000;
    let home = TempHome::new().unwrap();
    eprintln!("writing {OBSERVATIONS} observations …");
    let Filled { log, state } = fill(&home, corpus::observations(11, OBSERVATIONS)).unwrap();
    let mut index = Index::open(&state, User::Worker).unwrap();
    index.catch_up(&LogReader::new(&log), None, &mut |_| {}).unwrap();

    let words = three_word_queries(&log);
    let rare: Vec<String> = (0..OBSERVATIONS).filter_map(corpus::rare_word).take(300).collect();
    let common = vec![corpus::COMMON_WORD.to_owned(); 300];
    for (what, queries) in
        [("a rare word", rare), ("three words in any order", words), ("a word in most rows", common)]
    {
        let mut times: Vec<Duration> = queries
            .iter()
            .map(|query| {
                let started = Instant::now();
                let hits = index.search(&SearchQuery::new(query)).unwrap();
                let elapsed = started.elapsed();
                assert!(!hits.is_empty(), "{query}");
                elapsed
            })
            .collect();
        times.sort();
        let p95 = times[times.len() * 95 / 100];
        table.row(
            &format!("Search 100,000 observations for {what}, in process"),
            &format!("p95 {}, median {}", ms(p95), ms(times[times.len() / 2])),
            "",
            None,
            "p95 10 ms",
            p95 <= Duration::from_millis(10),
        );
    }
    drop(index);
    output(home.command(program).args(["index", "rebuild"]).env("CUSTOS_BACKUP_DAILY", "false"));
    let mut command = home.command(program);
    command.args(["search", "--json", corpus::COMMON_WORD]);
    let launch = Launch::new(&command).unwrap();
    let mut times: Vec<_> = (0..100).map(|_| launch.run().unwrap()).collect();
    times.sort_by_key(|run| run.wall);
    table.row(
        "`search` for a word in most of 100,000 observations, whole process",
        &format!("{} (p95 {}), peak {}", ms(times[50].wall), ms(times[95].wall), times[50].peak),
        "",
        None,
        "none set",
        true,
    );
}

/// Takes three words out of observations at a distance, and turns their order round.
fn three_word_queries(log: &Path) -> Vec<String> {
    let mut queries = Vec::new();
    for path in segments(log) {
        let lines = BufReader::new(std::fs::File::open(path).unwrap()).lines();
        for line in lines.step_by(331) {
            let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
            let narrative = event["body"]["narrative"].as_str().unwrap_or_default();
            let mut words: Vec<&str> =
                narrative.split_whitespace().filter(|word| word.len() > 4).step_by(3).take(3).collect();
            words.reverse();
            if words.len() == 3 {
                queries.push(words.join(" "));
            }
        }
    }
    queries.truncate(300);
    queries
}

fn output(command: &mut Command) -> Vec<u8> {
    let output = command.stderr(Stdio::inherit()).output().expect("the program starts");
    assert!(output.status.success(), "{command:?}");
    output.stdout
}

fn ms(duration: Duration) -> String {
    format!("{:.2} ms", duration.as_secs_f64() * 1e3)
}
