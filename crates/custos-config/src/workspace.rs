//! Tells whether a directory that is not a repo is a workspace of several.
//!
//! Inside of a repo less speaks for it: its packages have the same marks, and its submodules and linked working trees look like repos. There
//! only repos count whose git directory is their own.

use std::fmt;
use std::fs;
use std::path::Path;

use crate::project::is_repo;
use crate::source::{Links, read_small};

/// What makes a directory a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Marker {
    /// A file that only workspaces have, or whose text declares one.
    File(&'static str),
    /// An editor's workspace file.
    Editor,
    /// Two or more repos directly below.
    ChildRepos,
}

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(name) => f.write_str(name),
            Self::Editor => f.write_str("*.code-workspace"),
            Self::ChildRepos => f.write_str("two or more child repos"),
        }
    }
}

/// The files that mark a workspace, with the text they must contain for it; the empty text is in all.
const FILES: &[(&str, &str)] = &[
    ("pnpm-workspace.yaml", ""),
    ("lerna.json", ""),
    ("nx.json", ""),
    ("rush.json", ""),
    ("go.work", ""),
    (".gitmodules", ""),
    ("package.json", "\"workspaces\""),
    ("Cargo.toml", "[workspace"),
    ("settings.gradle", "include"),
    ("settings.gradle.kts", "include"),
    ("pom.xml", "<modules>"),
];

/// The largest marker file that is read; a workspace that is declared further down is not recognised.
const LARGEST_MARKER: u64 = 256 * 1024;
/// The most entries of a directory that are looked at.
const MOST_ENTRIES: usize = 1000;

/// Finds what makes a directory a workspace. A repo is a repo and never a workspace.
pub fn workspace_marker(directory: &Path) -> Option<Marker> {
    if is_repo(directory) {
        return None;
    }
    let declared = FILES.iter().find(|(name, text)| contains(&directory.join(name), text));
    declared.map(|(name, _)| Marker::File(name)).or_else(|| listed_marker(directory))
}

fn contains(path: &Path, text: &str) -> bool {
    match read_small(path, LARGEST_MARKER, Links::Follow) {
        Ok(Some(bytes)) => text.is_empty() || String::from_utf8_lossy(&bytes).contains(text),
        _ => false,
    }
}

/// Tells whether two or more repos lie directly in a directory, each with a git directory of its own.
pub(crate) fn holds_repos(directory: &Path) -> bool {
    let Ok(entries) = fs::read_dir(directory) else { return false };
    let is_own = |child: &Path| {
        fs::symlink_metadata(child.join(".git")).is_ok_and(|git| git.is_dir()) && is_repo(child)
    };
    let repos = entries
        .take(MOST_ENTRIES)
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_own(&entry.path()));
    repos.take(2).count() == 2
}

fn listed_marker(directory: &Path) -> Option<Marker> {
    let mut repos = 0;
    for entry in fs::read_dir(directory).ok()?.take(MOST_ENTRIES).flatten() {
        if Path::new(&entry.file_name()).extension().is_some_and(|extension| extension == "code-workspace") {
            return Some(Marker::Editor);
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_repo(&entry.path()) {
            repos += 1;
        }
    }
    (repos >= 2).then_some(Marker::ChildRepos)
}
