//! Payloads that no recording holds.
//!
//! OpenCode was recorded from within: its plugin adds what only it knows: the directory, the parent of a child session, the last thing
//! that was said.

use custos_clients::Client;
use serde_json::{Value, json};

use crate::recorded::Recorded;

/// Gives the made payloads of a client.
pub(crate) fn of(client: &'static Client) -> Vec<Recorded> {
    let payloads = if client.name == "opencode" { opencode() } else { Vec::new() };
    let made = |(name, payload): (&str, Value)| {
        let Value::Object(fields) = payload else { panic!("a payload is an object") };
        Recorded { client, name: name.to_owned(), fields }
    };
    payloads.into_iter().map(made).collect()
}

fn opencode() -> Vec<(&'static str, Value)> {
    let main = "ses_e1f801922ffex12ZDj313tlY8S";
    let child = "ses_e1f7c084affea661ypMi70cita";
    vec![
        (
            "chat.message.plugin",
            json!({
                "input": {"sessionID": main, "agent": "build"},
                "output": {
                    "message": {"id": "msg_1e07feb720016j4t6MxgQvIG7W", "role": "user"},
                    "parts": [{"type": "text", "text": "Look at this"}, {"type": "text", "text": "and at that"}],
                },
                "directory": "/home/user/project",
            }),
        ),
        (
            "tool.execute.before.child",
            json!({
                "input": {"tool": "bash", "sessionID": child, "callID": "call_2"},
                "output": {"args": {"command": "echo insub"}},
                "directory": "/home/user/project", "parentID": main,
            }),
        ),
        (
            "event.session.idle.child",
            json!({
                "input": {"id": "evt_2", "type": "session.idle", "properties": {"sessionID": child}},
                "message": "SUB-FINAL", "directory": "/home/user/project", "parentID": main,
            }),
        ),
        (
            "event.session.idle.plugin",
            json!({
                "input": {"id": "evt_3", "type": "session.idle", "properties": {"sessionID": main}},
                "message": "FINAL-TEXT all done", "directory": "/home/user/project",
            }),
        ),
    ]
}
