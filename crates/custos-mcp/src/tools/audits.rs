//! The sessions whose audit is pending: they ended, and neither their agent nor an auditor has said where they stopped.
//!
//! The handoff that a session begins with is then not the last word, and whoever reads it should know. The log tells which sessions ended. Of
//! it only the end is read: a session does not wait for the rest, and what ended long ago is nobody's next step.
//!
//! Handoffs lie at the root of their session, and other checkouts of the project (a second clone, a worktree) have theirs. That one was written
//! there is in the log as well.

use std::collections::{BTreeMap, BTreeSet};

use custos_knowledge::View;
use custos_log::{LogError, recent};
use custos_model::{Event, Kind, Timestamp};
use serde::Deserialize;

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

/// What happened to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Began,
    Ended,
    /// Somebody wrote its handoff, in whichever checkout.
    HandedOver,
}

/// What the log says of a handoff that was written.
#[derive(Debug, Deserialize)]
struct Saved {
    item: String,
    id: Option<String>,
}

/// Says how many sessions ended since the last handoff without one of their own; nothing where none did.
pub(super) fn pending(desk: &Desk, view: &View) -> String {
    let Ok((seen, handed_over)) = sessions(desk, view) else { return String::new() };
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
    let count = desk.base.without_handoff(view, left.collect(), &handed_over).len();
    if count == 0 {
        return String::new();
    }
    let then = if since.is_some() { " since then" } else { "" };
    let sessions = counted(count, "session", "sessions");
    format!("{sessions} ended{then} without a close or an audit; `worklog` shows what happened.")
}

/// Reads which sessions of a project began and ended lately, and of which there are handoffs, as these call them.
fn sessions(desk: &Desk, view: &View) -> Result<(BTreeMap<String, Seen>, BTreeSet<String>), LogError> {
    let identity = desk.base.around().project(&desk.base.session_store(view).root).identity;
    let mut take = |event: &Event<'_>| {
        let step = match event.kind {
            Kind::SessionStarted => Step::Began,
            Kind::SessionEnded | Kind::SessionInterrupted => Step::Ended,
            Kind::KnowledgeSaved => Step::HandedOver,
            _ => return None,
        };
        if event.project.as_deref() != Some(identity.as_str()) {
            return None;
        }
        let session = match step {
            Step::HandedOver => of_handoff(event)?,
            Step::Began | Step::Ended => event.session.clone()?,
        };
        Some((event.ts, step, session))
    };
    let reader = desk.log();
    let mut events = Vec::new();
    for writer in reader.writers()? {
        events.extend(recent::newest(&reader, &writer, MOST_EVENTS, MOST_READ, &mut take)?.found);
    }
    events.sort_by_key(|(ts, ..)| *ts);
    let (mut sessions, mut handed_over) = (BTreeMap::<String, Seen>::new(), BTreeSet::new());
    for (ts, step, session) in events {
        match step {
            Step::Began => {
                let seen = sessions.entry(session).or_default();
                *seen = Seen { began: seen.began.or(Some(ts)), ended: None };
            }
            Step::Ended => sessions.entry(session).or_default().ended = Some(ts),
            Step::HandedOver => {
                handed_over.insert(session);
            }
        }
    }
    Ok((sessions, handed_over))
}

/// Gives the session whose handoff was saved, if that is what was.
fn of_handoff(event: &Event<'_>) -> Option<String> {
    // Mostly something else was saved, which need not be read.
    let body = event.body.get();
    if !body.contains(r#""handoff""#) {
        return None;
    }
    serde_json::from_str::<Saved>(body).ok().filter(|saved| saved.item == "handoff")?.id
}
