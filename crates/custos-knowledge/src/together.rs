//! Several things that are done in one go: looked at once, locked once, and forced to the disk once.
//!
//! What is kept durably waits for the disk three times: for the file, for the directory in which it gets its name, for the line of the log that
//! tells of it. A call may keep a handful of things, as the end of a session does, and gives one answer. So each of these is waited for once,
//! before that answer: new files are forced together and then named ([`crate::unnamed`]), and the log is told of them. Then the lock is given
//! up, and the directories are forced, and the log last.
//!
//! A server waits for the disk only once: it [pledges](crate::pledge) the new files, and does the rest of it when it has answered
//! ([`crate::aftercare`]).
//!
//! A process that dies before the answer may leave some of it, or nothing; after a power cut some of the names and lines may be missing, and a
//! line may tell of a file that is; what is there is whole. After the answer all of it is there.
//!
//! Nor has each of them to find out anew what cannot be otherwise: a store stays locked from one to the next ([`held`]), the project under whose
//! name events are filed is looked up once, and a file that was read for the first is not read again for the second ([`Span`]). What the log is
//! told of it waits until it is so ([`telling`]).

mod held;
mod telling;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use custos_config::Project;
use custos_config::replace::{Blank, Written, sync_directory};
use custos_config::shown::shown_path;
use custos_model::Draft;

use crate::aftercare::{self, Aftercare};
use crate::base::Base;
use crate::lock;
use crate::refusal::Refusal;
use crate::store::Store;
use crate::together::held::Held;
use crate::together::telling::Telling;
pub use crate::unnamed::Unkept;
use crate::unnamed::{MOST, Named, Unnamed};

/// What is done together in a base, while something is.
#[derive(Debug)]
pub(crate) struct Together {
    doing: Mutex<Option<Doing>>,
    span: Span,
    /// How long to wait for a store that another process is changing.
    pub(crate) patience: Duration,
    /// What is to be said to whoever asks next.
    unsaid: Mutex<Vec<String>>,
    /// Who does what can wait until whoever asked has an answer, if anybody lives on after it.
    pub(crate) aftercare: Option<Aftercare>,
}

impl Default for Together {
    fn default() -> Self {
        Self {
            doing: Mutex::default(),
            span: Span::default(),
            patience: lock::PATIENCE,
            unsaid: Mutex::default(),
            aftercare: None,
        }
    }
}

/// Tells what is done together from what came before and comes after.
#[derive(Debug, Clone, Default)]
pub(crate) struct Span(Arc<Shared>);

/// What a base and its shelves know of what is done together.
#[derive(Debug, Default)]
struct Shared {
    number: AtomicU64,
    unnamed: Unnamed,
    /// Whether there will be more questions about the same files.
    lives_on: AtomicBool,
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

    /// Notes that whoever asks will ask again.
    pub(crate) fn live_on(&self) {
        self.0.lives_on.store(true, Ordering::Release);
    }

    /// Says whether whoever asks will ask again.
    pub(crate) fn lives_on(&self) -> bool {
        self.0.lives_on.load(Ordering::Acquire)
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
    /// The stores that got new files, and whether something is only pledged in one of them.
    changed: Vec<Store>,
    is_pledged: bool,
    /// Whether the log cannot wait until what is pledged is forced.
    is_log_due: bool,
    /// The store that was changed last.
    held: Option<Held>,
    /// The stores that another process has kept for so long that nobody waits for them once more.
    given_up: BTreeSet<PathBuf>,
    /// The projects of the roots that events were about.
    projects: BTreeMap<PathBuf, Project>,
    /// What the log is to be told, and what it must not be.
    telling: Telling,
    /// What is to be said at the end.
    notes: Vec<String>,
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

    /// Takes over a file that is written, to be forced and named with others: what it is called, what it holds, and whether it takes the place of
    /// one that is there.
    pub(crate) fn take(&self, store: &Store, file: (&str, &str, bool), written: Written) {
        if self.span.unnamed().len() >= MOST {
            self.publish();
        }
        self.span.unnamed().add(store, file, written);
    }

    /// Gives something to write a new file on, if it is at hand.
    pub(crate) fn blank(&self, store: &Store) -> Option<Blank> {
        self.aftercare.as_ref()?.blank(store)
    }

    /// Forces the new files to the disk and names them. Says whether all of them could be.
    pub(crate) fn publish(&self) -> bool {
        if self.span.unnamed().is_empty() {
            return true;
        }
        let may_pledge =
            |store: &Store| self.aftercare.as_ref().is_some_and(|aftercare| aftercare.is_fit(store));
        let Named { directories, failed, mut is_pledged, stores } = self.span.unnamed().name_all(may_pledge);
        let is_whole = failed.is_empty();
        if is_pledged && !is_whole {
            // What is refused must not come back after a power cut. The stores are locked.
            is_pledged = !stores.iter().all(|store| self.redeem(store));
        }
        if let Some(doing) = &mut *self.doing() {
            doing.changed.extend(stores);
            doing.is_pledged |= is_pledged;
            if !is_pledged {
                doing.owed.extend(directories);
            }
            doing.telling.fail(failed);
        }
        is_whole
    }

    /// Forces what is pledged in a store, whose lock the caller has, and wipes it. Then the log has to be forced before whoever asked is told. Says
    /// whether that was done; where the disk has refused something nothing is wiped.
    pub(crate) fn redeem(&self, store: &Store) -> bool {
        if let Some(doing) = &mut *self.doing() {
            doing.is_log_due = true;
        }
        let is_fit = self.aftercare.as_ref().is_none_or(|aftercare| aftercare.is_fit(store));
        is_fit && aftercare::at_once(store).is_ok()
    }

    /// Says why a file could not be kept, if that was so.
    pub(crate) fn failed(&self, store: &Store, file: &str) -> Option<Unkept> {
        self.unkept(|failed| failed.is(store, file)).pop()
    }

    /// Gives those of the files that could not be kept which are `wanted`: whoever asks says that they are not there.
    fn unkept(&self, wanted: impl Fn(&Unkept) -> bool) -> Vec<Unkept> {
        self.doing().as_mut().map(|doing| doing.telling.take_failed(wanted)).unwrap_or_default()
    }

    /// Keeps an event until what it tells of is there; gives it back where nothing has to be waited for.
    fn tell_later(&self, store: &Store, draft: Draft) -> Option<Draft> {
        let has_unnamed = !self.span.unnamed().is_empty();
        match &mut *self.doing() {
            Some(doing) => doing.telling.keep(store, draft, has_unnamed),
            None => Some(draft),
        }
    }

    /// Gives the events that wait, without those of files that could not be kept.
    fn untold(&self) -> Vec<Draft> {
        self.doing().as_mut().map(|doing| doing.telling.take_events()).unwrap_or_default()
    }

    /// Notes what whoever asked has to be told at the end, once.
    pub(crate) fn note(&self, done: Result<(), String>) {
        let Err(note) = done else { return };
        let mut doing = self.doing();
        let mut unsaid = self.unsaid.lock().unwrap_or_else(PoisonError::into_inner);
        let notes = doing.as_mut().map_or(&mut *unsaid, |doing| &mut doing.notes);
        if !notes.contains(&note) {
            notes.push(note);
        }
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
    /// Does things that belong together, and forces all of them to the disk at the end. Gives a note if something of it was not kept after
    /// all, is not in the log, or may not survive a power cut. What is done so within something else belongs to that, and is settled with it.
    pub fn together<T>(&self, work: impl FnOnce() -> T) -> (T, Option<String>) {
        if self.together.is_doing() {
            return (work(), None);
        }
        let notes = mem::take(&mut *self.together.unsaid.lock().unwrap_or_else(PoisonError::into_inner));
        *self.together.doing() = Some(Doing { notes, ..Doing::default() });
        self.together.span.turn();
        let mut settling = Settling { base: self, is_done: false };
        self.around().gather();
        let done = work();
        (done, settling.settle().err())
    }

    /// Records an event about a store, now or when what it tells of is there. An error is a note for whoever asked.
    pub(crate) fn tell(&self, store: &Store, draft: Draft) -> Result<(), String> {
        match self.together.tell_later(store, draft) {
            Some(draft) => self.around().record(draft).map_err(|why| untold_note(&why)),
            None => Ok(()),
        }
    }

    /// Names what waits for its name, and records what is to be told of it: whoever gets the lock next has to find both.
    fn tell_all(&self) -> Result<(), String> {
        self.together.publish();
        self.around().record_all(self.together.untold()).map_err(|why| untold_note(&why))
    }

    /// Forces the log to the disk: now, or after what is pledged in some stores.
    fn force_log(&self, stores: Vec<Store>, is_later: bool) -> Result<(), String> {
        let log = self.around().owed();
        let Some(aftercare) = self.together.aftercare.as_ref().filter(|_| !stores.is_empty()) else {
            return log();
        };
        let (now, later) = if is_later { (Ok(()), Some(log)) } else { (log(), None) };
        aftercare.take(stores, later);
        // What came of the calls before.
        let failed = aftercare.failed();
        if failed.is_empty() { now } else { now.and(Err(failed.join("; "))) }
    }

    /// Prepares to lock a store, in the place of another that is still locked.
    pub(crate) fn leave(&self, store: &Store) {
        if self.together.leaves(store) {
            self.together.note(self.tell_all());
        }
    }

    /// Lets others change the store that is still locked from what was done before: something else follows that may take long.
    pub fn let_go(&self) {
        self.together.note(self.tell_all());
        self.together.release();
    }

    /// Sees to it that all that was saved so far has its name, and gives what could not be kept: whoever asks tells of it.
    pub fn unkept(&self) -> Vec<Unkept> {
        self.together.publish();
        self.together.unkept(|_| true)
    }

    /// Sees to it that a file is there which something else depends on.
    pub fn make_sure(&self, store: &Store, file: &str) -> Result<(), Refusal> {
        self.together.publish();
        match self.together.failed(store, file) {
            None => Ok(()),
            Some(failed) => Err(failed.refusal()),
        }
    }
}

/// Says that the log did not take an event.
fn untold_note(why: &str) -> String {
    format!("The file is written, but the event is not in the log: {why}. `custos doctor` says what to do")
}

/// Forces what was done together to the disk, also if it broke off.
struct Settling<'a> {
    base: &'a Base,
    is_done: bool,
}

impl Settling<'_> {
    fn settle(&mut self) -> Result<(), String> {
        self.is_done = true;
        // Whoever gets the lock next finds the files, and in the log what tells of them.
        self.base.together.note(self.base.tell_all());
        self.base.together.span.turn();
        let Doing { owed, changed, is_pledged, is_log_due, held, telling, mut notes, .. } =
            self.base.together.doing().take().unwrap_or_default();
        // Nobody has to wait for the disk with us.
        drop(held);
        let force = |directory: &PathBuf| {
            sync_directory(directory).map_err(|error| format!("{}: {error}", shown_path(directory)))
        };
        // Each of them, whatever becomes of the others.
        let named = owed.iter().map(force).fold(Ok(()), Result::and);
        // The log last: it tells of what is there.
        let recorded = self.base.force_log(changed, is_pledged && owed.is_empty() && !is_log_due);
        notes.extend(named.and(recorded).err().map(|why| {
            format!("All of it is written, but the disk did not confirm it, so that a power cut may take some of it: {why}. `custos doctor` says what to do")
        }));
        notes.splice(..0, telling.failed().iter().map(Unkept::told));
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
