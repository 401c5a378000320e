//! What a statement is about, and what it replaces: “use X instead of Y”.

use super::prose::{Sentence, at, opens_clause};
use super::tongues::Tongue;
use super::{Stance, prose};

/// The longest subject, in words; a longer one is no name but a sentence.
const WORDS: usize = 5;
/// The same for texts without spaces, in characters.
const LETTERS: usize = 48;

/// Where a subject ends, in any tongue.
const ENDS: [&str; 11] = [",", ".", ";", ":", "(", ")", " - ", "—", "!", "。", "、"];

/// Finds the subject and what it replaces, where that is plain.
pub(super) fn found(sentence: &Sentence<'_>, stance: Stance, tongue: &Tongue) -> (Option<String>, Option<String>) {
    if stance == Stance::Never {
        return (None, None);
    }
    let (plain, words) = (sentence.plain.as_str(), sentence.words.as_str());
    // The text as it was typed has the same places, unless an apostrophe was made plain.
    let typed = if sentence.typed.len() == plain.len() { sentence.typed } else { plain };
    // “Y ではなく X を使って”: what is replaced comes first.
    for word in tongue.swapped {
        let Some(place) = at(words, word, tongue) else { continue };
        let old = last_piece(&typed[..place], &words[..place], tongue);
        let behind = place + word.len();
        let new = new_in(typed, words, behind, tongue);
        if new.is_some() || old.is_some() {
            return (new, old);
        }
    }
    let cut = tongue
        .instead_of
        .iter()
        .chain(tongue.not)
        .filter_map(|word| at(words, word, tongue).map(|place| (place, place + word.len())))
        .min();
    let Some((place, behind)) = cut else {
        return (new_in(typed, words, 0, tongue), None);
    };
    // “instead of Y use X” has what is replaced in front; “use X instead of Y” behind.
    let verb = tongue.uses.iter().filter_map(|word| at(words, word, tongue)).min();
    match verb {
        Some(verb) if verb > behind => {
            let between = &words[behind..verb];
            let old = piece(&typed[behind..verb], between, tongue);
            (new_in(typed, words, behind, tongue), old)
        }
        _ => {
            let new = new_in(&typed[..place], &words[..place], 0, tongue);
            (new, piece(&typed[behind..], &words[behind..], tongue))
        }
    }
}

/// What stands behind the first verb of an instruction.
fn new_in(typed: &str, words: &str, from: usize, tongue: &Tongue) -> Option<String> {
    let text = &words[from..];
    if tongue.is_verb_last {
        // The verb comes behind its object, with a particle between them.
        let place = tongue.uses.iter().filter_map(|word| text.find(word)).filter(|place| *place > 0).min()?;
        return last_piece(&typed[from..from + place], &text[..place], tongue);
    }
    let verbs = tongue.uses.iter().chain(tongue.prefers).chain(tongue.agreed);
    let behind = verbs
        .filter(|word| opens_clause(text, word, tongue))
        .filter_map(|word| at(text, word, tongue).map(|place| (place, place + word.len())))
        // “let's use X” has two verbs that begin at about the same place: the later end leads closer to the name.
        .max_by_key(|(place, end)| (usize::MAX - place.min(&40), *end))
        .map(|(_, end)| end);
    let behind = match behind {
        Some(end) => end,
        None => tongue.uses.iter().filter_map(|word| at(text, word, tongue).map(|place| place + word.len())).min()?,
    };
    let again = prose::start(&text[behind..]);
    let skipped = text.len() - again.len();
    let verb = tongue.uses.iter().find(|word| prose::begins(again, word, tongue));
    let behind = verb.map_or(behind, |word| skipped + word.len());
    piece(&typed[from + behind..], &text[behind..], tongue)
}

/// The name at the start of a text, up to where something else begins.
fn piece(typed: &str, words: &str, tongue: &Tongue) -> Option<String> {
    let mut end = words.len();
    for mark in ENDS {
        let mut from = 0;
        while let Some(found) = words.get(from..).and_then(|rest| rest.find(mark)) {
            let place = from + found;
            let is_inside = matches!(mark, "." | ":") && words[place + 1..].starts_with(|c: char| !c.is_whitespace());
            if !is_inside {
                end = end.min(place);
                break;
            }
            from = place + mark.len();
        }
    }
    for stop in tongue.stops {
        // A name has at least one letter before something else begins.
        let from = words.len() - words.trim_start().len();
        if let Some(place) = words.get(from + 1..).and_then(|rest| at(rest, stop, tongue)).map(|place| from + 1 + place) {
            end = end.min(place);
        }
    }
    name(&typed[..end], tongue)
}

/// The name at the end of a text.
fn last_piece(typed: &str, words: &str, tongue: &Tongue) -> Option<String> {
    let start = ENDS.iter().filter_map(|mark| words.trim_end().rfind(mark).map(|place| place + mark.len())).max().unwrap_or(0);
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
    let quotes = |c: char| c.is_whitespace() || matches!(c, '"' | '“' | '”' | '„' | '`' | '«' | '»' | '「' | '」' | '『' | '』' | '\'' | ',' | '.' | '!');
    let mut text = text.trim_matches(quotes);
    loop {
        let lower: String = text.chars().take(12).collect::<String>().to_lowercase();
        let Some(article) = tongue.articles.iter().find(|article| lower.starts_with(**article) && text.is_char_boundary(article.len())) else { break };
        text = text[article.len()..].trim_start_matches(quotes);
    }
    for particle in tongue.particles {
        text = text.strip_suffix(particle).map_or(text, |rest| rest.trim_end_matches(quotes));
    }
    let is_short = text.split_whitespace().count() <= WORDS && text.chars().count() <= LETTERS;
    let is_name = text.chars().any(char::is_alphanumeric);
    (is_short && is_name).then(|| text.to_owned())
}
