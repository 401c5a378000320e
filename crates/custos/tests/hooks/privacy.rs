//! What must not be written: secrets, private text, and outside of the state directory the clients' own ids.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::desk::{Desk, event_of, fixtures, silence, with};

const CLAUDE: &str = "claude-code";

/// Things that look like secrets, each by a form of its own. Put together here so that no scanner takes this file for a leak.
fn secrets() -> Vec<String> {
    vec![
        format!("ghp_{}", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"),
        format!("AKIA{}", "Z7QX3M5R9T2W8V4K"),
        format!("sk-ant-api03-{}", "q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6j7K8l9Z0x1C2v3B4n5M6-AA"),
        "correct-horse-battery-77".to_owned(),
        "only for me, not for any file".to_owned(),
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj".to_owned(),
    ]
}

/// A text that holds all of them.
fn telling() -> String {
    let [github, aws, anthropic, password, private, key] = secrets().try_into().unwrap();
    let dashes = "-".repeat(5);
    let key = format!("{dashes}BEGIN PRIVATE KEY{dashes}\n{key}\n{dashes}END PRIVATE KEY{dashes}");
    format!(
        "use {github} and {aws}, x-api-key: {anthropic}\npassword={password}\n{key}\n<private>{private}</private> please"
    )
}

fn assert_clean(desk: &Desk) {
    for secret in secrets() {
        assert_eq!(desk.home.find_bytes(&secret).unwrap(), Vec::<PathBuf>::new(), "{secret}");
    }
}

/// Calls hooks with secrets wherever a client may put them.
fn tell_secrets(desk: &Desk) {
    let telling = telling();
    let prompt = with(desk.fixture(CLAUDE, "UserPromptSubmit"), json!({ "prompt": telling }));
    desk.tell(CLAUDE, "UserPromptSubmit", &prompt);
    let bash = desk.fixture(CLAUDE, "PostToolUse.Bash");
    let quoted = format!("curl -H 'Authorization: {telling}'");
    desk.tell(
        CLAUDE,
        "PostToolUse",
        &with(bash.clone(), json!({ "tool_input": { "command": quoted, "description": telling } })),
    );
    desk.tell(
        CLAUDE,
        "PostToolUse",
        &with(bash.clone(), json!({ "tool_response": { "stdout": telling, "stderr": telling } })),
    );
    desk.tell(
        CLAUDE,
        "PostToolUse",
        &with(bash.clone(), json!({ "newer_field": { telling.clone(): [telling] } })),
    );
    // At the cut of an excerpt, at either side of it, and far out.
    let long = format!("{}{telling}{}{telling}", "x".repeat(4000), "y".repeat(60_000));
    desk.tell(CLAUDE, "PostToolUse", &with(bash.clone(), json!({ "tool_response": { "stdout": long } })));
    desk.tell(CLAUDE, "PostToolUse", &with(bash, json!({ "tool_input": { "command": long } })));
    desk.tell(
        CLAUDE,
        "PostToolUseFailure",
        &with(desk.fixture(CLAUDE, "PostToolUseFailure"), json!({ "error": telling })),
    );
    desk.tell(
        CLAUDE,
        "Stop",
        &with(desk.fixture(CLAUDE, "Stop"), json!({ "last_assistant_message": telling })),
    );
    desk.tell(CLAUDE, "SessionEnd", &with(desk.fixture(CLAUDE, "SessionEnd"), json!({ "reason": telling })));
    // In what is not understood.
    desk.tell(CLAUDE, "Unknown", &json!({ "text": telling, "password": "correct-horse-battery-77" }));
    desk.tell(
        CLAUDE,
        "Unknown",
        &json!({ "text": telling, "password": "correct-horse-battery-77", "pad": "x".repeat(20_000) }),
    );
    desk.tell(CLAUDE, "PostToolUse", &json!({ "tool_input": { "command": telling } }));
    for broken in
        [telling.clone(), format!("{{\"prompt\":{}", json!(telling)), format!("[{}]", json!(telling))]
    {
        assert_eq!(desk.hook(CLAUDE, "UserPromptSubmit", broken), silence());
    }
    // In the names that become files and headings.
    let fields = json!({ "session_id": telling, "transcript_path": telling, "agent_id": telling, "agent_type": telling });
    desk.tell(CLAUDE, "SubagentStart", &with(desk.fixture(CLAUDE, "SubagentStart"), fields));
    desk.tell(
        CLAUDE,
        "PostToolUse",
        &with(desk.fixture(CLAUDE, "PostToolUse.Bash"), json!({ "tool_name": telling })),
    );
}

#[test]
fn secrets_and_private_text_are_in_no_byte_below_the_home() {
    let desk = Desk::new();
    tell_secrets(&desk);
    assert_eq!(desk.events_of("hook.alive").len(), 6);
    assert_clean(&desk);
    let prompt = desk.events_of("prompt.submitted")[0]["body"]["text"].as_str().unwrap().to_owned();
    assert!(prompt.starts_with("use [redacted:") && prompt.ends_with(" please"), "{prompt}");
    desk.custos(&["search", "please"]);
    assert_clean(&desk);
}

#[test]
fn what_waits_in_the_spool_is_as_clean_as_the_log() {
    let desk = Desk::new();
    let in_the_way = desk.put(".config/ai/memory", "in the way");
    tell_secrets(&desk);
    assert!(desk.spooled().len() > 10, "{:?}", desk.spooled());
    assert_clean(&desk);
    std::fs::remove_file(in_the_way).unwrap();
    desk.settle();
    assert_clean(&desk);
    assert_eq!(desk.events_of("hook.alive").len(), 6);
}

#[test]
fn a_private_tag_that_is_never_closed_hides_the_rest() {
    let desk = Desk::new();
    let text = "fine <private>only for me, not for any file";
    desk.tell(
        CLAUDE,
        "UserPromptSubmit",
        &with(desk.fixture(CLAUDE, "UserPromptSubmit"), json!({ "prompt": text })),
    );
    assert_clean(&desk);
    assert!(desk.events_of("prompt.submitted")[0]["body"]["text"].as_str().unwrap().starts_with("fine "));
}

/// Collects the ids by which a client knows its sessions, agents and prompts.
fn ids(payload: &Value, found: &mut BTreeSet<String>) {
    const NAMES: [&str; 17] = [
        "session_id",
        "sessionId",
        "sessionID",
        "parentSessionId",
        "parentID",
        "conversation_id",
        "parent_conversation_id",
        "generation_id",
        "prompt_id",
        "turn_id",
        "messageID",
        "agent_id",
        "agentId",
        "subagent_id",
        "parent_agent_id",
        "parentAgentId",
        "tool_call_id",
    ];
    match payload {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(id) if NAMES.contains(&name.as_str()) && !id.is_empty() => {
                        found.insert(id.clone());
                    }
                    value => ids(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| ids(item, found)),
        // Codex answers with JSON in a text.
        Value::String(text) => {
            if let Ok(inner @ Value::Object(_)) = serde_json::from_str(text) {
                ids(&inner, found);
            }
        }
        _ => {}
    }
}

#[test]
fn the_clients_own_ids_stay_in_the_state_directory() {
    let mut leaks = Vec::new();
    for client in custos_clients::CLIENTS {
        let desk = Desk::new();
        for name in fixtures(client.name) {
            // Our plugin hands on what is in the table, and nothing else.
            if client.name == "opencode"
                && !client.manifest.events.iter().any(|row| name.starts_with(row.event))
            {
                continue;
            }
            let mut told = BTreeSet::new();
            let payload = desk.fixture(client.name, &name);
            ids(&payload, &mut told);
            // A request for permission may be answered; what is printed stays with the client.
            assert_eq!(desk.hook(client.name, event_of(client.name, &name), payload.to_string()).code, 0);
            let leaked = told.into_iter().filter(|id| !desk.in_memory(id).is_empty());
            leaks.extend(leaked.map(|id| format!("{} {name}: {id}", client.name)));
        }
        desk.verify();
    }
    assert_eq!(leaks, Vec::<String>::new());
}

#[test]
fn ids_in_half_a_payload_stay_here_too() {
    let desk = Desk::new();
    let whole = desk.fixture(CLAUDE, "PostToolUse.Bash").to_string();
    let half = &whole[..whole.len() - 5];
    assert_eq!(desk.hook(CLAUDE, "PostToolUse", half), silence());
    let missing = json!({ "session_id": crate::desk::SESSION, "prompt_id": crate::desk::PROMPT });
    desk.tell(CLAUDE, "PostToolUse", &missing);
    assert_eq!(desk.events_of("hook.alive").len(), 2);
    for id in [crate::desk::SESSION, crate::desk::PROMPT] {
        assert_eq!(desk.in_memory(id), Vec::<PathBuf>::new());
    }
}

#[test]
fn everything_that_hooks_write_is_private_to_the_person() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    desk.play(CLAUDE, &["SessionStart", "UserPromptSubmit", "SubagentStart", "Stop"]);
    desk.hook(CLAUDE, "Stop", "not JSON");
    let in_the_way = desk.memory().with_file_name("aside");
    std::fs::rename(desk.memory(), &in_the_way).unwrap();
    desk.put(".config/ai/memory", "in the way");
    desk.play(CLAUDE, &["Stop"]);
    assert_eq!(desk.spooled().len(), 1);
    let mut pending = vec![in_the_way, desk.states()];
    let mut seen = 0;
    while let Some(path) = pending.pop() {
        let metadata = std::fs::symlink_metadata(&path).unwrap();
        let expected = if metadata.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(metadata.permissions().mode() & 0o777, expected, "{}", path.display());
        seen += 1;
        if metadata.is_dir() {
            pending.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    assert!(seen > 12, "{seen}");
}
