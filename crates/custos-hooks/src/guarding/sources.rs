//! Whose rules count where a command works: those of its own repo, and of the others that it goes to.

use std::path::Path;

use custos_config::Project;
use custos_guard::rules::sources::workspace_above;
use custos_guard::rules::{self, Level, Policy, Sources};
use custos_guard::{CATALOGUE, Files as _, Judgement, decisions};

use super::PROVEN_ON_THE_WAY;
use crate::world::Disk;

/// The file in the state directory that holds the compiled rules.
pub const RULES_CACHE: &str = "rules.bin";

/// How many of the other repos that a command works in are asked for their rules.
const MOST_REPOS: usize = 4;

/// The rules files that count in a repo: the person's, those of the directory that the session began in or of one above the repo, the
/// repo's own.
pub fn sources(config: &Path, session_root: Option<&Path>, project: &Project, home: Option<&str>) -> Sources {
    let root = project.root.as_path();
    if project.repo.is_none() && session_root.is_none_or(|session| session == root) {
        // A directory that is no repo may hold several. One that lies in a repo is worked on with that repo's git, so its rules count too.
        let around = Project::of_working_tree(root);
        return Sources::new(Some(config), Some(root), around.as_ref().map(|repo| repo.root.as_path()));
    }
    let above = || workspace_above(root, home.map(Path::new));
    let workspace = session_root.filter(|session| *session != root).or_else(above);
    Sources::new(Some(config), workspace, Some(root))
}

/// The rules of other repos than the one that something begins in.
#[derive(Debug, Clone, Copy)]
pub struct Elsewhere<'a> {
    /// The configuration directory.
    pub config: &'a Path,
    /// The state directory.
    pub state: &'a Path,
    /// The repo that is known already.
    pub root: &'a str,
}

impl Elsewhere<'_> {
    /// Adds what the rules of the other repos have against something, in whose directories it would do it.
    pub fn unite(
        &self,
        disk: &Disk,
        mut judgement: Judgement,
        judge: impl Fn(&Policy) -> Judgement,
    ) -> Judgement {
        let mut seen = vec![self.root.to_owned()];
        for dir in std::mem::take(&mut judgement.directories) {
            let Some(repo) = disk.repo(&dir).filter(|repo| !seen.contains(repo)) else { continue };
            if seen.len() > MOST_REPOS {
                break;
            }
            let path = Path::new(&repo);
            if path.join(".ai").exists() {
                let sources = Sources::new(Some(self.config), Some(Path::new(self.root)), Some(path));
                let mut policy = rules::load_fast(&sources, &self.state.join(RULES_CACHE), CATALOGUE);
                decisions::enforce(&mut policy, self.state, (Level::Repo, path), PROVEN_ON_THE_WAY);
                // What was looked at is the same.
                judgement.unite(Judgement { steps: Vec::new(), directories: Vec::new(), ..judge(&policy) });
            }
            seen.push(repo);
        }
        judgement
    }
}
