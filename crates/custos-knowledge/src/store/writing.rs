//! The right to change a store, and what can be done with it.
//!
//! What is written goes to a temporary file first, is forced to the disk and then takes its name, so that a reader finds the old text or the
//! new one.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use custos_config::replace::{Draft, create_private, sync_directory};
use custos_config::source::is_absence;

use super::{LARGEST, Level, MOST_FILES, Store, StoreError, unwritable};
use crate::aftercare;
use crate::ignore;
use crate::lock;
use crate::pledge::{self, Settled};
use crate::together::Together;
use crate::unnamed::Unkept;

/// The right to change a store, until it is dropped.
#[derive(Debug)]
pub struct Writing<'a> {
    store: &'a Store,
    /// Whether the store was made just now: then nobody else's texts are in it.
    pub(crate) is_first: bool,
    /// What was saved before a power cut, and was seen to when the store was locked.
    pub(crate) settled: Settled,
    /// Who does later what has to be done once for several things that are done together.
    together: Option<&'a Together>,
    // The lock ends with the file.
    lock: Arc<File>,
}

impl<'a> Writing<'a> {
    /// Takes the right to change a store from whoever has it already.
    pub(crate) fn held(store: &'a Store, lock: Arc<File>) -> Self {
        Self { store, is_first: false, settled: Settled::default(), together: None, lock }
    }

    /// Leaves it to somebody to do once what has to be done for several things that are done together.
    pub(crate) fn within(self, together: &'a Together) -> Self {
        Self { together: Some(together), ..self }
    }

    /// The lock, for whoever holds it longer.
    pub(crate) fn lock(&self) -> Arc<File> {
        Arc::clone(&self.lock)
    }

    /// The highest number of a letter that was given out since the store was locked, if any was. All that were there by then are lower.
    pub(crate) fn given(&self, letter: char) -> Option<u32> {
        self.together.and_then(|together| together.given(self.store, letter))
    }

    /// Tells that a number was given out, for as long as the store stays locked.
    pub(crate) fn gives(&self, letter: char, number: u32) {
        if let Some(together) = self.together {
            together.give(self.store, letter, number);
        }
    }

    /// The store that may be changed.
    pub fn store(&self) -> &Store {
        self.store
    }

    /// Keeps git from what is nobody else's business.
    pub(super) fn hide_local(&self) -> Result<(), StoreError> {
        if let Some((text, _)) = self.store.unhidden() {
            self.write(ignore::FILE, &text)?;
        }
        let is_shown = || {
            self.store
                .read(ignore::FILE)
                .is_ok_and(|text| text.as_deref().and_then(ignore::hides_local) == Some(false))
        };
        if self.lacks(ignore::OWN_OF_LOCAL) && !is_shown() {
            self.write_disposable(ignore::OWN_OF_LOCAL, ignore::ALL)?;
        }
        Ok(())
    }

    /// Keeps the directory of an item in git, also once its last item has gone: merges rely on it.
    fn keep_directory(&self, item: &str) {
        if let Some(keeper) = ignore::keeper(item).filter(|keeper| self.lacks(keeper)) {
            // Nobody is to be kept from writing by it; the next one tries again.
            let _: Result<(), StoreError> = self.write_disposable(&keeper, "");
        }
    }

    /// Says whether a file that is for git is missing. The person's own store is in no repo.
    fn lacks(&self, file: &str) -> bool {
        self.store.level != Level::User
            && fs::symlink_metadata(self.store.path(file)).is_err_and(|error| is_absence(&error))
    }

    /// Writes a file. After a crash it is the old one or the new one, whole; once this has returned, the new one, unless several things are
    /// done [together](crate::together).
    pub fn write(&self, relative: &str, text: &str) -> Result<(), StoreError> {
        let path = self.store.path(relative);
        self.store.refuse_links(&path)?;
        if text.len() as u64 > LARGEST {
            // It could be written, and never be read again.
            let why = format!("it would be larger than {LARGEST} bytes");
            return Err(StoreError::Unwritable { action: "written", path, why });
        }
        if self.is_unnamed(relative) {
            self.publish();
        }
        self.keep_directory(relative);
        let publish = || {
            let draft = Draft::begin(&path)?;
            let draft = if self.is_shared(relative) { draft.like_the_old()? } else { draft };
            draft.publish_owing(text.as_bytes())
        };
        let directory = publish().map_err(unwritable("written", &path))?;
        self.force(&directory).map_err(|error| StoreError::Unconfirmed { path, why: error.to_string() })
    }

    /// Says whether a file is one that people share in git: then whoever may read it may read it afterwards as well.
    fn is_shared(&self, relative: &str) -> bool {
        self.store.level != Level::User && !relative.starts_with("local/")
    }

    /// Writes a file that is not there yet; one that is there is somebody else's, and stays. Where several things are done
    /// [together](crate::together), it gets its name with the others; until then only this base knows of it, by its shelves.
    pub(crate) fn add(&self, relative: &str, text: &str) -> Result<(), StoreError> {
        let path = self.store.path(relative);
        match fs::symlink_metadata(&path) {
            Err(error) if is_absence(&error) && !self.is_unnamed(relative) => {}
            Err(error) if !is_absence(&error) => return Err(unwritable("written", &path)(error)),
            // Git or a hand brought it after the names were looked at: they know of no lock.
            Ok(_) | Err(_) => return Err(StoreError::Taken { path }),
        }
        let is_fit = text.len() as u64 <= LARGEST;
        match self.together.filter(|together| is_fit && together.is_doing()) {
            Some(together) => self.write_with_others(together, (relative, text, false)),
            None => self.write(relative, text),
        }
    }

    /// Writes a file of this machine, old or new. Where several things are done [together](crate::together), it gets its name with the others;
    /// until then only [`Self::read`] knows what it says.
    pub(crate) fn write_later(&self, relative: &str, text: &str) -> Result<(), StoreError> {
        let is_fit = text.len() as u64 <= LARGEST && !self.is_shared(relative) && !self.is_unnamed(relative);
        match self.together.filter(|together| is_fit && together.is_doing()) {
            Some(together) => self.write_with_others(together, (relative, text, true)),
            None => self.write(relative, text),
        }
    }

    fn write_with_others(&self, together: &Together, file: (&str, &str, bool)) -> Result<(), StoreError> {
        let (relative, text, replaces) = file;
        let path = self.store.path(relative);
        self.store.refuse_links(&path)?;
        self.keep_directory(relative);
        let blank = if replaces { None } else { together.blank(self.store) };
        let begin = || blank.map_or_else(|| Draft::begin(&path), |blank| Draft::begin_on(blank, &path));
        let written = begin().and_then(|draft| draft.write(text.as_bytes()));
        together.take(self.store, file, written.map_err(unwritable("written", &path))?);
        Ok(())
    }

    /// Says whether a file waits for its name.
    fn is_unnamed(&self, relative: &str) -> bool {
        self.together.is_some_and(|together| together.span().unnamed().has(self.store, relative))
    }

    /// Names the files that wait for it, for whoever needs them to be there. Says whether all of them have it now.
    pub(crate) fn publish(&self) -> bool {
        self.together.is_none_or(Together::publish)
    }

    /// The same, and says whether one of them has it.
    pub(crate) fn publish_with(&self, relative: &str) -> Result<(), StoreError> {
        self.publish();
        match self.together.and_then(|together| together.failed(self.store, relative)) {
            None => Ok(()),
            Some(Unkept { why, .. }) => {
                Err(StoreError::Unwritable { action: "written", path: self.store.path(relative), why })
            }
        }
    }

    /// Reads a file, also one that waits for its name.
    pub(crate) fn read(&self, relative: &str) -> Result<Option<String>, StoreError> {
        if self.is_unnamed(relative) {
            self.publish();
        }
        self.store.read(relative)
    }

    /// Makes sure that what has a new name in a directory has it after a power cut as well: now, or when all is done that belongs together.
    fn force(&self, directory: &Path) -> io::Result<()> {
        if self.together.is_some_and(|together| together.owe(directory)) {
            Ok(())
        } else {
            sync_directory(directory)
        }
    }

    /// Writes a file that can be made again, without waiting for the disk.
    pub(crate) fn write_disposable(&self, relative: &str, text: &str) -> Result<(), StoreError> {
        let path = self.store.path(relative);
        self.store.refuse_links(&path)?;
        let publish = || Draft::begin(&path)?.publish_disposable(text.as_bytes());
        publish().map_err(unwritable("written", &path))
    }

    /// Changes a small file that can be made again, in its place. To replace it would make the disk write it, and everybody wait who writes
    /// after that.
    pub(crate) fn revise(
        &self,
        relative: &str,
        change: impl FnOnce(&str) -> String,
    ) -> Result<(), StoreError> {
        let path = self.store.path(relative);
        self.store.refuse_links(&path)?;
        let revise = || {
            let mut file = lock::open(&path)?;
            if !file.metadata()?.is_file() {
                return Err(io::Error::other("something that is no file is in its place"));
            }
            let mut text = Vec::new();
            (&file).take(LARGEST).read_to_end(&mut text)?;
            let new = change(&String::from_utf8_lossy(&text));
            file.rewind()?;
            file.write_all(new.as_bytes())?;
            if new.len() < text.len() { file.set_len(new.len() as u64) } else { Ok(()) }
        };
        revise().map_err(unwritable("written", &path))
    }

    /// Writes a file under a name that is free: the one that is wanted, or the same with `-2`, `-3` and so on. Gives the name.
    pub fn write_new(&self, directory: &str, stem: &str, text: &str) -> Result<String, StoreError> {
        let name = self.free_name(directory, stem, &[])?;
        self.write(&name, text)?;
        Ok(name)
    }

    /// Keeps in a place of its own what is about to be taken out of another: after a power cut it is in both, or still in the other one. Gives
    /// the name.
    pub(crate) fn set_aside(&self, directory: &str, stem: &str, text: &str) -> Result<String, StoreError> {
        let name = self.write_new(directory, stem, text)?;
        self.secure(&name)?;
        Ok(name)
    }

    /// Forces the name of a file to the disk at once, whatever is done together: something else that holds its text is about to go.
    pub(crate) fn secure(&self, relative: &str) -> Result<(), StoreError> {
        let path = self.store.path(relative);
        let forced = path.parent().map_or(Ok(()), sync_directory);
        forced.map_err(|error| StoreError::Unconfirmed { path, why: error.to_string() })
    }

    /// Finds a name that is free: the one that is wanted, or the same with `-2`, `-3` and so on. Those that are `taken` already are none.
    pub(crate) fn free_name(
        &self,
        directory: &str,
        stem: &str,
        taken: &[String],
    ) -> Result<String, StoreError> {
        let mut name = format!("{directory}/{stem}.md");
        for count in 2..=MOST_FILES {
            let path = self.store.path(&name);
            match fs::symlink_metadata(&path) {
                Err(error) if is_absence(&error) && !taken.contains(&name) && !self.is_unnamed(&name) => {
                    break;
                }
                Err(error) if !is_absence(&error) => {
                    // A link that leads to itself, a name that is too long: the next would be no better.
                    return Err(unwritable("written", &path)(error));
                }
                _ => name = format!("{directory}/{stem}-{count}.md"),
            }
        }
        Ok(name)
    }

    /// Gives a file another name, which has to be free. Whatever happens, it has one of the two.
    pub fn rename(&self, relative: &str, to: &str) -> Result<(), StoreError> {
        self.publish();
        self.redeem(&[relative]);
        let (path, target) = (self.store.path(relative), self.store.path(to));
        self.store.refuse_links(&path)?;
        self.store.refuse_links(&target)?;
        if !fs::symlink_metadata(&target).is_err_and(|error| is_absence(&error)) {
            return Err(StoreError::Unwritable {
                action: "written",
                path: target,
                why: "it exists".to_owned(),
            });
        }
        if let Some(directory) = target.parent() {
            create_private(directory).map_err(unwritable("created", directory))?;
        }
        self.keep_directory(to);
        self.keep_directory(relative);
        let directories = [path.parent(), target.parent()];
        let rename = || {
            fs::rename(&path, &target)?;
            directories.into_iter().flatten().try_for_each(|directory| self.force(directory))
        };
        rename().map_err(unwritable("renamed", &path))
    }

    /// Forces what is pledged, if any of these files is, before they go or get other names: a power cut must not bring them back.
    pub(crate) fn redeem(&self, files: &[&str]) {
        if pledge::look(self.store).is_ok_and(|look| look.names(files)) {
            // If it fails, a file may be in two places after a power cut, which the doctor tells.
            let _: bool = match self.together {
                Some(together) => together.redeem(self.store),
                None => aftercare::at_once(self.store).is_ok(),
            };
        }
    }

    /// Names what waits for it before a file goes: it may be what takes the place of that one. What could not be kept takes no place.
    fn settle_first(&self, relative: &str) -> Result<(), StoreError> {
        if self.publish() {
            self.redeem(&[relative]);
            return Ok(());
        }
        let why = "something that was saved before it could not be kept".to_owned();
        Err(StoreError::Unwritable { action: "removed", path: self.store.path(relative), why })
    }

    /// Removes a file; one that is not there is fine. After a power cut it may be there again.
    pub fn remove(&self, relative: &str) -> Result<(), StoreError> {
        self.settle_first(relative)?;
        let path = self.store.path(relative);
        self.store.refuse_links(&path)?;
        match fs::remove_file(&path) {
            Err(error) if is_absence(&error) => Ok(()),
            Err(error) => Err(unwritable("removed", &path)(error)),
            Ok(()) => {
                self.keep_directory(relative);
                Ok(())
            }
        }
    }

    /// Puts a file into the archive as `text` and removes it where it was. Nothing in the archive is ever overwritten; gives the name there.
    pub fn archive(&self, relative: &str, text: &str) -> Result<String, StoreError> {
        let (directory, file) = relative.rsplit_once('/').unwrap_or(("", relative));
        let stem = file.strip_suffix(".md").unwrap_or(file);
        self.settle_first(relative)?;
        let name = self.write_new(format!("archive/{directory}").trim_end_matches('/'), stem, text)?;
        match self.secure(&name).and_then(|()| self.remove(relative)) {
            Ok(()) => Ok(name),
            // Rather where it was than in two places, and once more with every try.
            Err(error) => {
                let _: Result<(), StoreError> = self.remove(&name);
                Err(error)
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::StoreError;
    use crate::testing::Desk;

    #[test]
    fn what_somebody_brought_meanwhile_is_not_taken_for_new() {
        let desk = Desk::repo();
        let view = desk.view();
        let store = &view.own().store;
        let file = "decisions/D-001-use-utc.md";
        desk.put(file, "theirs");
        let alone = desk.base.lock(store).unwrap().add(file, "ours");
        let (together, note) = desk.base.together(|| desk.base.lock(store).unwrap().add(file, "ours"));
        let taken = StoreError::Taken { path: store.path(file) };
        assert_eq!((alone, together, note), (Err(taken.clone()), Err(taken), None));
        assert_eq!(desk.read(file), "theirs");
    }

    #[test]
    fn what_could_not_be_kept_takes_the_place_of_nothing() {
        let desk = Desk::repo();
        let view = desk.view();
        let store = &view.own().store;
        desk.put("decisions/D-001-old.md", "old");
        let (removed, note) = desk.base.together(|| {
            let writing = desk.base.lock(store).unwrap();
            writing.add("decisions/D-002-new.md", "new").unwrap();
            // Somebody takes the name before it is given.
            desk.put("decisions/D-002-new.md", "theirs");
            writing.archive("decisions/D-001-old.md", "old, archived")
        });
        assert!(!store.path("archive/decisions").exists());
        assert_eq!(
            removed.unwrap_err().to_string(),
            format!(
                "{} cannot be removed: something that was saved before it could not be kept",
                store.path("decisions/D-001-old.md").display()
            )
        );
        assert!(note.unwrap().starts_with("NOT KEPT after all: decisions/D-002-new.md"));
        assert_eq!(
            (desk.read("decisions/D-001-old.md"), desk.read("decisions/D-002-new.md")),
            ("old".to_owned(), "theirs".to_owned())
        );
    }

    #[test]
    fn a_store_is_begun_by_whoever_writes_its_first_text() {
        let desk = Desk::repo();
        let view = desk.view();
        let store = &view.own().store;
        // Somebody before failed halfway.
        desk.put("local/.lock", "");
        drop(desk.base.lock(store).unwrap());
        assert_eq!(desk.made(), std::slice::from_ref(&view.root.path));
        desk.put("decisions/D-001-theirs.md", "text");
        drop(desk.base.lock(store).unwrap());
        assert_eq!(desk.made().len(), 1);
    }

    #[test]
    fn a_store_in_which_somebody_wrote_is_begun_by_nobody() {
        for file in ["decisions/D-001-theirs.md", "local/worklog.md", ".gitignore"] {
            let desk = Desk::repo();
            let view = desk.view();
            desk.put(file, "theirs");
            drop(desk.base.lock(&view.own().store).unwrap());
            assert_eq!(desk.made(), [""; 0].map(std::path::PathBuf::from), "{file}");
        }
    }

    #[test]
    fn what_people_share_is_shared_after_a_change() {
        let desk = Desk::repo();
        let view = desk.view();
        let mode = |file: &str| {
            fs::metadata(view.own().store.path(file)).map(|metadata| metadata.permissions().mode() & 0o7777)
        };
        for (file, was, is) in [
            ("decisions/D-001-a.md", 0o664, 0o664),
            ("questions.md", 0o4755, 0o755),
            ("oracle/stack.md", 0o444, 0o444),
            // What is of this machine is nobody else's.
            ("local/worklog.md", 0o664, 0o600),
        ] {
            desk.put(file, "old");
            fs::set_permissions(view.own().store.path(file), Permissions::from_mode(was)).unwrap();
            view.own().store.lock().unwrap().write(file, "new").unwrap();
            assert_eq!((desk.read(file).as_str(), mode(file).unwrap()), ("new", is), "{file}");
        }
        view.own().store.lock().unwrap().write("decisions/D-002-b.md", "new").unwrap();
        assert_eq!(mode("decisions/D-002-b.md").unwrap(), 0o600);
    }
}
