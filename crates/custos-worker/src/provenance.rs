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

/// An event and its words, in lower case and in order; each as its [`Mark`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    id: EventId,
    words: Vec<Mark>,
    /// The same, sorted and each once: most words that are looked for are not there.
    vocabulary: Vec<Mark>,
}

/// What stands for a word: a hash of its letters. Two words with the same one would at worst name a source too many.
type Mark = u64;

impl Told {
    fn new(id: EventId, words: Vec<Mark>) -> Self {
        let mut vocabulary = words.clone();
        vocabulary.sort_unstable();
        vocabulary.dedup();
        Self { id, words, vocabulary }
    }

    fn holds(&self, run: &[Mark]) -> bool {
        run.iter().all(|word| self.vocabulary.binary_search(word).is_ok())
            && self.words.windows(run.len()).any(|words| words == run)
    }
}

/// Lists what the events of a turn tell; `ends` are those whose words are the turn's as a whole.
pub(crate) fn told(turn: &Turn, ends: &[EventId]) -> Vec<Told> {
    let said = turn.said.iter().map(|said| Told::new(said.id, words(&said.text)));
    let is_prompt = |id: &EventId| turn.said.iter().any(|said| said.id == *id);
    let message = words(turn.message.as_deref().unwrap_or_default());
    let ends = ends.iter().filter(|id| !is_prompt(id)).map(|id| Told::new(*id, message.clone()));
    let steps = turn.steps.iter().map(|step| Told::new(step.id, words_of(step)));
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
        clues.retain(|clue| !told.holds(clue));
    }
    let others = known.filter(|told| !sources.contains(&told.id));
    let repeated = others.filter(|told| clues.iter().any(|clue| told.holds(clue)));
    let mut all = sources.to_vec();
    for told in repeated {
        if !all.contains(&told.id) {
            all.push(told.id);
        }
    }
    all
}

/// Collects what would show where the texts of a value come from.
fn clues_in(value: &Value, clues: &mut BTreeSet<Vec<Mark>>) {
    match value {
        Value::String(text) => {
            clues.extend(words(text).windows(RUN).map(<[Mark]>::to_vec));
            clues.extend(text.split_whitespace().filter_map(name));
        }
        Value::Array(values) => values.iter().for_each(|value| clues_in(value, clues)),
        Value::Object(fields) => fields.values().for_each(|value| clues_in(value, clues)),
        _ => {}
    }
}

/// Takes a name of a file, a function, a version: what is no word of a language.
fn name(word: &str) -> Option<Vec<Mark>> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let is_odd = |c: char| !c.is_alphabetic() && !matches!(c, '\'' | '’' | '-') || c.is_uppercase();
    (word.chars().count() >= NAME && word.chars().skip(1).any(is_odd)).then(|| words(word))
}

fn words_of(step: &Step) -> Vec<Mark> {
    let mut texts: Vec<&str> = vec![&step.output];
    match &step.what {
        What::Ran(text) | What::Delegated(text) | What::Other(text) => texts.push(text),
        What::Edited(edits) => {
            texts.extend(edits.iter().flat_map(|edit| [&*edit.path, &*edit.before, &*edit.after]));
        }
        What::Read => {}
    }
    texts.extend(step.files_read.iter().chain(&step.files_changed).map(String::as_str));
    texts.into_iter().flat_map(words).collect()
}

fn words(text: &str) -> Vec<Mark> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(mark).collect()
}

/// Hashes a word as if it were written in lower case (FNV-1a).
fn mark(word: &str) -> Mark {
    let begin: Mark = 0xcbf2_9ce4_8422_2325;
    let add =
        |mark: Mark, letter: char| (mark ^ Mark::from(u32::from(letter))).wrapping_mul(0x0100_0000_01b3);
    if word.is_ascii() {
        return word.bytes().map(|byte| char::from(byte.to_ascii_lowercase())).fold(begin, add);
    }
    word.chars().flat_map(char::to_lowercase).fold(begin, add)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(number: u8, text: &str) -> Told {
        Told::new(EventId::from_bytes([number; 16]), words(text))
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
