//! In what manner a value without quotes is written, read from what stands around it.
//!
//! `password: hunter` is an entry of a YAML file, a parameter with its type, or a property with its variable. The
//! characters are the same; the lines above and below are not. Code opens a bracket before or closes one behind, and
//! separates with commas; an entry has its line to itself.

use std::ops::Range;

use crate::charset::Set;
use crate::effort;
use crate::scan::Scan;
use crate::values::Manner;

/// How far the neighbours of a pair are looked at.
const REACH: usize = 64;

/// Says how the value at `value` is written, whose name stands before the sign at `sign`.
pub(crate) fn of(scan: &mut Scan<'_, '_>, name: &Range<usize>, sign: usize, value: usize) -> Manner {
    let text = &scan.bytes[name.clone()];
    let before = scan.before(name.start);
    let encoded = |codes: [&[u8]; 2]| codes.iter().any(|code| text.starts_with(code));
    let behind = |words: &[u8]| scan.bytes[scan.floor..name.start].ends_with(words);
    if text.starts_with(b"--") || text == b"pass" && behind_pass_option(scan, name.start) {
        return Manner::Option;
    }
    let percent = before == Some(b'%') && encoded([b"26", b"3F"]);
    if percent || behind(b"&amp;") || behind(b"\\u0026") || matches!(before, Some(b'?' | b'&')) {
        return Manner::Parameter;
    }
    // A line that a diff takes away begins with a dash.
    let plain = text.strip_prefix(b"-").unwrap_or(text);
    let shouted = plain.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_');
    let connection = before == Some(b';') && text[0].is_ascii_uppercase();
    let header = encoded([b"X-", b"x-"]);
    let assigned = scan.byte(sign) == Some(b'=') && value == sign + 1 && name.end == sign;
    if assigned && shouted && is_declared(scan, name.start) {
        Manner::Declared
    } else if header || assigned && (shouted || connection) {
        Manner::Environment
    } else if is_entry(scan, name, sign, value, assigned) {
        Manner::Entry
    } else {
        Manner::Bare
    }
}

/// Says whether a line begins at `at`, or behind `export`.
pub(crate) fn begins_line(scan: &Scan<'_, '_>, at: usize) -> bool {
    let before = &scan.bytes[scan.floor..at];
    let before = before.strip_suffix(b"export ").unwrap_or(before);
    before.last().is_none_or(|&b| b == b'\n') || before.ends_with(b"\\n")
}

/// Says whether `pass:` says where openssl has a password from.
fn behind_pass_option(scan: &Scan<'_, '_>, at: usize) -> bool {
    let before = &scan.bytes[scan.floor..at];
    let before = before.strip_suffix(b"'").or_else(|| before.strip_suffix(b"\"")).unwrap_or(before);
    [b"-passin ".as_slice(), b"-passout ", b"-pass "].iter().any(|option| before.ends_with(option))
}

/// Says whether a variable is set at `at`: at the start of a line or of a string, or as a word of a command. Behind a
/// comma or a bracket it is the argument of a call.
fn is_declared(scan: &Scan<'_, '_>, at: usize) -> bool {
    let before = &scan.bytes[scan.floor..at];
    if before.ends_with(b"\\n")
        || before.ends_with(b"env=")
        || before.ends_with(b"-e=")
        || before.ends_with(b"$env:")
    {
        return true;
    }
    match before.last() {
        None | Some(b'\n' | b'"' | b'\'' | b'+') => true,
        Some(b' ' | b'\t') => {
            let blanks = before.iter().rev().take(REACH).take_while(|b| matches!(b, b' ' | b'\t')).count();
            effort::spend(blanks);
            !matches!(before[..before.len() - blanks].last(), Some(b',' | b'('))
        }
        Some(b) => !b.is_ascii(),
    }
}

/// Says whether a pair is an entry of a configuration file, or one of a list of pairs.
fn is_entry(scan: &mut Scan<'_, '_>, name: &Range<usize>, sign: usize, value: usize, assigned: bool) -> bool {
    let colon = scan.byte(sign) == Some(b':') && value > sign + 1;
    if !colon && !assigned {
        return false;
    }
    let end = scan.run(Set::Bare, value);
    let behind = scan.skip_space(end, false);
    let ends_line = match scan.byte(behind) {
        None | Some(b'\n' | b'\r') => true,
        Some(b'\\') => matches!(scan.byte(behind + 1), Some(b'n' | b'r')),
        Some(b'"' | b'\'' | b'`') => behind == end,
        Some(b'#') => behind > end,
        _ => false,
    };
    if ends_line && above(scan, name.start).is_some_and(|above| !opens(above)) {
        return !closes_below(scan, behind);
    }
    let blank = |b: Option<u8>| matches!(b, Some(b' ' | b'\t'));
    assigned
        && (ends_line || behind > end)
        && (blank(scan.before(name.start))
            && is_pair(scan.bytes[scan.floor..name.start - 1].rsplit(|&b| is_break(b)))
            || behind > end && is_pair(scan.bytes[behind..].split(|&b| is_break(b))))
}

fn is_break(b: u8) -> bool {
    b.is_ascii_whitespace() || matches!(b, b'"' | b'\'')
}

/// Says whether the first of some words is itself a pair.
fn is_pair<'t>(mut words: impl Iterator<Item = &'t [u8]>) -> bool {
    let word = words.next().unwrap_or_default();
    effort::spend(word.len().min(REACH));
    let name = word
        .iter()
        .take(REACH)
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
        .count();
    name > 0 && word.get(name) == Some(&b'=') && word.get(name + 1).is_some_and(|b| *b != b'=')
}

/// Returns the text above the line that the name at `at` begins, after blanks and the sign of a list or a diff, or
/// `None` if something else stands before it.
fn above<'t>(scan: &Scan<'t, '_>, at: usize) -> Option<&'t [u8]> {
    let before = &scan.bytes[scan.floor..at];
    let blank = |b: &&u8| matches!(b, b' ' | b'\t' | b'-' | b'+' | b'*');
    let margin = before.iter().rev().take(REACH).take_while(blank).count();
    effort::spend(margin);
    let before = &before[..before.len() - margin];
    match before.last() {
        None | Some(b'"' | b'\'') => Some(b""),
        Some(b'\n') => Some(&before[..before.len() - 1]),
        _ => before.strip_suffix(b"\\n"),
    }
}

/// Says whether a text ends in the middle of something: behind a bracket, a comma or a semicolon.
fn opens(text: &[u8]) -> bool {
    let blanks = text.iter().rev().take(REACH).take_while(|b| b.is_ascii_whitespace()).count();
    effort::spend(blanks);
    matches!(text[..text.len() - blanks].last(), Some(b'(' | b'[' | b'{' | b',' | b';'))
}

/// Says whether the first thing below a line is a closing bracket.
fn closes_below(scan: &Scan<'_, '_>, line_end: usize) -> bool {
    matches!(scan.byte(scan.skip_space(line_end, true)), Some(b')' | b']' | b'}'))
}
