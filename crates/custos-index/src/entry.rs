//! A text as it is listed, read by its key or its id.

use custos_model::access::Protected;
use custos_model::{AccessList, EventId, Kind, Scope, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, Statement, ToSql};

use crate::correction::corrected;
use crate::error::IndexError;
use crate::key::{Key, table};
use crate::store::Index;

/// A prompt, an observation, a summary or a knowledge item, as far as the index keeps it. [`Index::locate`] tells where the whole of it
/// is; of knowledge, [`Index::piece_texts`].
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are facts about a text, in any combination, and no states"
)]
pub struct Entry {
    /// The event; of knowledge, an id that its file's place gives it.
    pub id: EventId,
    /// When it happened.
    pub ts: Timestamp,
    /// What it is: of knowledge, always [`Kind::KnowledgeSaved`].
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
    /// Which part of the program wrote it; `file` for knowledge.
    pub origin: String,
    /// The task that it belongs to.
    pub task: Option<String>,
    /// How much it matters.
    pub importance: Option<f64>,
    /// The type of an observation, such as `bugfix`, or of knowledge, such as `decision`.
    pub sort: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// The beginning of its text.
    pub excerpt: String,
    /// The files that it read.
    pub files_read: Vec<String>,
    /// The files that it changed.
    pub files_changed: Vec<String>,
    /// The branch that was checked out.
    pub branch: Option<String>,
    /// How many characters all of its text has.
    pub chars: u32,
    /// Whether it was written here, or in a repository that the owner trusts.
    pub trusted: bool,
    /// Whether it sums a whole session up.
    pub of_session: bool,
    /// The name of a knowledge item, such as `D-001`.
    pub name: Option<String>,
    /// The file of a knowledge item, within its store.
    pub file: Option<String>,
    /// Whether somebody wants it kept in view.
    pub pinned: bool,
    /// Whether something better has taken its place; never of a file, which says so itself.
    pub superseded: bool,
    /// Whether part of what it says was corrected: it is a summary made of what no longer holds, or the prompt that led to it.
    pub corrected: bool,
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

/// What is read of a text, in the order of [`entry`]. Conditions follow.
pub(crate) const ENTRIES: &str = concat!(
    "SELECT key, id, ts, project, session, client, agent, role, scope, acl, origin, task, importance, sort,
        title, excerpt, files_read, files_changed, branch, chars, trusted, of_session, name, file,
        coalesce((SELECT pinned FROM pins WHERE pins.text = texts.id ORDER BY pins.ts DESC, pins.event DESC LIMIT 1), 0),
        file IS NULL AND EXISTS (SELECT 1 FROM superseded WHERE superseded.id = texts.id),
        ",
    corrected!(),
    " FROM texts "
);

/// Says of a text that nothing better has taken its place. A file says so itself: its id is that of its place, where something else may
/// be written at any time.
pub(crate) const HOLDS: &str =
    "(file IS NOT NULL OR NOT EXISTS (SELECT 1 FROM superseded WHERE superseded.id = texts.id))";

impl Index {
    /// Gives a text.
    pub fn get(&mut self, id: EventId) -> Result<Option<Entry>, IndexError> {
        Ok(self.entry_of(id)?.map(|(_, entry)| entry))
    }

    /// Gives a text, and its key.
    pub fn entry_of(&mut self, id: EventId) -> Result<Option<(Key, Entry)>, IndexError> {
        self.read(|connection, _| {
            let key: Option<i64> = connection
                .prepare_cached(
                    "SELECT key FROM events WHERE id = ?1 UNION ALL SELECT key FROM knowledge WHERE id = ?1",
                )?
                .query_row([id.as_bytes()], |row| row.get(0))
                .optional()?;
            // Events that are no texts have a key as well, and it may be a text's.
            let found = key.map(|key| read_entry(connection, key)).transpose()?.flatten();
            Ok(found.filter(|(_, entry)| entry.id == id))
        })
    }

    /// Gives texts in the order of the keys. Those that are no longer there are missing.
    pub fn entries(&mut self, keys: &[Key]) -> Result<Vec<(Key, Entry)>, IndexError> {
        self.read(|connection, _| {
            let mut entries = Vec::with_capacity(keys.len());
            for key in keys {
                entries.extend(read_entry(connection, key.0)?);
            }
            Ok(entries)
        })
    }

    /// Gives what has taken the place of a text: the last that claims to.
    pub fn replacement_of(&mut self, id: EventId) -> Result<Option<EventId>, IndexError> {
        self.read(|connection, _| {
            Ok(connection
                .prepare_cached(
                    "SELECT replacement FROM superseded WHERE id = ?1 ORDER BY ts DESC, replacement DESC LIMIT 1",
                )?
                .query_row([id.as_bytes()], |row| row.get(0).map(EventId::from_bytes))
                .optional()?)
        })
    }
}

/// Reads a text by its key.
pub(crate) fn read_entry(connection: &Connection, key: i64) -> Result<Option<(Key, Entry)>, IndexError> {
    Ok(read_entries(connection, "WHERE key = ?1", &[&key])?.pop())
}

/// Reads the texts that meet a condition, in its order.
pub(crate) fn read_entries(
    connection: &Connection,
    condition: &str,
    given: &[&dyn ToSql],
) -> Result<Vec<(Key, Entry)>, IndexError> {
    let mut statement = connection.prepare_cached(&format!("{ENTRIES}{condition}"))?;
    let mut rows = statement.query(given)?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        entries.push(entry(row)?);
    }
    Ok(entries)
}

pub(crate) fn entry(row: &Row<'_>) -> Result<(Key, Entry), IndexError> {
    let key = row.get(0)?;
    let entry = Entry {
        id: EventId::from_bytes(row.get(1)?),
        ts: Timestamp::from_millis(row.get(2)?),
        kind: table(key).kind(),
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
        files_read: files(row, 16)?,
        files_changed: files(row, 17)?,
        branch: row.get(18)?,
        chars: row.get(19)?,
        trusted: row.get(20)?,
        of_session: row.get(21)?,
        name: row.get(22)?,
        file: row.get(23)?,
        pinned: row.get(24)?,
        superseded: row.get(25)?,
        corrected: row.get(26)?,
    };
    Ok((Key(key), entry))
}

/// Reads a column that lists files.
pub(crate) fn files(row: &Row<'_>, column: usize) -> Result<Vec<String>, IndexError> {
    let stored: Option<String> = row.get(column)?;
    stored.map_or_else(|| Ok(Vec::new()), |list| serde_json::from_str(&list).map_err(|_| IndexError::Damaged))
}

/// Lists the ids that a statement finds for one.
pub(crate) fn listed_ids(statement: &mut Statement<'_>, id: EventId) -> Result<Vec<EventId>, IndexError> {
    let ids = statement.query_map([id.as_bytes()], |row| row.get(0).map(EventId::from_bytes))?;
    Ok(ids.collect::<rusqlite::Result<_>>()?)
}
