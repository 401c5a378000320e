//! Cursor, editor and command line.
//!
//! The one client that cannot be run without an account, so this file follows its documentation and what others captured from it; the
//! manifest says so. One shell command fires four of its events; only the generic ones are wired, or everything would be recorded
//! twice. It also runs Claude Code's hooks with payloads of its own, which the router recognises by `cursor_version`.

use serde_json::{Value, json};

use crate::answer::{Answer, Reply, Verdict, instead_of_asking, within};
use crate::client::Client;
use crate::edit::{Change, JsonEdit};
use crate::event::{Moment, ToolCall, ToolEnd};
use crate::manifest::{EventRow, Manifest, OnTrouble, Reach, Tested, TimeoutUnit, fallback, row};
use crate::payload::{Misread, Payload};
use crate::server;
use crate::tool::{Deed, Tool, tool};
use crate::wiring::{self, Dirs, Reach as Range, Target, Wish, command_line, hooks, instructions};
use crate::words::{Words, text_of};

/// The client.
pub static CLIENT: Client = Client {
    name: "cursor",
    title: "Cursor",
    words: &WORDS,
    tools: &TOOLS,
    manifest: &MANIFEST,
    dirs: Dirs { variable: "", user: ".cursor", project: ".cursor", programs: &["cursor", "cursor-agent"] },
    servers: "mcpServers",
    wire,
    switched_off: |_| None,
    unfold,
    end,
    reply,
};

static WORDS: Words = Words {
    session: "conversation_id",
    cwd: "",
    transcript: "transcript_path",
    turn: "generation_id",
    tool: "tool_name",
    input: "tool_input",
    output: "tool_output",
    duration: "duration",
    message: "summary",
    prompt: "prompt",
    // The person's address is nobody's business, and the client's own ids are none of the log's.
    noise: &[
        "user_email",
        "session_id",
        "hook_event_name",
        "tool_use_id",
        "tool_call_id",
        "parent_conversation_id",
        "agent_transcript_path",
        "workspace_roots",
        "attachments",
    ],
};

static TOOLS: [Tool; 6] = [
    tool("Shell", Deed::Shell, "command"),
    tool("Read", Deed::Read, "file_path"),
    tool("Write", Deed::Change, "file_path"),
    tool("Edit", Deed::Change, "file_path"),
    tool("Delete", Deed::Delete, "file_path"),
    tool("Task", Deed::Delegate, "prompt"),
];

static EVENTS: [EventRow; 10] = [
    row("sessionStart", Moment::SessionStarted, Reach::None, true),
    row("beforeSubmitPrompt", Moment::PromptSubmitted, Reach::None, false),
    row("preToolUse", Moment::ToolStarting, Reach::Deny, false),
    row("postToolUse", Moment::ToolFinished, Reach::None, true),
    row("postToolUseFailure", Moment::ToolFailed, Reach::None, false),
    row("stop", Moment::TurnEnded, Reach::None, false),
    row("subagentStart", Moment::SubagentStarted, Reach::None, false),
    row("subagentStop", Moment::SubagentStopped, Reach::None, false),
    row("preCompact", Moment::Compacting, Reach::None, false),
    row("sessionEnd", Moment::SessionEnded, Reach::None, false),
];

static MANIFEST: Manifest = Manifest {
    schema: "^1.0",
    tested: Tested {
        from: "",
        to: "",
        outside: "never run by us: from its documentation and others' recordings",
    },
    events: &EVENTS,
    fallbacks: &[
        fallback(
            Moment::PermissionAsked,
            "preToolUse judges every call, also those that the person would be asked about",
        ),
        fallback(Moment::ToolDenied, "postToolUseFailure comes for denied calls too and says so"),
    ],
    context_limit: 10_000,
    timeout_unit: TimeoutUnit::Seconds,
    on_crash: OnTrouble::Unknown,
    on_timeout: OnTrouble::Unknown,
    transcripts: ".cursor/projects/*/agent-transcripts/*/*.jsonl",
};

/// The directory is mostly that of the workspace; a session does not say why it started; a sub-agent goes by another name.
fn unfold(moment: Moment, payload: &mut Payload) -> Result<Moment, Misread> {
    let cwd = payload.optional_text("cwd")?.filter(|cwd| !cwd.is_empty());
    let root = || payload.peek("workspace_roots").and_then(|roots| roots.get(0)?.as_str()).map(str::to_owned);
    if let Some(cwd) = cwd.or_else(root) {
        payload.put("cwd", Value::String(cwd));
    }
    if moment == Moment::ToolFailed {
        let error = payload.text("error_message")?;
        payload.put("error", Value::String(error));
    }
    for (from, to) in
        [("subagent_id", "agent_id"), ("subagent_type", "agent_type"), ("error_message", "error")]
    {
        if let Some(value) = payload.value(from) {
            payload.put(to, value);
        }
    }
    if moment == Moment::SubagentStarted && payload.peek("agent_id").is_none_or(|id| id == "") {
        return Err(Misread::Missing("subagent_id"));
    }
    // What it says before the first prompt is no turn.
    if payload.peek("generation_id") == payload.peek("conversation_id") {
        payload.value("generation_id");
    }
    if payload.peek("loop_count").and_then(Value::as_u64).is_some_and(|count| count > 0) {
        payload.put("stop_hook_active", json!(true));
    }
    match moment {
        Moment::SessionStarted => payload.put("source", json!("startup")),
        // It says that a turn failed, and not always why.
        Moment::TurnEnded
            if payload.peek("error").is_none()
                && payload.peek("status").and_then(Value::as_str) == Some("error") =>
        {
            payload.put("error", json!("error"));
        }
        Moment::ToolFailed
            if payload.peek("failure_type").and_then(Value::as_str) == Some("permission_denied") =>
        {
            if let Some(reason) = payload.value("error") {
                payload.put("reason", reason);
            }
            return Ok(Moment::ToolDenied);
        }
        _ => {}
    }
    Ok(moment)
}

fn end(_: &ToolCall, told: Value) -> ToolEnd {
    // A JSON text within the JSON.
    let told = match told {
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        other => other,
    };
    let exit = told.get("exitCode").and_then(Value::as_i64);
    let failed = told.get("isError").and_then(Value::as_bool).unwrap_or(false);
    let output = match told {
        Value::Object(mut fields) => match fields.remove("output").or_else(|| fields.remove("stdout")) {
            Some(output) => text_of(output),
            // What only says that a file was read or written repeats the input.
            None if fields.contains_key("file_path") => None,
            None => text_of(Value::Object(fields)),
        },
        other => text_of(other),
    };
    ToolEnd { ok: Some(!failed && exit.is_none_or(|code| code == 0)), output, exit, duration_ms: None }
}

fn reply(_: &str, moment: Moment, answer: &Answer) -> Reply {
    let deny = |reason: &str| Reply {
        exit: 2,
        ..Reply::json(&json!({ "permission": "deny", "user_message": reason, "agent_message": reason }))
    };
    match (moment, &answer.verdict, &answer.context) {
        (Moment::ToolStarting, Some(Verdict::Deny(reason)), _) => deny(reason),
        (Moment::ToolStarting, Some(Verdict::Ask(reason)), _) => deny(&instead_of_asking(reason)),
        (Moment::SessionStarted | Moment::ToolFinished, None, Some(context)) => {
            Reply::json(&json!({ "additional_context": within(context, MANIFEST.context_limit) }))
        }
        _ => Reply::silence(),
    }
}

/// One event that it does not know would void the whole file, so only those are wired that every version knows. It has no file for the
/// instructions of a person, only for those of a project.
fn wire(client: &Client, target: &Target<'_>) -> Vec<Wish> {
    let path = target.dir.join("hooks.json");
    // In a file that is there, the version is somebody else's.
    let version = (target.read)(&path).is_none().then(|| JsonEdit {
        at: Vec::new(),
        change: Change::Member { key: "version".to_owned(), value: json!(1) },
    });
    let entry = |event: &'static str, _: Moment| json!({ "command": command_line(target.program, client.name, event), "timeout": wiring::TIMEOUT });
    let servers = target.dir.join("mcp.json");
    let mut wishes = vec![
        hooks(client, path, version, entry),
        server::wish(client, servers, server::entry(target.program)),
    ];
    if target.reach == Range::Project {
        wishes.push(instructions(target.root.join("AGENTS.md")));
    }
    wishes
}
