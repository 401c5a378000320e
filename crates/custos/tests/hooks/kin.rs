//! In which process of a client a session lives, so that the client's MCP server finds it.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::desk::{CUSTOS, Desk, fed, silence};

const CLAUDE: &str = "claude-code";

/// The notes, by the number of the process that they are about.
fn notes(desk: &Desk) -> BTreeMap<u32, String> {
    let Ok(entries) = fs::read_dir(desk.state().join("kin")) else { return BTreeMap::new() };
    let note = |path: std::path::PathBuf| {
        let (pid, _) = path.file_name()?.to_str()?.split_once('-')?;
        Some((pid.parse().ok()?, fs::read_to_string(&path).ok()?))
    };
    entries.map(|entry| note(entry.unwrap().path()).unwrap()).collect()
}

/// The note that says that the only session lives in this very process, which is the client here.
fn lives_here(desk: &Desk) -> BTreeMap<u32, String> {
    let session =
        desk.events().first().and_then(|event| event["session"].as_str().map(str::to_owned)).unwrap();
    BTreeMap::from([(std::process::id(), format!("{session}\n"))])
}

#[test]
fn a_session_is_noted_from_its_start_to_its_end() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["SessionStart"]);
    assert_eq!(notes(&desk), lives_here(&desk));
    desk.play(
        CLAUDE,
        &["UserPromptSubmit", "PreToolUse.Bash", "PostToolUse.Bash", "Stop", "SessionStart.resume"],
    );
    assert_eq!(notes(&desk), lives_here(&desk), "once");
    desk.play(CLAUDE, &["SessionEnd"]);
    assert_eq!(notes(&desk), BTreeMap::new());
}

#[test]
fn a_tool_looks_for_no_process_and_a_prompt_mends_what_is_missing() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["PreToolUse.Bash"]);
    assert_eq!(notes(&desk), lives_here(&desk), "it was the first sign of the session");
    fs::remove_dir_all(desk.state().join("kin")).unwrap();
    desk.play(CLAUDE, &["PreToolUse.Bash", "PostToolUse.Bash", "Stop"]);
    assert_eq!(notes(&desk), BTreeMap::new());
    desk.play(CLAUDE, &["UserPromptSubmit"]);
    assert_eq!(notes(&desk), lives_here(&desk));
}

#[test]
fn a_shell_between_the_client_and_its_hook_is_not_the_client() {
    let desk = Desk::new();
    let payload: Value = desk.fixture("gemini", "SessionStart");
    let mut shell = desk.program("/bin/sh");
    // Two commands, or the shell would become the hook.
    shell.args(["-c", &format!("'{CUSTOS}' hook gemini SessionStart; exit 0")]);
    assert_eq!(fed(&mut shell, payload.to_string().as_bytes()), silence());
    assert_eq!(notes(&desk), lives_here(&desk));
}

#[test]
fn notes_that_cannot_be_made_are_no_obstacle() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["PreToolUse.Bash"]);
    fs::remove_dir_all(desk.state().join("kin")).unwrap();
    fs::write(desk.state().join("kin"), "a file in the place of the directory").unwrap();
    desk.play(CLAUDE, &["UserPromptSubmit", "SessionEnd"]);
    assert_eq!(desk.events_of("session.ended").len(), 1);
    assert_eq!(desk.troubles().len(), 1, "{:?}", desk.troubles());
}
