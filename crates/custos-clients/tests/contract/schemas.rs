//! The committed schemas: complete, well-formed, and what the tables say.

use std::path::PathBuf;

use custos_clients::CLIENTS;
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::{answers, shapes};

/// Puts the heading of a schema above its body.
pub(crate) fn titled(title: &str, body: Value) -> Value {
    let mut schema = json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "title": title });
    let Value::Object(body) = body else { panic!("a schema is an object") };
    schema.as_object_mut().unwrap().extend(body);
    schema
}

/// Writes a schema for people: what it is first, its fields last, and short things on one line.
fn written_out(value: &Value, depth: usize) -> String {
    const WIDTH: usize = 100;
    const FIRST: [&str; 6] = ["$schema", "title", "description", "type", "required", "additionalProperties"];
    let rank = |name: &str| FIRST.iter().position(|first| *first == name).unwrap_or(FIRST.len());
    let (open, close, mut items) = match value {
        Value::Object(fields) => {
            let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| rank(name));
            let item = |(name, value): (&String, &Value)| {
                format!("{}: {}", json!(name), written_out(value, depth + 1))
            };
            ("{", "}", fields.into_iter().map(item).collect::<Vec<String>>())
        }
        Value::Array(items) => ("[", "]", items.iter().map(|item| written_out(item, depth + 1)).collect()),
        other => return other.to_string(),
    };
    let line = format!("{open}{}{close}", items.join(", "));
    if depth > 0 && depth * 2 + line.len() <= WIDTH && !line.contains('\n') {
        return line;
    }
    let margin = "  ".repeat(depth + 1);
    for item in &mut items {
        item.insert_str(0, &margin);
    }
    format!("{open}\n{}\n{}{close}", items.join(",\n"), "  ".repeat(depth))
}

fn path(client: &str, event: &str, stream: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("schemas").join(client);
    dir.join(format!("{event}.{stream}.json"))
}

/// Opens the committed schema of what comes in (`stdin`) or goes out (`stdout`) at an event.
pub(crate) fn open(client: &str, event: &str, stream: &str) -> Validator {
    let text = std::fs::read_to_string(path(client, event, stream)).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
}

/// Says what a schema has against a value; nothing if it is valid.
pub(crate) fn objections(schema: &Validator, value: &Value) -> Vec<String> {
    schema.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn the_committed_schemas_are_current() {
    let mut written = Vec::new();
    for shapes in &shapes::SHAPES {
        for (stream, schemas) in
            [("stdin", shapes::stdin(shapes)), ("stdout", answers::stdout(shapes.client))]
        {
            for (event, schema) in schemas {
                jsonschema::meta::validate(&schema).unwrap();
                written.push((path(shapes.client, event, stream), written_out(&schema, 0) + "\n"));
            }
        }
    }
    #[expect(clippy::disallowed_methods, reason = "renewing committed files is asked for by a variable")]
    if std::env::var_os("CUSTOS_RENEW").is_some() {
        for (path, text) in &written {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }
    let committed = |path: &PathBuf| std::fs::read_to_string(path).unwrap_or_default();
    let stale: Vec<_> = written.iter().filter(|(path, text)| committed(path) != *text).collect();
    let renew = "renew with\n  CUSTOS_RENEW=1 cargo test -p custos-clients --test contract schemas";
    assert!(stale.is_empty(), "{renew}\n{stale:#?}");
    let mut expected: Vec<PathBuf> = written.into_iter().map(|(path, _)| path).collect();
    let mut found: Vec<PathBuf> = CLIENTS
        .iter()
        .flat_map(|client| std::fs::read_dir(path(client.name, "x", "stdin").parent().unwrap()).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn there_is_a_pair_for_every_wired_event_and_no_other() {
    for (client, shapes) in CLIENTS.iter().zip(&shapes::SHAPES) {
        let events: Vec<&str> = client.manifest.events.iter().map(|row| row.event).collect();
        let stdin: Vec<&str> = shapes.events.iter().map(|(event, _)| *event).collect();
        let stdout: Vec<&str> = answers::of(shapes.client).into_iter().map(|(event, _)| event).collect();
        assert_eq!((shapes.client, &stdin, &stdout), (client.name, &events, &events));
    }
}

/// Finds every object in a schema of Codex's answers.
fn objects<'a>(schema: &'a Value, found: &mut Vec<&'a Value>) {
    match schema {
        Value::Object(fields) => {
            if fields.get("type").is_some_and(|sort| sort == "object") {
                found.push(schema);
            }
            fields.values().for_each(|value| objects(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| objects(item, found)),
        _ => {}
    }
}

#[test]
fn codex_is_given_no_key_that_it_does_not_know() {
    for (event, schema) in answers::stdout("codex") {
        let mut found = Vec::new();
        objects(&schema, &mut found);
        for object in found {
            assert_eq!(object["additionalProperties"], json!(false), "{event}: {object:#}");
        }
    }
    let schema = open("codex", "PreToolUse", "stdout");
    let denial = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no",
    }});
    assert_eq!(objections(&schema, &denial), Vec::<String>::new());
    let mut louder = denial.clone();
    louder["continue"] = json!(false);
    let mut deeper = denial;
    deeper["hookSpecificOutput"]["suppressOutput"] = json!(true);
    assert!(!schema.is_valid(&louder) && !schema.is_valid(&deeper));
}
