//! What the store holds already, for telling what is new.

use std::collections::{HashMap, HashSet};

use crate::shelf::{Item, Kept, Shelf};
use crate::store::Store;
use crate::text::{self, Document, Wording};

/// The key that names the file from which an item was carried over, where its own name does not say it.
pub(super) const ORIGIN: &str = "imported_from";

/// An item of the store.
#[derive(Debug)]
pub(super) struct Known<T> {
    pub(super) kept: Kept<T>,
    title: Wording,
}

/// The items of one kind, live and archived, found by title or origin.
pub(super) struct Library<T> {
    all: Vec<Known<T>>,
    by_words: HashMap<Vec<String>, Vec<usize>>,
    by_origin: HashMap<String, usize>,
}

impl<T: Item> Library<T> {
    /// Reads the directories of a kind.
    pub(super) fn read(store: &Store, directories: &[&'static str], title: impl Fn(&T) -> &str) -> Self {
        let mut library = Self { all: Vec::new(), by_words: HashMap::new(), by_origin: HashMap::new() };
        for directory in directories {
            for kept in Shelf::<T>::new(directory).contents(store).items {
                let wording = Wording::of(title(&kept.item));
                library.by_words.entry(bucket(title(&kept.item))).or_default().push(library.all.len());
                if let Some(origin) = origin(store, &kept.file) {
                    library.by_origin.insert(origin, library.all.len());
                }
                library.all.push(Known { kept, title: wording });
            }
        }
        library
    }

    /// All of them.
    pub(super) fn items(&self) -> impl Iterator<Item = &T> {
        self.all.iter().map(|known| &*known.kept.item)
    }

    /// Finds the one that was carried over from a file.
    pub(super) fn from(&self, origin: &str) -> Option<&T> {
        self.by_origin.get(origin).map(|at| &*self.all[*at].kept.item)
    }

    /// Finds those with an equivalent title.
    pub(super) fn titled(&self, title: &str) -> Vec<&T> {
        let wording = Wording::of(title);
        let found = self.by_words.get(&bucket(title)).into_iter().flatten();
        let found = found.map(|at| &self.all[*at]).filter(|known| known.title.is_equivalent(&wording));
        found.map(|known| &*known.kept.item).collect()
    }
}

/// Titles that are equivalent share their words, in whatever order.
fn bucket(title: &str) -> Vec<String> {
    let mut words = text::words(title);
    words.sort_unstable();
    words
}

fn origin(store: &Store, file: &str) -> Option<String> {
    let text = store.read(file).ok()??;
    if !text.contains(ORIGIN) {
        return None;
    }
    Document::parse(&text).ok()?.front().text(ORIGIN).map(str::to_owned)
}

/// The numbers that are given out, so that none is given twice.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    taken: HashSet<u32>,
    last: u32,
}

/// Beyond this, somebody made a number up, and nobody counts on from there.
const HIGHEST: u32 = 99_999_999;

impl Numbers {
    /// Counts a number in that is taken.
    pub(super) fn mark(&mut self, number: u32) {
        self.taken.insert(number);
        self.above(number);
    }

    /// Gives out none below a number.
    pub(super) fn above(&mut self, number: u32) {
        if number <= HIGHEST {
            self.last = self.last.max(number);
        }
    }

    /// Says whether a number is free, and takes it.
    pub(super) fn claim(&mut self, number: u32) -> bool {
        self.taken.insert(number)
    }

    /// Gives out the next number.
    pub(super) fn next(&mut self) -> u32 {
        loop {
            self.last += 1;
            if self.claim(self.last) {
                return self.last;
            }
        }
    }
}
