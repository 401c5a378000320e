//! The fields of each event on which we stand, by client.
//!
//! What must be there is marked by its sort: [`Sort::is_required`]. Everything else may be absent, and every payload may hold more.

use serde_json::{Map, Value, json};

/// What a field is.
#[derive(Clone, Copy)]
pub(crate) enum Sort {
    /// A text that must be there and not be empty.
    Name,
    /// A text that must be there, and may be empty or null.
    Said,
    /// What a tool is given: an object that must be there, or the JSON that the model wrote as a text.
    Input,
    /// An object that must be there.
    Inside(Fields),
    /// An object that may be there.
    Perhaps(Fields),
    /// A list that must be there.
    List,
    /// A text.
    Text,
    /// True or false.
    Flag,
    /// A number.
    Count,
    /// What went wrong: a text, or an object with a message.
    Error,
    /// What went wrong, which must be there.
    Wrong,
    /// Whatever a tool gives, which must be there.
    Told,
    /// Anything.
    Any,
}

/// Fields by name.
pub(crate) type Fields = &'static [(&'static str, Sort)];

/// The payloads of a client.
pub(crate) struct Shapes {
    pub(crate) client: &'static str,
    /// What every event has.
    pub(crate) always: Fields,
    /// What each has besides.
    pub(crate) events: &'static [(&'static str, Fields)],
}

use Sort::{Any, Count, Error, Flag, Input, Inside, List, Name, Perhaps, Said, Text, Told, Wrong};

/// All clients.
pub(crate) const SHAPES: [Shapes; 6] = [CLAUDE_CODE, CODEX, GEMINI, COPILOT, OPENCODE, CURSOR];

const CALL: Fields = &[("tool_name", Name), ("tool_input", Input)];

const CLAUDE_CODE: Shapes = Shapes {
    client: "claude-code",
    always: &[
        ("session_id", Name),
        ("transcript_path", Text),
        ("cwd", Name),
        ("prompt_id", Text),
        ("agent_id", Text),
        ("agent_type", Text),
    ],
    events: &[
        ("SessionStart", &[("source", Name)]),
        ("UserPromptSubmit", &[("prompt", Said)]),
        ("PreToolUse", CALL),
        ("PermissionRequest", CALL),
        (
            "PostToolUse",
            &[("tool_name", Name), ("tool_input", Input), ("tool_response", Told), ("duration_ms", Count)],
        ),
        (
            "PostToolUseFailure",
            &[("tool_name", Name), ("tool_input", Input), ("error", Wrong), ("duration_ms", Count)],
        ),
        ("PermissionDenied", &[("tool_name", Name), ("tool_input", Input), ("reason", Text)]),
        ("Stop", &[("last_assistant_message", Text), ("stop_hook_active", Flag)]),
        ("StopFailure", &[("last_assistant_message", Text), ("error", Error)]),
        ("SubagentStart", &[("agent_id", Name)]),
        ("SubagentStop", &[("last_assistant_message", Text), ("stop_hook_active", Flag)]),
        ("PreCompact", &[("trigger", Text)]),
        ("SessionEnd", &[("reason", Text)]),
    ],
};

const CODEX: Shapes = Shapes {
    client: "codex",
    always: &[
        ("session_id", Name),
        ("transcript_path", Text),
        ("cwd", Name),
        ("turn_id", Text),
        ("agent_id", Text),
        ("agent_type", Text),
    ],
    events: &[
        ("SessionStart", &[("source", Name)]),
        ("UserPromptSubmit", &[("prompt", Said)]),
        ("PreToolUse", CALL),
        ("PermissionRequest", CALL),
        ("PostToolUse", &[("tool_name", Name), ("tool_input", Input), ("tool_response", Told)]),
        ("Stop", &[("last_assistant_message", Text), ("stop_hook_active", Flag)]),
        ("SubagentStart", &[("agent_id", Name)]),
        ("SubagentStop", &[("last_assistant_message", Text), ("stop_hook_active", Flag)]),
        ("PreCompact", &[("trigger", Text)]),
        ("SessionEnd", &[("reason", Text)]),
    ],
};

const GEMINI: Shapes = Shapes {
    client: "gemini",
    always: &[("session_id", Name), ("transcript_path", Text), ("cwd", Name)],
    events: &[
        ("SessionStart", &[("source", Name)]),
        ("BeforeAgent", &[("prompt", Said)]),
        ("BeforeTool", CALL),
        ("AfterTool", &[("tool_name", Name), ("tool_input", Input), ("tool_response", Told)]),
        ("AfterAgent", &[("prompt_response", Text), ("stop_hook_active", Flag)]),
        ("SessionEnd", &[("reason", Text)]),
    ],
};

/// Copilot spells some fields in two ways: in a sub-agent's events, and where it asks for permission.
const COPILOT: Shapes = Shapes {
    client: "copilot",
    always: &[
        ("sessionId", Name),
        ("cwd", Name),
        ("transcriptPath", Text),
        ("agentId", Text),
        ("agentType", Text),
        ("agent_id", Text),
        ("agent_type", Text),
        ("parentAgentId", Text),
        ("parent_agent_id", Text),
    ],
    events: &[
        ("sessionStart", &[("source", Name)]),
        ("userPromptSubmitted", &[("prompt", Said)]),
        ("preToolUse", &[("toolName", Name), ("toolArgs", Input)]),
        ("permissionRequest", &[("toolName", Name), ("toolInput", Input)]),
        ("postToolUse", &[("toolName", Name), ("toolArgs", Input), ("toolResult", Told)]),
        ("postToolUseFailure", &[("toolName", Name), ("toolArgs", Input), ("error", Wrong)]),
        ("agentStop", &[("stop_hook_active", Flag)]),
        ("subagentStart", &[("agentId", Name)]),
        ("subagentStop", &[("last_assistant_message", Text), ("response", Text), ("stop_hook_active", Flag)]),
        ("preCompact", &[("trigger", Text)]),
        ("sessionEnd", &[("reason", Text)]),
    ],
};

/// What OpenCode's plugin hands on: the two arguments of OpenCode's call, and what the plugin knows besides.
const OPENCODE: Shapes = Shapes {
    client: "opencode",
    always: &[("directory", Text), ("parentID", Text), ("output", Perhaps(&[]))],
    events: &[
        (
            "event.session.created",
            &[(
                "input",
                Inside(&[(
                    "properties",
                    Inside(&[
                        ("sessionID", Name),
                        ("info", Perhaps(&[("directory", Text), ("parentID", Text)])),
                    ]),
                )]),
            )],
        ),
        (
            "chat.message",
            &[
                ("input", Inside(&[("sessionID", Name)])),
                ("output", Inside(&[("message", Perhaps(&[("id", Text)])), ("parts", List)])),
            ],
        ),
        (
            "tool.execute.before",
            &[
                ("input", Inside(&[("tool", Name), ("sessionID", Name)])),
                ("output", Inside(&[("args", Input)])),
            ],
        ),
        ("tool.execute.after", &[("input", Inside(&[("tool", Name), ("sessionID", Name), ("args", Input)]))]),
        (
            "event.message.part.updated",
            &[(
                "input",
                Inside(&[(
                    "properties",
                    Inside(&[
                        ("sessionID", Name),
                        (
                            "part",
                            Inside(&[
                                ("tool", Name),
                                ("state", Inside(&[("input", Input), ("error", Error)])),
                            ]),
                        ),
                    ]),
                )]),
            )],
        ),
        (
            "event.session.idle",
            &[("input", Inside(&[("properties", Inside(&[("sessionID", Name)]))])), ("message", Text)],
        ),
        ("experimental.session.compacting", &[("input", Inside(&[("sessionID", Name)]))]),
    ],
};

const CURSOR: Shapes = Shapes {
    client: "cursor",
    always: &[
        ("conversation_id", Name),
        ("generation_id", Text),
        ("transcript_path", Text),
        ("cwd", Text),
        ("workspace_roots", Any),
    ],
    events: &[
        ("sessionStart", &[]),
        ("beforeSubmitPrompt", &[("prompt", Said)]),
        ("preToolUse", CALL),
        (
            "postToolUse",
            &[("tool_name", Name), ("tool_input", Input), ("tool_output", Told), ("duration", Count)],
        ),
        (
            "postToolUseFailure",
            &[
                ("tool_name", Name),
                ("tool_input", Input),
                ("error_message", Said),
                ("failure_type", Text),
                ("duration", Count),
            ],
        ),
        ("stop", &[]),
        ("subagentStart", &[("subagent_id", Name), ("subagent_type", Text)]),
        ("subagentStop", &[("subagent_id", Text), ("subagent_type", Text), ("summary", Text)]),
        ("preCompact", &[("trigger", Text)]),
        ("sessionEnd", &[("reason", Text)]),
    ],
};

impl Sort {
    fn schema(self) -> Value {
        match self {
            Name => json!({ "type": "string", "minLength": 1 }),
            Said | Text => json!({ "type": ["string", "null"] }),
            Input => json!({ "type": ["object", "string"] }),
            Inside(fields) => object(fields),
            Perhaps(fields) => {
                let mut schema = object(fields);
                schema["type"] = json!(["object", "null"]);
                schema
            }
            List => json!({ "type": "array" }),
            Flag => json!({ "type": ["boolean", "null"] }),
            Count => json!({ "type": ["number", "null"] }),
            Error | Wrong => json!({ "type": ["string", "object", "null"] }),
            Any | Told => json!(true),
        }
    }

    pub(crate) fn is_required(self) -> bool {
        matches!(self, Name | Said | Input | Inside(_) | List | Told | Wrong)
    }
}

/// Writes the schema of an object with these fields and any others.
fn object<'a>(fields: impl IntoIterator<Item = &'a (&'static str, Sort)>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, sort) in fields {
        properties.insert((*name).to_owned(), sort.schema());
        if sort.is_required() {
            required.push(*name);
        }
    }
    let mut schema = json!({ "type": "object" });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    if !properties.is_empty() {
        schema["properties"] = Value::Object(properties);
    }
    schema
}

/// Writes the schema of what a client sends with each event.
pub(crate) fn stdin(shapes: &Shapes) -> Vec<(&'static str, Value)> {
    let schema = |(event, fields): &(&'static str, Fields)| {
        let body = object(shapes.always.iter().chain(*fields));
        let title = format!("What {} sends with {event}", shapes.client);
        (*event, crate::schemas::titled(&title, body))
    };
    shapes.events.iter().map(schema).collect()
}
