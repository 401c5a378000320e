//! The journal of a session: one line for each use of a work tool.
//!
//! A hook adds its line in one write at the file's end and then reads what is before it. Hooks at the same moment therefore agree on an
//! order without a lock, each sees itself and all before it, and the count is what comes out of going through the lines. When the file
//! has grown it is replaced by what still counts; a line that is added in that instant may be lost, which is one use out of hundreds.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Count, Outcome, Profile, Role, Session, Trouble, disk, step};

/// How long a journal may grow, in bytes, before it is cut to what still counts.
const LONGEST: usize = 8 << 10;

/// A use, as it is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    /// When, in milliseconds since the epoch of Unix.
    at: u64,
    /// The process that wrote it, to tell apart what happens in the same millisecond.
    by: u32,
}

impl Entry {
    fn at(time: Duration) -> Self {
        Self { at: u64::try_from(time.as_millis()).unwrap_or(u64::MAX), by: std::process::id() }
    }

    fn time(self) -> Duration {
        Duration::from_millis(self.at)
    }

    fn line(self) -> String {
        format!("{{\"at\":{},\"by\":{}}}\n", self.at, self.by)
    }
}

/// Writes a use down and says what becomes of it. If that cannot be done, it goes on, and the trouble is told.
pub(super) fn note(
    session: Session<'_>,
    now: Duration,
    role: Role,
    profile: &Profile,
    troubles: &mut Vec<Trouble>,
) -> Outcome {
    counted(session, now, role, profile, troubles).unwrap_or_else(|trouble| {
        troubles.push(trouble);
        Outcome::Silent
    })
}

fn counted(
    session: Session<'_>,
    now: Duration,
    role: Role,
    profile: &Profile,
    troubles: &mut Vec<Trouble>,
) -> Result<Outcome, Trouble> {
    let name = format!("{}.jsonl", disk::hash(session.id));
    let own = Entry::at(now);
    let line = own.line();
    let content = disk::append(session.root, &name, line.as_bytes())?;
    if content == line.as_bytes() {
        troubles.push(Trouble::Missing);
    }
    let entries = match read(&content) {
        Ok(entries) => entries,
        Err(why) => {
            troubles.push(Trouble::Damaged { path: disk::place(session.root, &name), why });
            disk::put_aside(session.root, &name)?;
            disk::replace(session.root, &name, line.as_bytes())?;
            vec![own]
        }
    };
    // What others wrote since belongs to their counts.
    let own_place = entries.iter().rposition(|entry| *entry == own).unwrap_or_default();
    let (until_now, later) = entries.split_at(own_place + 1);
    let mut count = Count::default();
    let mut outcome = Outcome::Silent;
    for entry in until_now {
        (count, outcome) = step(&count, entry.time(), role, profile);
    }
    if content.len() > LONGEST {
        let kept = count.times().iter().copied().map(Entry::at).chain(later.iter().copied());
        disk::replace(session.root, &name, kept.map(Entry::line).collect::<String>().as_bytes())?;
    }
    Ok(outcome)
}

fn read(content: &[u8]) -> Result<Vec<Entry>, String> {
    let lines = content.split_inclusive(|byte| *byte == b'\n');
    let entry = |(index, line): (usize, &[u8])| {
        serde_json::from_slice(line).map_err(|error| format!("line {}: {error}", index + 1))
    };
    lines.enumerate().map(entry).collect()
}
