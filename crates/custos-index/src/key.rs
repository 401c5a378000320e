//! The key of a row: whose it is, when it happened, and enough of its id to be alone there.
//!
//! ```text
//! ┌───────────┬──────────────┬─────────────────────────┬──────────┐
//! │ slot (11) │ seconds (38) │ of the event's id (12)  │ kind (2) │
//! └───────────┴──────────────┴─────────────────────────┴──────────┘
//! ```
//!
//! A counter would be shorter, but it would number events in the order in which this index happened to read them, and with several
//! writers that order differs between an index that grew and one that was rebuilt. The key comes from the event alone, so both
//! have the same rows under the same keys. Because the time leads, "the newest matches" and "between two dates" are ranges of keys,
//! which FTS5 walks without looking at anything else ([`mirrored`], so that it meets the newest first). And because the *slot*,
//! which is a hash of the project, comes before the time, so is "in this project": what other projects say about a word costs nothing.
//! Projects that share a slot are told apart by a mark; see document.rs.
//!
//! Twelve bits of the id are few, because the difference between two keys is what FTS5 stores for every match. Where a key is taken,
//! the next free one is used: mostly the next, and after an import that gives thousands of events one instant, some seconds later.
//! The order of answers is not touched by that, only which of two events of one second counts as newer when matches are cut off.

use std::time::Duration;

use custos_model::{EventId, Kind, Timestamp};
use rusqlite::{Connection, params};

use crate::analyse::term_hash;
use crate::error::IndexError;

/// A text that can be found, in one file of the index. It means nothing in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub(crate) i64);

/// The sorts of rows that have such keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Table {
    Prompts = 0,
    Observations = 1,
    Summaries = 2,
    /// Knowledge among texts; in the tables that hold no texts, whatever they hold.
    Other = 3,
}

impl Table {
    /// Lists those that hold texts, each under its number.
    pub(crate) const ALL: [Self; 4] = [Self::Prompts, Self::Observations, Self::Summaries, Self::Other];

    /// Gives the kind of text. What is in a file is there to stay until it changes, so knowledge is what was saved.
    pub(crate) const fn kind(self) -> Kind {
        match self {
            Self::Prompts => Kind::PromptSubmitted,
            Self::Observations => Kind::ObservationRecorded,
            Self::Summaries => Kind::SummaryRecorded,
            Self::Other => Kind::KnowledgeSaved,
        }
    }

    /// Finds where texts of a kind are; other kinds have none.
    pub(crate) fn of(kind: Kind) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.kind() == kind)
    }
}

/// The bits below the seconds, and those below the slot.
const BELOW_SECONDS: u32 = 14;
const BELOW_SLOT: u32 = 52;

/// How many slots there are besides that of texts without a project.
const SLOTS: u64 = (1 << 11) - 1;

/// The distance to the next key of the same table.
const STEP: i64 = 4;

/// How many keys are tried one by one before the next gap is looked for.
const NEIGHBOURS: i64 = 32;

/// How far a key may be from its second at most, and by how much a range of keys must be wider than the time it stands for.
pub(crate) const DRIFT: Duration = Duration::from_secs(1 << 12);

/// Gives the slot of a project's texts.
pub(crate) fn slot(project: Option<&str>) -> i64 {
    project.map_or(0, |project| i64::try_from(term_hash(project) % SLOTS).unwrap_or(0) + 1)
}

/// Gives the key that an event wants, in a slot.
pub(crate) fn key(slot: i64, ts: Timestamp, id: EventId, table: Table) -> i64 {
    // The last bytes of a UUIDv7 are its random ones.
    let [.., a, b] = *id.as_bytes();
    let id = i64::from(u16::from_be_bytes([a, b]) >> 4);
    slot << BELOW_SLOT | first_key(ts) | id << 2 | table as i64
}

/// Inserts a row at the first free key from `wanted` on. `insert` says how many rows it inserted: none if the key is taken.
pub(crate) fn at_free_key(
    connection: &Connection,
    table: &str,
    wanted: i64,
    mut insert: impl FnMut(i64) -> rusqlite::Result<usize>,
) -> Result<i64, IndexError> {
    for neighbour in 0..NEIGHBOURS {
        let key = wanted + neighbour * STEP;
        if insert(key)? > 0 {
            return Ok(key);
        }
    }
    // Crowded: behind the last key of this second, or of the next two, four …
    let sql = format!("SELECT max(key) FROM {table} WHERE key < ?1");
    let mut seconds = 1;
    while seconds < DRIFT.as_secs() {
        let end = (wanted >> BELOW_SECONDS).saturating_add_unsigned(seconds) << BELOW_SECONDS;
        let last: i64 = connection.prepare_cached(&sql)?.query_row(params![end], |row| row.get(0))?;
        // The next one of the same sort.
        let next = (last | 3) + 1 + (wanted & 3);
        if next < end && insert(next)? > 0 {
            return Ok(next);
        }
        seconds *= 2;
    }
    // Sixteen million events within an hour are no log of anybody's work.
    Err(IndexError::Damaged)
}

/// Gives the sort of text to which a key belongs.
pub(crate) fn table(key: i64) -> Table {
    match key & 3 {
        0 => Table::Prompts,
        1 => Table::Observations,
        2 => Table::Summaries,
        _ => Table::Other,
    }
}

/// Gives the part of a key that tells the time, which orders keys of different slots.
pub(crate) const fn moment(key: i64) -> i64 {
    key & ((1 << BELOW_SLOT) - 1)
}

/// Gives the least key, but for its slot, of the second in which an instant lies. Whatever happened before 1970 counts as then.
pub(crate) fn first_key(ts: Timestamp) -> i64 {
    ts.as_millis().div_euclid(1000).max(0) << BELOW_SECONDS
}

/// Gives the greatest key, but for its slot, of the second in which an instant lies.
pub(crate) fn last_key(ts: Timestamp) -> i64 {
    first_key(ts) | ((1 << BELOW_SECONDS) - 1)
}

/// Gives the keys of a slot between two instants, both included, as the full-text index numbers them: the least, and the greatest.
pub(crate) fn mirrored_range(slot: i64, since: Option<Timestamp>, until: Option<Timestamp>) -> (i64, i64) {
    // A crowded second's keys reach into the next ones.
    let drift = i64::try_from(DRIFT.as_millis()).unwrap_or(0);
    let newest = until.map_or(moment(-1), |until| last_key(until.minus_millis(-drift)));
    let oldest = since.map_or(0, first_key);
    (mirrored(slot << BELOW_SLOT | newest), mirrored(slot << BELOW_SLOT | oldest))
}

/// Gives the number under which the full-text index knows a key, and back: in each slot, the newest has the least.
///
/// FTS5 walks up through a list of matches as fast as it can read, but down only by decoding each page before it is needed.
pub(crate) const fn mirrored(key: i64) -> i64 {
    key ^ ((1 << BELOW_SLOT) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_follow_the_time_and_know_their_table(
            a in any::<i64>(), b in any::<i64>(), bytes in any::<[u8; 16]>(), project in proptest::option::of(".{1,9}")
        ) {
            let (a, b) = (Timestamp::from_millis(a), Timestamp::from_millis(b));
            let id = EventId::from_bytes(bytes);
            let slot = slot(project.as_deref());
            for kind in Table::ALL {
                let made = key(slot, a, id, kind);
                prop_assert!(made >= 0 && table(made) == kind && made >> BELOW_SLOT == slot);
                prop_assert!((first_key(a)..=last_key(a)).contains(&moment(made)));
                prop_assert!(last_key(b) >= moment(made) || a > b);
                prop_assert!(mirrored(made) >= 0 && mirrored(mirrored(made)) == made);
                let (least, greatest) = mirrored_range(slot, Some(a.min(b)), Some(a.max(b)));
                prop_assert!((least..=greatest).contains(&mirrored(made)));
                let (least, greatest) = mirrored_range(slot, None, None);
                prop_assert!((least..=greatest).contains(&mirrored(made)));
            }
        }
    }
}
