//! Calls of tools: what they are given, what becomes of their answers, and what of those that go wrong.

use insta::assert_snapshot;

use crate::client::{ask, call, initialize, say};

#[test]
fn an_answer_is_text_and_structure_and_a_failure_is_an_answer() {
    let lines = [
        call(1, "echo", r#"{"text":"Grüße, мир"}"#),
        call(2, "save_nothing", "{}"),
        call(3, "list_names", "{}"),
        call(4, "list_names", r#"{"text":"plain"}"#),
    ];
    assert_snapshot!(ask(&lines.each_ref().map(String::as_str)), @r#"
    {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"text\":\"Grüße, мир\"}"}],"structuredContent":{"client":null,"meta":null},"isError":false}}
    {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"there is nothing to save"}],"structuredContent":{"saved":0},"isError":true}}
    {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"a, b"}],"structuredContent":{"value":["a","b"]},"isError":false}}
    {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"a, b"}],"isError":false}}
    "#);
}

#[test]
fn arguments_may_be_missing_or_null() {
    let missing = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}"#;
    assert_snapshot!(ask(&[missing, &call(2, "echo", "null")]), @r#"
    {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{}"}],"structuredContent":{"client":null,"meta":null},"isError":false}}
    {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{}"}],"structuredContent":{"client":null,"meta":null},"isError":false}}
    "#);
}

#[test]
fn a_call_knows_its_client_and_what_the_request_says() {
    let told = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","_meta":{"progressToken":1,"sessionId":"s-1"}}}"#;
    assert_snapshot!(ask(&[&initialize(1, "2025-06-18"), told]).lines().last().unwrap(), @r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{}"}],"structuredContent":{"client":["old","1"],"meta":{"progressToken":1,"sessionId":"s-1"}},"isError":false}}"#);
}

#[test]
fn the_session_that_a_plugin_names_is_no_argument_of_a_tool() {
    let calls =
        [call(1, "echo", r#"{"text":"a","_session":"ses_1"}"#), call(2, "echo", r#"{"_session":["ses_1"]}"#)];
    assert_snapshot!(ask(&calls.each_ref().map(String::as_str)), @r#"
    {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"text\":\"a\"}"}],"structuredContent":{"client":null,"meta":null,"session":"ses_1"},"isError":false}}
    {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{}"}],"structuredContent":{"client":null,"meta":null},"isError":false}}
    "#);
}

#[test]
fn a_tool_that_panics_is_an_answer_and_the_next_call_is_served() {
    assert_snapshot!(ask(&[&call(1, "break_off", "{}"), &call(2, "echo", "{}")]), @r#"
    {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`break_off` broke off: no more\\npaper. This is a defect of Custos, not of the call; part of the work may be done. The other tools still answer."}],"isError":true}}
    {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{}"}],"structuredContent":{"client":null,"meta":null},"isError":false}}
    "#);
}

#[test]
fn a_wrong_name_is_told_which_was_meant() {
    let names = [
        "ecko",
        "mcp__custos__save_nothing",
        "custos-echo",
        "names",
        "nothing_like_it",
        "a\\u0007\\n",
        "ssss",
    ];
    let calls: Vec<_> = (1..).zip(names).map(|(id, name)| call(id, name, "{}")).collect();
    assert_snapshot!(ask(&calls.iter().map(String::as_str).collect::<Vec<_>>()), @r#"
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"there is no tool `ecko`; close to it: `echo`"}}
    {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"there is no tool `mcp__custos__save_nothing`; close to it: `save_nothing`"}}
    {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"there is no tool `custos-echo`; close to it: `echo`"}}
    {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"there is no tool `names`; close to it: `list_names`"}}
    {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"there is no tool `nothing_like_it`; tools/list names those there are"}}
    {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"there is no tool `a\\u{7}\\n`; tools/list names those there are"}}
    {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"there is no tool `ssss`; tools/list names those there are"}}
    "#);
}

#[test]
fn parameters_that_cannot_be_read_are_named() {
    let lines = [
        &call(1, "echo", r#""text""#),
        &call(2, "echo", "[1]"),
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":5}}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"tools/list","params":[]}"#,
    ];
    assert_snapshot!(ask(&lines), @r#"
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"send `name`, a text, and `arguments`, an object"}}
    {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"send `name`, a text, and `arguments`, an object"}}
    {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"send `name`, a text, and `arguments`, an object"}}
    {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"send `name`, a text, and `arguments`, an object"}}
    {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"send `protocolVersion`, a text, `capabilities`, an object, and `clientInfo` with `name` and `version`"}}
    {"jsonrpc":"2.0","id":6,"error":{"code":-32600,"message":"Invalid request"}}
    "#);
}

#[test]
fn a_call_that_is_cancelled_before_its_turn_never_happens() {
    let cancel = |id| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id},"reason":"no"}}}}"#
        )
    };
    let lines = [
        &call(1, "echo", r#"{"text":"one"}"#),
        &call(2, "echo", r#"{"text":"two"}"#),
        &cancel(2),
        &cancel(77),
        &call(3, "echo", r#"{"text":"three"}"#),
    ];
    let heard = say(lines.map(|line| format!("{line}\n")).concat().as_bytes());
    assert_eq!(heard.told, [r#"echo {"text":"one"}"#, r#"echo {"text":"three"}"#, "closed"]);
    assert_snapshot!(heard.answers, @r#"
    {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"text\":\"one\"}"}],"structuredContent":{"client":null,"meta":null},"isError":false}}
    {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{\"text\":\"three\"}"}],"structuredContent":{"client":null,"meta":null},"isError":false}}
    "#);
}

#[test]
fn calls_that_come_together_are_made_in_order_and_each_is_answered() {
    let calls: String = (1..=200).map(|id| call(id, "echo", &format!(r#"{{"n":{id}}}"#)) + "\n").collect();
    let heard = say(calls.as_bytes());

    let told = (1..=200).map(|n| format!(r#"echo {{"n":{n}}}"#)).chain(["closed".to_owned()]);
    assert_eq!(heard.told, told.collect::<Vec<_>>());
    let mut expected: Vec<_> = (1..=200)
        .map(|n| {
            format!(
                r#"{{"jsonrpc":"2.0","id":{n},"result":{{"content":[{{"type":"text","text":"{{\"n\":{n}}}"}}],"structuredContent":{{"client":null,"meta":null}},"isError":false}}}}"#
            )
        })
        .collect();
    expected.sort_unstable();
    assert_eq!(heard.answers.lines().collect::<Vec<_>>(), expected);
}
