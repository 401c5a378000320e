//! What a statement is about, and what it replaces: “use X instead of Y”.

use super::prose::{Sentence, at, at_from, opens_clause};
use super::tongues::Tongue;
use super::{Stance, prose};

/// The longest subject, in words; a longer one is no name but a sentence.
const WORDS: usize = 5;
/// The same for texts without spaces, in characters.
const LETTERS: usize = 48;

/// Where a subject ends, in any tongue.
const ENDS: [&str; 11] = [",", ".", ";", ":", "(", ")", " - ", "—", "!", "。", "、"];

/// Words that stand for a name that was said before.
const PRONOUNS: [&str; 24] = [
    "this", "that", "it", "them", "these", "those", "das", "es", "dies", "diese", "ça", "cela", "esto",
    "eso", "isso", "isto", "questo", "quello", "dit", "dat", "это", "这个", "これ", "이거",
];

/// Words with which a clause begins, and no name.
const CLAUSES: [&str; 16] = [
    "that",
    "what",
    "how",
    "when",
    "where",
    "whether",
    "dass",
    "was",
    "wie",
    "que",
    "che",
    "dat",
    "что",
    "чтобы",
    "ce que",
    "como",
];

/// Finds the subject and what it replaces, in the tongue in which both are plain, or the first.
pub(super) fn found(
    sentence: &Sentence<'_>,
    stance: Stance,
    tongues: &[&Tongue],
) -> (Option<String>, Option<String>) {
    if stance == Stance::Never {
        return (None, None);
    }
    let mut first = None;
    for tongue in tongues {
        let found = found_in(sentence, stance, tongue);
        if found.1.is_some() {
            return found;
        }
        first.get_or_insert(found);
    }
    first.unwrap_or_default()
}

fn found_in(sentence: &Sentence<'_>, stance: Stance, tongue: &Tongue) -> (Option<String>, Option<String>) {
    let (plain, words) = (sentence.plain.as_str(), sentence.words.as_str());
    // The text as it was typed has the same places, unless an apostrophe was made plain.
    let typed = if sentence.typed.len() == plain.len() { sentence.typed } else { plain };
    // “Y ではなく X を使って”: what is replaced comes first.
    for word in tongue.swapped {
        let Some(place) = at(words, word, tongue) else { continue };
        let old = last_piece(&typed[..place], &words[..place], tongue);
        let behind = place + word.len();
        let new = new_in(typed, words, behind, tongue);
        let new = if tongue.is_verb_last {
            new
        } else {
            new.or_else(|| piece(&typed[behind..], &words[behind..], tongue))
        };
        if new.is_some() || old.is_some() {
            return (new, old);
        }
    }
    let than = if stance == Stance::Preference { tongue.than } else { &[] };
    let replaced = tongue
        .instead_of
        .iter()
        .chain(than)
        .filter_map(|word| at(words, word, tongue).map(|place| (place, place + word.len())));
    let denied = tongue
        .not
        .iter()
        .filter_map(|word| prose::contrast(words, word, tongue).map(|place| (place, place + word.len())));
    let cut = replaced.chain(denied).min();
    let Some((place, behind)) = cut else {
        return (new_in(typed, words, 0, tongue), None);
    };
    // “instead of Y use X” has what is replaced in front; “use X instead of Y” behind.
    let verb = tongue.uses.iter().filter_map(|word| at(words, word, tongue)).min();
    match verb {
        Some(verb) if verb > behind => {
            let old = piece(&typed[behind..verb], &words[behind..verb], tongue);
            (new_in(typed, words, behind, tongue), old)
        }
        _ => {
            let new = new_in(&typed[..place], &words[..place], 0, tongue);
            (new, piece(&typed[behind..], &words[behind..], tongue))
        }
    }
}

/// What stands behind the verb of an instruction, or behind the words of a decision.
fn new_in(typed: &str, words: &str, from: usize, tongue: &Tongue) -> Option<String> {
    let text = &words[from..];
    if tongue.is_verb_last {
        // The verb comes behind its object, with a particle between them.
        let place = tongue.uses.iter().filter_map(|word| text.find(word)).filter(|place| *place > 0).min()?;
        return last_piece(&typed[from..from + place], &text[..place], tongue);
    }
    let opening = |list: &[&str]| {
        list.iter()
            .filter(|word| opens_clause(text, word, tongue))
            .filter_map(|word| at(text, word, tongue).map(|place| place + word.len()))
            .max()
    };
    let by_verb = opening(tongue.uses);
    let by_words = opening(tongue.prefers).max(opening(tongue.agreed));
    let anywhere =
        || tongue.uses.iter().filter_map(|word| at(text, word, tongue).map(|place| place + word.len())).min();
    let mut behind = by_verb.max(by_words).or_else(anywhere)?;
    // “we agreed to keep X”: what follows may be led in, and be an instruction itself.
    let lead = lead(&text[behind..], tongue);
    let verb = tongue
        .uses
        .iter()
        .filter(|word| prose::begins(&text[behind + lead..], word, tongue))
        .max_by_key(|word| word.len());
    let mut is_plain = by_verb == Some(behind) || verb.is_some();
    if let Some(verb) = verb {
        behind += lead + verb.len();
    } else if by_verb.is_none() && by_words.is_none() {
        is_plain = true;
    }
    let name = piece(&typed[from + behind..], &text[behind..], tongue)?;
    // Without a verb only something short is a name.
    (is_plain || name.split_whitespace().count() <= 3).then_some(name)
}

/// The length of what leads in: white space, punctuation, articles, “to”.
fn lead(text: &str, tongue: &Tongue) -> usize {
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let bare =
            tongue.articles.iter().find_map(|article| trimmed.strip_prefix(article)).unwrap_or(trimmed);
        if bare.len() == rest.len() {
            return text.len() - rest.len();
        }
        rest = bare;
    }
}

/// The name at the start of a text, up to where something else begins.
fn piece(typed: &str, words: &str, tongue: &Tongue) -> Option<String> {
    let lead = words.len()
        - words.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '-' | '—')).len();
    let (typed, words) = (&typed[lead..], &words[lead..]);
    let mut end = words.len();
    for mark in ENDS {
        let mut from = 0;
        while let Some(found) = words.get(from..).and_then(|rest| rest.find(mark)) {
            let place = from + found;
            let is_inside =
                matches!(mark, "." | ":") && words[place + 1..].starts_with(|c: char| !c.is_whitespace());
            if !is_inside {
                end = end.min(place);
                break;
            }
            from = place + mark.len();
        }
    }
    for stop in tongue.stops {
        // A name has at least one letter before something else begins.
        let first = words.chars().next().map_or(0, char::len_utf8);
        if let Some(place) = at_from(words, first, stop, tongue) {
            end = end.min(place);
        }
    }
    name(&typed[..end], tongue)
}

/// The name at the end of a text.
fn last_piece(typed: &str, words: &str, tongue: &Tongue) -> Option<String> {
    let start = ENDS
        .iter()
        .chain(tongue.stops)
        .filter_map(|mark| words.trim_end().rfind(mark).map(|place| place + mark.len()))
        .max()
        .unwrap_or(0);
    let mut text = typed[start..].trim();
    for no in tongue.no.iter().chain(tongue.from_now).chain(tongue.always) {
        text = text.strip_prefix(no).map_or(text, str::trim);
    }
    for particle in tongue.particles {
        text = text.strip_suffix(particle).map_or(text, str::trim);
    }
    name(text, tongue)
}

fn name(text: &str, tongue: &Tongue) -> Option<String> {
    let quotes = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '"' | '“'
                    | '”'
                    | '„'
                    | '`'
                    | '«'
                    | '»'
                    | '「'
                    | '」'
                    | '『'
                    | '』'
                    | '\''
                    | ','
                    | '.'
                    | '!'
            )
    };
    let mut text = text.trim_matches(quotes);
    loop {
        let lower: String = text.chars().take(12).collect::<String>().to_lowercase();
        let Some(article) = tongue
            .articles
            .iter()
            .find(|article| lower.starts_with(**article) && text.is_char_boundary(article.len()))
        else {
            break;
        };
        text = text[article.len()..].trim_start_matches(quotes);
    }
    for particle in tongue.particles {
        text = text.strip_suffix(particle).map_or(text, |rest| rest.trim_end_matches(quotes));
    }
    let is_short = text.split_whitespace().count() <= WORDS && text.chars().count() <= LETTERS;
    let lower = text.to_lowercase();
    let is_clause =
        CLAUSES.iter().any(|word| lower.strip_prefix(word).is_some_and(|rest| rest.starts_with(' ')));
    let is_name =
        text.chars().any(char::is_alphanumeric) && !PRONOUNS.contains(&lower.as_str()) && !is_clause;
    (is_short && is_name).then(|| text.to_owned())
}
