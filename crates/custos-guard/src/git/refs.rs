//! Names of branches: which are protected, and which a reference means.

use crate::case::Case;
use crate::invocation::UNKNOWN;
use crate::rules::policy::is_branch_like;

/// The branch that a reference in a destination means; `None` for a tag and for whatever else lives below `refs/`.
pub(super) fn branch(reference: &str) -> Option<&str> {
    if let Some(name) = reference.strip_prefix("refs/heads/").or_else(|| reference.strip_prefix("heads/")) {
        return Some(name);
    }
    let elsewhere = ["refs/", "tags/", "remotes/"].iter().any(|place| reference.starts_with(place));
    (!elsewhere && !reference.is_empty()).then_some(reference)
}

/// Says whether a branch is one that only people push to.
pub(super) fn is_protected(case: &Case<'_>, branch: &str) -> bool {
    !branch.contains(UNKNOWN) && case.policy.protects(branch)
}

/// Says whether a reference, in any spelling, is a protected branch.
pub(super) fn names_protected(case: &Case<'_>, reference: &str) -> bool {
    branch(reference).is_some_and(|name| is_protected(case, name))
}

/// Says whether a pattern such as `refs/heads/*` takes a protected branch along.
pub(super) fn takes_protected(case: &Case<'_>, pattern: &str) -> bool {
    pattern.contains('*')
        && branch(pattern).is_some_and(|pattern| {
            case.policy
                .protected()
                .any(|name| is_branch_like(pattern, name) || name.contains('*') && pattern == "*")
        })
}
