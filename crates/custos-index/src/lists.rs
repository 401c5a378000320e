//! Lists: the sessions, and the work that waits for a result.

use custos_model::{EventId, Kind, Timestamp};
use rusqlite::params;

use crate::apply::unsigned;
use crate::error::IndexError;
use crate::store::Index;

/// A session, and what it came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The client's own name for it.
    pub session: String,
    /// Project, client and agent of its first event.
    pub project: Option<String>,
    /// The client that it ran in.
    pub client: Option<String>,
    /// The agent's pseudonym.
    pub agent: Option<String>,
    /// Its first sign of life.
    pub first: Timestamp,
    /// Its last sign of life.
    pub last: Timestamp,
    /// When it was opened, if that was recorded.
    pub started: Option<Timestamp>,
    /// When it was closed, if it was.
    pub ended: Option<Timestamp>,
    /// When it was found to be silent, if it was.
    pub interrupted: Option<Timestamp>,
    /// How many turns it had.
    pub turns: u64,
    /// How many prompts.
    pub prompts: u64,
    /// How many tool events.
    pub tool_events: u64,
    /// How many observations were made from it.
    pub observations: u64,
    /// How many summaries.
    pub summaries: u64,
}

/// An event that waits for a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// The event.
    pub event: EventId,
    /// What it is.
    pub kind: Kind,
    /// When it happened.
    pub ts: Timestamp,
    /// The session.
    pub session: Option<String>,
    /// The project.
    pub project: Option<String>,
    /// How often it has failed.
    pub attempts: u64,
}

/// How much work there is in each state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkCounts {
    /// Waits for a result.
    pub pending: u64,
    /// Has one.
    pub done: u64,
    /// Was given up.
    pub abandoned: u64,
}

impl Index {
    /// Lists the sessions, the one that was last active first.
    pub fn sessions(&mut self, project: Option<&str>, limit: usize) -> Result<Vec<Session>, IndexError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.operate(|connection, _| {
            let mut statement = connection.prepare_cached(
                "SELECT session, project, client, agent, first, last, started, ended, interrupted,
                        turns, prompts, tool_events, observations, summaries
                 FROM sessions WHERE ?1 IS NULL OR project = ?1 ORDER BY last DESC, session LIMIT ?2",
            )?;
            let mut rows = statement.query(params![project, limit])?;
            let mut sessions = Vec::new();
            while let Some(row) = rows.next()? {
                let time =
                    |column| row.get::<_, Option<i64>>(column).map(|ts| ts.map(Timestamp::from_millis));
                let count = |column| unsigned(row.get(column)?);
                sessions.push(Session {
                    session: row.get(0)?,
                    project: row.get(1)?,
                    client: row.get(2)?,
                    agent: row.get(3)?,
                    first: Timestamp::from_millis(row.get(4)?),
                    last: Timestamp::from_millis(row.get(5)?),
                    started: time(6)?,
                    ended: time(7)?,
                    interrupted: time(8)?,
                    turns: count(9)?,
                    prompts: count(10)?,
                    tool_events: count(11)?,
                    observations: count(12)?,
                    summaries: count(13)?,
                });
            }
            Ok(sessions)
        })
    }

    /// Lists the work that waits, session by session, the oldest of each first.
    pub fn pending_work(&mut self, session: Option<&str>, limit: usize) -> Result<Vec<Work>, IndexError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let sql = format!(
            "SELECT work.event, kinds.name, work.ts, work.session, work.project, work.attempts
             FROM work JOIN kinds ON kinds.no = work.kind
             WHERE work.state = 0 {} ORDER BY work.session, work.ts, work.event LIMIT ?2",
            // Said twice, because "?1 IS NULL OR" would keep SQLite from using the index for one session.
            if session.is_some() { "AND work.session = ?1" } else { "AND ?1 IS NULL" }
        );
        self.operate(|connection, _| {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![session, limit])?;
            let mut work = Vec::new();
            while let Some(row) = rows.next()? {
                work.push(Work {
                    event: EventId::from_bytes(row.get(0)?),
                    kind: row.get::<_, String>(1)?.parse().map_err(|_| IndexError::Damaged)?,
                    ts: Timestamp::from_millis(row.get(2)?),
                    session: row.get(3)?,
                    project: row.get(4)?,
                    attempts: unsigned(row.get(5)?)?,
                });
            }
            Ok(work)
        })
    }

    /// Counts the work in each state.
    pub fn work_counts(&mut self) -> Result<WorkCounts, IndexError> {
        self.operate(|connection, _| {
            let mut statement =
                connection.prepare_cached("SELECT state, count(*) FROM work GROUP BY state")?;
            let mut rows = statement.query([])?;
            let mut counts = WorkCounts::default();
            while let Some(row) = rows.next()? {
                let count = unsigned(row.get(1)?)?;
                match row.get::<_, i64>(0)? {
                    0 => counts.pending = count,
                    1 => counts.done = count,
                    2 => counts.abandoned = count,
                    _ => return Err(IndexError::Damaged),
                }
            }
            Ok(counts)
        })
    }
}
