//! Gemini CLI.
//!
//! Takes a denial at the top of the answer and ignores Claude Code's form, in which case the tool runs. A question makes it hang when
//! nobody is there, so it never gets one. Its turn-end event comes again for as long as a hook asks it to go on. Timeouts are in
//! milliseconds.

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Reply, Verdict, instead_of_asking, within};
use crate::client::{Client, flat};
use crate::edit::Part;
use crate::event::{Moment, ToolCall, ToolEnd};
use crate::manifest::{EventRow, Manifest, OUTSIDE, OnTrouble, Reach, Tested, TimeoutUnit, fallback, row};
use crate::server;
use crate::tool::{Deed, Tool, tool};
use crate::wiring::{
    self, Dirs, INSTRUCTIONS, Reach as Range, Target, Wish, command_line, group, hooks, instructions,
};
use crate::words::{Words, exit_code, text_of};

/// The client.
pub static CLIENT: Client = Client {
    name: "gemini",
    title: "Gemini CLI",
    words: &WORDS,
    tools: &TOOLS,
    manifest: &MANIFEST,
    dirs: Dirs { variable: "", user: ".gemini", project: ".gemini", programs: &["gemini"] },
    servers: "mcpServers",
    wire,
    switched_off,
    unfold: flat,
    end,
    reply,
};

static WORDS: Words = Words {
    turn: "",
    message: "prompt_response",
    noise: &["hook_event_name", "timestamp", "prompt"],
    ..super::claude_code::words()
};

static TOOLS: [Tool; 5] = [
    tool("run_shell_command", Deed::Shell, "command"),
    tool("read_file", Deed::Read, "file_path"),
    tool("write_file", Deed::Change, "file_path"),
    tool("replace", Deed::Change, "file_path"),
    tool("edit", Deed::Change, "file_path"),
];

static EVENTS: [EventRow; 6] = [
    row("SessionStart", Moment::SessionStarted, Reach::None, true),
    row("BeforeAgent", Moment::PromptSubmitted, Reach::None, true),
    row("BeforeTool", Moment::ToolStarting, Reach::Deny, false),
    row("AfterTool", Moment::ToolFinished, Reach::None, true),
    row("AfterAgent", Moment::TurnEnded, Reach::None, false),
    row("SessionEnd", Moment::SessionEnded, Reach::None, false),
];

static MANIFEST: Manifest = Manifest {
    schema: "^1.0",
    tested: Tested { from: "0.61.0", to: "0.61.0", outside: OUTSIDE },
    events: &EVENTS,
    fallbacks: &[
        fallback(
            Moment::PermissionAsked,
            "BeforeTool judges every call, also those that the person would be asked about",
        ),
        fallback(Moment::ToolFailed, "AfterTool comes for failures too and tells the exit code"),
        fallback(Moment::ToolDenied, "a call that the person refuses leaves no trace but in the transcript"),
        fallback(Moment::SubagentStarted, "sub-agents have no events; what they do counts for the session"),
        fallback(Moment::SubagentStopped, "sub-agents have no events; what they do counts for the session"),
        fallback(
            Moment::Compacting,
            "PreCompress comes before every single request to the model, so it is not wired",
        ),
    ],
    context_limit: 10_000,
    timeout_unit: TimeoutUnit::Milliseconds,
    on_crash: OnTrouble::Runs,
    on_timeout: OnTrouble::Runs,
    transcripts: ".gemini/tmp/*/chats/*.jsonl",
};

/// What the model gets to see, without the fence around it; what the person sees is an excerpt of it.
fn end(call: &ToolCall, told: Value) -> ToolEnd {
    let mut fields = match told {
        Value::Object(fields) => fields,
        other => Map::from_iter([("llmContent".to_owned(), other)]),
    };
    let failed = fields.get("error").is_some_and(|error| !error.is_null());
    let output = fields.remove("llmContent").and_then(text_of).map(|text| {
        let fenced = text
            .trim()
            .strip_prefix("<untrusted_context>")
            .and_then(|text| text.strip_suffix("</untrusted_context>"));
        fenced.map(|inner| inner.trim_start_matches('\n').to_owned()).unwrap_or(text)
    });
    let is_shell = call.tool == "run_shell_command";
    let code = output.as_deref().filter(|_| is_shell).and_then(told_code);
    // It names the code only if it is not 0.
    let exit = code.or((is_shell && !failed).then_some(0));
    ToolEnd { ok: Some(!failed && exit.is_none_or(|code| code == 0)), output, exit, duration_ms: None }
}

/// Finds the exit code among the lines that the client adds at the end; the same words further up are those of the command.
fn told_code(text: &str) -> Option<i64> {
    let own = ["Process Group PGID: ", "Background PIDs: ", "Signal: "];
    let line = text.trim_end().lines().rev().find(|line| !own.iter().any(|start| line.starts_with(start)))?;
    line.starts_with("Exit Code: ").then(|| exit_code(line, "Exit Code: "))?
}

fn reply(event: &str, moment: Moment, answer: &Answer) -> Reply {
    let deny = |reason: &str| Reply::json(&json!({ "decision": "deny", "reason": reason }));
    match (moment, &answer.verdict, &answer.context) {
        (Moment::ToolStarting, Some(Verdict::Deny(reason)), _) => deny(reason),
        (Moment::ToolStarting, Some(Verdict::Ask(reason)), _) => deny(&instead_of_asking(reason)),
        (Moment::SessionStarted | Moment::PromptSubmitted | Moment::ToolFinished, None, Some(context)) => {
            let context = within(context, MANIFEST.context_limit);
            Reply::json(
                &json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": context } }),
            )
        }
        _ => Reply::silence(),
    }
}

/// In a project, Copilot reads GEMINI.md beside AGENTS.md, but does not follow its imports; so the text is in a file of its own.
fn wire(client: &Client, target: &Target<'_>) -> Vec<Wish> {
    let entry = |event: &'static str, _: Moment| {
        let command = command_line(target.program, client.name, event);
        group(
            &json!({ "type": "command", "name": "custos", "command": command, "timeout": wiring::TIMEOUT * 1000 }),
        )
    };
    let settings = target.dir.join("settings.json");
    let mut wishes = vec![
        hooks(client, settings.clone(), None, entry),
        server::wish(client, settings, server::entry(target.program)),
    ];
    match target.reach {
        Range::User => wishes.push(instructions(target.dir.join("GEMINI.md"))),
        Range::Project => {
            let text = Part::Whole { text: INSTRUCTIONS.to_owned() };
            wishes.push(Wish { path: target.dir.join("custos.md"), what: "instructions", part: text });
            let import = Part::Block { body: "@./.gemini/custos.md".to_owned() };
            wishes.push(Wish { path: target.root.join("GEMINI.md"), what: "instructions", part: import });
        }
    }
    wishes
}

fn switched_off(settings: &str) -> Option<&'static str> {
    let settings = wiring::settings(settings)?;
    let is_off = |path: &str| settings.pointer(path) == Some(&Value::Bool(false));
    let disabled = settings.pointer("/hooksConfig/disabled").and_then(Value::as_array);
    if is_off("/hooksConfig/enabled") || is_off("/tools/enableHooks") {
        Some("hooks are switched off in its settings (`hooksConfig.enabled`)")
    } else if disabled.is_some_and(|names| names.iter().any(|name| name == "custos")) {
        Some("`custos` is among `hooksConfig.disabled` in its settings")
    } else {
        None
    }
}
