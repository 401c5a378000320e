//! Sessions and projects, by whatever a person calls them.

use custos_testkit::TempHome;
use serde_json::{Value, json};

use crate::shell::{Ran, append, command, custos, fed, home, json, json_lines};

const FIRST: &str = "s-4261aa00aa00aa00aa00aa00aa00aa00";
const SECOND: &str = "s-4261bb00bb00bb00bb00bb00bb00bb00";
const THIRD: &str = "s-77c1cc00cc00cc00cc00cc00cc00cc00";
const SHOP: &str = "github.com/acme/shop";
const OTHER_SHOP: &str = "gitlab.example/other/shop";
const BUGS: &str = "/tmp/bug-hunt-with-a-long-name/.git";

/// A home in which three sessions were recorded, each in a project of its own.
fn recorded() -> TempHome {
    let home = home();
    for (session, project) in [(FIRST, SHOP), (SECOND, OTHER_SHOP), (THIRD, BUGS)] {
        let draft = |kind: &str, body: Value| json!({"kind": kind, "scope": "project", "project": project, "session": session, "task": "t1", "body": body});
        let drafts = [
            draft("prompt.submitted", json!({"text": format!("widen {session}")})),
            draft("tool.used", json!({"tool": "Edit", "input": {"file_path": "a.rs"}})),
            draft("turn.ended", json!({})),
            draft("observation.recorded", json!({"type": "bugfix", "title": format!("Widened {session}")})),
            draft("summary.recorded", json!({"request": format!("widen {session}")})),
        ];
        append(&home, &drafts);
    }
    home
}

/// The commands that take `--session`, with it.
fn asking_for(session: &str) -> [Vec<&str>; 7] {
    let commands: [&[&str]; 7] = [
        &["distill", "test"],
        &["observations"],
        &["summaries"],
        &["log", "tail"],
        &["work", "list"],
        &["work", "redo"],
        &["forget", "--reason", "test", "--dry-run"],
    ];
    commands.map(|command| [command, &["--session", session]].concat())
}

fn sessions(ran: &Ran) -> Vec<String> {
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines = json_lines(&ran.stdout);
    let all = lines.iter().flat_map(|line| line.as_array().cloned().unwrap_or_else(|| vec![line.clone()]));
    let mut found: Vec<String> = all.map(|one| one["session"].as_str().unwrap().to_owned()).collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn the_beginning_of_a_session_is_enough() {
    let home = recorded();
    for name in [FIRST, "s-4261a", "4261aa", "4261aa00aa00aa00aa00aa00aa00aa00"] {
        for arguments in asking_for(name) {
            let ran = custos(&home, &[&arguments[..], &["--json"]].concat());
            match arguments[0] {
                "observations" | "summaries" | "log" => assert_eq!(sessions(&ran), [FIRST], "{arguments:?}"),
                "forget" => {
                    let plan: Value = serde_json::from_str(&ran.stdout).unwrap();
                    assert_eq!(plan["events"].as_array().map(Vec::len), Some(5), "{plan}");
                }
                // It was given no file that was changed, and says so of the whole session.
                "distill" => assert!(ran.stdout.contains(FIRST), "{ran:?}"),
                _ => assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}"),
            }
        }
    }
    let waiting = custos(&home, &["work", "list", "--session", "77c1", "--json"]);
    assert_eq!(sessions(&waiting), [THIRD]);
}

#[test]
fn what_names_several_sessions_or_none_is_an_error() {
    let home = recorded();
    for arguments in asking_for("4261") {
        let ran = custos(&home, &arguments);
        assert_eq!(ran.code, 64, "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains(FIRST) && ran.stderr.contains(SECOND), "{}", ran.stderr);
        assert!(!ran.stderr.contains(THIRD), "{}", ran.stderr);
    }
    // Three characters are too few, even where they fit one.
    for name in ["nope", "s-77c", "77c", "s-", "", "%", "____"] {
        for arguments in asking_for(name) {
            let ran = custos(&home, &arguments);
            assert_eq!((ran.code, ran.stdout.as_str()), (66, ""), "{arguments:?}: {ran:?}");
            assert!(ran.stderr.contains("no such session"), "{}", ran.stderr);
        }
    }
}

#[test]
fn a_session_answers_to_the_id_that_its_client_gave_it() {
    let home = home();
    let id = "e88b7591-0c6c-4ad0-8d6b-2f6f6a1d0001";
    let payload = json!({"hook_event_name": "UserPromptSubmit", "session_id": id, "cwd": home.path(),
        "transcript_path": "/nowhere.jsonl", "prompt": "widen the window"});
    let ran = fed(
        &mut command(&home, &["hook", "claude-code", "UserPromptSubmit"]),
        payload.to_string().as_bytes(),
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let tail = |arguments: &[&str]| {
        custos(&home, &[&["log", "tail", "--kind", "prompt", "--json"], arguments].concat())
    };
    let all = sessions(&tail(&[]));
    assert_eq!(all.len(), 1);
    assert_eq!(sessions(&tail(&["--session", id])), all);
}

#[test]
fn a_project_answers_to_its_name_its_identity_and_its_directory() {
    let home = recorded();
    let here = home.path().join("widgets");
    std::fs::create_dir_all(here.join("src")).unwrap();
    std::fs::create_dir(here.join(".git")).unwrap();
    std::fs::write(here.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let identity = here.join(".git").display().to_string();
    let draft = json!({"kind": "observation.recorded", "scope": "project", "project": identity, "session": "s-9",
        "body": {"type": "bugfix", "title": "Widened here"}});
    append(&home, &[draft]);
    let src = here.join("src").display().to_string();
    for (name, project) in [
        (BUGS, BUGS),
        ("bug-hunt-with-a-long-name", BUGS),
        ("bug-hunt-with-a…", BUGS),
        (SHOP, SHOP),
        (&identity, &identity),
        ("widgets", &identity),
        ("./widgets/src/..", &identity),
        (&src, &identity),
    ] {
        let asked: [&[&str]; 3] = [
            &["observations"],
            &["search", "widened", "--kind", "observation"],
            &["log", "tail", "--kind", "observation"],
        ];
        for asked in asked {
            let ran = custos(&home, &[asked, &["--project", name, "--json"]].concat());
            assert_eq!(ran.code, 0, "{ran:?}");
            let found = json_lines(&ran.stdout)
                .into_iter()
                .flat_map(|line| line.as_array().cloned().unwrap_or_else(|| vec![line]));
            let projects: Vec<Value> = found.map(|one| one["project"].clone()).collect();
            assert_eq!(projects, [json!(project)], "{asked:?} {name}");
        }
    }
    let forgotten = json(&home, &["forget", "--project", "widgets", "--reason", "test", "--dry-run"]);
    assert_eq!(forgotten["events"].as_array().map(Vec::len), Some(1), "{forgotten}");
}

#[test]
fn what_names_several_projects_or_none_is_an_error() {
    let home = recorded();
    let asked: [&[&str]; 5] = [
        &["observations"],
        &["summaries"],
        &["search", "widened"],
        &["log", "tail"],
        &["forget", "--reason", "test"],
    ];
    for asked in asked {
        let several = custos(&home, &[asked, &["--project", "shop"]].concat());
        assert_eq!(several.code, 64, "{several:?}");
        assert!(several.stderr.contains(SHOP) && several.stderr.contains(OTHER_SHOP), "{}", several.stderr);
        for name in ["nope", "hunt", ".", ""] {
            let none = custos(&home, &[asked, &["--project", name]].concat());
            assert_eq!((none.code, none.stdout.as_str()), (66, ""), "{asked:?} {name:?}");
            assert!(none.stderr.contains("no such project"), "{}", none.stderr);
        }
    }
}

#[test]
fn lists_keep_within_eighty_columns_in_every_script() {
    let home = home();
    let project = format!("github.com/acme/{}", "店".repeat(20));
    let draft = |kind: &str, body: Value| json!({"kind": kind, "scope": "project", "project": project, "session": FIRST, "task": "t1", "body": body});
    let title = "更新".repeat(60);
    append(
        &home,
        &[
            draft("prompt.submitted", json!({"text": title})),
            draft("tool.used", json!({"tool": "Edit", "input": {"file_path": "a.rs"}})),
            draft("observation.recorded", json!({"type": "bugfix", "title": title})),
        ],
    );
    // Letters of this script take two columns each.
    let columns =
        |line: &str| line.chars().map(|letter| if letter >= '\u{2e80}' { 2 } else { 1 }).sum::<usize>();
    for arguments in [&["work", "list"][..], &["observations", "--all"], &["search", "更新"]] {
        let shown = custos(&home, arguments).stdout;
        assert!(shown.lines().count() > 1 && shown.lines().all(|line| columns(line) <= 80), "{shown}");
    }
    let work = custos(&home, &["work", "list"]).stdout;
    assert!(
        work.contains("  s-4261aa00\n") && !work.contains("session"),
        "no headings where nobody looks: {work}"
    );
}
