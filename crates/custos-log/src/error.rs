//! What can go wrong with the log, in words that say where.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::writer::NotAWriter;

/// Reports why the log could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Another process held the lock for too long.
    #[error("another process holds {} and did not let go within {waited:?}", path.display())]
    Busy {
        /// The lock.
        path: PathBuf,
        /// How long it was tried.
        waited: Duration,
    },
    /// A directory below the log does not belong there.
    #[error(transparent)]
    Writer(#[from] NotAWriter),
    /// A record does not fit into a segment of the log.
    #[error("an event of {bytes} bytes is over the limit of {limit}, even shortened")]
    TooLarge {
        /// How long the line would be.
        bytes: usize,
        /// How long it may be.
        limit: usize,
    },
    /// The content could not be written as JSON.
    #[error("the event cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The system gave no random bytes.
    #[error("the system gives no random bytes: {0}")]
    Entropy(String),
}

impl LogError {
    /// Wraps what the operating system said about a file.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }

    /// Gives the error of the operating system, where there is one.
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        match self {
            Self::Io { source, .. } => Some(source.kind()),
            _ => None,
        }
    }
}
