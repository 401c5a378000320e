//! What a server does once it has answered: it forces to the disk what it has only [pledged](crate::pledge) so far.
//!
//! A thread of its own waits until no more comes for a moment, for each call would otherwise wait for the disk beside it, and an agent often makes
//! several. Then it forces the files, after them the log that tells of them, and wipes the pledge. Whoever ends a server in good order lets
//! it finish ([`Aftercare::end`]); where one is killed, the next server does it, or the next who changes the store. These may be quicker than
//! the server whose log tells of it: a power cut in that moment costs lines of the log, and no file.
//!
//! It also keeps [`Blank`]s ready in the stores of its project, for as many files as the close of a session has. These are made at once: where
//! many files were removed a moment ago they take most of the time of a write, and who ends a session may have saved something just before.
//! For the same reason it makes the file for the first pledge. As long as the server looks at the files for the first time it makes only a few:
//! they would be in the way.
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
/// How many are made as long as a server looks at its files for the first time.
const FIRST_BLANKS: usize = 6;
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
    /// Whether some of it came since somebody last looked.
    has_come: bool,
    is_over: bool,
    failed: Vec<String>,
    /// The stores of which something could not be forced.
    refused: Vec<Store>,
    /// What is ready to be written on.
    blanks: BTreeMap<PathBuf, Vec<Blank>>,
    /// Whether the server has looked at its files.
    has_begun: bool,
    /// The stores in which room for a pledge was made, or could not be.
    roomed: Vec<Store>,
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
        work.has_come = true;
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

    /// Notes that the server has looked at its files.
    pub(crate) fn has_begun(&self) {
        self.shared.work().has_begun = true;
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
            let left = self.take_care(stores.clone(), debts);
            // What was used while they were made.
            for store in &stores {
                self.stock(store);
            }
            let mut work = self.work();
            tries += usize::from(work.is_over);
            if tries < LAST_TRIES {
                work.stores.extend(left);
            }
        }
        self.work().blanks.clear();
    }

    /// Sees to it that the next call can write to a store quickly.
    fn stock(&self, store: &Store) {
        // What a clone links to elsewhere is not written to.
        if self.is_fit(store) && store.refuse_links(&store.dir).is_ok() {
            self.restock(store);
            self.make_room(store);
        }
    }

    /// Sees to it that there is enough to write on.
    fn restock(&self, store: &Store) {
        let has_room =
            |work: &Work| work.blanks.contains_key(&store.dir) || work.blanks.len() < STORES_WITH_BLANKS;
        for _ in 0..BLANKS {
            let mut work = self.work();
            let wanted = if work.has_begun { BLANKS } else { FIRST_BLANKS };
            if work.is_over
                || !has_room(&work)
                || work.blanks.get(&store.dir).is_some_and(|blanks| blanks.len() >= wanted)
            {
                return;
            }
            drop(work);
            let Ok(blank) = Blank::make(&store.dir) else { return };
            work = self.work();
            work.blanks.entry(store.dir.clone()).or_default().push(blank);
        }
    }

    /// Makes room for what is pledged next, once. Where that cannot be, whoever has something to pledge finds out.
    fn make_room(&self, store: &Store) {
        let mut work = self.work();
        if work.is_over || !work.has_begun || work.roomed.contains(store) || !pledge::may_have_room(store) {
            return;
        }
        work.roomed.push(store.clone());
        drop(work);
        if let Ok(Some(_lock)) = lock::take(&store.lock_path(), Duration::ZERO) {
            let _: io::Result<()> = pledge::make_room(store);
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
        forced.retain(|(store, look)| !is_wiped(store, look.as_ref()));
        forced.into_iter().map(|(store, _)| store).collect()
    }

    fn is_fit(&self, store: &Store) -> bool {
        !self.work().refused.contains(store)
    }

    /// Waits for work, and until no more of it comes. Gives nothing once it is over.
    fn wait(&self) -> Option<(Vec<Store>, Vec<Debt>)> {
        let is_idle = |work: &mut Work| work.stores.is_empty() && work.debts.is_empty() && !work.is_over;
        let mut work = self.woken.wait_while(self.work(), is_idle).unwrap_or_else(PoisonError::into_inner);
        let begun = Instant::now();
        loop {
            work.has_come = false;
            let used = work.stores.clone();
            drop(work);
            for store in &used {
                self.stock(store);
            }
            let is_quiet = |work: &mut Work| !work.has_come && !work.is_over;
            let waited = self.woken.wait_timeout_while(self.work(), QUIET, is_quiet);
            work = waited.unwrap_or_else(PoisonError::into_inner).0;
            if !work.has_come || work.is_over || begun.elapsed() >= LONGEST {
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
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::thread;

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
        aftercare.has_begun();
        aftercare.shared.restock(&store);
        if Blank::make(&store.dir).is_err() {
            // Not every file system has such files.
            return;
        }
        let at_hand = || -> Vec<u64> {
            let work = aftercare.shared.work();
            work.blanks.get(&store.dir).into_iter().flatten().map(|blank| blank.number().unwrap()).collect()
        };
        let stocked = || {
            while at_hand().len() < BLANKS {
                thread::yield_now();
            }
            at_hand()
        };
        // Nobody has been quiet for long enough to force anything.
        let before = stocked();
        let file = save(&desk, "Keep logs");
        let number = fs::metadata(store.path(&file)).unwrap().ino();
        assert!(before.contains(&number), "{number} {before:?}");
        assert!(!stocked().contains(&number));
        assert!(!pledge::look(&store).unwrap().is_empty());
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
    fn room_for_a_pledge_is_made_where_somebody_has_written_before() {
        let desk = Desk::repo().serving();
        desk.put("decisions/D-001-keep-logs.md", "---\nid: D-001\ntitle: Keep logs\n---\n\nAll.\n");
        let store = Store::clone(&desk.view().own().store);
        let aftercare = desk.base.together.aftercare.as_ref().unwrap();
        let has_room = || store.path(pledge::FILE).exists();
        aftercare.has_begun();
        aftercare.shared.make_room(&store);
        assert!(!store.path("local").exists());
        // A command forces what it writes, and pledges nothing.
        let said = desk.in_session(None).save_decision(&decision("Use UTC"), &desk.view());
        assert!(said.is_ok() && !has_room());
        aftercare.shared.make_room(&store);
        assert!(has_room());
        assert!(pledge::look(&store).unwrap().is_empty());
        // Who has taken it away since does not find it there again.
        fs::remove_file(store.path(pledge::FILE)).unwrap();
        aftercare.shared.make_room(&store);
        assert!(!has_room());
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a clone may hold anything")]
    fn nothing_is_made_ahead_where_a_link_leads() {
        let desk = Desk::repo().serving();
        let store = Store::clone(&desk.view().own().store);
        let elsewhere = desk.view().root.path.join("elsewhere");
        fs::create_dir_all(elsewhere.join("local")).unwrap();
        fs::write(elsewhere.join("local/.lock"), "").unwrap();
        fs::write(elsewhere.join("local/.gitignore"), "*\n").unwrap();
        std::os::unix::fs::symlink(&elsewhere, &store.dir).unwrap();
        let aftercare = desk.base.together.aftercare.as_ref().unwrap();
        aftercare.shared.stock(&store);
        assert_eq!(aftercare.shared.work().blanks.get(&store.dir).map_or(0, Vec::len), 0);
        assert!(!elsewhere.join(pledge::FILE).exists());
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
