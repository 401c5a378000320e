//! One `.ai/` directory: the only place that reads and writes the files of the knowledge base.
//!
//! A person may edit any of these files at any time, and git may bring others. So nothing is taken for granted: what is read is a small
//! regular file inside the store, whatever it is called; what is written goes to a temporary file first, is forced to the disk and then takes
//! its name, so that a reader finds the old text or the new one. Whoever gives out an id, or reads a file in order to change it, holds the
//! store's lock ([`Store::lock`]); reading takes none.
//!
//! After a crash every file is whole. Moving an item to the archive writes it there first and removes it afterwards: at worst it is in both
//! places, which the knowledge base's doctor finds. A change of several files that broke off is taken back by whoever takes the lock next
//! ([`crate::whole`]).

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use custos_config::replace::{Draft, create_private, sync_directory};
use custos_config::shown::shown_path;
use custos_config::source::{Links, ReadError, is_absence, is_linked_below, read_text};

use crate::directory::visit_names;
use crate::ignore;
use crate::lock;
use crate::together::Together;
use crate::version::Version;
use crate::whole;

/// Which of the three levels a store is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The person's own, for all projects.
    User,
    /// Of a directory with several repos.
    Workspace,
    /// Of one repo, or of a directory that is neither.
    Repo,
}

impl Level {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Workspace => "workspace",
            Self::Repo => "repo",
        }
    }
}

/// A directory with the knowledge of one level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    /// The level.
    pub level: Level,
    /// What people call it: the name of the repo or the workspace, or `user`.
    pub name: String,
    /// The directory that it belongs to.
    pub root: PathBuf,
    /// The directory itself: `.ai/` in the root, or `knowledge/` in the person's configuration.
    pub dir: PathBuf,
}

/// Why a store could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// A file in it cannot be read.
    #[error("{}: {why}", shown_path(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: ReadError,
    },
    /// Something in it cannot be written.
    #[error("{} cannot be {action}: {why}", shown_path(path))]
    Unwritable {
        /// What was to be done.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        why: String,
    },
    /// A link leads out of the store.
    #[error("{} is a link; the knowledge base does not write through links", shown_path(path))]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// The project is no longer there.
    #[error("{} is no longer there: the project was moved or removed", shown_path(path))]
    Gone {
        /// Where it was.
        path: PathBuf,
    },
    /// Another process holds the lock.
    #[error("another process has been changing {} for {seconds} seconds", shown_path(path))]
    Busy {
        /// The lock.
        path: PathBuf,
        /// How long was waited.
        seconds: u64,
    },
}

impl From<StoreError> for crate::Refusal {
    fn from(error: StoreError) -> Self {
        let next = match &error {
            StoreError::Unreadable { .. } => "Put that right, then try again; nothing was changed",
            StoreError::Unwritable { .. } => {
                "Check the permissions and the space on the disk; what was there before is still there"
            }
            StoreError::Gone { .. } => "Start again where it is now; nothing was written",
            StoreError::Link { .. } => "Replace it by a directory or a file of its own",
            StoreError::Busy { .. } => "Try again; `custos doctor` helps if it stays so",
        };
        Self::new(error.to_string(), next)
    }
}

/// The right to change a store, until it is dropped.
#[derive(Debug)]
pub struct Writing<'a> {
    store: &'a Store,
    /// Whether the store was made just now: then nobody else's texts are in it.
    pub(crate) is_first: bool,
    /// Who does later what has to be done once for several things that are done together.
    together: Option<&'a Together>,
    // The lock ends with the file.
    lock: Arc<File>,
}

/// The largest file of a knowledge base.
pub(crate) const LARGEST: u64 = 1 << 20;
/// The most files of one kind that are looked at.
pub(crate) const MOST_FILES: usize = 20_000;

impl Store {
    /// The store of a repo or a workspace.
    pub fn of(level: Level, root: &Path, name: impl Into<String>) -> Self {
        Self { level, name: name.into(), root: root.to_owned(), dir: root.join(".ai") }
    }

    /// The person's own store, below their configuration.
    pub fn of_user(config: &Path) -> Self {
        Self {
            level: Level::User,
            name: "user".to_owned(),
            root: config.to_owned(),
            dir: config.join("knowledge"),
        }
    }

    /// Says whether there is one.
    pub fn exists(&self) -> bool {
        self.dir.is_dir()
    }

    /// Gives the path of something in the store, given with `/` whatever the system.
    pub fn path(&self, relative: &str) -> PathBuf {
        relative.split('/').fold(self.dir.clone(), |path, part| path.join(part))
    }

    /// Reads a file; one that does not exist is `None`.
    pub fn read(&self, relative: &str) -> Result<Option<String>, StoreError> {
        let path = self.path(relative);
        self.refuse_links(&path)?;
        read_text(&path, LARGEST, Links::Follow).map_err(|why| StoreError::Unreadable { path, why })
    }

    /// Reads a file of a directory that was just listed, of which it is known what it is: the way there need not be looked at again.
    pub(crate) fn read_listed(&self, relative: &str, is_link: bool) -> Result<Option<String>, StoreError> {
        let path = self.path(relative);
        if is_link {
            return Err(StoreError::Link { path });
        }
        read_text(&path, LARGEST, Links::Follow).map_err(|why| StoreError::Unreadable { path, why })
    }

    /// Lists the Markdown files of a directory, by name. What else lies there is nobody's business.
    pub fn list(&self, directory: &str) -> Vec<String> {
        let path = self.path(directory);
        if self.refuse_links(&path).is_err() {
            return Vec::new();
        }
        let mut names = Vec::new();
        // What cannot be listed to its end is listed as far as it can be.
        let _ = visit_names(&path, MOST_FILES, |name| {
            names.extend(name.to_str().filter(|name| is_markdown(name)).map(str::to_owned));
        });
        names.sort_unstable();
        names
    }

    /// Gives the version of a directory: as long as it is the same, so are the names of its files.
    pub(crate) fn version(&self, directory: &str) -> Option<Version> {
        let path = self.path(directory);
        self.refuse_links(&path).ok()?;
        Version::of(&path)
    }

    /// Gives the version of a file; none if there is none, or only a link.
    pub fn file_version(&self, relative: &str) -> Option<Version> {
        let path = self.path(relative);
        self.refuse_links(&path).ok()?;
        Version::of(&path)
    }

    /// Takes the right to change the store, which is made if there is none. Whoever is not the doctor asks [`crate::Base::lock`], which knows
    /// where none may be made, and remembers the one that was.
    pub(crate) fn lock(&self) -> Result<Writing<'_>, StoreError> {
        let local = self.path("local");
        self.refuse_links(&local)?;
        if self.level != Level::User && !self.root.is_dir() {
            // Made again, it would begin anew with the first id.
            return Err(StoreError::Gone { path: self.root.clone() });
        }
        let is_first = !self.dir.exists();
        create_private(&local).map_err(unwritable("created", &local))?;
        let path = self.lock_path();
        self.refuse_links(&path)?;
        let lock = lock::take(&path).map_err(unwritable("locked", &path))?;
        let Some(lock) = lock else {
            return Err(StoreError::Busy { path, seconds: lock::PATIENCE.as_secs() });
        };
        let writing = Writing { is_first, ..Writing::held(self, Arc::new(lock)) };
        writing.hide_local()?;
        whole::settle(&writing)?;
        Ok(writing)
    }

    /// Where the lock is.
    pub(crate) fn lock_path(&self) -> PathBuf {
        self.path("local/.lock")
    }

    /// Says what would become of the `.gitignore` of the store: the text that it lacks, and whether there is one.
    pub(crate) fn unhidden(&self) -> Option<(String, bool)> {
        // The person's own store is in no repo.
        if self.level == Level::User {
            return None;
        }
        match self.read(ignore::FILE) {
            Ok(None) => Some((ignore::NEW.to_owned(), false)),
            Ok(Some(text)) => ignore::completed(&text).map(|text| (text, true)),
            // What cannot be read is the doctor's to tell.
            Err(_) => None,
        }
    }

    /// Refuses a path that a link leads out of the store, or that was never in it.
    pub(crate) fn refuse_links(&self, path: &Path) -> Result<(), StoreError> {
        let inside = path
            .strip_prefix(&self.dir)
            .is_ok_and(|rest| rest.components().all(|component| matches!(component, Component::Normal(_))));
        if inside && !is_linked_below(&self.root, path) {
            return Ok(());
        }
        Err(StoreError::Link { path: path.to_owned() })
    }
}

impl<'a> Writing<'a> {
    /// Takes the right to change a store from whoever has it already.
    pub(crate) fn held(store: &'a Store, lock: Arc<File>) -> Self {
        Self { store, is_first: false, together: None, lock }
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
    fn hide_local(&self) -> Result<(), StoreError> {
        self.store.unhidden().map_or(Ok(()), |(text, _)| self.write(ignore::FILE, &text))
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
        let publish = || self.force(&Draft::begin(&path)?.publish_owing(text.as_bytes())?);
        publish().map_err(unwritable("written", &path))
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
                Err(error) if is_absence(&error) && !taken.contains(&name) => break,
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
        let directories = [path.parent(), target.parent()];
        let rename = || {
            fs::rename(&path, &target)?;
            directories.into_iter().flatten().try_for_each(|directory| self.force(directory))
        };
        rename().map_err(unwritable("renamed", &path))
    }

    /// Removes a file; one that is not there is fine. After a power cut it may be there again.
    pub fn remove(&self, relative: &str) -> Result<(), StoreError> {
        let path = self.store.path(relative);
        self.store.refuse_links(&path)?;
        match fs::remove_file(&path) {
            Err(error) if !is_absence(&error) => Err(unwritable("removed", &path)(error)),
            _ => Ok(()),
        }
    }

    /// Puts a file into the archive as `text` and removes it where it was. Nothing in the archive is ever overwritten; gives the name there.
    pub fn archive(&self, relative: &str, text: &str) -> Result<String, StoreError> {
        let (directory, file) = relative.rsplit_once('/').unwrap_or(("", relative));
        let stem = file.strip_suffix(".md").unwrap_or(file);
        let name = self.write_new(format!("archive/{directory}").trim_end_matches('/'), stem, text)?;
        self.remove(relative)?;
        Ok(name)
    }
}

/// Says whether a file of this name is one of ours.
pub(crate) fn is_markdown(name: &str) -> bool {
    // Temporary files and editors' backups begin with a dot.
    !name.starts_with('.') && Path::new(name).extension().is_some_and(|extension| extension == "md")
}

pub(crate) fn unwritable(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |error| StoreError::Unwritable { action, path, why: error.to_string() }
}
