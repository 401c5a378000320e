//! What a shelf knows of its directory: which files there are, what was read of each, and how long that is believed.

use std::cmp::Ordering;
use std::num::NonZero;
use std::sync::Arc;
use std::time::SystemTime;

use super::reading::Found;
use super::{Contents, Fault};
use crate::catalogue::Recalled;
use crate::directory::{File, Name};
use crate::version::{Seen, Version};

/// What is known of a directory.
#[derive(Debug)]
pub(super) struct Known<T> {
    /// The edition of the directory that all files were read of, and how long that is believed.
    pub(super) edition: Option<(u64, Belief)>,
    /// The version of the directory that has these files, if a change of it is sure to show.
    pub(super) listed: Option<Version>,
    /// The files, by name.
    pub(super) files: Vec<Named<T>>,
    /// Room for as many, empty: to ask the system for it whenever a file comes takes longer than to move them.
    pub(super) spare: Vec<Named<T>>,
    /// What is known of the catalogue.
    pub(super) catalogued: Standing,
}

/// A file that is there.
#[derive(Debug)]
pub(super) struct Named<T> {
    pub(super) name: Name,
    pub(super) read: Option<Read<T>>,
}

impl<T> Named<T> {
    /// Says whether it need not be read.
    pub(super) fn is_read(&self, seen: &Seen, now: Now) -> bool {
        self.read.as_ref().is_some_and(|read| read.is_of(seen) && read.belief.holds(now))
    }
}

/// What was read of a file.
#[derive(Debug)]
pub(super) struct Read<T> {
    /// The version that it was read of, and the last change that somebody had told of.
    pub(super) version: Version,
    pub(super) told: u64,
    pub(super) belief: Belief,
    // Faults are few, and a thousand of these are moved whenever a file comes or goes.
    pub(super) found: Found<T>,
}

impl<T> Read<T> {
    /// Says whether it was read of what was seen.
    pub(super) fn is_of(&self, seen: &Seen) -> bool {
        (self.version, self.told) == (seen.version, seen.told)
    }
}

/// What there is now that makes something believable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Now {
    /// The span, while things are done together.
    pub(super) span: Option<NonZero<u64>>,
    /// Since when somebody tells of every change.
    pub(super) watched_since: Option<u64>,
}

/// How long something is believed that was read of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Belief {
    /// As long as it is the version: a change is sure to show.
    Settled,
    /// As long as somebody tells of every change who did so then, and tells of none: it may be one that does not show.
    Watched(u64),
    /// Within this span: a change may come that does not show, but whoever asks several things at once gets one answer to all of them.
    During(Option<NonZero<u64>>),
}

impl Belief {
    /// Says whether something is believed that was read then.
    pub(super) fn holds(self, now: Now) -> bool {
        match self {
            Self::Settled => true,
            Self::Watched(since) => now.watched_since == Some(since),
            Self::During(then) => then.is_some() && then == now.span,
        }
    }

    /// Says whether it is believed as long as somebody tells of changes.
    pub(super) fn is_watched(self) -> bool {
        matches!(self, Self::Watched(_))
    }

    /// Says how long a version is believed that was read now.
    pub(super) fn of(is_settled: bool, now: Now) -> Self {
        match now.watched_since {
            _ if is_settled => Self::Settled,
            Some(since) => Self::Watched(since),
            None => Self::During(now.span),
        }
    }
}

/// How a catalogue stands to what was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Nobody has looked at it.
    Unknown,
    /// There is none.
    Missing,
    /// It says something else.
    Behind,
    /// It says the same.
    Current,
}

impl<T> Known<T> {
    /// Gives what the files held when they were last looked at.
    pub(super) fn contents(&self) -> Contents<T> {
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
    pub(super) fn recall(&mut self, catalogue: Option<Recalled<T>>) {
        let Some(Recalled { listed, files }) = catalogue else {
            self.catalogued = Standing::Missing;
            return;
        };
        let read = |(version, kept)| Read { version, told: 0, belief: Belief::Settled, found: Ok(kept) };
        self.files = files
            .into_iter()
            .map(|(name, entry)| Named { name: name.into(), read: entry.map(read) })
            .collect();
        self.listed = listed;
        self.catalogued = Standing::Current;
    }

    /// Keeps what was read of a file.
    pub(super) fn put(&mut self, at: usize, read: Read<T>) {
        let file = &mut self.files[at];
        // What was no item and is none is not in the catalogue either.
        if file.read.is_some() || read.found.is_ok() {
            self.catalogued.fall_behind();
        }
        file.read = Some(read);
    }

    /// Believes for good what has settled since it was read, if somebody would have told of any change up to now. Says how long all of it is
    /// believed.
    pub(super) fn settle(&mut self, time: SystemTime, now: Now) -> Belief {
        let mut all = Belief::Settled;
        for read in self.files.iter_mut().filter_map(|file| file.read.as_mut()) {
            if read.belief.is_watched() && read.belief.holds(now) && read.version.is_settled(time) {
                read.belief = Belief::Settled;
                // It was none for the catalogue as long as that was not sure.
                self.catalogued.fall_behind();
            }
            // The shortest counts.
            if read.belief.is_watched() && all == Belief::Settled || matches!(read.belief, Belief::During(_))
            {
                all = read.belief;
            }
        }
        all
    }

    /// Finds those of some files for which there is still room beside the others, and leaves the rest out, as `left_out` says of each.
    pub(super) fn within(
        &mut self,
        room: u64,
        unread: Vec<(usize, Seen)>,
        left_out: impl Fn(&Name, &Seen) -> Read<T>,
    ) -> Vec<(usize, Seen)> {
        let length = |read: &Read<T>| if read.found.is_ok() { read.version.length() } else { 0 };
        let all: u64 = self.files.iter().filter_map(|file| file.read.as_ref()).map(length).sum();
        let again = unread.iter().filter_map(|(at, _)| self.files[*at].read.as_ref()).map(length);
        let mut taken = all.saturating_sub(again.sum());
        let mut fitting = Vec::with_capacity(unread.len());
        for (at, seen) in unread {
            let with_it = taken.saturating_add(seen.version.length());
            if with_it > room {
                let read = left_out(&self.files[at].name, &seen);
                self.put(at, read);
            } else {
                taken = with_it;
                fitting.push((at, seen));
            }
        }
        fitting
    }

    /// Names some of the files, with what was seen of them.
    pub(super) fn files_at(&self, places: &[(usize, Seen)]) -> Vec<File> {
        places.iter().map(|(at, seen)| (Arc::clone(&self.files[*at].name), *seen)).collect()
    }

    pub(super) fn names(&self) -> Vec<Name> {
        self.files.iter().map(|file| Arc::clone(&file.name)).collect()
    }

    /// Takes what has become of a few files. Gives those that have to be read.
    pub(super) fn follow(&mut self, step: &[(Name, Option<Seen>)], now: Now) -> Vec<(usize, Seen)> {
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
        places.retain(|(at, seen)| !self.files[*at].is_read(seen, now));
        places
    }

    pub(super) fn find(&self, name: &str) -> Result<usize, usize> {
        self.files.binary_search_by(|file| (*file.name).cmp(name))
    }

    /// Takes the files that are there, in order, and keeps what is known of them. Gives those that have to be read.
    pub(super) fn take(&mut self, there: &[File], now: Now) -> Vec<(usize, Seen)> {
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
            if !file.is_read(seen, now) {
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
    pub(super) fn fall_behind(&mut self) {
        if *self == Self::Current {
            *self = Self::Behind;
        }
    }
}
