//! A telling name, a sign, a value: `DB_PASSWORD=…`, `"client_secret": "…"`, `password: …`, `?token=…`, `<password>…`.
//!
//! The sign is what the walk stops at; the name is read backwards from it. Most signs have no telling name, and that
//! is soon seen. Only then is the value looked for, and how it is written decides what it
//! must look like (`values`).

use std::ops::Range;

use crate::charset::Set;
use crate::header;
use crate::names::{self, Class, Telling, telling};
use crate::quotes::{self, Quote};
use crate::redaction::Finding;
use crate::scan::Scan;
use crate::texture;
use crate::values::{self, Manner};
use crate::{effort, extent, manner, shapes};

/// The most blanks between a name and its sign.
const WIDEST_GAP: usize = 32;
/// The longest type between a name and its value: `password: Option<String> = "…"`.
const LONGEST_TYPE: usize = 48;
/// The longest text of an XML element.
const LONGEST_ELEMENT: usize = 512;
/// The shortest value that is taken from the line below its name.
const SHORTEST_BELOW: usize = 20;

/// Takes the value behind the sign at `sign`, which ends at `from`, if the name before it tells.
pub(crate) fn at(scan: &mut Scan<'_, '_>, sign: usize, from: usize) -> Option<usize> {
    let name = name_before(scan, sign)?;
    let telling = telling(&scan.bytes[name.clone()]).or_else(|| two_words(scan, &name))?;
    let mut from = from;
    while from < sign + 4 && matches!(scan.byte(from), Some(b'=' | b'>')) {
        from += 1;
    }
    if scan.has(from, "**") {
        // The end of bold type: `**Password:** …`.
        from += 2;
    }
    if matches!(telling.class, Class::Authorization | Class::Cookie) {
        let mut value = scan.skip_space(from, true);
        if let Some(quote) = Quote::at(scan, value) {
            value = quote.value(scan, value).start;
        }
        let take = if telling.class == Class::Cookie { header::cookies } else { header::authorization };
        return take(scan, value);
    }
    let start = value_start(scan, from);
    if let Some(quote) = Quote::at(scan, start) {
        let range = quote.value(scan, start);
        if let Some(end) = judge(scan, telling, range.clone(), Manner::Quoted) {
            return Some(end);
        }
        let declared = !quote.runs_a_command() && manner::of(scan, &name, sign, start) == Manner::Declared;
        return if declared { judge(scan, telling, range, Manner::Declared) } else { None };
    }
    if scan.byte(sign) == Some(b':')
        && let Some((quote, start)) = behind_type(scan, start)
    {
        let range = quote.value(scan, start);
        return judge(scan, telling, range, Manner::Quoted);
    }
    bare(scan, telling, &name, sign, from)
}

/// Takes the text of the XML element whose opening tag ends at `close`.
pub(crate) fn element(scan: &mut Scan<'_, '_>, close: usize) -> Option<usize> {
    let name = name_before(scan, close)?;
    if scan.before(name.start) != Some(b'<') || name.end != close {
        return None;
    }
    let telling = telling(&scan.bytes[name])?;
    let start = close + 1;
    let text = &scan.bytes[start..];
    let length = text.iter().take(LONGEST_ELEMENT).take_while(|&&b| b != b'<' && b != b'\n').count();
    effort::spend(length);
    let closed = scan.has(start + length, "</") || scan.has(start + length, "<\\/");
    if closed { judge(scan, telling, start..start + length, Manner::Quoted) } else { None }
}

/// Takes the value if it is a secret, under the name of its own shape if it has one.
pub(crate) fn judge(
    scan: &mut Scan<'_, '_>,
    telling: Telling,
    range: Range<usize>,
    manner: Manner,
) -> Option<usize> {
    if range.is_empty() || !values::is_secret(telling, &scan.bytes[range.clone()], manner) {
        return None;
    }
    let shape = shapes::at(scan, range.start).filter(|Finding { range: whole, .. }| *whole == range);
    let kind = shape.map_or(telling.kind, |finding| finding.kind);
    Some(scan.take(kind, range))
}

/// Reads the name before a sign: over blanks, a closing quote or bracket, and whatever marks it as optional or bold.
fn name_before(scan: &Scan<'_, '_>, sign: usize) -> Option<Range<usize>> {
    let bytes = scan.bytes;
    let blanks = bytes[scan.floor..sign]
        .iter()
        .rev()
        .take(WIDEST_GAP)
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    let mut end = sign - blanks;
    let decoration = bytes[scan.floor..end].iter().rev().take(2).take_while(|b| b"]?!*".contains(b)).count();
    end = quotes::before(scan, end - decoration);
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'$');
    let length =
        bytes[scan.floor..end].iter().rev().take(names::LONGEST + 1).take_while(|b| is_name(b)).count();
    effort::spend(length);
    if length == 0 || length > names::LONGEST {
        return None;
    }
    let mut start = end - length;
    // The letters of an escape before the name are not part of it: `\npassword=`, `\u0026token=`.
    if scan.before(start) == Some(b'\\') {
        start += match bytes[start] {
            b'n' | b'r' | b't' => 1,
            b'u' if length > 5 && bytes[start + 1..start + 5].iter().all(u8::is_ascii_hexdigit) => 5,
            _ => 0,
        };
    }
    (start < end).then_some(start..end)
}

/// Reads a name of two words, as people write it: `API key: …`.
fn two_words(scan: &Scan<'_, '_>, name: &Range<usize>) -> Option<Telling> {
    if !scan.bytes[name.clone()].eq_ignore_ascii_case(b"key") || scan.before(name.start) != Some(b' ') {
        return None;
    }
    let head = &scan.bytes[scan.floor..name.start - 1];
    let length = head.iter().rev().take(16).take_while(|b| b.is_ascii_alphabetic()).count();
    telling(&scan.bytes[name.start - 1 - length..name.end])
}

/// Steps over blanks, a line break and the letter before a string (`b"…"`, `f"…"`).
fn value_start(scan: &Scan<'_, '_>, from: usize) -> usize {
    let mut at = scan.skip_space(from, false);
    if scan.has(at, "\\\n") {
        at += 1;
    }
    at = scan.skip_space(at, true);
    let letter = matches!(scan.byte(at), Some(b'b' | b'B' | b'r' | b'R' | b'u' | b'f' | b'F' | b'L' | b'@'));
    if letter && matches!(scan.byte(at + 1), Some(b'"' | b'\'')) { at + 1 } else { at }
}

/// Finds the quoted value behind a type: `: &str = "…"`.
fn behind_type(scan: &Scan<'_, '_>, start: usize) -> Option<(Quote, usize)> {
    let text = scan.bytes.get(start..)?;
    let is_type = |b: u8| b.is_ascii_alphanumeric() || b"_<>&'[]|?:. ".contains(&b);
    let length = text.iter().take(LONGEST_TYPE).take_while(|&&b| is_type(b)).count();
    effort::spend(length);
    if length == 0 || text.get(length) != Some(&b'=') {
        return None;
    }
    let value = value_start(scan, start + length + 1);
    Quote::at(scan, value).map(|quote| (quote, value))
}

/// Takes a value without quotes.
fn bare(
    scan: &mut Scan<'_, '_>,
    telling: Telling,
    name: &Range<usize>,
    sign: usize,
    from: usize,
) -> Option<usize> {
    let start = scan.skip_space(from, false);
    let below = value_start(scan, from);
    if below > start && scan.run(Set::Bare, start) == start {
        return from_line_below(scan, telling, below);
    }
    let manner = manner::of(scan, name, sign, start);
    if manner == Manner::Declared && manner::begins_line(scan, name.start) {
        let end = extent::of_line(scan, start);
        return judge(scan, telling, start..end, manner);
    }
    if manner == Manner::Parameter || scan.byte(sign) == Some(b'%') {
        let end = extent::of_parameter(scan, start);
        return judge(scan, telling, start..end, manner);
    }
    let word = extent::of_word(scan, start);
    if matches!(scan.byte(word), Some(b'(' | b'[' | b'{')) {
        return None;
    }
    if manner != Manner::Declared && telling.class != Class::Password {
        return judge(scan, telling, start..word, manner);
    }
    let end = extent::of_phrase(scan, start, word);
    // In code a separator ends the value, so that the first word must pass for a password too.
    let member = scan.bytes[name.clone()].contains(&b'.');
    let is_code = member && !values::is_secret(telling, &scan.bytes[start..word], manner);
    if is_code { None } else { judge(scan, telling, start..end, manner) }
}

/// Takes a value from the line below its name: only if it is alone there and could be nothing else.
fn from_line_below(scan: &mut Scan<'_, '_>, telling: Telling, start: usize) -> Option<usize> {
    let end = scan.run(Set::Bare, start);
    let end = extent::with_padding(scan, end);
    let value = &scan.bytes[start..end];
    let alone = scan.byte(end).is_none_or(|b| matches!(b, b'\n' | b'\r' | b'\\' | b'"'));
    if !alone || value.len() < SHORTEST_BELOW || !texture::is_drawn(value) {
        return None;
    }
    judge(scan, telling, start..end, Manner::Bare)
}
