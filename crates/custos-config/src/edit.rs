//! Changes one value in a settings file and leaves every other byte as it was.
//!
//! A settings file is the person's: its comments, order and spacing are theirs. So the file is not written
//! anew from the settings; the parser says which bytes a value takes up, and only those are replaced. YAML
//! has more forms than an editor should know, and for the rare ones it need not: the result is read again,
//! and unless it says exactly what the old file said plus the change, the file is left alone and the person
//! is asked to edit it.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::document::{Fault, find_values};
use crate::layers::LARGEST_FILE;
use crate::nearest::UnknownKey;
use crate::problem::{Problem, ProblemKind};
use crate::replace::Draft;
use crate::settings::{Row, row};
use crate::shown::shown_path;
use crate::source::{Links, ReadError, read_text};
use crate::splice;
use crate::value::{Value, Wrong};
use crate::yaml::{self, Content, Node};

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
    let value = row.read_for_setting(text)?;
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
    let value = value.map(in_yaml);
    let section = sections.iter().find(|pair| pair.is_named(row.section()));
    let Some(section) = section else {
        let lines = [format!("{}:", row.section()), format!("  {}: {}", row.name(), value?)];
        return Some(splice::with_lines_at_end(text, &lines));
    };
    let entries = splice::entries(text, section)?;
    match (entries.iter().position(|pair| pair.is_named(row.name())), value) {
        (None, None) => None,
        (Some(index), Some(value)) => splice::with_value(text, &entries[index], &value),
        (None, Some(value)) => splice::with_pair(text, section, row.name(), &value),
        (Some(index), None) => splice::without_pair(text, &section.value, entries, index),
    }
}

/// Writes a value as YAML in one line. Texts and entries of lists are quoted, for a bare `*` would be an alias.
fn in_yaml(value: &Value) -> String {
    match value {
        Value::List(entries) => {
            let quoted: Vec<_> = entries.iter().map(|entry| format!("\"{entry}\"")).collect();
            format!("[{}]", quoted.join(", "))
        }
        Value::Text(text) => format!("\"{text}\""),
        value => value.to_string(),
    }
}
