//! Claude Code.
//!
//! The richest of them: failures and denials are events of their own, every tool event names the prompt that it is for, and a denial
//! beats the person's own allow rules. Its answers are nested below `hookSpecificOutput`; keys that it does not know are ignored.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::answer::{Answer, Reply, Verdict, within};
use crate::client::{Client, flat};
use crate::event::{Moment, ToolCall, ToolEnd};
use crate::manifest::{EventRow, Manifest, OUTSIDE, OnTrouble, Reach, Tested, TimeoutUnit, row};
use crate::server;
use crate::tool::{Deed, Tool, tool};
use crate::wiring::{self, Dirs, Target, Wish, command_line, group, hooks, instructions};
use crate::words::{Words, text_of};

/// The client.
pub static CLIENT: Client = Client {
    name: "claude-code",
    title: "Claude Code",
    words: &WORDS,
    tools: &TOOLS,
    manifest: &MANIFEST,
    dirs: Dirs { variable: "CLAUDE_CONFIG_DIR", user: ".claude", project: ".claude", programs: &["claude"] },
    servers: "mcpServers",
    wire,
    switched_off,
    unfold: flat,
    end,
    reply,
};

static WORDS: Words = words();

/// The words, which other clients took over.
pub(super) const fn words() -> Words {
    Words {
        session: "session_id",
        cwd: "cwd",
        transcript: "transcript_path",
        turn: "prompt_id",
        tool: "tool_name",
        input: "tool_input",
        output: "tool_response",
        duration: "duration_ms",
        message: "last_assistant_message",
        prompt: "prompt",
        noise: &[
            "hook_event_name",
            "tool_use_id",
            "background_tasks",
            "session_crons",
            "permission_suggestions",
            "agent_transcript_path",
        ],
    }
}

static TOOLS: [Tool; 10] = [
    tool("Bash", Deed::Shell, "command"),
    tool("Monitor", Deed::Shell, "command"),
    tool("Read", Deed::Read, "file_path"),
    tool("NotebookRead", Deed::Read, "notebook_path"),
    tool("Write", Deed::Change, "file_path"),
    tool("Edit", Deed::Change, "file_path"),
    tool("MultiEdit", Deed::Change, "file_path"),
    tool("NotebookEdit", Deed::Change, "notebook_path"),
    tool("Agent", Deed::Delegate, "prompt"),
    tool("Task", Deed::Delegate, "prompt"),
];

static EVENTS: [EventRow; 13] = [
    row("SessionStart", Moment::SessionStarted, Reach::None, true),
    row("UserPromptSubmit", Moment::PromptSubmitted, Reach::None, true),
    row("PreToolUse", Moment::ToolStarting, Reach::DenyAsk, true),
    row("PermissionRequest", Moment::PermissionAsked, Reach::Deny, false),
    row("PostToolUse", Moment::ToolFinished, Reach::None, true),
    row("PostToolUseFailure", Moment::ToolFailed, Reach::None, true),
    row("PermissionDenied", Moment::ToolDenied, Reach::None, false),
    row("Stop", Moment::TurnEnded, Reach::None, true),
    row("StopFailure", Moment::TurnEnded, Reach::None, false),
    row("SubagentStart", Moment::SubagentStarted, Reach::None, true),
    row("SubagentStop", Moment::SubagentStopped, Reach::None, false),
    row("PreCompact", Moment::Compacting, Reach::None, false),
    row("SessionEnd", Moment::SessionEnded, Reach::None, false),
];

static MANIFEST: Manifest = Manifest {
    schema: "^1.0",
    tested: Tested { from: "2.1.325", to: "2.1.325", outside: OUTSIDE },
    events: &EVENTS,
    fallbacks: &[],
    context_limit: 10_000,
    timeout_unit: TimeoutUnit::Seconds,
    on_crash: OnTrouble::DeniedBySetting,
    on_timeout: OnTrouble::DeniedBySetting,
    transcripts: ".claude/projects/*/*.jsonl",
};

/// A command's two streams, a file's content, or what an MCP tool said. What an edit answers only repeats its input.
fn end(call: &ToolCall, told: Value) -> ToolEnd {
    let output = match told {
        Value::Object(mut fields) => {
            let stream = |fields: &mut serde_json::Map<String, Value>, name: &str| match fields.remove(name) {
                Some(Value::String(text)) if !text.is_empty() => Some(text),
                _ => None,
            };
            if fields.contains_key("stdout") {
                let (out, err) = (stream(&mut fields, "stdout"), stream(&mut fields, "stderr"));
                match (out, err) {
                    (Some(out), Some(err)) => Some(format!("{out}\n{err}")),
                    (out, err) => out.or(err),
                }
            } else if fields.contains_key("structuredPatch") {
                None
            } else if let Some(Value::Object(mut file)) = fields.remove("file") {
                stream(&mut file, "content")
            } else {
                text_of(Value::Object(fields))
            }
        }
        other => text_of(other),
    };
    // A command that ends with another code is an event of its own here.
    let exit = (call.tool == "Bash").then_some(0);
    ToolEnd { ok: Some(true), output, exit, duration_ms: None }
}

fn reply(event: &str, moment: Moment, answer: &Answer) -> Reply {
    nested(&MANIFEST, event, moment, answer)
}

/// Writes the form that Claude Code introduced and Codex took over, as far as the client takes it at this event.
pub(super) fn nested(manifest: &Manifest, event: &str, moment: Moment, answer: &Answer) -> Reply {
    let takes =
        |what: fn(&EventRow) -> bool| manifest.events.iter().any(|row| row.event == event && what(row));
    let asks = takes(|row| row.verdict == Reach::DenyAsk);
    let mut specific = json!({ "hookEventName": event });
    match (moment, &answer.verdict) {
        (Moment::ToolStarting, Some(Verdict::Deny(reason))) => {
            specific["permissionDecision"] = json!("deny");
            specific["permissionDecisionReason"] = json!(reason);
        }
        (Moment::ToolStarting, Some(Verdict::Ask(reason))) if asks => {
            specific["permissionDecision"] = json!("ask");
            specific["permissionDecisionReason"] = json!(reason);
        }
        (Moment::ToolStarting, Some(Verdict::Ask(reason))) => {
            specific["permissionDecision"] = json!("deny");
            specific["permissionDecisionReason"] = json!(crate::answer::instead_of_asking(reason));
        }
        (Moment::PermissionAsked, Some(Verdict::Allow)) => {
            specific["decision"] = json!({ "behavior": "allow" });
        }
        (Moment::PermissionAsked, Some(Verdict::Deny(reason))) => {
            specific["decision"] = json!({ "behavior": "deny", "message": reason });
        }
        // A question at a moment when the person is being asked anyway is answered by leaving it to them.
        _ => {}
    }
    // Context beside a denial would be context about something that did not happen.
    if answer.verdict.is_none()
        && takes(|row| row.context)
        && let Some(context) = &answer.context
    {
        specific["additionalContext"] = json!(within(context, manifest.context_limit));
    }
    if specific.as_object().is_some_and(|fields| fields.len() == 1) {
        return Reply::silence();
    }
    Reply::json(&json!({ "hookSpecificOutput": specific }))
}

/// Its settings take a program and its arguments apart, so no shell is started and nothing has to be quoted. Only where Copilot runs the same
/// file, and drops the arguments, a path that needs quoting is written as a line.
fn wire(client: &Client, target: &Target<'_>) -> Vec<Wish> {
    let settings = target.dir.join("settings.json");
    // In a project, Copilot reads the CLAUDE.md at the top as well as AGENTS.md; this one it does not read.
    let said = instructions(target.dir.join("CLAUDE.md"));
    let has_plugin = |settings: &Path| (target.read)(settings).is_some_and(|text| has_plugin(&text));
    if has_plugin(&settings) || has_plugin(&target.user.join("settings.json")) {
        return vec![said];
    }
    let needs_quotes = wiring::quoted(target.program) != target.program;
    let as_line = target.reach == wiring::Reach::Project && needs_quotes;
    let entry = |event: &'static str, moment: Moment| {
        let mut hook = if as_line {
            json!({ "type": "command", "command": command_line(target.program, client.name, event) })
        } else {
            json!({ "type": "command", "command": target.program, "args": ["hook", client.name, event] })
        };
        hook["timeout"] = json!(wiring::TIMEOUT);
        // In a project, the file may come to somebody who has no Custos: their tools must run.
        if moment == Moment::ToolStarting && target.reach == wiring::Reach::User {
            hook["onFailure"] = json!("block");
        }
        group(&hook)
    };
    let servers = match target.reach {
        wiring::Reach::Project => target.root.join(".mcp.json"),
        // Beside its directory, unless that was moved.
        wiring::Reach::User if target.moved => target.dir.join(STATE),
        wiring::Reach::User => target.root.join(STATE),
    };
    let server = server::wish(client, servers, server::stdio_entry(target.program));
    vec![hooks(client, settings, None, entry), server, said]
}

/// The file in which it keeps its login, its projects and the person's MCP servers. It writes it all the time.
const STATE: &str = ".claude.json";

/// Names the directory that stands while somebody writes the file in which Claude Code keeps its state; of other files there is none.
/// Whoever makes it has the file for themselves. Claude Code was seen to wait for it, and takes it for forgotten after ten seconds.
pub fn state_lock(file: &Path) -> Option<PathBuf> {
    file.ends_with(STATE).then(|| file.with_file_name(format!("{STATE}.lock")))
}

/// Finds the hooks that our plugin brings along where it is switched on, from Claude Code's settings and its own list of what is installed
/// (`plugins/installed_plugins.json`).
pub fn plugin_hooks(settings: &str, installed: &str) -> Vec<PathBuf> {
    plugin_places(settings, installed).iter().map(|place| place.join("hooks").join("hooks.json")).collect()
}

/// Finds the MCP server that our plugin brings along, in the same way.
pub fn plugin_servers(settings: &str, installed: &str) -> Vec<PathBuf> {
    plugin_places(settings, installed).iter().map(|place| place.join(".mcp.json")).collect()
}

fn plugin_places(settings: &str, installed: &str) -> Vec<PathBuf> {
    if !has_plugin(settings) {
        return Vec::new();
    }
    let installed = wiring::settings(installed);
    let plugins = installed.as_ref().and_then(|list| list.get("plugins")?.as_object()).into_iter().flatten();
    plugins
        .filter(|(name, _)| is_ours(name))
        .flat_map(|(_, places)| places.as_array().into_iter().flatten())
        .filter_map(|place| place.get("installPath")?.as_str())
        .map(PathBuf::from)
        .collect()
}

fn is_ours(plugin: &str) -> bool {
    plugin.split('@').next() == Some("custos")
}

/// Says whether our plugin is switched on, which brings the hooks and the MCP server along.
fn has_plugin(settings: &str) -> bool {
    let enabled = wiring::settings(settings);
    let plugins = enabled.as_ref().and_then(|settings| settings.get("enabledPlugins")?.as_object());
    plugins
        .is_some_and(|plugins| plugins.iter().any(|(name, on)| is_ours(name) && on.as_bool() == Some(true)))
}

fn switched_off(settings: &str) -> Option<&'static str> {
    let settings = wiring::settings(settings)?;
    (settings.get("disableAllHooks") == Some(&Value::Bool(true)))
        .then_some("`disableAllHooks` is true in its settings")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hooks_of_our_plugin_are_found_where_it_was_installed() {
        let installed = r#"{"version": 2, "plugins": {
            "custos@market": [{"scope": "user", "installPath": "/home/z/.claude/plugins/cache/market/custos/0.1.0"}],
            "other@market": [{"scope": "user", "installPath": "/elsewhere"}]
        }}"#;
        let hooks = Path::new("/home/z/.claude/plugins/cache/market/custos/0.1.0/hooks/hooks.json");
        let on = r#"{"enabledPlugins": {"custos@market": true,}}"#;
        let off = r#"{"enabledPlugins": {"custos@market": false, "custos-x@market": true}}"#;
        assert_eq!(plugin_hooks(on, installed), [hooks]);
        assert_eq!(plugin_hooks(off, installed), [] as [PathBuf; 0]);
        assert_eq!(plugin_hooks(on, "{}"), [] as [PathBuf; 0]);
    }
}
