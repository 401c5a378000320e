//! What comes into question, and what it is worth by words, meaning and neighbours.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::panic::resume_unwind;
use std::sync::mpsc;
use std::thread;

use custos_index::{CANDIDATES, Index, IndexError, Key, Matching, SearchQuery, Words};
use custos_model::piece::PieceId;

use super::meaning::Meaning;
use crate::fusion::{Chain, Measure, Ordinary, Row, measures};
use crate::policy::{Fusion, Policy, Reach};
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
    ///
    /// There is work for two hands. One follows the words, which is all reading in the index; the other the meaning, which is all
    /// arithmetic: it makes a vector of the question, tells it to the first, and looks for the nearest meanwhile.
    pub(super) fn gather(&mut self, ask: &Ask<'_>, hidden: &BTreeSet<Key>) -> Result<Gathered, IndexError> {
        let vectors = self.vectors;
        let Self { index, policy, notes, .. } = self;
        let (index, policy): (&mut Index, &Policy) = (index, policy);
        let (reach, fusion) = (&policy.reach, &policy.fusion);
        let projects = ask.with_own();
        // Somebody bound to a project may see little of the others: what is best in all of them may leave nothing to show.
        let own = ask.viewer.project().filter(|_| projects.is_empty()).map(|own| [own, ""]);
        let scopes: Vec<&[&str]> =
            [Some(projects.as_slice()), own.as_ref().map(|own| &own[..])].into_iter().flatten().collect();
        let scopes = scopes.as_slice();
        let (tell, told) = mpsc::channel();
        let is_compared = vectors.is_some();
        let by_words = move || {
            let looked_up = LookedUp::of(index, ask, (scopes, hidden), reach, is_compared)?;
            Field::of(index, looked_up, told.into_iter().next().flatten(), policy)
        };
        // Whatever becomes of this hand, the other hears of it: the end of the wire goes with it.
        let by_meaning = move || {
            let meaning = vectors.map(|(embedder, vectors)| Meaning::of(ask, reach, embedder, vectors));
            let meaning = meaning.unwrap_or(Ok(None)).unwrap_or_else(|note| {
                if !notes.contains(&note) {
                    notes.push(note);
                }
                None
            });
            // Nobody listens if the index could not be read.
            let _: Result<(), _> = tell.send(meaning.clone());
            let is_narrow = ask.is_narrow() || !hidden.is_empty();
            meaning.map(|meaning| meaning.nearest(ask.depth, scopes, reach, is_narrow)).unwrap_or_default()
        };
        let (field, nearest) = with_two_hands(is_compared, by_words, by_meaning);
        let mut field = field?;
        if !nearest.is_empty() {
            field.add_nearest(&nearest)?;
            field.look_around(reach, fusion)?;
        }
        Ok(field.ranked(fusion))
    }
}

/// Does two things at the same time, the first in a thread of its own; one after the other, and the second before the first, where that is not
/// worth it, or where there is no thread to be had.
fn with_two_hands<A: Send, B>(
    is_worth_it: bool,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B,
) -> (A, B) {
    let mut waiting = Some(first);
    let (done, second) = thread::scope(|scope| {
        let take_up = || waiting.take().map(|first| first());
        let aside =
            is_worth_it.then(|| thread::Builder::new().spawn_scoped(scope, take_up)).and_then(Result::ok);
        let second = second();
        (aside.and_then(|aside| aside.join().unwrap_or_else(|panic| resume_unwind(panic))), second)
    });
    let first = match (done, waiting) {
        (Some(done), _) => done,
        (None, Some(first)) => first(),
        (None, None) => unreachable!("what was taken up is done, or has panicked"),
    };
    (first, second)
}

/// What the index says about the words of a question.
struct LookedUp {
    words: Words,
    /// The best by words.
    matching: Vec<Matching>,
    /// The best by words in the viewer's own project, where all are searched.
    more: BTreeSet<Key>,
    /// The pieces of some texts that stand for all of the scope.
    sample: Vec<Vec<PieceId>>,
}

impl LookedUp {
    fn of(
        index: &mut Index,
        ask: &Ask<'_>,
        (scopes, hidden): (&[&[&str]], &BTreeSet<Key>),
        reach: &Reach,
        is_compared: bool,
    ) -> Result<Self, IndexError> {
        let (projects, own) = scopes.split_first().map_or((&[][..], &[][..]), |(first, rest)| (*first, rest));
        let query = SearchQuery { without: Some(hidden), ..ask.query(projects) };
        let by_words = match ask.depth {
            _ if !hidden.is_empty() => CANDIDATES,
            Depth::Hook => reach.by_words_in_hooks,
            Depth::Server => reach.by_words,
        };
        let (words, mut matching) = index.match_words(&query, by_words)?;
        drop_echoes(index, ask, &mut matching)?;
        let mut more = BTreeSet::new();
        for projects in own {
            let (_, matching) = index.match_words(&SearchQuery { projects, ..query }, by_words)?;
            more.extend(matching.into_iter().map(|matching| matching.key));
        }
        let sample = if is_compared { index.sample_pieces(&query, reach.sample)? } else { Vec::new() };
        Ok(Self { words, matching, more, sample })
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

/// The rows that are known so far.
struct Field<'s> {
    index: &'s mut Index,
    words: Words,
    /// What the best by words has.
    best: f64,
    meaning: Option<Meaning<'s>>,
    /// What likeness is ordinary in the scope.
    ordinary: Option<Ordinary>,
    rows: Vec<Row<Key>>,
    cosines: BTreeMap<Key, f64>,
    /// Who stands around the best.
    around: BTreeMap<Key, [Option<Key>; 4]>,
}

impl<'s> Field<'s> {
    /// Begins with what was found by words, and with what stands around that.
    fn of(
        index: &'s mut Index,
        looked_up: LookedUp,
        meaning: Option<Meaning<'s>>,
        policy: &Policy,
    ) -> Result<Self, IndexError> {
        let LookedUp { words, matching, more, sample } = looked_up;
        let sample = meaning.as_ref().map(|meaning| meaning.likenesses(sample.iter().map(Vec::as_slice)));
        let sample: Vec<f64> = sample.into_iter().flatten().flatten().collect();
        let mut field = Self {
            index,
            words,
            best: matching.first().map_or(0.0, |best| best.score),
            meaning,
            ordinary: Ordinary::of(&sample, policy.fusion.least_spread),
            rows: Vec::new(),
            cosines: BTreeMap::new(),
            around: BTreeMap::new(),
        };
        field.add(&matching);
        field.add_unscored(more)?;
        field.look_around(&policy.reach, &policy.fusion)?;
        Ok(field)
    }

    /// Adds rows whose words have been counted.
    fn add(&mut self, found: &[Matching]) {
        let pieces = found.iter().map(|found| found.pieces.as_slice());
        let likenesses = self.meaning.as_ref().map(|meaning| meaning.likenesses(pieces)).unwrap_or_default();
        // None where nothing is compared.
        let likenesses = likenesses.into_iter().chain(iter::repeat(None));
        for (Matching { key, score, .. }, likeness) in found.iter().zip(likenesses) {
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
        let found = self.index.weigh(&self.words, &keys)?;
        self.add(&found);
        Ok(())
    }

    /// Adds the rows that are nearest by meaning, given some of their pieces.
    fn add_nearest(&mut self, nearest: &[PieceId]) -> Result<(), IndexError> {
        let keys = self.index.with_pieces(nearest)?;
        self.add_unscored(keys.into_iter().flatten().collect())
    }

    /// Finds out who stands beside the best, and adds the neighbours of the very best that nothing else has found.
    fn look_around(&mut self, reach: &Reach, fusion: &Fusion) -> Result<(), IndexError> {
        let measures = measures(&self.rows, fusion);
        let mut best = best_first(&measures, |_| 0.0);
        best.truncate(reach.neighbours_known);
        let unknown: Vec<Key> = best.iter().copied().filter(|key| !self.around.contains_key(key)).collect();
        let around = self.index.neighbours_of(&unknown)?;
        self.around.extend(unknown.into_iter().zip(around));
        let very_best = best.iter().take(reach.neighbours_read);
        let beside = very_best.filter_map(|key| self.around.get(key)).flatten().flatten();
        self.add_unscored(beside.copied().collect())
    }

    fn ranked(self, fusion: &Fusion) -> Gathered {
        let mut chain = Chain::new();
        for (key, around) in &self.around {
            chain.note(*key, *around);
        }
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
