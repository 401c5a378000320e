//! A payload that is not what its client's contract says is refused, by the name of the field.

use std::collections::BTreeSet;

use custos_clients::{CLIENTS, find};
use rstest::rstest;
use serde_json::{Value, json};

use crate::recorded;
use crate::schemas;
use crate::shapes::{Fields, SHAPES, Sort};

/// Gives the paths of all fields that must be there.
fn required(fields: Fields, below: &str, found: &mut Vec<String>) {
    for (name, sort) in fields {
        let path = format!("{below}/{name}");
        if sort.is_required() {
            found.push(path.clone());
        }
        if let Sort::Inside(fields) = sort {
            required(fields, &path, found);
        }
    }
}

/// Takes a field out of a payload, or puts another value in its place.
fn change(payload: &Value, path: &str, value: Option<&Value>) -> Value {
    let mut changed = payload.clone();
    let (above, name) = path.rsplit_once('/').unwrap();
    let Some(Value::Object(fields)) = changed.pointer_mut(above) else { return changed };
    match value {
        Some(value) => fields.insert(name.to_owned(), value.clone()),
        None => fields.remove(name),
    };
    changed
}

#[rstest]
fn what_must_be_there_is_named_when_it_is_not(
    #[values("claude-code", "codex", "gemini", "copilot", "opencode", "cursor")] name: &str,
) {
    let client = find(name).unwrap();
    let shapes = SHAPES.iter().find(|shapes| shapes.client == name).unwrap();
    let mut said = BTreeSet::new();
    for payload in recorded::wired(client) {
        let event = payload.event().unwrap();
        let schema = schemas::open(name, event, "stdin");
        let (_, fields) = shapes.events.iter().find(|(known, _)| *known == event).unwrap();
        let mut paths = Vec::new();
        required(shapes.always, "", &mut paths);
        required(fields, "", &mut paths);
        for path in paths {
            for (how, value) in [("gone", None), ("a number", Some(json!(7))), ("a list", Some(json!([7])))] {
                let changed = change(&Value::Object(payload.fields.clone()), &path, value.as_ref());
                // A list is what some fields should be.
                if schema.is_valid(&changed) {
                    continue;
                }
                let Value::Object(changed) = changed else { panic!("a payload is an object") };
                let error = payload.read_as(changed).expect_err(&format!("{} without {path}", payload.name));
                said.insert(format!("{event} {path} {how}: {error}"));
            }
        }
    }
    let said: Vec<String> = said.into_iter().collect();
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(format!("misreads_{name}"), said.join("\n"));
    });
}

/// The schema is a promise: whatever it takes, the reader takes. Tried with every field of every recording in every other form.
#[test]
fn what_the_schema_takes_is_read() {
    let forms =
        [json!(null), json!(true), json!(7), json!(-1.5), json!(""), json!("text"), json!([]), json!({})];
    for client in CLIENTS {
        for payload in recorded::wired(client) {
            let schema = schemas::open(client.name, payload.event().unwrap(), "stdin");
            let whole = Value::Object(payload.fields.clone());
            let mut paths = Vec::new();
            every_path(&whole, "", 4, &mut paths);
            for path in paths {
                for form in [None].into_iter().chain(forms.iter().map(Some)) {
                    let changed = change(&whole, &path, form);
                    if !schema.is_valid(&changed) {
                        continue;
                    }
                    let Value::Object(fields) = changed else { panic!("a payload is an object") };
                    let read = payload.read_as(fields);
                    assert!(read.is_ok(), "{} {} {path} {form:?}: {read:?}", client.name, payload.name);
                }
            }
        }
    }
}

fn every_path(value: &Value, below: &str, depth: usize, found: &mut Vec<String>) {
    let Value::Object(fields) = value else { return };
    for (name, value) in fields {
        // Names with a slash would be another path.
        if depth > 0 && !name.contains(['/', '~']) {
            let path = format!("{below}/{name}");
            every_path(value, &path, depth - 1, found);
            found.push(path);
        }
    }
}
