//! From which events the words of a result come.
//!
//! Whoever distils names the steps that bear a result out, but may also repeat what another step or an earlier turn held. What is forgotten
//! must be gone from all that was made of it; so what a result repeats is looked for: a name or a run of words that none of its sources
//! holds, and another event does, makes that event a source as well.

use std::collections::BTreeSet;

use custos_distill::Turn;
use custos_distill::turn::{Step, What};
use custos_model::EventId;
use serde::Serialize;
use serde_json::Value;

/// So many words in a row are no chance.
const RUN: usize = 3;

/// A name has so many letters at least.
const NAME: usize = 4;

/// An event and its words: in lower case, with one space around each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    id: EventId,
    words: String,
}

/// Lists what the events of a turn tell; `ends` are those whose words are the turn's as a whole.
pub(crate) fn told(turn: &Turn, ends: &[EventId]) -> Vec<Told> {
    let said = turn.said.iter().map(|said| Told { id: said.id, words: words(&said.text) });
    let is_prompt = |id: &EventId| turn.said.iter().any(|said| said.id == *id);
    let message = words(turn.message.as_deref().unwrap_or_default());
    let ends = ends.iter().filter(|id| !is_prompt(id)).map(|id| Told { id: *id, words: message.clone() });
    let steps = turn.steps.iter().map(|step| Told { id: step.id, words: words_of(step) });
    said.chain(ends).chain(steps).collect()
}

/// Adds to the sources of a result the events that it repeats.
pub(crate) fn traced<'t>(
    result: &impl Serialize,
    sources: &[EventId],
    known: impl Iterator<Item = &'t Told> + Clone,
) -> Vec<EventId> {
    let mut clues = BTreeSet::new();
    if let Ok(result) = serde_json::to_value(result) {
        clues_in(&result, &mut clues);
    }
    for told in known.clone().filter(|told| sources.contains(&told.id)) {
        clues.retain(|clue| !told.words.contains(clue.as_str()));
    }
    let others = known.filter(|told| !sources.contains(&told.id));
    let repeated = others.filter(|told| clues.iter().any(|clue| told.words.contains(clue.as_str())));
    let mut all = sources.to_vec();
    for told in repeated {
        if !all.contains(&told.id) {
            all.push(told.id);
        }
    }
    all
}

/// Collects what would show where the texts of a value come from.
fn clues_in(value: &Value, clues: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let words = words(text);
            let words: Vec<&str> = words.split_whitespace().collect();
            clues.extend(words.windows(RUN).map(|run| format!(" {} ", run.join(" "))));
            clues.extend(text.split_whitespace().filter_map(name));
        }
        Value::Array(values) => values.iter().for_each(|value| clues_in(value, clues)),
        Value::Object(fields) => fields.values().for_each(|value| clues_in(value, clues)),
        _ => {}
    }
}

/// Takes a name of a file, a function, a version: what is no word of a language.
fn name(word: &str) -> Option<String> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let is_odd = |c: char| !c.is_alphabetic() && !matches!(c, '\'' | '’' | '-') || c.is_uppercase();
    (word.chars().count() >= NAME && word.chars().skip(1).any(is_odd)).then(|| words(word))
}

fn words_of(step: &Step) -> String {
    let mut texts: Vec<&str> = vec![&step.output];
    match &step.what {
        What::Ran(text) | What::Delegated(text) | What::Other(text) => texts.push(text),
        What::Edited(edits) => {
            texts.extend(edits.iter().flat_map(|edit| [&*edit.path, &*edit.before, &*edit.after]));
        }
        What::Read => {}
    }
    texts.extend(step.files_read.iter().chain(&step.files_changed).map(String::as_str));
    words(&texts.join(" \n "))
}

fn words(text: &str) -> String {
    let mut words = String::with_capacity(text.len() + 2);
    words.push(' ');
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        words.extend(word.chars().flat_map(char::to_lowercase));
        words.push(' ');
    }
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(number: u8, text: &str) -> Told {
        Told { id: EventId::from_bytes([number; 16]), words: words(text) }
    }

    #[test]
    fn what_a_result_repeats_is_one_of_its_sources() {
        let known = [
            told(1, "Please look after the Hartmann account first."),
            told(2, "fn refresh() in tests/refresher.rs"),
            told(3, "all of it passes"),
            told(4, "edited src/clock.rs"),
        ];
        let ids = |of: &[usize]| of.iter().map(|at| known[*at].id).collect::<Vec<_>>();
        let traced = |result: Value| traced(&result, &ids(&[3]), known.iter());
        assert_eq!(traced(json!({"title": "The clock is right, in src/clock.rs"})), ids(&[3]));
        assert_eq!(traced(json!({"request": "look after the Hartmann account…"})), ids(&[3, 0]));
        assert_eq!(traced(json!({"files_read": ["src/clock.rs", "tests/refresher.rs"]})), ids(&[3, 1]));
        assert_eq!(traced(json!({"title": "It passes, all", "n": 3})), ids(&[3]));
    }
}
