//! Reading rows: what is listed, and where the rest of it stands in the log.

use custos_log::{Position, WriterId};
use custos_model::access::Protected;
use custos_model::{AccessList, EventId, Kind, Scope, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::apply::{marks, unsigned};
use crate::backlog::Mark;
use crate::error::IndexError;
use crate::key::{Table, first_key, table};
use crate::store::Index;

/// A prompt, an observation or a summary, as far as the index keeps it. [`Index::locate`] tells where the whole of it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The event.
    pub id: EventId,
    /// When it happened.
    pub ts: Timestamp,
    /// What it is.
    pub kind: Kind,
    /// The project.
    pub project: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// The client of the agent.
    pub client: Option<String>,
    /// The agent's pseudonym.
    pub agent: Option<String>,
    /// The agent's role.
    pub role: Option<String>,
    /// How far it reaches.
    pub scope: Scope,
    /// Who may read it.
    pub acl: AccessList,
    /// Which part of the program wrote it.
    pub origin: String,
    /// The task that it belongs to.
    pub task: Option<String>,
    /// How much it matters.
    pub importance: Option<f64>,
    /// The type of an observation, such as `bugfix`.
    pub sort: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// The beginning of its text.
    pub excerpt: String,
    /// The files that it read.
    pub files_read: Vec<String>,
    /// The files that it changed.
    pub files_changed: Vec<String>,
}

impl Entry {
    /// Gives the part that decides who may read it.
    pub fn protected(&self) -> Protected<'_> {
        Protected {
            scope: self.scope,
            acl: &self.acl,
            project: self.project.as_deref(),
            session: self.session.as_deref(),
            agent: self.agent.as_deref(),
        }
    }
}

/// Where an event stands in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// What it is.
    pub kind: Kind,
    /// Whose log.
    pub writer: WriterId,
    /// Where its line begins.
    pub at: Position,
}

/// A line that holds no event that could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Whose log.
    pub writer: WriterId,
    /// Where the line begins.
    pub at: Position,
    /// What is wrong with it.
    pub reason: String,
}

/// What the index holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Events of each kind that occurs, by the kind's name.
    pub kinds: Vec<(Kind, u64)>,
    /// Rows of each table.
    pub tables: Vec<(&'static str, u64)>,
    /// How far each writer's log has been read: the writer, where the next line begins, the last sequence.
    pub cursors: Vec<(WriterId, Position, u64)>,
    /// Lines that could not be read.
    pub problems: u64,
    /// The size of the database and of the files beside it, in bytes.
    pub bytes: u64,
}

const LISTED_TABLES: [&str; 8] =
    ["sessions", "prompts", "tool_events", "milestones", "observations", "summaries", "work", "forgotten"];

impl Index {
    /// Gives a prompt, an observation or a summary.
    pub fn get(&mut self, id: EventId) -> Result<Option<Entry>, IndexError> {
        self.operate(|connection, _| {
            let key: Option<i64> = connection
                .prepare_cached("SELECT key FROM events WHERE id = ?1")?
                .query_row([id.as_bytes()], |row| row.get(0))
                .optional()?;
            let Some(key) = key else { return Ok(None) };
            Ok(text_entry(connection, key)?.filter(|entry| entry.id == id))
        })
    }

    /// Tells where any event stands in the log.
    pub fn locate(&mut self, id: EventId) -> Result<Option<Location>, IndexError> {
        self.operate(|connection, _| {
            let found = connection
                .prepare_cached(
                    "SELECT kinds.name, cursors.writer, events.segment, events.offset FROM events
                     JOIN kinds ON kinds.no = events.kind JOIN cursors ON cursors.no = events.writer
                     WHERE events.id = ?1",
                )?
                .query_row([id.as_bytes()], |row| {
                    Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get(2)?, row.get(3)?))
                })
                .optional()?;
            let Some((kind, writer, segment, offset)) = found else { return Ok(None) };
            Ok(Some(Location {
                kind: kind.parse().map_err(|_| IndexError::Damaged)?,
                writer: writer.parse().map_err(|_| IndexError::Damaged)?,
                at: Position { segment, offset: unsigned(offset)? },
            }))
        })
    }

    /// Lists the newest prompts, observations or summaries that still hold, the newest first; of other kinds there are none.
    pub fn recent(
        &mut self,
        kind: Kind,
        project: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Entry>, IndexError> {
        let Some(table) = text_table(kind) else { return Ok(Vec::new()) };
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.operate(|connection, _| {
            let holds = format!(
                "(?1 IS NULL OR project = ?1)
                    AND NOT EXISTS (SELECT 1 FROM superseded WHERE superseded.id = {table}.id)"
            );
            // Keys order by second only. So many rows from the end tell how old the last of the newest is at most, and what is
            // as new as that has no lower key than its second; among these, instants and ids decide.
            let oldest: Option<i64> = connection
                .prepare_cached(&format!(
                    "SELECT min(ts) FROM (SELECT ts FROM {table} WHERE {holds} ORDER BY key DESC LIMIT ?2)"
                ))?
                .query_row(params![project, limit], |row| row.get(0))?;
            let Some(oldest) = oldest else { return Ok(Vec::new()) };
            let mut statement = connection.prepare_cached(&format!(
                "SELECT * FROM {table} WHERE {holds} AND key >= ?3 ORDER BY ts DESC, id LIMIT ?2"
            ))?;
            let mut rows =
                statement.query(params![project, limit, first_key(Timestamp::from_millis(oldest))])?;
            let mut entries = Vec::new();
            while let Some(row) = rows.next()? {
                entries.push(entry(row, kind)?);
            }
            Ok(entries)
        })
    }

    /// Lists the lines that could not be read, in the order of the log.
    pub fn problems(&mut self, limit: usize) -> Result<Vec<Problem>, IndexError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.operate(|connection, _| {
            let mut statement = connection.prepare_cached(
                "SELECT cursors.writer, problems.segment, problems.offset, problems.reason FROM problems
                 JOIN cursors ON cursors.no = problems.writer
                 ORDER BY cursors.writer, problems.segment, problems.offset LIMIT ?1",
            )?;
            let mut rows = statement.query([limit])?;
            let mut problems = Vec::new();
            while let Some(row) = rows.next()? {
                problems.push(Problem {
                    writer: row.get::<_, String>(0)?.parse().map_err(|_| IndexError::Damaged)?,
                    at: Position { segment: row.get(1)?, offset: unsigned(row.get(2)?)? },
                    reason: row.get(3)?,
                });
            }
            Ok(problems)
        })
    }

    /// Counts what the index holds.
    pub fn status(&mut self) -> Result<Status, IndexError> {
        let files = crate::place::Place::with_companions(&self.place.database());
        self.operate(|connection, _| {
            let count = |table: &str| -> Result<u64, IndexError> {
                let sql = format!("SELECT count(*) FROM {table}");
                unsigned(connection.prepare_cached(&sql)?.query_row([], |row| row.get(0))?)
            };
            let mut statement =
                connection.prepare_cached("SELECT name, events FROM kinds WHERE events > 0 ORDER BY name")?;
            let mut rows = statement.query([])?;
            let mut kinds = Vec::new();
            while let Some(row) = rows.next()? {
                let kind = row.get::<_, String>(0)?.parse().map_err(|_| IndexError::Damaged)?;
                kinds.push((kind, unsigned(row.get(1)?)?));
            }
            let cursors = marks(connection)?;
            Ok(Status {
                kinds,
                tables: LISTED_TABLES.into_iter().map(|table| Ok((table, count(table)?))).collect::<Result<
                    _,
                    IndexError,
                >>(
                )?,
                cursors: cursors
                    .into_iter()
                    .map(|Mark { writer, position, seq }| (writer, position, seq))
                    .collect(),
                problems: count("problems")?,
                bytes: files.iter().filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum(),
            })
        })
    }
}

fn text_table(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::PromptSubmitted => Some("prompts"),
        Kind::ObservationRecorded => Some("observations"),
        Kind::SummaryRecorded => Some("summaries"),
        _ => None,
    }
}

/// Reads the row of a text by its key.
pub(crate) fn text_entry(connection: &Connection, key: i64) -> Result<Option<Entry>, IndexError> {
    let (sql, kind) = match table(key) {
        Table::Prompts => ("SELECT * FROM prompts WHERE key = ?1", Kind::PromptSubmitted),
        Table::Observations => ("SELECT * FROM observations WHERE key = ?1", Kind::ObservationRecorded),
        Table::Summaries => ("SELECT * FROM summaries WHERE key = ?1", Kind::SummaryRecorded),
        Table::Other => return Ok(None),
    };
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([key])?;
    rows.next()?.map(|row| entry(row, kind)).transpose()
}

/// Says whether something better has taken the place of an event.
pub(crate) fn is_superseded(connection: &Connection, id: EventId) -> Result<bool, IndexError> {
    Ok(connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM superseded WHERE id = ?1)")?
        .query_row([id.as_bytes()], |row| row.get(0))?)
}

/// Reads a row of a table of texts, in the order of its columns.
fn entry(row: &Row<'_>, kind: Kind) -> Result<Entry, IndexError> {
    let files = |column| -> Result<Vec<String>, IndexError> {
        let stored: Option<String> = row.get(column)?;
        stored.map_or_else(
            || Ok(Vec::new()),
            |list| serde_json::from_str(&list).map_err(|_| IndexError::Damaged),
        )
    };
    Ok(Entry {
        id: EventId::from_bytes(row.get(1)?),
        ts: Timestamp::from_millis(row.get(2)?),
        kind,
        project: row.get(3)?,
        session: row.get(4)?,
        client: row.get(5)?,
        agent: row.get(6)?,
        role: row.get(7)?,
        scope: row.get::<_, String>(8)?.parse().map_err(|()| IndexError::Damaged)?,
        acl: serde_json::from_str(&row.get::<_, String>(9)?).map_err(|_| IndexError::Damaged)?,
        origin: row.get(10)?,
        task: row.get(11)?,
        importance: row.get(12)?,
        sort: row.get(13)?,
        title: row.get(14)?,
        excerpt: row.get(15)?,
        files_read: files(16)?,
        files_changed: files(17)?,
    })
}
