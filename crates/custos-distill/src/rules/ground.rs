//! What a piece of work is made of, as words: its files, the definitions and lines that it changed, what failed, what the agent said of it.
//!
//! People speak to an agent as to somebody who looks over their shoulder: “stop, wrong file”, “same for the other one”. Such words are of
//! no use to anybody the day after. A sentence may name a piece of work only if it says something by itself, and shares a word with what
//! was done.

use std::collections::HashSet;

use super::story::Story;

/// Words of a piece of work, in small letters.
pub(crate) struct Ground {
    words: HashSet<String>,
}

/// Shorter words are shared by everything.
const SHORTEST: usize = 4;

/// So much of a changed place is read.
const MOST: usize = 4_000;

impl Ground {
    /// Gathers the words of a story.
    pub(crate) fn of(story: &Story<'_>) -> Self {
        let mut ground = Self { words: HashSet::new() };
        for change in &story.net.changes {
            ground.take(&change.path);
            for touched in &change.touched {
                ground.take(&touched.name);
            }
            for piece in &change.pieces {
                ground.take(start(&piece.before));
                ground.take(start(&piece.after));
            }
        }
        for failure in story.trials.iter().filter_map(|trial| trial.failure.as_ref()) {
            ground.take(&failure.message);
            failure.tests.iter().for_each(|test| ground.take(test));
        }
        for turn in story.asked.iter().chain(story.carried).chain([story.turn]) {
            ground.take(turn.message.as_deref().unwrap_or_default());
        }
        for package in &story.packages {
            ground.take(&package.name);
        }
        ground
    }

    fn take(&mut self, text: &str) {
        each_part(text, |word| {
            self.words.insert(word);
        });
    }

    /// Counts the words of a sentence that the work has as well.
    pub(crate) fn shares(&self, sentence: &str) -> usize {
        let mut found = HashSet::new();
        each_part(sentence, |word| {
            if self.words.contains(&word) {
                found.insert(word);
            }
        });
        found.len()
    }

    /// Says whether a sentence may name the work. Scripts without spaces are not cut into words, and are believed.
    pub(crate) fn bears(&self, sentence: &str) -> bool {
        says_something(sentence) && (is_dense(sentence) || self.shares(sentence) > 0)
    }
}

fn start(text: &str) -> &str {
    let mut end = text.len().min(MOST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Calls back for the parts of the words of a text: `readPriceList` and `read_price_list` have three, and the ends of plurals are off.
fn each_part(text: &str, mut take: impl FnMut(String)) {
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        let mut part = String::new();
        let mut was_small = false;
        for c in word.chars() {
            if c.is_uppercase() && was_small {
                give(&mut part, &mut take);
            }
            was_small = c.is_lowercase() || c.is_ascii_digit();
            part.extend(c.to_lowercase());
        }
        give(&mut part, &mut take);
    }
}

fn give(part: &mut String, take: &mut impl FnMut(String)) {
    let word = std::mem::take(part);
    let word = word.strip_suffix('s').map_or(word.clone(), str::to_owned);
    if word.chars().count() >= SHORTEST && !EMPTY.contains(&word.as_str()) {
        take(word);
    }
}

/// Recognises text that is mostly in a script without spaces.
pub(crate) fn is_dense(text: &str) -> bool {
    let (mut dense, mut all) = (0_usize, 0_usize);
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        all += 1;
        dense += usize::from((c as u32) > 0x2E80);
    }
    dense * 3 > all
}

/// Words that point, urge or approve, and name nothing.
#[rustfmt::skip]
const EMPTY: &[&str] = &[
    "this", "that", "thi", "these", "those", "same", "other", "another", "again", "please", "just", "file", "there", "here", "then",
    "back", "away", "stop", "wait", "wrong", "forget", "throw", "thing", "stuff", "one", "everything", "anything",
    "something", "nothing", "good", "great", "nice", "thank", "okay", "sure", "right", "also", "now", "with", "what",
    "when", "where", "which", "while", "have", "will", "would", "should", "could", "can't", "don't", "does", "from",
    "into", "your", "mine", "they", "them", "their", "because", "like", "look", "make", "take", "need", "want", "first",
    "second", "last", "next", "more", "less", "still", "only", "even", "really", "maybe", "yeah", "hello", "morning",
    "nein", "falsch", "bitte", "danke", "datei", "nicht", "noch", "auch", "dann", "jetzt", "mach", "weiter", "aber",
    "nochmal", "andere", "anderen", "fichier", "autre", "merci", "encore", "aussi", "archivo", "otro", "otra", "gracia",
    "también", "arquivo", "outro", "outra", "obrigado", "também", "altro", "grazie", "ancora", "anche",
];

/// Says whether a sentence tells something to whoever was not there.
pub(crate) fn says_something(sentence: &str) -> bool {
    if is_dense(sentence) {
        return sentence.chars().filter(|c| c.is_alphanumeric()).count() >= 6;
    }
    if !super::names::names(sentence).is_empty() {
        return true;
    }
    let mut words = 0;
    each_part(sentence, |_| words += 1);
    words >= 2
}

/// Says whether a name is none: `the other file`, `that one`.
pub(crate) fn is_pointing(name: &str) -> bool {
    let is_empty = |word: &str| {
        let word = word.to_lowercase();
        ["the", "a", "an", "it", "old", "new", "die", "der", "das", "le", "la", "el", "o"]
            .contains(&word.as_str())
            || EMPTY.contains(&word.as_str())
    };
    !is_dense(name)
        && name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).all(is_empty)
}
