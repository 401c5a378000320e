//! A fair sample of a scope, the same in every index: the texts that drew the least lots (texts.rs).

use rusqlite::{Connection, params};

use super::SearchQuery;
use super::reach::Reach;
use crate::error::IndexError;
use crate::key::Key;
use crate::standing::bounded;
use crate::store::Index;

/// The term vectors of the last sample, as long as nobody has written to the index. A hook asks once and a server again and again,
/// mostly about the same project.
#[derive(Debug, Default)]
pub(crate) struct Sampled {
    /// Whose they are, and in which state of the file.
    of: Option<(Vec<(i64, i64)>, i64)>,
    vectors: Vec<Vec<u8>>,
}

impl Sampled {
    /// Forgets them.
    pub(crate) fn clear(&mut self) {
        self.of = None;
    }

    /// Gives the term vectors of a sample of a scope.
    pub(crate) fn vectors(
        &mut self,
        connection: &Connection,
        reach: &Reach,
        count: usize,
    ) -> Result<&[Vec<u8>], IndexError> {
        // Others' writes show in this number; our own clear what is kept here.
        let state = connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        let of = Some((reach.scopes.clone(), state));
        if self.of != of {
            self.vectors.clear();
            let mut statement = connection.prepare_cached("SELECT terms FROM documents WHERE key = ?1")?;
            for key in sample(connection, reach, count)? {
                self.vectors.push(statement.query_row([key], |row| row.get(0))?);
            }
            self.of = of;
        }
        Ok(&self.vectors)
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
