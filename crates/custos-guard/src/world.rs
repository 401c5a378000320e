//! The world that a call is judged in.
//!
//! The guard knows nothing by itself: where home is, which branch is checked out, where a link leads, all of that is asked here, so that
//! a test (or `custos guard test --cwd … --branch …`) can set it.

use std::fmt;

/// The surroundings of a call.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// The home directory, absolute and without a slash at its end.
    pub home: Option<&'a str>,
    /// The working directory, likewise.
    pub cwd: &'a str,
    /// The root of the session's project, likewise; the working directory if there is no project.
    pub root: &'a str,
    /// What is Custos's own and not the agent's to change.
    pub own: &'a Own,
    /// The file system, as far as the guard looks at it.
    pub files: &'a dyn Files,
}

impl fmt::Debug for World<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("home", &self.home)
            .field("cwd", &self.cwd)
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

/// Where Custos keeps what an agent may not change; absolute paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Own {
    /// The configuration directory: settings, rules, the trust list.
    pub config: Option<String>,
    /// The memory.
    pub memory: Option<String>,
    /// The state directory.
    pub state: Option<String>,
    /// The installed program, under each of its names.
    pub programs: Vec<String>,
    /// The clients' files in which our hooks are registered.
    pub registrations: Vec<String>,
}

/// What the guard asks of the file system. Nothing here changes anything or starts a process.
pub trait Files {
    /// Follows the links in an absolute path; of a path that does not exist, the part that does. `None` if it cannot be told.
    fn real(&self, path: &str) -> Option<String>;
    /// Says whether `DIR/name` and `dir/NAME` are the same file there.
    fn folds_case(&self, dir: &str) -> bool;
    /// The branch that is checked out in the repo of a directory, without `refs/heads/`.
    fn branch(&self, dir: &str) -> Option<String>;
    /// The root of the repo of a directory.
    fn repo(&self, dir: &str) -> Option<String>;
    /// A small regular file as text: an alias or an upstream in `.git/config`.
    fn text(&self, path: &str) -> Option<String>;
}

/// A file system of which nothing is known; for judging without a disk.
#[derive(Debug, Clone, Default)]
pub struct NoFiles {
    /// The branch that is checked out everywhere.
    pub branch: Option<String>,
}

impl Files for NoFiles {
    fn real(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }

    fn folds_case(&self, _dir: &str) -> bool {
        false
    }

    fn branch(&self, _dir: &str) -> Option<String> {
        self.branch.clone()
    }

    fn repo(&self, _dir: &str) -> Option<String> {
        None
    }

    fn text(&self, _path: &str) -> Option<String> {
        None
    }
}
