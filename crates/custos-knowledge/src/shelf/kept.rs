//! An item as a shelf keeps it: made when somebody looks at it, with what whoever compares or lists it need not find out twice.

use std::ops::Deref;
use std::sync::{Arc, LazyLock, OnceLock};

use super::Item;
use crate::text::Wording;

/// An item and the file that holds it. Whoever clones it shares it: a list has thousands.
#[derive(Debug)]
pub struct Kept<T>(Arc<Holding<T>>);

/// What is kept of a file.
#[derive(Debug)]
pub struct Holding<T> {
    /// The file, below the store.
    pub file: String,
    /// What it holds; made when somebody looks at it, for most questions are about a few.
    pub item: LazyLock<T, Source<T>>,
    /// Its title, read for comparison as soon as somebody compares it.
    wording: OnceLock<Wording>,
    /// Its line in the list of its kind, once somebody has spelt it.
    line: OnceLock<String>,
}

/// Where an item comes from: it was read, or is spelt in a catalogue.
pub type Source<T> = Box<dyn FnOnce() -> T + Send>;

impl<T: Send + 'static> Kept<T> {
    /// Takes an item with its file.
    pub fn new(file: impl Into<String>, item: T) -> Self {
        Self::from(file.into(), Box::new(move || item), None)
    }
}

impl<T> Kept<T> {
    /// Takes where an item comes from, with its file, and the wording of its title if somebody has read it for comparison before.
    pub(crate) fn from(file: String, source: Source<T>, wording: Option<Wording>) -> Self {
        let item = LazyLock::new(source);
        let wording = wording.map_or_else(OnceLock::new, OnceLock::from);
        Self(Arc::new(Holding { file, item, wording, line: OnceLock::new() }))
    }
}

impl<T> Holding<T> {
    /// The line that stands for it in the list of its kind: spelt once, and shown until its file changes.
    pub fn line(&self, spell: impl FnOnce(&T) -> String) -> &str {
        self.line.get_or_init(|| spell(&self.item))
    }

    /// The wording of its title, if somebody has compared it.
    pub(crate) fn compared(&self) -> Option<&Wording> {
        self.wording.get()
    }
}

impl<T: Item> Holding<T> {
    /// The wording of its title. It is kept with the item: whoever saves one compares it with a thousand.
    pub fn wording(&self) -> &Wording {
        self.wording.get_or_init(|| Wording::of(self.item.title()))
    }
}

impl<T> Deref for Kept<T> {
    type Target = Holding<T>;

    fn deref(&self) -> &Holding<T> {
        &self.0
    }
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}
