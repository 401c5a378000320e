//! Names in prose, and whether the evidence knows them.
//!
//! An agent's last message tells best what happened, and may be wrong. What it says is taken over only where it names things that occur in
//! the evidence itself: in an edit, in a command, in what a tool printed, in what the person typed.

use std::collections::HashSet;

use crate::turn::{Turn, What};

/// The words of a turn's evidence.
pub(crate) struct Evidence<'t> {
    words: HashSet<&'t str>,
}

/// Letters that a name is made of.
fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_name_part(c)).filter(|word| word.len() > 1)
}

impl<'t> Evidence<'t> {
    /// Gathers the words of turns.
    pub(crate) fn of(turns: impl Iterator<Item = &'t Turn>) -> Self {
        let mut all = HashSet::new();
        for turn in turns {
            all.extend(turn.said.iter().flat_map(|said| words(&said.text)));
            for step in &turn.steps {
                all.extend(words(&step.output));
                for file in step.files_read.iter().chain(&step.files_changed) {
                    all.extend(words(file));
                }
                match &step.what {
                    What::Ran(text) | What::Other(text) => all.extend(words(text)),
                    What::Edited(edits) => {
                        for edit in edits {
                            all.extend(
                                words(&edit.path).chain(words(&edit.before)).chain(words(&edit.after)),
                            );
                        }
                    }
                    What::Read | What::Delegated(_) => {}
                }
            }
        }
        Self { words: all }
    }

    /// Says whether all words of a name occur in the evidence.
    pub(crate) fn knows(&self, name: &str) -> bool {
        let mut any = false;
        words(name).all(|word| {
            any = true;
            self.words.contains(word)
        }) && any
    }

    /// Counts the names in a sentence that the evidence knows, and those that it does not.
    pub(crate) fn weigh(&self, sentence: &str) -> (usize, usize) {
        let names = names(sentence);
        let known = names.iter().filter(|name| self.knows(name)).count();
        (known, names.len() - known)
    }
}

/// Lists what looks like a name of code in a sentence: what stands in backticks, paths, identifiers, constants.
pub(crate) fn names(sentence: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for (place, part) in sentence.split('`').enumerate() {
        if place % 2 == 1 {
            if !part.is_empty() {
                found.push(part);
            }
            continue;
        }
        for word in part.split(|c: char| c.is_whitespace() || "()[]{},;\"“”'「」、。()".contains(c)) {
            let word = word.trim_matches(|c: char| ".:!?*".contains(c));
            if is_name(word) {
                found.push(word);
            }
        }
    }
    found.dedup();
    found
}

/// Recognises a word that nobody would write in prose.
pub(crate) fn is_name(word: &str) -> bool {
    if word.len() < 3 || !word.is_ascii() {
        return false;
    }
    let inner = &word[1..word.len() - 1];
    let has_letter = word.bytes().any(|b| b.is_ascii_alphabetic());
    let is_address = word.starts_with("http://") || word.starts_with("https://");
    let has_joint = inner.contains('_')
        || inner.contains("::")
        || (inner.contains('/') && !is_either_or(word))
        || inner.bytes().zip(inner.bytes().skip(1)).any(|(a, b)| a == b'.' && b.is_ascii_alphabetic());
    let humps = word
        .bytes()
        .zip(word.bytes().skip(1))
        .filter(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase())
        .count();
    let is_camel = humps > 0 && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.');
    has_letter && !is_address && (has_joint || is_camel)
}

/// Recognises `and/or`, `read/write`: two plain words.
fn is_either_or(word: &str) -> bool {
    let mut parts = word.split('/');
    let plain = |part: &str| part.len() > 1 && part.bytes().all(|b| b.is_ascii_alphabetic());
    matches!((parts.next(), parts.next(), parts.next()), (Some(a), Some(b), None) if plain(a) && plain(b))
        && !word.contains('.')
}
