//! Figures about distilling: what models took, and how much of what was made was worth keeping.

use custos_model::{Kind, Timestamp};
use rusqlite::params;

use crate::apply::unsigned;
use crate::error::IndexError;
use crate::store::Index;

/// How soon something must be replaced to have been junk.
const WEEK: i64 = 7 * 86_400_000;

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
    /// Observations that a worker made, those that were forgotten included.
    pub observations: u64,
    /// Of these, replaced within a week.
    pub superseded: u64,
    /// Results that were there already.
    pub merged: u64,
    /// Observations that somebody had forgotten.
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

    /// Measures how much of what was distilled was not worth keeping.
    pub fn junk(&mut self) -> Result<Junk, IndexError> {
        self.operate(|connection, _| {
            let count = |sql: &str| -> Result<u64, IndexError> {
                unsigned(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
            };
            let forgotten = unsigned(
                connection
                    .prepare_cached("SELECT count(*) FROM forgotten WHERE kind = ?1")?
                    .query_row([Kind::ObservationRecorded.name()], |row| row.get(0))?,
            )?;
            let superseded = unsigned(
                connection
                    .prepare_cached(
                        "SELECT count(DISTINCT made.id) FROM made JOIN superseded ON superseded.id = made.id
                         WHERE made.content IS NOT NULL AND superseded.ts - made.ts <= ?1",
                    )?
                    .query_row([WEEK], |row| row.get(0))?,
            )?;
            Ok(Junk {
                observations: count("SELECT count(*) FROM made WHERE content IS NOT NULL")? + forgotten,
                superseded,
                merged: count("SELECT coalesce(sum(merged), 0) FROM done")?,
                forgotten,
            })
        })
    }
}
