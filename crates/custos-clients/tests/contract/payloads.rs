//! Recorded payloads become the right events.

use std::collections::BTreeMap;

use custos_clients::find;
use rstest::rstest;
use serde_json::{Value, json};

use crate::recorded::{self, Recorded};
use crate::schemas;

#[rstest]
fn a_recorded_payload_is_valid_and_read(
    #[values("claude-code", "codex", "gemini", "copilot", "opencode", "cursor")] name: &str,
) {
    let client = find(name).unwrap();
    let recorded = recorded::wired(client);
    for payload in &recorded {
        let schema = schemas::open(client.name, payload.event().unwrap(), "stdin");
        let objections = schemas::objections(&schema, &Value::Object(payload.fields.clone()));
        assert!(objections.is_empty(), "{name} {}: {objections:?}", payload.name);
    }
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_json_snapshot!(format!("events_{name}"), events(&recorded));
    });
}

/// Gives what becomes of each payload. Many were recorded twice under two names; the second says so.
fn events(recorded: &[Recorded]) -> BTreeMap<&str, Value> {
    let mut events = BTreeMap::new();
    let mut seen: Vec<&Recorded> = Vec::new();
    for payload in recorded {
        let event = payload.read().unwrap_or_else(|error| panic!("{}: {error}", payload.name));
        let same =
            seen.iter().find(|other| other.event() == payload.event() && other.fields == payload.fields);
        let value = match same {
            Some(other) => json!(format!("as {}", other.name)),
            None => serde_json::to_value(&event).unwrap(),
        };
        seen.push(payload);
        events.insert(payload.name.as_str(), value);
    }
    events
}
