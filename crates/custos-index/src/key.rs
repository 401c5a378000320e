//! The key of a row: when it happened, and enough of its id to be alone there.
//!
//! ```text
//! ┌──────────────┬─────────────────────────┬───────────┐
//! │ seconds (38) │ of the event's id (12)  │ table (2) │
//! └──────────────┴─────────────────────────┴───────────┘
//! ```
//!
//! A counter would be shorter, but it would number events in the order in which this index happened to read them, and with several
//! writers that order differs between an index that grew and one that was rebuilt. The key comes from the event alone, so both
//! have the same rows under the same keys. And because it begins with the time, "the newest matches" and "between two dates" are
//! ranges of keys, which FTS5 walks without looking at anything else ([`mirrored`], so that it meets the newest first).
//!
//! Twelve bits are few, because the difference between two keys is what FTS5 stores for every match. Where a key is taken, the next
//! free one is used: mostly the next, and after an import that gives thousands of events one instant, some seconds later. The
//! order of answers is not touched by that, only which of two events of one second counts as newer when matches are cut off.

use std::time::Duration;

use custos_model::{EventId, Timestamp};
use rusqlite::{Connection, params};

use crate::error::IndexError;

/// The tables that have such keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    Prompts = 0,
    Observations = 1,
    Summaries = 2,
    /// Tool events, and milestones in their own table.
    Other = 3,
}

/// The bits below the seconds.
const BELOW_SECONDS: u32 = 14;

/// The distance to the next key of the same table.
const STEP: i64 = 4;

/// How many keys are tried one by one before the next gap is looked for.
const NEIGHBOURS: i64 = 32;

/// How far a key may be from its second at most, and by how much a range of keys must be wider than the time it stands for.
pub(crate) const DRIFT: Duration = Duration::from_secs(1 << 12);

/// Gives the key that an event wants.
pub(crate) fn key(ts: Timestamp, id: EventId, table: Table) -> i64 {
    // The last bytes of a UUIDv7 are its random ones.
    let [.., a, b] = *id.as_bytes();
    let id = i64::from(u16::from_be_bytes([a, b]) >> 4);
    first_key(ts) | id << 2 | table as i64
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
        if last + STEP < end && insert(last + STEP)? > 0 {
            return Ok(last + STEP);
        }
        seconds *= 2;
    }
    // Sixteen million events within an hour are no log of anybody's work.
    Err(IndexError::Damaged)
}

/// Gives the table to which a key belongs.
pub(crate) fn table(key: i64) -> Table {
    match key & 3 {
        0 => Table::Prompts,
        1 => Table::Observations,
        2 => Table::Summaries,
        _ => Table::Other,
    }
}

/// Gives the least key of the second in which an instant lies. Whatever happened before 1970 counts as then.
pub(crate) fn first_key(ts: Timestamp) -> i64 {
    ts.as_millis().div_euclid(1000).max(0) << BELOW_SECONDS
}

/// Gives the greatest key of the second in which an instant lies.
pub(crate) fn last_key(ts: Timestamp) -> i64 {
    first_key(ts) | ((1 << BELOW_SECONDS) - 1)
}

/// Gives the number under which the full-text index knows a key, and back: the newest has the least.
///
/// FTS5 walks up through a list of matches as fast as it can read, but down only by decoding each page before it is needed.
pub(crate) const fn mirrored(key: i64) -> i64 {
    (1 << 52) - key
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_follow_the_time_and_know_their_table(a in any::<i64>(), b in any::<i64>(), bytes in any::<[u8; 16]>()) {
            let (a, b) = (Timestamp::from_millis(a), Timestamp::from_millis(b));
            let id = EventId::from_bytes(bytes);
            for kind in [Table::Prompts, Table::Observations, Table::Summaries, Table::Other] {
                let made = key(a, id, kind);
                prop_assert!(made >= 0 && table(made) == kind);
                prop_assert!((first_key(a)..=last_key(a)).contains(&made));
                prop_assert!(last_key(b) >= made || a > b);
                prop_assert!(mirrored(made) > 0 && mirrored(mirrored(made)) == made);
            }
        }
    }
}
