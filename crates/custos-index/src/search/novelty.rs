//! How new a text is: how much of what it says no other text of its project says.

use custos_model::Kind;
use rusqlite::Connection;

use super::{Matches, SearchQuery, corpus};
use crate::analyse::Analyser;
use crate::error::IndexError;
use crate::rank::coverage;
use crate::store::Index;

/// How many words of a text are looked at, and with how many documents it is compared.
const WORDS: usize = 12;
const COMPARED: usize = 64;

impl Index {
    /// Tells how new a text is among the observations of a project, from 0 (one of them has all of its words) to 1.
    ///
    /// Words weigh by how rare they are. The index is asked as it stands: what the log has gained since does not count.
    pub fn novelty(&mut self, text: &str, project: Option<&str>) -> Result<f64, IndexError> {
        self.operate(|connection, analyser| novelty(connection, analyser, text, project))
    }
}

fn novelty(
    connection: &Connection,
    analyser: &mut Analyser,
    text: &str,
    project: Option<&str>,
) -> Result<f64, IndexError> {
    let words = analyser.distinct(text, WORDS);
    if words.is_empty() {
        return Ok(1.0);
    }
    let query = SearchQuery { project, kinds: &[Kind::ObservationRecorded], ..SearchQuery::new(text) };
    let matches = Matches::new(connection, &query);
    let corpus = corpus(connection)?;
    let question = matches.probe(words, corpus)?;
    let candidates = matches.gather(&question, corpus, COMPARED)?;
    let mut statement = connection.prepare_cached("SELECT terms FROM documents WHERE key = ?1")?;
    let mut best: f64 = 0.0;
    for key in candidates {
        let mut rows = statement.query([key])?;
        if let Some(row) = rows.next()? {
            let vector = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
            best = best.max(coverage(&question.terms, vector));
        }
    }
    Ok((1.0 - best).clamp(0.0, 1.0))
}
