//! What a git call does beyond itself, and what it leaves behind for the next one on the same command line.

use crate::invocation::{Arg, Use};
use crate::world::World;

/// Something that a call would do that is for others to judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Nested {
    /// It would have a shell run this text.
    Script(String),
    /// It would start this program.
    Argv(Vec<Arg>),
    /// It would read or write this file, as only its content matters here: `add`, `show HEAD:file`, `--output`.
    File(Use, Arg),
}

impl Nested {
    pub(super) fn script(text: impl Into<String>) -> Self {
        Self::Script(text.into())
    }

    pub(super) fn argv<'a>(words: impl IntoIterator<Item = &'a Arg>) -> Self {
        Self::Argv(words.into_iter().cloned().collect())
    }

    pub(super) fn reads(path: impl Into<String>) -> Self {
        Self::File(Use::Read, Arg::new(path))
    }

    pub(super) fn writes(path: impl Into<String>) -> Self {
        Self::File(Use::Write, Arg::new(path))
    }
}

/// What earlier calls on the same command line changed, so that `git config alias.p 'push -f' && git p` and
/// `git switch main && git push` are understood, and `git switch -c fix && git push` on main is not held.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Earlier {
    /// Settings that were written, aliases among them.
    settings: Vec<(String, String)>,
    /// Repos and the branches that were checked out in them; `None` for one that cannot be told.
    heads: Vec<(String, Option<String>)>,
}

impl Earlier {
    pub(super) fn configure(&mut self, key: String, value: &str) {
        self.settings.push((key, value.to_owned()));
    }

    pub(super) fn settings(&self) -> &[(String, String)] {
        &self.settings
    }

    pub(super) fn setting(&self, key: &str) -> Option<&str> {
        self.settings.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    pub(super) fn check_out(&mut self, repo: &str, branch: Option<&str>) {
        self.heads.retain(|(known, _)| known != repo);
        self.heads.push((repo.to_owned(), branch.map(str::to_owned)));
    }

    /// Says whether any call checked something out.
    pub(super) fn moved(&self) -> bool {
        !self.heads.is_empty()
    }

    /// The repo with the branch that was checked out in it, if any call did.
    pub(super) fn head(&self, repo: &str) -> Option<&(String, Option<String>)> {
        self.heads.iter().find(|(known, _)| known == repo)
    }

    /// The branch that is checked out in a directory by now.
    pub(crate) fn branch(&self, dir: &str, world: &World<'_>) -> Option<String> {
        let repo = world.files.repo(dir).unwrap_or_else(|| dir.to_owned());
        match self.head(&repo) {
            Some((_, branch)) => branch.clone(),
            None => world.files.branch(dir),
        }
    }
}
