//! How a memory is told in one line.
//!
//! A hint is read in passing, and half of a fix is worse than none: `os.environ["DATABASE_URL"] →…` sends somebody looking for the rest. So
//! several ways to say it are tried, from the fullest to the shortest, and the first is taken that fits whole. What helped goes before
//! what was wrong where there is not room for both and the error is on the screen anyway. Where neither a fact nor the title tells what helped,
//! the narrative may; where that does not either, there is nothing to tell at an error.

use super::hint::{TEXT, Trigger, shortened};
use crate::fence;

/// How facts begin that do not say what helped.
const BESIDE: [&str; 3] = ["Error:", "Tests added", "Commits:"];

/// What stands between what was and what is.
const BECAME: &str = "` → `";

/// What a memory says.
#[derive(Debug, Clone, Default)]
pub(super) struct Said<'e> {
    pub(super) title: &'e str,
    pub(super) narrative: &'e str,
    pub(super) facts: Vec<&'e str>,
}

/// Tells a memory in one line of at most [`TEXT`] characters; nothing at an error where all that could be told is the error itself.
pub(super) fn told(said: &Said<'_>, files: &[String], trigger: Trigger) -> Option<String> {
    let Said { title, narrative, facts } = said;
    let title = fence::line(title);
    let file = match files {
        [file] => file.rsplit('/').next().map(fence::line),
        _ => None,
    };
    let fact = facts.iter().map(|fact| fence::line(fact)).find(|fact| is_news(fact, &title));
    let mut ways: Vec<String> = Vec::new();
    if let Some(fact) = &fact {
        // A file that the title names need not be named again.
        let named = fact.split_once(": ").filter(|(name, _)| title.contains(name));
        let bare = named.map_or(fact.as_str(), |(_, rest)| rest);
        let short = difference(bare);
        let place = file.as_deref().filter(|file| !bare.contains(*file));
        for fact in [Some(bare), short.as_deref()].into_iter().flatten() {
            ways.push(format!("{title}; {fact}"));
            if trigger == Trigger::Error {
                ways.push(place.map_or_else(|| fact.to_owned(), |file| format!("{file}: {fact}")));
            }
        }
    } else if trigger == Trigger::Error && title.starts_with("Fixed “") {
        return done(&fence::line(narrative));
    } else if let Some(file) = file.filter(|file| !title.contains(file.as_str())) {
        ways.push(format!("{title} ({file})"));
    }
    let whole = ways.into_iter().find(|way| fits(way));
    Some(whole.unwrap_or_else(|| shortened(&title, TEXT)))
}

fn fits(way: &str) -> bool {
    way.chars().count() <= TEXT
}

/// Takes from a narrative what was found and done: as many sentences as fit whole, from the first that is not about the failure.
fn done(narrative: &str) -> Option<String> {
    let is_failure = |sentence: &&str| sentence.starts_with('`') && sentence.contains("` failed");
    let is_cut = |sentence: &&str| sentence.ends_with('…');
    let told: Vec<&str> =
        sentences(narrative).into_iter().filter(|one| !is_failure(one) && !is_cut(one)).collect();
    let first = told.iter().position(|sentence| fits(sentence))?;
    let ways = (first + 1..=told.len()).rev().map(|end| told[first..end].join(" "));
    ways.into_iter().find(|way| fits(way))
}

/// Splits a line into its sentences; what stands in code is none.
fn sentences(line: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let (mut from, mut is_code) = (0, false);
    for (at, sign) in line.char_indices() {
        is_code ^= sign == '`';
        let rest = &line[at + sign.len_utf8()..];
        // Behind `e.g.` and the like it goes on in small letters.
        let is_end = matches!(sign, '.' | '!' | '?')
            && rest.strip_prefix(' ').is_some_and(|next| !next.starts_with(char::is_lowercase));
        if is_end && !is_code {
            sentences.push(line[from..=at].trim());
            from = at + 1;
        }
    }
    sentences.push(line[from..].trim());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// Says whether a fact tells, whole, what was done, and the title does not.
fn is_news(fact: &str, title: &str) -> bool {
    // A title that names the dependency says the same of it.
    let mut dependency = fact.strip_prefix("Dependencies: ").unwrap_or_default().split(' ');
    let is_titled = dependency.next().is_some_and(|name| !name.is_empty() && title.contains(name));
    let is_cut = fact.trim_end_matches(['`', '”', '.', ')']).ends_with('…');
    !is_cut
        && !is_titled
        && !fact.is_empty()
        && !BESIDE.iter().any(|opening| fact.starts_with(opening))
        && !title.contains(fact)
        && !fact.contains(title)
}

/// Shortens `` `before` → `after` `` to where the two differ, by whole words; none if that does not make it shorter.
fn difference(fact: &str) -> Option<String> {
    let (head, after) = fact.split_once(BECAME)?;
    let (place, before) = head.split_once('`')?;
    let after = after.strip_suffix('`')?;
    let (old, new) = (pieces(before), pieces(after));
    let same_at = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(&new).take_while(same_at).count();
    let most = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(same_at).count();
    let middle = |pieces: &[&str]| {
        let kept = pieces[head..pieces.len() - tail].concat();
        let (open, close) = (if head > 0 { "…" } else { "" }, if tail > 0 { "…" } else { "" });
        format!("{open}{}{close}", kept.trim())
    };
    let short = format!("{place}`{}{BECAME}{}`", middle(&old), middle(&new));
    (short.chars().count() < fact.chars().count()).then_some(short)
}

/// Splits a line of code into its words and what stands between them.
fn pieces(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut before = None;
    for (at, character) in text.char_indices() {
        if before.is_some_and(|before| !(is_word(before) && is_word(character))) {
            pieces.push(&text[from..at]);
            from = at;
        }
        before = Some(character);
    }
    pieces.push(&text[from..]);
    pieces
}
