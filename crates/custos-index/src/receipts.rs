//! Which memories were given to whom: the receipts, as far as they are listed. What each says is in the log.

use custos_model::{EventId, Timestamp};
use rusqlite::params;

use crate::error::IndexError;
use crate::prepare::Prepared;
use crate::standing::bounded;
use crate::store::Index;
use crate::tables::Tables;

/// A receipt. [`Index::locate`] tells where the whole of it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served {
    /// The event.
    pub id: EventId,
    /// When it was.
    pub ts: Timestamp,
    /// The session that was given something.
    pub session: Option<String>,
    /// The project.
    pub project: Option<String>,
    /// On which occasion; empty where the receipt does not say.
    pub moment: String,
}

impl Index {
    /// Lists the receipts of one session or all, the newest first.
    pub fn receipts(&mut self, session: Option<&str>, limit: usize) -> Result<Vec<Served>, IndexError> {
        let condition = if session.is_some() { "session = ?1" } else { "?1 IS NULL" };
        self.read(|connection, _| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT id, ts, session, project, moment FROM served WHERE {condition}
                 ORDER BY ts DESC, id DESC LIMIT ?2"
            ))?;
            let served = statement.query_map(params![session, bounded(limit)], |row| {
                Ok(Served {
                    id: EventId::from_bytes(row.get(0)?),
                    ts: Timestamp::from_millis(row.get(1)?),
                    session: row.get(2)?,
                    project: row.get(3)?,
                    moment: row.get(4)?,
                })
            })?;
            Ok(served.collect::<rusqlite::Result<_>>()?)
        })
    }
}

impl Tables<'_, '_> {
    pub(crate) fn store_served(&self, event: &Prepared, moment: &str) -> Result<(), IndexError> {
        self.connection.prepare_cached("INSERT OR IGNORE INTO served VALUES (?1, ?2, ?3, ?4, ?5)")?.execute(
            params![event.id.as_bytes(), event.ts.as_millis(), event.session, event.project, moment],
        )?;
        Ok(())
    }
}
