//! What tells nobody anything, wherever it stands: questions that somebody answers, what was done once, and what is still to be done.

use super::judging::{spaced, tells, words};
use super::spans::{code_spans, is_within};
use super::words::{
    ANSWERS, CLAUSES, DETERMINERS, DUTIES, FORMERLY, NEEDING, NOTES, STRONG, SUBJECTS, VERBS,
};

/// Within how many words somebody is said to have done something: "The team in Bonn used to …".
const WITHIN: usize = 6;

/// Words behind which "used to" says what something is for.
const USING: &[&str] =
    &["is", "are", "be", "been", "being", "was", "were", "get", "gets", "that", "which", "what"];

/// Says whether a text only states or asks something. What it says behind that may be a rule: "Unsure? Ask first."
pub(super) fn is_statement(said: &str) -> bool {
    if is_note(said) {
        return true;
    }
    let mut rest = said;
    while let Some((first, behind)) = first_sentence(rest) {
        let is_asked = first.ends_with(['?', '？']);
        if !is_asked && !is_past(first) {
            break;
        }
        // The answer means nothing without the question.
        let next = behind.to_lowercase();
        if is_asked && words(&next).next().is_some_and(|word| ANSWERS.contains(&word)) {
            return true;
        }
        rest = behind;
    }
    rest.len() < said.len() && !binds(rest)
}

/// Says whether a text is marked as a note: "TODO: …", "Must-have: …".
fn is_note(said: &str) -> bool {
    let end = [":", "：", " – ", " — ", " - "].iter().filter_map(|mark| said.find(mark)).min();
    let label = said[..end.unwrap_or(0)].split('(').next().unwrap_or_default();
    NOTES.contains(&spaced(&label.to_lowercase()).trim())
}

fn binds(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    let said = spaced(&lower);
    let first = first_sentence(&lower).map_or("", |(first, _)| first);
    tells(first, VERBS) || STRONG.iter().any(|word| said.contains(&format!(" {word} ")))
}

/// Says whether a sentence tells what was done once.
fn is_past(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let said: Vec<&str> = words(&lower).take(WITHIN).collect();
    let Some(first) = said.first() else { return false };
    let somebody = SUBJECTS.contains(first) || DETERMINERS.contains(first);
    let used =
        |at: usize| said[at] == "used" && said.get(at + 1) == Some(&"to") && !USING.contains(&said[at - 1]);
    let tells = somebody && (1..said.len()).any(used);
    let demands = || DUTIES.iter().any(|duty| spaced(&lower).contains(&format!(" {duty} ")));
    (FORMERLY.contains(first) && !demands())
        || (tells && !(DETERMINERS.contains(first) && is_said_of_what_is_used(&lower)))
}

/// Says whether "used to" only tells which one is meant: "Every key used to sign releases must …". What somebody used to need, or always did,
/// is still a story.
fn is_said_of_what_is_used(lower: &str) -> bool {
    let said = spaced(lower);
    let Some((_, behind)) = said.split_once(" used to ") else { return false };
    let same = behind.split_whitespace().skip(1).take_while(|word| !CLAUSES.contains(word));
    let same = format!(" {} ", same.collect::<Vec<_>>().join(" "));
    [STRONG, DUTIES, NEEDING].concat().iter().any(|phrase| same.contains(&format!(" {phrase} ")))
}

/// Gives the first sentence of a text, with what ends it, and what is behind it. In code there is no end.
fn first_sentence(text: &str) -> Option<(&str, &str)> {
    let code = code_spans(text);
    let ends = |at: usize, mark: &str| {
        let rest = &text[at + mark.len()..];
        (rest.is_empty() || rest.starts_with(char::is_whitespace) || !mark.is_ascii())
            && !is_within(&code, at)
    };
    let end = text.match_indices(['.', ';', '!', '?', '。', '？', '\n']).find(|(at, mark)| ends(*at, mark));
    let end = end.map_or(text.len(), |(at, mark)| at + mark.len());
    (end > 0).then(|| (text[..end].trim_end(), text[end..].trim_start()))
}
