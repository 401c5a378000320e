//! The claim: a lock that the one worker holds as long as it lives.
//!
//! Whether a worker runs is asked of the lock, never of a process number: the system takes the lock away when its holder dies, however it
//! dies, and a number may belong to somebody else by then.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The worker's lock, held until it is dropped.
#[derive(Debug)]
pub struct Claim {
    _file: File,
}

/// Somebody who only asks whether a worker runs holds the lock for a moment. So long that moment is waited out.
const MOMENT: Duration = Duration::from_millis(20);

fn path(state: &Path) -> PathBuf {
    state.join("worker.lock")
}

impl Claim {
    /// Takes the lock; none if a worker runs.
    pub fn take(state: &Path) -> io::Result<Option<Self>> {
        let file = open(state, true)?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self { _file: file })),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if began.elapsed() >= MOMENT => return Ok(None),
                Err(TryLockError::WouldBlock) => std::thread::park_timeout(Duration::from_millis(1)),
            }
        }
    }
}

/// Says whether a worker runs.
pub fn is_held(state: &Path) -> io::Result<bool> {
    let file = match open(state, false) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        opened => opened?,
    };
    // Shared, so that those who ask at the same moment do not take each other for a worker.
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn open(state: &Path, create: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(create);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600).custom_flags(libc::O_NOFOLLOW);
    }
    options.open(path(state))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_claim_and_it_ends_with_its_holder() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!is_held(dir.path()).unwrap(), "nobody was ever here");
        let claim = Claim::take(dir.path()).unwrap().unwrap();
        assert!(is_held(dir.path()).unwrap());
        assert!(Claim::take(dir.path()).unwrap().is_none());
        drop(claim);
        assert!(!is_held(dir.path()).unwrap());
        assert!(Claim::take(dir.path()).unwrap().is_some());
    }

    #[test]
    fn whoever_only_asks_does_not_keep_a_worker_away() {
        let dir = tempfile::tempdir().unwrap();
        drop(Claim::take(dir.path()).unwrap());
        let asking = open(dir.path(), false).unwrap();
        asking.lock_shared().unwrap();
        assert!(!is_held(dir.path()).unwrap(), "two who ask do not take each other for a worker");
        let freed = std::thread::spawn(move || {
            std::thread::park_timeout(Duration::from_millis(3));
            drop(asking);
        });
        assert!(Claim::take(dir.path()).unwrap().is_some());
        freed.join().unwrap();
    }
}
