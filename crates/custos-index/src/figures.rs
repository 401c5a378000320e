//! Figures about distilling: what models took, and how much of what was made was worth keeping.
//!
//! To have work done again is no verdict on what was made of it. What another pass has replaced is as if it had never been: it is no junk,
//! and counts for nothing else either. Only the last pass over a piece of work tells how much of it was there already.

use custos_model::{EventId, Kind, Timestamp};
use rusqlite::{Connection, ToSql, params};

use crate::apply::unsigned;
use crate::error::IndexError;
use crate::store::Index;

/// How soon something must be replaced or forgotten to have been junk.
const WEEK: i64 = 7 * 86_400_000;

/// Which of what was made counts: observations that no later pass over the same work has replaced.
const COUNTED: &str = "made.content IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM superseded AS again JOIN sources ON sources.derived = again.event
    WHERE again.id = made.id AND sources.result = 4 AND sources.pass > 0)";

/// What one model took in one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// The session.
    pub session: Option<String>,
    /// The project.
    pub project: Option<String>,
    /// Who serves the model.
    pub provider: String,
    /// The model.
    pub model: String,
    /// How often it was asked.
    pub calls: u64,
    /// Tokens sent, those from the provider's cache included.
    pub input: u64,
    /// Tokens of these that came from the provider's cache.
    pub cached: u64,
    /// Tokens received.
    pub output: u64,
    /// Money in millionths of a dollar, as far as it is known.
    pub microdollars: u64,
}

/// How much of what was distilled was not worth keeping.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Junk {
    /// Observations that a worker made, those that were forgotten included, and those that another pass replaced left out.
    pub observations: u64,
    /// Of these, replaced within a week.
    pub superseded: u64,
    /// Results that were there already.
    pub merged: u64,
    /// Observations that somebody had forgotten within a week.
    pub forgotten: u64,
}

impl Junk {
    /// Gives the share of junk, from 0 to 1.
    pub fn share(&self) -> f64 {
        let made = self.observations + self.merged;
        if made == 0 {
            return 0.0;
        }
        (self.superseded + self.merged + self.forgotten) as f64 / made as f64
    }
}

impl Index {
    /// Adds up what models took from one instant to before another, by session, provider and model. Only what a worker asked counts.
    pub fn usage(&mut self, since: Timestamp, until: Timestamp) -> Result<Vec<Usage>, IndexError> {
        self.operate(|connection, _| {
            let mut statement = connection.prepare_cached(
                "SELECT session, project, provider, model, count(*), sum(input), sum(cached), sum(output),
                        coalesce(sum(microdollars), 0)
                 FROM usage WHERE ts >= ?1 AND ts < ?2 AND work IS NOT NULL
                 GROUP BY session, project, provider, model ORDER BY session, project, provider, model",
            )?;
            let mut rows = statement.query(params![since.as_millis(), until.as_millis()])?;
            let mut usage = Vec::new();
            while let Some(row) = rows.next()? {
                let count = |column| unsigned(row.get(column)?);
                usage.push(Usage {
                    session: row.get(0)?,
                    project: row.get(1)?,
                    provider: row.get(2)?,
                    model: row.get(3)?,
                    calls: count(4)?,
                    input: count(5)?,
                    cached: count(6)?,
                    output: count(7)?,
                    microdollars: count(8)?,
                });
            }
            Ok(usage)
        })
    }

    /// Measures how much of what was distilled since an instant was not worth keeping.
    pub fn junk(&mut self, since: Timestamp) -> Result<Junk, IndexError> {
        self.operate(|connection, _| {
            let (gone, forgotten) = gone(connection, since)?;
            let since = since.as_millis();
            let count = |sql: &str, given: &[&dyn ToSql]| -> Result<u64, IndexError> {
                unsigned(connection.prepare_cached(sql)?.query_row(given, |row| row.get(0))?)
            };
            let made = format!("SELECT count(*) FROM made WHERE {COUNTED} AND ts >= ?1");
            let merged =
                "SELECT coalesce(sum(merged), 0) FROM done WHERE ts >= ?1 AND merged > 0 AND NOT EXISTS (
                SELECT 1 FROM sources AS own JOIN sources AS later ON later.source = own.source
                WHERE own.derived = done.id AND later.result = 4 AND later.pass > own.pass)";
            let superseded = format!(
                "SELECT count(DISTINCT made.id) FROM made JOIN superseded ON superseded.id = made.id
                 WHERE {COUNTED} AND made.ts >= ?1 AND superseded.ts - made.ts <= ?2"
            );
            Ok(Junk {
                observations: count(&made, params![since])? + gone,
                superseded: count(&superseded, params![since, WEEK])?,
                merged: count(merged, params![since])?,
                forgotten,
            })
        })
    }
}

/// Counts the observations since an instant that were forgotten, and those of them that were within a week. When they were made, their
/// ids tell; of one that is forgotten nothing else is left.
fn gone(connection: &Connection, since: Timestamp) -> Result<(u64, u64), IndexError> {
    let first = EventId::new(since, [0; 10]);
    let mut statement =
        connection.prepare_cached("SELECT id, at FROM forgotten WHERE kind = ?1 AND id >= ?2")?;
    let mut rows = statement.query(params![Kind::ObservationRecorded.name(), first.as_bytes()])?;
    let (mut all, mut soon) = (0, 0);
    while let Some(row) = rows.next()? {
        let (id, at): ([u8; 16], Option<i64>) = (row.get(0)?, row.get(1)?);
        let made = id[..6].iter().fold(0, |millis, byte| millis << 8 | i64::from(*byte));
        all += 1;
        // Where the log does not tell when, it was by what it was made from, and that was a moment ago.
        soon += u64::from(at.is_none_or(|at| at - made <= WEEK));
    }
    Ok((all, soon))
}
