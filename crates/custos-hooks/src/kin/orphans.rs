//! Sessions whose client is gone without a word.
//!
//! A client that is killed calls no hook any more. Its MCP server notices all the same, because its input ends. So it says in the client's
//! place that the sessions are over, and nobody has to wait a day to find them silent.
//!
//! It cannot always say so itself: OpenCode ends its servers first and itself half a second later, and whoever kills everything at once
//! kills the server too. Then the next server that starts, for whomever, says it ([`Noticed::Later`]).

use custos_log::Log;
use custos_log::disk::Access;
use custos_model::{Draft, Kind, Origin, Scope, Timestamp};
use serde_json::{Map, json};

use super::{Process, found, register};
use crate::session::{self, Mark};
use crate::silence;

/// When somebody noticed that a client is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noticed {
    /// Its server, as it happened.
    AtOnce(Timestamp),
    /// Another server, at some time after that.
    Later,
}

impl Noticed {
    /// What is recorded as the reason.
    const fn reason(self) -> &'static str {
        match self {
            Self::AtOnce(_) => "server: input ended",
            Self::Later => "server: client gone",
        }
    }
}

/// Why it is not for now to settle what lived in a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotNow {
    /// The client runs.
    #[error("the client still runs")]
    Runs,
    /// Somebody else is at it, or the log takes nothing: it will be the same for every other client.
    #[error("sessions are being settled by somebody else, or the log takes nothing")]
    Barred,
}

/// Records the end of what lived in a server's client, if that is gone; gives the sessions that were ended so.
///
/// The processes are those that may be the client, nearest first: it is the one in which a hook ran as well. What a hook alone names may be
/// a program that merely ran the hook, whose end is nobody's. A session that is noted for another process, too, is left to that one. Whether
/// it runs is not asked: it may run in a container, where nobody sees it from here, and a session that lives must not be ended.
pub fn settle(
    log: &Log,
    clients: &[Process],
    is_running: &dyn Fn(Process) -> bool,
    noticed: Noticed,
) -> Result<Vec<String>, NotNow> {
    let disk = &*log.surroundings().disk;
    let state = &log.places().state;
    let sessions_of = |process: &Process| register::sessions(disk, state, *process);
    let Some(client) = clients.iter().copied().find(|process| !sessions_of(process).is_empty()) else {
        return Ok(Vec::new());
    };
    if is_running(client) {
        return Err(NotNow::Runs);
    }
    let _turn = silence::take_turn(disk, state).ok_or(NotNow::Barred)?;
    let mut others = register::processes(disk, state);
    others.retain(|process| *process != client);
    let goes_on = |session: &String| others.iter().any(|process| sessions_of(process).contains(session));
    let mut ended = Vec::new();
    for session in sessions_of(&client) {
        if !goes_on(&session) && end(log, &session, noticed).ok_or(NotNow::Barred)? {
            ended.push(session);
        }
    }
    register::forget(disk, state, client);
    Ok(ended)
}

/// Records the end of a session and says so, unless it is over already. Gives nothing where the log does not take it.
fn end(log: &Log, session: &str, noticed: Noticed) -> Option<bool> {
    let Some(journal) = found::journal(log, session).filter(|journal| !journal.is_over()) else {
        return Some(false);
    };
    let (resumed, Some((_, last))) = (journal.resumed(), journal.span()) else { return Some(false) };
    let Some(heading) = journal.heading else { return Some(false) };
    let last = Timestamp::from_millis(last);
    let mut body = Map::from_iter([("reason".to_owned(), json!(noticed.reason()))]);
    // When it was found is the time of the event. When it happened nobody saw.
    let at = match noticed {
        Noticed::AtOnce(now) => now,
        Noticed::Later => {
            body.insert("last_sign_of_life".to_owned(), json!(last.to_string()));
            last
        }
    };
    let mut draft = Draft::new(Kind::SessionEnded, Scope::Project, body);
    draft.session = Some(session.to_owned());
    draft.project = heading.project;
    draft.agent = Some(found::agent(session, &heading.client));
    log.append(draft, Origin::Mcp).ok()?;
    if found::journal(log, session).is_some_and(|journal| journal.resumed() > resumed) {
        // Somebody went on with it in the very same moment, elsewhere.
        return Some(true);
    }
    let path = session::directory(&log.places().state).join(session);
    if let Ok(handle) = log.surroundings().disk.open(&path, Access::Continue) {
        let _ = session::write_mark(&*handle, at, "-", Mark::Ended);
    }
    Some(true)
}
