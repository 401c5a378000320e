//! Where something happened: the project, its branch and commit, and the files relative to it.
//!
//! A client works in one directory and touches files in others: a workspace of several repos, a second checkout. What it did belongs
//! to the repo whose files it touched, or nobody working there would ever find it again.

use std::path::Path;

use custos_config::{Names, Project};

use crate::touched::Touched;

/// Where something happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The project.
    pub project: Option<Project>,
    /// Whether that is another one than the client works in.
    pub is_elsewhere: bool,
}

impl Place {
    /// Finds the place of a call that was made in the project `home` and touched these files.
    pub fn of(home: Option<Project>, touched: &Touched, names: &Names) -> Self {
        let file = touched.changed.first().or_else(|| touched.read.first()).map(Path::new);
        let elsewhere = file.and_then(Path::parent).and_then(|dir| other_repo(home.as_ref(), dir));
        let is_elsewhere = elsewhere.is_some();
        Self { project: elsewhere.map(|project| names.named(project)).or(home), is_elsewhere }
    }

    /// Spells a path as seen from the project, where it lies in it.
    pub fn relative<'a>(&self, path: &'a str) -> &'a str {
        let root = self.project.as_ref().and_then(|project| project.root.to_str());
        match root.and_then(|root| path.strip_prefix(root)).and_then(|rest| rest.strip_prefix('/')) {
            Some(rest) if !rest.is_empty() => rest,
            _ => path,
        }
    }
}

/// Finds the repo of a directory if it is another than that of the client's own directory.
fn other_repo(home: Option<&Project>, dir: &Path) -> Option<Project> {
    if let Some(home) = home
        && home.repo.is_some()
        && dir.starts_with(&home.root)
    {
        // Within the repo: only one that lies in it can be another.
        let nested = dir.ancestors().take_while(|dir| *dir != home.root).any(|dir| dir.join(".git").exists());
        if !nested {
            return None;
        }
    }
    // What lies between the repos of a workspace is the workspace's, whatever repo that is in.
    let is_around = |project: &Project| {
        home.is_some_and(|home| home.repo.is_none() && home.root.starts_with(&project.root))
    };
    Some(Project::by_place(dir)).filter(|project| project.repo.is_some() && !is_around(project))
}
