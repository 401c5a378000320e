//! What people write into the files below headings of their own: it is shown, found and kept.

use serde_json::json;

use crate::client::{Machine, make_repo};

const ADR: &str = "---\nid: D-001\nslug: use-postgres\ntitle: Use Postgres\ndate: 2026-11-15\nsource: manual\nenforce: advisory\nstatus: active\n---\n\n# Use Postgres\n\n## Context\n\nSQLite locks under zanzibar load.\n\n## Decision\n\nWe use Postgres 17.\n\n## Consequences\n\nA server to run.\n";

#[test]
fn a_decision_record_is_listed_by_its_decision_and_shown_whole() {
    let machine = Machine::with_repo();
    machine.put("decisions/D-001-use-postgres.md", ADR);
    let mut client = machine.serve();
    assert!(client.told("decisions", json!({})).contains("Use Postgres — We use Postgres 17."));
    let shown = client.call("get_decision", json!({ "id_or_slug": "D-001" }));
    let body = "## Context\n\nSQLite locks under zanzibar load.\n\n## Decision\n\nWe use Postgres 17.\n\n## Consequences\n\nA server to run.";
    assert!(shown.text.contains(body), "{}", shown.text);
    assert_eq!(
        (&shown.data["decision"], &shown.data["reasoning"], &shown.data["sections"]),
        (
            &json!("We use Postgres 17."),
            &json!(""),
            &json!([
                { "heading": "Context", "text": "SQLite locks under zanzibar load." },
                { "heading": "Consequences", "text": "A server to run." },
            ])
        )
    );
    assert!(client.told("search", json!({ "query": "zanzibar" })).contains("D-001"));
    assert!(client.close().success());
}

#[test]
fn memories_and_tasks_show_whatever_their_files_say() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.call(
        "save_memory",
        json!({ "type": "pattern", "title": "Build first", "description": "Build it." }),
    );
    client.call("backlog_add", json!({ "title": "Paint it", "description": "Blue.", "tags": ["house"] }));
    let (memory, task) = ("memory/patterns/build-first.md", "backlog/B-001-paint-it.md");
    for (file, more) in
        [(memory, "\n## Example\n\nmake quagga\n"), (task, "\n## Acceptance\n\nIt is okapi.\n")]
    {
        machine.put(file, format!("{}{more}", machine.read(file)));
    }
    assert!(client.told("memories", json!({})).contains("**Build first** (build-first) +: Build it."));
    let shown = client.call("get_memory", json!({ "slug": "build-first" }));
    assert!(shown.text.contains("\n\nBuild it.\n\n## Example\n\nmake quagga"), "{}", shown.text);
    assert_eq!(shown.data["sections"], json!([{ "heading": "Example", "text": "make quagga" }]));
    let shown = client.call("backlog", json!({ "id": "B-001" }));
    assert!(
        shown.text.contains("\n\nTags: house\n\nBlue.\n\n## Acceptance\n\nIt is okapi."),
        "{}",
        shown.text
    );
    assert_eq!(shown.data["sections"], json!([{ "heading": "Acceptance", "text": "It is okapi." }]));
    for (word, title) in [("quagga", "Build first"), ("okapi", "Paint it")] {
        let found = client.told("search", json!({ "query": word }));
        assert!(found.contains(title), "{word}: {found}");
    }
    assert!(client.close().success());
}

#[test]
fn two_memories_with_one_slug_are_both_shown() {
    let machine = Machine::with_repo();
    for kind in ["feedback", "patterns"] {
        let text = format!("---\nslug: twin\ntitle: Twin\n---\n\n# Twin\n\nOf {kind}.\n");
        machine.put(&format!("memory/{kind}/twin.md"), &text);
    }
    let mut client = machine.serve();
    let shown = client.call("get_memory", json!({ "slug": "twin" }));
    assert!(shown.text.contains("Of feedback.") && shown.text.contains("Of patterns."), "{}", shown.text);
    assert!(shown.text.contains("2 have one slug: "), "{}", shown.text);
    assert_eq!(shown.data["others"][0]["description"], json!("Of patterns."));
    let one = client.call("get_memory", json!({ "slug": "patterns/twin" }));
    assert_eq!((&one.data["description"], &one.data["others"]), (&json!("Of patterns."), &json!(null)));
    let refused = client.refused("archive_memory", json!({ "slug": "twin", "reason": "over" }));
    assert!(refused.contains("Send \"feedback/twin\" or \"patterns/twin\""), "{refused}");
    assert!(client.close().success());
}

#[test]
fn a_memory_that_cannot_be_read_is_told_by_the_name_of_its_file() {
    let machine = Machine::with_repo();
    machine.put("memory/feedback/x.md", "---\nslug: x\ntitle: [X\n---\n\nText.\n");
    let mut client = machine.serve();
    let refused = client.refused("get_memory", json!({ "slug": "x" }));
    assert!(refused.contains("memory/feedback/x.md of repo shop, line "), "{refused}");
    for name in ["feedback/x", "memory/feedback/X.md"] {
        assert_eq!(client.refused("get_memory", json!({ "slug": name })), refused, "{name}");
    }
    assert!(client.refused("get_memory", json!({ "slug": "patterns/x" })).contains("no memory patterns/x"));
    assert!(client.close().success());
}

#[test]
fn a_repo_that_is_called_as_a_word_of_ours_is_reached_as_the_answers_spell_it() {
    let machine = Machine::with_workspace();
    make_repo(&machine.project().join("user"));
    let mut client = machine.serve();
    assert!(client.told("workspace", json!({})).contains("\n- ./user: has none yet\n"));
    let new = |title: &str, scope: &str| json!({ "title": title, "decision": "d", "reasoning": "r", "scope": [scope] });
    let saved = client.call("save_decision", new("Of the repo", "./user"));
    assert_eq!(
        (&saved.data["saved"][0]["level"], &saved.data["saved"][0]["store"]),
        (&json!("repo"), &json!("user"))
    );
    let saved = client.call("save_decision", new("My own", "user"));
    assert_eq!(saved.data["saved"][0]["level"], json!("user"));
    let refused = client.refused("archive_decision", json!({ "id": "D-001", "reason": "over" }));
    assert!(refused.contains("\"./user:D-001\""), "{refused}");
    let shown = client.call("get_decision", json!({ "id_or_slug": "./user:D-001" }));
    assert_eq!(shown.data["title"], json!("Of the repo"));
    assert!(client.close().success());
}

#[test]
fn what_the_oracle_says_already_is_not_told_as_saved() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let said = json!({ "section": "stack", "content": "Rust 1.95, and nothing else." });
    let first = client.told("save_oracle", said.clone());
    assert_eq!(first, "stack saved · repo (shop) · oracle/stack.md");
    let again = client.told("save_oracle", said);
    assert_eq!(again, "stack unchanged · repo (shop) · oracle/stack.md\nNote: It says so already.");
    assert!(client.close().success());
}

#[test]
fn what_is_saved_about_a_repo_of_a_workspace_names_it() {
    let machine = Machine::with_workspace();
    let mut client = machine.serve();
    let said = client.call(
        "save_oracle",
        json!({ "section": "glossary", "content": "- **cart**: no order yet", "project_path": "api" }),
    );
    assert_eq!(said.text, "glossary saved · repo (api) · oracle/glossary.md");
    let saved = json!({
        "section": "glossary", "level": "repo", "store": "api", "file": "oracle/glossary.md", "changed": true, "notes": [],
    });
    assert_eq!(said.data, json!({ "saved": saved }));
    assert!(client.close().success());
}

#[test]
fn a_block_of_code_that_is_longer_than_a_page_is_one_on_each() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let code: String =
        (0..1_700).map(|line| format!("let x{line} = {line}; // and so on, and on\n")).collect();
    let body = format!("Like this:\n\n```rust\n{code}```\n\n## Behind it\n\nThe end.");
    let memory =
        json!({ "type": "pattern", "title": "Build first", "description": "Build it.", "body": body });
    client.told("save_memory", memory);
    let (mut shown, mut marks) = (String::new(), Vec::new());
    for number in 1.. {
        let said = client.call("get_memory", json!({ "slug": "build-first", "page": number }));
        let lines = || said.text.lines();
        shown.extend(lines().filter(|line| line.starts_with("let x")).map(|line| format!("{line}\n")));
        marks.push(lines().filter(|line| line.starts_with("```")).map(str::to_owned).collect::<Vec<_>>());
        assert!(said.text.len() <= 20_000, "{}", said.text.len());
        if said.data["pages"] == json!(number) {
            break;
        }
    }
    assert_eq!((shown, marks), (code, vec![vec!["```rust".to_owned(), "```".to_owned()]; 4]));
    assert!(client.close().success());
}
