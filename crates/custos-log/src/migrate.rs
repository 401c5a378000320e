//! Replaying a log into a new one in the current schema.
//!
//! The old log is only read. Each record is upgraded if its schema is older, keeps its id and its time, and is appended to the new log like
//! any event: it is redacted by today's rules and gets its place in a new chain. What cannot be carried over is listed with its place and
//! the reason. A dry run does everything but the writing.

use std::collections::BTreeMap;
use std::path::PathBuf;

use custos_model::draft::DraftAgent;
use custos_model::{Draft, Event, Origin, SchemaVersion};
use serde::Serialize;

use crate::append::{Limits, Log};
use crate::cursor::{BEFORE_THE_CHAIN, RawLine};
use crate::error::LogError;
use crate::forget::Named;
use crate::frame::{self, Parsed};
use crate::read::{LogReader, Position, segment_path};

/// The audit report of a migration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Migration {
    /// Carried over, by the schema that they were written in, then by the kind that they have now.
    pub carried: BTreeMap<String, BTreeMap<String, u64>>,
    /// Records whose content was forgotten before, or is named by a forgetting that was not finished; there is nothing to carry over.
    pub forgotten: u64,
    /// What could not be carried over.
    pub refused: Vec<Refused>,
}

/// A line that could not be carried over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The file.
    pub file: PathBuf,
    /// The byte at which the line begins.
    pub offset: u64,
    /// Why.
    pub reason: String,
}

impl Migration {
    /// Counts what was carried over.
    pub fn total(&self) -> u64 {
        self.carried.values().flat_map(BTreeMap::values).sum()
    }
}

/// Replays the log that `old` reads into `new`; without `new`, only says what would happen. `progress` gets the number of lines.
pub fn migrate(
    old: &LogReader,
    new: Option<&Log>,
    progress: &mut dyn FnMut(u64),
) -> Result<Migration, LogError> {
    // Forced to the disk once at the end, not once per prompt.
    let target = new.map(|new| new.with_limits(Limits { sync: false, ..new.limits().clone() }));
    // First of all, because a forgetting is told after what it names, and perhaps by another writer.
    let named = Named::in_log(old)?;
    let mut report = Migration::default();
    let mut lines: u64 = 0;
    for writer in old.writers()? {
        let mut is_at_end = false;
        let mut cursor = old.cursor(&writer, Position::START)?;
        let unless_named = |at: Position, line: &[u8], read: Reading| {
            if named.names(&writer, at, line) { Ok(None) } else { read(line) }
        };
        loop {
            let (at, read) = match cursor.next_raw()? {
                Some((at, RawLine::Whole(line))) => (at, unless_named(at, cursor.bytes(line), read_any)),
                Some((at, RawLine::CutShort(rest))) => {
                    (at, unless_named(at, cursor.bytes(rest), read_unended))
                }
                Some((at, RawLine::Endless(_))) => (at, Err("the line is longer than any event".to_owned())),
                None if is_at_end || cursor.rest().is_empty() => break,
                None => {
                    is_at_end = true;
                    let at = cursor.position();
                    (at, unless_named(at, cursor.rest(), read_unended))
                }
            };
            lines += 1;
            if lines.is_multiple_of(1024) {
                progress(lines);
            }
            match read {
                Ok(Some((version, draft, origin))) => {
                    let kind = draft.kind.name();
                    *report
                        .carried
                        .entry(version.to_string())
                        .or_default()
                        .entry(kind.to_owned())
                        .or_default() += 1;
                    if let Some(target) = &target {
                        target.append(draft, origin)?;
                    }
                }
                Ok(None) => report.forgotten += 1,
                Err(reason) => {
                    let file = segment_path(old.dir(), &writer, at.segment);
                    report.refused.push(Refused { file, offset: at.offset, reason });
                }
            }
        }
    }
    if let Some(new) = new.filter(|new| new.limits().sync) {
        new.sync()?;
    }
    Ok(report)
}

/// A record as a draft of ours; none where its content was forgotten.
type Read = Result<Option<(SchemaVersion, Draft, Origin)>, String>;

/// A way to read a line.
type Reading = fn(&[u8]) -> Read;

/// Reads a line that lacks its line break: a record that was cut short, or one whose writer did not end the last line.
fn read_unended(rest: &[u8]) -> Read {
    read_any(rest).map_err(|_| "the segment ends in the middle of a line".to_owned())
}

/// Reads a record of any schema that we know as a draft of ours; none where its content was forgotten.
fn read_any(line: &[u8]) -> Read {
    if line.starts_with(BEFORE_THE_CHAIN) {
        let fields: serde_json::Map<String, serde_json::Value> =
            serde_json::from_slice(line).map_err(|error| format!("is no record: {error}"))?;
        let version = fields.get("v").and_then(serde_json::Value::as_str).unwrap_or_default();
        let version: SchemaVersion = version.parse().map_err(|error| format!("is no record: {error}"))?;
        let draft =
            custos_model::upgrade::upgrade(version, fields).map_err(|v| format!("schema {version}: {v}"))?;
        return Ok(Some((version, draft, Origin::Import)));
    }
    let frame = match frame::parse(line) {
        Parsed::Whole(frame) if frame.is_forgotten() => return Ok(None),
        Parsed::Whole(frame) if !frame.holds(line) => {
            return Err("its content is not the one that was written".to_owned());
        }
        Parsed::Whole(frame) => frame,
        Parsed::Headed(frame) => {
            return Err(format!("the content of record {} is cut short or damaged", frame.seq));
        }
        Parsed::Not => return Err("is no record".to_owned()),
    };
    if frame.v.readability() == custos_model::version::Readability::Newer {
        return Err(format!("schema {} is newer than this program's {}", frame.v, SchemaVersion::CURRENT));
    }
    let event: Event<'_> =
        serde_json::from_slice(line).map_err(|error| format!("cannot be read: {error}"))?;
    let body = serde_json::from_str(event.body.get()).map_err(|error| format!("its body: {error}"))?;
    let draft = Draft {
        id: Some(event.id),
        ts: Some(event.ts),
        project: event.project,
        branch: event.branch,
        commit: event.commit,
        session: event.session,
        agent: event.agent.map(|agent| DraftAgent {
            client: agent.client,
            id: agent.id.map(|id| id.to_string()),
            role: agent.role,
        }),
        task: event.task,
        outcome: event.outcome,
        importance: event.importance,
        acl: Some(event.acl),
        ..Draft::new(event.kind, event.scope, body)
    };
    Ok(Some((event.v, draft, event.origin)))
}
