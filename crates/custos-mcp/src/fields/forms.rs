//! The forms in which agents send what is wanted, brought into the one that it has here.
//!
//! A list comes as the text of one, a number in quotes, a single thing in place of several, a handoff as an object. Whatever can only mean one
//! thing is taken for it.

use std::borrow::Cow;

use custos_knowledge::text::{strip_markup, tidy};
use serde_json::{Map, Value, json};

use super::Type;

/// Brings a value into the form that is wanted, if it can be understood; else says what is wanted.
pub(super) fn understood(kind: Type, value: Value) -> Result<Value, String> {
    let taken = match kind {
        Type::Text => text(value),
        Type::Name => text(value).map(named_so),
        Type::Names => texts(value, label).map(named_so),
        Type::Lines => Some(Value::String(lines(&value))),
        Type::Texts => texts(value, label),
        Type::Steps => texts(value, step),
        Type::Number => number(&value),
        Type::Limit | Type::Page => number(&value).filter(|number| number.as_u64() != Some(0)),
        Type::Flag => flag(&value),
        Type::OneOf(words) => value.as_str().and_then(|text| word(words, &strip_markup(text))),
        Type::Object(_) => object(value),
        Type::Objects(_) => Some(objects(value)),
    };
    taken.ok_or_else(|| match kind {
        Type::Text | Type::Name | Type::Lines => "a text".to_owned(),
        Type::Texts | Type::Names => "a list of texts".to_owned(),
        Type::Steps => {
            "a list of texts, or of objects with text and state (pending, active, done or skipped)".to_owned()
        }
        Type::Number => "a whole number, 0 or more".to_owned(),
        Type::Limit | Type::Page => "a whole number, 1 or more".to_owned(),
        Type::Flag => "true or false".to_owned(),
        Type::OneOf(words) => format!("one of {}", words.join(", ")),
        Type::Object(_) => "an object".to_owned(),
        Type::Objects(_) => "a list of objects".to_owned(),
    })
}

/// A text, a number, or a list of lines.
fn text(value: Value) -> Option<Value> {
    match value {
        Value::String(_) => Some(value),
        Value::Number(number) => Some(Value::String(number.to_string())),
        Value::Array(lines) => {
            let lines: Option<Vec<&str>> = lines.iter().map(Value::as_str).collect();
            lines.map(|lines| Value::String(lines.join("\n")))
        }
        _ => None,
    }
}

/// Takes what is secret out of a name, or of each of several, and markup that leaked into it.
fn named_so(names: Value) -> Value {
    match names {
        Value::String(name) => {
            let name = match strip_markup(&name) {
                Cow::Owned(bare) => bare.trim().to_owned(),
                Cow::Borrowed(_) => name,
            };
            // What nobody sees would hide a secret. A name without one stays as it is: a file may be called so.
            let seen = tidy(&name);
            let clean = custos_redact::redact(&seen);
            if clean == seen { Value::String(name) } else { Value::from(clean) }
        }
        Value::Array(names) => names.into_iter().map(named_so).collect(),
        other => other,
    }
}

/// A text with a line for each thing that was sent, and for each field of a single one.
fn lines(value: &Value) -> String {
    let listed: Vec<String> = match value {
        Value::Array(items) => items
            .iter()
            .map(|item| match item {
                Value::Object(fields) => format!("- {}", named(fields).join(", ")),
                other => plain(other),
            })
            .collect(),
        Value::Object(fields) => named(fields).iter().map(|field| format!("- {field}")).collect(),
        other => return plain(other),
    };
    listed.join("\n")
}

/// The fields of a thing that say something, each with its name and in one line.
fn named(fields: &Map<String, Value>) -> Vec<String> {
    let told = fields.iter().filter(|(_, value)| !value.is_null());
    let in_a_line = |value: &Value| plain(value).split_whitespace().collect::<Vec<_>>().join(" ");
    told.map(|(name, value)| format!("{name}: {}", in_a_line(value))).collect()
}

/// A text as it is, and anything else as JSON spells it.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A whole number, also in quotes, and also as `1.0`, which is one for JSON Schema.
fn number(value: &Value) -> Option<Value> {
    let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    number.or_else(|| whole(value.as_f64()?)).map(Value::from)
}

/// The whole number that a number with a point is, if it is one that can be told exactly.
fn whole(number: f64) -> Option<u64> {
    const MOST: f64 = 9_007_199_254_740_992.0;
    let is_whole = number.fract() == 0.0 && (0.0..MOST).contains(&number);
    is_whole.then(|| format!("{number:.0}").parse().ok()).flatten()
}

/// Yes or no, also as a word.
fn flag(value: &Value) -> Option<Value> {
    let word = value.as_str().map(|text| text.trim().to_ascii_lowercase());
    match (value, word.as_deref()) {
        (Value::Bool(flag), _) => Some(Value::Bool(*flag)),
        (_, Some("true" | "yes" | "1")) => Some(Value::Bool(true)),
        (_, Some("false" | "no" | "0")) => Some(Value::Bool(false)),
        _ => None,
    }
}

/// One of some words, in whatever case, with hyphens, underscores or blanks.
fn word(words: &[&str], text: &str) -> Option<Value> {
    let spelt = |word: &str| word.trim().to_ascii_lowercase().replace(['_', ' '], "-");
    words.iter().find(|known| spelt(known) == spelt(text)).map(|known| json!(known))
}

/// A list, the text of one, or a single thing. Whoever does the items says what is wrong with each.
fn objects(value: Value) -> Value {
    match value {
        Value::Array(_) => value,
        Value::String(text) if text.trim().is_empty() => json!([]),
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(list @ Value::Array(_)) => list,
            Ok(item @ Value::Object(_)) => json!([item]),
            _ => json!([text]),
        },
        other => json!([other]),
    }
}

/// An object, or the text of one.
fn object(value: Value) -> Option<Value> {
    match value {
        Value::Object(_) => Some(value),
        Value::String(text) => serde_json::from_str(&text).ok().filter(Value::is_object),
        _ => None,
    }
}

/// A list of texts: a list, the text of one, or a single text. `spelt` makes a text of each item, if it can.
fn texts(value: Value, spelt: fn(Value) -> Option<String>) -> Option<Value> {
    let items = match value {
        Value::Array(items) => items,
        Value::String(text) => match serde_json::from_str::<Value>(&text) {
            Ok(Value::Array(items)) => items,
            _ if text.trim().is_empty() => Vec::new(),
            _ => vec![Value::String(text)],
        },
        _ => return None,
    };
    items.into_iter().map(|item| spelt(item).map(Value::String)).collect()
}

/// A text, or a number in place of one.
fn label(item: Value) -> Option<String> {
    match item {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A step: a text, or a thing with a text and how far it has come, which is put before it as an agent may do itself.
fn step(item: Value) -> Option<String> {
    let Value::Object(fields) = item else { return label(item) };
    let text = fields.get("text")?.as_str()?;
    match fields.get("state").or_else(|| fields.get("status")).filter(|state| !state.is_null()) {
        None => Some(text.to_owned()),
        Some(state) => Some(format!("{}: {text}", step_state(state.as_str()?)?)),
    }
}

/// How far a step has come. Agents have other words for it in the lists that they keep themselves.
fn step_state(word: &str) -> Option<&'static str> {
    let word = word.trim().to_ascii_lowercase().replace(['-', ' '], "_");
    Some(match word.as_str() {
        "pending" | "todo" | "open" => "pending",
        "active" | "in_progress" | "doing" => "active",
        "done" | "completed" | "complete" | "finished" => "done",
        "skipped" | "cancelled" | "canceled" => "skipped",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::text(json!("a\nb"), "a\nb")]
    #[case::texts(json!(["a", 2, true]), "a\n2\ntrue")]
    #[case::things(
        json!([{"url": "u", "title": "t\nand more", "status": null}, "#7", {"labels": ["a", "b"], "checks": {"ok": 3}}]),
        "- title: t and more, url: u\n#7\n- checks: {\"ok\":3}, labels: [\"a\",\"b\"]"
    )]
    #[case::thing(json!({"passed": 12, "failed": ["one", "two"]}), "- failed: [\"one\",\"two\"]\n- passed: 12")]
    #[case::flag(json!(false), "false")]
    #[case::nothing(json!({}), "")]
    fn whatever_is_sent_for_lines_is_spelt_out(#[case] sent: Value, #[case] text: &str) {
        assert_eq!(understood(Type::Lines, sent), Ok(json!(text)));
    }

    #[rstest]
    #[case(json!([{"text": "a", "state": "done"}, {"text": "b: c", "status": "Active"}, "[x] d"]), json!(["done: a", "active: b: c", "[x] d"]))]
    #[case(json!([{"text": "a", "status": "in_progress"}, {"text": "b", "status": "Completed"}, {"text": "c", "state": null}]), json!(["active: a", "done: b", "c"]))]
    #[case(json!([{"text": "a"}]), json!(["a"]))]
    #[case(json!("[{\"text\": \"a\", \"state\": \"skipped\"}]"), json!(["skipped: a"]))]
    #[case(json!("[ ] a\n[x] b"), json!(["[ ] a\n[x] b"]))]
    fn steps_may_be_things_as_they_were_answered(#[case] sent: Value, #[case] steps: Value) {
        assert_eq!(understood(Type::Steps, sent), Ok(steps));
    }

    #[rstest]
    #[case::without_a_text(json!([{"state": "done"}]))]
    #[case::in_no_known_state(json!(["a", {"text": "b", "state": "bogus"}]))]
    #[case::in_a_state_that_is_no_word(json!([{"text": "b", "state": 1}]))]
    fn what_is_no_step_is_refused(#[case] sent: Value) {
        assert_eq!(
            understood(Type::Steps, sent),
            Err("a list of texts, or of objects with text and state (pending, active, done or skipped)"
                .to_owned())
        );
    }
}
