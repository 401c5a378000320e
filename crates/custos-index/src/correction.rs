//! What a correction reaches beyond the text that it replaces.
//!
//! Somebody corrects an observation. What it said was also said elsewhere: by the prompt that it was made of, in the summary of that turn,
//! and in the summary of the session. None of these is replaced, for each may say much more that still holds; but whoever reads them must
//! know that part of it does not. `sources` has the relation: a session's summary names the observations that it sums up, and a turn's
//! summary and its observations name the same events.
//!
//! Only what somebody corrected on purpose counts. A worker that finds better words for the same thing has corrected nothing.

use custos_model::EventId;

use crate::entry::listed_ids;
use crate::error::IndexError;
use crate::store::Index;

/// Says of a text whether part of it was corrected.
///
/// Lists ask it of every row, so it begins with what is mostly the whole answer: that nothing was ever corrected. A session's summary may
/// have hundreds of sources, and is asked about each correction; that of a turn has few, and is asked about each source.
macro_rules! corrected {
    () => {
        "CASE WHEN kind NOT IN (0, 2) OR NOT EXISTS (SELECT 1 FROM superseded WHERE corrects) THEN 0
            WHEN kind = 0 THEN EXISTS (SELECT 1 FROM sources JOIN superseded ON superseded.id = sources.derived
                WHERE sources.source = texts.id AND result IN (0, 5) AND corrects)
            WHEN of_session THEN EXISTS (SELECT 1 FROM superseded CROSS JOIN sources
                ON sources.source = superseded.id AND sources.derived = texts.id AND result IN (0, 5) WHERE corrects)
            ELSE EXISTS (SELECT 1 FROM sources AS own JOIN superseded ON superseded.id = own.source
                    WHERE own.derived = texts.id AND own.result IN (0, 5) AND corrects)
                OR EXISTS (SELECT 1 FROM sources AS own CROSS JOIN sources AS other ON other.source = own.source
                    JOIN superseded ON superseded.id = other.derived
                    WHERE own.derived = texts.id AND own.result IN (0, 5) AND other.result IN (0, 5) AND corrects)
            END"
    };
}
pub(crate) use corrected;

/// The same the other way round: which texts those are that were corrected.
const BEHIND: &str = "
    SELECT superseded.id FROM sources JOIN superseded ON superseded.id = sources.derived
        WHERE sources.source = ?1 AND result IN (0, 5) AND corrects
    UNION SELECT superseded.id FROM sources JOIN superseded ON superseded.id = sources.source
        WHERE sources.derived = ?1 AND result IN (0, 5) AND corrects
    UNION SELECT superseded.id FROM sources AS own CROSS JOIN sources AS other ON other.source = own.source
        JOIN superseded ON superseded.id = other.derived
        WHERE own.derived = ?1 AND own.result IN (0, 5) AND other.result IN (0, 5) AND corrects
            AND NOT EXISTS (SELECT 1 FROM made WHERE made.id = ?1 AND of_session)
    ORDER BY 1";

impl Index {
    /// Lists the texts that were corrected and that a [corrected](crate::Entry::corrected) one repeats.
    pub fn corrected_behind(&mut self, id: EventId) -> Result<Vec<EventId>, IndexError> {
        self.read(|connection, _| listed_ids(&mut *connection.prepare_cached(BEHIND)?, id))
    }
}
