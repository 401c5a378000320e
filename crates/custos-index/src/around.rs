//! What stands beside a text: in its session, and in its project.
//!
//! The order is that of instants, and of ids where those are equal, so it is the same in every index.

use rusqlite::{Connection, OptionalExtension, params};

use crate::entry::{Entry, read_entries, read_entry};
use crate::error::IndexError;
use crate::key::{Key, Table};
use crate::standing::bounded;
use crate::store::Index;

impl Index {
    /// Gives the texts of the same session that stand two and one before a text, and one and two after it; none for a text without a
    /// session.
    pub fn neighbours(&mut self, key: Key) -> Result<[Option<Key>; 4], IndexError> {
        self.read(|connection, _| neighbours(connection, key))
    }

    /// Gives the neighbours of several texts.
    pub fn neighbours_of(&mut self, keys: &[Key]) -> Result<Vec<[Option<Key>; 4]>, IndexError> {
        self.read(|connection, _| keys.iter().map(|key| neighbours(connection, *key)).collect())
    }

    /// Gives a text and what stands around it in its project, in the order of time: at most so many before it, and so many after.
    pub fn beside(&mut self, key: Key, before: usize, after: usize) -> Result<Vec<(Key, Entry)>, IndexError> {
        self.read(|connection, _| {
            let Some(middle) = read_entry(connection, key.0)? else { return Ok(Vec::new()) };
            let mut around = on_one_side(connection, &middle.1, "<", "DESC", before)?;
            around.reverse();
            around.push(middle);
            let anchor = around.len() - 1;
            let later = on_one_side(connection, &around[anchor].1, ">", "ASC", after)?;
            around.extend(later);
            Ok(around)
        })
    }
}

fn neighbours(connection: &Connection, key: Key) -> Result<[Option<Key>; 4], IndexError> {
    let place = connection
        .prepare_cached("SELECT session, ts, id FROM texts WHERE key = ?1")?
        .query_row([key.0], |row| {
            Ok((row.get::<_, Option<String>>(0)?, row.get::<_, i64>(1)?, row.get::<_, [u8; 16]>(2)?))
        })
        .optional()?;
    let Some((Some(session), ts, id)) = place else { return Ok([None; 4]) };
    let nearest = |sql: &str| -> Result<[Option<Key>; 2], IndexError> {
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query(params![session, ts, id])?;
        let mut found = [None; 2];
        for neighbour in &mut found {
            *neighbour = rows.next()?.map(|row| row.get(0).map(Key)).transpose()?;
        }
        Ok(found)
    };
    let [before, second_before] = nearest(
        "SELECT key FROM texts WHERE session = ?1 AND (ts, id) < (?2, ?3) ORDER BY ts DESC, id DESC LIMIT 2",
    )?;
    let [after, second_after] =
        nearest("SELECT key FROM texts WHERE session = ?1 AND (ts, id) > (?2, ?3) ORDER BY ts, id LIMIT 2")?;
    Ok([second_before, before, after, second_after])
}

/// Gives what is nearest to a text on one side of it, the nearest first.
fn on_one_side(
    connection: &Connection,
    middle: &Entry,
    side: &str,
    order: &str,
    limit: usize,
) -> Result<Vec<(Key, Entry)>, IndexError> {
    // Files have no more than a day, which thousands of them may share: those are put in order by their keys, not with all that they have.
    let condition = format!(
        "WHERE key IN (SELECT key FROM texts WHERE project IS ?1 AND kind = ?2 AND (ts, id) {side} (?3, ?4)
         ORDER BY ts {order}, id {order} LIMIT ?5)"
    );
    let mut found = Vec::new();
    for table in Table::ALL {
        found.extend(read_entries(
            connection,
            &condition,
            params![
                middle.project,
                table as i64,
                middle.ts.as_millis(),
                middle.id.as_bytes(),
                bounded(limit)
            ],
        )?);
    }
    found.sort_by_key(|(_, entry)| (entry.ts, entry.id));
    if side == "<" {
        found.reverse();
    }
    found.truncate(limit);
    Ok(found)
}
