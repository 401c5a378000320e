//! Whether a new text says what it should, and to others nothing else than the old one did.

use serde_json::{Map, Value};

use super::super::ours::{self, Share};
use super::{Change, JsonEdit, Place, What, program_of};

impl JsonEdit {
    /// Tells whether a document says what this edit wants.
    pub(super) fn is_in(&self, document: &Value) -> bool {
        let container = self.at.iter().try_fold(document, |value, key| value.get(key));
        match &self.change {
            Change::Member { key, value } => container.and_then(|object| object.get(key)) == Some(value),
            Change::Listed { value } => container
                .and_then(Value::as_array)
                .is_some_and(|elements| elements.iter().any(|element| element == value)),
            Change::Unlisted { value } => !container
                .and_then(Value::as_array)
                .is_some_and(|elements| elements.iter().any(|element| element == value)),
            Change::Server { name, value } => container
                .and_then(|object| object.get(name))
                .is_some_and(|entry| ours::is_our_server(entry) && program_of(entry) == program_of(value)),
            Change::Entry { value, ours } => container.and_then(Value::as_array).is_some_and(|elements| {
                let mut found = elements.iter().filter(|element| ours.owns(element));
                found.next() == Some(value) && found.next().is_none()
            }),
        }
    }
}

/// What a document says to others: without what is ours, and without containers that hold nothing else.
///
/// It is written down independently of the splicing, on purpose: it is what the splicing is checked against.
pub(super) fn rest(mut document: Value, places: &[Place]) -> Value {
    fn take_out(value: &mut Value, at: &[String], what: &What) {
        match (at.split_first(), what, &mut *value) {
            (Some((key, below)), _, Value::Object(members)) => {
                if let Some(member) = members.get_mut(key) {
                    take_out(member, below, what);
                    if is_empty(member) {
                        members.remove(key);
                    }
                }
            }
            (None, What::Member(key), Value::Object(members)) => {
                members.remove(key);
            }
            (None, What::Server(name), Value::Object(members))
                if members.get(name).is_some_and(ours::is_our_server) =>
            {
                members.remove(name);
            }
            (None, What::Listed(value), Value::Array(elements)) => {
                elements.retain(|element| element != value);
            }
            (None, What::Entries(ours), Value::Array(elements)) => {
                for element in elements.iter_mut() {
                    if let Share::Some { member, .. } = ours.share(element)
                        && let Some(Value::Array(group)) = element.get_mut(&member)
                    {
                        group.retain(|hook| !ours.owns(hook));
                    }
                }
                elements.retain(|element| !ours.owns(element));
            }
            _ => {}
        }
    }
    for place in places {
        take_out(&mut document, &place.at, &place.what);
    }
    if is_empty(&document) { Value::Null } else { document }
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}
