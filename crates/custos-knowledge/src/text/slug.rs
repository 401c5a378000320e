//! A title as a file name: lower case, ASCII letters, digits and single hyphens.
//!
//! The name is there for people who list the directory, so a plain title gives a plain name. Whatever the name cannot show (another script,
//! a sign, the rest of a long title) could be all that tells two titles apart. Then the name ends with the beginning of the title's SHA-256:
//! two titles never share a name only because it could not hold them.
//!
//! Case, punctuation and the accents of European Latin are let go without that: they are what differs when the same title is typed twice,
//! on two keyboards. A store that meets a taken name for another title has to put up with it anyway.

use deunicode::deunicode_char;
use hmac_sha256::Hash;
use unicode_normalization::UnicodeNormalization as _;

use super::unseen::{is_selector, is_unseen};

/// How many digits of the hash tell two titles apart.
pub(super) const DIGITS: usize = 8;

/// What a name begins with when its title has nothing that a name can show.
const NAMELESS: &str = "untitled";

/// The shortest part of the room that a cut at a word may leave in use.
const LEAST_OF_THE_ROOM: usize = 2;

/// Makes the name of a title: never empty, never longer than `longest` bytes (but of one byte at least), and always the same for one title.
pub fn slug(title: &str, longest: usize) -> String {
    let title = on_one_line(title);
    let Spelling { stem, complete } = spell(&title);
    if complete && !stem.is_empty() && stem.len() <= longest && !is_device(&stem) {
        return stem;
    }
    let digits = hash_digits(&title);
    let stem = if stem.is_empty() { NAMELESS } else { stem.as_str() };
    let stem = shortened(stem, longest.saturating_sub(DIGITS + 1));
    if stem.is_empty() {
        return digits[..longest.clamp(1, DIGITS)].to_owned();
    }
    format!("{stem}-{digits}")
}

/// Tells whether a name from outside is one that [`slug()`] could have made, and so is safe as a file name everywhere.
pub fn is_slug(name: &str, longest: usize) -> bool {
    let fits = !name.is_empty() && name.len() <= longest;
    let spelt = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    fits && spelt
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
        && !is_device(name)
}

/// The form of a title that is hashed: what an editor or a file system does to a text does not make another title of it.
fn on_one_line(title: &str) -> String {
    let composed: String = title.nfc().collect();
    composed.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn hash_digits(title: &str) -> String {
    Hash::hash(title.as_bytes()).iter().take(DIGITS / 2).map(|byte| format!("{byte:02x}")).collect()
}

/// Tells whether Windows takes a name for a device, whatever its extension.
fn is_device(name: &str) -> bool {
    match name.as_bytes() {
        b"con" | b"prn" | b"aux" | b"nul" => true,
        [port @ .., digit] => matches!(port, b"com" | b"lpt") && digit.is_ascii_digit(),
        [] => false,
    }
}

/// Cuts a stem to its room, at a word if that leaves enough of it.
fn shortened(stem: &str, room: usize) -> &str {
    let Some(cut) = stem.get(..room) else { return stem };
    let ends_a_word = stem[room..].is_empty() || stem[room..].starts_with('-');
    let at_word = cut.rfind('-').filter(|at| at * LEAST_OF_THE_ROOM >= room && !ends_a_word);
    at_word.map_or(cut, |at| &cut[..at]).trim_end_matches('-')
}

/// A title in the letters of a name.
#[derive(Default)]
struct Spelling {
    stem: String,
    /// Whether nothing was lost that could tell two titles apart.
    complete: bool,
}

impl Spelling {
    fn push(&mut self, letter: char) {
        self.stem.push(letter.to_ascii_lowercase());
    }

    fn separate(&mut self) {
        if !self.stem.is_empty() && !self.stem.ends_with('-') {
            self.stem.push('-');
        }
    }

    fn word(&mut self, word: &str) {
        self.separate();
        self.stem.push_str(word);
        self.separate();
    }

    fn transliterate(&mut self, c: char) {
        // A sign is a word of its own; letters make words together.
        let sign = !c.is_alphanumeric();
        if sign {
            self.separate();
        }
        for letter in deunicode_char(c).unwrap_or_default().chars() {
            match letter {
                letter if letter.is_ascii_alphanumeric() => self.push(letter),
                '\'' | '`' => {} // Soft signs and glottal stops.
                _ => self.separate(),
            }
        }
        if sign {
            self.separate();
        }
    }
}

fn spell(title: &str) -> Spelling {
    let mut spelling = Spelling { complete: true, ..Spelling::default() };
    let mut before = ' ';
    let mut rest = title.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied().unwrap_or(' ');
        match c {
            c if c.is_ascii_alphanumeric() => spelling.push(c),
            // `don't` is one word, and `C++` and `C#` are not `C`.
            '\'' | '\u{2019}' if before.is_alphanumeric() && after.is_alphanumeric() => {}
            '+' if before.is_alphanumeric() && after.is_alphanumeric() => spelling.word("plus"),
            '+' if before.is_alphanumeric() || before == '+' => spelling.stem.push_str("plus"),
            '#' if before.is_ascii_alphabetic() => spelling.stem.push_str("sharp"),
            '&' => spelling.word("and"),
            '%' => spelling.word("percent"),
            '<' | '>' | '=' | '+' if !is_arrow(before, c, after) => {
                spelling.separate();
                spelling.complete = false;
            }
            c if c.is_whitespace() || is_plain_punctuation(c) => spelling.separate(),
            c if is_unseen(c) || is_selector(c) => {}
            c => {
                spelling.transliterate(c);
                spelling.complete &= is_european(c);
            }
        }
        before = c;
    }
    let stem = spelling.stem.trim_end_matches('-').len();
    spelling.stem.truncate(stem);
    spelling
}

/// Tells whether a sign is part of `->` or `=>`, which separate like a dash.
fn is_arrow(before: char, sign: char, after: char) -> bool {
    matches!((before, sign, after), ('-' | '=', '>', _) | (_, '=', '>'))
}

fn is_plain_punctuation(c: char) -> bool {
    let is_typographic = matches!(c, '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}');
    c.is_ascii_punctuation() || is_typographic || "¡§«¶·»¿→⇒".contains(c)
}

/// Tells whether a letter is a Latin one with an accent, as the languages of Europe write it.
fn is_european(c: char) -> bool {
    matches!(c, '\u{c0}'..='\u{17f}') && c.is_alphabetic()
}
