//! Entries and members of ours in JSON with comments and trailing commas.
//!
//! Each step parses the text, finds one thing to do, splices it, and starts over: the files are small, and offsets
//! that were never shifted cannot be shifted wrongly. [`document`] reads, [`splice`] writes, this module decides, and [`check`] proves
//! the result.

mod check;
mod document;
mod error;
mod render;
mod splice;
mod trivia;

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::check::rest;
use self::document::{Document, Found, Node};
pub use self::error::JsonError;
use self::render::{Piece, Style};
use super::ours::{self, Ours, Share};
use super::text::{Spot, split_mark};

/// One thing that is to be in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonEdit {
    /// The keys that lead from the root to the array or object; what is missing on the way is made.
    pub at: Vec<String>,
    /// What is to be there.
    pub change: Change,
}

/// What is to be in an array or an object.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Exactly one element of the array is ours, and it is this one.
    Entry {
        /// The element.
        value: Value,
        /// Which elements are ours.
        ours: Ours,
    },
    /// The member of this name is ours, and it has this value.
    Member {
        /// Its name.
        key: String,
        /// Its value.
        value: Value,
    },
    /// This string is an element of the array. What equals it is ours: it names a file of ours.
    Listed {
        /// The string.
        value: String,
    },
    /// This string is no element of the array any more.
    Unlisted {
        /// The string.
        value: String,
    },
    /// The member of this name starts our MCP server. One of ours that is there keeps all but the program, because the person may have
    /// added to it; one of somebody else's is an error.
    Server {
        /// Its name.
        name: String,
        /// Its value, where there is none yet.
        value: Value,
    },
}

/// A text with our edits in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// The new text.
    pub text: String,
    /// What [`remove`] needs to give the old text back.
    pub trace: JsonTrace,
}

/// What is ours in a text, and how the places looked that our edits filled.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsonTrace {
    /// Where something of ours is.
    pub places: Vec<Place>,
    /// The containers that stood empty before, so that they are emptied and not removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub empty: Vec<Empty>,
    /// The text of before, if it held no value at all; of a text with comments, only that it was so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nothing: Option<String>,
}

/// Where something of ours is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The keys that lead to the array or object.
    pub at: Vec<String>,
    /// Which elements or which member.
    pub what: What,
}

/// What is ours in an array or an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// The elements of an array that run us.
    Entries(Ours),
    /// One member of an object.
    Member(String),
    /// The elements of an array that equal this string.
    Listed(String),
    /// One member of an object, as long as it starts our MCP server.
    Server(String),
}

/// A container that stood empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Empty {
    /// The keys that lead to it.
    pub at: Vec<String>,
    /// The space between its brackets.
    pub space: String,
}

impl JsonTrace {
    /// Adds what a later run left; what was known before about the old text stays.
    #[must_use]
    pub fn and_then(mut self, later: Self) -> Self {
        self.places.extend(
            later.places.into_iter().filter(|place| !self.places.contains(place)).collect::<Vec<_>>(),
        );
        for empty in later.empty {
            self.note_empty(&empty.at, &empty.space);
        }
        self.nothing = self.nothing.or(later.nothing);
        self
    }

    fn note_empty(&mut self, at: &[String], space: &str) {
        if !self.empty.iter().any(|known| known.at == at) {
            self.empty.push(Empty { at: at.to_vec(), space: space.to_owned() });
        }
    }
}

/// Reads what a text says, by the same rules by which it is changed; a text without a value says null.
pub fn value(text: &str) -> Result<Value, JsonError> {
    Ok(Document::parse(split_mark(text).1)?.value())
}

/// Makes sure that all edits are in the text, or in a new one.
pub fn apply(text: Option<&str>, edits: &[JsonEdit]) -> Result<Applied, JsonError> {
    let (mark, body) = split_mark(text.unwrap_or_default());
    let before = Document::parse(body)?.value();
    let mut trace = JsonTrace::default();
    let mut now = body.to_owned();
    for edit in edits {
        loop {
            match step(&now, edit, &mut trace)? {
                Step::Again(next) => now = next,
                Step::Last(next) => break now = next,
                Step::Nothing => break,
            }
        }
        let (at, what) = (edit.at.clone(), edit.change.what());
        trace.places.push(Place { at, what });
    }
    let after = Document::parse(&now).map_err(|_| JsonError::Entangled)?.value();
    let ours = edits.iter().all(|edit| edit.is_in(&after));
    if !ours || rest(before, &trace.places) != rest(after, &trace.places) {
        return Err(JsonError::Entangled);
    }
    Ok(Applied { text: [mark, &now].concat(), trace })
}

/// Removes what is ours, and the containers that are empty without it, unless they were empty before.
///
/// Where the text has changed its shape so that nothing of ours can be there, there is nothing to remove.
pub fn remove(text: &str, trace: &JsonTrace) -> Result<String, JsonError> {
    let (mark, body) = split_mark(text);
    let before = Document::parse(body)?.value();
    let mut now = body.to_owned();
    // Backwards, so that each removal meets the text that its edit left.
    for place in trace.places.iter().rev() {
        while let Some(next) = without_one(&now, place)? {
            now = tidied(next, &place.at, trace)?;
        }
    }
    let after = Document::parse(&now).map_err(|_| JsonError::Entangled)?.value();
    if rest(before, &trace.places) != rest(after, &trace.places) {
        return Err(JsonError::Entangled);
    }
    Ok([mark, &now].concat())
}

enum Step {
    /// All is as it should be.
    Nothing,
    /// With this, all is as it should be. What was written is not looked at again here, so that there is an end to it.
    Last(String),
    /// Something that should not be there is gone; there may be more.
    Again(String),
}

/// Does the next thing that is missing for an edit.
fn step(text: &str, edit: &JsonEdit, trace: &mut JsonTrace) -> Result<Step, JsonError> {
    let document = Document::parse(text)?;
    let style = Style::of(&document);
    let wrapped =
        |keys: &[String]| keys.iter().rev().fold(edit.change.contained(), |inner, key| object(key, inner));
    Ok(match (document.find(&edit.at, edit.change.container())?, &edit.change) {
        (Found::Nothing | Found::Missing { .. }, Change::Unlisted { .. }) => Step::Nothing,
        (Found::Nothing, _) => {
            let blank = if text.trim().is_empty() { text } else { "" };
            trace.nothing.get_or_insert_with(|| blank.to_owned());
            Step::Last(splice::with_root(&document, &style, &wrapped(&edit.at)))
        }
        (Found::Missing { depth, node }, _) => {
            note_empty(&document, node, &edit.at[..depth], trace);
            let piece = Piece::Member(&edit.at[depth], &wrapped(&edit.at[depth + 1..]));
            Step::Last(splice::insert(text, &node.inside(), &style, piece))
        }
        (Found::Node(node), Change::Member { key, value }) => match node.member(key) {
            Some(member) if member.value() == *value => Step::Nothing,
            Some(member) => Step::Last(splice::replace(text, member.range(), &style, value)),
            None => {
                note_empty(&document, node, &edit.at, trace);
                Step::Last(splice::insert(text, &node.inside(), &style, Piece::Member(key, value)))
            }
        },
        (Found::Node(node), Change::Listed { value }) => {
            if node.elements().any(|element| element.value() == *value) {
                return Ok(Step::Nothing);
            }
            note_empty(&document, node, &edit.at, trace);
            let value = Value::String(value.clone());
            Step::Last(splice::insert(text, &node.inside(), &style, Piece::Element(&value)))
        }
        (Found::Node(node), Change::Unlisted { value }) => {
            match node.elements().position(|element| element.value() == *value) {
                Some(index) => {
                    Step::Again(tidied(splice::cut(text, &node.inside(), index), &edit.at, trace)?)
                }
                None => Step::Nothing,
            }
        }
        (Found::Node(node), Change::Server { name, value }) => {
            let Some(entry) = node.member(name) else {
                note_empty(&document, node, &edit.at, trace);
                let piece = Piece::Member(name, value);
                return Ok(Step::Last(splice::insert(text, &node.inside(), &style, piece)));
            };
            match moved(entry, name, value, text)? {
                Some(place) => Step::Last(splice::replace(text, place, &style, &program_of(value))),
                None => Step::Nothing,
            }
        }
        (Found::Node(node), Change::Entry { value, ours }) => {
            let elements: Vec<Value> = node.elements().map(Node::value).collect();
            if let Some(next) = without_shared(text, node, &elements, ours) {
                return Ok(Step::Again(next));
            }
            let inside = node.inside();
            let mut of_ours: Vec<usize> =
                (0..elements.len()).filter(|&index| ours.owns(&elements[index])).collect();
            let right = of_ours.iter().position(|&index| elements[index] == *value);
            if of_ours.is_empty() {
                note_empty(&document, node, &edit.at, trace);
                return Ok(Step::Last(splice::insert(text, &inside, &style, Piece::Element(value))));
            }
            let kept = of_ours.remove(right.unwrap_or(0));
            match (of_ours.last(), right) {
                (Some(&extra), _) => Step::Again(splice::cut(text, &inside, extra)),
                (None, Some(_)) => Step::Nothing,
                (None, None) => Step::Last(splice::replace(text, inside.items[kept].clone(), &style, value)),
            }
        }
    })
}

/// Says where the program of a server of ours stands, if it is another one than wanted.
fn moved(
    entry: Node<'_, '_>,
    name: &str,
    wanted: &Value,
    text: &str,
) -> Result<Option<Range<usize>>, JsonError> {
    let value = entry.value();
    if !ours::is_our_server(&value) {
        let at = Spot::of(text, entry.range().start);
        return Err(JsonError::Taken { at, name: name.to_owned(), found: ours::server_shown(&value) });
    }
    if program_of(&value) == program_of(wanted) {
        return Ok(None);
    }
    let command = entry.member("command").ok_or(JsonError::Entangled)?;
    Ok(Some(command.elements().next().unwrap_or(command).range()))
}

/// Gives the program that a server starts, as a value.
fn program_of(server: &Value) -> Value {
    ours::server_command(server).into_iter().next().map_or(Value::Null, Value::String)
}

fn note_empty(document: &Document<'_>, node: Node<'_, '_>, at: &[String], trace: &mut JsonTrace) {
    if let Some(space) = node.inside().space(document.text) {
        trace.note_empty(at, space);
    }
}

/// Takes one thing of ours out, if there is one.
fn without_one(text: &str, place: &Place) -> Result<Option<String>, JsonError> {
    let document = Document::parse(text)?;
    let Ok(Found::Node(node)) = document.find(&place.at, place.what.container()) else { return Ok(None) };
    Ok(match &place.what {
        What::Member(key) => node.position(key).map(|index| splice::cut(text, &node.inside(), index)),
        What::Server(name) => {
            let ours = node.member(name).is_some_and(|entry| ours::is_our_server(&entry.value()));
            node.position(name).filter(|_| ours).map(|index| splice::cut(text, &node.inside(), index))
        }
        What::Listed(value) => {
            let last = node
                .elements()
                .map(Node::value)
                .collect::<Vec<_>>()
                .iter()
                .rposition(|element| element == value);
            last.map(|index| splice::cut(text, &node.inside(), index))
        }
        What::Entries(ours) => {
            let elements: Vec<Value> = node.elements().map(Node::value).collect();
            without_shared(text, node, &elements, ours).or_else(|| {
                let last = elements.iter().rposition(|element| ours.owns(element))?;
                Some(splice::cut(text, &node.inside(), last))
            })
        }
    })
}

/// Takes a hook of ours out of a group that holds hooks of others, too.
fn without_shared(text: &str, array: Node<'_, '_>, elements: &[Value], ours: &Ours) -> Option<String> {
    elements.iter().enumerate().find_map(|(index, element)| {
        let Share::Some { member, elements } = ours.share(element) else { return None };
        let group = array.elements().nth(index)?.member(&member)?;
        Some(splice::cut(text, &group.inside(), *elements.last()?))
    })
}

/// Puts the containers on the way to a place in order, after something of ours was taken out there.
fn tidied(text: String, at: &[String], trace: &JsonTrace) -> Result<String, JsonError> {
    let mut text = text;
    for depth in (0..=at.len()).rev() {
        let document = Document::parse(&text)?;
        let Some(node) = document.node(&at[..depth]) else { break };
        let inside = node.inside();
        if inside.space(&text).is_none() {
            break;
        }
        let was_empty = trace.empty.iter().find(|empty| empty.at == at[..depth]);
        let next = match (was_empty, at[..depth].split_last(), &trace.nothing) {
            (Some(empty), _, _) => splice::emptied(&text, &inside, &empty.space),
            (None, None, Some(blank)) => splice::without_root(&document, blank),
            (None, None, None) => splice::emptied(&text, &inside, ""),
            (None, Some((key, parent)), _) => {
                let Some(parent) = document.node(parent) else { break };
                let Some(index) = parent.position(key) else { break };
                splice::cut(&text, &parent.inside(), index)
            }
        };
        text = next;
        if was_empty.is_some() {
            break;
        }
    }
    Ok(text)
}

fn object(key: &str, value: Cow<'_, Value>) -> Cow<'static, Value> {
    Cow::Owned(Value::Object(Map::from_iter([(key.to_owned(), value.into_owned())])))
}

impl Change {
    fn what(&self) -> What {
        match self {
            Self::Entry { ours, .. } => What::Entries(ours.clone()),
            Self::Member { key, .. } => What::Member(key.clone()),
            Self::Listed { value } | Self::Unlisted { value } => What::Listed(value.clone()),
            Self::Server { name, .. } => What::Server(name.clone()),
        }
    }

    fn container(&self) -> document::Kind {
        self.what().container()
    }

    /// The container with nothing but this in it.
    fn contained(&self) -> Cow<'static, Value> {
        match self {
            Self::Entry { value, .. } => Cow::Owned(Value::Array(vec![value.clone()])),
            Self::Member { key, value } => object(key, Cow::Borrowed(value)),
            Self::Listed { value } => Cow::Owned(Value::Array(vec![Value::String(value.clone())])),
            Self::Unlisted { .. } => Cow::Owned(Value::Array(Vec::new())),
            Self::Server { name, value } => object(name, Cow::Borrowed(value)),
        }
    }
}

impl What {
    fn container(&self) -> document::Kind {
        match self {
            Self::Entries(_) | Self::Listed(_) => document::Kind::Array,
            Self::Member(_) | Self::Server(_) => document::Kind::Object,
        }
    }
}

#[cfg(test)]
mod tests;
