//! The words of a question: what each weighs in its scope, and which texts have them.
//!
//! 1. *Weigh*: every word is looked up. One with few matches is counted; how common one with many is, a sample of the scope tells.
//! 2. *Gather*: the rarest words first, all of their matches, as long as a bounded number of matches lasts. These words are then counted
//!    too. Of the words that are left, which say the least, the newest texts that have several of them, and the newest with any.
//! 3. *Rank*: the most promising of these by their term vectors.
//!
//! In a scope of some thousand texts that finds everything but what has only the commonest words. In a large one it finds what has any
//! rare word, and of what has only common ones the newest, which bounds the time; and where a word is everywhere, the newest are the
//! best guess anyway.
//!
//! A short question that finds nothing is taken for the beginning of a word.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use custos_model::PieceId;
use rusqlite::{Connection, OptionalExtension, params};

use super::SearchQuery;
use super::matches::{Found, Matches};
use super::reach::{Reach, narrowing, quoted};
use super::sample::Samples;
use crate::error::IndexError;
use crate::key::{Key, moment};
use crate::rank::{Corpus, Term, coverage, score};
use crate::snippet::snippet;
use crate::store::{Desk, Index};
use crate::texts::piece_ids;

/// How many matches are given at most.
pub const CANDIDATES: usize = 512;

/// How many distinct words of a question are considered, how many of them count, and how many are looked up: always the rarest.
const ASKED: usize = 64;
const COUNTED: usize = 32;
const LOOKED_UP: usize = 16;

/// Of so many words, each is looked up before anything is known about it.
const FEW: usize = 6;

/// How many matches such a look finds. A word with fewer is counted by it.
const LOOK: usize = 64;

/// How many texts of the scope tell how common a word is.
const SAMPLE: usize = 128;

/// How many matches are walked through, all together, in a large scope, where each thousand costs a third of a millisecond; how many in a
/// small one, which there is nearly all of them; and up to how many texts a scope is small.
const WALKED: usize = 4096;
const WALKED_IN_SMALL: usize = 16_384;
const SMALL: f64 = 16_384.0;

/// How many of the texts that have several common words are gathered, and how many that have one.
const TOGETHER: usize = 256;
const ALONE: usize = 256;

/// How many common words a text must have together to be gathered for it, at most. Each costs FTS5 a walk through its matches.
const TOGETHER_WORDS: usize = 4;

/// How many texts are ranked by their term vectors, for each two that are asked for. Which words a text has is nearly known before;
/// how often it has them, and how long it is, makes the difference of a few ranks.
const RANKED: usize = 3;

/// A question of more words is no beginning of a word, and neither is a shorter word.
const COMPLETED_WORDS: usize = 3;
const SHORTEST_BEGINNING: usize = 3;

/// How many words a beginning is completed to, and after how many matches of them no further one is looked for.
const COMPLETIONS: i64 = 32;
const COUNTED_MATCHES: i64 = 20_000;

/// The words of a question, weighed within its scope.
#[derive(Debug, Clone)]
pub struct Words {
    pub(crate) terms: Vec<Term>,
    corpus: Corpus,
}

impl Words {
    /// Says whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// A text that has words of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Matching {
    /// The text.
    pub key: Key,
    /// How well it answers: BM25 by the words alone. Comparable within one question.
    pub score: f64,
    /// Its pieces, which stand in the same row.
    pub pieces: Vec<PieceId>,
}

impl Index {
    /// Finds the texts that have the words of a question, the best first and at most [`CANDIDATES`]; and gives the words, to score
    /// others by.
    ///
    /// The texts are of the question's projects, kinds, session and types, and of about its time and files: [`Index::is_wanted`] says
    /// so exactly. Who may read them is not looked at.
    pub fn match_words(
        &mut self,
        query: &SearchQuery<'_>,
        count: usize,
    ) -> Result<(Words, Vec<Matching>), IndexError> {
        self.read(|connection, desk| matching(connection, desk, query, ASKED, count))
    }

    /// Scores texts by the words of a question, in the order of the keys; 0 for what has none of the words. What is no longer there is left
    /// out.
    pub fn weigh(&mut self, words: &Words, keys: &[Key]) -> Result<Vec<Matching>, IndexError> {
        self.read(|connection, _| weighed(connection, words, keys.iter().copied()))
    }

    /// Tells which share of a question's words each text has, every word by its weight.
    pub fn coverage(&mut self, words: &Words, keys: &[Key]) -> Result<Vec<f64>, IndexError> {
        self.read(|connection, _| {
            let mut statement = connection.prepare_cached("SELECT terms FROM documents WHERE key = ?1")?;
            let mut covered = |key: &Key| -> Result<f64, IndexError> {
                let covered = statement
                    .query_row(params![key.0], |row| Ok(coverage(&words.terms, row.get_ref(0)?.as_blob()?)))
                    .optional()?;
                Ok(covered.unwrap_or_default())
            };
            keys.iter().map(&mut covered).collect()
        })
    }

    /// Cuts out the part of a text, such as an excerpt, that shows why it was found.
    pub fn snippet(&mut self, words: &Words, text: &str) -> String {
        snippet(text, &words.terms, &mut self.desk.analyser)
    }
}

/// Finds the best matches. At most `asked` words of the question count.
pub(crate) fn matching(
    connection: &Connection,
    desk: &mut Desk,
    query: &SearchQuery<'_>,
    asked: usize,
    count: usize,
) -> Result<(Words, Vec<Matching>), IndexError> {
    let count = count.min(CANDIDATES);
    let words = desk.analyser.distinct(query.text, asked);
    let reach = Reach::of(connection, query)?;
    let matches = Matches::new(connection, query, &reach, narrowing(query, &mut desk.analyser));
    let beginning = words
        .last()
        .filter(|last| words.len() <= COMPLETED_WORDS && last.len() >= SHORTEST_BEGINNING)
        .cloned();
    let mut question = Question::new(words, reach.corpus);
    question.look_up(connection, &matches, &reach, &mut desk.samples)?;
    let mut gathered = question.gather(&matches, count)?.best(count);
    if gathered.is_empty()
        && let Some(beginning) = beginning
    {
        let completed = Question::complete(connection, &matches, reach.corpus, &beginning)?;
        let found = completed.with_any().best(count);
        if !found.is_empty() {
            (question, gathered) = (completed, found);
        }
    }
    let words =
        Words { terms: question.asked.into_iter().map(|asked| asked.term).collect(), corpus: reach.corpus };
    // In the order in which the file has them.
    gathered.sort_unstable();
    let mut ranked = weighed(connection, &words, gathered.into_iter().map(Key))?;
    let newer = |key: Key| std::cmp::Reverse((moment(key.0), key));
    ranked.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then_with(|| newer(a.key).cmp(&newer(b.key))));
    ranked.truncate(count);
    Ok((words, ranked))
}

/// Reads the term vectors of texts, and scores them.
fn weighed(
    connection: &Connection,
    words: &Words,
    keys: impl Iterator<Item = Key>,
) -> Result<Vec<Matching>, IndexError> {
    let mut statement =
        connection.prepare_cached("SELECT length, terms, pieces FROM documents WHERE key = ?1")?;
    let mut weighed = Vec::with_capacity(keys.size_hint().0);
    for key in keys {
        let mut rows = statement.query(params![key.0])?;
        let Some(row) = rows.next()? else { continue };
        let blob = |column| row.get_ref(column)?.as_blob().map_err(rusqlite::Error::from);
        let score = score(&words.terms, words.corpus, row.get(0)?, blob(1)?);
        weighed.push(Matching { key, score, pieces: piece_ids(blob(2)?) });
    }
    Ok(weighed)
}

/// A question while it is being answered.
struct Question {
    asked: Vec<Asked>,
    corpus: Corpus,
    /// How many matches may still be walked through.
    left: usize,
}

/// A word, and which texts of the scope are known to have it.
struct Asked {
    term: Term,
    /// None if it was not looked up.
    found: Option<Found>,
}

impl Asked {
    fn is_counted(&self) -> bool {
        self.found.as_ref().is_some_and(|found| found.is_all)
    }

    fn condition(&self) -> String {
        quoted(&self.term.token)
    }
}

impl Question {
    fn new(words: Vec<String>, corpus: Corpus) -> Self {
        let term = |word| Term::new(word, 0.0, corpus.documents);
        let asked = words.into_iter().map(|word| Asked { term: term(word), found: None }).collect();
        let left = if corpus.documents <= SMALL { WALKED_IN_SMALL } else { WALKED };
        Self { asked, corpus, left }
    }

    /// Finds out how common each word is, and the matches of the rarest.
    fn look_up(
        &mut self,
        connection: &Connection,
        matches: &Matches<'_>,
        reach: &Reach,
        samples: &mut Samples,
    ) -> Result<(), IndexError> {
        let documents = self.corpus.documents;
        if self.asked.len() <= FEW {
            for asked in &mut self.asked {
                let found = matches.in_scope(&asked.condition(), LOOK)?;
                asked.term.weigh(found.keys.len() as f64, documents);
                asked.found = Some(found);
            }
        }
        if self.asked.iter().any(|asked| !asked.is_counted()) {
            let vectors = samples.terms(connection, reach, SAMPLE)?;
            for asked in self.asked.iter_mut().filter(|asked| !asked.is_counted()) {
                let count = vectors.iter().filter(|vector| asked.term.is_in(vector)).count();
                // That the sample has none does not mean that the scope has none, unless it is all of the scope.
                let least = if vectors.len() as f64 >= documents { 0.0 } else { 0.5 };
                let share = (count as f64).max(least) / vectors.len().max(1) as f64;
                // There are at least those that were seen.
                asked.term.weigh((share * documents).max(asked.term.matches()), documents);
            }
        }
        self.sort();
        self.asked.truncate(COUNTED);
        for asked in self.asked.iter_mut().take(LOOKED_UP) {
            if asked.is_counted() || asked.term.matches() > self.left as f64 {
                continue;
            }
            let found = matches.in_scope(&asked.condition(), self.left)?;
            self.left = self.left.saturating_sub(found.keys.len());
            let least = found.keys.len() as f64;
            let matches = if found.is_all { least } else { asked.term.matches().max(least) };
            asked.term.weigh(matches, documents);
            asked.found = Some(found);
        }
        self.sort();
        Ok(())
    }

    /// Puts the rarest word first.
    fn sort(&mut self) {
        // Stable: of two words that are equally common, the one that was typed first.
        self.asked.sort_by(|a, b| b.term.weight().total_cmp(&a.term.weight()));
    }

    /// Gathers texts that have the words.
    fn gather(&self, matches: &Matches<'_>, count: usize) -> Result<Gathered, IndexError> {
        let mut gathered = Gathered::default();
        let mut common = Vec::new();
        for asked in &self.asked {
            match &asked.found {
                Some(found) if found.keys.is_empty() => continue,
                Some(found) if !matches.is_narrowed() => gathered.add(&found.keys, asked.term.weight()),
                Some(_) => {
                    let found = matches.narrowed(&asked.condition(), 2 * WALKED)?;
                    gathered.add(&found.keys, asked.term.weight());
                }
                None => {}
            }
            if !asked.is_counted() {
                common.push(&asked.term);
            }
        }
        self.gather_common(matches, &common, count, &mut gathered)?;
        Ok(gathered)
    }

    /// Gathers texts that have common words, the rarest of which is the first: several of them if possible.
    fn gather_common(
        &self,
        matches: &Matches<'_>,
        common: &[&Term],
        count: usize,
        gathered: &mut Gathered,
    ) -> Result<(), IndexError> {
        let weight = |terms: &[&Term]| terms.iter().map(|term| term.weight()).sum::<f64>();
        // What has all of these words and none of the others is not among the best then.
        if common.is_empty() || gathered.has_enough(count, weight(common)) {
            return Ok(());
        }
        // As many together as leave few texts, if the words have nothing to do with each other.
        let mut expected = self.corpus.documents;
        let several = common.iter().take(TOGETHER_WORDS).take_while(|term| {
            let is_many = expected > TOGETHER as f64;
            expected *= term.matches() / self.corpus.documents;
            is_many
        });
        let several = &common[..several.count().max(2).min(common.len())];
        if several.len() > 1 {
            let all: Vec<String> = several.iter().map(|term| quoted(&term.token)).collect();
            gathered.add(&matches.newest(&all.join(" AND "), TOGETHER)?, weight(several));
        }
        for term in common {
            if gathered.has_enough(count, term.weight()) {
                break;
            }
            gathered.add(&matches.newest(&quoted(&term.token), count.max(ALONE))?, term.weight());
        }
        Ok(())
    }

    /// Takes a word for the beginning of others, and asks for any of them.
    ///
    /// FTS5 has a query for beginnings, but it merges the matches of all such words before it gives the first.
    fn complete(
        connection: &Connection,
        matches: &Matches<'_>,
        corpus: Corpus,
        beginning: &str,
    ) -> Result<Self, IndexError> {
        let mut statement = connection
            .prepare_cached("SELECT term, doc FROM vocabulary WHERE term >= ?1 AND term < ?2 LIMIT ?3")?;
        let end = format!("{beginning}\u{10ffff}");
        let mut rows = statement.query(params![beginning, end, COMPLETIONS])?;
        let mut asked = Vec::new();
        let mut counted = 0;
        // Reading how many documents a word is in means counting them, in all projects.
        while counted < COUNTED_MATCHES
            && let Some(row) = rows.next()?
        {
            let (word, everywhere): (String, i64) = (row.get(0)?, row.get(1)?);
            counted += everywhere;
            let keys = matches.newest(&quoted(&word), ALONE)?;
            let matches = (everywhere as f64).min(corpus.documents);
            asked.push(Asked {
                term: Term::new(word, matches, corpus.documents),
                found: Some(Found { keys, is_all: false }),
            });
        }
        Ok(Self { asked, corpus, left: 0 })
    }

    /// Gathers the texts that have any of the words.
    fn with_any(&self) -> Gathered {
        let mut gathered = Gathered::default();
        for Asked { term, found } in &self.asked {
            gathered.add(found.as_ref().map_or(&[], |found| &found.keys), term.weight());
        }
        gathered
    }
}

/// Texts with the weight of what they are known to have.
#[derive(Default)]
struct Gathered {
    weights: HashMap<i64, f64, BuildHasherDefault<Scatter>>,
}

impl Gathered {
    fn add(&mut self, keys: &[i64], weight: f64) {
        self.weights.reserve(keys.len());
        for key in keys {
            // A text that was gathered for several words and for each of them counts them twice: it is promising enough.
            *self.weights.entry(*key).or_default() += weight;
        }
    }

    /// Says whether so many texts have at least this weight that others need not be looked for.
    fn has_enough(&self, count: usize, weight: f64) -> bool {
        self.weights.values().filter(|gathered| **gathered >= weight).take(count).count() >= count
    }

    /// Gives the most promising ones: more than are asked for, which ranking then chooses from.
    fn best(self, count: usize) -> Vec<i64> {
        let count = count * RANKED / 2;
        let mut keys: Vec<(i64, f64)> = self.weights.into_iter().collect();
        if keys.len() > count {
            keys.select_nth_unstable_by(count, |(a, a_weight), (b, b_weight)| {
                b_weight.total_cmp(a_weight).then_with(|| (moment(*b), *b).cmp(&(moment(*a), *a)))
            });
            keys.truncate(count);
        }
        keys.into_iter().map(|(key, _)| key).collect()
    }
}

/// Hashes keys, of which there are thousands and which nobody chooses: one multiplication.
#[derive(Default)]
struct Scatter(u64);

impl Hasher for Scatter {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number.cast_unsigned());
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
