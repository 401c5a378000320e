//! The form in which we write front matter, and a quick way to read it.
//!
//! A store of a thousand files is read at a stroke, and nearly all of them are in the form that we write: one line for a text or a list, or
//! a line for each item. For these a look at each line is enough. Whatever is not certain to be that form (a comment, an anchor, a text over
//! several lines) is left to the YAML parser; that both read the same is proved by a property test.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::code::{Line, lines};
use super::entry::{Entry, MOST_KEYS, Piece, Value, is_null};
use super::unseen::{is_joiner, is_unseen};

/// The longest line of a list; a longer list gets a line for each item.
const WIDEST_LIST: usize = 100;

/// The longest key that is read here. YAML ends its own keys at 1,024 characters.
const LONGEST_KEY: usize = 128;

/// Where a text without quotes stands: between the brackets of a list more characters have a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Line,
    Brackets,
}

/// Reads front matter in our own form; `None` if it is not certain to be that.
pub(super) fn read(source: &str) -> Option<Vec<Entry>> {
    let mut entries: Vec<Entry> = Vec::with_capacity(12);
    let mut takes_items = false;
    for Line { start, text: line, next } in lines(source) {
        if let Some(item) = line.strip_prefix("  - ") {
            let entry = entries.last_mut().filter(|_| takes_items)?;
            let item = read_scalar(item, start + line.len() - item.len(), Place::Line)?;
            match &mut entry.value {
                Value::List(items) => items.push(item),
                value => *value = Value::List(vec![item]),
            }
            entry.lines.end = next;
            continue;
        }
        let colon = line.bytes().take(LONGEST_KEY + 1).position(|byte| byte == b':')?;
        if !is_plain_key(&line[..colon]) || entries.len() == MOST_KEYS {
            return None;
        }
        let rest = &line[colon + 1..];
        takes_items = rest.is_empty();
        let value =
            if takes_items { Value::Empty } else { read_value(rest.strip_prefix(' ')?, start + colon + 2)? };
        entries.push(Entry { key: Piece::Here(start..start + colon), value, lines: start..next });
    }
    Some(entries)
}

fn read_value(text: &str, at: usize) -> Option<Value> {
    if let Some(items) = text.strip_prefix('[') {
        return read_brackets(items, at + 1).map(Value::List);
    }
    if is_null(text) {
        return (!text.is_empty()).then_some(Value::Empty);
    }
    read_scalar(text, at, Place::Line).map(Value::Text)
}

fn read_scalar(text: &str, at: usize, place: Place) -> Option<Piece> {
    match text.strip_prefix('"') {
        Some(quoted) => {
            let (piece, length) = read_quoted(quoted, at + 1)?;
            (length == quoted.len()).then_some(piece)
        }
        None => is_plain(text, place).then(|| Piece::Here(at..at + text.len())),
    }
}

/// Reads the items of a list behind its bracket.
fn read_brackets(text: &str, at: usize) -> Option<Vec<Piece>> {
    let mut items = Vec::new();
    let mut done = 0;
    if text == "]" {
        return Some(items);
    }
    loop {
        let rest = &text[done..];
        let length = if let Some(quoted) = rest.strip_prefix('"') {
            let (piece, length) = read_quoted(quoted, at + done + 1)?;
            items.push(piece);
            length + 1
        } else {
            let length = rest.find([',', ']'])?;
            items.push(read_scalar(&rest[..length], at + done, Place::Brackets)?);
            length
        };
        let rest = &rest[length..];
        if rest == "]" {
            return Some(items);
        }
        rest.strip_prefix(", ")?;
        done += length + 2;
    }
}

/// Reads a text behind its opening quote; gives it with the number of bytes up to and with the closing one.
fn read_quoted(text: &str, at: usize) -> Option<(Piece, usize)> {
    let mut made: Option<String> = None;
    let mut rest = text.char_indices();
    while let Some((here, c)) = rest.next() {
        let read = match c {
            '"' => {
                let piece = made.map_or(Piece::Here(at..at + here), Piece::Made);
                return Some((piece, here + 1));
            }
            '\\' => {
                made.get_or_insert_with(|| text[..here].to_owned());
                match rest.next()?.1 {
                    same @ ('"' | '\\' | '/') => same,
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'u' => {
                        let digits = text
                            .get(here + 2..here + 6)
                            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
                        rest.nth(3)?;
                        char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
                    }
                    _ => return None,
                }
            }
            c if is_hidden(c) => return None,
            c => c,
        };
        if let Some(made) = &mut made {
            made.push(read);
        }
    }
    None
}

fn is_hidden(c: char) -> bool {
    is_unseen(c) && !is_joiner(c)
}

fn is_plain_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Tells whether a text needs no quotes: more careful than YAML.
fn is_plain(text: &str, place: Place) -> bool {
    let begins = text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '('));
    if !begins || text.ends_with([' ', ':']) {
        return false;
    }
    let mut before = ' ';
    for c in text.chars() {
        let fits = match c {
            ',' | '[' | ']' | '{' | '}' | '"' | '\'' | ':' | '#' if place == Place::Brackets => false,
            '#' => before != ' ',
            ' ' => before != ':',
            c => !is_hidden(c),
        };
        if !fits {
            return false;
        }
        before = c;
    }
    true
}

/// Tells whether YAML, in any of its versions, would take a word for something else than a text. Dates are not meant: they read the same.
fn has_another_type(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let number = lower.replace('_', "");
    is_null(text)
        || matches!(lower.as_str(), "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n")
        || number.parse::<f64>().is_ok()
        || ["0x", "0o", "0b"].iter().any(|radix| number.starts_with(radix))
        || number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'))
}

fn scalar(text: &str, place: Place) -> Cow<'_, str> {
    if is_plain(text, place) && text.trim() == text && !has_another_type(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(quoted(text))
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) => {
                // A string takes every write.
                let _ = match u32::from(c) {
                    code @ ..=0xffff => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Writes a key as it stands before its colon.
pub(super) fn key(key: &str) -> Cow<'_, str> {
    if is_plain_key(key) && !has_another_type(key) { Cow::Borrowed(key) } else { Cow::Owned(quoted(key)) }
}

/// Writes an entry with a text, without the end of its line.
pub(super) fn text_entry(name: &str, text: &str) -> String {
    format!("{}: {}", key(name), scalar(text, Place::Line))
}

/// Writes an entry with a list: on one line if that is short, else with a line for each item, which reviews and merges better.
pub(super) fn list_entry(name: &str, items: &[impl AsRef<str>]) -> String {
    let name = key(name);
    let in_brackets: Vec<_> = items.iter().map(|item| scalar(item.as_ref(), Place::Brackets)).collect();
    let line = format!("{name}: [{}]", in_brackets.join(", "));
    if line.chars().count() <= WIDEST_LIST {
        return line;
    }
    let mut lines = format!("{name}:");
    for item in items {
        lines.extend(["\n  - ", &item_of_line(item.as_ref())]);
    }
    lines
}

/// Writes an item of a list as it stands on a line of its own, behind the hyphen.
pub(super) fn item_of_line(item: &str) -> Cow<'_, str> {
    scalar(item, Place::Line)
}
