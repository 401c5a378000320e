//! Cuts text into pieces of the vocabulary: from the left, the longest piece that fits, again and again.
//!
//! A word is cut into pieces that the model has seen often enough to know: "rebase" is `re` and `##base`, where the marks say
//! that a piece continues a word. What cannot be cut that way is one unknown token, as is a word of more than a hundred
//! characters.
//!
//! Text is data. The reference turns `[SEP]` in a text into the token that separates texts; here it is a word in brackets.

use super::blob::{LONGEST_PIECE, Model, POSITIONS, Pieces, SLOTS};
use super::normalise::Class;

/// Stands for a word that has no pieces.
const UNKNOWN: u16 = 100;
/// Stands before each text.
const START: u16 = 101;
/// Stands after each text.
const END: u16 = 102;

/// A word of more characters is unknown, without a look.
const LONGEST_WORD: usize = 100;

/// Marks, in the start of a piece's text, that the piece continues a word.
const CONTINUES: u32 = 1 << 31;

/// Cuts a text into at most `limit` tokens, of which the first and the last stand around it.
///
/// What comes after the limit is not looked at, so the length of a text costs nothing beyond it.
pub(super) fn tokens(model: &Model<'_>, text: &str, limit: usize) -> Vec<u16> {
    let limit = limit.clamp(2, POSITIONS);
    let mut cutter = Cutter { pieces: &model.pieces, word: Word::default(), tokens: vec![START] };
    for character in text.chars() {
        if cutter.tokens.len() >= limit {
            break;
        }
        let class = model.characters.class(character);
        match class {
            Class::Dropped => continue,
            Class::Space | Class::Ideograph => cutter.end_word(),
            Class::Letter | Class::Punctuation => {}
        }
        if class == Class::Space {
            continue;
        }
        for folded in model.characters.folded(character) {
            // Asked anew: a letter with a stroke through it may be a mark without it.
            let alone = model.characters.class(folded) == Class::Punctuation;
            if alone {
                cutter.end_word();
            }
            cutter.word.push(folded);
            if alone {
                cutter.end_word();
            }
        }
        if class == Class::Ideograph {
            cutter.end_word();
        }
    }
    cutter.end_word();
    let mut tokens = cutter.tokens;
    tokens.truncate(limit - 1);
    tokens.push(END);
    tokens
}

/// Says whether most tokens of a text mean something to the model. It was trained on English: of other scripts it has seen single letters, and
/// no words.
pub(super) fn is_known(model: &Model<'_>, tokens: &[u16]) -> bool {
    let means_something = |token: &&u16| {
        let (text, _) = model.pieces.text(**token);
        **token != UNKNOWN && str::from_utf8(text).is_ok_and(|text| text.chars().all(is_latin))
    };
    let own = tokens.get(1..tokens.len().saturating_sub(1)).unwrap_or_default();
    let known = own.iter().filter(means_something).count();
    known > 0 && 2 * known >= own.len()
}

/// Letters that English is written with, also those that it has borrowed.
fn is_latin(character: char) -> bool {
    character <= '\u{24f}'
}

/// Gathers the characters of a word.
#[derive(Default)]
struct Word {
    text: String,
    characters: usize,
}

impl Word {
    fn push(&mut self, character: char) {
        self.characters += 1;
        // A megabyte without a space is one unknown word; there is no need to remember it.
        if self.characters <= LONGEST_WORD {
            self.text.push(character);
        }
    }

    fn clear(&mut self) {
        self.text.clear();
        self.characters = 0;
    }
}

/// Turns one word after the other into tokens.
struct Cutter<'a> {
    pieces: &'a Pieces<'a>,
    word: Word,
    tokens: Vec<u16>,
}

impl Cutter<'_> {
    /// Cuts the word that was gathered, and begins a new one.
    fn end_word(&mut self) {
        let before = self.tokens.len();
        if self.word.characters > LONGEST_WORD || self.cut().is_none() {
            self.tokens.truncate(before);
            self.tokens.push(UNKNOWN);
        }
        self.word.clear();
    }

    /// Adds the pieces of the word, or stops where nothing fits.
    fn cut(&mut self) -> Option<()> {
        let mut rest = self.word.text.as_str();
        while !rest.is_empty() {
            let continues = rest.len() < self.word.text.len();
            let (token, length) = self.pieces.longest(rest, continues)?;
            self.tokens.push(token);
            rest = &rest[length..];
        }
        Some(())
    }
}

impl Pieces<'_> {
    /// Finds the longest piece that a text starts with, and its length.
    fn longest(&self, text: &str, continues: bool) -> Option<(u16, usize)> {
        // The hash of a text is made from that of the text without its last byte: one walk gives those of all lengths.
        let mut hashes = [0; LONGEST_PIECE];
        let mut hash = if continues { 0x9e37_79b9 } else { 0x811c_9dc5 };
        for (slot, byte) in hashes.iter_mut().zip(text.bytes()) {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
            *slot = hash;
        }
        let fits = |&length: &usize| text.is_char_boundary(length);
        let lengths = (1..=text.len().min(LONGEST_PIECE)).rev().filter(fits);
        lengths
            .map(|length| (self.find(hashes[length - 1], &text.as_bytes()[..length], continues), length))
            .find_map(|(token, length)| Some((token?, length)))
    }

    /// Looks a piece up.
    fn find(&self, hash: u32, text: &[u8], continues: bool) -> Option<u16> {
        // FNV leaves the upper bits of the last bytes too much alone to be cut off as it is.
        let mixed = (hash ^ hash >> 15).wrapping_mul(0x2c1b_3c6d);
        let first = (mixed ^ mixed >> 12) as usize % SLOTS;
        // Half of the slots are empty, so an empty one is near.
        let slots = self.slots[first..].iter().chain(&self.slots[..first]);
        for &slot in slots {
            let token = u16::from_le_bytes(slot).checked_sub(1)?;
            if self.text(token) == (text, continues) {
                return Some(token);
            }
        }
        None
    }

    /// Gives the text of a token, and whether it continues a word.
    fn text(&self, token: u16) -> (&[u8], bool) {
        let token = usize::from(token);
        let (start, end) =
            (u32::from_le_bytes(self.starts[token]), u32::from_le_bytes(self.starts[token + 1]));
        let text = &self.texts[(start & !CONTINUES) as usize..(end & !CONTINUES) as usize];
        (text, start & CONTINUES != 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::minilm::blob::{MODEL, VOCABULARY};

    #[test]
    fn each_token_of_the_vocabulary_is_found_by_its_text() {
        for token in 0..u16::try_from(VOCABULARY).unwrap() {
            let (text, continues) = MODEL.pieces.text(token);
            let text = str::from_utf8(text).unwrap();
            assert_eq!(MODEL.pieces.longest(text, continues), Some((token, text.len())), "{text}");
        }
    }

    #[test]
    fn nothing_is_between_start_and_end_of_an_empty_text() {
        for text in ["", " \t\r\n\u{3000}", "\0\u{1b}\u{7f}\u{fffd}\u{200d}\u{301}"] {
            assert_eq!(tokens(&MODEL, text, 32), [START, END], "{text:?}");
        }
    }

    #[test]
    fn a_word_of_more_than_a_hundred_characters_is_unknown() {
        let word = |length: usize| tokens(&MODEL, &"é".repeat(length), 256);
        assert_eq!(word(101), [START, UNKNOWN, END]);
        assert!(!word(100).contains(&UNKNOWN));
        assert_eq!(tokens(&MODEL, &"a".repeat(1 << 20), 256), [START, UNKNOWN, END]);
    }

    #[test]
    fn special_tokens_in_a_text_are_words() {
        let found = tokens(&MODEL, "[SEP]", 32);
        assert_eq!(found.iter().filter(|&&token| token == END).count(), 1);
        assert_eq!(found, [[START].as_slice(), &tokens(&MODEL, "[ sep ]", 32)[1..]].concat());
    }

    #[test]
    fn what_the_model_has_no_words_for_is_not_known() {
        let known = |text: &str| is_known(&MODEL, &tokens(&MODEL, text, 64));
        for text in [
            "token refresh",
            "Wo ist die Datenbank?",
            "déjà vu",
            "sanitize_title(x)",
            "C++",
            "429",
            "fix the 認証",
        ] {
            assert!(known(text), "{text}");
        }
        for text in
            ["", "🚀", "🚀 🚀", "猫", "データベースの接続はプールを使う", "где база данных", "قاعدة البيانات"]
        {
            assert!(!known(text), "{text}");
        }
        assert!(!known(&"x".repeat(200)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn any_text_has_between_two_and_limit_tokens(text in any::<String>(), limit in 0..400_usize) {
            let found = tokens(&MODEL, &text, limit);
            prop_assert!((2..=limit.clamp(2, POSITIONS)).contains(&found.len()));
            prop_assert_eq!((found[0], found[found.len() - 1]), (START, END));
            prop_assert!(found.iter().all(|&token| usize::from(token) < VOCABULARY));
        }

        #[test]
        fn a_lower_limit_gives_the_start_of_the_same(text in any::<String>(), limit in 2..64_usize) {
            let (all, few) = (tokens(&MODEL, &text, POSITIONS), tokens(&MODEL, &text, limit));
            let kept = few.len() - 1;
            prop_assert_eq!(&few[..kept], &all[..kept]);
        }
    }
}
