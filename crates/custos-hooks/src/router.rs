//! One call of a hook, from bytes to bytes.

use std::path::Path;

use custos_clients::answer::within;
use custos_clients::overrides::Overrides;
use custos_clients::{Answer, Client, Happening, HookEvent, Reply};
use custos_config::Project;
use custos_log::pseudonym::Pseudonyms;
use custos_log::spool::{REPLAYED_AT_ONCE, Recorded, Spool};
use custos_log::{Log, excerpt, intake};
use custos_model::{Draft, DraftAgent, Kind, Origin, Scope, Timestamp};
use serde_json::{Map, Value, json};

use crate::disguise::Disguise;
use crate::phase::{Phase, phases};
use crate::place::Place;
use crate::record::{self, Cast, Keep};
use crate::session::{Mark, Session, pseudonym};
use crate::{silence, trouble};

/// A call of a hook.
#[derive(Debug)]
pub struct Call<'a> {
    /// The client, as the installed command names it.
    pub client: &'static Client,
    /// The event, in the client's own spelling.
    pub event: &'a str,
    /// What came on standard input, or why it could not be read.
    pub payload: Result<Vec<u8>, String>,
}

/// What a call takes from outside.
pub struct Around<'a> {
    /// The log.
    pub log: &'a Log,
    /// What waits for the log.
    pub spool: &'a Spool,
    /// How much of a call is kept.
    pub keep: Keep,
    /// The person's own list of tools that carry nothing.
    pub quiet: Option<&'a [String]>,
    /// The configuration directory, in which the person changes what is known about a client.
    pub config: &'a Path,
    /// The home directory.
    pub home: Option<&'a str>,
    /// The directory in which the hook runs, for clients that do not tell theirs.
    pub cwd: Option<&'a Path>,
    /// The role that the environment gives.
    pub role: Option<String>,
    /// Clients that are wired, with the newest sign of life in their transcripts; asked only when a session starts.
    pub wired: &'a dyn Fn() -> Vec<silence::Wired>,
}

/// Answers a call. Whatever happens in here, there is an answer.
pub fn answer(call: Call<'_>, around: &Around<'_>) -> Reply {
    let router = Router { around, client: call.client, event: call.event, now: (around.log.surroundings().clock)() };
    let answer = router.answer(call.payload);
    call.client.reply(call.event, &answer)
}

struct Router<'a> {
    around: &'a Around<'a>,
    client: &'static Client,
    event: &'a str,
    now: Timestamp,
}

impl Router<'_> {
    fn answer(&self, payload: Result<Vec<u8>, String>) -> Answer {
        let mut bytes = match payload {
            Ok(bytes) => bytes,
            Err(problem) => {
                self.trouble(&problem);
                return Answer::silence();
            }
        };
        let fields = match intake::read_object(&mut bytes, self.around.log.limits().event) {
            Ok(fields) => fields,
            Err(problem) => {
                let text = String::from_utf8_lossy(&bytes);
                self.keep_as_it_came(Some(&format!("the payload is no JSON object: {problem}")), json!(text));
                return Answer::silence();
            }
        };
        // Cursor runs Claude Code's hooks as well, with its own words; its own entry takes care of them.
        if self.client.name != "cursor" && fields.contains_key("cursor_version") {
            return Answer::silence();
        }
        let Some(moment) = self.client.moment(self.event) else {
            self.keep_as_it_came(None, Value::Object(fields));
            return Answer::silence();
        };
        match self.client.read(moment, fields) {
            Ok(event) => self.run(phases(moment), event),
            Err(misread) => {
                // Read again rather than copied by everyone who will not need it.
                let fields = intake::read_object(&mut bytes, self.around.log.limits().event).unwrap_or_default();
                self.keep_as_it_came(Some(&misread.to_string()), Value::Object(fields));
                Answer::silence()
            }
        }
    }

    fn run(&self, phases: &[Phase], mut event: HookEvent) -> Answer {
        if event.cwd.is_none() {
            event.cwd = self.around.cwd.and_then(Path::to_str).map(str::to_owned);
        }
        let cwd = event.cwd.as_deref().map(Path::new).filter(|cwd| cwd.is_absolute());
        let project = cwd.map(Project::find);
        let root = project.as_ref().map(|project| project.root.as_path());
        let overrides = Overrides::load(self.client, self.around.config, root);
        if overrides.is_off(self.event) {
            return Answer::silence();
        }
        let mut answer = Answer::silence();
        let mut event = Some(event);
        for phase in phases {
            match phase {
                Phase::Record => {
                    if let Some(event) = event.take() {
                        answer.context = self.record(event, project.clone(), &overrides);
                    }
                }
                // These come with the guard, recall and the worker.
                Phase::Guard | Phase::Recall | Phase::Wake | Phase::Improve => {}
            }
        }
        if let (Some(context), Some(limit)) = (&mut answer.context, overrides.context_limit) {
            *context = within(context, limit).to_owned();
        }
        answer
    }

    /// Records an event, and gives what the model should know about our own state.
    fn record(&self, event: HookEvent, project: Option<Project>, overrides: &Overrides) -> Option<String> {
        self.replay();
        let log = self.around.log;
        let surroundings = log.surroundings();
        let names = Pseudonyms::load(&*surroundings.disk, &log.places().state, &surroundings.entropy);
        let names = match names {
            Ok(names) => names,
            Err(error) => {
                self.record_nameless(event, project, overrides, &error.to_string());
                return None;
            }
        };
        let session = match Session::join(log, &names, &event) {
            Ok(session) => session,
            Err(error) => {
                let problem = format!("the session's journal cannot be written: {error}");
                self.record_nameless(event, project, overrides, &problem);
                return None;
            }
        };
        let is_start = matches!(event.happening, Happening::SessionStarted { .. });
        let mut cast = self.cast(&names, &session, &event);
        let touched = record::touched(&event, overrides, self.around.home);
        let place = Place::of(project, &touched);
        if session.is_new && !is_start {
            self.open(&session, &cast, &place, "first event");
        }
        let quiet = match &event.happening {
            Happening::ToolEnded { call, .. } if record::is_quiet(&call.tool, self.around.quiet, overrides) => Some(call.tool.clone()),
            _ => None,
        };
        if let Some(tool) = quiet {
            self.mark(&session, Mark::Quiet(&tool));
            return None;
        }
        // A start that only says what the first event of the same session says as well. That one may still be on its way; if it died on
        // it, the turn's end mends that.
        let known = is_start && !session.is_new && is_plain_start(&event) && !is_over(&session);
        let is_turn_end = matches!(event.happening, Happening::TurnEnded { .. }) && event.agent.is_none();
        let is_end = matches!(event.happening, Happening::SessionEnded { .. });
        let is_subagent = event.agent.is_some();
        let client = event.client;
        let name = |prefix: &str, id: &str| pseudonym(prefix, &names, client, id);
        let disguise = Disguise::of(&event, &name);
        let mut draft = if known { None } else { record::draft(event, &cast, &place, &touched, self.around.keep) };
        let is_prompt = draft.as_ref().is_some_and(|draft| draft.kind == Kind::PromptSubmitted);
        if is_prompt && cast.task.is_none() {
            cast.task = self.new_task(&names);
        }
        if let Some(draft) = &mut draft {
            if (cast.task.is_none() || is_subagent)
                && draft.kind != Kind::SessionStarted
                && let Ok(journal) = session.journal()
                && !cast.task.as_deref().is_some_and(|task| journal.has_task(task))
            {
                // Codex gives the turns of a sub-agent ids of their own; what it does is for the prompt of the person all the same.
                cast.task = journal.task().map(str::to_owned).or(cast.task);
            }
            draft.task.clone_from(&cast.task);
            disguise.put_on(&mut draft.body);
        }
        if is_turn_end {
            self.add_counts(&session, &cast, &place, draft.as_mut());
        }
        if let Some(draft) = draft {
            self.append(draft);
        }
        let mark = match cast.task.as_deref().filter(|_| is_prompt) {
            Some(task) => Mark::Prompt(task),
            None if is_start && !known => Mark::Opened,
            None if is_turn_end => Mark::Turn,
            None if is_end => Mark::Ended,
            None => Mark::Alive,
        };
        self.mark(&session, mark);
        if is_start { silence::at_session_start(self.around, client, &session.id, self.now) } else { None }
    }

    fn cast(&self, names: &Pseudonyms<'_>, session: &Session, event: &HookEvent) -> Cast {
        let actor = match &event.agent {
            Some(agent) => names.of(event.client, &agent.id).unwrap_or_else(|_| session.agent.clone()),
            None => session.agent.clone(),
        };
        let kind = event.agent.as_ref().and_then(|agent| agent.kind.clone());
        let role = self.around.role.clone().or(kind).filter(|role| !role.is_empty());
        let task = event.turn.as_deref().map(|turn| pseudonym("t-", names, event.client, turn));
        Cast { session: session.id.clone(), main: session.agent.clone(), actor, role: role.map(short), task }
    }

    /// Names a task whose client does not.
    fn new_task(&self, names: &Pseudonyms<'_>) -> Option<String> {
        let mut random = [0; 8];
        self.around.log.surroundings().entropy.fill(&mut random).ok()?;
        Some(pseudonym("t-", names, self.client.name, &format!("{:?}{random:?}", self.now)))
    }

    /// Appends the start of a session that nobody announced.
    fn open(&self, session: &Session, cast: &Cast, place: &Place, source: &str) {
        let body = Map::from_iter([("source".to_owned(), json!(source))]);
        let mut draft = Draft::new(Kind::SessionStarted, Scope::Project, body);
        record::set(&mut draft, self.client.name, cast, place);
        draft.task = None;
        self.append(draft);
        self.mark(session, Mark::Opened);
    }

    /// Adds to the end of a turn what was not stored in it, and mends a session whose opener died before it could say so.
    fn add_counts(&self, session: &Session, cast: &Cast, place: &Place, draft: Option<&mut Draft>) {
        let Ok(journal) = session.journal() else { return };
        let quiet = journal.quiet_tools();
        if let Some(draft) = draft
            && !quiet.is_empty()
        {
            draft.body.insert("quiet".to_owned(), json!(quiet));
        }
        if !session.is_new && !journal.is_opened() {
            self.open(session, cast, place, "recovered");
        }
    }

    /// Records an event for which this machine's key or the session's journal cannot be had: without the session, but not lost.
    fn record_nameless(&self, event: HookEvent, project: Option<Project>, overrides: &Overrides, problem: &str) {
        self.trouble(problem);
        let touched = record::touched(&event, overrides, self.around.home);
        let place = Place::of(project, &touched);
        let nobody = custos_model::AgentKey::new([0; 32]);
        let actor = custos_model::AgentId::pseudonym(&nobody, "", "");
        let cast = Cast { session: String::new(), main: actor.clone(), actor, role: None, task: None };
        let disguise = Disguise::of(&event, &nameless);
        if let Some(mut draft) = record::draft(event, &cast, &place, &touched, self.around.keep) {
            draft.session = None;
            draft.agent = Some(DraftAgent { client: self.client.name.to_owned(), id: None, role: None });
            draft.body.remove("parent");
            disguise.put_on(&mut draft.body);
            self.append(draft);
        }
    }

    /// Keeps a payload that could not be understood, or an event that means nothing to us: somebody may understand it later.
    fn keep_as_it_came(&self, problem: Option<&str>, payload: Value) {
        if let Some(problem) = problem {
            self.trouble(problem);
        }
        let mut body = Map::from_iter([("event".to_owned(), json!(short(self.event.to_owned())))]);
        if let Some(problem) = problem {
            body.insert("problem".to_owned(), json!(problem));
        }
        let limit = self.around.keep.output;
        let surroundings = self.around.log.surroundings();
        let names = Pseudonyms::load(&*surroundings.disk, &self.around.log.places().state, &surroundings.entropy);
        let name = |prefix: &str, id: &str| match &names {
            Ok(names) => pseudonym(prefix, names, self.client.name, id),
            Err(_) => nameless(prefix, id),
        };
        let (text, fields) = match payload {
            Value::String(text) => (text, None),
            Value::Object(fields) => (serde_json::to_string(&fields).unwrap_or_default(), Some(fields)),
            other => (other.to_string(), None),
        };
        let disguise = Disguise::found_in(&text, &name);
        let payload = match fields {
            Some(mut fields) if text.len() <= limit => {
                disguise.put_on(&mut fields);
                Value::Object(fields)
            }
            _ => {
                let mut text = excerpt::shorten(None, &text, limit);
                disguise.put_on_text(&mut text);
                Value::String(text)
            }
        };
        body.insert("payload".to_owned(), payload);
        let mut draft = Draft::new(Kind::HookAlive, Scope::User, body);
        draft.agent = Some(DraftAgent { client: self.client.name.to_owned(), id: None, role: None });
        self.append(draft);
    }

    fn replay(&self) {
        if !self.around.spool.is_empty() {
            let replayed = self.around.spool.replay(self.around.log, REPLAYED_AT_ONCE);
            for failed in &replayed.failed {
                self.trouble(&format!("a spooled event could not be replayed: {failed}"));
            }
        }
    }

    fn append(&self, draft: Draft) {
        match self.around.spool.record(self.around.log, draft, Origin::Hook) {
            Ok(Recorded::Logged(_)) => {}
            Ok(Recorded::Spooled(_, error)) => self.trouble(&format!("spooled, because {error}")),
            Err(error) => self.trouble(&error.to_string()),
        }
    }

    fn mark(&self, session: &Session, mark: Mark<'_>) {
        if let Err(error) = session.mark(self.now, self.event, mark) {
            self.trouble(&format!("the session's journal cannot be written: {error}"));
        }
    }

    fn trouble(&self, problem: &str) {
        let disk = &*self.around.log.surroundings().disk;
        trouble::note(disk, &self.around.log.places().state, self.now, self.client.name, self.event, problem);
    }
}

/// Stands for an id where there is no key to make a pseudonym with.
fn nameless(_: &str, _: &str) -> String {
    "[id]".to_owned()
}

/// Says whether a start tells nothing that the first event would not.
fn is_plain_start(event: &HookEvent) -> bool {
    matches!(&event.happening, Happening::SessionStarted { source } if matches!(source.as_str(), "startup" | "new"))
}

fn is_over(session: &Session) -> bool {
    session.journal().is_ok_and(|journal| journal.is_over())
}

/// Names from outside that become fields of an event are short and of one line.
#[expect(clippy::needless_pass_by_value, reason = "the form that map takes")]
fn short(text: String) -> String {
    text.chars().filter(|c| !c.is_control()).take(64).collect()
}
