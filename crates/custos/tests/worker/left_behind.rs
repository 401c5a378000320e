//! What a worker leaves behind that was killed, or whose machine was: children that hang, and files of no use.

use std::fs;
use std::time::Duration;

use custos_testkit::model_server::Play;

use crate::desk::{Desk, eventually, signal};

const SOON: Duration = Duration::from_secs(30);

/// The numbers of all Claude Codes that were started, in order, each with that of what it started.
fn claudes(desk: &Desk) -> Vec<(u32, u32)> {
    let text = fs::read_to_string(desk.home.path().join("claudes")).unwrap_or_default();
    let numbers = |line: &str| {
        let (claude, started) = line.split_once(' ')?;
        Some((claude.parse().ok()?, started.parse().ok()?))
    };
    text.lines().filter_map(numbers).collect()
}

/// Says whether a process lives. One that has ended and only waits for its parent to notice has no program any more.
fn lives(pid: u32) -> bool {
    fs::read_link(format!("/proc/{pid}/exe")).is_ok()
}

fn leashes(desk: &Desk) -> usize {
    fs::read_dir(desk.state().join("claude/children")).map_or(0, Iterator::count)
}

/// Has a worker ask a Claude Code that hangs, and kills it; gives what the Claude Code had started, which lives.
fn left_behind(desk: &Desk) -> u32 {
    let mut killed = desk.stay();
    assert!(eventually(SOON, || claudes(desk).len() == 1 && leashes(desk) == 1));
    let (claude, started) = claudes(desk)[0];
    assert!(lives(claude) && lives(started));
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(
        eventually(SOON, || !lives(claude)),
        "it ends with who asked it, also if no worker ever runs again"
    );
    assert!(lives(started), "else this shows nothing");
    started
}

#[test]
fn what_a_claude_that_hangs_had_started_does_not_outlive_the_next_worker() {
    let desk = Desk::with_hung_claude();
    desk.record(1, 1);
    let started = left_behind(&desk);
    // Whoever only looks leaves it alone: a worker may run that needs it.
    assert!(desk.custos(&["doctor"]).status.code().is_some() && lives(started));
    let next = desk.stay();
    assert!(eventually(SOON, || claudes(&desk).len() == 2));
    assert!(eventually(SOON, || !lives(started)));
    // One that is asked to end takes its own with it.
    let (claude, started) = claudes(&desk)[1];
    signal("TERM", next.id());
    assert!(next.wait_with_output().unwrap().status.success());
    assert!(eventually(Duration::from_secs(5), || !lives(claude) && !lives(started)));
    assert_eq!((leashes(&desk), desk.counts().0), (0, 11));
}

#[test]
fn nor_does_it_where_another_distils_by_then() {
    let desk = Desk::with_hung_claude();
    desk.record(1, 1);
    let started = left_behind(&desk);
    desk.set("distill.provider", "rules");
    assert_eq!(desk.work()["left"], 0);
    assert!(eventually(SOON, || !lives(started)));
    assert_eq!((leashes(&desk), claudes(&desk).len()), (0, 1));
    let journal = fs::read_to_string(desk.state().join("worker.log")).unwrap();
    assert!(journal.contains(" ended what a worker left behind that was killed: processes 1\n"), "{journal}");
}

#[test]
fn after_a_restart_of_the_machine_everything_goes_on() {
    let desk = Desk::new();
    desk.record(4, 2);
    desk.server.play([Play::Says(r#"{"observations":[],"summary":null}"#.to_owned()), Play::Hangs]);
    let mut worker = desk.stay();
    assert!(desk.server.wait_for(2, Duration::from_secs(30)));
    worker.kill().unwrap();
    worker.wait().unwrap();
    // Files stay, and nobody holds their locks; what was being written is half there; numbers belong to others by now.
    let state = desk.state();
    fs::write(state.join("worker.lock"), "1").unwrap();
    fs::write(state.join("circuit.json"), "{\"provider\": \"openai\", \"fail").unwrap();
    fs::create_dir_all(state.join("claude/children")).unwrap();
    fs::write(state.join("claude/children/child-old"), std::process::id().to_string()).unwrap();
    for entry in fs::read_dir(&state).unwrap() {
        let path = entry.unwrap().path();
        if path.to_str().unwrap().ends_with("-shm") {
            fs::remove_file(path).unwrap();
        }
    }
    let report = desk.work();
    assert_eq!((&report["fell_back"], &report["left"]), (&0.into(), &0.into()), "{report}");
    assert_eq!(desk.counts(), (0, 42, 0));
    assert_eq!(desk.server.requests().len(), 5, "one answer was kept, one question was asked again");
    assert_eq!(desk.events("usage.recorded").len(), 5, "and both are in the books");
    assert!(desk.custos(&["verify"]).status.success());
    // A worker of the new day is told by its lock alone.
    assert_eq!(desk.json(&["status"])["distilling"]["worker"]["running"], false);
}
