//! One `.ai/` directory: the place through which the files of the knowledge base are read and written.
//!
//! A person may edit any of these files at any time, and git may bring others. So nothing is taken for granted: what is read is a small
//! regular file inside the store, whatever it is called; what is written goes to a temporary file first, is forced to the disk or promised to it,
//! and then takes its name, so that a reader finds the old text or the new one. Whoever gives out an id, or reads a file in order to change it, holds the
//! store's lock ([`Store::lock`]); reading takes none.
//!
//! After a crash every file is whole. Moving an item to the archive writes it there first and removes it afterwards: at worst it is in both
//! places, which the knowledge base's doctor finds. A change of several files that broke off is taken back by whoever takes the lock next
//! ([`crate::whole`]), who also puts in place what a power cut took of files that were promised ([`crate::pledge`]).

mod writing;

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use custos_config::replace::create_private;
use custos_config::shown::shown_path;
use custos_config::source::{Links, ReadError, is_linked_below, read_text};

use crate::directory::visit_names;
use crate::ignore;
use crate::lock;
use crate::pledge;
use crate::refusal::Cause;
use crate::version::Version;
use crate::whole;
pub use writing::Writing;

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
    /// It is written, but the disk did not confirm it.
    #[error("{} is written, but the disk did not confirm it: {why}", shown_path(path))]
    Unconfirmed {
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
    /// There is something of that name already.
    #[error("{} is there already: somebody brought it just now", shown_path(path))]
    Taken {
        /// The file.
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
            StoreError::Unconfirmed { .. } => {
                "A power cut may bring back what was there before; check the disk, then send it again"
            }
            StoreError::Taken { .. } => {
                "Look at what is there now, then send yours again if it still says more; nothing was changed"
            }
            StoreError::Gone { .. } => "Start again where it is now; nothing was written",
            StoreError::Link { .. } => "Replace it by a directory or a file of its own",
            StoreError::Busy { .. } => "Try again; `custos doctor` helps if it stays so",
        };
        let cause = match &error {
            StoreError::Unreadable { why: ReadError::Refused { .. }, .. }
            | StoreError::Unwritable { .. }
            | StoreError::Unconfirmed { .. } => Cause::System,
            StoreError::Unreadable { .. } | StoreError::Link { .. } => Cause::Broken,
            StoreError::Taken { .. } => Cause::Asked,
            StoreError::Gone { .. } => Cause::Missing,
            StoreError::Busy { .. } => Cause::Busy,
        };
        Self::new(error.to_string(), next).because(cause)
    }
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
        self.lock_within(lock::PATIENCE)
    }

    /// The same for whoever waits no longer than this for another process.
    pub(crate) fn lock_within(&self, patience: Duration) -> Result<Writing<'_>, StoreError> {
        let local = self.path("local");
        self.refuse_links(&local)?;
        if self.level != Level::User && !self.root.is_dir() {
            // Made again, it would begin anew with the first id.
            return Err(StoreError::Gone { path: self.root.clone() });
        }
        create_private(&local).map_err(unwritable("created", &local))?;
        let path = self.lock_path();
        self.refuse_links(&path)?;
        let lock = lock::take(&path, patience).map_err(unwritable("locked", &path))?;
        let lock = lock.ok_or_else(|| self.busy(patience))?;
        let mut writing = Writing::held(self, Arc::new(lock));
        writing.is_first = self.is_bare();
        // First, while the directories are as they were left.
        writing.settled = pledge::settle(&writing);
        writing.hide_local()?;
        whole::settle(&writing);
        Ok(writing)
    }

    /// Says whether nothing is in it but what is made with the lock: then nobody has written a text yet. Whoever began it may have failed
    /// halfway, so that it is there before its first text is.
    fn is_bare(&self) -> bool {
        let has_only = |directory: &Path, own: &[&str]| {
            let mut others = 0;
            // All that is there may be seen; one that is not ours is enough.
            let is_whole = visit_names(directory, own.len() + 1, |name| {
                others += usize::from(!own.iter().any(|own| name == *own));
            });
            is_whole.is_ok() && others == 0
        };
        let is_ours =
            |file: &str, ours: &str| self.read(file).is_ok_and(|text| text.is_none_or(|text| text == ours));
        has_only(&self.dir, &["local", ignore::FILE])
            && has_only(&self.path("local"), &[".lock", ".gitignore", "pledge"])
            && is_ours(ignore::FILE, ignore::NEW)
            && is_ours(ignore::OWN_OF_LOCAL, ignore::ALL)
            && pledge::look(self).is_ok_and(|look| look.is_empty())
    }

    /// Says so if another process is changing the store.
    pub(crate) fn held(&self, waited: Duration) -> Option<StoreError> {
        lock::is_held(&self.lock_path()).then(|| self.busy(waited))
    }

    /// Says that another process had the lock for as long as anybody waits.
    fn busy(&self, waited: Duration) -> StoreError {
        StoreError::Busy { path: self.lock_path(), seconds: waited.as_secs() }
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
        // The link itself is named, not what would lie behind it.
        let ancestors: Vec<&Path> = path.ancestors().take_while(|part| part.starts_with(&self.dir)).collect();
        let link = ancestors.into_iter().rev().find(|part| is_linked_below(&self.root, part));
        Err(StoreError::Link { path: link.unwrap_or(path).to_owned() })
    }
}

/// Says whether a file of this name is one of ours.
pub(crate) fn is_markdown(name: &str) -> bool {
    // Temporary files and editors' backups begin with a dot, and a README is about the directory.
    !name.starts_with('.')
        && name != "README.md"
        && Path::new(name).extension().is_some_and(|extension| extension == "md")
}

pub(crate) fn unwritable(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |error| StoreError::Unwritable { action, path, why: error.to_string() }
}
