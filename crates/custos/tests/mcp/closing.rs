//! The end of a session, item by item: what is told of each is what became of it.

use serde_json::{Value, json};

use crate::client::{Client, Machine};

/// Closes a session with some items, and gives what is said of each.
fn close(client: &mut Client, items: &Value) -> (Vec<String>, Value) {
    let mut sent = json!({
        "stopped_at": "a", "summary": "s", "in_progress": "i", "next_steps": "n", "worklog_entry": "w", "startup_text": "t",
    });
    sent.as_object_mut().unwrap().extend(items.as_object().unwrap().clone());
    let said = client.call("finalize_close", sent);
    assert!(!said.is_error, "{}", said.text);
    let begin = said.text.find("\n- ").map_or(0, |at| at + 1);
    let report = said.text[begin..].split("\n- worklog: ").next().unwrap();
    (format!("\n{report}").split("\n- ").skip(1).map(str::to_owned).collect(), said.data)
}

fn decision(title: &str, text: &str) -> Value {
    json!({ "title": title, "decision": text, "reasoning": "r" })
}

#[test]
fn a_session_closes_with_nothing_half_done() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let (_, data) = close(&mut client, &json!({ "in_progress": "", "next_steps": [] }));
    assert_eq!((&data["closed"], &data["failed"]), (&json!(true), &json!(0)));
    let context = client.told("context", json!({}));
    assert!(context.contains("**In progress:** nothing\n**Next steps:** nothing\n"), "{context}");
    // What was forgotten is asked for, all at once.
    let refusal =
        client.refused("finalize_close", json!({ "stopped_at": "a", "summary": "s", "startup_text": "" }));
    assert_eq!(
        refusal,
        "finalize_close: in_progress is missing (what is half done, or nothing); next_steps is missing; worklog_entry is missing (a few lines); startup_text is missing (what to tell the next session first). Send it again with everything in one go. It needs stopped_at, summary, in_progress, next_steps, worklog_entry and startup_text"
    );
}

#[test]
fn what_was_dropped_for_a_title_that_is_taken_is_not_told_as_kept() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let mut required = decision("Use UTC", "All times.");
    required["enforce"] = json!("required");
    client.told("save_decision", required);
    let (items, data) = close(
        &mut client,
        &json!({ "decisions": [decision("use utc", "All times."), decision("use utc", "No times.")] }),
    );
    let there = "D-001 is there already: Use UTC · repo (shop) · decisions/D-001-use-utc.md\nNote: A decision with this title exists and was left as it is";
    let change = "To change it, save one with another title and `supersedes: [\"D-001\"]`.";
    assert_eq!(
        items,
        [
            format!("decisions[0]: kept: {there}. {change}"),
            format!(
                "decisions[1]: NOT KEPT: {there}. NOT taken: decision (it says something else). {change}"
            ),
        ]
    );
    let ok: Vec<&Value> = data["items"].as_array().unwrap().iter().map(|item| &item["ok"]).collect();
    assert_eq!(
        (ok, &data["failed"]),
        (vec![&json!(true), &json!(false), &json!(true), &json!(true)], &json!(1))
    );
}

#[test]
fn what_the_same_call_has_put_away_is_not_missing() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.told("save_decision", decision("Use local time", "d"));
    client.told("save_memory", json!({ "type": "pattern", "title": "Ask", "description": "d" }));
    let mut successor = decision("Use UTC", "d");
    successor["supersedes"] = json!(["D-001"]);
    let (items, data) = close(
        &mut client,
        &json!({
            "memories": [
                { "type": "pattern", "title": "Ask twice", "description": "d", "supersedes": ["ask"] },
                { "action": "remove", "slug": "ask", "reason": "r" },
            ],
            "decisions": [successor, { "action": "remove", "id": "D-001", "reason": "r" }, { "action": "remove", "id": "D-009", "reason": "r" }],
        }),
    );
    assert_eq!(
        items[1],
        "memories[1]: kept: ask is in the archive already, superseded by ask-twice · repo (shop)"
    );
    assert_eq!(
        items[3],
        "decisions[1]: kept: D-001 is in the archive already, superseded by D-002 · repo (shop)"
    );
    assert!(
        items[4].starts_with("decisions[2]: NOT KEPT: there is no active decision D-009"),
        "{}",
        items[4]
    );
    assert_eq!(data["failed"], 1);
}

#[test]
fn what_another_store_has_is_not_put_away_by_what_is_in_an_archive() {
    let machine = Machine::with_workspace();
    let mut client = machine.serve();
    for scope in [json!([]), json!(["api"])] {
        let memory = json!({ "type": "pattern", "title": "Ask", "description": "d", "scope": scope });
        client.told("save_memory", memory);
        let mut decision = decision("Use UTC", "d");
        decision["scope"] = scope;
        client.told("save_decision", decision);
    }
    client.told("archive_memory", json!({ "slug": "workspace:ask", "reason": "r" }));
    client.told("archive_decision", json!({ "id": "workspace:D-001", "reason": "r" }));
    let removed = |memory: &str, decision: &str| {
        json!({
            "memories": [{ "action": "remove", "slug": memory, "reason": "r" }],
            "decisions": [{ "action": "remove", "id": decision, "reason": "r" }],
        })
    };
    let (items, data) = close(&mut client, &removed("ask", "D-001"));
    let next = "or the repo's name as project_path";
    assert_eq!(
        items,
        [
            format!(
                "memories[0]: NOT KEPT: workspace shop has no memory ask; repo api has ask (Ask). Nothing was changed. Send \"api:ask\"; {next}"
            ),
            format!(
                "decisions[0]: NOT KEPT: workspace shop has no decision D-001; repo api has D-001 (Use UTC). Nothing was changed. Send \"api:D-001\"; {next}"
            ),
        ]
    );
    assert_eq!(data["failed"], 2);
    let (items, _) = close(&mut client, &removed("workspace:ask", "workspace:D-001"));
    let gone = [
        "memories[0]: kept: ask is in the archive already · workspace (shop)",
        "decisions[0]: kept: D-001 is in the archive already · workspace (shop)",
    ];
    assert_eq!(items, gone);
    // Where nobody has it any more, the name alone says enough.
    close(&mut client, &removed("api:ask", "api:D-001"));
    let (items, _) = close(&mut client, &removed("ask", "D-001"));
    assert_eq!(items, gone);
}

#[test]
fn what_the_person_put_away_was_never_the_projects() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.told(
        "save_memory",
        json!({ "type": "pattern", "title": "Ask", "description": "d", "scope": ["user"] }),
    );
    let mut mine = decision("Use UTC", "d");
    mine["scope"] = json!(["user"]);
    client.told("save_decision", mine);
    client.told("archive_memory", json!({ "slug": "user:ask", "reason": "r" }));
    client.told("archive_decision", json!({ "id": "user:D-001", "reason": "r" }));
    let (items, data) = close(
        &mut client,
        &json!({
            "memories": [
                { "action": "remove", "slug": "ask", "reason": "r" },
                { "action": "remove", "slug": "user:ask", "reason": "r" },
            ],
            "decisions": [
                { "action": "remove", "id": "D-001", "reason": "r" },
                { "action": "remove", "id": "user:D-001", "reason": "r" },
            ],
        }),
    );
    assert_eq!(
        items,
        [
            "memories[0]: NOT KEPT: there is no memory ask. `memories` lists what there is",
            "memories[1]: kept: ask is in the archive already · user",
            "decisions[0]: NOT KEPT: there is no active decision D-001. `decisions` lists what there is; with include_archived also what was put away",
            "decisions[1]: kept: D-001 is in the archive already · user",
        ]
    );
    assert_eq!(data["failed"], 2);
}

#[test]
fn notes_stand_behind_all_the_stores_of_an_item() {
    let machine = Machine::with_workspace();
    let mut client = machine.serve();
    let mut both = decision("Use UTC", "d");
    both["scope"] = json!(["nobody", "api"]);
    let rule = json!({ "rule_type": "bash_deny", "value": "make deploy", "scope": ["nobody", "api"] });
    let (items, _) = close(&mut client, &json!({ "decisions": [both], "safety_rules": [rule] }));
    let note = "Note: Scope \"nobody\" is not known (the repos here are api, web), so this went to shop.";
    assert_eq!(
        items,
        [
            format!(
                "decisions[0]: kept: D-001 saved: Use UTC · workspace (shop) · decisions/D-001-use-utc.md; D-001 saved: Use UTC · repo (api) · decisions/D-001-use-utc.md\n{note}"
            ),
            format!(
                "safety_rules[0]: kept: bash_deny added: make deploy · workspace (shop); bash_deny added: make deploy · repo (api)\n{note}"
            ),
        ]
    );
}

#[test]
fn what_only_a_person_can_do_is_not_to_be_sent_again() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let sent = json!({
        "safety_rules": [{ "rule_type": "bash_allow", "value": "curl" }],
        "stopped_at": "a", "summary": "s", "in_progress": "i", "next_steps": "n", "worklog_entry": "w", "startup_text": "t ".repeat(50_000),
    });
    let said = client.call("finalize_close", sent);
    let first = said.text.lines().next().unwrap();
    assert_eq!(
        first,
        "The session is closed, but 1 of 3 items were not kept. Each says why and what to do. What can be mended is sent again with the tool of its own (save_memory, save_decision, update_safety), not with finalize_close."
    );
    // The handoff itself is cut there.
    assert!(said.text.ends_with("\n(shortened; the handoff has more of it)"), "{}", said.text);
}

#[test]
fn what_is_secret_is_not_said_again() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.told("save_memory", json!({ "type": "pattern", "title": "Keep", "description": "d" }));
    let secret = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let name = format!("a rather long title that goes on {secret} <private>salary</private> end");
    for (tool, arguments) in [
        ("archive_decision", json!({ "id": name, "reason": "r" })),
        ("get_decision", json!({ "id_or_slug": name })),
        ("get_memory", json!({ "slug": name })),
        ("archive_memory", json!({ "slug": name, "reason": "r" })),
        ("archive_memory", json!({ "slug": "keep", "reason": "r", "superseded_by": name })),
        ("merge_memories", json!({ "into": name, "from": ["keep"] })),
        ("merge_memories", json!({ "into": "keep", "from": [name] })),
        ("save_memory", json!({ "type": "pattern", "title": "A", "description": "d", "supersedes": [name] })),
        (
            "save_decision",
            json!({ "title": "A", "decision": "d", "reasoning": "r", "supersedes": [name], "scope": [name] }),
        ),
        ("backlog", json!({ "id": name })),
        ("backlog_update", json!({ "id": name, "notes": "n" })),
        ("answer_question", json!({ "question_id": name, "answer": "a" })),
        ("update_question", json!({ "question_id": name, "status": "applied" })),
        ("context", json!({ "project_path": name })),
        ("workspace", json!({ "path": name })),
        (
            "finalize_close",
            json!({
                "memories": [{ "action": "remove", "slug": name, "reason": "r" }], "decisions": [{ "action": "remove", "id": name, "reason": "r" }],
                "stopped_at": "a", "summary": "s", "in_progress": "i", "next_steps": "n", "worklog_entry": "w", "startup_text": "t",
            }),
        ),
    ] {
        let said = client.call(tool, arguments);
        let all = format!("{} {}", said.text, said.data);
        assert!(all.contains("[redacted:"), "{tool}: {all}");
        assert!(!all.contains(&secret[..12]) && !all.contains("salary"), "{tool}: {all}");
    }
}

#[test]
fn a_rule_that_one_store_did_not_take_is_kept_only_in_part() {
    let machine = Machine::with_workspace();
    let rules = machine.project().join("web/.ai/policies/safety.yaml");
    std::fs::create_dir_all(rules.parent().unwrap()).unwrap();
    std::fs::write(&rules, "deny: [\n").unwrap();
    let mut client = machine.serve();
    let rule = json!({ "rule_type": "bash_deny", "value": "terraform destroy", "scope": ["web", "api"] });
    let (items, data) = close(&mut client, &json!({ "safety_rules": [rule] }));
    assert!(
        items[0].starts_with(
            "safety_rules[0]: KEPT ONLY IN PART: bash_deny added: terraform destroy · repo (api)\nNote: web did not take it: "
        ),
        "{}",
        items[0]
    );
    assert_eq!((&data["failed"], &data["items"][0]["in_part"]), (&json!(1), &json!(true)));
    let added = client.call(
        "update_safety",
        json!({ "rule_type": "bash_deny", "value": "make deploy", "scope": ["web", "api"] }),
    );
    assert_eq!(added.data["added"][0]["refused"], json!(["web"]));
}
