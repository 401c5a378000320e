//! What the worker needs from outside, and what it says of itself.

use std::sync::Arc;
use std::time::Duration;

use custos_distill::model::{Fault, Model};
use custos_embed::{EmbedError, Embedder};
use custos_log::Log;
use custos_model::Timestamp;

use crate::distiller::Distil;
use crate::ledger::Budget;
use crate::stop::Stop;

/// How the worker is set.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long it stays after its last work; none ends it as soon as nothing can be done, also where a provider is to blame.
    pub idle: Option<Duration>,
    /// How many tokens models may take.
    pub budget: Budget,
    /// How long a question or the rules may take for one piece of work.
    pub deadline: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            idle: Some(Duration::from_secs(20)),
            budget: Budget::default(),
            deadline: Duration::from_mins(1),
        }
    }
}

/// The clocks.
pub trait Time {
    /// Reads the wall clock, which may jump.
    fn now(&self) -> Timestamp;
    /// Gives the time since some moment; it only grows.
    fn steady(&self) -> Duration;
    /// Waits.
    fn rest(&self, pause: Duration);
}

/// The clocks of the machine.
#[derive(Debug, Clone, Copy)]
pub struct MachineTime {
    began: std::time::Instant,
}

impl Default for MachineTime {
    fn default() -> Self {
        Self { began: std::time::Instant::now() }
    }
}

impl Time for MachineTime {
    fn now(&self) -> Timestamp {
        custos_log::append::system_clock()()
    }

    fn steady(&self) -> Duration {
        self.began.elapsed()
    }

    fn rest(&self, pause: Duration) {
        std::thread::park_timeout(pause);
    }
}

/// The model to ask.
pub struct Models {
    /// Who serves it.
    pub provider: String,
    /// Its name.
    pub model: String,
    /// Opens it; again where one was lost.
    pub open: Box<dyn Fn() -> Result<Box<dyn Model>, Fault>>,
}

/// Opens the embedder, which may be a server that has to be asked what it is.
pub type OpenEmbedder = Box<dyn Fn() -> Result<Arc<dyn Embedder>, EmbedError>>;

/// What the worker needs from outside.
pub struct Surroundings<'a> {
    /// The log; its state directory holds what is the worker's.
    pub log: Log,
    /// What distils without a model.
    pub distil: Arc<dyn Distil>,
    /// The model; none where the rules do everything.
    pub models: Option<Models>,
    /// What makes vectors of texts; none where nobody does.
    pub embedder: Option<OpenEmbedder>,
    /// The clocks.
    pub time: &'a dyn Time,
    /// Whether somebody asked us to end.
    pub stop: Stop,
    /// Says when the day of an instant began, where this machine is.
    pub day_began: &'a dyn Fn(Timestamp) -> Timestamp,
    /// Leaves word for a person.
    pub trouble: &'a dyn Fn(&str),
    /// Is told how far it is.
    pub progress: &'a dyn Fn(Progress),
    /// Is told that a provider failed, and when it is asked again.
    pub setback: &'a dyn Fn(&str),
    /// Ends the processes that a worker has left behind which was killed, whoever is asked now, and says how many they were.
    pub end_left_behind: &'a dyn Fn() -> usize,
}

/// How far the worker is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// So many events are done.
    Distilled(u64),
    /// So many vectors are made.
    Embedded(u64),
}

/// Why the worker ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ended {
    /// Nothing is left that could be done.
    #[default]
    Idle,
    /// Somebody asked it to.
    Asked,
    /// Another worker runs.
    AnotherRuns,
    /// What is left waits for a provider that fails.
    Postponed,
}

/// What the worker did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Report {
    /// Why it ended.
    pub ended: Ended,
    /// Pieces of work that are done.
    pub units: u64,
    /// Events in these.
    pub events: u64,
    /// Observations that were recorded.
    pub observations: u64,
    /// Summaries that were recorded.
    pub summaries: u64,
    /// Texts, and parts of texts, of which vectors were made.
    pub vectors: u64,
    /// Pieces of work that the rules did in the place of a model.
    pub fell_back: u64,
    /// Attempts that failed.
    pub failed: u64,
    /// Pieces of work that were given up.
    pub abandoned: u64,
}
