//! A session at the root of a workspace: what its repos know, what waits in them and what is wrong there is not passed over.

use std::fs;

use serde_json::{Value, json};

use crate::client::{Client, Machine, make_repo};

/// A workspace of which a session has kept a decision for `api` and nothing else.
fn with_a_decision_of_api() -> (Machine, Client) {
    let machine = Machine::with_workspace();
    let mut client = machine.serve();
    client.told("save_decision", decision("Of api", "api"));
    (machine, client)
}

fn decision(title: &str, scope: &str) -> Value {
    json!({ "title": title, "decision": "d", "reasoning": "r", "scope": [scope] })
}

fn memory(title: &str, scope: &str) -> Value {
    json!({ "type": "pattern", "title": title, "description": "d", "scope": [scope] })
}

/// Puts a file that cannot be read, and two with one id, into the base of `api`.
fn damage_api(machine: &Machine) {
    let decisions = machine.project().join("api/.ai/decisions");
    fs::create_dir_all(&decisions).unwrap();
    fs::write(decisions.join("D-002-odd.md"), [0xff, 0xfe, 0x00, 0xd8]).unwrap();
    for (slug, day) in [("a", 11), ("b", 12)] {
        let fields =
            format!("id: D-003\nslug: {slug}\ntitle: Title {slug}\ndate: 2026-11-{day}\nsource: session");
        let text = format!(
            "---\n{fields}\nenforce: advisory\nstatus: active\n---\n\n# Title {slug}\n\nText {slug}.\n"
        );
        fs::write(decisions.join(format!("D-003-{slug}.md")), text).unwrap();
    }
}

#[test]
fn the_doctor_looks_through_the_repos_as_well() {
    let (machine, mut client) = with_a_decision_of_api();
    damage_api(&machine);
    let said = client.call("kb_doctor", json!({}));
    let found: Vec<_> = said.data["findings"].as_array().unwrap().iter().collect();
    let told: Vec<String> = found
        .iter()
        .map(|found| format!("{} {} {}", found["store"], found["file"], found["fixable"]))
        .collect();
    assert_eq!(
        told,
        [r#""api" "decisions/D-002-odd.md" false"#, r#""api" "decisions/D-003-b.md" true"#],
        "{}",
        said.text
    );
    assert!(said.text.starts_with("2 found, 2 left; fix: true repairs 1 of them."), "{}", said.text);
    let status = client.told("status", json!({}));
    assert!(status.ends_with("1 file cannot be read: `kb_doctor` says which and why."), "{status}");
    let doctor = machine.run(&["doctor"]);
    assert!(
        doctor.contains("BAD  knowledge      api: decisions/D-002-odd.md:1 is not valid UTF-8"),
        "{doctor}"
    );
    // The base was begun here, so that it is repaired from here.
    let fixed = client.call("kb_doctor", json!({ "fix": true }));
    assert_eq!((&fixed.data["left"], &fixed.data["fixable"]), (&json!(1), &json!(0)), "{}", fixed.text);
    assert!(machine.project().join("api/.ai/decisions/D-004-b.md").is_file());
}

#[test]
fn a_clone_in_the_workspace_is_repaired_only_where_somebody_asks_for_it() {
    let machine = Machine::with_workspace();
    damage_api(&machine);
    let mut client = machine.serve();
    let said = client.call("kb_doctor", json!({ "fix": true }));
    let next = "custos kb doctor --fix --project 'api'";
    let line = said.text.lines().find(|line| line.contains("D-003-b.md")).unwrap();
    assert!(line.starts_with("- [by hand] repo (api) ") && line.ends_with(next), "{line}");
    assert_eq!(said.data["fixable"], 0);
    let before = fs::read(machine.project().join("api/.ai/decisions/D-003-b.md")).unwrap();
    assert!(String::from_utf8(before).unwrap().contains("D-003"));
    machine.run(&["kb", "doctor", "--fix", "--project", "api"]);
    assert!(!machine.project().join("api/.ai/decisions/D-003-b.md").exists());
}

#[test]
fn a_base_whose_repos_know_something_is_not_called_empty() {
    let (machine, mut client) = with_a_decision_of_api();
    client.told("save_memory", memory("Of web", "web"));
    assert_eq!(
        client.told("decisions", json!({})),
        "No decision is kept for the whole workspace yet.\n\nIn the repos: api has 1 more. Send a repo's name as `project_path` to see them."
    );
    assert_eq!(
        client.told("memories", json!({})),
        "No memory is kept for the whole workspace yet.\n\nIn the repos: web has 1 more. Send a repo's name as `project_path` to see them."
    );
    assert_eq!(client.call("memories", json!({})).data["in_repos"], json!([{ "repo": "web", "count": 1 }]));
    let context = client.told("context", json!({}));
    let (_, next) = context.split_once("# Next\n\n").unwrap();
    assert_eq!(
        next,
        "For the whole workspace no decisions or lessons are kept yet.\nRepos with knowledge of their own: api, web. Before you work in one, call `decisions`, `memories` and `oracle` with its name as `project_path`."
    );
    // A person is told the same in commands.
    let typed = machine.run(&["decisions"]);
    assert!(typed.trim_end().ends_with("Send a repo's name as `--project` to see them."), "{typed}");
    client.told("save_decision", decision("Of all", "all"));
    let told = client.told("decisions", json!({}));
    assert!(
        told.ends_with("\n\nIn the repos: api has 1 more. Send a repo's name as `project_path` to see them.")
    );
}

#[test]
fn the_checklist_names_what_was_kept_for_the_repos() {
    let (_machine, mut client) = with_a_decision_of_api();
    client.initialize("2025-06-18", "codex-mcp-client");
    let mut call = |tool: &str, arguments: Value| {
        let params = json!({ "name": tool, "arguments": arguments, "_meta": { "sessionId": "now" } });
        client.ask("tools/call", &params)["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    };
    call("save_decision", decision("Of web", "web"));
    call("save_memory", memory("Of all", "all"));
    call("save_memory", memory("Of both", "api"));
    let lists = |text: &str| text.split_once("## Saved in this session already\n\n").unwrap().1.to_owned();
    assert_eq!(
        lists(&call("begin_close", json!({}))),
        "- web:D-001 Of web\n- of-all Of all\n- api:of-both Of both\n\n## Known before (the newest)\n\n- api:D-001 Of api\n"
    );
    // From a repo its own items need no name, and the other repos are there as well.
    let of_api = call("begin_close", json!({ "project_path": "api" }));
    assert_eq!(
        lists(&of_api),
        "- web:D-001 Of web\n- of-both Of both\n- of-all (workspace) Of all\n\n## Known before (the newest)\n\n- D-001 Of api\n"
    );
    assert!(of_api.contains("(repos here: api, web)"), "{of_api}");
}

#[test]
fn tasks_of_the_workspace_are_not_told_again_and_never_without_their_level() {
    let machine = Machine::with_workspace();
    let mut client = machine.serve();
    let task = |title: &str, scope: &str| json!({ "title": title, "description": "d", "scope": [scope] });
    client.told("backlog_add", task("Of all", "all"));
    client.told("backlog_update", json!({ "id": "workspace:B-001", "status": "in-progress" }));
    client.told("backlog_add", task("Of api", "api"));
    client.told("backlog_update", json!({ "id": "api:B-001", "status": "in-progress" }));
    let backlog = |client: &mut Client| {
        let context = client.told("context", json!({ "project_path": "api" }));
        let (_, from) = context.split_once("# Backlog: ").unwrap();
        from.split_once("\n\n# Next").unwrap().0.to_owned()
    };
    assert_eq!(
        backlog(&mut client),
        "2 in progress, 0 open, 0 blocked (`backlog`)\n\n- B-001 Of api\n- B-001 (workspace) Of all"
    );
    client.told("context", json!({}));
    assert_eq!(backlog(&mut client), "1 in progress, 0 open, 0 blocked (`backlog`)\n\n- B-001 Of api");
}

#[test]
fn an_answered_question_of_a_repo_is_announced() {
    let machine = Machine::with_workspace();
    let mut client = machine.serve();
    client.told("ask_question", json!({ "question": "Which port?", "project_path": "api" }));
    client.told("answer_question", json!({ "question_id": "api:Q-001", "answer": "80" }));
    let context = client.told("context", json!({}));
    assert!(context.contains("In the repos: api has 1 more."), "{context}");
}

#[test]
fn a_filter_that_nothing_passes_is_not_an_empty_base() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.told("backlog_add", json!({ "title": "Paint", "description": "d" }));
    client.told("save_memory", json!({ "type": "feedback", "title": "Short lines", "description": "d" }));
    client.told("save_plan", json!({ "title": "Paint it", "steps": ["one"] }));
    for (tool, filter, said) in [
        (
            "backlog",
            json!({ "status": "done" }),
            "No task has the status done. Others: 1 (`backlog` without status shows what is not done).",
        ),
        (
            "memories",
            json!({ "type": "pattern" }),
            "No memory has the type pattern. Others: 1 (`memories` without type shows them).",
        ),
        (
            "plans",
            json!({ "status": "done" }),
            "No plan has the status done. Others: 1 (`plans` without status shows them).",
        ),
    ] {
        assert_eq!(client.told(tool, filter), said);
    }
    assert_eq!(
        machine.run(&["memories", "list", "--type", "pattern"]),
        "No memory has the type pattern. Others: 1 (`custos memories` without type shows them).\n"
    );
}

#[test]
fn questions_of_the_workspace_are_told_once() {
    let machine = Machine::with_workspace();
    let mut client = machine.serve();
    client.told("ask_question", json!({ "question": "Which cloud?" }));
    client.told("ask_question", json!({ "question": "Which port?", "project_path": "api" }));
    client.close();
    let mut client = machine.serve();
    let mut questions = |project: &str| {
        let context = client.told("context", json!({ "project_path": project }));
        let (_, from) = context.split_once("# Questions: ").unwrap_or_default();
        from.split_once("\n\n# Next").unwrap_or_default().0.to_owned()
    };
    assert_eq!(
        questions("api"),
        "2 open, 0 answered and to be applied (`list_open_questions`)\n\n- Q-001 [open] Which port?\n- Q-001 (workspace) [open] Which cloud?"
    );
    assert_eq!(questions("web"), "");
    assert_eq!(
        questions("api"),
        "1 open, 0 answered and to be applied (`list_open_questions`)\n\n- Q-001 [open] Which port?"
    );
}

#[test]
fn the_checklist_knows_what_the_connection_saved_where_nobody_knows_the_session() {
    let (_machine, mut client) = with_a_decision_of_api();
    client.told("save_memory", memory("Of all", "all"));
    let said = client.call("begin_close", json!({}));
    let (_, lists) = said.text.split_once("## Saved in this session already\n\n").unwrap();
    assert_eq!(lists, "- api:D-001 Of api\n- of-all Of all\n\n## Known before (the newest)\n\nnothing yet\n");
    assert_eq!(said.data["saved_in_this_session"], 2);
}

#[test]
fn the_worklog_points_at_the_repos_and_shows_what_the_session_did_in_them() {
    let (machine, mut client) = with_a_decision_of_api();
    let line = |how: &str| {
        format!(
            "None yet.\n\nThere are events of repos as well: api. Send a repo's name as `{how}` to see them."
        )
    };
    let said = client.call("worklog", json!({}));
    assert!(said.text.ends_with(&line("project_path")), "{}", said.text);
    assert_eq!(said.data["repos_with_events"], json!(["api"]));
    let typed = machine.run(&["worklog"]);
    assert!(typed.trim_end().ends_with(&line("--project")), "{typed}");
    for limit in [json!(0), json!(-5), json!("0")] {
        assert_eq!(
            client.refused("worklog", json!({ "limit": limit })),
            "worklog: limit should be a whole number, 1 or more. Send it again with everything in one go."
        );
    }
    client.initialize("2025-06-18", "codex-mcp-client");
    let mut call = |tool: &str, arguments: Value| {
        let params = json!({ "name": tool, "arguments": arguments, "_meta": { "sessionId": "now" } });
        client.ask("tools/call", &params)["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    };
    call("save_decision", decision("Of web", "web"));
    call("save_memory", memory("Of mine", "user"));
    let worklog = call("worklog", json!({}));
    assert!(worklog.contains("Of web") && worklog.contains("Of mine"), "{worklog}");
    let of_api = call("worklog", json!({ "project_path": "api" }));
    assert!(of_api.contains("Of api") && !of_api.contains("Of web"), "{of_api}");
}

#[test]
fn one_repo_is_told_with_whether_it_has_a_base() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let said = client.call("workspace", json!({}));
    assert_eq!(machine.anywhere(&said.text), "HOME/shop is one repo. It has no knowledge base yet.");
    assert_eq!(said.data["has_knowledge"], false);
    client.told("save_memory", memory("Of all", "all"));
    let said = client.call("workspace", json!({}));
    assert_eq!(machine.anywhere(&said.text), "HOME/shop is one repo. It has a knowledge base.");
    assert_eq!(said.data["has_knowledge"], true);
}

#[test]
fn a_workspace_of_many_repos_is_listed_in_pages() {
    let machine = Machine::with_repo();
    fs::remove_dir_all(machine.project().join(".git")).unwrap();
    let name = |number: usize| format!("a-repo-with-quite-a-long-name-of-its-own-{number:03}");
    for number in 0..400 {
        make_repo(&machine.project().join(name(number)));
    }
    let mut client = machine.serve();
    let mut names = Vec::new();
    for page in 1.. {
        let said = client.call("workspace", json!({ "page": page }));
        assert!(said.text.len() <= 20_000, "{}", said.text.len());
        assert_eq!(said.data["total"], 400);
        names.extend(said.data["repos"].as_array().unwrap().iter().map(|repo| repo["name"].clone()));
        if said.data["pages"] == page {
            break;
        }
    }
    assert_eq!(names, (0..400).map(|number| json!(name(number))).collect::<Vec<_>>());
    let typed: Value = serde_json::from_str(&machine.run(&["kb", "workspace", "--json"])).unwrap();
    assert_eq!((typed["repos"].as_array().unwrap().len(), &typed["pages"]), (400, &Value::Null));
}

#[test]
fn rules_that_cannot_be_read_are_no_file_that_can() {
    let (machine, mut client) = with_a_decision_of_api();
    assert!(client.told("status", json!({})).ends_with("Every file can be read."));
    machine.put("policies/safety.yaml", "deny: [unclosed\n");
    fs::write(machine.project().join("api/.ai/config.yaml"), "a: [\n").unwrap();
    let said = client.call("status", json!({}));
    assert!(said.text.ends_with("1 file cannot be read: `kb_doctor` says which and why."), "{}", said.text);
    let files = |list: &Value| -> Vec<String> {
        let all = list.as_array().unwrap().iter();
        all.map(|one| one["file"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(files(&said.data["faults"]), ["policies/safety.yaml"]);
    // What the repos go by is looked at where one asks for it: by the doctor, and by the status of the repo.
    let doctor = client.call("kb_doctor", json!({}));
    assert_eq!(files(&doctor.data["findings"]), [".gitignore", "policies/safety.yaml", "config.yaml"]);
    let of_api = client.call("status", json!({ "project_path": "api" }));
    assert_eq!(files(&of_api.data["faults"]), ["config.yaml", "policies/safety.yaml"]);
}

#[test]
fn a_question_is_told_with_its_store_and_with_the_answer_that_is_there() {
    let machine = Machine::with_workspace();
    let mut client = machine.serve();
    let ask = |question: &str| json!({ "question": question, "project_path": "api" });
    assert_eq!(
        client.told("ask_question", ask("Which port?")),
        "Q-001 is open: Which port? · repo (api) · questions.md"
    );
    client.told("answer_question", json!({ "question_id": "api:Q-001", "answer": "8080, as\nbefore" }));
    assert_eq!(
        client.told("ask_question", ask("which PORT?")),
        "Q-002 is open: which PORT? · repo (api) · questions.md\nNote: Q-001 asked the same and is answered: 8080, as\\nbefore."
    );
}

#[test]
fn what_is_said_of_a_scope_stands_with_the_store_that_it_led_to() {
    let machine = Machine::with_workspace();
    let mut client = machine.serve();
    let note = "Scope \"nope\" is not known (the repos here are api, web), so this went to shop";
    let decision = json!({ "title": "Use UTC", "decision": "d", "reasoning": "r" });
    let calls = [
        ("save_decision", decision, "saved", "D-001 saved: Use UTC · PLACE · decisions/D-001-use-utc.md"),
        (
            "save_memory",
            json!({ "type": "pattern", "title": "Ask", "description": "d" }),
            "saved",
            "ask saved: Ask · PLACE · memory/patterns/ask.md",
        ),
        (
            "backlog_add",
            json!({ "title": "Paint it", "description": "d" }),
            "saved",
            "B-001 [open, medium] Paint it · PLACE · backlog/B-001-paint-it.md",
        ),
        (
            "update_safety",
            json!({ "rule_type": "bash_deny", "value": "make deploy" }),
            "added",
            "bash_deny added: make deploy · PLACE",
        ),
    ];
    for (tool, mut arguments, list, line) in calls {
        arguments["scope"] = json!(["api", "nope"]);
        let said = client.call(tool, arguments);
        let [api, shop] = ["repo (api)", "workspace (shop)"].map(|place| line.replace("PLACE", place));
        assert_eq!(said.text, format!("{api}\n{shop}\nNote: {note}."), "{tool}");
        let notes: Vec<&Value> =
            said.data[list].as_array().unwrap().iter().map(|saved| &saved["notes"]).collect();
        assert_eq!(notes, [&json!([]), &json!([note])], "{tool}");
    }
    assert!(client.close().success());
}
