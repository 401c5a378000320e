//! Changes one value in a settings file and leaves every other byte as it was.
//!
//! A settings file is the person's: its comments, order and spacing are theirs. So the file is not written
//! anew from the settings; the parser says which bytes a value takes up, and only those are replaced. YAML
//! has more forms than an editor should know, and for the rare ones it need not: the result is read again,
//! and unless it says exactly what the old file said plus the change, the file is left alone and the person
//! is asked to edit it.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::document::{Fault, find_values};
use crate::layers::LARGEST_FILE;
use crate::nearest::UnknownKey;
use crate::problem::{Problem, ProblemKind, shown_path};
use crate::replace::Draft;
use crate::settings::{Row, row};
use crate::source::{Links, ReadError, read_text};
use crate::value::{Value, Wrong};
use crate::yaml::{self, Content, Node, Pair};

/// What an edit did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The file was written.
    Written,
    /// The file said so already.
    Nothing,
}

/// Why a settings file was not changed.
#[derive(Debug, Error)]
pub enum EditError {
    /// No setting has this name.
    #[error(transparent)]
    Unknown(#[from] UnknownKey),
    /// The setting does not take this value.
    #[error("{0}; nothing was changed")]
    Wrong(#[from] Wrong),
    /// The file cannot be read.
    #[error("{}: {why}; nothing was changed", shown_path(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: ReadError,
    },
    /// The file as it is cannot be read as settings.
    #[error("{0}; nothing was changed")]
    Broken(Problem),
    /// The value is written in a form that cannot be changed without touching something else.
    #[error(
        "{}: `{key}` cannot be changed there without touching something else, because of how the file is \
         written; nothing was changed: edit the file by hand",
        shown_path(path)
    )]
    Entangled {
        /// The file.
        path: PathBuf,
        /// The setting.
        key: &'static str,
    },
    /// The new file could not be written.
    #[error(
        "{}: it cannot be written: {why}; nothing was changed: check the permissions of its directory",
        shown_path(path)
    )]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        why: io::Error,
    },
}

/// What a new settings file begins with.
const HEADER: &str = "\
# Settings of Custos. `custos config list --show-origin` shows every key, its value and where it comes from.
";

/// Sets one key in a settings file, which is made if it does not exist.
///
/// After a crash the file is the old one or the new one, whole.
pub fn set(path: &Path, key: &str, text: &str) -> Result<Change, EditError> {
    let row = row(key).ok_or_else(|| UnknownKey::key(key))?;
    let value = row.read_text(text)?;
    edit(path, row, Some(&value))
}

/// Removes one key from a settings file, so that the layers below it apply.
pub fn unset(path: &Path, key: &str) -> Result<Change, EditError> {
    let row = row(key).ok_or_else(|| UnknownKey::key(key))?;
    edit(path, row, None)
}

fn edit(path: &Path, row: &'static Row, value: Option<&Value>) -> Result<Change, EditError> {
    let old = read_text(path, LARGEST_FILE, Links::Follow)
        .map_err(|why| EditError::Unreadable { path: path.to_owned(), why })?;
    let old = match (old, value) {
        (Some(old), _) => old,
        (None, Some(_)) => HEADER.to_owned(),
        (None, None) => return Ok(Change::Nothing),
    };
    let before = meaning(&old).map_err(|fault| EditError::Broken(fault.in_file(path)))?;
    let wrong = before.complaints.iter().any(|complaint| concerns(complaint, row));
    if before.values.get(row.key) == value && !wrong {
        return Ok(Change::Nothing);
    }
    let entangled = || EditError::Entangled { path: path.to_owned(), key: row.key };
    let new = changed(&old, row, value).ok_or_else(entangled)?;
    // The proof: the new text means the old one plus the change, and nothing else.
    let mut wanted = before;
    match value {
        Some(value) => wanted.values.insert(row.key, value.clone()),
        None => wanted.values.remove(row.key),
    };
    wanted.complaints.retain(|complaint| !concerns(complaint, row));
    match meaning(&new) {
        Ok(after) if after == wanted => {}
        _ => return Err(entangled()),
    }
    let written = Draft::begin(path).and_then(|draft| draft.publish(new.as_bytes()));
    written.map_err(|why| EditError::Unwritable { path: path.to_owned(), why })?;
    Ok(Change::Written)
}

/// What a file says, without its form: its values and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Meaning {
    values: BTreeMap<&'static str, Value>,
    complaints: Vec<ProblemKind>,
}

/// Reads what a file says, unless a fault makes that uncertain.
fn meaning(text: &str) -> Result<Meaning, Fault> {
    let found = find_values(text);
    let mut complaints = Vec::new();
    for fault in found.faults {
        match fault.kind {
            ProblemKind::Broken { .. } | ProblemKind::NotSections { .. } | ProblemKind::TooMany { .. } => {
                return Err(fault);
            }
            // Lines move; which one was first is no part of the meaning.
            ProblemKind::Duplicate { key, .. } => complaints.push(ProblemKind::Duplicate { key, first: 0 }),
            kind => complaints.push(kind),
        }
    }
    let values = found.values.into_iter().map(|found| (found.row.key, found.value)).collect();
    Ok(Meaning { values, complaints })
}

/// Tells whether a complaint is about the value that is being replaced.
fn concerns(complaint: &ProblemKind, row: &Row) -> bool {
    matches!(complaint, ProblemKind::Wrong(wrong) if wrong.key == row.key)
}

/// Makes the new text, or gives up on a form that it does not know.
fn changed(text: &str, row: &Row, value: Option<&Value>) -> Option<String> {
    let root = yaml::parse(text).ok()?;
    let sections = match root.as_ref().map(Node::content) {
        Some(Content::Mapping(sections)) => sections.as_slice(),
        Some(_) => return None,
        None => &[],
    };
    let section = sections.iter().find(|pair| is_named(&pair.key, row.section()));
    match (section, value) {
        (None, None) => None,
        (None, Some(value)) => Some(with_new_section(text, row, value)),
        (Some(section), _) => {
            // What an alias stands for is written elsewhere, and others may use it, too.
            if text[section.value.bytes.clone()].starts_with('*') {
                return None;
            }
            let entries = match section.value.content() {
                Content::Mapping(entries) => entries.as_slice(),
                _ if section.value.is_null() => &[],
                _ => return None,
            };
            let entry = entries.iter().find(|pair| is_named(&pair.key, row.name()));
            match (entry, value) {
                (None, None) => None,
                (Some(entry), Some(value)) => with_value(text, entry, value),
                (None, Some(value)) => with_new_entry(text, section, entries, row, value),
                (Some(entry), None) if section.value.flow => without_flow_entry(text, entries, entry),
                (Some(entry), None) => without_lines(text, entry),
            }
        }
    }
}

fn is_named(key: &Node, name: &str) -> bool {
    matches!(key.content(), Content::Scalar { text, .. } if text == name)
}

fn with_new_section(text: &str, row: &Row, value: &Value) -> String {
    let newline = newline_of(text);
    let mut new = text.to_owned();
    if !new.is_empty() && !new.ends_with('\n') {
        new.push_str(newline);
    }
    if !new.trim().is_empty() {
        new.push_str(newline);
    }
    new + &format!("{}:{newline}  {}: {}{newline}", row.section(), row.name(), in_yaml(value))
}

fn with_value(text: &str, entry: &Pair, value: &Value) -> Option<String> {
    let Pair { key, value: old } = entry;
    let new = in_yaml(value);
    let bytes = content_bytes(text, old);
    if text[bytes.clone()].contains('\n') && text[bytes.clone()].contains('#') {
        return None; // There may be comments in it, and they are not ours to remove.
    }
    if bytes.is_empty() {
        let colon = after_colon(text, key)?;
        return Some(spliced(text, colon..colon, &format!(" {new}")));
    }
    let gap = &text[key.bytes.end..bytes.start];
    if gap.trim() == ":" && gap.contains('\n') {
        // A list below its key becomes a list beside it.
        return Some(spliced(text, key.bytes.end..bytes.end, &format!(": {new}")));
    }
    Some(spliced(text, bytes, &new))
}

fn with_new_entry(text: &str, section: &Pair, entries: &[Pair], row: &Row, value: &Value) -> Option<String> {
    let entry = format!("{}: {}", row.name(), in_yaml(value));
    let node = &section.value;
    if node.is_null() && !node.bytes.is_empty() {
        return Some(spliced(text, node.bytes.clone(), &format!("{{{entry}}}")));
    }
    if node.flow && !node.is_null() {
        let inside = node.bytes.start + 1;
        let separator = if entries.is_empty() { "" } else { ", " };
        return Some(spliced(text, inside..inside, &format!("{entry}{separator}")));
    }
    let (indent, end) = match (entries.first(), entries.last()) {
        (Some(first), Some(last)) => (first.key.at.column - 1, end_of(text, last)?),
        _ => (section.key.at.column + 1, after_colon(text, &section.key)?),
    };
    let newline = newline_of(text);
    let line = format!("{:indent$}{entry}{newline}", "");
    Some(match text[end..].find('\n') {
        Some(rest) => spliced(text, end + rest + 1..end + rest + 1, &line),
        None => format!("{text}{newline}{line}"),
    })
}

/// Removes the lines of an entry, provided that nothing else stands on them.
fn without_lines(text: &str, entry: &Pair) -> Option<String> {
    let end = end_of(text, entry)?;
    let start = text[..entry.key.bytes.start].rfind('\n').map_or(0, |newline| newline + 1);
    let rest = text[end..].find('\n').map_or(text.len(), |newline| end + newline + 1);
    let before = text[start..entry.key.bytes.start].trim();
    let after = text[end..rest].trim();
    let alone = before.is_empty() && (after.is_empty() || after.starts_with('#'));
    alone.then(|| spliced(text, start..rest, ""))
}

/// Removes an entry from between braces, with the comma that separates it from its neighbour.
fn without_flow_entry(text: &str, entries: &[Pair], entry: &Pair) -> Option<String> {
    let index = entries.iter().position(|other| other.key.bytes == entry.key.bytes)?;
    let range = match (index.checked_sub(1).map(|before| &entries[before]), entries.get(index + 1)) {
        (_, Some(next)) => entry.key.bytes.start..next.key.bytes.start,
        (Some(previous), None) => end_of(text, previous)?..end_of(text, entry)?,
        (None, None) => entry.key.bytes.start..end_of(text, entry)?,
    };
    (!text[range.clone()].contains('#')).then(|| spliced(text, range, ""))
}

fn spliced(text: &str, range: Range<usize>, new: &str) -> String {
    [&text[..range.start], new, &text[range.end..]].concat()
}

/// The bytes of a value as a person would mark them.
fn content_bytes(text: &str, node: &Node) -> Range<usize> {
    let Range { start, end } = node.bytes;
    // The parser counts the space behind a block to the block …
    let end = start + text[start..end].trim_end().len();
    // … and begins a list that is not indented after its first dash.
    let before = text[..start].trim_end_matches([' ', '\t']);
    let is_list = !node.flow && matches!(node.content(), Content::Sequence(_));
    match before.strip_suffix('-') {
        Some(before) if is_list => before.len()..end,
        _ => start..end,
    }
}

fn end_of(text: &str, entry: &Pair) -> Option<usize> {
    let bytes = content_bytes(text, &entry.value);
    if bytes.is_empty() { after_colon(text, &entry.key) } else { Some(bytes.end) }
}

fn after_colon(text: &str, key: &Node) -> Option<usize> {
    let rest = &text[key.bytes.end..];
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    rest[blank..].starts_with(':').then_some(key.bytes.end + blank + 1)
}

fn newline_of(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Writes a value as YAML in one line. Entries of lists are quoted, for a bare `*` would be an alias.
fn in_yaml(value: &Value) -> String {
    match value {
        Value::List(entries) => {
            let quoted: Vec<_> = entries.iter().map(|entry| format!("\"{entry}\"")).collect();
            format!("[{}]", quoted.join(", "))
        }
        value => value.to_string(),
    }
}
