//! How a session begins and ends: what `context` shows of which project, and what `finalize_close` makes of what it gets.

use std::fs;

use serde_json::{Value, json};

use crate::client::{Client, Machine, make_repo};
use crate::recall::{append, identity};

/// The least that closes a session, with more of it.
fn close(more: Value) -> Value {
    let mut close = json!({
        "stopped_at": "here", "summary": "s", "in_progress": "nothing", "next_steps": "n", "worklog_entry": "w", "startup_text": "Go on",
    });
    let Value::Object(more) = more else { panic!("a test sends an object") };
    close.as_object_mut().unwrap().extend(more);
    close
}

fn required(client: &mut Client, title: &str, scope: &[&str]) {
    client.told(
        "save_decision",
        json!({ "title": title, "decision": "d", "reasoning": "r", "enforce": "required", "scope": scope }),
    );
}

#[test]
fn the_doctor_of_the_machine_names_the_server_that_runs() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.told("context", json!({}));
    let doctor = machine.run(&["doctor"]);
    let line = doctor.lines().find(|line| line.contains(" servers ")).unwrap_or(&doctor);
    assert!(machine.anywhere(line).ends_with("in HOME/shop, started a moment ago"), "{line}");
}

#[test]
fn the_context_of_another_project_is_its_own() {
    let machine = Machine::with_repo();
    let other = machine.home.path().join("other");
    make_repo(&other);
    let mut client = machine.serve_in(&other);
    client.told("finalize_close", close(json!({ "startup_text": "Go on with the other" })));
    client.close();
    let mut client = machine.serve();
    client.told("context", json!({}));
    // Also the second time: a client that has forgotten it asks again.
    for _ in 0..2 {
        let context = client.told("context", json!({ "project_path": other }));
        assert!(context.starts_with("# Handoff of the last session"), "{context}");
        assert!(context.contains("**Startup text:** Go on with the other\n"), "{context}");
        assert!(!context.contains("The knowledge base is empty"), "{context}");
    }
}

#[test]
fn what_holds_for_a_workspace_is_told_once() {
    let machine = Machine::with_workspace();
    let mut client = machine.serve();
    required(&mut client, "Of the workspace", &[]);
    required(&mut client, "Of the repo", &["api"]);
    required(&mut client, "Of the person", &["user"]);
    client.told("update_safety", json!({ "rule_type": "bash_deny", "value": "terraform destroy" }));
    client
        .told("update_safety", json!({ "rule_type": "bash_deny", "value": "helm delete", "scope": ["api"] }));
    let everything =
        ["Of the workspace", "Of the repo", "Of the person", "terraform destroy", "helm delete", "main"];
    let shown =
        |context: &str| everything.iter().copied().filter(|word| context.contains(*word)).collect::<Vec<_>>();
    // A connection that begins with the repo gets it all.
    let first = client.told("context", json!({ "project_path": "api" }));
    assert_eq!(shown(&first), everything);
    let second = client.told("context", json!({ "project_path": "api" }));
    assert_eq!(shown(&second), ["Of the repo", "helm delete"], "{second}");
    assert!(second.contains("`context` without project_path tells it again"), "{second}");
    let whole = client.told("context", json!({}));
    assert_eq!(shown(&whole), ["Of the workspace", "Of the person", "terraform destroy", "main"]);
}

#[test]
fn what_changed_in_a_workspace_since_it_was_told_is_told_again() {
    let machine = Machine::with_workspace();
    let (mut one, mut other) = (machine.serve(), machine.serve());
    required(&mut one, "Known before", &[]);
    one.told("context", json!({}));
    required(&mut other, "Never on a Friday", &[]);
    other.told("update_safety", json!({ "rule_type": "bash_deny", "value": "make nuke" }));
    let in_repo = |client: &mut Client| client.told("context", json!({ "project_path": "api" }));
    let first = in_repo(&mut one);
    for words in ["Never on a Friday", "deny make nuke", "was told before, but for what changed since; "] {
        assert!(first.contains(words), "{words}: {first}");
    }
    assert!(!first.contains("# No handoff"), "{first}");
    let second = in_repo(&mut one);
    assert!(second.contains("was told before; `context` without project_path tells it again"), "{second}");
    assert!(!second.contains("Never on a Friday") && !second.contains("make nuke"), "{second}");
    other.told("ask_question", json!({ "question": "Which region?" }));
    let third = in_repo(&mut one);
    assert!(third.contains("Which region?") && !third.contains("Never on a Friday"), "{third}");
    // What another repo has is its own affair.
    let of_web = json!({ "title": "In web", "description": "d", "scope": ["web"] });
    other.told("backlog_add", of_web);
    let fourth = in_repo(&mut one);
    assert!(fourth.contains("was told before; `context`"), "{fourth}");
}

#[test]
fn a_context_stays_short_and_every_part_of_it_is_seen() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    for number in 0..20 {
        let steps: Vec<String> =
            (0..30).map(|step| format!("step {step} {}", "and so on ".repeat(60))).collect();
        client.told("save_plan", json!({ "title": format!("Plan number {number}"), "steps": steps }));
        client.told("ask_question", json!({ "question": format!("Question number {number}?") }));
        required(&mut client, &format!("Required number {number}"), &[]);
    }
    for number in 0..40 {
        client.told(
            "update_safety",
            json!({ "rule_type": "git_protected_branch", "value": format!("release-of-some-product-{number}") }),
        );
    }
    client.told("update_safety", json!({ "rule_type": "bash_deny", "value": "terraform destroy" }));
    client.told(
        "finalize_close",
        close(json!({ "startup_text": "Go on. ".repeat(4_000), "next_steps": "The tests come next", "worklog_entry": "line\n".repeat(800) })),
    );
    client.close();
    let context = machine.serve().told("context", json!({}));
    assert!(context.chars().count() <= 12_000, "{}", context.chars().count());
    for words in [
        "**Next steps:** The tests come next\n",
        "(shortened; .ai/local/handoffs/",
        "# Active plans (3 of 20; `plans` shows all)",
        "(shortened; .ai/local/worklog.md has all of it)",
        "and 34 more (`safety`)",
        "deny terraform destroy",
        "- and 10 more (`decisions`)",
        "Question number 19?",
        "# Next",
    ] {
        assert!(context.contains(words), "{words}: {context}");
    }
}

#[test]
fn whatever_is_wrong_with_a_list_the_handoff_is_written() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let decision = json!({ "title": "Use UTC", "decision": "d", "reasoning": "r" });
    client.told("save_decision", decision.clone());
    let mut dropped = decision.clone();
    dropped["action"] = json!("drop");
    let said = client.call(
        "finalize_close",
        close(json!({
            "memories": "not json",
            "decisions": [
                dropped,
                { "action": "Remove", "id": "D-001", "reason": "over" },
                { "title": "The pipeline deploys", "decision": "d", "reasoning": "r", "enforce": "required",
                  "guard": { "command": "terraform apply", "must_block": ["terraform apply -auto-approve"], "must_allow": ["terraform plan"] } },
                { "title": "Half" },
            ],
            "safety_rules": 7,
            "startup_text": "The token is ghp_0123456789abcdefghijABCDEFGHIJ012345",
        })),
    );
    let items: Vec<(&str, bool)> = said.data["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["item"].as_str().unwrap(), item["ok"].as_bool().unwrap()))
        .collect();
    assert_eq!(
        items,
        [
            ("memories[0]", false),
            ("decisions[0]", false),
            ("decisions[1]", true),
            ("decisions[2]", true),
            ("decisions[3]", false),
            ("safety_rules[0]", false),
            ("worklog", true),
            ("handoff", true),
        ]
    );
    for words in [
        "memories[0] should be an object with named fields",
        "decisions[0]: action should be one of add, remove",
        "decisions[1]: kept: D-001 archived: Use UTC · repo (shop) · archive/decisions/D-001-use-utc.md",
        "Send it whole with `save_decision`",
    ] {
        assert!(said.text.contains(words), "{words}: {}", said.text);
    }
    assert!(!said.text.contains("everything in one go"), "{}", said.text);
    assert!(!said.text.contains("ghp_") && !said.data.to_string().contains("ghp_"), "{}", said.text);
    assert!(machine.read("decisions/D-002-the-pipeline-deploys.md").contains("terraform apply"));
}

#[test]
fn a_handoff_is_written_in_whatever_form_its_parts_were_sent() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let said = client.call(
        "finalize_close",
        close(json!({
            "memories": [{ "type": "pattern", "title": "Ids are UUIDs", "description": "d" }],
            "prs": [{ "url": "u", "title": "t", "status": "open" }],
            "test_results": { "passed": 12, "failed": 0 },
            "next_steps": ["one", { "step": "two" }],
        })),
    );
    assert_eq!((said.is_error, &said.data["failed"]), (false, &json!(0)), "{}", said.text);
    let handoff = client.told("context", json!({}));
    for words in ["- status: open, title: t, url: u\n", "- failed: 0\n- passed: 12\n", "one\n- step: two\n"] {
        assert!(handoff.contains(words), "{words}: {handoff}");
    }
}

#[test]
fn what_plans_answers_can_be_sent_back() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.told("save_plan", json!({ "title": "A plan", "steps": ["[x] one", "two"] }));
    let steps = client.call("plans", json!({})).data["plans"][0]["steps"].clone();
    let again = client.call("save_plan", json!({ "title": "A plan", "steps": steps }));
    assert!(!again.is_error, "{}", again.text);
    assert_eq!(client.call("plans", json!({})).data["plans"][0]["steps"], steps);
}

#[test]
fn labels_may_come_in_one_text() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.told("backlog_add", json!({ "title": "T", "description": "d", "tags": "ui, slow" }));
    assert_eq!(client.call("backlog", json!({})).data["tasks"][0]["tags"], json!(["ui", "slow"]));
    let memory = json!({ "type": "pattern", "title": "Ids", "description": "d", "keywords": "ids, api" });
    client.told("finalize_close", close(json!({ "memories": [memory] })));
    assert!(machine.read("memory/patterns/ids.md").contains("keywords: [ids, api]\n"));
}

#[test]
fn a_directory_that_is_not_there_is_asked_for_by_no_other_name() {
    let said = Machine::with_repo().serve().call("workspace", json!({ "path": "/nope" }));
    assert_eq!(
        said.text,
        "there is no directory /nope. Send the absolute path of a project or the name of a repo in the workspace, or leave it out for the one of this session; `workspace` lists the repos"
    );
}

#[test]
fn a_close_tells_what_became_of_the_handoff() {
    let machine = Machine::with_repo();
    // Written under a clock that is an hour ahead.
    let later = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1);
    machine.put(
        "local/handoffs/from-another-clock.md",
        format!(
            "---\ndate: {later:.0}\nsource: agent\n---\n\n# Handoff\n\n## Summary\n\nFrom another clock.\n"
        ),
    );
    let said =
        machine.serve().call("finalize_close", close(json!({ "startup_text": "Go on. ".repeat(4_000) })));
    assert!(
        said.text.contains("Note: It is kept, but the next session begins with another one"),
        "{}",
        said.text
    );
    assert!(said.text.chars().count() < 6_000, "{}", said.text.chars().count());
    assert!(said.text.ends_with("(shortened; the handoff has all of it)"), "{}", said.text);
}

#[cfg(unix)]
#[test]
fn a_rule_that_one_store_refuses_is_in_force_in_the_others() {
    let machine = Machine::with_workspace();
    let elsewhere = machine.home.path().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, machine.project().join("web/.ai")).unwrap();
    let mut client = machine.serve();
    let rule =
        |scope: &[&str]| json!({ "rule_type": "bash_deny", "value": "terraform destroy", "scope": scope });
    let text = client.told("update_safety", rule(&["web", "api"]));
    assert!(
        text.contains("bash_deny added: terraform destroy · repo (api)\nNote: web did not take it: "),
        "{text}"
    );
    assert!(client.told("safety", json!({ "project_path": "api" })).contains("terraform destroy"));
    client.refused("update_safety", rule(&["web"]));
}

/// Says in the log that sessions began and ended, each at a minute of an hour.
fn lived(machine: &Machine, sessions: &[(&str, &str, u32)]) {
    let project = identity(machine);
    let event = |(session, kind, minute): &(&str, &str, u32)| {
        json!({
            "kind": format!("session.{kind}"), "scope": "project", "project": project, "session": session,
            "ts": format!("2026-11-10T08:{minute:02}:00.000Z"), "body": {},
        })
    };
    append(machine, &sessions.iter().map(event).collect::<Vec<_>>());
}

#[test]
fn sessions_that_ended_without_a_close_are_counted() {
    let machine = Machine::with_repo();
    let pending = |machine: &Machine| {
        let context = machine.serve().told("context", json!({}));
        context.lines().find(|line| line.contains("or an audit")).map(str::to_owned)
    };
    assert_eq!(pending(&machine), None);
    // One went on after it had ended, one never ended.
    lived(
        &machine,
        &[
            ("a", "started", 1),
            ("a", "ended", 2),
            ("b", "started", 3),
            ("b", "ended", 4),
            ("b", "started", 5),
            ("c", "started", 6),
        ],
    );
    let what = "without a close or an audit; `worklog` shows what happened.";
    assert_eq!(pending(&machine), Some(format!("1 session ended {what}")));
    let handoff = |minute: u32, session: &str| {
        let front = format!("date: 2026-11-10T08:{minute:02}:00Z\n{session}source: agent");
        format!("---\n{front}\n---\n\n# Handoff\n\n## Stopped at\n\nhere\n")
    };
    machine.put("local/handoffs/20261110T080700Z-c.md", handoff(7, "session: c\n"));
    assert_eq!(pending(&machine), None);
    // The one that took leave ended afterwards, as it should.
    lived(&machine, &[("c", "ended", 8), ("d", "interrupted", 9), ("e", "started", 10), ("e", "ended", 11)]);
    assert_eq!(pending(&machine), Some(format!("2 sessions ended since then {what}")));
    // One that took leave without its name was at work before that.
    machine.put("local/handoffs/20261110T080900Z-unknown.md", handoff(9, ""));
    lived(&machine, &[("d", "ended", 12)]);
    assert_eq!(pending(&machine), Some(format!("1 session ended since then {what}")));
}

#[test]
fn sessions_that_closed_in_another_checkout_are_not_counted() {
    let machine = Machine::with_repo();
    let pending = |machine: &Machine| {
        let context = machine.serve().told("context", json!({}));
        context.lines().find(|line| line.contains("or an audit")).map(str::to_owned)
    };
    lived(&machine, &[("a/1", "started", 1), ("a/1", "ended", 2), ("b", "started", 3), ("b", "ended", 4)]);
    let what = "without a close or an audit; `worklog` shows what happened.";
    assert_eq!(pending(&machine), Some(format!("2 sessions ended {what}")));
    let saved = |project: String, item: &str, id: Value| {
        let body = json!({ "item": item, "id": id, "title": "\"handoff\"", "closed": true });
        json!({ "kind": "knowledge.saved", "scope": "project", "project": project, "ts": "2026-11-10T08:01:30.000Z", "body": body })
    };
    let here = identity(&machine);
    append(
        &machine,
        &[
            saved(here.clone(), "decision", json!("b")),
            saved(here.clone(), "handoff", json!(null)),
            saved("elsewhere".to_owned(), "handoff", json!("b")),
        ],
    );
    assert_eq!(pending(&machine), Some(format!("2 sessions ended {what}")));
    append(&machine, &[saved(here, "handoff", json!("a-1"))]);
    assert_eq!(pending(&machine), Some(format!("1 session ended {what}")));
}

#[test]
fn a_context_is_one_page_in_every_script() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let words = "先读这个文件再继续。".repeat(500);
    for number in 0..12 {
        let title = format!("第{number}条决定：{}", &words[..240]);
        client.told(
            "save_decision",
            json!({ "title": title, "decision": "d", "reasoning": "r", "enforce": "required" }),
        );
        client.told("ask_question", json!({ "question": format!("第{number}个问题：{}", &words[..240]) }));
        client.told("save_plan", json!({ "title": title, "steps": [&words[..600], &words[..900]] }));
    }
    client.told(
        "finalize_close",
        close(json!({ "summary": words, "startup_text": words, "worklog_entry": words })),
    );
    let said = client.call("context", json!({}));
    assert!(said.text.len() > 15_000 && said.text.len() <= 20_000, "{}", said.text.len());
    assert_eq!(said.data["text"], json!(said.text));
    for part in ["# Handoff", "# Active plans", "# Required decisions", "# Questions", "# Next"] {
        assert!(said.text.contains(part), "{part}: {}", said.text);
    }
}
