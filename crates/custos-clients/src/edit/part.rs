//! What we want in a file, and what we left in it, as data.
//!
//! A [`Part`] says what is to be in a file; a [`Trace`] is what the [`Ledger`](super::Ledger) keeps of it. The trace is all that an
//! uninstall needs, so that also the entries of an older version are found which this one would no longer write.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use super::block::{self, BlockError};
use super::json::{self, JsonEdit, JsonError, JsonTrace};
use super::toml::{self, TomlError};

/// What is to be in a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Entries and members in JSON with comments.
    Json(Vec<JsonEdit>),
    /// A table in TOML that starts our MCP server.
    Toml {
        /// The keys that lead to it.
        at: Vec<String>,
        /// What it holds.
        entries: Map<String, Value>,
    },
    /// A marked block in Markdown.
    Block {
        /// What it says.
        body: String,
    },
    /// The whole file is ours.
    Whole {
        /// What it says.
        text: String,
    },
}

/// What of a file is ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trace {
    /// Entries and members in JSON with comments.
    Json(JsonTrace),
    /// Tables in TOML, each by the keys that lead to it, as long as they start our MCP server.
    Toml(Vec<Vec<String>>),
    /// The marked block in Markdown.
    Block,
    /// All of it.
    Whole,
}

/// Why the text of a file was not changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EditError {
    /// Because of the JSON in it.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// Because of the TOML in it.
    #[error(transparent)]
    Toml(#[from] TomlError),
    /// Because of the block in it.
    #[error(transparent)]
    Block(#[from] BlockError),
}

impl Part {
    /// Makes sure that this is in the text, or in a new one, and says what it left.
    pub fn apply(&self, text: Option<&str>) -> Result<(String, Trace), EditError> {
        Ok(match self {
            Self::Json(edits) => {
                let applied = json::apply(text, edits)?;
                (applied.text, Trace::Json(applied.trace))
            }
            Self::Toml { at, entries } => (toml::register(text, at, entries)?, Trace::Toml(vec![at.clone()])),
            Self::Block { body } => (block::put(text, body)?, Trace::Block),
            Self::Whole { text } => (text.clone(), Trace::Whole),
        })
    }
}

impl Trace {
    /// Takes what is ours out of the text. Where that is all of it, nothing is left.
    pub fn remove(&self, text: &str) -> Result<String, EditError> {
        Ok(match self {
            Self::Json(trace) => json::remove(text, trace)?,
            Self::Toml(tables) => {
                tables.iter().rev().try_fold(text.to_owned(), |text, at| toml::unregister(&text, at))?
            }
            Self::Block => block::remove(text)?,
            Self::Whole => String::new(),
        })
    }

    /// Adds what a later run left in the same file.
    #[must_use]
    pub fn and_then(self, later: Self) -> Self {
        match (self, later) {
            (Self::Json(earlier), Self::Json(later)) => Self::Json(earlier.and_then(later)),
            (Self::Toml(mut tables), Self::Toml(later)) => {
                tables.extend(later.into_iter().filter(|at| !tables.contains(at)).collect::<Vec<_>>());
                Self::Toml(tables)
            }
            (_, later) => later,
        }
    }
}
