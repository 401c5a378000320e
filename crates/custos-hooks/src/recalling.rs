//! The phase that recalls: what a session is told of earlier ones, at its start, at a prompt, and when it sends an agent.
//!
//! What to tell is decided elsewhere ([`custos_recall::context`]); the program brings the memory in as a [`Recaller`], which opens nothing
//! before it is asked. Here is when it is asked, for whom, and with how much room: all that a hook says together stays under one ceiling,
//! and what the hook has to say about itself goes first. What was told is noted twice: in the log, as a receipt, and in the session's
//! journal, so that no session gets the same twice, unless a compaction has taken it away. A sub-agent begins with nothing and is told
//! once, so it has no part in that list.
//!
//! Whatever goes wrong here is told to `custos doctor`. A session that begins without memories is one as there were many.

use std::path::Path;

use custos_clients::event::SubAgent;
use custos_clients::{Happening, HookEvent, Moment};
use custos_config::Project;
use custos_model::{Draft, DraftAgent, Kind, Scope, Timestamp};
use custos_recall::Viewer;
use custos_recall::context::{Before, Scene, Served, short};
use custos_recall::receipt::Ceiling;
use custos_recall::tokens::Room;

use crate::errand;
use crate::forking::{self, Ancestor};
use crate::guarding;
use crate::record::is_notice;
use crate::recording::Joined;
use crate::scribe::{self, Scribe};
use crate::session::{Journal, Mark, Session};

/// The memory, as a hook sees it.
pub trait Recaller {
    /// Says what is wanted in the project with this top directory. Asked at every start and prompt: it must cost next to nothing.
    fn wants(&self, root: Option<&Path>) -> Wants;

    /// Gives what is to be told; the error says why nothing is.
    fn recall(&self, request: &Request<'_>) -> Result<Option<Served>, String>;
}

/// What the person, and the project, want to have told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wants {
    /// Whether a session is told something when it starts.
    pub start: bool,
    /// Whether it is told something at a prompt.
    pub prompt: bool,
    /// Whether it is told something at a tool.
    pub tool: bool,
    /// The most tokens that a hook says at once.
    pub tokens: u64,
}

/// What is to be recalled.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// On what occasion.
    pub occasion: &'a Occasion,
    /// Where and for whom.
    pub scene: Scene<'a>,
    /// The directory in which the client works, for the knowledge base around it.
    pub directory: Option<&'a Path>,
}

/// What a session may be told something on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Occasion {
    /// It starts: why.
    Start(String),
    /// A person asks something: what.
    Prompt(String),
    /// It sends an agent.
    Subagent {
        /// What sort of agent.
        sort: String,
        /// What it is to do, where the client tells, here or when it sent it; else empty.
        task: String,
    },
}

/// How much of a prompt is looked at: what is asked stands at its beginning.
const PROMPT: usize = 4 << 10;

/// A moment at which something may be told; what recording will take away is kept here.
pub(crate) struct Chance<'a> {
    recaller: &'a dyn Recaller,
    wants: Wants,
    occasion: Occasion,
    agent: Option<SubAgent>,
    project: Option<Project>,
    directory: Option<String>,
    /// What the session goes on from, if it does.
    before: Option<Past>,
}

/// What a session goes on from.
enum Past {
    /// Its own, up to this instant.
    Own(Timestamp),
    /// That of the session that it was forked from.
    Forked(Ancestor),
}

impl Past {
    fn of(
        scribe: &Scribe<'_>,
        event: &HookEvent,
        session: &Session,
        project: Option<&Project>,
    ) -> Option<Self> {
        let Happening::SessionStarted { source } = &event.happening else { return None };
        if !matches!(source.as_str(), "resume" | "fork") {
            return None;
        }
        // Who was never told anything has nothing to go on from.
        let journal = session.journal().ok().filter(Journal::was_told);
        if let Some((_, last)) = journal.and_then(|journal| journal.span()) {
            return Some(Self::Own(Timestamp::from_millis(last)));
        }
        if source != "fork" {
            return None;
        }
        let ancestor = forking::ancestor(scribe.around.log, event, &session.id, project, scribe.now);
        ancestor.map(Self::Forked)
    }
}

/// Says whether something may be told here; looked at before the event is recorded.
pub(crate) fn chance<'a>(
    scribe: &Scribe<'a>,
    joined: &Joined<'_>,
    event: &HookEvent,
    project: Option<&Project>,
) -> Option<Chance<'a>> {
    let recaller = scribe.around.recaller?;
    let mut rows = scribe.client.manifest.events.iter();
    if !rows.any(|row| row.event == scribe.event && row.context) {
        return None;
    }
    let (_, session) = joined.as_ref().ok()?;
    let mut occasion = occasion(event)?;
    let wants = recaller.wants(project.map(|project| project.root.as_path()));
    if let Occasion::Subagent { sort, task } = &mut occasion
        && task.is_empty()
    {
        *task = errand::take(scribe, session, sort).unwrap_or_default();
    }
    Some(Chance {
        recaller,
        wants,
        occasion,
        agent: event.agent.clone(),
        project: project.cloned(),
        directory: event.cwd.clone(),
        before: Past::of(scribe, event, session, project),
    })
}

fn occasion(event: &HookEvent) -> Option<Occasion> {
    match &event.happening {
        Happening::SessionStarted { source } => Some(Occasion::Start(scribe::short(source))),
        // What a sub-agent is told is another agent's word.
        Happening::PromptSubmitted { text } if event.agent.is_none() && !is_notice(text) => {
            Some(Occasion::Prompt(text[..text.floor_char_boundary(PROMPT)].to_owned()))
        }
        Happening::SubagentStarted => {
            let sort = event.agent.as_ref().and_then(|agent| agent.kind.as_deref()).unwrap_or_default();
            let told = ["task", "prompt", "description"]
                .into_iter()
                .find_map(|name| event.extra.get(name)?.as_str());
            let task = told.unwrap_or_default();
            Some(Occasion::Subagent {
                sort: scribe::short(sort),
                task: task[..task.floor_char_boundary(PROMPT)].to_owned(),
            })
        }
        _ => None,
    }
}

impl Chance<'_> {
    /// Puts together what a hook says: first what it has to say about itself, then what is recalled, all under one ceiling.
    ///
    /// `is_first` says that the client takes a word from us only now, although the session began before.
    pub(crate) fn take(
        &self,
        scribe: &Scribe<'_>,
        joined: &Joined<'_>,
        said: Option<String>,
        limit: Option<usize>,
        is_first: bool,
    ) -> Option<String> {
        let (names, session) = joined.as_ref().ok()?;
        let characters = limit.unwrap_or(scribe.client.manifest.context_limit);
        let room = Room::new(self.wants.tokens, characters);
        let mut said = said.map(|said| room.beginning(&said).to_owned()).unwrap_or_default();
        let ceiling = Ceiling { tokens: self.wants.tokens, characters, ..Ceiling::default() };
        let actor = match &self.agent {
            Some(agent) => names.of(scribe.client.name, &agent.id).unwrap_or_else(|_| session.agent.clone()),
            None => session.agent.clone(),
        };
        // The compaction itself said so, where the client has an event for it.
        if matches!(&self.occasion, Occasion::Start(source) if matches!(source.as_str(), "compact" | "clear"))
            && let Err(error) = session.mark(scribe.now, scribe.event, Mark::Compacted)
        {
            scribe.trouble(&format!("the session's journal cannot be written: {error}"));
        }
        if let Some(Past::Forked(ancestor)) = &self.before
            && let Err(error) = session.inherit(scribe.now, scribe.event, &ancestor.recalled)
        {
            scribe.trouble(&format!("the session's journal cannot be written: {error}"));
        }
        let source = if is_first { Some("startup") } else { self.begins_anew(scribe, session) };
        let begins = source.map(|source| Occasion::Start(source.to_owned()));
        for occasion in begins.iter().chain([&self.occasion]) {
            let is_wanted = match occasion {
                Occasion::Start(_) | Occasion::Subagent { .. } => self.wants.start,
                Occasion::Prompt(_) => self.wants.prompt,
            };
            if !is_wanted {
                continue;
            }
            let ceiling = if said.is_empty() { ceiling } else { ceiling.beside(&said) };
            let Some(told) = self.ask(scribe, session, actor.as_str(), occasion, ceiling) else { continue };
            if !said.is_empty() {
                said.push_str("\n\n");
            }
            said.push_str(&told);
        }
        Some(said).filter(|said| !said.is_empty())
    }

    /// Says why a session is told at a prompt what one begins with: its client has compacted it, and starts no session after that, at which it
    /// would be told.
    fn begins_anew(&self, scribe: &Scribe<'_>, session: &Session) -> Option<&'static str> {
        if !matches!(self.occasion, Occasion::Prompt(_)) {
            return None;
        }
        let event = session.compacted_at()?;
        let rows = &scribe.client.manifest.events;
        if !rows.iter().any(|row| row.event == event && row.moment == Moment::Compacting) {
            return None;
        }
        // Noted at this event, so that the next prompt finds it done.
        match session.mark(scribe.now, scribe.event, Mark::Compacted) {
            Ok(()) => Some("compact"),
            Err(error) => {
                scribe.trouble(&format!("the session's journal cannot be written: {error}"));
                None
            }
        }
    }

    /// Says what the guard holds here, to whoever begins, be it at a prompt.
    fn safety(&self, scribe: &Scribe<'_>, occasion: &Occasion) -> Option<String> {
        if matches!(occasion, Occasion::Prompt(_)) {
            return None;
        }
        let around = scribe.around;
        let (watch, project) = (around.watch.as_ref()?, self.project.as_ref()?);
        Some(guarding::summary(around.config, watch.state, project, around.home))
    }

    /// Asks the memory, and notes what it gave.
    fn ask(
        &self,
        scribe: &Scribe<'_>,
        session: &Session,
        actor: &str,
        occasion: &Occasion,
        ceiling: Ceiling,
    ) -> Option<String> {
        let client = Some(scribe.client.name);
        let sort = self.agent.as_ref().and_then(|agent| agent.kind.as_deref());
        let role = scribe.around.role.as_deref().or(sort).filter(|role| !role.is_empty());
        let project = self.project.as_ref().map(|project| project.identity.as_str());
        let is_subagent = matches!(occasion, Occasion::Subagent { .. });
        let of = if is_subagent { Viewer::subagent } else { Viewer::agent };
        let seen = if is_subagent { Vec::new() } else { session.recalled() };
        let before = self.before.as_ref().map(|past| match past {
            Past::Own(until) => Before { session: &session.id, until: *until },
            Past::Forked(ancestor) => Before { session: &ancestor.session, until: ancestor.until },
        });
        let safety = self.safety(scribe, occasion);
        let scene = Scene {
            viewer: of(client, role, Some(actor), Some(&session.id), project),
            session: Some(&session.id),
            project,
            branch: self.project.as_ref().and_then(|project| project.repo.as_ref()?.branch.as_deref()),
            now: scribe.now,
            ceiling,
            seen: &seen,
            before,
            safety: safety.as_deref(),
        };
        let request = Request { occasion, scene, directory: self.directory.as_deref().map(Path::new) };
        let served = match self.recaller.recall(&request) {
            Ok(served) => served?,
            Err(problem) => {
                scribe.trouble(&format!("nothing was recalled: {problem}"));
                return None;
            }
        };
        let ids: Vec<String> = served.receipt.ids().map(short).collect();
        let noted = if is_subagent {
            Ok(())
        } else {
            session.mark(scribe.now, scribe.event, Mark::Recalled(&ids.join(" ")))
        };
        if let Err(error) = noted {
            // Without the mark it would come again and again.
            scribe.trouble(&format!("nothing was recalled, because it cannot be noted: {error}"));
            return None;
        }
        scribe.append(self.receipt(scribe, session, actor, role, &served));
        Some(served.text)
    }

    fn receipt(
        &self,
        scribe: &Scribe<'_>,
        session: &Session,
        actor: &str,
        role: Option<&str>,
        served: &Served,
    ) -> Draft {
        let mut draft = Draft::new(Kind::RecallServed, Scope::Session, served.receipt.body());
        draft.session = Some(session.id.clone());
        draft.agent = Some(DraftAgent {
            client: scribe.client.name.to_owned(),
            id: Some(actor.to_owned()),
            role: role.map(scribe::short),
        });
        if let Some(project) = &self.project {
            draft.project = Some(project.identity.clone());
            draft.branch = project.repo.as_ref().and_then(|repo| repo.branch.clone());
            draft.commit = project.repo.as_ref().and_then(|repo| repo.commit.clone());
        }
        draft
    }
}
