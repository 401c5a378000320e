//! What can go wrong with the files of delegation. None of it restricts anybody.

use std::path::PathBuf;

use custos_config::shown::shown_path;
use thiserror::Error;

/// Something to be told.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Trouble {
    /// There is no count of the session yet, as at its beginning.
    #[error("no count of delegation was found for this session: it starts at zero")]
    Missing,
    /// What was counted cannot be read.
    #[error(
        "{}: the count of delegation is damaged ({why}): it starts at zero, and the damaged file is kept as `*.damaged`",
        shown_path(path)
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {why}: delegation is not checked until that is mended", shown_path(path))]
    Refused {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// A profile says something else than a profile.
    #[error("{}: {why}: the built-in profile applies until that is corrected", shown_path(path))]
    Profile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}
