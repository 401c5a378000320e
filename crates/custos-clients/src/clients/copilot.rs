//! GitHub Copilot CLI, with its own camelCase event names.
//!
//! It denies every tool when the hook before it fails, so ours must not. Its answers are flat; a nested one is ignored and the tool runs. A
//! sub-agent has a session of its own, which names its parent.

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Reply, Verdict, within};
use crate::client::Client;
use crate::edit::{Change, JsonEdit};
use crate::event::{Moment, ToolCall, ToolEnd};
use crate::manifest::{EventRow, Manifest, OUTSIDE, OnTrouble, Reach, Tested, TimeoutUnit, fallback, row};
use crate::payload::{Misread, Payload};
use crate::server;
use crate::tool::{Deed, Tool, tool};
use crate::wiring::{self, Dirs, Reach as Range, Target, Wish, command_line, hooks, instructions};
use crate::words::{Words, exit_code, text_of};

/// The client.
pub static CLIENT: Client = Client {
    name: "copilot",
    title: "Copilot CLI",
    words: &WORDS,
    tools: &TOOLS,
    manifest: &MANIFEST,
    dirs: Dirs { variable: "COPILOT_HOME", user: ".copilot", project: ".github", programs: &["copilot"] },
    servers: "mcpServers",
    wire,
    switched_off: |_| None,
    unfold,
    end,
    reply,
};

static WORDS: Words = Words {
    session: "sessionId",
    cwd: "cwd",
    transcript: "transcriptPath",
    turn: "",
    tool: "toolName",
    input: "toolArgs",
    output: "toolResult",
    duration: "durationMs",
    message: "last_assistant_message",
    prompt: "prompt",
    noise: &[
        "timestamp",
        "hookName",
        "permissionSuggestions",
        "initialPrompt",
        "agentName",
        "agent_name",
        "hook_event_name",
    ],
};

static TOOLS: [Tool; 6] = [
    tool("bash", Deed::Shell, "command"),
    tool("powershell", Deed::Shell, "command"),
    tool("view", Deed::Read, "path"),
    tool("create", Deed::Change, "path"),
    tool("edit", Deed::Change, "path"),
    tool("task", Deed::Delegate, "prompt"),
];

static EVENTS: [EventRow; 11] = [
    row("sessionStart", Moment::SessionStarted, Reach::None, true),
    row("userPromptSubmitted", Moment::PromptSubmitted, Reach::None, true),
    row("preToolUse", Moment::ToolStarting, Reach::DenyAsk, true),
    row("permissionRequest", Moment::PermissionAsked, Reach::Deny, false),
    row("postToolUse", Moment::ToolFinished, Reach::None, true),
    row("postToolUseFailure", Moment::ToolFailed, Reach::None, false),
    row("agentStop", Moment::TurnEnded, Reach::None, false),
    row("subagentStart", Moment::SubagentStarted, Reach::None, false),
    row("subagentStop", Moment::SubagentStopped, Reach::None, false),
    row("preCompact", Moment::Compacting, Reach::None, false),
    row("sessionEnd", Moment::SessionEnded, Reach::None, false),
];

static MANIFEST: Manifest = Manifest {
    schema: "^1.0",
    tested: Tested { from: "1.0.102", to: "1.0.102", outside: OUTSIDE },
    events: &EVENTS,
    fallbacks: &[fallback(
        Moment::ToolDenied,
        "a call that the person refuses leaves no trace but in the transcript",
    )],
    context_limit: 10_000,
    timeout_unit: TimeoutUnit::Seconds,
    on_crash: OnTrouble::Denied,
    on_timeout: OnTrouble::Runs,
    transcripts: ".copilot/session-state/*/events.jsonl",
};

/// Some of its events spell fields as Claude Code does, and within a sub-agent the session is called by the sub-agent's id.
fn unfold(moment: Moment, payload: &mut Payload) -> Result<Moment, Misread> {
    for (from, to) in [
        ("toolInput", "toolArgs"),
        ("transcript_path", "transcriptPath"),
        ("agentId", "agent_id"),
        ("agentType", "agent_type"),
        ("parent_agent_id", "parentAgentId"),
        ("response", "last_assistant_message"),
    ] {
        if payload.peek(to).is_none()
            && let Some(value) = payload.value(from)
        {
            payload.put(to, value);
        }
    }
    if moment == Moment::SubagentStarted && payload.peek("agent_id").is_none_or(|id| id == "") {
        return Err(Misread::Missing("agentId"));
    }
    let parent = payload.optional_text("parentAgentId")?.filter(|parent| !parent.is_empty());
    if let Some(parent) = parent.filter(|_| payload.peek("agent_id") == payload.peek("sessionId")) {
        payload.put("sessionId", Value::String(parent));
    }
    Ok(moment)
}

fn end(call: &ToolCall, told: Value) -> ToolEnd {
    let mut fields = match told {
        Value::Object(fields) => fields,
        other => Map::from_iter([("textResultForLlm".to_owned(), other)]),
    };
    let ok = fields.remove("resultType").and_then(|sort| sort.as_str().map(|sort| sort == "success"));
    let mut output = fields.remove("textResultForLlm").and_then(text_of);
    let is_shell = matches!(call.tool.as_str(), "bash" | "powershell");
    let exit =
        output.as_deref().filter(|_| is_shell).and_then(|text| exit_code(text, "completed with exit code "));
    if let Some(text) = output.as_mut().filter(|_| exit.is_some()) {
        // The client's own line about its shell, which would be in every excerpt.
        if let Some(at) = text.rfind("<shellId: ") {
            text.truncate(at);
        }
    }
    ToolEnd { ok: exit.map(|code| code == 0).or(ok), output, exit, duration_ms: None }
}

fn reply(_: &str, moment: Moment, answer: &Answer) -> Reply {
    let decide = |decision: &str, reason: &str| {
        Reply::json(&json!({ "permissionDecision": decision, "permissionDecisionReason": reason }))
    };
    match (moment, &answer.verdict, &answer.context) {
        (Moment::ToolStarting, Some(Verdict::Deny(reason)), _) => decide("deny", reason),
        (Moment::ToolStarting, Some(Verdict::Ask(reason)), _) => decide("ask", reason),
        (Moment::PermissionAsked, Some(Verdict::Allow), _) => Reply::json(&json!({ "behavior": "allow" })),
        (Moment::PermissionAsked, Some(Verdict::Deny(reason)), _) => {
            Reply::json(&json!({ "behavior": "deny", "message": reason }))
        }
        (
            Moment::SessionStarted | Moment::PromptSubmitted | Moment::ToolStarting | Moment::ToolFinished,
            None,
            Some(context),
        ) => Reply::json(&json!({ "additionalContext": within(context, MANIFEST.context_limit) })),
        _ => Reply::silence(),
    }
}

/// A file of our own among those that it reads. `command` with `args` apart would deny every tool: it takes the line for a shell.
///
/// A project's MCP servers stand in the file that Claude Code reads as well: where that is, Copilot looks at no other.
fn wire(client: &Client, target: &Target<'_>) -> Vec<Wish> {
    let version =
        JsonEdit { at: Vec::new(), change: Change::Member { key: "version".to_owned(), value: json!(1) } };
    let entry = |event: &'static str, _: Moment| {
        let mut command = command_line(target.program, client.name, event);
        let shell = if cfg!(windows) { "powershell" } else { "bash" };
        // In a project, the file may come to somebody who has no Custos, and a command that is not there denies every tool.
        if target.reach == Range::Project && shell == "bash" {
            command = format!("[ ! -x {} ] || {command}", wiring::quoted(target.program));
        }
        let mut hook = json!({ "type": "command", "timeoutSec": wiring::TIMEOUT });
        hook[shell] = json!(command);
        hook
    };
    let said = match target.reach {
        Range::User => target.dir.join("copilot-instructions.md"),
        Range::Project => target.root.join("AGENTS.md"),
    };
    let server = match target.reach {
        Range::User => {
            let entry =
                json!({ "type": "local", "command": target.program, "args": ["mcp"], "tools": ["*"] });
            server::wish(client, target.dir.join("mcp-config.json"), entry)
        }
        Range::Project => {
            server::wish(client, target.root.join(".mcp.json"), server::stdio_entry(target.program))
        }
    };
    vec![
        hooks(client, target.dir.join("hooks").join("custos.json"), Some(version), entry),
        server,
        instructions(said),
    ]
}
