//! Sessions whose client is gone without a word.
//!
//! A client that is killed calls no hook any more. Its MCP server notices all the same, because its input ends. So it says in the client's
//! place that the sessions are over, and nobody has to wait a day to find them silent.

use custos_log::Log;
use custos_log::disk::Access;
use custos_model::{Draft, Kind, Origin, Scope, Timestamp};
use serde_json::{Map, json};

use super::{Process, found, register};
use crate::session::{self, Mark};

/// What is recorded as the reason.
const REASON: &str = "server: input ended";

/// Records the end of what lived in the server's client, if that is gone; gives the sessions that were ended so.
///
/// A session that has gone on in another process that still runs is left alone.
pub fn settle(
    log: &Log,
    clients: &[Process],
    is_running: &dyn Fn(Process) -> bool,
    now: Timestamp,
) -> Vec<String> {
    let disk = &*log.surroundings().disk;
    let state = &log.places().state;
    let sessions_of = |process: &Process| register::sessions(disk, state, *process);
    let Some(client) = clients.iter().copied().find(|process| !sessions_of(process).is_empty()) else {
        return Vec::new();
    };
    if is_running(client) {
        return Vec::new();
    }
    // A client may have started several servers, and they all notice: one settles it.
    let Some(_claim) = register::claim(disk, state, client) else { return Vec::new() };
    let others: Vec<Process> = register::processes(disk, state)
        .into_iter()
        .filter(|process| *process != client && is_running(*process))
        .collect();
    let mut ended = Vec::new();
    for session in sessions_of(&client) {
        let goes_on = others.iter().any(|process| sessions_of(process).contains(&session));
        if !goes_on && end(log, &session, now) {
            ended.push(session);
        }
    }
    register::forget(disk, state, client);
    ended
}

/// Records the end of a session that is not over yet.
fn end(log: &Log, session: &str, now: Timestamp) -> bool {
    let Some(journal) = found::journal(log, session).filter(|journal| !journal.is_over()) else {
        return false;
    };
    let Some(heading) = journal.heading else { return false };
    let body = Map::from_iter([("reason".to_owned(), json!(REASON))]);
    let mut draft = Draft::new(Kind::SessionEnded, Scope::Project, body);
    draft.session = Some(session.to_owned());
    draft.project = heading.project;
    draft.agent = Some(found::agent(session, &heading.client));
    if log.append(draft, Origin::Mcp).is_err() {
        // Then it will be found silent, in a day.
        return false;
    }
    let path = session::directory(&log.places().state).join(session);
    if let Ok(handle) = log.surroundings().disk.open(&path, Access::Continue) {
        let _ = session::write_mark(&*handle, now, "-", Mark::Ended);
    }
    true
}
