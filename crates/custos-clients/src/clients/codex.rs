//! Codex.
//!
//! Speaks Claude Code's words, with its own strictness: one key that it does not know, and the whole answer is dropped and the tool
//! runs. So it gets exactly the fields that it was seen to take, and never a question. Failed tools are finished tools to it, and a
//! shell command's exit code is nowhere in its payload.

use serde_json::{Value, json};

use super::claude_code::nested;
use crate::answer::{Answer, Reply};
use crate::client::{Client, flat};
use crate::edit::Ours;
use crate::event::{Moment, ToolCall, ToolEnd};
use crate::manifest::{EventRow, Manifest, OUTSIDE, OnTrouble, Reach, Tested, TimeoutUnit, fallback, row};
use crate::server;
use crate::tool::{Deed, Tool, tool};
use crate::wiring::{self, Dirs, Reach as Range, Target, Wish, command_line, group, hooks, instructions};
use crate::words::{Words, exit_code, text_of};

/// The client.
pub static CLIENT: Client = Client {
    name: "codex",
    title: "Codex",
    words: &WORDS,
    tools: &TOOLS,
    manifest: &MANIFEST,
    dirs: Dirs { variable: "CODEX_HOME", user: ".codex", project: ".codex", programs: &["codex"] },
    servers: "mcp_servers",
    wire,
    switched_off,
    unfold: flat,
    end,
    reply,
};

static WORDS: Words = Words { turn: "turn_id", ..super::claude_code::words() };

static TOOLS: [Tool; 7] = [
    tool("Bash", Deed::Shell, "command"),
    tool("shell", Deed::Shell, "command"),
    tool("local_shell", Deed::Shell, "command"),
    tool("exec_command", Deed::Shell, "cmd"),
    tool("apply_patch", Deed::Patch, "command"),
    tool("view_image", Deed::Read, "path"),
    tool("spawn_agent", Deed::Delegate, "message"),
];

static EVENTS: [EventRow; 10] = [
    row("SessionStart", Moment::SessionStarted, Reach::None, true),
    row("UserPromptSubmit", Moment::PromptSubmitted, Reach::None, true),
    row("PreToolUse", Moment::ToolStarting, Reach::Deny, true),
    row("PermissionRequest", Moment::PermissionAsked, Reach::Deny, false),
    row("PostToolUse", Moment::ToolFinished, Reach::None, true),
    row("Stop", Moment::TurnEnded, Reach::None, false),
    row("SubagentStart", Moment::SubagentStarted, Reach::None, true),
    row("SubagentStop", Moment::SubagentStopped, Reach::None, false),
    row("PreCompact", Moment::Compacting, Reach::None, false),
    row("SessionEnd", Moment::SessionEnded, Reach::None, false),
];

static MANIFEST: Manifest = Manifest {
    schema: "^1.0",
    tested: Tested { from: "0.166.0", to: "0.166.0", outside: OUTSIDE },
    events: &EVENTS,
    fallbacks: &[
        fallback(
            Moment::ToolFailed,
            "PostToolUse comes for failures too; the outcome is told where the result names an exit code",
        ),
        fallback(Moment::ToolDenied, "a call that the person refuses leaves no trace but in the transcript"),
    ],
    // About 2,500 tokens.
    context_limit: 9_000,
    timeout_unit: TimeoutUnit::Seconds,
    on_crash: OnTrouble::Runs,
    on_timeout: OnTrouble::Runs,
    transcripts: ".codex/sessions/*/*/*/rollout-*.jsonl",
};

fn end(_: &ToolCall, told: Value) -> ToolEnd {
    let failed = told.get("isError").and_then(Value::as_bool);
    let output = text_of(told);
    let exit = output
        .as_deref()
        .filter(|text| text.starts_with("Exit code: "))
        .and_then(|text| exit_code(text.lines().next().unwrap_or_default(), "Exit code: "));
    ToolEnd {
        ok: failed.map(|failed| !failed).or(exit.map(|code| code == 0)),
        output,
        exit,
        duration_ms: None,
    }
}

fn reply(event: &str, moment: Moment, answer: &Answer) -> Reply {
    nested(&MANIFEST, event, moment, answer)
}

/// Trust is a hash of event, matcher and command line: the line must be the same in every version. At the end of a session more than three
/// seconds are not granted, and asking for more makes Codex complain to the person.
fn wire(client: &Client, target: &Target<'_>) -> Vec<Wish> {
    let entry = |event: &'static str, moment: Moment| {
        let timeout = if moment == Moment::SessionEnded { 3 } else { wiring::TIMEOUT };
        let command = command_line(target.program, client.name, event);
        group(&json!({ "type": "command", "command": command, "timeout": timeout }))
    };
    let said = match target.reach {
        Range::User => target.dir.join("AGENTS.md"),
        Range::Project => target.root.join("AGENTS.md"),
    };
    vec![
        hooks(client, target.dir.join("hooks.json"), None, entry),
        server::wish(client, target.dir.join("config.toml"), server::entry(target.program)),
        instructions(said),
    ]
}

/// Lists our events in a hooks file that Codex was never told to trust. What it was told is in its `config.toml`, by file, event and place.
pub fn untrusted(hooks: &str, path: &str, config: &str) -> Vec<&'static str> {
    let Some(hooks) = wiring::settings(hooks) else { return Vec::new() };
    let config = config.parse::<toml_edit::DocumentMut>().unwrap_or_default();
    let trusted = |key: &str| {
        let state = config.get("hooks").and_then(|hooks| hooks.get("state")?.get(key));
        state.and_then(|state| state.get("trusted_hash")).is_some()
    };
    let is_ours = |event: &str, value: &Value| Ours::hook(CLIENT.name, event).owns(value);
    let places = |event: &'static str| {
        let groups = hooks
            .get("hooks")
            .and_then(|hooks| hooks.get(event)?.as_array())
            .into_iter()
            .flatten()
            .enumerate();
        groups.flat_map(|(group, entry)| {
            let hooks = entry.get("hooks").and_then(Value::as_array).into_iter().flatten().enumerate();
            hooks.map(move |(hook, entry)| (group, hook, entry)).collect::<Vec<_>>()
        })
    };
    let untrusted = |event: &&'static str| {
        places(event).any(|(group, hook, entry)| {
            is_ours(event, entry) && !trusted(&format!("{path}:{}:{group}:{hook}", snake_case(event)))
        })
    };
    EVENTS.iter().map(|row| row.event).filter(untrusted).collect()
}

fn snake_case(event: &str) -> String {
    let mut name = String::new();
    for (at, c) in event.char_indices() {
        if c.is_ascii_uppercase() && at > 0 {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

fn switched_off(config: &str) -> Option<&'static str> {
    let config = config.parse::<toml_edit::DocumentMut>().ok()?;
    let hooks = config.get("features").and_then(|features| features.get("hooks")?.as_bool());
    (hooks == Some(false)).then_some("`hooks = false` stands below `[features]` in its config.toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_is_known_by_file_event_and_place() {
        let hooks = r#"{"hooks": {
            "PreToolUse": [{"hooks": [{"command": "other"}]}, {"hooks": [{"command": "/bin/custos hook codex PreToolUse"}]}],
            "Stop": [{"hooks": [{"command": "/bin/custos hook codex Stop"}]}]
        }}"#;
        let config = "[hooks.state.\"/h/hooks.json:pre_tool_use:1:0\"]\ntrusted_hash = \"sha256:00\"\n";
        assert_eq!(untrusted(hooks, "/h/hooks.json", ""), ["PreToolUse", "Stop"]);
        assert_eq!(untrusted(hooks, "/h/hooks.json", config), ["Stop"]);
        assert_eq!(untrusted("{}", "/h/hooks.json", config), Vec::<&str>::new());
    }
}
