//! How a memory is told in one line.
//!
//! A hint is read in passing, and half of a fix is worse than none: `os.environ["DATABASE_URL"] →…` sends somebody looking for the rest. So
//! several ways to say it are tried, from the fullest to the shortest, and the first is taken that fits whole. What helped goes before
//! what was wrong where there is not room for both and the error is on the screen anyway.

use super::hint::{TEXT, Trigger, shortened};
use crate::fence;

/// How facts begin that do not say what helped.
const BESIDE: [&str; 3] = ["Error:", "Tests added", "Commits:"];

/// What stands between what was and what is.
const BECAME: &str = "` → `";

/// Tells a memory in one line of at most [`TEXT`] characters.
pub(super) fn told(title: &str, facts: &[&str], files: &[String], trigger: Trigger) -> String {
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
    } else if let Some(file) = file.filter(|file| !title.contains(file.as_str())) {
        ways.push(format!("{title} ({file})"));
    }
    ways.into_iter().find(|way| way.chars().count() <= TEXT).unwrap_or_else(|| shortened(&title, TEXT))
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
