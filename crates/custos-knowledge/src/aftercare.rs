//! What a server does once it has answered: it forces to the disk what it has only [pledged](crate::pledge) so far.
//!
//! A thread of its own waits until no more comes for a moment, for each call would otherwise wait for the disk beside it, and an agent often makes
//! several. Then it forces the files, after them the log that tells of them, and wipes the pledge. Whoever ends a server in good order lets
//! it finish ([`Aftercare::end`]); where one is killed, the next server does it, or the next who changes the store. These may be quicker than
//! the server whose log tells of it: a power cut in that moment costs lines of the log, and no file.
//!
//! It also keeps [`Blank`]s ready in the stores of its project, for as many files as the close of a session has.
//!
//! Where the disk has refused to take a file once, it may say the next time that all is well, for the system forgets what it could not write. So
//! in such a store nothing is wiped any more, and nothing pledged, as long as the server runs.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::mem;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use custos_config::replace::Blank;

use crate::lock;
use crate::pledge::{self, Look};
use crate::store::Store;

/// What is still to be done for the log.
pub type Debt = Box<dyn FnOnce() -> Result<(), String> + Send>;

/// How long nothing has to come before the disk is kept busy, and after how long it is all the same.
const QUIET: Duration = Duration::from_millis(if cfg!(test) { 60_000 } else { 20 });
const LONGEST: Duration = Duration::from_millis(if cfg!(test) { 60_000 } else { 500 });
/// How many blanks are kept ready for a store: each is an open file. And for how many stores.
const BLANKS: usize = 24;
const STORES_WITH_BLANKS: usize = 4;
/// How long to wait for whoever changes the store: that is a few small files.
const PATIENCE: Duration = Duration::from_millis(20);
/// How often a store is tried at the end that others keep changing; they see to it as well.
const LAST_TRIES: usize = 50;

/// Who takes care of what was pledged.
#[derive(Debug, Default)]
pub(crate) struct Aftercare {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Shared {
    work: Mutex<Work>,
    woken: Condvar,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Work {
    stores: Vec<Store>,
    debts: Vec<Debt>,
    is_over: bool,
    failed: Vec<String>,
    /// The stores of which something could not be forced.
    refused: Vec<Store>,
    /// What is ready to be written on.
    blanks: BTreeMap<PathBuf, Vec<Blank>>,
}

impl Aftercare {
    /// Takes over a store in which something was pledged, and what is to be done for the log thereafter.
    pub(crate) fn take(&self, stores: impl IntoIterator<Item = Store>, debt: Option<Debt>) {
        let mut work = self.shared.work();
        for store in stores {
            if !work.stores.contains(&store) {
                work.stores.push(store);
            }
        }
        work.debts.extend(debt);
        drop(work);
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        // One that broke off is followed by another.
        if thread.as_ref().is_none_or(JoinHandle::is_finished) {
            let shared = Arc::clone(&self.shared);
            *thread = thread::Builder::new().name("aftercare".to_owned()).spawn(move || shared.go_on()).ok();
        }
        if thread.is_none() {
            // No thread is to be had: rather later than never.
            let mut work = self.shared.work();
            let (stores, debts) = (mem::take(&mut work.stores), mem::take(&mut work.debts));
            drop(work);
            let left = self.shared.take_care(stores, debts);
            self.shared.work().stores.extend(left);
        }
        self.shared.woken.notify_one();
    }

    /// Says whether something may be pledged in a store, and wiped.
    pub(crate) fn is_fit(&self, store: &Store) -> bool {
        self.shared.is_fit(store)
    }

    /// Gives something to write on in a store, if it is at hand.
    pub(crate) fn blank(&self, store: &Store) -> Option<Blank> {
        self.shared.work().blanks.get_mut(&store.dir)?.pop()
    }

    /// Gives what the disk did not confirm since somebody last asked.
    pub(crate) fn failed(&self) -> Vec<String> {
        mem::take(&mut self.shared.work().failed)
    }

    /// Finishes, and waits for it. Gives what the disk did not confirm and nobody was told.
    pub(crate) fn end(&self) -> Vec<String> {
        self.shared.work().is_over = true;
        self.shared.woken.notify_one();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // One that broke off leaves the pledge to others.
            let _: thread::Result<()> = thread.join();
        }
        self.failed()
    }
}

impl Drop for Aftercare {
    fn drop(&mut self) {
        // Whoever wants to know has asked before.
        let _: Vec<String> = self.end();
    }
}

impl Shared {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn go_on(&self) {
        let mut tries = 0;
        while let Some((stores, debts)) = self.wait() {
            let left = self.take_care(stores, debts);
            let mut work = self.work();
            tries += usize::from(work.is_over);
            if tries < LAST_TRIES {
                work.stores.extend(left);
            }
        }
        self.work().blanks.clear();
    }

    /// Sees to it that there is enough to write on in a store for the next call.
    fn restock(&self, store: &Store) {
        let has_room =
            |work: &Work| work.blanks.contains_key(&store.dir) || work.blanks.len() < STORES_WITH_BLANKS;
        for _ in 0..BLANKS {
            let mut work = self.work();
            if work.is_over
                || !has_room(&work)
                || work.blanks.get(&store.dir).is_some_and(|blanks| blanks.len() >= BLANKS)
            {
                return;
            }
            drop(work);
            let Ok(blank) = Blank::make(&store.dir) else { return };
            work = self.work();
            work.blanks.entry(store.dir.clone()).or_default().push(blank);
        }
    }

    /// Forces what was pledged in some stores, then the log, and wipes the pledges. Gives the stores to which something came meanwhile.
    fn take_care(&self, stores: Vec<Store>, debts: Vec<Debt>) -> Vec<Store> {
        let mut failed = Vec::new();
        let mut forced = Vec::new();
        for store in stores.into_iter().filter(|store| self.is_fit(store)) {
            match looked(&store).map(|look| (look.force(&store), look)) {
                Ok((Ok(()), look)) => forced.push((store, Some(look))),
                Ok((Err(error), _)) => {
                    failed.push(error.to_string());
                    self.work().refused.push(store);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => forced.push((store, None)),
                // Where no pledge can be, or be read, there is none: the doctor tells of what is in its place.
                Err(_) => {}
            }
        }
        failed.extend(debts.into_iter().filter_map(|debt| debt().err()));
        self.work().failed.extend(failed);
        let mut left = Vec::new();
        for (store, look) in forced {
            if is_wiped(&store, look.as_ref()) {
                self.restock(&store);
            } else {
                left.push(store);
            }
        }
        left
    }

    fn is_fit(&self, store: &Store) -> bool {
        !self.work().refused.contains(store)
    }

    /// Waits for work, and until no more of it comes. Gives nothing once it is over.
    fn wait(&self) -> Option<(Vec<Store>, Vec<Debt>)> {
        let is_idle = |work: &mut Work| work.stores.is_empty() && work.debts.is_empty() && !work.is_over;
        let mut work = self.woken.wait_while(self.work(), is_idle).unwrap_or_else(PoisonError::into_inner);
        let begun = Instant::now();
        while !work.is_over && begun.elapsed() < LONGEST {
            let (woken, timeout) =
                self.woken.wait_timeout(work, QUIET).unwrap_or_else(PoisonError::into_inner);
            work = woken;
            if timeout.timed_out() {
                break;
            }
        }
        let (stores, debts) = (mem::take(&mut work.stores), mem::take(&mut work.debts));
        (!stores.is_empty() || !debts.is_empty()).then_some((stores, debts))
    }
}

/// Looks at what is pledged while nobody changes the store.
fn looked(store: &Store) -> io::Result<Look> {
    if pledge::look(store)?.is_empty() {
        return Ok(Look::default());
    }
    let lock = lock::take(&store.lock_path(), PATIENCE)?.ok_or(ErrorKind::WouldBlock)?;
    let look = pledge::look(store);
    drop(lock);
    look
}

/// Wipes a pledge that was forced. Says whether there is nothing left to be done.
fn is_wiped(store: &Store, look: Option<&Look>) -> bool {
    let wiped = || -> io::Result<bool> {
        let Some(look) = look else { return Ok(false) };
        // Whoever takes the lock next settles what is old, and tells.
        if look.is_empty() || look.is_old() {
            return Ok(true);
        }
        let Some(lock) = lock::take(&store.lock_path(), PATIENCE)? else { return Ok(false) };
        let wiped = look.wipe(store)?.map_or(Ok(false), |wiped| wiped.sync_data().map(|()| true));
        // Who removes something after this must not find that it is pledged no longer, and the disk that it still is.
        drop(lock);
        wiped
    };
    wiped().unwrap_or(true)
}

/// Forces what is pledged and wipes it, for whoever holds the lock: because they do not live on, or are about to remove or move some of it.
pub(crate) fn at_once(store: &Store) -> io::Result<()> {
    let look = pledge::look(store)?;
    if look.is_empty() {
        return Ok(());
    }
    look.force(store)?;
    look.wipe(store)?.map_or(Ok(()), |wiped| wiped.sync_data())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::{BLANKS, Blank, pledge};
    use crate::store::Store;
    use crate::testing::{Desk, decision};

    fn save(desk: &Desk, title: &str) -> String {
        let save = || desk.base.save_decision(&decision(title), &desk.view()).unwrap();
        let (saved, note) = desk.base.together(save);
        assert_eq!(note, None);
        saved[0].file.clone()
    }

    #[test]
    fn what_is_new_is_written_on_what_is_at_hand() {
        let desk = Desk::repo().serving();
        save(&desk, "Use UTC");
        let store = Store::clone(&desk.view().own().store);
        let aftercare = desk.base.together.aftercare.as_ref().unwrap();
        let at_hand = || aftercare.shared.work().blanks.get(&store.dir).map_or(0, Vec::len);
        assert_eq!(at_hand(), 0);
        if Blank::make(&store.dir).is_err() {
            // Not every file system has such files.
            return;
        }
        aftercare.shared.restock(&store);
        assert_eq!(at_hand(), BLANKS);
        let file = save(&desk, "Keep logs");
        assert_eq!(at_hand(), BLANKS - 1);
        aftercare.shared.restock(&store);
        assert_eq!(at_hand(), BLANKS);
        // It is like any other, also for who looks for it by its directory.
        let metadata = fs::metadata(store.path(&file)).unwrap();
        assert_eq!((metadata.permissions().mode() & 0o777, metadata.len() > 100), (0o600, true));
        let kept = desk.base.decisions(&desk.view(), false);
        assert_eq!(
            kept.iter().map(|placed| &*placed.kept.item.title).collect::<Vec<_>>(),
            ["Use UTC", "Keep logs"]
        );
        // Nothing of the others is seen, and nothing is left of them.
        let names: Vec<_> =
            fs::read_dir(store.path("local")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(names.iter().all(|name| !name.to_string_lossy().starts_with(".custos")), "{names:?}");
    }

    #[test]
    fn where_the_disk_refused_something_nothing_is_pledged_or_wiped_any_more() {
        let desk = Desk::repo().serving();
        save(&desk, "Use UTC");
        let store = Store::clone(&desk.view().own().store);
        let pledged = || pledge::look(&store).unwrap();
        assert!(!pledged().is_empty());
        let aftercare = desk.base.together.aftercare.as_ref().unwrap();
        aftercare.shared.work().refused.push(store.clone());
        save(&desk, "Keep logs");
        assert_eq!(aftercare.end(), [""; 0]);
        assert!(pledged().names(&["decisions/D-001-use-utc.md"]));
        assert!(!pledged().names(&["decisions/D-002-keep-logs.md"]));
    }
}
