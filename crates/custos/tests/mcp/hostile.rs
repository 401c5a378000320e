//! Clients that do not do what they should.

use std::process::Stdio;

use rstest::rstest;
use serde_json::json;

use crate::client::{CUSTOS, Machine};

#[rstest]
fn every_version_is_spoken(#[values("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")] version: &str) {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let result = client.initialize(version, "test");
    assert_eq!(result["protocolVersion"], version);
    assert!(result["instructions"].as_str().unwrap().chars().count() < 3_500);
    assert!(client.told("context", json!({})).contains("# Where"));
    assert!(client.close().success());
}

#[test]
fn the_probe_is_answered_at_once_and_nothing_needs_initialize() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "claude-code", "version": "2.1.325" },
    });
    let probe = client.ask("server/discover", &json!({ "_meta": meta }));
    assert!(probe["result"].is_object(), "{probe}");
    let list = client.ask("tools/list", &json!({ "_meta": meta }));
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 32);
    let answer = client.ask("tools/call", &json!({ "name": "context", "arguments": {}, "_meta": meta }));
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("# Where"), "{answer}");
    // It would show its model the data in place of the text.
    assert_eq!(answer["result"].get("structuredContent"), None);
    assert!(client.close().success());
}

#[test]
fn unknown_fields_tools_and_methods_are_answered() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let mut decision =
        json!({ "title": "Use UTC", "decision": "d", "reasoning": "r", "from_the_future": { "x": [1] } });
    assert!(client.told("save_decision", decision.take()).starts_with("D-001 saved"));
    let unknown = client.ask("tools/call", &json!({ "name": "save_decisions", "arguments": {} }));
    assert!(unknown["error"]["message"].as_str().unwrap().contains("save_decision"), "{unknown}");
    assert_eq!(client.ask("no/such/method", &json!({}))["error"]["code"], -32601);
    client.send("this is no JSON");
    client.send(
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99,"reason":"gone"}}"#,
    );
    assert!(client.told("decisions", json!({})).contains("Use UTC"));
    assert!(client.close().success());
}

#[test]
fn a_client_that_reads_no_more_ends_the_server_quietly() {
    let machine = Machine::with_repo();
    let mut child = machine
        .home
        .command(CUSTOS)
        .arg("mcp")
        .current_dir(machine.project())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "save_decision", "arguments": { "title": "Use UTC", "decision": "d", "reasoning": "r" } },
    });
    std::io::Write::write_all(&mut input, format!("{call}\n").as_bytes()).unwrap();
    let status = child.wait().unwrap();
    let mut words = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut words).unwrap();
    assert_eq!((status.success(), words.as_str()), (true, ""));
    // What had begun was finished.
    assert_eq!(machine.list("decisions"), ["D-001-use-utc.md"]);
}

#[test]
fn the_list_of_tools_is_small_and_says_what_each_may_do() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let list = client.ask("tools/list", &json!({}))["result"].clone();
    assert!(list.to_string().len() < 16_000, "{}", list.to_string().len());
    let rows: Vec<String> = list["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| {
            let hints = &tool["annotations"];
            let flag = |name: &str, word: &'static str| if hints[name] == true { word } else { "" };
            let always = if tool["_meta"]["anthropic/alwaysLoad"] == true { "always" } else { "" };
            let text = format!(
                "{} {} {} {always}",
                tool["name"].as_str().unwrap(),
                flag("readOnlyHint", "reads"),
                flag("destructiveHint", "removes")
            );
            assert!(tool["title"].as_str().is_some() && tool["description"].as_str().is_some(), "{tool}");
            assert_eq!(tool.get("outputSchema"), None);
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        })
        .collect();
    insta::assert_snapshot!(rows.join("\n"), @r"
context reads always
oracle reads
decisions reads always
memories reads always
search reads always
timeline reads
get_observations reads always
get_decision reads
get_memory reads
save_decision always
save_memory always
archive_decision removes
archive_memory removes
merge_memories removes
save_oracle
kb_doctor
safety reads
update_safety
backlog reads
backlog_add
backlog_update
status reads
worklog reads
workspace reads
plans reads
save_plan
ask_question
list_open_questions reads
answer_question
update_question
begin_close reads
finalize_close
");
}

#[cfg(target_os = "linux")]
#[test]
fn it_opens_no_connection_and_starts_no_process() {
    if !std::path::Path::new("/usr/bin/strace").exists() {
        return;
    }
    let machine = Machine::with_repo();
    let trace = machine.home.path().join("trace");
    let mut child = machine
        .home
        .command("/usr/bin/strace")
        .args(["-f", "-qq", "-e", "trace=connect,bind,listen,execve", "-o"])
        .arg(&trace)
        .arg(CUSTOS)
        .arg("mcp")
        .current_dir(machine.project())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    for (id, tool) in ["context", "status", "safety", "worklog", "begin_close"].iter().enumerate() {
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": {} } });
        std::io::Write::write_all(&mut input, format!("{call}\n").as_bytes()).unwrap();
    }
    drop(input);
    assert!(child.wait().unwrap().success());
    let trace = std::fs::read_to_string(trace).unwrap();
    // A thread that still ran at the end leaves a line without a call.
    let is_call = |line: &&str| line.contains('(') && !line.contains("<detached");
    let calls: Vec<&str> = trace.lines().filter(is_call).collect();
    // The program itself is the one that was started.
    assert_eq!(calls.len(), 1, "{trace}");
}
