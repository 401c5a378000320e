//! What waits, cut into pieces of work.
//!
//! A unit is what is looked at together: a turn; with a model a few small turns of one session, because every question costs; or the end
//! of a session, which sums it up. Its id is a hash of its sort and its events, so the same events make the same work, whoever cuts.
//!
//! Not everything that waits can be done at once. A turn is whole when its end was recorded, when the person went on to something else,
//! when the session is over, or when nothing came for ten minutes, as after the death of a client. Small turns wait for company, but for
//! no longer than five minutes. Instants come from clocks that jump: one that lies further in the future than anything waits is taken for
//! one that lies as far in the past.

use std::fmt;

use custos_index::{Prompted, Work};
use custos_log::{Position, WriterId};
use custos_model::{EventId, Kind, Timestamp};
use sha2::{Digest, Sha256};

/// After so much silence a turn without an end is over, in milliseconds.
const SILENCE: i64 = 10 * 60_000;

/// How long small turns wait for company, in milliseconds.
const COMPANY: i64 = 5 * 60_000;

/// After so long a machine that recorded something will not distil it any more, in milliseconds.
pub const DAY: i64 = 24 * 60 * 60_000;

/// How many tool events are worth a question of their own.
const WORTH_ASKING: usize = 9;

/// The most events that are looked at together: what names all of them must fit into one event. Fewer where nothing but chance keeps
/// them together, because they belong to no session.
const MOST: usize = 2_000;
const MOST_STRAYS: usize = 200;

/// The id of a piece of work: 32 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkId(String);

impl WorkId {
    /// Makes the id of the work on some events.
    pub fn of(sort: Sort, sources: &[EventId]) -> Self {
        let mut sorted: Vec<&EventId> = sources.iter().collect();
        sorted.sort_unstable();
        let mut hash = Sha256::new();
        hash.update(b"custos-work-1 ");
        hash.update(sort.name());
        for id in sorted {
            hash.update(id.as_bytes());
        }
        Self(hash.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Gives the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WorkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// What kind of work it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// One turn or a few.
    Turns,
    /// The end of a session.
    Session,
}

impl Sort {
    /// Names the sort.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Turns => "turns",
            Self::Session => "session",
        }
    }
}

/// A piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Its id.
    pub id: WorkId,
    /// What kind of work it is.
    pub sort: Sort,
    /// The session; none for events that belong to none.
    pub session: Option<String>,
    /// The project of its first event that has one.
    pub project: Option<String>,
    /// The turns, oldest first; of the end of a session, one with nothing but the ends.
    pub turns: Vec<Part>,
    /// How often it has failed in this pass.
    pub attempts: u64,
    /// The number of this pass; 0 before it was opened again.
    pub passes: u64,
    /// Why it is not done yet; none where it can be done now.
    pub waits: Option<Waits>,
}

/// The events of a turn that wait, in the order of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The task: the prompt that it was for.
    pub task: Option<String>,
    /// The events.
    pub events: Vec<Work>,
}

/// Why a piece of work is not done yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waits {
    /// The turn goes on.
    ForItsEnd,
    /// It is small, and more may come.
    ForCompany,
}

impl Waits {
    /// Says why in words.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::ForItsEnd => "the turn is not over",
            Self::ForCompany => "it is small and waits for the next turns",
        }
    }
}

impl Unit {
    /// Lists its events, in the order of the log.
    pub fn events(&self) -> impl Iterator<Item = &Work> {
        self.turns.iter().flat_map(|part| &part.events)
    }

    /// Lists the ids of its events.
    pub fn sources(&self) -> Vec<EventId> {
        self.events().map(|work| work.event).collect()
    }

    /// Gives the instant of its last event.
    pub fn last(&self) -> Timestamp {
        self.events().map(|work| work.ts).max().unwrap_or(Timestamp::from_millis(0))
    }

    /// Gives the instant at which what is made of it happened: that of its last event, unless a clock was wrong then and it lies in the
    /// future, where it would stand before all that is yet to come.
    pub(crate) fn happened(&self, now: Timestamp) -> Timestamp {
        let last = self.last();
        if last.as_millis().saturating_sub(now.as_millis()) >= DAY { now } else { last }
    }

    /// Gives the instant of its first event.
    pub fn first(&self) -> Timestamp {
        self.events().map(|work| work.ts).min().unwrap_or(Timestamp::from_millis(0))
    }

    fn new(sort: Sort, turns: Vec<Part>, waits: Option<Waits>) -> Self {
        let events = || turns.iter().flat_map(|part| &part.events);
        let sources: Vec<EventId> = events().map(|work| work.event).collect();
        Self {
            id: WorkId::of(sort, &sources),
            sort,
            session: events().find_map(|work| work.session.clone()),
            project: events().find_map(|work| work.project.clone()),
            attempts: events().map(|work| work.attempts).max().unwrap_or(0),
            passes: events().map(|work| work.passes).max().unwrap_or(0),
            waits,
            turns,
        }
    }
}

/// Who looks at the work, and when.
#[derive(Debug, Clone)]
pub struct Outlook {
    /// The writer that this machine is. Each machine distils what it recorded itself: with a log that several share, the others do the
    /// same. What another one left for a day it will not do any more.
    pub own: WriterId,
    /// The time.
    pub now: Timestamp,
    /// Whether small turns are to be asked about together.
    pub in_company: bool,
}

impl Outlook {
    /// Says whether a piece of work is ours.
    pub(crate) fn is_ours(&self, work: &Work) -> bool {
        work.writer == self.own || is_far(work.ts, self.now, DAY)
    }
}

/// What is known about a session besides its work.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// Its prompts, in the order of the log.
    pub prompts: &'a [Prompted],
    /// When it was last said to be over.
    pub over: Option<Timestamp>,
    /// The time.
    pub now: Timestamp,
    /// Whether small turns are to be asked about together.
    pub in_company: bool,
}

/// Cuts the work that waits in one session into units, in the order in which they are to be done.
pub fn cut(pending: Vec<Work>, around: &Around<'_>) -> Vec<Unit> {
    let mut pending = pending;
    pending.sort_by(|a, b| place(a).cmp(&place(b)));
    let (ends, rest): (Vec<Work>, Vec<Work>) = pending
        .into_iter()
        .partition(|work| matches!(work.kind, Kind::SessionEnded | Kind::SessionInterrupted));
    let parts = parts(rest);
    let is_whole = |part: &Part| is_whole(part, &ends, around);
    let mut units = Vec::new();
    let mut together = Vec::new();
    let mut open = Vec::new();
    for part in parts {
        if !is_whole(&part) {
            open.push(Unit::new(Sort::Turns, vec![part], Some(Waits::ForItsEnd)));
        } else if around.in_company {
            together.push(part);
            if tool_events(&together) >= WORTH_ASKING {
                units.push(Unit::new(Sort::Turns, std::mem::take(&mut together), None));
            }
        } else {
            units.push(Unit::new(Sort::Turns, vec![part], None));
        }
    }
    if !together.is_empty() {
        let mut unit = Unit::new(Sort::Turns, together, None);
        let is_over = is_over(&unit.turns[0], &ends, around);
        let waited_enough = is_far(unit.first(), around.now, COMPANY);
        if !is_over && !waited_enough && unit.passes == 0 {
            unit.waits = Some(Waits::ForCompany);
        }
        units.push(unit);
    }
    units.append(&mut open);
    if !ends.is_empty() {
        units.push(Unit::new(Sort::Session, vec![Part { task: None, events: ends }], None));
    }
    units
}

/// Groups events by their task, each group in the place of its first event.
pub(crate) fn parts(events: Vec<Work>) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for work in events {
        let same = parts.iter_mut().rev().find(|part| part.task == work.task);
        match same {
            Some(part) if !is_full(part) => part.events.push(work),
            _ => parts.push(Part { task: work.task.clone(), events: vec![work] }),
        }
    }
    parts
}

fn is_full(part: &Part) -> bool {
    let is_stray = part.events.first().is_some_and(|work| work.session.is_none());
    part.events.len() >= if is_stray { MOST_STRAYS } else { MOST }
}

fn place(work: &Work) -> (&WriterId, Position) {
    (&work.writer, work.at)
}

/// Says whether no more is to be expected of a turn.
fn is_whole(part: &Part, ends: &[Work], around: &Around<'_>) -> bool {
    let Some(last) = part.events.iter().max_by(|a, b| place(a).cmp(&place(b))) else { return true };
    part.events.iter().any(|work| work.kind == Kind::TurnEnded || work.passes > 0)
        || is_full(part)
        || is_over(part, ends, around)
        || around
            .prompts
            .iter()
            .any(|prompt| prompt.writer == last.writer && prompt.at > last.at && prompt.task != part.task)
        || is_far(last.ts, around.now, SILENCE)
}

/// Says whether the session was over when the turn was.
fn is_over(part: &Part, ends: &[Work], around: &Around<'_>) -> bool {
    let Some(last) = part.events.last() else { return true };
    ends.iter().any(|end| place(end) > place(last)) || around.over.is_some_and(|over| over >= last.ts)
}

/// Says whether an instant is so far from now, in either direction.
fn is_far(ts: Timestamp, now: Timestamp, far: i64) -> bool {
    now.as_millis().saturating_sub(ts.as_millis()).saturating_abs() >= far
}

fn tool_events(parts: &[Part]) -> usize {
    parts.iter().flat_map(|part| &part.events).filter(|work| work.kind != Kind::TurnEnded).count()
}

#[cfg(test)]
mod tests;
