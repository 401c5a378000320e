//! What was corrected goes below what holds.
//!
//! A corrected observation is not found any more. The prompt that it came from and the summaries of its turn and its session are, for they
//! may say more than that; but somebody who asks for the old words would get them first, because they are the old words. So they lose a
//! share of what they have, and where the correction answers the question too, they have less than it.

use custos_index::{Entry, IndexError};

use crate::search::{Found, Search};
use crate::whole::{Replacement, replacement};

impl Search<'_> {
    /// Lowers what repeats something that was corrected.
    pub(super) fn lower_corrected(&mut self, found: &mut [Found]) -> Result<(), IndexError> {
        let share = self.policy.boosts.corrected;
        for at in 0..found.len() {
            if !found[at].entry.corrected {
                continue;
            }
            let score = found[at].score;
            let most =
                self.score_of_correction(&found[at].entry, found)?.map_or(score, |most| most.min(score));
            // Nobody gains by having been wrong.
            found[at].parts.corrected = (most * (1.0 - share) - score).min(0.0);
            found[at].score = found[at].parts.sum();
        }
        Ok(())
    }

    /// Gives the best score of what has taken the place of what an entry repeats, as far as that answers.
    fn score_of_correction(&mut self, entry: &Entry, found: &[Found]) -> Result<Option<f64>, IndexError> {
        let mut best: Option<f64> = None;
        for old in self.index.corrected_behind(entry.id)? {
            let Some(by) = replacement(self.index, self.log, old)? else { continue };
            let is_it = |entry: &Entry| match &by {
                Replacement::Memory(id) | Replacement::Told(id) => entry.id == *id,
                Replacement::Saved(slug) => entry.file.is_some() && entry.name.as_ref() == Some(slug),
            };
            let relevant = self.policy.relevant;
            let answers = found.iter().filter(|found| is_it(&found.entry) && relevant.is_met(found));
            best = answers.map(|found| found.score).chain(best).max_by(f64::total_cmp);
        }
        Ok(best)
    }
}
