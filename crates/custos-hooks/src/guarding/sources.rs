//! Whose rules count where a command works: those of its own repo, and of the others that it goes to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use custos_config::{Project, is_repo};
use custos_guard::rules::sources::workspace_above;
use custos_guard::rules::{self, Level, Policy, Sources};
use custos_guard::{CATALOGUE, Judgement, decisions};

use super::PROVEN_ON_THE_WAY;

/// The file in the state directory that holds the compiled rules.
pub const RULES_CACHE: &str = "rules.bin";

/// How many of the other repos that a command works in are asked for their rules.
const MOST_REPOS: usize = 8;

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
    /// Adds what the rules of the other repos have against something, in whose directories it would do it. Those may lie beside the one that is
    /// known, and in it: a workspace holds repos, and so may a repo.
    pub fn unite(&self, mut judgement: Judgement, judge: impl Fn(&Policy) -> Judgement) -> Judgement {
        let mut asked = Asked { root: Path::new(self.root), looked_at: BTreeSet::new() };
        let mut repos: Vec<PathBuf> = Vec::new();
        for dir in std::mem::take(&mut judgement.directories) {
            for repo in asked.repos_of(&dir) {
                if repos.len() < MOST_REPOS && !repos.contains(&repo) && repo.join(".ai").exists() {
                    repos.push(repo);
                }
            }
        }
        for repo in &repos {
            let Some(name) = repo.to_str() else { continue };
            // What the known one's rules have against it was found already.
            let sources = Sources::new(Some(self.config), None, Some(repo));
            let mut policy =
                rules::load_fast(&sources, &self.state.join(RULES_CACHE), CATALOGUE).only_in(name);
            decisions::enforce(&mut policy, self.state, (Level::Repo, repo), PROVEN_ON_THE_WAY);
            // What was looked at is the same.
            judgement.unite(Judgement { steps: Vec::new(), directories: Vec::new(), ..judge(&policy) });
        }
        judgement
    }
}

/// Whose directories were asked for already; many files lie in few of them.
struct Asked<'a> {
    root: &'a Path,
    looked_at: BTreeSet<PathBuf>,
}

impl Asked<'_> {
    /// The repos that a directory is in: beside the known one the nearest, in it all that are on the way there.
    fn repos_of(&mut self, dir: &str) -> Vec<PathBuf> {
        let mut repos = Vec::new();
        let path = Path::new(dir);
        let is_inside = path.starts_with(self.root);
        for dir in path.ancestors().take_while(|dir| *dir != self.root) {
            // Whoever looked there looked at all above it.
            if !self.looked_at.insert(dir.to_owned()) {
                break;
            }
            if is_repo(dir) {
                repos.push(dir.to_owned());
                if !is_inside {
                    break;
                }
            }
        }
        repos
    }
}
