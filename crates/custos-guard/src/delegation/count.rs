//! Counting: pure, so that what is said about it can be proven.

use std::time::Duration;

use super::{Profile, Role};

/// When work was done, as far as it still counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Count {
    /// The times since the epoch of Unix, in the order in which they were noted.
    times: Vec<Duration>,
}

impl Count {
    /// How many uses there are.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Says whether there are none.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// The times of the uses.
    pub fn times(&self) -> &[Duration] {
        &self.times
    }
}

/// What becomes of a use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It goes on.
    Silent,
    /// It goes on, and the agent is told this.
    Warn(String),
    /// It does not go on, and the agent is told this.
    Stop(String),
}

/// Takes one more use into account.
///
/// A use that is stopped does not count, because it does not happen: who waits, may go on. A time that is further away from now than the
/// window is long does not count either, on whichever side it is: a clock that was wrong for a while stops nobody for long.
pub fn step(count: &Count, now: Duration, role: Role, profile: &Profile) -> (Count, Outcome) {
    let window = profile.window();
    let mut times: Vec<Duration> =
        count.times.iter().copied().filter(|time| time.abs_diff(now) < window).collect();
    let uses = times.len() + 1;
    let reaches = |threshold: u32| u32::try_from(uses).is_ok_and(|uses| uses >= threshold);
    if reaches(profile.stop_at) {
        let oldest = times.iter().min().copied().unwrap_or(now);
        let wait = (oldest + window).saturating_sub(now).as_secs().div_ceil(60).max(1);
        let text = format!(
            "is use {uses} of work tools in {} min by a {}, who lets others do the work; the next is free in {wait} min",
            profile.window_minutes,
            role.name(),
        );
        return (Count { times }, Outcome::Stop(text));
    }
    times.push(now);
    let outcome = if reaches(profile.warn_at) {
        Outcome::Warn(format!(
            "A {} lets others do the work: this was use {uses} of work tools in {} min, and use {} will be stopped. Hand the rest to a sub-agent.",
            role.name(),
            profile.window_minutes,
            profile.stop_at,
        ))
    } else {
        Outcome::Silent
    };
    (Count { times }, outcome)
}
