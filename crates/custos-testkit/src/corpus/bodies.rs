//! What the body of each kind of event looks like.
//!
//! A body is written in two steps: first everything but its longest text, then that text, as long as it
//! takes to give the whole event its size.

use serde_json::{Map, Value, json};

use super::prose::{COMMON_WORD, Prose};
use crate::random::Random;

const OBSERVATION_TYPES: [&str; 7] =
    ["bugfix", "feature", "refactor", "change", "discovery", "decision", "security"];
const TOOLS: [&str; 6] = ["Bash", "Read", "Edit", "Write", "Grep", "WebFetch"];

/// The kinds of event that the corpus contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    SessionStarted,
    SessionEnded,
    PromptSubmitted,
    ToolUsed,
    ToolFailed,
    TurnEnded,
    ObservationRecorded,
    SummaryRecorded,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::SessionStarted => "session.started",
            Self::SessionEnded => "session.ended",
            Self::PromptSubmitted => "prompt.submitted",
            Self::ToolUsed => "tool.used",
            Self::ToolFailed => "tool.failed",
            Self::TurnEnded => "turn.ended",
            Self::ObservationRecorded => "observation.recorded",
            Self::SummaryRecorded => "summary.recorded",
        }
    }

    /// Returns who is to see it: what happened stays in its session, what was learnt is the project's.
    pub(super) fn scope(self) -> &'static str {
        match self {
            Self::ObservationRecorded | Self::SummaryRecorded => "project",
            _ => "session",
        }
    }
}

/// The text that gives an event its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filling {
    Nothing,
    Sentences(&'static str),
    Listing(&'static str),
}

/// A body without its longest text.
#[derive(Debug)]
pub(super) struct Skeleton {
    pub(super) body: Map<String, Value>,
    pub(super) filling: Filling,
    /// Words that the filling must contain.
    pub(super) planted: Vec<String>,
}

impl Skeleton {
    /// Writes everything but the longest text.
    pub(super) fn of(kind: Kind, prose: &Prose, random: &mut Random, sources: &[String]) -> Self {
        let (body, filling) = match kind {
            Kind::SessionStarted => {
                (json!({"source": random.pick(&["startup", "resume", "clear"])}), Filling::Nothing)
            }
            Kind::SessionEnded => {
                (json!({"reason": random.pick(&["exit", "clear", "logout"])}), Filling::Nothing)
            }
            Kind::PromptSubmitted => (json!({}), Filling::Sentences("text")),
            Kind::ToolUsed | Kind::ToolFailed => (tool(prose, random), Filling::Listing("output")),
            Kind::TurnEnded => (turn(random), Filling::Sentences("last_message")),
            Kind::ObservationRecorded => {
                (observation(prose, random, sources), Filling::Sentences("narrative"))
            }
            Kind::SummaryRecorded => (summary(prose, random, sources), Filling::Sentences("learned")),
        };
        let planted = match kind {
            Kind::ObservationRecorded if random.percent(90) => vec![COMMON_WORD.to_owned()],
            _ => Vec::new(),
        };
        let body = if let Value::Object(body) = body { body } else { Map::new() };
        Self { body, filling, planted }
    }

    /// Adds the longest text, of about `bytes` bytes.
    pub(super) fn filled(mut self, bytes: usize, prose: &Prose, random: &mut Random) -> Map<String, Value> {
        let planted: Vec<&str> = self.planted.iter().map(String::as_str).collect();
        let (field, text) = match self.filling {
            Filling::Nothing => return self.body,
            Filling::Sentences(field) => (field, prose.sentences(random, bytes, &planted)),
            Filling::Listing(field) => (field, prose.listing(random, bytes)),
        };
        self.body.insert(field.to_owned(), text.into());
        self.body
    }
}

fn tool(prose: &Prose, random: &mut Random) -> Value {
    let tool = *random.pick(&TOOLS);
    let path = prose.path(random);
    let read = prose.paths(random, 2);
    let (input, changed) = match tool {
        "Bash" => {
            (json!({"command": format!("cargo test {}", prose.identifier(random))}), prose.paths(random, 1))
        }
        "Read" => (json!({"file_path": path}), vec![]),
        "Edit" => {
            let (old, new) = (prose.identifier(random), prose.identifier(random));
            (json!({"file_path": path, "old_string": old, "new_string": new}), vec![path])
        }
        "Write" => (json!({"file_path": path, "content": prose.title(random, 12)}), vec![path]),
        "Grep" => (json!({"pattern": prose.identifier(random), "path": path}), vec![]),
        _ => (
            json!({"url": format!("https://docs.example.com/{path}"), "prompt": prose.title(random, 6)}),
            vec![],
        ),
    };
    json!({
        "tool": tool,
        "input": input,
        "duration_ms": random.within(2..9_000),
        "files_read": read,
        "files_changed": changed,
    })
}

fn turn(random: &mut Random) -> Value {
    json!({"counts": {"tools": random.within(0..40), "not_stored": random.within(0..3)}})
}

fn observation(prose: &Prose, random: &mut Random, sources: &[String]) -> Value {
    let facts: Vec<String> = (0..random.within(1..4)).map(|_| prose.title(random, 8)).collect();
    let concepts: Vec<String> = (0..random.within(1..4)).map(|_| prose.identifier(random)).collect();
    json!({
        "type": random.pick(&OBSERVATION_TYPES),
        "title": prose.title(random, 6),
        "subtitle": prose.title(random, 10),
        "facts": facts,
        "concepts": concepts,
        "files_read": prose.paths(random, 2),
        "files_modified": prose.paths(random, 2),
        "sources": sources,
    })
}

fn summary(prose: &Prose, random: &mut Random, sources: &[String]) -> Value {
    json!({
        "request": prose.title(random, 8),
        "investigated": prose.title(random, 10),
        "completed": prose.title(random, 10),
        "next_steps": prose.title(random, 8),
        "files_read": prose.paths(random, 2),
        "files_edited": prose.paths(random, 2),
        "notes": prose.title(random, 5),
        "sources": sources,
    })
}
