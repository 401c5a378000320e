//! Cuts an entry into the text of a rules file, or out of it.
//!
//! Everything here may give up: `None` is the answer to a form that it does not know, and whatever comes out is proven by whoever asked.

use std::ops::Range;

use custos_config::splice::{
    after_colon, before_dash, entries, is_alias, marked, spliced, with_line, with_lines_at_end, with_pair,
    with_value, without_pair, without_span,
};
use custos_config::yaml::{self, Content, Node, Pair, Position};

use crate::rules::entry::{Entry, List, Ops};

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
            ([key], None) => Some(with_lines_at_end(text, &[format!("{key}:"), format!("  - {item}")])),
            ([key, inner], None) => Some(with_lines_at_end(
                text,
                &[format!("{key}:"), format!("  {inner}:"), format!("    - {item}")],
            )),
            ([_], Some(pair)) => with_item(text, pair, &item),
            ([_, inner], Some(pair)) => match entries(text, pair)?.iter().find(|pair| pair.is_named(inner)) {
                Some(list) => with_item(text, list, &item),
                None => with_pair(text, pair, inner, &format!("[{item}]")),
            },
            _ => None,
        },
        Form::Setting { section, key, value } => match find(section) {
            None => Some(with_lines_at_end(text, &[format!("{section}:"), format!("  {key}: {value}")])),
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
    if is_alias(text, node) {
        return None;
    }
    match node.content() {
        Content::Mapping(pairs) => pairs.iter().enumerate().find_map(|(index, pair)| {
            if pair.key.at == at {
                return without_pair(text, node, pairs, index);
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
                    Some(if node.flow { start } else { before_dash(text, item.bytes.start)? }..end)
                })
                .collect();
            without_span(text, &spans?, index, node.flow)
        }),
        _ => None,
    }
}

fn with_item(text: &str, list: &Pair, item: &str) -> Option<String> {
    let node = &list.value;
    let bytes = marked(text, node);
    if is_alias(text, node) {
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
            let dash = before_dash(text, first.bytes.start)?;
            let line_start = text[..dash].rfind('\n').map_or(0, |newline| newline + 1);
            let indent = text.get(line_start..dash).filter(|indent| indent.trim().is_empty())?;
            Some(with_line(text, marked(text, last).end, &format!("{indent}- {item}")))
        }
        _ => None,
    }
}
