//! Many at once, and servers that are killed.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::Stdio;
use std::time::Instant;

use serde_json::{Value, json};

use crate::client::{CUSTOS, Machine, make_repo};

fn decision(title: &str) -> Value {
    json!({ "title": title, "decision": "What was decided.", "reasoning": "Why." })
}

#[test]
fn eight_servers_and_ten_hooks_on_one_store_lose_nothing() {
    let machine = Machine::with_repo();
    std::thread::scope(|scope| {
        for server in 0..8 {
            let machine = &machine;
            scope.spawn(move || {
                let mut client = machine.serve();
                for call in 0..8 {
                    client.told("save_decision", decision(&format!("Decision s{server}c{call}")));
                    client.told("save_memory", json!({ "type": "pattern", "title": "One lesson", "description": format!("{server} {call}"), "keywords": [format!("k{server}{call}")] }));
                }
                assert!(client.close().success());
            });
        }
        for hook in 0..10 {
            let machine = &machine;
            scope.spawn(move || {
                for call in 0..5 {
                    let payload = json!({
                        "session_id": format!("s{hook}"), "cwd": machine.project(), "hook_event_name": "PostToolUse", "tool_name": "Bash",
                        "tool_input": { "command": format!("echo {call}") }, "tool_response": { "stdout": "ok" }, "tool_use_id": format!("t{hook}{call}"),
                    });
                    let mut child = machine.home.command(CUSTOS).args(["hook", "claude-code", "PostToolUse"]).stdin(Stdio::piped()).spawn().unwrap();
                    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
                    assert!(child.wait().unwrap().success());
                }
            });
        }
    });
    let ids: BTreeSet<String> = machine.list("decisions").iter().map(|name| name[..5].to_owned()).collect();
    assert_eq!(ids, (1..=64).map(|number| format!("D-{number:03}")).collect());
    // One title, saved 64 times: one file, and every keyword that fits is in it.
    assert_eq!(machine.list("memory/patterns"), ["one-lesson.md"]);
    let counts =
        |kind: &str| machine.run(&["log", "tail", "-n", "1000", "--kind", kind, "--json"]).lines().count();
    assert_eq!((counts("tool.used"), counts("knowledge.saved")), (50, 65));
    assert!(machine.run(&["verify"]).contains("intact"), "{}", machine.run(&["verify"]));
}

/// The arguments of a close with so many decisions and memories, for every level in turn.
fn close(name: &str, count: usize) -> Value {
    let scope = |at: usize| [json!([]), json!(["api"]), json!(["user"])][at % 3].clone();
    let decisions: Vec<Value> = (0..count)
        .map(|at| {
            let mut decision = decision(&format!("Decision {name}n{at}"));
            decision["scope"] = scope(at);
            decision
        })
        .collect();
    let memories: Vec<Value> = (0..count)
        .map(|at| json!({ "type": "pattern", "title": format!("Lesson {name}n{at}"), "description": "d", "scope": scope(at) }))
        .collect();
    json!({
        "stopped_at": "s", "summary": "s", "in_progress": "i", "next_steps": "n", "worklog_entry": format!("Entry {name}"), "startup_text": "t",
        "decisions": decisions, "memories": memories,
    })
}

#[test]
fn sessions_that_close_at_once_lose_nothing() {
    let machine = Machine::with_workspace();
    std::thread::scope(|scope| {
        for server in 0..4 {
            let machine = &machine;
            scope.spawn(move || {
                let mut client = machine.serve();
                for call in 0..3 {
                    let said = client.call("finalize_close", close(&format!("s{server}c{call}"), 9));
                    assert_eq!(
                        (&said.data["closed"], &said.data["failed"]),
                        (&json!(true), &json!(0)),
                        "{}",
                        said.text
                    );
                }
                assert!(client.close().success());
            });
        }
    });
    // Twelve closes, and three of the nine items of each kind at each level.
    let ids: Vec<String> = (1..=36).map(|number| format!("D-{number:03}")).collect();
    let api = machine.project().join("api/.ai");
    let user = machine.home.config_dir().join("knowledge");
    for store in [machine.project().join(".ai"), api, user] {
        let names = |directory: &str| {
            let entries = std::fs::read_dir(store.join(directory)).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            names.filter(|name| name != ".gitkeep").collect::<BTreeSet<String>>()
        };
        let given: Vec<String> = names("decisions").iter().map(|name| name[..5].to_owned()).collect();
        assert_eq!((given, names("memory/patterns").len()), (ids.clone(), 36), "{}", store.display());
        assert_eq!(std::fs::read_to_string(store.join("local/ids")).unwrap(), "D 36\n");
    }
    let saved = machine.run(&["log", "tail", "-n", "1000", "--kind", "knowledge.saved", "--json"]);
    assert_eq!(saved.lines().filter(|line| line.contains("Decision s")).count(), 3 * 36);
    assert_eq!(saved.lines().filter(|line| line.contains("Lesson s")).count(), 3 * 36);
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_reads_what_a_checkout_brought_before_it_is_asked() {
    let machine = Machine::with_repo();
    let checkout = |title: &str| {
        for number in 1..=100 {
            let name = format!("decisions/D-{number:03}-x.md");
            machine.put(
                &name,
                format!("---\nid: D-{number:03}\ntitle: {title} {number}\n---\n\n{}\n", "Text. ".repeat(400)),
            );
        }
    };
    checkout("One");
    let mut client = machine.serve();
    assert!(client.told("decisions", json!({})).contains("One 1"));
    let files = 100 * 2_400;
    // It may still be reading what was there before.
    let mut read = client.bytes_read();
    while std::mem::replace(&mut read, client.bytes_read_later()) != read {}
    checkout("Two");
    assert!((0..200).any(|_| client.bytes_read_later() >= read + files), "nobody asked, and it read nothing");
    let answered = client.told("decisions", json!({}));
    assert!(answered.contains("Two 1") && !answered.contains("One"), "{answered}");
    assert!(client.close().success());
}

#[test]
fn a_server_that_is_killed_leaves_whole_files_and_ids_that_go_on() {
    let machine = Machine::with_repo();
    let mut acknowledged = BTreeSet::new();
    for round in 0..12 {
        let mut client = machine.serve();
        for call in 0..round {
            let said = client.call("save_decision", decision(&format!("Decision {call} of round {round}")));
            acknowledged.insert(said.data["id"].as_str().unwrap().to_owned());
        }
        // One more, of which nobody hears the answer.
        let request = json!({ "jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": { "name": "save_decision", "arguments": decision(&format!("Unheard {round}")) } });
        client.send(&request.to_string());
        client.kill();
    }
    let mut client = machine.serve();
    let kept: BTreeSet<String> = machine
        .list("decisions")
        .iter()
        .filter(|name| name.starts_with("D-"))
        .map(|name| name[..5].to_owned())
        .collect();
    assert!(acknowledged.is_subset(&kept), "{acknowledged:?} {kept:?}");
    assert!(client.told("status", json!({})).contains("Every file can be read"));
    let report = client.told("kb_doctor", json!({ "fix": true }));
    assert!(!report.contains("by hand"), "{report}");
    let next = client.call("save_decision", decision("The last")).data["id"].as_str().unwrap().to_owned();
    assert!(kept.iter().all(|id| *id < next), "{next} {kept:?}");
}

/// What a close of many items writes is forced and named in one go: whenever the server is killed, what has a name is whole.
#[test]
fn a_server_that_is_killed_while_it_closes_a_session_leaves_whole_files() {
    const ROUNDS: u64 = 24;
    let machine = Machine::with_repo();
    let close = |round: u64| {
        let titles = || (0..8).map(|at| format!("Matter {at} that round {round} brought up"));
        let decisions: Vec<Value> = titles().map(|title| decision(&title)).collect();
        let memory =
            |title: String| json!({ "type": "pattern", "title": title, "description": "What to do." });
        let memories: Vec<Value> = titles().map(memory).collect();
        json!({
            "stopped_at": "here", "summary": "s", "in_progress": "i", "next_steps": "n", "worklog_entry": format!("Round {round}."),
            "startup_text": "t", "decisions": decisions, "memories": memories,
        })
    };
    let begun = Instant::now();
    let mut client = machine.serve();
    client.told("finalize_close", close(1_000));
    let takes = begun.elapsed();
    for round in 0..ROUNDS {
        let request = json!({ "jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": { "name": "finalize_close", "arguments": close(round) } });
        client.send(&request.to_string());
        std::thread::sleep(takes * u32::try_from(round).unwrap() / u32::try_from(ROUNDS).unwrap());
        client.kill();
        client = machine.serve();
    }
    assert!(client.told("status", json!({})).contains("Every file can be read"));
    let report = client.told("kb_doctor", json!({ "fix": true }));
    assert!(!report.contains("by hand"), "{report}");
    let named = |directory: &str| -> Vec<String> {
        machine.list(directory).into_iter().filter(|name| !name.starts_with(".custos-")).collect()
    };
    let decisions = named("decisions");
    for file in &decisions {
        let text = machine.read(&format!("decisions/{file}"));
        assert!(text.ends_with("\n\n## Reasoning\n\nWhy.\n"), "{file}: {text}");
    }
    let ids: BTreeSet<&str> = decisions.iter().map(|name| name.split('-').nth(1).unwrap()).collect();
    assert_eq!(ids.len(), decisions.len(), "{decisions:?}");
    // What the log tells of is there.
    let told = machine.run(&["log", "tail", "-n", "1000", "--kind", "knowledge.saved", "--json"]);
    assert!(told.lines().count() >= 18, "{told}");
    for event in told.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        if let Some(file) = event["body"]["file"].as_str().filter(|file| !file.starts_with("local/")) {
            assert!(machine.file(file).exists(), "{event}");
        }
    }
}

#[test]
fn two_servers_see_each_others_writes_and_a_persons_edits() {
    let machine = Machine::with_repo();
    let (mut one, mut two) = (machine.serve(), machine.serve());
    one.told("save_decision", decision("Use UTC"));
    assert!(two.told("decisions", json!({})).contains("Use UTC"));
    let text =
        machine.read("decisions/D-001-use-utc.md").replace("title: Use UTC", "title: Use UTC, by hand");
    machine.put("decisions/D-001-use-utc.md", text);
    for client in [&mut one, &mut two] {
        assert!(client.told("decisions", json!({})).contains("Use UTC, by hand"));
    }
    std::fs::remove_file(machine.file("decisions/D-001-use-utc.md")).unwrap();
    assert!(one.told("decisions", json!({})).starts_with("No decisions yet"));
}

#[test]
fn bases_that_begin_at_once_are_all_the_persons_own() {
    let machine = Machine::with_repo();
    let repos: Vec<_> = (0..24).map(|number| machine.home.path().join(format!("repo{number}"))).collect();
    std::thread::scope(|scope| {
        for repo in &repos {
            let machine = &machine;
            scope.spawn(move || {
                make_repo(repo);
                machine.serve_in(repo).told("save_decision", decision("Use UTC"));
            });
        }
    });
    let foreign: Vec<_> = repos
        .iter()
        .filter(|repo| machine.serve_in(repo).told("decisions", json!({})).contains("nobody has vouched"))
        .collect();
    assert!(foreign.is_empty(), "{foreign:?}");
}
