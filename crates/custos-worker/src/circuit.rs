//! The circuit: when not to ask a provider that has failed.
//!
//! A fault opens it. The provider is asked again after 1 s, 2 s, 4 s … at most 60 s, or when it wants to be, if that is sooner than 60 s;
//! the first answer closes it. What waits for it waits, up to ten minutes from the first fault on. After that the rules take over, and
//! every minute one piece of work tries whether the provider is back.
//!
//! It is kept in a file, so that the next worker neither asks at once again nor waits another ten minutes. Times in the file are of the
//! wall clock, which may jump; so they are only believed within the bounds above.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use custos_distill::model::Fault;
use custos_model::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::WorkerError;

/// The longest time between two questions to a provider that has failed.
const LONGEST: Duration = Duration::from_mins(1);

/// How long work waits for a provider before the rules take over.
pub const PATIENCE: Duration = Duration::from_mins(10);

/// The failure at which a person is told.
const TELLING: u32 = 3;

/// What is kept about a provider that has failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broken {
    /// The provider.
    pub provider: String,
    /// How often it has failed in a row.
    pub failures: u32,
    /// When it failed first, in milliseconds since 1970.
    pub since: i64,
    /// When to ask it again.
    pub next: i64,
    /// What it said last.
    pub message: String,
    /// Whether it does not know us: no waiting will help.
    pub refused: bool,
}

/// Whether to ask a provider now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// Ask it.
    Ask,
    /// Wait for so long, and then ask it.
    Wait(Duration),
    /// Do without it: it has been away for too long.
    DoWithout,
}

/// The circuit of one provider.
#[derive(Debug)]
pub struct Circuit {
    provider: String,
    file: PathBuf,
    open: Option<Open>,
}

/// An open circuit, by the clock that never jumps.
#[derive(Debug, Clone)]
struct Open {
    failures: u32,
    /// How long it was open before this process.
    before: Duration,
    /// Since when it has been open in this process.
    since: Duration,
    next: Duration,
    message: String,
    refused: bool,
    /// Whether a person was told.
    told: bool,
    /// The wall clock's time of the first fault, for the file.
    began: i64,
}

/// What the worker's two clocks say.
#[derive(Debug, Clone, Copy)]
pub struct Instant {
    /// The wall clock.
    pub wall: Timestamp,
    /// The time since some moment; it only grows.
    pub steady: Duration,
}

fn path(state: &Path) -> PathBuf {
    state.join("circuit.json")
}

/// Reads what is known about a provider that has failed, for a report.
pub fn broken(state: &Path) -> Option<Broken> {
    serde_json::from_slice(&std::fs::read(path(state)).ok()?).ok()
}

impl Circuit {
    /// Takes over what an earlier worker knew about a provider.
    pub fn load(state: &Path, provider: &str, now: Instant) -> Self {
        let known = broken(state).filter(|broken| broken.provider == provider);
        let open = known.map(|broken| {
            // A clock that went back makes the past begin now; one that went ahead makes waiting end at once. Neither does harm.
            let away = millis(now.wall.as_millis().saturating_sub(broken.since)).min(PATIENCE);
            let wait = millis(broken.next.saturating_sub(now.wall.as_millis())).min(LONGEST);
            Open {
                failures: broken.failures.max(1),
                before: away,
                since: now.steady,
                next: now.steady + wait,
                message: broken.message,
                refused: broken.refused,
                told: broken.refused || broken.failures >= TELLING,
                began: now.wall.as_millis() - i64::try_from(away.as_millis()).unwrap_or(0),
            }
        });
        Self { provider: provider.to_owned(), file: path(state), open }
    }

    /// Says whether to ask the provider now.
    pub fn advice(&self, now: Duration) -> Advice {
        let Some(open) = &self.open else { return Advice::Ask };
        if now >= open.next {
            Advice::Ask
        } else if self.is_given_up(now) {
            Advice::DoWithout
        } else {
            Advice::Wait(open.next.saturating_sub(now).min(LONGEST))
        }
    }

    /// Says whether the provider has been away for so long that nothing waits for it any more.
    pub fn is_given_up(&self, now: Duration) -> bool {
        self.open.as_ref().is_some_and(|open| open.before + now.saturating_sub(open.since) >= PATIENCE)
    }

    /// Gives what the provider said last, while the circuit is open.
    pub fn message(&self) -> Option<&str> {
        self.open.as_ref().map(|open| open.message.as_str())
    }

    /// Notes a fault, and says whether a person should be told of it now.
    pub fn failed(&mut self, fault: &Fault, now: Instant) -> Result<bool, WorkerError> {
        let refused = matches!(fault, Fault::Refused(_));
        let failures = self.open.as_ref().map_or(0, |open| open.failures) + 1;
        let asked = match fault {
            Fault::Busy { retry_after: Some(wanted), .. } => Some(*wanted),
            // Nothing but a person will change its mind.
            Fault::Refused(_) => Some(LONGEST),
            _ => None,
        };
        let doubled = Duration::from_secs(1 << (failures - 1).min(6));
        let wait = asked.unwrap_or(doubled).clamp(Duration::from_secs(1), LONGEST);
        let (was_refused, was_told) =
            self.open.as_ref().map_or((false, false), |open| (open.refused, open.told));
        // A refusal is news even to somebody who knows that the provider is away.
        let tell = (refused && !was_refused) || (failures >= TELLING && !was_told);
        let (before, since, began) =
            self.open.as_ref().map_or((Duration::ZERO, now.steady, now.wall.as_millis()), |open| {
                (open.before, open.since, open.began)
            });
        let next = now.steady + wait;
        let open = Open {
            failures,
            before,
            since,
            next,
            message: fault.to_string(),
            refused,
            told: was_told || tell,
            began,
        };
        self.write(&open, now.wall, wait)?;
        self.open = Some(open);
        Ok(tell)
    }

    /// Notes an answer; says whether the circuit was open.
    pub fn answered(&mut self) -> Result<bool, WorkerError> {
        if self.open.take().is_none() {
            return Ok(false);
        }
        match std::fs::remove_file(&self.file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(WorkerError::io("remove", &self.file)(error))
            }
            _ => Ok(true),
        }
    }

    fn write(&self, open: &Open, now: Timestamp, wait: Duration) -> Result<(), WorkerError> {
        let broken = Broken {
            provider: self.provider.clone(),
            failures: open.failures,
            since: open.began,
            next: now.as_millis() + i64::try_from(wait.as_millis()).unwrap_or(0),
            message: open.message.clone(),
            refused: open.refused,
        };
        let dir = self.file.parent().unwrap_or(Path::new("/"));
        let bytes = serde_json::to_vec(&broken).unwrap_or_default();
        let written = tempfile::NamedTempFile::new_in(dir).and_then(|mut part| {
            part.write_all(&bytes)?;
            part.persist(&self.file).map_err(|error| error.error)
        });
        written.map(|_| ()).map_err(WorkerError::io("write", &self.file))
    }
}

fn millis(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: i64 = 1_794_744_000_000;

    fn at(seconds: u64) -> Instant {
        let wall = Timestamp::from_millis(NOON + i64::try_from(seconds).unwrap() * 1000);
        Instant { wall, steady: Duration::from_secs(seconds) }
    }

    fn away() -> Fault {
        Fault::Unreachable("no route".into())
    }

    #[test]
    fn pauses_double_up_to_a_minute_and_the_third_failure_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let mut circuit = Circuit::load(dir.path(), "p", at(0));
        let mut now = 0;
        let mut pauses = Vec::new();
        let mut told = Vec::new();
        while circuit.advice(at(now).steady) != Advice::DoWithout {
            if let Advice::Wait(pause) = circuit.advice(at(now).steady) {
                now += pause.as_secs();
            } else {
                told.push(circuit.failed(&away(), at(now)).unwrap());
                pauses.push(now);
            }
        }
        assert_eq!(pauses, [0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363, 423, 483, 543, 603]);
        assert_eq!(told.iter().position(|told| *told), Some(2));
        assert_eq!(told.iter().filter(|told| **told).count(), 1);
        // Every minute somebody tries whether it is back.
        assert_eq!(circuit.advice(at(662).steady), Advice::DoWithout);
        assert_eq!(circuit.advice(at(663).steady), Advice::Ask);
        assert!(circuit.answered().unwrap() && !circuit.answered().unwrap());
        assert_eq!((circuit.advice(at(664).steady), broken(dir.path())), (Advice::Ask, None));
    }

    #[rstest::rstest]
    #[case(Some(5), 5)]
    #[case(Some(0), 1)]
    #[case(Some(86_400), 60)]
    #[case(None, 1)]
    fn a_provider_is_asked_again_when_it_wants_to_be(#[case] after: Option<u64>, #[case] expected: u64) {
        let dir = tempfile::tempdir().unwrap();
        let mut circuit = Circuit::load(dir.path(), "p", at(0));
        let fault = Fault::Busy { message: "slow down".into(), retry_after: after.map(Duration::from_secs) };
        circuit.failed(&fault, at(0)).unwrap();
        assert_eq!(circuit.advice(at(0).steady), Advice::Wait(Duration::from_secs(expected)));
    }

    #[test]
    fn a_refusal_is_told_at_once_and_only_once() {
        let dir = tempfile::tempdir().unwrap();
        let mut circuit = Circuit::load(dir.path(), "p", at(0));
        let refused = Fault::Refused("the key is not valid".into());
        let told: Vec<bool> = (0..2).map(|n| circuit.failed(&refused, at(n * 60)).unwrap()).collect();
        assert_eq!(told, [true, false]);
        assert_eq!(circuit.message(), Some("the key is not valid"));
    }

    #[test]
    fn the_next_worker_knows_and_a_clock_that_jumps_harms_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let mut circuit = Circuit::load(dir.path(), "p", at(0));
        for n in 0..3 {
            circuit.failed(&away(), at(n * 100)).unwrap();
        }
        let load = |seconds: i64, provider: &str| {
            let wall = Timestamp::from_millis(NOON + seconds * 1000);
            // A new process: its steady clock begins anew.
            let now = Instant { wall, steady: Duration::ZERO };
            Circuit::load(dir.path(), provider, now).advice(now.steady)
        };
        let wait = |seconds| Advice::Wait(Duration::from_secs(seconds));
        assert_eq!(load(201, "p"), wait(3));
        assert_eq!(load(201, "q"), Advice::Ask, "another provider has another circuit");
        assert_eq!(load(3_600, "p"), Advice::Ask);
        assert_eq!(
            load(-86_400, "p"),
            wait(60),
            "a clock that went back waits no longer than the longest pause"
        );
        assert_eq!(load(86_400 * 365, "p"), Advice::Ask);
        let mut torn = std::fs::File::create(dir.path().join("circuit.json")).unwrap();
        torn.write_all(b"{ torn").unwrap();
        assert_eq!(load(201, "p"), Advice::Ask);
    }
}
