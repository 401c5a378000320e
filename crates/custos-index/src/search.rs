//! Search: a question in any words, the best matches first.
//!
//! A question is data. It goes through the analyser, and only tokens come out, which are letters and digits; no quote, operator or SQL
//! that somebody types reaches the database as anything else.
//!
//! | module | what it does |
//! |---|---|
//! | `reach` | where a question looks, and what counts there |
//! | `matches` | asks the full-text index, which knows one thing: which texts have a word |
//! | `words` | weighs the words, gathers texts that have them, ranks these |
//! | `sample` | a few texts that stand for all of a scope |
//! | `novelty` | how much of a text is new |
//! | `by_time` | questions without words |
//!
//! The order is total (score, then newest, then id) and comes from the log alone, so a rebuilt index answers the same.

use std::collections::BTreeSet;

use custos_model::{EventId, Kind, Reader, Timestamp, access};

use crate::entry::{Entry, read_entry};
use crate::error::IndexError;
use crate::key::Key;
use crate::store::Index;

mod by_time;
mod matches;
mod novelty;
mod reach;
mod sample;
mod words;

pub use by_time::{ByTime, End};
pub(crate) use sample::Samples;
pub use words::{CANDIDATES, Matching, Words};

/// A question to the index.
#[derive(Debug, Clone, Copy)]
pub struct SearchQuery<'a> {
    /// The words, as somebody typed them.
    pub text: &'a str,
    /// Only these projects; all where none is named. The empty name stands for texts that belong to none.
    pub projects: &'a [&'a str],
    /// Only this session.
    pub session: Option<&'a str>,
    /// Only these kinds; all that have text where none is named. Knowledge is [`Kind::KnowledgeSaved`].
    pub kinds: &'a [Kind],
    /// Only observations or knowledge of these types.
    pub sorts: &'a [&'a str],
    /// Where types are named, also all of these kinds, of whatever type.
    pub or_kinds: &'a [Kind],
    /// Only what read, changed or is in one of these files. A path may be the end of a longer one.
    pub files: &'a [&'a str],
    /// Only from this instant on.
    pub since: Option<Timestamp>,
    /// Only up to this instant.
    pub until: Option<Timestamp>,
    /// None of these texts.
    pub without: Option<&'a BTreeSet<Key>>,
    /// Who asks: what they may not read is not found by [`Index::search`]. Others leave that to their callers.
    pub reader: Reader<'a>,
    /// At most so many; never more than [`CANDIDATES`].
    pub limit: usize,
}

impl<'a> SearchQuery<'a> {
    /// Asks for the twenty best matches in everything that the owner has.
    pub const fn new(text: &'a str) -> Self {
        Self {
            text,
            projects: &[],
            session: None,
            kinds: &[],
            sorts: &[],
            or_kinds: &[],
            files: &[],
            since: None,
            until: None,
            without: None,
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
    /// Finds what answers a question best, by its words alone, among what still holds.
    pub fn search(&mut self, query: &SearchQuery<'_>) -> Result<Vec<Hit>, IndexError> {
        let limit = query.limit.min(CANDIDATES);
        if limit == 0 {
            return Ok(Vec::new());
        }
        self.steadily(|index| {
            let (words, matching) = index.match_words(query, CANDIDATES)?;
            let best = index.read(|connection, _| {
                let mut best: Vec<(Entry, f64)> = Vec::with_capacity(limit);
                for Matching { key, score, .. } in matching {
                    // Keys order by second and then by chance. Instants and ids decide, so all of the last score are read before
                    // the cut.
                    if best.len() >= limit && best.last().is_some_and(|(_, last)| score < *last) {
                        break;
                    }
                    let found = read_entry(connection, key.0)?.map(|(_, entry)| entry);
                    best.extend(found.filter(|entry| is_answer(entry, query)).map(|entry| (entry, score)));
                }
                Ok(best)
            })?;
            let mut best = best;
            best.sort_by(|(a, a_score), (b, b_score)| {
                b_score.total_cmp(a_score).then(b.ts.cmp(&a.ts)).then(a.id.cmp(&b.id))
            });
            best.truncate(limit);
            Ok(best
                .into_iter()
                .map(|(entry, score)| hit(index.snippet(&words, &entry.excerpt), entry, score))
                .collect())
        })
    }

    /// Says whether a text is what a question is about, its words and who asks left aside. Matches are only about so.
    pub fn is_wanted(entry: &Entry, query: &SearchQuery<'_>) -> bool {
        let sort = entry.sort.as_deref();
        query.since.is_none_or(|since| entry.ts >= since)
            && query.until.is_none_or(|until| entry.ts <= until)
            && (query.projects.is_empty()
                || query.projects.contains(&entry.project.as_deref().unwrap_or_default()))
            && query.session.is_none_or(|session| entry.session.as_deref() == Some(session))
            && (query.kinds.is_empty() || query.kinds.contains(&entry.kind))
            && (query.sorts.is_empty()
                || sort.is_some_and(|sort| query.sorts.contains(&sort))
                || query.or_kinds.contains(&entry.kind))
            && (query.files.is_empty() || query.files.iter().any(|file| concerns(entry, file)))
    }
}

fn is_answer(entry: &Entry, query: &SearchQuery<'_>) -> bool {
    Index::is_wanted(entry, query) && !entry.superseded && access::may_read(entry.protected(), query.reader)
}

/// Says whether a text is about a file. One of two paths may be the end of the other.
fn concerns(entry: &Entry, file: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '\\']))
    };
    let mut named = entry.files_read.iter().chain(&entry.files_changed).chain(&entry.file);
    named.any(|named| !file.is_empty() && (ends(named, file) || ends(file, named)))
}

fn hit(snippet: String, entry: Entry, score: f64) -> Hit {
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
