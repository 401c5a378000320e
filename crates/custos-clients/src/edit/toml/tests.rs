use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

use super::*;

fn at() -> Vec<String> {
    vec!["mcp_servers".to_owned(), "custos".to_owned()]
}

fn entries() -> Map<String, Value> {
    let entries =
        json!({ "args": ["mcp"], "command": "/a b/custos", "env": { "A": "1" }, "startup_timeout_sec": 5 });
    entries.as_object().unwrap().clone()
}

const SECTION: &str = "[mcp_servers.custos]\nargs = [\"mcp\"]\ncommand = \"/a b/custos\"\nenv = { A = \"1\" }\nstartup_timeout_sec = 5";

#[rstest]
#[case::nothing("", &format!("{SECTION}\n"))]
#[case::comments("# mine\n", &format!("# mine\n\n{SECTION}\n"))]
#[case::no_line_end("model = \"x\" # mine", &format!("model = \"x\" # mine\n\n{SECTION}"))]
#[case::carriage_returns("a = 1\r\n", &format!("a = 1\n\n{SECTION}\n").replace('\n', "\r\n"))]
#[case::byte_order_mark("\u{feff}a = 1\n", &format!("\u{feff}a = 1\n\n{SECTION}\n"))]
#[case::others(
    "[mcp_servers.other] # theirs\ncommand = 'x'\n\n[[list]]\n",
    &format!("[mcp_servers.other] # theirs\ncommand = 'x'\n\n[[list]]\n\n{SECTION}\n")
)]
#[case::dotted_parent("mcp_servers.x.command = 'x'\n", &format!("mcp_servers.x.command = 'x'\n\n{SECTION}\n"))]
#[case::explicit_parent("[mcp_servers]\n", &format!("[mcp_servers]\n\n{SECTION}\n"))]
fn the_table_is_appended_and_comes_out_without_a_trace(#[case] before: &str, #[case] after: &str) {
    assert_eq!(put(Some(before), &at(), &entries()).unwrap(), after);
    assert_eq!(put(Some(after), &at(), &entries()).unwrap(), after);
    assert_eq!(remove(after, &at()).unwrap(), before);
}

#[test]
fn the_table_of_an_older_version_is_replaced_where_it_is() {
    let old = "a = 1\n\n# ours\n[mcp_servers.custos]\ncommand = 'old' # x\n\n[mcp_servers.custos.env]\nB = '2'\n\n# theirs\n[b]\nc = 1\n[mcp_servers.custos.tools]\nd.e = 1\n";
    let new = put(Some(old), &at(), &entries()).unwrap();
    assert_eq!(new, format!("a = 1\n\n# ours\n{SECTION}\n\n# theirs\n[b]\nc = 1\n"));
    assert_eq!(remove(&new, &at()).unwrap(), "a = 1\n\n# ours\n\n# theirs\n[b]\nc = 1\n");
}

#[test]
fn an_inline_table_on_its_own_line_is_replaced_where_it_is() {
    let old = "[mcp_servers]\ncustos = { command = 'old' } # x\nother = {}\n";
    let new = put(Some(old), &at(), &entries()).unwrap();
    let line = "custos = { args = [\"mcp\"], command = \"/a b/custos\", env = { A = \"1\" }, startup_timeout_sec = 5 } # x\n";
    assert_eq!(new, format!("[mcp_servers]\n{line}other = {{}}\n"));
    assert_eq!(put(Some(&new), &at(), &entries()).unwrap(), new);
    assert_eq!(remove(&new, &at()).unwrap(), "[mcp_servers]\nother = {}\n");
}

#[rstest]
#[case::broken(
    "a = \n",
    "line 1, column 5: this is not TOML: string values must be quoted, expected literal string; correct it first"
)]
#[case::inline_parent(
    "mcp_servers = { x = {} }\n",
    "`mcp_servers.custos` cannot be changed without touching something else, because of how the file is written; write it as a section `[mcp_servers.custos]`, or make the change by hand"
)]
#[case::dotted(
    "mcp_servers.custos.command = 'x'\n",
    "`mcp_servers.custos` cannot be changed without touching something else, because of how the file is written; write it as a section `[mcp_servers.custos]`, or make the change by hand"
)]
#[case::wrong_on_the_way(
    "mcp_servers = 1\n",
    "`mcp_servers` is integer, but it has to be a table; correct it first"
)]
#[case::wrong_at_the_end(
    "[[mcp_servers.custos]]\n",
    "`mcp_servers.custos` is an array of tables, but it has to be a table; correct it first"
)]
fn what_is_not_understood_is_an_error(#[case] text: &str, #[case] message: &str) {
    assert_eq!(put(Some(text), &at(), &entries()).unwrap_err().to_string(), message);
}

#[test]
fn very_deep_text_is_an_error_and_no_overflow() {
    let text = format!("a = {}", "[".repeat(100_000));
    assert!(matches!(put(Some(&text), &at(), &entries()), Err(TomlError::Syntax { .. })));
}

#[test]
fn what_toml_cannot_hold_is_an_error() {
    let entries = json!({ "a": [null] }).as_object().unwrap().clone();
    assert_eq!(put(None, &at(), &entries), Err(TomlError::NoSuchValue { key: "a".to_owned() }));
}

proptest! {
    #[test]
    fn any_document_comes_back(
        lines in prop::collection::vec(prop_oneof![
            Just("# c"), Just(""), Just("  "), Just("x = \"\"\"\n[mcp_servers.custos]\n\"\"\""), Just("y = [ 1, # c\n 2 ]"), Just("[t]"), Just("[[u]]"), Just("[mcp_servers.z]"),
        ], 0..8),
        ends in any::<bool>(),
    ) {
        let text = lines.join("\n") + if ends { "\n" } else { "" };
        if let Ok(once) = put(Some(&text), &at(), &entries()) {
            prop_assert_eq!(&put(Some(&once), &at(), &entries()).unwrap(), &once);
            prop_assert_eq!(remove(&once, &at()).unwrap(), text);
        }
    }
}

#[test]
fn a_server_of_ours_keeps_all_but_its_program() {
    let theirs = "# x\n[mcp_servers.custos] # ours\ncommand = '/old/custos' # moved\nargs = [\"mcp\", \"--root\", \"/shop\"]\n\n[mcp_servers.custos.tools.context]\napproval_mode = \"approve\"\n";
    let new = register(Some(theirs), &at(), &entries()).unwrap();
    assert_eq!(new, theirs.replace("'/old/custos'", "\"/a b/custos\""));
    assert_eq!(register(Some(&new), &at(), &entries()).unwrap(), new);
    assert_eq!(unregister(&new, &at()).unwrap(), "# x\n");

    let dotted = "mcp_servers.custos.command = '/a b/custos'\nmcp_servers.custos.args = ['mcp']\n";
    assert_eq!(register(Some(dotted), &at(), &entries()).unwrap(), dotted);
    let missing = register(Some("a = 1\n"), &at(), &entries()).unwrap();
    assert_eq!(missing, format!("a = 1\n\n{SECTION}\n"));
}

#[test]
fn a_server_of_somebody_else_is_left_alone() {
    for theirs in
        ["[mcp_servers.custos]\ncommand = '/opt/other'\nargs = ['mcp']\n", "mcp_servers.custos.url = 'x'\n"]
    {
        assert!(matches!(register(Some(theirs), &at(), &entries()), Err(TomlError::Taken { .. })));
        assert_eq!(unregister(theirs, &at()).unwrap(), theirs);
    }
    assert_eq!(unregister("", &at()).unwrap(), "");
}
