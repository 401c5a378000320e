//! Where the brackets of a text do not match.
//!
//! This is no lexer of any of the languages. It knows of strings and comments as much as is needed not to count what stands in them, and
//! where it errs the parser has the last word: pieces are taken only if they show as much as the whole.

use super::{Cut, Piece};
use crate::language::Language;

/// Takes a text apart at each bracket that closes what the text did not open.
pub(super) fn pieces(language: Language, text: &str) -> Cut {
    let bytes = text.as_bytes();
    let mut pieces = Vec::new();
    let mut open: Vec<u8> = Vec::new();
    let (mut start, mut at) = (0, 0);
    // The last byte that was no white space: a slash after it divides, or begins an expression.
    let mut last = b'\n';
    let mut quotes = Quotes { misses: 0 };
    while let Some(byte) = bytes.get(at).copied() {
        if let Some(end) = quotes.skipped(language, bytes, at, last) {
            if !starts_comment(language, bytes, at) {
                last = b'"';
            }
            at = end;
            continue;
        }
        match byte {
            b'(' => open.push(b')'),
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            b')' | b']' | b'}' => {
                if let Some(opened) = open.iter().rposition(|closer| *closer == byte) {
                    open.truncate(opened);
                } else {
                    pieces.push(Piece { range: start..at, closers: closers(&open) });
                    open.clear();
                    start = at + 1;
                }
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            last = byte;
        }
        at += 1;
    }
    pieces.push(Piece { range: start..bytes.len(), closers: closers(&open) });
    Cut { pieces, is_sure: quotes.misses == 0 }
}

/// What closes all that is open, each on a line of its own: Go ends statements with their lines.
fn closers(open: &[u8]) -> String {
    open.iter().rev().flat_map(|closer| [char::from(*closer), '\n']).collect()
}

fn starts_comment(language: Language, bytes: &[u8], at: usize) -> bool {
    match language {
        Language::Python => bytes[at] == b'#',
        _ => bytes[at] == b'/' && matches!(bytes.get(at + 1), Some(b'/' | b'*')),
    }
}

/// How many quotes may turn out not to begin a string before none is believed any more. Each costs a look at the rest of the text.
const MISSES: usize = 64;

struct Quotes {
    misses: usize,
}

impl Quotes {
    /// Where the comment or string that begins here ends.
    fn skipped(&mut self, language: Language, bytes: &[u8], at: usize, last: u8) -> Option<usize> {
        let rest = &bytes[at..];
        if starts_comment(language, bytes, at) {
            let is_block = rest.starts_with(b"/*");
            let end = if is_block { find(&rest[2..], b"*/").map(|end| end + 4) } else { find(rest, b"\n") };
            return Some(end.map_or(bytes.len(), |end| at + end));
        }
        if self.misses > MISSES {
            return None;
        }
        let is_script = matches!(language, Language::TypeScript | Language::Tsx | Language::JavaScript);
        let length = match rest[0] {
            quote @ (b'"' | b'\'')
                if matches!(language, Language::Python | Language::Java) && rest.starts_with(&[quote; 3]) =>
            {
                find(&rest[3..], &[quote; 3]).map(|end| end + 6)
            }
            b'"' if language == Language::Rust => quoted(rest, true, true),
            b'r' if language == Language::Rust && !is_word(last) && begins_raw(rest) => raw(rest),
            // A lifetime, or a character.
            b'\'' if language == Language::Rust => {
                let is_character = rest.get(1).is_some_and(|byte| *byte == b'\\' || *byte > 127)
                    || rest.get(2) == Some(&b'\'');
                return is_character.then(|| quoted(rest, true, false)).flatten().map(|length| at + length);
            }
            b'"' | b'\'' => quoted(rest, true, false),
            b'`' if is_script || language == Language::Go => quoted(rest, is_script, true),
            b'/' if is_script && b"(=,:!&|?{};\n[".contains(&last) => quoted(rest, true, false),
            _ => return None,
        };
        if length.is_none() {
            self.misses += 1;
        }
        length.map(|length| at + length)
    }
}

/// The length of a string that ends with the byte it begins with.
fn quoted(rest: &[u8], escapes: bool, over_lines: bool) -> Option<usize> {
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        match byte {
            b'\\' if escapes => at += 1,
            b'\n' if !over_lines => return None,
            byte if *byte == rest[0] => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Tells a raw string of Rust from a name that begins with the same letter.
fn begins_raw(rest: &[u8]) -> bool {
    rest[1..].iter().find(|byte| **byte != b'#') == Some(&b'"')
}

/// The length of a raw string of Rust.
fn raw(rest: &[u8]) -> Option<usize> {
    let begins = 2 + rest[1..].iter().take_while(|byte| **byte == b'#').count();
    let mut end = vec![b'"'];
    end.extend(std::iter::repeat_n(b'#', begins - 2));
    find(&rest[begins..], &end).map(|at| begins + at + end.len())
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
