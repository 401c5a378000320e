//! How new a text is: how much of what it says no other text of its project says.

use custos_model::Kind;

use super::SearchQuery;
use super::words::matching;
use crate::error::IndexError;
use crate::key::Key;
use crate::store::Index;

/// How many words of a text are looked at, and with how many documents it is compared.
const WORDS: usize = 12;
const COMPARED: usize = 64;

impl Index {
    /// Tells how new a text is among the observations of a project, from 0 (one of them has all of its words) to 1.
    ///
    /// Words weigh by how rare they are. The index is asked as it stands: what the log has gained since does not count.
    pub fn novelty(&mut self, text: &str, project: Option<&str>) -> Result<f64, IndexError> {
        let query = SearchQuery {
            projects: project.as_slice(),
            kinds: &[Kind::ObservationRecorded],
            ..SearchQuery::new(text)
        };
        self.steadily(|index| {
            let (words, matches) =
                index.read(|connection, desk| matching(connection, desk, &query, WORDS, COMPARED))?;
            let keys: Vec<Key> = matches.iter().map(|matching| matching.key).collect();
            let best = index.coverage(&words, &keys)?.into_iter().fold(0.0, f64::max);
            Ok((1.0 - best).clamp(0.0, 1.0))
        })
    }
}
