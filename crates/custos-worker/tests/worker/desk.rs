//! A memory with sessions in it, and a worker with clocks and a model of the test's choice.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use custos_distill::model::{Fault, Model, Question, Reply, Spent};
use custos_distill::{Distilled, Found, Turn};
use custos_embed::Embedder;
use custos_index::{Index, User, WorkCounts};
use custos_log::append::{Clock, Entropy, Places, Surroundings as Outside};
use custos_log::disk::Disk;
use custos_log::{Limits, Line, Log, OsDisk, Position, Selection, WriterId, forget};
use custos_model::{Draft, DraftAgent, EventId, Kind, Observation, Origin, Scope, Sort, Summary, Timestamp};
use custos_worker::stop::Stop;
use custos_worker::unit::Outlook;
use custos_worker::{Distil, Models, Report, Settings, Surroundings, Time, WorkerError};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

pub(crate) const NOON: i64 = 1_794_744_000_000;

/// A clock that stands still unless somebody waits.
#[derive(Clone)]
pub(crate) struct Clocks {
    pub(crate) wall: Arc<Mutex<i64>>,
    steady: Cell<Duration>,
    /// Called after each wait.
    pub(crate) waited: Arc<dyn Fn(Duration)>,
}

impl Time for Clocks {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(*self.wall.lock().unwrap())
    }

    fn steady(&self) -> Duration {
        self.steady.get()
    }

    fn rest(&self, pause: Duration) {
        self.steady.set(self.steady.get() + pause);
        *self.wall.lock().unwrap() += i64::try_from(pause.as_millis()).unwrap();
        (self.waited)(self.steady.get());
    }
}

/// A distiller that makes one observation of each turn, named after its first step's output, and can be told to fail.
#[derive(Default)]
pub(crate) struct Plain {
    pub(crate) panics_at: Option<&'static str>,
}

impl Distil for Plain {
    fn turn(&self, turn: &Turn, before: &[Turn]) -> Distilled {
        let Some(step) = turn.steps.first() else { return Distilled::default() };
        assert!(self.panics_at.is_none_or(|at| step.output != at), "cannot take {}", step.output);
        let observation = Observation {
            sort: Sort::Discovery,
            title: format!("Learnt {}", step.output),
            subtitle: String::new(),
            narrative: format!("after {} turns", before.len()),
            facts: Vec::new(),
            concepts: Vec::new(),
            files_read: Vec::new(),
            files_modified: Vec::new(),
        };
        let summary = Summary { request: format!("asked for {}", step.output), ..Summary::default() };
        Distilled {
            observations: vec![Found { observation, steps: vec![0], said: false }],
            summary: Some(summary),
        }
    }

    fn session(&self, turns: &[Turn], observations: &[Observation]) -> Option<Summary> {
        let completed = format!("{} turns, {} observations", turns.len(), observations.len());
        Some(Summary { completed, ..Summary::default() })
    }
}

/// What a model does with a question.
pub(crate) type Play = Result<String, Fault>;

/// A model that plays a script, and then says what it always says.
pub(crate) struct Script {
    plays: Mutex<VecDeque<Play>>,
    always: Mutex<Play>,
    pub(crate) asked: Mutex<Vec<String>>,
    /// Raised while a question is under way, where the model never answers.
    pub(crate) hangs: AtomicBool,
    /// How many questions it thinks about until their time is over.
    pub(crate) late: AtomicUsize,
    /// What happens while it is asked.
    pub(crate) meanwhile: Mutex<Option<Box<dyn Fn() + Send>>>,
}

impl Script {
    pub(crate) fn new(always: Play) -> Arc<Self> {
        Arc::new(Self {
            plays: Mutex::default(),
            always: Mutex::new(always),
            asked: Mutex::default(),
            hangs: AtomicBool::new(false),
            late: AtomicUsize::new(0),
            meanwhile: Mutex::default(),
        })
    }

    pub(crate) fn next(&self, plays: impl IntoIterator<Item = Play>) {
        self.plays.lock().unwrap().extend(plays);
    }

    pub(crate) fn always(&self, play: Play) {
        *self.always.lock().unwrap() = play;
    }

    pub(crate) fn questions(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

struct Player(Arc<Script>);

impl Model for Player {
    fn provider(&self) -> &'static str {
        "scripted"
    }

    fn model(&self) -> &'static str {
        "m"
    }

    fn ask(&mut self, question: &Question<'_>) -> Result<Reply, Fault> {
        self.0.asked.lock().unwrap().push(question.prompt.to_owned());
        if let Some(meanwhile) = &*self.0.meanwhile.lock().unwrap() {
            meanwhile();
        }
        while self.0.hangs.load(Ordering::Relaxed) {
            std::thread::park_timeout(Duration::from_millis(10));
        }
        if self.0.late.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |late| late.checked_sub(1)).is_ok()
        {
            let end = std::time::Instant::now() + question.within;
            while std::time::Instant::now() < end {
                std::thread::park_timeout(Duration::from_millis(5));
            }
            return Err(Fault::CutOff("no answer in time".to_owned()));
        }
        let play = self.0.plays.lock().unwrap().pop_front();
        let text = play.unwrap_or_else(|| self.0.always.lock().unwrap().clone())?;
        let input = question.prompt.len() as u64 / 4;
        Ok(Reply { text, spent: Spent { input, cached: 0, output: 10, microdollars: Some(1) } })
    }
}

/// An answer with one observation.
#[expect(clippy::unnecessary_wraps, reason = "it is played where a fault could be")]
pub(crate) fn answer(title: &str) -> Play {
    let observation =
        json!({"type": "discovery", "title": title, "narrative": "From the model.", "steps": [0]});
    Ok(json!({"observations": [observation], "summary": null}).to_string())
}

pub(crate) struct Desk {
    pub(crate) home: Arc<TempDir>,
    pub(crate) log: Log,
    pub(crate) clocks: Clocks,
    pub(crate) distil: Arc<dyn Distil>,
    pub(crate) script: Option<Arc<Script>>,
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    pub(crate) settings: Settings,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) troubles: RefCell<Vec<String>>,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self::in_home(Arc::new(tempfile::tempdir().unwrap()), "here")
    }

    /// Another machine that shares the log.
    pub(crate) fn beside(&self, name: &str) -> Self {
        Self::in_home(Arc::clone(&self.home), name)
    }

    /// A memory whose log begins a new segment with almost each event.
    pub(crate) fn in_small_segments() -> Self {
        let limits = Limits { segment: 600, ..Limits::default() };
        Self::with(Arc::new(tempfile::tempdir().unwrap()), "here", limits, Arc::new(OsDisk))
    }

    /// A memory on a disk of the test's own.
    pub(crate) fn on(disk: impl Disk + 'static) -> Self {
        Self::with(Arc::new(tempfile::tempdir().unwrap()), "here", Limits::default(), Arc::new(disk))
    }

    fn in_home(home: Arc<TempDir>, name: &str) -> Self {
        Self::with(home, name, Limits::default(), Arc::new(OsDisk))
    }

    fn with(home: Arc<TempDir>, name: &str, limits: Limits, disk: Arc<dyn Disk>) -> Self {
        let wall = Arc::new(Mutex::new(NOON));
        let ticking = Arc::clone(&wall);
        let clock: Clock = Arc::new(move || Timestamp::from_millis(*ticking.lock().unwrap()));
        let outside = Outside { disk, clock, entropy: Entropy::system() };
        let at = |name: &str| home.path().join(name);
        let places = Places { log: at("log"), backups: at("backups"), state: at(name) };
        let limits = Limits { sync: false, ..limits };
        let log = Log::new(places, outside, limits, name.parse::<WriterId>().unwrap());
        Self {
            home,
            log,
            clocks: Clocks { wall, steady: Cell::new(Duration::ZERO), waited: Arc::new(|_| {}) },
            distil: Arc::new(Plain::default()),
            script: None,
            embedder: None,
            settings: Settings { idle: Some(Duration::ZERO), ..Settings::default() },
            stop: Arc::default(),
            troubles: RefCell::default(),
        }
    }

    pub(crate) fn with_model(always: Play) -> (Self, Arc<Script>) {
        let script = Script::new(always);
        (Self { script: Some(Arc::clone(&script)), ..Self::new() }, script)
    }

    pub(crate) fn pass(&self, minutes: i64) {
        *self.clocks.wall.lock().unwrap() += minutes * 60_000;
    }

    pub(crate) fn append(&self, kind: Kind, session: &str, task: &str, body: Value) -> EventId {
        append(&self.log, kind, session, task, body)
    }

    /// A turn with so many tool calls; the first one's output names it.
    pub(crate) fn turn(&self, session: &str, name: &str, tools: usize) -> Vec<EventId> {
        append_turn(&self.log, session, name, tools)
    }

    pub(crate) fn end(&self, session: &str) -> EventId {
        self.append(Kind::SessionEnded, session, "", json!({"reason": "exit"}))
    }

    pub(crate) fn run(&self) -> Report {
        self.run_until(Stop::when(Arc::clone(&self.stop)))
    }

    /// Runs a worker that listens to somebody else.
    pub(crate) fn run_until(&self, stop: Stop) -> Report {
        self.run_with(self.models(), stop)
    }

    /// Runs a worker that may not be able to go on.
    pub(crate) fn try_run(&self) -> Result<Report, WorkerError> {
        self.try_with(self.models(), Stop::when(Arc::clone(&self.stop)))
    }

    fn models(&self) -> Option<Models> {
        self.script.as_ref().map(|script| {
            let script = Arc::clone(script);
            let open = move || Ok(Box::new(Player(Arc::clone(&script))) as Box<dyn Model>);
            Models { provider: "scripted".to_owned(), model: "m".to_owned(), open: Box::new(open) }
        })
    }

    /// Runs a worker with a model of the test's own.
    pub(crate) fn run_with(&self, models: Option<Models>, stop: Stop) -> Report {
        self.try_with(models, stop).unwrap()
    }

    /// Runs a worker with a model of the test's own, which may not be able to go on.
    pub(crate) fn try_with(&self, models: Option<Models>, stop: Stop) -> Result<Report, WorkerError> {
        let embedder = self
            .embedder
            .clone()
            .map(|embedder| Box::new(move || Ok(Arc::clone(&embedder))) as custos_worker::OpenEmbedder);
        let around = Surroundings {
            log: self.log.clone(),
            distil: Arc::clone(&self.distil),
            models,
            embedder,
            time: &self.clocks,
            stop,
            day_began: &|now| Timestamp::from_millis(now.as_millis() / 86_400_000 * 86_400_000),
            trouble: &|problem| self.troubles.borrow_mut().push(problem.to_owned()),
            progress: &|_| {},
            setback: &|_| {},
            end_left_behind: &|| 0,
        };
        custos_worker::run(&around, &self.settings)
    }

    /// Forgets an event as a person does, and what was made of it.
    pub(crate) fn forget(&self, id: EventId) {
        let selection = Selection::Id(id);
        let plan = forget::plan(&self.log, &selection, &mut |_| {}).unwrap();
        forget::forget(&self.log, &plan, &selection, "private").unwrap();
    }

    pub(crate) fn outlook(&self) -> Outlook {
        Outlook { own: self.log.writer(), now: self.clocks.now(), in_company: self.script.is_some() }
    }

    pub(crate) fn index(&self) -> Index {
        let mut index = Index::open(&self.log.places().state, User::Worker).unwrap();
        index.catch_up(&self.log.reader(), None, &mut |_| {}).unwrap();
        index
    }

    pub(crate) fn counts(&self) -> WorkCounts {
        self.index().work_counts().unwrap()
    }

    /// The titles of the observations that hold, in order of the alphabet.
    pub(crate) fn titles(&self) -> Vec<String> {
        let entries = self.index().recent(Kind::ObservationRecorded, None, usize::MAX).unwrap();
        let mut titles: Vec<String> = entries.into_iter().filter_map(|entry| entry.title).collect();
        titles.sort();
        titles
    }

    /// The bodies of all events of a kind, with their envelopes' ids and instants.
    pub(crate) fn events(&self, kind: Kind) -> Vec<(EventId, Timestamp, Map<String, Value>)> {
        let mut events = Vec::new();
        for writer in self.log.reader().writers().unwrap() {
            let mut cursor = self.log.reader().cursor(&writer, Position::START).unwrap();
            while let Some(line) = cursor.next().unwrap() {
                let Line::Record(record) = line else { continue };
                let event = record.event().unwrap();
                if event.kind == kind {
                    events.push((event.id, event.ts, serde_json::from_str(event.body.get()).unwrap()));
                }
            }
        }
        events
    }

    /// How often each event was named by a `work.done`.
    pub(crate) fn confirmed(&self) -> BTreeMap<EventId, usize> {
        let mut confirmed = BTreeMap::new();
        for (.., body) in self.events(Kind::WorkDone) {
            for id in body["sources"].as_array().unwrap() {
                *confirmed.entry(id.as_str().unwrap().parse().unwrap()).or_default() += 1;
            }
        }
        confirmed
    }
}

/// Appends an event as a hook does.
pub(crate) fn append(log: &Log, kind: Kind, session: &str, task: &str, body: Value) -> EventId {
    let Value::Object(body) = body else { panic!("a body is an object") };
    let mut draft = Draft::new(kind, Scope::Project, body);
    draft.session = Some(session.to_owned());
    draft.project = Some("github.com/acme/shop".to_owned());
    draft.task = (!task.is_empty()).then(|| task.to_owned());
    draft.agent = Some(DraftAgent { client: "claude-code".to_owned(), id: None, role: None });
    log.append(draft, Origin::Hook).unwrap().id
}

/// Appends a turn with so many tool calls; gives what waits of it.
pub(crate) fn append_turn(log: &Log, session: &str, name: &str, tools: usize) -> Vec<EventId> {
    append(log, Kind::PromptSubmitted, session, name, json!({"text": format!("do {name}")}));
    let mut work = Vec::new();
    for number in 0..tools {
        let output = if number == 0 { name.to_owned() } else { format!("{name} {number}") };
        let body = json!({"tool": "Bash", "input": {"command": "make"}, "output": output});
        work.push(append(log, Kind::ToolUsed, session, name, body));
    }
    work.push(append(log, Kind::TurnEnded, session, name, json!({"message": "done"})));
    work
}
