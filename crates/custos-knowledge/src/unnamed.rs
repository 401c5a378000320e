//! New files that are written, and get their names together.
//!
//! No name may ever lead to half a file, so a file is forced to the disk before it gets one. Whoever saves twenty items and waits for each of
//! them waits twenty times for the disk, which could have taken them in one go. So new items that are saved [together](crate::together) are
//! written to temporary files; at the end all of them are forced, then all of them are named. A process that dies before that leaves nothing of
//! them but what the doctor clears away.
//!
//! Until then nobody else sees them, and the store stays locked. But whoever saves the next one has to know of those before: the shelves of
//! this base show them among the others ([`Fresh`]). Whatever else looks at one of these files, or takes something away, has them named first
//! ([`crate::store::Writing::publish`]).

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use custos_config::replace::Written;
use custos_config::shown::shown;

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
    written: Written,
}

/// What became of files that were to be named.
#[derive(Debug, Default)]
pub(crate) struct Named {
    /// The directories with new names in them.
    pub(crate) directories: Vec<PathBuf>,
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
    pub(crate) fn add(&self, store: &Store, (file, text): (&str, &str), written: Written) {
        let mut waiting = self.waiting();
        let (store, file, text) = (store.clone(), file.to_owned(), text.to_owned());
        waiting.files.push(Waiter { store, file, text, written });
        self.count.store(waiting.files.len(), Ordering::Release);
    }

    /// Forces all of them to the disk, and gives them their names.
    pub(crate) fn name_all(&self) -> Named {
        let mut waiting = self.waiting();
        let files = std::mem::take(&mut waiting.files);
        waiting.round += 1;
        self.count.store(0, Ordering::Release);
        drop(waiting);
        for waiter in &files {
            waiter.written.begin();
        }
        let forced: Vec<_> = files.iter().map(|waiter| waiter.written.force()).collect();
        let mut named = Named::default();
        for (Waiter { store, file, written, .. }, forced) in files.into_iter().zip(forced) {
            match forced.and_then(|()| written.name()) {
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
