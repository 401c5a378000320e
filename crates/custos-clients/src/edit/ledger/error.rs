//! What can go wrong with a file, and what to do then.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::super::part::EditError;

/// Why a file was not changed. Unless it says otherwise, nothing was.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// The path depends on the working directory.
    #[error("{}: not an absolute path", path.display())]
    Relative {
        /// The path.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error("{}: it cannot be read: {why}; check its permissions", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        why: io::Error,
    },
    /// There is something at the path that is no file.
    #[error("{}: this is not a file; move it away first", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The file is not UTF-8.
    #[error("{}: this is not UTF-8 text; convert it first", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
    },
    /// The text of the file does not allow the change.
    #[error("{}: {why}", path.display())]
    Edit {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: EditError,
    },
    /// Nobody may write there, so it is managed by somebody or something else.
    #[error("{}: it is read-only; make the change where it is managed, or make it writable", path.display())]
    ReadOnly {
        /// The file or the directory.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("{}: it cannot be written: {why}; check the permissions of its directory", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        why: io::Error,
    },
    /// Somebody else wrote the file at the same time.
    #[error("{}: somebody else changed it just now; run this again", path.display())]
    ChangedMeanwhile {
        /// The file.
        path: PathBuf,
    },
    /// The ledger itself cannot be read or written.
    #[error("{}: the ledger of changed files cannot be used: {why}; check the permissions of its directory", path.display())]
    Ledger {
        /// The ledger or a file beside it.
        path: PathBuf,
        /// The system's reason.
        why: io::Error,
    },
    /// The ledger is not what we wrote.
    #[error(
        "{}: the ledger of changed files is damaged: {reason}; move it away to begin a new one, \
         which will know nothing of the originals beside it", path.display()
    )]
    Damaged {
        /// The ledger.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A newer version wrote the ledger.
    #[error("{}: a newer version of Custos wrote this ledger (format {version}); use that one", path.display())]
    TooNew {
        /// The ledger.
        path: PathBuf,
        /// Its format.
        version: u32,
    },
    /// Another process has the ledger open.
    #[error("{}: another setup or uninstall is running; wait until it has finished", path.display())]
    Busy {
        /// The ledger.
        path: PathBuf,
    },
}
