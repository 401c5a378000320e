use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

use super::*;

fn entry(path: &str) -> Value {
    json!({ "hooks": [{ "command": format!("{path} hook claude PreToolUse"), "type": "command" }], "matcher": "*" })
}

fn hook() -> JsonEdit {
    JsonEdit {
        at: vec!["hooks".to_owned(), "PreToolUse".to_owned()],
        change: Change::Entry { value: entry("/new/custos"), ours: Ours::hook("claude", "PreToolUse") },
    }
}

fn member() -> JsonEdit {
    JsonEdit {
        at: vec!["mcpServers".to_owned()],
        change: Change::Member { key: "custos".to_owned(), value: json!({ "command": "custos" }) },
    }
}

fn listed() -> JsonEdit {
    JsonEdit {
        at: vec!["instructions".to_owned()],
        change: Change::Listed { value: "/custos.md".to_owned() },
    }
}

/// Applies a member edit and undoes it, and checks on the way that doing it twice is doing it once.
#[track_caller]
fn put_member(text: &str) -> String {
    there_and_back(text, &[member()])
}

#[track_caller]
fn there_and_back(text: &str, edits: &[JsonEdit]) -> String {
    let once = apply(Some(text), edits).unwrap();
    assert_eq!(apply(Some(&once.text), edits).unwrap().text, once.text);
    assert_eq!(remove(&once.text, &once.trace).unwrap(), text);
    once.text
}

#[rstest]
#[case::nothing(
    "",
    "{\n  \"mcpServers\": {\n    \"custos\": {\n      \"command\": \"custos\"\n    }\n  }\n}\n"
)]
#[case::blank(
    " \n",
    "{\n  \"mcpServers\": {\n    \"custos\": {\n      \"command\": \"custos\"\n    }\n  }\n}\n"
)]
#[case::comments(
    "// mine  \n\n",
    "// mine  \n{\n  \"mcpServers\": {\n    \"custos\": {\n      \"command\": \"custos\"\n    }\n  }\n}\n\n"
)]
#[case::comment_without_line_end(
    "/* mine */",
    "/* mine */\n{\n  \"mcpServers\": {\n    \"custos\": {\n      \"command\": \"custos\"\n    }\n  }\n}"
)]
#[case::lone_carriage_returns(
    "// mine\r\r",
    "// mine\n{\n  \"mcpServers\": {\n    \"custos\": {\n      \"command\": \"custos\"\n    }\n  }\n}\r\r"
)]
#[case::empty(
    "{}",
    "{\n  \"mcpServers\": {\n    \"custos\": {\n      \"command\": \"custos\"\n    }\n  }\n}"
)]
#[case::empty_on_two_lines(
    "{\n}\n",
    "{\n  \"mcpServers\": {\n    \"custos\": {\n      \"command\": \"custos\"\n    }\n  }\n}\n"
)]
#[case::comment_inside(
    "{\n    // mine\n}\n",
    "{\n    // mine\n    \"mcpServers\": {\n      \"custos\": {\n        \"command\": \"custos\"\n      }\n    }\n}\n"
)]
#[case::comment_on_the_line(
    "{ /* mine */ }",
    "{ /* mine */ \"mcpServers\": {\"custos\": {\"command\": \"custos\"}} }"
)]
#[case::minified("{\"a\":1}", "{\"a\":1,\"mcpServers\":{\"custos\":{\"command\":\"custos\"}}}")]
#[case::one_line("{ \"a\": 1 }\n", "{ \"a\": 1, \"mcpServers\": {\"custos\": {\"command\": \"custos\"}} }\n")]
#[case::tabs(
    "{\n\t\"mcpServers\": {}\n}\n",
    "{\n\t\"mcpServers\": {\n\t\t\"custos\": {\n\t\t\t\"command\": \"custos\"\n\t\t}\n\t}\n}\n"
)]
#[case::trailing_comma(
    "{\n  \"mcpServers\": {\n    \"other\": {}, // theirs\n  },\n}\n",
    "{\n  \"mcpServers\": {\n    \"other\": {}, // theirs\n    \"custos\": {\n      \"command\": \"custos\"\n    },\n  },\n}\n"
)]
#[case::comment_after_the_last(
    "{\n  \"mcpServers\": {\n    \"other\": {} // theirs\n    // more\n  }\n}\n",
    "{\n  \"mcpServers\": {\n    \"other\": {}, // theirs\n    \"custos\": {\n      \"command\": \"custos\"\n    }\n    // more\n  }\n}\n"
)]
#[case::line_comment_on_one_line(
    "{ \"mcpServers\": { \"other\": 1 // theirs\n } }",
    "{ \"mcpServers\": { \"other\": 1, // theirs\n  \"custos\": {\n    \"command\": \"custos\"\n  }\n } }"
)]
#[case::carriage_returns(
    "{\r\n    \"a\": 1\r\n}\r\n",
    "{\r\n    \"a\": 1,\r\n    \"mcpServers\": {\r\n        \"custos\": {\r\n            \"command\": \"custos\"\r\n        }\r\n    }\r\n}\r\n"
)]
#[case::byte_order_mark(
    "\u{feff}{\"a\":1}",
    "\u{feff}{\"a\":1,\"mcpServers\":{\"custos\":{\"command\":\"custos\"}}}"
)]
fn a_member_fits_in_and_comes_out_without_a_trace(#[case] before: &str, #[case] after: &str) {
    assert_eq!(put_member(before), after);
}

#[rstest]
#[case::nothing("", "{\n  \"instructions\": [\n    \"/custos.md\"\n  ]\n}\n")]
#[case::no_list("{\"a\":1}", "{\"a\":1,\"instructions\":[\"/custos.md\"]}")]
#[case::empty("{ \"instructions\": [ ] }", "{ \"instructions\": [\"/custos.md\"] }")]
#[case::one("{ \"instructions\": [\"a.md\"] }\n", "{ \"instructions\": [\"a.md\", \"/custos.md\"] }\n")]
#[case::one_on_its_line(
    "{\r\n  \"instructions\": [\r\n    \"a.md\", // mine\r\n  ],\r\n}\r\n",
    "{\r\n  \"instructions\": [\r\n    \"a.md\", // mine\r\n    \"/custos.md\",\r\n  ],\r\n}\r\n"
)]
fn a_string_is_listed_beside_others_and_comes_out_without_a_trace(#[case] before: &str, #[case] after: &str) {
    assert_eq!(there_and_back(before, &[listed()]), after);
}

#[test]
fn a_string_that_is_listed_is_not_listed_again_and_every_copy_goes() {
    let listed_before = "{\"instructions\": [\"/custos.md\", \"a.md\"]}";
    let Applied { text, trace } = apply(Some(listed_before), &[listed()]).unwrap();
    assert_eq!(text, listed_before);
    let twice = text.replace("\"a.md\"", "\"a.md\", \"/custos.md\"");
    assert_eq!(remove(&twice, &trace).unwrap(), "{\"instructions\": [\"a.md\"]}");
    assert_eq!(remove("{\"instructions\": 1}", &trace).unwrap(), "{\"instructions\": 1}");
    assert_eq!(
        apply(Some("{\"instructions\": \"a.md\"}"), &[listed()]).unwrap_err().to_string(),
        "line 1, column 18: `instructions` is a string, but it has to be an array; correct it first"
    );
}

const SHARED: &str = r#"// My settings
{
  "env": { "KEY": "sk-1" }, /* keep */
  "hooks": {
    "PreToolUse": [
      // the linter
      { "matcher": "Edit", "hooks": [{ "type": "command", "command": "lint" }] }
    ],
    "Stop": [],
  },
}
"#;

#[test]
fn comments_and_hooks_of_others_stay() {
    let new = there_and_back(SHARED, &[hook(), member()]);
    let expected = r#"// My settings
{
  "env": { "KEY": "sk-1" }, /* keep */
  "hooks": {
    "PreToolUse": [
      // the linter
      { "matcher": "Edit", "hooks": [{ "type": "command", "command": "lint" }] },
      {
        "hooks": [
          {
            "command": "/new/custos hook claude PreToolUse",
            "type": "command"
          }
        ],
        "matcher": "*"
      }
    ],
    "Stop": [],
  },
  "mcpServers": {
    "custos": {
      "command": "custos"
    }
  },
}
"#;
    assert_eq!(new, expected);
}

#[test]
fn entries_of_an_older_version_become_one() {
    let old =
        json!({ "hooks": { "PreToolUse": [entry("/old/custos"), { "matcher": "a" }, entry("custos")] } });
    let new = apply(Some(&old.to_string()), &[hook()]).unwrap();
    let wanted = json!({ "hooks": { "PreToolUse": [entry("/new/custos"), { "matcher": "a" }] } });
    assert_eq!(serde_json::from_str::<Value>(&new.text).unwrap(), wanted);
    assert_eq!(remove(&new.text, &new.trace).unwrap(), r#"{"hooks":{"PreToolUse":[{"matcher":"a"}]}}"#);
}

#[test]
fn a_member_of_an_older_version_is_replaced_where_it_is() {
    let old = "{\n  \"mcpServers\": {\n    \"custos\": 1, // ours\n    \"b\": 2\n  }\n}";
    let new = apply(Some(old), &[member()]).unwrap();
    assert_eq!(new.text, old.replace('1', "{\"command\": \"custos\"}"));
    // The comment was written by somebody, so it is kept.
    assert_eq!(
        remove(&new.text, &new.trace).unwrap(),
        "{\n  \"mcpServers\": {\n    // ours\n    \"b\": 2\n  }\n}"
    );
}

#[test]
fn a_hook_that_somebody_put_into_our_group_stays() {
    let mixed = r#"{"hooks":{"PreToolUse":[{"hooks":[{"command":"custos hook claude PreToolUse"},{"command":"lint"}]}]}}"#;
    let new = apply(Some(mixed), &[hook()]).unwrap();
    let wanted =
        json!({ "hooks": { "PreToolUse": [{ "hooks": [{ "command": "lint" }] }, entry("/new/custos")] } });
    assert_eq!(serde_json::from_str::<Value>(&new.text).unwrap(), wanted);
    assert_eq!(apply(Some(&new.text), &[hook()]).unwrap().text, new.text);
    assert_eq!(
        remove(&new.text, &new.trace).unwrap(),
        r#"{"hooks":{"PreToolUse":[{"hooks":[{"command":"lint"}]}]}}"#
    );
}

#[test]
fn without_a_memory_of_before_empty_containers_on_the_way_go_too() {
    let text = apply(Some("{\n  \"hooks\": {\n  },\n  \"a\": []\n}\n"), &[hook()]).unwrap().text;
    let trace = JsonTrace {
        places: vec![Place {
            at: hook().at,
            what: What::Entries(Ours { client: "claude".to_owned(), event: None }),
        }],
        ..JsonTrace::default()
    };
    assert_eq!(remove(&text, &trace).unwrap(), "{\n  \"a\": []\n}\n");
}

#[test]
fn what_somebody_added_beside_ours_stays() {
    let Applied { text, trace } = apply(Some("{}\n"), &[hook(), member()]).unwrap();
    let edited = text.replacen("\"hooks\": {", "\"hooks\": { // see the wiki", 1).replacen(
        "\"matcher\": \"*\"\n      }",
        "\"matcher\": \"*\"\n      },\n      { \"matcher\": \"b\" }",
        1,
    );
    let left = "{\n  \"hooks\": { // see the wiki\n    \"PreToolUse\": [\n      { \"matcher\": \"b\" }\n    ]\n  }\n}\n";
    assert_eq!(remove(&edited, &trace).unwrap(), left);
}

#[test]
fn a_shape_that_leaves_no_room_for_ours_is_left_alone() {
    let trace = apply(None, &[hook()]).unwrap().trace;
    assert_eq!(remove("{\"hooks\": \"none\"}", &trace).unwrap(), "{\"hooks\": \"none\"}");
}

#[test]
fn an_entry_that_would_not_be_known_again_is_not_written() {
    let change = Change::Entry { value: json!("other"), ours: Ours::hook("claude", "Stop") };
    let edits = [JsonEdit { at: vec!["hooks".to_owned()], change }];
    assert_eq!(apply(Some("{}"), &edits), Err(JsonError::Entangled));
}

#[rstest]
#[case::half(
    "{\n  \"a\": [1, 2\n",
    "line 2, column 8: this is not JSON: unterminated array; correct it first"
)]
#[case::words(
    "{ a: 1 }",
    "line 1, column 3: this is not JSON: expected string for object property; correct it first"
)]
#[case::no_comma(
    "{\"a\": 1 \"b\": 2}",
    "line 1, column 8: this is not JSON: expected comma; correct it first"
)]
#[case::two(
    "{} {}",
    "line 1, column 4: this is not JSON: text cannot contain more than one json value; correct it first"
)]
#[case::line_end_in_a_string(
    "{\"a\": \"\n\"}",
    "line 1, column 8: this is not JSON: a control character in a string; correct it first"
)]
#[case::array(
    "\n []",
    "line 2, column 2: the whole file is an array, but it has to be an object; correct it first"
)]
#[case::wrong_on_the_way(
    "{\"hooks\": null}",
    "line 1, column 11: `hooks` is null, but it has to be an object; correct it first"
)]
#[case::wrong_at_the_end(
    "{\"hooks\": {\"PreToolUse\": {}}}",
    "line 1, column 26: `hooks.PreToolUse` is an object, but it has to be an array; correct it first"
)]
#[case::twice(
    "{\"é\": 1, \"hooks\": {},\n \"h\\u006foks\": {}}",
    "line 2, column 2: the key \"hooks\" stands twice in its object; delete one of the two"
)]
fn what_is_not_understood_is_an_error(#[case] text: &str, #[case] message: &str) {
    assert_eq!(apply(Some(text), &[hook()]).unwrap_err().to_string(), message);
}

#[rstest]
#[case("[")]
#[case("{\"a\":")]
fn very_deep_text_is_an_error_and_no_overflow(#[case] level: &str) {
    let text = level.repeat(100_000);
    assert!(matches!(apply(Some(&text), &[hook()]), Err(JsonError::TooDeep { limit: 128, .. })));
    assert!(matches!(remove(&text, &JsonTrace::default()), Err(JsonError::TooDeep { .. })));
    // Brackets in strings and comments are not levels.
    let flat = format!("{{\"a\": \"\\\"{0}\" /* {0} */ // {0}\n}}", "[".repeat(1000));
    assert!(apply(Some(&flat), &[hook()]).is_ok());
}

/// Space and comments as people write them; a comment to the end of the line brings its line end along.
fn trivia_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => Just(""), 4 => Just(" "), 3 => Just("\n"), 3 => Just("\n    "), 1 => Just("\t"), 1 => Just("\r\n  "),
        1 => Just("/* a , ] */"), 1 => Just("/* two\nlines */"), 2 => Just("// b } \"\n"), 1 => Just("// c\r\n"), 1 => Just("//  \n  "),
    ];
    prop::collection::vec(piece, 0..3).prop_map(|pieces| pieces.concat())
}

/// Puts items between brackets, with trivia everywhere and sometimes a trailing comma.
fn container(
    open: char,
    close: char,
    items: Vec<(String, String, String)>,
    end: &str,
    trailing: bool,
) -> String {
    let count = items.len();
    let mut text = String::from(open);
    for (index, (before, item, after)) in items.into_iter().enumerate() {
        let comma = if trailing || index + 1 < count { "," } else { "" };
        text += &[&before, &item, &after, comma].concat();
    }
    text + end + &String::from(close)
}

fn value_text() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("1"),
        Just("-2.5e3"),
        Just("true"),
        Just("null"),
        Just("\"x // no [ comment\""),
        Just("\"\\\"\\u00e9\""),
        Just("{}"),
        Just("[]"),
        Just("\"custos hook codex Stop\""),
    ];
    scalar.prop_map(str::to_owned).prop_recursive(3, 12, 3, |inner| {
        let item = (trivia_text(), inner, trivia_text());
        (prop::collection::vec(item, 0..3), trivia_text(), any::<bool>(), any::<bool>()).prop_map(
            |(items, end, trailing, is_object)| {
                if !is_object {
                    return container('[', ']', items, &end, trailing);
                }
                let named = items.into_iter().enumerate();
                let named =
                    named.map(|(index, (a, item, b))| (a, format!("\"k{index}\": {item}"), b)).collect();
                container('{', '}', named, &end, trailing)
            },
        )
    })
}

/// A whole document, with or without the containers that our edits need.
fn document_text() -> impl Strategy<Value = String> {
    let array = (
        prop::collection::vec((trivia_text(), value_text(), trivia_text()), 0..3),
        trivia_text(),
        any::<bool>(),
    )
        .prop_map(|(items, end, trailing)| container('[', ']', items, &end, trailing))
        .boxed();
    let list = array.clone();
    let events = (prop::option::of(array), prop::option::of(value_text()));
    let hooks =
        (events, trivia_text(), trivia_text(), any::<bool>()).prop_map(|((ours, theirs), a, b, trailing)| {
            let member = |key: &str, value: String| (a.clone(), format!("\"{key}\":{b}{value}"), b.clone());
            let items = ours.map(|value| member("PreToolUse", value)).into_iter();
            container(
                '{',
                '}',
                items.chain(theirs.map(|value| member("Stop", value))).collect(),
                &b,
                trailing,
            )
        });
    let servers = prop::collection::vec((trivia_text(), value_text(), trivia_text()), 0..2);
    let servers = (servers, trivia_text()).prop_map(|(items, end)| {
        let named = items.into_iter().enumerate();
        container(
            '{',
            '}',
            named.map(|(i, (a, item, b))| (a, format!("\"s{i}\" :{item}"), b)).collect(),
            &end,
            false,
        )
    });
    let members = (
        prop::option::of(value_text()),
        prop::option::of(hooks),
        prop::option::of(servers),
        prop::option::of(list),
    );
    let body = (members, trivia_text(), trivia_text(), any::<bool>()).prop_map(
        |((a, b, c, d), before, after, trailing)| {
            let named = [("a", a), ("hooks", b), ("mcpServers", c), ("instructions", d)].into_iter();
            let items = named.filter_map(|(key, value)| {
                Some((before.clone(), format!("\"{key}\": {}", value?), after.clone()))
            });
            container('{', '}', items.collect(), &before, trailing)
        },
    );
    (any::<bool>(), trivia_text(), prop::option::weighted(0.9, body), trivia_text()).prop_map(
        |(mark, before, body, after)| {
            [if mark { "\u{feff}" } else { "" }, &before, &body.unwrap_or_default(), &after].concat()
        },
    )
}

fn parsed(text: &str) -> Value {
    value(text).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_document_gets_ours_once_and_comes_back(text in document_text(), order in any::<bool>()) {
        let edits = if order { [hook(), member(), listed()] } else { [listed(), member(), hook()] };
        let once = apply(Some(&text), &edits).unwrap();
        prop_assert_eq!(&apply(Some(&once.text), &edits).unwrap().text, &once.text);
        prop_assert_eq!(rest(parsed(&once.text), &once.trace.places), rest(parsed(&text), &once.trace.places));
        prop_assert_eq!(remove(&once.text, &once.trace).unwrap(), text);
    }

    #[test]
    fn any_text_at_all_is_changed_well_or_not_at_all(text in "[{}\\[\\],:\"a1/* \n\r\\\\]{0,40}") {
        if let Ok(once) = apply(Some(&text), &[hook()]) {
            prop_assert_eq!(remove(&once.text, &once.trace).unwrap(), text);
        }
    }
}

fn server() -> JsonEdit {
    let value = json!({ "args": ["mcp"], "command": "/new/custos", "type": "stdio" });
    JsonEdit {
        at: vec!["mcpServers".to_owned()],
        change: Change::Server { name: "custos".to_owned(), value },
    }
}

#[test]
fn a_server_is_added_and_comes_out_without_a_trace() {
    for text in [
        "",
        "{}",
        "{\n  \"mcpServers\": {},\n  \"b\": 1\n}\n",
        "{\"mcpServers\": {\"other\": {\"url\": \"x\"}}}",
    ] {
        let with = there_and_back(text, &[server()]);
        let found = &value(&with).unwrap()["mcpServers"]["custos"];
        assert_eq!(*found, json!({ "args": ["mcp"], "command": "/new/custos", "type": "stdio" }));
    }
}

#[rstest]
#[case::apart(
    r#"{"mcpServers": {"custos": {"env": {"A": "1"}, "command": "/old/custos" /* x */, "args": ["mcp", "--root", "/shop"]}}}"#
)]
#[case::together(r#"{"mcpServers": {"custos": {"command": ["/old/custos", "mcp"], "enabled": false}}}"#)]
fn a_server_of_ours_keeps_all_but_its_program(#[case] theirs: &str) {
    let Applied { text, trace } = apply(Some(theirs), &[server()]).unwrap();
    assert_eq!(text, theirs.replace("/old", "/new"));
    assert_eq!(apply(Some(&text), &[server()]).unwrap().text, text);
    assert_eq!(remove(&text, &trace).unwrap(), "{}");
}

#[rstest]
#[case::another_program(
    r#"{"mcpServers": {"custos": {"command": "/opt/other", "args": ["--key", "sk-1"]}}}"#,
    "the program \"/opt/other\""
)]
#[case::elsewhere(r#"{"mcpServers": {"custos": {"url": "https://example.org"}}}"#, "at an address")]
#[case::no_server(r#"{"mcpServers": {"custos": 5}}"#, "something else")]
fn a_server_of_somebody_else_is_left_alone(#[case] theirs: &str, #[case] found: &str) {
    assert_eq!(
        apply(Some(theirs), &[server()]).unwrap_err().to_string(),
        format!(
            "line 1, column 27: the MCP server \"custos\" is {found}, not Custos, and stays as it is; give it another name or remove it, then run this again"
        )
    );
    let trace = apply(None, &[server()]).unwrap().trace;
    assert_eq!(remove(theirs, &trace).unwrap(), theirs);
}

#[test]
fn a_string_that_is_no_longer_wanted_goes() {
    let unlisted = JsonEdit {
        at: vec!["instructions".to_owned()],
        change: Change::Unlisted { value: "/custos.md".to_owned() },
    };
    for (before, after) in [
        ("{\"instructions\": [\"a.md\", \"/custos.md\"]}", "{\"instructions\": [\"a.md\"]}"),
        ("{\n  \"instructions\": [\"/custos.md\"],\n  \"b\": 1\n}\n", "{\n  \"b\": 1\n}\n"),
        ("{}", "{}"),
    ] {
        let applied = apply(Some(before), std::slice::from_ref(&unlisted)).unwrap();
        assert_eq!(applied.text, after);
        assert_eq!(remove(after, &applied.trace).unwrap(), after);
    }
}
