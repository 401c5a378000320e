//! The life of a large store, in fast motion: filled, read, appended to while it is read, forgotten from, rebuilt.
//!
//! Too long for the tests; `scripts/soak` runs it. Every step checks what it left behind.
#![expect(clippy::print_stdout, reason = "whoever waits wants to see how far it is")]
#![expect(clippy::disallowed_methods, reason = "the script passes the size in the environment")]
#![expect(clippy::unwrap_used, reason = "a run that cannot go on should say where")]

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use custos_testkit::store::fill;
use custos_testkit::{TempHome, corpus};
use serde_json::{Value, json};

fn main() {
    let Some(events) = std::env::var("CUSTOS_SOAK_EVENTS").ok().and_then(|n| n.parse::<usize>().ok()) else {
        return;
    };
    let home = TempHome::new().unwrap();
    step("fill the log", || fill(&home, corpus::events(7, events)).unwrap());
    let program = |arguments: &[&str]| {
        let mut command = home.command(env!("CARGO_BIN_EXE_custos"));
        command.args(arguments).arg("--json").env("CUSTOS_BACKUP_DAILY", "false");
        command
    };
    let ask = |arguments: &[&str]| -> Value { answer(&mut program(arguments)) };

    step("catch up while others append", || {
        let writers: Vec<_> = (0..8)
            .map(|n| {
                let mut child = home
                    .command(env!("CARGO_BIN_EXE_custos"))
                    .args(["log", "append"])
                    .stdin(Stdio::piped())
                    .stdout(Stdio::null())
                    .spawn()
                    .unwrap();
                let mut stdin = child.stdin.take().unwrap();
                let lines: String = (0..500)
                    .map(|i| format!("{}\n", json!({"kind": "prompt.submitted", "scope": "user", "session": format!("late-{n}"), "body": {"text": format!("latecomer {n} {i}")}})))
                    .collect();
                let feeder = std::thread::spawn(move || stdin.write_all(lines.as_bytes()).unwrap());
                (child, feeder)
            })
            .collect();
        ask(&["index", "status"]);
        for (mut child, feeder) in writers {
            feeder.join().unwrap();
            assert!(child.wait().unwrap().success());
        }
    });
    let status = step("read all of it", || ask(&["index", "status"]));
    let total: u64 =
        status["cursors"].as_array().unwrap().iter().map(|cursor| cursor["seq"].as_u64().unwrap()).sum();
    assert_eq!(total, events as u64 + 4_000);
    assert_eq!(status["problems"], json!([]));

    let verified = step("verify", || ask(&["verify"]));
    assert_eq!(verified["ok"], json!(true));
    step("back up", || ask(&["backup", "create"]));
    let questions = ["latecomer", corpus::COMMON_WORD, "token refresh", "error"];
    let before: Vec<Value> = questions.iter().map(|question| ask(&["search", question])).collect();
    step("rebuild", || ask(&["index", "rebuild"]));
    let after: Vec<Value> = questions.iter().map(|question| ask(&["search", question])).collect();
    assert_eq!(before, after, "the index made anew gives the same answers");

    step("forget a session", || ask(&["forget", "--session", "late-3", "--reason", "soak"]));
    assert_eq!(ask(&["verify"])["ok"], json!(true));
    let left = ask(&["search", "latecomer 3", "--limit", "1000"]);
    assert!(left.as_array().unwrap().iter().all(|hit| hit["session"] != json!("late-3")));
    assert!(home.find_bytes("latecomer 3 499").unwrap().is_empty());
    println!("all is well");
}

fn step<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let result = work();
    println!("{what:<30} {:>7.1} s", started.elapsed().as_secs_f64());
    result
}

fn answer(command: &mut Command) -> Value {
    let output = command.stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "{command:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}
