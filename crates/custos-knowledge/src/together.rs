//! Several things that are done in one go: looked at once, locked once, and forced to the disk once.
//!
//! What is kept durably waits for the disk three times: for the file, for the directory in which it gets its name, for the line of the log that
//! tells of it. A call may keep a handful of things, as the end of a session does, and gives one answer. So each of these is waited for once,
//! before that answer: new files are forced together and then named ([`crate::unnamed`]), then the directories are forced, then it is
//! told in the log what is there.
//!
//! A process that dies before the answer may leave some of it, or nothing; after a power cut some of the names and lines may be missing, and a
//! line may tell of a file that is; what is there is whole. After the answer all of it is there.
//!
//! Nor has each of them to find out anew what cannot be otherwise: a store stays locked from one to the next (others get their turn if it takes
//! long), the project under whose name events are filed is looked up once, and a file that was read for the first is not read again for the
//! second ([`Span`]).

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use custos_config::Project;
use custos_config::replace::{Written, sync_directory};
use custos_config::shown::{shown, shown_path};
use custos_model::Draft;

use crate::base::Base;
use crate::lock;
use crate::store::{Store, Writing};
use crate::unnamed::{Failed, MOST, Named, Unnamed};

/// Whoever wants to change a store that has been locked for so long lets others have their turn first. Who does something else that may take
/// long lets go of it before ([`Base::let_go`]).
const LONGEST_HOLD: Duration = if cfg!(test) { Duration::from_secs(30) } else { Duration::from_millis(100) };

/// What is done together in a base, while something is.
#[derive(Debug, Default)]
pub(crate) struct Together {
    doing: Mutex<Option<Doing>>,
    span: Span,
}

/// Tells what is done together from what came before and comes after.
#[derive(Debug, Clone, Default)]
pub(crate) struct Span(Arc<Shared>);

/// What a base and its shelves know of what is done together.
#[derive(Debug, Default)]
struct Shared {
    number: AtomicU64,
    unnamed: Unnamed,
}

impl Span {
    /// The span that it is now, while things are done together.
    pub(crate) fn now(&self) -> Option<NonZero<u64>> {
        // Odd numbers are spans, even ones the time between them.
        NonZero::new(self.0.number.load(Ordering::Acquire)).filter(|number| number.get() % 2 == 1)
    }

    /// Begins a span, or ends it.
    pub(crate) fn turn(&self) {
        self.0.number.fetch_add(1, Ordering::AcqRel);
    }

    /// The new files that have no names yet.
    pub(crate) fn unnamed(&self) -> &Unnamed {
        &self.0.unnamed
    }
}

/// What is being done together.
#[derive(Debug, Default)]
struct Doing {
    /// The directories with new names in them that a power cut could still take.
    owed: BTreeSet<PathBuf>,
    /// The store that was changed last.
    held: Option<Held>,
    /// The projects of the roots that events were about.
    projects: BTreeMap<PathBuf, Project>,
    /// The files that could not be kept after all.
    failed: Vec<Failed>,
    /// The events that tell of files without names, and those that came after them.
    untold: Vec<Draft>,
}

/// A store that stays locked.
#[derive(Debug)]
struct Held {
    store: Store,
    lock: Arc<File>,
    since: Instant,
    /// The highest numbers that were given out since, by letter: whoever wants the next need not look for them.
    given: BTreeMap<char, u32>,
}

impl Held {
    /// Says whether others still find the lock where it was: the directory may have been taken away with it.
    fn is_there(&self) -> bool {
        lock::is_named(&self.lock, &self.store.lock_path())
    }
}

impl Together {
    /// Tells what is done together from what is not.
    pub(crate) fn span(&self) -> &Span {
        &self.span
    }

    /// Takes it over to force a directory to the disk, if anything is done together; else the caller has to.
    pub(crate) fn owe(&self, directory: &Path) -> bool {
        self.doing().as_mut().map(|doing| doing.owed.insert(directory.to_owned())).is_some()
    }

    /// Says whether anything is done together.
    pub(crate) fn is_doing(&self) -> bool {
        self.doing().is_some()
    }

    /// Takes over a file that is written, to be forced and named with others.
    pub(crate) fn take(&self, store: &Store, file: (&str, &str), written: Written, is_new: bool) {
        if self.span.unnamed().len() >= MOST {
            self.publish();
        }
        self.span.unnamed().add(store, file, written, is_new);
    }

    /// Forces the new files to the disk and names them.
    pub(crate) fn publish(&self) {
        if self.span.unnamed().is_empty() {
            return;
        }
        let Named { directories, failed } = self.span.unnamed().name_all();
        if let Some(doing) = &mut *self.doing() {
            doing.owed.extend(directories);
            doing.failed.extend(failed);
        }
    }

    /// Says why a file could not be kept, if that was so: then whoever asks tells it.
    pub(crate) fn failed(&self, store: &Store, file: &str) -> Option<Failed> {
        let mut doing = self.doing();
        let failed = &mut doing.as_mut()?.failed;
        let at =
            failed.iter().position(|failed| failed.file == file && failed.level == store.level.word())?;
        Some(failed.remove(at))
    }

    /// Keeps an event until what it tells of is there; gives it back where nothing has to be waited for.
    fn tell_later(&self, draft: Draft) -> Option<Draft> {
        match &mut *self.doing() {
            Some(doing) if !self.span.unnamed().is_empty() || !doing.untold.is_empty() => {
                doing.untold.push(draft);
                None
            }
            _ => Some(draft),
        }
    }

    /// Is told that a number was given out.
    pub(crate) fn give(&self, store: &Store, letter: char, number: u32) {
        let mut doing = self.doing();
        let held = doing.as_mut().and_then(|doing| doing.held.as_mut());
        if let Some(held) = held.filter(|held| held.store == *store) {
            let given = held.given.entry(letter).or_default();
            *given = number.max(*given);
        }
    }

    /// The highest number of a letter that was given out since the store was locked.
    pub(crate) fn given(&self, store: &Store, letter: char) -> Option<u32> {
        let doing = self.doing();
        let held = doing.as_ref()?.held.as_ref().filter(|held| held.store == *store)?;
        held.given.get(&letter).copied()
    }

    /// Gives the right to change a store that is still locked from what was done before.
    pub(crate) fn held<'a>(&'a self, store: &'a Store) -> Option<Writing<'a>> {
        let held = self.doing().as_mut()?.held.take()?;
        let (is_same, is_long) = (held.store == *store, held.since.elapsed() >= LONGEST_HOLD);
        if is_same && !is_long && held.is_there() {
            let lock = Arc::clone(&held.lock);
            self.doing().as_mut()?.held = Some(held);
            return Some(Writing::held(store, lock).within(self));
        }
        // Whoever comes next has to see what was done.
        self.publish();
        drop(held);
        if is_same && is_long {
            lock::let_others();
        }
        None
    }

    /// Keeps a store locked that was locked just now, if anything is done together.
    pub(crate) fn hold(&self, writing: &Writing<'_>) {
        if let Some(doing) = &mut *self.doing() {
            let (store, lock) = (writing.store().clone(), writing.lock());
            doing.held = Some(Held { store, lock, since: Instant::now(), given: BTreeMap::new() });
        }
    }

    /// Ends the lock of a store that is still locked from what was done before.
    pub(crate) fn release(&self) {
        self.publish();
        drop(self.doing().as_mut().and_then(|doing| doing.held.take()));
    }

    /// Gives the project of a root, which is found once for all that is done together.
    pub(crate) fn project(&self, root: &Path, find: impl FnOnce() -> Project) -> Project {
        let known = |doing: &Doing| doing.projects.get(root).cloned();
        if let Some(project) = self.doing().as_ref().and_then(known) {
            return project;
        }
        let found = find();
        if let Some(doing) = &mut *self.doing() {
            doing.projects.insert(root.to_owned(), found.clone());
        }
        found
    }

    fn doing(&self) -> MutexGuard<'_, Option<Doing>> {
        self.doing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Base {
    /// Does things that belong together, and forces all of them to the disk at the end. Gives a note if something of it may not survive a
    /// power cut. They are not done within each other.
    pub fn together<T>(&self, work: impl FnOnce() -> T) -> (T, Option<String>) {
        let before = self.together.doing().replace(Doing::default());
        debug_assert!(before.is_none(), "things are not done together within each other");
        self.together.span.turn();
        let mut settling = Settling { base: self, is_done: false };
        self.around().gather();
        let done = work();
        (done, settling.settle().err())
    }

    /// Records an event, now or when what it tells of is there. An error is a note for whoever asked.
    pub(crate) fn tell(&self, draft: Draft) -> Result<(), String> {
        match self.together.tell_later(draft) {
            Some(draft) => self.around().record(draft).map_err(|why| untold_note(&why)),
            None => Ok(()),
        }
    }

    /// Lets others change the store that is still locked from what was done before: something else follows that may take long.
    pub fn let_go(&self) {
        self.together.release();
    }
}

/// Says that the log did not take an event.
fn untold_note(why: &str) -> String {
    format!("The file is written, but the event is not in the log: {why}. `custos doctor` says what to do")
}

impl Failed {
    /// Says whether an event tells of this file.
    fn is_of(&self, draft: &Draft) -> bool {
        let says = |key: &str, what: &str| draft.body.get(key).is_some_and(|value| value == what);
        says("file", &self.file) && says("level", self.level)
    }

    /// Takes back what was said of it.
    fn told(&self) -> String {
        format!(
            "NOT KEPT after all: {} could not be put in its place: {}. Check the permissions and the space on the disk, then send it again",
            shown(&self.file),
            self.why
        )
    }
}

/// Forces what was done together to the disk, also if it broke off.
struct Settling<'a> {
    base: &'a Base,
    is_done: bool,
}

impl Settling<'_> {
    fn settle(&mut self) -> Result<(), String> {
        self.is_done = true;
        self.base.together.publish();
        self.base.together.span.turn();
        let Doing { owed, held, failed, untold, .. } = self.base.together.doing().take().unwrap_or_default();
        // Nobody has to wait for the disk with us.
        drop(held);
        let named = owed.iter().try_for_each(|directory| {
            sync_directory(directory).map_err(|error| format!("{}: {error}", shown_path(directory)))
        });
        // The log last: it tells of what is there.
        let there = untold.into_iter().filter(|draft| !failed.iter().any(|failed| failed.is_of(draft)));
        let told = self.base.around().record_all(there.collect());
        let mut notes: Vec<String> = told.err().map(|why| untold_note(&why)).into_iter().collect();
        let recorded = self.base.around().force();
        notes.extend(named.and(recorded).err().map(|why| {
            format!("All of it is written, but the disk did not confirm it, so that a power cut may take some of it: {why}. `custos doctor` says what to do")
        }));
        notes.splice(..0, failed.iter().map(Failed::told));
        if notes.is_empty() { Ok(()) } else { Err(notes.join(". ")) }
    }
}

impl Drop for Settling<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            // Whoever broke off has something else to say.
            let _: Result<(), String> = self.settle();
        }
    }
}
