//! Search: a question in any words, the best matches first.
//!
//! A question is data. It goes through the analyser, and only tokens come out, which are letters and digits; no quote, operator or SQL
//! that somebody types reaches the database as anything else.
//!
//! The full-text index answers one thing only, and that fast: the newest documents that contain these words. So a search is
//!
//! 1. *probe*: for each word its newest matches, which also tell how common it is;
//! 2. *gather*: all documents with the rarest word, if they are few; else the newest ones that have several of the rarest words
//!    together, as many words as leave few documents; and if that is not enough, the newest ones with any of the words;
//! 3. *rank*: the gathered documents, at most [`CANDIDATES`], by their term vectors.
//!
//! A short question that finds nothing is taken for the beginning of a word.
//!
//! For a rare word, gathered is everything that contains it. For a word that most documents contain, it is the newest of them, which
//! bounds the time, and with the same word everywhere the newest are the best guess anyway.
//!
//! The order is total (score, then newest, then id) and comes from the log alone, so a rebuilt index answers the same.

use std::collections::BTreeMap;

use custos_model::{EventId, Kind, Reader, Timestamp, access};
use rusqlite::{Connection, params};

use crate::analyse::Analyser;
use crate::document::{kind_mark, project_mark, session_mark};
use crate::error::IndexError;
use crate::key::{DRIFT, first_key, last_key, mirrored};
use crate::rank::{Corpus, Term, score};
use crate::rows::{Entry, is_superseded, text_entry};
use crate::snippet::snippet;
use crate::store::Index;

mod novelty;

/// How many documents are gathered and ranked at most.
pub const CANDIDATES: usize = 512;

/// How many distinct words of a question are looked up; the rarest half of them is used.
const PROBED_TERMS: usize = 64;
const USED_TERMS: usize = 32;

/// How many matches a probe looks at. A word with fewer is counted exactly.
const PROBE: usize = 64;

/// The newest documents, among which the frequency of a common word is measured.
const SAMPLE: i64 = 1024;

/// How many documents with several words together are gathered, and how many with one of the words.
const TOGETHER: usize = 256;
const ALONE: usize = 128;

/// How many more words are asked for when the rarest ones leave too many documents. Each costs FTS5 a walk through its matches.
const FURTHER_TERMS: usize = 2;

/// A question of more words is no beginning of a word, and neither is a shorter word.
const COMPLETED_TERMS: usize = 3;
const SHORTEST_BEGINNING: usize = 3;

/// How many words a beginning is completed to, and after how many matches of them no further one is looked for.
const COMPLETIONS: i64 = 32;
const COUNTED_MATCHES: i64 = 20_000;

/// A question to the index.
#[derive(Debug, Clone, Copy)]
pub struct SearchQuery<'a> {
    /// The words, as somebody typed them.
    pub text: &'a str,
    /// Only this project.
    pub project: Option<&'a str>,
    /// Only this session.
    pub session: Option<&'a str>,
    /// Only these kinds; all that have text where none is named.
    pub kinds: &'a [Kind],
    /// Only from this instant on.
    pub since: Option<Timestamp>,
    /// Only up to this instant.
    pub until: Option<Timestamp>,
    /// Who asks: what they may not read is not found.
    pub reader: Reader<'a>,
    /// At most so many; never more than [`CANDIDATES`].
    pub limit: usize,
}

impl<'a> SearchQuery<'a> {
    /// Asks for the twenty best matches in everything that the owner has.
    pub const fn new(text: &'a str) -> Self {
        Self {
            text,
            project: None,
            session: None,
            kinds: &[],
            since: None,
            until: None,
            reader: Reader::Owner,
            limit: 20,
        }
    }
}

/// A match.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The event.
    pub id: EventId,
    /// When it happened.
    pub ts: Timestamp,
    /// What it is.
    pub kind: Kind,
    /// The project.
    pub project: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// Its title, where it has one.
    pub title: Option<String>,
    /// The part of its text around the first word that matches.
    pub snippet: String,
    /// How good a match it is; comparable within one answer.
    pub score: f64,
}

impl Index {
    /// Finds what answers a question best.
    pub fn search(&mut self, query: &SearchQuery<'_>) -> Result<Vec<Hit>, IndexError> {
        self.operate(|connection, analyser| search(connection, analyser, query))
    }
}

fn search(
    connection: &Connection,
    analyser: &mut Analyser,
    query: &SearchQuery<'_>,
) -> Result<Vec<Hit>, IndexError> {
    let limit = query.limit.min(CANDIDATES);
    let words = analyser.distinct(query.text, PROBED_TERMS);
    if words.is_empty() || limit == 0 {
        return Ok(Vec::new());
    }
    let matches = Matches::new(connection, query);
    let corpus = corpus(connection)?;
    let beginning = words
        .last()
        .filter(|last| words.len() <= COMPLETED_TERMS && last.len() >= SHORTEST_BEGINNING)
        .cloned();
    let mut question = matches.probe(words, corpus)?;
    let mut candidates = matches.gather(&question, corpus, limit)?;
    if candidates.is_empty()
        && let Some(beginning) = beginning
    {
        question = matches.complete(&beginning, corpus)?;
        candidates = question.with_any();
    }
    let mut ranked = rank(connection, &candidates, &question.terms, corpus)?;
    ranked.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(b.key.cmp(&a.key)));
    let mut best: Vec<(Entry, f64)> = Vec::with_capacity(limit);
    for Ranked { key, score } in ranked {
        // Keys order by second and then by chance. Instants and ids decide, so all of the last score are read before the cut.
        if best.len() >= limit && best.last().is_some_and(|(_, last)| score < *last) {
            break;
        }
        let Some(entry) = text_entry(connection, key)?.filter(|entry| is_wanted(entry, query)) else {
            continue;
        };
        if !is_superseded(connection, entry.id)? {
            best.push((entry, score));
        }
    }
    best.sort_by(|(a, a_score), (b, b_score)| {
        b_score.total_cmp(a_score).then(b.ts.cmp(&a.ts)).then(a.id.cmp(&b.id))
    });
    best.truncate(limit);
    Ok(best.into_iter().map(|(entry, score)| hit(entry, score, &question, analyser)).collect())
}

/// The words that are used, and what the probes found.
struct Question {
    /// The rarest first.
    terms: Vec<Term>,
    /// The newest matches of each.
    newest: Vec<Vec<i64>>,
}

struct Ranked {
    key: i64,
    score: f64,
}

/// Asks the full-text index, always within the filters of the question.
struct Matches<'c> {
    connection: &'c Connection,
    filter: String,
    rowids: (i64, i64),
}

impl<'c> Matches<'c> {
    fn new(connection: &'c Connection, query: &SearchQuery<'_>) -> Self {
        let mut filter = String::new();
        let marks = query.project.map(project_mark).into_iter().chain(query.session.map(session_mark));
        for mark in marks {
            filter.push_str(&format!(" AND \"{mark}\""));
        }
        if !query.kinds.is_empty() {
            let kinds: Vec<String> =
                query.kinds.iter().map(|kind| format!("\"{}\"", kind_mark(*kind))).collect();
            filter.push_str(&format!(" AND ({})", kinds.join(" OR ")));
        }
        // A crowded second's keys reach into the next ones.
        let drift = i64::try_from(DRIFT.as_millis()).unwrap_or(0);
        let newest = query.until.map_or(0, |until| mirrored(last_key(until.minus_millis(-drift))));
        let oldest = query.since.map_or(i64::MAX, |since| mirrored(first_key(since)));
        let rowids = (newest, oldest);
        Self { connection, filter, rowids }
    }

    /// Gives the newest documents that match, as keys, the newest first.
    fn newest(&self, condition: &str, limit: usize) -> Result<Vec<i64>, IndexError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT rowid FROM search WHERE search MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid LIMIT ?4",
        )?;
        let matching = format!("({condition}){}", self.filter);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let keys = statement.query_map(params![matching, self.rowids.0, self.rowids.1, limit], |row| {
            row.get(0).map(mirrored)
        })?;
        Ok(keys.collect::<rusqlite::Result<_>>()?)
    }

    /// Looks each word up, and keeps the rarest.
    fn probe(&self, words: Vec<String>, corpus: Corpus) -> Result<Question, IndexError> {
        let mut sample = None;
        let mut probed = Vec::with_capacity(words.len());
        for word in words {
            let newest = self.newest(&quoted(&word), PROBE)?;
            let matches = match newest.last() {
                Some(oldest) if newest.len() == PROBE => {
                    if sample.is_none() {
                        sample = Some(self.sample()?);
                    }
                    estimate(&newest, *oldest, sample.as_deref().unwrap_or_default(), corpus.documents)
                }
                _ => newest.len() as f64,
            };
            probed.push((Term::new(word, matches, corpus.documents), newest));
        }
        // Stable: of two words that are equally common, the one that was typed first.
        probed.sort_by(|(a, _), (b, _)| b.weight().total_cmp(&a.weight()));
        probed.truncate(USED_TERMS);
        let (terms, newest) = probed.into_iter().unzip();
        Ok(Question { terms, newest })
    }

    /// Gives the keys of the newest documents, whatever they contain, the newest first.
    fn sample(&self) -> Result<Vec<i64>, IndexError> {
        // The narrowest table that has every document: FTS5's own list of their sizes.
        let mut statement =
            self.connection.prepare_cached("SELECT id FROM search_docsize ORDER BY id LIMIT ?1")?;
        let keys = statement.query_map([SAMPLE], |row| row.get(0).map(mirrored))?;
        Ok(keys.collect::<rusqlite::Result<_>>()?)
    }

    /// Gathers the documents to be ranked.
    fn gather(&self, question: &Question, corpus: Corpus, limit: usize) -> Result<Vec<i64>, IndexError> {
        let mut gathered = Gathered::default();
        // A word that no document has must not keep the others from being found.
        let present: Vec<(&Term, &Vec<i64>)> =
            question.terms.iter().zip(&question.newest).filter(|(_, newest)| !newest.is_empty()).collect();
        let Some((rarest, _)) = present.first() else { return Ok(Vec::new()) };
        let with_rarest = self.newest(&quoted(&rarest.token), CANDIDATES)?;
        if with_rarest.len() < CANDIDATES || present.len() == 1 {
            // These are all, so those with all of the words are among them.
            gathered.add(&with_rarest, f64::INFINITY);
        } else {
            let terms: Vec<&Term> = present.iter().map(|(term, _)| *term).collect();
            self.gather_together(&terms, corpus, limit, &mut gathered)?;
        }
        if gathered.len() < limit {
            for (term, newest) in present {
                let more =
                    if newest.len() < PROBE { newest } else { &self.newest(&quoted(&term.token), ALONE)? };
                gathered.add(more, term.weight());
            }
        }
        Ok(gathered.best())
    }

    /// Gathers documents that have several of the words, of which even the rarest is common.
    ///
    /// Asking for all of a long question's words at once makes FTS5 walk through the matches of each. As many of the rarest as leave
    /// few documents are as good: those with all of the words are among them, and ranking puts them first.
    fn gather_together(
        &self,
        terms: &[&Term],
        corpus: Corpus,
        limit: usize,
        gathered: &mut Gathered,
    ) -> Result<(), IndexError> {
        let mut expected = corpus.documents;
        let enough = terms.iter().take_while(|term| {
            let more = expected > TOGETHER as f64;
            expected *= term.share();
            more
        });
        let enough = enough.count().clamp(2, terms.len());
        let together = |count: usize| {
            let all: Vec<String> = terms[..count].iter().map(|term| quoted(&term.token)).collect();
            self.newest(&all.join(" AND "), TOGETHER)
        };
        let found = together(enough)?;
        gathered.add(&found, f64::INFINITY);
        if found.len() == TOGETHER && enough < terms.len() {
            // More than expected, so these words belong together, and the older ones were cut off. Some more words find those
            // with all of them.
            gathered.add(&together(terms.len().min(enough + FURTHER_TERMS))?, f64::INFINITY);
        } else if gathered.len() < limit && enough > 2 {
            gathered.add(&together(2)?, f64::INFINITY);
        }
        Ok(())
    }

    /// Gives the words that a beginning could become, as a question for any of them.
    ///
    /// FTS5 has a query for beginnings, but it merges the matches of all such words before it gives the first.
    fn complete(&self, beginning: &str, corpus: Corpus) -> Result<Question, IndexError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT term, doc FROM vocabulary WHERE term >= ?1 AND term < ?2 LIMIT ?3")?;
        let end = format!("{beginning}\u{10ffff}");
        let mut rows = statement.query(params![beginning, end, COMPLETIONS])?;
        let mut question = Question { terms: Vec::new(), newest: Vec::new() };
        let mut counted = 0;
        // Reading how many documents a word is in means counting them.
        while counted < COUNTED_MATCHES
            && let Some(row) = rows.next()?
        {
            let (word, matches): (String, i64) = (row.get(0)?, row.get(1)?);
            counted += matches;
            question.newest.push(self.newest(&quoted(&word), ALONE)?);
            question.terms.push(Term::new(word, matches as f64, corpus.documents));
        }
        Ok(question)
    }
}

impl Question {
    /// Gives the documents that the probes have found, those with the most telling words first.
    fn with_any(&self) -> Vec<i64> {
        let mut gathered = Gathered::default();
        for (term, newest) in self.terms.iter().zip(&self.newest) {
            gathered.add(newest, term.weight());
        }
        gathered.best()
    }
}

/// Estimates how many documents contain a word from its newest matches, the oldest of which is given, and the newest documents.
fn estimate(newest: &[i64], oldest: i64, sample: &[i64], documents: f64) -> f64 {
    let sampled = sample.iter().take_while(|key| **key >= oldest).count();
    let found = newest.iter().filter(|key| sample.last().is_none_or(|last| *key >= last)).count();
    let share = found as f64 / sampled.max(1) as f64;
    (share * documents).max(newest.len() as f64)
}

/// Documents with the weight of what they are known to match.
#[derive(Default)]
struct Gathered {
    weights: BTreeMap<i64, f64>,
}

impl Gathered {
    fn add(&mut self, keys: &[i64], weight: f64) {
        for key in keys {
            *self.weights.entry(*key).or_default() += weight;
        }
    }

    fn len(&self) -> usize {
        self.weights.len()
    }

    /// Gives the most promising ones, at most [`CANDIDATES`].
    fn best(self) -> Vec<i64> {
        let mut keys: Vec<(i64, f64)> = self.weights.into_iter().collect();
        keys.sort_by(|(a, a_weight), (b, b_weight)| b_weight.total_cmp(a_weight).then(b.cmp(a)));
        keys.truncate(CANDIDATES);
        keys.into_iter().map(|(key, _)| key).collect()
    }
}

fn rank(
    connection: &Connection,
    candidates: &[i64],
    terms: &[Term],
    corpus: Corpus,
) -> Result<Vec<Ranked>, IndexError> {
    let mut statement = connection.prepare_cached("SELECT length, terms FROM documents WHERE key = ?1")?;
    let mut ranked = Vec::with_capacity(candidates.len());
    for key in candidates {
        let mut rows = statement.query([key])?;
        if let Some(row) = rows.next()? {
            let vector = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            ranked.push(Ranked { key: *key, score: score(terms, corpus, row.get(0)?, vector) });
        }
    }
    Ok(ranked)
}

fn corpus(connection: &Connection) -> Result<Corpus, IndexError> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE name = ?1")?;
    let mut value =
        |name: &str| statement.query_row([name], |row| row.get::<_, i64>(0)).map(|value| value as f64);
    let (documents, tokens) = (value("documents")?, value("tokens")?);
    Ok(Corpus { documents, average_length: tokens / documents.max(1.0) })
}

/// Checks what the full-text index cannot: milliseconds, and who asks.
fn is_wanted(entry: &Entry, query: &SearchQuery<'_>) -> bool {
    query.since.is_none_or(|since| entry.ts >= since)
        && query.until.is_none_or(|until| entry.ts <= until)
        && query.project.is_none_or(|project| entry.project.as_deref() == Some(project))
        && access::may_read(entry.protected(), query.reader)
}

fn hit(entry: Entry, score: f64, question: &Question, analyser: &mut Analyser) -> Hit {
    let snippet = snippet(&entry.excerpt, &question.terms, analyser);
    Hit {
        id: entry.id,
        ts: entry.ts,
        kind: entry.kind,
        project: entry.project,
        session: entry.session,
        title: entry.title,
        snippet,
        score,
    }
}

/// Quotes a token. Tokens hold no quotes; what is quoted here is never what somebody typed.
fn quoted(token: &str) -> String {
    format!("\"{token}\"")
}
