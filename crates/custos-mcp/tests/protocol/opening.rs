//! How a conversation begins: with a handshake of any age, with a probe, or with none of them.

use insta::assert_snapshot;
use rstest::rstest;
use serde_json::{Value, json};

use crate::client::{ask, call, initialize, modern};

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;

#[test]
fn a_handshake_agrees_on_a_version_and_says_what_there_is() {
    assert_snapshot!(ask(&[&initialize(1, "2025-06-18"), INITIALIZED, LIST]), @r#"
    {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"custos","title":"Custos","version":"0.1.0"},"instructions":"Ask `echo` first."}}
    {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"echo","title":"Echo","description":"Says what it was asked.","inputSchema":{"properties":{"text":{"type":"string"}},"type":"object"},"annotations":{"readOnlyHint":true},"_meta":{"anthropic/alwaysLoad":true}},{"name":"save_nothing","title":"Save nothing","description":"Fails.","inputSchema":{"properties":{"text":{"type":"string"}},"type":"object"},"annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}},{"name":"break_off","title":"Break off","description":"Panics.","inputSchema":{"properties":{"text":{"type":"string"}},"type":"object"},"annotations":{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":false}},{"name":"list_names","title":"Names","description":"Answers with a list, or with no structure at all.","inputSchema":{"properties":{"text":{"type":"string"}},"type":"object"},"annotations":{"readOnlyHint":false,"destructiveHint":false,"openWorldHint":false}}]}}
    "#);
}

#[rstest]
#[case::oldest("2024-11-05", "2024-11-05")]
#[case::second("2025-03-26", "2025-03-26")]
#[case::third("2025-06-18", "2025-06-18")]
#[case::last_with_a_handshake("2025-11-25", "2025-11-25")]
#[case::one_without_a_handshake("2026-07-28", "2025-11-25")]
#[case::one_from_the_future("2099-01-01", "2025-11-25")]
#[case::one_that_never_was("2023-01-01", "2025-11-25")]
#[case::no_version_at_all("latest", "2025-11-25")]
fn every_version_is_answered_in_a_shape_that_it_knows(#[case] asked: &str, #[case] agreed: &str) {
    let answers = ask(&[&initialize(1, asked), INITIALIZED, LIST, &call(3, "echo", "{}")]);
    let answers: Vec<Value> = answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();

    assert_eq!(answers[0]["result"]["protocolVersion"], agreed);
    let keys = |answer: &Value| {
        answer["result"].as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(keys(&answers[1]), "tools", "no hints of 2026-07-28 in a list");
    assert_eq!(
        answers[2],
        json!({"jsonrpc": "2.0", "id": 3, "result": {
            "content": [{"type": "text", "text": "{}"}],
            "structuredContent": {"client": ["old", "1"], "meta": null},
            "isError": false,
        }})
    );
}

#[test]
fn a_probe_is_answered_and_the_client_goes_on_without_a_handshake() {
    let lines = [
        &modern(1, "server/discover"),
        &modern(2, "tools/list"),
        &modern(3, "tools/call").replace(r#""params":{"#, r#""params":{"name":"echo","#),
    ];
    assert_snapshot!(ask(&lines.map(String::as_str)), @r#"
    {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"],"capabilities":{"tools":{}},"instructions":"Ask `echo` first.","ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"custos","title":"Custos","version":"0.1.0"}}}}
    {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"echo","title":"Echo","description":"Says what it was asked.","inputSchema":{"properties":{"text":{"type":"string"}},"type":"object"},"annotations":{"readOnlyHint":true},"_meta":{"anthropic/alwaysLoad":true}},{"name":"save_nothing","title":"Save nothing","description":"Fails.","inputSchema":{"properties":{"text":{"type":"string"}},"type":"object"},"annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}},{"name":"break_off","title":"Break off","description":"Panics.","inputSchema":{"properties":{"text":{"type":"string"}},"type":"object"},"annotations":{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":false}},{"name":"list_names","title":"Names","description":"Answers with a list, or with no structure at all.","inputSchema":{"properties":{"text":{"type":"string"}},"type":"object"},"annotations":{"readOnlyHint":false,"destructiveHint":false,"openWorldHint":false}}]}}
    {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[{"type":"text","text":"{}"}],"structuredContent":{"client":["modern","2"],"meta":{"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"modern","version":"2"},"io.modelcontextprotocol/protocolVersion":"2026-07-28"}},"isError":false}}
    "#);
}

#[test]
fn after_a_probe_a_client_may_still_shake_hands() {
    assert_snapshot!(ask(&[&modern(1, "server/discover"), &initialize(2, "2025-11-25")]), @r#"
    {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"],"capabilities":{"tools":{}},"instructions":"Ask `echo` first.","ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"custos","title":"Custos","version":"0.1.0"}}}}
    {"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"custos","title":"Custos","version":"0.1.0"},"instructions":"Ask `echo` first."}}
    "#);
}

#[test]
fn a_probe_that_says_nothing_about_its_client_is_told_what_to_send() {
    let bare = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#;
    let half = modern(2, "server/discover").replace("clientCapabilities", "capabilities");
    assert_snapshot!(ask(&[bare, &half]), @r#"
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"send `_meta` with `io.modelcontextprotocol/protocolVersion` and `io.modelcontextprotocol/clientCapabilities`"}}
    {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"request _meta is missing or has malformed required fields: io.modelcontextprotocol/clientCapabilities"}}
    "#);
}

#[test]
fn a_client_that_never_shakes_hands_is_served() {
    let lines = [r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, LIST, &call(3, "echo", "{}")];
    assert_snapshot!(ask(&lines), @r#"
    {"jsonrpc":"2.0","id":1,"result":{}}
    {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"echo","title":"Echo","description":"Says what it was asked.","inputSchema":{"properties":{"text":{"type":"string"}},"type":"object"},"annotations":{"readOnlyHint":true},"_meta":{"anthropic/alwaysLoad":true}},{"name":"save_nothing","title":"Save nothing","description":"Fails.","inputSchema":{"properties":{"text":{"type":"string"}},"type":"object"},"annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}},{"name":"break_off","title":"Break off","description":"Panics.","inputSchema":{"properties":{"text":{"type":"string"}},"type":"object"},"annotations":{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":false}},{"name":"list_names","title":"Names","description":"Answers with a list, or with no structure at all.","inputSchema":{"properties":{"text":{"type":"string"}},"type":"object"},"annotations":{"readOnlyHint":false,"destructiveHint":false,"openWorldHint":false}}]}}
    {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{}"}],"structuredContent":{"client":null,"meta":null},"isError":false}}
    "#);
}

#[test]
fn a_second_handshake_replaces_the_first() {
    let other = initialize(2, "2024-11-05").replace("old", "other");
    assert_snapshot!(ask(&[&initialize(1, "2025-11-25"), &other, &call(3, "echo", "{}")]), @r#"
    {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"custos","title":"Custos","version":"0.1.0"},"instructions":"Ask `echo` first."}}
    {"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"custos","title":"Custos","version":"0.1.0"},"instructions":"Ask `echo` first."}}
    {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{}"}],"structuredContent":{"client":["other","1"],"meta":null},"isError":false}}
    "#);
}

#[test]
fn a_version_that_a_request_names_and_nobody_speaks_is_refused() {
    assert_snapshot!(ask(&[&modern(1, "tools/list").replace("2026-07-28", "2027-01-01")]), @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"requested":"2027-01-01","supported":["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"]}}}"#);
}

#[test]
fn what_comes_before_the_first_request_does_no_harm() {
    let lines = [
        INITIALIZED,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/of/somebody"}"#,
        r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
    ];
    assert_snapshot!(ask(&lines), @r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
}
