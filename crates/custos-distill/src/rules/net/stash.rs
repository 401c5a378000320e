//! What git puts away, and brings back: `git stash`, a look at how it was before, `git stash pop`. What was brought back was never taken back.

use super::super::commands::Run;
use super::{Change, Net};

/// The family of its commands.
pub(super) const FAMILY: &str = "git stash";

/// What was put away at once.
#[derive(Debug, Clone)]
pub(super) struct Stash {
    changes: Vec<Change>,
    texts: Vec<(String, String)>,
    /// Which edits count as taken back because of it.
    undone: std::ops::Range<usize>,
}

/// Says whether a command brings back what was put away.
pub(super) fn brings_back(run: &Run) -> bool {
    run.family == FAMILY && run.label.split_whitespace().any(|word| matches!(word, "pop" | "apply"))
}

impl Net {
    /// Puts away what was done to paths; to all where none is named.
    pub(super) fn stash(&mut self, paths: &[String], at: usize, own: bool) {
        let (changes, texts, before) = (self.changes.clone(), self.texts.clone(), self.undone.len());
        self.revert(paths, at, own);
        self.stashes.push(Stash { changes, texts, undone: before..self.undone.len() });
    }

    /// Brings back what was put away last.
    pub(super) fn bring_back(&mut self) {
        let Some(stash) = self.stashes.pop() else { return };
        if stash.undone.end <= self.undone.len() {
            self.undone.drain(stash.undone);
        }
        for (path, text) in stash.texts {
            self.set(&path, text);
        }
        // What was edited meanwhile stands beside it, or git would have refused.
        let is_there = |change: &Change| self.changes.iter().any(|known| known.path == change.path);
        let back: Vec<Change> = stash.changes.into_iter().filter(|change| !is_there(change)).collect();
        self.changes.extend(back);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::commands;
    use super::*;

    #[test]
    fn what_comes_back_is_told_from_what_goes() {
        let back = |line: &str| commands::runs(line).iter().map(brings_back).collect::<Vec<_>>();
        assert_eq!(back("git stash pop -q"), [true]);
        assert_eq!(back("git stash apply stash@{0}"), [true]);
        assert_eq!(back("git stash -q; make docs; git stash pop -q"), [false, false, true]);
        assert_eq!(back("git stash drop"), [false]);
        assert_eq!(back("docker stash pop"), [false]);
    }
}
