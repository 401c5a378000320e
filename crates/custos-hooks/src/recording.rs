//! The phase that records: an event takes its place in a session, and goes into the log.

use std::io;

use custos_clients::overrides::Overrides;
use custos_clients::{Happening, HookEvent, Moment};
use custos_config::Project;
use custos_log::pseudonym::Pseudonyms;
use custos_model::{AgentId, AgentKey, Draft, Kind, Scope};
use serde_json::{Map, json};

use crate::disguise::Disguise;
use crate::guarding::Noted;
use crate::kin::register;
use crate::place::Place;
use crate::record::{self, Cast};
use crate::scribe::{Scribe, nameless, short};
use crate::session::{Mark, Session, pseudonym};
use crate::silence;

/// What a call is to its session.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// It starts, or goes on after a break.
    Start,
    /// It starts, says the client, but another event of it came first; that one said so already, or is about to.
    Echo,
    /// A tool ran that carries nothing.
    Quiet(String),
    /// The agent finished its answer.
    TurnEnd,
    /// It is over.
    End,
    /// Anything else.
    Other,
}

/// How often a rule denies something in a session before the agent is told to stop trying.
const ENOUGH: usize = 3;

/// What comes back from recording.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// What the model should know about our own state.
    pub(crate) context: Option<String>,
    /// Whether the same rule has denied so often that the agent should stop trying.
    pub(crate) insists: bool,
    /// Whether this prompt is the first moment of the session at which its client takes a word from us.
    pub(crate) is_first_chance: bool,
}

/// A session that was joined, with what this machine's pseudonyms are made with; or why it could not be.
pub(crate) type Joined<'a> = Result<(Pseudonyms<'a>, Session), String>;

/// Joins the session of an event.
pub(crate) fn join<'a>(scribe: &Scribe<'a>, event: &HookEvent, project: Option<&Project>) -> Joined<'a> {
    let names = scribe.names().map_err(|error| error.to_string())?;
    let session =
        Session::join(scribe.around.log, &names, event, project).map_err(|error| unwritable(&error))?;
    Ok((names, session))
}

/// Records an event and what the guard made of it.
pub(crate) fn record(
    scribe: &Scribe<'_>,
    joined: &Joined<'_>,
    event: HookEvent,
    ruling: Option<&Noted>,
    project: Option<Project>,
    overrides: &Overrides,
) -> Told {
    scribe.replay();
    match joined {
        Ok((names, session)) => Recording { scribe, names, session }.run(event, ruling, project, overrides),
        Err(problem) => {
            record_nameless(scribe, event, ruling, project, overrides, problem);
            Told::default()
        }
    }
}

/// Records an event for which this machine's key or the session's journal cannot be had: without the session, but not lost.
fn record_nameless(
    scribe: &Scribe<'_>,
    mut event: HookEvent,
    ruling: Option<&Noted>,
    project: Option<Project>,
    overrides: &Overrides,
    problem: &str,
) {
    scribe.trouble(problem);
    let is_excluded = scribe.around.exclude.has_named(&event, overrides, scribe.around.home);
    scribe.around.exclude.hide_output(&mut event, scribe.around.home);
    let touched = record::touched(&event, overrides, scribe.around.home);
    let place = Place::of(project, &touched, &scribe.names);
    let actor = AgentId::pseudonym(&AgentKey::new([0; 32]), "", "");
    let cast = Cast { session: String::new(), main: actor.clone(), actor, role: None, task: None };
    let disguise = Disguise::of(&event, &nameless);
    if let Some(mut draft) = record::draft(event, ruling, &cast, &place, &touched, scribe.around.keep) {
        draft.session = None;
        draft.agent = Some(scribe.nobody());
        draft.body.remove("parent");
        if is_excluded && ruling.is_none() {
            return;
        }
        if is_excluded {
            record::keep_ruling(&mut draft.body);
        }
        disguise.put_on(&mut draft.body);
        scribe.append(draft);
    }
}

fn unwritable(error: &io::Error) -> String {
    format!("the session's journal cannot be written: {error}")
}

/// The recording of one event in its session.
struct Recording<'a> {
    scribe: &'a Scribe<'a>,
    names: &'a Pseudonyms<'a>,
    session: &'a Session,
}

impl Recording<'_> {
    fn run(
        &self,
        mut event: HookEvent,
        ruling: Option<&Noted>,
        project: Option<Project>,
        overrides: &Overrides,
    ) -> Told {
        let around = self.scribe.around;
        let step = self.step(&event, overrides);
        self.register(&event.happening);
        let mut cast = self.cast(&event);
        let touched = record::touched(&event, overrides, around.home);
        let place = Place::of(project, &touched, &self.scribe.names);
        let begins = self.session.is_new || matches!(event.happening, Happening::PromptSubmitted { .. });
        if let Some(project) = place.project.as_ref().filter(|_| begins || place.is_elsewhere) {
            self.scribe.keep_name(project);
        }
        if self.session.is_new && step != Step::Start {
            self.open(&cast, &place, "first event");
        }
        let is_excluded = around.exclude.has_named(&event, overrides, around.home);
        let quiet = match (&step, &event.happening) {
            (Step::Quiet(tool), _) => Some(tool.as_str()),
            (_, Happening::ToolEnded { call, .. } | Happening::ToolDenied { call, .. }) if is_excluded => {
                Some(call.tool.as_str())
            }
            _ => None,
        };
        if let Some(tool) = quiet {
            self.mark(Mark::Quiet(tool));
            return Told::default();
        }
        around.exclude.hide_output(&mut event, around.home);
        let client = event.client;
        let in_subagent = event.agent.is_some();
        let is_compaction = matches!(event.happening, Happening::Compacting { .. }) && !in_subagent;
        let name = |prefix: &str, id: &str| pseudonym(prefix, self.names, client, id);
        let disguise = Disguise::of(&event, &name);
        let draft = match step {
            Step::Echo => None,
            _ => record::draft(event, ruling, &cast, &place, &touched, around.keep),
        };
        let mut mark = match step {
            Step::Start => Mark::Opened,
            Step::TurnEnd => Mark::Turn,
            Step::End => Mark::Ended,
            Step::Other if is_compaction => Mark::Compacted,
            Step::Echo | Step::Quiet(_) | Step::Other => Mark::Alive,
        };
        let mut looks_around = matches!(step, Step::Start | Step::Echo);
        let mut is_first_chance = false;
        if let Some(mut draft) = draft {
            let is_prompt = draft.kind == Kind::PromptSubmitted;
            cast.task = self.task(cast.task, draft.kind, in_subagent);
            draft.task.clone_from(&cast.task);
            disguise.put_on(&mut draft.body);
            if is_excluded {
                record::keep_ruling(&mut draft.body);
            }
            if step == Step::TurnEnd {
                self.sum_up(&cast, &place, &mut draft);
            }
            is_first_chance = is_prompt && self.is_first_chance();
            looks_around |= is_first_chance;
            self.scribe.append(draft);
            if let Some(task) = cast.task.as_deref().filter(|_| is_prompt) {
                mark = Mark::Prompt(task);
            }
        }
        let denied = ruling.filter(|noted| noted.verdict == "deny");
        if let Some(noted) = denied {
            mark = Mark::Denied(&noted.rule);
        }
        self.mark(mark);
        let insists = denied.is_some_and(|noted| self.session.was_denied(&noted.rule, ENOUGH));
        let context = if looks_around {
            silence::at_session_start(around, &self.session.id, self.scribe.now)
        } else {
            None
        };
        Told { context, insists, is_first_chance }
    }

    /// Notes in which process of the client the session lives, or that it lives there no longer. Mere tools find it noted.
    fn register(&self, happening: &Happening) {
        let ends = match happening {
            Happening::SessionEnded { .. } => true,
            Happening::SessionStarted { .. } | Happening::PromptSubmitted { .. } => false,
            _ if self.session.is_new => false,
            _ => return,
        };
        let Some(process) = (self.scribe.around.client_process)() else { return };
        let log = self.scribe.around.log;
        let (disk, state) = (&*log.surroundings().disk, &log.places().state);
        if ends {
            register::leave(disk, state, process, &self.session.id);
        } else if let Err(error) = register::note(disk, state, process, &self.session.id) {
            self.scribe.trouble(&format!("the client's process cannot be noted: {error}"));
        }
    }

    /// Says whether this prompt is the first moment of the session at which its client takes a word from us.
    fn is_first_chance(&self) -> bool {
        let mut starts =
            self.scribe.client.manifest.events.iter().filter(|row| row.moment == Moment::SessionStarted);
        !starts.any(|row| row.context) && self.session.task().is_none()
    }

    fn step(&self, event: &HookEvent, overrides: &Overrides) -> Step {
        match &event.happening {
            Happening::SessionStarted { source } => {
                // Only these say nothing that the first event of the same session would not.
                let is_plain = matches!(source.as_str(), "startup" | "new");
                let is_over = || self.session.journal().is_ok_and(|journal| journal.is_over());
                if is_plain && !self.session.is_new && !is_over() { Step::Echo } else { Step::Start }
            }
            Happening::ToolEnded { call, .. }
                if record::is_quiet(&call.tool, self.scribe.around.quiet, overrides) =>
            {
                Step::Quiet(call.tool.clone())
            }
            Happening::TurnEnded { .. } if event.agent.is_none() => Step::TurnEnd,
            Happening::SessionEnded { .. } => Step::End,
            _ => Step::Other,
        }
    }

    /// Finds out who acts, and under which names.
    fn cast(&self, event: &HookEvent) -> Cast {
        let main = &self.session.agent;
        let actor = match &event.agent {
            Some(agent) => self.names.of(event.client, &agent.id).unwrap_or_else(|_| main.clone()),
            None => main.clone(),
        };
        let sort = event.agent.as_ref().and_then(|agent| agent.kind.as_deref());
        let role = self.scribe.around.role.as_deref().or(sort).filter(|role| !role.is_empty());
        let task = event.turn.as_deref().map(|turn| pseudonym("t-", self.names, event.client, turn));
        Cast { session: self.session.id.clone(), main: main.clone(), actor, role: role.map(short), task }
    }

    /// Finds the prompt that something is for. A client may not name it, or name one of a sub-agent's own, which nobody typed.
    fn task(&self, named: Option<String>, kind: Kind, in_subagent: bool) -> Option<String> {
        match (kind, &named) {
            (Kind::PromptSubmitted, None) => self.new_task(),
            (Kind::SessionStarted, _) => named,
            (_, Some(_)) if !in_subagent => named,
            (_, Some(task)) if self.session.has_task(task) => named,
            _ => self.session.task().or(named),
        }
    }

    /// Names a task whose client does not.
    fn new_task(&self) -> Option<String> {
        let mut random = [0; 8];
        self.scribe.around.log.surroundings().entropy.fill(&mut random).ok()?;
        let unique = format!("{:?}{random:?}", self.scribe.now);
        Some(pseudonym("t-", self.names, self.scribe.client.name, &unique))
    }

    /// Appends the start of a session that nobody announced.
    fn open(&self, cast: &Cast, place: &Place, source: &str) {
        let body = Map::from_iter([("source".to_owned(), json!(source))]);
        let mut draft = Draft::new(Kind::SessionStarted, Scope::Project, body);
        record::set(&mut draft, self.scribe.client.name, cast, place);
        draft.task = None;
        self.scribe.append(draft);
        self.mark(Mark::Opened);
    }

    /// Adds to the end of a turn what was not stored in it, and mends a session whose opener died before it could say so.
    fn sum_up(&self, cast: &Cast, place: &Place, draft: &mut Draft) {
        let Ok(journal) = self.session.journal() else { return };
        let quiet = journal.quiet_tools();
        if !quiet.is_empty() {
            draft.body.insert("quiet".to_owned(), json!(quiet));
        }
        if !self.session.is_new && !journal.is_opened() {
            self.open(cast, place, "recovered");
        }
    }

    fn mark(&self, mark: Mark<'_>) {
        if let Err(error) = self.session.mark(self.scribe.now, self.scribe.event, mark) {
            self.scribe.trouble(&unwritable(&error));
        }
    }
}
