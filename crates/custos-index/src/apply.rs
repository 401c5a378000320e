//! A batch becomes rows.
//!
//! Everything about a batch is stored in the transaction that also moves the cursor, so after a crash the index has read up to the
//! cursor and not a line further. Before anything else the cursor is compared with where the batch begins: if another process was
//! faster, the batch is of no use any more and nothing is stored.
//!
//! The order in which events arrive must not show in the result, because a rebuilt index reads them in another one. A result may come
//! before the work that it settles, a forgetting before what it forgets, a derived text before its source. Each of these pairs is
//! therefore looked at from both sides.

use custos_log::{Position, Renamed, WriterId};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use crate::backlog::{Batch, Item, Mark};
use crate::error::IndexError;
use crate::tables::Tables;

/// What storing a batch came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Applied {
    pub(crate) events: u64,
    pub(crate) problems: u64,
}

/// Reads how far each writer's log has been read.
pub(crate) fn marks(connection: &Connection) -> Result<Vec<Mark>, IndexError> {
    let mut statement =
        connection.prepare_cached("SELECT writer, segment, offset, seq FROM cursors ORDER BY writer")?;
    let mut rows = statement.query([])?;
    let mut marks = Vec::new();
    while let Some(row) = rows.next()? {
        let writer: WriterId = row.get::<_, String>(0)?.parse().map_err(|_| IndexError::Damaged)?;
        let position = Position { segment: row.get(1)?, offset: unsigned(row.get(2)?)? };
        marks.push(Mark { writer, position, seq: unsigned(row.get(3)?)? });
    }
    Ok(marks)
}

/// Reads what projects are called that are called otherwise in the log.
pub(crate) fn renamed(connection: &Connection) -> Result<Renamed, IndexError> {
    let mut statement = connection.prepare_cached("SELECT was, now FROM renamed")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Stores a batch in a transaction of its own; none if another process has been faster.
pub(crate) fn apply(connection: &Connection, batch: &Batch) -> Result<Option<Applied>, IndexError> {
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let applied = apply_within(&transaction, batch)?;
    match applied {
        Some(_) => transaction.commit()?,
        None => transaction.rollback()?,
    }
    Ok(applied)
}

/// Stores a batch in the transaction that is open.
pub(crate) fn apply_within(connection: &Connection, batch: &Batch) -> Result<Option<Applied>, IndexError> {
    let known = connection
        .prepare_cached("SELECT no, segment, offset FROM cursors WHERE writer = ?1")?
        .query_row([batch.from.writer.as_str()], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, u32>(1)?, row.get::<_, i64>(2)?))
        })
        .optional()?;
    let (writer, reached) = match known {
        Some((no, segment, offset)) => (Some(no), Position { segment, offset: unsigned(offset)? }),
        None => (None, Position::START),
    };
    if reached != batch.from.position {
        return Ok(None);
    }
    let mark = &batch.to;
    let position =
        params![mark.writer.as_str(), mark.position.segment, signed(mark.position.offset), signed(mark.seq)];
    connection
        .prepare_cached(
            "INSERT INTO cursors (writer, segment, offset, seq) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (writer) DO UPDATE SET segment = excluded.segment, offset = excluded.offset, seq = excluded.seq",
        )?
        .execute(position)?;
    let writer = writer.unwrap_or_else(|| connection.last_insert_rowid());
    let mut tables = Tables::open(connection)?;
    let mut applied = Applied::default();
    for item in &batch.items {
        match item {
            Item::Event(event) => applied.events += u64::from(tables.store(event, writer)?),
            Item::Gone { id, kind } => {
                tables.forget(vec![*id], None)?;
                tables.name_forgotten(*id, kind)?;
            }
            Item::Problem { at, reason } => {
                tables.store_problem(writer, *at, reason)?;
                applied.problems += 1;
            }
        }
    }
    tables.finish()?;
    Ok(Some(applied))
}

/// Takes a stored number for what it was before; a negative one was never stored by us.
pub(crate) fn unsigned(stored: i64) -> Result<u64, IndexError> {
    u64::try_from(stored).map_err(|_| IndexError::Damaged)
}

/// Makes a number storable. No file and no sequence gets anywhere near the limit.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(from: u64, to: u64) -> Batch {
        let mark = |offset| Mark {
            writer: "w".parse().unwrap(),
            position: Position { segment: 1, offset },
            seq: offset / 10,
        };
        let at = Position { segment: 1, offset: from };
        let items = vec![Item::Problem { at, reason: "is no record".to_owned() }];
        Batch { from: mark(from), to: mark(to), items, bytes: to - from }
    }

    #[test]
    fn a_batch_is_stored_only_where_the_cursor_stands() {
        let connection = Connection::open_in_memory().unwrap();
        crate::schema::create(&connection).unwrap();
        let store = |from, to| apply(&connection, &batch(from, to)).unwrap().map(|applied| applied.problems);
        assert_eq!(store(0, 100), Some(1));
        // Overtaken: another process has stored this stretch, or a longer one.
        assert_eq!([store(0, 100), store(0, 50), store(50, 150)], [None, None, None]);
        // Ahead of it: what lies between would be lost.
        assert_eq!(store(200, 300), None);
        assert_eq!(store(100, 200), Some(1));
        assert_eq!(marks(&connection).unwrap(), [batch(100, 200).to]);
        let problems: i64 =
            connection.query_row("SELECT count(*) FROM problems", [], |row| row.get(0)).unwrap();
        assert_eq!(problems, 2);
    }
}
