//! A directory whose files are looked at again and again.
//!
//! A server looks at thousands of files before each answer, to see whether a hand has changed one, or whether one came or went. Before it does
//! so for the first time, it asks the kernel to be told of changes ([`Bell`]); from then on it looks only at what it was told of. Whoever looks
//! once gains nothing by it, and loses next to nothing.
//!
//! What the kernel tells is not everything. It says nothing of what another machine writes to a shared disk, so only file systems of this
//! machine are trusted; and nothing of what is written to a file by another name of it, so a directory with such a file is looked at
//! whole. Such a name may be made later, elsewhere, and who writes through a mapping is not told of either: so everything is looked at again
//! once in a while. And it is not the only witness: a
//! directory that has changed while the bell was silent is listed anew.
//!
//! Where there is no bell, the directory is listed when it has changed, and every file is looked at.

mod opened;
#[cfg_attr(target_os = "linux", path = "directory/linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "directory/elsewhere.rs")]
mod system;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};
use std::{io, mem};

pub(crate) use opened::Opened;
pub(crate) use system::Alarm;
use system::Bell;

use crate::store::{Store, is_markdown};
use crate::version::{Seen, Version};

/// The fewest files for which a bell is worth having: a person has only so many.
pub(crate) const WORTH_IT: usize = 64;

/// How many directories are kept open. A process may have as few as 256 files open, and a workspace as many repos.
const MOST_OPEN: usize = 64;

/// Counts the directories that are open.
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// How many files are put in their places one by one; more are gone through in one go.
const A_FEW: usize = 64;

/// How long what was seen is believed while the bell is silent.
const BELIEVED: Duration = Duration::from_mins(1);

/// Counts the editions of all directories, so that none of one is taken for one of another.
static EDITIONS: AtomicU64 = AtomicU64::new(1);

/// What has changed since somebody asked.
#[derive(Debug, PartialEq, Eq)]
enum Changes {
    /// These files, by name; nothing else.
    Of(Vec<String>),
    /// Anything may have.
    Unknown,
}

/// What was seen of a directory of a store, if there is one.
#[derive(Debug, Default)]
pub(crate) struct Sight(Option<Directory>);

/// A directory whose files are looked at again and again.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    open: Opened,
    watch: Watch,
    /// The version of the directory that was looked at.
    at: Version,
    /// The same, if a change of it is sure to show.
    listed: Option<Version>,
    /// The files that are there, by name.
    files: Vec<File>,
    /// Another number whenever a file has come, gone or changed.
    edition: u64,
    /// How the edition came about, where that is known.
    step: Option<Step>,
    /// Another number whenever changes may have come of which nobody told.
    watched_since: u64,
    /// When all of them were looked at.
    looked: Instant,
}

/// The way from one edition of a directory to the next.
#[derive(Debug)]
struct Step {
    /// The edition before.
    from: u64,
    /// The files that may have come, gone or changed since; nothing else has.
    names: Vec<Name>,
}

/// A Markdown file, and what was seen of it.
pub(crate) type File = (Name, Seen);

/// The name of a file, shared by all who keep something of it.
pub(crate) type Name = Arc<str>;

/// How a directory is watched.
#[derive(Debug)]
enum Watch {
    /// Nobody has looked at many files yet.
    Fresh,
    /// The bell rings at changes.
    Belled(Bell),
    /// There can be no bell.
    Deaf,
}

impl Sight {
    /// Looks at the files of a directory that are there at `now`. `names` lists those of a version of it, and is asked where nobody knows them.
    pub(crate) fn look(
        &mut self,
        (store, name): (&Store, &str),
        now: SystemTime,
        names: impl Fn(Version) -> Vec<Name>,
    ) -> Option<&Directory> {
        let Some(version) = store.version(name) else {
            self.0 = None;
            return None;
        };
        // As long as it is open, no other has its number.
        let is_there = |directory: &Directory| directory.at.is_same_file(&version);
        if !self.0.as_ref().is_some_and(is_there) {
            self.0 = Directory::open(&store.path(name));
        }
        let directory = self.0.as_mut()?;
        // By now another one may have its name.
        let version = if is_there(directory) { version } else { directory.at };
        directory.look(version, now, names);
        Some(directory)
    }

    /// Forgets what was seen if too much is kept in sight; whoever looks next begins anew.
    pub(crate) fn rest(&mut self) {
        if OPEN.load(Ordering::Relaxed) > MOST_OPEN {
            self.0 = None;
        }
    }

    /// Since when somebody tells of every change, if anybody does.
    #[cfg(all(test, target_os = "linux"))]
    pub(crate) fn watched_since(&self) -> Option<u64> {
        self.0.as_ref().and_then(Directory::watched_since)
    }

    /// Counts the files without looking at each of them.
    pub(crate) fn count(&mut self, store: &Store, name: &str, now: SystemTime) -> usize {
        match &self.0 {
            Some(directory) if matches!(directory.watch, Watch::Belled(_)) => self
                .look((store, name), now, |_| list(store, name))
                .map_or(0, |directory| directory.files.len()),
            Some(directory)
                if cfg!(unix) && directory.listed.is_some() && directory.listed == store.version(name) =>
            {
                directory.files.len()
            }
            _ => store.list(name).len(),
        }
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        OPEN.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Directory {
    /// Opens a directory, so that the way to it is walked once for all of its files.
    fn open(path: &Path) -> Option<Self> {
        let open = Opened::at(path)?;
        let at = open.version()?;
        OPEN.fetch_add(1, Ordering::Relaxed);
        Some(Self {
            path: path.to_owned(),
            open,
            watch: Watch::Fresh,
            at,
            listed: None,
            files: Vec::new(),
            edition: EDITIONS.fetch_add(1, Ordering::Relaxed),
            step: None,
            watched_since: 0,
            looked: Instant::now(),
        })
    }

    /// The files that were there, by name.
    pub(crate) fn files(&self) -> &[File] {
        &self.files
    }

    /// As long as this is the same number, somebody tells of every change to a file ([`Seen::told`]), also of those that do not show in its
    /// version; nothing where nobody tells.
    pub(crate) fn watched_since(&self) -> Option<u64> {
        matches!(self.watch, Watch::Belled(_)).then_some(self.watched_since)
    }

    /// The directory itself, by which its files are found.
    pub(crate) fn opened(&self) -> Opened {
        self.open.clone()
    }

    /// Which edition of the directory that is: as long as it is the same, so are the files and their versions.
    pub(crate) fn edition(&self) -> u64 {
        self.edition
    }

    /// Says what has become of each file since an edition: a few that came, went or changed, where that is known.
    pub(crate) fn since(&self, edition: u64) -> Option<Vec<(Name, Option<Seen>)>> {
        let step = self.step.as_ref().filter(|step| step.from == edition && step.names.len() <= A_FEW)?;
        let now = |name: &Name| (Arc::clone(name), self.find(name).ok().map(|at| self.files[at].1));
        Some(step.names.iter().map(now).collect())
    }

    fn find(&self, name: &str) -> Result<usize, usize> {
        self.files.binary_search_by(|(known, _)| (**known).cmp(name))
    }

    /// The version of the directory with these names, if a change of it is sure to show.
    pub(crate) fn listed(&self) -> Option<Version> {
        self.listed
    }

    /// Looks at what is there, of which the version was taken before.
    fn look(&mut self, version: Version, now: SystemTime, names: impl Fn(Version) -> Vec<Name>) {
        let changes = match &mut self.watch {
            Watch::Belled(bell) => bell.changes(),
            Watch::Fresh | Watch::Deaf => Changes::Unknown,
        };
        match changes {
            Changes::Of(mut changed)
                if self.looked.elapsed() < BELIEVED && (!changed.is_empty() || version == self.at) =>
            {
                let from = self.edition;
                // Whoever writes two files in turn is heard of each time.
                changed.sort_unstable();
                changed.dedup();
                let changed = if changed.len() > A_FEW {
                    self.look_at_many(changed)
                } else {
                    changed.iter().filter_map(|name| self.look_again(name)).collect()
                };
                if self.edition != from {
                    self.step = Some(Step { from, names: changed });
                }
                self.take_version(version, now);
                // Of a file with two names the kernel tells of one.
                if self.files.iter().any(|(_, seen)| seen.has_other_names) {
                    self.watch = Watch::Deaf;
                    self.look_at_all(version, now, names);
                }
            }
            // What the bell told is lost: the version has to be one that came after it.
            Changes::Of(_) | Changes::Unknown => {
                self.look_at_all(self.open.version().unwrap_or(version), now, names);
            }
        }
    }

    /// Notes of which version the names are.
    fn take_version(&mut self, version: Version, now: SystemTime) {
        self.at = version;
        self.listed = version.is_settled(now).then_some(version);
    }

    /// Looks at a file that somebody told of. Gives its name if it is or was one of ours.
    fn look_again(&mut self, name: &str) -> Option<Name> {
        if !is_markdown(name) {
            return None;
        }
        let changed = match (self.find(name), self.open.see(name)) {
            (Ok(at), Some(seen)) => {
                self.files[at].1 = told_of(seen);
                Arc::clone(&self.files[at].0)
            }
            (Ok(at), None) => self.files.remove(at).0,
            (Err(at), Some(seen)) => {
                self.files.insert(at, (name.into(), told_of(seen)));
                Arc::clone(&self.files[at].0)
            }
            (Err(_), None) => return None,
        };
        self.change();
        Some(changed)
    }

    /// The same for many of them, for which all are gone through once.
    fn look_at_many(&mut self, mut names: Vec<String>) -> Vec<Name> {
        names.retain(|name| is_markdown(name));
        names.sort_unstable();
        names.dedup();
        if names.is_empty() {
            return Vec::new();
        }
        let mut before = mem::take(&mut self.files).into_iter().peekable();
        let mut files = Vec::with_capacity(before.len() + names.len());
        let mut changed = Vec::with_capacity(names.len());
        for name in names {
            while let Some(file) = before.next_if(|(known, _)| **known < *name) {
                files.push(file);
            }
            let known = before.next_if(|(known, _)| **known == *name);
            let seen = self.open.see(&name);
            if known.is_none() && seen.is_none() {
                continue;
            }
            let name = known.map_or_else(|| name.into(), |(name, _)| name);
            changed.push(Name::clone(&name));
            files.extend(seen.map(|seen| (name, told_of(seen))));
        }
        files.extend(before);
        self.files = files;
        self.change();
        changed
    }

    /// Looks at every file.
    ///
    /// A second thread would take half of them, and on a busy machine the other half waits for it to get a core: that takes longer than to
    /// look at thousands.
    fn look_at_all(&mut self, version: Version, now: SystemTime, names: impl Fn(Version) -> Vec<Name>) {
        // Elsewhere than on Unix a directory may not note when a file comes or goes.
        let is_listed = cfg!(unix) && self.listed == Some(version);
        let mut listed = if is_listed { None } else { Some(names(version)) };
        let count = listed.as_ref().map_or(self.files.len(), Vec::len);
        if matches!(self.watch, Watch::Fresh) && count >= WORTH_IT {
            self.watch = self.bell().map_or(Watch::Deaf, Watch::Belled);
            // A file may have come before the bell was hung.
            if let (Watch::Belled(_), Some(there)) = (&self.watch, self.open.version())
                && !(version.is_settled(now) && there == version)
            {
                listed = Some(names(there));
            }
        }
        self.looked = Instant::now();
        self.watched_since = EDITIONS.fetch_add(1, Ordering::Relaxed);
        let before = mem::take(&mut self.files);
        let names = listed.unwrap_or_else(|| before.iter().map(|(name, _)| Arc::clone(name)).collect());
        let mut known = before.iter().peekable();
        let seen = |name: Name| {
            let seen = self.open.see(&name)?;
            while known.next_if(|(other, _)| *other < name).is_some() {}
            let same = known.next_if(|(other, before)| *other == name && before.version == seen.version);
            let told = same.map_or(0, |(_, before)| before.told);
            Some((name, Seen { told, ..seen }))
        };
        let files: Vec<File> = names.into_iter().filter_map(seen).collect();
        if files != before {
            self.change();
        }
        self.files = files;
        self.take_version(version, now);
        if self.files.iter().any(|(_, seen)| seen.has_other_names) {
            self.watch = Watch::Deaf;
        }
    }

    /// Begins another edition.
    fn change(&mut self) {
        self.step = None;
        self.edition = EDITIONS.fetch_add(1, Ordering::Relaxed);
    }

    /// Asks the kernel to be told of changes from now on.
    fn bell(&self) -> Option<Bell> {
        let bell = Bell::hang(&self.path, &self.open)?;
        // The path may have come to lead elsewhere.
        Version::of(&self.path).is_some_and(|version| version.is_same_file(&self.at)).then_some(bell)
    }
}

/// What is seen of a file of which somebody told that it has changed. It may have done so within a tick of the clock, and look the same.
fn told_of(seen: Seen) -> Seen {
    Seen { told: EDITIONS.fetch_add(1, Ordering::Relaxed), ..seen }
}

/// Goes through the names in a directory, at most so many. Says whether there are more.
pub(crate) fn visit_names(path: &Path, most: usize, mut visit: impl FnMut(&OsStr)) -> io::Result<bool> {
    let mut count = 0;
    system::visit_names(path, |name| {
        count += 1;
        if count <= most {
            visit(name);
        }
        count <= most
    })?;
    Ok(count > most)
}

/// Lists the Markdown files of a directory of a store, by name.
pub(crate) fn list(store: &Store, directory: &str) -> Vec<Name> {
    store.list(directory).into_iter().map(Name::from).collect()
}
