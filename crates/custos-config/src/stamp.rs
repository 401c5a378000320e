//! What tells one version of a file from another, so that nothing is read twice.
//!
//! Hooks keep what files came to in a cache, under the stamps of those files. Two things make that safe. A stamp holds everything that the
//! file system notes of a change. And nothing is kept under the stamp of a file that was changed just now: it could change again within the
//! same tick of the clock, and its stamp would not show it ([`are_settled`]).

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::SystemTime;

use crate::replace::Draft;
use crate::source::{Links, is_absence, is_linked};

/// A version of a file, as far as the file system knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stamp {
    /// There is nothing.
    Absent,
    /// There is something, but what, the file system will not say.
    Hidden,
    /// There is this.
    Present {
        /// Which file it is, how long, and when it was last changed.
        identity: [i128; 5],
        /// Whether a link leads there, where links are refused.
        linked: bool,
        /// When it was last changed.
        modified: Option<SystemTime>,
    },
}

impl Stamp {
    /// Takes the stamp of what is at a path now.
    pub fn of(path: &Path, links: Links) -> Self {
        match fs::metadata(path) {
            Ok(metadata) => Self::Present {
                identity: identity(&metadata),
                // The metadata are those of the link's target.
                linked: links == Links::Refuse && is_linked(path),
                modified: metadata.modified().ok(),
            },
            Err(error) if is_absence(&error) => Self::Absent,
            Err(_) => Self::Hidden,
        }
    }

    /// Says whether there is nothing.
    pub fn is_absent(&self) -> bool {
        *self == Self::Absent
    }

    /// Spells the version of a file at a path, which is there as `role`, in bytes that no other version has.
    pub fn spell(&self, role: u8, path: &Path, mut take: impl FnMut(&[u8])) {
        let path = path.as_os_str().as_encoded_bytes();
        take(&[role]);
        take(&(path.len() as u64).to_le_bytes());
        take(path);
        match self {
            Self::Absent => take(&[0]),
            Self::Hidden => take(&[1]),
            Self::Present { identity, linked, .. } => {
                take(&[2, u8::from(*linked)]);
                for part in identity {
                    take(&part.to_le_bytes());
                }
            }
        }
    }
}

/// Tells whether every file was last changed before the draft of the cache was begun.
///
/// The order of things matters to whoever keeps something: first the draft is begun, then the stamps are taken, then the files are read. A
/// file that is changed after it was read then gets a stamp that is not older than the draft.
pub fn are_settled(stamps: &[Stamp], draft: &Draft) -> bool {
    let Ok(begun) = draft.metadata().and_then(|metadata| metadata.modified()) else { return false };
    stamps.iter().all(|stamp| match stamp {
        Stamp::Absent => true,
        Stamp::Hidden => false,
        Stamp::Present { modified, .. } => modified.is_some_and(|modified| modified < begun),
    })
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> [i128; 5] {
    use std::os::unix::fs::MetadataExt as _;
    let nanoseconds = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
    [
        i128::from(metadata.dev()),
        i128::from(metadata.ino()),
        i128::from(metadata.len()),
        nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
        nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
    ]
}

#[cfg(windows)]
fn identity(metadata: &Metadata) -> [i128; 5] {
    use std::os::windows::fs::MetadataExt as _;
    [
        i128::from(metadata.file_attributes()),
        0,
        i128::from(metadata.len()),
        i128::from(metadata.last_write_time()),
        i128::from(metadata.creation_time()),
    ]
}
