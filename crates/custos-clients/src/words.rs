//! The words of a client, and reading a payload with them.
//!
//! All clients say the same few things under different names. A client's names are a [`Words`]; the reading is here, once. Where a
//! client differs in more than names (how a tool's result looks, where a sub-agent's session belongs), its own file says so.

use serde_json::{Map, Value};

use crate::client::Client;
use crate::event::{Happening, HookEvent, Moment, SubAgent, ToolCall, ToolEnd};
use crate::payload::{Misread, Payload, wrong};

/// What a client calls the fields of its payloads.
#[derive(Debug)]
pub struct Words {
    /// The session's id.
    pub session: &'static str,
    /// The working directory; empty where the client does not always tell it.
    pub cwd: &'static str,
    /// The transcript's path.
    pub transcript: &'static str,
    /// The id of the prompt or turn; empty where there is none.
    pub turn: &'static str,
    /// The tool's name.
    pub tool: &'static str,
    /// The tool's input.
    pub input: &'static str,
    /// The tool's result.
    pub output: &'static str,
    /// How long a tool took, in milliseconds.
    pub duration: &'static str,
    /// What the agent said last.
    pub message: &'static str,
    /// The prompt's text.
    pub prompt: &'static str,
    /// What only repeats what we know already: the event's name, a time. Dropped.
    pub noise: &'static [&'static str],
}

/// Reads a payload.
pub(crate) fn read(
    client: &'static Client,
    moment: Moment,
    fields: Map<String, Value>,
) -> Result<HookEvent, Misread> {
    let words = client.words;
    let mut payload = Payload::new(fields);
    let moment = (client.unfold)(moment, &mut payload)?;
    let session = payload.name(words.session)?;
    let cwd =
        if words.cwd.is_empty() { payload.optional_text("cwd")? } else { Some(payload.name(words.cwd)?) };
    let transcript = payload.optional_text(words.transcript)?;
    let turn = if words.turn.is_empty() { None } else { payload.optional_text(words.turn)? };
    let agent = match payload.optional_text("agent_id")? {
        Some(id) => Some(SubAgent { id, kind: payload.optional_text("agent_type")? }),
        None => None,
    };
    let agent = agent.filter(|agent| !agent.id.is_empty());
    if moment == Moment::SubagentStarted && agent.is_none() {
        return Err(Misread::Missing("agent_id"));
    }
    let happening = happening(client, moment, &mut payload)?;
    for name in words.noise {
        payload.value(name);
    }
    Ok(HookEvent {
        client: client.name,
        session,
        cwd,
        transcript,
        turn: turn.filter(|turn| !turn.is_empty()),
        agent,
        happening,
        extra: payload.rest(),
    })
}

fn happening(client: &Client, moment: Moment, payload: &mut Payload) -> Result<Happening, Misread> {
    let words = client.words;
    Ok(match moment {
        Moment::SessionStarted => Happening::SessionStarted { source: payload.name("source")? },
        Moment::PromptSubmitted => {
            Happening::PromptSubmitted { text: without_hook_context(payload.text(words.prompt)?) }
        }
        Moment::ToolStarting => Happening::ToolStarting { call: call(words, payload)? },
        Moment::PermissionAsked => Happening::PermissionAsked { call: call(words, payload)? },
        Moment::ToolFinished => {
            let call = call(words, payload)?;
            let told = payload.told(words.output)?;
            let mut end = (client.end)(&call, told);
            end.duration_ms = payload.count(words.duration)?.or(end.duration_ms);
            Happening::ToolEnded { call, end }
        }
        Moment::ToolFailed => {
            let call = call(words, payload)?;
            if payload.peek("error").is_none() {
                return Err(Misread::Missing("error"));
            }
            let error = error_text(payload)?;
            let duration_ms = payload.count(words.duration)?;
            // What the client says comes first; further on the words may be those of the command.
            let first = error
                .as_deref()
                .and_then(|error| error.lines().next())
                .filter(|line| line.starts_with("Exit code "));
            let exit = first.and_then(|line| exit_code(line, "Exit code "));
            let end = ToolEnd { ok: Some(false), output: error, exit, duration_ms };
            Happening::ToolEnded { call, end }
        }
        Moment::ToolDenied => {
            let call = call(words, payload)?;
            Happening::ToolDenied { call, reason: payload.optional_text("reason")? }
        }
        Moment::TurnEnded => Happening::TurnEnded {
            message: payload.optional_text(words.message)?,
            error: error_text(payload)?,
            again: payload.flag("stop_hook_active")?,
        },
        Moment::SubagentStarted => Happening::SubagentStarted,
        Moment::SubagentStopped => Happening::SubagentStopped {
            message: payload.optional_text(words.message)?,
            again: payload.flag("stop_hook_active")?,
        },
        Moment::Compacting => Happening::Compacting { trigger: payload.optional_text("trigger")? },
        Moment::SessionEnded => Happening::SessionEnded { reason: payload.optional_text("reason")? },
    })
}

fn call(words: &Words, payload: &mut Payload) -> Result<ToolCall, Misread> {
    let tool = payload.name(words.tool)?;
    match payload.value(words.input) {
        // Some clients give the input as the text that the model wrote.
        Some(Value::String(text)) => {
            let input = serde_json::from_str(&text).unwrap_or(Value::String(text));
            Ok(ToolCall { tool, input })
        }
        Some(input @ Value::Object(_)) => Ok(ToolCall { tool, input }),
        Some(other) => Err(wrong(words.input, "an object", &other)),
        None => Err(Misread::Missing(words.input)),
    }
}

/// Takes an error that may be a text or an object with a message.
fn error_text(payload: &mut Payload) -> Result<Option<String>, Misread> {
    match payload.value("error") {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(Value::Object(fields)) => Ok(Some(match fields.get("message").and_then(Value::as_str) {
            Some(message) => message.to_owned(),
            None => Value::Object(fields).to_string(),
        })),
        Some(other) => Err(wrong("error", "a text", &other)),
    }
}

/// Finds the exit code that follows a phrase.
pub(crate) fn exit_code(text: &str, phrase: &str) -> Option<i64> {
    let rest = &text[text.rfind(phrase)? + phrase.len()..];
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// Makes one text of the forms in which MCP tools answer: a text, a list of parts, an object with such a list.
pub(crate) fn text_of(told: Value) -> Option<String> {
    match told {
        Value::Null => None,
        Value::String(text) => Some(text),
        Value::Array(parts) => {
            let texts: Vec<String> = parts.into_iter().filter_map(text_of).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        Value::Object(mut fields) => match fields.remove("text").or_else(|| fields.remove("content")) {
            Some(inner) => text_of(inner),
            None => Some(Value::Object(fields).to_string()),
        },
        other => Some(other.to_string()),
    }
}

/// Takes off what a client put before the person's words: Gemini hands on there what hooks said at the session's start, which would be
/// remembered as something that the person said, and be told again.
fn without_hook_context(mut text: String) -> String {
    const END: &str = "</hook_context>";
    while text.starts_with("<hook_context>")
        && let Some(end) = text.find(END)
    {
        let rest = text[end + END.len()..].trim_start();
        text = rest.to_owned();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hooks_said_is_no_part_of_a_prompt() {
        for (text, expected) in [
            ("<hook_context>&lt;custos-memory&gt; x</hook_context>\n\nGo on.", "Go on."),
            ("<hook_context>a</hook_context><hook_context>b</hook_context> Go on.", "Go on."),
            ("What is <hook_context>a</hook_context>?", "What is <hook_context>a</hook_context>?"),
            ("<hook_context>never closed", "<hook_context>never closed"),
        ] {
            assert_eq!(without_hook_context(text.to_owned()), expected);
        }
    }
}
