//! The pieces of texts, and which of them may still lack a vector.
//!
//! Vectors are kept elsewhere, under the names of the pieces, and survive the index. So what is remembered here is only a list of texts
//! to look at: a new text is on it, an index that was made anew has all of them on it, and whoever makes vectors takes them off after
//! a look at what is there.

use custos_model::{EventId, Kind, PieceId};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use crate::apply::unsigned;
use crate::error::IndexError;
use crate::key::{Key, moment, table};
use crate::standing::bounded;
use crate::store::Index;
use crate::texts::{embedder_number, piece_ids, piece_number};

/// A text whose pieces may lack vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToEmbed {
    /// The text.
    pub key: Key,
    /// Its event, or the id of its file.
    pub id: EventId,
    /// What it is.
    pub kind: Kind,
    /// The project.
    pub project: Option<String>,
    /// Its pieces, the whole first.
    pub pieces: Vec<PieceId>,
}

impl Index {
    /// Gives the pieces of a text, the whole first; none where the text is gone.
    pub fn pieces(&mut self, key: Key) -> Result<Vec<PieceId>, IndexError> {
        self.read(|connection, _| pieces(connection, key))
    }

    /// Gives the pieces of several texts.
    pub fn pieces_of(&mut self, keys: &[Key]) -> Result<Vec<Vec<PieceId>>, IndexError> {
        self.read(|connection, _| keys.iter().map(|key| pieces(connection, *key)).collect())
    }

    /// Gives the texts that have a piece, in no particular order.
    ///
    /// A piece is known here by half of its name: that two texts agree in it by chance happens once in a million million stores.
    pub fn with_piece(&mut self, piece: PieceId) -> Result<Vec<Key>, IndexError> {
        self.read(|connection, _| with_piece(connection, piece))
    }

    /// Gives the texts that have each of several pieces.
    pub fn with_pieces(&mut self, pieces: &[PieceId]) -> Result<Vec<Vec<Key>>, IndexError> {
        self.read(|connection, _| pieces.iter().map(|piece| with_piece(connection, *piece)).collect())
    }

    /// Lists texts that may lack vectors, the newest first.
    pub fn unembedded(&mut self, limit: usize) -> Result<Vec<ToEmbed>, IndexError> {
        self.read(|connection, _| {
            let mut statement = connection.prepare_cached(
                "SELECT texts.key, texts.id, texts.project, documents.pieces FROM unembedded
                 CROSS JOIN texts ON texts.key = unembedded.key CROSS JOIN documents ON documents.key = texts.key
                 ORDER BY unembedded.at DESC, unembedded.key DESC LIMIT ?1",
            )?;
            let listed = statement.query_map([bounded(limit)], |row| {
                let key = row.get(0)?;
                Ok(ToEmbed {
                    key: Key(key),
                    id: EventId::from_bytes(row.get(1)?),
                    kind: table(key).kind(),
                    project: row.get(2)?,
                    pieces: piece_ids(row.get_ref(3)?.as_blob()?),
                })
            })?;
            Ok(listed.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Says whether there is any text that vectors could be made of.
    pub fn has_texts(&mut self) -> Result<bool, IndexError> {
        self.read(|connection, _| {
            Ok(connection
                .prepare_cached("SELECT EXISTS (SELECT 1 FROM texts)")?
                .query_row([], |row| row.get(0))?)
        })
    }

    /// Says whether there is a text that may lack vectors.
    pub fn has_unembedded(&mut self) -> Result<bool, IndexError> {
        self.read(|connection, _| {
            Ok(connection
                .prepare_cached("SELECT EXISTS (SELECT 1 FROM unembedded)")?
                .query_row([], |row| row.get(0))?)
        })
    }

    /// Counts the texts that vectors can be made of. It looks at all of them.
    pub fn embeddable_count(&mut self) -> Result<u64, IndexError> {
        self.read(|connection, _| {
            unsigned(
                connection
                    .prepare_cached("SELECT count(*) FROM documents WHERE length(pieces) > 0")?
                    .query_row([], |row| row.get(0))?,
            )
        })
    }

    /// Counts the texts that may lack vectors.
    pub fn unembedded_count(&mut self) -> Result<u64, IndexError> {
        self.read(|connection, _| {
            unsigned(
                connection
                    .prepare_cached("SELECT count(*) FROM unembedded")?
                    .query_row([], |row| row.get(0))?,
            )
        })
    }

    /// Takes texts off the list: their pieces have their vectors.
    pub fn embedded(&mut self, keys: &[Key]) -> Result<(), IndexError> {
        self.write(|connection, _| {
            let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
            for key in keys {
                transaction
                    .prepare_cached("DELETE FROM unembedded WHERE at = ?1 AND key = ?2")?
                    .execute(params![moment(key.0), key.0])?;
            }
            Ok(transaction.commit()?)
        })
    }

    /// Says who makes the vectors from now on. If that is somebody else than before, every text is on the list again.
    pub fn embed_with(&mut self, embedder: &str) -> Result<(), IndexError> {
        let embedder = embedder_number(embedder);
        self.write(|connection, _| {
            let known: i64 = connection
                .prepare_cached("SELECT value FROM meta WHERE name = 'embedder'")?
                .query_row([], |row| row.get(0))?;
            if known == embedder {
                return Ok(());
            }
            let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
            if known != 0 {
                transaction.execute(
                    "INSERT OR IGNORE INTO unembedded
                     SELECT key & ((1 << 52) - 1), key FROM documents WHERE length(pieces) > 0",
                    [],
                )?;
            }
            transaction.execute("UPDATE meta SET value = ?1 WHERE name = 'embedder'", [embedder])?;
            Ok(transaction.commit()?)
        })
    }
}

pub(crate) fn pieces(connection: &Connection, key: Key) -> Result<Vec<PieceId>, IndexError> {
    let found = connection
        .prepare_cached("SELECT pieces FROM documents WHERE key = ?1")?
        .query_row([key.0], |row| Ok(piece_ids(row.get_ref(0)?.as_blob()?)))
        .optional()?;
    Ok(found.unwrap_or_default())
}

pub(crate) fn with_piece(connection: &Connection, piece: PieceId) -> Result<Vec<Key>, IndexError> {
    let mut statement = connection.prepare_cached("SELECT key FROM pieces WHERE piece = ?1")?;
    let keys = statement.query_map([piece_number(piece)], |row| row.get(0).map(Key))?;
    Ok(keys.collect::<rusqlite::Result<_>>()?)
}
