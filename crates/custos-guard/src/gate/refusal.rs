//! Why the gate stays shut, and what opens it.

use std::borrow::Cow;

use custos_config::shown::shown;
use thiserror::Error;

use super::suffix::{GateError, Repo};
use crate::verdict::{Finding, Hold, Rule};

static NO_SUFFIX: Rule = Rule {
    id: "gate.no-suffix",
    hold: Hold::Deny,
    reason: "commits or pushes without saying for which pull request",
    safer: "end the command with ` #!custos pr=<number> repo=<owner/name>`, or `pr=none` if there is no pull request yet",
};
static BAD_SUFFIX: Rule = Rule {
    id: "gate.bad-suffix",
    hold: Hold::Deny,
    reason: "does not say in a readable way for which pull request it commits or pushes",
    safer: "end the command with exactly ` #!custos pr=<number|none> repo=<owner/name>`",
};
static MERGED: Rule = Rule {
    id: "gate.merged",
    hold: Hold::Deny,
    reason: "adds to a pull request that is already merged",
    safer: "start a branch from the updated main branch and end the command with ` #!custos pr=none repo=<owner/name>`",
};
static UNCHECKED: Rule = Rule {
    id: "gate.unchecked",
    hold: Hold::Deny,
    reason: "is for a pull request whose state cannot be checked",
    safer: "see that `gh pr view` works here, then run the command again as it is",
};

/// The rules of this module, for the catalogue.
pub(crate) static RULES: &[&Rule] = &[&NO_SUFFIX, &BAD_SUFFIX, &MERGED, &UNCHECKED];

/// Why a command that commits or pushes is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Its end says nothing.
    #[error("commits or pushes without saying for which pull request")]
    Missing,
    /// Its end says something else.
    #[error("does not say in a readable way for which pull request it is: {0}")]
    Malformed(#[from] GateError),
    /// There is nothing to add to any more.
    #[error("is for pull request {number} of {repo}, which is already merged, so that it would land nowhere")]
    Merged {
        /// The repo.
        repo: Repo,
        /// The pull request.
        number: u32,
    },
    /// Nobody could tell.
    #[error("is for pull request {number} of {repo}, whose state cannot be checked: {}", shown(why))]
    Unchecked {
        /// The repo.
        repo: Repo,
        /// The pull request.
        number: u32,
        /// Why not.
        why: String,
    },
}

impl Refusal {
    /// The refusal as a finding; `part` is the command, or the part of it that commits or pushes.
    pub fn finding(&self, part: impl Into<String>) -> Finding {
        let rule = match self {
            Self::Missing => &NO_SUFFIX,
            Self::Malformed(_) => &BAD_SUFFIX,
            Self::Merged { .. } => &MERGED,
            Self::Unchecked { .. } => &UNCHECKED,
        };
        Finding {
            rule: Cow::Borrowed(rule.id),
            hold: rule.hold,
            reason: Cow::Owned(self.to_string()),
            part: part.into(),
            safer: Cow::Borrowed(rule.safer),
        }
    }
}
