//! Where the index is, and the gate through which everybody goes who touches it.
//!
//! SQLite's own locks keep transactions apart. They do not cover the one thing that happens to an index and to no other database: that
//! somebody replaces the whole file while others have it open. A connection to the old file would then meet the new file's
//! write-ahead log under the old name. So every operation holds the gate shared and looks at the generation first, and whoever
//! replaces the file holds it alone, for the moment that takes, and raises the generation. A connection of an older generation is
//! closed without another read; it was told to leave the write-ahead log alone when it closes.
//!
//! A second lock belongs to those who prepare a replacement, which takes longer: one at a time, and nobody waits for them.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use custos_log::disk::{Access, Disk, OsDisk};

use crate::error::IndexError;
use crate::schema::SCHEMA;

/// The files of one index.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    dir: PathBuf,
}

impl Place {
    pub(crate) fn new(state_dir: &Path) -> Self {
        Self { dir: state_dir.to_owned() }
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.dir.join(format!("index-{SCHEMA}.db"))
    }

    /// A replacement in the making.
    pub(crate) fn fresh(&self) -> PathBuf {
        self.dir.join(format!("index-{SCHEMA}.fresh.db"))
    }

    /// The database and the files that SQLite keeps beside it.
    pub(crate) fn with_companions(database: &Path) -> [PathBuf; 4] {
        let beside = |suffix: &str| {
            let mut name = database.as_os_str().to_owned();
            name.push(suffix);
            PathBuf::from(name)
        };
        [database.to_owned(), beside("-wal"), beside("-shm"), beside("-journal")]
    }

    /// Says whether there is a database; refuses what is no regular file in its place or its companions'.
    pub(crate) fn exists(&self) -> Result<bool, IndexError> {
        let mut exists = false;
        for path in Self::with_companions(&self.database()) {
            match path.symlink_metadata() {
                Ok(found) if !found.is_file() => return Err(IndexError::NotAFile(path)),
                Ok(_) => exists |= path == self.database(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(IndexError::io("look at", &path)(error)),
            }
        }
        Ok(exists)
    }

    /// Creates an empty file that is private to the user; SQLite gives its companions the same mode.
    pub(crate) fn create(&self, path: &Path) -> Result<(), IndexError> {
        OsDisk.create_dirs(&self.dir).map_err(IndexError::io("create", &self.dir))?;
        OsDisk.open(path, Access::Create).map_err(IndexError::io("create", path)).map(drop)
    }

    /// Removes files, as far as they are there.
    pub(crate) fn remove(paths: &[PathBuf]) -> Result<(), IndexError> {
        for path in paths {
            match std::fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(IndexError::io("remove", path)(error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn lock_file(&self, name: &str) -> Result<File, IndexError> {
        let path = self.dir.join(name);
        OsDisk.create_dirs(&self.dir).map_err(IndexError::io("create", &self.dir))?;
        // Through the disk, which makes it private and refuses links; locking needs a file of the standard library.
        OsDisk.open(&path, Access::ReadWrite).map_err(IndexError::io("open", &path))?;
        File::options().read(true).write(true).open(&path).map_err(IndexError::io("open", &path))
    }

    /// Opens the gate's file.
    pub(crate) fn gate(&self) -> Result<Gate, IndexError> {
        self.lock_file(&format!("index-{SCHEMA}.lock")).map(|file| Gate { file })
    }

    /// Takes the right to prepare a replacement; busy if somebody else has it.
    pub(crate) fn claim_replacement(&self) -> Result<Claim, IndexError> {
        let name = format!("index-{SCHEMA}.rebuild.lock");
        let file = self.lock_file(&name)?;
        match file.try_lock() {
            Ok(()) => Ok(Claim { _file: file }),
            Err(TryLockError::WouldBlock) => Err(IndexError::Busy),
            Err(TryLockError::Error(error)) => Err(IndexError::io("lock", &self.dir.join(name))(error)),
        }
    }
}

/// The right to prepare a replacement, until dropped.
pub(crate) struct Claim {
    _file: File,
}

/// Holds the number of the present file, and lets either many users in or one replacer.
#[derive(Debug)]
pub(crate) struct Gate {
    file: File,
}

/// A way through the gate, until dropped.
pub(crate) struct Pass<'a> {
    gate: &'a Gate,
}

impl Gate {
    /// Lets a user in. Waits only while somebody renames files, never for work.
    pub(crate) fn enter(&self) -> Result<Pass<'_>, IndexError> {
        self.file.lock_shared().map_err(IndexError::io("lock", Path::new("the index")))?;
        Ok(Pass { gate: self })
    }

    /// Lets a replacer in, once everybody else is out.
    pub(crate) fn enter_alone(&self) -> Result<Pass<'_>, IndexError> {
        self.file.lock().map_err(IndexError::io("lock", Path::new("the index")))?;
        Ok(Pass { gate: self })
    }
}

impl Pass<'_> {
    /// Gives the number of the present file.
    pub(crate) fn generation(&self) -> Result<u64, IndexError> {
        let mut file = &self.gate.file;
        let mut bytes = [0; 8];
        let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_exact(&mut bytes));
        match read {
            Ok(()) => Ok(u64::from_le_bytes(bytes)),
            // Nobody has replaced anything yet.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
            Err(error) => Err(IndexError::io("read", Path::new("the index's lock"))(error)),
        }
    }

    /// Tells everybody that the file is another one now.
    pub(crate) fn raise_generation(&self) -> Result<(), IndexError> {
        let next = self.generation()?.wrapping_add(1);
        let mut file = &self.gate.file;
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.write_all(&next.to_le_bytes()))
            .map_err(IndexError::io("write", Path::new("the index's lock")))
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        // Cannot fail on a lock that we hold, and closing the file would free it anyway.
        let _ = self.gate.file.unlock();
    }
}
