//! The files of a directory by name and version, for whoever keeps elsewhere what they say.
//!
//! The index has the text of every file, and has to know before each question whether one of them has changed. That is asked of thousands of
//! files and answered by their versions alone, so nothing is read here: the directory is listed again only when it has changed, and its files
//! are looked at by their names in it.

use std::time::SystemTime;

use crate::directory::{Sight, list};
use crate::store::Store;
use crate::version::Version;

/// The files of a directory.
#[derive(Debug)]
pub struct Roll {
    directory: &'static str,
    sight: Sight,
}

/// A file of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Present<'r> {
    /// Its name in the directory.
    pub name: &'r str,
    /// The version that it has.
    pub version: Version,
}

impl Roll {
    /// Names a directory, such as `decisions`.
    pub fn new(directory: &'static str) -> Self {
        Self { directory, sight: Sight::default() }
    }

    /// The directory, as its store calls it.
    pub fn directory(&self) -> &'static str {
        self.directory
    }

    /// Gives the files that are there at `now`, by name. A link is none.
    pub fn call(&mut self, store: &Store, now: SystemTime) -> Vec<Present<'_>> {
        let names = |_| list(store, self.directory);
        let Some(directory) = self.sight.look((store, self.directory), now, names) else { return Vec::new() };
        let files = directory.files().iter().filter(|(_, seen)| !seen.is_link);
        files.map(|(name, seen)| Present { name, version: seen.version }).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::Desk;

    /// Names what is there, and says whether each is of the version that it had before.
    fn called(roll: &mut Roll, desk: &Desk, before: &mut Vec<Version>) -> Vec<(String, bool)> {
        let present = roll.call(&desk.view().own().store, SystemTime::now());
        let known = std::mem::replace(before, present.iter().map(|file| file.version).collect());
        present.into_iter().map(|file| (file.name.to_owned(), known.contains(&file.version))).collect()
    }

    #[test]
    fn what_comes_goes_or_changes_shows_by_name_and_version() {
        let desk = Desk::repo();
        let (mut roll, mut before) = (Roll::new("decisions"), Vec::new());
        let listed = |names: &[(&str, bool)]| -> Vec<(String, bool)> {
            names.iter().map(|(name, is_same)| ((*name).to_owned(), *is_same)).collect()
        };
        assert_eq!(called(&mut roll, &desk, &mut before), listed(&[]));
        for name in ["b.md", "a.md", "c.txt", ".d.md"] {
            desk.put(&format!("decisions/{name}"), "One");
        }
        assert_eq!(called(&mut roll, &desk, &mut before), listed(&[("a.md", false), ("b.md", false)]));
        assert_eq!(called(&mut roll, &desk, &mut before), listed(&[("a.md", true), ("b.md", true)]));
        desk.put("decisions/a.md", "Twice");
        assert_eq!(called(&mut roll, &desk, &mut before), listed(&[("a.md", false), ("b.md", true)]));
        let directory = desk.view().own().store.path("decisions");
        fs::rename(directory.join("b.md"), directory.join("e.md")).unwrap();
        fs::remove_file(directory.join("a.md")).unwrap();
        let names: Vec<String> =
            called(&mut roll, &desk, &mut before).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["e.md"]);
        // Another directory in its place.
        fs::rename(&directory, desk.dir.path().join("aside")).unwrap();
        assert_eq!(called(&mut roll, &desk, &mut before), listed(&[]));
        desk.put("decisions/e.md", "One");
        assert_eq!(called(&mut roll, &desk, &mut before), listed(&[("e.md", false)]));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_no_file() {
        let desk = Desk::repo();
        desk.put("decisions/a.md", "One");
        let directory = desk.view().own().store.path("decisions");
        std::os::unix::fs::symlink("a.md", directory.join("b.md")).unwrap();
        let present = called(&mut Roll::new("decisions"), &desk, &mut Vec::new());
        assert_eq!(present, [("a.md".to_owned(), false)]);
    }
}
