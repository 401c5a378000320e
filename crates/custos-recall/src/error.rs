//! Why there is no answer.

use custos_index::IndexError;
use custos_log::LogError;

/// Reports why nothing could be recalled.
///
/// Few things are errors here: what is missing or still being made gives a poorer answer with a note.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecallError {
    /// The index could not be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The log could not be read.
    #[error(transparent)]
    Log(#[from] LogError),
}
