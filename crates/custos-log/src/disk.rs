//! The file system, as the log sees it.
//!
//! Everything that the log does to files goes through [`Disk`], for two reasons. The rules that hold for every one of its own files
//! live in one place: private to the user, never a symbolic link, never a FIFO or a device that would block or swallow what is
//! written. And tests put a disk in that is full, that fails, or that writes half of what it was given.
//!
//! Directories may be links, as somebody may have good reason to keep them elsewhere; the files in them are ours and may not.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

#[cfg(unix)]
#[path = "disk/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "disk/windows.rs"]
mod platform;

/// How a file is to be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To read; it must exist.
    Read,
    /// To append at its end and to read; created if it is missing.
    Append,
    /// To append at its end and to read; it must exist.
    Continue,
    /// To read and to write anywhere; created if it is missing.
    ReadWrite,
    /// To read and to write anywhere; it must exist.
    Edit,
    /// To write; it must not exist.
    Create,
}

/// The operations on files that the log needs.
pub trait Disk: Send + Sync {
    /// Opens one of our own files.
    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn Handle>>;
    /// Creates a directory and those above it, private to the user.
    fn create_dirs(&self, path: &Path) -> io::Result<()>;
    /// Lists the names in a directory, in order; a missing directory is empty.
    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>>;
    /// Renames a file over another.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Makes a second name for a file.
    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Removes a directory and all below it.
    fn remove_tree(&self, path: &Path) -> io::Result<()>;
    /// Forces a directory's entries to the disk. After a crash, files created or renamed before are there.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
}

/// An open file.
#[expect(clippy::len_without_is_empty, reason = "asked through `dyn Handle`, which has it")]
pub trait Handle: Send {
    /// Gives the length in bytes.
    fn len(&self) -> io::Result<u64>;
    /// Reads at an offset; may read less than asked, 0 at the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Writes at the end, in one system call; may write less than given.
    fn append(&self, bytes: &[u8]) -> io::Result<usize>;
    /// Writes at an offset; may write less than given.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize>;
    /// Cuts the file.
    fn truncate(&self, len: u64) -> io::Result<()>;
    /// Forces the content to the disk. After a crash, what was written before is there.
    fn sync(&self) -> io::Result<()>;
    /// Takes the exclusive lock if nobody has it.
    fn try_lock(&self) -> io::Result<bool>;
}

impl dyn Handle + '_ {
    /// Says whether the file is empty.
    pub fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Reads until the buffer is full or the file ends, and says how much that was.
    pub fn read_full_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.read_at(&mut buffer[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    /// Writes all of it at an offset, or fails.
    pub fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut written = 0;
        while written < bytes.len() {
            match self.write_at(&bytes[written..], offset + written as u64) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => written += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The real file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsDisk;

impl Disk for OsDisk {
    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn Handle>> {
        let mut options = OpenOptions::new();
        match access {
            Access::Read => options.read(true),
            Access::Append => options.read(true).append(true).create(true),
            Access::Continue => options.read(true).append(true),
            Access::ReadWrite => options.read(true).write(true).create(true),
            Access::Edit => options.read(true).write(true),
            Access::Create => options.read(true).write(true).create_new(true),
        };
        let file = platform::open_private(path, &mut options)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "something other than a regular file is in its place",
            ));
        }
        Ok(Box::new(OsFile(file)))
    }

    fn create_dirs(&self, path: &Path) -> io::Result<()> {
        platform::create_private_dirs(path)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        let entries = match std::fs::read_dir(dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut names = entries.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>()?;
        names.sort();
        Ok(names)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::hard_link(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn remove_tree(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_dir_all(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        platform::sync_dir(path)
    }
}

struct OsFile(File);

impl Handle for OsFile {
    fn len(&self) -> io::Result<u64> {
        self.0.metadata().map(|metadata| metadata.len())
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        platform::read_at(&self.0, buffer, offset)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        io::Write::write(&mut &self.0, bytes)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        platform::write_at(&self.0, bytes, offset)
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn try_lock(&self) -> io::Result<bool> {
        match self.0.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn files_and_directories_are_private() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b");
        OsDisk.create_dirs(&deep).unwrap();
        OsDisk.open(&deep.join("f"), Access::Append).unwrap();
        assert_eq!((mode(&dir.path().join("a")), mode(&deep), mode(&deep.join("f"))), (0o700, 0o700, 0o600));
    }

    #[test]
    fn never_follows_a_link_or_opens_a_fifo_in_place_of_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("target");
        OsDisk.open(&target, Access::Create).unwrap();
        let link = dir.path().join("link");
        symlink(&target, &link).unwrap();
        let fifo = dir.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
        assert!(made.success());
        for path in [&link, &fifo, &dir.path().to_owned()] {
            let ways = [
                Access::Read,
                Access::Append,
                Access::Continue,
                Access::ReadWrite,
                Access::Edit,
                Access::Create,
            ];
            for access in ways {
                assert!(OsDisk.open(path, access).is_err(), "{} as {access:?}", path.display());
            }
        }
        assert_eq!(std::fs::metadata(&target).unwrap().len(), 0);
    }

    #[test]
    fn a_directory_may_be_a_link() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("real")).unwrap();
        symlink(dir.path().join("real"), dir.path().join("named")).unwrap();
        OsDisk.create_dirs(&dir.path().join("named/log")).unwrap();
        OsDisk.open(&dir.path().join("named/log/f"), Access::Append).unwrap();
        assert!(dir.path().join("real/log/f").is_file());
    }
}
