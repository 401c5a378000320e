//! The lock of a writer, and the end of its chain beside it.
//!
//! Both are one small file in the state directory, which is never synchronised: whoever holds the lock on it may append, and finds in
//! it where the log ends and what the next record must name as its predecessor. So an append reads 256 bytes instead of the
//! log. A damaged head is no harm, the log itself tells the same; [`crate::append`] says what happens where the two disagree.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::disk::{Access, Disk, Handle};
use crate::error::LogError;
use crate::frame::{GENESIS, Hash, from_hex, push_hex};
use crate::hash;
use crate::writer::WriterId;

/// The end of a writer's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Whose log it is.
    pub writer: WriterId,
    /// The segment that is being written.
    pub segment: u32,
    /// Its length.
    pub offset: u64,
    /// The last sequence that was given out.
    pub seq: u64,
    /// The hash that the next record names as `prev`.
    pub link: Hash,
}

const SIZE: usize = 256;
const MAGIC: &str = "custos-head-1";

impl Head {
    /// Gives the head of a log that has no record yet.
    pub fn start(writer: WriterId) -> Self {
        Self { writer, segment: 1, offset: 0, seq: 0, link: GENESIS }
    }

    fn render(&self) -> Vec<u8> {
        let Self { writer, segment, offset, seq, .. } = self;
        let mut text = format!("{MAGIC} {writer} {segment} {offset} {seq} ").into_bytes();
        push_hex(&mut text, &self.link);
        let checksum = hash::brief(&[&text]);
        text.push(b' ');
        push_hex(&mut text, &checksum[..8]);
        text.resize(SIZE - 1, b' ');
        text.push(b'\n');
        text
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?.trim_ascii_end();
        let (content, checksum) = text.rsplit_once(' ')?;
        let checksum: [u8; 8] = from_hex(checksum.as_bytes())?;
        if hash::brief(&[content.as_bytes()])[..8] != checksum {
            return None;
        }
        let mut parts = content.split(' ');
        if parts.next()? != MAGIC {
            return None;
        }
        Some(Self {
            writer: parts.next()?.parse().ok()?,
            segment: parts.next()?.parse().ok()?,
            offset: parts.next()?.parse().ok()?,
            seq: parts.next()?.parse().ok()?,
            link: from_hex(parts.next()?.as_bytes())?,
        })
    }
}

/// The lock on a writer's log, held until it is dropped.
pub struct Lock {
    handle: Box<dyn Handle>,
    path: PathBuf,
}

impl Lock {
    /// Gives the path of the lock of a state directory.
    pub fn path(state: &Path) -> PathBuf {
        state.join("log.lock")
    }

    /// Takes the lock, waiting for at most `patience`.
    pub fn take(disk: &dyn Disk, state: &Path, patience: Duration) -> Result<Self, LogError> {
        Self::take_file(disk, Self::path(state), patience)
    }

    /// Takes the lock that keeps forgetting, backups and restoring apart, which take longer than an append may wait.
    pub fn take_for_maintenance(disk: &dyn Disk, state: &Path, patience: Duration) -> Result<Self, LogError> {
        Self::take_file(disk, state.join("maintenance.lock"), patience)
    }

    fn take_file(disk: &dyn Disk, path: PathBuf, patience: Duration) -> Result<Self, LogError> {
        let handle = match disk.open(&path, Access::ReadWrite) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if let Some(dir) = path.parent() {
                    disk.create_dirs(dir).map_err(LogError::io("create", dir))?;
                }
                disk.open(&path, Access::ReadWrite)
            }
            opened => opened,
        }
        .map_err(LogError::io("open the lock", &path))?;
        wait_for(&*handle, &path, patience)?;
        Ok(Self { handle, path })
    }

    /// Reads the head; none where there is none yet or it is damaged.
    pub fn head(&self) -> Result<Option<Head>, LogError> {
        let mut bytes = [0; SIZE];
        let len = self.handle.read_full_at(&mut bytes, 0).map_err(LogError::io("read", &self.path))?;
        Ok(Head::parse(&bytes[..len]))
    }

    /// Writes the head. After a crash it may be old or torn; both are noticed.
    pub fn set_head(&self, head: &Head) -> Result<(), LogError> {
        self.handle.write_all_at(&head.render(), 0).map_err(LogError::io("write", &self.path))
    }
}

/// Reads the head without the lock, for reports; it may be a moment old.
pub fn peek(disk: &dyn Disk, state: &Path) -> Option<Head> {
    let handle = disk.open(&Lock::path(state), Access::Read).ok()?;
    let read = || {
        let mut bytes = [0; SIZE];
        let len = handle.read_full_at(&mut bytes, 0).ok()?;
        Head::parse(&bytes[..len])
    };
    // Somebody may be in the middle of writing it.
    read().or_else(read).or_else(read)
}

fn wait_for(handle: &dyn Handle, path: &Path, patience: Duration) -> Result<(), LogError> {
    // The clock is asked only if there is something to wait for.
    let mut started: Option<Instant> = None;
    let mut pause = Duration::from_micros(20);
    // Polling, because a blocking lock has no deadline, and a hook that waits for ever blocks its client.
    while !handle.try_lock().map_err(LogError::io("lock", path))? {
        if started.get_or_insert_with(Instant::now).elapsed() >= patience {
            return Err(LogError::Busy { path: path.to_owned(), waited: patience });
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the one place that waits, and it has a deadline"
        )]
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(1));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::OsDisk;

    fn head() -> Head {
        Head { writer: "w-1".parse().unwrap(), segment: 3, offset: 4711, seq: 42, link: [0xab; 32] }
    }

    #[test]
    fn a_head_has_a_fixed_size_and_reads_back() {
        let text = head().render();
        assert_eq!((text.len(), Head::parse(&text)), (SIZE, Some(head())));
    }

    #[test]
    fn no_damaged_head_is_believed() {
        let text = head().render();
        let meaningful = text.trim_ascii_end().len();
        for at in 0..meaningful {
            let mut changed = text.clone();
            changed[at] ^= 1;
            assert_eq!(Head::parse(&changed), None, "byte {at}");
        }
        assert_eq!(Head::parse(&text[..100]), None);
    }

    #[test]
    fn a_second_taker_gives_up_at_its_deadline() {
        let dir = tempfile::tempdir().unwrap();
        let held = Lock::take(&OsDisk, dir.path(), Duration::ZERO).unwrap();
        held.set_head(&head()).unwrap();
        assert!(matches!(
            Lock::take(&OsDisk, dir.path(), Duration::from_millis(5)),
            Err(LogError::Busy { .. })
        ));
        drop(held);
        let lock = Lock::take(&OsDisk, dir.path(), Duration::ZERO).unwrap();
        assert_eq!(lock.head().unwrap(), Some(head()));
    }
}
