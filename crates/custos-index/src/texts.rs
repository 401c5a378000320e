//! Texts into the tables, and out of them again.
//!
//! A text is a row that is listed, a term vector, pieces, an entry in the full-text index, and one more in its scope. All of it is put
//! in here and taken out here, so that nothing is left when a text goes.

use std::collections::{BTreeMap, HashMap};

use custos_model::{EventId, PieceId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use crate::analyse::term_hash;
use crate::document::Text;
use crate::error::IndexError;
use crate::key::{self, Table, at_free_key, mirrored, moment};
use crate::prepare::Prepared;
use crate::tables::Tables;

/// A text as it is stored, wherever it comes from.
pub(crate) struct NewText<'a, 'b> {
    pub(crate) id: EventId,
    pub(crate) ts: Timestamp,
    pub(crate) table: Table,
    pub(crate) project: Option<&'a str>,
    pub(crate) session: Option<&'a str>,
    pub(crate) client: Option<&'a str>,
    pub(crate) agent: Option<&'a str>,
    pub(crate) role: Option<&'a str>,
    pub(crate) scope: &'a str,
    /// The access list as JSON.
    pub(crate) acl: &'a str,
    pub(crate) origin: &'a str,
    pub(crate) task: Option<&'a str>,
    pub(crate) importance: Option<f64>,
    pub(crate) branch: Option<&'a str>,
    pub(crate) trusted: bool,
    pub(crate) of_session: bool,
    pub(crate) name: Option<&'a str>,
    pub(crate) file: Option<&'a str>,
    pub(crate) text: &'b Text,
    pub(crate) pieces: &'a [PieceId],
}

impl<'a> NewText<'a, 'a> {
    /// Takes the text of an event.
    pub(crate) fn of(
        event: &'a Prepared,
        table: Table,
        text: &'a Text,
        pieces: &'a [PieceId],
        of_session: bool,
    ) -> Self {
        Self {
            id: event.id,
            ts: event.ts,
            table,
            project: event.project.as_deref(),
            session: event.session.as_deref(),
            client: event.client.as_deref(),
            agent: event.agent.as_deref(),
            role: event.role.as_deref(),
            scope: event.scope,
            acl: &event.acl,
            origin: event.origin,
            task: event.task.as_deref(),
            importance: event.importance,
            branch: event.branch.as_deref(),
            trusted: event.trusted,
            of_session,
            name: None,
            file: None,
            text,
            pieces,
        }
    }
}

/// How many texts each scope has gained and lost in one transaction.
#[derive(Default)]
pub(crate) struct Census {
    numbers: HashMap<(String, i64), i64>,
    changes: BTreeMap<i64, (i64, i64)>,
}

impl Census {
    /// Gives the number of a scope, which it gets when it is new.
    fn number(
        &mut self,
        connection: &Connection,
        project: Option<&str>,
        table: Table,
    ) -> Result<i64, IndexError> {
        let scope = (project.unwrap_or_default().to_owned(), table as i64);
        if let Some(number) = self.numbers.get(&scope) {
            return Ok(*number);
        }
        let known = connection
            .prepare_cached("SELECT no FROM scopes WHERE project = ?1 AND kind = ?2")?
            .query_row(params![scope.0, scope.1], |row| row.get(0))
            .optional()?;
        let number = if let Some(number) = known {
            number
        } else {
            connection
                .prepare_cached(
                    "INSERT INTO scopes (project, kind, slot, documents, tokens) VALUES (?1, ?2, ?3, 0, 0)",
                )?
                .execute(params![scope.0, scope.1, key::slot(project)])?;
            connection.last_insert_rowid()
        };
        self.numbers.insert(scope, number);
        Ok(number)
    }

    fn count(&mut self, scope: i64, documents: i64, tokens: i64) {
        let change = self.changes.entry(scope).or_default();
        change.0 += documents;
        change.1 += tokens;
    }

    /// Adds what was counted to what is stored. A scope that has lost all of its texts leaves nothing, not even its name.
    pub(crate) fn write(&self, connection: &Connection) -> Result<(), IndexError> {
        let mut update = connection.prepare_cached(
            "UPDATE scopes SET documents = documents + ?2, tokens = tokens + ?3 WHERE no = ?1",
        )?;
        for (scope, (documents, tokens)) in &self.changes {
            update.execute(params![scope, documents, tokens])?;
        }
        if self.changes.values().any(|(documents, _)| *documents <= 0) {
            connection.prepare_cached("DELETE FROM scopes WHERE documents <= 0")?.execute([])?;
        }
        Ok(())
    }
}

/// Draws a lot for a text. It comes from the id, so that every index draws the same.
fn draw(id: EventId) -> i64 {
    let mixed = id.as_bytes().chunks_exact(8).fold(0_u64, |hash, half| {
        let half = half.iter().fold(0, |half, byte| half << 8 | u64::from(*byte));
        (hash ^ half).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    });
    i64::from(
        mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9).to_be_bytes()[..4]
            .iter()
            .fold(0_u32, |lot, byte| lot << 8 | u32::from(*byte)),
    )
}

/// Gives the number under which the table of pieces knows one.
pub(crate) fn piece_number(piece: PieceId) -> i64 {
    piece.as_bytes().first_chunk().map_or(0, |half| i64::from_be_bytes(*half))
}

/// Reads the names of pieces that stand one after the other.
pub(crate) fn piece_ids(stored: &[u8]) -> Vec<PieceId> {
    stored.as_chunks().0.iter().map(|bytes| PieceId::from_bytes(*bytes)).collect()
}

/// Gives the hash under which an embedder's name is remembered; 0 is nobody's.
pub(crate) fn embedder_number(embedder: &str) -> i64 {
    i64::from_be_bytes(term_hash(embedder).to_be_bytes()) | 1
}

impl<'b> Tables<'_, 'b> {
    /// Stores a text, and gives the key that it got.
    pub(crate) fn store_text(&mut self, new: &NewText<'_, 'b>, wanted: i64) -> Result<i64, IndexError> {
        let text = new.text;
        let mut insert = self.connection.prepare_cached(
            "INSERT OR IGNORE INTO texts VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,
                ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25)",
        )?;
        let key = at_free_key(self.connection, "texts", wanted, |key| {
            insert.execute(params![
                key,
                new.id.as_bytes(),
                new.ts.as_millis(),
                new.table as i64,
                new.project,
                new.session,
                new.client,
                new.agent,
                new.role,
                new.scope,
                new.acl,
                new.origin,
                new.task,
                new.importance,
                text.sort,
                text.title,
                text.excerpt,
                text.files.read,
                text.files.changed,
                new.branch,
                text.chars,
                new.trusted,
                new.of_session,
                new.name,
                new.file,
            ])
        })?;
        let document = &text.document;
        let scope = self.census.number(self.connection, new.project, new.table)?;
        let pieces: Vec<u8> = new.pieces.iter().flat_map(|piece| *piece.as_bytes()).collect();
        self.connection
            .prepare_cached("INSERT INTO documents VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
            .execute(params![key, scope, draw(new.id), document.length, pieces, document.terms])?;
        for piece in new.pieces {
            self.connection
                .prepare_cached("INSERT OR IGNORE INTO pieces VALUES (?1, ?2)")?
                .execute(params![piece_number(*piece), key])?;
        }
        if !new.pieces.is_empty() {
            self.connection
                .prepare_cached("INSERT INTO unembedded VALUES (?1, ?2)")?
                .execute(params![moment(key), key])?;
        }
        self.documents.insert(mirrored(key), &document.tokens);
        self.census.count(scope, 1, i64::from(document.length));
        Ok(key)
    }

    /// Takes out a text, if the row at a key is that of this id, and gives its session.
    pub(crate) fn remove_text(&mut self, key: i64, id: EventId) -> Result<Option<String>, IndexError> {
        let removed = self
            .connection
            .prepare_cached("DELETE FROM texts WHERE key = ?1 AND id = ?2 RETURNING session")?
            .query_row(params![key, id.as_bytes()], |row| row.get::<_, Option<String>>(0))
            .optional()?;
        let Some(session) = removed else { return Ok(None) };
        let document = self
            .connection
            .prepare_cached("DELETE FROM documents WHERE key = ?1 RETURNING scope, length, pieces")?
            .query_row([key], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, Vec<u8>>(2)?))
            })
            .optional()?;
        let (scope, length, pieces) = document.ok_or(IndexError::Damaged)?;
        self.census.count(scope, -1, -length);
        for piece in piece_ids(&pieces) {
            self.connection
                .prepare_cached("DELETE FROM pieces WHERE piece = ?1 AND key = ?2")?
                .execute(params![piece_number(piece), key])?;
        }
        self.connection
            .prepare_cached("DELETE FROM unembedded WHERE at = ?1 AND key = ?2")?
            .execute(params![moment(key), key])?;
        let rowid = mirrored(key);
        if self.documents.remove(&rowid).is_none() {
            self.connection.prepare_cached("DELETE FROM search WHERE rowid = ?1")?.execute([rowid])?;
        }
        Ok(session)
    }
}
