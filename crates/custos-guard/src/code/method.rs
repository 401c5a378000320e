//! Methods of texts, lists and files.

use super::decode::Coding;
use super::format::fill;
use super::invoke::Arguments;
use super::reader::Reader;
use super::value::{self, ANYTHING, Value};
use crate::invocation::Source;

impl Reader<'_, '_, '_> {
    /// Calls a value's method.
    pub(super) fn apply_method(&mut self, receiver: Value, name: &str, mut arguments: Arguments) -> Value {
        if let Some(passed) = self.callback(&receiver, &arguments) {
            return passed;
        }
        match (&receiver, name) {
            (Value::Text(_) | Value::OneOf(_), _) => {
                let key = format!(".{name}");
                if let Some(act) = self.act(&key) {
                    arguments.values.insert(0, receiver);
                    return self.act_on(act, &arguments);
                }
            }
            (Value::File(path), "write" | "writelines" | "puts" | "print" | "end") => {
                if arguments.source() == Source::Downloaded {
                    let path = Value::text(path);
                    self.fetched(&path);
                }
                return ANYTHING;
            }
            _ => {}
        }
        self.state.query(name, &arguments);
        let size = receiver.size();
        if !self.state.spend(size) {
            return ANYTHING;
        }
        receiver.map(|receiver| plain(receiver, name, &arguments))
    }

    /// A function that is handed over by name is called with what the receiver holds: `list.forEach(fs.unlinkSync)`.
    fn callback(&mut self, receiver: &Value, arguments: &Arguments) -> Option<Value> {
        let Some(Value::Name(function)) = arguments.values.first() else { return None };
        self.act(function)?;
        if matches!(receiver, Value::Text(_)) {
            return None;
        }
        let values = match receiver {
            Value::List(values) => values.iter().take(64).cloned().collect(),
            other => vec![Value::Unknown(other.source())],
        };
        let function = Value::Name(function.clone());
        let results = values
            .into_iter()
            .map(|value| self.apply(function.clone(), Arguments { values: vec![value], named: Vec::new() }))
            .collect();
        Some(Value::List(results))
    }
}

/// Methods that only compute.
fn plain(receiver: Value, name: &str, arguments: &Arguments) -> Value {
    match (receiver, name) {
        (Value::Text(text), "decode" | "toString") => match arguments.at(0).known().and_then(Coding::named) {
            Some(coding) => coding.decode(&text).map_or(Value::Unknown(Source::Decoded), Value::Text),
            None => Value::Text(text),
        },
        (
            Value::Text(text),
            "encode" | "format_map" | "to_s" | "to_str" | "toLocaleString" | "resolve" | "absolute"
            | "as_posix" | "valueOf" | "freeze" | "dup" | "normalize" | "exist" | "exists" | "call",
        ) => Value::Text(text),
        (Value::Text(text), "strip" | "trim" | "chomp" | "rstrip" | "lstrip" | "trimEnd" | "trimStart") => {
            Value::text(text.trim())
        }
        (Value::Text(text), "lower" | "toLowerCase" | "downcase") => Value::Text(text.to_lowercase()),
        (Value::Text(text), "upper" | "toUpperCase" | "upcase") => Value::Text(text.to_uppercase()),
        (Value::Text(text), "reverse" | "reversed") => Value::Text(text.chars().rev().collect()),
        (Value::Text(text), "replace" | "replaceAll" | "gsub" | "sub" | "tr") => {
            match (arguments.at(0).known(), arguments.at(1).known()) {
                (Some(from), Some(to))
                    if !from.is_empty() && (to.len() <= from.len() || text.len() < 1024 && to.len() < 64) =>
                {
                    Value::Text(text.replace(from, to))
                }
                _ => Value::Text(value::mark(Source::Local).to_string()),
            }
        }
        (Value::Text(text), "split" | "chars") => {
            let separator = arguments.at(0);
            let parts: Vec<Value> = match separator.known() {
                Some("") => text.chars().map(|c| Value::Text(c.to_string())).collect(),
                Some(separator) => text.split(separator).map(Value::text).collect(),
                None if name == "chars" => text.chars().map(|c| Value::Text(c.to_string())).collect(),
                None => text.split_whitespace().map(Value::text).collect(),
            };
            Value::List(parts)
        }
        (Value::Text(separator), "join") => match arguments.at(0) {
            Value::List(values) => join(&values, &separator),
            other => Value::Unknown(other.source()),
        },
        (Value::Text(format), "format") => fill(&format, arguments),
        (Value::Text(text), "concat") => {
            arguments.values.iter().cloned().fold(Value::Text(text), Value::plus)
        }
        (Value::Text(text), "repeat") => match arguments.at(0) {
            Value::Number(times @ 0..=64) if text.len() < 1024 => Value::Text(text.repeat(times as usize)),
            _ => ANYTHING,
        },
        (Value::Text(text), "unpack" | "unpack1") => match arguments.at(0).known().and_then(Coding::named) {
            Some(coding) => coding.decode(&text).map_or(Value::Unknown(Source::Decoded), Value::Text),
            None => ANYTHING,
        },
        (Value::List(values), "join") => {
            let separator = match arguments.at(0) {
                Value::Text(separator) => separator,
                _ => ",".repeat(usize::from(arguments.values.is_empty())),
            };
            join(&values, &separator)
        }
        (Value::List(mut values), "reverse" | "reversed") => {
            values.reverse();
            Value::List(values)
        }
        (Value::List(values), "pack") => {
            match values.first().and_then(Value::known).zip(arguments.at(0).known().and_then(Coding::named)) {
                Some((text, coding)) => {
                    coding.decode(text).map_or(Value::Unknown(Source::Decoded), Value::Text)
                }
                None => ANYTHING,
            }
        }
        (Value::List(values), "concat") => {
            arguments.values.iter().cloned().fold(Value::List(values), Value::plus)
        }
        (
            Value::List(values),
            "map" | "forEach" | "each" | "filter" | "select" | "flatten" | "compact" | "uniq" | "sort"
            | "values" | "each_with_index" | "split",
        ) => Value::List(values),
        (other, _) => Value::Unknown(other.source().max(arguments.source())),
    }
}

/// Joins a list of texts.
pub(super) fn join(values: &[Value], separator: &str) -> Value {
    // A long separator is no way to write a command.
    if separator.len() > 64 {
        return ANYTHING;
    }
    Value::Text(values.iter().map(Value::raw).collect::<Vec<_>>().join(separator))
}
