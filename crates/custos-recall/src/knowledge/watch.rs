//! What a server saw of a store when the index had all of it.
//!
//! Comparing thousands of stamps with those of the index takes longer than looking at the files. So whoever found nothing to do remembers what
//! they saw, down to the version of each file, and in which edition of the index. Only what had settled is remembered: the same sight is then
//! the same files. A hook asks once, and gains nothing by it.

use std::time::SystemTime;

use custos_index::Edition;
use custos_knowledge::roll::Roll;
use custos_knowledge::{Store, Version};

use super::told::{SHELVES, Tell};

/// What is remembered of a store.
#[derive(Debug)]
pub(crate) struct Watch {
    rolls: [(Roll, Tell); SHELVES.len()],
    before: Option<(Edition, Sighting)>,
}

/// What there is to be seen of a store: the files, and whatever else their rows in the index depend on.
#[derive(Debug)]
pub(super) struct Sighting {
    pub(super) trusted: bool,
    pub(super) project: Option<String>,
    /// The files of one item each, with what reads them.
    pub(super) files: Vec<(Tell, String, Version)>,
    /// The version of the file with the questions.
    pub(super) questions: Option<Version>,
}

impl Sighting {
    /// The versions of all that is there.
    pub(super) fn versions(&self) -> impl Iterator<Item = Version> {
        self.files.iter().map(|(_, _, version)| *version).chain(self.questions)
    }

    fn is_same(&self, other: &Self) -> bool {
        let files = |sighting: &'_ Self| sighting.files.len();
        let is_same_file =
            |((_, path, version), (_, other, of_other)): (&(_, String, _), &(_, String, _))| {
                version == of_other && path == other
            };
        (self.trusted, &self.project, self.questions) == (other.trusted, &other.project, other.questions)
            && files(self) == files(other)
            && self.files.iter().zip(&other.files).all(is_same_file)
    }
}

impl Default for Watch {
    fn default() -> Self {
        Self { rolls: SHELVES.map(|(directory, tell)| (Roll::new(directory), tell)), before: None }
    }
}

impl Watch {
    /// Looks at the files that are one item each.
    pub(super) fn look(&mut self, store: &Store, now: SystemTime) -> Vec<(Tell, String, Version)> {
        let mut files = Vec::new();
        for (roll, tell) in &mut self.rolls {
            let directory = roll.directory();
            let present = roll.call(store, now).into_iter();
            files.extend(present.map(|file| (*tell, [directory, "/", file.name].concat(), file.version)));
        }
        files
    }

    /// Says whether there is nothing to do: the files and the index are what they were when there was nothing to do.
    pub(super) fn is_as_before(&self, edition: Edition, sighting: &Sighting) -> bool {
        self.before.as_ref().is_some_and(|(of, before)| *of == edition && before.is_same(sighting))
    }

    /// Remembers that there is nothing to do.
    pub(super) fn remember(&mut self, edition: Edition, sighting: Sighting) {
        self.before = Some((edition, sighting));
    }
}
