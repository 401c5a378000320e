//! What can be wrong with a JSON text.

use thiserror::Error;

use super::super::text::Spot;

/// Why a JSON text was not changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JsonError {
    /// It is no JSON, comments and trailing commas allowed for.
    #[error("{at}: this is not JSON: {reason}; correct it first")]
    Syntax {
        /// Where.
        at: Spot,
        /// What is wrong.
        reason: String,
    },
    /// It is nested deeper than any settings file.
    #[error("{at}: nested more than {limit} levels deep")]
    TooDeep {
        /// Where it gets too deep.
        at: Spot,
        /// The most levels that are read.
        limit: usize,
    },
    /// A key stands twice in an object, and it depends on the reader which one counts.
    #[error("{at}: the key {key:?} stands twice in its object; delete one of the two")]
    DuplicateKey {
        /// Where it stands the second time.
        at: Spot,
        /// The key.
        key: String,
    },
    /// Something else is where an object or an array has to be.
    #[error("{at}: {path} is {found}, but it has to be {expected}; correct it first")]
    WrongType {
        /// Where.
        at: Spot,
        /// The keys that lead there.
        path: String,
        /// What it has to be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// The name of our MCP server is somebody else's.
    #[error(
        "{at}: the MCP server {name:?} is {found}, not Custos, and stays as it is; give it another name or remove it, then run this again"
    )]
    Taken {
        /// Where it stands.
        at: Spot,
        /// The name.
        name: String,
        /// What it is.
        found: String,
    },
    /// The new text would not say what it should. This is a bug of ours, and it was noticed in time.
    #[error("the text is written in a way that cannot be changed safely; make the change by hand")]
    Entangled,
}
