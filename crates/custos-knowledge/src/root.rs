//! Where a session's knowledge belongs: a repo, a workspace of several repos, or a directory of its own.
//!
//! The root is found once, from where the session began. A repo is a repo, and nobody looks further up. A directory that is none may be a
//! workspace; then the repos below it can be named, in a scope or as a project, and nothing outside of it can.
//!
//! Inside of a repo, packages have the marks of a workspace as well, and work on them belongs to the repo. So there a mark counts only for a
//! directory that somebody [named](Root::named); several repos of their own count always.

use std::fs;
use std::path::{Path, PathBuf};

use custos_config::{Project, is_repo, workspace_marker};

/// What a root is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nature {
    /// The top of a working tree.
    Repo,
    /// A directory with several repos or packages; what made it one.
    Workspace(String),
    /// Neither.
    Directory,
}

/// The directory to which a session's knowledge belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The directory.
    pub path: PathBuf,
    /// What it is.
    pub nature: Nature,
}

/// A repo in a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Child {
    /// Its path below the workspace, with `/` whatever the system: what a scope calls it.
    pub name: String,
    /// The directory.
    pub path: PathBuf,
}

impl Child {
    /// The root that it is. It is not looked for: that could end further up, outside of the workspace.
    pub fn root(&self) -> Root {
        Root { path: self.path.clone(), nature: Nature::Repo }
    }
}

/// How deep repos are looked for below a workspace, and how many directories are looked at.
const DEEPEST: usize = 2;
const MOST_DIRECTORIES: usize = 2_000;

impl Root {
    /// Finds the root of an absolute directory, in which somebody happens to be.
    pub fn find(directory: &Path) -> Self {
        let project = Project::by_place(directory);
        if project.repo.is_some() {
            return Self { path: project.root, nature: Nature::Repo };
        }
        Self::workspace(directory)
            .unwrap_or_else(|| Self { path: directory.to_owned(), nature: Nature::Directory })
    }

    /// Finds the root of an absolute directory that somebody named as the root.
    pub fn named(directory: &Path) -> Self {
        Self::workspace(directory).unwrap_or_else(|| Self::find(directory))
    }

    fn workspace(directory: &Path) -> Option<Self> {
        let marker = workspace_marker(directory)?;
        Some(Self { path: directory.to_owned(), nature: Nature::Workspace(marker.to_string()) })
    }

    /// Says whether several repos may lie below it.
    pub fn is_workspace(&self) -> bool {
        matches!(self.nature, Nature::Workspace(_))
    }

    /// Lists the repos of a workspace, by name.
    pub fn repos(&self) -> Vec<Child> {
        let mut found = Vec::new();
        if self.is_workspace() {
            let mut left = MOST_DIRECTORIES;
            look_below(&self.path, "", DEEPEST, &mut left, &mut found);
            found.sort_by(|a, b| a.name.cmp(&b.name));
        }
        found
    }

    /// The name of the directory, for people.
    pub fn name(&self) -> String {
        self.path.file_name().map_or_else(|| "/".to_owned(), |name| name.to_string_lossy().into_owned())
    }
}

/// Adds the repos below a directory. A repo is not looked into; a link is not followed.
fn look_below(directory: &Path, prefix: &str, depth: usize, left: &mut usize, found: &mut Vec<Child>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        if *left == 0 {
            return;
        }
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let Ok(name) = entry.file_name().into_string() else { continue };
        if !is_directory || name.starts_with('.') || matches!(name.as_str(), "node_modules" | "target") {
            continue;
        }
        *left -= 1;
        let (path, name) = (entry.path(), format!("{prefix}{name}"));
        if is_repo(&path) {
            found.push(Child { name, path });
        } else if depth > 1 {
            look_below(&path, &format!("{name}/"), depth - 1, left, found);
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test that makes its own directories")]
mod tests {
    use super::*;

    fn repo(path: &Path) {
        fs::create_dir_all(path.join(".git")).unwrap();
        fs::write(path.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    }

    #[test]
    fn a_directory_inside_a_repo_belongs_to_the_repo() {
        let dir = tempfile::tempdir().unwrap();
        repo(dir.path());
        fs::create_dir_all(dir.path().join("src/deep")).unwrap();
        let expected = Root { path: dir.path().to_owned(), nature: Nature::Repo };
        assert_eq!(Root::find(&dir.path().join("src/deep")), expected);
        assert_eq!(expected.repos(), []);
    }

    #[test]
    fn two_repos_make_a_workspace_and_are_named_by_their_paths() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["web", "api", "libs/core", ".hidden", "node_modules/x"] {
            repo(&dir.path().join(name));
        }
        let root = Root::find(dir.path());
        assert_eq!(root.nature, Nature::Workspace("two or more child repos".to_owned()));
        let names: Vec<String> = root.repos().into_iter().map(|child| child.name).collect();
        assert_eq!(names, ["api", "libs/core", "web"]);
    }

    #[test]
    fn a_workspace_inside_of_a_repo_is_a_workspace() {
        let dir = tempfile::tempdir().unwrap();
        repo(dir.path());
        let work = dir.path().join("work");
        repo(&work.join("api"));
        repo(&work.join("web"));
        let root = Root::find(&work);
        let nature = Nature::Workspace("two or more child repos".to_owned());
        assert_eq!(root, Root { path: work.clone(), nature });
        let names: Vec<String> = root.repos().into_iter().map(|child| child.name).collect();
        assert_eq!(names, ["api", "web"]);
        assert_eq!(Root::named(&work), root);
    }

    #[test]
    fn what_only_looks_like_a_repo_leads_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        repo(dir.path());
        let work = dir.path().join("work");
        repo(&work.join("api"));
        repo(&work.join("web"));
        fs::create_dir_all(work.join("empty/.git")).unwrap();
        fs::create_dir_all(work.join("worktree")).unwrap();
        fs::write(work.join("worktree/.git"), "gitdir: ../gone/.git/worktrees/worktree\n").unwrap();
        let repos = Root::find(&work).repos();
        let roots: Vec<PathBuf> = repos.iter().map(|child| child.root().path).collect();
        assert_eq!(roots, [work.join("api"), work.join("web")]);
    }

    #[test]
    fn a_mark_inside_of_a_repo_counts_where_somebody_names_the_directory() {
        let dir = tempfile::tempdir().unwrap();
        repo(dir.path());
        let packages = dir.path().join("packages");
        fs::create_dir_all(packages.join("shop")).unwrap();
        fs::write(packages.join("pnpm-workspace.yaml"), "packages: ['*']\n").unwrap();
        let outer = Root { path: dir.path().to_owned(), nature: Nature::Repo };
        assert_eq!(Root::find(&packages), outer);
        assert_eq!(Root::named(&packages.join("shop")), outer, "nothing marks it");
        assert_eq!(Root::named(dir.path()), outer);
        let nature = Nature::Workspace("pnpm-workspace.yaml".to_owned());
        assert_eq!(Root::named(&packages), Root { path: packages, nature });
    }

    #[test]
    fn anything_else_is_just_a_directory() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Root::find(dir.path()).nature, Nature::Directory);
    }
}
