//! How a text says itself what is meant: "Never push", "Stop and ask", "Every change must be reviewed".
//!
//! People write such sentences also below a heading that forbids: what to do in place of it, and whom to ask. A prohibition before one of
//! them would turn it round, so it keeps its own words. Where the words may mean either ("If the build fails, skip the tests" below
//! "Never"), nobody is told anything. So it is in a list with "Ask before every small step" and "Always run everything": these may be habits
//! that are to stop. An order without such words, as "push to main", says nothing about itself, and neither does what is only quoted:
//! `"Please note that"` below "Avoid phrases like".

mod words;

use self::words::{
    ALLOWING, ASKING, COMPARING, CONDITIONS, DEMANDING, DEMANDING_WITHOUT_BLANKS, EXPLAINING, FIRST,
    LIMITING, PARTING, REFERRING, REPLACING, RESTRAINING, STOPPING, URGING, URGING_WITHOUT_BLANKS,
};
use super::super::LONGEST_RULE;
use super::super::judging::{is_order, spaced, tells, words};
use super::super::spans::{without_marks, without_quoted};
use super::super::words::{CLAUSES, DUTIES, FILLERS, NOUNS, OPENERS, VERBS};
use super::words::{FORBIDDING, FORBIDDING_WITHOUT_BLANKS, JOINERS, MODALS, NEGATING, STATING};
use super::{MOST_OF_BOLD, lowered, unmarked};

/// Within how many words somebody is told that something must not be: "Agents of any kind must not …".
const WITHIN: usize = 6;
/// The same where the first word may be a verb: "Log lines must …" begins with a noun, "log what users must …" does not.
const WITHIN_DOUBT: usize = 3;

/// How a text says itself that something is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Denial {
    /// It must not be.
    Order,
    /// It must not be, or is not: "No tests", "Code is not tested".
    Lack,
}

/// How a text says itself that something is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Demand {
    /// It is to be.
    Order,
    /// It is to be, but in a list of what is forbidden it may be the habit that is: "Ask before every step", "Always run everything".
    Habit,
    /// It is to be, or is just what is forbidden: nobody can tell.
    Doubt,
}

/// Says whether a text needs nothing around it to tell how it is meant.
pub(in super::super) fn speaks_for_itself(text: &str) -> bool {
    let (mark, rest) = unmarked(text);
    mark.is_some() || denial(rest) == Some(Denial::Order) || demand(rest) == Some(Demand::Order)
}

/// Says whether a text may be the habit that is forbidden by what stands above it, or what to do instead.
pub(in super::super) fn may_be_habit(text: &str) -> bool {
    denial(text).is_none() && demand(text) == Some(Demand::Habit)
}

/// Says whether a text demands something in some way, and neither a mark nor its own words forbid it.
pub(in super::super) fn demands(text: &str) -> bool {
    let (mark, rest) = unmarked(text);
    mark.is_none() && denial(rest).is_none() && demand(rest).is_some()
}

/// Says how a text denies something: at its beginning, for "commit what does not compile" denies nothing, or behind the topic or the
/// condition that it begins with: "Git: never push".
pub(super) fn denial(text: &str) -> Option<Denial> {
    let lower = own_words(text);
    begun_denial(&lower).or_else(|| match behind_topic(&lower).or_else(|| behind_condition(&lower)) {
        Some(said) => begun_denial(said).or_else(|| told_denial(said)),
        None => told_denial(&lower),
    })
}

/// Says how a text demands something.
pub(super) fn demand(text: &str) -> Option<Demand> {
    if text.len() > LONGEST_RULE {
        return None;
    }
    let lower = own_words(text);
    // What comes later explains: "push to main. If you must, ask first."
    let ends = [". ", "; ", "! ", "\n", "。"].iter().filter_map(|end| lower.find(end));
    let lower = &lower[..ends.min().unwrap_or(lower.len())];
    match demanded_in(lower) {
        Some(Demand::Order) => apart_from_aside(lower),
        None if replaces(&spaced(lower)) && may_be_right(&spaced(lower)) => Some(Demand::Doubt),
        found => found,
    }
}

/// Says whether words that are each followed by a blank name what is to be done in place of something else.
fn replaces(said: &str) -> bool {
    REPLACING.iter().any(|phrase| said.contains(&format!(" {phrase} ")))
}

/// Says whether a sentence begins so that what it says to do in place of something goes with it: "Keep secrets out (use the vault instead)".
fn may_be_right(said: &str) -> bool {
    without_fillers(said).next().is_some_and(|first| RESTRAINING.contains(&first) || OPENERS.contains(&first))
}

/// Says how the first sentence of a text, in small letters, demands something.
fn demanded_in(lower: &str) -> Option<Demand> {
    let said = behind_topic(lower).unwrap_or(lower);
    let main = behind_condition(said);
    let found = demanded(main.unwrap_or(said));
    let spoken = spaced(said);
    if is_condition(said) && STOPPING.iter().any(|phrase| spoken.contains(&format!(" {phrase} "))) {
        return Some(Demand::Order);
    }
    // What is to be done in some case may be right there, or be what is forbidden.
    let is_conditional = is_condition(said) && (main.is_some() || tells(said, VERBS));
    found.or(is_conditional.then_some(Demand::Doubt))
}

/// Says how something is meant that demands something, if what it says aside is about something else: "push to main (open a PR instead)" names
/// what to do in its place, and so is an order that says nothing about itself.
fn apart_from_aside(lower: &str) -> Option<Demand> {
    let Some((said, aside)) = aside(lower) else { return Some(Demand::Order) };
    if let Some(own) = demanded_in(&said) {
        return Some(own);
    }
    let aside = spaced(aside);
    // "Use Tailwind (use it instead)" says to do so.
    let is_about_it = REFERRING.iter().any(|word| aside.contains(&format!(" {word} ")));
    if replaces(&aside) && !is_about_it && !may_be_right(&spaced(&said)) { None } else { Some(Demand::Doubt) }
}

/// Takes apart what a sentence says aside: in brackets, behind a dash, or where it begins anew behind a comma or a colon.
fn aside(lower: &str) -> Option<(String, &str)> {
    if let Some((before, rest)) = lower.split_once(" (") {
        let (aside, behind) = rest.split_once(')').unwrap_or((rest, ""));
        return Some((format!("{before}{behind}"), aside));
    }
    let dashes =
        [" - ", " -- ", " – ", " — "].iter().filter_map(|dash| lower.find(dash).map(|at| (at, dash.len())));
    let begins_anew = |(at, mark): &(usize, &str)| {
        let rest = &lower[at + mark.len()..];
        match *mark {
            ", " => is_order(&lower[..*at], VERBS) && is_order(rest, VERBS) && !is_condition(lower),
            _ => words(rest).next().is_some_and(|first| EXPLAINING.contains(&first)),
        }
    };
    let others = [", ", ": "].into_iter().flat_map(|mark| lower.match_indices(mark));
    let others = others.filter(begins_anew).map(|(at, mark)| (at, mark.len()));
    let (at, length) = dashes.chain(others).min()?;
    let (before, rest) = lower.split_at(at);
    words(before).next().map(|_| (before.to_owned(), &rest[length..]))
}

/// Gives what the writer of a text says, in small letters, without what is only quoted.
fn own_words(text: &str) -> String {
    let plain = without_marks(text);
    // What is longer is no rule, whatever it says.
    lowered(&if plain.len() > LONGEST_RULE { plain } else { without_quoted(&plain) })
}

/// Says how a sentence in small letters demands something.
fn demanded(lower: &str) -> Option<Demand> {
    let said = spaced(lower);
    let has = |list: &[&str]| list.iter().any(|phrase| said.contains(&format!(" {phrase} ")));
    let sentence = without_fillers(&said).collect::<Vec<_>>().join(" ") + " ";
    let first = sentence.split(' ').next().unwrap_or_default();
    if begins(&sentence, STOPPING) {
        return Some(Demand::Order);
    }
    if begins(&sentence, ASKING) && has(FIRST) {
        return Some(Demand::Habit);
    }
    let bare = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    if DEMANDING_WITHOUT_BLANKS.iter().any(|word| bare.starts_with(word)) {
        return Some(Demand::Order);
    }
    if URGING_WITHOUT_BLANKS.iter().any(|word| bare.starts_with(word)) {
        return Some(Demand::Habit);
    }
    // What somebody is always doing, nobody is told to do.
    let mut fillers = said.split_whitespace().take_while(|word| FILLERS.contains(word));
    let is_urging = fillers.any(|word| URGING.contains(&word)) || begins(&sentence, URGING);
    if !is_gerund(first) && (is_urging || begins(&sentence, DEMANDING)) {
        return Some(if is_urging { Demand::Habit } else { Demand::Order });
    }
    if begins(&sentence, LIMITING) {
        let next = sentence.split(' ').nth(1).unwrap_or_default();
        return (!is_gerund(next)).then_some(if is_verb(next) { Demand::Order } else { Demand::Doubt });
    }
    if is_order(lower, VERBS) {
        // "Do use the vault" stresses it, as nobody does with what is forbidden.
        let is_stressed =
            sentence.strip_prefix("do ").and_then(|rest| rest.split(' ').next()).is_some_and(is_verb);
        // "…, not even in tests" stresses what is said, and compares nothing.
        let is_opposed =
            lower.match_indices(", not ").any(|(at, not)| !lower[at + not.len()..].starts_with("even "));
        let is_doubtful = has(COMPARING) || has(LIMITING) || is_opposed;
        if is_doubtful || is_stressed || has(REPLACING) {
            return Some(if is_doubtful { Demand::Doubt } else { Demand::Order });
        }
    }
    let subject = subject(&said)?;
    // "Merge requests to main must be reviewed" may begin with a verb.
    let farther = up_to_clause(&said, WITHIN).join(" ");
    let is_farther = DUTIES.iter().any(|phrase| format!(" {farther} ").contains(&format!(" {phrase} ")));
    let told = format!(" {} ", subject.join(" "));
    let tells = |list: &[&str]| list.iter().any(|phrase| told.contains(&format!(" {phrase} ")));
    if is_gerund(first) || PARTING.contains(&first) {
        None
    } else if tells(DUTIES) {
        Some(Demand::Order)
    } else {
        (tells(ALLOWING) || is_farther).then_some(Demand::Doubt)
    }
}

/// Says how a text in small letters denies something with the words that it begins with.
fn begun_denial(lower: &str) -> Option<Denial> {
    let said = spaced(lower);
    let begun = without_fillers(&said).collect::<Vec<_>>().join(" ") + " ";
    if begins(&begun, FORBIDDING) || begun.starts_with("n'") {
        return Some(Denial::Order);
    }
    if begins(&begun, NEGATING) {
        return Some(Denial::Lack);
    }
    let bare = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    let ended = bare.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_order =
        FORBIDDING_WITHOUT_BLANKS.iter().any(|word| bare.starts_with(word) || ended.ends_with(word));
    is_order.then_some(Denial::Order)
}

/// Says how a text in small letters denies something of what it begins with: "Agents must not push".
fn told_denial(lower: &str) -> Option<Denial> {
    let said = spaced(lower);
    let subject = subject(&said)?;
    let denies = |list: &[&str]| {
        let mut pairs = subject.windows(2);
        pairs.any(|pair| list.contains(&pair[0]) && (pair[1] == "not" || FORBIDDING.contains(&pair[1])))
    };
    if denies(MODALS) || subject.iter().any(|word| ["cannot", "mustn't", "shouldn't"].contains(word)) {
        return Some(Denial::Order);
    }
    let is_noun = subject.first().is_some_and(|first| !is_verb(first));
    let states = denies(STATING) || subject.iter().any(|word| ["don't", "doesn't"].contains(word));
    (is_noun && states).then_some(Denial::Lack)
}

/// Gives what a sentence begins with, up to where another begins within it; nothing if it begins with a verb.
fn subject(said: &str) -> Option<Vec<&str>> {
    let within = match without_fillers(said).next()? {
        first if !is_verb(first) => WITHIN,
        first if NOUNS.contains(&first) => WITHIN_DOUBT,
        _ => return None,
    };
    Some(up_to_clause(said, within))
}

fn up_to_clause(said: &str, within: usize) -> Vec<&str> {
    let goes_on =
        |(at, word): &(usize, &str)| *at == 0 || !(CLAUSES.contains(word) || PARTING.contains(word));
    without_fillers(said).take(within).enumerate().take_while(goes_on).map(|(_, word)| word).collect()
}

fn is_verb(word: &str) -> bool {
    VERBS.binary_search(&word).is_ok()
}

/// Gives what is said behind a topic of a few words.
fn behind_topic(lower: &str) -> Option<&str> {
    let (topic, said) = lower.split_once(": ")?;
    (words(topic).count() <= MOST_OF_BOLD).then_some(said)
}

/// Gives what is said behind a condition: "If a test fails, …".
fn behind_condition(lower: &str) -> Option<&str> {
    let (_, said) = lower.split_once(',').filter(|_| is_condition(lower))?;
    let first = words(said).next()?;
    (!JOINERS.contains(&first)).then_some(said)
}

/// Says whether words in small letters name a condition before anything else: "Before a release".
pub(super) fn is_condition(lower: &str) -> bool {
    begins(spaced(lower).trim_start(), CONDITIONS)
}

/// Says whether words that are each followed by a blank begin with one of these.
pub(super) fn begins(said: &str, list: &[&str]) -> bool {
    list.iter().any(|phrase| said.strip_prefix(phrase).is_some_and(|rest| rest.starts_with(' ')))
}

/// Says whether words that are each followed by a blank ask somebody to stop and ask before anything else.
pub(super) fn asks_first(said: &str) -> bool {
    let has = |list: &[&str]| list.iter().any(|phrase| said.contains(&format!(" {phrase} ")));
    has(STOPPING) || (has(ASKING) && has(FIRST))
}

/// Says whether words that are each followed by a blank begin with one that limits what they say.
pub(super) fn limits(said: &str) -> bool {
    begins(said, LIMITING)
}

/// Says whether a word tells what somebody is doing: "mocking", but not "bring".
fn is_gerund(word: &str) -> bool {
    word.strip_suffix("ing").is_some_and(|stem| stem.contains(['a', 'e', 'i', 'o', 'u', 'y']))
}

fn without_fillers(said: &str) -> impl Iterator<Item = &str> {
    said.split_whitespace().skip_while(|word| FILLERS.contains(word))
}
