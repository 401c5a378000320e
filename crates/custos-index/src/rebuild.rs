//! Rebuilding: the whole log into a fresh file, which then takes the place of the old one.
//!
//! Readers keep the old index until the new one is finished; they never see half of one. A crash in between leaves a file that
//! nobody uses and the next rebuild removes. Because nobody else sees the fresh file, it needs no journal and no small transactions,
//! and the full-text index is merged once at the end instead of again and again.
//!
//! What the old index has of knowledge files is taken over, as far as it can be read: the log does not have it, and until somebody looked at
//! the files again, whoever looks after the vectors would take theirs for nobody's.

use custos_log::LogReader;
use custos_log::disk::{Access, Disk, OsDisk};
use rusqlite::{Connection, OpenFlags};

use crate::apply::{apply_within, renamed};
use crate::backlog::{Backlog, Next};
use crate::catch_up::{CatchUp, Progress, ahead};
use crate::error::IndexError;
use crate::knowledge::{KeptItem, take_over};
use crate::place::Place;
use crate::schema;
use crate::store::Index;
use crate::tidy::{BULK, EVERYDAY, configure_search};

impl Index {
    /// Makes the index anew from the log; busy if another process is doing so.
    pub fn rebuild(
        &mut self,
        log: &LogReader,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<CatchUp, IndexError> {
        let claim = self.place.claim_replacement()?;
        let mut files = self.kept_items().unwrap_or_default();
        // What other processes knew stays known; it is never taken back.
        let known = self.operate(|connection, _| renamed(connection)).unwrap_or_default();
        let log = &log.clone().calling(known.into_iter().chain(log.renamed().clone()));
        for file in &mut files {
            file.rename(log.renamed());
        }
        let fresh = self.place.fresh();
        Place::remove(&Place::with_companions(&fresh))?;
        self.place.create(&fresh)?;
        let result = fill(&fresh, log, &files, progress)?;
        // One wait for the disk, so that after a power cut the name does not lead to an empty file.
        OsDisk
            .open(&fresh, Access::Edit)
            .and_then(|file| file.sync())
            .map_err(IndexError::io("write", &fresh))?;
        self.put_in_place(&fresh)?;
        if self.needs_purge()? {
            // Something was read and then forgotten: its bytes are still in free pages.
            self.purge(&claim)?;
        }
        self.renewed = false;
        Ok(result)
    }
}

fn fill(
    fresh: &std::path::Path,
    log: &LogReader,
    files: &[KeptItem],
    progress: &mut dyn FnMut(Progress),
) -> Result<CatchUp, IndexError> {
    let connection = Connection::open_with_flags(fresh, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update_and_check(None, "journal_mode", "off", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "off")?;
    connection.pragma_update(None, "locking_mode", "exclusive")?;
    connection.pragma_update(None, "cache_size", -64 * 1024)?;
    crate::store::plan_once(&connection)?;
    connection.execute_batch("BEGIN")?;
    schema::create(&connection)?;
    configure_search(&connection, BULK)?;
    for (was, now) in log.renamed() {
        connection.execute("INSERT INTO renamed VALUES (?1, ?2)", [was, now])?;
    }
    let backlog = Backlog::new(log, &[])?;
    let mut result = CatchUp { complete: true, rebuilt: true, ..CatchUp::default() };
    let total_bytes = backlog.bytes()?;
    ahead(backlog, |batches| {
        for next in batches {
            let Next::Batch(batch) = next? else { break };
            // The cursors are our own, so nobody can have been faster.
            let applied = apply_within(&connection, &batch)?.ok_or(IndexError::Damaged)?;
            result.events += applied.events;
            result.problems += applied.problems;
            result.bytes += batch.bytes;
            progress(Progress { events: result.events, bytes: result.bytes, total_bytes });
        }
        Ok(())
    })?;
    take_over(&connection, files)?;
    connection.execute("INSERT INTO search (search) VALUES ('optimize')", [])?;
    configure_search(&connection, EVERYDAY)?;
    connection.execute_batch("COMMIT")?;
    connection.pragma_update(None, "locking_mode", "normal")?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    Ok(result)
}
