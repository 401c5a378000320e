//! How far a value without quotes reaches.
//!
//! A password may hold any sign, and the same signs separate: `a&b` in an address, `a;B=c` in a connection string, `a; b`
//! in a shell. What follows a separator decides. Another pair, a blank or nothing at all means that the value ended
//! before it.

use crate::charset::Set;
use crate::effort;
use crate::names;
use crate::scan::Scan;

/// How far into a value separators are looked for.
const REACH: usize = 512;

/// Returns the end of a value that has the rest of its line to itself.
pub(crate) fn of_line(scan: &mut Scan<'_, '_>, start: usize) -> usize {
    let end = scan.run(Set::Line, start);
    before_next(scan, start, end)
}

/// Returns the end of a value up to the first sign that can separate.
pub(crate) fn of_word(scan: &mut Scan<'_, '_>, start: usize) -> usize {
    let end = scan.run(Set::Bare, start);
    finish(scan, start, end)
}

/// Returns the end of a value in an address, where `&` separates, escaped or not.
pub(crate) fn of_parameter(scan: &mut Scan<'_, '_>, start: usize) -> usize {
    let end = scan.run(Set::Bare, start);
    finish(scan, start, start + before_escape(&scan.bytes[start..end]))
}

/// Adds padding to a value, and leaves the stop behind it to the sentence. Three stops say that the value goes on
/// elsewhere: they stay, to be judged.
fn finish(scan: &Scan<'_, '_>, start: usize, end: usize) -> usize {
    let end = with_padding(scan, end);
    let stops = scan.bytes[start..end].iter().rev().take(3).take_while(|b| matches!(b, b'.' | b':')).count();
    end - stops % 3
}

/// Returns the end of a value that goes on behind separators, where `word` is the end of its first word.
pub(crate) fn of_phrase(scan: &mut Scan<'_, '_>, start: usize, word: usize) -> usize {
    if !scan.byte(word).is_some_and(|b| matches!(b, b'&' | b';' | b',')) {
        return word;
    }
    let end = scan.run(Set::Phrase, word);
    let end = before_next(scan, start, end);
    let ends = scan.byte(end).is_none_or(|b| {
        b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'`' | b'\\' | b'&' | b';' | b',')
    });
    if ends { end } else { word }
}

/// Cuts a value off at the first separator behind which something else begins.
fn before_next(scan: &Scan<'_, '_>, start: usize, end: usize) -> usize {
    let reach = end.min(start + REACH);
    effort::spend(reach - start);
    (start..reach)
        .find(|&at| match scan.bytes[at] {
            b';' | b',' => at + 1 >= end || begins_pair(scan, at + 1),
            b'&' => at + 1 >= end || scan.has(at, "&&") || is_entity(scan, at) || begins_pair(scan, at + 1),
            b'|' => scan.has(at, "||"),
            _ => false,
        })
        .unwrap_or(end)
}

/// Says whether a name and its sign stand at `at`: `Database=`, `User Id=`, `token:`.
fn begins_pair(scan: &Scan<'_, '_>, at: usize) -> bool {
    let text = &scan.bytes[at..];
    let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'$' | b' ');
    let length = text.iter().take(names::LONGEST).take_while(|&&b| is_name(b)).count();
    effort::spend(length);
    text.first().is_some_and(u8::is_ascii_alphabetic) && matches!(text.get(length), Some(b'=' | b':'))
}

/// Says whether the `&` at `at` begins a character as HTML writes it: `&quot;`.
fn is_entity(scan: &Scan<'_, '_>, at: usize) -> bool {
    let name = &scan.bytes[at + 1..];
    let length = name.iter().take(7).take_while(|b| b.is_ascii_alphanumeric() || **b == b'#').count();
    length >= 2 && name.get(length) == Some(&b';')
}

/// Adds the padding of base64 to a value, if nothing goes on behind it.
pub(crate) fn with_padding(scan: &Scan<'_, '_>, end: usize) -> usize {
    let padding = scan.bytes[end..].iter().take(3).take_while(|&&b| b == b'=').count();
    let ends = scan.byte(end + padding).is_none_or(|b| !b.is_ascii_alphanumeric());
    if padding <= 2 && ends { end + padding } else { end }
}

/// Returns the length of a value up to an escaped separator of an address.
fn before_escape(value: &[u8]) -> usize {
    let reach = &value[..value.len().min(REACH)];
    let separates = |w: &[u8]| {
        w[0] == b'%' && matches!(&w[1..], b"26" | b"22" | b"27" | b"20" | b"0A" | b"0a" | b"7D" | b"2C")
    };
    reach.windows(3).position(separates).unwrap_or(value.len())
}
