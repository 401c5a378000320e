//! Input that no client should send. Whatever comes, the request after it is answered.

use insta::assert_snapshot;
use rstest::rstest;

use crate::client::{ask, call, say};

const PING: &str = r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#;
const PONG: &str = r#"{"jsonrpc":"2.0","id":9,"result":{}}"#;

#[test]
fn unknown_fields_are_let_pass() {
    let lines = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","mood":"good","params":{"protocolVersion":"2025-11-25","capabilities":{"telepathy":{"range":5}},"clientInfo":{"name":"odd","version":"1","shoe":42},"extra":[1]}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","priority":1,"params":{"name":"echo","arguments":{"unheard":true},"deadline":"soon","task":{"ttl":1}}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"ping","params":{"hello":1}}"#,
    ];
    assert_snapshot!(ask(&lines), @r#"
    {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"custos","title":"Custos","version":"0.1.0"},"instructions":"Ask `echo` first."}}
    {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"unheard\":true}"}],"structuredContent":{"client":["odd","1"],"meta":null},"isError":false}}
    {"jsonrpc":"2.0","id":3,"result":{}}
    "#);
}

#[test]
fn unknown_methods_are_refused_by_name() {
    let lines = [
        r#"{"jsonrpc":"2.0","id":1,"method":"sing"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"resources/list"}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"prompts/list"}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"logging/setLevel","params":{"level":"info"}}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"tasks/get","params":{"taskId":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"subscriptions/listen","params":{"notifications":{}}}"#,
    ];
    assert_snapshot!(ask(&lines), @r#"
    {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"there is no method `sing`; this server has tools only"}}
    {"jsonrpc":"2.0","id":2,"result":{"resources":[]}}
    {"jsonrpc":"2.0","id":3,"result":{"prompts":[]}}
    {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"logging/setLevel"}}
    {"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"tasks/get"}}
    {"jsonrpc":"2.0","id":6,"error":{"code":-32601,"message":"subscriptions/listen"}}
    "#);
}

#[rstest]
#[case::nothing("")]
#[case::blanks("   ")]
fn an_empty_line_is_passed_over(#[case] line: &str) {
    assert_eq!(ask(&[line, PING]), PONG);
}

#[rstest]
#[case::no_json(b"hello", "", "expected value at line 1 column 1")]
#[case::no_object(b"{bad json}", "", "key must be a string at line 1 column 2")]
#[case::half_a_message(
    br#"{"jsonrpc":"2.0","id":1,"method":"#,
    r#""id":1,"#,
    "EOF while parsing a value at line 1 column 33"
)]
#[case::broken_text(
    b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\xfe\",\"id\":1}",
    r#""id":1,"#,
    "it is not UTF-8"
)]
#[case::an_id_behind_the_break(
    br#"{"jsonrpc":"2.0","method":"a "b","id":1}"#,
    "",
    "expected `,` or `}` at line 1 column 31"
)]
#[case::zeroes(b"\0\0\0\0", "", "expected value at line 1 column 1")]
#[case::too_deep(&[b'['; 5000], "", "EOF while parsing a list at line 1 column 5000")]
fn what_is_no_message_is_answered_and_does_nothing(#[case] line: &[u8], #[case] id: &str, #[case] why: &str) {
    let heard = say(&[line, b"\n", PING.as_bytes(), b"\n"].concat());
    let mut wanted = [
        format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32700,"message":"Parse error: {why}"}}}}"#),
        PONG.to_owned(),
    ];
    wanted.sort_unstable();
    assert_eq!((heard.answers, heard.told), (wanted.join("\n"), vec!["closed".to_owned()]));
}

#[rstest]
#[case::a_number("5")]
#[case::an_empty_object("{}")]
#[case::an_id_of_nothing(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#)]
#[case::a_broken_id(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#)]
#[case::an_id_that_is_an_object(r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#)]
#[case::a_huge_id(r#"{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}"#)]
fn json_that_is_no_message_is_refused(#[case] line: &str) {
    let refused = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request"}}"#;
    assert_eq!(ask(&[line, PING]), format!("{refused}\n{PONG}"));
}

#[rstest]
#[case::another_protocol(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#)]
#[case::no_protocol(r#"{"id":1,"method":"ping"}"#)]
#[case::no_method(r#"{"jsonrpc":"2.0","id":1}"#)]
#[case::a_list_of_parameters(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#)]
fn whoever_asks_in_the_wrong_way_and_has_an_id_is_answered_under_it(#[case] line: &str) {
    let refused = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request"}}"#;
    assert_eq!(ask(&[line, PING]), format!("{refused}\n{PONG}"));
}

#[rstest]
#[case::text(r#""a""#)]
#[case::negative("-3")]
#[case::large("9007199254740993")]
fn an_id_comes_back_as_it_was(#[case] id: &str) {
    let asked = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    assert_eq!(ask(&[&asked]), format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
}

#[test]
fn lines_may_end_as_on_windows_and_begin_with_a_mark() {
    let heard = say(format!("\u{feff}{PING}\r\n\r\n").as_bytes());
    assert_eq!(heard.answers, PONG);
}

#[rstest]
#[case::id_first(call(1, "echo", &long_text()), r#""id":1,"#)]
#[case::id_last(
    format!(r#"{{"method":"tools/call","params":{{"id":3,"a":{}}},"jsonrpc":"2.0","id":1}}"#, long_text()),
    r#""id":1,"#
)]
#[case::id_among_the_arguments(format!(r#"{{"jsonrpc":"2.0","params":{{"id":1,"a":{}}}}}"#, long_text()), "")]
#[case::a_list(format!("[{}]", call(1, "echo", &long_text())), "")]
#[case::no_json("x".repeat(20 << 20), "")]
fn a_line_of_twenty_megabytes_is_refused_under_its_id(#[case] line: String, #[case] id: &str) {
    let heard = say(format!("{line}\n{PING}\n").as_bytes());
    let refused = format!(
        r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32600,"message":"Invalid request: it is longer than 4 MiB, and was not read; send less at once"}}}}"#
    );
    let mut wanted = [refused, PONG.to_owned()];
    wanted.sort_unstable();
    assert_eq!((heard.answers, heard.told), (wanted.join("\n"), vec!["closed".to_owned()]));
}

#[test]
fn nobody_waits_for_a_notification_of_twenty_megabytes() {
    let line =
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/of/somebody","params":{}}}"#, long_text());
    assert_eq!(ask(&[&line, PING]), PONG);
}

fn long_text() -> String {
    format!(r#"{{"text":"{}"}}"#, "x".repeat(20 << 20))
}

#[test]
fn a_line_of_three_megabytes_is_read() {
    let text = "x".repeat(3 << 20);
    let arguments = format!(r#"{{"text":"{text}"}}"#);
    let heard = say(format!("{}\n", call(1, "echo", &arguments)).as_bytes());
    assert_eq!(heard.told, [format!("echo {arguments}"), "closed".to_owned()]);
}

#[test]
fn a_question_that_is_nested_too_deeply_is_refused_under_its_id() {
    let deep = call(1, "echo", &format!(r#"{{"a":{}1{}}}"#, "[".repeat(5_000), "]".repeat(5_000)));
    let refused = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: it is nested too deeply"}}"#;
    assert_eq!(ask(&[&deep, PING]), format!("{refused}\n{PONG}"));
}

#[test]
fn half_an_emoji_is_replaced_and_the_call_is_made() {
    let heard = say(format!("{}\n", call(1, "echo", r#"{"text":"lone \ud800 surrogate"}"#)).as_bytes());
    assert_eq!(heard.told, ["echo {\"text\":\"lone \u{fffd} surrogate\"}", "closed"]);
    let listed = say(format!("[{}]\n", call(1, "echo", r#"{"text":"\uDE00"}"#)).as_bytes());
    assert_eq!(listed.told, ["echo {\"text\":\"\u{fffd}\"}", "closed"]);
}

#[test]
fn a_number_that_nothing_can_hold_is_named_as_what_is_wrong() {
    let line = call(1, "echo", r#"{"a":1e999}"#);
    let refused = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: number out of range at line 1 column 92"}}"#;
    assert_eq!(ask(&[&line, PING]), format!("{refused}\n{PONG}"));
}
