//! The loop: look what waits, do what can be done, and end when nothing is left.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use custos_distill::model::{Fault, Model};
use custos_index::{Budget as CatchUpBudget, Index, Prompted, User, WorkState};
use custos_log::{Log, LogError, LogReader, head};
use custos_model::{Draft, Origin, Timestamp};

use crate::asking::Asker;
use crate::attempt::Attempt;
use crate::circuit::{Advice, Circuit, Instant};
use crate::claim::Claim;
use crate::distiller::Distil;
use crate::error::WorkerError;
use crate::journal::Journal;
use crate::ledger::{Budget, Ledger};
use crate::questions::Heard;
use crate::results;
use crate::sitting::Sitting;
use crate::stop::Stop;
use crate::unit::{Around, Outlook, Sort, Unit, WorkId, cut};

/// How often is looked whether the log has grown, or somebody asked us to end.
const LOOK: Duration = Duration::from_millis(200);

/// How often even the rules may fail at a piece of work.
const ATTEMPTS: u64 = 3;

/// How often an append is tried that finds the log locked.
const APPENDS: u32 = 5;

/// How the worker is set.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long it stays after its last work; none ends it as soon as nothing can be done.
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

/// What the worker needs from outside.
pub struct Surroundings<'a> {
    /// The log; its state directory holds what is the worker's.
    pub log: Log,
    /// What distils without a model.
    pub distil: Arc<dyn Distil>,
    /// The model; none where the rules do everything.
    pub models: Option<Models>,
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
}

/// How far the worker is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Events that are done.
    pub done: u64,
    /// Events that still waited when it last looked.
    pub waiting: u64,
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
    /// Pieces of work that the rules did in the place of a model.
    pub fell_back: u64,
    /// Attempts that failed.
    pub failed: u64,
    /// Pieces of work that were given up.
    pub abandoned: u64,
}

/// Works until nothing is left, or somebody asks it to end.
pub fn run(around: &Surroundings<'_>, settings: &Settings) -> Result<Report, WorkerError> {
    let state = around.log.places().state.clone();
    let disk = Arc::clone(&around.log.surroundings().disk);
    disk.create_dirs(&state).map_err(WorkerError::io("create", &state))?;
    let mut report = Report::default();
    loop {
        let Some(claim) = Claim::take(&state).map_err(WorkerError::io("lock", &state))? else {
            report.ended = Ended::AnotherRuns;
            return Ok(report);
        };
        let mut worker = Worker::new(around, settings.clone(), report)?;
        let result = worker.work();
        let seen = worker.seen;
        report = worker.report;
        if report.units + report.failed > 0 || result.is_err() {
            worker.note(&match &result {
                Ok(()) => told(&report),
                Err(error) => format!("cannot go on: {error}"),
            });
        }
        drop(worker);
        drop(claim);
        result?;
        // A hook that looked while we still held the lock has left its work to us.
        if report.ended == Ended::Asked || end_of(&around.log) == seen {
            return Ok(report);
        }
    }
}

/// The worker while it has its claim.
pub(crate) struct Worker<'a> {
    pub(crate) around: &'a Surroundings<'a>,
    pub(crate) settings: Settings,
    pub(crate) reader: LogReader,
    pub(crate) index: Index,
    pub(crate) circuit: Option<Circuit>,
    pub(crate) asker: Option<Asker>,
    pub(crate) ledger: Ledger,
    pub(crate) heard: Heard,
    pub(crate) report: Report,
    journal: Journal,
    /// The end of the log when it was last read.
    seen: Option<u64>,
    /// What was done in this run. The index forgets nothing of it; but should it, the same work must not be done without end.
    finished: HashSet<(WorkId, u64)>,
}

/// What a look at all that waits came to.
#[derive(Debug, Default, PartialEq, Eq)]
struct Round {
    /// Something was done, or tried.
    moved: bool,
    /// Something waits for a provider.
    postponed: bool,
}

impl<'a> Worker<'a> {
    fn new(around: &'a Surroundings<'a>, settings: Settings, report: Report) -> Result<Self, WorkerError> {
        let places = around.log.places();
        let mut index = Index::open(&places.state, User::Worker)?;
        let now = Instant { wall: around.time.now(), steady: around.time.steady() };
        let circuit =
            around.models.as_ref().map(|models| Circuit::load(&places.state, &models.provider, now));
        let ledger = Ledger::read(&mut index, settings.budget, (around.day_began)(now.wall))?;
        Ok(Self {
            reader: around.log.reader(),
            journal: Journal::new(Arc::clone(&around.log.surroundings().disk), &places.state),
            index,
            circuit,
            asker: None,
            ledger,
            heard: Heard::default(),
            report,
            seen: None,
            finished: HashSet::new(),
            around,
            settings,
        })
    }

    /// Works until nothing is left. The claim is held.
    fn work(&mut self) -> Result<(), WorkerError> {
        let mut last_work = None;
        loop {
            self.catch_up()?;
            let round = self.round()?;
            if self.around.stop.is_asked() {
                self.report.ended = Ended::Asked;
                return Ok(());
            }
            let now = self.around.time.steady();
            if round.moved {
                last_work = Some(now);
                continue;
            }
            let pause = if round.postponed {
                // Nobody has to come by for it to go on.
                match self.circuit.as_ref().map(|circuit| circuit.advice(now)) {
                    Some(Advice::Wait(pause)) => pause,
                    _ => LOOK,
                }
            } else {
                let idle = self.settings.idle.unwrap_or(Duration::ZERO);
                let since = last_work.map_or(idle, |last| now.saturating_sub(last));
                if since >= idle {
                    self.report.ended = Ended::Idle;
                    return Ok(());
                }
                idle.saturating_sub(since)
            };
            self.wait(pause);
        }
    }

    /// Waits, but not longer than until something new is in the log or somebody asks us to end.
    fn wait(&self, pause: Duration) {
        let began = self.around.time.steady();
        loop {
            let passed = self.around.time.steady().saturating_sub(began);
            if passed >= pause || self.around.stop.is_asked() || end_of(&self.around.log) != self.seen {
                return;
            }
            self.around.time.rest(pause.saturating_sub(passed).min(LOOK));
        }
    }

    fn catch_up(&mut self) -> Result<(), WorkerError> {
        // Asked first: what comes in between is looked at once more than needed, never once less.
        self.seen = end_of(&self.around.log);
        self.index.catch_up(&self.reader, None, &mut |_| {})?;
        Ok(())
    }

    /// Does what can be done, session by session, the one with the oldest work first.
    fn round(&mut self) -> Result<Round, WorkerError> {
        let day = (self.around.day_began)(self.around.time.now());
        self.ledger = Ledger::read(&mut self.index, self.settings.budget, day)?;
        let waiting = self.index.waiting()?;
        let mut left: u64 = waiting.iter().map(|waiting| waiting.events).sum();
        let mut round = Round::default();
        for session in waiting {
            if self.around.stop.is_asked() {
                break;
            }
            (self.around.progress)(Progress { done: self.report.events, waiting: left });
            let moved = self.sit(session.session.as_deref(), &mut round)?;
            left = left.saturating_sub(session.events);
            if moved {
                round.moved = true;
                // What was learnt in this session is known to the next. Tidying up can wait until the end.
                self.seen = end_of(&self.around.log);
                let elapsed = || Duration::ZERO;
                let soon = CatchUpBudget { limit: Duration::from_secs(1), elapsed: &elapsed };
                self.index.catch_up(&self.reader, Some(soon), &mut |_| {})?;
            }
        }
        Ok(round)
    }

    /// Does what can be done in one session; says whether anything was.
    fn sit(&mut self, session: Option<&str>, round: &mut Round) -> Result<bool, WorkerError> {
        let outlook = Outlook {
            own: self.around.log.writer(),
            now: self.around.time.now(),
            in_company: self.around.models.is_some(),
        };
        let (units, prompts) = units(&mut self.index, session, &outlook)?;
        let mut sitting = Sitting::new(session.map(str::to_owned), prompts);
        let mut moved = false;
        let mut turns_left = false;
        for unit in units {
            if self.around.stop.is_asked() {
                break;
            }
            // The end sums up what went before.
            let is_early = unit.sort == Sort::Session && turns_left;
            if unit.waits.is_some() || is_early || self.finished.contains(&(unit.id.clone(), unit.passes)) {
                turns_left |= unit.sort == Sort::Turns;
                continue;
            }
            match self.attempt(&unit, &mut sitting)? {
                Attempt::Done => {
                    self.report.units += 1;
                    self.report.events += unit.events().count() as u64;
                    self.heard.let_go(&unit);
                    self.finished.insert((unit.id, unit.passes));
                    moved = true;
                }
                Attempt::Postponed => {
                    round.postponed = true;
                    break;
                }
                Attempt::Failed(error) => {
                    self.fail(&unit, &error)?;
                    moved = true;
                    turns_left = true;
                }
                Attempt::Stopped => break,
            }
        }
        Ok(moved)
    }

    fn fail(&mut self, unit: &Unit, error: &str) -> Result<(), WorkerError> {
        self.report.failed += 1;
        let attempt = unit.attempts + 1;
        self.note(&format!("{} failed, attempt {attempt}: {error}", unit.id));
        let mut drafts = vec![results::failed(unit, error)];
        if attempt >= ATTEMPTS {
            self.report.abandoned += 1;
            drafts.push(results::abandoned(unit, error));
            (self.around.trouble)(&format!(
                "work {} was given up: {error}; `custos work list --all` shows it",
                unit.id
            ));
        }
        self.append(drafts)
    }

    /// Appends events that belong together.
    pub(crate) fn append(&self, drafts: Vec<Draft>) -> Result<(), WorkerError> {
        for _ in 1..APPENDS {
            match self.around.log.append_all(drafts.clone(), Origin::Distiller) {
                Ok(_) => return Ok(()),
                // Somebody takes a backup of a large log, or has stopped in a debugger.
                Err(LogError::Busy { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.around.log.append_all(drafts, Origin::Distiller)?;
        Ok(())
    }

    pub(crate) fn note(&self, text: &str) {
        self.journal.note(self.around.time.now(), text);
    }

    pub(crate) fn instant(&self) -> Instant {
        Instant { wall: self.around.time.now(), steady: self.around.time.steady() }
    }
}

/// Cuts what waits in a session into pieces of work.
pub(crate) fn units(
    index: &mut Index,
    session: Option<&str>,
    outlook: &Outlook,
) -> Result<(Vec<Unit>, Vec<Prompted>), WorkerError> {
    let mut pending = match session {
        Some(session) => index.pending_work(Some(session), usize::MAX)?,
        None => index.work_of(None)?,
    };
    pending.retain(|work| work.state == WorkState::Pending && outlook.is_ours(work));
    let (prompts, over) = match session {
        Some(session) => {
            let known = index.session(session)?;
            (index.prompts_of(session)?, known.and_then(|known| known.ended.max(known.interrupted)))
        }
        None => (Vec::new(), None),
    };
    let Outlook { now, in_company, .. } = *outlook;
    let units = cut(pending, &Around { prompts: &prompts, over, now, in_company });
    Ok((units, prompts))
}

/// Says for the journal what was done.
fn told(report: &Report) -> String {
    let Report { units, events, observations, summaries, fell_back, failed, abandoned, ended } = report;
    format!(
        "{units} units of {events} events done: {observations} observations, {summaries} summaries; {fell_back} by rules in the \
         place of a model; {failed} attempts failed, {abandoned} units given up; ended: {ended:?}"
    )
}

/// Gives the number of the last event in the log.
fn end_of(log: &Log) -> Option<u64> {
    head::peek(&*log.surroundings().disk, &log.places().state).map(|head| head.seq)
}
