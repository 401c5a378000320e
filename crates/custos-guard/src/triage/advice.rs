//! The optional opinion of a model, and when not to ask for it.
//!
//! A model is never more than an advisor: it sees a command that nothing is known against, and says "allow" or "ask the person". An answer
//! that comes late, not at all or not clearly is no answer. While the model cannot be reached, asking is given up for a while, so that no
//! person waits for a deadline at every request.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What an advisor is to do, in its own words: a text for a model.
pub const TASK: &str = include_str!("advice.md");

/// What an advisor is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question<'a> {
    /// The command, as it is written, but for its secrets.
    pub command: &'a str,
    /// The directory it would run in.
    pub cwd: &'a str,
}

impl Question<'_> {
    /// The question as a text that goes with [`TASK`]. Each part is fenced off so that nothing in it can end the fence.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { command, cwd } = self;
        format!("The directory:\n\n{}\n\nThe command:\n\n{}\n", fenced(cwd), fenced(command))
    }
}

/// Puts a text between two fences that are longer than any in it.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{text}\n{fence}")
}

/// Somebody who knows more about commands than tables do. It has no shell: it is given a text and gives one back.
pub trait Advisor {
    /// Says whether the command may run without a person, within this time.
    fn may_run(&self, question: &Question<'_>, within: Duration) -> Advice;
}

/// What an advisor says. It gives no reasons: they would be its own words about a text that somebody else wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// It may run.
    Allow,
    /// The person should decide.
    Ask,
    /// There is no answer.
    Failed(Failure),
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "lowercase")]
pub enum Failure {
    /// It did not come in time.
    #[error("the model did not answer in time")]
    Late,
    /// The model could not be reached.
    #[error("the model could not be reached")]
    Unreachable,
    /// Its server answered with this status instead.
    #[error("the model's server answered with status {0}")]
    Status(u16),
    /// It was neither of the two words that are answers.
    #[error("the model did not answer clearly")]
    Unclear,
    /// It was not asked, since it failed before.
    #[error("the model is not asked for a while, since it failed before")]
    Resting,
}

impl Advice {
    /// Reads an answer, which is one of two words and nothing else: `ALLOW, but …` is not an allowance, and `allow` was not asked for.
    #[must_use]
    pub fn read(answer: &str) -> Self {
        match answer.trim_ascii() {
            "ALLOW" => Self::Allow,
            "ASK" => Self::Ask,
            _ => Self::Failed(Failure::Unclear),
        }
    }

    /// The advice, if it took no longer than it may: an advisor that overran its time is not believed, whatever it said.
    #[must_use]
    pub fn in_time(self, took: Duration, within: Duration) -> Self {
        if took <= within { self } else { Self::Failed(Failure::Late) }
    }
}

/// Asks an advisor unless it has to rest, and takes note of how that went. `clock` gives milliseconds, from whenever.
pub fn consult(
    advisor: &dyn Advisor,
    question: &Question<'_>,
    within: Duration,
    breaker: &mut Breaker,
    clock: &dyn Fn() -> u64,
) -> Advice {
    let begun = clock();
    if !breaker.may_try(begun) {
        return Advice::Failed(Failure::Resting);
    }
    let advice = advisor.may_run(question, within);
    let ended = clock();
    // A clock that went back says nothing about how long it took.
    let took = ended.checked_sub(begun).map_or(Duration::MAX, Duration::from_millis);
    let advice = advice.in_time(took, within);
    match advice {
        Advice::Failed(failure) => breaker.failed(ended, failure),
        Advice::Allow | Advice::Ask => breaker.worked(),
    }
    advice
}

/// Gives up asking after failures in a row: for a second, then two, then four, at most a minute. The caller keeps it between requests; one
/// that cannot be read is as good as a new one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breaker {
    /// How often it failed in a row.
    failures: u32,
    /// How it failed last.
    last: Option<Failure>,
    /// Until when nobody is asked, in milliseconds.
    until: u64,
}

impl Breaker {
    /// So many failures in a row are no bad luck any more.
    const PATIENCE: u32 = 3;
    /// The first rest and the longest, in milliseconds.
    const SHORTEST: u64 = 1_000;
    const LONGEST: u64 = 60_000;

    /// Says whether it is worth asking now.
    pub fn may_try(&self, now: u64) -> bool {
        // No rest is longer than the longest: if it seems so, the clock was set back.
        now >= self.until || self.until - now > Self::LONGEST
    }

    /// Takes note of an answer.
    pub fn worked(&mut self) {
        *self = Self::default();
    }

    /// How often it failed in a row, and how it did last; none if it works.
    pub fn trouble(&self) -> Option<(u32, Failure)> {
        self.last.map(|last| (self.failures, last))
    }

    /// Takes note of a failure.
    pub fn failed(&mut self, now: u64, failure: Failure) {
        self.last = Some(failure);
        self.failures = self.failures.saturating_add(1);
        if let Some(rests) = self.failures.checked_sub(Self::PATIENCE) {
            let rest = Self::SHORTEST.checked_shl(rests.min(16)).unwrap_or(Self::LONGEST).min(Self::LONGEST);
            self.until = now.saturating_add(rest);
        }
    }
}
