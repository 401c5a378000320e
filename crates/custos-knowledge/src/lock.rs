//! The lock of a store: a small file in it that one process at a time holds.
//!
//! The file lies in a directory that others may write to. So it is opened without waiting for what may be at the other end of a FIFO, it must be
//! a regular file, and whoever has got the lock looks again whether the file is still the one by that name: `git clean` may have taken it
//! away meanwhile, and somebody else made another.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long to wait for another process: whoever holds the lock writes a few small files.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(2);

/// Takes the lock, or gives none if another process holds it for too long. It ends with the file.
pub(crate) fn take(path: &Path, patience: Duration) -> io::Result<Option<File>> {
    let begun = Instant::now();
    loop {
        let file = open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("something that is no file is in its place"));
        }
        match file.try_lock() {
            Ok(()) if is_named(&file, path) => return Ok(Some(file)),
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        if begun.elapsed() >= patience {
            return Ok(None);
        }
        wait();
    }
}

/// Says whether another process holds the lock. Nothing is made for it.
pub(crate) fn is_held(path: &Path) -> bool {
    // Where there is no lock yet nobody has it, and what is wrong with it is found by whoever takes it.
    if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    open(path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

fn wait() {
    pause(PAUSE);
}

/// Leaves the lock alone for as long as whoever waits for it needs to look again, and once more.
pub(crate) fn let_others() {
    pause(PAUSE * 2);
}

#[expect(
    clippy::disallowed_methods,
    reason = "another process writes a file; there is nothing to be woken by"
)]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// Opens a small file that is ours, or makes it; what leads elsewhere or would keep us waiting is refused.
#[cfg(unix)]
pub(crate) fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = libc::O_NONBLOCK | libc::O_NOFOLLOW | libc::O_NOCTTY;
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .mode(0o600)
        .custom_flags(flags)
        .open(path)
}

/// Opens a small file that is ours, or makes it. As long as it is open, nobody can remove it.
#[cfg(windows)]
pub(crate) fn open(path: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt as _;
    // Others may read and write it, and not delete it.
    const FILE_SHARE_READ: u32 = 1;
    const FILE_SHARE_WRITE: u32 = 2;
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).read(true).write(true);
    options.share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE).open(path)
}

/// Says whether a file is still the one of that name.
#[cfg(unix)]
pub(crate) fn is_named(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let (held, named) = (file.metadata().map(identity), fs::symlink_metadata(path).map(identity));
    matches!((held, named), (Ok(held), Ok(named)) if held == named)
}

#[cfg(windows)]
pub(crate) fn is_named(_: &File, path: &Path) -> bool {
    // It was opened so that it cannot be removed.
    fs::symlink_metadata(path).is_ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_was_taken_away_is_no_lock() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".lock");
        let first = take(&path, PATIENCE).unwrap().unwrap();
        fs::remove_file(&path).unwrap();
        assert!(!is_named(&first, &path));
        // Whoever comes now makes another, and has it alone.
        let second = take(&path, PATIENCE).unwrap().unwrap();
        assert!(is_named(&second, &path));
        assert_eq!(std::os::unix::fs::MetadataExt::mode(&second.metadata().unwrap()) & 0o777, 0o600);
    }

    #[test]
    fn what_is_no_file_is_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join(".lock");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let refusal = take(&fifo, PATIENCE).unwrap_err();
        assert_eq!(refusal.to_string(), "something that is no file is in its place");
    }
}
