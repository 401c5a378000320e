//! Arguments that nobody knows.

use custos_config::nearest::nearest;
use custos_config::shown::shown;
use serde_json::{Map, Value};

use super::Field;
use crate::answer::few;

/// What some agents call an argument, as other servers do.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("content", "description"),
    ("details", "body"),
    ("kind", "type"),
    ("name", "title"),
    ("rationale", "reasoning"),
    ("tags", "keywords"),
    ("text", "description"),
    ("why", "reasoning"),
];

/// The shortest name that is compared letter by letter: of four, two changes make any other.
const SHORTEST: usize = 5;

/// How many are named to whoever has to send all of it again.
const NAMED: usize = 10;

/// Gives the names of those that say something. What clients add of their own is no text, or begins with an underscore.
pub(super) fn texts(unknown: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let is_text = |value: &Value| match value {
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    unknown
        .iter()
        .filter(move |(name, value)| is_text(value) && !name.starts_with('_'))
        .map(|(name, _)| name.as_str())
}

/// Says which of them were sent, each with the argument that may have been meant: one that nothing was sent for. Nothing where there are none.
pub(super) fn told(
    fields: &[Field],
    taken: &Map<String, Value>,
    unknown: &Map<String, Value>,
) -> Option<String> {
    let left = || fields.iter().map(|field| field.name).filter(|name| !taken.contains_key(*name));
    let named = |name: &str| {
        // What is secret is not said again.
        let said = shown(&custos_redact::redact(name));
        match meant(name, left) {
            Some(meant) => format!("{said} (did you mean {meant}?)"),
            None => said,
        }
    };
    let names: Vec<String> = texts(unknown).map(named).collect();
    (!names.is_empty()).then(|| format!("there is no such argument: {}", few(&names, NAMED)))
}

/// Finds the argument that a name was probably meant for.
fn meant<I: Iterator<Item = &'static str>>(name: &str, left: impl Fn() -> I) -> Option<&'static str> {
    let word = OTHER_WORDS.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, word)| *word);
    let begins_so = |field: &&str| {
        !name.is_empty() && field.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name))
    };
    word.filter(|word| left().any(|name| name == *word))
        .or_else(|| left().find(begins_so))
        .or_else(|| nearest(name, left()).filter(|_| name.len() >= SHORTEST))
}
