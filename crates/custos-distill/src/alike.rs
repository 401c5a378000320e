//! When two observations are the same, and when one takes the place of another.

use std::collections::BTreeSet;

use custos_model::{Observation, Sort};
use sha2::{Digest, Sha256};

pub use crate::rules::discoveries::REVERTED;

/// Gives the key of an observation's content in its session: the same words give the same key, whoever wrote them and however spaced.
pub fn content_key(session: &str, observation: &Observation) -> [u8; 16] {
    let mut hasher = Sha256::new();
    for part in [session, observation.sort.name()] {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    for part in [&observation.title, &observation.narrative] {
        hasher.update(normal(part).as_bytes());
        hasher.update([0]);
    }
    let digest = hasher.finalize();
    let mut key = [0; 16];
    key.copy_from_slice(&digest[..16]);
    key
}

/// Brings a text to its words: lower case, single spaces, no punctuation.
fn normal(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if !words.is_empty() {
            words.push(' ');
        }
        words.extend(word.chars().flat_map(char::to_lowercase));
    }
    words
}

fn words(text: &str) -> BTreeSet<String> {
    normal(text).split(' ').filter(|word| word.chars().count() > 2).map(str::to_owned).collect()
}

/// Gives the share of words that two texts have in common.
fn overlap(a: &str, b: &str) -> f64 {
    let (a, b) = (words(a), words(b));
    let both = a.intersection(&b).count();
    let all = a.union(&b).count();
    if all == 0 { 0.0 } else { both as f64 / all as f64 }
}

/// Gives the share of a text's words that another has as well.
pub(crate) fn within(text: &str, other: &str) -> f64 {
    let (text, other) = (words(text), words(other));
    if text.is_empty() { 0.0 } else { text.intersection(&other).count() as f64 / text.len() as f64 }
}

/// Says whether two observations tell the same thing: of one sort, about the same files, in much the same words.
pub fn near(a: &Observation, b: &Observation) -> bool {
    /// So much of the titles is the same.
    const TITLES: f64 = 0.6;
    /// So much of it is, where the files are the same as well.
    const TITLES_OF_SAME_FILES: f64 = 0.4;
    let titles = overlap(&a.title, &b.title);
    if normal(&a.title) == normal(&b.title) {
        return true;
    }
    let same_files = !a.files_modified.is_empty() && a.files_modified == b.files_modified;
    a.sort == b.sort && titles >= if same_files { TITLES_OF_SAME_FILES } else { TITLES }
}

/// Says whether a newer observation of the session takes the place of an older one, which then is not true any more.
///
/// Three ways lead there: what was done was reverted, the same work is told again after a correction, or what was found out is mended, and
/// told with how.
pub fn supersedes(newer: &Observation, older: &Observation) -> bool {
    if older.sort == Sort::Discovery && matches!(newer.sort, Sort::Bugfix | Sort::Security) {
        return is_told_again(newer, older);
    }
    let is_work = !matches!(older.sort, Sort::Decision | Sort::Discovery) && !older.files_modified.is_empty();
    if !is_work {
        return false;
    }
    if newer.concepts.iter().any(|concept| concept == REVERTED) {
        return older.files_modified.iter().all(|file| newer.files_read.contains(file));
    }
    let covers = older
        .files_modified
        .iter()
        .all(|file| newer.files_modified.contains(file) || newer.files_read.contains(file));
    let same_thing = overlap(&newer.title, &older.title) >= 0.4
        || newer.concepts.iter().any(|concept| older.concepts.contains(concept));
    newer.sort == older.sort && covers && same_thing
}

/// Says whether nearly all that an observation says stands in another one as well.
fn is_told_again(newer: &Observation, older: &Observation) -> bool {
    const ENOUGH: f64 = 0.75;
    let text = |one: &Observation| format!("{} {} {}", one.title, one.narrative, one.facts.join(" "));
    let (new, old) = (words(&text(newer)), words(&format!("{} {}", older.title, older.narrative)));
    let both = old.intersection(&new).count();
    old.len() >= 6 && both as f64 / old.len() as f64 >= ENOUGH
}

/// Says whether a title only repeats a path or a command.
pub fn restates(observation: &Observation) -> bool {
    let title = observation.title.trim();
    let is_path = !title.contains(' ') && (title.contains('/') || title.contains('.'));
    let is_command = title.starts_with('`') && title.ends_with('`') && title.matches('`').count() == 2;
    let is_edit = ["Edited ", "Read ", "Ran ", "Changed "].iter().any(|verb| {
        title
            .strip_prefix(verb)
            .is_some_and(|rest| !rest.contains(' ') && (rest.contains('/') || rest.starts_with('`')))
    });
    is_path || is_command || is_edit || title.is_empty()
}

#[cfg(test)]
mod tests;
