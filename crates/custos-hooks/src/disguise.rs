//! The clients' own ids, taken out of what is recorded.
//!
//! An event names its session, agent and prompt by pseudonyms. That would be of little use if the same ids stood in its body: in a
//! field that we do not know, in the path of a transcript, in what a sub-agent answers, in a payload that was kept because nobody
//! understood it. So wherever an id turns up in a body, the pseudonym takes its place.

use custos_clients::HookEvent;
use custos_clients::event::Happening;
use custos_clients::tool::Deed;
use serde_json::{Map, Value};

/// What clients call their ids, and how the pseudonym of each begins.
const NAMES: [(&str, &str); 21] = [
    ("session_id", "s-"),
    ("sessionId", "s-"),
    ("sessionID", "s-"),
    ("parentSessionId", "s-"),
    ("parentID", "s-"),
    ("conversation_id", "s-"),
    ("parent_agent_id", "s-"),
    ("parentAgentId", "s-"),
    ("agent_id", "ag-"),
    ("agentId", "ag-"),
    // OpenCode's answer of a sub-agent begins with `<task id="…"`.
    ("task id", "ag-"),
    ("prompt_id", "t-"),
    ("turn_id", "t-"),
    ("generation_id", "t-"),
    ("messageID", "t-"),
    ("tool_call_id", "ag-"),
    ("tool_use_id", "t-"),
    ("toolCallId", "t-"),
    ("callID", "t-"),
    ("message_id", "t-"),
    ("partID", "t-"),
];

/// Shorter ones say nothing, and would be found in every second word.
const SHORTEST: usize = 8;

/// The most ids of one payload. No client sends more than a handful; each is searched for in all of it.
const MOST: usize = 32;

/// How much of a text is searched for ids: they come first.
const SEARCHED: usize = 1 << 20;

/// Ids, and how they are called outside.
pub(crate) struct Disguise<'a> {
    ids: Vec<(&'static str, String)>,
    name: &'a dyn Fn(&str, &str) -> String,
}

impl<'a> Disguise<'a> {
    /// Knows the ids of an event. `name` makes a pseudonym of how it begins and the id.
    pub(crate) fn of(event: &HookEvent, name: &'a dyn Fn(&str, &str) -> String) -> Self {
        let mut disguise = Self { ids: Vec::with_capacity(3), name };
        disguise.add("s-", &event.session);
        if let Some(turn) = &event.turn {
            disguise.add("t-", turn);
        }
        if let Some(agent) = &event.agent {
            disguise.add("ag-", &agent.id);
        }
        // Whoever sends a sub-agent is told its id, and nobody else knows it yet.
        if let Happening::ToolEnded { call, end } = &event.happening
            && let Some(output) = &end.output
            && let tools = custos_clients::find(event.client).map_or(&[][..], |client| client.tools)
            && tools.iter().any(|tool| tool.name == call.tool && tool.deed == Deed::Delegate)
        {
            disguise.search(output);
        }
        disguise
    }

    /// Knows the ids in a text that nobody understood, by the names beside them.
    pub(crate) fn found_in(text: &str, name: &'a dyn Fn(&str, &str) -> String) -> Self {
        let mut disguise = Self { ids: Vec::new(), name };
        disguise.search(&text[..text.floor_char_boundary(SEARCHED)]);
        disguise
    }

    fn add(&mut self, prefix: &'static str, id: &str) {
        if id.len() >= SHORTEST && self.ids.len() < MOST && self.ids.iter().all(|(_, known)| known != id) {
            self.ids.push((prefix, id.to_owned()));
        }
    }

    fn search(&mut self, text: &str) {
        for (name, prefix) in NAMES {
            for (at, _) in text.match_indices(name) {
                let rest = &text[at + name.len()..];
                // Quotes are escaped where JSON stands within JSON.
                let value = rest.trim_start_matches(|c: char| c.is_whitespace() || "\\\":=".contains(c));
                let between = &rest[..rest.len() - value.len()];
                let is_id = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
                let end = value.find(|c| !is_id(c)).unwrap_or(value.len());
                if between.contains([':', '=']) {
                    self.add(prefix, &value[..end]);
                }
            }
        }
    }

    /// Puts pseudonyms into an object, its keys included.
    pub(crate) fn put_on(&self, fields: &mut Map<String, Value>) {
        let telling: Vec<String> = fields.keys().filter(|key| self.is_in(key)).cloned().collect();
        for key in telling {
            if let Some(value) = fields.remove(&key) {
                let mut hidden = key;
                self.put_on_text(&mut hidden);
                fields.insert(hidden, value);
            }
        }
        fields.values_mut().for_each(|value| self.put_on_value(value));
    }

    fn put_on_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.put_on_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.put_on_value(item)),
            Value::Object(fields) => self.put_on(fields),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Puts pseudonyms into a text.
    pub(crate) fn put_on_text(&self, text: &mut String) {
        for (prefix, id) in &self.ids {
            if holds(text, id) {
                *text = text.replace(id, &(self.name)(prefix, id));
            }
        }
    }

    fn is_in(&self, text: &str) -> bool {
        self.ids.iter().any(|(_, id)| holds(text, id))
    }
}

/// Says whether a text holds an id. Looks for its beginning first, because short texts are found by far faster ways.
fn holds(text: &str, id: &str) -> bool {
    text.len() >= id.len() && id.get(..SHORTEST).is_none_or(|begin| text.contains(begin)) && text.contains(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn spelled(prefix: &str, id: &str) -> String {
        format!("{prefix}{}", id.len())
    }

    #[test]
    fn ids_are_found_by_their_names_and_replaced_wherever_they_are() {
        let text = r#"{"session_id": "0123456789","agent_id":"short","n":"{\"turn_id\":\"abcdefgh-1\"}","path":"/x/0123456789.jsonl","tail":"abcd"#;
        let disguise = Disguise::found_in(text, &spelled);
        let mut hidden = text.to_owned();
        disguise.put_on_text(&mut hidden);
        let expected = r#"{"session_id": "s-10","agent_id":"short","n":"{\"turn_id\":\"t-10\"}","path":"/x/s-10.jsonl","tail":"abcd"#;
        assert_eq!(hidden, expected);
        let Value::Object(mut fields) = json!({ "0123456789": [{ "a": "in abcdefgh-1" }, 1], "b": null })
        else {
            panic!()
        };
        disguise.put_on(&mut fields);
        assert_eq!(Value::Object(fields), json!({ "s-10": [{ "a": "in t-10" }, 1], "b": null }));
    }

    #[test]
    fn a_name_without_an_id_is_only_a_word() {
        for text in [
            "session_id",
            "the session_id is a long-word-here",
            "session_id=",
            "agent_id: \u{1f980}\u{1f980}\u{1f980}",
        ] {
            assert!(Disguise::found_in(text, &spelled).ids.is_empty(), "{text}");
        }
    }
}
