//! What the index holds, and where the rest of it stands in the log.

use custos_log::{Position, WriterId};
use custos_model::{EventId, Kind};
use rusqlite::OptionalExtension;

use crate::apply::{marks, unsigned};
use crate::backlog::Mark;
use crate::error::IndexError;
use crate::store::Index;

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
    /// Rows of each sort.
    pub tables: Vec<(&'static str, u64)>,
    /// How far each writer's log has been read: the writer, where the next line begins, the last sequence.
    pub cursors: Vec<(WriterId, Position, u64)>,
    /// Lines that could not be read.
    pub problems: u64,
    /// The size of the database and of the files beside it, in bytes.
    pub bytes: u64,
}

/// What is counted: how it is called, and what of which table it is.
const LISTED: [(&str, &str); 9] = [
    ("sessions", "sessions"),
    ("prompts", "texts WHERE kind = 0"),
    ("tool_events", "tool_events"),
    ("milestones", "milestones"),
    ("observations", "texts WHERE kind = 1"),
    ("summaries", "texts WHERE kind = 2"),
    ("knowledge", "knowledge"),
    ("work", "work"),
    ("forgotten", "forgotten"),
];

impl Index {
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
                tables: LISTED.into_iter().map(|(name, rows)| Ok((name, count(rows)?))).collect::<Result<
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
