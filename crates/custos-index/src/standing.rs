//! Which texts stand out without being asked for: the newest, the weightiest, what sums up, what is pinned.
//!
//! These are what a session is given before it has asked anything, so none of them may cost more because other projects have much to
//! say, or because this one has: each is a walk along an index of its own, and stops when there is enough.

use custos_model::{EventId, Kind};
use rusqlite::params;

use crate::entry::{Entry, HOLDS, files, read_entries};
use crate::error::IndexError;
use crate::key::{Key, Table};
use crate::prepare::Prepared;
use crate::store::Index;
use crate::tables::Tables;

/// How many of the latest calls tell what a session is working on.
const LATEST_CALLS: i64 = 200;

impl Index {
    /// Lists the newest texts of a kind that still hold, the newest first; of kinds that are no texts there are none. The empty name stands
    /// for texts that belong to no project.
    pub fn recent(
        &mut self,
        kind: Kind,
        project: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Entry>, IndexError> {
        let Some(table) = Table::of(kind) else { return Ok(Vec::new()) };
        let (table, limit) = (table as i64, bounded(limit));
        let found = self.read(|connection, _| match project {
            Some(project) => read_entries(
                connection,
                &format!("WHERE project IS ?1 AND kind = ?2 AND {HOLDS} ORDER BY ts DESC, id LIMIT ?3"),
                params![Some(project).filter(|project| !project.is_empty()), table, limit],
            ),
            None => read_entries(
                connection,
                &format!("WHERE kind = ?1 AND {HOLDS} ORDER BY ts DESC, id LIMIT ?2"),
                params![table, limit],
            ),
        })?;
        Ok(found.into_iter().map(|(_, entry)| entry).collect())
    }

    /// Lists the files that a session has in hand in a project, those that it changed first, then the latest. Looks at the latest calls
    /// only, of whichever session they are.
    ///
    /// In a workspace, all that a session touches lies in the repos inside of it. So where there is nothing of the project, its files
    /// elsewhere are those in hand.
    pub fn files_at_hand(
        &mut self,
        project: &str,
        session: &str,
        limit: usize,
    ) -> Result<Vec<String>, IndexError> {
        self.read(|connection, _| {
            let mut statement = connection.prepare_cached(
                "SELECT files_changed, files_read, session, project FROM tool_events ORDER BY key DESC LIMIT ?1",
            )?;
            let mut rows = statement.query([LATEST_CALLS])?;
            let (mut here, mut elsewhere) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
            while let Some(row) = rows.next()? {
                let is = |column, wanted| -> rusqlite::Result<bool> {
                    Ok(row.get::<_, Option<String>>(column)?.as_deref() == Some(wanted))
                };
                if is(2, session)? {
                    let [changed, read] = if is(3, project)? { &mut here } else { &mut elsewhere };
                    changed.extend(files(row, 0)?);
                    read.extend(files(row, 1)?);
                }
            }
            let [changed, read] = if here.iter().all(Vec::is_empty) { elsewhere } else { here };
            let mut at_hand: Vec<String> = Vec::new();
            for file in changed.into_iter().chain(read) {
                if at_hand.len() == limit {
                    break;
                }
                if !at_hand.contains(&file) {
                    at_hand.push(file);
                }
            }
            Ok(at_hand)
        })
    }

    /// Lists the most important observations of a project that still hold, the most important first, then the newest.
    pub fn weighty(&mut self, project: &str, limit: usize) -> Result<Vec<(Key, Entry)>, IndexError> {
        self.read(|connection, _| {
            read_entries(
                connection,
                &format!(
                    "INDEXED BY texts_by_weight WHERE project = ?1 AND kind = 1 AND {HOLDS}
                     ORDER BY importance DESC, ts DESC, id LIMIT ?2"
                ),
                params![project, bounded(limit)],
            )
        })
    }

    /// Lists the summaries of a project that still hold, the newest first: of whole sessions only, or of whatever was summed up.
    pub fn summaries(
        &mut self,
        project: &str,
        of_session: bool,
        limit: usize,
    ) -> Result<Vec<(Key, Entry)>, IndexError> {
        let condition = if of_session {
            format!(
                "INDEXED BY texts_of_sessions WHERE project = ?1 AND of_session = 1 AND +kind = 2 AND {HOLDS}
                 ORDER BY ts DESC, id LIMIT ?2"
            )
        } else {
            format!("WHERE project = ?1 AND kind = 2 AND {HOLDS} ORDER BY ts DESC, id LIMIT ?2")
        };
        self.read(|connection, _| read_entries(connection, &condition, params![project, bounded(limit)]))
    }

    /// Lists what is pinned in a project, with what belongs to none, or everywhere, the newest first.
    pub fn pinned(&mut self, project: Option<&str>) -> Result<Vec<(Key, Entry)>, IndexError> {
        self.read(|connection, _| {
            // From the pins, of which there are few, to their texts: those of the log, and those of files.
            read_entries(
                connection,
                &format!(
                    "WHERE key IN (SELECT key FROM pins JOIN events ON events.id = pins.text
                        UNION SELECT key FROM pins JOIN knowledge ON knowledge.id = pins.text)
                     AND id IN (SELECT text FROM pins AS word WHERE pinned AND NOT EXISTS (
                        SELECT 1 FROM pins AS later WHERE later.text = word.text
                            AND (later.ts, later.event) > (word.ts, word.event)))
                     AND (?1 IS NULL OR project IS NULL OR +project = ?1) AND {HOLDS} ORDER BY ts DESC, id"
                ),
                params![project],
            )
        })
    }
}

impl Tables<'_, '_> {
    pub(crate) fn store_pins(&self, event: &Prepared, texts: &[(EventId, bool)]) -> Result<(), IndexError> {
        for (text, pinned) in texts {
            self.connection
                .prepare_cached("INSERT OR REPLACE INTO pins VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![text.as_bytes(), event.ts.as_millis(), event.id.as_bytes(), pinned])?;
        }
        Ok(())
    }
}

/// Makes a limit storable.
pub(crate) fn bounded(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
