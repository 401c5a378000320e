//! Taking content out for good.
//!
//! Forgetting overwrites salt and content of a record in place, at equal length: offsets stay, the chain holds and shows that
//! something was removed. First a `forget.done` event with the ids and the reason goes into the log, then the records are overwritten. So
//! whatever interrupts the work, the list of what is to be forgotten survives, and [`carry_out`] finishes it. The same list is
//! the tombstone for records that another machine wrote: their files are not ours to change, and their owner carries it out when it
//! sees the event.
//!
//! What was derived from a forgotten event goes with it, found by the ids in `body.sources`, and what was derived from that, and so on.
//! The copies in the backups are overwritten too.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use custos_model::{Draft, Event, EventId, Kind, Origin, Scope, Timestamp};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::append::Log;
use crate::backup;
use crate::disk::{Access, Disk};
use crate::error::LogError;
use crate::frame::{self, Parsed};
use crate::head::Lock;
use crate::read::{BEFORE_THE_CHAIN, Position, RawLine, segment_path};
use crate::writer::WriterId;

/// What is to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// One event.
    Id(EventId),
    /// Everything of a session.
    Session(String),
    /// Everything of a project.
    Project(String),
    /// Everything in which a text occurs.
    Matching(String),
}

impl Selection {
    /// Names the sort of selection; its text is never stored.
    pub const fn sort(&self) -> &'static str {
        match self {
            Self::Id(_) => "id",
            Self::Session(_) => "session",
            Self::Project(_) => "project",
            Self::Matching(_) => "text",
        }
    }

    fn selects(&self, event: &Event<'_>, line: &[u8]) -> bool {
        match self {
            Self::Id(id) => event.id == *id,
            Self::Session(session) => event.session.as_deref() == Some(session),
            Self::Project(project) => event.project.as_deref() == Some(project),
            Self::Matching(text) => contains(line, text),
        }
    }

    /// Decides on a line that is no record by what it looks like: half an event may hold what is to be forgotten as well.
    fn selects_fragment(&self, line: &[u8]) -> bool {
        match self {
            Self::Id(id) => contains(line, &id.to_string()),
            Self::Session(text) | Self::Project(text) | Self::Matching(text) => contains(line, text),
        }
    }
}

/// Looks for a text in a line, as it is or as JSON spells it.
fn contains(line: &[u8], text: &str) -> bool {
    if text.is_empty() {
        return false;
    }
    let spelt = Value::String(text.to_owned()).to_string();
    memchr::memmem::find(line, text.as_bytes()).is_some()
        || memchr::memmem::find(line, spelt[1..spelt.len() - 1].as_bytes()).is_some()
}

/// A record that will be forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Planned {
    /// The event.
    pub id: EventId,
    /// What it was.
    pub kind: String,
    /// When it was.
    pub ts: Timestamp,
    /// In whose log it is.
    #[serde(skip)]
    pub writer: WriterId,
    /// Where.
    #[serde(skip)]
    pub at: Position,
    /// Whether it goes because of what it was derived from.
    pub derived: bool,
    /// Whether this machine wrote it, and so may overwrite it.
    pub own: bool,
}

/// All that a selection comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The records.
    pub records: Vec<Planned>,
    /// Lines of our own that are no records but hold what is to be forgotten: where, and how long.
    fragments: Vec<(WriterId, Position, u64)>,
}

impl Plan {
    /// Says whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty() && self.fragments.is_empty()
    }

    /// Gives the number of unfinished lines that hold what is to be forgotten.
    pub fn fragments(&self) -> usize {
        self.fragments.len()
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

/// Finds everything that a selection comes to. `progress` gets the number of lines that were read.
pub fn plan(log: &Log, selection: &Selection, progress: &mut dyn FnMut(u64)) -> Result<Plan, LogError> {
    let reader = log.reader();
    let own = log.writer();
    let mut survey = Survey::default();
    let mut lines: u64 = 0;
    for writer in reader.writers()? {
        let mut cursor = reader.cursor(&writer, Position::START)?;
        while let Some((at, raw)) = cursor.next_raw()? {
            let RawLine::Whole(line) = raw else { continue };
            let line = cursor.bytes(line);
            lines += 1;
            if lines.is_multiple_of(4096) {
                progress(lines);
            }
            survey.look(selection, line, &writer, at, writer == own);
        }
    }
    Ok(survey.close())
}

/// Collects what is selected, and what could turn out to be derived from it.
#[derive(Default)]
struct Survey {
    plan: Plan,
    chosen: HashSet<EventId>,
    derived: Vec<(Planned, Vec<EventId>)>,
}

impl Survey {
    fn look(&mut self, selection: &Selection, line: &[u8], writer: &WriterId, at: Position, own: bool) {
        let frame = match frame::parse(line) {
            Parsed::Whole(frame) if frame.is_forgotten() => return,
            Parsed::Whole(frame) => frame,
            Parsed::Headed(_) => return,
            Parsed::Not => {
                if own && !line.starts_with(BEFORE_THE_CHAIN) && selection.selects_fragment(line) {
                    self.plan.fragments.push((writer.clone(), at, line.len() as u64));
                }
                return;
            }
        };
        // Only a text could ever be meant to remove the record of an earlier forgetting: it stands in its reason.
        if frame.kind == Kind::ForgetDone.name() && !matches!(selection, Selection::Matching(_)) {
            return;
        }
        let planned = |derived| Planned {
            id: frame.id,
            kind: frame.kind.to_owned(),
            ts: frame.ts,
            writer: writer.clone(),
            at,
            derived,
            own,
        };
        // A record of a newer schema is selected by its bytes alone: it must be forgettable, too.
        let event = serde_json::from_slice::<Event<'_>>(line);
        let selected = match &event {
            Ok(event) => selection.selects(event, line),
            Err(_) => selection.selects_fragment(line),
        };
        if selected {
            self.chosen.insert(frame.id);
            self.plan.records.push(planned(false));
        } else if memchr::memmem::find(line, b"\"sources\"").is_some()
            && let Ok(event) = event
        {
            let sources = sources(event.body.get());
            if !sources.is_empty() {
                self.derived.push((planned(true), sources));
            }
        }
    }

    /// Adds what was derived, until nothing more follows.
    fn close(mut self) -> Plan {
        let mut by_source: HashMap<EventId, Vec<usize>> = HashMap::new();
        for (i, (_, sources)) in self.derived.iter().enumerate() {
            for source in sources {
                by_source.entry(*source).or_default().push(i);
            }
        }
        let mut open: Vec<EventId> = self.chosen.iter().copied().collect();
        while let Some(id) = open.pop() {
            for i in by_source.remove(&id).unwrap_or_default() {
                let planned = &self.derived[i].0;
                if self.chosen.insert(planned.id) {
                    open.push(planned.id);
                    self.plan.records.push(planned.clone());
                }
            }
        }
        self.plan.records.sort_by(|a, b| (&a.writer, a.at).cmp(&(&b.writer, b.at)));
        self.plan
    }
}

/// Reads the ids from which an event was derived.
pub fn sources(body: &str) -> Vec<EventId> {
    let Ok(Value::Object(body)) = serde_json::from_str(body) else { return Vec::new() };
    let Some(Value::Array(ids)) = body.get("sources") else { return Vec::new() };
    ids.iter().filter_map(|id| id.as_str()?.parse().ok()).collect()
}

/// How many ids one `forget.done` event names, so that it never has to be shortened.
const IDS_PER_EVENT: usize = 2_000;

/// How long forgetting waits for other maintenance.
const PATIENCE: Duration = Duration::from_secs(30);

/// Forgets what was planned. `reason` is stored; where the selection is a text that occurs in it, that text is not.
///
/// When this returns, no file below the log and the backups holds the content of this machine's records any more.
pub fn forget(log: &Log, plan: &Plan, selection: &Selection, reason: &str) -> Result<Forgotten, LogError> {
    let disk = &*log.surroundings().disk;
    let _maintenance = Lock::take_for_maintenance(disk, &log.places().state, PATIENCE)?;
    let reason = match selection {
        Selection::Matching(text) => reason.replace(text.as_str(), "[the text]"),
        _ => reason.to_owned(),
    };
    for records in plan.records.chunks(IDS_PER_EVENT) {
        let ids: Vec<String> = records.iter().map(|planned| planned.id.to_string()).collect();
        let body = json!({ "ids": ids, "reason": reason, "selected_by": selection.sort() });
        log.append(Draft::new(Kind::ForgetDone, Scope::User, object(body)), Origin::Cli)?;
    }
    overwrite(log, plan)
}

/// Finishes every forgetting that this machine's log or another's asks for, and says what was left to do.
pub fn carry_out(log: &Log) -> Result<Forgotten, LogError> {
    let disk = &*log.surroundings().disk;
    let _maintenance = Lock::take_for_maintenance(disk, &log.places().state, PATIENCE)?;
    let reader = log.reader();
    let own = log.writer();
    let mut wanted = HashSet::new();
    for writer in reader.writers()? {
        let mut cursor = reader.cursor(&writer, Position::START)?;
        while let Some(line) = cursor.next()? {
            let crate::read::Line::Record(record) = line else { continue };
            if record.frame.kind == Kind::ForgetDone.name()
                && let Ok(event) = record.event()
            {
                wanted.extend(named_ids(event.body.get()));
            }
        }
    }
    let mut plan = Plan::default();
    if wanted.is_empty() {
        return Ok(Forgotten::default());
    }
    let mut cursor = reader.cursor(&own, Position::START)?;
    while let Some((at, raw)) = cursor.next_raw()? {
        let RawLine::Whole(line) = raw else { continue };
        let (Parsed::Whole(frame) | Parsed::Headed(frame)) = frame::parse(cursor.bytes(line.clone())) else {
            continue;
        };
        let done = frame.is_forgotten() && matches!(frame::parse(cursor.bytes(line)), Parsed::Whole(_));
        if !done && wanted.contains(&frame.id) {
            plan.records.push(Planned {
                id: frame.id,
                kind: frame.kind.to_owned(),
                ts: frame.ts,
                writer: own.clone(),
                at,
                derived: false,
                own: true,
            });
        }
    }
    overwrite(log, &plan)
}

/// Reads the ids that a `forget.done` event names.
pub fn named_ids(body: &str) -> Vec<EventId> {
    let Ok(Value::Object(body)) = serde_json::from_str(body) else { return Vec::new() };
    let Some(Value::Array(ids)) = body.get("ids") else { return Vec::new() };
    ids.iter().filter_map(|id| id.as_str()?.parse().ok()).collect()
}

fn overwrite(log: &Log, plan: &Plan) -> Result<Forgotten, LogError> {
    let disk = &*log.surroundings().disk;
    let places = log.places();
    let mut done = Forgotten::default();
    let mut roots: Vec<(PathBuf, bool)> = vec![(places.log.clone(), false)];
    for name in backup::names(disk, &places.backups)? {
        roots.push((places.backups.join(name), true));
    }
    // Appends wait: a head that is rebuilt in the middle of this must not see half a record.
    let _lock = Lock::take(disk, &places.state, PATIENCE)?;
    for (root, is_backup) in &roots {
        let mut touched: HashSet<PathBuf> = HashSet::new();
        for planned in &plan.records {
            if !planned.own && !is_backup {
                done.left_to_others += 1;
                continue;
            }
            let path = segment_path(root, &planned.writer, planned.at.segment);
            if erase_record(disk, &path, planned)? {
                done.overwritten += usize::from(!is_backup);
                done.in_backups += usize::from(*is_backup);
                touched.insert(path);
            }
        }
        for (writer, at, len) in &plan.fragments {
            let path = segment_path(root, writer, at.segment);
            if blank(disk, &path, at.offset, *len)? {
                done.fragments += usize::from(!is_backup);
                touched.insert(path);
            }
        }
        for path in touched {
            let handle = disk.open(&path, Access::Edit).map_err(LogError::io("open", &path))?;
            handle.sync().map_err(LogError::io("sync", &path))?;
        }
    }
    Ok(done)
}

/// Overwrites one record, if it is where it was; a backup may be older than the record.
fn erase_record(disk: &dyn Disk, path: &Path, planned: &Planned) -> Result<bool, LogError> {
    let Some(handle) = open_if_there(disk, path)? else { return Ok(false) };
    let mut line = vec![0; 4096];
    let len = loop {
        let read = handle.read_full_at(&mut line, planned.at.offset).map_err(LogError::io("read", path))?;
        match memchr::memchr(b'\n', &line[..read]) {
            Some(end) => break end,
            None if read < line.len() => break read,
            None => line.resize(line.len() * 4, 0),
        }
    };
    let (Parsed::Whole(frame) | Parsed::Headed(frame)) = frame::parse(&line[..len]) else { return Ok(false) };
    if frame.id != planned.id {
        return Ok(false);
    }
    let from = frame.erasable_from();
    let Some(erasure) = frame::erasure(len - from) else { return Ok(false) };
    handle
        .write_all_at(&erasure, planned.at.offset + from as u64)
        .map_err(LogError::io("overwrite", path))?;
    Ok(true)
}

fn blank(disk: &dyn Disk, path: &Path, offset: u64, len: u64) -> Result<bool, LogError> {
    let Some(handle) = open_if_there(disk, path)? else { return Ok(false) };
    let there = handle.len().map_err(LogError::io("measure", path))?;
    if there < offset + len {
        return Ok(false);
    }
    let spaces = vec![b' '; usize::try_from(len).unwrap_or(usize::MAX)];
    handle.write_all_at(&spaces, offset).map_err(LogError::io("overwrite", path))?;
    Ok(true)
}

fn open_if_there(disk: &dyn Disk, path: &Path) -> Result<Option<Box<dyn crate::disk::Handle>>, LogError> {
    match disk.open(path, Access::Edit) {
        Ok(handle) => Ok(Some(handle)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(LogError::io("open", path)(error)),
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
