//! The answers that each client acts upon, by event.
//!
//! Written down from what the clients were seen to do, apart from the code that answers them. Every form is closed: Codex drops an answer
//! with one key too many and runs the tool, and what the others do with keys that they do not know is not worth finding out in
//! somebody's session. An event without a form takes no answer at all: there, a hook prints nothing.

use serde_json::{Map, Value, json};

/// The answers of a client: for each event, the forms that it takes.
pub(crate) type Answers = Vec<(&'static str, Vec<Value>)>;

/// Gives the answers that a client takes.
pub(crate) fn of(client: &str) -> Answers {
    match client {
        "claude-code" => claude_code(),
        "codex" => codex(),
        "gemini" => gemini(),
        "copilot" => copilot(),
        "opencode" => opencode(),
        "cursor" => cursor(),
        other => panic!("{other} has no answers"),
    }
}

fn claude_code() -> Answers {
    let told = |event| (event, vec![nested(event, &[("additionalContext", context(10_000))])]);
    vec![
        told("SessionStart"),
        told("UserPromptSubmit"),
        (
            "PreToolUse",
            vec![
                nested("PreToolUse", &[("additionalContext", context(10_000))]),
                nested(
                    "PreToolUse",
                    &[("permissionDecision", word(&["deny", "ask"])), ("permissionDecisionReason", reason())],
                ),
            ],
        ),
        ("PermissionRequest", permission()),
        told("PostToolUse"),
        told("PostToolUseFailure"),
        ("PermissionDenied", vec![]),
        told("Stop"),
        ("StopFailure", vec![]),
        told("SubagentStart"),
        ("SubagentStop", vec![]),
        ("PreCompact", vec![]),
        ("SessionEnd", vec![]),
    ]
}

/// About 2,500 tokens of context; no question.
fn codex() -> Answers {
    let told = |event| (event, vec![nested(event, &[("additionalContext", context(9_000))])]);
    vec![
        told("SessionStart"),
        told("UserPromptSubmit"),
        (
            "PreToolUse",
            vec![
                nested("PreToolUse", &[("additionalContext", context(9_000))]),
                nested(
                    "PreToolUse",
                    &[("permissionDecision", word(&["deny"])), ("permissionDecisionReason", reason())],
                ),
            ],
        ),
        ("PermissionRequest", permission()),
        told("PostToolUse"),
        ("Stop", vec![]),
        told("SubagentStart"),
        ("SubagentStop", vec![]),
        ("PreCompact", vec![]),
        ("SessionEnd", vec![]),
    ]
}

/// A denial at the top, context below; a question would hang it.
fn gemini() -> Answers {
    let told = |event| (event, vec![nested(event, &[("additionalContext", context(10_000))])]);
    vec![
        told("SessionStart"),
        told("BeforeAgent"),
        ("BeforeTool", vec![closed(&[("decision", word(&["deny"])), ("reason", reason())])]),
        told("AfterTool"),
        ("AfterAgent", vec![]),
        ("SessionEnd", vec![]),
    ]
}

/// Everything at the top.
fn copilot() -> Answers {
    let told = || closed(&[("additionalContext", context(10_000))]);
    vec![
        ("sessionStart", vec![told()]),
        ("userPromptSubmitted", vec![told()]),
        (
            "preToolUse",
            vec![
                told(),
                closed(&[
                    ("permissionDecision", word(&["deny", "ask"])),
                    ("permissionDecisionReason", reason()),
                ]),
            ],
        ),
        (
            "permissionRequest",
            vec![
                closed(&[("behavior", word(&["allow"]))]),
                closed(&[("behavior", word(&["deny"])), ("message", reason())]),
            ],
        ),
        ("postToolUse", vec![told()]),
        ("postToolUseFailure", vec![]),
        ("agentStop", vec![]),
        ("subagentStart", vec![]),
        ("subagentStop", vec![]),
        ("preCompact", vec![]),
        ("sessionEnd", vec![]),
    ]
}

/// What our plugin understands.
fn opencode() -> Answers {
    vec![
        ("event.session.created", vec![]),
        ("chat.message", vec![closed(&[("context", context(10_000))])]),
        ("tool.execute.before", vec![closed(&[("deny", reason())])]),
        ("tool.execute.after", vec![]),
        ("event.message.part.updated", vec![]),
        ("event.session.idle", vec![]),
        ("experimental.session.compacting", vec![]),
    ]
}

fn cursor() -> Answers {
    let told = || closed(&[("additional_context", context(10_000))]);
    vec![
        ("sessionStart", vec![told()]),
        ("beforeSubmitPrompt", vec![]),
        (
            "preToolUse",
            vec![closed(&[
                ("permission", word(&["deny"])),
                ("user_message", reason()),
                ("agent_message", reason()),
            ])],
        ),
        ("postToolUse", vec![told()]),
        ("postToolUseFailure", vec![]),
        ("stop", vec![]),
        ("subagentStart", vec![]),
        ("subagentStop", vec![]),
        ("preCompact", vec![]),
        ("sessionEnd", vec![]),
    ]
}

/// Claude Code's answer to a question that it would ask the person, which Codex took over.
fn permission() -> Vec<Value> {
    let decision = |fields: &[(&str, Value)]| nested("PermissionRequest", &[("decision", closed(fields))]);
    vec![
        decision(&[("behavior", word(&["allow"]))]),
        decision(&[("behavior", word(&["deny"])), ("message", reason())]),
    ]
}

/// The form below `hookSpecificOutput`, which names the event once more.
fn nested(event: &str, fields: &[(&str, Value)]) -> Value {
    let mut inner = vec![("hookEventName", word(&[event]))];
    inner.extend(fields.iter().cloned());
    closed(&[("hookSpecificOutput", closed(&inner))])
}

/// An object with exactly these fields.
fn closed(fields: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> =
        fields.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({ "type": "object", "required": names, "properties": properties, "additionalProperties": false })
}

/// One of these words.
fn word(words: &[&str]) -> Value {
    match words {
        [one] => json!({ "const": one }),
        words => json!({ "enum": words }),
    }
}

/// Why, which must be said.
fn reason() -> Value {
    json!({ "type": "string", "minLength": 1 })
}

/// A text for the model, as long as the client hands it on whole.
fn context(limit: usize) -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": limit })
}

/// Writes the schema of what a client takes at each event.
pub(crate) fn stdout(client: &str) -> Vec<(&'static str, Value)> {
    let schema = |(event, forms): (&'static str, Vec<Value>)| {
        let title = format!("What {client} takes as an answer to {event}");
        let body = match forms.as_slice() {
            [] => json!({ "description": "Nothing: the hook prints nothing at all.", "not": {} }),
            [one] => one.clone(),
            forms => json!({ "oneOf": forms }),
        };
        (event, crate::schemas::titled(&title, body))
    };
    of(client).into_iter().map(schema).collect()
}
