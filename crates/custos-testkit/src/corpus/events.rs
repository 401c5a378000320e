//! The sequence of events: a few sessions side by side, each with its project and its agent.

use serde_json::{Value, json};

use super::bodies::{Kind, Skeleton};
use super::prose::{Prose, rare_word};
use crate::random::Random;

const SESSIONS_AT_ONCE: usize = 3;
const PROJECTS: [&str; 6] = [
    "github.com/acme/ledger",
    "github.com/acme/storefront",
    "github.com/acme/gateway",
    "gitlab.com/nord/wetterdienst",
    "codeberg.org/mika/tegaki",
    "example.org/infra/deploy",
];
const CLIENTS: [&str; 6] = ["claude-code", "codex", "gemini", "copilot", "opencode", "cursor"];
const ROLES: [&str; 3] = ["conductor", "section-leader", "musician"];

/// Monday, 5 January 2026, 8:00 UTC, in milliseconds: when every corpus begins.
const FIRST_MOMENT: u64 = 1_767_600_000_000;

/// Sizes of whole events in bytes at each sixteenth of the distribution, which is log-normal around one
/// kilobyte; a table, because logarithms are not the same everywhere.
const SIZES: [u64; 17] =
    [300, 324, 432, 526, 618, 710, 806, 910, 1_024, 1_152, 1_301, 1_477, 1_697, 1_992, 2_427, 3_236, 8_192];

/// Yields `n` drafts of all kinds, mixed as in real sessions.
///
/// Each is an object with `kind`, `scope`, `body`, `ts`, `project`, `session`, `agent`, and where it applies
/// `outcome` and `importance`: what the log takes as a draft. The ids in `sources` are well-formed, but as
/// the log gives out its own, they name no event.
pub fn events(seed: u64, n: usize) -> Events {
    Events::new(seed, n, Mix::Everything)
}

/// Yields `n` drafts of observations only, for indexes that are measured by how many of them they hold.
pub fn observations(seed: u64, n: usize) -> Events {
    Events::new(seed, n, Mix::Observations)
}

/// The drafts of one corpus, in the order in which they happened.
#[derive(Debug)]
pub struct Events {
    random: Random,
    prose: Prose,
    mix: Mix,
    sessions: Vec<Session>,
    /// The time of the newest event, in milliseconds.
    now: u64,
    produced: usize,
    total: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mix {
    Everything,
    Observations,
}

#[derive(Debug, Clone)]
struct Session {
    id: String,
    project: &'static str,
    agent: Value,
    /// Whether its first event was written.
    begun: bool,
}

impl Events {
    fn new(seed: u64, total: usize, mix: Mix) -> Self {
        let mut events = Self {
            random: Random::seeded(seed),
            prose: Prose::new(),
            mix,
            sessions: Vec::new(),
            now: FIRST_MOMENT,
            produced: 0,
            total,
        };
        for _ in 0..SESSIONS_AT_ONCE {
            let session = events.new_session();
            events.sessions.push(session);
        }
        events
    }

    fn new_session(&mut self) -> Session {
        let id = self.new_id();
        let project = *self.random.pick(&PROJECTS);
        let client = *self.random.pick(&CLIENTS);
        let agent_id = format!("{client}-{}", self.random.within(1..5));
        Session {
            id,
            project,
            agent: json!({"client": client, "id": agent_id, "role": self.random.pick(&ROLES)}),
            begun: self.mix == Mix::Observations,
        }
    }

    /// Makes an id of the form that the log's own have: a UUID of version 7 at the present moment.
    fn new_id(&mut self) -> String {
        let (time, chance, more) = (self.now, self.random.next_u64(), self.random.next_u64());
        format!(
            "{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}",
            time >> 16,
            time & 0xFFFF,
            chance & 0xFFF,
            0x8000 | (chance >> 16 & 0x3FFF),
            more & 0xFFFF_FFFF_FFFF,
        )
    }

    /// Decides which session's turn it is and what happens in it.
    fn choose(&mut self, has_rare_word: bool) -> (usize, Kind) {
        let chosen = self.random.index(SESSIONS_AT_ONCE);
        if has_rare_word {
            // A word of its own must be found later, so it never falls on an event without text; one session
            // is always under way.
            let under_way = self.sessions.iter().position(|session| session.begun).unwrap_or(chosen);
            return (under_way, Kind::ObservationRecorded);
        }
        if self.mix == Mix::Observations {
            return (chosen, Kind::ObservationRecorded);
        }
        if !self.sessions[chosen].begun {
            return (chosen, Kind::SessionStarted);
        }
        let others_under_way = self.sessions.iter().filter(|session| session.begun).count() > 1;
        let kind = match self.random.within(0..1_000) {
            // Half of the one percent: every end is followed by a start.
            0..5 if others_under_way => Kind::SessionEnded,
            5..87 => Kind::PromptSubmitted,
            87..169 => Kind::TurnEnded,
            // With those that carry a rare word, ten percent.
            169..251 => Kind::ObservationRecorded,
            251..282 => Kind::SummaryRecorded,
            282..352 => Kind::ToolFailed,
            _ => Kind::ToolUsed,
        };
        (chosen, kind)
    }

    fn size(&mut self) -> usize {
        let step = self.random.index(SIZES.len() - 1);
        usize::try_from(self.random.within(SIZES[step]..SIZES[step + 1])).unwrap_or_default()
    }

    fn sources(&mut self, kind: Kind) -> Vec<String> {
        let count = match kind {
            Kind::ObservationRecorded => self.random.within(1..4),
            Kind::SummaryRecorded => self.random.within(2..6),
            _ => 0,
        };
        (0..count).map(|_| self.new_id()).collect()
    }

    fn draft(&mut self, session: usize, kind: Kind, rare: Option<String>) -> Value {
        let sources = self.sources(kind);
        let mut skeleton = Skeleton::of(kind, &self.prose, &mut self.random, &sources);
        skeleton.planted.extend(rare);
        let session = &self.sessions[session];
        let mut draft = json!({
            "kind": kind.name(),
            "scope": kind.scope(),
            "ts": rfc3339(self.now),
            "project": session.project,
            "session": session.id,
            "agent": session.agent,
            "body": skeleton.body,
        });
        match kind {
            Kind::ToolUsed => draft["outcome"] = "ok".into(),
            Kind::ToolFailed => draft["outcome"] = "failed".into(),
            Kind::ObservationRecorded => {
                let percent = u32::try_from(self.random.within(5..100)).unwrap_or_default();
                draft["importance"] = (f64::from(percent) / 100.0).into();
            }
            _ => {}
        }
        let missing = self.size().saturating_sub(draft.to_string().len());
        draft["body"] = skeleton.filled(missing, &self.prose, &mut self.random).into();
        draft
    }
}

impl Iterator for Events {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        if self.produced == self.total {
            return None;
        }
        let rare = rare_word(self.produced);
        self.produced += 1;
        self.now += self.random.within(50..30_000);
        let (chosen, kind) = self.choose(rare.is_some());
        let draft = self.draft(chosen, kind, rare);
        if kind == Kind::SessionEnded || (self.mix == Mix::Observations && self.random.within(0..100) == 0) {
            self.sessions[chosen] = self.new_session();
        } else {
            self.sessions[chosen].begun = true;
        }
        Some(draft)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.total - self.produced;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Events {}

/// Writes a moment of this century as the log does.
fn rfc3339(milliseconds: u64) -> String {
    let (seconds, millis) = (milliseconds / 1_000, milliseconds % 1_000);
    let (mut days, time) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970;
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (day, hour, minute, second) = (days + 1, time / 3_600, time / 60 % 60, time % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

#[cfg(test)]
mod tests;
