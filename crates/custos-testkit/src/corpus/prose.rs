//! Text from the vocabulary: sentences, code, and the words that queries know the answer for.

use super::vocabulary::{Vocabulary, capitalised};
use crate::random::Random;

/// The word that nine of ten observations contain, and no other text of the corpus.
pub const COMMON_WORD: &str = "workspace";

/// Every event whose index is one less than a multiple of this has a word of its own.
pub const RARE_EVERY: usize = 50;

/// Returns the word that the event at this index has to itself, if it is one of those that have one.
///
/// Such an event is always an observation. The word is the same for every seed.
pub fn rare_word(index: usize) -> Option<String> {
    const CONSONANTS: &[u8; 16] = b"bdfghklmnprstvwz";
    // No vowel that a stemmer would cut from the end of a word.
    const VOWELS: &[u8; 4] = b"aiou";
    const BITS: u64 = 24;
    if !(index + 1).is_multiple_of(RARE_EVERY) {
        return None;
    }
    let number = (index / RARE_EVERY + 1) as u64;
    // An odd factor permutes the numbers below 2^24: neighbours get words that look unrelated, and none twice.
    let scattered = number.wrapping_mul(0x9E_3779) & ((1 << BITS) - 1);
    let syllable = |shift: u64| {
        let six_bits = usize::try_from(scattered >> shift & 63).unwrap_or_default();
        [CONSONANTS[six_bits / 4], VOWELS[six_bits % 4]].map(char::from)
    };
    Some((0..BITS).step_by(6).flat_map(syllable).collect())
}

/// Writes text of a given length.
#[derive(Debug)]
pub(super) struct Prose {
    vocabulary: Vocabulary,
}

impl Prose {
    pub(super) fn new() -> Self {
        Self { vocabulary: Vocabulary::new() }
    }

    /// Writes a few words without a full stop, as titles have it.
    pub(super) fn title(&self, random: &mut Random, words: u64) -> String {
        let mut title = capitalised(self.vocabulary.english.draw(random));
        for _ in 1..words {
            title.push(' ');
            title.push_str(self.vocabulary.english.draw(random));
        }
        title
    }

    pub(super) fn identifier(&self, random: &mut Random) -> String {
        self.vocabulary.identifiers.draw(random).to_owned()
    }

    /// Draws up to `most` paths, without repeating one.
    pub(super) fn paths(&self, random: &mut Random, most: u64) -> Vec<String> {
        let mut paths: Vec<String> = (0..random.within(0..most + 1)).map(|_| self.path(random)).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    pub(super) fn path(&self, random: &mut Random) -> String {
        self.vocabulary.paths.draw(random).to_owned()
    }

    /// Writes sentences of about `bytes` bytes, with the planted words somewhere in the first of them.
    pub(super) fn sentences(&self, random: &mut Random, bytes: usize, planted: &[&str]) -> String {
        let mut text = String::with_capacity(bytes + 64);
        for word in planted {
            text.push_str(&capitalised(self.vocabulary.english.draw(random)));
            text.push(' ');
            text.push_str(word);
            text.push(' ');
        }
        while text.len() < bytes || text.is_empty() {
            self.sentence(random, &mut text, bytes);
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// Writes one sentence, cut short when the text is long enough.
    fn sentence(&self, random: &mut Random, text: &mut String, enough: usize) {
        let words = match random.within(0..100) {
            0..3 => &self.vocabulary.unspaced,
            3..8 => &self.vocabulary.german,
            _ => &self.vocabulary.english,
        };
        text.push_str(&capitalised(words.draw(random)));
        for _ in 0..random.within(5..18) {
            if text.len() >= enough {
                break;
            }
            text.push(' ');
            text.push_str(words.draw(random));
        }
        text.push_str(". ");
    }

    /// Writes lines of code and of what tools say about it, of about `bytes` bytes.
    pub(super) fn listing(&self, random: &mut Random, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 96);
        while text.len() < bytes {
            let (subject, object) = (self.identifier(random), self.identifier(random));
            let number = random.within(1..900);
            let line = match random.within(0..7) {
                0 => format!("{}:{number}: {}", self.path(random), self.title(random, 6)),
                1 => format!("    let {object} = {subject}({number})?;"),
                2 => format!("test {subject}::{object} ... ok"),
                3 => format!("error: {} `{subject}`", self.title(random, 5)),
                4 => format!("    at {subject} ({}:{number})", self.path(random)),
                5 => format!("-    {subject}({object});\n+    {subject}(&{object});"),
                _ => self.title(random, 9),
            };
            text.push_str(&line);
            text.push('\n');
        }
        text.truncate(text.trim_end().len());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn rare_words_are_unique_and_look_like_words() {
        let words: Vec<String> = (0..1_000_000).filter_map(rare_word).collect();
        assert_eq!(words.len(), 20_000);
        assert_eq!(words.iter().collect::<BTreeSet<_>>().len(), 20_000);
        assert_eq!([rare_word(48), rare_word(49)], [None, Some("wiminupu".to_owned())]);
    }

    #[test]
    fn no_rare_word_is_in_the_vocabulary() {
        let vocabulary = Vocabulary::new();
        let known: BTreeSet<String> = vocabulary.english.words().iter().cloned().collect();
        assert!((0..1_000_000).filter_map(rare_word).all(|word| !known.contains(&word)));
        assert!(known.iter().all(|word| !word.to_lowercase().contains(COMMON_WORD)));
    }

    #[test]
    fn sentences_have_the_length_asked_for_and_hold_what_was_planted() {
        let prose = Prose::new();
        let mut random = Random::seeded(5);
        for bytes in [0, 1, 40, 700, 5_000] {
            let text = prose.sentences(&mut random, bytes, &["planted", "twice"]);
            assert!((bytes..bytes + 64).contains(&text.len().max(bytes)), "{bytes}: {text}");
            assert!(text.contains(" planted ") && text.contains(" twice"), "{text}");
        }
    }

    #[test]
    fn several_languages_are_spoken() {
        let text = Prose::new().sentences(&mut Random::seeded(8), 40_000, &[]);
        let has = |range: std::ops::RangeInclusive<char>| text.chars().any(|c| range.contains(&c));
        assert!(has('ぁ'..='ヿ'), "Japanese");
        assert!(has('一'..='龥'), "Chinese");
        assert!(text.contains('ü') || text.contains('ß'), "German");
        assert!(text.contains("the "), "English");
    }

    #[test]
    fn paths_do_not_repeat() {
        let prose = Prose::new();
        let mut random = Random::seeded(2);
        for _ in 0..200 {
            let paths = prose.paths(&mut random, 6);
            assert_eq!(paths.iter().collect::<BTreeSet<_>>().len(), paths.len());
        }
    }
}
