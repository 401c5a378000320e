use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Reports why vectors could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VectorsError {
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
    /// A vector of another embedder was to be written, or one of a size that cannot be kept.
    #[error(transparent)]
    Mismatch(#[from] custos_embed::Mismatch),
    /// The embedder's vectors have no dimension, or too many to be added up.
    #[error("vectors of {0} dimensions cannot be kept")]
    Dimensions(usize),
    /// More rows than four bytes can count.
    #[error("{} is full", .0.display())]
    Full(PathBuf),
}

impl VectorsError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}
