//! Looking for what is to be forgotten, in records and in what is left of records.
//!
//! A text stands in the log as JSON spells it: quotes and line breaks escaped, and escaped once more where a tool's output was JSON
//! itself. Another program, or an older schema, may have escaped any character it liked. All these spellings are found; otherwise "nothing
//! matches" would mean "nothing matches as I would have written it".

use custos_model::{AgentId, Event, Grant};
use memchr::memmem::{self, Finder};
use serde_json::Value;

use crate::forget::Selection;

/// A selection, prepared for being looked for in many lines.
pub(crate) struct Search<'a> {
    selection: &'a Selection,
    /// The ways in which the text can stand in a line.
    spellings: Vec<Finder<'static>>,
}

/// Spells a text as it is, within JSON, and within JSON within JSON.
fn spelt(text: String) -> Vec<String> {
    let mut spellings = vec![text];
    for _ in 0..2 {
        let inner = spellings.last().cloned().unwrap_or_default();
        let quoted = Value::String(inner).to_string();
        spellings.push(quoted[1..quoted.len() - 1].to_owned());
    }
    spellings.dedup();
    spellings
}

impl<'a> Search<'a> {
    pub(crate) fn new(selection: &'a Selection) -> Self {
        let texts = match selection {
            Selection::Id(id) => vec![id.to_string()],
            // They are known by their frames, and no text has them all.
            Selection::Ids(_) => Vec::new(),
            Selection::Session(text) | Selection::Matching(text) => vec![text.clone()],
            Selection::Project(names) => names.clone(),
        };
        let mut spellings: Vec<String> = texts.into_iter().flat_map(spelt).collect();
        spellings.retain(|spelling| !spelling.is_empty());
        let spellings = spellings.iter().map(|spelling| Finder::new(spelling).into_owned()).collect();
        Self { selection, spellings }
    }

    /// Says whether a record is selected. What cannot be read as an event is judged by its bytes: it must be forgettable, too.
    pub(crate) fn selects(&self, event: Option<&Event<'_>>, content: &[u8]) -> bool {
        let Some(event) = event else { return self.is_in(content) };
        match self.selection {
            Selection::Id(id) => event.id == *id,
            Selection::Ids(ids) => ids.contains(&event.id),
            Selection::Session(session) => event.session.as_deref() == Some(session),
            Selection::Project(names) => {
                event.project.as_ref().is_some_and(|project| names.contains(project))
            }
            // The names of our own fields and the values that everyone has are no text that somebody could mean.
            Selection::Matching(text) => {
                !text.is_empty()
                    && (self.is_in_json(event.body.get())
                        || envelope_texts(event).any(|field| field.contains(text.as_str())))
            }
        }
    }

    /// Says whether the text occurs in a key or a value. What only looks like it is the syntax around them.
    fn is_in_json(&self, json: &str) -> bool {
        if may_be_escaped(json.as_bytes()) {
            return serde_json::from_str(json).is_ok_and(|value| self.is_in_value(&value));
        }
        // The first spelling is the text as it is; if there are others, it cannot stand within a string like that.
        let mut within_strings = self.spellings.iter().skip(usize::from(self.spellings.len() > 1));
        within_strings.any(|spelling| spelling.find(json.as_bytes()).is_some())
    }

    fn is_in_value(&self, value: &Value) -> bool {
        let found =
            |text: &str| self.spellings.iter().any(|spelling| spelling.find(text.as_bytes()).is_some());
        match value {
            Value::String(text) => found(text),
            Value::Array(items) => items.iter().any(|item| self.is_in_value(item)),
            Value::Object(fields) => {
                fields.iter().any(|(name, value)| found(name) || self.is_in_value(value))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// Says whether the text occurs in some bytes, however it is spelt there.
    pub(crate) fn is_in(&self, bytes: &[u8]) -> bool {
        let found = |bytes: &[u8]| self.spellings.iter().any(|spelling| spelling.find(bytes).is_some());
        found(bytes) || (may_be_escaped(bytes) && found(&unescaped(bytes)))
    }
}

fn envelope_texts<'e>(event: &'e Event<'_>) -> impl Iterator<Item = &'e str> {
    let Event { project, branch, commit, session, task, agent, acl, .. } = event;
    let fields = [project, branch, commit, session, task].into_iter().flatten().map(String::as_str);
    let agent = agent.iter().flat_map(|agent| {
        [Some(agent.client.as_str()), agent.id.as_ref().map(AgentId::as_str), agent.role.as_deref()]
    });
    let grants = acl.0.iter().filter_map(|grant| match grant {
        Grant::Client(name) | Grant::Role(name) | Grant::Agent(name) => Some(name.as_str()),
        Grant::Everyone | Grant::User => None,
    });
    fields.chain(agent.flatten()).chain(grants)
}

/// Says whether there are escapes of which a writer has the choice.
fn may_be_escaped(bytes: &[u8]) -> bool {
    memmem::find(bytes, b"\\u").is_some() || memmem::find(bytes, b"\\/").is_some()
}

/// Takes the escapes out of a line, or of what is left of one.
fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        if let Some((c, len)) = escaped_char(rest) {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            rest = &rest[len..];
        } else {
            out.push(b'\\');
            rest = &rest[1..];
        }
    }
    out.extend_from_slice(rest);
    out
}

/// Reads the escape at the beginning, and says how long it is.
fn escaped_char(bytes: &[u8]) -> Option<(char, usize)> {
    let simple = match bytes.get(1)? {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        c @ (b'"' | b'\\' | b'/') => char::from(*c),
        b'u' => {
            let first = crate::intake::escaped_unit(bytes)?;
            let second = bytes.get(6..).and_then(crate::intake::escaped_unit).unwrap_or(0);
            return match char::decode_utf16([first, second]).next()? {
                Ok(c) => Some((c, if c.len_utf16() == 2 { 12 } else { 6 })),
                Err(_) => None,
            };
        }
        _ => return None,
    };
    Some((simple, 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case::plain("say hi", r#"{"a":"say hi"}"#)]
    #[case::quotes(r#"say "hi""#, r#"{"a":"say \"hi\""}"#)]
    #[case::quotes_in_json_in_json(r#"say "hi""#, r#"{"a":"{\"b\":\"say \\\"hi\\\"\"}"}"#)]
    #[case::backslash(r"C:\temp", r#"{"a":"C:\\temp"}"#)]
    #[case::line_break("two\nlines", r#"{"a":"two\nlines"}"#)]
    #[case::escaped_by_somebody_else("café/🦀", r#"{"a":"caf\u00e9\/\ud83e\udd80"}"#)]
    #[case::in_half_a_line("café", r#"…,"a":"caf\u00E9"#)]
    fn finds_a_text_however_it_is_spelt(#[case] text: &str, #[case] line: &str) {
        let selection = Selection::Matching(text.to_owned());
        assert!(Search::new(&selection).is_in(line.as_bytes()));
    }

    #[test]
    fn finds_neither_an_empty_text_nor_one_that_is_not_there() {
        for text in ["", "caf\u{e8}"] {
            let selection = Selection::Matching(text.to_owned());
            assert!(!Search::new(&selection).is_in(r#"{"a":"caf\u00e9"}"#.as_bytes()), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_found_in_its_json_and_any_bytes_are_survived(text in "\\PC{1,20}|[\u{0}-\u{7f}]{1,20}", bytes in any::<Vec<u8>>()) {
            let selection = Selection::Matching(text.clone());
            let search = Search::new(&selection);
            let line = serde_json::json!({ "a": text }).to_string();
            prop_assert!(search.is_in(line.as_bytes()));
            let within = serde_json::json!({ "b": line }).to_string();
            prop_assert!(search.is_in(within.as_bytes()));
            search.is_in(&bytes);
        }
    }
}
