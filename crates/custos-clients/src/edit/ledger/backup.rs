//! Copies of what files said, beside the ledger.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::error::LedgerError;

/// A copy of a file, readable by its owner only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Backup {
    /// The name of the copy, beside the ledger.
    name: String,
    pub(super) digest: Digest,
}

impl Backup {
    /// Keeps a copy under a name that is free. After a crash, once this has returned, it is there.
    pub(super) fn keep(ledger: &Path, bytes: &[u8]) -> Result<Self, LedgerError> {
        let stem = ledger.file_stem().unwrap_or_default().to_string_lossy();
        for number in 1_u32.. {
            let name = format!("{stem}-{number:04}.original");
            let path = beside(ledger, &name);
            match create(&path, bytes) {
                Ok(()) => return Ok(Self { name, digest: Digest::of(bytes) }),
                Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {}
                Err(why) => {
                    let _ = fs::remove_file(&path);
                    return Err(LedgerError::Ledger { path, why });
                }
            }
        }
        Err(LedgerError::Ledger { path: ledger.to_owned(), why: io::ErrorKind::AlreadyExists.into() })
    }

    /// Reads the copy, if it is still what was kept.
    pub(super) fn read(&self, ledger: &Path) -> Option<Vec<u8>> {
        fs::read(beside(ledger, &self.name)).ok().filter(|bytes| Digest::of(bytes) == self.digest)
    }

    /// Deletes the copy. What cannot be deleted stays; it is private, and nothing refers to it any more.
    pub(super) fn delete(&self, ledger: &Path) {
        let _ = fs::remove_file(beside(ledger, &self.name));
    }
}

/// A name from the ledger never leads out of its directory.
fn beside(ledger: &Path, name: &str) -> PathBuf {
    ledger.with_file_name(Path::new(name).file_name().unwrap_or_default())
}

fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
