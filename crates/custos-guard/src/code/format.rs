//! Formats and numbers: values that are put into texts, and texts that are values.

use super::Language;
use super::invoke::Arguments;
use super::value::{ANYTHING, Value};
use crate::invocation::UNKNOWN;

/// Fills `%s` and its relatives in.
pub(super) fn fill_percent(format: &str, values: &Value) -> Value {
    let values: Vec<Value> = match values {
        Value::List(values) => values.clone(),
        other => vec![other.clone()],
    };
    let mut values = values.iter();
    let mut filled = Value::Text(String::new());
    let mut parts = format.split('%');
    filled = filled.plus(Value::text(parts.next().unwrap_or_default()));
    while let Some(part) = parts.next() {
        let end = part.find(|c: char| c.is_ascii_alphabetic());
        filled = match end {
            None if part.is_empty() => {
                filled.plus(Value::text("%")).plus(Value::text(parts.next().unwrap_or_default()))
            }
            None => filled.plus(Value::text(part)),
            Some(end) => filled
                .plus(Value::Text(values.next().map_or(UNKNOWN.to_string(), Value::raw)))
                .plus(Value::text(&part[end + 1..])),
        };
    }
    filled
}

/// A list in a text, as Perl writes it.
pub(super) fn spaced(values: &[Value]) -> Value {
    Value::Text(values.iter().map(Value::raw).collect::<Vec<_>>().join(" "))
}

/// Reads a number.
pub(super) fn number(digits: &str, language: Language) -> Value {
    let digits = digits.replace('_', "").to_ascii_lowercase();
    let (rest, radix) = if let Some(rest) = digits.strip_prefix("0o") {
        (rest, 8)
    } else if let Some(rest) = digits.strip_prefix("0x") {
        (rest, 16)
    } else if language != Language::Lua && digits.len() > 1 && digits.starts_with('0') {
        (&digits[1..], 8)
    } else {
        (digits.as_str(), 10)
    };
    u32::from_str_radix(rest, radix).map_or(ANYTHING, Value::Number)
}

/// Fills `{}`, `{0}` and `{name}` in.
pub(super) fn fill(format: &str, arguments: &Arguments) -> Value {
    let size: usize =
        arguments.values.iter().chain(arguments.named.iter().map(|(_, value)| value)).map(Value::size).sum();
    if format.len().saturating_mul(size) > 1 << 20 {
        return Value::Unknown(arguments.source());
    }
    let mut filled = Value::Text(String::new());
    let mut next = 0;
    let mut rest = format;
    while let Some(open) = rest.find('{') {
        filled = filled.plus(Value::text(&rest[..open]));
        rest = &rest[open + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            filled = filled.plus(Value::text("{"));
            rest = after;
            continue;
        }
        let Some(close) = rest.find('}') else { break };
        let key = rest[..close].split([':', '!']).next().unwrap_or_default();
        let value = match key.parse::<usize>() {
            Ok(index) => arguments.values.get(index),
            Err(_) if key.is_empty() => {
                next += 1;
                arguments.values.get(next - 1)
            }
            Err(_) => arguments.option(key),
        };
        filled = filled.plus(Value::Text(value.map_or_else(|| ANYTHING.raw(), Value::raw)));
        rest = &rest[close + 1..];
    }
    filled.plus(Value::Text(rest.replace("}}", "}")))
}
