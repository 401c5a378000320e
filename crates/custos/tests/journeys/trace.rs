//! What the log says about the sessions of a journey, in lines that a person can compare.
//!
//! The events are grouped by session and by agent. Within a group their order is the client's; between a session's main agent and a
//! sub-agent that works at the same time there is none, and there is none between the hooks that a client starts at the same moment.

use std::fmt;

use serde_json::Value;

/// The whole log of a journey, except what the person's own commands did and what prompts brought back.
pub(crate) struct Trace {
    text: String,
    /// The sessions, as the log calls them, in the order of their beginning.
    pub(crate) sessions: Vec<String>,
}

impl Trace {
    /// Tells the events of one client; every one of them must know where it belongs.
    pub(crate) fn new(client: &str, events: &[Value]) -> Self {
        let mut groups: Vec<Group<'_>> = Vec::new();
        // What a prompt brings back depends on how far a hook had the time to read: `recalled` is about that.
        let is_told = |event: &&Value| {
            event["origin"] != "cli"
                && (event["kind"] != "recall.served" || event["body"]["moment"] != "prompt")
        };
        for event in events.iter().filter(is_told) {
            assert_belongs(client, event);
            let (session, agent) = (text(&event["session"]), text(&event["agent"]["id"]));
            // The MCP server knows the session that calls it, not which of its agents.
            let fits = |of: &str| of == agent || event["origin"] == "mcp";
            match groups.iter_mut().find(|group| group.session == session && fits(group.agent)) {
                Some(group) => group.events.push(event),
                None => groups.push(Group { session, agent, events: vec![event] }),
            }
        }
        let mut sessions: Vec<&str> = Vec::new();
        let mut lines = Vec::new();
        for group in &mut groups {
            put_starts_before_prompts(&mut group.events);
            if let Some(place) = sessions.iter().position(|id| *id == group.session) {
                lines.push(format!("a sub-agent of session {}", place + 1));
            } else {
                sessions.push(group.session);
                lines.push(format!("session {}", sessions.len()));
            }
            lines.extend(group.events.iter().map(|event| format!("  {}", told(event))));
        }
        Self { text: lines.join("\n"), sessions: sessions.into_iter().map(str::to_owned).collect() }
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What one agent did in one session.
struct Group<'a> {
    session: &'a str,
    agent: &'a str,
    events: Vec<&'a Value>,
}

/// Undoes what chance did: Copilot starts the hooks of a session's start and of its first prompt at once.
fn put_starts_before_prompts(events: &mut [&Value]) {
    let is_start = |event: &Value| event["kind"] == "session.started" || event["body"]["moment"] == "start";
    let is_prompt =
        |event: &Value| event["kind"] == "prompt.submitted" || event["body"]["moment"] == "prompt";
    for _ in 0..2 {
        for place in 1..events.len() {
            if is_start(events[place]) && is_prompt(events[place - 1]) {
                events.swap(place - 1, place);
            }
        }
    }
}

/// Checks what all events of a journey have in common.
fn assert_belongs(client: &str, event: &Value) {
    assert_eq!(event["agent"]["client"], client, "{event}");
    assert!(event["origin"] == "hook" || event["origin"] == "mcp", "{event}");
    assert_eq!(event["project"], "github.com/acme/shop", "{event}");
    // Who speaks for a client that is gone does not know which branch it left.
    let speaks_for_it = event["kind"] == "session.ended" && event["origin"] == "mcp";
    if !speaks_for_it {
        assert_eq!(event["branch"], "main", "{event}");
        assert!(event["commit"].as_str().is_some_and(|commit| commit.len() == 40), "{event}");
    }
    assert!(text(&event["session"]).starts_with("s-"), "a client's own id got into the log: {event}");
    let is_of_the_session =
        ["session.", "recall."].iter().any(|start| text(&event["kind"]).starts_with(start));
    if event["origin"] == "hook" && !is_of_the_session {
        assert!(event["task"].is_string(), "no prompt to belong to: {event}");
    }
}

/// Tells one event in a line: kind, tool and outcome, then what else is known of it.
fn told(event: &Value) -> String {
    let body = &event["body"];
    let mut words = vec![text(&event["kind"]).to_owned()];
    // A rule says in short what its reason says at length.
    let why = if body["rule"].is_string() { "rule" } else { "reason" };
    words.extend(
        ["tool", "item", "sort", "moment", "source", why, "trigger"]
            .iter()
            .filter_map(|name| body[name].as_str().map(str::to_owned)),
    );
    words.extend(event["outcome"].as_str().map(str::to_owned));
    words.extend(body["exit"].as_i64().map(|code| format!("exit {code}")));
    for (word, name) in [("read", "files_read"), ("changed", "files_changed")] {
        let files: Vec<&str> = body[name].as_array().into_iter().flatten().map(text).collect();
        if !files.is_empty() {
            words.push(format!("{word} {}", files.join(" ")));
        }
    }
    words.extend(
        ["text", "message", "error"]
            .iter()
            .filter_map(|name| body[name].as_str().map(|said| format!("{said:?}"))),
    );
    if !body["quiet"].is_null() {
        words.push(format!("quiet {}", body["quiet"]));
    }
    words.join(" · ")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
