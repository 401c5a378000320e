use std::io;
use std::path::Path;

use custos_index::IndexError;
use custos_log::LogError;
use custos_vectors::VectorsError;

/// Reports why the worker cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// The log cannot be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The index cannot be read or written.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// Vectors cannot be read or written.
    #[error(transparent)]
    Vectors(#[from] VectorsError),
    /// One of the worker's own files cannot be written.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

impl WorkerError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.display().to_string();
        move |source| Self::Io { action, path, source }
    }
}
