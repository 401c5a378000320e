//! Taking content out for good.
//!
//! Forgetting overwrites salt and content of a record in place, at equal length: offsets stay, the chain holds and shows that
//! something was removed. First a `forget.done` event with the ids and the reason goes into the log, then the records are overwritten. So
//! whatever interrupts the work, the list of what is to be forgotten survives, a mark in the state directory says that there is work
//! left ([`is_pending`]), and [`carry_out`] finishes it. The same list is the tombstone for records that another machine wrote: their
//! files are not ours to change, and their owner carries it out when it sees the event. Lines that are no records, such as half a
//! write, have no id; they are listed by their place.
//!
//! What was derived from a forgotten event goes with it, found by the ids in `body.sources`, and what was derived from that, and so on.
//! The copies in the backups are overwritten too, also those of which the log has lost the original.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use custos_model::{Draft, Event, EventId, Kind, Origin, Scope};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::append::Log;
use crate::backup;
use crate::cursor::RawLine;
use crate::disk::Access;
use crate::erase::{self, Line, Target};
use crate::error::LogError;
use crate::frame::{self, Parsed};
use crate::head::Lock;
use crate::pseudonym;
use crate::read::{LogReader, Position};
use crate::writer::WriterId;

pub use crate::survey::{Plan, Planned, plan};

/// What is to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// One event.
    Id(EventId),
    /// Several events.
    Ids(Vec<EventId>),
    /// Everything of a session.
    Session(String),
    /// Everything of a project, by all the names that it has in the log.
    Project(Vec<String>),
    /// Everything in which a text occurs.
    Matching(String),
}

impl Selection {
    /// Names the sort of selection; its text is never stored.
    pub const fn sort(&self) -> &'static str {
        match self {
            Self::Id(_) | Self::Ids(_) => "id",
            Self::Session(_) => "session",
            Self::Project(_) => "project",
            Self::Matching(_) => "text",
        }
    }
}

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Forgotten {
    /// Records of this machine that were overwritten.
    pub overwritten: usize,
    /// Copies in backups that were overwritten.
    pub in_backups: usize,
    /// Records of other machines, which those will overwrite.
    pub left_to_others: usize,
    /// Unfinished lines that were blanked.
    pub fragments: usize,
}

/// Shows every line of every writer, the unfinished ones at the ends included.
pub(crate) fn walk(
    reader: &LogReader,
    look: &mut dyn FnMut(&WriterId, Position, &[u8]),
) -> Result<(), LogError> {
    for writer in reader.writers()? {
        let mut cursor = reader.cursor(&writer, Position::START)?;
        while let Some((at, raw)) = cursor.next_raw()? {
            if let RawLine::Whole(line) | RawLine::CutShort(line) = raw {
                look(&writer, at, cursor.bytes(line));
            }
        }
        if !cursor.rest().is_empty() {
            look(&writer, cursor.position(), cursor.rest());
        }
    }
    Ok(())
}

pub(crate) fn fragment(writer: &WriterId, at: Position, len: u64) -> Target {
    Target { writer: writer.clone(), at, line: Line::Fragment(len) }
}

/// Reads the ids from which an event was derived.
pub fn sources(body: &str) -> Vec<EventId> {
    ids(body, "sources")
}

/// Reads the ids that a `forget.done` event names.
pub fn named_ids(body: &str) -> Vec<EventId> {
    ids(body, "ids")
}

fn ids(body: &str, field: &str) -> Vec<EventId> {
    let Ok(Value::Object(body)) = serde_json::from_str(body) else { return Vec::new() };
    let Some(Value::Array(ids)) = body.get(field) else { return Vec::new() };
    ids.iter().filter_map(|id| id.as_str()?.parse().ok()).collect()
}

/// What `forget.done` events name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Named {
    ids: HashSet<EventId>,
    fragments: Vec<Target>,
}

/// A line that is no record, as a `forget.done` event names it.
#[derive(Serialize, Deserialize)]
struct NamedFragment {
    writer: String,
    segment: u32,
    offset: u64,
    len: u64,
}

impl Named {
    /// Reads what all `forget.done` events of all writers name.
    pub(crate) fn in_log(reader: &LogReader) -> Result<Self, LogError> {
        const KIND: &[u8] = b"\"kind\":\"forget.done\"";
        let mut named = Self::default();
        let kind = memchr::memmem::Finder::new(KIND);
        walk(reader, &mut |_, _, line| {
            // The kind stands in the opening. Most lines are not taken apart.
            if kind.find(&line[..line.len().min(400)]).is_some()
                && let Parsed::Whole(frame) = frame::parse(line)
                && frame.kind == Kind::ForgetDone.name()
                && let Ok(event) = serde_json::from_slice::<Event<'_>>(line)
            {
                named.extend(Self::read(event.body.get()));
            }
        })?;
        Ok(named)
    }

    /// Says whether an event is among what is named.
    pub(crate) fn names_id(&self, id: &EventId) -> bool {
        self.ids.contains(id)
    }

    /// Says whether a line is among what is named, by its id or, where it is no record, by its place.
    pub(crate) fn names(&self, writer: &WriterId, at: Position, line: &[u8]) -> bool {
        match frame::parse(line) {
            Parsed::Whole(frame) | Parsed::Headed(frame) => self.names_id(&frame.id),
            Parsed::Not => self.fragments.contains(&fragment(writer, at, line.len() as u64)),
        }
    }

    pub(crate) fn read(body: &str) -> Self {
        #[derive(Deserialize)]
        struct Body {
            #[serde(default)]
            fragments: Vec<NamedFragment>,
        }
        let listed = serde_json::from_str::<Body>(body).map_or_else(|_| Vec::new(), |body| body.fragments);
        let fragments = listed.iter().filter_map(|named| {
            let at = Position { segment: named.segment, offset: named.offset };
            Some(fragment(&named.writer.parse().ok()?, at, named.len))
        });
        Self { ids: named_ids(body).into_iter().collect(), fragments: fragments.collect() }
    }

    pub(crate) fn extend(&mut self, more: Self) {
        self.ids.extend(more.ids);
        self.fragments.extend(more.fragments);
    }

    /// Gives the bodies of `forget.done` events that name all of it, none so long that it would have to be shortened.
    fn bodies(&self, longest: usize) -> Vec<Map<String, Value>> {
        // A named fragment takes up to 140 bytes, an id 39.
        let (ids_each, fragments_each) = ((longest / 64).clamp(1, 2_000), (longest / 256).clamp(1, 500));
        let mut ids: Vec<&EventId> = self.ids.iter().collect();
        ids.sort();
        let fragments: Vec<NamedFragment> = self.fragments.iter().filter_map(NamedFragment::of).collect();
        let by_id = ids.chunks(ids_each).map(|ids| json!({ "ids": ids }));
        let by_place = fragments.chunks(fragments_each).map(|some| json!({ "ids": [], "fragments": some }));
        by_id.chain(by_place).filter_map(|body| body.as_object().cloned()).collect()
    }
}

impl NamedFragment {
    fn of(target: &Target) -> Option<Self> {
        let Line::Fragment(len) = target.line else { return None };
        let Position { segment, offset } = target.at;
        Some(Self { writer: target.writer.to_string(), segment, offset, len })
    }
}

/// How long forgetting waits for other maintenance.
const PATIENCE: Duration = Duration::from_secs(30);

/// Says whether a forgetting of this machine was interrupted, so that [`carry_out`] has to finish it.
pub fn is_pending(log: &Log) -> bool {
    log.surroundings().disk.open(&marker(log), Access::Read).is_ok()
}

fn marker(log: &Log) -> PathBuf {
    log.places().state.join("forget.pending")
}

fn mark_pending(log: &Log) -> Result<(), LogError> {
    let disk = &*log.surroundings().disk;
    let path = marker(log);
    disk.open(&path, Access::ReadWrite).map_err(LogError::io("create", &path))?;
    if log.limits().sync {
        let state = &log.places().state;
        disk.sync_dir(state).map_err(LogError::io("sync", state))?;
    }
    Ok(())
}

fn unmark_pending(log: &Log) {
    // One that cannot be removed costs a needless look at the log, and no one's content.
    let _ = log.surroundings().disk.remove(&marker(log));
}

/// Forgets what was planned. `reason` is stored; where the selection is a text that occurs in it, that text is not.
///
/// When this returns, no file below the log and the backups holds the content of this machine's records any more.
pub fn forget(log: &Log, plan: &Plan, selection: &Selection, reason: &str) -> Result<Forgotten, LogError> {
    let disk = &*log.surroundings().disk;
    let state = &log.places().state;
    let _maintenance = Lock::take_for_maintenance(disk, state, PATIENCE)?;
    backup::remove_leftovers(log)?;
    // Before the first promise, so that no crash can fall between the two. What an earlier one left to do stays marked.
    let was_pending = is_pending(log);
    mark_pending(log)?;
    let reason = match selection {
        Selection::Matching(text) if !text.is_empty() => reason.replace(text.as_str(), "[the text]"),
        _ => reason.to_owned(),
    };
    let mut named = plan.named_before.clone();
    named.ids.extend(plan.records.iter().map(|planned| planned.id));
    named.ids.extend(plan.strays.iter().filter_map(|(_, target)| match target.line {
        Line::Record(id) => Some(id),
        Line::Fragment(_) => None,
    }));
    named.fragments.extend(plan.fragments.iter().cloned());
    for mut body in named.bodies(log.limits().event) {
        body.insert("reason".to_owned(), Value::String(reason.clone()));
        body.insert("selected_by".to_owned(), Value::String(selection.sort().to_owned()));
        log.append(Draft::new(Kind::ForgetDone, Scope::User, body), Origin::Cli)?;
    }
    match selection {
        Selection::Session(text) => pseudonym::forget(disk, state, |_, client_id| client_id == text)?,
        Selection::Matching(text) if !text.is_empty() => {
            pseudonym::forget(disk, state, |client, client_id| {
                client.contains(text) || client_id.contains(text)
            })?;
        }
        _ => {}
    }
    let own = log.writer();
    let records = plan.records.iter().map(|planned| Target {
        writer: planned.writer.clone(),
        at: planned.at,
        line: Line::Record(planned.id),
    });
    let targets: Vec<Target> = records.chain(plan.fragments.iter().cloned()).collect();
    let left_to_others = plan.records.iter().filter(|planned| !planned.own).count();
    let done = overwrite(log, &own, &targets, &plan.strays, left_to_others)?;
    if !was_pending {
        unmark_pending(log);
    }
    Ok(done)
}

/// Finishes every forgetting that this machine's log or another's asks for, and says what was left to do.
pub fn carry_out(log: &Log) -> Result<Forgotten, LogError> {
    let disk = &*log.surroundings().disk;
    let _maintenance = Lock::take_for_maintenance(disk, &log.places().state, PATIENCE)?;
    backup::remove_leftovers(log)?;
    let wanted = Named::in_log(&log.reader())?;
    if wanted == Named::default() {
        unmark_pending(log);
        return Ok(Forgotten::default());
    }
    let own = log.writer();
    let mut targets = wanted.fragments;
    let mut left_to_others = 0;
    walk(&log.reader(), &mut |writer, at, line| {
        let (frame, done) = match frame::parse(line) {
            Parsed::Whole(frame) => (frame.clone(), frame.is_forgotten()),
            Parsed::Headed(frame) => (frame, false),
            Parsed::Not => return,
        };
        if wanted.ids.contains(&frame.id) {
            left_to_others += usize::from(!done && *writer != own);
            // Also what is done: a backup may still have it.
            targets.push(Target { writer: writer.clone(), at, line: Line::Record(frame.id) });
        }
    })?;
    let done = overwrite(log, &own, &targets, &[], left_to_others)?;
    unmark_pending(log);
    Ok(done)
}

/// Overwrites everything that is this machine's to overwrite.
fn overwrite(
    log: &Log,
    own: &WriterId,
    targets: &[Target],
    strays: &[(String, Target)],
    left_to_others: usize,
) -> Result<Forgotten, LogError> {
    let disk = &*log.surroundings().disk;
    let places = log.places();
    let mut done = Forgotten { left_to_others, ..Forgotten::default() };
    // The backups are ours whoever wrote the originals. An append need not wait for them.
    for name in backup::names(disk, &places.backups)? {
        let stray = strays.iter().filter(|(backup, _)| *backup == name).map(|(_, target)| target);
        let erased = erase::erase(disk, &places.backups.join(&name), targets.iter().chain(stray))?;
        done.in_backups += erased.records + erased.fragments;
    }
    // Appends wait: a head that is rebuilt in the middle of this must not see half a record.
    let _lock = Lock::take(disk, &places.state, PATIENCE)?;
    let ours = targets.iter().filter(|target| target.writer == *own);
    let erased = erase::erase(disk, &places.log, ours)?;
    done.overwritten = erased.records;
    done.fragments = erased.fragments;
    Ok(done)
}
