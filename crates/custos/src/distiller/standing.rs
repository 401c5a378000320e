//! How distilling stands: what waits, who works, what was spent, and how much of it was worth it. For `status` and `doctor`.

use custos_distill::alike;
use custos_index::{Index, IndexError, Junk, WorkCounts};
use custos_model::{Kind, Observation, Sort, Timestamp};
use custos_worker::circuit::{self, Broken};
use custos_worker::claim;
use custos_worker::unit::DAY;
use serde_json::{Value, json};

use crate::commands::usage;
use crate::context::Context;
use crate::render;
use crate::when;

/// The most observations whose titles are looked at, the newest first.
const MEASURED: usize = 10_000;

/// How far back is measured, in days.
const DAYS: i64 = 30;

/// How distilling stands.
pub(crate) struct Standing {
    pub(crate) work: WorkCounts,
    /// When the oldest of what waits for this machine happened.
    pub(crate) oldest: Option<Timestamp>,
    /// Whether a worker runs; none where that cannot be told.
    pub(crate) is_running: Option<bool>,
    /// What is known of a provider that has failed.
    pub(crate) broken: Option<Broken>,
    /// Tokens of today.
    pub(crate) today: u64,
    /// The most tokens of a day.
    pub(crate) limit: u64,
    pub(crate) meter: Meter,
}

/// How much of what was distilled was not worth keeping.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Meter {
    junk: Junk,
    /// Observations that only say what a path or a command says.
    restating: u64,
}

impl Meter {
    fn made(&self) -> u64 {
        self.junk.observations + self.junk.merged
    }

    fn share(&self) -> f64 {
        let bad = self.junk.superseded + self.junk.merged + self.junk.forgotten + self.restating;
        if self.made() == 0 { 0.0 } else { (bad as f64 / self.made() as f64).min(1.0) }
    }

    /// Says it in words; nothing where nothing was made.
    pub(crate) fn said(&self) -> Option<String> {
        (self.made() > 0).then(|| {
            format!(
                "{:.0} % of {} in {DAYS} days: superseded, merged or forgotten within a week, or only a path or a command",
                self.share() * 100.0,
                render::count(self.made(), "observation")
            )
        })
    }

    fn as_json(&self) -> Value {
        json!({
            "share": self.share(), "observations": self.junk.observations,
            "superseded": self.junk.superseded, "merged": self.junk.merged, "forgotten": self.junk.forgotten,
            "restating": self.restating, "days": DAYS,
        })
    }
}

impl Standing {
    /// Asks the index, which must have caught up, and the state directory.
    pub(crate) fn read(context: &Context, index: &mut Index) -> Result<Self, IndexError> {
        let settings = &context.settings.distill;
        let state = &context.places.state;
        Ok(Self {
            work: index.work_counts()?,
            oldest: index
                .waiting_for(&context.log().writer(), when::now(), DAY)?
                .iter()
                .map(|waiting| waiting.oldest)
                .min(),
            is_running: claim::is_held(state).ok(),
            broken: circuit::broken(state).filter(|broken| broken.provider == settings.provider.name()),
            today: usage::today(index)?.tokens(),
            limit: settings.tokens_per_day,
            meter: meter(index)?,
        })
    }

    /// Says what waits and who works.
    pub(crate) fn work_said(&self) -> String {
        let WorkCounts { pending, done, abandoned, .. } = self.work;
        let abandoned = match abandoned {
            0 => String::new(),
            given_up => format!(", {} given up", render::grouped(given_up)),
        };
        let worker = match self.is_running {
            Some(true) => "a worker runs",
            Some(false) => "no worker runs",
            None => "nobody can tell whether a worker runs",
        };
        let (waits, done) = (render::count(pending, "event"), render::grouped(done));
        let verb = if pending == 1 { "waits" } else { "wait" };
        format!("{waits} {verb}, {done} done{abandoned}; {worker}")
    }

    /// Says since when a provider is not asked, and why; nothing where it is.
    pub(crate) fn broken_said(&self) -> Option<String> {
        let broken = self.broken.as_ref()?;
        let since = render::local(Timestamp::from_millis(broken.since));
        let times = render::count(broken.failures.into(), "time");
        let message = render::cut(&render::printable(&broken.message), 200);
        Some(format!("failed {times} since {since}: {message}"))
    }

    pub(crate) fn as_json(&self, provider: &str) -> Value {
        json!({
            "provider": provider,
            "work": {
                "pending": self.work.pending, "failed": self.work.failed, "done": self.work.done,
                "abandoned": self.work.abandoned, "oldest": self.oldest,
            },
            "worker": { "running": self.is_running },
            "circuit": self.broken.as_ref().map_or_else(
                || json!({ "open": false }),
                |broken| json!({
                    "open": true, "failures": broken.failures, "refused": broken.refused, "message": broken.message,
                    "since": Timestamp::from_millis(broken.since), "next": Timestamp::from_millis(broken.next),
                }),
            ),
            "today": { "tokens": self.today, "limit": self.limit },
            "junk": self.meter.as_json(),
        })
    }
}

/// Measures what was made.
fn meter(index: &mut Index) -> Result<Meter, IndexError> {
    let since = Timestamp::from_millis(when::now().as_millis().saturating_sub(DAYS * DAY));
    let made = index.recent(Kind::ObservationRecorded, None, MEASURED)?;
    let restating = made
        .into_iter()
        .filter(|entry| entry.origin == "distiller" && entry.ts >= since)
        .filter(|entry| alike::restates(&titled(entry.title.clone().unwrap_or_default())))
        .count();
    Ok(Meter { junk: index.junk(since)?, restating: restating as u64 })
}

/// An observation of which only the title counts.
fn titled(title: String) -> Observation {
    Observation {
        sort: Sort::Change,
        title,
        subtitle: String::new(),
        narrative: String::new(),
        facts: Vec::new(),
        concepts: Vec::new(),
        files_read: Vec::new(),
        files_modified: Vec::new(),
    }
}
