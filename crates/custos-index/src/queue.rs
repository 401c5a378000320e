//! The work queue as a worker reads it: what waits, what belongs to it, and what was made of it.
//!
//! Nothing here writes. What is said about work is said in the log, and the [catch-up](Index::catch_up) brings it here.

use custos_log::{Position, WriterId};
use custos_model::{EventId, Kind, Timestamp};
use rusqlite::{OptionalExtension, Row, ToSql, params};

use crate::apply::unsigned;
use crate::error::IndexError;
use crate::store::Index;

/// An event that waits for a result, or did.
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
    /// The task: the prompt that it was for.
    pub task: Option<String>,
    /// How far it has come.
    pub state: WorkState,
    /// How often it has failed in this pass.
    pub attempts: u64,
    /// The number of this pass; 0 before it was opened again.
    pub passes: u64,
    /// Whose log it stands in.
    pub writer: WriterId,
    /// Where its line begins.
    pub at: Position,
}

/// How far a piece of work has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkState {
    /// It waits for a result.
    Pending,
    /// It has one.
    Done,
    /// It was given up.
    Abandoned,
}

/// A session in which work waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The session; none for events that belong to none.
    pub session: Option<String>,
    /// When the oldest of it happened.
    pub oldest: Timestamp,
    /// How many events wait.
    pub events: u64,
}

/// How much work there is in each state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkCounts {
    /// Waits for a result.
    pub pending: u64,
    /// Of these, failed at least once.
    pub failed: u64,
    /// Has one.
    pub done: u64,
    /// Was given up.
    pub abandoned: u64,
}

/// A prompt, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompted {
    /// The event.
    pub id: EventId,
    /// The task that it began.
    pub task: Option<String>,
    /// When it was sent.
    pub ts: Timestamp,
    /// Whose log it stands in.
    pub writer: WriterId,
    /// Where its line begins.
    pub at: Position,
}

/// A piece of work that has its results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// The event that says so.
    pub id: EventId,
    /// The work's id.
    pub work: String,
    /// When its last source happened.
    pub ts: Timestamp,
    /// The session.
    pub session: Option<String>,
    /// Who made the results.
    pub maker: String,
    /// Why not who should have.
    pub fell_back: Option<String>,
    /// How many results it has.
    pub results: u64,
}

const WORK: &str =
    "SELECT work.event, kinds.name, work.ts, work.session, work.project, work.task, work.state,
        work.attempts, work.passes, cursors.writer, events.segment, events.offset
    FROM work JOIN kinds ON kinds.no = work.kind JOIN events ON events.id = work.event
    JOIN cursors ON cursors.no = events.writer";

impl Index {
    /// Lists the sessions in which work waits, the one with the oldest first.
    pub fn waiting(&mut self) -> Result<Vec<Waiting>, IndexError> {
        self.waiting_where("TRUE", params![])
    }

    /// Lists the sessions in which work waits for one writer: what it recorded, and what others did so far from now, in milliseconds, that
    /// they will not do it any more.
    pub fn waiting_for(
        &mut self,
        writer: &WriterId,
        now: Timestamp,
        far: i64,
    ) -> Result<Vec<Waiting>, IndexError> {
        self.waiting_where(
            "(writer = (SELECT no FROM cursors WHERE writer = ?1) OR abs(?2 - ts) >= ?3)",
            params![writer.as_str(), now.as_millis(), far],
        )
    }

    fn waiting_where(&mut self, condition: &str, given: &[&dyn ToSql]) -> Result<Vec<Waiting>, IndexError> {
        let sql = format!(
            "SELECT session, min(ts), count(*) FROM work WHERE state = 0 AND {condition} GROUP BY session
             ORDER BY min(ts), session"
        );
        self.operate(|connection, _| {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(given)?;
            let mut waiting = Vec::new();
            while let Some(row) = rows.next()? {
                waiting.push(Waiting {
                    session: row.get(0)?,
                    oldest: Timestamp::from_millis(row.get(1)?),
                    events: unsigned(row.get(2)?)?,
                });
            }
            Ok(waiting)
        })
    }

    /// Lists the work that waits, session by session, the oldest of each first.
    pub fn pending_work(&mut self, session: Option<&str>, limit: usize) -> Result<Vec<Work>, IndexError> {
        // Said twice, because "?1 IS NULL OR" would keep SQLite from using the index for one session.
        let of_session = if session.is_some() { "AND work.session = ?1" } else { "AND ?1 IS NULL" };
        let sql = format!(
            "{WORK} WHERE work.state = 0 {of_session} ORDER BY work.session, work.ts, work.event LIMIT ?2"
        );
        self.work(&sql, session, limit)
    }

    /// Lists all work of a session, whatever has become of it, in the order of the log. Without a session, that which belongs to none.
    pub fn work_of(&mut self, session: Option<&str>) -> Result<Vec<Work>, IndexError> {
        let sql = format!(
            "{WORK} WHERE work.session IS ?1 ORDER BY cursors.writer, events.segment, events.offset LIMIT ?2"
        );
        self.work(&sql, session, usize::MAX)
    }

    /// Lists the work that was given up.
    pub fn abandoned_work(&mut self, limit: usize) -> Result<Vec<Work>, IndexError> {
        let sql = format!(
            "{WORK} WHERE work.state = 2 AND ?1 IS NULL ORDER BY work.session, work.ts, work.event LIMIT ?2"
        );
        self.work(&sql, None, limit)
    }

    fn work(&mut self, sql: &str, session: Option<&str>, limit: usize) -> Result<Vec<Work>, IndexError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.operate(|connection, _| {
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query(params![session, limit])?;
            let mut work = Vec::new();
            while let Some(row) = rows.next()? {
                work.push(work_row(row)?);
            }
            Ok(work)
        })
    }

    /// Counts the work in each state.
    pub fn work_counts(&mut self) -> Result<WorkCounts, IndexError> {
        self.operate(|connection, _| {
            let mut statement = connection
                .prepare_cached("SELECT state, count(*), sum(attempts > 0) FROM work GROUP BY state")?;
            let mut rows = statement.query([])?;
            let mut counts = WorkCounts::default();
            while let Some(row) = rows.next()? {
                let count = unsigned(row.get(1)?)?;
                match state(row.get(0)?)? {
                    WorkState::Pending => {
                        counts.pending = count;
                        counts.failed = unsigned(row.get(2)?)?;
                    }
                    WorkState::Done => counts.done = count,
                    WorkState::Abandoned => counts.abandoned = count,
                }
            }
            Ok(counts)
        })
    }

    /// Says whether one of some events was forgotten.
    pub fn is_any_forgotten(&mut self, ids: &[EventId]) -> Result<bool, IndexError> {
        self.operate(|connection, _| {
            let mut statement = connection.prepare_cached("SELECT 1 FROM forgotten WHERE id = ?1")?;
            for id in ids {
                if statement.exists([id.as_bytes()])? {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// Lists the prompts that were forgotten. Their ids still tell when they were typed.
    pub fn forgotten_prompts(&mut self) -> Result<Vec<EventId>, IndexError> {
        self.operate(|connection, _| {
            let mut statement = connection.prepare_cached("SELECT id FROM forgotten WHERE kind = ?1")?;
            let ids = statement
                .query_map([Kind::PromptSubmitted.name()], |row| row.get(0).map(EventId::from_bytes))?;
            Ok(ids.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Lists the prompts of a session, in the order of the log.
    pub fn prompts_of(&mut self, session: &str) -> Result<Vec<Prompted>, IndexError> {
        self.operate(|connection, _| {
            let mut statement = connection.prepare_cached(
                "SELECT texts.id, texts.task, texts.ts, cursors.writer, events.segment, events.offset
                 FROM texts JOIN events ON events.id = texts.id JOIN cursors ON cursors.no = events.writer
                 WHERE texts.session = ?1 AND +texts.kind = 0
                 ORDER BY cursors.writer, events.segment, events.offset",
            )?;
            let mut rows = statement.query([session])?;
            let mut prompts = Vec::new();
            while let Some(row) = rows.next()? {
                prompts.push(Prompted {
                    id: EventId::from_bytes(row.get(0)?),
                    task: row.get(1)?,
                    ts: Timestamp::from_millis(row.get(2)?),
                    writer: row.get::<_, String>(3)?.parse().map_err(|_| IndexError::Damaged)?,
                    at: Position { segment: row.get(4)?, offset: unsigned(row.get(5)?)? },
                });
            }
            Ok(prompts)
        })
    }

    /// Lists the observations that a worker made in a session and that still hold, the oldest first, with the hashes of what they say.
    pub fn learnt_in(&mut self, session: &str) -> Result<Vec<(EventId, String)>, IndexError> {
        self.operate(|connection, _| {
            let mut statement = connection.prepare_cached(
                "SELECT id, content FROM made WHERE session = ?1 AND content IS NOT NULL
                    AND NOT EXISTS (SELECT 1 FROM superseded WHERE superseded.id = made.id)
                 ORDER BY ts, id",
            )?;
            let rows =
                statement.query_map([session], |row| Ok((EventId::from_bytes(row.get(0)?), row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Gives the observation of a session that says the same, if there is one that still holds.
    pub fn learnt_before(&mut self, session: &str, content: &str) -> Result<Option<EventId>, IndexError> {
        self.operate(|connection, _| {
            Ok(connection
                .prepare_cached(
                    "SELECT id FROM made WHERE session = ?1 AND content = ?2
                        AND NOT EXISTS (SELECT 1 FROM superseded WHERE superseded.id = made.id)
                     ORDER BY ts, id LIMIT 1",
                )?
                .query_row(params![session, content], |row| row.get(0).map(EventId::from_bytes))
                .optional()?)
        })
    }

    /// Lists what a worker made of some events and what still holds, in order of the ids: of whole sessions, or of less.
    pub fn made_from(&mut self, sources: &[EventId], of_session: bool) -> Result<Vec<EventId>, IndexError> {
        self.operate(|connection, _| {
            let mut statement = connection.prepare_cached(
                "SELECT derived FROM sources JOIN made ON made.id = sources.derived
                 WHERE source = ?1 AND result = 5 AND made.of_session = ?2
                    AND NOT EXISTS (SELECT 1 FROM superseded WHERE superseded.id = sources.derived)",
            )?;
            let mut made = std::collections::BTreeSet::new();
            for source in sources {
                let rows = statement.query_map(params![source.as_bytes(), of_session], |row| {
                    row.get(0).map(EventId::from_bytes)
                })?;
                for id in rows {
                    made.insert(id?);
                }
            }
            Ok(made.into_iter().collect())
        })
    }

    /// Lists finished work, of one session or all, or only that which somebody else had to finish; the newest first.
    pub fn finished(
        &mut self,
        session: Option<&str>,
        only_fallbacks: bool,
        limit: usize,
    ) -> Result<Vec<Finished>, IndexError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.operate(|connection, _| {
            let mut statement = connection.prepare_cached(
                "SELECT id, work, ts, session, maker, fell_back, results FROM done
                 WHERE (?1 IS NULL OR session = ?1) AND (NOT ?2 OR fell_back IS NOT NULL)
                 ORDER BY ts DESC, id LIMIT ?3",
            )?;
            let mut rows = statement.query(params![session, only_fallbacks, limit])?;
            let mut finished = Vec::new();
            while let Some(row) = rows.next()? {
                finished.push(Finished {
                    id: EventId::from_bytes(row.get(0)?),
                    work: row.get(1)?,
                    ts: Timestamp::from_millis(row.get(2)?),
                    session: row.get(3)?,
                    maker: row.get(4)?,
                    fell_back: row.get(5)?,
                    results: unsigned(row.get(6)?)?,
                });
            }
            Ok(finished)
        })
    }

    /// Lists the events that a `work.done`, `work.failed` or the like is about, as work.
    pub fn sources_of(&mut self, derived: EventId) -> Result<Vec<Work>, IndexError> {
        let sql = format!(
            "{WORK} JOIN sources ON sources.source = work.event WHERE sources.derived = ?1
             ORDER BY cursors.writer, events.segment, events.offset"
        );
        self.operate(|connection, _| {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([derived.as_bytes()])?;
            let mut work = Vec::new();
            while let Some(row) = rows.next()? {
                work.push(work_row(row)?);
            }
            Ok(work)
        })
    }
}

fn state(stored: i64) -> Result<WorkState, IndexError> {
    match stored {
        0 => Ok(WorkState::Pending),
        1 => Ok(WorkState::Done),
        2 => Ok(WorkState::Abandoned),
        _ => Err(IndexError::Damaged),
    }
}

fn work_row(row: &Row<'_>) -> Result<Work, IndexError> {
    Ok(Work {
        event: EventId::from_bytes(row.get(0)?),
        kind: row.get::<_, String>(1)?.parse().map_err(|_| IndexError::Damaged)?,
        ts: Timestamp::from_millis(row.get(2)?),
        session: row.get(3)?,
        project: row.get(4)?,
        task: row.get(5)?,
        state: state(row.get(6)?)?,
        attempts: unsigned(row.get(7)?)?,
        passes: unsigned(row.get(8)?)?,
        writer: row.get::<_, String>(9)?.parse().map_err(|_| IndexError::Damaged)?,
        at: Position { segment: row.get(10)?, offset: unsigned(row.get(11)?)? },
    })
}
