//! Tool-call markup that leaked into a text.
//!
//! A model that loses count of its tags ends an argument with `</parameter>`, or with its name as in `</title>`, and goes on with the next one
//! inside it. The tags are taken out; what another argument began with is cut off, for it belongs to another field. Whoever knows the other
//! fields asks first what is cut off, and gives it to them ([`leaked`]).
//!
//! Somebody may well write about such markup. Code is left alone, between backticks or fences; and so is a tag in the midst of a sentence, with
//! more of it on the same line, where nothing else says that the text has a leak.

use std::borrow::Cow;
use std::ops::Range;

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
    let tags = tags_outside_code(text);
    if tags.is_empty() {
        return Cow::Borrowed(text);
    }
    if let Some(at) = cut_at(text, &tags) {
        return Cow::Owned(without(text, 0..tags[at].start, &tags[..at]));
    }
    let leaks = without_mentions(text, tags);
    if leaks.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(without(text, 0..text.len(), &leaks)) }
}

/// Leaves those tags that are leaks: others are followed by more of their line. A tag that begins an argument is followed by it in any case, so
/// it is one at the beginning of a line; and an end whose beginning is somebody's words is as well.
fn without_mentions(text: &str, tags: Vec<Tag>) -> Vec<Tag> {
    let mut follows = vec![false; tags.len()];
    let mut next = None;
    for (at, tag) in tags.iter().enumerate().rev() {
        let behind = &text[tag.end..next.map_or(text.len(), |next: Tag| next.start)];
        let rest_of_line = behind.split('\n').next().unwrap_or(behind);
        // A tag right behind it is followed by what follows that one.
        let is_next_in_line = next.is_some() && rest_of_line.len() == behind.len();
        follows[at] = !rest_of_line.trim().is_empty() || is_next_in_line && follows[at + 1];
        next = Some(*tag);
    }
    let (mut leaks, mut is_begun) = (Vec::new(), false);
    let mut begins_line = true;
    let mut end = 0;
    for (tag, is_followed) in tags.into_iter().zip(follows) {
        let before = &text[end..tag.start];
        let line = before.rsplit('\n').next().unwrap_or(before);
        begins_line = line.trim().is_empty() && (begins_line || line.len() < before.len());
        end = tag.end;
        let is_end = text[tag.start..].starts_with("</");
        let is_mention = match tag.sort {
            Sort::Token => false,
            _ if is_end => is_followed || is_begun,
            _ => is_followed && !begins_line,
        };
        is_begun = is_mention && !is_end;
        if !is_mention {
            leaks.push(tag);
        }
    }
    leaks
}

/// An argument that leaked into the text of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaked<'a> {
    /// Its name; nothing if it is of another call, which was never made.
    pub name: Option<&'a str>,
    /// What it says, without markup.
    pub text: String,
}

/// Gives the arguments that leaked into a text: where they begin, and what each says. [`strip_markup`] would cut them off, but for those that
/// begin without the text's own being ended: these count only by the name of another argument of the call, which is asked for.
pub fn leaked(text: &str, is_argument: impl Fn(&str) -> bool) -> Option<(usize, Vec<Leaked<'_>>)> {
    let tags = tags_outside_code(text);
    let begun = begun_at(text, &tags, is_argument);
    let first = cut_at(text, &tags).into_iter().chain(begun).min()?;
    let mut all = Vec::new();
    let mut is_own_call = true;
    for (at, tag) in tags.iter().enumerate().skip(first) {
        match tag.sort {
            Sort::BeginningOfCall => is_own_call = false,
            Sort::BeginningOfParameter => {
                let (inner, end) = inside(text, &tags, at);
                let name = attribute(&text[tag.start..tag.end]).filter(|_| is_own_call);
                all.push(Leaked { name, text: without(text, tag.end..end, inner).trim().to_owned() });
            }
            Sort::EndOfParameter | Sort::EndOfCall | Sort::Other | Sort::Token => {}
        }
    }
    Some((tags[first].start, all))
}

/// Finds the tag that ends the text's own argument, if another one follows it.
fn cut_at(text: &str, tags: &[Tag]) -> Option<usize> {
    let ends = |at: &usize| tags[*at].sort == Sort::EndOfParameter && begins_parameter(text, &tags[*at..]);
    (0..tags.len()).find(ends)
}

/// Finds the tag that begins another argument behind the text's own, which nothing ended. Somebody may well write of such a tag without
/// backticks, in the middle of a sentence. So it has to be closed with nothing behind it, or to begin a line.
fn begun_at(text: &str, tags: &[Tag], is_argument: impl Fn(&str) -> bool) -> Option<usize> {
    let blank = text.len() - text.trim_start().len();
    let begins = |at: &usize| {
        let tag = tags[*at];
        let is_another = tag.sort == Sort::BeginningOfParameter
            && tag.start > blank
            && attribute(&text[tag.start..tag.end]).is_some_and(&is_argument);
        if !is_another {
            return false;
        }
        let (inner, until) = inside(text, tags, *at);
        match inner.iter().position(|tag| tag.sort == Sort::EndOfParameter) {
            Some(end) => without(text, inner[end].end..until, &inner[end + 1..]).trim().is_empty(),
            None => text[..tag.start].trim_end_matches([' ', '\t']).ends_with('\n'),
        }
    };
    (0..tags.len()).find(begins)
}

/// Gives the tags behind one up to the next that begins something, and where that is.
fn inside<'a>(text: &str, tags: &'a [Tag], at: usize) -> (&'a [Tag], usize) {
    let is_next = |tag: &Tag| matches!(tag.sort, Sort::BeginningOfParameter | Sort::BeginningOfCall);
    let rest = &tags[at + 1..];
    let inner = &rest[..rest.iter().position(is_next).unwrap_or(rest.len())];
    (inner, rest.get(inner.len()).map_or(text.len(), |next| next.start))
}

/// Gives a part of a text without the tags in it.
fn without(text: &str, part: Range<usize>, tags: &[Tag]) -> String {
    let mut out = String::with_capacity(part.len());
    let mut kept = part.start;
    for tag in tags {
        out.push_str(&text[kept..tag.start]);
        kept = tag.end;
    }
    let rest = &text[kept..part.end];
    if rest.trim().is_empty() && !tags.is_empty() {
        // Nothing but the blanks between tags is left at the end.
        out.truncate(out.trim_end().len());
    } else {
        out.push_str(rest);
    }
    out
}

/// The name in an opening tag: `<parameter name="body">`.
fn attribute(tag: &str) -> Option<&str> {
    let (_, value) = tag.split_once("name=")?;
    let value = value.trim_end_matches('>').trim();
    let name = value.trim_matches(['"', '\'']);
    Some(name).filter(|name| !name.is_empty())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    BeginningOfParameter,
    EndOfParameter,
    BeginningOfCall,
    EndOfCall,
    Other,
    /// A token of a model's own, which nobody writes in a sentence and another model may stumble over.
    Token,
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
            Sort::BeginningOfCall | Sort::EndOfCall | Sort::Other | Sort::Token => {}
        }
    }
    false
}

fn tags_outside_code(text: &str) -> Vec<Tag> {
    if !text.contains('<') {
        return Vec::new();
    }
    let mut code = code_ranges(text).into_iter().peekable();
    let mut tags: Vec<Tag> = Vec::new();
    for (at, _) in text.match_indices('<') {
        while code.next_if(|range| range.end <= at).is_some() {}
        let in_code = code.peek().is_some_and(|range| range.contains(&at));
        let in_tag = tags.last().is_some_and(|tag| at < tag.end);
        if !in_code && !in_tag {
            let tag = tag_at(text, at);
            let before = tags.last().map_or(0, |tag| tag.end);
            if tag.is_some_and(|tag| matches!(tag.sort, Sort::BeginningOfParameter | Sort::EndOfCall)) {
                tags.extend(own_end(&text[..at], before));
            }
            tags.extend(tag);
        }
    }
    tags
}

/// Finds an end such as `</title>` right at the end of a text, behind `from`: a model ends an argument with its name. One that has its
/// beginning there is somebody's XML.
fn own_end(text: &str, from: usize) -> Option<Tag> {
    let bare = text.trim_end();
    // No further back than that: a text with ten thousand tags is looked through once, not ten thousand times.
    let start = from + bare.get(from..)?.rfind("</")?;
    let name = bare[start..].strip_prefix("</")?.strip_suffix('>')?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let is_begun = text[from..start].contains(&format!("<{name}"));
    (is_name && !is_begun).then_some(Tag { start, end: bare.len(), sort: Sort::EndOfParameter })
}

fn tag_at(text: &str, start: usize) -> Option<Tag> {
    let inner = &text[start + 1..];
    if let Some(bar) = ['|', '\u{ff5c}'].into_iter().find(|bar| inner.starts_with(*bar)) {
        return special_token(inner, bar).map(|length| Tag {
            start,
            end: start + 1 + length,
            sort: Sort::Token,
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
        "invoke" if ends => Sort::EndOfCall,
        "invoke" => Sort::BeginningOfCall,
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
