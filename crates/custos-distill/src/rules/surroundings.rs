//! What lay outside of the code: a run failed, nothing was edited, and the same run passed.
//!
//! A port that was taken, a service that did not run, a variable that was not set: the code shows none of it, and the next person meets it
//! again. What helped is what was done between the two runs, or what the second was given; why it was so is in the agent's words.

use custos_model::Sort;

use super::commands::Purpose;
use super::draft::Draft;
use super::message::{self, Sentence};
use super::story::{Story, Trial};
use super::wording::{TITLE, cut, headline, quoted};
use crate::Found;
use crate::turn::What;

/// Tells what had to be put right around the code.
pub(crate) fn found(story: &Story<'_>) -> Option<Found> {
    let own: Vec<&Trial> = story.trials.iter().filter(|trial| trial.is_own).collect();
    let (failed, passed) = own.iter().enumerate().find_map(|(at, failed)| {
        let is_run = matches!(
            failed.run.purpose,
            Purpose::Test | Purpose::Build | Purpose::Run | Purpose::Migrate | Purpose::Other
        );
        if failed.passed != Some(false)
            || !is_run
            || failed.failure.is_none()
            || failed.run.family.starts_with("git ")
        {
            return None;
        }
        let passed = own[at + 1..].iter().rfind(|later| {
            later.passed == Some(true)
                && later.run.family == failed.run.family
                && later.edits_before == failed.edits_before
                && later.step > failed.step
        })?;
        Some((*failed, *passed))
    })?;
    let failure = failed.failure.as_ref()?;
    let line = |at: usize| match &story.turn.steps.get(at)?.what {
        What::Ran(line) => Some(line.as_str()),
        _ => None,
    };
    // The last thing that was done before it passed, and that did more than look; what it failed after did not help.
    let last = own
        .iter()
        .filter(|trial| trial.run.family == failed.run.family && trial.passed == Some(false))
        .filter(|trial| trial.step < passed.step)
        .map(|trial| trial.step)
        .max()
        .unwrap_or(failed.step);
    let deed = own.iter().rev().find(|trial| {
        trial.step > last
            && trial.step <= passed.step
            && trial.run != passed.run
            && trial.passed != Some(false)
            && matches!(
                trial.run.purpose,
                Purpose::Other | Purpose::Run | Purpose::Install(_) | Purpose::Remove(_)
            )
            && trial.run.purpose != Purpose::Install(Vec::new())
    });
    let given = line(passed.step).filter(|now| line(failed.step).is_some_and(|then| differs(then, now)));
    let known = format!(
        "{} {} {} {}",
        failure.message,
        line(failed.step).unwrap_or_default(),
        deed.map_or("", |deed| deed.run.label.as_str()),
        given.unwrap_or_default()
    );
    let is_about = |sentence: &&Sentence| {
        !sentence.is_ahead
            && sentence.weight >= 2
            && super::names::names(&sentence.text)
                .iter()
                .flat_map(|name| name.split(|c: char| !(c.is_alphanumeric() || c == '_')))
                .any(|word| word.len() > 3 && known.contains(word))
    };
    let told: Vec<Sentence> = story.sentences.iter().filter(is_about).cloned().collect();
    let best = message::best(&told, 2, 3, 420);
    let title = match (best.first(), deed.map(|deed| deed.run.label.as_str()).or(given)) {
        (Some(sentence), _) => headline(&super::changes::without_paths(&sentence.text), TITLE),
        // Without a word of why, only a deed that can be done again is worth telling.
        (None, Some(helped)) if story.turn.message.is_none() => {
            let helped = cut(helped, 44);
            format!("{} until `{helped}`", quoted(&failure.message, TITLE - 12 - helped.chars().count()))
        }
        _ => return None,
    };
    let mut draft = Draft::new(Sort::Discovery, &title).tell(&format!(
        "`{}` failed: {}.",
        failed.run.label,
        cut(failure.message.trim_end_matches('.'), 140)
    ));
    for sentence in &best {
        if sentence.text.chars().count() > TITLE || !draft.has_title(&sentence.text) {
            draft = draft.tell(&sentence.text);
        }
    }
    let works = given.map(|line| cut(line, 120)).or_else(|| deed.map(|deed| deed.run.label.clone()));
    let told = draft.text();
    let is_told = |works: &String| {
        told.contains(works.as_str())
            || works.contains('=')
                && works
                    .split_whitespace()
                    .filter_map(|word| word.split_once('='))
                    .all(|(name, _)| told.contains(name))
    };
    if let Some(works) = works.filter(|works| !is_told(works)) {
        draft = draft.fact(&format!("Helped: `{works}`"));
    }
    Some(draft.steps([failed.step, passed.step].into_iter().chain(deed.map(|deed| deed.step))).found())
}

/// Says whether one line gives a run more than another: variables before it, a version, an option.
fn differs(then: &str, now: &str) -> bool {
    let words = |line: &str| -> Vec<String> { line.split_whitespace().map(str::to_owned).collect() };
    let old = words(then);
    words(now).iter().any(|word| !old.contains(word) && word.contains('='))
}
