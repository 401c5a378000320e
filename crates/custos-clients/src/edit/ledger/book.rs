//! What the ledger remembers, and the file that it is remembered in.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::super::part::Trace;
use super::backup::Backup;
use super::digest::Digest;
use super::error::LedgerError;
use super::target::{Target, make_private, sync_directory};

/// The format that this version writes. The first knew nothing of MCP servers, and would take one for damage.
const VERSION: u32 = 2;

/// All that is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Book {
    version: u32,
    pub(super) records: Vec<Record>,
    /// Directories that were made, to be removed when they are empty.
    #[serde(default)]
    pub(super) directories: Vec<PathBuf>,
}

/// What is remembered of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The file itself, behind all links.
    pub(super) file: PathBuf,
    pub(super) origin: Origin,
    /// What somebody else had made of it when we changed it again; so the original is not what they want back.
    #[serde(default)]
    pub(super) edited: Option<Backup>,
    /// What we wrote last.
    pub(super) written: Digest,
    pub(super) trace: Trace,
}

/// What a file was before us.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Origin {
    Absent,
    Kept(Backup),
    /// Our part was in it when the ledger first saw it, or no copy of it may be kept.
    Unknown,
}

/// Whether copies of what a file said are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Copies {
    /// They are, for the way back.
    Kept,
    /// None: the way back is to take our part out.
    None,
}

/// As much of a ledger as every version has.
#[derive(Deserialize)]
struct Header {
    version: u32,
}

impl Book {
    /// Reads the ledger; where there is none, nothing is remembered.
    pub(super) fn load(path: &Path) -> Result<Self, LedgerError> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(why) if why.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { version: VERSION, records: Vec::new(), directories: Vec::new() });
            }
            Err(why) => return Err(LedgerError::Ledger { path: path.to_owned(), why }),
        };
        let damaged = |error: serde_json::Error| LedgerError::Damaged {
            path: path.to_owned(),
            reason: error.to_string(),
        };
        let Header { version } = serde_json::from_slice(&bytes).map_err(damaged)?;
        if version > VERSION {
            return Err(LedgerError::TooNew { path: path.to_owned(), version });
        }
        let book: Self = serde_json::from_slice(&bytes).map_err(damaged)?;
        Ok(Self { version: VERSION, ..book })
    }

    /// Writes the ledger, whole or not at all. With nothing to remember there is none.
    pub(super) fn save(&self, path: &Path) -> Result<(), LedgerError> {
        let fault = |why| LedgerError::Ledger { path: path.to_owned(), why };
        if self.records.is_empty() {
            return match fs::remove_file(path) {
                Err(why) if why.kind() != io::ErrorKind::NotFound => Err(fault(why)),
                _ => Ok(()),
            };
        }
        let directory = path.parent().ok_or_else(|| fault(io::ErrorKind::InvalidInput.into()))?;
        let json = serde_json::to_vec_pretty(self).map_err(|error| fault(error.into()))?;
        // A temporary file is readable by its owner only, and stays so.
        let mut draft = NamedTempFile::new_in(directory).map_err(fault)?;
        draft.write_all(&json).and_then(|()| draft.as_file().sync_all()).map_err(fault)?;
        draft.persist(path).map_err(|error| fault(error.error))?;
        sync_directory(directory).map_err(fault)
    }

    pub(super) fn record(&self, file: &Path) -> Option<&Record> {
        self.records.iter().find(|record| record.file == file)
    }

    pub(super) fn record_mut(&mut self, file: &Path) -> Option<&mut Record> {
        self.records.iter_mut().find(|record| record.file == file)
    }

    /// Takes a record out.
    pub(super) fn take(&mut self, file: &Path) -> Option<Record> {
        let index = self.records.iter().position(|record| record.file == file)?;
        Some(self.records.remove(index))
    }

    /// Deletes the copies that the other book does not speak of.
    pub(super) fn delete_backups_unless_in(&self, other: &Self, ledger: &Path) {
        let kept: Vec<&Backup> = other.backups().collect();
        self.backups().filter(|backup| !kept.contains(backup)).for_each(|backup| backup.delete(ledger));
    }

    fn backups(&self) -> impl Iterator<Item = &Backup> {
        self.records.iter().flat_map(|record| {
            let original = match &record.origin {
                Origin::Kept(backup) => Some(backup),
                Origin::Absent | Origin::Unknown => None,
            };
            original.into_iter().chain(&record.edited)
        })
    }
}

impl Record {
    /// Says what is to be remembered of a file that is about to be written, and keeps a copy of what it says if need be and allowed.
    pub(super) fn next(
        ledger: &Path,
        target: &Target,
        before: Option<Self>,
        written: Digest,
        trace: Trace,
        copies: Copies,
    ) -> Result<Self, LedgerError> {
        let file = target.path.clone();
        let Some(bytes) = target.bytes() else {
            // Whoever deleted a file that we knew does not want its original back.
            return Ok(Self { file, origin: Origin::Absent, edited: None, written, trace });
        };
        if copies == Copies::None {
            let (origin, trace) = match before {
                Some(before) => (before.origin, before.trace.and_then(trace)),
                None => (Origin::Unknown, trace),
            };
            return Ok(Self { file, origin, edited: None, written, trace });
        }
        let Some(before) = before else {
            let origin = Origin::Kept(Backup::keep(ledger, bytes)?);
            return Ok(Self { file, origin, edited: None, written, trace });
        };
        let now = Digest::of(bytes);
        let edited = match &before.origin {
            // Put back by hand, or never changed because of a crash.
            Origin::Kept(original) if original.digest == now => None,
            _ if before.written == now => before.edited,
            _ => Some(Backup::keep(ledger, bytes)?),
        };
        Ok(Self { file, origin: before.origin, edited, written, trace: before.trace.and_then(trace) })
    }
}

/// Makes sure that nobody else has the ledger open, through a file beside it that stays.
pub(super) fn lock(ledger: &Path) -> Result<File, LedgerError> {
    let path = ledger.with_extension("lock");
    let fault = |why| LedgerError::Ledger { path: path.clone(), why };
    make_private(ledger.parent().unwrap_or(ledger)).map_err(fault)?;
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let file = options.open(&path).map_err(fault)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(LedgerError::Busy { path: ledger.to_owned() }),
        Err(TryLockError::Error(why)) => Err(fault(why)),
    }
}
