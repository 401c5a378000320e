//! A disk that fails when it is told to.
//!
//! Full disks, dying disks and processes that end between two system calls are rare in real life and therefore never tested by it. A
//! [`FaultyDisk`] does what the real one does and counts; armed with a [`Fault`], it lets exactly one operation go wrong. A
//! test first runs its work once to learn how many operations there are, and then once for each of them:
//!
//! ```no_run
//! # use custos_testkit::faulty::{Effect, Fault, FaultyDisk};
//! # fn work(_: &FaultyDisk) {}
//! let disk = FaultyDisk::default();
//! work(&disk);
//! for nth in 0..disk.take_trace().len() {
//!     disk.arm(Fault { nth, effect: Effect::Crash });
//!     work(&disk);
//!     disk.disarm();
//!     // … look at what is left
//! }
//! ```

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use custos_log::disk::{Access, Disk, Handle, OsDisk};

/// What can be asked of a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the methods of Disk and Handle")]
pub enum Operation {
    Open,
    CreateDirs,
    List,
    Rename,
    HardLink,
    Remove,
    RemoveTree,
    SyncDir,
    Len,
    Read,
    Append,
    Write,
    Truncate,
    Sync,
    Lock,
}

/// How an operation goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It does nothing and reports this.
    Fail(io::ErrorKind),
    /// A read or a write does half of what was asked, and says so. Everything else works.
    Short,
    /// A write does half of what was asked, and the operation after it reports this. Everything else works.
    Torn(io::ErrorKind),
    /// The process dies: a write has done half of what was asked, and nothing works from here on.
    Crash,
}

/// One thing that goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Which operation since the disk was armed, from 0.
    pub nth: usize,
    /// How.
    pub effect: Effect,
}

/// The real disk, with faults. Clones share their counters.
#[derive(Debug, Clone, Default)]
pub struct FaultyDisk {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    trace: Vec<Operation>,
    fault: Option<Fault>,
    /// What the next operation reports, after a torn write.
    pending: Option<io::ErrorKind>,
    is_dead: bool,
    /// The most that one append takes.
    piece: Option<usize>,
    /// Nothing more can be written.
    is_full: bool,
}

/// How much of an operation is done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    All,
    Half,
}

impl FaultyDisk {
    /// Makes a disk that takes no more than so many bytes with one append, so that a kill finds the gaps between them.
    pub fn in_pieces(piece: usize) -> Self {
        let state = State { piece: Some(piece.max(1)), ..State::default() };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// Lets one operation from now on go wrong.
    pub fn arm(&self, fault: Fault) {
        *self.state() = State { fault: Some(fault), ..State::default() };
    }

    /// Lets nothing more be written, until the disk is disarmed. All else works, as on a disk that is full.
    pub fn fill(&self) {
        *self.state() = State { is_full: true, ..State::default() };
    }

    /// Lets everything work again, as if after a restart.
    pub fn disarm(&self) {
        *self.state() = State::default();
    }

    /// Gives the operations since the last call, or since the disk was armed.
    pub fn take_trace(&self) -> Vec<Operation> {
        std::mem::take(&mut self.state().trace)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panicking test poisons the lock; the next one that asks is only interested in the first message.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an operation and says how much of it is to be done.
    fn enter(&self, operation: Operation) -> io::Result<Extent> {
        let mut state = self.state();
        let nth = state.trace.len();
        state.trace.push(operation);
        if state.is_dead {
            return Err(io::Error::other("the process is dead"));
        }
        if let Some(kind) = state.pending.take() {
            return Err(kind.into());
        }
        let is_write = matches!(operation, Operation::Append | Operation::Write);
        if state.is_full && is_write {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let Some(Fault { effect, .. }) = state.fault.filter(|fault| fault.nth == nth) else {
            return Ok(Extent::All);
        };
        match effect {
            Effect::Short if is_write || operation == Operation::Read => Ok(Extent::Half),
            Effect::Short => Ok(Extent::All),
            Effect::Torn(kind) if is_write => {
                state.pending = Some(kind);
                Ok(Extent::Half)
            }
            Effect::Fail(kind) | Effect::Torn(kind) => Err(kind.into()),
            Effect::Crash => {
                state.is_dead = true;
                if is_write { Ok(Extent::Half) } else { Err(io::Error::other("the process is dead")) }
            }
        }
    }

    /// Does an operation that has no halves.
    fn attempt<T>(&self, operation: Operation, run: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        self.enter(operation)?;
        run()
    }
}

impl Disk for FaultyDisk {
    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn Handle>> {
        self.enter(Operation::Open)?;
        let inner = OsDisk.open(path, access)?;
        Ok(Box::new(FaultyFile { disk: self.clone(), inner }))
    }

    fn create_dirs(&self, path: &Path) -> io::Result<()> {
        self.attempt(Operation::CreateDirs, || OsDisk.create_dirs(path))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        self.attempt(Operation::List, || OsDisk.list(dir))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.attempt(Operation::Rename, || OsDisk.rename(from, to))
    }

    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.attempt(Operation::HardLink, || OsDisk.hard_link(from, to))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.attempt(Operation::Remove, || OsDisk.remove(path))
    }

    fn remove_tree(&self, path: &Path) -> io::Result<()> {
        self.attempt(Operation::RemoveTree, || OsDisk.remove_tree(path))
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.attempt(Operation::SyncDir, || OsDisk.sync_dir(path))
    }
}

struct FaultyFile {
    disk: FaultyDisk,
    inner: Box<dyn Handle>,
}

/// Gives the part of a buffer that an operation gets to see; never nothing, which would mean the end of the file.
fn part(len: usize, extent: Extent) -> usize {
    match extent {
        Extent::All => len,
        Extent::Half => len.div_ceil(2),
    }
}

impl Handle for FaultyFile {
    fn len(&self) -> io::Result<u64> {
        self.disk.attempt(Operation::Len, || self.inner.len())
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let extent = self.disk.enter(Operation::Read)?;
        let len = part(buffer.len(), extent);
        self.inner.read_at(&mut buffer[..len], offset)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        let extent = self.disk.enter(Operation::Append)?;
        let most = self.disk.state().piece.unwrap_or(usize::MAX);
        self.inner.append(&bytes[..part(bytes.len(), extent).min(most)])
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        let extent = self.disk.enter(Operation::Write)?;
        self.inner.write_at(&bytes[..part(bytes.len(), extent)], offset)
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        self.disk.attempt(Operation::Truncate, || self.inner.truncate(len))
    }

    fn sync(&self) -> io::Result<()> {
        self.disk.attempt(Operation::Sync, || self.inner.sync())
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.disk.enter(Operation::Lock)?;
        self.inner.try_lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(disk: &FaultyDisk, path: &Path) -> io::Result<()> {
        let handle = disk.open(path, Access::ReadWrite)?;
        handle.truncate(0)?;
        handle.write_all_at(b"0123456789", 0)?;
        handle.sync()
    }

    fn written_with(effect: Effect, nth: usize) -> (io::Result<()>, Vec<u8>, usize) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let disk = FaultyDisk::default();
        disk.arm(Fault { nth, effect });
        let result = write(&disk, &path);
        (result, std::fs::read(&path).unwrap_or_default(), disk.take_trace().len())
    }

    #[test]
    fn counts_without_a_fault() {
        let dir = tempfile::tempdir().unwrap();
        let disk = FaultyDisk::default();
        write(&disk, &dir.path().join("f")).unwrap();
        let expected = [Operation::Open, Operation::Truncate, Operation::Write, Operation::Sync];
        assert_eq!(disk.take_trace(), expected);
        assert_eq!(disk.take_trace(), []);
    }

    #[test]
    fn a_failing_operation_does_nothing_and_only_once() {
        let (result, bytes, _) = written_with(Effect::Fail(io::ErrorKind::StorageFull), 2);
        assert_eq!((result.unwrap_err().kind(), bytes), (io::ErrorKind::StorageFull, Vec::new()));
        let (result, bytes, operations) = written_with(Effect::Fail(io::ErrorKind::Interrupted), 2);
        assert_eq!((result.ok(), bytes.as_slice(), operations), (Some(()), &b"0123456789"[..], 5));
    }

    #[test]
    fn a_short_write_goes_on_and_a_torn_one_does_not() {
        let (result, bytes, operations) = written_with(Effect::Short, 2);
        assert_eq!((result.ok(), bytes.as_slice(), operations), (Some(()), &b"0123456789"[..], 5));
        let (result, bytes, _) = written_with(Effect::Torn(io::ErrorKind::StorageFull), 2);
        assert_eq!(
            (result.unwrap_err().kind(), bytes.as_slice()),
            (io::ErrorKind::StorageFull, &b"01234"[..])
        );
    }

    #[test]
    fn a_full_disk_takes_nothing_until_there_is_room_again() {
        let dir = tempfile::tempdir().unwrap();
        let (path, disk) = (dir.path().join("f"), FaultyDisk::default());
        disk.fill();
        for _ in 0..2 {
            assert_eq!(write(&disk, &path).unwrap_err().kind(), io::ErrorKind::StorageFull);
        }
        assert_eq!(
            (disk.list(dir.path()).unwrap(), std::fs::read(&path).unwrap()),
            (vec!["f".into()], vec![])
        );
        disk.disarm();
        write(&disk, &path).unwrap();
    }

    #[test]
    fn after_a_crash_nothing_works_until_the_disk_is_disarmed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let disk = FaultyDisk::default();
        disk.arm(Fault { nth: 2, effect: Effect::Crash });
        assert!(write(&disk, &path).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"01234");
        assert!(disk.list(dir.path()).is_err());
        disk.disarm();
        assert_eq!(disk.list(dir.path()).unwrap(), ["f"]);
    }
}
