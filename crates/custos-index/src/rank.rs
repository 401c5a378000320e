//! How well a document answers a question: BM25 over its term vector.
//!
//! FTS5 has a BM25 of its own, but it counts every row of every word of a query before it ranks the first one, and reads the size of
//! every match; a word that most rows contain then costs tens of milliseconds. Here a document's frequencies lie together in its
//! term vector, and how common a word is among them is counted or, where it is common, drawn from a sample (see `search/words.rs`).

use crate::analyse::term_hash;
use crate::document::{PLAIN, frequency};

/// How fast further occurrences stop counting, and how much a long text is held against it.
const K1: f64 = 1.2;
const B: f64 = 0.6;

/// How much more a rare word says than a common one: the power of its idf. Measured on three sets of questions; anything from 1.2 to
/// 1.8 does about as well, and 1 is worse for questions that are whole sentences.
const POWER: f64 = 1.5;

/// How many documents without a word are imagined beside those that there are, when its share of a question is told.
const BACKGROUND: f64 = 100.0;

/// A word of a question.
#[derive(Debug, Clone)]
pub(crate) struct Term {
    pub(crate) token: String,
    hash: u64,
    matches: f64,
    weight: f64,
    /// The same for the share of a question that a document covers.
    telling: f64,
}

impl Term {
    /// Weighs a word that `matches` of `documents` documents contain.
    pub(crate) fn new(token: String, matches: f64, documents: f64) -> Self {
        let hash = term_hash(&token);
        // Never negative, also for a word that is everywhere.
        let idf = (1.0 + (documents - matches + 0.5).max(0.0) / (matches + 0.5)).ln();
        // Among a handful of documents a word that all of them have would weigh nothing, and one that none has, everything.
        let telling = (1.0 + (BACKGROUND + documents - matches).max(0.0) / (matches + 1.0)).ln();
        Self { token, hash, matches, weight: idf.powf(POWER), telling }
    }

    /// Weighs the word anew, now that it is known how many documents contain it.
    pub(crate) fn weigh(&mut self, matches: f64, documents: f64) {
        *self = Self::new(std::mem::take(&mut self.token), matches, documents);
    }

    /// Gives how many documents contain the word, roughly where it is common.
    pub(crate) fn matches(&self) -> f64 {
        self.matches
    }

    /// Says whether a document contains the word.
    pub(crate) fn is_in(&self, vector: &[u8]) -> bool {
        frequency(vector, self.hash) > 0
    }

    /// Gives how much the word says: the less, the more documents contain it.
    pub(crate) fn weight(&self) -> f64 {
        self.weight
    }
}

/// What ranking needs to know about all documents of a scope together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Corpus {
    pub(crate) documents: f64,
    pub(crate) average_length: f64,
}

/// Scores a document; 0 if it has none of the words.
pub(crate) fn score(terms: &[Term], corpus: Corpus, length: u32, vector: &[u8]) -> f64 {
    let relative_length = f64::from(length) / corpus.average_length.max(1.0);
    let saturation = K1 * (1.0 - B + B * relative_length);
    let (mut score, mut covered, mut asked) = (0.0, 0.0, 0.0);
    for term in terms {
        asked += term.weight;
        let occurrences = f64::from(frequency(vector, term.hash)) / f64::from(PLAIN);
        if occurrences > 0.0 {
            covered += term.weight;
            score += term.weight * occurrences * (K1 + 1.0) / (occurrences + saturation);
        }
    }
    // A document with all of the words goes before one with a single word many times.
    if asked > 0.0 { score * (0.5 + 0.5 * covered / asked) } else { 0.0 }
}

/// Gives the share of the words that a document has, each by how telling it is.
pub(crate) fn coverage(terms: &[Term], vector: &[u8]) -> f64 {
    let (mut covered, mut asked) = (0.0, 0.0);
    for term in terms {
        asked += term.telling;
        if term.is_in(vector) {
            covered += term.telling;
        }
    }
    if asked > 0.0 { covered / asked } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Composer;
    use serde_json::{Value, json};

    const CORPUS: Corpus = Corpus { documents: 1000.0, average_length: 10.0 };

    fn scored(question: &[(&str, f64)], body: Value) -> f64 {
        let terms: Vec<Term> = question
            .iter()
            .map(|(token, matches)| Term::new((*token).to_owned(), *matches, CORPUS.documents))
            .collect();
        let Value::Object(body) = body else { panic!("a body is an object") };
        let document = Composer::default().compose(&body, &[]).document;
        score(&terms, CORPUS, document.length, &document.terms)
    }

    #[test]
    fn the_order_that_a_reader_expects() {
        let question = [("alpha", 5.0), ("beta", 500.0)];
        let scores = [
            scored(&question, json!({"title": "alpha beta"})),
            scored(&question, json!({"text": "alpha beta"})),
            scored(&question, json!({"text": "alpha gamma"})),
            scored(&question, json!({"text": "alpha gamma gamma gamma gamma gamma gamma gamma gamma"})),
            scored(&question, json!({"text": "beta beta beta gamma"})),
            scored(&question, json!({"text": "beta gamma"})),
            scored(&question, json!({"text": "gamma"})),
        ];
        assert!(scores.is_sorted_by(|better, worse| better > worse), "{scores:?}");
        assert!(scores[6].abs() < f64::EPSILON);
    }

    #[test]
    fn a_word_that_is_everywhere_still_counts_a_little() {
        assert!(scored(&[("alpha", 1000.0)], json!({"text": "alpha"})) > 0.0);
        assert!(scored(&[("alpha", 2000.0)], json!({"text": "alpha"})) >= 0.0);
    }
}
