//! The items of one kind in a store, read once and kept as long as their files stay as they are.
//!
//! A server answers many questions about the same thousand files. What a file held is kept under its version ([`Version`]), so that a question
//! costs one look at each file at most ([`Sight`]), and a hand edit is seen by the next question. A file that cannot be read is no item, and no
//! reason to fail: it is set apart as a [`Fault`], which the doctor shows, and nobody overwrites it.
//!
//! What one server has read, the next finds in a [`Catalogue`]. It takes the place of reading, never of looking: a file whose version is not
//! the one that was catalogued is read.

mod kept;
mod offers;
mod reading;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::fmt::Debug;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{
    AtomicBool,
    Ordering::{Acquire, Release},
};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::SystemTime;

use crate::catalogue::{Catalogue, Catalogued, Recalled};
use crate::directory::{Directory, File, Name, Sight, list};
use crate::store::Store;
use crate::text::FrontProblem;
use crate::together::Span;
use crate::version::{Seen, Version};
pub use kept::{Holding, Kept, Source};
use offers::{Offer, Offers};
use reading::Found;

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
    /// Whether all files have been looked at once.
    is_looked_at: AtomicBool,
}

/// What is known of a directory.
#[derive(Debug)]
struct Known<T> {
    /// The edition of the directory that all files were read of, and how long that is believed.
    edition: Option<(u64, Belief)>,
    /// The version of the directory that has these files, if a change of it is sure to show.
    listed: Option<Version>,
    /// The files, by name.
    files: Vec<Named<T>>,
    /// Room for as many, empty: to ask the system for it whenever a file comes takes longer than to move them.
    spare: Vec<Named<T>>,
    /// What is known of the catalogue.
    catalogued: Standing,
}

/// A file that is there.
#[derive(Debug)]
struct Named<T> {
    name: Name,
    read: Option<Read<T>>,
}

impl<T> Named<T> {
    /// Says whether it need not be read.
    fn is_read(&self, seen: &Seen, span: Option<NonZero<u64>>) -> bool {
        self.read.as_ref().is_some_and(|read| read.version == seen.version && read.belief.holds(span))
    }
}

/// What was read of a file.
#[derive(Debug)]
struct Read<T> {
    /// The version that it was read of.
    version: Version,
    belief: Belief,
    // Faults are few, and a thousand of these are moved whenever a file comes or goes.
    found: Found<T>,
}

/// How long something is believed that was read of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Belief {
    /// As long as it is the version: a change is sure to show.
    Settled,
    /// Within this span: a change may come that does not show, but whoever asks several things at once gets one answer to all of them.
    During(Option<NonZero<u64>>),
}

impl Belief {
    /// Says whether something is believed that was read then.
    fn holds(self, now: Option<NonZero<u64>>) -> bool {
        match self {
            Self::Settled => true,
            Self::During(then) => then.is_some() && then == now,
        }
    }
}

/// How a catalogue stands to what was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Nobody has looked at it.
    Unknown,
    /// There is none.
    Missing,
    /// It says something else.
    Behind,
    /// It says the same.
    Current,
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
    /// reads thousands, it reads them for both.
    pub(crate) fn beside<U: Item<Beside = T>>(self, other: &Shelf<U>) -> Self {
        Self { sight: Arc::clone(&other.sight), offered: Some(other.offers.clone()), ..self }
    }

    /// Believes what was read just now for as long as things are done together.
    pub(crate) fn during(self, span: &Span) -> Self {
        Self { span: span.clone(), ..self }
    }

    /// Reads what the directory holds now.
    pub fn contents(&self, store: &Store) -> Contents<T> {
        let (now, span) = (now(), self.span.now());
        // Who comes while the files are looked at for the first time waits for that, and need not look again.
        let is_first = !self.is_looked_at.load(Acquire);
        let known = self.known();
        if is_first && self.is_looked_at.load(Acquire) {
            return known.contents();
        }
        let mut known = self.recalled(known);
        let mut sight = self.sight();
        let names = |version| match known.listed {
            // Elsewhere than on Unix a directory may not note when a file comes or goes.
            Some(listed) if cfg!(unix) && listed == version => known.names(),
            _ => list(store, self.directory),
        };
        let directory = sight.look((store, self.directory), now, names);
        let edition = directory.map(Directory::edition);
        known.listed = directory.and_then(Directory::listed);
        if known.edition.is_some_and(|(known, belief)| Some(known) == edition && belief.holds(span)) {
            return known.contents();
        }
        // What was read is still believed of the edition before, so that only what has changed since has to be looked at.
        let before = known.edition.filter(|(_, belief)| belief.holds(span)).map(|(edition, _)| edition);
        let changed = match before.and_then(|edition| directory?.since(edition)) {
            Some(step) => known.follow(&step, span),
            None => known.take(directory.map(Directory::files).unwrap_or_default(), span),
        };
        let open = directory.map(Directory::opened);
        sight.rest();
        drop(sight);
        let changed = self.take_offers(&mut known, changed, span);
        let belief = |version: &Version| {
            if version.is_settled(now) { Belief::Settled } else { Belief::During(span) }
        };
        let files = known.files_at(&changed);
        let is_for_both = self.offers.is_wanted();
        let (found, beside) = reading::read_all(store, self.directory, open.as_ref(), &files, is_for_both);
        self.offers.make(files.iter().zip(beside).filter_map(|((name, seen), found)| {
            let read = Read { version: seen.version, belief: belief(&seen.version), found: found? };
            Some(Offer { name: Arc::clone(name), read })
        }));
        for ((at, Seen { version, .. }), found) in changed.into_iter().zip(found) {
            known.put(at, Read { version, belief: belief(&version), found });
        }
        let belief = if known.is_settled() { Belief::Settled } else { Belief::During(span) };
        known.edition = edition.map(|edition| (edition, belief));
        self.is_looked_at.store(true, Release);
        known.contents()
    }

    /// Takes what the shelf beside this one has read for it. Gives the files that are still to be read.
    fn take_offers(
        &self,
        known: &mut Known<T>,
        changed: Vec<(usize, Seen)>,
        span: Option<NonZero<u64>>,
    ) -> Vec<(usize, Seen)> {
        let mut offers = match &self.offered {
            Some(offered) if !changed.is_empty() => offered.take(),
            _ => return changed,
        };
        let mut unread = Vec::new();
        for (at, seen) in changed {
            match offers.remove(&known.files[at].name) {
                Some(read) if read.version == seen.version && read.belief.holds(span) => known.put(at, read),
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
            Some(Read { version, belief: Belief::Settled, found: Ok(kept) }) => {
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
        let (known, span) = (self.known(), self.span.now());
        let is_read = |file: &&Named<T>| {
            let version = Version::of(&store.path(&below(self.directory, &file.name)));
            file.read.as_ref().is_some_and(|read| Some(read.version) == version && read.belief.holds(span))
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

impl<T> Known<T> {
    /// Gives what the files held when they were last looked at.
    fn contents(&self) -> Contents<T> {
        let mut contents = Contents { items: Vec::with_capacity(self.files.len()), faults: Vec::new() };
        for read in self.files.iter().filter_map(|file| file.read.as_ref()) {
            match &read.found {
                Ok(kept) => contents.items.push(kept.clone()),
                Err(fault) => contents.faults.push(Fault::clone(fault)),
            }
        }
        contents
    }

    /// Takes what a catalogue says.
    fn recall(&mut self, catalogue: Option<Recalled<T>>) {
        let Some(Recalled { listed, files }) = catalogue else {
            self.catalogued = Standing::Missing;
            return;
        };
        let read = |(version, kept)| Read { version, belief: Belief::Settled, found: Ok(kept) };
        self.files = files
            .into_iter()
            .map(|(name, entry)| Named { name: name.into(), read: entry.map(read) })
            .collect();
        self.listed = listed;
        self.catalogued = Standing::Current;
    }

    /// Keeps what was read of a file.
    fn put(&mut self, at: usize, read: Read<T>) {
        let file = &mut self.files[at];
        // What was no item and is none is not in the catalogue either.
        if file.read.is_some() || read.found.is_ok() {
            self.catalogued.fall_behind();
        }
        file.read = Some(read);
    }

    /// Says whether a change of any file is sure to show.
    fn is_settled(&self) -> bool {
        let mut reads = self.files.iter().filter_map(|file| file.read.as_ref());
        reads.all(|read| read.belief == Belief::Settled)
    }

    /// Names some of the files, with what was seen of them.
    fn files_at(&self, places: &[(usize, Seen)]) -> Vec<File> {
        places.iter().map(|(at, seen)| (Arc::clone(&self.files[*at].name), *seen)).collect()
    }

    fn names(&self) -> Vec<Name> {
        self.files.iter().map(|file| Arc::clone(&file.name)).collect()
    }

    /// Takes what has become of a few files. Gives those that have to be read.
    fn follow(&mut self, step: &[(Name, Option<Seen>)], span: Option<NonZero<u64>>) -> Vec<(usize, Seen)> {
        for (name, seen) in step {
            match (self.find(name), seen) {
                (Ok(at), None) => {
                    self.files.remove(at);
                    self.catalogued.fall_behind();
                }
                (Err(at), Some(_)) => self.files.insert(at, Named { name: Arc::clone(name), read: None }),
                (Ok(_), Some(_)) | (Err(_), None) => {}
            }
        }
        let place = |(name, seen): &(Name, Option<Seen>)| Some((self.find(name).ok()?, (*seen)?));
        let mut places: Vec<(usize, Seen)> = step.iter().filter_map(place).collect();
        places.retain(|(at, seen)| !self.files[*at].is_read(seen, span));
        places
    }

    fn find(&self, name: &str) -> Result<usize, usize> {
        self.files.binary_search_by(|file| (*file.name).cmp(name))
    }

    /// Takes the files that are there, in order, and keeps what is known of them. Gives those that have to be read.
    fn take(&mut self, there: &[File], span: Option<NonZero<u64>>) -> Vec<(usize, Seen)> {
        let mut unread = Vec::new();
        std::mem::swap(&mut self.files, &mut self.spare);
        let mut before = self.spare.drain(..).peekable();
        self.files.reserve(there.len());
        for (at, (name, seen)) in there.iter().enumerate() {
            let known = loop {
                let same = |file: &Named<T>| Arc::ptr_eq(&file.name, name).then_some(Ordering::Equal);
                match before.peek().map(|file| same(file).unwrap_or_else(|| file.name.cmp(name))) {
                    Some(Ordering::Less) => drop(before.next()),
                    Some(Ordering::Equal) => break before.next(),
                    Some(Ordering::Greater) | None => break None,
                }
                self.catalogued.fall_behind();
            };
            let file = Named { name: Arc::clone(name), read: known.and_then(|file| file.read) };
            if !file.is_read(seen, span) {
                unread.push((at, *seen));
            }
            self.files.push(file);
        }
        if before.next().is_some() {
            self.catalogued.fall_behind();
        }
        unread
    }
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self {
            edition: None,
            listed: None,
            files: Vec::new(),
            spare: Vec::new(),
            catalogued: Standing::Unknown,
        }
    }
}

impl Standing {
    /// Notes that something was read, or is gone.
    fn fall_behind(&mut self) {
        if *self == Self::Current {
            *self = Self::Behind;
        }
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
