//! The event of a change to what the guard goes by.
//!
//! The list of trusted projects and the rules are files, and a file does not tell when it changed, or from what. So whatever a command
//! changes in them is in the log as well, entry by entry: `custos trust`, and `custos guard add` and `remove`.

use std::path::Path;

use custos_config::Names;
use custos_guard::rules::Level;
use custos_model::{Draft, Kind, Origin, Scope};
use serde_json::Value;

use crate::context::Context;
use crate::output::{BAD, styled, tell};

/// One entry that is new or gone.
pub(crate) struct Updated<'a> {
    pub(crate) change: Change,
    pub(crate) level: Level,
    /// The directory that the rules belong to; the person's own belong to none.
    pub(crate) root: Option<&'a Path>,
    /// What it stands in: a word of `custos guard add`, or `trust`.
    pub(crate) list: &'a str,
    /// The entry, as a person would type it.
    pub(crate) value: &'a str,
}

/// What became of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Added,
    Removed,
}

impl Updated<'_> {
    /// Records a change that was made. It stands, whether or not it can be recorded; if it cannot, that is said and nothing else.
    pub(crate) fn record(&self, context: &Context) {
        if let Err(error) = context.log().append(self.draft(&context.names()), Origin::Cli) {
            tell(format!("{} the change was made, but is not in the log: {error}", styled(BAD, "warning:")));
        }
    }

    fn draft(&self, names: &Names) -> Draft {
        let change = match self.change {
            Change::Added => "added",
            Change::Removed => "removed",
        };
        let level = self.level.to_string();
        let body = [
            ("change", change),
            ("level", &level),
            ("list", self.list),
            ("value", self.value),
            ("by", "command line"),
        ];
        let body = body.into_iter().map(|(name, text)| (name.to_owned(), Value::from(text))).collect();
        let Some(root) = self.root else { return Draft::new(Kind::PolicyUpdated, Scope::User, body) };
        let project = names.find(root);
        let (branch, commit) = project.repo.map(|repo| (repo.branch, repo.commit)).unwrap_or_default();
        let draft = Draft::new(Kind::PolicyUpdated, Scope::Project, body);
        Draft { project: Some(project.identity), branch, commit, ..draft }
    }
}
