//! Forgetting: what was said is gone from the file, not only from the answers.
//!
//! Deleting rows is the smaller part of it. FTS5 only marks what is deleted, SQLite leaves old bytes in free pages and free space, and
//! the write-ahead log holds older versions of pages. So after the rows are gone the full-text index is merged into one piece, which
//! drops what was marked, and everything that is left is copied into a fresh file that takes the old one's place. Nothing that was
//! ever in the old file but not in a row can survive that.
//!
//! The copy takes a second for a hundred thousand texts. A hook that comes across a `forget.done` event deletes the rows, so that
//! nothing forgotten is found from then on, and leaves the copy to whoever catches up without a budget.

use std::collections::{BTreeSet, HashSet};

use custos_model::{EventId, Kind, Timestamp};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, params};

use crate::entry::listed_ids;
use crate::error::IndexError;
use crate::key::Table;
use crate::place::{Claim, Place};
use crate::prepare::is_work;
use crate::store::Index;
use crate::tables::Tables;

impl Index {
    /// Takes events out, and everything that was derived from them, so that no byte of them stays in any file of the index.
    ///
    /// They do not come back with the next catch-up or a rebuild of this file; that they stay away from a new one is the log's
    /// `forget.done` event's doing. Items of files are taken out as well, and come back when somebody reads the file again. Gives the
    /// number of events and items that were taken out.
    pub fn forget(&mut self, ids: &[EventId]) -> Result<u64, IndexError> {
        let claim = self.place.claim_replacement()?;
        let removed = self.write(|connection, _| {
            let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
            let mut tables = Tables::open(&transaction)?;
            let (mut events, mut pieces) = (Vec::new(), Vec::new());
            for id in ids {
                match tables.remove_knowledge(*id)? {
                    None => events.push(*id),
                    Some(of_item) => {
                        tables.removed += 1;
                        pieces.extend(of_item);
                    }
                }
            }
            tables.count_orphans(&pieces)?;
            tables.forget(events, None)?;
            let removed = tables.removed;
            tables.finish()?;
            transaction.commit()?;
            Ok(removed)
        })?;
        self.purge(&claim)?;
        Ok(removed)
    }

    /// Lists the texts that count again once some events are gone, because nothing else has taken their place.
    pub fn replaced_only_by(&mut self, ids: &[EventId]) -> Result<Vec<EventId>, IndexError> {
        let going: HashSet<EventId> = ids.iter().copied().collect();
        self.read(|connection, _| {
            let mut replaced_by = connection
                .prepare_cached("SELECT DISTINCT id FROM superseded WHERE replacement = ?1 OR event = ?1")?;
            let mut replacements =
                connection.prepare_cached("SELECT replacement, event FROM superseded WHERE id = ?1")?;
            let mut stays_replaced = |old: EventId| -> Result<bool, IndexError> {
                let mut rows = replacements.query([old.as_bytes()])?;
                while let Some(row) = rows.next()? {
                    let [by, event] = [row.get(0)?, row.get(1)?].map(EventId::from_bytes);
                    if !going.contains(&by) && !going.contains(&event) {
                        return Ok(true);
                    }
                }
                Ok(false)
            };
            let mut is_text = connection.prepare_cached(
                "SELECT 1 FROM events JOIN texts ON texts.key = events.key AND texts.id = events.id WHERE events.id = ?1",
            )?;
            let mut back = BTreeSet::new();
            for id in ids {
                for old in listed_ids(&mut replaced_by, *id)? {
                    if !going.contains(&old)
                        && !stays_replaced(old)?
                        && is_text.exists([old.as_bytes()])?
                    {
                        back.insert(old);
                    }
                }
            }
            Ok(back.into_iter().collect())
        })
    }

    /// Says whether rows were forgotten whose bytes may still be in the file.
    pub(crate) fn needs_purge(&mut self) -> Result<bool, IndexError> {
        self.operate(|connection, _| {
            Ok(connection
                .query_row("SELECT value <> 0 FROM meta WHERE name = 'purge'", [], |row| row.get(0))?)
        })
    }

    /// Copies what is left into a fresh file. After a crash, the next catch-up without a budget does it again.
    pub(crate) fn purge(&mut self, _claim: &Claim) -> Result<(), IndexError> {
        let fresh = self.place.fresh();
        Place::remove(&Place::with_companions(&fresh))?;
        self.place.create(&fresh)?;
        let Some(target) = fresh.to_str().map(str::to_owned) else {
            return Err(IndexError::NotAFile(fresh));
        };
        self.write(|connection, _| {
            connection.execute("INSERT INTO search (search) VALUES ('optimize')", [])?;
            connection.execute("VACUUM INTO ?1", [&target])?;
            Ok(())
        })?;
        {
            let copy = Connection::open_with_flags(&fresh, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            copy.execute("UPDATE meta SET value = 0 WHERE name = 'purge'", [])?;
            copy.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        }
        self.put_in_place(&fresh)
    }
}

impl Tables<'_, '_> {
    /// Takes events out, and what was derived from them, and what was derived from that. `at` is when the log says that they were
    /// forgotten; what was taken out before it said so learns it then.
    pub(crate) fn forget(&mut self, ids: Vec<EventId>, at: Option<Timestamp>) -> Result<(), IndexError> {
        let at = at.map(Timestamp::as_millis);
        let mut to_forget = ids;
        let mut reopened = Vec::new();
        while let Some(id) = to_forget.pop() {
            self.anything_forgotten = true;
            let new = self
                .connection
                .prepare_cached("INSERT OR IGNORE INTO forgotten (id, at) VALUES (?1, ?2)")?
                .execute(params![id.as_bytes(), at])?;
            if new == 0 {
                self.connection
                    .prepare_cached("UPDATE forgotten SET at = ?2 WHERE id = ?1 AND at IS NULL")?
                    .execute(params![id.as_bytes(), at])?;
                continue;
            }
            // What it had replaced counts again, also where another event said that it had.
            self.connection
                .prepare_cached("DELETE FROM superseded WHERE replacement = ?1 OR event = ?1")?
                .execute([id.as_bytes()])?;
            self.remove(id)?;
            to_forget.extend(
                self.linked("SELECT derived FROM sources WHERE source = ?1 AND result IN (0, 5)", id)?,
            );
            // Work whose result is gone is work again.
            reopened.extend(self.linked("SELECT source FROM sources WHERE derived = ?1", id)?);
            self.connection
                .prepare_cached("DELETE FROM sources WHERE source = ?1 OR derived = ?1")?
                .execute([id.as_bytes()])?;
        }
        for source in reopened {
            self.settle(source)?;
        }
        Ok(())
    }

    fn linked(&self, sql: &str, id: EventId) -> Result<Vec<EventId>, IndexError> {
        listed_ids(&mut *self.connection.prepare_cached(sql)?, id)
    }

    /// Removes the rows of one event.
    fn remove(&mut self, id: EventId) -> Result<(), IndexError> {
        let found = self
            .connection
            .prepare_cached("DELETE FROM events WHERE id = ?1 RETURNING kind, key")?
            .query_row([id.as_bytes()], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))
            .optional()?;
        let Some((kind_no, row_key)) = found else { return Ok(()) };
        let kind = self.kind(kind_no).ok_or(IndexError::Damaged)?;
        self.name_forgotten(id, kind.name())?;
        self.remove_from_books(id)?;
        *self.kind_counts.entry(kind_no).or_default() -= 1;
        self.removed += 1;
        let session = if Table::of(kind).is_some() {
            self.remove_text(row_key, id)?
        } else {
            self.remove_row(kind, row_key, id)?
        };
        self.stale_sessions.extend(session);
        if is_work(kind) {
            self.connection.prepare_cached("DELETE FROM work WHERE event = ?1")?.execute([id.as_bytes()])?;
        }
        Ok(())
    }

    /// Removes the row of an event that is no text, and gives its session.
    fn remove_row(&self, kind: Kind, key: i64, id: EventId) -> Result<Option<String>, IndexError> {
        let table = match kind.class() {
            custos_model::kind::Class::Tools => "tool_events",
            _ => "milestones",
        };
        // The id as well: events of other kinds have a key but no row, and another row may have that key.
        let session = self
            .connection
            .prepare_cached(&format!("DELETE FROM {table} WHERE key = ?1 AND id = ?2 RETURNING session"))?
            .query_row(params![key, id.as_bytes()], |row| row.get::<_, Option<String>>(0))
            .optional()?;
        Ok(session.flatten())
    }
}
