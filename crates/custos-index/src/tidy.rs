//! Tidying up, which nobody in a hurry does: forgotten bytes, the write-ahead log, and the segments of the full-text index.
//!
//! FTS5 writes what is new as a segment of its own and merges segments now and then. Every look at a word is a look into each of them,
//! so a question to an index of nine segments takes three times as long as to one of a single segment. Whoever has time makes one of
//! them as soon as the small ones have grown to a part of the large one; with that, each page is written a few times in its life.

use rusqlite::{Connection, params};

use crate::error::IndexError;
use crate::store::{Index, User};

/// How FTS5 gathers and merges: bytes to gather, segments before it merges a little, segments before it merges at once.
pub(crate) type SearchConfiguration = [(&'static str, i64); 3];

/// Merge early: questions are asked more often than something is written.
pub(crate) const EVERYDAY: SearchConfiguration =
    [("hashsize", 1 << 20), ("automerge", 2), ("crisismerge", 16)];

/// Gather much, merge once at the end.
pub(crate) const BULK: SearchConfiguration =
    [("hashsize", 24 << 20), ("automerge", 0), ("crisismerge", 1000)];

/// Segments are made one when all but the largest have a page for so many of that one.
const GROWN: i64 = 4;

/// How many pages are merged in one transaction, for which others wait, and how many transactions there are at most.
const MERGED_PAGES: i64 = 512;
const MERGES: usize = 4096;

impl Index {
    /// Takes forgotten bytes out of the file, merges the full-text index if something was added, and copies the write-ahead log back.
    pub(crate) fn tidy_up(&mut self, has_grown: bool) -> Result<(), IndexError> {
        if self.needs_purge()? {
            match self.place.claim_replacement() {
                Ok(claim) => self.purge(&claim)?,
                // Whoever is preparing a replacement will find the same note.
                Err(IndexError::Busy) => {}
                Err(error) => return Err(error),
            }
        }
        if self.user == User::Worker {
            if has_grown {
                self.merge_segments()?;
            }
            self.write(|connection, _| {
                // Cut as well as copied: the first process that opens the index reads through all that is in it, and that is mostly a hook,
                // which 40 MB cost 7 ms. That somebody still reads from it is no error; the next one copies it.
                connection.busy_timeout(std::time::Duration::ZERO)?;
                let cut = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
                connection.busy_timeout(crate::store::PATIENCE)?;
                Ok(cut?)
            })?;
        }
        Ok(())
    }

    fn merge_segments(&mut self) -> Result<(), IndexError> {
        let sizes = self.read(|connection, _| segments(connection))?;
        let largest = sizes.iter().copied().max().unwrap_or(0);
        let others = sizes.iter().sum::<i64>() - largest;
        if sizes.len() < 3 || others * GROWN < largest {
            return Ok(());
        }
        for _ in 0..MERGES {
            // Negative: whatever their levels are, all segments become one.
            let done = self.write(|connection, _| {
                let before = connection.total_changes();
                connection
                    .prepare_cached("INSERT INTO search (search, rank) VALUES ('merge', ?1)")?
                    .execute([-MERGED_PAGES])?;
                // The statement itself counts as one.
                Ok(connection.total_changes() - before < 2)
            });
            match done {
                Ok(false) => {}
                // There is one, or others write: they go first.
                Ok(true) | Err(IndexError::Busy) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Tells how many pages each segment of the full-text index has, from the tables in which FTS5 keeps them.
fn segments(connection: &Connection) -> Result<Vec<i64>, IndexError> {
    let mut next = connection.prepare_cached("SELECT min(segid) FROM search_idx WHERE segid > ?1")?;
    // A page's id is its segment's number, six bits for pages of other sorts, and its own number.
    let mut last = connection.prepare_cached(
        "SELECT max(id) - (?1 << 37) FROM search_data WHERE id >= ?1 << 37 AND id < (?1 << 37) + (1 << 31)",
    )?;
    let mut sizes = Vec::new();
    let mut segment = 0;
    while let Some(number) = next.query_row([segment], |row| row.get::<_, Option<i64>>(0))? {
        sizes.push(last.query_row([number], |row| row.get::<_, Option<i64>>(0))?.unwrap_or(0));
        segment = number;
    }
    Ok(sizes)
}

/// Tells FTS5 how to gather and merge from now on.
pub(crate) fn configure_search(
    connection: &Connection,
    configuration: SearchConfiguration,
) -> rusqlite::Result<()> {
    for (option, value) in configuration {
        connection.execute("INSERT INTO search (search, rank) VALUES (?1, ?2)", params![option, value])?;
    }
    Ok(())
}
