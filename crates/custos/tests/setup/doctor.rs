//! `doctor`: what it says about clients when something is the matter.

use std::fs;

use crate::machine::{Machine, Ran};

/// Gives doctor's lines about some of the things that it checks, and the matrix.
fn about(ran: &Ran, what: &[&str]) -> String {
    let mut lines = Vec::new();
    let mut wanted = false;
    for line in ran.stdout.lines() {
        if !line.starts_with(' ') {
            wanted = line.starts_with("What a hook") || what.iter().any(|what| line.get(5..).is_some_and(|rest| rest.starts_with(what)));
            wanted |= lines.last().is_some_and(|_| ran.stdout.find("What a hook").is_some_and(|at| ran.stdout.find(line).is_some_and(|here| here > at)));
        }
        if wanted {
            lines.push(line);
        }
    }
    lines.join("\n")
}

#[test]
fn a_machine_on_which_all_is_well() {
    let machine = Machine::new();
    machine.set_up(&["claude-code", "gemini", "copilot", "opencode", "cursor"]);
    let ran = machine.custos(&["doctor"]);
    machine.settings().bind(|| insta::assert_snapshot!(ran.stdout, @""));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
fn a_client_that_is_here_and_not_wired_is_named() {
    let machine = Machine::new();
    machine.make_dir(".codex").make_dir(".cursor");
    insta::assert_snapshot!(about(&machine.custos(&["doctor"]), &["clients"]), @"");
    machine.set_up(&["cursor"]);
    insta::assert_snapshot!(about(&machine.custos(&["doctor"]), &["clients"]).lines().take(2).collect::<Vec<_>>().join("\n"), @"");
}

#[test]
fn a_program_that_was_deleted_fails_everywhere() {
    let machine = Machine::new();
    machine.set_up(&["claude-code", "cursor", "opencode"]);
    fs::remove_file(machine.path(".local/bin/custos")).unwrap();
    let ran = machine.custos(&["doctor"]);
    assert_eq!(ran.code, 1);
    machine.settings().bind(|| insta::assert_snapshot!(about(&ran, &["claude-code", "cursor", "opencode"]), @""));
    machine.set_up(&["claude-code", "cursor", "opencode"]);
    assert_eq!(machine.custos(&["doctor"]).code, 0);
}

#[test]
fn an_entry_that_was_removed_by_hand_is_not_wired() {
    let machine = Machine::new();
    machine.set_up(&["claude-code"]);
    let mut settings: serde_json::Value = serde_json::from_str(&machine.read(".claude/settings.json")).unwrap();
    settings["hooks"].as_object_mut().unwrap().remove("PreToolUse");
    machine.put(".claude/settings.json", settings.to_string());
    let ran = machine.custos(&["doctor"]);
    assert_eq!(ran.code, 1);
    machine.settings().bind(|| insta::assert_snapshot!(about(&ran, &["claude-code"]), @""));
    machine.set_up(&["claude-code"]);
    assert_eq!(machine.custos(&["doctor"]).code, 0);
}

#[test]
fn codex_has_to_be_told_to_trust_each_hook() {
    let machine = Machine::new();
    machine.put(".codex/hooks.json", r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}}"#);
    machine.set_up(&["codex"]);
    let ran = machine.custos(&["doctor"]);
    assert_eq!(ran.code, 1);
    machine.settings().bind(|| insta::assert_snapshot!(about(&ran, &["codex"]), @""));

    // As Codex notes it: by file, event and place; ours is the second group of its event where somebody was there before.
    let hooks = machine.path(".codex/hooks.json");
    let trusted = |event: &str, group: usize| {
        format!("[hooks.state.\"{}:{event}:{group}:0\"]\ntrusted_hash = \"sha256:{}\"\n", hooks.display(), "0".repeat(64))
    };
    let mut config = String::from("model = \"gpt\"\n");
    for event in [
        "session_start", "user_prompt_submit", "pre_tool_use", "permission_request", "post_tool_use", "subagent_start",
        "subagent_stop", "pre_compact", "session_end",
    ] {
        config.push_str(&trusted(event, 0));
    }
    machine.put(".codex/config.toml", format!("{config}{}", trusted("stop", 0)));
    let only_theirs = machine.custos(&["doctor"]);
    assert_eq!(only_theirs.code, 1);
    assert!(only_theirs.stdout.contains("runs none of these: Stop\n"), "{}", only_theirs.stdout);
    machine.put(".codex/config.toml", format!("{config}{}", trusted("stop", 1)));
    let ran = machine.custos(&["doctor"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
}

#[test]
fn a_version_that_was_never_tested_is_named() {
    let machine = Machine::new();
    machine.put_program("claude", "9.9.9 (Claude Code)");
    machine.must(&["setup"]);
    let ran = machine.custos(&["doctor"]);
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!(about(&ran, &["claude-code"]).lines().take(3).collect::<Vec<_>>().join("\n"), @"");
}

#[test]
fn the_trouble_of_a_hook_is_told() {
    let machine = Machine::new();
    let ran = machine.hook("claude-code", "PreToolUse", r#"{"session_id": "s", "tool_name": 5}"#);
    assert_eq!(ran, Ran { code: 0, stdout: String::new(), stderr: String::new() });
    let ran = machine.custos(&["doctor"]);
    assert_eq!(ran.code, 1);
    machine.settings().bind(|| insta::assert_snapshot!(about(&ran, &["hooks"]), @""));
}

#[test]
fn events_that_wait_for_the_log_are_told() {
    let machine = Machine::new();
    // A file where the memory should be: nothing can be appended.
    machine.put(".config/ai/memory", "");
    let payload = custos_clients::sample::payload("claude-code", "UserPromptSubmit").unwrap();
    assert_eq!(machine.hook("claude-code", "UserPromptSubmit", payload).code, 0);
    let ran = machine.custos(&["doctor"]);
    machine.settings().bind(|| insta::assert_snapshot!(about(&ran, &["spool", "memory", "hooks"]), @""));
    fs::remove_file(machine.path(".config/ai/memory")).unwrap();
    let payload = custos_clients::sample::payload("claude-code", "Stop").unwrap();
    assert_eq!(machine.hook("claude-code", "Stop", payload).code, 0);
    insta::assert_snapshot!(about(&machine.custos(&["doctor"]), &["spool"]), @"");
}
