//! The bells that ring when a file of a directory changes, inotify; and the names in a directory, by the thousand.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::fs::{Mode, OFlags, RawDir, open};
use rustix::io::Errno;

use super::{Changes, Opened};

/// The file systems that only this machine writes to, by the numbers that the kernel gives them: ext, XFS, Btrfs, F2FS, bcachefs, ZFS,
/// and memory.
const OF_THIS_MACHINE: [u64; 7] =
    [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010, 0xca45_1a4e, 0x2fc1_2fc1, 0x0102_1994];

/// What the kernel tells this process of all the directories with a bell. A person's programs share a hundred such connections, so it is one for
/// all of them, and none while there is no bell.
static CONNECTION: Mutex<Option<Connection>> = Mutex::new(None);

#[derive(Debug)]
struct Connection {
    told: OwnedFd,
    /// What was told of each directory, for each of its bells.
    heard: HashMap<i32, Vec<Heard>>,
    /// How many bells there have been.
    bells: u64,
}

/// What a bell has heard since it was asked.
#[derive(Debug)]
struct Heard {
    bell: u64,
    names: Vec<String>,
    is_unknown: bool,
}

/// The most names that are kept for a bell which nobody asks.
const MOST_NAMES: usize = 4_096;

impl Connection {
    fn open() -> Option<Self> {
        let told = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
        Some(Self { told, heard: HashMap::new(), bells: 0 })
    }

    /// Hands what was told to those whom it concerns.
    fn listen(&mut self) {
        let mut room = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(&self.told, &mut room);
        loop {
            match reader.next() {
                // Too many at once: some of them may have been about any.
                Ok(event) if event.events().contains(ReadFlags::QUEUE_OVERFLOW) => lose_all(&mut self.heard),
                Ok(event) => {
                    let name = event.file_name().and_then(|name| name.to_str().ok());
                    for heard in self.heard.get_mut(&event.wd()).into_iter().flatten() {
                        heard.hear(name);
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => return lose_all(&mut self.heard),
            }
        }
    }
}

fn lose_all(heard: &mut HashMap<i32, Vec<Heard>>) {
    heard.values_mut().flatten().for_each(|heard| heard.is_unknown = true);
}

impl Heard {
    /// Hears of a file; without a name it is about the directory itself.
    fn hear(&mut self, name: Option<&str>) {
        let Some(name) = name.filter(|_| !self.is_unknown && self.names.len() < MOST_NAMES) else {
            self.is_unknown = true;
            return self.names.clear();
        };
        if self.names.last().is_none_or(|last| last != name) {
            self.names.push(name.to_owned());
        }
    }
}

fn connection() -> MutexGuard<'static, Option<Connection>> {
    CONNECTION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells of changes to the files of a directory.
#[derive(Debug)]
pub(super) struct Bell {
    /// The directory, as the kernel calls it.
    watch: i32,
    bell: u64,
}

impl Bell {
    /// Asks to be told of changes from now on; nothing where not all would be told.
    pub(super) fn hang(path: &Path, open: &Opened) -> Option<Self> {
        let kind = u64::try_from(rustix::fs::fstatfs(open.descriptor()).ok()?.f_type).ok()?;
        if !OF_THIS_MACHINE.contains(&kind) {
            return None;
        }
        let mut connection = connection();
        if connection.is_none() {
            *connection = Connection::open();
        }
        let Connection { told, heard, bells } = connection.as_mut()?;
        let watch = inotify::add_watch(&*told, path, all_changes()).ok()?;
        *bells += 1;
        heard.entry(watch).or_default().push(Heard { bell: *bells, names: Vec::new(), is_unknown: false });
        Some(Self { watch, bell: *bells })
    }

    /// Says what has changed since it was last asked, or hung.
    pub(super) fn changes(&mut self) -> Changes {
        let mut connection = connection();
        let Some(connection) = &mut *connection else { return Changes::Unknown };
        connection.listen();
        let heard = connection.heard.get_mut(&self.watch).into_iter().flatten();
        match heard.into_iter().find(|heard| heard.bell == self.bell) {
            Some(Heard { names, is_unknown: false, .. }) => Changes::Of(std::mem::take(names)),
            Some(heard) => {
                heard.is_unknown = false;
                Changes::Unknown
            }
            None => Changes::Unknown,
        }
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        let mut connection = connection();
        let Some(Connection { told, heard, .. }) = &mut *connection else { return };
        let Some(of_watch) = heard.get_mut(&self.watch) else { return };
        of_watch.retain(|heard| heard.bell != self.bell);
        if of_watch.is_empty() {
            heard.remove(&self.watch);
            // It is gone already if the directory is.
            let _: rustix::io::Result<()> = inotify::remove_watch(&*told, self.watch);
        }
        if heard.is_empty() {
            *connection = None;
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

    /// Waits for a change; says whether there was one.
    pub(crate) fn rings(&self) -> bool {
        let mut told = [PollFd::new(&self.0, PollFlags::IN)];
        loop {
            match poll(&mut told, None) {
                Err(Errno::INTR) => {}
                woken => break woken.is_ok_and(|count| count > 0) && self.silence(),
            }
        }
    }

    /// Says whether nothing changes for so long, and takes note of nothing.
    pub(crate) fn is_silent(&self, long: Duration) -> bool {
        let mut told = [PollFd::new(&self.0, PollFlags::IN)];
        let long = Timespec::try_from(long).ok();
        long.is_some() && poll(&mut told, long.as_ref()).is_ok_and(|count| count == 0)
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
