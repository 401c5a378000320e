//! What distilling takes: a worker with nothing to do, a worker with much to do, and waking one.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use custos_distill::Turn;
use custos_model::Event;
use custos_testkit::TempHome;
use serde_json::{Value, json};

use crate::{Table, ms};

const TURNS: usize = 400;
const CALLS: usize = 10;

/// Measures the worker and what it costs a hook to start one.
pub(crate) fn worker(table: &mut Table, name: &str, program: &Path) {
    nothing_to_do(table, name, program);
    much_to_do(table, name, program);
    waking(table, name, program);
}

fn worker_of(home: &TempHome, program: &Path) -> Command {
    let mut command = home.command(program);
    command.args(["worker", "run", "--until-idle"]).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn by_hand(home: &TempHome, program: &Path) -> Duration {
    let started = Instant::now();
    assert!(worker_of(home, program).status().unwrap().success());
    started.elapsed()
}

fn nothing_to_do(table: &mut Table, name: &str, program: &Path) {
    let home = TempHome::new().unwrap();
    by_hand(&home, program);
    let mut times: Vec<Duration> = (0..40).map(|_| by_hand(&home, program)).collect();
    times.sort_unstable();
    let (median, p95) = (times[20], times[38]);
    table.row(
        &format!("`worker run --until-idle` over an empty queue, {name}"),
        &format!("{} (p95 {})", ms(median), ms(p95)),
        "",
        None,
        "under 50 ms",
        p95 < Duration::from_millis(50),
    );
}

/// Turns of ten calls with 3 KB of output each: reading, a failing test, an edit, a passing test.
fn much_to_do(table: &mut Table, name: &str, program: &Path) {
    let home = TempHome::new().unwrap();
    let mut append = home.command(program);
    append.args(["log", "append"]).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = append.spawn().unwrap();
    let mut input = std::io::BufWriter::new(child.stdin.take().unwrap());
    for turn in 0..TURNS {
        for event in turn_events(turn) {
            writeln!(input, "{event}").unwrap();
        }
    }
    input.flush().unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
    rules_alone(table, &home.memory_dir().join("log"));
    // Vectors are made afterwards, when nothing else waits.
    let started = Instant::now();
    let mut worker = worker_of(&home, program);
    assert!(worker.env("CUSTOS_RECALL_EMBEDDER", "none").status().unwrap().success());
    let took = started.elapsed();
    let calls = TURNS * CALLS;
    table.row(
        &format!("the same, whole worker with index, novelty and log, {name}"),
        &format!("{:.0} calls a second ({} in all)", calls as f64 / took.as_secs_f64(), ms(took)),
        "",
        None,
        "none set",
        true,
    );
}

/// What the rules take of it: reading the evidence of each turn, and distilling it.
fn rules_alone(table: &mut Table, log: &Path) {
    let lines: Vec<String> = crate::segments(log)
        .into_iter()
        .flat_map(|path| {
            std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    let started = Instant::now();
    let mut turns: Vec<Turn> = Vec::new();
    // A prompt, its calls, and the end.
    for lines in lines.chunks(CALLS + 2) {
        let events: Vec<Event<'_>> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        turns.push(custos_distill::read::turn(&events, None));
    }
    let distilled: usize = (0..turns.len())
        .map(|at| {
            custos_distill::rules::distil(&turns[at], &turns[at.saturating_sub(8)..at]).observations.len()
        })
        .sum();
    let took = started.elapsed();
    assert!(turns.len() == TURNS && distilled > 0);
    let per_second = (TURNS * CALLS) as f64 / took.as_secs_f64();
    table.row(
        &format!("rules over {} tool calls with 3 KB each, in process", TURNS * CALLS),
        &format!("{per_second:.0} calls a second ({} in all)", ms(took)),
        "",
        None,
        "2,000 a second",
        per_second >= 2_000.0,
    );
}

fn turn_events(turn: usize) -> Vec<Value> {
    let event = |kind: &str, outcome: Option<&str>, body: Value| {
        let mut event = json!({
            "kind": kind, "scope": "project", "project": "github.com/acme/shop", "session": format!("s{}", turn / 20),
            "task": format!("t{turn}"), "agent": {"client": "claude-code", "id": "a1"}, "body": body,
        });
        if let Some(outcome) = outcome {
            event["outcome"] = json!(outcome);
        }
        event
    };
    let noise = "   Compiling shop v0.1.0\ntest cart::adds_an_item ... ok\n".repeat(60);
    let failed = format!(
        "{noise}\nthread 'cart::total_{turn}' panicked at src/cart.rs:{turn}:9:\nassertion `left == right` failed\n  left: {turn}\n right: 7\n\ntest result: FAILED. 11 passed; 1 failed"
    );
    let passed = format!("{noise}\ntest result: ok. 12 passed; 0 failed");
    let bash = |ok: bool, command: &str, output: &str| {
        let kind = if ok { "tool.used" } else { "tool.failed" };
        let outcome = if ok { "ok" } else { "failed" };
        event(kind, Some(outcome), json!({"tool": "Bash", "input": {"command": command}, "output": output}))
    };
    let mut events = vec![event(
        "prompt.submitted",
        None,
        json!({"text": format!("the total of cart {turn} is wrong, fix it")}),
    )];
    for file in 0..CALLS - 3 {
        events.push(event(
            "tool.used",
            Some("ok"),
            json!({"tool": "Read", "input": {"file_path": format!("src/part_{file}.rs")}, "output": noise, "files_read": [format!("src/part_{file}.rs")]}),
        ));
    }
    events.push(bash(false, "cargo test", &failed));
    events.push(event(
        "tool.used",
        Some("ok"),
        json!({
            "tool": "Edit", "files_changed": ["src/cart.rs"], "output": "The file src/cart.rs has been updated.",
            "input": {
                "file_path": "src/cart.rs",
                "old_string": format!("fn total_{turn}(&self) -> u64 {{\n    self.items.len()\n}}"),
                "new_string": format!("fn total_{turn}(&self) -> u64 {{\n    self.items.iter().map(|item| item.price).sum()\n}}"),
            },
        }),
    ));
    events.push(bash(true, "cargo test", &passed));
    events.push(event(
        "turn.ended",
        Some("ok"),
        json!({"message": "`total` sums prices now; all tests pass."}),
    ));
    events
}

/// What waking costs: the end of a turn in homes where no worker runs, with and without starting one.
fn waking(table: &mut Table, name: &str, program: &Path) {
    let stop = |wakes: bool| {
        let home = TempHome::new().unwrap();
        let payload = |event: &str| {
            json!({
                "session_id": "23314114-96f6-4e08-8026-238d6a1d6441", "cwd": home.path(), "hook_event_name": event,
                "prompt_id": "ad0df8a4-b0f0-4916-abfe-7a1875190289", "prompt": "go on", "last_assistant_message": "Done.",
                "transcript_path": home.path().join("t.jsonl"), "stop_hook_active": false,
            })
            .to_string()
        };
        let hook = |event: &str| {
            let mut command: Command = home.command(program);
            command.args(["hook", "claude-code", event]).stdin(Stdio::piped()).stdout(Stdio::null());
            command.env("CUSTOS_WORKER_IDLE_S", "1").env_remove("CUSTOS_NO_WORKER");
            if !(wakes && event == "Stop") {
                command.env("CUSTOS_NO_WORKER", "1");
            }
            let mut child = command.spawn().unwrap();
            let mut input = child.stdin.take().unwrap();
            let started = Instant::now();
            input.write_all(payload(event).as_bytes()).unwrap();
            drop(input);
            assert!(child.wait().unwrap().success());
            started.elapsed()
        };
        hook("UserPromptSubmit");
        let took = hook("Stop");
        if wakes {
            // The worker that was started is left to end before its home goes; as long as it runs, no other does.
            while !worker_of(&home, program).status().unwrap().success() {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        took
    };
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..30 {
        times[0].push(stop(true));
        times[1].push(stop(false));
    }
    let [woken, quiet] = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    });
    table.row(
        &format!("waking a worker from the `Stop` hook, {name}"),
        &format!("{} more", ms(woken.saturating_sub(quiet))),
        &format!("{} without", ms(quiet)),
        None,
        "1 ms more, and only where none runs",
        woken.saturating_sub(quiet) <= Duration::from_millis(1),
    );
}
