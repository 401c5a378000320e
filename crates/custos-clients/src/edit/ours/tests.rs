use rstest::rstest;
use serde_json::json;

use super::*;

#[rstest]
#[case::plain("custos hook claude Stop", true)]
#[case::path("/home/a/.local/bin/custos hook claude Stop", true)]
#[case::path_with_blanks("\"/home/a b/custos\" hook claude Stop", true)]
#[case::escaped_blank("/home/a\\ b/custos hook claude Stop", true)]
#[case::windows("& 'C:\\Program Files\\Custos.EXE' hook claude Stop", true)]
#[case::wrapped("test -x /a/custos && X=1 /a/custos --quiet hook claude Stop 2>/dev/null || true", true)]
#[case::no_blank_before_an_operator("custos hook claude Stop;true", true)]
#[case::other_event("custos hook claude SessionStart", false)]
#[case::other_client("custos hook codex Stop", false)]
#[case::other_program("/a/notcustos hook claude Stop", false)]
#[case::directory("/custos/run hook claude Stop", false)]
#[case::quoted("echo 'custos hook claude Stop'", false)]
#[case::two_commands("custos doctor; hook claude Stop", false)]
#[case::longer_event("custos hook claude Stopped", false)]
#[case::no_event("custos hook claude", false)]
fn a_command_line_is_known_by_what_it_runs(#[case] line: &str, #[case] ours: bool) {
    assert_eq!(Ours::hook("claude", "Stop").owns(&json!({ "hooks": [{ "command": line }] })), ours);
}

#[test]
fn arguments_may_stand_apart() {
    let ours = Ours::hook("claude", "Stop");
    assert!(ours.owns(&json!({ "command": "/a b/custos", "args": ["hook", "claude", "Stop"] })));
    assert!(ours.owns(&json!({ "command": ["custos", "hook", "claude", "Stop"] })));
    assert!(!ours.owns(&json!({ "command": "sh", "args": ["hook", "claude", "Stop"] })));
    assert!(!ours.owns(&json!([1, null, true])));
}

#[test]
fn without_an_event_every_event_counts() {
    let ours = Ours { client: "claude".to_owned(), event: None };
    assert!(ours.owns(&json!("custos hook claude Anything")));
    assert!(!ours.owns(&json!("custos hook codex Anything")));
}

#[test]
fn a_group_may_be_shared() {
    let ours = Ours::hook("claude", "Stop");
    let of = |commands: &[&str]| {
        let hooks: Vec<Value> = commands.iter().map(|command| json!({ "command": command })).collect();
        ours.share(&json!({ "hooks": hooks, "matcher": "" }))
    };
    assert_eq!(of(&["lint"]), Share::Nothing);
    assert_eq!(of(&["custos hook claude Stop"]), Share::Everything);
    assert_eq!(
        of(&["lint", "custos hook claude Stop"]),
        Share::Some { member: "hooks".to_owned(), elements: vec![1] }
    );
}

#[rstest]
#[case::apart(json!({ "command": "/a b/custos", "args": ["mcp"] }), true)]
#[case::windows(json!({ "command": "C:\\bin\\Custos.exe", "args": ["mcp"] }), true)]
#[case::together(json!({ "type": "local", "command": ["custos", "mcp"], "enabled": false }), true)]
#[case::with_a_root(json!({ "command": "custos", "args": ["mcp", "--root", "/shop"], "env": {} }), true)]
#[case::wrapped(json!({ "command": "env", "args": ["X=1", "custos", "mcp"] }), false)]
#[case::something_else_of_ours(json!({ "command": "custos", "args": ["doctor"] }), false)]
#[case::another_program(json!({ "command": "/opt/other", "args": ["mcp"] }), false)]
#[case::elsewhere(json!({ "url": "https://example.org/custos/mcp" }), false)]
#[case::nothing(json!(null), false)]
fn a_server_is_known_by_what_it_starts(#[case] entry: Value, #[case] ours: bool) {
    assert_eq!(is_our_server(&entry), ours);
}
