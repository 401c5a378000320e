//! The loop: look what waits, do what can be done, and end when nothing is left.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use custos_config::Names;
use custos_index::{Budget as CatchUpBudget, Index, Prompted, User, WorkState};
use custos_log::{Log, LogError, LogReader, head};
use custos_model::{Draft, Origin};

use crate::asking::Asker;
use crate::attempt::Attempt;
use crate::circuit::{Advice, Circuit, Instant};
use crate::claim::Claim;
use crate::embedding::Embedding;
use crate::error::WorkerError;
use crate::journal::Journal;
use crate::ledger::Ledger;
use crate::owing::Owing;
use crate::questions::Heard;
use crate::results;
use crate::sitting::Sitting;
use crate::stop::Stop;
use crate::surroundings::{Ended, Progress, Report, Settings, Surroundings};
use crate::unit::{Around, DAY, Outlook, Sort, Unit, WorkId, cut};

/// How often is looked whether the log has grown, or somebody asked us to end.
pub(crate) const LOOK: Duration = Duration::from_millis(200);

/// How often even the rules may fail at a piece of work.
const ATTEMPTS: u64 = 3;

/// How long to wait after an attempt that failed, in seconds: what is wrong for a moment must not use up all of them.
const RESTS: [u64; 2] = [1, 5];

/// A provider that will be asked again within this time is waited for even by a worker that does only what can be done now.
const MOMENT: Duration = Duration::from_secs(3);

/// How often an append is tried that finds the log locked.
const APPENDS: u32 = 5;

/// Works until nothing is left, or somebody asks it to end.
pub fn run(around: &Surroundings<'_>, settings: &Settings) -> Result<Report, WorkerError> {
    let state = around.log.places().state.clone();
    let disk = Arc::clone(&around.log.surroundings().disk);
    disk.create_dirs(&state).map_err(WorkerError::io("create", &state))?;
    let mut report = Report::default();
    let mut has_begun = false;
    loop {
        let Some(claim) = Claim::take(&state).map_err(WorkerError::io("lock", &state))? else {
            report.ended = Ended::AnotherRuns;
            return Ok(report);
        };
        let ended = (around.end_left_behind)();
        let mut worker = Worker::new(around, settings.clone(), report)?;
        if !std::mem::replace(&mut has_begun, true) {
            let by = around.models.as_ref().map(|models| format!("{}/{}", models.provider, models.model));
            worker.note(&format!("began: distils by {}", by.as_deref().unwrap_or("rules")));
        }
        if ended > 0 {
            worker.note(&format!("ended what a worker left behind that was killed: processes {ended}"));
        }
        let result = worker.work();
        let seen = worker.seen;
        report = worker.report;
        worker.note(&match &result {
            Ok(()) => format!("ended: {}; {}", why(report.ended, &around.stop), told(&report)),
            Err(error) => format!("cannot go on: {error}"),
        });
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
    pub(crate) owing: Owing,
    pub(crate) heard: Heard,
    pub(crate) embedding: Embedding,
    pub(crate) report: Report,
    journal: Journal,
    /// The end of the log when it was last read.
    pub(crate) seen: Option<u64>,
    /// What was done in this run. The index forgets nothing of it; but should it, the same work must not be done without end.
    finished: HashSet<(WorkId, u64)>,
    /// What failed, and when it may be tried again.
    resting: HashMap<(WorkId, u64), Duration>,
}

/// What a look at all that waits came to.
#[derive(Debug, Default, PartialEq, Eq)]
struct Round {
    /// Something was done, or tried.
    moved: bool,
    /// Something waits for a provider.
    postponed: bool,
    /// When the first that failed may be tried again.
    rested: Option<Duration>,
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
            reader: around.log.reader().calling(Names::of(&around.log.places().state).renamed()),
            journal: Journal::new(Arc::clone(&around.log.surroundings().disk), &places.state),
            index,
            circuit,
            asker: None,
            ledger,
            owing: Owing::of(&around.log),
            heard: Heard::default(),
            embedding: Embedding::default(),
            report,
            seen: None,
            finished: HashSet::new(),
            resting: HashMap::new(),
            around,
            settings,
        })
    }

    /// Works until nothing is left. The claim is held.
    fn work(&mut self) -> Result<(), WorkerError> {
        let mut last_work = None;
        self.pay()?;
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
            self.renew_hints()?;
            if self.embed()? {
                continue;
            }
            let asking =
                round.postponed.then(|| match self.circuit.as_ref().map(|circuit| circuit.advice(now)) {
                    Some(Advice::Wait(pause)) => pause,
                    _ => LOOK,
                });
            let resting = round.rested.map(|rested| rested.saturating_sub(now));
            // Nobody has to come by for it to go on.
            let pause = match asking.into_iter().chain(resting).min() {
                Some(pause) if self.settings.idle.is_some() || resting.is_some() || pause <= MOMENT => pause,
                Some(_) => {
                    self.report.ended = Ended::Postponed;
                    return Ok(());
                }
                None => {
                    let idle = self.settings.idle.unwrap_or(Duration::ZERO);
                    let since = last_work.map_or(idle, |last| now.saturating_sub(last));
                    if since >= idle {
                        self.report.ended = Ended::Idle;
                        return Ok(());
                    }
                    idle.saturating_sub(since)
                }
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
        let waiting = self.index.waiting_for(&self.around.log.writer(), self.around.time.now(), DAY)?;
        let mut round = Round::default();
        for session in waiting {
            if self.around.stop.is_asked() {
                break;
            }
            (self.around.progress)(Progress::Distilled(self.report.events));
            let moved = self.sit(session.session.as_deref(), &mut round)?;
            if moved {
                round.moved = true;
                // What was learnt in this session is known to the next. Tidying up can wait until the end.
                self.seen = end_of(&self.around.log);
                self.catch_up_soon()?;
            }
        }
        Ok(round)
    }

    /// Reads what is new in the log, without tidying up. What it finds is still looked at as new.
    pub(crate) fn catch_up_soon(&mut self) -> Result<(), WorkerError> {
        let elapsed = || Duration::ZERO;
        let soon = CatchUpBudget { limit: Duration::from_secs(1), elapsed: &elapsed };
        self.index.catch_up(&self.reader, Some(soon), &mut |_| {})?;
        Ok(())
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
            let pass = (unit.id.clone(), unit.passes);
            let rested = self.resting.get(&pass).copied().filter(|until| *until > self.around.time.steady());
            // What could not even be read is for the next worker.
            if let Some(until) = rested.filter(|until| *until < Duration::MAX) {
                round.rested = Some(round.rested.map_or(until, |other| other.min(until)));
            }
            // The end sums up what went before.
            let is_early = unit.sort == Sort::Session && turns_left;
            if unit.waits.is_some() || is_early || rested.is_some() || self.finished.contains(&pass) {
                turns_left |= unit.sort == Sort::Turns;
                continue;
            }
            let before = self.report;
            match self.attempt(&unit, &mut sitting)? {
                Attempt::Done => {
                    self.report.units += 1;
                    self.note_made(&unit, &before);
                    self.report.events += unit.events().count() as u64;
                    self.heard.let_go(&unit);
                    self.finished.insert(pass);
                    moved = true;
                }
                Attempt::Postponed => {
                    round.postponed = true;
                    break;
                }
                Attempt::Failed(error) => {
                    self.fail(&unit, &error)?;
                    let pause = RESTS.get(usize::try_from(unit.attempts).unwrap_or(usize::MAX)).copied();
                    let until = self.around.time.steady() + Duration::from_secs(pause.unwrap_or(0));
                    self.resting.insert(pass, until);
                    moved = true;
                    turns_left = true;
                }
                Attempt::Unread(error) => {
                    let words = format!("{} cannot be read, and waits for the next worker: {error}", unit.id);
                    self.note(&words);
                    (self.around.trouble)(&words);
                    self.resting.insert(pass, Duration::MAX);
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
        self.drop_hints(&drafts);
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

    /// Notes what was made of a piece of work, if anything.
    fn note_made(&self, unit: &Unit, before: &Report) {
        let observations = self.report.observations - before.observations;
        let summaries = self.report.summaries - before.summaries;
        // Of what rules did in the place of a model there is a line already.
        let is_noted = self.report.fell_back > before.fell_back;
        if observations + summaries > 0 && !is_noted {
            let events = unit.events().count();
            self.note(&format!(
                "{}: events {events}, observations {observations}, summaries {summaries}",
                unit.id
            ));
        }
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
    let Report { units, events, observations, summaries, vectors, fell_back, failed, abandoned, ended: _ } =
        report;
    format!(
        "units {units}, events {events}, observations {observations}, summaries {summaries}, vectors {vectors}; by rules in the place of a model: \
         {fell_back}; attempts that failed: {failed}; units given up: {abandoned}"
    )
}

/// Says for the journal why the worker ended.
fn why(ended: Ended, stop: &Stop) -> &'static str {
    match ended {
        Ended::Idle => "nothing is left to do",
        Ended::Asked if stop.is_signalled() => "asked to by a signal",
        Ended::Asked => "the settings have changed",
        Ended::AnotherRuns => "another worker runs",
        Ended::Postponed => "what is left waits for a provider that fails",
    }
}

/// Gives the number of the last event in the log.
pub(crate) fn end_of(log: &Log) -> Option<u64> {
    head::peek(&*log.surroundings().disk, &log.places().state).map(|head| head.seq)
}
