//! The session that a request to the MCP server belongs to.
//!
//! Asked anew for each request, because a client goes on to another session under a server that runs. Three places tell it, and the
//! one that cannot be out of date comes first:
//!
//! 1. the request, where the client names the session in it, or our plugin does: where several windows share one process of the client,
//!    nothing else tells them apart;
//! 2. the notes of the hooks that belong to the same process. If several sessions live there, it is the one with the latest sign of life:
//!    before a client calls a tool, its hook for that call has run;
//! 3. the variable that the client set when it started the server.
//!
//! A session that is over is nobody's. To know none is better than to name a wrong one.

use custos_config::{EnvVar, Environment, env};
use custos_log::Log;
use custos_log::disk::Access;
use custos_log::pseudonym::Pseudonyms;
use custos_model::DraftAgent;
use serde_json::Value;

use super::{Process, register};
use crate::session::{self, Journal, pseudonym};

/// What a server knows about whom it serves.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    /// What the client calls itself, in the protocol's words.
    pub calls_itself: Option<&'a str>,
    /// The metadata of the request.
    pub meta: Option<&'a Value>,
    /// What our plugin for the client calls the session, where there is one.
    pub plugin: Option<&'a str>,
    /// The environment in which the client started the server.
    pub environment: &'a dyn Environment,
}

/// A session that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFound {
    /// Its id in the memory.
    pub id: String,
    /// The client.
    pub client: String,
    /// The project in which it began, where a hook said so.
    pub project: Option<String>,
}

impl SessionFound {
    /// Names the session's main agent, for an event that it causes.
    pub fn agent(&self) -> DraftAgent {
        agent(&self.id, &self.client)
    }
}

/// Names the main agent of a session: it bears the session's digits.
pub(super) fn agent(session: &str, client: &str) -> DraftAgent {
    DraftAgent { client: client.to_owned(), id: Some(session.replacen("s-", "ag-", 1)), role: None }
}

/// Where Codex says what a turn is, and for whom; below it, which of the session's agents has it.
const CODEX_TURN: &str = "x-codex-turn-metadata";
const CODEX_THREAD: &str = "threadId";

/// Finds the sub-agent that a request comes from, by the name that the log has for it. Nothing where it comes from the main agent, or the
/// client does not say.
///
/// Only Codex says so, in each request. What a process is called, or which hook ran last, would be a guess: several agents of one session ask
/// at the same time.
pub fn find_subagent(log: &Log, facts: Facts<'_>) -> Option<String> {
    let client = recognise(facts.calls_itself?).filter(|client| *client == "codex")?;
    let meta = facts.meta?;
    meta.get(CODEX_TURN)?.get("thread_source").filter(|source| *source == "subagent")?;
    let thread = meta.get(CODEX_THREAD).and_then(Value::as_str).unwrap_or_default();
    let surroundings = log.surroundings();
    let names = Pseudonyms::load(&*surroundings.disk, &log.places().state, &surroundings.entropy);
    // Without the key nobody knows what it is called. It is a sub-agent all the same.
    Some(names.map_or_else(|_| "ag-".to_owned(), |names| pseudonym("ag-", &names, client, thread)))
}

/// How a client tells a server which session it is for.
struct Telling {
    client: &'static str,
    /// The field in the metadata of a request.
    field: Option<&'static str>,
    /// The variable in the server's environment.
    variable: Option<EnvVar>,
}

/// The clients that tell it at all.
const TELLING: [Telling; 3] = [
    Telling { client: "claude-code", field: None, variable: Some(env::CLAUDE_CODE_SESSION_ID) },
    Telling { client: "codex", field: Some("sessionId"), variable: None },
    Telling { client: "copilot", field: None, variable: Some(env::COPILOT_AGENT_SESSION_ID) },
];

/// The client that has a plugin of ours, which names the session in each call.
const PLUGGED: &str = "opencode";

/// The longest id of a session that is taken from a client.
const LONGEST_ID: usize = 256;

/// Recognises a client by what it calls itself: `codex-mcp-client`, `gemini-cli-mcp-client`, `copilot-cli`.
pub fn recognise(calls_itself: &str) -> Option<&'static str> {
    let said = calls_itself.to_ascii_lowercase();
    let is_it =
        |name: &str| said.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    custos_clients::CLIENTS.iter().map(|client| client.name).find(|name| is_it(name))
}

/// Finds the session that a request belongs to. The processes are those that may be the server's client, nearest first.
pub fn find_session(log: &Log, clients: &[Process], facts: Facts<'_>) -> Option<SessionFound> {
    let client = facts.calls_itself.map(recognise);
    // Nothing is known about the sessions of a client that we do not know.
    if client == Some(None) {
        return None;
    }
    let client = client.flatten();
    if let Some(name) = facts.plugin.filter(|_| client == Some(PLUGGED)) {
        // Whoever speaks for another session is not taken at a guess instead.
        return named_by_plugin(log, clients, name);
    }
    named_in_request(log, client, facts.meta)
        .or_else(|| latest_of_kin(log, clients, client))
        .or_else(|| named_in_environment(log, client, facts.environment))
}

fn named_in_request(log: &Log, client: Option<&'static str>, meta: Option<&Value>) -> Option<SessionFound> {
    let telling = TELLING.iter().find(|telling| Some(telling.client) == client)?;
    let id = meta?.get(telling.field?)?.as_str()?;
    named(log, telling.client, id).map(|(found, _)| found)
}

/// Gives the session that our plugin names, if it lives in one of the processes that may be the server's client. The plugin does not know our
/// ids, and a model could write what it writes: so only a session counts that a hook has noted there.
fn named_by_plugin(log: &Log, clients: &[Process], name: &str) -> Option<SessionFound> {
    let surroundings = log.surroundings();
    let (disk, state) = (&*surroundings.disk, &log.places().state);
    let names = Pseudonyms::load(disk, state, &surroundings.entropy).ok()?;
    let id = pseudonym("s-", &names, PLUGGED, name);
    clients.iter().find(|process| register::sessions(disk, state, **process).contains(&id))?;
    let heading = journal(log, &id).filter(|journal| !journal.is_over())?.heading?;
    Some(SessionFound { id, client: heading.client, project: heading.project })
}

fn named_in_environment(
    log: &Log,
    client: Option<&'static str>,
    environment: &dyn Environment,
) -> Option<SessionFound> {
    // A client that another one started inherits its variables: they count only for the one that set them.
    let telling = TELLING.iter().find(|telling| Some(telling.client) == client)?;
    let id = environment.get(telling.variable?.name)?.into_string().ok()?;
    // It still has the old name when the person has begun anew.
    named(log, telling.client, &id).filter(|(_, journal)| !journal.is_over()).map(|(found, _)| found)
}

/// Gives the session that a client calls so; with an empty journal if no hook has seen it.
fn named(log: &Log, client: &str, id: &str) -> Option<(SessionFound, Journal)> {
    if id.is_empty() || id.len() > LONGEST_ID {
        return None;
    }
    let surroundings = log.surroundings();
    let names = Pseudonyms::load(&*surroundings.disk, &log.places().state, &surroundings.entropy).ok()?;
    let session = pseudonym("s-", &names, client, id);
    let journal = journal(log, &session).unwrap_or_default();
    if journal.heading.is_none() {
        // So that the pseudonym leads back to the client's session, as it does where a hook opened it.
        let _ = names.of(client, id);
    }
    let project = journal.heading.as_ref().and_then(|heading| heading.project.clone());
    Some((SessionFound { id: session, client: client.to_owned(), project }, journal))
}

/// Gives the session that showed the latest sign of life in the nearest process that has one of this client's.
fn latest_of_kin(log: &Log, clients: &[Process], client: Option<&str>) -> Option<SessionFound> {
    let disk = &*log.surroundings().disk;
    clients.iter().find_map(|process| {
        let mut latest: Option<(i64, SessionFound)> = None;
        for id in register::sessions(disk, &log.places().state, *process) {
            let Some(journal) = journal(log, &id).filter(|journal| !journal.is_over()) else { continue };
            let (Some((_, at)), Some(heading)) = (journal.span(), journal.heading) else { continue };
            let is_ours = client.is_none_or(|client| heading.client == client);
            if is_ours && latest.as_ref().is_none_or(|(newest, _)| at >= *newest) {
                latest = Some((at, SessionFound { id, client: heading.client, project: heading.project }));
            }
        }
        latest.map(|(_, found)| found)
    })
}

/// Reads the latest signs of life of a session.
pub(super) fn journal(log: &Log, session: &str) -> Option<Journal> {
    let path = session::directory(&log.places().state).join(session);
    let handle = log.surroundings().disk.open(&path, Access::Read).ok()?;
    Journal::glance(&*handle).ok()
}
