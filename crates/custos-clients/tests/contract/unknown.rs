//! What we do not know: fields are kept, events mean nothing, and nothing at all makes a reader fall over.

use custos_clients::{Answer, CLIENTS, Reply};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::recorded;
use crate::shapes::{Fields, SHAPES, Sort};

#[test]
fn an_unknown_field_is_kept_and_changes_nothing() {
    let news = json!({ "of": ["tomorrow", 1, null] });
    for client in CLIENTS {
        for payload in recorded::wired(client) {
            let mut fields = payload.fields.clone();
            fields.insert("a_new_field".to_owned(), news.clone());
            let mut expected = payload.read().unwrap();
            expected.extra.insert("a_new_field".to_owned(), news.clone());
            assert_eq!(payload.read_as(fields), Ok(expected), "{} {}", client.name, payload.name);
        }
    }
}

#[test]
fn an_unknown_event_is_no_moment_and_is_answered_by_silence() {
    let loud = Answer { context: Some("context".to_owned()), ..Answer::deny("reason") };
    for client in CLIENTS {
        let unwired: Vec<String> = recorded::of(client)
            .into_iter()
            .filter(|recorded| recorded.event().is_none())
            .map(|recorded| recorded.name)
            .collect();
        let invented = ["", "Frobnicate", "PRETOOLUSE", "PreToolUse ", "../PreToolUse"].map(str::to_owned);
        for event in unwired.into_iter().chain(invented) {
            assert_eq!(client.moment(&event), None, "{} {event}", client.name);
            assert_eq!(client.reply(&event, &loud), Reply::silence(), "{} {event}", client.name);
        }
    }
}

/// Lists the names that any client has for anything, so that chance finds the way into every branch.
fn names() -> Vec<&'static str> {
    fn collect(fields: Fields, names: &mut Vec<&'static str>) {
        for (name, sort) in fields {
            names.push(name);
            if let Sort::Inside(fields) | Sort::Perhaps(fields) = sort {
                collect(fields, names);
            }
        }
    }
    let mut names =
        vec!["a_new_field", "stdout", "stderr", "file", "content", "text", "metadata", "exit", "exitCode"];
    names.extend([
        "isError",
        "resultType",
        "textResultForLlm",
        "llmContent",
        "structuredPatch",
        "id",
        "time",
    ]);
    for shapes in &SHAPES {
        collect(shapes.always, &mut names);
        shapes.events.iter().for_each(|(_, fields)| collect(fields, &mut names));
    }
    names.sort_unstable();
    names.dedup();
    names
}

fn any_text() -> impl Strategy<Value = String> {
    let telling = [
        "",
        "Bash",
        "bash",
        "run_shell_command",
        "{\"command\":\"ls\"}",
        "{",
        "Exit code 3",
        "Exit code: -",
        "Exit Code: 99999999999999999999",
        "permission_denied",
        "<untrusted_context>",
        "<untrusted_context></untrusted_context>",
        "ü<shellId: 0 completed with exit code 1>",
    ];
    prop_oneof![prop::sample::select(telling.to_vec()).prop_map(str::to_owned), "\\PC{0,12}"]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            any_object(inner).prop_map(Value::Object),
        ]
    })
}

fn any_object(values: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    let name = prop_oneof![
        9 => prop::sample::select(names()).prop_map(str::to_owned),
        1 => "\\PC{0,6}",
    ];
    prop::collection::vec((name, values), 0..16).prop_map(Map::from_iter)
}

proptest! {
    #[test]
    fn no_object_makes_a_reader_panic(fields in any_object(any_json())) {
        for client in CLIENTS {
            for row in client.manifest.events {
                let _ = client.read(row.moment, fields.clone());
            }
        }
    }

    /// A payload that was good but for a few fields goes further into the reader than one made of chance alone.
    #[test]
    fn no_change_of_a_recording_makes_a_reader_panic(changes in any_object(any_json()), pick in any::<prop::sample::Index>()) {
        for client in CLIENTS {
            let recorded = recorded::wired(client);
            let payload = &recorded[pick.index(recorded.len())];
            let mut fields = payload.fields.clone();
            fields.extend(changes.clone());
            let _ = payload.read_as(fields);
        }
    }
}
