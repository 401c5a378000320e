//! What a model is asked: the evidence of a few turns in bounded pieces, and what to make of it.
//!
//! The words stand in Markdown files beside this module. The [system prompt](SYSTEM) is the same for every question, so that a provider
//! can cache it; a question holds project, date, what is known already, and one piece of evidence. Nothing grows: what a question holds
//! does not depend on how many came before it.
//!
//! Bounds make the cost: a step is at most [`MOST_OF_STEP`] characters, a piece at most [`MOST_EVIDENCE`], so that a hundred calls with
//! three kilobytes of output each are asked about in at most ten questions, with fewer characters than they had.
//!
//! Evidence is not to be trusted. Each of its lines begins with `|`, so that no output can pretend to be a step of its own or the end of
//! the evidence, and our tags are taken out of it. It was redacted when it was recorded; it is redacted once more here, because a shape
//! of secret may have become known since, and because colour codes that hid one are gone by now.

use std::ops::Range;

use crate::turn::{Step, Turn, What};

mod evidence;

pub(crate) use evidence::is_shown;

/// What holds for every question.
pub const SYSTEM: &str = include_str!("prompt/system.md");
const QUESTION: &str = include_str!("prompt/question.md");

/// The most evidence in one question, in characters.
pub const MOST_EVIDENCE: usize = 24_000;
/// The most that one step may take of it: more than ten fit into a piece, whatever they are.
pub const MOST_OF_STEP: usize = 2_000;
/// What an answer may take, in tokens: four observations and a summary, with room.
pub const MOST_ANSWER: u32 = 2_500;

const MOST_SAID: usize = 1_500;
const MOST_REMINDED: usize = 400;
const MOST_MESSAGE: usize = 1_500;
const MOST_KNOWN: usize = 20;
const MOST_OF_TITLE: usize = 100;

/// What a question is about, besides its evidence.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// The project, as people call it.
    pub project: &'a str,
    /// The day, such as `2026-11-16`.
    pub date: &'a str,
    /// Titles of what was recorded of the session before, newest last.
    pub known: &'a [String],
}

/// All that is asked about some turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pieces {
    /// What holds for every question.
    pub system: &'static str,
    /// The questions, in order; none where there is nothing to ask about.
    pub prompts: Vec<Piece>,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What is asked.
    pub text: String,
    /// The steps that it shows, counted through all of the turns from 0.
    pub steps: Range<usize>,
}

/// Makes the questions about one or more turns of a session, oldest first.
///
/// A turn that the person kept private is not asked about. A summary is asked for in the last question only, and only where something
/// was changed.
pub fn of(turns: &[Turn], about: &About<'_>) -> Pieces {
    let mut packing = Packing::default();
    let mut at = 0;
    for turn in turns {
        if !turn.is_private {
            pack(turn, at, &mut packing);
        }
        at += turn.steps.len();
    }
    let packed = packing.finish();
    let parts = packed.len();
    let prompts = packed.into_iter().enumerate().map(|(part, (evidence, steps))| {
        let wants_summary = part + 1 == parts && turns.iter().any(changed_something);
        Piece { text: question(&evidence, about, &task(part + 1, parts, wants_summary)), steps }
    });
    Pieces { system: SYSTEM, prompts: prompts.collect() }
}

/// Says whether a turn changed a file that is known by name: only then is there something to sum up.
pub(crate) fn changed_something(turn: &Turn) -> bool {
    !turn.is_private && turn.steps.iter().any(|step| changed_files(step).next().is_some())
}

/// Lists the files that a step changed, as far as they are known.
pub(crate) fn changed_files(step: &Step) -> impl Iterator<Item = &str> {
    let edited = match &step.what {
        What::Edited(edits) if step.ok != Some(false) => edits.as_slice(),
        _ => &[],
    };
    step.files_changed.iter().map(String::as_str).chain(edited.iter().map(|edit| edit.path.as_str()))
}

fn pack(turn: &Turn, at: usize, packing: &mut Packing) {
    let said = turn.said.iter().map(|said| evidence::clean(&said.text)).collect::<Vec<_>>().join("\n");
    packing.goal = evidence::labelled("[person, before this]", &evidence::ends(&said, MOST_REMINDED, 0));
    if !said.is_empty() {
        packing.add(&evidence::labelled("[person]", &evidence::ends(&said, MOST_SAID, 0)), None);
    }
    for (place, step) in turn.steps.iter().enumerate() {
        let number = at + place;
        packing.add(&evidence::step(number, step), Some(number));
    }
    if let Some(error) = &turn.error {
        packing
            .add(&evidence::labelled("[broken off]", &evidence::ends(&evidence::clean(error), 300, 0)), None);
    }
    if let Some(message) = &turn.message {
        let message = evidence::ends(&evidence::clean(message), MOST_MESSAGE / 2, MOST_MESSAGE / 2);
        packing.add(&evidence::labelled("[last words of the agent]", &message), None);
    }
}

/// Fills one piece after the other.
#[derive(Default)]
struct Packing {
    full: Vec<(String, Range<usize>)>,
    text: String,
    characters: usize,
    steps: Option<Range<usize>>,
    /// What the person wanted, for a piece that begins in the middle of a turn.
    goal: String,
}

impl Packing {
    fn add(&mut self, block: &str, step: Option<usize>) {
        let length = block.chars().count();
        if self.characters > 0 && self.characters + length > MOST_EVIDENCE {
            self.close();
            self.text.push_str(&self.goal);
            self.characters = self.goal.chars().count();
        }
        self.text.push_str(block);
        self.characters += length;
        if let Some(step) = step {
            self.steps = Some(self.steps.as_ref().map_or(step, |steps| steps.start)..step + 1);
        }
    }

    fn close(&mut self) {
        // A piece of words alone stands where the steps before it ended.
        let end = self.full.last().map_or(0, |(_, steps)| steps.end);
        let steps = self.steps.take().unwrap_or(end..end);
        self.full.push((std::mem::take(&mut self.text), steps));
    }

    fn finish(mut self) -> Vec<(String, Range<usize>)> {
        if !self.text.is_empty() {
            self.close();
        }
        self.full
    }
}

fn question(evidence: &str, about: &About<'_>, task: &str) -> String {
    let known = about.known.iter().rev().take(MOST_KNOWN).collect::<Vec<_>>();
    let known: String = known
        .into_iter()
        .rev()
        .map(|title| format!("| {}\n", evidence::line(title, MOST_OF_TITLE)))
        .collect();
    let known = if known.is_empty() { known } else { format!("Already recorded:\n{known}") };
    // The evidence comes last: what it holds is no longer looked through for places to fill.
    let mut text = QUESTION.replace("{project}", &evidence::line(about.project, MOST_OF_TITLE));
    text = text.replace("{date}", &evidence::line(about.date, MOST_OF_TITLE));
    text = text.replace("{task}", task);
    let (before, after) = text.split_once("{evidence}").unwrap_or((&text, ""));
    let before = before.replacen("{known}", &known, 1);
    format!("{before}{}{after}", evidence.trim_end())
}

fn task(part: usize, parts: usize, wants_summary: bool) -> String {
    let part =
        if parts > 1 { format!("This is part {part} of {parts} of the same work. ") } else { String::new() };
    let summary = if wants_summary {
        "Give a summary of what the work came to, next steps only where they were named."
    } else {
        "The summary is null."
    };
    format!("{part}What of this is worth knowing next week? {summary}")
}

#[cfg(test)]
mod tests;
