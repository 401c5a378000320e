//! How much an observation matters, and why.
//!
//! A number alone convinces nobody, so its parts are stored beside it. Each part goes from 0 to 1, and has one weight:
//!
//! | part | weight | why |
//! |---|---|---|
//! | `sort` | 0.40 | a rule of the person or a hole that was closed outlives a renamed function |
//! | `outcome` | 0.20 | what was proven by a run can be relied upon |
//! | `novelty` | 0.15 | what the memory knows already need not be told again |
//! | `user` | 0.15 | what the person said or asked for themselves is what they care about |
//! | `files` | 0.10 | what spans several files is harder to find out again |

use custos_model::{Importance, Sort};
use serde::Serialize;

use crate::turn::{Turn, What};
use crate::{Found, Step};

/// The parts of an importance, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Parts {
    /// By what it is.
    pub sort: f64,
    /// By how it ended.
    pub outcome: f64,
    /// By how little is known of it yet.
    pub novelty: f64,
    /// By what the person said.
    pub user: f64,
    /// By how much it touches.
    pub files: f64,
}

/// What each part weighs; together 1.
const WEIGHTS: Parts = Parts { sort: 0.40, outcome: 0.20, novelty: 0.15, user: 0.15, files: 0.10 };

/// Weighs an observation. `novelty` says how little like it is in the index, from 0 to 1.
pub fn appraise(found: &Found, turn: &Turn, novelty: f64) -> (Importance, Parts) {
    let parts = Parts {
        sort: worth(found.observation.sort),
        outcome: outcome(found, turn),
        novelty: if novelty.is_finite() { novelty.clamp(0.0, 1.0) } else { 0.0 },
        user: user(found, turn),
        files: (found.observation.files_modified.len() as f64 / 4.0).min(1.0),
    };
    let sum = parts.sort * WEIGHTS.sort
        + parts.outcome * WEIGHTS.outcome
        + parts.novelty * WEIGHTS.novelty
        + parts.user * WEIGHTS.user
        + parts.files * WEIGHTS.files;
    // Three digits are more than anybody can tell apart, and read well in the log.
    let value = (sum.clamp(0.0, 1.0) * 1_000.0).round() / 1_000.0;
    let least = Importance::new(0.0);
    (Importance::new(value).or(least).unwrap_or_else(|| unreachable!("0 lies between 0 and 1")), parts)
}

const fn worth(sort: Sort) -> f64 {
    match sort {
        Sort::Security | Sort::Decision => 1.0,
        Sort::Bugfix => 0.9,
        Sort::Discovery => 0.7,
        Sort::Feature => 0.65,
        Sort::Refactor => 0.5,
        Sort::Change => 0.45,
    }
}

/// A run that failed and one that passed say most; an edit that nothing was run after says least.
fn outcome(found: &Found, turn: &Turn) -> f64 {
    if found.said {
        return 1.0;
    }
    let ran: Vec<&Step> = found
        .steps
        .iter()
        .filter_map(|at| turn.steps.get(*at))
        .filter(|step| matches!(step.what, What::Ran(_)))
        .collect();
    let failed = ran.iter().any(|step| step.ok == Some(false));
    let passed = ran.iter().any(|step| step.ok != Some(false));
    match (failed, passed) {
        (true, true) => 1.0,
        (false, true) => 0.7,
        (true, false) => 0.5,
        (false, false) => 0.3,
    }
}

/// The person's own words weigh all; a prompt that names what the observation is about, half.
fn user(found: &Found, turn: &Turn) -> f64 {
    if found.said {
        return 1.0;
    }
    let title = found.observation.title.to_lowercase();
    let is_named = turn.said.iter().any(|said| {
        said.text
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word.chars().count() > 4 && title.contains(&word.to_lowercase()))
    });
    if is_named { 0.5 } else { 0.2 }
}

#[cfg(test)]
mod tests;
