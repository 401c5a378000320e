//! The bells that ring when a file of a directory changes, inotify; and the names in a directory, by the thousand.

use std::ffi::OsStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::fs::{Mode, OFlags, RawDir, open};
use rustix::io::Errno;

use super::Changes;

/// The file systems that only this machine writes to, by the numbers that the kernel gives them: ext, XFS, Btrfs, F2FS, bcachefs, ZFS,
/// and memory.
const OF_THIS_MACHINE: [u64; 7] =
    [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010, 0xca45_1a4e, 0x2fc1_2fc1, 0x0102_1994];

/// Tells of changes to the files of a directory.
#[derive(Debug)]
pub(super) struct Bell(OwnedFd);

impl Bell {
    /// Asks to be told of changes from now on; nothing where not all would be told.
    pub(super) fn hang(path: &Path, open: &OwnedFd) -> Option<Self> {
        let kind = u64::try_from(rustix::fs::fstatfs(open).ok()?.f_type).ok()?;
        if !OF_THIS_MACHINE.contains(&kind) {
            return None;
        }
        let told = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
        inotify::add_watch(&told, path, all_changes()).ok()?;
        Some(Self(told))
    }

    /// Says what has changed since it was last asked, or hung.
    pub(super) fn changes(&mut self) -> Changes {
        let mut room = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(&self.0, &mut room);
        let (mut names, mut is_unknown) = (Vec::new(), false);
        loop {
            match reader.next() {
                Ok(event) => {
                    let name = event.file_name().and_then(|name| name.to_str().ok());
                    // Too many at once, or about the directory itself.
                    is_unknown |= name.is_none() || event.events().contains(ReadFlags::QUEUE_OVERFLOW);
                    let is_new = |name: &&str| names.last().is_none_or(|last| last != *name);
                    names.extend(name.filter(is_new).map(str::to_owned));
                }
                Err(Errno::AGAIN) if !is_unknown => return Changes::Of(names),
                Err(Errno::INTR) => {}
                Err(_) => return Changes::Unknown,
            }
        }
    }
}

/// Everything that may happen to the files of a directory.
fn all_changes() -> WatchFlags {
    WatchFlags::MODIFY
        | WatchFlags::ATTRIB
        | WatchFlags::CREATE
        | WatchFlags::DELETE
        | WatchFlags::MOVED_FROM
        | WatchFlags::MOVED_TO
        | WatchFlags::DELETE_SELF
        | WatchFlags::MOVE_SELF
        | WatchFlags::ONLYDIR
        | WatchFlags::DONT_FOLLOW
}

/// Wakes whoever waits for a change in any of several directories.
#[derive(Debug)]
pub(crate) struct Alarm(OwnedFd);

impl Alarm {
    /// Asks to be woken by changes from now on; nothing if none of the directories is there.
    pub(crate) fn set(directories: impl Iterator<Item = PathBuf>) -> Option<Self> {
        let told = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
        let watched = directories.filter(|path| inotify::add_watch(&told, path, all_changes()).is_ok());
        (watched.count() > 0).then_some(Self(told))
    }

    /// Waits for a change, for so long at the most; says whether there was one.
    pub(crate) fn rings(&self, at_most: Option<Duration>) -> bool {
        let at_most = at_most.and_then(|time| Timespec::try_from(time).ok());
        let mut told = [PollFd::new(&self.0, PollFlags::IN)];
        loop {
            match poll(&mut told, at_most.as_ref()) {
                Err(Errno::INTR) => {}
                woken => break woken.is_ok_and(|count| count > 0) && self.silence(),
            }
        }
    }

    /// Takes note of what has happened so far.
    fn silence(&self) -> bool {
        let mut room = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(&self.0, &mut room);
        loop {
            match reader.next() {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => break error == Errno::AGAIN,
            }
        }
    }
}

/// Goes through the names in a directory for as long as `visit` wants. The standard library asks a static build's system for forty names at a
/// time, and makes an object of each.
pub(super) fn visit_names(path: &Path, mut visit: impl FnMut(&OsStr) -> bool) -> io::Result<()> {
    let directory = open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let mut room = vec![MaybeUninit::uninit(); 32 << 10];
    let mut entries = RawDir::new(directory, &mut room);
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if !matches!(name, b"." | b"..") && !visit(OsStr::from_bytes(name)) {
            break;
        }
    }
    Ok(())
}
