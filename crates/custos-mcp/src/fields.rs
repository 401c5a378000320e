//! The arguments of a tool: one table for the schema, the check and the refusal.
//!
//! Agents send what they think is right: a text where a list belongs, a number in quotes, fields of another version. What can be understood is
//! taken, also where one argument leaked into another ([`crate::leaks`]). What is missing is named all at once, with what to send, because each round trip costs a turn.

use custos_knowledge::Refusal;
use serde_json::{Map, Value, json};

use crate::leaks;

/// What an argument may be.
#[derive(Debug, Clone, Copy)]
pub enum Type {
    /// A text.
    Text,
    /// A text of several lines, however it is sent: nothing that depends on its form shall keep a handoff from being written.
    Lines,
    /// A list of texts.
    Texts,
    /// The steps of a plan: texts, or things as a list of plans shows them.
    Steps,
    /// A whole number.
    Number,
    /// Yes or no.
    Flag,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A thing with fields of its own.
    Object(&'static [Field]),
    /// A list of such things.
    Objects(&'static [Field]),
}

/// An argument.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub kind: Type,
    /// Whether it must be there.
    pub required: bool,
    /// What to put into it; empty where the name says it all.
    pub about: &'static str,
}

/// An argument that must be there.
pub const fn need(name: &'static str, kind: Type, about: &'static str) -> Field {
    Field { name, kind, required: true, about }
}

/// An argument that may be there.
pub const fn may(name: &'static str, kind: Type, about: &'static str) -> Field {
    Field { name, kind, required: false, about }
}

/// Gives the JSON Schema of arguments, in as few bytes as say it all: it is read by a model in every session.
pub fn schema(fields: &[Field]) -> Value {
    let mut properties = Map::new();
    for field in fields {
        let mut property = schema_of(field.kind);
        if !field.about.is_empty()
            && let Value::Object(members) = &mut property
        {
            members.insert("description".to_owned(), json!(field.about));
        }
        properties.insert(field.name.to_owned(), property);
    }
    let mut schema = json!({ "type": "object", "properties": properties });
    let required: Vec<&str> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn schema_of(kind: Type) -> Value {
    match kind {
        Type::Text | Type::Lines => json!({ "type": "string" }),
        Type::Texts | Type::Steps => json!({ "type": "array", "items": { "type": "string" } }),
        Type::Number => json!({ "type": "integer" }),
        Type::Flag => json!({ "type": "boolean" }),
        Type::OneOf(words) => json!({ "type": "string", "enum": words }),
        Type::Object(fields) => schema(fields),
        Type::Objects(fields) => json!({ "type": "array", "items": schema(fields) }),
    }
}

/// Arguments that were checked: what is there is of the right kind.
#[derive(Debug, Clone, Default)]
pub struct Arguments {
    taken: Map<String, Value>,
    unknown: Map<String, Value>,
    notes: Vec<String>,
}

impl Arguments {
    /// Checks what was sent for a tool. Fields that it does not know are left out without a word: another version may know them.
    pub fn check(tool: &str, fields: &'static [Field], sent: Map<String, Value>) -> Result<Self, Refusal> {
        let problems = match Self::read(fields, sent) {
            Ok(arguments) => return Ok(arguments),
            Err(problems) => problems,
        };
        let needed: Vec<&str> =
            fields.iter().filter(|field| field.required).map(|field| field.name).collect();
        let needs = if needed.is_empty() { String::new() } else { format!(" It needs {}", listed(&needed)) };
        Err(Refusal::new(
            format!("{tool}: {}", problems.join("; ")),
            format!("Send it again with everything in one go.{needs}"),
        ))
    }

    /// Reads what was sent, or says what is missing and what is wrong.
    pub fn read(fields: &'static [Field], mut sent: Map<String, Value>) -> Result<Self, Vec<String>> {
        let notes = leaks::put_back(fields, &mut sent);
        let mut problems = Vec::new();
        let (taken, unknown) = take(fields, sent, "", &mut problems);
        if problems.is_empty() { Ok(Self { taken, unknown, notes }) } else { Err(problems) }
    }

    /// The text of an argument; empty where there is none.
    pub fn text(&self, name: &str) -> &str {
        self.taken.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// The text of an argument, if there is any in it.
    pub fn some_text(&self, name: &str) -> Option<&str> {
        Some(self.text(name)).filter(|text| !text.trim().is_empty())
    }

    /// The texts of an argument.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let items = self.taken.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// The labels of an argument. Some send one text with commas in it.
    pub fn labels(&self, name: &str) -> Vec<String> {
        let texts = self.texts(name);
        let labels = texts.iter().flat_map(|labels| labels.split(',')).map(str::trim);
        labels.filter(|label| !label.is_empty()).map(str::to_owned).collect()
    }

    /// A number.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.taken.get(name).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
    }

    /// Whether a flag is set.
    pub fn flag(&self, name: &str) -> bool {
        self.taken.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// Says whether an argument was sent at all.
    pub fn has(&self, name: &str) -> bool {
        self.taken.contains_key(name)
    }

    /// What whoever sent them should know about how they were read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What was sent beside the fields that are known, for a tool that must not pass over it.
    pub fn unknown(&self) -> &Map<String, Value> {
        &self.unknown
    }

    /// A thing with fields of its own, as it was sent.
    pub fn object(&self, name: &str) -> Option<&Map<String, Value>> {
        self.taken.get(name).and_then(Value::as_object)
    }

    /// A list of things, each as it was sent: what is wrong with one must not keep the others from being done.
    pub fn objects(&self, name: &str) -> &[Value] {
        self.taken.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Takes the fields that are known out of what was sent, and gives the rest as well.
fn take(
    fields: &'static [Field],
    mut sent: Map<String, Value>,
    parent: &str,
    problems: &mut Vec<String>,
) -> (Map<String, Value>, Map<String, Value>) {
    let mut taken = Map::new();
    for field in fields {
        let value = sent.remove(field.name).filter(|value| !is_nothing(field.kind, value));
        match value.map(|value| understood(field.kind, value)) {
            // A list of no lines is a text with nothing in it, too: what counts is what was understood.
            Some(Ok(value)) if field.required && is_blank(&value) => problems.push(missing(field, parent)),
            Some(Ok(value)) => {
                taken.insert(field.name.to_owned(), value);
            }
            Some(Err(wanted)) => problems.push(format!("{parent}{} should be {wanted}", field.name)),
            None if field.required => problems.push(missing(field, parent)),
            None => {}
        }
    }
    sent.retain(|_, value| !value.is_null());
    (taken, sent)
}

/// Says whether a value leaves an argument out. Some send an empty text for what they do not mean, where a text can mean nothing.
fn is_nothing(kind: Type, value: &Value) -> bool {
    value.is_null() || matches!(kind, Type::OneOf(_) | Type::Number | Type::Flag) && is_blank(value)
}

fn is_blank(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.trim().is_empty())
}

fn missing(field: &Field, parent: &str) -> String {
    let Field { name, about, .. } = field;
    match (field.kind, about.is_empty()) {
        (Type::OneOf(words), _) => format!("{parent}{name} is missing (one of {})", words.join(", ")),
        (_, true) => format!("{parent}{name} is missing"),
        (_, false) => format!("{parent}{name} is missing ({about})"),
    }
}

/// Brings a value into the form that is wanted, if it can be understood; else says what is wanted.
fn understood(kind: Type, value: Value) -> Result<Value, String> {
    let taken = match kind {
        Type::Text => text(value),
        Type::Lines => Some(Value::String(lines(&value))),
        Type::Texts => texts(value, label),
        Type::Steps => texts(value, step),
        Type::Number => number(&value),
        Type::Flag => flag(&value),
        Type::OneOf(words) => value.as_str().and_then(|text| word(words, text)),
        Type::Object(_) => object(value),
        Type::Objects(_) => Some(objects(value)),
    };
    taken.ok_or_else(|| match kind {
        Type::Text | Type::Lines => "a text".to_owned(),
        Type::Texts => "a list of texts".to_owned(),
        Type::Steps => {
            "a list of texts, or of objects with text and state (pending, active, done or skipped)".to_owned()
        }
        Type::Number => "a whole number".to_owned(),
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

/// Lists names as a sentence does: `a, b and c`.
pub fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const FIELDS: &[Field] = &[
        need("title", Type::Text, "one line"),
        need("kind", Type::OneOf(&["in-progress", "done"]), ""),
        may("scope", Type::Texts, ""),
        may("page", Type::Number, ""),
        may("fix", Type::Flag, ""),
        may("mode", Type::OneOf(&["append", "replace"]), ""),
    ];

    fn check(sent: Value) -> Result<Value, String> {
        let Value::Object(sent) = sent else { panic!("a test sends an object") };
        Arguments::check("save", FIELDS, sent)
            .map(|arguments| Value::Object(arguments.taken))
            .map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn everything_that_is_missing_or_wrong_is_named_in_one_go() {
        assert_eq!(
            check(json!({"title": " ", "page": "two", "fix": 3})),
            Err("save: title is missing (one line); kind is missing (one of in-progress, done); \
                 page should be a whole number; fix should be true or false. Send it again with everything in one \
                 go. It needs title and kind"
                .to_owned())
        );
    }

    #[rstest]
    #[case(json!({"title": "a", "kind": "In Progress"}), json!({"title": "a", "kind": "in-progress"}))]
    #[case(json!({"title": "a", "kind": "done", "scope": "api"}), json!({"title": "a", "kind": "done", "scope": ["api"]}))]
    #[case(json!({"title": "a", "kind": "done", "scope": "[\"api\",\"web\"]"}), json!({"title": "a", "kind": "done", "scope": ["api", "web"]}))]
    #[case(json!({"title": 7, "kind": "done", "page": "2", "fix": "yes"}), json!({"title": "7", "kind": "done", "page": 2, "fix": true}))]
    #[case(json!({"title": "a", "kind": "done", "from_another_version": {}, "page": null}), json!({"title": "a", "kind": "done"}))]
    #[case(json!({"title": "a", "kind": "done", "page": 2.0}), json!({"title": "a", "kind": "done", "page": 2}))]
    #[case(json!({"title": "a", "kind": "done", "page": "", "fix": " ", "mode": ""}), json!({"title": "a", "kind": "done"}))]
    fn what_can_be_understood_is_taken(#[case] sent: Value, #[case] taken: Value) {
        assert_eq!(check(sent), Ok(taken));
    }

    #[rstest]
    #[case(json!({"title": "a", "kind": ""}), "save: kind is missing (one of in-progress, done). ")]
    #[case(json!({"title": "a", "kind": "done", "page": 1.5}), "save: page should be a whole number. ")]
    #[case(json!({"title": "a", "kind": "done", "page": -1.0}), "save: page should be a whole number. ")]
    #[case(json!({"title": "a", "kind": "done", "page": 1e300}), "save: page should be a whole number. ")]
    fn what_cannot_be_meant_is_refused(#[case] sent: Value, #[case] problem: &str) {
        let refusal = check(sent).unwrap_err();
        assert!(refusal.starts_with(problem), "{refusal}");
    }

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

    #[test]
    fn labels_in_one_text_are_told_apart() {
        let sent = json!({"title": "a", "kind": "done", "scope": "auth, api,, "});
        let Value::Object(sent) = sent else { unreachable!() };
        let arguments = Arguments::check("save", FIELDS, sent).unwrap();
        assert_eq!(arguments.labels("scope"), ["auth", "api"]);
        assert_eq!(arguments.labels("page"), [""; 0]);
    }

    #[rstest]
    #[case(json!([]))]
    #[case(json!(["", " "]))]
    #[case(json!("\n"))]
    #[case(json!(null))]
    fn nothing_is_nothing_however_it_is_spelt(#[case] title: Value) {
        let refusal = check(json!({"title": title, "kind": "done"})).unwrap_err();
        assert!(refusal.starts_with("save: title is missing (one line). "), "{refusal}");
    }

    #[test]
    fn the_schema_says_no_more_than_it_must() {
        assert_eq!(
            schema(&FIELDS[..2]).to_string(),
            r#"{"properties":{"kind":{"enum":["in-progress","done"],"type":"string"},"title":{"description":"one line","type":"string"}},"required":["title","kind"],"type":"object"}"#
        );
    }
}
