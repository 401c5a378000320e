//! A client whose hooks stopped: nobody would notice, so the others say it.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use rstest::rstest;

use crate::machine::{ALL, Machine};

/// A machine on which Codex was used half an hour after it was wired, and its hooks never came.
fn with_silent_codex() -> Machine {
    let machine = Machine::new();
    machine.set_up(&ALL);
    let transcript = ".codex/sessions/2026/11/16/rollout-1.jsonl";
    machine.put(transcript, "{}\n");
    let later = SystemTime::now() + Duration::from_mins(30);
    File::options().write(true).open(machine.path(transcript)).unwrap().set_modified(later).unwrap();
    machine
}

#[test]
fn doctor_names_a_client_that_was_used_without_its_hooks() {
    let machine = with_silent_codex();
    let ran = machine.custos(&["doctor"]);
    assert_eq!(ran.code, 1);
    let told: Vec<&str> =
        ran.stdout.lines().skip_while(|line| !line.contains("hooks have never fired")).take(2).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
BAD  codex          Codex was used, but its hooks have never fired
                    start `codex` and enter /hooks: it runs only hooks that you trust; then `custos setup`
");
}

/// Every client that takes context when a session starts passes it on, in its own dialect.
#[rstest]
#[case("claude-code", "SessionStart", "/hookSpecificOutput/additionalContext")]
#[case("gemini", "SessionStart", "/hookSpecificOutput/additionalContext")]
#[case("copilot", "sessionStart", "/additionalContext")]
#[case("cursor", "sessionStart", "/additional_context")]
fn the_next_session_of_another_client_is_told(
    #[case] client: &str,
    #[case] event: &str,
    #[case] place: &str,
) {
    let machine = with_silent_codex();
    let payload = custos_clients::sample::payload(client, event).unwrap();
    let ran = machine.hook(client, event, payload);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        answer.pointer(place).unwrap_or(&answer),
        "Custos, the memory and guard of this machine, has to tell the person something; please pass it on: \
         Codex was used, but its hooks have never fired. `custos doctor` says why and what to do."
    );
}

#[test]
fn a_client_that_is_heard_again_is_not_named_any_more() {
    let machine = with_silent_codex();
    fs::remove_dir_all(machine.path(".codex/sessions")).unwrap();
    machine.put(".codex/sessions/2026/11/16/rollout-1.jsonl", "{}\n");
    let payload = custos_clients::sample::payload("claude-code", "SessionStart").unwrap();
    let ran = machine.hook("claude-code", "SessionStart", payload);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
}
