//! The arguments of a tool: one table for the schema, the check and the refusal.
//!
//! Agents send what they think is right: a text where a list belongs, a number in quotes, fields of another version. What can be understood is
//! taken, also where one argument leaked into another ([`crate::leaks`]). What is missing is named all at once, with what to send, because each round trip costs a turn.

mod forms;
mod unknown;

use custos_config::shown::shown;
use custos_knowledge::Refusal;
use serde_json::{Map, Value, json};

use crate::leaks;
use forms::understood;

/// What an argument may be.
#[derive(Debug, Clone, Copy)]
pub enum Type {
    /// A text.
    Text,
    /// What something is called: an id, a slug, a directory. It is looked for and said again where it is not found, so that what is secret is
    /// taken out of it at once. Nothing that is kept has it in its name.
    Name,
    /// A list of such names.
    Names,
    /// A text of several lines, however it is sent: nothing that depends on its form shall keep a handoff from being written.
    Lines,
    /// A list of texts.
    Texts,
    /// The steps of a plan: texts, or things as a list of plans shows them.
    Steps,
    /// A whole number.
    Number,
    /// The most that there may be of something, from 1.
    Limit,
    /// The number of a page, from 1.
    Page,
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
    /// What is meant by one that is sent, but empty. Without it, an empty one is missing where it must be there.
    pub when_empty: Option<&'static str>,
}

impl Field {
    /// Takes an empty one for this.
    #[must_use]
    pub const fn or(self, when_empty: &'static str) -> Self {
        Self { when_empty: Some(when_empty), ..self }
    }
}

/// An argument that must be there.
pub const fn need(name: &'static str, kind: Type, about: &'static str) -> Field {
    Field { name, kind, required: true, about, when_empty: None }
}

/// An argument that may be there.
pub const fn may(name: &'static str, kind: Type, about: &'static str) -> Field {
    Field { name, kind, required: false, about, when_empty: None }
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
        Type::Text | Type::Name | Type::Lines => json!({ "type": "string" }),
        Type::Texts | Type::Names | Type::Steps => json!({ "type": "array", "items": { "type": "string" } }),
        Type::Number | Type::Limit | Type::Page => json!({ "type": "integer" }),
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
    fields: &'static [Field],
}

impl Arguments {
    /// Checks what was sent for a tool. Fields that it does not know are left out: another version may know them.
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
        if problems.is_empty() {
            return Ok(Self { taken, unknown, notes, fields });
        }
        // What is missing may be there by another name.
        problems.extend(unknown::told(fields, &taken, &unknown));
        Err(problems)
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

    /// The names of an argument. Some send several ids or slugs as one text with commas; a title may have commas of its own, also in a script
    /// that has no blanks.
    pub fn names(&self, name: &str) -> Vec<String> {
        let mut names = Vec::new();
        for text in self.texts(name) {
            let parts: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
            let is_name = |part: &&str| {
                part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:/".contains(&byte))
            };
            if parts.len() > 1 && parts.iter().all(is_name) {
                names.extend(parts.into_iter().map(str::to_owned));
            } else {
                names.push(text);
            }
        }
        names
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

    /// Says which texts were sent under a name that nobody knows, for whoever takes them for kept; nothing where there are none.
    pub fn unused(&self) -> Option<String> {
        let names: Vec<String> = unknown::texts(&self.unknown).map(shown).collect();
        if names.is_empty() {
            return None;
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let known: Vec<&str> = self.fields.iter().map(|field| field.name).collect();
        Some(format!(
            "NOT taken, for there is no such argument: {}. There are {}",
            listed(&names),
            listed(&known)
        ))
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
        let value = match sent.remove(field.name) {
            Some(Value::Null) if field.when_empty.is_some() => Some(json!("")),
            value => value.filter(|value| !is_nothing(field.kind, value)),
        };
        match value.map(|value| understood(field.kind, value)) {
            // A list of no lines is a text with nothing in it, too: what counts is what was understood.
            Some(Ok(value)) if field.required && is_blank(&value) => match field.when_empty {
                Some(meant) => {
                    taken.insert(field.name.to_owned(), json!(meant));
                }
                None => problems.push(missing(field, parent)),
            },
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
    value.is_null()
        || matches!(kind, Type::OneOf(_) | Type::Number | Type::Limit | Type::Page | Type::Flag)
            && is_blank(value)
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
        may("page", Type::Page, ""),
        may("fix", Type::Flag, ""),
        may("mode", Type::OneOf(&["append", "replace"]), ""),
        may("slug", Type::Name, ""),
        may("from", Type::Names, ""),
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
                 page should be a whole number, 1 or more; fix should be true or false. Send it again with everything in one \
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
    #[case(json!({"title": "a", "kind": "done", "page": 0}), "save: page should be a whole number, 1 or more. ")]
    #[case(json!({"title": "a", "kind": "done", "page": "0"}), "save: page should be a whole number, 1 or more. ")]
    #[case(json!({"title": "a", "kind": "done", "page": 1.5}), "save: page should be a whole number, 1 or more. ")]
    #[case(json!({"title": "a", "kind": "done", "page": -1.0}), "save: page should be a whole number, 1 or more. ")]
    #[case(json!({"title": "a", "kind": "done", "page": 1e300}), "save: page should be a whole number, 1 or more. ")]
    fn what_cannot_be_meant_is_refused(#[case] sent: Value, #[case] problem: &str) {
        let refusal = check(sent).unwrap_err();
        assert!(refusal.starts_with(problem), "{refusal}");
    }

    #[rstest]
    #[case::by_another_word(json!({"name": "a", "kind": "done"}), "title is missing (one line); there is no such argument: name (did you mean title?)")]
    #[case::by_a_slip(json!({"titel": "a", "Kind": "done"}), "title is missing (one line); kind is missing (one of in-progress, done); there is no such argument: Kind (did you mean kind?), titel (did you mean title?)")]
    #[case::for_what_is_there(json!({"title": "a", "name": "b", "note": ["c"], "_meta": "x", "wait": true}), "kind is missing (one of in-progress, done); there is no such argument: name, note")]
    fn what_was_sent_under_another_name_is_told_with_what_is_missing(
        #[case] sent: Value,
        #[case] problems: &str,
    ) {
        let next = "Send it again with everything in one go. It needs title and kind";
        assert_eq!(check(sent), Err(format!("save: {problems}. {next}")));
    }

    #[test]
    fn what_is_secret_is_taken_out_of_names() {
        let secret = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let name = format!("a {}\u{200b}{} <private>b</private>", &secret[..20], &secret[20..]);
        let sent = json!({"title": "a", "kind": "done", "slug": name, "from": [name, "D-001"]});
        let clean = "a [redacted:github-token] [redacted:private]";
        let taken = json!({"title": "a", "kind": "done", "slug": clean, "from": [clean, "D-001"]});
        assert_eq!(check(sent), Ok(taken));
    }

    #[test]
    fn markup_that_leaked_into_a_name_is_no_part_of_it() {
        let sent = json!({"title": "a", "kind": "done</parameter>", "slug": "Q-001</parameter>", "from": ["B-001\n</invoke>", "<b>"]});
        let taken = json!({"title": "a", "kind": "done", "slug": "Q-001", "from": ["B-001", "<b>"]});
        assert_eq!(check(sent), Ok(taken));
    }

    #[rstest]
    #[case(json!(""))]
    #[case(json!(" \n"))]
    #[case(json!([]))]
    #[case(json!([""]))]
    #[case(json!({}))]
    #[case(json!(null))]
    fn where_nothing_can_be_meant_an_empty_text_means_it(#[case] sent: Value) {
        const LEFT: &[Field] = &[need("left", Type::Lines, "what is left, or nothing").or("nothing")];
        let read = |sent: Value| {
            let Value::Object(sent) = sent else { panic!("a test sends an object") };
            Arguments::read(LEFT, sent).map(|arguments| arguments.text("left").to_owned())
        };
        assert_eq!(read(json!({ "left": sent })), Ok("nothing".to_owned()));
        assert_eq!(read(json!({ "left": "a test" })), Ok("a test".to_owned()));
        assert_eq!(read(json!({})), Err(vec!["left is missing (what is left, or nothing)".to_owned()]));
    }

    #[test]
    fn texts_that_nobody_asked_for_are_told() {
        let unused = |sent: Value| {
            let Value::Object(sent) = sent else { panic!("a test sends an object") };
            Arguments::check("save", &FIELDS[..2], sent).unwrap().unused()
        };
        assert_eq!(
            unused(json!({"title": "a", "kind": "done", "note": "waits for the vendor", "tags": ["x"]}))
                .as_deref(),
            Some("NOT taken, for there is no such argument: note and tags. There are title and kind")
        );
        let nothing =
            json!({"title": "a", "kind": "done", "note": " ", "wait": true, "_meta": "x", "at": 3, "of": {}});
        assert_eq!(unused(nothing), None);
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
    #[case(json!("D-002, D-003"), &["D-002", "D-003"])]
    #[case(json!(["use-utc,keep-logs", "D-004"]), &["use-utc", "keep-logs", "D-004"])]
    #[case(json!("Use UTC, always"), &["Use UTC, always"])]
    #[case(json!(["使用UTC,总是"]), &["使用UTC,总是"])]
    #[case(json!("api:D-002,workspace:use-utc"), &["api:D-002", "workspace:use-utc"])]
    #[case(json!("D-002"), &["D-002"])]
    fn names_in_one_text_are_told_apart_from_a_title(#[case] sent: Value, #[case] names: &[&str]) {
        let sent = json!({"title": "a", "kind": "done", "scope": sent});
        let Value::Object(sent) = sent else { unreachable!() };
        assert_eq!(Arguments::check("save", FIELDS, sent).unwrap().names("scope"), names);
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
