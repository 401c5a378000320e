//! What is below a directory: names, kinds, modes, bytes and times.
//!
//! Two of them compared say whether anything was touched, and where.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Listing {
    entries: BTreeMap<PathBuf, Entry>,
}

#[derive(Clone, PartialEq, Eq)]
struct Entry {
    kind: Kind,
    mode: u32,
    modified: Option<SystemTime>,
}

#[derive(Clone, PartialEq, Eq)]
enum Kind {
    Directory,
    Link(PathBuf),
    File(Vec<u8>),
}

impl Listing {
    /// Lists what is below a directory, without what is below these paths in it, and without the directories on the way there.
    pub(crate) fn new(root: &Path, without: &[&str]) -> Self {
        let mut entries = BTreeMap::new();
        let mut pending = vec![root.to_owned()];
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(&directory).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(root).unwrap().to_owned();
                if without.iter().any(|without| name.starts_with(without)) {
                    continue;
                }
                let metadata = fs::symlink_metadata(&path).unwrap();
                let kind = if metadata.is_dir() {
                    pending.push(path.clone());
                    Kind::Directory
                } else if metadata.is_symlink() {
                    Kind::Link(fs::read_link(&path).unwrap())
                } else {
                    Kind::File(fs::read(&path).unwrap())
                };
                if kind == Kind::Directory
                    && without.iter().any(|without| Path::new(without).starts_with(&name))
                {
                    continue;
                }
                let mode = metadata.permissions().mode() & 0o7777;
                entries.insert(name, Entry { kind, mode, modified: metadata.modified().ok() });
            }
        }
        Self { entries }
    }

    /// Leaves the times out, for a comparison of what something is with what it was.
    pub(crate) fn without_times(mut self) -> Self {
        self.entries.values_mut().for_each(|entry| entry.modified = None);
        self
    }

    /// Tells the files that are here and not there, or not the same, each with its mode and its text.
    pub(crate) fn since(&self, before: &Self) -> String {
        let same = |name: &PathBuf, entry: &Entry| {
            before.entries.get(name).is_some_and(|old| old.kind == entry.kind && old.mode == entry.mode)
        };
        let new = self.entries.iter().filter(|(name, entry)| !same(name, entry));
        let files = new.filter_map(|(name, entry)| match &entry.kind {
            Kind::File(bytes) => Some((name, entry.mode, String::from_utf8_lossy(bytes))),
            Kind::Directory | Kind::Link(_) => None,
        });
        files.map(|(name, mode, text)| format!("==> {} ({mode:o})\n{text}\n", name.display())).collect()
    }

    /// Lists the names of all files and links.
    pub(crate) fn files(&self) -> Vec<String> {
        let files = self.entries.iter().filter(|(_, entry)| entry.kind != Kind::Directory);
        files.map(|(name, _)| name.display().to_string()).collect()
    }
}

/// Shows names, modes and lengths; the bytes would fill the screen.
impl fmt::Debug for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, entry) in &self.entries {
            let what = match &entry.kind {
                Kind::Directory => "directory".to_owned(),
                Kind::Link(to) => format!("link to {}", to.display()),
                Kind::File(bytes) => format!(
                    "{} bytes {:?}",
                    bytes.len(),
                    String::from_utf8_lossy(&bytes[..bytes.len().min(60)])
                ),
            };
            writeln!(f, "{:04o} {} {what} {:?}", entry.mode, name.display(), entry.modified)?;
        }
        Ok(())
    }
}
