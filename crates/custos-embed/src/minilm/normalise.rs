//! What a character means to the model, which was trained on lower case without accents.
//!
//! Everything that depends on Unicode is in two tables of the model's file, so it depends on nothing else: neither on the
//! standard library's version of Unicode nor on a crate. A character beyond ASCII has a *class* (is it dropped, does it
//! end a word, is it a word of its own?) and a *folding*: taken apart into letters and accents, the accents dropped, in
//! lower case. Of ASCII, both are plain to see. Korean syllables come apart by arithmetic.

use std::cmp::Ordering;

use super::blob::Characters;

/// Tells how a character takes part in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Part of a word.
    Letter,
    /// As if it were not there: control characters, accents, what stands for broken bytes.
    Dropped,
    /// Ends a word.
    Space,
    /// A word of its own.
    Punctuation,
    /// A word of its own as well: Chinese and Japanese put no spaces.
    Ideograph,
}

impl Characters<'_> {
    /// Classifies a character.
    pub(super) fn class(&self, character: char) -> Class {
        if character.is_ascii() {
            return match character {
                ' ' | '\t' | '\n' | '\r' => Class::Space,
                control if control.is_ascii_control() => Class::Dropped,
                mark if mark.is_ascii_punctuation() => Class::Punctuation,
                _ => Class::Letter,
            };
        }
        let code = u32::from(character);
        let found = self.classes.binary_search_by(|&[first, last, _]| {
            if u32::from_le_bytes(last) < code {
                Ordering::Less
            } else if u32::from_le_bytes(first) > code {
                Ordering::Greater
            } else {
                Ordering::Equal
            }
        });
        match found.map(|range| u32::from_le_bytes(self.classes[range][2])) {
            Ok(1) => Class::Dropped,
            Ok(2) => Class::Space,
            Ok(3) => Class::Punctuation,
            Ok(4) => Class::Ideograph,
            _ => Class::Letter,
        }
    }

    /// Gives the characters, up to three, that one stands for.
    pub(super) fn folded(&self, character: char) -> impl Iterator<Item = char> {
        let code = u32::from(character);
        let codes = if character.is_ascii() {
            [u32::from(character.to_ascii_lowercase()), 0, 0]
        } else if let Some(parts) = syllable(code) {
            parts
        } else {
            match self.foldings.binary_search_by_key(&code, |&[from, ..]| u32::from_le_bytes(from)) {
                Ok(at) => {
                    let [_, folded @ ..] = self.foldings[at].map(u32::from_le_bytes);
                    folded
                }
                Err(_) => [code, 0, 0],
            }
        };
        // Zero stands for none; the character itself never gets here, it is dropped.
        codes.into_iter().filter(|&code| code != 0).filter_map(char::from_u32)
    }
}

/// Takes a Korean syllable apart into the two or three letters that it is written with, as Unicode defines it.
fn syllable(code: u32) -> Option<[u32; 3]> {
    const VOWELS: u32 = 21;
    /// Including none.
    const FINALS: u32 = 28;
    let index = code.checked_sub(0xac00).filter(|&index| index < 19 * VOWELS * FINALS)?;
    let (lead, vowel, last) = (index / (VOWELS * FINALS), index / FINALS % VOWELS, index % FINALS);
    Some([0x1100 + lead, 0x1161 + vowel, if last == 0 { 0 } else { 0x11a7 + last }])
}

#[cfg(test)]
mod tests {
    use super::Class::{Dropped, Ideograph, Letter, Punctuation, Space};
    use crate::minilm::blob::MODEL;

    #[test]
    fn characters_have_their_classes() {
        let classes =
            ['a', 'É', '\0', '\u{fffd}', '\u{301}', '\u{200b}', '\u{a0}', '、', '~', '中', '한', '🚀']
                .map(|character| MODEL.characters.class(character));
        let expected = [
            Letter,
            Letter,
            Dropped,
            Dropped,
            Dropped,
            Dropped,
            Space,
            Punctuation,
            Punctuation,
            Ideograph,
            Letter,
            Letter,
        ];
        assert_eq!(classes, expected);
    }

    #[test]
    fn characters_are_folded_to_lower_case_without_accents() {
        let folded = |text: &str| -> String {
            text.chars().flat_map(|character| MODEL.characters.folded(character)).collect()
        };
        assert_eq!(folded("Ünïcödé İST ΣΊΣΥΦΟΣ Ǆ ﬁ Ⅷ"), "unicode ist σισυφοσ ǆ ﬁ ⅷ");
        assert_eq!(folded("한가"), "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1161}");
        // The first and the last of the Korean syllables, and what lies right beside them.
        assert_eq!(folded("\u{abff}\u{ac00}\u{d7a3}\u{d7a4}").chars().count(), 1 + 2 + 3 + 1);
    }
}
