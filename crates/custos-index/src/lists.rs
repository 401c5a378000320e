//! The lists of sessions and projects.

use custos_model::Timestamp;
use rusqlite::{Row, params};

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

impl Index {
    /// Lists the sessions, the one that was last active first.
    pub fn sessions(&mut self, project: Option<&str>, limit: usize) -> Result<Vec<Session>, IndexError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.operate(|connection, _| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM sessions WHERE ?1 IS NULL OR project = ?1 ORDER BY last DESC, session LIMIT ?2"
            ))?;
            let mut rows = statement.query(params![project, limit])?;
            let mut sessions = Vec::new();
            while let Some(row) = rows.next()? {
                sessions.push(session(row)?);
            }
            Ok(sessions)
        })
    }

    /// Lists the sessions whose names begin with a text, the one that was last active first.
    pub fn sessions_beginning(&mut self, beginning: &str) -> Result<Vec<Session>, IndexError> {
        self.operate(|connection, _| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM sessions WHERE substr(session, 1, length(?1)) = ?1 ORDER BY last DESC, session"
            ))?;
            let mut rows = statement.query([beginning])?;
            let mut sessions = Vec::new();
            while let Some(row) = rows.next()? {
                sessions.push(session(row)?);
            }
            Ok(sessions)
        })
    }

    /// Lists the projects that something was recorded in, in order of their names.
    pub fn projects(&mut self) -> Result<Vec<String>, IndexError> {
        self.operate(|connection, _| {
            // A session may go on in another project than the one that it began in, and what was made need not have a session.
            let mut statement = connection.prepare_cached(
                "SELECT project FROM sessions WHERE project IS NOT NULL
                 UNION SELECT project FROM scopes WHERE project <> ''
                 UNION SELECT project FROM work WHERE project IS NOT NULL
                 UNION SELECT project FROM milestones WHERE project IS NOT NULL",
            )?;
            let projects = statement.query_map([], |row| row.get(0))?;
            Ok(projects.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Gives one session.
    pub fn session(&mut self, name: &str) -> Result<Option<Session>, IndexError> {
        self.operate(|connection, _| {
            let mut statement =
                connection.prepare_cached(&format!("SELECT {COLUMNS} FROM sessions WHERE session = ?1"))?;
            let mut rows = statement.query([name])?;
            rows.next()?.map(session).transpose()
        })
    }
}

const COLUMNS: &str = "session, project, client, agent, first, last, started, ended, interrupted, \
    turns, prompts, tool_events, observations, summaries";

fn session(row: &Row<'_>) -> Result<Session, IndexError> {
    let time = |column| row.get::<_, Option<i64>>(column).map(|ts| ts.map(Timestamp::from_millis));
    let count = |column| unsigned(row.get(column)?);
    Ok(Session {
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
    })
}
