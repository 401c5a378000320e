//! What is said to be kept is there, and what is not is said: disks that refuse, stores that somebody else holds, words that nobody knows.

use std::fs::{self, File};

use serde_json::{Value, json};

use crate::client::Machine;

fn decision(title: &str) -> Value {
    json!({ "title": title, "decision": "d", "reasoning": "r" })
}

/// A disk that is full when files are to get their names.
#[cfg(target_os = "linux")]
fn on_a_full_disk(machine: &Machine, arguments: &[&str]) -> (Option<i32>, String) {
    let inject =
        ["-f", "-qq", "-o", "/dev/null", "-e", "trace=renameat", "-e", "inject=renameat:error=ENOSPC"];
    let output = machine
        .home
        .command("strace")
        .args(inject)
        .arg(crate::client::CUSTOS)
        .args(arguments)
        .current_dir(machine.project())
        .output()
        .unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap(),
    )
}

#[cfg(target_os = "linux")]
#[test]
fn what_gets_no_name_is_refused() {
    let machine = Machine::with_repo();
    machine.run(&["init", "--yes", "--no-scan", "--preset", "none"]);
    for arguments in [
        ["decisions", "add", "--title", "Use UTC", "--decision", "d", "--reasoning", "r"].as_slice(),
        &["memories", "add", "--type", "pattern", "--title", "A lesson", "--description", "d"],
    ] {
        let (code, told) = on_a_full_disk(&machine, arguments);
        assert_eq!(code, Some(74), "{told}");
        assert!(told.contains("NOT KEPT after all: ") && told.contains("No space left on device"), "{told}");
        assert!(!told.contains("saved"), "{told}");
    }
    assert_eq!((machine.list("decisions"), machine.list("memory/patterns")), (Vec::new(), Vec::new()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_proposal_waits_until_what_it_became_is_there() {
    let machine = Machine::with_repo();
    machine.run(&["init", "--yes", "--no-scan", "--preset", "none"]);
    fs::write(machine.project().join("CLAUDE.md"), "- Never push to main\n").unwrap();
    machine.run(&["import", "instructions"]);
    assert!(machine.run(&["proposals"]).contains("Never push to main"));
    let (code, told) = on_a_full_disk(&machine, &["proposals", "accept", "P-001"]);
    assert!(code != Some(0) && told.contains("NOT KEPT after all: "), "{code:?} {told}");
    assert!(machine.run(&["proposals"]).contains("Never push to main"));
    assert!(machine.run(&["proposals", "accept", "P-001"]).contains("never-push-to-main"));
    assert_eq!(machine.list("memory/feedback"), ["never-push-to-main.md"]);
}

#[test]
fn others_are_answered_while_somebody_holds_the_store() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.told("save_decision", decision("Use UTC"));
    let lock = File::options().read(true).write(true).open(machine.file("local/.lock")).unwrap();
    lock.lock().unwrap();
    let call = |id: u64, tool: &str, arguments: Value| {
        let params = json!({ "name": tool, "arguments": arguments });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
    };
    let writes = 61..=70;
    for id in writes.clone() {
        client.send(&call(id, "save_decision", decision(&format!("Decision {id} of the day {id}"))));
    }
    client.send(&call(72, "decisions", json!({})));
    client.send(r#"{"jsonrpc":"2.0","id":73,"method":"ping"}"#);
    assert_eq!([client.receive()["id"].clone(), client.receive()["id"].clone()], [72, 73]);
    drop(lock);
    // What writes keeps its order.
    for (id, number) in writes.zip(2..) {
        let saved = client.receive();
        let expected = json!(format!("D-{number:03}"));
        assert_eq!((&saved["id"], &saved["result"]["structuredContent"]["id"]), (&json!(id), &expected));
    }
    assert!(client.close().success());
}

#[test]
fn an_item_of_a_close_may_have_what_its_schema_says() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let memory = json!({ "action": "add", "type": "pattern", "title": "A lesson", "description": "d", "reason": "r", "details": "x" });
    let decision =
        json!({ "action": "add", "title": "Use UTC", "decision": "d", "reasoning": "r", "id": "" });
    let mut close = json!({ "memories": [memory], "decisions": [decision] });
    for part in ["stopped_at", "summary", "in_progress", "next_steps", "worklog_entry", "startup_text"] {
        close[part] = json!("x");
    }
    let said = client.told("finalize_close", close);
    let notes: Vec<&str> = said.lines().filter(|line| line.starts_with("Note: ")).collect();
    let unknown = "Note: NOT taken, for there is no such argument: details. There are type, title, description, body, keywords, scope and supersedes.";
    assert_eq!(notes, [unknown], "{said}");
}

#[test]
fn a_call_waits_once_for_a_store_that_somebody_holds() {
    let machine = Machine::with_workspace();
    let mut client = machine.serve();
    client.told(
        "save_memory",
        json!({ "type": "pattern", "title": "A", "description": "d", "scope": ["api"] }),
    );
    let path = machine.project().join("api/.ai/local/.lock");
    let lock = File::options().read(true).write(true).open(path).unwrap();
    lock.lock().unwrap();
    let item = |title: &str, scope: Value| json!({ "type": "pattern", "title": title, "description": "d", "scope": scope });
    let mut close = json!({ "memories": [item("B", json!(["api"])), item("C", json!(["api", "web"])), item("D", json!(["api"]))] });
    for part in ["stopped_at", "summary", "in_progress", "next_steps", "worklog_entry", "startup_text"] {
        close[part] = json!("x");
    }
    let begun = std::time::Instant::now();
    let said = client.call("finalize_close", close);
    // Three items, and each alone would wait for four seconds.
    assert!(begun.elapsed().as_secs() < 8, "{:?}", begun.elapsed());
    drop(lock);
    assert!(
        said.text.starts_with(
            "The session is closed, but 3 of 5 items were not kept, or not everywhere. Each says why and what to do."
        ),
        "{}",
        said.text
    );
    assert!(
        said.text.contains("\n- memories[1]: KEPT ONLY IN PART: c saved: C · repo (web) · "),
        "{}",
        said.text
    );
    let items: Vec<_> =
        said.data["items"].as_array().unwrap().iter().map(|item| (&item["ok"], &item["in_part"])).collect();
    let (yes, no, null) = (&json!(true), &json!(false), &Value::Null);
    assert_eq!(items, [(no, null), (no, yes), (no, null), (yes, null), (yes, null)]);
    assert_eq!(said.data["failed"], 3);
}

#[test]
fn a_session_that_cannot_be_closed_is_an_error() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.told("save_decision", decision("Use UTC"));
    fs::remove_dir_all(machine.file("local/handoffs")).ok();
    fs::write(machine.file("local/handoffs"), "in the way").unwrap();
    let mut close = json!({});
    for part in ["stopped_at", "summary", "in_progress", "next_steps", "worklog_entry", "startup_text"] {
        close[part] = json!("x");
    }
    let said = client.call("finalize_close", close.clone());
    assert!(
        said.text.starts_with("The session is NOT closed: the handoff could not be written."),
        "{}",
        said.text
    );
    assert_eq!((said.is_error, &said.data["closed"]), (true, &json!(false)));
    // The entry has to be sent again, and stands there once.
    let worklog = machine.read("local/worklog.md");
    fs::remove_file(machine.file("local/handoffs")).unwrap();
    let said = client.call("finalize_close", close);
    assert_eq!((&said.data["closed"], &said.data["session"]), (&json!(true), &Value::Null), "{}", said.text);
    assert_eq!(
        said.data["items"][0]["result"],
        "repo (shop) · local/worklog.md\nNote: The worklog says so already."
    );
    assert_eq!(machine.read("local/worklog.md"), worklog);
}

#[test]
fn what_is_put_away_twice_is_told_to_be_there() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.told("save_memory", json!({ "type": "pattern", "title": "Leaky", "description": "d" }));
    let archive = json!({ "slug": "leaky", "reason": "It leaks." });
    client.told("archive_memory", archive.clone());
    assert_eq!(
        client.refused("archive_memory", archive),
        "leaky is in the archive already · repo (shop). Nothing was changed; `get_memory` shows it, and why it was put away"
    );
    assert_eq!(
        client.refused("archive_memory", json!({ "slug": "nobody", "reason": "r" })),
        "there is no memory nobody. `memories` lists what there is"
    );
}

#[test]
fn arguments_that_cannot_be_meant_are_named_in_one_go() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    for page in [json!(0), json!(-1), json!("0")] {
        assert_eq!(
            client.refused("decisions", json!({ "page": page })),
            "decisions: page should be a whole number, 1 or more. Send it again with everything in one go."
        );
    }
    assert_eq!(
        client.refused("save_memory", json!({ "kind": "pattern", "name": "Ask", "description": "d" })),
        "save_memory: type is missing (one of feedback, pattern); title is missing (the lesson in one line); there is no such argument: kind (did you mean type?), name (did you mean title?). Send it again with everything in one go. It needs type, title and description"
    );
}

#[test]
fn what_was_sent_under_another_name_is_told() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.told("backlog_add", json!({ "title": "Wait", "description": "d" }));
    let said = client.call(
        "backlog_update",
        json!({ "id": "B-001", "status": "blocked", "note": "for the vendor", "wait": true }),
    );
    let note = "NOT taken, for there is no such argument: note. There are id, status, priority, notes and project_path";
    assert!(said.text.ends_with(&format!("\nNote: {note}.")), "{}", said.text);
    assert_eq!(said.data["argument_notes"], json!([note]));
    let tasks = client.call("backlog", json!({}));
    assert_eq!(
        (&tasks.data["tasks"][0]["status"], &tasks.data["tasks"][0]["description"]),
        (&json!("blocked"), &json!("d"))
    );
}

#[test]
fn a_decision_that_cannot_be_read_is_not_passed_over() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.told("save_decision", decision("Use UTC"));
    client.told("save_decision", decision("Keep logs"));
    client.told("save_decision", decision("Name the owner"));
    machine.put(
        "decisions/D-001-use-utc.md",
        "---\nid: D-001\ntitle: Use UTC\n---\n\n# Use UTC\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n",
    );
    let mut new = decision("Use local time");
    new["supersedes"] = json!("D-001");
    let refused = client.refused("save_decision", new.clone());
    assert!(
        refused
            .starts_with("decisions/D-001-use-utc.md of repo shop, line 8: has an unresolved merge conflict"),
        "{refused}"
    );
    // Several names may come in one text.
    new["supersedes"] = json!("D-002, D-003");
    assert!(client.told("save_decision", new).starts_with("D-004 saved: Use local time"));
    assert_eq!(machine.list("archive/decisions"), ["D-002-keep-logs.md", "D-003-name-the-owner.md"]);
}

#[test]
fn whoever_sends_a_secret_is_told_that_it_was_taken_out() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let said = client.call(
        "save_decision",
        json!({ "title": "Token", "decision": format!("It is {token}."), "reasoning": "r" }),
    );
    let note = "What is secret or private in decision is not kept";
    assert!(said.text.ends_with(&format!("\nNote: {note}.")), "{}", said.text);
    assert_eq!(said.data["argument_notes"], json!([note]));
    assert!(!machine.read("decisions/D-001-token.md").contains(&token));
    let plain = client.call("save_memory", json!({ "type": "pattern", "title": "A", "description": "d" }));
    assert_eq!(plain.data["argument_notes"], serde_json::Value::Null);
}

/// A person may write anything into a file of theirs; nobody else is told it, and it is copied nowhere.
#[test]
fn what_is_secret_in_a_file_by_hand_stays_in_that_file() {
    let machine = Machine::with_repo();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let text = |head: &str| {
        format!(
            "---\n{head}\n---\n\n# Hand\n\nUse {token} and <private>PRIVATEWORD</private>.\n\n## Details\n\n{token}\n"
        )
    };
    machine.put("decisions/D-100-hand.md", text("id: D-100\nslug: hand\ntitle: Hand\nstatus: active"));
    machine.put("memory/patterns/hand.md", text("slug: hand\ntype: pattern\ntitle: Hand"));
    machine.put("backlog/B-100-hand.md", text("id: B-100\nslug: hand\ntitle: Hand\nstatus: open"));
    machine.put("oracle/stack.md", format!("# Stack\n\nUse {token} and <private>PRIVATEWORD</private>.\n"));
    let mut client = machine.serve();
    for (tool, arguments) in [
        ("decisions", json!({})),
        ("get_decision", json!({ "id_or_slug": "D-100" })),
        ("memories", json!({})),
        ("get_memory", json!({ "slug": "hand" })),
        ("backlog", json!({ "id": "B-100" })),
        ("oracle", json!({})),
        ("search", json!({ "query": "hand" })),
        ("kb_doctor", json!({})),
    ] {
        let said = client.call(tool, arguments);
        let all = format!("{}{}", said.text, said.data);
        assert!(!said.is_error && !all.contains(&token) && !all.contains("PRIVATEWORD"), "{tool}: {all}");
    }
    client.close();
    machine.run(&["worker", "run", "--until-idle"]);
    machine.run(&["search", "hand"]);
    let mut found = Vec::new();
    let mut directories = vec![machine.home.path().to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if let Ok(bytes) = fs::read(&path) {
                let text = String::from_utf8_lossy(&bytes);
                let is_hit = text.contains(&token) || text.contains("PRIVATEWORD");
                found
                    .extend(is_hit.then(|| path.strip_prefix(machine.project()).unwrap_or(&path).to_owned()));
            }
        }
    }
    found.sort();
    let own = [
        ".ai/backlog/B-100-hand.md",
        ".ai/decisions/D-100-hand.md",
        ".ai/memory/patterns/hand.md",
        ".ai/oracle/stack.md",
    ];
    assert_eq!(found, own.map(std::path::PathBuf::from));
}

/// The same where it stands in what is quoted: rules, the stamps of what was put away, questions.
#[test]
fn what_is_private_in_a_file_by_hand_is_quoted_nowhere() {
    let machine = Machine::with_repo();
    let private = "<private>SALARY</private>";
    machine.put(
        "policies/safety.yaml",
        format!("deny:\n  - pattern: make deploy\n    reason: costs {private}\n"),
    );
    machine.put(
        "questions.md",
        format!(
            "# Questions\n\n## Q-001: Which {private} card?\n\n- status: answered\n\n### Question\n\n> Which card?\n\n### Answer\n\n> That of {private}.\n\n## Is {private} leaving?\n\nNobody knows.\n"
        ),
    );
    machine.put(
        "archive/decisions/D-001-old.md",
        format!(
            "---\nid: D-001\ntitle: Old\nstatus: revoked\nrevoked_reason: for {private}\narchived: 2026-11-15T20:55:09Z\narchived_reason: for {private}\n---\n\n# Old\n\nText.\n"
        ),
    );
    machine.put(
        "decisions/D-002-guard.md",
        format!(
            "---\nid: D-002\ntitle: Guarded\nguard:\n  command: deploy {private}\n  must_block:\n    - deploy {private}\n---\n\n# Guarded\n\nText.\n"
        ),
    );
    let mut client = machine.serve();
    for (tool, arguments) in [
        ("context", json!({})),
        ("safety", json!({})),
        ("status", json!({})),
        ("kb_doctor", json!({})),
        ("list_open_questions", json!({})),
        ("get_decision", json!({ "id_or_slug": "D-001" })),
        ("get_decision", json!({ "id_or_slug": "D-002" })),
        ("ask_question", json!({ "question": "Which card?", "context": "c" })),
        ("update_question", json!({ "question_id": "Q-001", "status": "applied" })),
    ] {
        let said = client.call(tool, arguments);
        let all = format!("{}{}", said.text, said.data);
        assert!(!said.is_error && !all.contains("SALARY"), "{tool}: {all}");
    }
    let old = client.told("get_decision", json!({ "id_or_slug": "D-001" }));
    assert_eq!(old.matches("for [redacted:private]").count(), 1, "{old}");
}

/// A tag that a text only speaks of takes away the rest of that text, and of nothing else.
#[test]
fn a_tag_that_nobody_closes_hides_nothing_that_stands_beside_it() {
    let machine = Machine::with_repo();
    machine.put(
        "local/plans/x.md",
        "---\ntitle: Explain the <private> tag\nstatus: active\n---\n\n# Plan\n\n- [ ] Send the key\n",
    );
    machine.put(
        "questions.md",
        "# Questions\n\n## Q-001: What is the `<private>` tag for?\n\n- status: open\n\n## Q-002: Which port?\n\n- status: open\n",
    );
    machine.put("oracle/stack.md", "# Stack\n\nThe <private> tag.\n");
    machine.put("oracle/patterns.md", "# Patterns\n\nUse it.\n");
    machine.put("local/worklog.md", "# Worklog\n\n## 2026-11-15 20:55\n\nExplained the <private> tag.\n");
    let mut client = machine.serve();
    let context = client.told("context", json!({}));
    for part in ["# Where", "# Active plans", "# Last worklog entry", "# Questions", "Q-002", "# Next"] {
        assert!(context.contains(part), "{part}: {context}");
    }
    let questions = client.told("list_open_questions", json!({}));
    assert!(questions.contains("## Q-002 [open] Which port?"), "{questions}");
    assert!(client.told("oracle", json!({})).contains("Use it."));
}

#[test]
fn a_note_is_kept_also_where_the_text_before_it_never_ends() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.told("backlog_add", json!({ "title": "Mend", "description": "d" }));
    let file = "backlog/B-001-mend.md";
    machine.put(file, machine.read(file).replace("\nd\n", "\nUse the `<private>` tag\n"));
    let said = client.call("backlog_update", json!({ "id": "B-001", "notes": "Half done" }));
    assert_eq!(said.data["saved"]["became"], json!("updated"), "{}", said.text);
    assert!(machine.read(file).contains("Half done"), "{}", machine.read(file));
}

#[test]
fn whoever_finds_a_store_locked_can_look_what_is_wrong() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.told("save_memory", json!({ "type": "pattern", "title": "A", "description": "d" }));
    let lock =
        File::options().read(true).write(true).open(machine.project().join(".ai/local/.lock")).unwrap();
    lock.lock().unwrap();
    let begun = std::time::Instant::now();
    assert_eq!(client.told("kb_doctor", json!({})), "The knowledge base is in order.");
    assert!(begun.elapsed().as_secs() < 4, "{:?}", begun.elapsed());
    // Nor does it wait behind whoever waits.
    let call = |id: u32, tool: &str, arguments: Value| {
        let params = json!({ "name": tool, "arguments": arguments });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
    };
    client.send(&call(901, "save_memory", json!({ "type": "pattern", "title": "B", "description": "d" })));
    client.send(&call(902, "kb_doctor", json!({})));
    assert_eq!([client.receive(), client.receive()].map(|answer| answer["id"].clone()), [902, 901]);
    assert!(
        client.refused("kb_doctor", json!({ "fix": true })).starts_with("another process has been changing ")
    );
}
