//! Our answers, in every client's dialect.

use custos_clients::{Answer, CLIENTS, Client, Moment, Verdict, find};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::Value;

use crate::schemas;

/// Every answer that there can be.
fn answers() -> Vec<(&'static str, Answer)> {
    let verdict = |verdict| Answer { verdict: Some(verdict), context: None };
    // Lines, so that it can be cut at the end of one.
    let long = "nineteen characters\n".repeat(1_000);
    vec![
        ("silence", Answer::silence()),
        ("deny", Answer::deny("not this")),
        ("ask", verdict(Verdict::Ask("sure?".to_owned()))),
        ("allow", verdict(Verdict::Allow)),
        ("tell", Answer::tell("know this")),
        ("tell at length", Answer::tell(long)),
        ("tell and deny", Answer { context: Some("know this".to_owned()), ..Answer::deny("not this") }),
    ]
}

/// Checks an answer's form and gives what is printed.
fn printed(client: &Client, event: &str, answer: &Answer) -> (u8, Option<Value>) {
    let reply = client.reply(event, answer);
    if reply.stdout.is_empty() {
        assert_eq!(reply.exit, 0, "{} {event}: silence stops nobody", client.name);
        return (0, None);
    }
    // One object on one line, and nothing after it.
    let line = reply.stdout.strip_suffix(b"\n").unwrap();
    assert!(!line.contains(&b'\n'), "{} {event}", client.name);
    let value: Value = serde_json::from_slice(line).unwrap();
    let schema = schemas::open(client.name, event, "stdout");
    let objections = schemas::objections(&schema, &value);
    assert!(objections.is_empty(), "{} {event}: {objections:?}\n{value:#}", client.name);
    (reply.exit, Some(value))
}

#[rstest]
fn every_answer_to_every_event(
    #[values("claude-code", "codex", "gemini", "copilot", "opencode", "cursor")] name: &str,
) {
    let client = find(name).unwrap();
    let mut page = String::new();
    for row in client.manifest.events {
        page.push_str(&format!("{}\n", row.event));
        for (said, answer) in answers() {
            let (exit, value) = printed(client, row.event, &answer);
            let Some(mut value) = value else { continue };
            shorten(&mut value);
            page.push_str(&format!("  {said}: {value}"));
            page.push_str(&if exit == 0 { "\n".to_owned() } else { format!(" exit {exit}\n") });
        }
    }
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(format!("replies_{name}"), page);
    });
}

/// Says of a long text how long it is.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > 200 => *text = format!("({} characters)", text.chars().count()),
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}

/// Finds a text anywhere in an answer.
fn says(value: &Value, text: &str) -> bool {
    match value {
        Value::String(said) => said == text,
        Value::Object(fields) => fields.values().any(|value| says(value, text)),
        _ => false,
    }
}

#[test]
fn only_a_denial_in_cursor_ends_with_another_code_than_0() {
    for client in CLIENTS {
        for row in client.manifest.events {
            for (said, answer) in answers() {
                let (exit, value) = printed(client, row.event, &answer);
                let denies =
                    client.name == "cursor" && value.is_some_and(|value| value["permission"] == "deny");
                assert_eq!(exit, if denies { 2 } else { 0 }, "{} {} {said}", client.name, row.event);
            }
        }
    }
}

#[test]
fn a_question_reaches_only_those_who_can_ask_and_stops_the_others() {
    let ask = Answer { verdict: Some(Verdict::Ask("sure?".to_owned())), context: None };
    for client in CLIENTS {
        let asked: Vec<Value> =
            client.manifest.events.iter().filter_map(|row| printed(client, row.event, &ask).1).collect();
        // One event before a tool in each client, and nowhere else is there anything to ask about.
        assert_eq!(asked.len(), 1, "{}", client.name);
        let can_ask = matches!(client.name, "claude-code" | "copilot");
        assert_eq!(says(&asked[0], "ask"), can_ask, "{}", client.name);
        assert!(can_ask || asked[0].to_string().contains("sure? ("), "{}: {}", client.name, asked[0]);
    }
}

#[test]
fn context_goes_where_the_manifest_says_that_it_arrives() {
    for client in CLIENTS {
        for row in client.manifest.events {
            let (_, value) = printed(client, row.event, &Answer::tell("know this"));
            let told = value.is_some_and(|value| says(&value, "know this"));
            assert_eq!(told, row.context, "{} {}", client.name, row.event);
        }
    }
}

#[test]
fn a_denial_is_said_wherever_a_tool_can_be_stopped() {
    for client in CLIENTS {
        for row in client.manifest.events {
            let (_, value) = printed(client, row.event, &Answer::deny("not this"));
            let denied = value.is_some_and(|value| says(&value, "not this"));
            let stoppable = matches!(row.moment, Moment::ToolStarting | Moment::PermissionAsked);
            assert_eq!(denied, stoppable, "{} {}", client.name, row.event);
        }
    }
}

fn any_answer() -> impl Strategy<Value = Answer> {
    let reason = "\\PC{1,40}|[\u{0}-\u{1f}\"\\\\]{1,40}";
    let verdict = prop_oneof![
        Just(None),
        Just(Some(Verdict::Allow)),
        reason.prop_map(|reason| Some(Verdict::Ask(reason))),
        reason.prop_map(|reason| Some(Verdict::Deny(reason))),
    ];
    // Characters of one to four bytes, so that a cut by bytes would be seen.
    let context = ("[\\PC\n]{1,40}", 1..1_000_usize).prop_map(|(text, times)| text.repeat(times));
    (verdict, prop::option::of(context)).prop_map(|(verdict, context)| Answer { verdict, context })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_is_said_is_said_in_a_form_that_the_client_takes(answer in any_answer()) {
        for client in CLIENTS {
            for row in client.manifest.events {
                printed(client, row.event, &answer);
            }
        }
    }
}
