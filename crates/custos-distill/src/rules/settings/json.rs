//! JSON with or without comments, cut anywhere: read token by token, so that its layout does not matter.

use super::Entry;
use super::formats::{entry, item};

/// What is open around a token.
enum Open {
    Object(String),
    List(String),
}

/// Reads keys and values.
pub(super) fn read(text: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut key: Option<String> = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let width = c.len_utf8();
        match c {
            '"' | '\'' => {
                let (inner, after) = string(rest, c);
                rest = after;
                let is_key = after.trim_start().starts_with(':');
                if is_key {
                    key = Some(inner.to_owned());
                } else {
                    value(&mut found, &open, key.take(), inner);
                }
                continue;
            }
            '/' if rest.starts_with("//") => {
                rest = rest.split_once('\n').map_or("", |(_, after)| after);
                continue;
            }
            '/' if rest.starts_with("/*") => {
                rest = rest.split_once("*/").map_or("", |(_, after)| after);
                continue;
            }
            '{' => open.push(Open::Object(key.take().unwrap_or_default())),
            '[' => open.push(Open::List(key.take().unwrap_or_default())),
            '}' | ']' => {
                open.pop();
                key = None;
            }
            ':' | ',' => {}
            _ if c.is_whitespace() => {}
            _ => {
                let end = rest
                    .find(|c: char| c.is_whitespace() || matches!(c, ',' | '}' | ']' | ':'))
                    .unwrap_or(rest.len())
                    .max(width);
                let word = &rest[..end];
                rest = &rest[end..];
                if rest.trim_start().starts_with(':') {
                    key = Some(word.to_owned());
                } else {
                    value(&mut found, &open, key.take(), word);
                }
                continue;
            }
        }
        rest = &rest[width..];
    }
    found
}

fn value(found: &mut Vec<Entry>, open: &[Open], key: Option<String>, value: &str) {
    let path: Vec<&str> = open
        .iter()
        .map(|open| match open {
            Open::Object(name) | Open::List(name) => name.as_str(),
        })
        .collect();
    match (key, open.last()) {
        (Some(key), _) => found.push(entry(&path, &key, value)),
        (None, Some(Open::List(_))) => found.push(item(&path, value)),
        (None, _) => {}
    }
}

fn string(text: &str, quote: char) -> (&str, &str) {
    let inner = &text[1..];
    let mut escaped = false;
    for (at, c) in inner.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return (&inner[..at], &inner[at + 1..]),
            '\n' => return (&inner[..at], &inner[at..]),
            _ => {}
        }
    }
    (inner, "")
}
