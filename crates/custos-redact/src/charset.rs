//! The alphabets that tokens are written in, and how far a run of one reaches.

use crate::effort;

/// An alphabet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    /// `0-9 a-f A-F`
    Hex,
    /// `0-9`
    Digit,
    /// `0-9 A-Z`
    Upper,
    /// `0-9 a-z`
    Lower,
    /// `0-9 a-z A-Z`
    Alnum,
    /// Alnum and `_`
    Word,
    /// Alnum, `_` and `-`: base64url and most tokens
    Url,
    /// Url and `.`
    Dotted,
    /// Alnum and `+ / =`: base64 with padding
    Base64,
    /// A value that stands without quotes: it ends at white space, quotes, brackets and separators.
    Bare,
    /// Bare with the separators `, ; &`: a password that may hold them
    Phrase,
    /// A value that has a line to itself: it ends at white space, quotes and backslashes only.
    Line,
    /// The value of a cookie: Line without `;` and `,`
    Cookie,
    /// What may stand between `://` and the path of an address
    Authority,
}

const SETS: usize = Set::Authority as usize + 1;

/// Which sets each byte belongs to, one bit per set.
const MEMBERS: [u16; 256] = {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = memberships(byte);
        if byte == u8::MAX {
            break table;
        }
        byte += 1;
    }
};

/// Packs the answers, which come in the order of `Set`.
const fn bits(list: [bool; SETS]) -> u16 {
    let mut mask = 0;
    let mut bit = 0;
    while bit < SETS {
        if list[bit] {
            mask |= 1 << bit;
        }
        bit += 1;
    }
    mask
}

const fn memberships(b: u8) -> u16 {
    let alnum = b.is_ascii_alphanumeric();
    let url = alnum || b == b'_' || b == b'-';
    let foreign = !b.is_ascii();
    let graphic = b.is_ascii_graphic() || foreign;
    let quote = matches!(b, b'"' | b'\'' | b'`' | b'\\');
    let bracket = matches!(b, b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>');
    let separator = matches!(b, b',' | b';' | b'&' | b'|' | b'=');
    bits([
        b.is_ascii_hexdigit(),
        b.is_ascii_digit(),
        b.is_ascii_digit() || b.is_ascii_uppercase(),
        b.is_ascii_digit() || b.is_ascii_lowercase(),
        alnum,
        alnum || b == b'_',
        url,
        url || b == b'.',
        alnum || matches!(b, b'+' | b'/' | b'='),
        graphic && !quote && !bracket && !separator,
        graphic && !quote && !bracket && !matches!(b, b'|' | b'='),
        graphic && !quote,
        graphic && !quote && !matches!(b, b';' | b','),
        graphic && !quote && !matches!(b, b'/' | b'?' | b'#' | b'<' | b'>' | b'|' | b',' | b'(' | b')'),
    ])
}

impl Set {
    /// Says whether a byte belongs to the alphabet.
    pub(crate) const fn has(self, byte: u8) -> bool {
        MEMBERS[byte as usize] & (1 << self as u16) != 0
    }

    /// Says whether tokens of the alphabet can hold the characters that also separate words.
    pub(crate) const fn has_separators(self) -> bool {
        self.has(b'_') || self.has(b'-')
    }
}

/// Where runs end, remembered per alphabet.
///
/// `sk-sk-sk-…` starts a token at every third byte, and each start would read to the end of the run. A run is
/// the same from wherever inside it one looks, so its end is worth keeping.
#[derive(Default)]
pub(crate) struct Runs([(usize, usize); SETS]);

impl Runs {
    /// Returns the end of the run of `set` that begins at or reaches over `from`.
    pub(crate) fn end(&mut self, bytes: &[u8], set: Set, from: usize) -> usize {
        let known = &mut self.0[set as usize];
        if known.0 <= from && from < known.1 {
            return known.1;
        }
        let tail = bytes.get(from..).unwrap_or_default();
        let length = tail.iter().position(|&b| !set.has(b)).unwrap_or(tail.len());
        effort::spend(length + 1);
        *known = (from, from + length);
        known.1
    }
}
