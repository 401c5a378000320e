//! What lay outside of the code: a run failed, nothing was edited, and the same run passed.
//!
//! A port that was taken, a service that did not run, a variable that was not set: the code shows none of it, and the next person meets it
//! again. What [helped](remedies) is what was done between the two runs, or what the second was given; why it was so is in the agent's words,
//! where it says so.

use custos_model::Sort;

use super::draft::Draft;
use super::message::{self, Sentence};
use super::remedies::{self, Course};
use super::story::Story;
use super::wording::{TITLE, cut, headline};
use crate::Found;

/// Tells what had to be put right around the code.
pub(crate) fn found(story: &Story<'_>) -> Option<Found> {
    remedies::courses(story).iter().find_map(|course| told(story, course))
}

/// Tells what helped beside other work of the turn, only where it is certain. A package that was added because something failed without it
/// is told by that, and is no work of its own.
pub(crate) fn beside(story: &Story<'_>, work: &mut Option<Found>) -> Option<Found> {
    let done = work.as_ref()?;
    let courses = remedies::courses(story);
    let helped =
        courses.iter().filter(|course| course.helped.is_some()).find_map(|course| told(story, course))?;
    let is_that = done.observation.sort == Sort::Change
        && done.observation.files_modified.is_empty()
        && done.steps.iter().all(|step| helped.steps.contains(step));
    if is_that {
        *work = None;
    }
    Some(helped)
}

fn told(story: &Story<'_>, course: &Course<'_>) -> Option<Found> {
    let Course { failed, failure, passed, deeds, helped } = course;
    let labels: Vec<&str> = deeds.iter().map(|deed| deed.run.label.as_str()).collect();
    let known = format!(
        "{} {} {} {}",
        failure.message,
        failed.run.label,
        labels.join(" "),
        helped.as_deref().unwrap_or_default()
    );
    let is_about = |sentence: &&Sentence| {
        !sentence.is_ahead
            && sentence.weight >= 2
            && super::names::names(&sentence.text)
                .iter()
                .flat_map(|name| name.split(|c: char| !(c.is_alphanumeric() || c == '_')))
                .any(|word| word.len() > 3 && known.contains(word))
    };
    let said: Vec<Sentence> = story.sentences.iter().filter(is_about).cloned().collect();
    let best = message::best(&said, 2, 3, 420);
    let title = match (best.first(), helped) {
        (Some(sentence), _) => headline(&super::changes::without_paths(&sentence.text), TITLE),
        (None, Some(helped)) => remedies::title(&failure.message, helped, TITLE),
        (None, None) => return None,
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
    if let Some(helped) = helped.as_ref().filter(|helped| !title.contains(helped.as_str())) {
        draft = draft.fact(&format!("Helped: `{helped}`"));
    }
    let steps = deeds.iter().map(|deed| deed.step);
    Some(draft.steps([failed.step, passed.step].into_iter().chain(steps)).found())
}
