//! A home directory for one test.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use custos_config::{Loaded, Places, Roots, Variables, load};

/// A home with a user's configuration, a workspace and a repo, removed at the end.
pub(crate) struct Home {
    directory: tempfile::TempDir,
    pub(crate) places: Places,
}

impl Home {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let variables: Variables = [("HOME", base.as_os_str())].into_iter().collect();
        Self { directory, places: Places::resolve(&variables).unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn user_file(&self) -> PathBuf {
        self.places.user_config()
    }

    pub(crate) fn repo_file(&self) -> PathBuf {
        self.path("repo/.ai/config.yaml")
    }

    pub(crate) fn workspace_file(&self) -> PathBuf {
        self.path("workspace/.ai/config.yaml")
    }

    /// Loads all files of this home.
    pub(crate) fn load(&self, variables: &[(&str, &str)], flags: &[(&str, &str)]) -> Loaded {
        let variables: Variables = variables.iter().copied().collect();
        let flags: Vec<_> =
            flags.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let (workspace, repo) = (self.path("workspace"), self.path("repo"));
        load(&self.places, Roots { workspace: Some(&workspace), repo: Some(&repo) }, &variables, &flags)
    }

    /// The problems of all files, with this home written as `~`.
    pub(crate) fn problems(&self) -> String {
        let problems: Vec<_> = self.load(&[], &[]).problems.iter().map(ToString::to_string).collect();
        self.abbreviated(&problems.join("\n"))
    }

    /// A text with this home written as `~`.
    pub(crate) fn abbreviated(&self, text: &str) -> String {
        text.replace(self.path("").to_str().unwrap().trim_end_matches('/'), "~")
    }

    /// The problems of a user's file with this content.
    pub(crate) fn problems_of(content: impl AsRef<[u8]>) -> String {
        let home = Self::new();
        write(&home.user_file(), content);
        home.problems()
    }
}

/// Writes a file, with the directories it is in.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    File::create(path).unwrap().write_all(content.as_ref()).unwrap();
}
