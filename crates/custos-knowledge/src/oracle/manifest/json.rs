//! JSON manifests, with the line of a key.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::super::findings::Source;
use super::super::notes::Page;

/// A manifest that is one object.
pub(super) struct Manifest<'p, 'a> {
    page: &'p Page<'a>,
    /// The text without comments, each sign where it was.
    text: Cow<'a, str>,
    object: Map<String, Value>,
}

impl<'p, 'a> Manifest<'p, 'a> {
    /// Reads a page.
    pub(super) fn read(page: &'p Page<'a>) -> Result<Self, String> {
        Self::of(page, Cow::Borrowed(page.text))
    }

    /// Reads a page that may have comments, and commas after the last of several.
    pub(super) fn read_commented(page: &'p Page<'a>) -> Result<Self, String> {
        Self::of(page, Cow::Owned(without_comments(page.text)))
    }

    fn of(page: &'p Page<'a>, text: Cow<'a, str>) -> Result<Self, String> {
        match serde_json::from_str(&text) {
            Ok(Value::Object(object)) => Ok(Self { page, text, object }),
            Ok(_) => Err("it is JSON, but no object".to_owned()),
            Err(error) => Err(format!("line {} is not valid JSON", error.line())),
        }
    }

    /// The text at a key.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.object.get(key)?.as_str()
    }

    /// The value at a key.
    pub(super) fn value(&self, key: &str) -> Option<&Value> {
        self.object.get(key)
    }

    /// The members of the object at a key that are texts, in the order of their names.
    pub(super) fn texts(&self, key: &str) -> impl Iterator<Item = (&str, &str)> {
        let members = self.object.get(key).and_then(Value::as_object);
        members.into_iter().flatten().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
    }

    /// Where a key is, inside of another if two are given. The parser keeps no positions, so it is looked for; where it is not found
    /// as it was spelt, the file alone is named.
    pub(super) fn source(&self, keys: &[&str]) -> Source {
        let mut from = 0;
        for key in keys {
            match find_key(&self.text[from..], key) {
                Some(at) => from += at,
                None => return self.page.source(),
            }
        }
        self.page.at(from)
    }
}

/// Puts blanks in place of comments, and of commas before a closing bracket. All else stays where it is, so that a place in one text is one in the other.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    // Where the last comma is that nothing but white space follows.
    let mut comma = None;
    let mut at = 0;
    while let Some(sign) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match sign {
            '"' => text_length(rest),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            sign => sign.len_utf8(),
        };
        let piece = &rest[..length];
        at += length;
        if sign == '/' && length > 1 {
            plain.extend(piece.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
            continue;
        }
        match sign {
            ',' => comma = Some(plain.len()),
            ']' | '}' => {
                if let Some(comma) = comma.take() {
                    plain.replace_range(comma..=comma, " ");
                }
            }
            sign if !sign.is_whitespace() => comma = None,
            _ => {}
        }
        plain.push_str(piece);
    }
    plain
}

/// How long the text in quotes is that something begins with; all of it where the quotes are not closed.
fn text_length(rest: &str) -> usize {
    let mut escaped = false;
    let end = rest.char_indices().skip(1).find(|(_, sign)| {
        let is_end = *sign == '"' && !escaped;
        escaped = *sign == '\\' && !escaped;
        is_end
    });
    end.map_or(rest.len(), |(at, _)| at + 1)
}

/// Finds `"key"` with a colon after it.
fn find_key(text: &str, key: &str) -> Option<usize> {
    let quoted = format!("\"{key}\"");
    text.match_indices(&quoted)
        .find(|(at, _)| text[at + quoted.len()..].trim_start().starts_with(':'))
        .map(|(at, _)| at)
}
