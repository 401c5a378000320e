//! Knowledge files among the texts.
//!
//! Decisions, memories, tasks and the like are files that people edit, and the file is the truth. Whoever reads them puts here what
//! changed, by the stamp that a file had when it was read, and takes out what is gone. Their texts are kept whole, because the log does
//! not have them. So a rebuild takes over what the old index had of them; one that was lost has none until somebody looks again.
//!
//! Vectors are kept elsewhere, and nobody there hears that a file says something else now. So a text that nothing has any more is counted
//! as *orphaned*, and whoever looks after the vectors takes out what belongs to no text.

use std::time::Duration;

use custos_log::Renamed;
use custos_model::access::default_access;
use custos_model::piece::pieces;
use custos_model::{EventId, Kind, PieceId, Scope, Timestamp};
use rusqlite::{Connection, OptionalExtension, ToSql, Transaction, TransactionBehavior, params};
use serde_json::{Map, Value};

use crate::analyse::cut;
use crate::document::{self, Composer, Text};
use crate::embedding::{pieces as pieces_of, with_piece};
use crate::entry::{Entry, read_entries, read_entry};
use crate::error::IndexError;
use crate::key::{Key, Table, key, slot};
use crate::store::{Index, PATIENCE};
use crate::tables::Tables;
use crate::texts::NewText;

/// The most that is kept of one file's title and text, in bytes.
const TITLE: usize = 256;
const TEXT: usize = 256 * 1024;

/// A knowledge item, as its file has it now.
#[derive(Debug, Clone, Copy)]
pub struct KnowledgeRow<'a> {
    /// The file, within its store.
    pub path: &'a str,
    /// What tells this state of the file from others.
    pub stamp: i64,
    /// What it is: `decision`, `memory`, `task`, `question`, `handoff`.
    pub sort: &'a str,
    /// What it is called: `D-001`, a slug.
    pub name: &'a str,
    /// Its title.
    pub title: &'a str,
    /// What it says.
    pub text: &'a str,
    /// The project that it belongs to; none for the person's own.
    pub project: Option<&'a str>,
    /// How far it reaches.
    pub scope: Scope,
    /// When it was last changed.
    pub ts: Timestamp,
    /// How much it matters, from 0 to 1.
    pub importance: f64,
    /// Whether it binds whoever works here.
    pub binds: bool,
    /// Whether the owner trusts the repository that it lies in.
    pub trusted: bool,
}

/// A knowledge item as the index has it, with its store.
#[derive(Debug)]
pub(crate) struct KeptItem {
    store: String,
    path: String,
    stamp: i64,
    binds: bool,
    text: String,
    entry: Entry,
}

impl KeptItem {
    /// Calls its project by the name that it has now.
    pub(crate) fn rename(&mut self, renamed: &Renamed) {
        if let Some(now) = self.entry.project.as_ref().and_then(|project| renamed.get(project)) {
            self.entry.project = Some(now.clone());
        }
    }

    fn row(&self) -> KnowledgeRow<'_> {
        let Self { path, stamp, binds, text, entry, .. } = self;
        KnowledgeRow {
            path,
            stamp: *stamp,
            sort: entry.sort.as_deref().unwrap_or_default(),
            name: entry.name.as_deref().unwrap_or_default(),
            title: entry.title.as_deref().unwrap_or_default(),
            text,
            project: entry.project.as_deref(),
            scope: entry.scope,
            ts: entry.ts,
            importance: entry.importance.unwrap_or_default(),
            binds: *binds,
            trusted: entry.trusted,
        }
    }
}

/// An item of which a file was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFile {
    /// Its id.
    pub id: EventId,
    /// The store, which is a directory.
    pub store: String,
    /// The file, within its store; of an item that shares its file, with its name after a `#`.
    pub path: String,
}

/// Which items are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Files<'a> {
    /// The one with an id.
    Item(EventId),
    /// Those of a project.
    Project(&'a str),
    /// Those in which a text occurs.
    Matching(&'a str),
}

impl Index {
    /// Lists the stores of which files are known.
    pub fn knowledge_stores(&mut self) -> Result<Vec<String>, IndexError> {
        self.read(|connection, _| {
            let mut statement =
                connection.prepare_cached("SELECT DISTINCT store FROM knowledge ORDER BY store")?;
            let stores = statement.query_map([], |row| row.get(0))?;
            Ok(stores.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Lists files that are known, by store and path.
    pub fn known_files(&mut self, which: Files<'_>) -> Result<Vec<KnownFile>, IndexError> {
        let (condition, given): (&str, &dyn ToSql) = match &which {
            Files::Item(id) => ("knowledge.id = ?1", id.as_bytes()),
            Files::Project(project) => ("project = ?1", project),
            Files::Matching(text) => (
                "instr(text, ?1) OR instr(title, ?1) OR instr(name, ?1) OR instr(path, ?1) OR instr(store, ?1)
                 OR instr(project, ?1)",
                text,
            ),
        };
        self.read(|connection, _| {
            let mut statement = connection.prepare(&format!(
                "SELECT knowledge.id, store, path FROM knowledge JOIN texts USING (key)
                 WHERE {condition} ORDER BY store, path"
            ))?;
            let files = statement.query_map([given], |row| {
                Ok(KnownFile { id: EventId::from_bytes(row.get(0)?), store: row.get(1)?, path: row.get(2)? })
            })?;
            Ok(files.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Counts how often texts of files were taken out that no other text has, since that was last [answered](Self::adopt).
    pub fn orphaned(&mut self) -> Result<i64, IndexError> {
        self.read(|connection, _| {
            let known = connection
                .prepare_cached("SELECT value FROM meta WHERE name = 'orphaned'")?
                .query_row([], |row| row.get(0))
                .optional()?;
            Ok(known.unwrap_or(0))
        })
    }

    /// Takes note that no vector is left of what was [orphaned](Self::orphaned), unless more has been since it was counted.
    pub fn adopt(&mut self, orphaned: i64) -> Result<(), IndexError> {
        self.write(|connection, _| {
            connection.execute("DELETE FROM meta WHERE name = 'orphaned' AND value = ?1", [orphaned])?;
            Ok(())
        })
    }

    /// Lists the files of a store that are known, and the stamp that each had.
    pub fn knowledge_stamps(&mut self, store: &str) -> Result<Vec<(String, i64)>, IndexError> {
        self.read(|connection, _| {
            let mut statement = connection
                .prepare_cached("SELECT path, stamp FROM knowledge WHERE store = ?1 ORDER BY path")?;
            let stamps = statement.query_map([store], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(stamps.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Puts what has changed in a store in the place of what was known of it, and takes out what is gone.
    pub fn put_knowledge(
        &mut self,
        store: &str,
        changed: &[KnowledgeRow<'_>],
        gone: &[String],
    ) -> Result<(), IndexError> {
        self.put_knowledge_within(PATIENCE, store, changed, gone)
    }

    /// Does the same, unless another process writes for longer than one can wait.
    pub fn put_knowledge_within(
        &mut self,
        patience: Duration,
        store: &str,
        changed: &[KnowledgeRow<'_>],
        gone: &[String],
    ) -> Result<(), IndexError> {
        let mut composer = Composer::default();
        let prepared: Vec<(Text, Vec<PieceId>)> =
            changed.iter().map(|row| prepare(row, &mut composer)).collect();
        self.write(|connection, _| {
            connection.busy_timeout(patience)?;
            let begun = Transaction::new_unchecked(connection, TransactionBehavior::Immediate);
            connection.busy_timeout(PATIENCE)?;
            let transaction = begun?;
            let mut tables = Tables::open(&transaction)?;
            let mut removed = Vec::new();
            for path in gone {
                removed.extend(tables.remove_knowledge(knowledge_id(store, path))?.unwrap_or_default());
            }
            for (row, (text, pieces)) in changed.iter().zip(&prepared) {
                removed.extend(tables.remove_knowledge(knowledge_id(store, row.path))?.unwrap_or_default());
                tables.store_knowledge(store, row, text, pieces)?;
            }
            tables.count_orphans(&removed)?;
            tables.finish()?;
            Ok(transaction.commit()?)
        })
    }

    /// Reads all items, for an index that takes the place of this one.
    pub(crate) fn kept_items(&mut self) -> Result<Vec<KeptItem>, IndexError> {
        self.read(|connection, _| {
            let mut statement = connection
                .prepare("SELECT key, store, path, stamp, binds, text FROM knowledge ORDER BY key")?;
            let mut rows = statement.query([])?;
            let mut items = Vec::new();
            while let Some(row) = rows.next()? {
                let Some((_, entry)) = read_entry(connection, row.get(0)?)? else { continue };
                items.push(KeptItem {
                    store: row.get(1)?,
                    path: row.get(2)?,
                    stamp: row.get(3)?,
                    binds: row.get(4)?,
                    text: row.get(5)?,
                    entry,
                });
            }
            Ok(items)
        })
    }

    /// Says whether an item of a file binds whoever works there.
    pub fn binds(&mut self, id: EventId) -> Result<bool, IndexError> {
        self.read(|connection, _| {
            let mut statement =
                connection.prepare_cached("SELECT 1 FROM knowledge WHERE id = ?1 AND binds")?;
            Ok(statement.exists([id.as_bytes()])?)
        })
    }

    /// Lists what binds in some stores, in the order of the stores and their files.
    pub fn binding(&mut self, stores: &[&str]) -> Result<Vec<(Key, Entry)>, IndexError> {
        self.read(|connection, _| {
            let mut binding = Vec::new();
            for store in stores {
                binding.extend(read_entries(
                    connection,
                    "WHERE key IN (SELECT key FROM knowledge WHERE store = ?1 AND binds) ORDER BY file",
                    params![store],
                )?);
            }
            Ok(binding)
        })
    }

    /// Lists the items that are called something, whatever their store and however its letters are written, by store and path.
    pub fn knowledge_named(&mut self, name: &str) -> Result<Vec<Entry>, IndexError> {
        self.read(|connection, _| {
            let named = read_entries(
                connection,
                "WHERE key IN (SELECT key FROM knowledge) AND name = ?1 COLLATE NOCASE
                 ORDER BY (SELECT store FROM knowledge WHERE knowledge.key = texts.key), file",
                params![name],
            )?;
            Ok(named.into_iter().map(|(_, entry)| entry).collect())
        })
    }

    /// Gives the texts of a knowledge item's pieces, the whole first; none for any other text, which the log has.
    pub fn piece_texts(&mut self, key: Key) -> Result<Vec<String>, IndexError> {
        self.read(|connection, _| {
            let found = connection
                .prepare_cached(
                    "SELECT coalesce(title, ''), text FROM knowledge JOIN texts USING (key) WHERE key = ?1",
                )?
                .query_row([key.0], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))
                .optional()?;
            Ok(found
                .map(|(title, text)| pieces(Kind::KnowledgeSaved, &body(&title, &text)))
                .unwrap_or_default())
        })
    }

    /// Gives the whole text of a knowledge item; none for any other text.
    pub fn knowledge_text(&mut self, key: Key) -> Result<Option<String>, IndexError> {
        self.read(|connection, _| {
            Ok(connection
                .prepare_cached("SELECT text FROM knowledge WHERE key = ?1")?
                .query_row([key.0], |row| row.get(0))
                .optional()?)
        })
    }
}

/// Gives the id of the item in a file: a hash of where it is, in the form of a UUID of version 8.
pub fn knowledge_id(store: &str, path: &str) -> EventId {
    let mut bytes = *PieceId::of(&format!("{store}\0{path}")).as_bytes();
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    EventId::from_bytes(bytes)
}

/// Puts items into an index that has none of them yet, within a transaction of the caller's.
pub(crate) fn take_over(connection: &Connection, items: &[KeptItem]) -> Result<(), IndexError> {
    let mut composer = Composer::default();
    let prepared: Vec<(Text, Vec<PieceId>)> =
        items.iter().map(|item| prepare(&item.row(), &mut composer)).collect();
    let mut tables = Tables::open(connection)?;
    for (item, (text, pieces)) in items.iter().zip(&prepared) {
        tables.store_knowledge(&item.store, &item.row(), text, pieces)?;
    }
    tables.finish()
}

fn body(title: &str, text: &str) -> Map<String, Value> {
    let field = |name: &str, value: &str| (name.to_owned(), Value::from(value));
    Map::from_iter([field("title", title), field("text", text)])
}

fn prepare(row: &KnowledgeRow<'_>, composer: &mut Composer) -> (Text, Vec<PieceId>) {
    let mut body = body(cut(row.title.trim(), TITLE), cut(row.text, TEXT));
    let ids = pieces(Kind::KnowledgeSaved, &body).iter().map(|piece| PieceId::of(piece)).collect();
    body.insert("name".to_owned(), Value::from(row.name));
    body.insert("type".to_owned(), Value::from(row.sort));
    let mut marks = vec![document::kind_mark(Table::Other)];
    marks.extend(row.project.map(document::project_mark));
    (composer.compose(&body, &marks), ids)
}

impl<'b> Tables<'_, 'b> {
    fn store_knowledge(
        &mut self,
        store: &str,
        row: &KnowledgeRow<'_>,
        text: &'b Text,
        pieces: &[PieceId],
    ) -> Result<(), IndexError> {
        let id = knowledge_id(store, row.path);
        let acl = default_access(Kind::KnowledgeSaved, row.scope, None);
        let new = NewText {
            id,
            ts: row.ts,
            table: Table::Other,
            project: row.project,
            session: None,
            client: None,
            agent: None,
            role: None,
            scope: row.scope.name(),
            acl: &serde_json::to_string(&acl).unwrap_or_default(),
            origin: "file",
            task: None,
            importance: Some(row.importance),
            branch: None,
            trusted: row.trusted,
            of_session: false,
            name: Some(row.name),
            file: Some(row.path),
            text,
            pieces,
        };
        let wanted = key(slot(row.project), row.ts, id, Table::Other);
        let key = self.store_text(&new, wanted)?;
        self.connection
            .prepare_cached("INSERT INTO knowledge VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
            .execute(params![
                key,
                id.as_bytes(),
                store,
                row.path,
                row.stamp,
                row.binds,
                cut(row.text, TEXT)
            ])?;
        Ok(())
    }

    /// Takes out the item with an id, and gives its pieces; none where there is no such item.
    pub(crate) fn remove_knowledge(&mut self, id: EventId) -> Result<Option<Vec<PieceId>>, IndexError> {
        let known = self
            .connection
            .prepare_cached("DELETE FROM knowledge WHERE id = ?1 RETURNING key")?
            .query_row([id.as_bytes()], |row| row.get(0))
            .optional()?;
        let Some(key) = known else { return Ok(None) };
        let removed = pieces_of(self.connection, Key(key))?;
        self.remove_text(key, id)?;
        Ok(Some(removed))
    }

    /// Takes note that nothing has some pieces any more, if that is so.
    pub(crate) fn count_orphans(&self, pieces: &[PieceId]) -> Result<(), IndexError> {
        for piece in pieces {
            if with_piece(self.connection, *piece)?.is_empty() {
                self.connection
                    .prepare_cached(
                        "INSERT INTO meta VALUES ('orphaned', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1",
                    )?
                    .execute([])?;
                break;
            }
        }
        Ok(())
    }
}
