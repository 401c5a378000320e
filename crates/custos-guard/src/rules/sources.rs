//! Where rules come from.

use std::path::{Path, PathBuf};

use custos_config::source::is_linked_below;

use super::policy::Level;

/// The rules files of a call: at most one per level.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    files: Vec<Source>,
}

/// A rules file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) level: Level,
    pub(crate) path: PathBuf,
    /// The directory that the level is about; the user's is about all.
    pub(crate) root: Option<PathBuf>,
}

impl Source {
    /// Says whether the file came with a clone and leads out of it.
    pub(crate) fn is_linked(&self) -> bool {
        self.root.as_ref().is_some_and(|root| is_linked_below(root, &self.path))
    }

    /// The root as a text without a slash at its end, as the guard writes paths.
    pub(crate) fn root_text(&self) -> Option<String> {
        self.root.as_ref().map(|root| root.to_string_lossy().trim_end_matches('/').to_owned())
    }
}

impl Sources {
    /// Names the files: of the user in the configuration directory, of the workspace that the session is in, and of the repo that is
    /// worked on. A directory that is both workspace and repo has one file.
    pub fn new(config: Option<&Path>, workspace: Option<&Path>, repo: Option<&Path>) -> Self {
        let of_clone = |level, root: &Path| Source {
            level,
            path: rules_file(&root.join(".ai")),
            root: Some(root.to_owned()),
        };
        let mut files = Vec::with_capacity(3);
        files.extend(config.map(|config| Source {
            level: Level::User,
            path: rules_file(config),
            root: None,
        }));
        files.extend(
            workspace.filter(|root| Some(*root) != repo).map(|root| of_clone(Level::Workspace, root)),
        );
        files.extend(repo.map(|root| of_clone(Level::Repo, root)));
        Self { files }
    }

    /// The rules file of a level, if that level takes part.
    pub fn path(&self, level: Level) -> Option<&Path> {
        self.file(level).map(|source| source.path.as_path())
    }

    /// The directories that take part with what is in them, each with its level: the workspace, then the repo.
    pub fn roots(&self) -> impl Iterator<Item = (Level, &Path)> {
        self.files.iter().filter_map(|source| Some((source.level, source.root.as_deref()?)))
    }

    pub(crate) fn file(&self, level: Level) -> Option<&Source> {
        self.files.iter().find(|source| source.level == level)
    }

    /// The files, the user's first.
    pub(crate) fn files(&self) -> &[Source] {
        &self.files
    }
}

/// Finds the nearest directory above a repo that has rules, below the home directory: they count in the repo as well.
pub fn workspace_above<'p>(repo: &'p Path, home: Option<&Path>) -> Option<&'p Path> {
    const HIGHEST: usize = 6;
    let home = home?;
    repo.ancestors()
        .skip(1)
        .take(HIGHEST)
        .take_while(|dir| dir.starts_with(home) && *dir != home)
        .find(|dir| rules_file(&dir.join(".ai")).exists())
}

/// The rules file in a configuration directory or in an `.ai` directory.
pub fn rules_file(directory: &Path) -> PathBuf {
    directory.join("policies").join("safety.yaml")
}
