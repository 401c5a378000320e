//! JSON manifests, with the line of a key.

use serde_json::{Map, Value};

use super::super::findings::Source;
use super::super::notes::Page;

/// A manifest that is one object.
pub(super) struct Manifest<'p, 'a> {
    page: &'p Page<'a>,
    object: Map<String, Value>,
}

impl<'p, 'a> Manifest<'p, 'a> {
    /// Reads a page.
    pub(super) fn read(page: &'p Page<'a>) -> Result<Self, String> {
        match serde_json::from_str(page.text) {
            Ok(Value::Object(object)) => Ok(Self { page, object }),
            Ok(_) => Err("it is JSON, but no object".to_owned()),
            Err(error) => Err(format!("line {} is not valid JSON", error.line())),
        }
    }

    /// The text at a key.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.object.get(key)?.as_str()
    }

    /// The value at a key.
    pub(super) fn value(&self, key: &str) -> Option<&Value> {
        self.object.get(key)
    }

    /// The members of the object at a key that are texts, in the order of their names.
    pub(super) fn texts(&self, key: &str) -> impl Iterator<Item = (&str, &str)> {
        let members = self.object.get(key).and_then(Value::as_object);
        members.into_iter().flatten().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
    }

    /// Where a key is, inside of another if two are given. The parser keeps no positions, so it is looked for; where it is not found
    /// as it was spelt, the file alone is named.
    pub(super) fn source(&self, keys: &[&str]) -> Source {
        let mut from = 0;
        for key in keys {
            match find_key(&self.page.text[from..], key) {
                Some(at) => from += at,
                None => return self.page.source(),
            }
        }
        self.page.at(from)
    }
}

/// Finds `"key"` with a colon after it.
fn find_key(text: &str, key: &str) -> Option<usize> {
    let quoted = format!("\"{key}\"");
    text.match_indices(&quoted)
        .find(|(at, _)| text[at + quoted.len()..].trim_start().starts_with(':'))
        .map(|(at, _)| at)
}
