//! What a turn or a session came to, as a checkpoint to go on from.

use custos_model::{Observation, Sort, Summary};

use super::commands::Purpose;
use super::draft::files_read;
use super::message;
use super::request;
use super::story::{Story, is_noise};
use super::wording::{FILES, cut, one_line, row};
use crate::Found;
use crate::turn::{Turn, What};

/// The most that a field may take, in characters.
const FIELD: usize = 300;

/// A turn whose tools printed less than this, in bytes, is a small one.
const SMALL: usize = 6_000;

/// Sums a turn up that changed something.
pub(crate) fn of_turn(story: &Story<'_>, found: &[Found]) -> Option<Summary> {
    let edited: Vec<String> = story
        .net
        .changes
        .iter()
        .filter(|change| !is_noise(&change.path) && !change.steps.is_empty())
        .map(|change| change.path.clone())
        .take(FILES)
        .collect();
    let undone =
        story.trials.iter().any(|trial| trial.is_own && matches!(trial.run.purpose, Purpose::Revert(_)))
            && !story.net.undone.is_empty();
    // What was broken off is summed up with what goes on from there, or with the session.
    if story.turn.error.is_some() && !story.is_settled() {
        return None;
    }
    if edited.is_empty() && story.commit.is_none() && !undone && story.packages.is_empty() {
        return None;
    }
    let request = request_of(story.wishes().iter().map(String::as_str), story.turn);
    let mut learned: Vec<String> = Vec::new();
    for one in found.iter().filter(|one| matches!(one.observation.sort, Sort::Decision | Sort::Discovery)) {
        learned.push(one.observation.title.clone());
    }
    let causes: Vec<_> =
        story.sentences.iter().filter(|sentence| !sentence.is_ahead && sentence.is_cause).cloned().collect();
    learned.extend(message::best(&causes, 4, 1, 220).into_iter().map(|sentence| sentence.text.clone()));
    let mut completed: Vec<String> = found
        .iter()
        .filter(|one| !matches!(one.observation.sort, Sort::Decision | Sort::Discovery))
        .map(|one| one.observation.title.clone())
        .collect();
    if completed.is_empty() && !edited.is_empty() {
        completed.push(format!("Edited {}", row(&edited, 4)));
    }
    if undone {
        let mut files: Vec<String> = story.net.undone.iter().map(|undone| undone.path.clone()).collect();
        files.dedup();
        completed.push(format!("Reverted the changes in {}", row(&files, 3)));
    }
    if let Some(commit) = &story.commit {
        completed.push(format!("Committed: {}", cut(request::subject(commit).1, 90)));
    }
    // What it is called in the code, where the title does not say.
    let told = completed.join(" ");
    let is_new = |fact: &String| fact.split([' ', ',', ';']).nth(1).is_some_and(|name| !told.contains(name));
    completed
        .extend(super::facts::by_file(story, 2).into_iter().filter(|fact| !found.is_empty() && is_new(fact)));
    completed.extend(proof(story));
    // A checkpoint of little work is little.
    let is_small = story.turn.steps.iter().map(|step| step.output.len()).sum::<usize>() < SMALL;
    let investigated = if is_small { String::new() } else { investigated(&files_read(story)) };
    Some(Summary {
        request: if is_small { cut(&request, FIELD / 2) } else { request },
        investigated,
        learned: together(&learned),
        completed: together(&completed),
        next_steps: next_steps(story),
        files_read: Vec::new(),
        files_edited: edited,
        notes: notes(story),
    })
}

/// Sums a session up.
pub(crate) fn of_session(turns: &[Turn], observations: &[Observation]) -> Option<Summary> {
    let turns: Vec<&Turn> = turns.iter().filter(|turn| !turn.is_private).collect();
    let works = turns.iter().any(|turn| {
        turn.steps
            .iter()
            .any(|step| matches!(step.what, What::Edited(_)) || matches!(step.what, What::Delegated(_)))
    });
    if !works && observations.is_empty() {
        return None;
    }
    let wishes: Vec<String> = turns.iter().map(|turn| super::story::joined(turn)).collect();
    let acts = turns.iter().zip(&wishes).filter(|(turn, _)| !turn.steps.is_empty()).map(|(_, wish)| wish);
    let asked: Vec<String> =
        acts.map(|wish| request::gist(wish, 110)).filter(|gist| gist.chars().count() > 12).collect();
    let mut read: Vec<String> = Vec::new();
    let mut edited: Vec<String> = Vec::new();
    for step in turns.iter().flat_map(|turn| &turn.steps) {
        for file in &step.files_read {
            let is_secret = super::wording::file_name(file).starts_with(".env");
            if !read.contains(file) && !file.starts_with('/') && !is_secret && step.ok != Some(false) {
                read.push(file.clone());
            }
        }
    }
    for observation in observations {
        for file in &observation.files_modified {
            if !edited.contains(file) {
                edited.push(file.clone());
            }
        }
    }
    read.retain(|file| !edited.contains(file));
    edited.truncate(FILES);
    let titled = |wanted: &[Sort]| -> Vec<String> {
        observations.iter().filter(|one| wanted.contains(&one.sort)).map(|one| one.title.clone()).collect()
    };
    let last = turns.iter().rev().find(|turn| turn.message.is_some());
    let open = last.map(|turn| Story::read(turn, &[])).map_or_else(String::new, |story| next_steps(&story));
    let read_named: Vec<String> = read
        .iter()
        .filter(|file| observations.iter().any(|one| one.files_read.contains(file)))
        .cloned()
        .collect();
    Some(Summary {
        request: together(&asked.into_iter().take(6).collect::<Vec<_>>()),
        investigated: investigated(&read),
        learned: together(&titled(&[Sort::Decision, Sort::Discovery])),
        completed: together(&titled(&[
            Sort::Bugfix,
            Sort::Feature,
            Sort::Refactor,
            Sort::Change,
            Sort::Security,
        ])),
        next_steps: open,
        files_read: read_named.into_iter().take(FILES).collect(),
        files_edited: edited,
        notes: last_word(&turns, observations),
    })
}

/// Says what the person wanted.
fn request_of<'w>(wishes: impl Iterator<Item = &'w str>, turn: &Turn) -> String {
    let all: Vec<&str> = wishes.collect();
    match all.as_slice() {
        [] => String::new(),
        [only] => cut(&one_line(only), FIELD * 2 / 3),
        [first, .., last] if turn.said.len() < 2 => {
            format!("{} – then: {}", cut(&one_line(first), FIELD / 3), cut(&one_line(last), FIELD / 2))
        }
        many => cut(&one_line(&many.join(" – ")), FIELD),
    }
}

fn investigated(files: &[String]) -> String {
    if files.is_empty() { String::new() } else { cut(&row(files, 3), FIELD) }
}

fn together(parts: &[String]) -> String {
    let mut text = String::new();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        if text.chars().count() + part.chars().count() > FIELD * 2 {
            break;
        }
        if !text.is_empty() {
            text.push_str("; ");
        }
        text.push_str(part.trim_end_matches(['.', ';', '。']));
    }
    text
}

/// Tells what was run last to prove the work, and how it ended.
fn proof(story: &Story<'_>) -> Option<String> {
    let last = story
        .trials
        .iter()
        .rev()
        .find(|trial| trial.is_own && trial.run.purpose == Purpose::Test && trial.passed.is_some())?;
    let told = story.turn.steps.get(last.step).and_then(|step| counts(&step.output));
    match (last.passed, told) {
        (Some(true), Some(told)) => Some(format!("`{}`: {told}", last.run.label)),
        (Some(true), None) => Some(format!("`{}` passes", last.run.label)),
        _ => None,
    }
}

/// Finds `48 passed` in what a test run printed.
fn counts(output: &str) -> Option<String> {
    output.lines().rev().take(40).find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.windows(2).find_map(|pair| {
            let number = pair[0].trim_matches(|c: char| !c.is_ascii_digit());
            let is_count = !number.is_empty() && pair[0].trim_start_matches(['(', '=']) == number;
            let word = pair[1].trim_matches(|c: char| !c.is_alphabetic());
            (is_count && ["passed", "passing"].contains(&word)).then(|| format!("{number} {word}"))
        })
    })
}

/// Tells what is left: in the agent's words, or what still fails.
fn next_steps(story: &Story<'_>) -> String {
    let ahead: Vec<_> = story.sentences.iter().filter(|sentence| sentence.is_ahead).cloned().collect();
    let mut told: Vec<String> =
        message::best(&ahead, -1, 2, FIELD).into_iter().map(|sentence| sentence.text.clone()).collect();
    let open = story.trials.iter().rev().find(|trial| {
        trial.is_proof()
            && matches!(trial.run.purpose, Purpose::Test | Purpose::Build)
            && trial.passed.is_some()
    });
    if let Some(trial) = open.filter(|trial| trial.passed == Some(false)) {
        let why = trial
            .failure
            .as_ref()
            .map_or_else(String::new, |failure| format!(": {}", cut(&failure.message, 120)));
        told.push(format!("`{}` still fails{why}", trial.run.label));
    }
    together(&told)
}

/// Tells how a turn broke off.
fn notes(story: &Story<'_>) -> String {
    match story.turn.error.as_deref() {
        Some(error) => format!("Broke off: {}", cut(&one_line(error), 120)),
        None => String::new(),
    }
}

/// A session that was reverted at its end says so.
fn last_word(turns: &[&Turn], observations: &[Observation]) -> String {
    let is_reverted = observations
        .iter()
        .any(|one| one.concepts.iter().any(|concept| concept == super::discoveries::REVERTED));
    let Some(turn) = turns.iter().rev().find(|turn| !turn.steps.is_empty()) else { return String::new() };
    let prompt = super::story::joined(turn);
    let reverts = turn.steps.iter().any(|step| match &step.what {
        What::Ran(line) => {
            super::commands::runs(line).iter().any(|run| matches!(run.purpose, Purpose::Revert(_)))
        }
        _ => false,
    });
    if reverts && is_reverted {
        format!("Reverted at the end: {}", super::wording::quoted(&prompt, 220))
    } else {
        String::new()
    }
}
