//! What must survive: titles of every kind, files of every kind, and clients of every kind.

use rstest::rstest;
use serde_json::json;

use crate::client::{Machine, make_repo};

fn decision(title: &str) -> serde_json::Value {
    json!({ "title": title, "decision": "What was decided.", "reasoning": "Why." })
}

#[rstest]
#[case::cyrillic("Хранить время в UTC")]
#[case::chinese("所有时间使用协调世界时")]
#[case::arabic("تخزين كل الأوقات بالتوقيت العالمي")]
#[case::emoji("🚀🔥")]
#[case::digits("12345")]
#[case::quotes(r#"Use "UTC" and 'Z', `always`"#)]
#[case::dashes("--- not: the end # of anything")]
#[case::colons("time: UTC: {always}: [yes]")]
#[case::null("null")]
#[case::date("2026-11-15")]
fn titles_survive(#[case] title: &str) {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let saved = client.call("save_decision", decision(title));
    assert_eq!(
        (saved.data["id"].as_str(), saved.data["saved"][0]["title"].as_str()),
        (Some("D-001"), Some(title))
    );
    let memory = client.call("save_memory", json!({ "type": "pattern", "title": title, "description": "d" }));
    assert_eq!(memory.data["saved"][0]["title"].as_str(), Some(title));
    client.close();
    // Another process reads what is on the disk.
    let mut client = machine.serve();
    assert_eq!(
        client.call("get_decision", json!({ "id_or_slug": "D-001" })).data["title"].as_str(),
        Some(title)
    );
    let slug = memory.data["slug"].as_str().unwrap();
    assert!(
        slug.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
        "{slug}"
    );
    assert_eq!(client.call("get_memory", json!({ "slug": slug })).data["title"].as_str(), Some(title));
    assert!(client.told("decisions", json!({})).contains(title));
    assert!(client.close().success());
}

#[test]
fn titles_that_cannot_stay_as_they_are_become_one_line() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let title = |said: crate::client::Said| said.data["saved"][0]["title"].as_str().unwrap().to_owned();
    assert_eq!(title(client.call("save_decision", decision("One\nline\r\n\tof it"))), "One line of it");
    let long = client.call("save_decision", decision(&"very long ".repeat(1_000)));
    assert!(long.text.contains("The title was shortened"), "{}", long.text);
    assert!(title(long).chars().count() <= 201);
    let leaked = "Use UTC</parameter>\n<parameter name=\"decision\">something else";
    assert_eq!(title(client.call("save_decision", decision(leaked))), "Use UTC");
    assert!(client.refused("save_decision", decision(" \n ")).contains("title is missing"));
    assert_eq!(machine.list("decisions").len(), 3);
}

#[test]
fn arguments_that_leaked_into_each_other_are_put_back() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let leaked = "Do X.</description>\n<parameter name=\"body\">Details that matter a lot";
    let memory = json!({ "type": "feedback", "title": "Leak one", "description": leaked });
    let said = client.call("save_memory", memory);
    let note = "body had leaked into description as markup, and was taken from there";
    assert!(said.text.ends_with(&format!("\nNote: {note}.")), "{}", said.text);
    assert_eq!(said.data["argument_notes"], json!([note]));
    let kept = client.call("get_memory", json!({ "slug": "leak-one" })).data;
    assert_eq!((&kept["description"], &kept["body"]), (&json!("Do X."), &json!("Details that matter a lot")));
    let title = "Leak two</title>\n<parameter name=\"decision\">Use A.</decision>\n<parameter name=\"reasoning\">Because B";
    assert!(client.told("save_decision", json!({ "title": title })).starts_with("D-001 saved: Leak two"));
    let kept = client.call("get_decision", json!({ "id_or_slug": "D-001" })).text;
    assert!(kept.contains("Use A.\n") && kept.contains("Because B") && !kept.contains("</"), "{kept}");
    let secret = format!("ghp_{}", "a8Kd72Lq0ZxV".repeat(3));
    let item = json!({
        "type": "pattern", "title": "Leak three", "body": "Mine",
        "description": format!("Do Y.</parameter><parameter name=\"body\">Yours {secret}"),
    });
    let mut close = json!({ "memories": [item] });
    for part in ["stopped_at", "summary", "in_progress", "next_steps", "worklog_entry", "startup_text"] {
        close[part] = json!("x");
    }
    let said = client.told("finalize_close", close);
    let cut = "What had leaked into description as body was cut off, for body was sent as well: Yours ";
    assert!(said.contains(cut) && !said.contains(&secret), "{said}");
    assert!(client.close().success());
}

#[test]
fn two_titles_never_become_one_file() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let titles = ["🚀", "🔥", "時間", "时间", "a/b", "a\\b", "A B!", "a b?", "...", "???"];
    for title in titles {
        client.told("save_decision", decision(title));
    }
    let saved = machine.list("decisions");
    // `A B!` and `a b?` have the same words; so do titles of nothing but dots. All others are told apart.
    assert!(saved.len() >= 7, "{saved:?}");
    assert!(saved.iter().all(|name| name.is_ascii()), "{saved:?}");
}

#[test]
fn two_titles_that_differ_only_where_nobody_sees_it_are_two() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    for stem in ["W".repeat(210), "very long words ".repeat(20), "時".repeat(300)] {
        for (count, end) in ["one", "two"].into_iter().enumerate() {
            let title = format!("{stem} {end}");
            for (tool, item) in [
                ("save_decision", decision(&title)),
                ("save_memory", json!({ "type": "pattern", "title": title, "description": end })),
                ("backlog_add", json!({ "title": title, "description": end })),
                ("save_plan", json!({ "title": title, "steps": [end] })),
            ] {
                let said = client.told(tool, item);
                assert!(!said.contains("updated") && !said.contains("already"), "{count} {said}");
            }
            // The same whole title, in whatever case, is the same.
            let again = client.told("save_decision", decision(&title.to_uppercase()));
            assert!(again.contains("is there already"), "{again}");
        }
    }
    let counts =
        ["decisions", "memory/patterns", "backlog", "local/plans"].map(|dir| machine.list(dir).len());
    assert_eq!(counts, [6, 6, 6, 6]);
}

#[rstest]
fn scopes_never_leave_the_project(
    #[values("../x", "/etc", "..", "nobody", ".", "a/../../x", "~")] scope: &str,
) {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let mut item = decision("About scopes");
    item["scope"] = json!([scope]);
    let said = client.call("save_decision", item);
    assert_eq!(said.data["saved"].as_array().unwrap().len(), 1);
    assert!(said.text.contains("is not known"), "{}", said.text);
    assert_eq!(machine.list("decisions"), ["D-001-about-scopes.md"]);
    assert!(!machine.home.path().join("x").exists());
}

#[test]
fn a_store_that_cannot_be_written_says_so_and_the_server_lives_on() {
    let machine = Machine::with_repo();
    std::fs::write(machine.project().join(".ai"), "in the way").unwrap();
    let mut client = machine.serve();
    let refusal = client.refused("save_decision", decision("Use UTC"));
    assert!(refusal.contains("cannot be created"), "{refusal}");
    assert!(client.told("context", json!({})).contains("No handoff"));
    assert_eq!(std::fs::read_to_string(machine.project().join(".ai")).unwrap(), "in the way");
    assert!(client.close().success());
}

/// A store that can be read and not written, also by root, to whom permissions mean nothing: nobody can take its lock.
#[test]
fn a_store_that_can_only_be_read_is_read_and_nothing_in_it_changes() {
    let machine = Machine::with_repo();
    machine.put(
        "decisions/D-001-a.md",
        "---\nid: D-001\nslug: a\ntitle: Use UTC\nstatus: active\n---\n\n# Use UTC\n\nText.\n",
    );
    machine.put(".gitignore", "local/\n");
    machine.put("local/.lock/in-the-way", "");
    let mut client = machine.serve();
    let close = json!({ "stopped_at": "a", "summary": "s", "in_progress": "n", "next_steps": "n", "worklog_entry": "w", "startup_text": "t" });
    for (tool, arguments) in [
        ("save_decision", decision("Use metres")),
        ("save_memory", json!({ "type": "pattern", "title": "t", "description": "d" })),
        ("archive_decision", json!({ "id": "D-001", "reason": "r" })),
        ("backlog_add", json!({ "title": "t", "description": "d" })),
        ("ask_question", json!({ "question": "q?" })),
        ("save_plan", json!({ "title": "t", "steps": ["a"] })),
        ("save_oracle", json!({ "section": "stack", "content": "c" })),
        ("update_safety", json!({ "rule_type": "bash_deny", "value": "helm delete" })),
    ] {
        let refusal = client.refused(tool, arguments);
        assert!(refusal.contains(".lock"), "{tool}: {refusal}");
    }
    let closed = client.call("finalize_close", close);
    assert_eq!(closed.data["closed"], false, "{}", closed.text);
    assert!(client.told("decisions", json!({})).contains("Use UTC"));
    assert!(client.told("context", json!({})).contains("`decisions` (1)"));
    assert!(client.close().success());
    assert_eq!(machine.list("decisions"), ["D-001-a.md"]);
    for directory in ["memory", "backlog", "policies", "oracle", "archive", "local/handoffs", "local/plans"] {
        assert!(!machine.project().join(".ai").join(directory).exists(), "{directory}");
    }
}

#[test]
fn a_merge_conflict_is_named_with_its_line_and_nothing_is_lost() {
    let machine = Machine::with_repo();
    let conflict = "---\nid: D-007\ntitle: A\n<<<<<<< HEAD\nenforce: required\n=======\nenforce: advisory\n>>>>>>> b\n---\n\n# A\n";
    machine.put("decisions/D-007-a.md", conflict);
    let mut client = machine.serve();
    assert!(client.told("status", json!({})).contains("1 file cannot be read"));
    let report = client.told("kb_doctor", json!({ "fix": true }));
    assert!(report.contains("D-007-a.md:4") && report.contains("merge conflict"), "{report}");
    assert!(client.told("save_decision", decision("Another")).starts_with("D-008 saved"));
    assert_eq!(machine.read("decisions/D-007-a.md"), conflict);
}

#[test]
fn crlf_stays_crlf_through_an_update() {
    let machine = Machine::with_repo();
    machine.put(
        "backlog/B-001-fix.md",
        "---\r\nid: B-001\r\ntitle: Fix it\r\nstatus: open\r\nowner: ada\r\n---\r\n\r\n# Fix it\r\n\r\nIt is late.\r\n",
    );
    let mut client = machine.serve();
    client.told("backlog_update", json!({ "id": "B-001", "status": "done", "notes": "It was the clock." }));
    let text = machine.read("backlog/B-001-fix.md");
    assert!(
        text.lines().all(|line| !line.contains('\r')) && !text.replace("\r\n", "").contains('\n'),
        "{text:?}"
    );
    assert!(
        text.contains("owner: ada\r\n")
            && text.contains("status: done\r\n")
            && text.contains("It was the clock."),
        "{text:?}"
    );
}

#[test]
fn a_repo_can_be_moved_and_renamed() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.told("save_decision", decision("Use UTC"));
    client.close();
    let moved = machine.home.path().join("boutique");
    std::fs::rename(machine.project(), &moved).unwrap();
    let mut client = machine.serve_in(&moved);
    assert!(client.told("decisions", json!({})).contains("Use UTC"));
    assert!(client.told("save_decision", decision("Use metres")).starts_with("D-002 saved"));
    // What was recorded came along.
    let worklog = client.call("worklog", json!({}));
    let events: Vec<&str> =
        worklog.data["events"].as_array().unwrap().iter().filter_map(|it| it.as_str()).collect();
    assert!(
        matches!(events.as_slice(), [second, first] if second.contains("Use metres") && first.contains("Use UTC")),
        "{events:?}"
    );
    // Another one in its old place is another project: neither files nor events.
    make_repo(&machine.project());
    let mut other = machine.serve();
    assert_eq!(other.call("worklog", json!({})).data["events"], json!([]));
    other.told("save_decision", decision("Use feet"));
    assert_eq!(other.call("worklog", json!({})).data["total"], json!(1));
    assert_eq!(client.call("worklog", json!({})).data["total"], json!(2));
}

#[test]
fn a_base_is_carried_to_another_disk_with_its_memory() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.told("save_decision", decision("Use UTC"));
    client.close();
    let (from, to) = (machine.project(), machine.home.path().join("elsewhere"));
    let copied = std::process::Command::new("cp").arg("-r").args([&from, &to]).status().unwrap();
    assert!(copied.success());
    // A copy beside the original begins with the files alone; without the original it is what it was.
    let mut copy = machine.serve_in(&to);
    assert_eq!(copy.call("worklog", json!({})).data["total"], json!(0));
    copy.close();
    std::fs::remove_dir_all(from).unwrap();
    let mut carried = machine.serve_in(&to);
    assert_eq!(carried.call("worklog", json!({})).data["total"], json!(1));
}

/// A secret may come in two pieces, with something between them that nobody sees and that is dropped.
#[rstest]
#[case::whole("")]
#[case::with_a_blank_of_no_width("\u{200b}")]
#[case::with_a_soft_hyphen("\u{ad}")]
#[case::with_a_control("\u{7}")]
fn secrets_reach_neither_a_file_nor_the_log(#[case] between: &str) {
    let machine = Machine::with_repo();
    let secret = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let text = format!("token {}{between}{} <private>salary</private>", &secret[..20], &secret[20..]);
    let mut client = machine.serve();
    let calls = [
        ("save_decision", json!({ "title": text, "decision": text, "reasoning": text })),
        (
            "save_memory",
            json!({ "type": "feedback", "title": format!("a {text}"), "description": text, "body": text, "keywords": [text] }),
        ),
        ("backlog_add", json!({ "title": format!("b {text}"), "description": text, "tags": [text] })),
        ("ask_question", json!({ "question": format!("c {text}?"), "context": text })),
        ("save_plan", json!({ "title": format!("d {text}"), "steps": [text] })),
        ("save_oracle", json!({ "section": "stack", "content": text })),
        (
            "finalize_close",
            json!({ "stopped_at": text, "summary": text, "in_progress": text, "next_steps": text, "worklog_entry": text, "startup_text": "go", "prs": text }),
        ),
    ];
    for (tool, arguments) in calls {
        client.told(tool, arguments);
    }
    client.close();
    let mut files = 0;
    let mut left = vec![machine.home.path().to_owned()];
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                left.push(entry.path());
                continue;
            }
            files += 1;
            let bytes = std::fs::read(entry.path()).unwrap();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let name = entry.file_name().into_string().unwrap();
            for said in [text.as_str(), name.as_str()] {
                let said = said.to_lowercase();
                let is_told =
                    [&secret[4..20], &secret[20..]].iter().any(|part| said.contains(&part.to_lowercase()));
                assert!(!is_told && !said.contains("salary"), "{}", entry.path().display());
            }
        }
    }
    assert!(files > 10, "{files}");
}

#[test]
fn five_thousand_decisions_are_listed_in_pages_and_counted_on() {
    let machine = Machine::with_repo();
    for number in 1..=5_000 {
        machine.put(
            &format!("decisions/D-{number:03}-d{number}.md"),
            format!("---\nid: D-{number:03}\ntitle: Decision {number} of many\nstatus: active\n---\n\n# Decision {number}\n\nText {number}.\n"),
        );
    }
    let mut client = machine.serve();
    let first = client.call("decisions", json!({}));
    let pages = first.data["pages"].as_u64().unwrap();
    assert_eq!(first.data["total"], 5_000);
    let mut seen = Vec::new();
    for page in 1..=pages {
        let said = client.call("decisions", json!({ "page": page }));
        assert!(said.text.chars().count() <= 20_100, "{}", said.text.chars().count());
        seen.extend(
            said.text
                .lines()
                .filter_map(|line| line.strip_prefix("- **D-")?.split('*').next()?.parse::<u32>().ok()),
        );
    }
    assert_eq!(seen, (1..=5_000).collect::<Vec<_>>());
    assert!(client.told("context", json!({})).chars().count() <= 12_000);
    assert!(client.told("save_decision", decision("One more than many")).starts_with("D-5001 saved"));
}

#[test]
fn half_of_the_items_of_a_close_may_be_wrong() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.told("save_decision", decision("Use local time"));
    let said = client.call(
        "finalize_close",
        json!({
            "memories": [
                { "type": "pattern", "title": "Run the tests", "description": "With nextest." },
                { "type": "pattern", "description": "no title" },
                { "action": "remove", "slug": "nobody", "reason": "x" },
                "not even an object",
            ],
            "decisions": [
                { "title": "Use UTC", "decision": "All times.", "reasoning": "Bugs.", "supersedes": ["D-001"] },
                { "title": "D-001 supersedes D-002", "decision": "x", "reasoning": "y" },
                { "action": "remove", "id": "D-009", "reason": "x" },
            ],
            "safety_rules": [
                { "rule_type": "bash_deny", "value": "terraform destroy" },
                { "rule_type": "bash_allow", "value": "rm -rf /" },
                { "rule_type": "nonsense", "value": "x" },
            ],
            "stopped_at": "the clock", "summary": "s", "in_progress": "nothing", "next_steps": "n", "worklog_entry": "w", "startup_text": "Go on",
        }),
    );
    let kept: Vec<(&str, bool)> = said.data["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["item"].as_str().unwrap(), item["ok"].as_bool().unwrap()))
        .collect();
    assert_eq!(
        kept,
        [
            ("memories[0]", true),
            ("memories[1]", false),
            ("memories[2]", false),
            ("memories[3]", false),
            ("decisions[0]", true),
            ("decisions[1]", false),
            ("decisions[2]", false),
            ("safety_rules[0]", true),
            ("safety_rules[1]", false),
            ("safety_rules[2]", false),
            ("worklog", true),
            ("handoff", true),
        ]
    );
    assert_eq!((said.data["closed"].as_bool(), said.is_error), (Some(true), false));
    assert_eq!(machine.list("decisions"), ["D-002-use-utc.md"]);
    assert_eq!(machine.list("archive/decisions"), ["D-001-use-local-time.md"]);
    assert_eq!(machine.list("memory/patterns"), ["run-the-tests.md"]);
    client.close();
    // The next session begins with it.
    let context = machine.serve().told("context", json!({}));
    assert!(
        machine
            .anywhere(&context)
            .starts_with("# Handoff of the last session (TIME)\n\n**Startup text:** Go on\n"),
        "{context}"
    );
}

#[rstest]
#[case::remove(json!({ "action": "remove" }), "custos guard remove 'ls' --level repo")]
#[case::delete(json!({ "action": " Delete " }), "custos guard remove 'ls' --level repo")]
#[case::another_word(json!({ "action": "toggle" }), "action is not known here")]
#[case::no_word(json!({ "action": 1 }), "action is not known here")]
#[case::another_field(json!({ "enabled": false }), "enabled is not known here")]
#[case::exception(json!({ "reason": "r", "except": ["ls -l"] }), "except is not known here")]
fn what_would_turn_a_rule_round_is_not_passed_over(#[case] more: serde_json::Value, #[case] told: &str) {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let mut rule = json!({ "rule_type": "bash_deny", "value": "ls" });
    rule.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let refusal = client.refused("update_safety", rule.clone());
    assert!(refusal.contains(told) && refusal.contains("nothing was changed"), "{refusal}");
    let said = client.call(
        "finalize_close",
        json!({
            "safety_rules": [rule, { "action": "add", "rule_type": "bash_deny", "value": "helm delete", "reason": "r" }],
            "stopped_at": "a", "summary": "s", "in_progress": "nothing", "next_steps": "n", "worklog_entry": "w", "startup_text": "t",
        }),
    );
    let lines: Vec<&str> = said.text.lines().filter(|line| line.starts_with("- safety_rules")).collect();
    assert_eq!(lines.len(), 2, "{}", said.text);
    assert!(lines[0].starts_with("- safety_rules[0]: NOT KEPT: ") && lines[0].contains(told), "{}", lines[0]);
    assert!(lines[1].starts_with("- safety_rules[1]: kept: bash_deny added: helm delete"), "{}", lines[1]);
    let rules = machine.read("policies/safety.yaml");
    assert!(rules.contains("helm delete") && !rules.contains("ls\n"), "{rules}");
}
