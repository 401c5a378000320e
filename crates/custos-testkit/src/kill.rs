//! Ends processes without warning, at moments drawn from a seed.
//!
//! A promise like "kill -9 loses nothing that was acknowledged" is only as good as the moments it was tried
//! at. A [`Killer`] starts a child, lets it live for a random number of microseconds and kills it; the test
//! then looks at what is left. The seed decides the delays, so that a failing series can be repeated, as
//! far as the scheduler allows.

use std::fmt;
use std::hint;
use std::io;
use std::ops::Range;
use std::process::{Child, Output};
use std::thread;
use std::time::{Duration, Instant};

use crate::random::Random;

/// The last stretch before a deadline is spun through, because a sleeping thread wakes late.
const SPUN: Duration = Duration::from_millis(1);

/// Kills one child after the other.
#[derive(Debug)]
pub struct Killer {
    random: Random,
    /// The shortest and the longest life, in microseconds.
    lifetimes: Range<u64>,
}

/// What became of one child.
#[derive(Debug)]
pub struct Strike {
    /// How long the child was allowed to live.
    pub lifetime: Duration,
    /// The child's end, and what it had written to the pipes that the test gave it.
    pub output: Output,
}

impl Strike {
    /// Tells whether the child had come to its own end before the blow.
    ///
    /// A series in which every child finished has tested nothing; one in which none did never saw the end.
    pub fn came_too_late(&self) -> bool {
        self.output.status.code().is_some() && !killed_by_code(&self.output)
    }
}

impl fmt::Display for Strike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "killed after {} µs ({})", self.lifetime.as_micros(), self.output.status)
    }
}

/// Windows has no signals: a terminated process reports the code it was terminated with.
fn killed_by_code(output: &Output) -> bool {
    cfg!(windows) && output.status.code() == Some(1)
}

impl Killer {
    /// Prepares a series whose children live for a time within `lifetimes`.
    pub fn new(seed: u64, lifetimes: Range<Duration>) -> Self {
        let micros = |duration: Duration| u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        Self { random: Random::seeded(seed), lifetimes: micros(lifetimes.start)..micros(lifetimes.end) }
    }

    /// Starts a child, waits for a random time, kills it and collects what it left.
    ///
    /// The pipes are read only after the kill: a child that says more than a pipe holds (64 KB on Linux)
    /// should say it to a file. Only the child itself is killed, not what it started.
    pub fn strike(&mut self, start: impl FnOnce() -> io::Result<Child>) -> io::Result<Strike> {
        let lifetime = Duration::from_micros(self.random.within(self.lifetimes.clone()));
        let mut child = start()?;
        wait_until(Instant::now() + lifetime);
        child.kill()?;
        let output = child.wait_with_output()?;
        Ok(Strike { lifetime, output })
    }

    /// Strikes `rounds` times and calls `inspect` after each; the first error ends the series.
    pub fn rounds<E: From<io::Error>>(
        &mut self,
        rounds: u32,
        mut start: impl FnMut(u32) -> io::Result<Child>,
        mut inspect: impl FnMut(u32, Strike) -> Result<(), E>,
    ) -> Result<(), E> {
        for round in 0..rounds {
            let strike = self.strike(|| start(round))?;
            inspect(round, strike)?;
        }
        Ok(())
    }
}

/// Waits for a moment, to the microsecond as far as the scheduler allows.
#[expect(clippy::disallowed_methods, reason = "waiting for a moment, not for an event, is what this is for")]
pub fn wait_until(deadline: Instant) {
    let remaining = deadline.saturating_duration_since(Instant::now());
    if let Some(slept) = remaining.checked_sub(SPUN) {
        thread::sleep(slept);
    }
    while Instant::now() < deadline {
        hint::spin_loop();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};

    const SHORT: Range<Duration> = Duration::ZERO..Duration::from_millis(5);

    fn shell(script: &str) -> io::Result<Child> {
        Command::new("/bin/sh").args(["-c", script]).stdout(Stdio::piped()).spawn()
    }

    #[test]
    fn a_child_that_would_stay_is_killed() {
        let strike = Killer::new(1, SHORT).strike(|| shell("exec sleep 60")).unwrap();
        assert_eq!(strike.output.status.signal(), Some(libc::SIGKILL));
        assert!(!strike.came_too_late());
        assert!(strike.lifetime < SHORT.end);
    }

    #[test]
    fn a_child_that_has_ended_keeps_its_own_status_and_output() {
        let ended = || {
            let mut child = shell("echo done; exit 3")?;
            child.wait()?;
            Ok(child)
        };
        let strike = Killer::new(1, SHORT).strike(ended).unwrap();
        assert_eq!((strike.output.status.code(), strike.output.stdout.as_slice()), (Some(3), &b"done\n"[..]));
        assert!(strike.came_too_late());
    }

    #[test]
    fn a_seed_fixes_the_lifetimes() {
        let lifetimes = |seed| {
            let mut killer = Killer::new(seed, SHORT);
            let mut lived = Vec::new();
            killer
                .rounds::<io::Error>(
                    5,
                    |_| shell("exec sleep 60"),
                    |round, strike| {
                        lived.push((round, strike.lifetime));
                        Ok(())
                    },
                )
                .unwrap();
            lived
        };
        assert_eq!(lifetimes(9), lifetimes(9));
        assert_ne!(lifetimes(9), lifetimes(10));
    }

    #[test]
    fn the_first_error_ends_the_series() {
        let mut inspected = 0;
        let result = Killer::new(4, SHORT).rounds(
            10,
            |_| shell("exec sleep 60"),
            |round, strike| {
                inspected += 1;
                if round == 2 { Err(io::Error::other(strike.to_string())) } else { Ok(()) }
            },
        );
        assert_eq!(inspected, 3);
        assert!(result.unwrap_err().to_string().starts_with("killed after "));
    }
}
