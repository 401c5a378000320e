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
const FIELD: usize = 240;
/// The same for what was done in a turn, for what was asked for, and for what was looked at.
const COMPLETED: usize = 160;
const REQUEST: usize = 72;
const INVESTIGATED: usize = 160;
/// The most that a title takes in the summary of a session.
const BRIEF: usize = 72;
/// The most files that are named in a summary, of those that were edited and of those that were read.
const NAMED: usize = 4;

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
    let request = request_of(story);
    // What an observation of the turn tells is not told again.
    let told = |text: &str| {
        found.iter().any(|one| {
            let one = &one.observation;
            one.narrative.contains(text)
                || one.facts.iter().any(|fact| fact.contains(text))
                || one.title.contains(text)
        })
    };
    let causes: Vec<_> =
        story.sentences.iter().filter(|sentence| !sentence.is_ahead && sentence.is_cause).cloned().collect();
    let learned: Vec<String> = message::best(&causes, 4, usize::from(found.is_empty()), 200)
        .into_iter()
        .map(|sentence| sentence.text.clone())
        .filter(|text| !told(text))
        .collect();
    let mut completed: Vec<String> = found
        .iter()
        .filter(|one| !matches!(one.observation.sort, Sort::Decision | Sort::Discovery))
        .map(|one| super::wording::headline(&one.observation.title, BRIEF))
        .collect();
    if completed.is_empty() && !edited.is_empty() && story.commit.is_none() && proof(story).is_none() {
        completed.push(format!("Edited {}", row(&edited, 2)));
    }
    if undone {
        let mut files: Vec<String> = story.net.undone.iter().map(|undone| undone.path.clone()).collect();
        files.dedup();
        completed.push(format!("Reverted the changes in {}", row(&files, 3)));
    }
    if let Some(commit) = &story.commit {
        let subject = request::subject(commit).1;
        let is_told = told(subject);
        completed.push(if is_told {
            "Committed".to_owned()
        } else {
            format!("Committed: {}", cut(subject, 90))
        });
    }
    completed.extend(proof(story));
    // A checkpoint of little work is little.
    let is_small = story.turn.steps.iter().map(|step| step.output.len()).sum::<usize>() < SMALL;
    let investigated =
        if is_small || !found.is_empty() { String::new() } else { investigated(&files_read(story)) };
    Some(Summary {
        request,
        investigated,
        learned: together(&learned, FIELD),
        completed: together(&completed, COMPLETED),
        next_steps: next_steps(story),
        // What was read stands in the summary of the session, once.
        files_read: Vec::new(),
        files_edited: edited.into_iter().take(NAMED).collect(),
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
    // A wish that became a decision is told as such, and once is enough.
    let is_learnt = |gist: &str| observations.iter().any(|one| is_same(&one.title, gist));
    let asked: Vec<String> = acts
        .map(|wish| request::gist(wish, BRIEF))
        .filter(|gist| gist.chars().count() > 12 && !is_learnt(gist))
        .collect();
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
    for step in turns.iter().flat_map(|turn| &turn.steps).filter(|step| matches!(step.what, What::Edited(_)))
    {
        for file in step.files_changed.iter().filter(|file| !is_noise(file) && step.ok != Some(false)) {
            if !edited.contains(file) {
                edited.push(file.clone());
            }
        }
    }
    read.retain(|file| !edited.contains(file));
    edited.truncate(NAMED);
    let titled = |wanted: &[Sort]| -> Vec<String> {
        let wanted = observations.iter().filter(|one| wanted.contains(&one.sort));
        wanted.map(|one| super::wording::headline(&one.title, BRIEF)).collect()
    };
    let last = turns.iter().rev().find(|turn| turn.message.is_some());
    let open = last.map(|turn| Story::read(turn, &[])).map_or_else(String::new, |story| next_steps(&story));
    let read_named: Vec<String> = read
        .iter()
        .filter(|file| observations.iter().any(|one| one.files_read.contains(file)))
        .cloned()
        .collect();
    Some(Summary {
        request: together(&asked.into_iter().take(4).collect::<Vec<_>>(), FIELD * 2 / 3),
        // What led to nothing that was kept led nowhere.
        investigated: investigated(&read_named),
        learned: together(&titled(&[Sort::Decision, Sort::Discovery]), FIELD),
        completed: together(
            &titled(&[Sort::Bugfix, Sort::Feature, Sort::Refactor, Sort::Change, Sort::Security]),
            FIELD,
        ),
        next_steps: open,
        files_read: read.into_iter().take(NAMED).collect(),
        files_edited: edited,
        notes: last_word(&turns, observations),
    })
}

/// Says what the person wanted in this turn; where it only says to go on, what it goes on with.
fn request_of(story: &Story<'_>) -> String {
    let own = one_line(&story.prompt());
    let is_bare = own.chars().filter(|c| c.is_alphanumeric()).count() < 12;
    let wishes = story.wishes();
    match wishes.iter().rev().nth(1).filter(|_| is_bare) {
        Some(earlier) => format!("{own} – {}", request::gist(earlier, REQUEST - 40)),
        None => request::gist(&story.prompt(), REQUEST),
    }
}

fn investigated(files: &[String]) -> String {
    if files.is_empty() { String::new() } else { cut(&row(files, 3), INVESTIGATED) }
}

/// Says whether a title and what was asked for have the same words, as far as neither is cut.
fn is_same(title: &str, gist: &str) -> bool {
    let words = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<Vec<_>>()
    };
    let (title, gist) = (words(title), words(gist));
    title.starts_with(&gist) || gist.starts_with(&title)
}

fn together(parts: &[String], most: usize) -> String {
    let mut text = String::new();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        if text.chars().count() + part.chars().count() > most {
            if text.is_empty() {
                text = cut(part, most);
            }
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
    together(&told, FIELD)
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
