//! A fair sample of a scope, the same in every index: the texts that drew the least lots (texts.rs).

use custos_model::PieceId;
use rusqlite::{Connection, params};

use super::SearchQuery;
use super::reach::Reach;
use crate::error::IndexError;
use crate::key::Key;
use crate::standing::bounded;
use crate::store::Index;
use crate::texts::piece_ids;

/// What the last samples have, as long as nobody has written to the index. A hook asks once and a server again and again, mostly about the
/// same project.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    terms: Sample<Vec<u8>>,
    pieces: Sample<Vec<PieceId>>,
}

impl Samples {
    /// Forgets them.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Gives the term vectors of a sample of a scope.
    pub(crate) fn terms(
        &mut self,
        connection: &Connection,
        reach: &Reach,
        count: usize,
    ) -> Result<&[Vec<u8>], IndexError> {
        self.terms.drawn(
            connection,
            reach,
            count,
            "SELECT terms FROM documents WHERE key = ?1",
            <[u8]>::to_vec,
        )
    }

    /// Gives the pieces of the texts of a sample.
    fn pieces(
        &mut self,
        connection: &Connection,
        reach: &Reach,
        count: usize,
    ) -> Result<&[Vec<PieceId>], IndexError> {
        self.pieces.drawn(connection, reach, count, "SELECT pieces FROM documents WHERE key = ?1", piece_ids)
    }
}

/// What a sample was drawn from: the scopes with their sizes, and the state of the file; and how large it was to be.
#[derive(Debug, PartialEq)]
struct Drawing {
    scopes: Vec<(i64, i64)>,
    state: i64,
    count: usize,
}

/// One thing of each text of a sample.
#[derive(Debug)]
struct Sample<T> {
    of: Option<Drawing>,
    drawn: Vec<T>,
}

impl<T> Default for Sample<T> {
    fn default() -> Self {
        Self { of: None, drawn: Vec::new() }
    }
}

impl<T> Sample<T> {
    fn drawn(
        &mut self,
        connection: &Connection,
        reach: &Reach,
        count: usize,
        sql: &str,
        read: impl Fn(&[u8]) -> T,
    ) -> Result<&[T], IndexError> {
        // Others' writes show in this number; our own clear what is kept here.
        let state = connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        let of = Some(Drawing { scopes: reach.scopes.clone(), state, count });
        if self.of != of {
            self.drawn.clear();
            let mut statement = connection.prepare_cached(sql)?;
            for key in sample(connection, reach, count)? {
                self.drawn.push(statement.query_row([key], |row| Ok(read(row.get_ref(0)?.as_blob()?)))?);
            }
            self.of = of;
        }
        Ok(&self.drawn)
    }
}

/// From how many scopes a sample is drawn, at most: the largest ones.
const SAMPLED_SCOPES: usize = 64;

impl Index {
    /// Gives some texts that stand for all of a question's projects and kinds; its words, and what else narrows it down, do not matter.
    pub fn sample(&mut self, query: &SearchQuery<'_>, count: usize) -> Result<Vec<Key>, IndexError> {
        self.read(|connection, _| {
            let reach = Reach::of(connection, query)?;
            Ok(sample(connection, &reach, count)?.into_iter().map(Key).collect())
        })
    }

    /// Gives the pieces of such texts.
    pub fn sample_pieces(
        &mut self,
        query: &SearchQuery<'_>,
        count: usize,
    ) -> Result<Vec<Vec<PieceId>>, IndexError> {
        self.read(|connection, desk| {
            let reach = Reach::of(connection, query)?;
            Ok(desk.samples.pieces(connection, &reach, count)?.to_vec())
        })
    }
}

/// Draws a sample, from each scope in proportion to its size.
pub(crate) fn sample(connection: &Connection, reach: &Reach, count: usize) -> Result<Vec<i64>, IndexError> {
    let scopes = &reach.scopes[..reach.scopes.len().min(SAMPLED_SCOPES)];
    let mut left: i64 = scopes.iter().map(|(_, documents)| documents).sum();
    let mut wanted = bounded(count).min(left);
    let mut statement = connection
        .prepare_cached("SELECT key FROM documents WHERE scope = ?1 ORDER BY draw, key LIMIT ?2")?;
    let mut keys = Vec::with_capacity(count);
    for (scope, documents) in scopes {
        // Rounded so that nothing is left over after the last one.
        let share = if left > 0 { (wanted * documents).div_euclid(left).min(*documents) } else { 0 };
        let share = if *documents == left { wanted } else { share };
        let rows = statement.query_map(params![scope, share], |row| row.get::<_, i64>(0))?;
        for key in rows {
            keys.push(key?);
        }
        left -= documents;
        wanted -= share;
    }
    Ok(keys)
}
