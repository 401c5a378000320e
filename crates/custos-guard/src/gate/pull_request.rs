//! What is asked about a pull request, and what the answer means.

use std::time::Instant;

use serde::Deserialize;

use super::suffix::Repo;

/// What has become of a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum PrState {
    /// It waits.
    Open,
    /// It was closed without being merged, and may be opened again.
    Closed,
    /// It was merged: what is pushed for it now lands nowhere.
    Merged,
}

/// Whoever knows about pull requests.
pub trait PullRequests {
    /// Tells the state of a pull request, or why it cannot be told by the deadline.
    fn state(&self, repo: &Repo, number: u32, deadline: Instant) -> Result<PrState, String>;
}

/// The program and the arguments that ask GitHub, for a caller who starts it without a shell.
pub fn argv(repo: &Repo, number: u32) -> Vec<String> {
    let number = number.to_string();
    ["gh", "pr", "view", &number, "--repo", repo.as_str(), "--json", "state"].map(str::to_owned).to_vec()
}

/// Reads what that program printed.
pub fn read_answer(printed: &[u8]) -> Result<PrState, String> {
    #[derive(Deserialize)]
    struct Answer {
        state: PrState,
    }
    serde_json::from_slice(printed)
        .map(|answer: Answer| answer.state)
        .map_err(|error| format!("`gh` gave an answer that cannot be read: {error}"))
}
