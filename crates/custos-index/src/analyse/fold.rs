//! What a character is to the analyser, and what is left of it when case, accents and width do not count.
//!
//! The text arrives composed (NFKC), so a letter and its accent are one character here however they were typed, Hangul syllables and
//! voiced kana are whole, and full-width or ligature forms are gone. Accents are then taken off by decomposing the single character
//! and keeping what carries no combining class: that spares the vowel signs of Indic scripts, which are marks but no ornaments.

use unicode_normalization::char::{canonical_combining_class, decompose_canonical};

/// What a character is to the analyser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Folded {
    /// A letter, unless it is a capital.
    Lower,
    /// A capital letter.
    Upper,
    /// A digit or another numeral.
    Digit,
    /// Holds a name together: `_`, `-` or `.`.
    Connector,
    /// Stands between a word and its ending.
    Apostrophe,
    /// A character of a script without blanks between words.
    Unspaced,
    /// Neither part of a word nor its end.
    Ignored,
    /// The end of a word.
    Separator,
}

/// Classifies an ASCII character.
pub(super) fn ascii(byte: u8) -> Folded {
    match byte {
        b'a'..=b'z' => Folded::Lower,
        b'A'..=b'Z' => Folded::Upper,
        b'0'..=b'9' => Folded::Digit,
        b'_' | b'-' | b'.' => Folded::Connector,
        b'\'' => Folded::Apostrophe,
        _ => Folded::Separator,
    }
}

/// Classifies a character beyond ASCII.
pub(super) fn unicode(c: char) -> Folded {
    match c {
        '\u{2019}' | '\u{02bc}' => Folded::Apostrophe,
        '\u{2010}' | '\u{2011}' => Folded::Connector,
        // Soft hyphen, joiners, variation selectors, byte order mark.
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' => {
            Folded::Ignored
        }
        _ if canonical_combining_class(c) != 0 => Folded::Ignored,
        _ if is_unspaced(c) => Folded::Unspaced,
        _ if c.is_uppercase() => Folded::Upper,
        _ if c.is_alphabetic() => Folded::Lower,
        _ if c.is_numeric() => Folded::Digit,
        _ => Folded::Separator,
    }
}

/// Appends what is left of a letter: no accents, no case.
pub(super) fn push_folded(c: char, word: &mut String) {
    let spelled = match c {
        'ß' | 'ẞ' => "ss",
        'æ' | 'Æ' => "ae",
        'œ' | 'Œ' => "oe",
        'ø' | 'Ø' => "o",
        'đ' | 'Đ' | 'ð' | 'Ð' => "d",
        'ł' | 'Ł' => "l",
        'þ' | 'Þ' => "th",
        'ħ' | 'Ħ' => "h",
        'ı' => "i",
        'ς' => "σ",
        _ => "",
    };
    if !spelled.is_empty() {
        return word.push_str(spelled);
    }
    decompose_canonical(c, |base| {
        if canonical_combining_class(base) == 0 {
            // Lower-casing one character can give two, the second an accent again.
            word.extend(base.to_lowercase().filter(|&lower| canonical_combining_class(lower) == 0));
        }
    });
}

/// Says whether the script of this character puts no blanks between words.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0e01}'..='\u{0e3a}' | '\u{0e40}'..='\u{0e4e}'      // Thai, without its digits and signs
        | '\u{0e81}'..='\u{0ecd}'                              // Lao
        | '\u{1000}'..='\u{103f}'                              // Burmese
        | '\u{1100}'..='\u{11ff}'                              // Hangul jamo
        | '\u{1780}'..='\u{17d3}'                              // Khmer
        | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}'    // ideographic marks and numerals
        | '\u{3041}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' // kana, without its middle dot
        | '\u{3105}'..='\u{312f}' | '\u{31a0}'..='\u{31bf}'    // Bopomofo
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}' // Han
        | '\u{ac00}'..='\u{d7a3}'                              // Hangul
    )
}
