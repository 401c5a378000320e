//! The full-text index, asked which texts of a scope contain something.

use rusqlite::{Connection, params};

use super::SearchQuery;
use super::reach::{Reach, Slot, range};
use crate::error::IndexError;
use crate::key::{DRIFT, Key, first_key, last_key, mirrored, moment};

/// How many texts of other kinds are passed over, at most, for each that is looked for.
const PASSED_OVER: usize = 8;

/// Asks the full-text index, always within the scope of a question, and if wanted within what narrows it down.
pub(crate) struct Matches<'a> {
    connection: &'a Connection,
    query: &'a SearchQuery<'a>,
    reach: &'a Reach,
    /// What narrows the question down, as a condition to be added.
    narrowing: String,
}

/// What was found, and whether it is all that there is.
pub(crate) struct Found {
    pub(crate) keys: Vec<i64>,
    pub(crate) is_all: bool,
}

impl<'a> Matches<'a> {
    /// Asks within the whole scope.
    pub(crate) fn new(
        connection: &'a Connection,
        query: &'a SearchQuery<'a>,
        reach: &'a Reach,
        narrowing: String,
    ) -> Self {
        Self { connection, query, reach, narrowing }
    }

    /// Says whether the question is about less than its scope.
    pub(crate) fn is_narrowed(&self) -> bool {
        !self.narrowing.is_empty() || self.query.since.is_some() || self.query.until.is_some()
    }

    /// Finds texts of the whole scope that match, in no particular order, and stops at a limit.
    pub(crate) fn in_scope(&self, condition: &str, limit: usize) -> Result<Found, IndexError> {
        self.any(condition, limit, false)
    }

    /// Finds texts that match within what narrows the question down, in no particular order, and stops at a limit.
    pub(crate) fn narrowed(&self, condition: &str, limit: usize) -> Result<Found, IndexError> {
        self.any(condition, limit, true)
    }

    fn any(&self, condition: &str, limit: usize, is_narrowed: bool) -> Result<Found, IndexError> {
        let mut found = Found { keys: Vec::new(), is_all: true };
        if self.reach.is_everywhere {
            self.walk(condition, "", (0, i64::MAX), is_narrowed, limit, &mut found)?;
        } else {
            for slot in &self.reach.slots {
                let range = range(slot.no, self.query, is_narrowed);
                self.walk(condition, &slot.marks, range, is_narrowed, limit, &mut found)?;
            }
        }
        Ok(found)
    }

    /// Finds the newest texts that match, the newest first.
    pub(crate) fn newest(&self, condition: &str, limit: usize) -> Result<Vec<i64>, IndexError> {
        let slots: &[Slot] = self.reach.searched();
        // With many projects, each gives a part; of a few, each might have all of the newest.
        let share =
            if slots.len() <= 4 { limit } else { (limit * 4).div_ceil(slots.len()).clamp(8, limit.max(8)) };
        let mut keys = Vec::new();
        for slot in slots {
            let mut found = Found { keys: Vec::new(), is_all: true };
            let range = range(slot.no, self.query, true);
            self.walk(condition, &slot.marks, range, true, share, &mut found)?;
            keys.append(&mut found.keys);
        }
        keys.sort_unstable_by_key(|key| std::cmp::Reverse((moment(*key), *key)));
        keys.truncate(limit);
        Ok(keys)
    }

    /// Walks through the matches in a range of the full-text index, until so many that are wanted have been found in all.
    fn walk(
        &self,
        condition: &str,
        marks: &str,
        range: (i64, i64),
        is_narrowed: bool,
        limit: usize,
        found: &mut Found,
    ) -> Result<(), IndexError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT rowid FROM search WHERE search MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid",
        )?;
        let narrowing = if is_narrowed { self.narrowing.as_str() } else { "" };
        let matching = format!("({condition}){marks}{}{narrowing}", self.reach.kinds);
        let times = if is_narrowed { self.times() } else { (0, i64::MAX) };
        let mut rows = statement.query(params![matching, range.0, range.1])?;
        let mut passed_over = 0;
        while let Some(row) = rows.next()? {
            let key = mirrored(row.get(0)?);
            let is_left_out = self.query.without.is_some_and(|without| without.contains(&Key(key)));
            if is_left_out {
                continue;
            }
            if self.reach.wants(key) && (times.0..=times.1).contains(&moment(key)) {
                if found.keys.len() >= limit {
                    found.is_all = false;
                    break;
                }
                found.keys.push(key);
            } else {
                passed_over += 1;
                if passed_over > limit.saturating_mul(PASSED_OVER) {
                    found.is_all = false;
                    break;
                }
            }
        }
        Ok(())
    }

    /// Gives the times that the question names, as parts of keys.
    fn times(&self) -> (i64, i64) {
        let drift = i64::try_from(DRIFT.as_millis()).unwrap_or(0);
        let until = self.query.until.map(|until| last_key(until.minus_millis(-drift)));
        (self.query.since.map_or(0, first_key), until.unwrap_or(i64::MAX))
    }
}
