//! One file of the spool: its name, and the event in it.
//!
//! Nothing about a file is believed because it lies here. A name has exactly one spelling, and the content must be the one that its
//! commitment, its length and its name promise; anything else is a stranger or broken.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use custos_model::draft::DraftAgent;
use custos_model::{Draft, Event, EventId, Kind, Origin, SchemaVersion, Timestamp};

use super::BLOCK;
use crate::disk::{Access, Disk, Handle};
use crate::frame::{self, GENESIS, Opening, Parsed, Salt};
use crate::read::Position;

/// What the name of a file tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) id: EventId,
    pub(super) len: u64,
    /// Where the log ended before it was offered the event, if it was.
    pub(super) tried: Option<Position>,
}

/// A name in the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// A whole event, waiting.
    Event(Entry),
    /// What will be one, or would have been.
    Part(Entry),
    /// Nothing of ours.
    Stranger,
}

impl Found {
    pub(super) fn of(name: &OsStr) -> Self {
        let Some(name) = name.to_str() else { return Self::Stranger };
        if let Some(entry) = Entry::parse(name) {
            return Self::Event(entry);
        }
        let part = name.strip_suffix(".part").and_then(|rest| rest.rsplit_once('.'));
        let entry = part.and_then(|(whole, attempt)| {
            let entry = Entry::parse(whole)?;
            (entry.part_name(attempt.parse().ok()?) == name).then_some(entry)
        });
        entry.map_or(Self::Stranger, Self::Part)
    }
}

/// Gives what a file counts for, by its name. Nobody knows how long a part will be.
pub(super) fn weight(name: &OsStr) -> u64 {
    match Found::of(name) {
        Found::Event(entry) | Found::Part(entry) => entry.weight(),
        Found::Stranger => BLOCK,
    }
}

impl Entry {
    pub(super) fn name(&self) -> String {
        let Self { id, len, tried } = self;
        match tried {
            None => format!("{id}.{len}.event"),
            Some(Position { segment, offset }) => format!("{id}.{len}.{segment}-{offset}.tried"),
        }
    }

    pub(super) fn part_name(&self, attempt: u32) -> String {
        format!("{}.{attempt}.part", self.name())
    }

    fn parse(name: &str) -> Option<Self> {
        let (rest, sort) = name.rsplit_once('.')?;
        let (rest, tried) = match sort {
            "event" => (rest, None),
            "tried" => {
                let (rest, place) = rest.rsplit_once('.')?;
                let (segment, offset) = place.split_once('-')?;
                (rest, Some(Position { segment: segment.parse().ok()?, offset: offset.parse().ok()? }))
            }
            _ => return None,
        };
        let (id, len) = rest.split_once('.')?;
        let entry = Self { id: id.parse().ok()?, len: len.parse().ok()?, tried };
        (entry.name() == name).then_some(entry)
    }

    /// Gives what the file counts for: whole blocks.
    pub(super) fn weight(&self) -> u64 {
        self.len.max(1).checked_next_multiple_of(BLOCK).unwrap_or(u64::MAX)
    }

    /// Gives the time in the id.
    pub(super) fn kept_at(&self) -> Timestamp {
        let millis = self.id.as_bytes()[..6].iter().fold(0, |millis, byte| millis << 8 | i64::from(*byte));
        Timestamp::from_millis(millis)
    }
}

/// Writes an event as the log would, but outside any chain.
pub(super) fn seal(id: EventId, ts: Timestamp, kind: Kind, salt: &Salt, content: &[u8]) -> Vec<u8> {
    let opening = Opening { v: SchemaVersion::CURRENT, id, seq: 1, ts, kind };
    let (mut line, _) = frame::write(&opening, &GENESIS, salt, content);
    line.push(b'\n');
    line
}

/// Why a file gives no event.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It is not there any more.
    Gone,
    /// It never will.
    Broken(String),
    /// A newer program wrote it and will understand it.
    Newer,
    /// The operating system refused, this time.
    Io(io::Error),
}

/// Opens a file, and tells what can never be opened from what cannot be opened now.
pub(super) fn open(disk: &dyn Disk, path: &Path) -> Result<Box<dyn Handle>, Trouble> {
    disk.open(path, Access::Read).map_err(|error| {
        let is_other = std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_file());
        match error.kind() {
            io::ErrorKind::NotFound => Trouble::Gone,
            _ if is_other => broken("is no regular file"),
            io::ErrorKind::PermissionDenied => broken("may not be read"),
            _ => Trouble::Io(error),
        }
    })
}

/// Reads the event that a file's name promises.
pub(super) fn read(
    disk: &dyn Disk,
    path: &Path,
    entry: &Entry,
    bound: u64,
) -> Result<(Draft, Origin), Trouble> {
    let handle = open(disk, path)?;
    let len = handle.len().map_err(Trouble::Io)?;
    if len != entry.len {
        return Err(broken(&format!("has {len} bytes and not {}", entry.len)));
    }
    let size = usize::try_from(len).ok().filter(|_| len <= bound);
    let mut bytes = vec![0; size.ok_or_else(|| broken("is longer than anything that was ever kept"))?];
    let read = handle.read_full_at(&mut bytes, 0).map_err(Trouble::Io)?;
    bytes.truncate(read);
    unseal(&bytes, entry.id)
}

/// Takes an event out of the bytes of a file.
fn unseal(bytes: &[u8], id: EventId) -> Result<(Draft, Origin), Trouble> {
    let line = bytes.strip_suffix(b"\n").ok_or_else(|| broken("is cut short"))?;
    let Parsed::Whole(frame) = frame::parse(line) else { return Err(broken("is no record")) };
    if frame.v > SchemaVersion::CURRENT {
        return Err(Trouble::Newer);
    }
    // The predecessor is the one thing that a commitment does not cover; a kept event has none.
    if frame.is_forgotten() || !frame.holds(line) || frame.prev != GENESIS {
        return Err(broken("was changed"));
    }
    if frame.id != id {
        return Err(broken("holds another event than its name says"));
    }
    let event: Event<'_> = serde_json::from_slice(line).map_err(|error| broken(&error.to_string()))?;
    if event.kind == Kind::ForgetDone {
        // Never kept by us, and whatever it names would be overwritten.
        return Err(broken("is a forgetting"));
    }
    let body = serde_json::from_str(event.body.get()).map_err(|error| broken(&format!("body: {error}")))?;
    let draft = Draft {
        id: Some(id),
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
    Ok((draft, event.origin))
}

fn broken(reason: &str) -> Trouble {
    Trouble::Broken(reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    const ID: &str = "019a894c-e443-7101-8101-010101010101";

    #[rstest]
    #[case::event(format!("{ID}.70.event"), None)]
    #[case::tried(format!("{ID}.70.3-4711.tried"), Some(Position { segment: 3, offset: 4711 }))]
    fn a_name_tells_what_waits(#[case] name: String, #[case] tried: Option<Position>) {
        let entry = Entry { id: ID.parse().unwrap(), len: 70, tried };
        assert_eq!((Found::of(name.as_ref()), &entry.name()), (Found::Event(entry), &name));
        assert_eq!(Found::of(entry.part_name(7).as_ref()), Found::Part(entry));
        assert_eq!(entry.kept_at().to_string(), "2025-11-15T20:55:09.123Z");
    }

    #[rstest]
    fn every_other_spelling_is_a_strangers(
        #[values(
            "",
            ".event",
            "x.7.event",
            "ID.event",
            "ID.070.event",
            "ID.+7.event",
            "ID.7.Event",
            "ID.99999999999999999999.event",
            "ID.7.3.tried",
            "ID.7.03-4.tried",
            "ID.7.3-4-5.tried",
            "ID.7.3-4.event",
            "ID.7.event.part",
            "ID.7.event.01.part",
            "ID.7.event.0.0.part"
        )]
        name: &str,
    ) {
        let name = name.replace("ID", ID);
        assert_eq!(Found::of(name.as_ref()), Found::Stranger, "{name}");
    }

    #[rstest]
    fn so_is_every_other_spelling_of_an_id(#[values(ID.to_uppercase(), ID.replace('-', ""))] id: String) {
        assert_eq!(Found::of(format!("{id}.7.event").as_ref()), Found::Stranger);
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed() {
        let (id, ts) = (ID.parse().unwrap(), Timestamp::from_millis(0));
        let content = br#"{"scope":"user","acl":["user"],"origin":"hook","body":{"n":1}}"#;
        let bytes = seal(id, ts, Kind::ToolUsed, &[7; 16], content);
        assert!(unseal(&bytes, id).is_ok());
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << bit;
                assert!(unseal(&changed, id).is_err(), "byte {at}, bit {bit}");
            }
            assert!(unseal(&bytes[..at], id).is_err(), "cut at {at}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_opened_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = unseal(&bytes, ID.parse().unwrap());
        }
    }
}
