//! Names in prose, and whether the evidence knows them.
//!
//! An agent's last message tells best what happened, and may be wrong. What it says is taken over only where it names things that occur in
//! the evidence itself: in an edit, in a command, in what a tool printed, in what the person typed.

use std::collections::HashSet;

use crate::turn::{Turn, What};

/// The words of a turn's evidence.
///
/// A turn may hold megabytes, and what is asked of it are the few hundred words of what agents said in it. So these are gathered first, and
/// the evidence is walked through once for them; whoever asks for another word pays for another walk.
pub(crate) struct Evidence<'t> {
    /// What was said in prose and may be asked for.
    asked: HashSet<&'t str>,
    /// What of it occurs.
    found: HashSet<&'t str>,
    texts: Vec<&'t str>,
}

/// Letters that a name is made of.
fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_name_part(c)).filter(|word| word.len() > 1)
}

/// Words by their length and their ends: most words of the evidence are told apart by these from all that is asked for.
struct Sieve([u64; 1024]);

impl Sieve {
    fn of(words: &HashSet<&str>) -> Self {
        let mut sieve = Self([0; 1024]);
        for word in words {
            let (cell, bit) = Self::place(word.as_bytes());
            sieve.0[cell] |= 1 << bit;
        }
        sieve
    }

    fn place(word: &[u8]) -> (usize, usize) {
        let (first, last) = (word.first().copied().unwrap_or(0), word.last().copied().unwrap_or(0));
        let middle = word.get(word.len() / 2).copied().unwrap_or(0);
        let mixed = word.len().wrapping_mul(2_531)
            ^ usize::from(first).wrapping_mul(331)
            ^ usize::from(middle).wrapping_mul(1_153)
            ^ usize::from(last).wrapping_mul(8_191);
        ((mixed >> 6) & 1_023, mixed & 63)
    }

    fn may_hold(&self, word: &[u8]) -> bool {
        let (cell, bit) = Self::place(word);
        self.0[cell] >> bit & 1 == 1
    }
}

/// Bytes that may be part of a name: plain ones, and all of other scripts.
const PARTS: [bool; 256] = {
    let mut parts = [false; 256];
    let mut byte = u8::MAX;
    loop {
        let is_plain = byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
        parts[byte as usize] = is_plain || !byte.is_ascii();
        if byte == 0 {
            break parts;
        }
        byte -= 1;
    }
};

/// Calls back for each word of a text, byte by byte where it is plain.
fn each_word<'t>(text: &'t str, mut take: impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !PARTS[usize::from(bytes[at])] {
            at += 1;
            continue;
        }
        let begin = at;
        let mut all = 0;
        while at < bytes.len() && PARTS[usize::from(bytes[at])] {
            all |= bytes[at];
            at += 1;
        }
        let word = &text[begin..at];
        if all.is_ascii() {
            if word.len() > 1 {
                take(word);
            }
        } else {
            // Other scripts have marks of their own between their words.
            words(word).for_each(&mut take);
        }
    }
}

impl<'t> Evidence<'t> {
    /// Gathers the words of turns, oldest first. What lies further back is seldom named, and costs as much as what does not.
    pub(crate) fn of(turns: impl DoubleEndedIterator<Item = &'t Turn>) -> Self {
        const NEWEST: usize = 3;
        let (mut asked, mut texts): (HashSet<&str>, Vec<&str>) = (HashSet::new(), Vec::new());
        for turn in turns.rev().take(NEWEST) {
            asked.extend(turn.message.as_deref().into_iter().flat_map(words));
            texts.extend(turn.said.iter().map(|said| said.text.as_str()));
            for step in &turn.steps {
                texts.push(&step.output);
                texts.extend(step.files_read.iter().chain(&step.files_changed).map(String::as_str));
                match &step.what {
                    What::Ran(text) | What::Other(text) => texts.push(text),
                    What::Edited(edits) => {
                        for edit in edits {
                            texts.extend([edit.path.as_str(), &edit.before, &edit.after]);
                        }
                    }
                    What::Delegated(_) => asked.extend(words(&step.output)),
                    What::Read => {}
                }
            }
        }
        let sieve = Sieve::of(&asked);
        let mut found = HashSet::new();
        for text in &texts {
            each_word(text, |word| {
                if sieve.may_hold(word.as_bytes()) && asked.contains(word) {
                    found.insert(word);
                }
            });
        }
        Self { asked, found, texts }
    }

    /// Says whether all words of a name occur in the evidence.
    pub(crate) fn knows(&self, name: &str) -> bool {
        let mut any = false;
        words(name).all(|word| {
            any = true;
            self.found.contains(word) || !self.asked.contains(word) && self.occurs(word)
        }) && any
    }

    /// Looks for a word that nobody said in a message.
    fn occurs(&self, wanted: &str) -> bool {
        self.texts.iter().any(|text| {
            text.match_indices(wanted).any(|(at, _)| {
                !text[..at].ends_with(is_name_part) && !text[at + wanted.len()..].starts_with(is_name_part)
            })
        })
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
