//! The recorded payloads.

use std::path::PathBuf;

use custos_clients::{CLIENTS, Client, HookEvent, Misread};
use serde_json::{Map, Value};

/// One payload of a client.
pub(crate) struct Recorded {
    pub(crate) client: &'static Client,
    /// The file's name without `.json`: the event, and what tells it from others of the same event.
    pub(crate) name: String,
    pub(crate) fields: Map<String, Value>,
}

impl Recorded {
    /// Gives the event, if it is one of those that we are wired to.
    pub(crate) fn event(&self) -> Option<&'static str> {
        let events = self.client.manifest.events.iter().map(|row| row.event);
        events.into_iter().find(|event| {
            self.name.strip_prefix(event).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    /// Reads the payload as a hook would.
    pub(crate) fn read(&self) -> Result<HookEvent, Misread> {
        self.read_as(self.fields.clone())
    }

    /// Reads a changed payload in its place.
    pub(crate) fn read_as(&self, fields: Map<String, Value>) -> Result<HookEvent, Misread> {
        let moment = self.client.moment(self.event().unwrap()).unwrap();
        self.client.read(moment, fields)
    }
}

/// Gives every recorded payload of a client, sorted by name.
pub(crate) fn of(client: &'static Client) -> Vec<Recorded> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(client.name);
    let mut found: Vec<Recorded> = std::fs::read_dir(&dir)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            Recorded { client, name, fields: serde_json::from_str(&text).unwrap() }
        })
        .collect();
    found.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    found
}

/// Gives every payload that a hook of ours may be called with: the recorded ones of wired events, and the made ones.
pub(crate) fn wired(client: &'static Client) -> Vec<Recorded> {
    let mut wired: Vec<Recorded> = of(client).into_iter().filter(is_handed_on).collect();
    wired.extend(crate::made::of(client));
    wired
}

/// OpenCode tells of every part of every message; its plugin hands on only the tools that failed.
fn is_handed_on(recorded: &Recorded) -> bool {
    match recorded.event() {
        Some("event.message.part.updated") => {
            let part = Value::Object(recorded.fields.clone());
            part.pointer("/input/properties/part/state/status").is_some_and(|status| status == "error")
        }
        event => event.is_some(),
    }
}

#[test]
fn every_wired_event_has_a_payload() {
    for client in CLIENTS {
        let wired = wired(client);
        for row in client.manifest.events {
            let count = wired.iter().filter(|recorded| recorded.event() == Some(row.event)).count();
            assert!(count > 0, "{} {}", client.name, row.event);
        }
    }
}
