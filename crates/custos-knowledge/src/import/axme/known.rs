//! What the store holds already, for telling what is new.

use std::collections::HashMap;

use super::ahead::{Ahead, Held};
use crate::shelf::Item;
use crate::text::{self, Document, Wording};

/// The key that names the file from which an item was carried over.
pub(super) const ORIGIN: &str = "imported_from";

/// An item of the store.
struct Known<T> {
    held: Held<T>,
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
    pub(super) fn read(store: &Ahead<'_>, directories: &[&'static str], title: impl Fn(&T) -> &str) -> Self {
        let mut library = Self { all: Vec::new(), by_words: HashMap::new(), by_origin: HashMap::new() };
        for directory in directories {
            for held in store.items::<T>(directory) {
                let called = title(&held.kept.item);
                let wording = Wording::of(called);
                library.by_words.entry(bucket(called)).or_default().push(library.all.len());
                if let Some(origin) = origin(store, &held.kept.file) {
                    library.by_origin.insert(origin, library.all.len());
                }
                library.all.push(Known { held, title: wording });
            }
        }
        library
    }

    /// All of them.
    pub(super) fn items(&self) -> impl Iterator<Item = &T> {
        self.all.iter().map(|known| &*known.held.kept.item)
    }

    /// Finds the one that was carried over from a file.
    pub(super) fn from(&self, origin: &str) -> Option<&T> {
        self.by_origin.get(origin).map(|at| &*self.all[*at].held.kept.item)
    }

    /// Finds those with an equivalent title.
    pub(super) fn titled(&self, title: &str) -> Vec<&T> {
        self.called(title).map(|known| &*known.held.kept.item).collect()
    }

    /// Finds the one with an equivalent title that answers to the same name: somebody changed what it says. What another tree brings in the
    /// same go nobody has changed: that is another item.
    pub(super) fn changed(&self, title: &str, answers: impl Fn(&T) -> bool) -> Option<&T> {
        let there = self.called(title).filter(|known| !known.held.is_planned);
        there.map(|known| &*known.held.kept.item).find(|item| answers(item))
    }

    /// Finds the one that answers to the same name and says the same under another title. An import of before remembered no file where the
    /// name was kept.
    pub(super) fn retitled(&self, answers: impl Fn(&T) -> bool) -> Option<&T> {
        let there = self.all.iter().filter(|known| !known.held.is_planned);
        there.map(|known| &*known.held.kept.item).find(|item| answers(item))
    }

    fn called(&self, title: &str) -> impl Iterator<Item = &Known<T>> {
        let wording = Wording::of(title);
        let found = self.by_words.get(&bucket(title)).into_iter().flatten();
        found.map(|at| &self.all[*at]).filter(move |known| known.title.is_equivalent(&wording))
    }
}

/// Texts that are equivalent share their words, in whatever order.
pub(super) fn bucket(title: &str) -> Vec<String> {
    let mut words = text::words(title);
    words.sort_unstable();
    words
}

fn origin(store: &Ahead<'_>, file: &str) -> Option<String> {
    let text = store.read(file).ok()??;
    if !text.contains(ORIGIN) {
        return None;
    }
    Document::parse(&text).ok()?.front().text(ORIGIN).map(str::to_owned)
}
