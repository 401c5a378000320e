//! What can go wrong with the index, and above all what is damage and what is not.
//!
//! The index is derived, so damage is answered by making it anew, and the caller hardly notices. That makes the distinction matter: a
//! lock that somebody else holds, a full disk or a missing permission look like failures too, and deleting a good index because of
//! them would turn a moment's wait into minutes of work. So damage is a list, and everything that is not on it is an error.

use std::io;
use std::path::{Path, PathBuf};

use custos_log::LogError;
use rusqlite::ErrorCode;
use rusqlite::ffi::SQLITE_IOERR_SHORT_READ;

/// Reports why the index could not be read or brought up to date.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// Another process is writing or rebuilding, and did not finish in time. Nothing is wrong with the index.
    #[error("another process is working on the index")]
    Busy,
    /// The file was damaged. It has been replaced by an empty one: catch up, and ask again.
    #[error("the index was damaged and has been started anew; catching up restores it")]
    Damaged,
    /// Something that is no regular file is in the place of one of ours.
    #[error("{} is not a regular file; remove it", .0.display())]
    NotAFile(PathBuf),
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
    /// The log could not be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// SQLite refused for a reason that is neither a lock nor damage: a full disk, a missing permission.
    #[error("the index cannot be used: {0}")]
    Sqlite(rusqlite::Error),
}

impl IndexError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}

impl From<rusqlite::Error> for IndexError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error as E;
        match &error {
            E::SqliteFailure(failure, _) | E::SqlInputError { error: failure, .. } => match failure.code {
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy,
                ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::ConstraintViolation
                | ErrorCode::TypeMismatch
                | ErrorCode::TooBig
                // All our statements are constants: one that does not compile met tables that are not ours.
                | ErrorCode::Unknown => Self::Damaged,
                // A file that ends before it should.
                ErrorCode::SystemIoFailure if failure.extended_code == SQLITE_IOERR_SHORT_READ => Self::Damaged,
                _ => Self::Sqlite(error),
            },
            // A value of a type that we never store there.
            E::FromSqlConversionFailure(..)
            | E::IntegralValueOutOfRange(..)
            | E::InvalidColumnType(..)
            | E::Utf8Error(..)
            | E::QueryReturnedNoRows => Self::Damaged,
            _ => Self::Sqlite(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use rusqlite::ffi;

    #[rstest]
    #[case::busy(ffi::SQLITE_BUSY, "another process is working on the index")]
    #[case::busy_snapshot(ffi::SQLITE_BUSY_SNAPSHOT, "another process is working on the index")]
    #[case::locked(ffi::SQLITE_LOCKED, "another process is working on the index")]
    #[case::corrupt(ffi::SQLITE_CORRUPT, "the index was damaged")]
    #[case::corrupt_table(ffi::SQLITE_CORRUPT_VTAB, "the index was damaged")]
    #[case::not_a_database(ffi::SQLITE_NOTADB, "the index was damaged")]
    #[case::no_such_table(ffi::SQLITE_ERROR, "the index was damaged")]
    #[case::cut_short(ffi::SQLITE_IOERR_SHORT_READ, "the index was damaged")]
    #[case::full(ffi::SQLITE_FULL, "the index cannot be used")]
    #[case::input_output(ffi::SQLITE_IOERR_READ, "the index cannot be used")]
    #[case::permission(ffi::SQLITE_CANTOPEN, "the index cannot be used")]
    #[case::read_only(ffi::SQLITE_READONLY, "the index cannot be used")]
    fn what_is_damage_and_what_is_not(#[case] code: i32, #[case] expected: &str) {
        let error = IndexError::from(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}
