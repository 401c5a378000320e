//! The sessions whose audit is pending: they ended, and neither their agent nor an auditor has said where they stopped.
//!
//! The handoff that a session begins with is then not the last word, and whoever reads it should know. The log tells which sessions ended. Of
//! it only the end is read: a session does not wait for the rest, and what ended long ago is nobody's next step.

use std::collections::BTreeMap;

use custos_knowledge::View;
use custos_log::{LogError, recent};
use custos_model::{Event, Kind, Timestamp};

use crate::answer::counted;
use crate::desk::Desk;

/// How many beginnings and ends of sessions are looked at, and how much of each writer's log is read for them.
const MOST_EVENTS: usize = 200;
const MOST_READ: u64 = 256 << 10;

/// What the log says of a session.
#[derive(Debug, Default)]
struct Seen {
    began: Option<Timestamp>,
    /// When it ended, unless it went on.
    ended: Option<Timestamp>,
}

/// Says how many sessions ended since the last handoff without one of their own; nothing where none did.
pub(super) fn pending(desk: &Desk, view: &View) -> String {
    let Ok(seen) = sessions(desk, view) else { return String::new() };
    let handoff = desk.base.newest_handoff(view);
    let since = handoff.as_ref().map(|kept| kept.item.time());
    // Who wrote a handoff that names no session was at work then, and is not to be counted for having ended.
    let is_nameless = handoff.as_ref().is_some_and(|kept| kept.item.session.is_none());
    let current = desk.base.around().session();
    let is_left = |session: &str, seen: &Seen| {
        let is_later = |time: Option<Timestamp>| time.is_some() && time > since;
        Some(session) != current.as_deref() && is_later(seen.ended) && (!is_nameless || is_later(seen.began))
    };
    let left = seen.into_iter().filter(|(session, seen)| is_left(session, seen)).map(|(session, _)| session);
    let count = desk.base.without_handoff(view, left.collect()).len();
    if count == 0 {
        return String::new();
    }
    let then = if since.is_some() { " since then" } else { "" };
    let sessions = counted(count, "session", "sessions");
    format!("{sessions} ended{then} without a close or an audit; `worklog` shows what happened.")
}

/// Reads which sessions of a project began and ended lately.
fn sessions(desk: &Desk, view: &View) -> Result<BTreeMap<String, Seen>, LogError> {
    let identity = desk.base.around().project(&desk.base.session_store(view).root).identity;
    let mut take = |event: &Event<'_>| {
        let is_end = match event.kind {
            Kind::SessionStarted => false,
            Kind::SessionEnded | Kind::SessionInterrupted => true,
            _ => return None,
        };
        let session =
            event.session.clone().filter(|_| event.project.as_deref() == Some(identity.as_str()))?;
        Some((event.ts, is_end, session))
    };
    let reader = desk.log();
    let mut events = Vec::new();
    for writer in reader.writers()? {
        events.extend(recent::newest(&reader, &writer, MOST_EVENTS, MOST_READ, &mut take)?.found);
    }
    events.sort_by_key(|(ts, ..)| *ts);
    let mut sessions: BTreeMap<String, Seen> = BTreeMap::new();
    for (ts, is_end, session) in events {
        let seen = sessions.entry(session).or_default();
        if is_end {
            seen.ended = Some(ts);
        } else {
            *seen = Seen { began: seen.began.or(Some(ts)), ended: None };
        }
    }
    Ok(sessions)
}
