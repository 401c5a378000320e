//! OpenCode, through our thin plugin.
//!
//! OpenCode calls JavaScript, not programs. The plugin (`opencode_plugin.js`) hands each call on as it came, `{input, output}`, with the
//! directory, and for a child session its parent's id: only the plugin is there when a child is born. A denial goes back as plain text
//! and the plugin throws it, which is what OpenCode shows to its model.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Reply, Verdict, instead_of_asking, within};
use crate::client::Client;
use crate::edit::block::BEGIN;
use crate::edit::{Change, JsonEdit, Part};
use crate::event::{Moment, ToolCall, ToolEnd};
use crate::manifest::{EventRow, Manifest, OUTSIDE, OnTrouble, Reach, Tested, TimeoutUnit, fallback, row};
use crate::payload::{Misread, Payload, wrong};
use crate::server;
use crate::tool::{Deed, Tool, tool};
use crate::wiring::{Dirs, INSTRUCTIONS, Reach as Range, Target, Wish, instructions};
use crate::words::{Words, text_of};

/// The client.
pub static CLIENT: Client = Client {
    name: "opencode",
    title: "OpenCode",
    words: &WORDS,
    tools: &TOOLS,
    manifest: &MANIFEST,
    dirs: Dirs {
        variable: "OPENCODE_CONFIG_DIR",
        user: ".config/opencode",
        project: ".opencode",
        programs: &["opencode"],
    },
    servers: "mcp",
    wire,
    switched_off: |_| None,
    unfold,
    end,
    reply,
};

static WORDS: Words = Words {
    session: "sessionID",
    cwd: "",
    transcript: "transcript",
    turn: "messageID",
    tool: "tool",
    input: "args",
    output: "output",
    duration: "duration",
    message: "message",
    prompt: "prompt",
    noise: &["callID", "agent", "model", "variant"],
};

static TOOLS: [Tool; 6] = [
    tool("bash", Deed::Shell, "command"),
    tool("read", Deed::Read, "filePath"),
    tool("write", Deed::Change, "filePath"),
    tool("edit", Deed::Change, "filePath"),
    tool("patch", Deed::Patch, "patchText"),
    tool("task", Deed::Delegate, "prompt"),
];

static EVENTS: [EventRow; 7] = [
    row("event.session.created", Moment::SessionStarted, Reach::None, false),
    row("chat.message", Moment::PromptSubmitted, Reach::None, true),
    row("tool.execute.before", Moment::ToolStarting, Reach::Deny, false),
    row("tool.execute.after", Moment::ToolFinished, Reach::None, false),
    row("event.message.part.updated", Moment::ToolFailed, Reach::None, false),
    row("event.session.idle", Moment::TurnEnded, Reach::None, false),
    row("experimental.session.compacting", Moment::Compacting, Reach::None, false),
];

static MANIFEST: Manifest = Manifest {
    schema: "^1.0",
    tested: Tested { from: "1.18.33", to: "1.18.33", outside: OUTSIDE },
    events: &EVENTS,
    fallbacks: &[
        fallback(
            Moment::PermissionAsked,
            "tool.execute.before judges every call; permission.ask was never seen to be called",
        ),
        fallback(Moment::ToolDenied, "a call that the person refuses leaves no trace but in the transcript"),
        fallback(Moment::SubagentStarted, "event.session.created of a child session says so"),
        fallback(Moment::SubagentStopped, "event.session.idle of a child session says so"),
        fallback(
            Moment::SessionEnded,
            "there is none; when OpenCode is gone, the next MCP server that starts says so; without a server, a session that was silent for a day is marked as interrupted",
        ),
    ],
    context_limit: 10_000,
    timeout_unit: TimeoutUnit::None,
    on_crash: OnTrouble::DeniedBySetting,
    on_timeout: OnTrouble::DeniedBySetting,
    transcripts: ".local/share/opencode/opencode.db",
};

/// Brings `input`, `output` and the properties of an event to the top. A child session is a sub-agent of its parent.
fn unfold(moment: Moment, payload: &mut Payload) -> Result<Moment, Misread> {
    let mut input = payload.object("input")?;
    let mut output = match payload.value("output") {
        None => Map::new(),
        Some(Value::Object(fields)) => fields,
        Some(other) => return Err(wrong("output", "an object", &other)),
    };
    if let Some(Value::Object(properties)) = input.remove("properties") {
        input = properties;
    }
    let mut parent = payload.optional_text("parentID")?;
    match moment {
        Moment::SessionStarted => {
            let info = input.remove("info").unwrap_or_default();
            parent = parent.or_else(|| info.get("parentID").and_then(Value::as_str).map(str::to_owned));
            if parent.as_deref().is_none_or(str::is_empty) {
                payload.put("source", json!("startup"));
            }
            payload.put("cwd", info.get("directory").cloned().unwrap_or_default());
        }
        Moment::PromptSubmitted => {
            let parts = match output.remove("parts") {
                Some(parts @ Value::Array(_)) => parts,
                None | Some(Value::Null) => return Err(Misread::Missing("output.parts")),
                Some(other) => return Err(wrong("output.parts", "a list", &other)),
            };
            payload.put("prompt", Value::String(text_of(parts).unwrap_or_default()));
            let id = output.get("message").and_then(|message| message.get("id"));
            input.insert("messageID".to_owned(), id.cloned().unwrap_or_default());
        }
        Moment::ToolStarting => {
            input.insert("args".to_owned(), output.remove("args").unwrap_or_default());
        }
        Moment::ToolFinished => payload.put("output", Value::Object(output)),
        Moment::ToolFailed => {
            let Some(Value::Object(mut part)) = input.remove("part") else {
                return Err(Misread::Missing("input.properties.part"));
            };
            let Some(Value::Object(mut state)) = part.remove("state") else {
                return Err(Misread::Missing("input.properties.part.state"));
            };
            input.insert("tool".to_owned(), part.remove("tool").unwrap_or_default());
            input.insert("args".to_owned(), state.remove("input").unwrap_or_default());
            input.insert("error".to_owned(), state.remove("error").unwrap_or_default());
            input.remove("time");
        }
        _ => {}
    }
    for (name, value) in input {
        payload.put(&name, value);
    }
    if let Some(directory) = payload.value("directory") {
        payload.put("cwd", directory);
    }
    let Some(parent) = parent.filter(|parent| !parent.is_empty()) else { return Ok(moment) };
    let child = payload.name("sessionID")?;
    payload.put("agent_id", Value::String(child));
    payload.put("sessionID", Value::String(parent));
    Ok(match moment {
        Moment::SessionStarted => Moment::SubagentStarted,
        Moment::TurnEnded => Moment::SubagentStopped,
        other => other,
    })
}

/// Writes the plugin. Where it is not required, as in a project that somebody without Custos may open, a missing program stops nothing.
pub fn plugin(program: &str, required: bool) -> String {
    let program = serde_json::to_string(program).unwrap_or_default();
    include_str!("opencode_plugin.js")
        .replace("\"@PROGRAM@\"", &program)
        .replace("\"@REQUIRED@\"", if required { "true" } else { "false" })
}

fn end(_: &ToolCall, told: Value) -> ToolEnd {
    let exit = told.pointer("/metadata/exit").and_then(Value::as_i64);
    let failed = told.get("isError").and_then(Value::as_bool).unwrap_or(false);
    let output = match told {
        Value::Object(mut fields) => match fields.remove("output") {
            Some(output) => text_of(output),
            None => text_of(Value::Object(fields)),
        },
        other => text_of(other),
    };
    ToolEnd { ok: Some(!failed && exit.is_none_or(|code| code == 0)), output, exit, duration_ms: None }
}

/// What the plugin understands: `deny` is thrown, `context` becomes a part of the message.
fn reply(_: &str, moment: Moment, answer: &Answer) -> Reply {
    match (moment, &answer.verdict, &answer.context) {
        (Moment::ToolStarting, Some(Verdict::Deny(reason)), _) => Reply::json(&json!({ "deny": reason })),
        (Moment::ToolStarting, Some(Verdict::Ask(reason)), _) => {
            Reply::json(&json!({ "deny": instead_of_asking(reason) }))
        }
        (Moment::PromptSubmitted, None, Some(context)) => {
            Reply::json(&json!({ "context": within(context, MANIFEST.context_limit) }))
        }
        _ => Reply::silence(),
    }
}

/// The plugin, and the instructions where they hide nothing. Without an AGENTS.md of its own, OpenCode reads Claude Code's CLAUDE.md: there it
/// finds them if Claude Code is wired, and if it is not, an AGENTS.md of ours would hide from OpenCode what the person wrote there. So they
/// come in a file of their own then, which the settings name.
fn wire(client: &Client, target: &Target<'_>) -> Vec<Wish> {
    let text = plugin(target.program, target.reach == Range::User);
    let server = json!({ "type": "local", "command": [target.program, "mcp"], "enabled": true });
    let mut wishes = vec![
        Wish { path: target.dir.join("plugins/custos.js"), what: "plugin", part: Part::Whole { text } },
        server::wish(client, settings(target), server),
    ];
    if target.reach == Range::Project {
        wishes.push(instructions(target.root.join("AGENTS.md")));
        return wishes;
    }
    let own = target.dir.join("AGENTS.md");
    let claude = (target.read)(&target.root.join(".claude/CLAUDE.md"));
    if (target.read)(&own).is_some() {
        wishes.push(instructions(own));
    } else if target.together.contains(&"claude-code")
        || claude.as_ref().is_some_and(|text| text.contains(BEGIN))
    {
        // It gets them from there.
    } else if claude.is_none() {
        wishes.push(instructions(own));
    } else {
        wishes.extend(listed(target));
        return wishes;
    }
    wishes.extend(unlisted(target));
    wishes
}

/// Gives the instructions in a file of their own, and its name in the settings.
fn listed(target: &Target<'_>) -> [Wish; 2] {
    let file = target.dir.join(INSTRUCTIONS_FILE);
    let value = file.display().to_string();
    let edit = JsonEdit { at: vec!["instructions".to_owned()], change: Change::Listed { value } };
    [
        Wish { path: file, what: "instructions", part: Part::Whole { text: INSTRUCTIONS.to_owned() } },
        Wish { path: settings(target), what: "settings", part: Part::Json(vec![edit]) },
    ]
}

/// Takes the name of that file out of the settings, where it is no longer needed and still stands.
fn unlisted(target: &Target<'_>) -> Option<Wish> {
    let value = target.dir.join(INSTRUCTIONS_FILE).display().to_string();
    let path = settings(target);
    let said = crate::wiring::settings(&(target.read)(&path)?)?;
    let stands = said.get("instructions")?.as_array()?.iter().any(|name| *name == value);
    let edit = JsonEdit { at: vec!["instructions".to_owned()], change: Change::Unlisted { value } };
    stands.then(|| Wish { path, what: "settings", part: Part::Json(vec![edit]) })
}

/// The file of our instructions, where they cannot be part of another.
const INSTRUCTIONS_FILE: &str = "custos.md";

/// Finds the settings: with comments, if they are there.
fn settings(target: &Target<'_>) -> PathBuf {
    let with_comments = target.dir.join("opencode.jsonc");
    if (target.read)(&with_comments).is_some() { with_comments } else { target.dir.join("opencode.json") }
}
