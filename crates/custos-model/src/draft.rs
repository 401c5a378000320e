//! An event that somebody wants to have recorded.
//!
//! Whatever comes from outside the program (another program's lines, an import, a spooled event) enters as a map of JSON fields and is
//! checked here, field by field. A violation names the path of the offending field and says what would have been right, because
//! the reader of that message is mostly a program's author who sees nothing else.

use serde_json::{Map, Value};

use crate::access::{AccessList, Grant, Scope};
use crate::event::{Importance, Outcome};
use crate::id::EventId;
use crate::kind::Kind;
use crate::time::Timestamp;
use crate::version::{Readability, SchemaVersion};

/// An event before the log has given it its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// What happened.
    pub kind: Kind,
    /// How far it reaches.
    pub scope: Scope,
    /// What happened, in the words of its kind.
    pub body: Map<String, Value>,
    /// The id, where it was already given out (a spooled or migrated event).
    pub id: Option<EventId>,
    /// When it happened, if not now.
    pub ts: Option<Timestamp>,
    /// The project.
    pub project: Option<String>,
    /// The branch that was checked out.
    pub branch: Option<String>,
    /// The commit that was checked out.
    pub commit: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// Who did it. The id may still be the client's own; the log replaces it by a pseudonym.
    pub agent: Option<DraftAgent>,
    /// The task that it belongs to.
    pub task: Option<String>,
    /// How it went.
    pub outcome: Option<Outcome>,
    /// How much it matters.
    pub importance: Option<Importance>,
    /// Who may read it; the default of its kind where nobody said.
    pub acl: Option<AccessList>,
}

/// An agent as its client names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftAgent {
    /// The client.
    pub client: String,
    /// The client's own id for the agent, or a pseudonym.
    pub id: Option<String>,
    /// The role.
    pub role: Option<String>,
}

/// Reports a draft that the schema does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct SchemaViolation {
    /// The offending field, such as `agent.role`.
    pub path: String,
    /// What is wrong with it and what would be right.
    pub problem: String,
}

/// The fields that a draft may have, with the greatest length of those that are plain text.
const TEXT_LIMITS: [(&str, usize); 5] =
    [("project", 1024), ("branch", 512), ("commit", 128), ("session", 512), ("task", 512)];

/// The fields that the log itself sets.
const SET_BY_THE_LOG: [&str; 6] = ["id", "seq", "origin", "prev", "commitment", "salt"];

/// The kinds in which the books are kept: what is done, what failed, and what it took.
const IN_THE_BOOKS: [Kind; 5] =
    [Kind::WorkDone, Kind::WorkFailed, Kind::WorkAbandoned, Kind::WorkReopened, Kind::UsageRecorded];

impl Draft {
    /// Starts a draft with the three things that every event has.
    pub fn new(kind: Kind, scope: Scope, body: Map<String, Value>) -> Self {
        Self {
            kind,
            scope,
            body,
            id: None,
            ts: None,
            project: None,
            branch: None,
            commit: None,
            session: None,
            agent: None,
            task: None,
            outcome: None,
            importance: None,
            acl: None,
        }
    }

    /// Checks the fields of a draft from outside and takes them over.
    pub fn from_fields(mut fields: Map<String, Value>) -> Result<Self, SchemaViolation> {
        if let Some(Value::String(text)) = fields.remove("v").as_ref() {
            let version: SchemaVersion = text.parse().map_err(|error| violation("v", error))?;
            if version.readability() != Readability::Current {
                let current = SchemaVersion::CURRENT;
                return Err(violation("v", format!("this program writes schema {current}, not {version}")));
            }
        }
        let kind = required_text(&mut fields, "kind")?;
        let kind: Kind = kind.parse().map_err(|error| violation("kind", error))?;
        if kind == Kind::ForgetDone {
            // Whatever it names is overwritten. That is for the person to ask for, not for a program that sends events.
            return Err(violation("kind", "`forget.done` is written by `custos forget` alone"));
        }
        if IN_THE_BOOKS.contains(&kind) {
            // Whoever could send these would end work that nobody did, or use up the tokens of a day.
            return Err(violation("kind", format!("`{}` is written by Custos alone", kind.name())));
        }
        let scope = required_text(&mut fields, "scope")?;
        let scope = scope.parse().map_err(|()| {
            violation("scope", format!("{scope:?} is none of session, agent, user, project, team"))
        })?;
        let body = match fields.remove("body") {
            Some(Value::Object(body)) => body,
            Some(other) => return Err(expected("body", "an object", &other)),
            None => return Err(violation("body", "is missing; an object with what happened is required")),
        };
        let mut draft = Self::new(kind, scope, body);
        for (name, limit) in TEXT_LIMITS {
            let text = optional_text(&mut fields, "", name, limit)?;
            match name {
                "project" => draft.project = text,
                "branch" => draft.branch = text,
                "commit" => draft.commit = text,
                "session" => draft.session = text,
                _ => draft.task = text,
            }
        }
        if let Some(text) = optional_text(&mut fields, "", "ts", 64)? {
            draft.ts = Some(text.parse().map_err(|error| violation("ts", error))?);
        }
        draft.agent = take_agent(&mut fields)?;
        draft.outcome = take_outcome(&mut fields)?;
        draft.importance = take_importance(&mut fields)?;
        draft.acl = take_acl(&mut fields)?;
        if let Some(name) = fields.keys().next() {
            return Err(unknown(name));
        }
        if scope == Scope::Agent && draft.agent.as_ref().is_none_or(|agent| agent.id.is_none()) {
            return Err(violation(
                "agent.id",
                "is missing; an event of scope `agent` needs the agent that it is for",
            ));
        }
        Ok(draft)
    }
}

fn take_agent(fields: &mut Map<String, Value>) -> Result<Option<DraftAgent>, SchemaViolation> {
    let mut agent = match fields.remove("agent") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Object(agent)) => agent,
        Some(other) => return Err(expected("agent", "an object with client, id and role", &other)),
    };
    let client = optional_text(&mut agent, "agent.", "client", 64)?
        .ok_or_else(|| violation("agent.client", "is missing; name the client, such as \"codex\""))?;
    let id = optional_text(&mut agent, "agent.", "id", 256)?;
    let role = optional_text(&mut agent, "agent.", "role", 64)?;
    match agent.keys().next() {
        Some(name) => {
            Err(violation(format!("agent.{name}"), "is not a field of an agent; it has client, id and role"))
        }
        None => Ok(Some(DraftAgent { client, id, role })),
    }
}

fn take_outcome(fields: &mut Map<String, Value>) -> Result<Option<Outcome>, SchemaViolation> {
    let Some(text) = optional_text(fields, "", "outcome", 64)? else { return Ok(None) };
    [Outcome::Ok, Outcome::Failed, Outcome::Denied]
        .into_iter()
        .find(|outcome| outcome.name() == text)
        .map(Some)
        .ok_or_else(|| violation("outcome", format!("{text:?} is none of ok, failed, denied")))
}

fn take_importance(fields: &mut Map<String, Value>) -> Result<Option<Importance>, SchemaViolation> {
    match fields.remove("importance") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value
            .as_f64()
            .and_then(Importance::new)
            .map(Some)
            .ok_or_else(|| expected("importance", "a number from 0 to 1", &value)),
    }
}

fn take_acl(fields: &mut Map<String, Value>) -> Result<Option<AccessList>, SchemaViolation> {
    let entries = match fields.remove("acl") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(entries)) => entries,
        Some(other) => return Err(expected("acl", "a list such as [\"user\", \"client:codex\"]", &other)),
    };
    if entries.len() > 256 {
        return Err(violation("acl", format!("has {} entries; at most 256 are allowed", entries.len())));
    }
    let grants = entries.iter().enumerate().map(|(i, entry)| {
        let path = format!("acl[{i}]");
        let text = entry.as_str().ok_or_else(|| expected(&path, "a text such as \"user\"", entry))?;
        text.parse::<Grant>().map_err(|error| violation(path, error))
    });
    grants.collect::<Result<_, _>>().map(|grants| Some(AccessList(grants)))
}

fn required_text(fields: &mut Map<String, Value>, name: &str) -> Result<String, SchemaViolation> {
    optional_text(fields, "", name, 64)?
        .ok_or_else(|| violation(name, "is missing; kind, scope and body are required"))
}

fn optional_text(
    fields: &mut Map<String, Value>,
    parent: &str,
    name: &str,
    limit: usize,
) -> Result<Option<String>, SchemaViolation> {
    let text = match fields.remove(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text,
        Some(other) => return Err(expected(&format!("{parent}{name}"), "a text", &other)),
    };
    let problem = if text.is_empty() {
        "is empty; leave it out instead".to_owned()
    } else if text.len() > limit {
        format!("is {} bytes long; at most {limit} are allowed", text.len())
    } else if text.chars().any(char::is_control) {
        "holds control characters".to_owned()
    } else {
        return Ok(Some(text));
    };
    Err(violation(format!("{parent}{name}"), problem))
}

fn unknown(name: &str) -> SchemaViolation {
    let shown: String = name.chars().filter(|c| !c.is_control()).take(64).collect();
    if SET_BY_THE_LOG.contains(&name) {
        return violation(shown, "is set by the log; leave it out");
    }
    violation(
        shown,
        "is not a field of an event; put it into body, or use one of kind, scope, body, ts, project, branch, commit, \
         session, agent, task, outcome, importance, acl",
    )
}

fn expected(path: &str, wanted: &str, found: &Value) -> SchemaViolation {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    violation(path, format!("expected {wanted}, found {found}"))
}

#[expect(clippy::needless_pass_by_value, reason = "texts and errors alike, without a borrow at each call")]
fn violation(path: impl Into<String>, problem: impl ToString) -> SchemaViolation {
    SchemaViolation { path: path.into(), problem: problem.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    fn check(value: Value) -> Result<Draft, String> {
        let Value::Object(fields) = value else { panic!("a test draft is an object") };
        Draft::from_fields(fields).map_err(|violation| violation.to_string())
    }

    #[test]
    fn kind_scope_and_body_are_enough() {
        let draft = check(json!({"kind": "tool.used", "scope": "session", "body": {"tool": "Bash"}}));
        let Value::Object(body) = json!({"tool": "Bash"}) else { unreachable!() };
        assert_eq!(draft, Ok(Draft::new(Kind::ToolUsed, Scope::Session, body)));
    }

    #[test]
    fn takes_over_every_field() {
        let draft = check(json!({
            "v": "1.0.0", "kind": "prompt.submitted", "scope": "project", "body": {}, "ts": "2026-01-02T03:04:05Z",
            "project": "github.com/a/b", "branch": "main", "commit": "abc", "session": "s", "task": "t",
            "agent": {"client": "codex", "id": "x", "role": "musician"}, "outcome": "ok", "importance": 0.5,
            "acl": ["*", "role:conductor"]
        }));
        let expected = Draft {
            ts: Some("2026-01-02T03:04:05Z".parse().unwrap()),
            project: Some("github.com/a/b".into()),
            branch: Some("main".into()),
            commit: Some("abc".into()),
            session: Some("s".into()),
            task: Some("t".into()),
            agent: Some(DraftAgent {
                client: "codex".into(),
                id: Some("x".into()),
                role: Some("musician".into()),
            }),
            outcome: Some(Outcome::Ok),
            importance: Importance::new(0.5),
            acl: Some(AccessList(vec![Grant::Everyone, Grant::Role("conductor".into())])),
            ..Draft::new(Kind::PromptSubmitted, Scope::Project, Map::new())
        };
        assert_eq!(draft, Ok(expected));
    }

    #[rstest]
    #[case(json!({"scope": "user", "body": {}}), "kind: is missing; kind, scope and body are required")]
    #[case(json!({"kind": "tool.exploded"}), "kind: no kind of event is called \"tool.exploded\"")]
    #[case(json!({"kind": "forget.done"}), "kind: `forget.done` is written by `custos forget` alone")]
    #[case(json!({"kind": "work.done"}), "kind: `work.done` is written by Custos alone")]
    #[case(json!({"kind": "work.reopened"}), "kind: `work.reopened` is written by Custos alone")]
    #[case(json!({"kind": "usage.recorded"}), "kind: `usage.recorded` is written by Custos alone")]
    #[case(json!({"scope": "world"}), "scope: \"world\" is none of session, agent, user, project, team")]
    #[case(json!({"body": "text"}), "body: expected an object, found a text")]
    #[case(json!({"v": "2.0.0"}), "v: this program writes schema 1.0.0, not 2.0.0")]
    #[case(json!({"seq": 7}), "seq: is set by the log; leave it out")]
    #[case(json!({"project": ""}), "project: is empty; leave it out instead")]
    #[case(json!({"session": "a\u{0}b"}), "session: holds control characters")]
    #[case(json!({"session": "x".repeat(513)}), "session: is 513 bytes long; at most 512 are allowed")]
    #[case(json!({"ts": "noon"}), "ts: \"noon\" is not a time like 2026-11-15T20:55:09.123Z")]
    #[case(json!({"agent": {}}), "agent.client: is missing; name the client, such as \"codex\"")]
    #[case(json!({"agent": {"client": "codex", "name": "x"}}), "agent.name: is not a field of an agent; it has client, id and role")]
    #[case(json!({"agent": {"client": 1}}), "agent.client: expected a text, found a number")]
    #[case(json!({"scope": "agent"}), "agent.id: is missing; an event of scope `agent` needs the agent that it is for")]
    #[case(json!({"outcome": "great"}), "outcome: \"great\" is none of ok, failed, denied")]
    #[case(json!({"importance": 7}), "importance: expected a number from 0 to 1, found a number")]
    #[case(json!({"acl": ["user", "all"]}), "acl[1]: \"all\" is none of `*`, `user`, `client:NAME`, `role:NAME`, `agent:ID`")]
    #[case(json!({"acl": "user"}), "acl: expected a list such as [\"user\", \"client:codex\"], found a text")]
    fn names_the_path_of_what_is_wrong(#[case] change: Value, #[case] message: &str) {
        let mut fields = json!({"kind": "tool.used", "scope": "user", "body": {}});
        if change.get("scope").is_some() && change.get("kind").is_none() && change.get("body").is_some() {
            fields = json!({});
        }
        for (name, value) in change.as_object().unwrap() {
            fields[name] = value.clone();
        }
        assert_eq!(check(fields), Err(message.to_owned()));
    }

    #[test]
    fn an_unknown_field_is_refused_with_the_known_ones() {
        let error = check(json!({"kind": "tool.used", "scope": "user", "body": {}, "boby": 1})).unwrap_err();
        assert_eq!(
            error,
            "boby: is not a field of an event; put it into body, or use one of kind, scope, body, ts, project, branch, \
             commit, session, agent, task, outcome, importance, acl"
        );
    }
}
