//! Clients that run the hooks of others, and calls that name no client at all.

use serde_json::json;

use crate::desk::{Desk, fed, fixtures, silence, with};

const CLAUDE: &str = "claude-code";

/// Nothing at all may have been written.
fn assert_untouched(desk: &Desk) {
    assert_eq!(desk.home.every_file().unwrap(), []);
}

#[test]
fn copilot_runs_the_entries_of_claude_code_and_they_stay_silent() {
    let mut desk = Desk::new();
    desk.set("COPILOT_CLI", "1");
    for name in fixtures("copilot-pascal") {
        let event = name.split('.').next().unwrap();
        desk.tell(CLAUDE, event, &desk.fixture("copilot-pascal", &name));
    }
    assert_untouched(&desk);
    // Its own entry works.
    desk.play("copilot", &["sessionStart", "postToolUse.bash"]);
    assert_eq!(desk.events().len(), 2);
}

#[test]
fn any_other_value_is_not_copilot() {
    let mut desk = Desk::new();
    desk.set("COPILOT_CLI", "0");
    desk.play(CLAUDE, &["SessionStart"]);
    assert_eq!(desk.events().len(), 1);
}

#[test]
fn cursor_runs_the_entries_of_claude_code_and_they_stay_silent() {
    let mut desk = Desk::new();
    desk.set("CURSOR_VERSION", "2026.10.01");
    for name in ["SessionStart", "UserPromptSubmit", "PreToolUse.Bash", "PostToolUse.Bash", "Stop"] {
        desk.play(CLAUDE, &[name]);
    }
    assert_untouched(&desk);
    desk.play("cursor", &["sessionStart", "postToolUse.Shell"]);
    assert_eq!(desk.events().len(), 2);
}

#[test]
fn a_payload_of_cursor_is_no_payload_of_another() {
    let desk = Desk::new();
    for (client, event) in
        [(CLAUDE, "PostToolUse"), (CLAUDE, "Stop"), ("codex", "SessionStart"), ("gemini", "AfterTool")]
    {
        desk.tell(client, event, &with(desk.fixture(client, event), json!({ "cursor_version": "3.20.17" })));
    }
    desk.tell(CLAUDE, "PreToolUse", &desk.fixture("cursor", "preToolUse.Shell"));
    assert_untouched(&desk);
}

#[test]
fn without_arguments_both_get_silence() {
    for (name, value) in [("CURSOR_VERSION", "2026.10.01"), ("COPILOT_CLI", "1")] {
        let mut desk = Desk::new();
        desk.set(name, value);
        let payload = desk.fixture("cursor", "preToolUse.Shell").to_string();
        assert_eq!(fed(&mut desk.command(&[]), payload.as_bytes()), silence(), "{name}");
        assert_untouched(&desk);
    }
}

#[test]
fn a_client_that_nobody_knows_is_a_mistake_on_the_command_line() {
    let desk = Desk::new();
    let ran = desk.hook("emacs", "Stop", "{}");
    assert_eq!((ran.code, ran.stdout.as_str()), (64, ""), "never 2, which would block");
    assert!(ran.stderr.contains("claude-code, codex, gemini, copilot, opencode, cursor"), "{}", ran.stderr);
    assert_untouched(&desk);
}

#[test]
fn an_event_name_may_be_any_text() {
    let desk = Desk::new();
    let long = "e".repeat(10_000);
    for event in ["", " ", "Ünïcödé", "../../x", "a\nb\u{1b}[31m", long.as_str()] {
        assert_eq!(desk.hook(CLAUDE, event, "{}"), silence(), "{event}");
    }
    let names: Vec<String> =
        desk.told().iter().map(|(_, body)| body["event"].as_str().unwrap().to_owned()).collect();
    assert_eq!(names, ["", " ", "Ünïcödé", "../../x", "ab[31m", &long[..64]]);
}
