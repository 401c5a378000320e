//! What comes into question, and what it is worth by words, meaning and neighbours.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::panic::resume_unwind;
use std::thread;

use custos_index::{Index, IndexError, Key, Matching, Words};
use custos_model::piece::PieceId;

use super::meaning::Meaning;
use crate::fusion::{Chain, Measure, Ordinary, Row, measures};
use crate::policy::{Fusion, Reach};
use crate::search::{Ask, Depth, Echo, Parts, Search};

/// What came into question.
pub(super) struct Gathered {
    pub(super) words: Words,
    /// The most promising first.
    pub(super) ranked: Vec<Key>,
    measures: BTreeMap<Key, Measure>,
    gains: BTreeMap<Key, f64>,
    cosines: BTreeMap<Key, f64>,
}

impl Gathered {
    /// Gives the parts of a score that are known by now.
    pub(super) fn parts(&self, key: Key) -> Parts {
        let Measure { words, meaning } = self.measures.get(&key).copied().unwrap_or_default();
        Parts { words, meaning, neighbours: self.gains.get(&key).copied().unwrap_or(0.0), ..Parts::default() }
    }

    /// Gives the likeness of a row to the question.
    #[expect(clippy::cast_possible_truncation, reason = "it was made of numbers of that size")]
    pub(super) fn cosine(&self, key: Key) -> Option<f32> {
        self.cosines.get(&key).map(|cosine| *cosine as f32)
    }
}

impl Search<'_> {
    /// Gathers what comes into question and measures it.
    pub(super) fn gather(&mut self, ask: &Ask<'_>) -> Result<Gathered, IndexError> {
        let vectors = self.vectors;
        let Self { index, policy, notes, .. } = self;
        let (reach, fusion) = (&policy.reach, &policy.fusion);
        let projects = ask.with_own();
        // Somebody bound to a project may see little of the others: what is best in all of them may leave nothing to show.
        let own = ask.viewer.project().filter(|_| projects.is_empty()).map(|own| [own, ""]);
        let scopes: Vec<&[&str]> =
            [Some(projects.as_slice()), own.as_ref().map(|own| &own[..])].into_iter().flatten().collect();
        let mut words = || LookedUp::of(index, ask, &scopes, reach, vectors.is_some());
        let embed = || vectors.map(|(embedder, vectors)| Meaning::of(ask, reach, embedder, vectors));
        let (looked_up, meaning) = side_by_side(vectors.is_some(), &mut words, embed);
        let meaning = meaning.unwrap_or(Ok(None)).unwrap_or_else(|note| {
            notes.push(note);
            None
        });
        let LookedUp { words, matching, pieces, more, sample } = looked_up?;
        let is_scanned = meaning.is_some() && ask.depth == Depth::Server;
        let compare = || Compared::of(meaning.as_ref(), &sample, &pieces, fusion);
        let find =
            || meaning.as_ref().map(|meaning| meaning.nearest(ask, &scopes, reach)).unwrap_or_default();
        let (Compared { ordinary, likenesses }, nearest) = side_by_side(is_scanned, compare, find);
        let best = matching.first().map_or(0.0, |best| best.score);
        let mut field =
            Field { index, words, best, meaning, ordinary, rows: Vec::new(), cosines: BTreeMap::new() };
        field.add(&matching, &likenesses);
        field.add_unscored(more)?;
        field.add_nearest(&nearest)?;
        let chain = field.look_around(reach, fusion)?;
        Ok(field.ranked(&chain, fusion))
    }
}

/// Does two things at the same time, the shorter in a thread of its own; one after the other where that is not worth it, or where there is no
/// thread to be had.
fn side_by_side<A: Send, B>(
    is_worth_it: bool,
    mut shorter: impl FnMut() -> A + Send,
    longer: impl FnOnce() -> B,
) -> (A, B) {
    if !is_worth_it {
        return (shorter(), longer());
    }
    let (aside, here) = thread::scope(|scope| {
        let aside = thread::Builder::new().spawn_scoped(scope, &mut shorter);
        let here = longer();
        (aside.ok().map(|aside| aside.join().unwrap_or_else(|panic| resume_unwind(panic))), here)
    });
    (aside.unwrap_or_else(shorter), here)
}

/// What the index says about the words of a question.
struct LookedUp {
    words: Words,
    /// The best by words.
    matching: Vec<Matching>,
    /// Their pieces, if they are compared with any.
    pieces: Vec<Vec<PieceId>>,
    /// The best by words in the viewer's own project, where all are searched.
    more: BTreeSet<Key>,
    /// The pieces of some texts that stand for all of the scope.
    sample: Vec<Vec<PieceId>>,
}

impl LookedUp {
    fn of(
        index: &mut Index,
        ask: &Ask<'_>,
        scopes: &[&[&str]],
        reach: &Reach,
        is_compared: bool,
    ) -> Result<Self, IndexError> {
        let (projects, own) = scopes.split_first().map_or((&[][..], &[][..]), |(first, rest)| (*first, rest));
        let query = ask.query(projects);
        let by_words = match ask.depth {
            Depth::Hook => reach.by_words_in_hooks,
            Depth::Server => reach.by_words,
        };
        let (words, mut matching) = index.match_words(&query, by_words)?;
        drop_echoes(index, ask, &mut matching)?;
        let mut more = BTreeSet::new();
        for projects in own {
            let (_, matching) = index.match_words(&ask.query(projects), by_words)?;
            more.extend(matching.into_iter().map(|matching| matching.key));
        }
        let (mut pieces, mut sample) = (Vec::new(), Vec::new());
        if is_compared {
            let keys: Vec<Key> = matching.iter().map(|matching| matching.key).collect();
            pieces = index.pieces_of(&keys)?;
            let keys = index.sample(&query, reach.sample)?;
            sample = index.pieces_of(&keys)?;
        }
        Ok(Self { words, matching, pieces, more, sample })
    }
}

/// Takes out what only repeats the question, as far as it leads: all others are measured by the best. What comes later is left out like
/// everything that was not asked for.
fn drop_echoes(index: &mut Index, ask: &Ask<'_>, matching: &mut Vec<Matching>) -> Result<(), IndexError> {
    if ask.echo == Echo::Kept {
        return Ok(());
    }
    let mut leading = 0;
    while let Some(Matching { key, .. }) = matching.get(leading)
        && index.entries(&[*key])?.iter().any(|(_, entry)| ask.is_echo(entry))
    {
        leading += 1;
    }
    matching.drain(..leading);
    Ok(())
}

/// How like some texts are to the question.
struct Compared {
    /// What is ordinary in the scope.
    ordinary: Option<Ordinary>,
    /// Of each of the best by words.
    likenesses: Vec<Option<f64>>,
}

impl Compared {
    fn of(
        meaning: Option<&Meaning<'_>>,
        sample: &[Vec<PieceId>],
        matching: &[Vec<PieceId>],
        fusion: &Fusion,
    ) -> Self {
        let Some(meaning) = meaning else { return Self { ordinary: None, likenesses: Vec::new() } };
        let of_sample: Vec<f64> = meaning.likenesses(sample).into_iter().flatten().collect();
        Self {
            ordinary: Ordinary::of(&of_sample, fusion.least_spread),
            likenesses: meaning.likenesses(matching),
        }
    }
}

/// The rows that are known so far.
struct Field<'s> {
    index: &'s mut Index,
    words: Words,
    /// What the best by words has.
    best: f64,
    meaning: Option<Meaning<'s>>,
    ordinary: Option<Ordinary>,
    rows: Vec<Row<Key>>,
    cosines: BTreeMap<Key, f64>,
}

impl Field<'_> {
    /// Adds rows whose words have been counted, with how like they are to the question.
    fn add(&mut self, found: &[Matching], likenesses: &[Option<f64>]) {
        // None where nothing is compared.
        let likenesses = likenesses.iter().copied().chain(iter::repeat(None));
        for (Matching { key, score }, likeness) in found.iter().zip(likenesses) {
            self.cosines.extend(likeness.map(|likeness| (*key, likeness)));
            let deviations =
                self.ordinary.zip(likeness).map(|(ordinary, likeness)| ordinary.deviations(likeness));
            let words = if self.best > 0.0 { score / self.best } else { 0.0 };
            self.rows.push(Row { key: *key, words, deviations });
        }
    }

    /// Adds rows that were not found by their words, and counts these.
    fn add_unscored(&mut self, mut keys: BTreeSet<Key>) -> Result<(), IndexError> {
        for row in &self.rows {
            keys.remove(&row.key);
        }
        let keys: Vec<Key> = keys.into_iter().collect();
        let (scores, pieces): (Vec<f64>, Vec<_>) = self.index.weigh(&self.words, &keys)?.into_iter().unzip();
        let likenesses = self.meaning.as_ref().map(|meaning| meaning.likenesses(&pieces)).unwrap_or_default();
        let found: Vec<Matching> =
            keys.into_iter().zip(scores).map(|(key, score)| Matching { key, score }).collect();
        self.add(&found, &likenesses);
        Ok(())
    }

    /// Adds the rows that are nearest by meaning, given some of their pieces.
    fn add_nearest(&mut self, nearest: &[PieceId]) -> Result<(), IndexError> {
        let keys = self.index.with_pieces(nearest)?;
        self.add_unscored(keys.into_iter().flatten().collect())
    }

    /// Finds out who stands beside the best, and adds the neighbours of the very best that nothing else has found.
    fn look_around(&mut self, reach: &Reach, fusion: &Fusion) -> Result<Chain<Key>, IndexError> {
        let measures = measures(&self.rows, fusion);
        let mut best = best_first(&measures, |_| 0.0);
        best.truncate(reach.neighbours_known);
        let around = self.index.neighbours_of(&best)?;
        let mut chain = Chain::new();
        let mut beside = BTreeSet::new();
        for (at, (key, around)) in best.into_iter().zip(around).enumerate() {
            chain.note(key, around);
            if at < reach.neighbours_read {
                beside.extend(around.into_iter().flatten());
            }
        }
        self.add_unscored(beside)?;
        Ok(chain)
    }

    fn ranked(self, chain: &Chain<Key>, fusion: &Fusion) -> Gathered {
        let measures = measures(&self.rows, fusion);
        let gains: BTreeMap<Key, f64> =
            measures.keys().map(|key| (*key, chain.gain(*key, &measures, fusion))).collect();
        let ranked = best_first(&measures, |key| gains[&key]);
        Gathered { words: self.words, ranked, measures, gains, cosines: self.cosines }
    }
}

/// Orders rows by their measure and what they gain; of equals, those with the higher keys first.
fn best_first(measures: &BTreeMap<Key, Measure>, gain: impl Fn(Key) -> f64) -> Vec<Key> {
    let mut sums: Vec<(Key, f64)> =
        measures.iter().map(|(key, measure)| (*key, measure.sum() + gain(*key))).collect();
    sums.sort_by(|(a, a_sum), (b, b_sum)| b_sum.total_cmp(a_sum).then(b.cmp(a)));
    sums.into_iter().map(|(key, _)| key).collect()
}
