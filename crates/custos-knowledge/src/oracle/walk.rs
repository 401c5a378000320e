//! The tree of a project: which files there are, level by level.
//!
//! The walk goes breadth first and in the order of names. When a limit ends it, the top of the tree is complete and what is missing is
//! the deepest, and the same tree is cut in the same place on every machine.

use std::collections::{BinaryHeap, HashSet, VecDeque};
use std::fmt;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use super::findings::{Cut, Unread};
use super::foreign;
use super::ignored::Ignored;

/// How far a scan may go.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// The most files, and the most folders.
    pub files: usize,
    /// The most bytes of one file; a larger one is not read.
    pub file_bytes: u64,
    /// The most bytes of all files together.
    pub total_bytes: u64,
    /// Tells whether the time is up; asked often, so it should be cheap.
    pub expired: &'a dyn Fn() -> bool,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Self { files: 250_000, file_bytes: 256 * 1024, total_bytes: 48 * 1024 * 1024, expired: &|| false }
    }
}

impl fmt::Debug for Limits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits")
            .field("files", &self.files)
            .field("file_bytes", &self.file_bytes)
            .field("total_bytes", &self.total_bytes)
            .finish_non_exhaustive()
    }
}

/// The deepest folder that is entered.
const DEEPEST: usize = 40;
/// How often, in entries, the clock is asked and progress is told.
const BREATH: usize = 512;

/// Hidden folders that say something about the project. All others belong to tools, or to git.
const TELLING: &[&str] = &[
    ".buildkite",
    ".cargo",
    ".changeset",
    ".ci",
    ".circleci",
    ".config",
    ".devcontainer",
    ".forgejo",
    ".gitea",
    ".github",
    ".gitlab",
    ".husky",
    ".mvn",
    ".woodpecker",
];

/// Folders of other people's files and of build results, also where nobody has ignored them: the name, and the file beside or inside
/// that makes it one. An empty list means the name alone.
const FOREIGN: &[(&str, &[&str])] = &[
    ("node_modules", &[]),
    ("bower_components", &[]),
    ("__pycache__", &[]),
    ("DerivedData", &[]),
    ("Pods", &["../Podfile"]),
    ("Carthage", &["../Cartfile"]),
    ("target", &["../Cargo.toml", "../pom.xml", "../build.sbt", "CACHEDIR.TAG"]),
    ("vendor", &["../go.mod", "../composer.json", "../Cargo.toml", "../Gemfile"]),
    ("venv", &["pyvenv.cfg"]),
    ("env", &["pyvenv.cfg"]),
    ("obj", &["project.assets.json"]),
    ("build", &["CMakeCache.txt", "tmp/compileJava", "reports", "intermediates"]),
    ("_build", &["../mix.exs", "../dune-project"]),
    ("elm-stuff", &[]),
];

/// The files and folders of a project, nearest to the root first.
#[derive(Default)]
pub(super) struct Tree {
    /// The files as paths from the root, with `/`.
    pub(super) files: Vec<String>,
    /// The folders, without the root.
    pub(super) folders: Vec<String>,
    /// Folders that could not be listed.
    pub(super) unread: Vec<Unread>,
    /// The folders that are repositories of their own, with a `/` at the end; the root is none of them.
    pub(super) repos: Vec<String>,
    /// What ended the walk early.
    pub(super) cut: Option<Cut>,
    /// How many files were seen, those with names that are not text among them.
    pub(super) seen: usize,
    /// The paths of the files, and those of the folders with a `/` at the end.
    known: HashSet<String>,
}

impl Tree {
    /// Walks a tree within limits.
    pub(super) fn walk(root: &Path, limits: &Limits<'_>, progress: &mut dyn FnMut(usize)) -> Self {
        let mut tree = Self::default();
        let mut open = VecDeque::from([(String::new(), 0, None::<Rc<Ignored>>)]);
        while let Some((folder, depth, above)) = open.pop_front() {
            if (limits.expired)() {
                tree.cut = Some(Cut::Time);
                break;
            }
            let ignored = Ignored::below(above.as_ref(), root, &folder);
            let entries = match tree.list(root, &folder, limits, progress) {
                Ok(entries) => entries,
                Err(why) => {
                    tree.unread.push(Unread { file: foreign::path(&format!("{folder}/")), why });
                    continue;
                }
            };
            if !folder.is_empty() && entries.iter().any(|entry| entry.name == ".git") {
                tree.repos.push(format!("{folder}/"));
            }
            for entry in entries {
                let path = join(&folder, &entry.name);
                if ignored.as_ref().is_some_and(|ignored| ignored.holds(&path, entry.is_folder)) {
                    continue;
                }
                if !entry.is_folder {
                    tree.take_file(path, limits, progress);
                } else if is_worth_entering(root, &folder, &entry.name) && depth < DEEPEST {
                    if tree.folders.len() >= limits.files {
                        tree.cut = Some(Cut::Files);
                    } else {
                        tree.known.insert(format!("{path}/"));
                        tree.folders.push(path.clone());
                        open.push_back((path, depth + 1, ignored.clone()));
                    }
                }
            }
            if tree.cut.is_some() {
                break;
            }
        }
        progress(tree.seen);
        tree
    }

    /// Gives the repository within the tree that a file belongs to, with a `/` at the end; empty for what belongs to the root.
    pub(super) fn repo_of(&self, path: &str) -> &str {
        // The deeper ones were found later.
        self.repos.iter().rev().find(|repo| path.starts_with(repo.as_str())).map_or("", String::as_str)
    }

    /// Tells whether a file is there.
    pub(super) fn has(&self, path: &str) -> bool {
        self.known.contains(path)
    }

    /// Tells whether a folder is there; the root is.
    pub(super) fn has_folder(&self, path: &str) -> bool {
        path.is_empty() || self.known.contains(&format!("{path}/"))
    }

    /// Finds the first of several names in a folder or the nearest folder above that has one.
    pub(super) fn nearest<'n>(&self, folder: &str, names: &[&'n str]) -> Option<(String, &'n str)> {
        above(folder).find_map(|folder| {
            let name = names.iter().copied().find(|name| self.has(&join(folder, name)))?;
            Some((join(folder, name), name))
        })
    }

    fn take_file(&mut self, path: String, limits: &Limits<'_>, progress: &mut dyn FnMut(usize)) {
        if self.seen >= limits.files {
            self.cut = Some(Cut::Files);
            return;
        }
        self.seen += 1;
        if self.seen.is_multiple_of(BREATH) {
            progress(self.seen);
        }
        self.known.insert(path.clone());
        self.files.push(path);
    }

    /// Lists a folder in the order of names. Of one with more entries than there is room for, the first names are kept.
    fn list(
        &mut self,
        root: &Path,
        folder: &str,
        limits: &Limits<'_>,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Vec<Entry>, String> {
        let listing = fs::read_dir(root.join(folder))
            .map_err(|error| format!("it cannot be listed: {}", error.kind()))?;
        let room = limits.files.saturating_add(1);
        let mut kept = BinaryHeap::new();
        for (count, entry) in listing.flatten().enumerate() {
            if count % BREATH == BREATH - 1 {
                progress(self.seen);
                if (limits.expired)() {
                    self.cut = Some(Cut::Time);
                    break;
                }
            }
            // Links, pipes and devices are neither. A name that is not text can be counted, but nothing could be said of it.
            let Ok(kind) = entry.file_type() else { continue };
            if !kind.is_file() && !kind.is_dir() {
                continue;
            }
            match entry.file_name().into_string() {
                Ok(name) => kept.push(Entry { name, is_folder: kind.is_dir() }),
                Err(_) => self.seen += usize::from(kind.is_file()),
            }
            if kept.len() > room {
                kept.pop();
                self.cut = Some(Cut::Files);
            }
        }
        Ok(kept.into_sorted_vec())
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    name: String,
    is_folder: bool,
}

fn is_worth_entering(root: &Path, folder: &str, name: &str) -> bool {
    if name.starts_with('.') {
        return TELLING.contains(&name);
    }
    let directory = root.join(folder).join(name);
    !FOREIGN.iter().any(|(foreign, proofs)| {
        *foreign == name && (proofs.is_empty() || proofs.iter().any(|proof| directory.join(proof).exists()))
    })
}

/// Joins a folder and a name; the root is the empty folder.
pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Returns the folder that a path is in.
pub(super) fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..at])
}

/// Returns the last part of a path.
pub(super) fn name_of(path: &str) -> &str {
    path.rfind('/').map_or(path, |at| &path[at + 1..])
}

/// Returns what follows the last dot of a path's name.
pub(super) fn extension_of(path: &str) -> &str {
    let name = name_of(path);
    name.rfind('.').filter(|at| *at > 0).map_or("", |at| &name[at + 1..])
}

/// Returns a folder and the folders above it, up to the root.
pub(super) fn above(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| folder_of(folder)))
}

/// Folders whose files are not the project itself, but examples of or material for it.
const ASIDE: &[&str] = &[
    "__fixtures__",
    "__mocks__",
    "__snapshots__",
    "demo",
    "demos",
    "example",
    "examples",
    "external",
    "fixtures",
    "fuzz",
    "sample",
    "samples",
    "snapshots",
    "testdata",
    "third-party",
    "third_party",
    "thirdparty",
    "vendor",
    "vendored",
];

/// The languages that have a source root of their own, by the folder's name.
const PACKAGED: &[&str] = &["groovy", "java", "kotlin", "scala"];

/// Tells whether a file is beside the project: an example, a fixture, a copy of somebody else's.
pub(super) fn is_aside(path: &str) -> bool {
    outside_of_packages(folder_of(path)).split('/').any(|part| ASIDE.contains(&part))
}

/// The part of a folder's path that is no package. Below `src/main/java` and its like a folder is one, and `com/example/demo` is what
/// generators of projects call it.
fn outside_of_packages(folder: &str) -> &str {
    let mut end = 0;
    let mut before = ["", ""];
    for part in folder.split('/') {
        end += part.len();
        if before[0] == "src" && PACKAGED.contains(&part) {
            return &folder[..end];
        }
        before = [before[1], part];
        end += 1;
    }
    folder
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::is_aside;

    #[rstest]
    #[case::sample("examples/web/main.go", true)]
    #[case::fixture("pkg/testdata/x.json", true)]
    #[case::package("src/main/java/com/example/demo/App.java", false)]
    #[case::tests("core/src/test/kotlin/com/example/AppTest.kt", false)]
    #[case::shared("src/commonMain/kotlin/sample/App.kt", false)]
    #[case::sample_with_packages("samples/shop/src/main/java/shop/App.java", true)]
    #[case::sample_set("src/demo/java/x.java", true)]
    #[case::elsewhere("java/com/example/App.java", true)]
    fn below_a_source_root_are_packages(#[case] path: &str, #[case] aside: bool) {
        assert_eq!(is_aside(path), aside);
    }
}
