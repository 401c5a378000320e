//! Several things that are done in one go: looked at once, locked once, and forced to the disk once.
//!
//! What is kept durably waits for the disk three times: for the file, for the directory in which it gets its name, for the line of the log that
//! tells of it. A call may keep a handful of things, as the end of a session does, and gives one answer. So only the files are waited for one
//! by one, because no name may ever lead to half a file; the directories and the log are forced once, before that answer.
//!
//! Whatever happens meanwhile, everything survives the death of the process as it always does. After a power cut before the answer some of the
//! names and lines may be missing, and a line may tell of a file that is; what is there is whole. After the answer all of it is there.
//!
//! Nor has each of them to find out anew what cannot be otherwise: a store stays locked from one to the next (others get their turn if it takes
//! long), the project under whose name events are filed is looked up once, and a file that was read for the first is not read again for the
//! second ([`Span`]).

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use custos_config::Project;
use custos_config::replace::sync_directory;
use custos_config::shown::shown_path;

use crate::base::Base;
use crate::lock;
use crate::store::{Store, Writing};

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
pub(crate) struct Span(Arc<AtomicU64>);

impl Span {
    /// The span that it is now, while things are done together.
    pub(crate) fn now(&self) -> Option<NonZero<u64>> {
        // Odd numbers are spans, even ones the time between them.
        NonZero::new(self.0.load(Ordering::Acquire)).filter(|number| number.get() % 2 == 1)
    }

    /// Begins a span, or ends it.
    pub(crate) fn turn(&self) {
        self.0.fetch_add(1, Ordering::AcqRel);
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
        let mut doing = self.doing();
        let doing = doing.as_mut()?;
        let held = doing.held.take()?;
        let (is_same, is_long) = (held.store == *store, held.since.elapsed() >= LONGEST_HOLD);
        if is_same && !is_long && held.is_there() {
            let lock = Arc::clone(&held.lock);
            doing.held = Some(held);
            return Some(Writing::held(store, lock).within(self));
        }
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

    /// Lets others change the store that is still locked from what was done before: something else follows that may take long.
    pub fn let_go(&self) {
        self.together.release();
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
        self.base.together.span.turn();
        let Doing { owed, held, .. } = self.base.together.doing().take().unwrap_or_default();
        // Nobody has to wait for the disk with us.
        drop(held);
        let named = owed.iter().try_for_each(|directory| {
            sync_directory(directory).map_err(|error| format!("{}: {error}", shown_path(directory)))
        });
        // The log last: it tells of what is there.
        let recorded = self.base.around().force();
        named.and(recorded).map_err(|why| {
            format!("All of it is written, but the disk did not confirm it, so that a power cut may take some of it: {why}. `custos doctor` says what to do")
        })
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::decision::NewDecision;
    use crate::memory::MemoryKind;
    use crate::memory::save::NewMemory;
    use crate::testing::Desk;

    fn memory(title: &str) -> NewMemory {
        NewMemory {
            kind: MemoryKind::Pattern,
            title: title.to_owned(),
            description: "What to do.".to_owned(),
            body: String::new(),
            keywords: Vec::new(),
            scope: Vec::new(),
            source: "session",
            supersedes: Vec::new(),
        }
    }

    fn owed(desk: &Desk) -> Option<Vec<String>> {
        let doing = desk.base.together.doing();
        let names = |directory: &PathBuf| directory.file_name().unwrap().to_str().unwrap().to_owned();
        doing.as_ref().map(|doing| doing.owed.iter().map(names).collect())
    }

    #[test]
    fn directories_are_owed_until_all_is_done() {
        let desk = Desk::repo();
        let view = desk.view();
        let ((), note) = desk.base.together(|| {
            desk.base.save_memory(&memory("The first lesson"), &view).unwrap();
            desk.base.save_memory(&memory("Something else altogether"), &view).unwrap();
            // What the next one compares itself with is there at once.
            let same = desk.base.save_memory(&memory("First lesson"), &view).unwrap();
            assert_eq!(same[0].slug, "the-first-lesson");
            assert_eq!(owed(&desk).unwrap(), ["patterns"]);
            assert_eq!(desk.forced(), ["gather"]);
        });
        assert_eq!((note, owed(&desk)), (None, None));
        assert_eq!(desk.forced(), ["gather", "force"]);
        // Alone, each is forced at once.
        desk.base.save_memory(&memory("A third of them"), &view).unwrap();
        assert_eq!((owed(&desk), desk.forced().len()), (None, 2));
    }

    fn decision(title: &str) -> NewDecision {
        let text = || "Text.".to_owned();
        NewDecision {
            title: title.to_owned(),
            decision: text(),
            reasoning: text(),
            source: "session",
            ..NewDecision::default()
        }
    }

    #[test]
    fn a_store_stays_locked_from_one_thing_to_the_next() {
        let desk = Desk::repo();
        let view = desk.view();
        let store = &view.own().store;
        let is_locked = || {
            let file = fs::File::open(store.path("local/.lock")).unwrap();
            matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock))
        };
        let (saved, _) = desk.base.together(|| {
            let first = desk.base.save_decision(&decision("Use UTC"), &view).unwrap();
            assert!(is_locked());
            let memory = desk.base.save_memory(&memory("The first lesson"), &view).unwrap();
            let second = desk.base.save_decision(&decision("Keep logs"), &view).unwrap();
            // A process may be killed at any moment, and the file be removed.
            assert_eq!(desk.read("local/ids"), "D 2\n");
            // Another store, and this one is free.
            let mine = NewDecision { scope: vec!["user".to_owned()], ..decision("Mine alone") };
            let mine = desk.base.save_decision(&mine, &view).unwrap();
            assert!(!is_locked());
            let third = desk.base.save_decision(&decision("Name the owner"), &view).unwrap();
            assert!(is_locked());
            [first, second, mine, third]
                .map(|saved| saved[0].id.clone())
                .to_vec()
                .into_iter()
                .chain([memory[0].slug.clone()])
                .collect::<Vec<_>>()
        });
        assert_eq!(saved, ["D-001", "D-002", "D-001", "D-003", "the-first-lesson"]);
        assert!(!is_locked());
        assert_eq!(desk.read("local/ids"), "D 3\n");
        let own = fs::read_to_string(desk.base.user().store.path("local/ids")).unwrap();
        assert_eq!(own, "D 1\n");
        assert_eq!(desk.recorded().len(), 5);
    }

    #[test]
    fn the_project_is_looked_for_once() {
        let desk = Desk::repo();
        let view = desk.view();
        let save = |title: &str| drop(desk.base.save_decision(&decision(title), &view).unwrap());
        desk.base.together(|| ["Use UTC", "Keep logs", "Name the owner"].map(save));
        assert_eq!(desk.looked_for_projects(), 1);
        // What comes later may be on another branch.
        save("Pin versions");
        save("Sign commits");
        assert_eq!(desk.looked_for_projects(), 3);
        let branches: Vec<_> = desk.events.lock().unwrap().iter().map(|draft| draft.branch.clone()).collect();
        assert_eq!(branches, [const { "main" }; 5].map(|name| Some(name.to_owned())));
    }

    #[test]
    fn whoever_waits_for_a_store_gets_a_turn() {
        let desk = Desk::repo();
        let view = desk.view();
        let (store, together) = (&view.own().store, &desk.base.together);
        let (saved, _) = desk.base.together(|| {
            desk.base.save_decision(&decision("Use UTC"), &view).unwrap();
            assert!(together.held(store).is_some());
            let long_ago = Instant::now().checked_sub(LONGEST_HOLD).unwrap();
            together.doing().as_mut().unwrap().held.as_mut().unwrap().since = long_ago;
            assert!(together.held(store).is_none());
            drop(store.lock().unwrap());
            let second = desk.base.save_decision(&decision("Keep logs"), &view).unwrap();
            desk.base.let_go();
            drop(store.lock().unwrap());
            second
        });
        assert_eq!(saved[0].id, "D-002");
    }

    #[test]
    fn a_file_that_somebody_brings_meanwhile_keeps_its_id() {
        let desk = Desk::repo();
        let view = desk.view();
        let save = |title: &str| desk.base.save_decision(&decision(title), &view).unwrap().remove(0).id;
        let (saved, _) = desk.base.together(|| {
            let first = save("Use UTC");
            desk.put("decisions/D-002-theirs.md", "# Theirs\n\nText.\n");
            let second = save("Keep logs");
            desk.put("decisions/D-004.md", "---\nid: [\n---\n");
            desk.put("decisions/D-0041-longer.md", "# Longer\n\nText.\n");
            [first, second, save("Name the owner"), save("Pin versions")]
        });
        assert_eq!(saved, ["D-001", "D-003", "D-042", "D-043"]);
    }

    #[test]
    fn a_lock_that_was_taken_away_is_not_kept() {
        let desk = Desk::repo();
        let view = desk.view();
        let store = &view.own().store;
        desk.base.together(|| {
            desk.base.save_decision(&decision("Use UTC"), &view).unwrap();
            // As `git clean` does it.
            fs::remove_dir_all(store.path("local")).unwrap();
            let theirs = store.lock().unwrap();
            assert!(desk.base.together.held(store).is_none());
            drop(theirs);
            desk.base.save_decision(&decision("Keep logs"), &view).unwrap();
            fs::remove_dir_all(&store.root).unwrap();
            let gone = desk.base.save_decision(&decision("Name the owner"), &view).unwrap_err();
            assert!(gone.problem.contains("is no longer there"), "{gone}");
        });
        assert!(!store.root.exists());
    }

    #[test]
    fn a_span_is_like_no_other() {
        let together = Together::default();
        let span = together.span();
        let mut seen = vec![span.now()];
        for _ in 0..4 {
            span.turn();
            seen.push(span.now());
        }
        assert_eq!(seen, [None, NonZero::new(1), None, NonZero::new(3), None]);
    }

    #[test]
    fn what_broke_off_is_forced_as_well() {
        let desk = Desk::repo();
        let view = desk.view();
        let broken = catch_unwind(AssertUnwindSafe(|| {
            desk.base.together(|| {
                desk.base.save_memory(&memory("The first lesson"), &view).unwrap();
                panic!("a defect");
            })
        }));
        assert!(broken.is_err());
        fs::File::open(view.own().store.path("local/.lock")).unwrap().try_lock().unwrap();
        assert_eq!(desk.base.together.span().now(), None);
        assert_eq!((owed(&desk), desk.forced()), (None, vec!["gather", "force"]));
    }

    #[test]
    fn a_disk_that_does_not_confirm_is_told() {
        let desk = Desk::repo();
        let view = desk.view();
        let directory = view.own().store.path("memory/patterns");
        let (saved, note) = desk.base.together(|| {
            let saved = desk.base.save_memory(&memory("The first lesson"), &view).unwrap();
            fs::remove_dir_all(&directory).unwrap();
            saved
        });
        assert_eq!(saved[0].file, "memory/patterns/the-first-lesson.md");
        let note = note.unwrap();
        assert!(note.starts_with("All of it is written, but the disk did not confirm it"), "{note}");
        assert!(note.contains("memory/patterns: No such file"), "{note}");
        // The log is forced all the same.
        assert_eq!(desk.forced(), ["gather", "force"]);
    }
}
