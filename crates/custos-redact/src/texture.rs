//! How a value looks: like words that a person chose, or like something a machine drew.
//!
//! Shannon entropy is a poor judge of short strings: `next_page_token` scores higher than many keys. What tells
//! them apart is texture. Words change between letters and digits rarely and at the end; drawn strings do so all
//! the time.

use crate::effort;

/// How much of a value is looked at. Longer values do not look different further on.
const ENOUGH: usize = 128;

/// Returns the part of a value that is judged.
pub(crate) fn sample(value: &[u8]) -> &[u8] {
    let length = value.len().min(ENOUGH);
    effort::spend(length);
    &value[..length]
}

/// Counts the distinct bytes of the sample, letters without regard to case.
pub(crate) fn distinct(value: &[u8]) -> usize {
    let mut seen = [0_u64; 4];
    for b in sample(value) {
        let b = b.to_ascii_lowercase();
        seen[usize::from(b >> 6)] |= 1 << (b & 63);
    }
    seen.iter().map(|word| word.count_ones() as usize).sum()
}

/// Says whether the value is words and small numbers joined by separators: an identifier, a path, a version,
/// a host name, a label. Case is counted too, so that `aXbQzR` is no word.
pub(crate) fn is_wordy(value: &[u8]) -> bool {
    let joint = |b: &u8| matches!(b, b'-' | b'_' | b'.' | b'/' | b':' | b'@' | b' ' | b'+' | b'#' | b'~');
    sample(value).split(joint).all(is_word)
}

/// Says whether one part is letters with at most three digits behind them, or a number of at most four digits.
fn is_word(part: &[u8]) -> bool {
    let letters = part.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let digits = part.len() - letters;
    if !part[letters..].iter().all(u8::is_ascii_digit) {
        return false;
    }
    if letters == 0 {
        return digits <= 4;
    }
    let humps = part.windows(2).filter(|w| w[0].is_ascii_lowercase() && w[1].is_ascii_uppercase()).count();
    digits <= 3 && humps * 5 <= part.len()
}

/// Says whether the value looks drawn: letters, digits and cases change often, and not at the joints of words.
pub(crate) fn is_drawn(value: &[u8]) -> bool {
    #[derive(PartialEq, Clone, Copy)]
    enum Class {
        Lower,
        Upper,
        Digit,
    }
    let value = sample(value);
    let mut before = None;
    let (mut changes, mut counted) = (0, 0);
    for &b in value {
        let class = match b {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            _ => continue,
        };
        counted += 1;
        let capital = before == Some(Class::Upper) && class == Class::Lower;
        if before.is_some_and(|b| b != class) && !capital {
            changes += 1;
        }
        before = Some(class);
    }
    changes * 5 >= counted && !is_wordy(value) && distinct(value) >= 5
}

/// Says whether the value has an ASCII digit.
pub(crate) fn has_digit(value: &[u8]) -> bool {
    sample(value).iter().any(u8::is_ascii_digit)
}

/// Says whether the value has an ASCII letter.
pub(crate) fn has_letter(value: &[u8]) -> bool {
    sample(value).iter().any(u8::is_ascii_alphabetic)
}
