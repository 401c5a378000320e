//! Several messages in one line, as protocol 2025-03-26 has them: what is asked as a list is answered as a list.

use insta::assert_snapshot;
use serde_json::Value;

use crate::client::{ask, call, initialize, say};

const PING: &str = r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn list(messages: &[&str]) -> String {
    format!("[{}]", messages.join(","))
}

#[test]
fn a_conversation_of_2025_03_26_may_ask_several_things_at_once() {
    let calls = [call(2, "list_names", r#"{"text":""}"#), call(3, "save_nothing", "{}")];
    let several = list(&[INITIALIZED, &calls[0], PING, &calls[1]]);
    let heard = say(format!("{}\n{several}\n", initialize(1, "2025-03-26")).as_bytes());
    assert_eq!(heard.told, [r#"list_names {"text":""}"#, "save_nothing {}", "closed"]);
    let (together, alone): (Vec<&str>, Vec<&str>) =
        heard.answers.lines().partition(|line| line.starts_with('['));
    assert_snapshot!(alone.join("\n"), @r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"custos","title":"Custos","version":"0.1.0"},"instructions":"Ask `echo` first."}}"#);
    let mut answers: Vec<Value> = serde_json::from_str(&together.concat()).unwrap();
    answers.sort_by_key(|answer| answer["id"].as_i64());
    let answers: Vec<String> = answers.iter().map(Value::to_string).collect();
    assert_snapshot!(answers.join("\n"), @r#"
    {"id":2,"jsonrpc":"2.0","result":{"content":[{"text":"a, b","type":"text"}],"isError":false}}
    {"id":3,"jsonrpc":"2.0","result":{"content":[{"text":"there is nothing to save","type":"text"}],"isError":true,"structuredContent":{"saved":0}}}
    {"id":9,"jsonrpc":"2.0","result":{}}
    "#);
}

#[test]
fn each_message_of_a_list_is_refused_for_itself() {
    let several = list(&["5", "[]", "{}", r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, PING, PING]);
    assert_snapshot!(ask(&[&several]), @r#"[{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request"}},{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request"}},{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request"}},{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request"}},{"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"Invalid request: another one with this id is not answered yet"}},{"jsonrpc":"2.0","id":9,"result":{}}]"#);
}

#[test]
fn a_list_without_a_question_gets_no_answer() {
    let unknown = r#"{"jsonrpc":"2.0","method":"notifications/of/somebody"}"#;
    let unread = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":5}"#;
    assert_eq!(ask(&[&list(&[INITIALIZED, unknown, unread])]), "");
}

#[test]
fn an_empty_list_and_a_broken_one_are_refused() {
    assert_snapshot!(ask(&["[]", "  [ ] ", "[", "[1,", "]", "[{]"]), @r#"
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: the list is empty"}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: the list is empty"}}
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: EOF while parsing a list at line 1 column 1"}}
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: EOF while parsing a value at line 1 column 3"}}
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: expected value at line 1 column 1"}}
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: key must be a string at line 1 column 3"}}
    "#);
}

#[test]
fn what_a_list_cancels_never_happens_and_nobody_waits_for_it() {
    let cancel =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"no"}}"#;
    let heard = say(format!("{}\n", list(&[&call(1, "echo", "{}"), PING, cancel])).as_bytes());
    assert_eq!(heard.answers, r#"[{"jsonrpc":"2.0","id":9,"result":{}}]"#);
    assert_eq!(heard.told, ["closed"]);
}

#[test]
fn a_list_does_not_wait_for_an_id_that_is_asked_under_elsewhere() {
    let calls = [call(1, "echo", r#"{"n":1}"#), call(1, "echo", r#"{"n":2}"#)];
    let heard = say(format!("{}\n{}\n", list(&[&calls[0]]), list(&[&calls[1], PING])).as_bytes());
    assert_eq!(heard.told, [r#"echo {"n":1}"#, "closed"]);
    assert_snapshot!(heard.answers, @r#"
    [{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: another one with this id is not answered yet"}},{"jsonrpc":"2.0","id":9,"result":{}}]
    [{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"client":null,"meta":null},"isError":false}}]
    "#);
}
