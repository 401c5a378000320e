//! Cuts lines and values into the text of a YAML file, or out of it, and leaves every other byte as it was.
//!
//! The parser says where things stand, and only there the text is changed. Everything here may give up: `None` is the answer to a form that
//! it does not know. And nothing here is sure: whoever asks reads the result again and compares what it says.

use std::ops::Range;

use crate::yaml::{Content, Node, Pair};

/// Puts a text in the place of some bytes.
pub fn spliced(text: &str, range: Range<usize>, new: &str) -> String {
    [&text[..range.start], new, &text[range.end..]].concat()
}

/// The bytes of a value as a person would mark them.
pub fn marked(text: &str, node: &Node) -> Range<usize> {
    let Range { start, end } = node.bytes;
    // The parser counts the space behind a block to the block …
    let end = start + text[start..end].trim_end().len();
    // … and begins a list that is not indented after its first dash.
    let is_list = !node.flow && matches!(node.content(), Content::Sequence(_));
    match before_dash(text, start) {
        Some(dash) if is_list => dash..end,
        _ => start..end,
    }
}

/// Where the dash before an item of a list stands, which begins at `start`.
pub fn before_dash(text: &str, start: usize) -> Option<usize> {
    Some(text[..start].trim_end_matches([' ', '\t']).strip_suffix('-')?.len())
}

/// Where the text goes on behind the colon of a key.
pub fn after_colon(text: &str, key: &Node) -> Option<usize> {
    let rest = &text[key.bytes.end..];
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    rest[blank..].starts_with(':').then_some(key.bytes.end + blank + 1)
}

/// Says whether a value is written elsewhere, where others may use it, too.
pub fn is_alias(text: &str, node: &Node) -> bool {
    text[node.bytes.clone()].starts_with('*')
}

/// The pairs of a section, if they are such that they can be changed.
pub fn entries<'a>(text: &str, section: &'a Pair) -> Option<&'a [Pair]> {
    match section.value.content() {
        _ if is_alias(text, &section.value) => None,
        Content::Mapping(pairs) => Some(pairs),
        _ if section.value.is_null() => Some(&[]),
        _ => None,
    }
}

/// Adds lines at the end, set off from what is there.
pub fn with_lines_at_end(text: &str, lines: &[impl AsRef<str>]) -> String {
    let newline = newline_of(text);
    let mut new = text.to_owned();
    if !new.is_empty() && !new.ends_with('\n') {
        new.push_str(newline);
    }
    if !new.trim().is_empty() {
        new.push_str(newline);
    }
    for line in lines {
        new.push_str(line.as_ref());
        new.push_str(newline);
    }
    new
}

/// Adds a line below the one in which something ends.
pub fn with_line(text: &str, end: usize, line: &str) -> String {
    let newline = newline_of(text);
    match text[end..].find('\n') {
        Some(rest) => spliced(text, end + rest + 1..end + rest + 1, &format!("{line}{newline}")),
        None => format!("{text}{newline}{line}{newline}"),
    }
}

/// Adds a key with a value on one line to a section.
pub fn with_pair(text: &str, section: &Pair, key: &str, value: &str) -> Option<String> {
    let pair = format!("{key}: {value}");
    let node = &section.value;
    let pairs = entries(text, section)?;
    if node.is_null() && !node.bytes.is_empty() {
        return Some(spliced(text, node.bytes.clone(), &format!("{{{pair}}}")));
    }
    if node.flow && !node.is_null() {
        let inside = node.bytes.start + 1;
        let separator = if pairs.is_empty() { "" } else { ", " };
        return Some(spliced(text, inside..inside, &format!("{pair}{separator}")));
    }
    let (indent, end) = match (pairs.first(), pairs.last()) {
        (Some(first), Some(last)) => (first.key.at.column - 1, end_of(text, last)?),
        _ => (section.key.at.column + 1, after_colon(text, &section.key)?),
    };
    Some(with_line(text, end, &format!("{:indent$}{pair}", "")))
}

/// Gives a key another value, on one line.
pub fn with_value(text: &str, pair: &Pair, new: &str) -> Option<String> {
    let Pair { key, value: old } = pair;
    let bytes = marked(text, old);
    if text[bytes.clone()].contains('\n') && text[bytes.clone()].contains('#') {
        return None; // There may be comments in it, and they are not ours to remove.
    }
    if bytes.is_empty() {
        let colon = after_colon(text, key)?;
        return Some(spliced(text, colon..colon, &format!(" {new}")));
    }
    let gap = &text[key.bytes.end..bytes.start];
    if gap.trim() == ":" && gap.contains('\n') {
        // A list below its key becomes a list beside it.
        return Some(spliced(text, key.bytes.end..bytes.end, &format!(": {new}")));
    }
    Some(spliced(text, bytes, new))
}

/// Removes one of the pairs of a mapping.
pub fn without_pair(text: &str, mapping: &Node, pairs: &[Pair], index: usize) -> Option<String> {
    let spans: Option<Vec<_>> =
        pairs.iter().map(|pair| Some(pair.key.bytes.start..end_of(text, pair)?)).collect();
    without_span(text, &spans?, index, mapping.flow)
}

/// Removes one of several neighbours: between brackets with the comma that separates it, else with its lines, provided that nothing else
/// stands on them.
pub fn without_span(text: &str, spans: &[Range<usize>], index: usize, flow: bool) -> Option<String> {
    let span = spans.get(index)?;
    if flow {
        let range = match (index.checked_sub(1).and_then(|before| spans.get(before)), spans.get(index + 1)) {
            (_, Some(next)) => span.start..next.start,
            (Some(previous), None) => previous.end..span.end,
            (None, None) => span.clone(),
        };
        return (!text.get(range.clone())?.contains('#')).then(|| spliced(text, range, ""));
    }
    let start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[span.end..].find('\n').map_or(text.len(), |newline| span.end + newline + 1);
    let (before, after) = (text[start..span.start].trim(), text[span.end..end].trim());
    let alone = before.is_empty() && (after.is_empty() || after.starts_with('#'));
    alone.then(|| spliced(text, start..end, ""))
}

fn end_of(text: &str, pair: &Pair) -> Option<usize> {
    let bytes = marked(text, &pair.value);
    if bytes.is_empty() { after_colon(text, &pair.key) } else { Some(bytes.end) }
}

fn newline_of(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
