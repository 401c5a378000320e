//! What was found out: an answer, a limit, a way that led nowhere.

use custos_model::Sort;

use super::commands::Purpose;
use super::draft::{Draft, files_read};
use super::failures::Failure;
use super::message::{self, Sentence};
use super::request;
use super::story::{Story, Trial, is_prose};
use super::wording::{TITLE, file_name, headline, one_line, quoted, row};
use super::words;
use crate::Found;
use crate::turn::What;

/// The concept that marks what was tried and taken back; what was recorded as work on the same files does not hold any more.
pub const REVERTED: &str = "reverted";

/// Tells what was tried and taken back, where nothing of it stayed.
pub(crate) fn attempt(story: &Story<'_>) -> Option<Found> {
    let stayed = story.net.changes.iter().any(|change| !super::story::is_noise(&change.path));
    let first = story.net.undone.first()?;
    let last = story.net.undone.last()?;
    // What an agent takes back by itself and goes on is a detour; told only if it ended there.
    let goes_on = story.turn.steps[last.step.min(story.turn.steps.len())..]
        .iter()
        .any(|step| matches!(step.what, What::Edited(_)));
    if stayed || goes_on {
        return None;
    }
    let failures = failures(story);
    if failures.is_empty() {
        return None;
    }
    let mut files: Vec<String> = story.net.undone.iter().map(|undone| undone.path.clone()).collect();
    files.sort();
    files.dedup();
    let mut touched: Vec<String> =
        story.net.undone.iter().flat_map(|undone| undone.touched.clone()).collect();
    touched.dedup();
    let wanted = story.before.iter().map(super::story::joined).rfind(|wish| words::is_trouble(wish));
    let wanted = wanted.or_else(|| story.wishes().first().cloned()).unwrap_or_default();
    let tests: Vec<String> = failures.iter().flat_map(|failure| failure.tests.clone()).collect();
    let subject = request::trouble(&wanted).unwrap_or_else(|| file_name(&first.path).to_owned());
    let title = format!("Unresolved: {}", headline(&subject, TITLE - 12));
    let mut draft = Draft::new(Sort::Discovery, &title);
    let prompt = story.prompt();
    if prompt.chars().count() > 24 {
        draft = draft.tell(&format!("The person: {}.", quoted(&prompt, 240)));
    }
    draft = draft.tell(&format!("What was tried in {} was reverted.", row(&files, 3)));
    for failure in failures.iter().take(4) {
        draft = draft.fact(&format!("Failed with: {}", failure.message));
    }
    if let Some(test) = tests.first() {
        draft = draft.fact(&format!("Failing test: {test}"));
    }
    if !touched.is_empty() {
        draft = draft.fact(&format!("Tried in {}", row(&touched, 5)));
    }
    let told: Vec<Sentence> = story
        .carried
        .iter()
        .filter_map(|turn| turn.message.as_deref())
        .flat_map(|text| message::read(text, &story.evidence))
        .filter(|sentence| sentence.is_cause || sentence.text.contains("but"))
        .collect();
    draft = draft.facts(message::best(&told, 3, 2, 320).into_iter().map(|sentence| sentence.text.clone()));
    let steps = story.net.undone.iter().map(|undone| undone.step);
    Some(
        draft
            .concepts(
                [REVERTED.to_owned()]
                    .into_iter()
                    .chain(touched.iter().take(3).cloned())
                    .chain(tests.into_iter().take(1)),
            )
            .read(files)
            .steps(steps)
            .found(),
    )
}

/// Lists the failures of a story and of the turns before it that concern the same, without repeating.
fn failures(story: &Story<'_>) -> Vec<Failure> {
    let mut found: Vec<Failure> = Vec::new();
    let mut all: Vec<Failure> = Vec::new();
    // Settled turns before it are not in the story, but the way there was theirs.
    for turn in story.before.iter().rev().take(3).rev().filter(|turn| !story.carried.contains(turn)) {
        for step in &turn.steps {
            if let (What::Ran(line), Some(false)) = (&step.what, step.ok) {
                let is_test = super::commands::runs(line).iter().any(|run| run.purpose == Purpose::Test);
                all.extend(super::failures::failure(&step.output).filter(|_| is_test));
            }
        }
    }
    all.extend(
        story
            .trials
            .iter()
            .filter(|trial| trial.run.purpose == Purpose::Test)
            .filter_map(|trial| trial.failure.clone()),
    );
    for failure in all {
        if !found.iter().any(|known| super::failures::same(known, &failure)) {
            found.push(failure);
        }
    }
    found
}

/// Tells a limit that something ran into, and that was not the work itself.
pub(crate) fn limit(story: &Story<'_>, work: Option<&Found>) -> Option<Found> {
    let is_told = |failure: &Failure| {
        work.is_some_and(|work| {
            matches!(work.observation.sort, Sort::Bugfix | Sort::Security)
                && work
                    .observation
                    .title
                    .contains(failure.message.chars().take(24).collect::<String>().as_str())
        })
    };
    let (at, trial, failure) = story.trials.iter().enumerate().find_map(|(at, trial)| {
        let failure = trial.failure.as_ref()?;
        let is_limit = words::is_constraint(&failure.message)
            && !is_compile_error(failure)
            && trial.is_proof()
            && !is_told(failure);
        is_limit.then_some((at, trial, failure))
    })?;
    // What nobody got over is no limit that was found, but a problem that is left.
    let over =
        story.trials[at + 1..].iter().find(|later| is_over(trial, later)).filter(|over| over.is_own)?;
    let mut draft = Draft::new(Sort::Discovery, &limit_title(failure, trial));
    draft = draft.tell(&format!("`{}` failed: {}.", trial.run.label, failure.message.trim_end_matches('.')));
    if over.run.label == trial.run.label || over.edits_before > trial.edits_before {
        let is_there = |path: &str| failure.place.as_ref().is_some_and(|(file, _)| file == path);
        let lines =
            super::facts::lines(&story.code().filter(|change| is_there(&change.path)).collect::<Vec<_>>(), 3);
        draft = draft.facts(lines);
    } else {
        draft = draft.tell(&format!("`{}` works.", over.run.label));
    }
    let prompt = story.prompt();
    let shares = failure
        .message
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| word.len() > 4 && prompt.to_lowercase().contains(&word.to_lowercase()));
    if shares && !trial.is_own && prompt.chars().count() < 200 {
        draft = draft.tell(&format!("The person: {}.", quoted(&prompt, 180)));
    }
    let place = failure.place.as_ref().map(|(file, _)| file.clone()).filter(|file| !file.starts_with('/'));
    if let Some(file) = &place {
        draft = draft.fact(&format!("Raised in {file}"));
    }
    let mut steps = Vec::new();
    if trial.is_own {
        steps.push(trial.step);
    }
    if over.is_own {
        steps.push(over.step);
    }
    Some(draft.read(place).steps(steps).found())
}

fn limit_title(failure: &Failure, trial: &Trial) -> String {
    let message = one_line(&failure.message);
    let message =
        message.strip_prefix("Error: ").or_else(|| message.strip_prefix("error: ")).unwrap_or(&message);
    let first = super::wording::sentences(message).into_iter().next().unwrap_or(message);
    let message = if first.chars().count() >= 24 { first } else { message };
    if message.chars().count() >= 24 {
        return headline(message, TITLE);
    }
    headline(&format!("`{}`: {message}", trial.run.label), TITLE)
}

/// Recognises what a compiler says about the code at hand: it tells nothing that the code would not.
fn is_compile_error(failure: &Failure) -> bool {
    let starts = ["error[E", "error TS", "TS", "SyntaxError", "error CS", "e: "];
    starts.iter().any(|start| failure.message.starts_with(start))
        || failure.code.as_deref().is_some_and(|code| code.starts_with('E') || code.starts_with("TS"))
}

/// Says whether a later run got over what an earlier one ran into.
fn is_over(earlier: &Trial, later: &Trial) -> bool {
    let differs = match (&earlier.failure, &later.failure) {
        (Some(a), Some(b)) => !super::failures::same(a, b),
        _ => true,
    };
    let is_kin = earlier.run.family == later.run.family
        || earlier.run.purpose == Purpose::Test && later.run.purpose == Purpose::Test;
    is_kin && (later.passed == Some(true) || differs && later.failure.is_some())
}

/// Tells an answer: what the person asked, and what the agent concluded.
pub(crate) fn answer(story: &Story<'_>) -> Option<Found> {
    let edits =
        story.turn.steps.iter().any(|step| matches!(step.what, What::Edited(_)) && step.ok != Some(false));
    let prompt = story.prompt();
    if edits || !words::is_question(&prompt) && !words::is_trouble(&prompt) {
        return None;
    }
    let read: Vec<String> = files_read(story).into_iter().filter(|file| !is_prose(file)).collect();
    let looked =
        story.turn.steps.iter().filter(|step| matches!(step.what, What::Ran(_) | What::Delegated(_))).count();
    let sentences: Vec<Sentence> =
        story.sentences.iter().filter(|sentence| !sentence.is_ahead || sentence.is_cause).cloned().collect();
    let names: usize = sentences.iter().map(|sentence| sentence.names).sum();
    let length: usize = sentences.iter().map(|sentence| sentence.text.chars().count()).sum();
    let has_value = |text: &str| {
        text.split(|c: char| c.is_whitespace() || "(),`".contains(c))
            .any(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit()))
    };
    let reasons = sentences
        .iter()
        .filter(|sentence| sentence.names > 0 && (sentence.is_cause || has_value(&sentence.text)))
        .count();
    // One file that was looked into and one sentence about it can be had again in seconds.
    let is_research =
        read.len() >= 2 && read.len() + looked >= 3 && names >= 3 && length >= 120 && reasons >= 1;
    if !is_research {
        return None;
    }
    let best = message::best(&sentences, 3, 6, 460);
    let lead = lead(&sentences, &prompt)?;
    let mut draft = Draft::new(Sort::Discovery, &headline(&super::changes::without_paths(&lead.text), TITLE))
        .subtitle(&format!("Asked: {}", quoted(&request::gist(&prompt, 110), 110)));
    for sentence in &best {
        draft = draft.tell(&sentence.text);
    }
    draft = draft.facts(
        sentences
            .iter()
            .filter(|sentence| sentence.weight >= 3 && !best.contains(sentence))
            .map(|sentence| sentence.text.clone()),
    );
    let message = story.turn.message.as_deref().unwrap_or_default();
    let named: Vec<String> = read.iter().filter(|file| message.contains(file_name(file))).cloned().collect();
    let files = if named.is_empty() { read.into_iter().take(4).collect() } else { named };
    let concepts = super::names::names(&lead.text)
        .into_iter()
        .map(str::to_owned)
        .filter(|name| name.len() <= 40)
        .take(4)
        .collect::<Vec<_>>();
    let steps = story
        .turn
        .steps
        .iter()
        .enumerate()
        .filter(|(_, step)| step.files_read.iter().any(|file| files.contains(file)))
        .map(|(at, _)| at);
    Some(draft.concepts(concepts).steps(steps.collect::<Vec<_>>()).read(files).found())
}

/// Picks the sentence that says most in a line: a cause, else the opening one that takes up what was asked, else the first that says something.
fn lead<'s>(sentences: &'s [Sentence], prompt: &str) -> Option<&'s Sentence> {
    let asked: Vec<String> = prompt
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 4)
        .map(str::to_lowercase)
        .collect();
    let takes_up = |sentence: &Sentence| {
        let text = sentence.text.to_lowercase();
        asked.iter().filter(|word| text.contains(word.as_str())).count()
    };
    let is_long = |sentence: &&Sentence| sentence.text.chars().count() >= 24;
    let opening = sentences.first().filter(|sentence| is_long(sentence) && takes_up(sentence) >= 2);
    let cause =
        sentences.iter().find(|sentence| sentence.is_cause && sentence.names > 0 && sentence.weight >= 4);
    let first = sentences.iter().find(|sentence| is_long(sentence) && sentence.weight > 0);
    let is_early = |sentence: &&Sentence| sentences.iter().take(2).any(|early| early == *sentence);
    cause.filter(is_early).or(opening).or(first)
}
