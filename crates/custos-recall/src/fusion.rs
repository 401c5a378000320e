//! How words, meaning and neighbours become one measure. Pure arithmetic: no index, no vectors, no time.
//!
//! Two rankers give numbers that have nothing in common, and each fails in its own way. The ranking by words is *flat* where it cannot tell
//! texts apart: all of them have the same few words. The likeness of vectors is high for everything of one subject, and tells something
//! only where a text stands out from the rest of its scope. So each is measured by what makes it trustworthy:
//!
//! - words as a share of the best match: a flat ranking gives nearly the same to many, and leaves the decision to the meaning;
//! - meaning in standard deviations above what is ordinary in the scope: a text that stands out gets much, a subject as such nothing.
//!
//! Their sum follows the question without looking at it. Ranks (reciprocal rank fusion), ranges (smallest to largest) and standard
//! deviations of both were tried; each loses three to eight points on one set of questions or another.
//!
//! In a conversation, an answer is often one turn away from the words of the question. So a row gains by its better neighbour, before or
//! after, and by the better one of those two places away.

use std::collections::BTreeMap;

use crate::policy::Fusion;

/// What likeness is ordinary in a scope.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ordinary {
    mean: f64,
    spread: f64,
}

impl Ordinary {
    /// Takes it from a sample; nothing is ordinary where there is none.
    pub(crate) fn of(sample: &[f64], least_spread: f64) -> Option<Self> {
        if sample.is_empty() {
            return None;
        }
        let count = sample.len() as f64;
        let mean = sample.iter().sum::<f64>() / count;
        let variance = sample.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        Some(Self { mean, spread: variance.sqrt().max(least_spread) })
    }

    /// Says by how many standard deviations a likeness is above it.
    pub(crate) fn deviations(self, likeness: f64) -> f64 {
        (likeness - self.mean) / self.spread
    }
}

/// What a row is worth by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Measure {
    /// By its words: 1 for the best.
    pub(crate) words: f64,
    /// By its meaning: standard deviations, weighed.
    pub(crate) meaning: f64,
}

impl Measure {
    pub(crate) fn sum(self) -> f64 {
        self.words + self.meaning
    }
}

/// A row as it was found: its share of the best match by words, and its deviations where it has a vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Row<K> {
    pub(crate) key: K,
    pub(crate) words: f64,
    pub(crate) deviations: Option<f64>,
}

/// Measures rows.
///
/// A row without a vector is mostly a new one that the worker has not come to. To count its meaning as ordinary would put it behind
/// everything older that matches as well. So it is taken to mean as much as its words promise: in proportion to them, what the best by
/// words have on average.
pub(crate) fn measures<K: Copy + Ord>(rows: &[Row<K>], fusion: &Fusion) -> BTreeMap<K, Measure> {
    let mut by_words: Vec<&Row<K>> = rows.iter().collect();
    by_words.sort_by(|a, b| b.words.total_cmp(&a.words).then(b.key.cmp(&a.key)));
    let telling: Vec<f64> = by_words.iter().filter_map(|row| row.deviations).take(fusion.telling).collect();
    let promised = (telling.iter().sum::<f64>() / telling.len().max(1) as f64).max(0.0);
    let measure = |row: &Row<K>| {
        let deviations = row.deviations.unwrap_or(promised * row.words);
        (row.key, Measure { words: row.words, meaning: fusion.meaning * deviations })
    };
    rows.iter().map(measure).collect()
}

/// Who stands beside whom in a session.
#[derive(Debug)]
pub(crate) struct Chain<K> {
    beside: BTreeMap<K, [Option<K>; 2]>,
}

impl<K: Copy + Ord> Chain<K> {
    pub(crate) const fn new() -> Self {
        Self { beside: BTreeMap::new() }
    }

    /// Notes the rows around one: two places before, one before, one after, two after.
    pub(crate) fn note(&mut self, key: K, around: [Option<K>; 4]) {
        let [second_before, before, after, second_after] = around;
        self.link(second_before, before);
        self.link(before, Some(key));
        self.link(Some(key), after);
        self.link(after, second_after);
    }

    fn link(&mut self, earlier: Option<K>, later: Option<K>) {
        if let (Some(earlier), Some(later)) = (earlier, later) {
            self.beside.entry(earlier).or_default()[1] = Some(later);
            self.beside.entry(later).or_default()[0] = Some(earlier);
        }
    }

    fn step(&self, key: K, side: usize) -> Option<K> {
        self.beside.get(&key).and_then(|beside| beside[side])
    }

    /// Says what a row gains by its neighbours. One that nobody has measured counts nothing, and so does one that is below the ordinary.
    pub(crate) fn gain(&self, key: K, measures: &BTreeMap<K, Measure>, fusion: &Fusion) -> f64 {
        let worth = |key: Option<K>| key.and_then(|key| measures.get(&key)).map_or(0.0, |found| found.sum());
        let first = [0, 1].map(|side| self.step(key, side));
        let second = [0, 1].map(|side| first[side].and_then(|next| self.step(next, side)));
        let better = |pair: [Option<K>; 2]| worth(pair[0]).max(worth(pair[1])).max(0.0);
        fusion.neighbour * better(first) + fusion.second_neighbour * better(second)
    }
}

#[cfg(test)]
mod tests;
