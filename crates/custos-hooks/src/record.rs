//! What is recorded, and in which words.
//!
//! Pure: a [`HookEvent`] and its [`Cast`] in, a draft for the log out, or none for what carries nothing. The words of the bodies are
//! the same for all clients; the index, the distiller and the viewer know only these:
//!
//! | field | what it holds |
//! |---|---|
//! | `text` | what the person typed |
//! | `tool`, `input`, `output` | a tool call; input and output are excerpts where they were long |
//! | `exit`, `duration_ms` | where the client tells them |
//! | `files_read`, `files_changed` | relative to the project where they lie in it |
//! | `message`, `error` | the last thing an agent said; why it failed |
//! | `source`, `reason`, `trigger` | why a session started or ended, why a context is compacted |
//! | `quiet` | tools that were not stored in this turn, with how often |
//! | `rule`, `verdict`, `reason`, `part` | what the guard held, why, and which part of the call |
//! | `parent`, `sort` | of a sub-agent |
//! | `extra` | what else the client said |

use custos_clients::event::{Happening, HookEvent, SubAgent, ToolCall, ToolEnd};
use custos_clients::overrides::Overrides;
use custos_clients::tool::{Deed, act};
use custos_log::excerpt;
use custos_model::{AgentId, Draft, DraftAgent, Kind, Outcome, Scope};
use serde_json::{Map, Value, json};

use crate::guarding::Noted;
use crate::place::Place;
use crate::touched::{self, Touched};

/// How much of a call is kept, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Keep {
    /// Of a tool's input.
    pub input: usize,
    /// Of a tool's output, and of messages.
    pub output: usize,
    /// Of what we do not know.
    pub extra: usize,
}

/// The names that a session goes by outside of this machine, and who acts in it.
#[derive(Debug, Clone)]
pub struct Cast {
    /// The session.
    pub session: String,
    /// The session's main agent.
    pub main: AgentId,
    /// The agent that acts: the main one, or a sub-agent.
    pub actor: AgentId,
    /// Its role.
    pub role: Option<String>,
    /// The prompt that all this is for.
    pub task: Option<String>,
}

/// Tools that carry nothing by themselves: they look around, or keep the agent's own list. Compared without case.
pub const QUIET_TOOLS: [&str; 21] = [
    "complete_task",
    "glob",
    "grep",
    "grep_search",
    "list",
    "list_directory",
    "ls",
    "multi_agent_v1wait_agent",
    "report_intent",
    "rg",
    "search_file_content",
    "taskcreate",
    "taskget",
    "tasklist",
    "taskupdate",
    "todoread",
    "todowrite",
    "toolsearch",
    "update_plan",
    "wait_agent",
    "write_todos",
];

/// Says whether a tool carries nothing, by the person's own list if there is one.
pub fn is_quiet(tool: &str, listed: Option<&[String]>, overrides: &Overrides) -> bool {
    if overrides.quiet_tools.iter().any(|name| name.eq_ignore_ascii_case(tool)) {
        return true;
    }
    match listed {
        Some(listed) => listed.iter().any(|name| name.eq_ignore_ascii_case(tool)),
        None => QUIET_TOOLS.iter().any(|name| name.eq_ignore_ascii_case(tool)),
    }
}

/// Finds out which files an event touched.
pub fn touched(event: &HookEvent, overrides: &Overrides, home: Option<&str>) -> Touched {
    match &event.happening {
        Happening::ToolEnded { call, .. } | Happening::ToolDenied { call, .. } => {
            touched_by(call, event, overrides, home)
        }
        _ => Touched::default(),
    }
}

/// Finds out which files an event names, whether or not it came to touch them.
pub(crate) fn named(event: &HookEvent, overrides: &Overrides, home: Option<&str>) -> Touched {
    match &event.happening {
        Happening::ToolStarting { call }
        | Happening::PermissionAsked { call }
        | Happening::ToolEnded { call, .. }
        | Happening::ToolDenied { call, .. } => touched_by(call, event, overrides, home),
        _ => Touched::default(),
    }
}

/// Gives the command of an event that runs one, or is about to.
pub(crate) fn command<'a>(event: &'a HookEvent, overrides: &Overrides) -> Option<&'a str> {
    let (Happening::ToolStarting { call }
    | Happening::PermissionAsked { call }
    | Happening::ToolEnded { call, .. }
    | Happening::ToolDenied { call, .. }) = &event.happening
    else {
        return None;
    };
    let tools = custos_clients::find(event.client).map_or(&[][..], |client| client.tools);
    act(tools, overrides, call).filter(|act| act.deed == Deed::Shell).map(|act| act.with)
}

/// Leaves nothing in a body but what was ruled, and about which tool.
pub(crate) fn keep_ruling(body: &mut Map<String, Value>) {
    body.retain(|name, _| matches!(name.as_str(), "tool" | "by" | "verdict" | "rule"));
}

fn touched_by(call: &ToolCall, event: &HookEvent, overrides: &Overrides, home: Option<&str>) -> Touched {
    let mut touched = Touched::default();
    let tools = custos_clients::find(event.client).map_or(&[][..], |client| client.tools);
    let cwd = event.cwd.as_deref().unwrap_or("/");
    if let Some(act) = act(tools, overrides, call) {
        match act.deed {
            Deed::Shell => touched::by_shell(act.with, cwd, home, &mut touched),
            Deed::Patch => touched::by_patch(act.with, cwd, &mut touched),
            Deed::Read => touched::read_one(act.with, cwd, home, &mut touched),
            Deed::Change | Deed::Delete => touched::changed_one(act.with, cwd, home, &mut touched),
            Deed::Delegate => {}
        }
    }
    touched
}

/// Makes the draft of an event; none if it carries nothing.
pub(crate) fn draft(
    event: HookEvent,
    ruling: Option<&Noted>,
    cast: &Cast,
    place: &Place,
    touched: &Touched,
    keep: Keep,
) -> Option<Draft> {
    let HookEvent { client, agent, happening, extra, .. } = event;
    let mut body = Map::new();
    let (kind, outcome) = match happening {
        Happening::SessionStarted { source } => {
            body.insert("source".into(), json!(source));
            (Kind::SessionStarted, None)
        }
        // What a sub-agent is told stands in the call that sent it, and its turn is over when it stops, which is told apart.
        Happening::PromptSubmitted { .. } | Happening::TurnEnded { .. } if agent.is_some() => return None,
        // What the client tells its own agent is no prompt.
        Happening::PromptSubmitted { text } if is_notice(&text) => return None,
        Happening::PromptSubmitted { text } => {
            body.insert("text".into(), Value::String(text));
            (Kind::PromptSubmitted, None)
        }
        // A call that may go on is recorded when it has ended.
        Happening::ToolStarting { call } | Happening::PermissionAsked { call } => {
            let noted = ruling?;
            put_call(&mut body, call, keep);
            put_ruling(&mut body, noted, keep);
            match (noted.permission, noted.verdict) {
                (true, "deny") => (Kind::PermissionDecided, Some(Outcome::Denied)),
                (true, _) => (Kind::PermissionDecided, Some(Outcome::Ok)),
                (false, "deny") => (Kind::ToolDenied, Some(Outcome::Denied)),
                (false, _) => (Kind::ToolAsked, None),
            }
        }
        Happening::ToolEnded { call, end } => tool_ended(&mut body, call, end, keep),
        Happening::ToolDenied { call, reason } => {
            put_call(&mut body, call, keep);
            put_text(&mut body, "reason", reason, keep.output);
            body.insert("by".into(), json!("client"));
            (Kind::ToolDenied, Some(Outcome::Denied))
        }
        Happening::TurnEnded { message, error, again } => {
            let outcome = if error.is_some() { Outcome::Failed } else { Outcome::Ok };
            put_text(&mut body, "message", message, keep.output);
            put_text(&mut body, "error", error, keep.output);
            if again {
                body.insert("again".into(), json!(true));
            }
            (Kind::TurnEnded, Some(outcome))
        }
        Happening::SubagentStarted => {
            put_subagent(&mut body, agent.as_ref()?, cast);
            (Kind::SubagentStarted, None)
        }
        Happening::SubagentStopped { message, .. } => {
            // Claude Code compacts by an agent without a sort, which never started.
            let agent = agent.as_ref().filter(|agent| agent.kind.as_deref() != Some(""))?;
            put_subagent(&mut body, agent, cast);
            put_text(&mut body, "message", message, keep.output);
            (Kind::SubagentStopped, None)
        }
        Happening::Compacting { trigger } => {
            put_text(&mut body, "trigger", trigger, keep.extra);
            (Kind::ContextCompacting, None)
        }
        Happening::SessionEnded { reason } => {
            put_text(&mut body, "reason", reason, keep.extra);
            (Kind::SessionEnded, None)
        }
    };
    put_files(&mut body, "files_read", &touched.read, place);
    put_files(&mut body, "files_changed", &touched.changed, place);
    if !extra.is_empty() {
        body.insert("extra".into(), Value::Object(bounded(extra, keep.extra)));
    }
    let mut draft = Draft::new(kind, Scope::Project, body);
    draft.outcome = outcome;
    set(&mut draft, client, cast, place);
    Some(draft)
}

/// Sets what every draft of a hook has.
pub fn set(draft: &mut Draft, client: &str, cast: &Cast, place: &Place) {
    draft.session = Some(cast.session.clone());
    draft.task.clone_from(&cast.task);
    draft.agent = Some(DraftAgent {
        client: client.to_owned(),
        id: Some(cast.actor.as_str().to_owned()),
        role: cast.role.clone(),
    });
    if let Some(project) = &place.project {
        draft.project = Some(project.identity.clone());
        if let Some(repo) = &project.repo {
            draft.branch.clone_from(&repo.branch);
            draft.commit.clone_from(&repo.commit);
        }
    }
}

/// Recognises what Claude Code puts in the place of a prompt when an agent in the background has something to say.
pub(crate) fn is_notice(text: &str) -> bool {
    text.starts_with("<task-notification>")
}

fn tool_ended(
    body: &mut Map<String, Value>,
    call: ToolCall,
    end: ToolEnd,
    keep: Keep,
) -> (Kind, Option<Outcome>) {
    put_call(body, call, keep);
    put_text(body, "output", end.output, keep.output);
    if let Some(exit) = end.exit {
        body.insert("exit".into(), json!(exit));
    }
    if let Some(duration) = end.duration_ms {
        body.insert("duration_ms".into(), json!(duration));
    }
    match end.ok {
        Some(false) => (Kind::ToolFailed, Some(Outcome::Failed)),
        Some(true) => (Kind::ToolUsed, Some(Outcome::Ok)),
        // The client does not say, so neither do we.
        None => (Kind::ToolUsed, None),
    }
}

fn put_call(body: &mut Map<String, Value>, call: ToolCall, keep: Keep) {
    body.insert("tool".into(), Value::String(call.tool));
    let input = match call.input {
        Value::Object(fields) => Value::Object(bounded(fields, keep.input)),
        Value::String(text) if text.len() > keep.input => {
            Value::String(excerpt::shorten(None, &text, keep.input))
        }
        other => other,
    };
    body.insert("input".into(), input);
}

fn put_text(body: &mut Map<String, Value>, name: &str, text: Option<String>, limit: usize) {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return };
    let text = if text.len() > limit { excerpt::shorten(Some(name), &text, limit) } else { text };
    body.insert(name.to_owned(), Value::String(text));
}

fn put_ruling(body: &mut Map<String, Value>, noted: &Noted, keep: Keep) {
    body.insert("by".into(), json!("guard"));
    body.insert("verdict".into(), json!(noted.verdict));
    let texts = [("rule", &noted.rule), ("reason", &noted.reason), ("part", &noted.part)];
    for (name, text) in texts {
        put_text(body, name, Some(text.clone()), keep.extra);
    }
}

fn put_subagent(body: &mut Map<String, Value>, agent: &SubAgent, cast: &Cast) {
    body.insert("parent".into(), json!(cast.main.as_str()));
    if let Some(sort) = &agent.kind {
        body.insert("sort".into(), json!(sort));
    }
}

fn put_files(body: &mut Map<String, Value>, name: &str, files: &[String], place: &Place) {
    if !files.is_empty() {
        let files = files.iter().map(|file| Value::String(place.relative(file).to_owned())).collect();
        body.insert(name.to_owned(), Value::Array(files));
    }
}

/// Brings an object within a limit. Redacted before it is cut, so that no half of a secret survives.
fn bounded(mut fields: Map<String, Value>, limit: usize) -> Map<String, Value> {
    if excerpt::json_len(&fields) > limit {
        excerpt::redact_fields(&mut fields);
        excerpt::fit(&mut fields, limit);
    }
    fields
}
