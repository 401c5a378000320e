//! The items of one kind in a store, read once and kept as long as their files stay as they are.
//!
//! A server answers many questions about the same thousand files. What a file held is kept under its stamp (inode, length, time of the last
//! change), so that a question costs one listing and one `stat` per file, and a hand edit is seen by the next question. A file that cannot be
//! read is no item, and no reason to fail: it is set apart as a [`Fault`], which the doctor shows, and nobody overwrites it.

use std::collections::HashMap;
use std::fs::Metadata;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use crate::store::Store;
use crate::text::{FrontProblem, Wording};

/// A file that is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Fault {
    /// The file, below its store.
    pub file: String,
    /// The line, or 0 where it is about the whole file.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

impl Fault {
    /// Says what is wrong with a file and where.
    pub fn new(file: impl Into<String>, line: usize, reason: impl Into<String>) -> Self {
        Self { file: file.into(), line, reason: reason.into() }
    }

    /// Says what is wrong with the front matter of a file.
    pub fn of(file: &str, problem: &FrontProblem) -> Self {
        Self::new(file, problem.line, problem.reason.clone())
    }
}

/// Something that is kept in a file of its own.
pub trait Item: Sized {
    /// Reads it. `file` is the name below the store, such as `decisions/D-001-slug.md`.
    fn read(file: &str, text: &str) -> Result<Self, Fault>;

    /// What it is called.
    fn title(&self) -> &str;
}

/// An item and the file that holds it.
#[derive(Debug)]
pub struct Kept<T> {
    /// The file, below the store.
    pub file: String,
    /// What it holds.
    pub item: Arc<T>,
    /// Its title, read for comparison as soon as somebody compares it.
    wording: Arc<OnceLock<Wording>>,
}

impl<T> Kept<T> {
    /// Takes an item with its file.
    pub fn new(file: impl Into<String>, item: impl Into<Arc<T>>) -> Self {
        Self { file: file.into(), item: item.into(), wording: Arc::default() }
    }
}

impl<T: Item> Kept<T> {
    /// The wording of its title. It is kept with the item: whoever saves one compares it with a thousand.
    pub fn wording(&self) -> &Wording {
        self.wording.get_or_init(|| Wording::of(self.item.title()))
    }
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self { file: self.file.clone(), item: Arc::clone(&self.item), wording: Arc::clone(&self.wording) }
    }
}

/// What a directory holds.
#[derive(Debug)]
pub struct Contents<T> {
    /// The items, by file name.
    pub items: Vec<Kept<T>>,
    /// The files that are none.
    pub faults: Vec<Fault>,
}

/// What tells one version of a file from another.
type Stamp = (u64, u64, Option<SystemTime>);

/// Files that were read, with the version that was.
type Known<T> = HashMap<String, (Stamp, Result<Kept<T>, Fault>)>;

/// The items of one directory of a store.
#[derive(Debug)]
pub struct Shelf<T> {
    directory: &'static str,
    known: Mutex<Known<T>>,
}

impl<T: Item> Shelf<T> {
    /// Names a directory, such as `decisions`.
    pub fn new(directory: &'static str) -> Self {
        Self { directory, known: Mutex::default() }
    }

    /// Reads what the directory holds now.
    pub fn contents(&self, store: &Store) -> Contents<T> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut contents = Contents { items: Vec::new(), faults: Vec::new() };
        let mut still_there = Known::new();
        for (name, metadata) in store.entries(self.directory) {
            let stamp = stamp(&metadata);
            let read = match known.remove(&name) {
                Some((then, read)) if then == stamp => read,
                _ => read(store, format!("{}/{name}", self.directory), &metadata),
            };
            match &read {
                Ok(kept) => contents.items.push(kept.clone()),
                Err(fault) => contents.faults.push(fault.clone()),
            }
            still_there.insert(name, (stamp, read));
        }
        *known = still_there;
        contents
    }
}

impl<T> Shelf<T> {
    /// Gives the files that were no items when the directory was last read.
    pub fn faults(&self) -> Vec<Fault> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut faults: Vec<Fault> =
            known.values().filter_map(|(_, read)| read.as_ref().err().cloned()).collect();
        faults.sort_by(|a, b| a.file.cmp(&b.file));
        faults
    }
}

fn read<T: Item>(store: &Store, file: String, metadata: &Metadata) -> Result<Kept<T>, Fault> {
    match store.read_listed(&file, metadata) {
        Ok(Some(text)) => T::read(&file, &text).map(|item| Kept::new(file, item)),
        Ok(None) => Err(Fault::new(file, 0, "vanished while it was read")),
        Err(error) => Err(Fault::new(file, 0, error.to_string())),
    }
}

fn stamp(metadata: &Metadata) -> Stamp {
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(metadata);
    #[cfg(not(unix))]
    let inode = 0;
    (inode, metadata.len(), metadata.modified().ok())
}
