//! A store as it will be after what is planned.
//!
//! Several trees may go to one store. What the first of them brings is not written yet when the next is looked at, and a preview never writes.
//! So whoever has to know what is there, which ids are taken or how a file goes on asks here, and not the disk.

use std::collections::HashMap;
use std::fs;

use custos_config::source::is_absence;
use custos_model::Kind;
use serde_json::{Map, Value};

use crate::shelf::{Item, Kept, Shelf};
use crate::store::{Store, StoreError};

/// What is recorded when a file is written.
pub(super) type Events = Vec<(Kind, Map<String, Value>)>;

/// A file to be written, and what is recorded then.
#[derive(Debug)]
pub(super) struct Write {
    pub(super) file: String,
    pub(super) text: String,
    pub(super) events: Events,
}

/// A store, and what is planned for it.
pub(super) struct Ahead<'a> {
    store: &'a Store,
    writes: Vec<Write>,
    /// Where a file is among them, by its name in lower case: not every file system tells `A.md` from `a.md`.
    places: HashMap<String, usize>,
}

/// An item that is there, or will be.
pub(super) struct Held<T> {
    pub(super) kept: Kept<T>,
    /// Whether it is not written yet.
    pub(super) is_planned: bool,
}

impl<'a> Ahead<'a> {
    pub(super) fn new(store: &'a Store) -> Self {
        Self { store, writes: Vec::new(), places: HashMap::new() }
    }

    pub(super) fn store(&self) -> &'a Store {
        self.store
    }

    /// Says whether there is no file of a name.
    pub(super) fn is_free(&self, file: &str) -> bool {
        let path = self.store.path(file);
        self.planned(file).is_none() && fs::symlink_metadata(path).is_err_and(|error| is_absence(&error))
    }

    /// Reads a file; one that is neither there nor planned is `None`.
    pub(super) fn read(&self, file: &str) -> Result<Option<String>, StoreError> {
        match self.planned(file) {
            Some(write) => Ok(Some(write.text.clone())),
            None => self.store.read(file),
        }
    }

    /// Lists the Markdown files of a directory.
    pub(super) fn list(&self, directory: &str) -> Vec<String> {
        let mut names = self.store.list(directory);
        names.extend(self.planned_in(directory).map(|(name, _)| name.to_owned()));
        names
    }

    /// Reads the items of a directory.
    pub(super) fn items<T: Item>(&self, directory: &'static str) -> Vec<Held<T>> {
        let there = Shelf::<T>::new(directory).contents(self.store).items;
        let planned = self.planned_in(directory).filter_map(|(_, write)| {
            let item = T::read(&write.file, &write.text).ok()?;
            Some(Held { kept: Kept::new(write.file.as_str(), item), is_planned: true })
        });
        there.into_iter().map(|kept| Held { kept, is_planned: false }).chain(planned).collect()
    }

    /// Plans to write a file. One that is planned already gets the new text, which goes on from the one before.
    pub(super) fn keep(&mut self, file: String, text: String, events: Events) {
        if let Some(at) = self.places.get(&file.to_lowercase()) {
            let write = &mut self.writes[*at];
            write.text = text;
            write.events.extend(events);
            return;
        }
        self.places.insert(file.to_lowercase(), self.writes.len());
        self.writes.push(Write { file, text, events });
    }

    /// How many files are planned.
    pub(super) fn planned_files(&self) -> usize {
        self.writes.len()
    }

    /// Gives everything that is planned.
    pub(super) fn into_writes(self) -> Vec<Write> {
        self.writes
    }

    fn planned(&self, file: &str) -> Option<&Write> {
        self.places.get(&file.to_lowercase()).map(|at| &self.writes[*at])
    }

    /// The planned files that lie in a directory, by their names there.
    fn planned_in(&self, directory: &str) -> impl Iterator<Item = (&str, &Write)> {
        self.writes.iter().filter_map(move |write| {
            let name = write.file.strip_prefix(directory)?.strip_prefix('/')?;
            (!name.contains('/')).then_some((name, write))
        })
    }
}
