//! A question as a vector, how like a text is to it, and which are the nearest.

use custos_embed::{EmbedError, Embedder, Vector};
use custos_model::piece::PieceId;
use custos_vectors::{ScopeTag, Vectors};

use crate::policy::Reach;
use crate::search::{Ask, Depth};

/// How much of a question is embedded, in bytes: far more than its first tokens take.
const EMBEDDED: usize = 2048;

/// Says that the worker has not come to it.
const NO_VECTORS: &str = "no vectors have been made yet, so only words were compared, not meaning; `custos status` tells how far the worker is";

/// Says that the embedder cannot help.
const NO_WORDS: &str = "the embedder knows none of these words, so only words were compared, not meaning";

/// A question as a vector, and those that it is compared with.
#[derive(Clone)]
pub(super) struct Meaning<'v> {
    vector: Vector,
    vectors: &'v Vectors,
}

impl<'v> Meaning<'v> {
    /// Embeds a question. An error is a note for whoever asked; nothing where nobody wants an embedder.
    pub(super) fn of(
        ask: &Ask<'_>,
        reach: &Reach,
        embedder: &dyn Embedder,
        vectors: &'v Vectors,
    ) -> Result<Option<Self>, String> {
        if vectors.is_empty() {
            return Err(NO_VECTORS.to_owned());
        }
        let beginning = &ask.text[..ask.text.floor_char_boundary(EMBEDDED)];
        if !embedder.knows_words_of(beginning) {
            return Err(NO_WORDS.to_owned());
        }
        let vector = match embedder.embed(beginning, reach.question_tokens) {
            Ok(vector) => vector,
            Err(EmbedError::Absent) => return Ok(None),
            Err(error) => return Err(format!("{error}, so only words were compared, not meaning")),
        };
        Ok(Some(Self { vector, vectors }))
    }

    /// Finds the nearest texts in each of some lists of projects, if the question reaches that far; more where many of them will be left out.
    pub(super) fn nearest(
        &self,
        depth: Depth,
        scopes: &[&[&str]],
        reach: &Reach,
        is_narrow: bool,
    ) -> Vec<PieceId> {
        let count = match depth {
            Depth::Hook => return Vec::new(),
            Depth::Server if is_narrow => reach.by_meaning * reach.narrow,
            Depth::Server => reach.by_meaning,
        };
        scopes.iter().flat_map(|projects| self.nearest_in(projects, count)).collect()
    }

    /// Finds the nearest pieces of some projects; of all where none is named.
    fn nearest_in(&self, projects: &[&str], count: usize) -> Vec<PieceId> {
        let tag = |project: &&str| ScopeTag::of((!project.is_empty()).then_some(project));
        let tags: Vec<ScopeTag> = projects.iter().map(tag).collect();
        let scopes = if projects.is_empty() { None } else { Some(tags.as_slice()) };
        self.vectors.nearest(&self.vector, scopes, count).into_iter().map(|(piece, _)| piece).collect()
    }

    /// Says how like each text is to the question, given its pieces; nothing of those without a vector.
    pub(super) fn likenesses<'t>(
        &self,
        texts: impl Iterator<Item = &'t [PieceId]> + Clone,
    ) -> Vec<Option<f64>> {
        let pieces: Vec<PieceId> = texts.clone().flatten().copied().collect();
        let similarities = self.vectors.similarities(&self.vector, &pieces);
        let mut rest = similarities.as_slice();
        let own = |pieces: &[PieceId]| {
            let (own, others) = rest.split_at(pieces.len().min(rest.len()));
            rest = others;
            likeness(own)
        };
        texts.map(own).collect()
    }
}

/// Makes one number of those of a text's pieces, of which the first is the whole: that, or halfway between the whole and its most telling
/// part. The whole alone blurs a long text, and a part alone is taken out of its context.
fn likeness(pieces: &[Option<f32>]) -> Option<f64> {
    let (whole, parts) = pieces.split_first()?;
    let whole = f64::from((*whole)?);
    let best = parts.iter().flatten().copied().max_by(f32::total_cmp);
    Some(best.map_or(whole, |best| f64::midpoint(whole, f64::from(best))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_as_like_as_its_whole_and_its_best_part() {
        let cases: [&[Option<f32>]; 5] = [
            &[],
            &[Some(0.5)],
            &[Some(0.5), Some(0.25), Some(1.0), None],
            &[None, Some(1.0)],
            &[Some(0.5), None],
        ];
        assert_eq!(cases.map(likeness), [None, Some(0.5), Some(0.75), None, Some(0.5)]);
    }
}
