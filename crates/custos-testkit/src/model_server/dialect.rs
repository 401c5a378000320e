//! The same answer, as each provider would give it.

use serde_json::{Value, json};

use super::Request;

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Anthropic,
    OpenAi,
    Gemini,
}

/// Recognises a question; what is none is an errand.
pub(super) fn of(request: &Request) -> Option<Dialect> {
    let path = request.path.split('?').next().unwrap_or_default();
    match path {
        _ if request.method != "POST" => None,
        _ if path.ends_with("/messages") => Some(Dialect::Anthropic),
        _ if path.ends_with("/chat/completions") => Some(Dialect::OpenAi),
        _ if path.ends_with(":generateContent") => Some(Dialect::Gemini),
        _ => None,
    }
}

/// Counts the characters of all texts in a request, without names and punctuation.
pub(super) fn text_of(body: &Value) -> usize {
    match body {
        Value::String(text) => text.chars().count(),
        Value::Array(all) => all.iter().map(text_of).sum(),
        Value::Object(fields) => fields.values().map(text_of).sum(),
        _ => 0,
    }
}

impl Dialect {
    /// Gives the content type and the body of an answer.
    pub(super) fn answer(self, text: &str, request: &Request) -> (&'static str, String) {
        let (sent, said) = (request.tokens(), text.chars().count() as u64 / 4);
        let model = &request.body["model"];
        let body = match self {
            Self::Anthropic => {
                let message = json!({
                    "id": "msg_scripted", "type": "message", "role": "assistant", "model": model,
                    "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": null,
                    "usage": {"input_tokens": sent, "output_tokens": said, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
                });
                if request.body["stream"] == true {
                    return ("text/event-stream", events(text, message));
                }
                message
            }
            Self::OpenAi => json!({
                "id": "chatcmpl-scripted", "object": "chat.completion", "created": 1, "model": model,
                "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                "usage": {
                    "prompt_tokens": sent, "completion_tokens": said, "total_tokens": sent + said,
                    "prompt_tokens_details": {"cached_tokens": sent / 2},
                },
            }),
            Self::Gemini => json!({
                "candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0}],
                "usageMetadata": {
                    "promptTokenCount": sent, "candidatesTokenCount": said, "totalTokenCount": sent + said,
                    "cachedContentTokenCount": sent / 2,
                },
            }),
        };
        ("application/json", body.to_string())
    }
}

/// Takes a whole message of Anthropic's apart into the events of a stream.
fn events(text: &str, mut message: Value) -> String {
    let usage = message["usage"].clone();
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let events = [
        ("message_start", json!({"message": message})),
        ("content_block_start", json!({"index": 0, "content_block": {"type": "text", "text": ""}})),
        ("content_block_delta", json!({"index": 0, "delta": {"type": "text_delta", "text": text}})),
        ("content_block_stop", json!({"index": 0})),
        (
            "message_delta",
            json!({"delta": {"stop_reason": "end_turn", "stop_sequence": null}, "usage": usage}),
        ),
        ("message_stop", json!({})),
    ];
    let mut stream = String::new();
    for (name, mut event) in events {
        event["type"] = json!(name);
        stream.push_str(&format!("event: {name}\ndata: {event}\n\n"));
    }
    stream
}
