//! A directory whose files are looked at again and again.
//!
//! A server looks at thousands of files before each answer, to see whether a hand has changed one. Before it does so for the first time, it
//! asks the kernel to be told of changes ([`Bell`]); from then on it looks only at what it was told of. Whoever looks once gains nothing by
//! it, and loses next to nothing.
//!
//! What the kernel tells is not everything. It says nothing of what another machine writes to a shared disk, so only file systems of this
//! machine are trusted; and nothing of what is written to a file by another name of it, so a directory with such a file is looked at
//! whole. Such a name may be made later, elsewhere: so everything is looked at again once in a while. The bell saves looking and never
//! decides anything: where there is none, everything is looked at.

#[cfg_attr(target_os = "linux", path = "directory/linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "directory/elsewhere.rs")]
mod bell;

use std::mem;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bell::Bell;

use crate::version::{Seen, Version};

/// The fewest files for which a bell is worth having: a person has only so many.
const WORTH_IT: usize = 64;

/// How long what was seen is believed while the bell is silent.
const BELIEVED: Duration = Duration::from_mins(1);

/// What has changed since somebody asked.
#[derive(Debug, PartialEq, Eq)]
enum Changes {
    /// These files, by name; nothing else.
    Of(Vec<String>),
    /// Anything may have.
    Unknown,
}

/// A directory whose files are looked at again and again.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    #[cfg(unix)]
    open: rustix::fd::OwnedFd,
    watch: Watch,
    /// What was seen of the files since there is a bell, by name.
    seen: Vec<(String, Seen)>,
    /// When all of them were looked at.
    looked: Instant,
}

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

impl Directory {
    /// Opens a directory, so that the way to it is walked once for all of its files.
    pub(crate) fn open(path: &Path) -> Option<Self> {
        Some(Self {
            path: path.to_owned(),
            #[cfg(unix)]
            open: {
                use rustix::fs::{Mode, OFlags, open};
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                open(path, flags, Mode::empty()).ok()?
            },
            watch: Watch::Fresh,
            seen: Vec::new(),
            looked: Instant::now(),
        })
    }

    /// Says whether it is the directory of a version, and not another one that took its place.
    pub(crate) fn is_of(&self, version: &Version) -> bool {
        self.version().is_some_and(|own| own.is_same_file(version))
    }

    /// Looks at files by their names, and answers in their order.
    ///
    /// A second thread would take half of them, and on a busy machine the other half waits for it to get a core: that takes longer than to
    /// look at thousands.
    pub(crate) fn look_at(&mut self, names: &[&str]) -> Vec<Option<Seen>> {
        self.watch = match mem::replace(&mut self.watch, Watch::Deaf) {
            Watch::Fresh if names.len() >= WORTH_IT => self.bell().map_or(Watch::Deaf, Watch::Belled),
            watch => watch,
        };
        let Watch::Belled(bell) = &mut self.watch else {
            return names.iter().map(|name| self.look(name)).collect();
        };
        match bell.changes() {
            Changes::Of(changed) if self.looked.elapsed() < BELIEVED => {
                if !changed.is_empty() {
                    self.seen.retain(|(name, _)| !changed.contains(name));
                }
            }
            Changes::Of(_) | Changes::Unknown => self.seen.clear(),
        }
        if self.seen.is_empty() {
            self.looked = Instant::now();
        }
        self.look_at_others(names)
    }

    /// Looks at those of which nothing is known, and keeps what it saw.
    fn look_at_others(&mut self, names: &[&str]) -> Vec<Option<Seen>> {
        let mut before = mem::take(&mut self.seen).into_iter().peekable();
        let mut answer = Vec::with_capacity(names.len());
        self.seen.reserve(names.len());
        for name in names {
            // Both are in the order of their names; were they not, more would be looked at.
            while before.next_if(|(known, _)| known.as_str() < *name).is_some() {}
            let known = before.next_if(|(known, _)| known == name);
            let known = known.or_else(|| Some(((*name).to_owned(), self.look(name)?)));
            answer.push(known.as_ref().map(|(_, seen)| *seen));
            self.seen.extend(known);
        }
        if self.seen.iter().any(|(_, seen)| seen.has_other_names) {
            self.watch = Watch::Deaf;
            self.seen = Vec::new();
        }
        answer
    }

    /// Asks the kernel to be told of changes from now on.
    #[cfg(unix)]
    fn bell(&self) -> Option<Bell> {
        let bell = Bell::hang(&self.path, &self.open)?;
        // The path may have come to lead elsewhere.
        Version::of(&self.path).is_some_and(|version| self.is_of(&version)).then_some(bell)
    }

    #[cfg(unix)]
    fn version(&self) -> Option<Version> {
        rustix::fs::fstat(&self.open).ok().map(|stat| Seen::from(&stat).version)
    }

    /// Looks at a file by its name.
    #[cfg(unix)]
    fn look(&self, name: &str) -> Option<Seen> {
        let stat = rustix::fs::statat(&self.open, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(Seen::from(&stat))
    }

    #[cfg(not(unix))]
    fn bell(&self) -> Option<Bell> {
        None
    }

    #[cfg(not(unix))]
    fn version(&self) -> Option<Version> {
        Version::of(&self.path)
    }

    #[cfg(not(unix))]
    fn look(&self, name: &str) -> Option<Seen> {
        std::fs::symlink_metadata(self.path.join(name)).ok().map(|metadata| Seen::from(&metadata))
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "files are written as a hand would")]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::*;

    type Change = dyn Fn(&Watched);

    /// A directory with enough files for a bell, at which somebody has looked.
    struct Watched {
        dir: tempfile::TempDir,
        directory: Directory,
        names: Vec<String>,
    }

    impl Watched {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let names: Vec<String> = (0..WORTH_IT).map(|number| format!("{number:03}.md")).collect();
            for name in &names {
                fs::write(dir.path().join(name), "One").unwrap();
            }
            let directory = Directory::open(dir.path()).unwrap();
            let mut watched = Self { dir, directory, names };
            assert_eq!(watched.look(), watched.really());
            watched
        }

        fn path(&self, number: usize) -> PathBuf {
            self.dir.path().join(&self.names[number])
        }

        fn look(&mut self) -> Vec<Option<Version>> {
            let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
            let seen = self.directory.look_at(&names);
            seen.into_iter().map(|seen| seen.map(|seen| seen.version)).collect()
        }

        /// What is there, by another way.
        fn really(&self) -> Vec<Option<Version>> {
            self.names.iter().map(|name| Version::of(&self.dir.path().join(name))).collect()
        }

        fn has_bell(&self) -> bool {
            matches!(self.directory.watch, Watch::Belled(_))
        }
    }

    #[test]
    fn every_change_by_hand_is_seen_at_the_next_look() {
        let mut watched = Watched::new();
        let changes: [(&str, &Change); 8] = [
            ("written anew", &|watched| fs::write(watched.path(3), "Two").unwrap()),
            ("added to", &|watched| {
                let mut file = fs::File::options().append(true).open(watched.path(4)).unwrap();
                file.write_all(b" and more").unwrap();
            }),
            ("replaced", &|watched| {
                let other = watched.dir.path().join("other");
                fs::write(&other, "Another").unwrap();
                fs::rename(other, watched.path(5)).unwrap();
            }),
            ("removed", &|watched| fs::remove_file(watched.path(6)).unwrap()),
            ("back again", &|watched| fs::write(watched.path(6), "Back").unwrap()),
            ("cut", &|watched| {
                fs::File::options().write(true).open(watched.path(7)).unwrap().set_len(1).unwrap();
            }),
            ("moved", &|watched| fs::rename(watched.path(8), watched.path(9)).unwrap()),
            ("nothing", &|_| ()),
        ];
        for (what, change) in changes {
            change(&watched);
            assert_eq!(watched.look(), watched.really(), "{what}");
            assert_eq!(watched.look(), watched.really(), "{what}, once more");
        }
        // Where tests run there need not be a disk of this machine.
        assert_eq!(watched.has_bell(), watched.directory.bell().is_some());
    }

    #[test]
    fn more_changes_than_the_kernel_remembers_are_seen() {
        let mut watched = Watched::new();
        for round in 0..600 {
            for number in 0..WORTH_IT {
                // Each event differs from the one before, so none is taken for it.
                fs::write(watched.path(number), format!("Round {round}")).unwrap();
            }
        }
        assert_eq!(watched.look(), watched.really());
        fs::write(watched.path(1), "After that").unwrap();
        assert_eq!(watched.look(), watched.really());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_written_by_another_name_is_seen_in_the_end() {
        let mut watched = Watched::new();
        let elsewhere = tempfile::tempdir().unwrap();
        let other = elsewhere.path().join("other");
        fs::hard_link(watched.path(3), &other).unwrap();
        fs::write(&other, "Written by its other name").unwrap();
        watched.directory.looked = Instant::now().checked_sub(BELIEVED).unwrap();
        assert_eq!(watched.look(), watched.really());
        // From then on at once.
        assert!(!watched.has_bell());
        fs::write(&other, "Written again").unwrap();
        assert_eq!(watched.look(), watched.really());
    }

    #[test]
    fn another_directory_in_its_place_is_another() {
        let watched = Watched::new();
        let version = Version::of(watched.dir.path()).unwrap();
        assert!(watched.directory.is_of(&version));
        let other = Version::of(watched.dir.path().parent().unwrap()).unwrap();
        assert!(!cfg!(unix) || !watched.directory.is_of(&other));
    }
}
