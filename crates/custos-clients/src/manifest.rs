//! What a client can do: which events it has, where it takes a denial, where it takes context, how much, and what we do where it lacks
//! something.
//!
//! Everything in a manifest was seen with the real client at the versions named in it, except for Cursor, which cannot be run without an
//! account; its manifest says so. `custos clients` prints them, `custos doctor` checks them against the installed client.

use serde::Serialize;

use crate::event::Moment;

/// The capabilities of a client.
#[derive(Debug, Serialize)]
pub struct Manifest {
    /// The versions of [`HookEvent`](crate::HookEvent) and [`Answer`](crate::Answer) that this manifest speaks of.
    pub schema: &'static str,
    /// The versions of the client with which it was seen to be true.
    pub tested: Tested,
    /// The events that are wired.
    pub events: &'static [EventRow],
    /// What is done about moments that the client has no (usable) event for.
    pub fallbacks: &'static [Fallback],
    /// The most characters of context that the client hands to its model as they are.
    pub context_limit: usize,
    /// The unit of `timeout` in its settings.
    pub timeout_unit: TimeoutUnit,
    /// What the client does when a hook that is to judge a tool crashes.
    pub on_crash: OnTrouble,
    /// What it does when such a hook takes too long.
    pub on_timeout: OnTrouble,
    /// Where the client keeps transcripts, below the home directory.
    pub transcripts: &'static str,
}

/// The versions that were tested.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Tested {
    /// The oldest; empty where none could be run.
    pub from: &'static str,
    /// The newest.
    pub to: &'static str,
    /// What happens with others.
    pub outside: &'static str,
}

/// What happens outside of the tested versions, for every client that we could run.
pub(crate) const OUTSIDE: &str = "used as tested; `custos doctor` replays recorded payloads through the installed command and says what held";

/// An event of a client.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct EventRow {
    /// The client's own name for it.
    pub event: &'static str,
    /// What it means.
    pub moment: Moment,
    /// How far a verdict reaches here.
    pub verdict: Reach,
    /// Whether the model gets context from here.
    pub context: bool,
}

/// How far a verdict reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// The client asks for none here.
    None,
    /// It takes a denial; a question becomes a denial.
    Deny,
    /// It takes a denial, and can ask the person.
    DenyAsk,
}

/// What is done about a moment without an event.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Fallback {
    /// The moment.
    pub moment: Moment,
    /// What is done instead.
    pub instead: &'static str,
}

/// The unit of a client's timeouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeoutUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// It has none.
    None,
}

/// What a client does when a hook before a tool does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OnTrouble {
    /// The tool runs.
    Runs,
    /// The tool is denied.
    Denied,
    /// The tool is denied, because we install the hook that way.
    DeniedBySetting,
    /// It was never seen.
    Unknown,
}

/// Writes a row.
pub(crate) const fn row(event: &'static str, moment: Moment, verdict: Reach, context: bool) -> EventRow {
    EventRow { event, moment, verdict, context }
}

/// Writes a fallback.
pub(crate) const fn fallback(moment: Moment, instead: &'static str) -> Fallback {
    Fallback { moment, instead }
}

impl Manifest {
    /// Says whether a version was tested; none where it cannot be compared.
    pub fn covers(&self, version: &str) -> Option<bool> {
        let (from, to) = (numbers(self.tested.from)?, numbers(self.tested.to)?);
        let version = numbers(version)?;
        Some(from <= version && version <= to)
    }
}

/// Reads the numbers of a version like `2.1.325`, whatever surrounds it.
fn numbers(text: &str) -> Option<Vec<u64>> {
    let word = text
        .split_whitespace()
        .find(|word| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit() || c == 'v'))?;
    let parts = word.trim_start_matches('v').split(['.', '-', '+']).map_while(|part| part.parse().ok());
    let numbers: Vec<u64> = parts.collect();
    (numbers.len() >= 2).then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CLIENTS;

    #[test]
    fn every_moment_has_an_event_or_a_fallback_and_never_both() {
        for client in CLIENTS {
            for moment in Moment::ALL {
                let events = client.manifest.events.iter().filter(|row| row.moment == moment).count();
                let fallbacks = client.manifest.fallbacks.iter().filter(|row| row.moment == moment).count();
                assert!((events > 0) ^ (fallbacks == 1), "{}: {}", client.name, moment.name());
            }
        }
    }

    #[test]
    fn versions_are_compared_by_number() {
        let manifest = crate::find("claude-code").unwrap().manifest;
        assert_eq!(manifest.covers("2.1.325 (Claude Code)"), Some(true));
        assert_eq!(manifest.covers("2.1.99 (Claude Code)"), Some(false));
        assert_eq!(manifest.covers("v3.0.0"), Some(false));
        assert_eq!(manifest.covers("unknown"), None);
    }
}
