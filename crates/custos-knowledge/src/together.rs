//! Several things that are kept in one go, and forced to the disk once.
//!
//! What is kept durably waits for the disk three times: for the file, for the directory in which it gets its name, for the line of the log that
//! tells of it. A call may keep a handful of things, as the end of a session does, and gives one answer. So only the files are waited for one by one, because no
//! name may ever lead to half a file; the directories and the log are forced once, before that answer.
//!
//! Whatever happens meanwhile, everything survives the death of the process as it always does. After a power cut before the answer some of the
//! names and lines may be missing, and a line may tell of a file that is; what is there is whole. After the answer all of it is there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use custos_config::replace::sync_directory;
use custos_config::shown::shown_path;

use crate::base::Base;

/// The directories with new names in them that a power cut could still take, while things are done together.
#[derive(Debug, Default)]
pub(crate) struct Owed(Mutex<Option<BTreeSet<PathBuf>>>);

impl Owed {
    /// Takes it over to force a directory to the disk, if anything is done together; else the caller has to.
    pub(crate) fn take(&self, directory: &Path) -> bool {
        self.directories().as_mut().map(|directories| directories.insert(directory.to_owned())).is_some()
    }

    fn directories(&self) -> MutexGuard<'_, Option<BTreeSet<PathBuf>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Base {
    /// Does things that belong together, and forces all of them to the disk at the end. Gives a note if something of it may not survive a
    /// power cut. They are not done within each other.
    pub fn together<T>(&self, work: impl FnOnce() -> T) -> (T, Option<String>) {
        *self.owed.directories() = Some(BTreeSet::new());
        self.around().gather();
        let mut settling = Settling { base: self, is_done: false };
        let done = work();
        (done, settling.settle().err())
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
        let directories = self.base.owed.directories().take().unwrap_or_default();
        let named = directories.iter().try_for_each(|directory| {
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
        let directories = desk.base.owed.directories();
        let names =
            |directory: &std::path::PathBuf| directory.file_name().unwrap().to_str().unwrap().to_owned();
        directories.as_ref().map(|directories| directories.iter().map(names).collect())
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
