//! Many runs of a program and of its floor, in turns, and the figures that are quoted from them.

use std::fmt;
use std::io;
use std::time::Duration;

use serde::Serialize;

use super::{Launch, Peak, Run};

/// How often to run.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Pairs of runs that only fill caches and are not counted.
    pub warm_up: usize,
    /// Pairs of runs that count; at least one.
    pub runs: usize,
}

impl Default for Plan {
    /// Enough for a stable median of programs that take a millisecond, in about a second.
    fn default() -> Self {
        Self { warm_up: 20, runs: 500 }
    }
}

/// The smallest, the middle and the nearly largest of many durations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Spread {
    /// The smallest: what the program takes when nothing disturbs it.
    pub min: Duration,
    /// The middle: what it usually takes.
    pub median: Duration,
    /// What 95 of 100 runs do not exceed.
    pub p95: Duration,
}

/// The figures of one program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Figures {
    /// How many runs were counted.
    pub runs: usize,
    /// Time on the clock on the wall.
    pub wall: Spread,
    /// User and system time.
    pub cpu: Spread,
    /// The largest of all runs.
    pub peak: Peak,
}

/// The figures of a program beside those of its floor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// The program in question.
    pub subject: Figures,
    /// The empty program, measured in the same minutes.
    pub floor: Figures,
}

/// Runs a program and its floor in turns and compares them.
///
/// The two change places in every round, so that neither always profits from what the other left in the
/// caches. A run that does not end with success is an error: how fast a program fails is of no interest.
pub fn compare(subject: &Launch, floor: &Launch, plan: Plan) -> io::Result<Comparison> {
    let mut subject_runs = Vec::with_capacity(plan.runs);
    let mut floor_runs = Vec::with_capacity(plan.runs);
    for round in 0..plan.warm_up + plan.runs {
        let (of_subject, of_floor);
        if round % 2 == 0 {
            of_subject = successful(subject)?;
            of_floor = successful(floor)?;
        } else {
            of_floor = successful(floor)?;
            of_subject = successful(subject)?;
        }
        if round >= plan.warm_up {
            subject_runs.push(of_subject);
            floor_runs.push(of_floor);
        }
    }
    let (Some(subject), Some(floor)) = (Figures::of(&subject_runs), Figures::of(&floor_runs)) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a comparison needs at least one run"));
    };
    Ok(Comparison { subject, floor })
}

fn successful(launch: &Launch) -> io::Result<Run> {
    let run = launch.run()?;
    if run.status.success() {
        Ok(run)
    } else {
        Err(io::Error::other(format!("{} ended with {}", launch.name(), run.status)))
    }
}

impl Comparison {
    /// Returns how many times the floor the program takes, by the medians on the wall.
    pub fn ratio(&self) -> f64 {
        self.subject.wall.median.as_secs_f64() / self.floor.wall.median.as_secs_f64()
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; floor {}; {:.2} × the floor", self.subject, self.floor, self.ratio())
    }
}

impl Figures {
    /// Sums up the runs, if there are any.
    fn of(runs: &[Run]) -> Option<Self> {
        Some(Self {
            runs: runs.len(),
            wall: Spread::of(runs.iter().map(|run| run.wall))?,
            cpu: Spread::of(runs.iter().map(|run| run.cpu))?,
            peak: runs.iter().map(|run| run.peak).max()?,
        })
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, CPU {} ms, {}", self.wall, milliseconds(self.cpu.median), self.peak)
    }
}

impl Spread {
    /// Sorts the durations and picks the three, if there are any.
    fn of(durations: impl Iterator<Item = Duration>) -> Option<Self> {
        let mut sorted: Vec<Duration> = durations.collect();
        sorted.sort_unstable();
        let count = sorted.len();
        let &min = sorted.first()?;
        // The mean of the two in the middle, which are the same one when the count is odd.
        let median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
        // The nearest rank, rounded up: with few runs it is the largest.
        let p95 = sorted[(count * 95).div_ceil(100) - 1];
        Some(Self { min, median, p95 })
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [min, median, p95] = [self.min, self.median, self.p95].map(milliseconds);
        write!(f, "{median} ms (min {min}, p95 {p95})")
    }
}

fn milliseconds(duration: Duration) -> String {
    format!("{:.3}", duration.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const QUICK: Plan = Plan { warm_up: 1, runs: 4 };

    fn micros(from: impl IntoIterator<Item = u64>) -> Option<Spread> {
        Spread::of(from.into_iter().map(Duration::from_micros))
    }

    fn spread(min: u64, median: u64, p95: u64) -> Spread {
        let [min, median, p95] = [min, median, p95].map(Duration::from_micros);
        Spread { min, median, p95 }
    }

    fn figures(wall: Spread) -> Figures {
        Figures { runs: 3, wall, cpu: spread(90, 100, 110), peak: Peak { bytes: 2_000_000, is_bound: false } }
    }

    fn shell(script: &str) -> Launch {
        Launch::new(Command::new("/bin/sh").args(["-c", script])).unwrap()
    }

    #[test]
    fn the_three_figures_of_a_spread() {
        assert_eq!(micros([]), None);
        assert_eq!(micros([5]), Some(spread(5, 5, 5)));
        assert_eq!(micros([30, 10, 20]), Some(spread(10, 20, 30)));
        assert_eq!(micros([40, 10, 20, 30]), Some(spread(10, 25, 40)));
        assert_eq!(
            micros((1..=100).rev()),
            Some(Spread { median: Duration::from_nanos(50_500), ..spread(1, 0, 95) })
        );
    }

    #[test]
    fn a_figure_is_shown_beside_its_floor() {
        let comparison =
            Comparison { subject: figures(spread(400, 450, 600)), floor: figures(spread(190, 200, 250)) };
        assert_eq!(
            comparison.to_string(),
            "0.450 ms (min 0.400, p95 0.600), CPU 0.100 ms, 2.0 MB; \
             floor 0.200 ms (min 0.190, p95 0.250), CPU 0.100 ms, 2.0 MB; 2.25 × the floor"
        );
    }

    #[test]
    fn both_programs_run_equally_often() {
        let comparison = compare(&shell("exit 0"), &shell("exit 0"), QUICK).unwrap();
        assert_eq!((comparison.subject.runs, comparison.floor.runs), (4, 4));
        assert!(comparison.ratio() > 0.0);
    }

    #[test]
    fn a_failing_run_is_an_error() {
        let error = compare(&shell("exit 0"), &shell("exit 4"), QUICK).unwrap_err();
        assert_eq!(error.to_string(), "/bin/sh ended with exit status: 4");
    }

    #[test]
    fn no_runs_make_no_comparison() {
        let plan = Plan { warm_up: 1, runs: 0 };
        assert_eq!(compare(&shell(""), &shell(""), plan).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
