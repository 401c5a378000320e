//! Holds what was kept against what a colleague would keep.

use std::fs;
use std::path::Path;

use custos_distill::alike;
use custos_model::{Observation, Summary};
use serde::Deserialize;

use crate::play::Played;

#[derive(Deserialize)]
struct Expected {
    observations: Vec<Wanted>,
    summary: WantedSummary,
    must_not_mention: Vec<String>,
    max_observations: usize,
}

#[derive(Deserialize)]
struct Wanted {
    #[serde(rename = "type")]
    sort: String,
    title: String,
    must_mention: Vec<String>,
}

#[derive(Deserialize)]
struct WantedSummary {
    must_mention: Vec<String>,
}

/// How a session, or all of them, did.
#[derive(Default)]
pub(crate) struct Score {
    /// What a colleague would keep, and how much of it there is; `typed` counts only what has their type as well.
    pub(crate) wanted: usize,
    pub(crate) got: usize,
    pub(crate) typed: usize,
    /// What was kept, and how much of it a colleague would.
    pub(crate) kept: usize,
    pub(crate) meant: usize,
    /// What was recorded and did not last, or says nothing.
    pub(crate) junk: usize,
    pub(crate) recorded: usize,
    pub(crate) stored: usize,
    pub(crate) evidence: usize,
    pub(crate) summary_wanted: usize,
    pub(crate) summary_got: usize,
    pub(crate) missed: Vec<String>,
    pub(crate) beside: Vec<String>,
    pub(crate) forbidden: Vec<String>,
    pub(crate) too_many: Vec<String>,
}

fn share(part: usize, of: usize) -> f64 {
    if of == 0 { 1.0 } else { part as f64 / of as f64 }
}

impl Score {
    pub(crate) fn recall(&self) -> f64 {
        share(self.got, self.wanted)
    }

    pub(crate) fn precision(&self) -> f64 {
        share(self.meant, self.kept)
    }

    pub(crate) fn junk_share(&self) -> f64 {
        if self.recorded == 0 { 0.0 } else { share(self.junk, self.recorded) }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.wanted += other.wanted;
        self.got += other.got;
        self.typed += other.typed;
        self.kept += other.kept;
        self.meant += other.meant;
        self.junk += other.junk;
        self.recorded += other.recorded;
        self.stored += other.stored;
        self.evidence += other.evidence;
        self.summary_wanted += other.summary_wanted;
        self.summary_got += other.summary_got;
        self.forbidden.extend(other.forbidden.iter().cloned());
        self.too_many.extend(other.too_many.iter().cloned());
    }
}

pub(crate) fn score(dir: &Path, played: &Played) -> Score {
    let expected: Expected =
        serde_json::from_str(&fs::read_to_string(dir.join("expected.json")).unwrap()).unwrap();
    let lasting = played.lasting();
    let mut score = Score {
        wanted: expected.observations.len(),
        kept: lasting.len(),
        evidence: played.evidence,
        ..Score::default()
    };
    let mut meant = vec![false; lasting.len()];
    for wanted in &expected.observations {
        let hits: Vec<usize> =
            (0..lasting.len()).filter(|at| mentions(&text(lasting[*at]), &wanted.must_mention)).collect();
        for hit in &hits {
            meant[*hit] = true;
        }
        score.got += usize::from(!hits.is_empty());
        score.typed += usize::from(hits.iter().any(|at| lasting[*at].sort.name() == wanted.sort));
        if hits.is_empty() {
            score.missed.push(format!("{}: {}", wanted.sort, wanted.title));
        }
    }
    score.meant = meant.iter().filter(|meant| **meant).count();
    score.beside = lasting
        .iter()
        .zip(&meant)
        .filter(|(_, meant)| !**meant)
        .map(|(one, _)| format!("{}: {}", one.sort, one.title))
        .collect();
    let all = played.all();
    score.recorded = all.len();
    let gone = played.superseded();
    score.junk = all.iter().zip(gone).filter(|(one, gone)| *gone || alike::restates(one)).count();
    let summaries: Vec<&Summary> =
        played.distilled.iter().filter_map(|one| one.summary.as_ref()).chain(&played.summary).collect();
    score.stored =
        all.iter().copied().map(length).sum::<usize>() + summaries.iter().copied().map(length).sum::<usize>();
    // What was superseded is marked as such, and shown to nobody.
    let everything: String =
        lasting.iter().copied().map(text).chain(summaries.iter().copied().map(json)).collect();
    let everything = everything.to_lowercase();
    score.forbidden = expected
        .must_not_mention
        .iter()
        .filter(|word| everything.contains(&word.to_lowercase()))
        .cloned()
        .collect();
    if lasting.len() > expected.max_observations {
        score.too_many.push(format!("{} of at most {}", lasting.len(), expected.max_observations));
    }
    let last = played.summary.as_ref().map(json).unwrap_or_default()
        + &summaries.iter().copied().map(json).collect::<String>();
    score.summary_wanted = expected.summary.must_mention.len();
    score.summary_got = expected
        .summary
        .must_mention
        .iter()
        .filter(|word| mentions(&last, std::slice::from_ref(word)))
        .count();
    score
}

fn mentions(text: &str, words: &[String]) -> bool {
    let text = text.to_lowercase();
    words.iter().all(|word| word.split('|').any(|word| text.contains(&word.to_lowercase())))
}

/// Everything that an observation says.
fn text(one: &Observation) -> String {
    let parts = [
        vec![one.title.clone(), one.subtitle.clone(), one.narrative.clone()],
        one.facts.clone(),
        one.concepts.clone(),
        one.files_read.clone(),
        one.files_modified.clone(),
    ];
    parts.concat().join("\n")
}

fn json(value: &Summary) -> String {
    serde_json::to_value(value)
        .unwrap()
        .as_object()
        .unwrap()
        .values()
        .map(|value| format!("{value}\n"))
        .collect()
}

fn length(value: &impl serde::Serialize) -> usize {
    serde_json::to_string(value).unwrap().chars().count()
}
