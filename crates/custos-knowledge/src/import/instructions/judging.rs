//! Whether a piece of a text is a rule.

use super::LONGEST_RULE;
use super::against::{self, Barred};
use super::pieces::{Form, Piece};
use super::spans::{code_spans, is_within, without_marks, without_quoted};
use super::statements::is_statement;
use super::struck::is_struck;
use super::words::{
    CLAUSES, DETERMINERS, FILLERS, LABELS, LINKS, NEEDING, NOUNS, OPENERS, PHRASES, PLAIN, STRONG, SUBJECTS,
    VERBS, WEAK,
};
use crate::proposal::Wanted;
use crate::text;

/// The most words of a topic that a rule begins with, as in "Commit messages: keep them short".
pub(super) const MOST_OF_TOPIC: usize = 4;

/// Says what a piece would become, if it is a rule at all.
pub(super) fn wanted(piece: &Piece, barred: Option<&Barred>) -> Option<Wanted> {
    let plain = without_marks(&piece.text);
    let said = unlabelled(&plain);
    // In scripts without blanks two characters are about a word.
    let unspaced = said.chars().filter(|c| text::is_unspaced(*c)).count();
    let count = said.split_whitespace().count().max(unspaced / 2);
    let is_told = barred.is_some_and(|barred| barred.is_rule) && piece.form != Form::Heading;
    let fewest = match piece.form {
        _ if is_told => 1,
        Form::Heading => 3,
        _ => 2,
    };
    let before = piece.about.len() + barred.map_or(0, |barred| barred.words.len());
    let is_long = before + piece.text.len() > LONGEST_RULE;
    if count < fewest || is_long || piece.is_unclear || plain.trim_end().ends_with(['?', '？']) {
        return None;
    }
    // Nobody can see any more whom it forbids what, or somebody took it back.
    if barred.is_some_and(|barred| barred.is_unclear || barred.is_overlong())
        || is_struck(plain.trim_end_matches('.'))
    {
        return None;
    }
    // An item that leads to others is a heading if they are not with it.
    if plain.trim_end().ends_with([':', '：']) {
        return None;
    }
    if matches!(piece.form, Form::Paragraph | Form::Heading)
        && (against::is_nothing_else(&plain) || against::is_condition_alone(&piece.text))
    {
        return None;
    }
    if is_statement(said) {
        return None;
    }
    // Below a prohibition prose also says why, or what to do instead. Of that only an order is surely forbidden.
    let is_below =
        barred.is_some_and(|barred| !barred.words.is_empty() && !barred.is_rule && !barred.is_given);
    if piece.form == Form::Paragraph && is_below && !is_order(&said.to_lowercase(), VERBS) {
        return None;
    }
    // What a list holds may be two nouns: "Test data".
    let is_name = count == 2
        && !plain.ends_with(['.', '!'])
        && words(&said.to_lowercase()).next().is_some_and(|first| NOUNS.contains(&first));
    let lower = said.to_lowercase().replace('’', "'");
    let has = |words: &[&str]| words.iter().any(|word| spaced(&lower).contains(&format!(" {word} ")));
    // What somebody must not do, people asked for.
    let pattern = match barred {
        Some(Barred { is_given: false, .. }) => Wanted::Feedback,
        _ => Wanted::Pattern,
    };
    let (binds, tells) = match piece.form {
        // Most headings have such a word in them without being a rule.
        Form::Heading => (STRONG.iter().any(|word| is_more_than(&spaced(&lower), word)), false),
        // A table describes more often than it tells.
        Form::Row => {
            let first = lower.split(" – ").next().unwrap_or_default();
            (has(STRONG), first.split_whitespace().count() > 1 && tells(first, VERBS))
        }
        Form::Paragraph => {
            let tells = |first: &str| tells(first, VERBS) || needs(first);
            (has(STRONG) || has(WEAK), sentences(&lower).next().is_some_and(tells))
        }
        Form::Item => {
            let mut sentences = sentences(&lower);
            let first = sentences.next().is_some_and(|first| tells(first, VERBS) || needs(first));
            // What follows explains, and may begin with a noun: "Log files …".
            (has(STRONG) || has(WEAK), first || sentences.any(|later| tells(later, PLAIN)))
        }
    };
    let is_marked = said.len() < plain.len() && piece.form != Form::Heading;
    match (binds || is_marked || is_told, tells && !is_name) {
        (true, _) => Some(Wanted::Feedback),
        (false, true) => Some(pattern),
        // A list of directories is no rule below any heading.
        (false, false) if begins_with_path(&plain) => None,
        (false, false) if piece.is_ruled || (piece.form == Form::Item && is_other_script(&plain)) => {
            Some(pattern)
        }
        (false, false) => None,
    }
}

/// Takes apart what a paragraph says before the sentence that leads to what follows: "Never deploy on Fridays. Exceptions:".
pub(super) fn before_lead(piece: &Piece) -> Option<(Piece, Piece)> {
    let text = piece.text.trim_end();
    if piece.form != Form::Paragraph
        || !without_marks(text).ends_with([':', '：'])
        || text.len() > LONGEST_RULE
    {
        return None;
    }
    let code = code_spans(text);
    let ends = |(at, mark): &(usize, &str)| {
        let (before, behind) = text.split_at(at + mark.len());
        let is_apart = behind.trim_start_matches(['*', '_', ')', '"', '”']).starts_with(' ');
        (is_apart || *mark == "。") && !is_within(&code, *at) && !text::is_abbreviated(before, behind)
    };
    let (at, mark) = text.rmatch_indices(['.', '!', ';', '。']).find(ends)?;
    let closed = text[at + mark.len()..].find(' ').unwrap_or_default();
    let (said, leads) = text.split_at(at + mark.len() + closed);
    // Emphasis that encloses both.
    let is_open = without_quoted(said).matches("**").count() % 2 == 1;
    let emphasis = if is_open { "**" } else { "" };
    let of = |text: String| Piece { text, ..piece.clone() };
    Some((of(format!("{said}{emphasis}")), of(format!("{emphasis}{}", leads.trim_start()))))
}

/// Takes the word off a text that marks it as binding: "IMPORTANT: …", "**Warning** – …", "[!CAUTION] …".
pub(super) fn unlabelled(text: &str) -> &str {
    let begun = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = begun.find(|c: char| !c.is_alphabetic()).unwrap_or(begun.len());
    let (label, rest) = begun.split_at(end);
    let said = rest.trim_start_matches(|c: char| c.is_whitespace() || "*_:!–—-]：".contains(c));
    let mark = rest.trim_start_matches(['*', '_', ' ']);
    let has_gap = rest[..rest.len() - mark.len()].contains(' ');
    // A dash straight after a word makes another of it: "must-have".
    let is_apart = mark.starts_with([':', '：', '!', ']']) || (has_gap && mark.starts_with(['–', '—', '-']));
    let is_shouted = label.len() > 3 && label == label.to_uppercase() && !rest.starts_with('-');
    let is_label = LABELS.contains(&label.to_lowercase().as_str());
    if is_label && (is_apart || is_shouted) { said } else { text }
}

/// Gives the sentences of the first line: what stands below it are details.
fn sentences(lower: &str) -> impl Iterator<Item = &str> {
    lower.lines().next().unwrap_or_default().split_inclusive(['.', ';', '!']).map(str::trim)
}

/// Tells whether a sentence tells somebody to do something: "Use …", "Please use …", "If …, use …", "For … use …", "Commits: keep …".
/// The verbs are those that it may begin with.
pub(super) fn tells(sentence: &str, verbs: &[&str]) -> bool {
    if is_order(sentence, verbs) || topic(sentence).is_some_and(|said| is_order(said, verbs)) {
        return true;
    }
    let mut clauses = sentence.split(',');
    let first: Vec<&str> = words(clauses.next().unwrap_or_default()).collect();
    let Some((opener, said)) = first.split_first().filter(|(opener, _)| OPENERS.contains(opener)) else {
        return false;
    };
    let is_told = |at: usize| {
        PLAIN.contains(&said[at])
            && !SUBJECTS.contains(&said[at - 1])
            && !(PHRASES.contains(opener) && has_subject(&said[..at]))
    };
    clauses.any(|clause| is_order(clause, VERBS)) || (1..said.len()).any(is_told)
}

/// Tells whether a text only says in which case holds what stands below it: "When adding a route:".
pub(super) fn is_case(text: &str) -> bool {
    let begins = |lower: &str| words(lower).next().is_some_and(|first| OPENERS.contains(&first));
    if text.len() > LONGEST_RULE {
        return false;
    }
    let lower = text.to_lowercase();
    begins(&lower) && !tells(&lower, VERBS)
}

/// Tells whether somebody else is named behind the words that belong to an opener: "default the importer", but not "access to the store".
fn has_subject(said: &[&str]) -> bool {
    let phrase: Vec<&str> = said.iter().copied().take_while(|word| !CLAUSES.contains(word)).collect();
    let goes_on = |word: &str| LINKS.contains(&word) || DETERMINERS.contains(&word) || word.ends_with("ing");
    phrase.windows(2).any(|pair| DETERMINERS.contains(&pair[1]) && !goes_on(pair[0]))
}

/// Tells whether a text begins with a verb that orders something.
pub(super) fn is_order(text: &str, verbs: &[&str]) -> bool {
    let first = words(text).find(|word| !FILLERS.contains(word));
    first.is_some_and(|word| verbs.binary_search(&word).is_ok())
}

/// Tells whether a sentence says what all of a kind need: "All endpoints need authentication". What a program needs is only described.
fn needs(text: &str) -> bool {
    let mut each = words(text);
    let is_kind = each.next().is_some_and(|first| !SUBJECTS.contains(&first));
    is_kind && each.take_while(|word| !CLAUSES.contains(word)).any(|word| NEEDING.contains(&word))
}

/// Tells whether a heading says more than the word that it begins with: "Do not commit" waits for what stands below it.
fn is_more_than(heading: &str, word: &str) -> bool {
    let rest = heading.strip_prefix(&format!(" {word} "));
    rest.is_some_and(|rest| rest.split_whitespace().count() > 1)
}

/// Gives what is said of a topic. What is code or a path before the colon is explained, and nobody is told anything.
fn topic(sentence: &str) -> Option<&str> {
    let (topic, said) = [": ", " – ", " — ", " - "].iter().find_map(|mark| sentence.split_once(mark))?;
    let is_topic = words(topic).count() <= MOST_OF_TOPIC && !topic.contains(['`', '/', '.', '$']);
    is_topic.then_some(said)
}

pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty())
}

/// Puts a blank around every word. One that goes on behind a hyphen keeps it: "must-have" binds nobody.
pub(super) fn spaced(text: &str) -> String {
    let joined = text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '-');
    let words = joined.map(|word| word.trim_matches('-').replace('-', "- ")).filter(|word| !word.is_empty());
    format!(" {} ", words.collect::<Vec<_>>().join(" "))
}

/// Tells whether a text is for the most part in a script whose words are not known here.
fn is_other_script(plain: &str) -> bool {
    let letters = plain.chars().filter(|c| c.is_alphabetic());
    let (latin, other): (Vec<char>, Vec<char>) =
        letters.partition(|c| matches!(c, ..'\u{250}' | '\u{1e00}'..'\u{1f00}'));
    other.len() > latin.len()
}

fn begins_with_path(plain: &str) -> bool {
    plain.split_whitespace().next().is_some_and(|first| first.contains('/'))
}
