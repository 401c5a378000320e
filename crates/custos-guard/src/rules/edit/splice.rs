//! Cuts an entry into the text of a rules file, or out of it.
//!
//! Everything here may give up: `None` is the answer to a form that it does not know, and whatever comes out is proven by whoever asked.

use std::ops::Range;

use crate::rules::entry::{Entry, List, Ops};
use crate::rules::yaml::{self, Content, Node, Pair, Position};

/// Where an entry belongs, and how it is written there.
enum Form {
    /// An item of a list below one key or two.
    Item { keys: Vec<&'static str>, item: String },
    /// A key with a value in a section.
    Setting { section: &'static str, key: String, value: String },
}

fn form(entry: &Entry) -> Form {
    let item = |keys: &[&'static str], item| Form::Item { keys: keys.to_vec(), item };
    match entry {
        Entry::Branch(name) => item(&["protected_branches"], quoted(name)),
        Entry::Command { list, pattern, id, reason } => {
            item(&[list.key(), "commands"], written("run", pattern, None, id.as_deref(), reason.as_deref()))
        }
        Entry::Path { list, pattern, ops, id, reason } => {
            let ops = (*ops != Ops::ANY && *list != List::ReadOnly).then_some(*ops);
            let written = written("path", pattern, ops, id.as_deref(), reason.as_deref());
            if *list == List::ReadOnly {
                item(&["read_only"], written)
            } else {
                item(&[list.key(), "paths"], written)
            }
        }
        Entry::Rule { id, to } => Form::Setting { section: "rules", key: id.clone(), value: to.to_string() },
        Entry::Pack { name, to } => {
            Form::Setting { section: "packs", key: name.clone(), value: to.to_string() }
        }
        Entry::Flag { flag, value } => {
            let (section, key) = flag.key();
            Form::Setting { section, key: key.to_owned(), value: value.to_string() }
        }
    }
}

/// Says whether two entries set the same key, so that one replaces the other.
pub(super) fn is_same_key(one: &Entry, other: &Entry) -> bool {
    match (form(one), form(other)) {
        (Form::Setting { section, key, .. }, Form::Setting { section: other, key: its, .. }) => {
            section == other && key == its
        }
        _ => false,
    }
}

/// Writes a text in quotes. What JSON says, YAML understands.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn written(main: &str, pattern: &str, ops: Option<Ops>, id: Option<&str>, reason: Option<&str>) -> String {
    let pattern = quoted(pattern);
    if ops.is_none() && id.is_none() && reason.is_none() {
        return pattern;
    }
    let mut out = format!("{{{main}: {pattern}");
    if let Some(ops) = ops {
        out.push_str(&format!(", op: [{ops}]"));
    }
    for (key, text) in [("id", id), ("reason", reason)] {
        if let Some(text) = text {
            out.push_str(&format!(", {key}: {}", quoted(text)));
        }
    }
    out + "}"
}

/// The text with an entry more, or with another value for its key.
pub(super) fn with(text: &str, entry: &Entry) -> Option<String> {
    let root = yaml::parse(text).ok()?;
    let pairs = match root.as_ref().map(Node::content) {
        Some(Content::Mapping(pairs)) if root.as_ref().is_some_and(|root| !root.flow) => pairs.as_slice(),
        Some(_) => return None,
        None => &[],
    };
    let find = |name: &str| pairs.iter().find(|pair| pair.is_named(name));
    match form(entry) {
        Form::Item { keys, item } => match (keys.as_slice(), find(keys[0])) {
            ([key], None) => Some(appended(text, &[&format!("{key}:"), &format!("  - {item}")])),
            ([key, inner], None) => {
                Some(appended(text, &[&format!("{key}:"), &format!("  {inner}:"), &format!("    - {item}")]))
            }
            ([_], Some(pair)) => with_item(text, pair, &item),
            ([_, inner], Some(pair)) => match entries(text, pair)?.iter().find(|pair| pair.is_named(inner)) {
                Some(list) => with_item(text, list, &item),
                None => with_pair(text, pair, inner, &format!("[{item}]")),
            },
            _ => None,
        },
        Form::Setting { section, key, value } => match find(section) {
            None => Some(appended(text, &[&format!("{section}:"), &format!("  {key}: {value}")])),
            Some(pair) => match entries(text, pair)?.iter().find(|pair| pair.is_named(&key)) {
                Some(old) => with_value(text, old, &value),
                None => with_pair(text, pair, &key, &value),
            },
        },
    }
}

/// The text without the entry at a place.
pub(super) fn without(text: &str, at: Position) -> Option<String> {
    let root = yaml::parse(text).ok()??;
    without_in(text, &root, at)
}

fn without_in(text: &str, node: &Node, at: Position) -> Option<String> {
    // What an alias stands for is written elsewhere, and others may use it, too.
    if text[node.bytes.clone()].starts_with('*') {
        return None;
    }
    match node.content() {
        Content::Mapping(pairs) => pairs.iter().enumerate().find_map(|(index, pair)| {
            if pair.key.at == at {
                let spans: Option<Vec<_>> =
                    pairs.iter().map(|pair| Some(pair.key.bytes.start..end_of(text, pair)?)).collect();
                return without_span(text, &spans?, index, node.flow);
            }
            if pair.value.at == at && pair.value.text().is_some() {
                // A list of one that is written without being a list.
                return Some(spliced(text, marked(text, &pair.value), ""));
            }
            without_in(text, &pair.value, at)
        }),
        Content::Sequence(items) => items.iter().enumerate().find_map(|(index, item)| {
            if item.at != at {
                return None;
            }
            let spans: Option<Vec<_>> = items
                .iter()
                .map(|item| {
                    let Range { start, end } = marked(text, item);
                    Some(if node.flow { start } else { dash_of(text, item)? }..end)
                })
                .collect();
            without_span(text, &spans?, index, node.flow)
        }),
        _ => None,
    }
}

/// Removes one of several neighbours: between brackets with the comma that separates it, else with its lines.
fn without_span(text: &str, spans: &[Range<usize>], index: usize, flow: bool) -> Option<String> {
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

/// The pairs of a section that may be changed.
fn entries<'a>(text: &str, pair: &'a Pair) -> Option<&'a [Pair]> {
    if text[pair.value.bytes.clone()].starts_with('*') {
        return None;
    }
    match pair.value.content() {
        Content::Mapping(pairs) => Some(pairs),
        _ if pair.value.is_null() => Some(&[]),
        _ => None,
    }
}

fn appended(text: &str, lines: &[&str]) -> String {
    let newline = newline_of(text);
    let mut new = text.to_owned();
    if !new.is_empty() && !new.ends_with('\n') {
        new.push_str(newline);
    }
    if !new.trim().is_empty() {
        new.push_str(newline);
    }
    for line in lines {
        new.push_str(line);
        new.push_str(newline);
    }
    new
}

fn with_item(text: &str, list: &Pair, item: &str) -> Option<String> {
    let node = &list.value;
    let bytes = marked(text, node);
    if text[node.bytes.clone()].starts_with('*') {
        return None;
    }
    match node.content() {
        _ if node.is_null() && bytes.is_empty() => {
            let colon = after_colon(text, &list.key)?;
            Some(spliced(text, colon..colon, &format!(" [{item}]")))
        }
        _ if node.is_null() => Some(spliced(text, bytes, &format!("[{item}]"))),
        Content::Scalar { .. } => {
            let only = &text[bytes.clone()];
            Some(spliced(text, bytes.clone(), &format!("[{only}, {item}]")))
        }
        Content::Sequence(items) if node.flow => Some(match items.last() {
            None => spliced(text, bytes.start + 1..bytes.start + 1, item),
            Some(last) => {
                let end = marked(text, last).end;
                spliced(text, end..end, &format!(", {item}"))
            }
        }),
        Content::Sequence(items) => {
            let (first, last) = (items.first()?, items.last()?);
            let dash = dash_of(text, first)?;
            let line_start = text[..dash].rfind('\n').map_or(0, |newline| newline + 1);
            let indent = text.get(line_start..dash).filter(|indent| indent.trim().is_empty())?;
            Some(with_line(text, marked(text, last).end, &format!("{indent}- {item}")))
        }
        _ => None,
    }
}

/// Adds a key with a value on one line to a section.
fn with_pair(text: &str, section: &Pair, key: &str, value: &str) -> Option<String> {
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

fn with_value(text: &str, pair: &Pair, value: &str) -> Option<String> {
    let bytes = marked(text, &pair.value);
    if bytes.is_empty() {
        let colon = after_colon(text, &pair.key)?;
        return Some(spliced(text, colon..colon, &format!(" {value}")));
    }
    (pair.value.flow && !text[bytes.clone()].contains('\n')).then(|| spliced(text, bytes, value))
}

/// Adds a line below the one in which something ends.
fn with_line(text: &str, end: usize, line: &str) -> String {
    let newline = newline_of(text);
    match text[end..].find('\n') {
        Some(rest) => spliced(text, end + rest + 1..end + rest + 1, &format!("{line}{newline}")),
        None => format!("{text}{newline}{line}{newline}"),
    }
}

fn spliced(text: &str, range: Range<usize>, new: &str) -> String {
    [&text[..range.start], new, &text[range.end..]].concat()
}

/// The bytes of a value as a person would mark them: the parser counts the space behind a block to the block.
fn marked(text: &str, node: &Node) -> Range<usize> {
    let Range { start, end } = node.bytes;
    start..start + text[start..end].trim_end().len()
}

/// Where the dash before an item stands.
fn dash_of(text: &str, item: &Node) -> Option<usize> {
    Some(text[..item.bytes.start].trim_end_matches([' ', '\t']).strip_suffix('-')?.len())
}

fn end_of(text: &str, pair: &Pair) -> Option<usize> {
    let bytes = marked(text, &pair.value);
    if bytes.is_empty() { after_colon(text, &pair.key) } else { Some(bytes.end) }
}

fn after_colon(text: &str, key: &Node) -> Option<usize> {
    let rest = &text[key.bytes.end..];
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    rest[blank..].starts_with(':').then_some(key.bytes.end + blank + 1)
}

fn newline_of(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
