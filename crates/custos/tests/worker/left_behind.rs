//! What a worker leaves behind that was killed, or whose machine was: children that hang, and files of no use.

use std::fs;
use std::time::Duration;

use custos_testkit::model_server::Play;

use crate::desk::{Desk, eventually, signal};

/// The numbers of all Claude Codes that were started, in order.
fn claudes(desk: &Desk) -> Vec<u32> {
    let text = fs::read_to_string(desk.home.path().join("claudes")).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

/// Says whether a process lives. One that has ended and only waits for its parent to notice has no program any more.
fn lives(pid: u32) -> bool {
    fs::read_link(format!("/proc/{pid}/exe")).is_ok()
}

#[test]
fn a_claude_that_hangs_does_not_outlive_the_next_worker() {
    let desk = Desk::with_hung_claude();
    desk.record(1, 1);
    let soon = Duration::from_secs(30);
    let mut killed = desk.stay();
    assert!(eventually(soon, || claudes(&desk).len() == 1));
    let first = claudes(&desk)[0];
    assert!(eventually(soon, || fs::read_dir(desk.state().join("claude/children")).unwrap().count() == 1));
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(lives(first), "else this shows nothing");
    // Whoever only looks leaves it alone: a worker may run that needs it.
    assert!(desk.custos(&["doctor"]).status.code().is_some() && lives(first));
    let next = desk.stay();
    assert!(eventually(soon, || claudes(&desk).len() == 2));
    assert!(eventually(soon, || !lives(first)));
    // One that is asked to end takes its own with it.
    let second = claudes(&desk)[1];
    signal("TERM", next.id());
    assert!(next.wait_with_output().unwrap().status.success());
    assert!(eventually(Duration::from_secs(5), || !lives(second)));
    assert_eq!(fs::read_dir(desk.state().join("claude/children")).unwrap().count(), 0);
    assert_eq!(desk.counts().0, 11);
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
    assert!(desk.custos(&["verify"]).status.success());
    // A worker of the new day is told by its lock alone.
    assert_eq!(desk.json(&["status"])["distilling"]["worker"]["running"], false);
}
