//! Search: a question in any words, what answers it best first.
//!
//! 1. *Gather*: the best by words; a server adds the nearest by meaning. A hook has no time to compare with everything, and loses little.
//! 2. *Measure*: each by words and by meaning, against what is ordinary in the scope ([`crate::fusion`]).
//! 3. *Look around*: the neighbours of the best are measured as well, and lift each other.
//! 4. *Admit*: the rows of the best are read; what was not asked for, does not hold any more, or may not be seen is left out.
//! 5. *Weigh*: what else is known decides between those that are nearly equal ([`boost`]), and what was corrected goes below what
//!    holds ([`corrected`]).
//!
//! The order is total: score, then the newest, then the id.

mod ask;
mod boost;
mod corrected;
mod gather;
mod meaning;
mod newest;

use std::collections::BTreeSet;

use custos_embed::Embedder;
use custos_index::{Entry, Index, IndexError, Key, Words};
use custos_log::LogReader;
use custos_vectors::Vectors;
use serde::Serialize;

pub use ask::{Ask, Depth, Echo, Order, Work};

use crate::access::may_see;
use crate::error::RecallError;
use crate::knowledge::AtHand;
use crate::policy::Policy;
use crate::store::Store;
use crate::tokens;
use gather::Gathered;

/// What a score is made of. The score is the sum of its parts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Parts {
    /// Its words: 1 for the best match.
    pub words: f64,
    /// Its meaning: how far it stands out from the scope.
    pub meaning: f64,
    /// What was said just before and after.
    pub neighbours: f64,
    /// Concerns the files of the present work.
    pub files: f64,
    /// Is recent.
    pub recency: f64,
    /// Matters, or does not.
    pub importance: f64,
    /// Is of the same project, branch or role.
    pub scope: f64,
    /// Was pinned by a person.
    pub pinned: f64,
    /// Comes from a source that nobody has reviewed: at most 0.
    pub trust: f64,
    /// Repeats what was corrected: at most 0.
    pub corrected: f64,
}

impl Parts {
    /// Adds them up.
    pub fn sum(&self) -> f64 {
        self.words
            + self.meaning
            + self.neighbours
            + self.files
            + self.recency
            + self.importance
            + self.scope
            + self.pinned
            + self.trust
            + self.corrected
    }
}

/// How near something is to a question by itself, whatever else was found. A threshold asks for this; a score only orders.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Relevance {
    /// The share of the question's words that it has, each by how much it says.
    pub coverage: f64,
    /// The cosine of the angle between the two vectors, where both are there.
    pub cosine: Option<f32>,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its row in the index.
    pub key: Key,
    /// What the index keeps of it.
    pub entry: Entry,
    /// How well it answers; comparable within one answer.
    pub score: f64,
    /// What the score is made of.
    pub parts: Parts,
    /// How near it is to the question by itself.
    pub relevance: Relevance,
    /// About how many tokens it takes to read it whole.
    pub tokens: u32,
    /// The part of its text that shows why it was found.
    pub snippet: String,
}

/// What was found, and what whoever asked should know about it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The best first, or in the order that was asked for.
    pub found: Vec<Found>,
    /// What makes the answer poorer than it could be; one sentence each, without a full stop.
    pub notes: Vec<String>,
}

impl Store {
    /// Finds what answers a question best, among what the viewer may see.
    pub fn search(&mut self, ask: &Ask<'_>) -> Result<Answer, RecallError> {
        let mut notes = Vec::new();
        if self.is_behind {
            notes.push(BEHIND.to_owned());
        }
        if self.unread_files > 0 {
            notes.push(format!(
                "{} changed files of the knowledge base are not searched yet; ask again in a moment",
                self.unread_files
            ));
        }
        if ask.limit == 0 {
            return Ok(Answer { found: Vec::new(), notes });
        }
        self.renew_vectors();
        let Self { index, log, policy, embedder, vectors, at_hand, .. } = self;
        let vectors = embedder.as_deref().zip(vectors.as_ref());
        // One state of the index for all that is asked of it.
        let found = index.steadily(|index| {
            let mut search = Search { index, log, policy, at_hand, vectors, notes: &mut notes };
            if ask.text.trim().is_empty() { search.newest(ask) } else { search.best(ask) }
        });
        let found = match found {
            // Replaced by an empty one: there is nothing to answer from until somebody has caught up.
            Err(IndexError::Damaged) => {
                self.is_behind = true;
                notes.push(DAMAGED.to_owned());
                Vec::new()
            }
            found => found?,
        };
        Ok(Answer { found, notes })
    }
}

/// A question being answered.
struct Search<'s> {
    index: &'s mut Index,
    log: &'s LogReader,
    policy: &'s Policy,
    at_hand: &'s AtHand,
    /// The embedder, and what it has made.
    vectors: Option<(&'s dyn Embedder, &'s Vectors)>,
    notes: &'s mut Vec<String>,
}

impl Search<'_> {
    /// Finds the best answers.
    fn best(&mut self, ask: &Ask<'_>) -> Result<Vec<Found>, IndexError> {
        let (gathered, mut found) = self.admitted(ask)?;
        self.lower_corrected(&mut found)?;
        if ask.order != Order::Relevance {
            let least = self.policy.relevant;
            let least_meaning = least.deviations * self.policy.fusion.meaning;
            found.retain(|found| found.parts.words >= least.words || found.parts.meaning >= least_meaning);
        }
        match ask.order {
            Order::Relevance => found.sort_by(by_score),
            order => found.sort_by(order.by_time()),
        }
        found.truncate(ask.limit);
        self.describe(&gathered.words, &mut found)?;
        Ok(found)
    }

    /// Gathers what comes into question, and keeps what may be shown. Where hardly anything is left for what the viewer may not see, that is
    /// passed over, and what comes behind it is gathered.
    fn admitted(&mut self, ask: &Ask<'_>) -> Result<(Gathered, Vec<Found>), IndexError> {
        let reach = self.policy.reach;
        let (mut hidden, mut rounds) = (BTreeSet::new(), 0);
        loop {
            let known = hidden.len();
            let gathered = self.gather(ask, &hidden)?;
            let found = self.admit(ask, &gathered, &mut hidden)?;
            let is_enough = found.len() >= reach.handful.min(ask.limit);
            if is_enough || hidden.len() == known || rounds == reach.passed_over {
                return Ok((gathered, found));
            }
            rounds += 1;
        }
    }

    /// Reads the rows of the best, as many as the boosts may reorder, and keeps what may be shown. What the viewer may not see is noted.
    fn admit(
        &mut self,
        ask: &Ask<'_>,
        gathered: &Gathered,
        hidden: &mut BTreeSet<Key>,
    ) -> Result<Vec<Found>, IndexError> {
        let enough = ask.limit.saturating_add(self.policy.reach.considered);
        let projects = ask.with_own();
        let query = ask.query(&projects);
        let mut found = Vec::new();
        for keys in gathered.ranked.chunks(CHUNK) {
            for (key, entry) in self.index.entries(keys)? {
                let holds = !entry.superseded && Index::is_wanted(&entry, &query);
                let is_own = ask.apart_from.is_some() && entry.session.as_deref() == ask.apart_from;
                let is_left_out = is_own || ask.is_echo(&entry);
                if !holds || is_left_out || !self.at_hand.has(&entry) {
                    continue;
                }
                if !may_see(&ask.viewer, &entry) {
                    hidden.insert(key);
                    continue;
                }
                let parts = boost::weigh(gathered.parts(key), &entry, ask, &self.policy.boosts);
                let relevance = Relevance { coverage: 0.0, cosine: gathered.cosine(key) };
                let one = found_in(key, entry, parts, relevance);
                if !ask.answers_only || self.policy.relevant.is_met(&one) {
                    found.push(one);
                }
            }
            if found.len() >= enough {
                break;
            }
        }
        Ok(found)
    }

    /// Adds what only those that are shown need.
    fn describe(&mut self, words: &Words, found: &mut [Found]) -> Result<(), IndexError> {
        let keys: Vec<Key> = found.iter().map(|found| found.key).collect();
        let coverage = self.index.coverage(words, &keys)?;
        for (found, coverage) in found.iter_mut().zip(coverage) {
            found.relevance.coverage = coverage;
            found.snippet = self.index.snippet(words, &found.entry.excerpt);
        }
        Ok(())
    }
}

/// Says that not everything has been read.
const BEHIND: &str =
    "the index has not read the whole log yet, so the newest may be missing; ask again in a moment";

/// Says that there is nothing to answer from.
const DAMAGED: &str = "the index was damaged and is being made anew from the log, so this answer is empty; ask again in a moment";

/// How many rows are read at a time.
const CHUNK: usize = 32;

fn found_in(key: Key, entry: Entry, parts: Parts, relevance: Relevance) -> Found {
    let tokens = tokens::of_sample(&entry.excerpt, entry.chars).max(1);
    Found { key, score: parts.sum(), parts, relevance, tokens, snippet: String::new(), entry }
}

/// Orders the best first, then the newest, then by id.
fn by_score(a: &Found, b: &Found) -> std::cmp::Ordering {
    b.score.total_cmp(&a.score).then(b.entry.ts.cmp(&a.entry.ts)).then(a.entry.id.cmp(&b.entry.id))
}
