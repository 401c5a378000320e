//! Tool-call markup that leaked into a text.
//!
//! A model that loses count of its tags ends an argument with `</parameter>` or goes on with the next one inside it. The tags are taken out;
//! what another argument began with is cut off, for it belongs to another field. Code is left alone, so that a note about such markup can be
//! written: between backticks.

use std::borrow::Cow;

use super::code::code_ranges;

/// The elements of tool calls. An opening tag of the first two has a name; without one it is somebody's XML.
const ELEMENTS: &[(&str, bool)] = &[
    ("parameter", true),
    ("invoke", true),
    ("function_calls", false),
    ("function_call", false),
    ("function_results", false),
    ("tool_calls", false),
    ("tool_call", false),
];

/// The prefix under which one vendor's models know the same elements.
const PREFIX: &str = "antml:";

/// The longest tag that is looked for, in bytes.
const LONGEST_TAG: usize = 256;

/// Takes leaked markup out of a text, and cuts off the arguments of other fields behind it.
pub fn strip_markup(text: &str) -> Cow<'_, str> {
    if !text.contains('<') {
        return Cow::Borrowed(text);
    }
    let tags = tags_outside_code(text);
    if tags.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut kept = 0;
    for (index, tag) in tags.iter().enumerate() {
        out.push_str(&text[kept..tag.start]);
        kept = tag.end;
        if tag.sort == Sort::EndOfParameter && begins_parameter(text, &tags[index..]) {
            kept = text.len();
            break;
        }
    }
    let rest = &text[kept..];
    if rest.trim().is_empty() {
        // Nothing but the blanks between tags is left at the end.
        out.truncate(out.trim_end().len());
    } else {
        out.push_str(rest);
    }
    Cow::Owned(out)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    BeginningOfParameter,
    EndOfParameter,
    Other,
}

#[derive(Debug, Clone, Copy)]
struct Tag {
    start: usize,
    end: usize,
    sort: Sort,
}

/// Tells whether the first of some tags is followed by a parameter, with nothing between them but blanks and tags.
fn begins_parameter(text: &str, tags: &[Tag]) -> bool {
    for pair in tags.windows(2) {
        let (Some(this), Some(next)) = (pair.first(), pair.last()) else { return false };
        if !text[this.end..next.start].trim().is_empty() {
            return false;
        }
        match next.sort {
            Sort::BeginningOfParameter => return true,
            Sort::EndOfParameter => return false, // It is asked about in its turn.
            Sort::Other => {}
        }
    }
    false
}

fn tags_outside_code(text: &str) -> Vec<Tag> {
    let mut code = code_ranges(text).into_iter().peekable();
    let mut tags: Vec<Tag> = Vec::new();
    for (at, _) in text.match_indices('<') {
        while code.next_if(|range| range.end <= at).is_some() {}
        let in_code = code.peek().is_some_and(|range| range.contains(&at));
        let in_tag = tags.last().is_some_and(|tag| at < tag.end);
        if !in_code && !in_tag {
            tags.extend(tag_at(text, at));
        }
    }
    tags
}

fn tag_at(text: &str, start: usize) -> Option<Tag> {
    let inner = &text[start + 1..];
    if let Some(bar) = ['|', '\u{ff5c}'].into_iter().find(|bar| inner.starts_with(*bar)) {
        return special_token(inner, bar).map(|length| Tag {
            start,
            end: start + 1 + length,
            sort: Sort::Other,
        });
    }
    let length = inner.bytes().take(LONGEST_TAG).position(|byte| matches!(byte, b'>' | b'<' | b'\n'))?;
    if inner.as_bytes().get(length) != Some(&b'>') {
        return None;
    }
    let (ends, name) = match inner[..length].strip_prefix('/') {
        Some(name) => (true, name),
        None => (false, &inner[..length]),
    };
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    let (name, attributes) = name.split_at(name.find(char::is_whitespace).unwrap_or(name.len()));
    let (element, named) = ELEMENTS.iter().find(|(element, _)| *element == name)?;
    let attributes = attributes.trim();
    let fits = if ends || !named { attributes.is_empty() } else { attributes.starts_with("name=") };
    let sort = match *element {
        "parameter" if ends => Sort::EndOfParameter,
        "parameter" => Sort::BeginningOfParameter,
        _ => Sort::Other,
    };
    fits.then_some(Tag { start, end: start + 1 + length + 1, sort })
}

/// The length of a token such as `<|im_end|>` behind its first character.
fn special_token(inner: &str, bar: char) -> Option<usize> {
    let name = &inner[bar.len_utf8()..];
    let length =
        name.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.' | ':' | '/' | '\u{2581}'))?;
    let end = name[length..].strip_prefix(bar)?.starts_with('>');
    let sensible = (1..=64).contains(&length) && end;
    sensible.then_some(bar.len_utf8() + length + bar.len_utf8() + 1)
}
