//! Decisions as guards: what is decided holds from the next call on, and no longer than it is decided.

use serde_json::json;

use crate::desk::{Desk, silence, with};
use crate::guard::{decision, judged, shell};

const CLAUDE: &str = "claude-code";

/// Has a person decide against a command, in the project.
fn decide(desk: &Desk, title: &str, command: &str) {
    let (example, harmless) = (format!("{command} now"), "make test");
    let ran = desk.custos(&[
        "decisions",
        "add",
        "--title",
        title,
        "--decision",
        "It is not done by hand.",
        "--reasoning",
        "It broke.",
        "--required",
        "--guard-command",
        command,
        "--must-block",
        &example,
        "--must-allow",
        harmless,
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

/// What `custos guard test` says about a command.
fn tested(desk: &Desk, command: &str) -> String {
    let ran = desk.custos(&["guard", "test", "--json", command]);
    let said: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    said["verdict"].as_str().unwrap().to_owned()
}

/// Puts notes into the knowledge base that nobody enforces, and has a session begin among them.
fn among_notes(desk: &Desk) {
    desk.put("project/.git/HEAD", "ref: refs/heads/work\n");
    for number in 1..=60 {
        let text = format!("---\nid: D-{number:03}\ntitle: Note {number}\n---\n\n# Note {number}\n\nText.\n");
        desk.put(&format!("project/.ai/decisions/D-{number:03}-note-{number}.md"), text);
    }
    let start = desk.hook(CLAUDE, "SessionStart", desk.fixture(CLAUDE, "SessionStart").to_string());
    assert_eq!(start.code, 0, "{start:?}");
}

#[test]
fn what_is_decided_holds_at_once_and_until_it_is_put_away() {
    let desk = Desk::new();
    among_notes(&desk);
    assert_eq!(judged(&desk, CLAUDE, "make release"), silence());
    decide(&desk, "The pipeline releases", "make release");
    assert_eq!(tested(&desk, "make release"), "deny");
    let (verdict, reason) = decision(&judged(&desk, CLAUDE, "make release"));
    assert_eq!(verdict, "deny");
    assert!(reason.contains("D-061: The pipeline releases"), "{reason}");
    let archived = desk.custos(&["decisions", "archive", "D-061", "--reason", "the pipeline is gone"]);
    assert_eq!(archived.code, 0, "{archived:?}");
    assert_eq!(tested(&desk, "make release"), "silence");
    assert_eq!(judged(&desk, CLAUDE, "make release"), silence());
}

#[test]
fn one_that_git_brings_is_found_on_the_way() {
    let desk = Desk::new();
    among_notes(&desk);
    for number in 71..=75 {
        let text = format!(
            "\u{feff}---\nid: D-{number:03}\ntitle: T\nenforce: required\nguard:\n  command: make r{number}\n  \
             must_block: [make r{number}]\n  must_allow: [make test]\n---\n"
        );
        desk.put(&format!("project/.ai/decisions/D-{number:03}-t.md"), text.replace('\n', "\r\n"));
    }
    // Each hook proves some of them, and none is forgotten.
    for command in ["make r71", "make r73", "make r75"] {
        assert_eq!(decision(&judged(&desk, CLAUDE, command)).0, "deny", "{command}");
    }
}

#[test]
fn the_decisions_of_the_directory_that_the_session_began_in_go_with_it() {
    let desk = Desk::new();
    let inner = desk.put("project/api/.git/HEAD", "ref: refs/heads/work\n");
    let inner = inner.ancestors().nth(2).unwrap().to_str().unwrap();
    desk.put("project/web/.git/HEAD", "ref: refs/heads/work\n");
    let start = desk.hook(CLAUDE, "SessionStart", desk.fixture(CLAUDE, "SessionStart").to_string());
    assert_eq!(start.code, 0, "{start:?}");
    decide(&desk, "The pipeline releases", "make release");
    let in_repo = |session: serde_json::Value| {
        let place = with(shell(&desk, CLAUDE, "make release").1, json!({ "cwd": inner }));
        desk.hook(CLAUDE, "PreToolUse", with(place, session).to_string())
    };
    assert_eq!(decision(&in_repo(json!({}))).0, "deny");
    // A session that began in the repo does not know the workspace.
    assert_eq!(in_repo(json!({ "session_id": "another" })), silence());
}
