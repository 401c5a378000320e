//! One table of ours in a TOML file, such as the one that starts our MCP server.
//!
//! The table is ours by its name. It is written as a section of its own, `[a.b]`, at the end of the file; where it stands already, in
//! that form or as an inline table on its own line, it is replaced there. Other forms (dotted keys, a table inside an
//! inline table) are rare and cannot be changed without touching what is not ours, so they are an error.

use std::ops::Range;

use serde_json::{Map, Value};
use thiserror::Error;
use toml_edit::{Document, InlineTable, Item, Table};

use super::ours;
use super::tail;
use super::text::{Spot, line_start, newline_of, spliced, split_mark};

/// Why a TOML text was not changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TomlError {
    /// It is no TOML.
    #[error("{at}: this is not TOML: {reason}; correct it first")]
    Syntax {
        /// Where.
        at: Spot,
        /// What is wrong.
        reason: String,
    },
    /// Something else is where a table has to be.
    #[error("`{path}` is {found}, but it has to be a table; correct it first")]
    WrongType {
        /// The keys that lead there.
        path: String,
        /// What it is.
        found: &'static str,
    },
    /// The table is written in a form that cannot be changed without touching something else.
    #[error(
        "`{path}` cannot be changed without touching something else, because of how the file is written; \
         write it as a section `[{path}]`, or make the change by hand"
    )]
    Entangled {
        /// The keys that lead there.
        path: String,
    },
    /// The name of our MCP server is somebody else's.
    #[error(
        "`{path}` is {found}, not Custos, and stays as it is; give it another name or remove it, then run this again"
    )]
    Taken {
        /// The keys that lead there.
        path: String,
        /// What it is.
        found: String,
    },
    /// The value to be put has no form in TOML.
    #[error("`{key}` has a value that TOML cannot hold")]
    NoSuchValue {
        /// The key.
        key: String,
    },
}

/// Makes sure that the table at these keys holds exactly these entries.
pub fn put(text: Option<&str>, at: &[String], entries: &Map<String, Value>) -> Result<String, TomlError> {
    let text = text.unwrap_or_default();
    let (mark, body) = split_mark(text);
    let document = parse(body)?;
    let mut wanted = in_json(document.as_item());
    let place = Place::find(&document, at)?;
    if place.table(&wanted, at).and_then(Value::as_object) == Some(entries) {
        return Ok(text.to_owned());
    }
    let new = match &place {
        Place::Missing => tail::append(body, &section(at, entries, newline_of(body))?),
        Place::Value(range) => spliced(body, range.clone(), inline(entries)?.to_string().trim()),
        Place::Sections(ranges) => {
            let section = section(at, entries, newline_of(body))?;
            let (first, others) = ranges.split_first().ok_or_else(|| entangled(at))?;
            let shorter =
                others.iter().rev().fold(body.to_owned(), |text, range| tail::cut(&text, range.clone()));
            spliced(&shorter, first.clone(), &section)
        }
    };
    set(&mut wanted, at, Some(Value::Object(entries.clone())));
    proven(&new, &wanted, at)?;
    Ok([mark, &new].concat())
}

/// Removes the table at these keys. If [`put`] appended it, the text is what it was before, byte for byte.
pub fn remove(text: &str, at: &[String]) -> Result<String, TomlError> {
    let (mark, body) = split_mark(text);
    let document = parse(body)?;
    let new = match Place::find(&document, at) {
        // Where there is no table there is nothing of ours.
        Ok(Place::Missing) | Err(TomlError::WrongType { .. }) => return Ok(text.to_owned()),
        Ok(Place::Value(range)) => {
            let start = line_start(body, range.start);
            let end = body[range.end..].find('\n').map_or(body.len(), |newline| range.end + newline + 1);
            spliced(body, start..end, "")
        }
        Ok(Place::Sections(ranges)) => {
            ranges.into_iter().rev().fold(body.to_owned(), |text, range| tail::cut(&text, range))
        }
        Err(error) => return Err(error),
    };
    let mut wanted = in_json(document.as_item());
    set(&mut wanted, at, None);
    proven(&new, &wanted, at)?;
    Ok([mark, &new].concat())
}

/// Makes sure that the table at these keys starts our MCP server. One of ours that is there keeps all but the program, because the person,
/// or the client, may have added to it; one of somebody else's is an error.
pub fn register(
    text: Option<&str>,
    at: &[String],
    entries: &Map<String, Value>,
) -> Result<String, TomlError> {
    let text = text.unwrap_or_default();
    let (mark, body) = split_mark(text);
    let document = parse(body)?;
    let mut wanted = in_json(document.as_item());
    let Some(table) = at.iter().try_fold(&wanted, |value, key| value.get(key)) else {
        return put(Some(text), at, entries);
    };
    if !ours::is_our_server(table) {
        return Err(TomlError::Taken { path: at.join("."), found: ours::server_shown(table) });
    }
    let Some(program) = entries.get("command").filter(|program| table.get("command") != Some(program)) else {
        return Ok(text.to_owned());
    };
    let here = at.iter().try_fold(document.as_item(), |item, key| item.get(key));
    let place =
        here.and_then(|table| table.get("command")?.as_value()?.span()).ok_or_else(|| entangled(at))?;
    let new = spliced(body, place, in_toml("command", program)?.to_string().trim());
    let command: Vec<String> = at.iter().cloned().chain(["command".to_owned()]).collect();
    set(&mut wanted, &command, Some(program.clone()));
    proven(&new, &wanted, at)?;
    Ok([mark, &new].concat())
}

/// Removes the table at these keys, if it starts our MCP server.
pub fn unregister(text: &str, at: &[String]) -> Result<String, TomlError> {
    let document = in_json(parse(split_mark(text).1)?.as_item());
    let table = at.iter().try_fold(&document, |value, key| value.get(key));
    if table.is_some_and(ours::is_our_server) { remove(text, at) } else { Ok(text.to_owned()) }
}

/// Where a table stands.
enum Place {
    Missing,
    /// As a value beside its key.
    Value(Range<usize>),
    /// As sections of its own, each from the start of its first line to the end of its last.
    Sections(Vec<Range<usize>>),
}

impl Place {
    fn find(document: &Document<&str>, at: &[String]) -> Result<Self, TomlError> {
        let mut item = document.as_item();
        for (depth, key) in at.iter().enumerate() {
            let wrong = |found| TomlError::WrongType { path: at[..depth].join("."), found };
            item = match item {
                Item::Table(table) => match table.get(key) {
                    Some(item) => item,
                    None => return Ok(Self::Missing),
                },
                Item::Value(toml_edit::Value::InlineTable(_)) => return Err(entangled(at)),
                Item::ArrayOfTables(_) => return Err(wrong("an array of tables")),
                Item::Value(value) => return Err(wrong(value.type_name())),
                Item::None => return Ok(Self::Missing),
            };
        }
        let wrong = |found| Err(TomlError::WrongType { path: at.join("."), found });
        match item {
            Item::Table(table) if table.is_dotted() => Err(entangled(at)),
            Item::Table(table) => {
                let mut sections = Vec::new();
                collect_sections(table, &mut sections);
                Ok(Self::Sections(joined(document.raw(), sections)))
            }
            Item::Value(toml_edit::Value::InlineTable(table)) => {
                table.span().map(Self::Value).ok_or_else(|| entangled(at))
            }
            Item::ArrayOfTables(_) => wrong("an array of tables"),
            Item::Value(value) => wrong(value.type_name()),
            Item::None => Ok(Self::Missing),
        }
    }

    fn table<'v>(&self, document: &'v Value, at: &[String]) -> Option<&'v Value> {
        match self {
            Self::Missing => None,
            _ => at.iter().try_fold(document, |value, key| value.get(key)),
        }
    }
}

/// Collects where a table's own section and those of the tables below it are.
fn collect_sections(table: &Table, sections: &mut Vec<Range<usize>>) {
    if let Some(header) = table.span().filter(|_| !table.is_implicit()) {
        sections.push(header.start..last_value(table).unwrap_or(0).max(header.end));
    }
    for (_, item) in table {
        match item {
            Item::Table(table) => collect_sections(table, sections),
            Item::ArrayOfTables(tables) => tables.iter().for_each(|table| collect_sections(table, sections)),
            Item::Value(_) | Item::None => {}
        }
    }
}

/// Where the last value of a section ends; dotted keys belong to the section that they stand in.
fn last_value(table: &Table) -> Option<usize> {
    let ends = table.iter().filter_map(|(_, item)| match item {
        Item::Value(value) => value.span().map(|span| span.end),
        Item::Table(table) if table.is_dotted() => last_value(table),
        _ => None,
    });
    ends.max()
}

/// Widens sections to whole lines, and makes one of those that only space parts.
fn joined(text: &str, mut sections: Vec<Range<usize>>) -> Vec<Range<usize>> {
    sections.sort_by_key(|section| section.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for section in sections {
        let line = text[section.end..].find('\n').map_or(text.len(), |newline| section.end + newline);
        let end = line - usize::from(text[section.end..line].ends_with('\r'));
        let start = line_start(text, section.start);
        match joined.last_mut() {
            Some(last) if text[last.end..start].trim().is_empty() => last.end = end,
            _ => joined.push(start..end),
        }
    }
    joined
}

/// Checks that the new text says what is wanted and nothing else.
fn proven(new: &str, wanted: &Value, at: &[String]) -> Result<(), TomlError> {
    let same = parse(new).is_ok_and(|document| {
        let mut found = in_json(document.as_item());
        // A table that is there only because of its contents is not missed; `set` leaves none.
        let ours = at.iter().try_fold(&found, |value, key| value.get(key)).cloned();
        set(&mut found, at, ours);
        found == *wanted
    });
    if same { Ok(()) } else { Err(entangled(at)) }
}

/// Sets or removes a value, and removes the tables on the way that are empty without it.
fn set(document: &mut Value, at: &[String], value: Option<Value>) {
    let (Some((key, below)), Value::Object(members)) = (at.split_first(), document) else { return };
    if below.is_empty() {
        match value {
            Some(value) => members.insert(key.clone(), value),
            None => members.remove(key),
        };
        return;
    }
    let member = members.entry(key).or_insert_with(|| Value::Object(Map::new()));
    set(member, below, value);
    if member.as_object().is_some_and(Map::is_empty) {
        members.remove(key);
    }
}

fn entangled(at: &[String]) -> TomlError {
    TomlError::Entangled { path: at.join(".") }
}

fn parse(text: &str) -> Result<Document<&str>, TomlError> {
    Document::parse(text).map_err(|error| TomlError::Syntax {
        at: Spot::of(text, error.span().map_or(0, |span| span.start)),
        reason: error.message().to_owned(),
    })
}

/// Writes a section, without a line end at its end.
fn section(at: &[String], entries: &Map<String, Value>, newline: &str) -> Result<String, TomlError> {
    let keys: Vec<String> = at.iter().map(|key| spelt(key)).collect();
    let mut lines = vec![format!("[{}]", keys.join("."))];
    for (key, value) in entries {
        lines.push(format!("{} = {}", spelt(key), in_toml(key, value)?));
    }
    Ok(lines.join(newline))
}

fn spelt(key: &str) -> String {
    toml_edit::Key::new(key).display_repr().into_owned()
}

fn inline(entries: &Map<String, Value>) -> Result<InlineTable, TomlError> {
    let values = entries.iter().map(|(key, value)| Ok((key, in_toml(key, value)?)));
    values.collect()
}

fn in_toml(key: &str, value: &Value) -> Result<toml_edit::Value, TomlError> {
    let none = || TomlError::NoSuchValue { key: key.to_owned() };
    Ok(match value {
        Value::Null => return Err(none()),
        Value::Bool(value) => (*value).into(),
        Value::String(value) => value.as_str().into(),
        Value::Number(value) => match value.as_i64() {
            Some(whole) => whole.into(),
            None if value.is_f64() => value.as_f64().ok_or_else(none)?.into(),
            None => return Err(none()),
        },
        Value::Array(values) => {
            let values: Result<Vec<_>, _> = values.iter().map(|value| in_toml(key, value)).collect();
            toml_edit::Array::from_iter(values?).into()
        }
        Value::Object(entries) => inline(entries)?.into(),
    })
}

/// What an item says, for comparing. Dates become text, which is enough for that.
fn in_json(item: &Item) -> Value {
    fn value_in_json(value: &toml_edit::Value) -> Value {
        match value {
            toml_edit::Value::String(value) => Value::from(value.value().as_str()),
            toml_edit::Value::Integer(value) => Value::from(*value.value()),
            toml_edit::Value::Boolean(value) => Value::from(*value.value()),
            // JSON has no name for the infinities.
            toml_edit::Value::Float(value) if value.value().is_finite() => Value::from(*value.value()),
            toml_edit::Value::Float(value) => Value::from(value.value().to_string()),
            toml_edit::Value::Datetime(value) => Value::from(value.value().to_string()),
            toml_edit::Value::Array(values) => values.iter().map(value_in_json).collect(),
            toml_edit::Value::InlineTable(table) => {
                table.iter().map(|(key, value)| (key.to_owned(), value_in_json(value))).collect()
            }
        }
    }
    fn table_in_json(table: &Table) -> Value {
        table.iter().map(|(key, item)| (key.to_owned(), in_json(item))).collect()
    }
    match item {
        Item::None => Value::Null,
        Item::Value(value) => value_in_json(value),
        Item::Table(table) => table_in_json(table),
        Item::ArrayOfTables(tables) => tables.iter().map(table_in_json).collect(),
    }
}

#[cfg(test)]
mod tests;
