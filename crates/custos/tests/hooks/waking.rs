//! The end of a turn wakes a worker, and so does a text that has no vectors yet, unless the person wants none.

use std::time::{Duration, Instant};

use custos_worker::claim;

use crate::desk::{Desk, fed, silence};

const CLAUDE: &str = "claude-code";

/// Ends a turn with workers allowed.
fn end_turn(desk: &Desk) {
    let payload = desk.fixture(CLAUDE, "Stop").to_string();
    let mut hook = desk.command(&["hook", CLAUDE, "Stop"]);
    assert_eq!(fed(hook.env_remove("CUSTOS_NO_WORKER"), payload.as_bytes()), silence());
}

fn eventually(within: Duration, is_so: impl Fn() -> bool) -> bool {
    let began = Instant::now();
    while began.elapsed() < within {
        if is_so() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    is_so()
}

#[test]
fn the_end_of_a_turn_wakes_a_worker_that_ends_by_itself() {
    let mut desk = Desk::new();
    desk.set("CUSTOS_WORKER_IDLE_S", "2");
    desk.play(CLAUDE, &["UserPromptSubmit", "PostToolUse.Bash"]);
    end_turn(&desk);
    let state = desk.state();
    let runs = || claim::is_held(&state).unwrap();
    assert!(eventually(Duration::from_secs(20), runs), "a worker runs");
    end_turn(&desk);
    assert!(eventually(Duration::from_secs(20), || !runs()), "it ends after its last work");
    let pending = desk.custos(&["status", "--json"]).stdout;
    let status: serde_json::Value = serde_json::from_str(&pending).unwrap();
    assert_eq!(status["distilling"]["work"]["pending"], 0, "{pending}");
    assert_eq!(desk.troubles(), Vec::<String>::new());
    desk.verify();
}

#[test]
fn what_was_written_to_a_file_gets_its_vectors_without_the_end_of_a_turn() {
    let mut desk = Desk::new();
    desk.set("CUSTOS_WORKER_IDLE_S", "1");
    let text = "---\nslug: pagers\ntype: pattern\ntitle: Pagers ring twice\n---\n\n# Pagers\n";
    desk.put(desk.project().join(".ai/memory/patterns/pagers.md").to_str().unwrap(), text);
    let start = desk.fixture(CLAUDE, "SessionStart.startup").to_string();
    let mut hook = desk.command(&["hook", CLAUDE, "SessionStart"]);
    assert_eq!(fed(hook.env_remove("CUSTOS_NO_WORKER"), start.as_bytes()).code, 0);
    let vectors = || {
        let status: serde_json::Value =
            serde_json::from_str(&desk.custos(&["status", "--json"]).stdout).unwrap();
        status["vectors"]["stored"][0]["vectors"].as_u64().unwrap_or(0)
    };
    assert!(eventually(Duration::from_secs(20), || vectors() > 0), "a worker made them");
}

#[test]
fn nobody_is_woken_where_the_person_wants_none() {
    let mut desk = Desk::new();
    desk.play(CLAUDE, &["UserPromptSubmit", "PostToolUse.Bash", "Stop"]);
    desk.set("CUSTOS_WORKER_WAKE", "false");
    end_turn(&desk);
    let state = desk.state();
    assert!(!eventually(Duration::from_secs(1), || state.join("worker.lock").exists()), "no worker ever ran");
}
