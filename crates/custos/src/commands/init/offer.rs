//! What `custos setup` begins: the knowledge base of the project that it is run in, where there is none.

use std::path::Path;

use custos_knowledge::Root;
use custos_knowledge::root::Child;

use super::in_repos;
use super::place::{self, Chosen, Place, Wish};
use crate::context::Context;
use crate::environment::working_directory;
use crate::error::CliError;
use crate::output::{BOLD, DIM, Output, styled};
use crate::render::printable;

/// A project in which a knowledge base could begin.
pub(crate) struct Offer {
    root: Root,
    repos: Vec<Child>,
}

impl Offer {
    /// Looks where the person is. A home is no project, however many repos are in it, and what has begun is left as it is: setup promises that a
    /// second run changes nothing.
    pub(crate) fn find(home: &Path) -> Option<Self> {
        let real = std::fs::canonicalize(working_directory()?).ok()?;
        let root = Root::find(&real);
        let home = std::fs::canonicalize(home).unwrap_or_else(|_| home.to_owned());
        let is_project = matches!(root.nature, custos_knowledge::Nature::Repo) || root.is_workspace();
        let is_there = root.path.join(".ai").symlink_metadata().is_ok();
        (is_project && !is_there && !home.starts_with(&root.path)).then(|| Self { repos: root.repos(), root })
    }

    /// Shows what would begin.
    pub(crate) fn show(&self, output: &mut Output) -> Result<(), CliError> {
        output
            .line(styled(BOLD, "The knowledge base of this project will begin (--no-init leaves it out):"))?;
        let mut line =
            |path: &Path| output.line(format!("  {}", printable(&path.join(".ai").display().to_string())));
        line(&self.root.path)?;
        self.repos.iter().try_for_each(|repo| line(&repo.path))?;
        if !self.repos.is_empty() {
            output.line(styled(DIM, "  in the repos of a workspace after you agreed, or with --yes"))?;
        }
        output.line("")
    }

    /// Says what would be made, in the repos of a workspace only if the person would have agreed.
    pub(crate) fn rehearse(self, context: &Context, with_repos: bool) -> Vec<Place> {
        self.begin(context, with_repos, true)
    }

    /// Begins, in the repos of a workspace only if the person agreed.
    pub(crate) fn take(self, context: &Context, with_repos: bool) -> Vec<Place> {
        self.begin(context, with_repos, false)
    }

    fn begin(self, context: &Context, with_repos: bool, dry_run: bool) -> Vec<Place> {
        let wish = Wish { presets: Chosen::Default, scan: true, dry_run };
        let root = place::begin(context, self.root.clone(), &wish)
            .unwrap_or_else(|error| Place::refused(&self.root.name(), &self.root.path, error));
        let mut places = vec![root];
        if with_repos {
            places.extend(in_repos(context, &self.repos, &wish));
        }
        places
    }
}
