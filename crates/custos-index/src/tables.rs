//! The tables within one transaction: how each event is stored.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use custos_log::Position;
use custos_model::{EventId, Kind};
use rusqlite::{Connection, OptionalExtension, params};

use crate::apply::signed;
use crate::error::IndexError;
use crate::key::{Table, at_free_key, key, moment, slot};
use crate::prepare::{Content, Prepared, Tool, is_work};
use crate::session::{self, Part, Row, Sessions};
use crate::texts::{Census, NewText};
use crate::work::Link;

/// The tables within one transaction, and what is collected to be written at its end.
pub(crate) struct Tables<'c, 'b> {
    pub(crate) connection: &'c Connection,
    kinds: HashMap<Kind, i64>,
    pub(crate) kind_counts: BTreeMap<i64, i64>,
    sessions: Sessions,
    /// Sessions of which a row was forgotten.
    pub(crate) stale_sessions: BTreeSet<String>,
    /// The tokens of new documents, by mirrored key. They go into the full-text index in this order, because one that is lower than
    /// the one before makes FTS5 write out what it has gathered.
    pub(crate) documents: BTreeMap<i64, &'b str>,
    pub(crate) census: Census,
    pub(crate) anything_forgotten: bool,
    /// How many events were taken out in this transaction.
    pub(crate) removed: u64,
}

impl<'c, 'b> Tables<'c, 'b> {
    /// Begins with what is stored.
    pub(crate) fn open(connection: &'c Connection) -> Result<Self, IndexError> {
        let mut kinds = HashMap::new();
        let mut statement = connection.prepare_cached("SELECT no, name FROM kinds")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let kind = row.get::<_, String>(1)?.parse().map_err(|_| IndexError::Damaged)?;
            kinds.insert(kind, row.get(0)?);
        }
        let anything_forgotten = connection
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM forgotten)")?
            .query_row([], |row| row.get(0))?;
        Ok(Self {
            connection,
            kinds,
            kind_counts: BTreeMap::new(),
            sessions: Sessions::default(),
            stale_sessions: BTreeSet::new(),
            documents: BTreeMap::new(),
            census: Census::default(),
            anything_forgotten,
            removed: 0,
        })
    }

    /// Stores an event; false if it is not to be found, or was stored before.
    pub(crate) fn store(&mut self, event: &'b Prepared, writer: i64) -> Result<bool, IndexError> {
        if self.is_forgotten(event.id)? {
            self.name_forgotten(event.id, event.kind.name())?;
            return Ok(false);
        }
        if let Content::Text { sources, .. } = &event.content
            && self.is_any_forgotten(sources)?
        {
            // Made from something that must not be found: neither must it, nor what was made from it.
            self.forget(vec![event.id], None)?;
            self.name_forgotten(event.id, event.kind.name())?;
            return Ok(false);
        }
        let kind = self.kind_no(event.kind)?;
        let (slot, table) = match event.content {
            Content::Text { table, .. } => (slot(event.project.as_deref()), table),
            _ => (0, Table::Other),
        };
        let wanted = key(slot, event.ts, event.id, table);
        let new = self
            .connection
            .prepare_cached("INSERT OR IGNORE INTO events VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
            .execute(params![
                event.id.as_bytes(),
                kind,
                wanted,
                writer,
                event.at.segment,
                signed(event.at.offset)
            ])?;
        if new == 0 {
            return Ok(false);
        }
        *self.kind_counts.entry(kind).or_default() += 1;
        let stored = self.store_content(event, kind, wanted)?;
        if let Some((key, part)) = stored {
            if key != wanted {
                self.connection
                    .prepare_cached("UPDATE events SET key = ?2 WHERE id = ?1")?
                    .execute(params![event.id.as_bytes(), key])?;
            }
            if let Some(session) = &event.session {
                let row = Row {
                    part,
                    key: moment(key),
                    ts: event.ts.as_millis(),
                    project: event.project.as_deref(),
                    client: event.client.as_deref(),
                    agent: event.agent.as_deref(),
                };
                self.sessions.add(session, &row);
            }
        }
        if is_work(event.kind) {
            self.store_work(event, kind, writer)?;
        }
        Ok(true)
    }

    /// Stores what an event holds; gives the key of the row that belongs to its session, if there is one, and what part of it that is.
    fn store_content(
        &mut self,
        event: &'b Prepared,
        kind: i64,
        wanted: i64,
    ) -> Result<Option<(i64, Part)>, IndexError> {
        Ok(match &event.content {
            Content::Text { table, text, pieces, sources, made, supersedes } => {
                let link = if made.is_some() { Link::Made } else { Link::Result };
                self.derive(event.id, sources, link, 0)?;
                self.store_made(event, made.as_ref())?;
                self.supersede(event, supersedes, None)?;
                let of_session = made.as_ref().is_some_and(|made| made.of_session);
                let new = NewText::of(event, *table, text, pieces, of_session);
                Some((self.store_text(&new, wanted)?, Part::of(*table)))
            }
            Content::Tool(tool) => Some((self.store_tool(event, tool, kind, wanted)?, Part::ToolEvent)),
            Content::Milestone => {
                Some((self.store_milestone(event, kind, wanted)?, Part::Milestone(event.kind)))
            }
            Content::Done { sources, done, supersedes } => {
                self.derive(event.id, sources, Link::Done, done.pass)?;
                self.store_done(event, done)?;
                self.supersede(event, supersedes, None)?;
                None
            }
            Content::Setback { sources, pass } => {
                let link = match event.kind {
                    Kind::WorkFailed => Link::Failed,
                    Kind::WorkAbandoned => Link::Abandoned,
                    _ => Link::Reopened,
                };
                self.derive(event.id, sources, link, *pass)?;
                None
            }
            Content::Usage(usage) => {
                self.store_usage(event, usage)?;
                None
            }
            Content::Superseding { ids, by } => {
                self.supersede(event, ids, *by)?;
                None
            }
            Content::Pins { texts } => {
                self.store_pins(event, texts)?;
                None
            }
            Content::Served { moment } => {
                self.store_served(event, moment)?;
                None
            }
            Content::Forgetting { ids } => {
                self.forget(ids.clone(), Some(event.ts))?;
                None
            }
            Content::Nothing => None,
        })
    }

    /// Remembers a line that could not be read.
    pub(crate) fn store_problem(&self, writer: i64, at: Position, reason: &str) -> Result<(), IndexError> {
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO problems VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![writer, at.segment, signed(at.offset), reason])?;
        Ok(())
    }

    /// Writes what was collected. Without it the transaction must not be committed.
    pub(crate) fn finish(mut self) -> Result<(), IndexError> {
        let mut insert =
            self.connection.prepare_cached("INSERT INTO search (rowid, tokens) VALUES (?1, ?2)")?;
        for (rowid, tokens) in &self.documents {
            insert.execute(params![rowid, tokens])?;
        }
        let mut count =
            self.connection.prepare_cached("UPDATE kinds SET events = events + ?2 WHERE no = ?1")?;
        for (kind, events) in &self.kind_counts {
            count.execute(params![kind, events])?;
        }
        let mut meta =
            self.connection.prepare_cached("UPDATE meta SET value = value + ?2 WHERE name = ?1")?;
        if self.removed > 0 {
            meta.execute(params!["purge", signed(self.removed)])?;
        }
        self.census.write(self.connection)?;
        self.sessions.write(self.connection)?;
        if !self.stale_sessions.is_empty() {
            let kinds = self.kinds.iter().map(|(kind, no)| (*no, *kind)).collect();
            session::recompute(self.connection, &self.stale_sessions, &kinds)?;
        }
        Ok(())
    }

    fn kind_no(&mut self, kind: Kind) -> Result<i64, IndexError> {
        if let Some(no) = self.kinds.get(&kind) {
            return Ok(*no);
        }
        self.connection.execute("INSERT INTO kinds (name, events) VALUES (?1, 0)", [kind.name()])?;
        let no = self.connection.last_insert_rowid();
        self.kinds.insert(kind, no);
        Ok(no)
    }

    /// Remembers what kind of event a forgotten one was.
    pub(crate) fn name_forgotten(&self, id: EventId, kind: &str) -> Result<(), IndexError> {
        self.connection
            .prepare_cached("UPDATE forgotten SET kind = ?2 WHERE id = ?1")?
            .execute(params![id.as_bytes(), kind])?;
        Ok(())
    }

    /// Gives the kind that a number stands for.
    pub(crate) fn kind(&self, no: i64) -> Option<Kind> {
        self.kinds.iter().find(|(_, known)| **known == no).map(|(kind, _)| *kind)
    }

    pub(crate) fn is_forgotten(&self, id: EventId) -> Result<bool, IndexError> {
        // Mostly nothing is, and a million events need not ask one by one.
        if !self.anything_forgotten {
            return Ok(false);
        }
        let found = self
            .connection
            .prepare_cached("SELECT 1 FROM forgotten WHERE id = ?1")?
            .query_row([id.as_bytes()], |_| Ok(()))
            .optional()?;
        Ok(found.is_some())
    }

    fn is_any_forgotten(&self, ids: &[EventId]) -> Result<bool, IndexError> {
        for id in ids {
            if self.is_forgotten(*id)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn store_tool(&self, event: &Prepared, tool: &Tool, kind: i64, wanted: i64) -> Result<i64, IndexError> {
        let mut insert = self.connection.prepare_cached(
            "INSERT OR IGNORE INTO tool_events
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        )?;
        at_free_key(self.connection, "tool_events", wanted, |key| {
            insert.execute(params![
                key,
                event.id.as_bytes(),
                event.ts.as_millis(),
                kind,
                event.project,
                event.session,
                event.client,
                event.agent,
                event.scope,
                event.acl,
                event.task,
                tool.name,
                event.outcome,
                tool.files.read,
                tool.files.changed,
                signed(tool.input_bytes as u64),
                signed(tool.output_bytes as u64),
            ])
        })
    }

    fn store_milestone(&self, event: &Prepared, kind: i64, wanted: i64) -> Result<i64, IndexError> {
        let mut insert = self
            .connection
            .prepare_cached("INSERT OR IGNORE INTO milestones VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
        at_free_key(self.connection, "milestones", wanted, |key| {
            insert.execute(params![
                key,
                event.id.as_bytes(),
                event.ts.as_millis(),
                kind,
                event.project,
                event.session,
                event.client,
                event.agent,
            ])
        })
    }
}
