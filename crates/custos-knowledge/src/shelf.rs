//! The items of one kind in a store, read once and kept as long as their files stay as they are.
//!
//! A server answers many questions about the same thousand files. What a file held is kept under its version ([`Version`]), so that a question
//! costs one look at each file at most ([`Sight`]), and a hand edit is seen by the next question. A file that cannot be read is no item, and no
//! reason to fail: it is set apart as a [`Fault`], which the doctor shows, and nobody overwrites it.
//!
//! What one server has read, the next finds in a [`Catalogue`]. It takes the place of reading, never of looking: a file whose version is not
//! the one that was catalogued is read.

mod kept;
mod known;
mod offers;
mod reading;
#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{
    AtomicBool,
    Ordering::{Acquire, Release},
};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::SystemTime;

use crate::catalogue::{Catalogue, Catalogued};
use crate::directory::{Directory, Sight, list};
use crate::store::Store;
use crate::text::FrontProblem;
use crate::together::Span;
use crate::unnamed::Fresh;
use crate::version::{Seen, Version};
pub use kept::{Holding, Kept, Source};
use known::{Belief, Known, Named, Now, Read, Standing};
use offers::{Offer, Offers};

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
pub trait Item: Sized + Send + Sync + 'static {
    /// What another shelf [beside](Shelf::beside) that of these items keeps of the same files.
    type Beside: Debug + Send + Sync + 'static;

    /// Reads it. `file` is the name below the store, such as `decisions/D-001-slug.md`.
    ///
    /// What a [`Catalogue`] holds was read by this: whoever lets it read something else gives the catalogue another form.
    fn read(file: &str, text: &str) -> Result<Self, Fault>;

    /// Reads it together with what a shelf beside this one keeps of the same file, where that takes less than to read the file twice.
    fn read_both(file: &str, text: &str) -> ReadBoth<Self, Self::Beside> {
        (Self::read(file, text), None)
    }

    /// What it is called.
    fn title(&self) -> &str;

    /// Spells what its fields say, for when its file cannot be read again.
    fn said(&self) -> String {
        String::new()
    }
}

/// What was read of a file for a shelf, and for the one beside it.
pub type ReadBoth<T, U> = (Result<T, Fault>, Option<Result<U, Fault>>);

/// What a directory holds.
#[derive(Debug)]
pub struct Contents<T> {
    /// The items, by file name.
    pub items: Vec<Kept<T>>,
    /// The files that are none.
    pub faults: Vec<Fault>,
}

/// The items of one directory of a store.
#[derive(Debug)]
pub struct Shelf<T: Item> {
    directory: &'static str,
    /// What was seen of the directory; shared with whoever keeps something else of its files.
    sight: Arc<Mutex<Sight>>,
    /// Whether the questions belong together that are asked now.
    span: Span,
    catalogue: Option<Catalogue<T>>,
    known: Mutex<Known<T>>,
    /// What was read for a shelf beside this one.
    offers: Offers<T::Beside>,
    /// What the shelf beside this one has read for it.
    offered: Option<Offers<T>>,
    /// What is about to come to the directory.
    fresh: Fresh<T>,
    /// Whether all files have been looked at once.
    is_looked_at: AtomicBool,
}

/// How many bytes of files are kept of a directory: a hundred times as many as a thousand lessons take. A clone may hold anything.
const MOST_TEXT: u64 = 32 << 20;

/// Says why a file is left out that is too much.
fn no_room(file: &str) -> Fault {
    let reason = format!(
        "is left out: with the files before it that is more than {} MB, and no more is read of a directory. Shorten or archive what is long",
        MOST_TEXT >> 20
    );
    Fault::new(file, 0, reason)
}

/// The fewest files that are worth a catalogue.
const WORTH_IT: usize = 64;

impl<T: Item> Shelf<T> {
    /// Names a directory, such as `decisions`.
    pub fn new(directory: &'static str) -> Self {
        Self {
            directory,
            sight: Arc::default(),
            span: Span::default(),
            catalogue: None,
            known: Mutex::default(),
            offers: Offers::default(),
            offered: None,
            fresh: Fresh::default(),
            is_looked_at: AtomicBool::new(false),
        }
    }

    /// Names a directory of a store, and where the catalogue of what was read of it is kept among others.
    pub(crate) fn catalogued(directory: &'static str, store: &Store, catalogues: Option<&Path>) -> Self
    where
        T: Catalogued,
    {
        let catalogue = catalogues.map(|catalogues| Catalogue::new(catalogues, store.path(directory)));
        Self { catalogue, ..Self::new(directory) }
    }

    /// Looks at the files together with another shelf of the same directory: what one has seen, the other need not look at, and when that one
    /// reads thousands once more, it reads them for both.
    pub(crate) fn beside<U: Item<Beside = T>>(self, other: &Shelf<U>) -> Self {
        Self { sight: Arc::clone(&other.sight), offered: Some(other.offers.clone()), ..self }
    }

    /// Believes what was read just now for as long as things are done together.
    pub(crate) fn during(self, span: &Span) -> Self {
        Self { span: span.clone(), ..self }
    }

    /// Reads what the directory holds now, with what is about to come there.
    pub fn contents(&self, store: &Store) -> Contents<T> {
        let mut contents = self.named(store);
        self.fresh.join(self.span.unnamed(), store, self.directory, &mut contents);
        contents
    }

    /// Reads the files that have their names.
    fn named(&self, store: &Store) -> Contents<T> {
        let (time, span) = (now(), self.span.now());
        let mut known = self.recalled(self.known());
        let mut sight = self.sight();
        let names = |version| match known.listed {
            // Elsewhere than on Unix a directory may not note when a file comes or goes.
            Some(listed) if cfg!(unix) && listed == version => known.names(),
            _ => list(store, self.directory),
        };
        let directory = sight.look((store, self.directory), time, names);
        let now = Now { span, watched_since: directory.and_then(Directory::watched_since) };
        let edition = directory.map(Directory::edition);
        known.listed = directory.and_then(Directory::listed);
        let before = known.edition.filter(|(_, belief)| belief.holds(now));
        if let Some((of, belief)) = before.filter(|(known, _)| Some(*known) == edition) {
            if belief.is_watched() {
                known.edition = Some((of, known.settle(time, now)));
            }
            return known.contents();
        }
        // What was read is still believed of the edition before, so that only what has changed since has to be looked at.
        let before = before.map(|(edition, _)| edition);
        let changed = match before.and_then(|edition| directory?.since(edition)) {
            Some(step) => known.follow(&step, now),
            None => known.take(directory.map(Directory::files).unwrap_or_default(), now),
        };
        let open = directory.map(Directory::opened);
        sight.rest();
        drop(sight);
        let changed = self.take_offers(&mut known, changed, now);
        let belief = |version: &Version| Belief::of(version.is_settled(time), now);
        let changed = known.within(MOST_TEXT, changed, |name, Seen { version, told, .. }| {
            let found = Err(Box::new(no_room(&below(self.directory, name))));
            // There may be room the next time.
            Read { version: *version, told: *told, belief: Belief::During(None), found }
        });
        let files = known.files_at(&changed);
        // A command that looks once does not ask the doctor as well.
        let is_for_both =
            self.offers.is_wanted() && (self.span.lives_on() || self.is_looked_at.load(Acquire));
        let (found, beside) = reading::read_all(store, self.directory, open.as_ref(), &files, is_for_both);
        self.offers.make(files.iter().zip(beside).filter_map(|((name, seen), found)| {
            let Seen { version, told, .. } = *seen;
            Some(Offer {
                name: Arc::clone(name),
                read: Read { version, told, belief: belief(&version), found: found? },
            })
        }));
        for ((at, Seen { version, told, .. }), found) in changed.into_iter().zip(found) {
            known.put(at, Read { version, told, belief: belief(&version), found });
        }
        let belief = known.settle(time, now);
        known.edition = edition.map(|edition| (edition, belief));
        self.is_looked_at.store(true, Release);
        known.contents()
    }

    /// Takes what the shelf beside this one has read for it. Gives the files that are still to be read.
    fn take_offers(&self, known: &mut Known<T>, changed: Vec<(usize, Seen)>, now: Now) -> Vec<(usize, Seen)> {
        let mut offers = match &self.offered {
            Some(offered) if !changed.is_empty() => offered.take(),
            _ => return changed,
        };
        let mut unread = Vec::new();
        for (at, seen) in changed {
            match offers.remove(&known.files[at].name) {
                Some(read) if read.is_of(&seen) && read.belief.holds(now) => known.put(at, read),
                _ => unread.push((at, seen)),
            }
        }
        unread
    }

    /// Reads two directories of a store; the first time, and if there are many files, side by side.
    pub(crate) fn both(one: &Self, other: &Self, store: &Store) -> [Contents<T>; 2] {
        let is_large = |shelf: &Self| {
            let is_first = !shelf.is_looked_at.load(Acquire);
            is_first && shelf.catalogue.as_ref().is_some_and(Catalogue::exists)
        };
        if !is_large(one) || !is_large(other) {
            return [one.contents(store), other.contents(store)];
        }
        let read = |shelf: &Self| {
            let contents = shelf.contents(store);
            // Whoever lists them looks at all.
            for kept in &contents.items {
                LazyLock::force(&kept.item);
            }
            contents
        };
        thread::scope(|scope| {
            let aside = thread::Builder::new().spawn_scoped(scope, || read(other));
            let here = read(one);
            let aside = aside.ok().map(|aside| aside.join().unwrap_or_else(|panic| resume_unwind(panic)));
            [here, aside.unwrap_or_else(|| read(other))]
        })
    }

    /// Counts the files of the directory, without reading them, their catalogue or waiting for anybody who does.
    pub fn count(&self, store: &Store) -> usize {
        match self.sight.try_lock() {
            Ok(mut sight) => sight.count(store, self.directory, now()),
            Err(_) => store.list(self.directory).len(),
        }
    }

    /// Writes the catalogue, if it says something else than the directory.
    pub(crate) fn write_catalogue(&self, store: &Store) {
        let Some(catalogue) = &self.catalogue else { return };
        let known = self.known();
        let is_listed = known.listed.is_some() && known.listed == store.version(self.directory);
        if known.catalogued == Standing::Unknown || known.catalogued == Standing::Current && is_listed {
            return;
        }
        drop(known);
        // Something may have been saved since.
        self.contents(store);
        let mut known = self.known();
        if known.catalogued == Standing::Missing && known.files.len() < WORTH_IT {
            return;
        }
        let entry = |file: &'_ Named<T>| match &file.read {
            Some(Read { version, belief: Belief::Settled, found: Ok(kept), .. }) => {
                Some((*version, kept.clone()))
            }
            // No item, or one that has not settled: whoever comes next reads it again.
            _ => None,
        };
        let entries: Vec<_> = known.files.iter().map(|file| (&*file.name, entry(file))).collect();
        catalogue.write(known.listed, &entries);
        known.catalogued = Standing::Current;
    }

    /// Reads and catalogues a large directory that nobody has catalogued, or not since a file came or went.
    pub(crate) fn read_ahead(&self, store: &Store) {
        if self.catalogue.is_none() {
            return;
        }
        let known = self.recalled(self.known());
        let (standing, listed) = (known.catalogued, known.listed);
        drop(known);
        let is_behind = match standing {
            Standing::Missing => self.count(store) >= WORTH_IT,
            _ => listed != store.version(self.directory),
        };
        if is_behind {
            self.write_catalogue(store);
        }
    }

    /// Reads what came to a large directory or has changed in it.
    pub(crate) fn keep_up(&self, store: &Store) {
        if self.count(store) >= WORTH_IT {
            self.contents(store);
        }
    }

    /// Counts the files that would have to be read if somebody asked.
    #[cfg(all(test, target_os = "linux"))]
    pub(crate) fn unread(&self, store: &Store) -> usize {
        let known = self.known();
        let watched_since = self.sight().watched_since();
        let now = Now { span: self.span.now(), watched_since };
        let is_read = |file: &&Named<T>| {
            let version = Version::of(&store.path(&below(self.directory, &file.name)));
            file.read.as_ref().is_some_and(|read| Some(read.version) == version && read.belief.holds(now))
        };
        self.count(store) - known.files.iter().filter(is_read).count()
    }

    /// Takes what the catalogue says, the first time.
    fn recalled<'k>(&self, mut known: MutexGuard<'k, Known<T>>) -> MutexGuard<'k, Known<T>> {
        if let (Standing::Unknown, Some(catalogue)) = (known.catalogued, &self.catalogue) {
            known.recall(catalogue.read(self.directory));
        }
        known
    }
}

impl<T: Item> Shelf<T> {
    /// Gives the files that were no items when the directory was last read.
    pub fn faults(&self) -> Vec<Fault> {
        let known = self.known();
        let read = known.files.iter().filter_map(|file| file.read.as_ref());
        read.filter_map(|read| read.found.as_ref().err().map(|fault| Fault::clone(fault))).collect()
    }

    fn sight(&self) -> MutexGuard<'_, Sight> {
        self.sight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self) -> MutexGuard<'_, Known<T>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Names a file of a directory as a store does.
pub(crate) fn below(directory: &str, name: &str) -> String {
    [directory, "/", name].concat()
}

/// The time by the clock of the machine: it is compared with what the file system says.
fn now() -> SystemTime {
    SystemTime::now()
}
