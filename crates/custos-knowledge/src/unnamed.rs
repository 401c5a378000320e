//! New files that are written, and get their names together.
//!
//! No name may ever lead to half a file, so a file is forced to the disk before it gets one. Whoever saves twenty items and waits for each of
//! them waits twenty times for the disk, which could have taken them in one go. So new items that are saved [together](crate::together) are
//! written to temporary files; at the end all of them are [pledged](crate::pledge) or forced, then all of them are named. A process that dies
//! before that leaves nothing of them but what the doctor clears away.
//!
//! Until then nobody else sees them, and the store stays locked. But whoever saves the next one has to know of those before: the shelves of
//! this base show them among the others ([`Fresh`]). Whatever else looks at one of these files, or takes something away, has them named first
//! ([`crate::store::Writing::publish`]).

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use custos_config::replace::Written;
use custos_config::shown::shown;

use crate::pledge::{self, Pledged};
use crate::refusal::{Cause, Refusal};
use crate::shelf::{Contents, Fault, Item, Kept};
use crate::store::{Level, Store};

/// How many files wait at most: each is open, and a process may have as few as 256 open.
pub(crate) const MOST: usize = 48;

/// The files that have no names yet.
#[derive(Debug, Default)]
pub(crate) struct Unnamed {
    /// How many there are, for whoever only wants to know whether there are any.
    count: AtomicUsize,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    /// How often those that waited were named.
    round: u64,
    files: Vec<Waiter>,
}

/// A file that has no name yet.
#[derive(Debug)]
struct Waiter {
    store: Store,
    file: String,
    text: String,
    /// Whether it takes the place of one that is there.
    replaces: bool,
    written: Written,
}

/// What became of files that were to be named.
#[derive(Debug, Default)]
pub(crate) struct Named {
    /// The directories with new names in them, where these have to be forced before anybody is told.
    pub(crate) directories: Vec<PathBuf>,
    /// Whether the files are pledged, so that they need not be.
    pub(crate) is_pledged: bool,
    /// The stores that they are in.
    pub(crate) stores: Vec<Store>,
    /// Those that could not be kept.
    pub(crate) failed: Vec<Unkept>,
}

/// A file that could not be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unkept {
    /// The store that it was for.
    pub store: Store,
    /// The file, below the store.
    pub file: String,
    /// The system's reason.
    pub why: String,
}

impl Unkept {
    /// Says whether it is this file.
    pub(crate) fn is(&self, store: &Store, file: &str) -> bool {
        self.file == file && self.store.dir == store.dir
    }

    /// Says whether it is the file of an item that a store was said to have.
    pub fn is_at(&self, (level, store, file): (Level, &str, &str)) -> bool {
        self.store.level == level && self.store.name == store && self.file == file
    }

    /// Refuses what it was for.
    pub fn refusal(&self) -> Refusal {
        Refusal::new(self.told(), "").because(Cause::System)
    }

    /// Says so, and what to do.
    pub fn told(&self) -> String {
        format!(
            "NOT KEPT after all: {} of {} could not be put in its place: {}. Check the permissions and the space on the disk, then send it again",
            shown(&self.file),
            shown(&self.store.name),
            self.why
        )
    }
}

impl Unnamed {
    /// Says whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Says whether a file is one of them.
    pub(crate) fn has(&self, store: &Store, file: &str) -> bool {
        !self.is_empty()
            && self.waiting().files.iter().any(|waiter| waiter.file == file && waiter.store.dir == store.dir)
    }

    /// Takes a file that was written.
    pub(crate) fn add(&self, store: &Store, (file, text, replaces): (&str, &str, bool), written: Written) {
        let mut waiting = self.waiting();
        let (store, file, text) = (store.clone(), file.to_owned(), text.to_owned());
        waiting.files.push(Waiter { store, file, text, replaces, written });
        self.count.store(waiting.files.len(), Ordering::Release);
    }

    /// Gives all of them their names, once they are on the disk: forced, or pledged where `may_pledge` says so and it is possible.
    pub(crate) fn name_all(&self, may_pledge: impl Fn(&Store) -> bool) -> Named {
        let mut waiting = self.waiting();
        let files = std::mem::take(&mut waiting.files);
        waiting.round += 1;
        self.count.store(0, Ordering::Release);
        drop(waiting);
        let mut stores: Vec<Store> = files.iter().map(|waiter| waiter.store.clone()).collect();
        stores.dedup();
        let is_pledged = stores.len() == 1 && may_pledge(&stores[0]) && is_pledged(&stores[0], &files);
        let forced = if is_pledged { files.iter().map(|_| Ok(())).collect() } else { forced(&files) };
        let mut named = Named { is_pledged, stores, ..Named::default() };
        for (Waiter { store, file, replaces, written, .. }, forced) in files.into_iter().zip(forced) {
            let name = |()| if replaces { written.replace() } else { written.name() };
            match forced.and_then(name) {
                Ok(directory) => named.directories.push(directory),
                Err(error) => named.failed.push(Unkept { store, file, why: error.to_string() }),
            }
        }
        named
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forces files to the disk, all of them in one go.
fn forced(files: &[Waiter]) -> Vec<io::Result<()>> {
    for waiter in files {
        waiter.written.begin();
    }
    files.iter().map(|waiter| waiter.written.force()).collect()
}

/// Pledges files that are all in one store. Says whether that could be done.
fn is_pledged(store: &Store, files: &[Waiter]) -> bool {
    let pledged = |Waiter { file, text, replaces, .. }: &Waiter| Pledged {
        file: file.clone(),
        text: text.clone(),
        replaces: *replaces,
    };
    pledge::make(store, files.iter().map(pledged).collect()).is_ok()
}

/// The files without names that belong on a shelf, as it shows them.
#[derive(Debug)]
pub(crate) struct Fresh<T>(Mutex<Looked<T>>);

#[derive(Debug)]
struct Looked<T> {
    /// In which round, and at how many.
    round: u64,
    count: usize,
    read: Vec<Result<Kept<T>, Fault>>,
}

impl<T: Item> Fresh<T> {
    /// Puts those of a directory among the files that have names.
    pub(crate) fn join(&self, unnamed: &Unnamed, store: &Store, directory: &str, contents: &mut Contents<T>) {
        if unnamed.is_empty() {
            return;
        }
        let waiting = unnamed.waiting();
        let mut looked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.round != waiting.round {
            *looked = Looked { round: waiting.round, ..Looked::default() };
        }
        for Waiter { store: of, file, text, .. } in &waiting.files[looked.count..] {
            let is_here = file.strip_prefix(directory).is_some_and(|name| name.starts_with('/'));
            if is_here && of.dir == store.dir {
                looked.read.push(T::read(file, text).map(|item| Kept::new(file.clone(), item)));
            }
        }
        looked.count = waiting.files.len();
        for read in &looked.read {
            match read {
                Ok(kept) => match contents.items.binary_search_by(|other| other.file.cmp(&kept.file)) {
                    // Somebody has brought one of that name, which stays.
                    Ok(_) => {}
                    Err(at) => contents.items.insert(at, kept.clone()),
                },
                Err(fault) => contents.faults.push(fault.clone()),
            }
        }
    }
}

impl<T> Default for Looked<T> {
    fn default() -> Self {
        Self { round: 0, count: 0, read: Vec::new() }
    }
}

impl<T> Default for Fresh<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}
