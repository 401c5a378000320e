//! Older schemas, brought forward.
//!
//! A reader accepts every older version: it gets the event as it would have been written today. `custos migrate` writes the same result
//! into a new log. Each older schema is one function from its fields to a [`Draft`]; what it cannot carry over, it refuses with a
//! reason, and the report counts the refusals. Nothing here ever touches the old log.
//!
//! Schema 0.9 was the one of the prototype: `time` in milliseconds, `type` with other names, the client at the top level, no scopes but
//! `level` private or shared, no chain.

use serde_json::{Map, Value};

use crate::access::Scope;
use crate::draft::{Draft, DraftAgent, SchemaViolation};
use crate::event::Outcome;
use crate::kind::Kind;
use crate::time::Timestamp;
use crate::version::SchemaVersion;

/// The names of schema 0.9, and what they are called today.
const KINDS_0_9: [(&str, Kind, Option<Outcome>); 9] = [
    ("session_start", Kind::SessionStarted, None),
    ("session_end", Kind::SessionEnded, None),
    ("prompt", Kind::PromptSubmitted, None),
    ("tool_use", Kind::ToolUsed, Some(Outcome::Ok)),
    ("tool_error", Kind::ToolFailed, Some(Outcome::Failed)),
    ("tool_block", Kind::ToolDenied, Some(Outcome::Denied)),
    ("stop", Kind::TurnEnded, None),
    ("observation", Kind::ObservationRecorded, None),
    ("summary", Kind::SummaryRecorded, None),
];

/// Brings the fields of an older event forward to the current schema.
pub fn upgrade(version: SchemaVersion, fields: Map<String, Value>) -> Result<Draft, SchemaViolation> {
    match (version.major, version.minor) {
        (0, 9) => from_0_9(fields),
        _ => Err(SchemaViolation {
            path: "v".into(),
            problem: format!("no schema {version} was ever published; 0.9 and 1.0 were"),
        }),
    }
}

fn from_0_9(mut old: Map<String, Value>) -> Result<Draft, SchemaViolation> {
    let refuse = |path: &str, problem: &str| SchemaViolation { path: path.into(), problem: problem.into() };
    let mut text = |name: &str| match old.remove(name) {
        Some(Value::String(text)) if !text.is_empty() => Some(text),
        _ => None,
    };
    let name = text("type").ok_or_else(|| refuse("type", "is missing"))?;
    let id = text("id").and_then(|id| id.parse().ok()).ok_or_else(|| refuse("id", "is no UUID"))?;
    let (client, session, project) = (text("client"), text("session"), text("project"));
    let level = text("level");
    let (_, kind, outcome) = KINDS_0_9
        .into_iter()
        .find(|(old, ..)| *old == name)
        .ok_or_else(|| refuse("type", &format!("{name:?} has no counterpart in schema 1.0")))?;
    let Some(millis) = old.get("time").and_then(Value::as_i64) else {
        return Err(refuse("time", "is no number of milliseconds"));
    };
    let Some(Value::Object(body)) = old.remove("data") else { return Err(refuse("data", "is no object")) };
    let scope = match level.as_deref() {
        Some("shared") => Scope::Project,
        _ => Scope::User,
    };
    Ok(Draft {
        id: Some(id),
        ts: Some(Timestamp::from_millis(millis)),
        project,
        agent: client.map(|client| DraftAgent { client, id: session.clone(), role: None }),
        session,
        outcome,
        ..Draft::new(kind, scope, body)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    fn upgraded(version: &str, value: Value) -> Result<Draft, String> {
        let Value::Object(fields) = value else { panic!("a test event is an object") };
        upgrade(version.parse().unwrap(), fields).map_err(|violation| violation.to_string())
    }

    fn old() -> Value {
        json!({
            "v": "0.9.0", "id": "0193f0a1-7c00-7000-8000-000000000001", "time": 1_700_000_000_000_i64, "type": "tool_error",
            "client": "codex", "session": "s1", "project": "demo", "level": "shared", "data": {"tool": "Bash"}
        })
    }

    #[test]
    fn schema_0_9_becomes_what_would_be_written_today() {
        let Value::Object(body) = json!({"tool": "Bash"}) else { unreachable!() };
        let expected = Draft {
            id: Some("0193f0a1-7c00-7000-8000-000000000001".parse().unwrap()),
            ts: Some("2023-11-14T22:13:20Z".parse().unwrap()),
            project: Some("demo".into()),
            session: Some("s1".into()),
            agent: Some(DraftAgent { client: "codex".into(), id: Some("s1".into()), role: None }),
            outcome: Some(Outcome::Failed),
            ..Draft::new(Kind::ToolFailed, Scope::Project, body)
        };
        assert_eq!(upgraded("0.9.0", old()), Ok(expected));
    }

    #[rstest]
    #[case("type", json!("telepathy"), "type: \"telepathy\" has no counterpart in schema 1.0")]
    #[case("id", json!("7"), "id: is no UUID")]
    #[case("time", json!("noon"), "time: is no number of milliseconds")]
    #[case("data", json!([]), "data: is no object")]
    fn what_cannot_be_carried_over_says_why(
        #[case] field: &str,
        #[case] value: Value,
        #[case] message: &str,
    ) {
        let mut event = old();
        event[field] = value;
        assert_eq!(upgraded("0.9.0", event), Err(message.to_owned()));
    }

    #[test]
    fn a_version_that_never_was_is_refused() {
        assert_eq!(
            upgraded("0.3.0", old()),
            Err("v: no schema 0.3.0 was ever published; 0.9 and 1.0 were".to_owned())
        );
    }
}
