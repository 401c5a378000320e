//! Every tool once, in the order of a working day, with all that it answers.

use serde_json::{Value, json};

use crate::client::Machine;

#[test]
fn a_day_with_every_tool() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.initialize("2025-06-18", "test");
    let calls: &[(&str, Value)] = &[
        ("context", json!({})),
        ("oracle", json!({})),
        ("decisions", json!({})),
        ("memories", json!({})),
        ("backlog", json!({})),
        ("plans", json!({})),
        ("list_open_questions", json!({})),
        (
            "save_decision",
            json!({ "title": "Use UTC everywhere", "decision": "All times are UTC.", "reasoning": "Summer time broke the billing." }),
        ),
        (
            "save_decision",
            json!({
                "title": "The pipeline deploys", "decision": "Nobody applies by hand.", "reasoning": "Drift.", "enforce": "required",
                "guard": { "command": "terraform apply", "must_block": ["terraform apply -auto-approve"], "must_allow": ["terraform plan"] },
            }),
        ),
        (
            "save_decision",
            json!({ "title": "use utc EVERYWHERE", "decision": "again", "reasoning": "again" }),
        ),
        (
            "save_decision",
            json!({ "title": "Keep local time for people", "decision": "Shown in their zone.", "reasoning": "They asked." }),
        ),
        ("archive_decision", json!({ "id": "D-002", "reason": "an agent may not" })),
        ("archive_decision", json!({ "id": "D-001", "reason": "refined", "superseded_by": "D-003" })),
        ("get_decision", json!({ "id_or_slug": "D-001" })),
        ("get_decision", json!({ "id_or_slug": "D-099" })),
        ("decisions", json!({ "include_archived": true })),
        (
            "save_memory",
            json!({ "type": "feedback", "title": "Short commits", "description": "One thing each.", "body": "Details.", "keywords": ["git"] }),
        ),
        (
            "save_memory",
            json!({ "type": "pattern", "title": "Run nextest", "description": "cargo nextest run" }),
        ),
        (
            "save_memory",
            json!({ "type": "pattern", "title": "Tests are run with nextest", "description": "the same again" }),
        ),
        ("merge_memories", json!({ "into": "run-nextest", "from": ["tests-are-run-with-nextest"] })),
        ("memories", json!({})),
        ("get_memory", json!({ "slug": "short-commits" })),
        ("archive_memory", json!({ "slug": "short-commits", "reason": "everybody does" })),
        ("save_oracle", json!({ "section": "glossary", "content": "- **cart**: what is not yet an order" })),
        ("oracle", json!({})),
        (
            "backlog_add",
            json!({ "title": "Fix the clock", "description": "It is late.", "priority": "high", "tags": ["bug"] }),
        ),
        ("backlog_update", json!({ "id": "B-001", "status": "in-progress", "notes": "It is the zone." })),
        ("backlog", json!({})),
        ("backlog", json!({ "id": "B-001" })),
        ("ask_question", json!({ "question": "Which region?", "context": "For the new cluster." })),
        ("answer_question", json!({ "question_id": "Q-001", "answer": "eu-central" })),
        ("list_open_questions", json!({})),
        (
            "update_question",
            json!({ "question_id": "Q-001", "status": "applied", "note": "in the manifest" }),
        ),
        (
            "save_plan",
            json!({ "title": "Move to UTC", "steps": ["[x] find all times", "[>] change them", "test"] }),
        ),
        ("plans", json!({})),
        ("update_safety", json!({ "rule_type": "bash_deny", "value": "terraform destroy" })),
        ("update_safety", json!({ "rule_type": "bash_allow", "value": "curl" })),
        ("workspace", json!({})),
        ("status", json!({})),
        ("kb_doctor", json!({})),
        ("begin_close", json!({})),
        (
            "finalize_close",
            json!({
                "memories": [{ "type": "pattern", "title": "Ask for the zone", "description": "Before storing a time." }],
                "stopped_at": "half of the times are changed", "summary": "UTC in the model", "in_progress": "the API", "next_steps": "the tests",
                "worklog_entry": "Moved the model to UTC.", "startup_text": "Go on with the API.", "prs": "#12", "test_results": "41 passed",
            }),
        ),
        ("context", json!({})),
    ];
    let mut story = String::new();
    for (tool, arguments) in calls {
        let mut said = client.call(tool, arguments.clone());
        // How long a context is depends on where the test runs, and its text is there already.
        let apart: &[&str] = if *tool == "context" { &["characters", "parts", "text"] } else { &[] };
        said.data.as_object_mut().unwrap().retain(|name, _| !apart.contains(&name.as_str()));
        let error = if said.is_error { " (refused)" } else { "" };
        story.push_str(&format!("===== {tool} {arguments}{error}\n{}\n--- {}\n\n", said.text, said.data));
    }
    assert!(client.close().success());
    insta::assert_snapshot!(machine.anywhere(&story));
}
