//! The commit gate: a commit or a push says which pull request it is for.
//!
//! Switched on, a command that commits or pushes must end with a comment, `#!custos pr=12 repo=owner/name` or `pr=none`; one comment
//! serves a whole chain. The comment does nothing in the shell. It makes the agent say what it believes, and a belief can be checked:
//! work for a pull request that is already merged would land nowhere, so it is refused.
//!
//! Whether a command commits or pushes is the walker's knowledge; what GitHub says is asked by the caller, who runs `gh` with the
//! arguments from here. What cannot be checked is refused, with the reason.

mod pull_request;
mod refusal;
mod suffix;

pub use pull_request::{PrState, PullRequests, argv, read_answer};
pub(crate) use refusal::RULES;
pub use refusal::Refusal;
pub use suffix::{GateError, Repo, Suffix, suffix};

use std::time::Instant;

/// Checks a command that commits or pushes; gives what it says about itself.
///
/// Pull requests are asked about only if the command names one, and only until the deadline.
pub fn check(text: &str, pull_requests: &dyn PullRequests, deadline: Instant) -> Result<Suffix, Refusal> {
    let suffix = suffix(text)?.ok_or(Refusal::Missing)?;
    let Some(number) = suffix.pr else { return Ok(suffix) };
    match pull_requests.state(&suffix.repo, number, deadline) {
        Ok(PrState::Merged) => Err(Refusal::Merged { repo: suffix.repo, number }),
        Ok(PrState::Open | PrState::Closed) => Ok(suffix),
        Err(why) => Err(Refusal::Unchecked { repo: suffix.repo, number, why }),
    }
}

#[cfg(test)]
mod tests;
