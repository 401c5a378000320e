//! Secrets that a sentence tells: `my password is hunter2`, `Das Passwort lautet „geheim“`.
//!
//! Most sentences that begin so go on with words: the password is wrong, the token is stored. A value is therefore taken
//! only if it is set in quotes or mixes letters and digits.

use std::ops::Range;

use crate::charset::Set;
use crate::placeholders::{invites, is_stand_in, stands_for_another};
use crate::quotes::Quote;
use crate::scan::Scan;
use crate::texture::{has_digit, has_letter};
use crate::values;

/// How such a sentence begins, as the table of shapes has it.
pub(crate) const OPENINGS: &[&str] = &[
    "password is",
    "Password is",
    "passphrase is",
    "Passphrase is",
    "Passwort ist",
    "Passwort lautet",
    "passwort ist",
    "passwort lautet",
    "Kennwort ist",
    "Kennwort lautet",
    "API key is",
    "API Key is",
    "api key is",
    "Api key is",
    "token is",
    "Token is",
    "Token ist",
    "Token lautet",
];

/// The shortest value between quotes, and without.
const SHORTEST: (usize, usize) = (4, 6);
/// Quotes that are not ASCII.
const OPENING: [&str; 4] = ["\u{201e}", "\u{201c}", "\u{2018}", "\u{00ab}"];
const CLOSING: [&str; 4] = ["\u{201c}", "\u{201d}", "\u{2019}", "\u{00bb}"];

/// Returns where the value is that the sentence tells, which goes on at `tail`.
pub(crate) fn value(scan: &mut Scan<'_, '_>, at: usize, tail: usize) -> Option<Range<usize>> {
    let colon = tail + usize::from(scan.byte(tail) == Some(b':'));
    let start = scan.skip_space(colon, false);
    if start == colon {
        return None;
    }
    if let Some(quote) = Quote::at(scan, start) {
        let value = quote.value(scan, start);
        let one_word = scan.run(Set::Line, value.start) == value.end && scan.byte(value.end).is_some();
        let text = &scan.bytes[value.clone()];
        // The next token is `union`: that of a parser.
        let syntax = quote.runs_a_command() && matches!(scan.bytes[at], b't' | b'T') && !has_digit(text);
        return (one_word && !syntax && is_told(text, SHORTEST.0)).then_some(value);
    }
    let word = start..scan.run(Set::Line, start);
    let text = &scan.bytes[word.clone()];
    if let Some(open) = OPENING.iter().find(|quote| text.starts_with(quote.as_bytes())) {
        let inner = &text[open.len()..];
        let length = (0..inner.len())
            .find(|&i| CLOSING.iter().any(|quote| inner[i..].starts_with(quote.as_bytes())))?;
        let value = start + open.len()..start + open.len() + length;
        return is_told(&scan.bytes[value.clone()], SHORTEST.0).then_some(value);
    }
    let stops = text.iter().rev().take(4).take_while(|b| b".,;:!?)]}>*".contains(b)).count();
    let value = start..word.end - stops;
    let text = &scan.bytes[value.clone()];
    // `32bytes`, `64-bit`: a measure.
    let measure =
        text.iter().skip_while(|b| b.is_ascii_digit()).all(|b| b.is_ascii_alphabetic() || *b == b'-')
            && text.first().is_some_and(u8::is_ascii_digit);
    let mixed = has_digit(text) && has_letter(text) && !measure && !values::is_code(text);
    (mixed && is_told(text, SHORTEST.1)).then_some(value)
}

fn is_told(text: &[u8], shortest: usize) -> bool {
    // `sha256-hashed` is how it is kept, `v1.2` a version.
    let head = text.split(|b| matches!(b, b'-' | b'_')).next().unwrap_or_default();
    let version =
        head.len() > 1 && head[0] == b'v' && head[1..].iter().all(|b| b.is_ascii_digit() || *b == b'.');
    text.len() >= shortest
        && !stands_for_another(text)
        && !is_stand_in(text)
        && !is_stand_in(head)
        && !invites(text)
        && !version
        && !text.iter().any(|b| matches!(b, b'(' | b'{' | b'<' | b'['))
}
