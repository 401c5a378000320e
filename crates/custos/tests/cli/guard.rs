//! `custos guard` and `custos trust`, as typed.

use std::path::PathBuf;

use custos_testkit::TempHome;
use serde_json::{Value, json};

use crate::shell::{Ran, append, command, custos, fed, home, json, json_lines, settings};

/// A rules file as people write it.
const RULES: &str = "\
# Mine.
protected_branches: [develop]

deny:
  commands:
    - {run: terraform apply, reason: done by the pipeline}   # ask Kim
  paths: [secrets/**]

ask:
  commands:
    - npm install
";

fn rules_file(home: &TempHome) -> PathBuf {
    home.config_dir().join("policies/safety.yaml")
}

fn with_rules(text: &str) -> TempHome {
    let home = home();
    std::fs::create_dir_all(rules_file(&home).parent().unwrap()).unwrap();
    std::fs::write(rules_file(&home), text).unwrap();
    home
}

/// A repo on a branch, below the home.
fn repo(home: &TempHome, branch: &str) -> PathBuf {
    let root = home.path().join("shop");
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::write(root.join(".git/HEAD"), format!("ref: refs/heads/{branch}\n")).unwrap();
    root
}

fn custos_in(home: &TempHome, dir: &std::path::Path, arguments: &[&str]) -> Ran {
    fed(command(home, arguments).current_dir(dir), b"")
}

#[test]
fn a_verdict_is_explained_step_by_step() {
    let home = with_rules(RULES);
    let held = custos(&home, &["guard", "test", "cd infra && sudo terraform apply -auto-approve | tee out"]);
    let asked = custos(&home, &["guard", "test", "--branch", "feat", "npm install left-pad"]);
    let silent = custos(&home, &["guard", "test", "echo 'terraform apply'"]);
    let path = custos(&home, &["guard", "test", "--path", "secrets/key.txt", "--op", "read"]);
    assert_eq!([&held, &asked, &silent, &path].map(|ran| (ran.code, ran.stderr.as_str())), [(0, ""); 4]);
    settings(&home).bind(|| {
        insta::assert_snapshot!(held.stdout);
        insta::assert_snapshot!(asked.stdout);
        insta::assert_snapshot!(silent.stdout);
        insta::assert_snapshot!(path.stdout);
    });
}

#[test]
fn a_machine_gets_the_verdict_and_the_steps() {
    let home = with_rules(RULES);
    let answer = json(&home, &["guard", "test", "sudo terraform apply"]);
    let path = home.path().to_str().unwrap();
    assert_eq!(
        answer,
        json!({
            "verdict": "deny",
            "rule": "user.terraform-apply",
            "reason": "done by the pipeline",
            "part": answer["part"],
            "safer": null,
            "findings": answer["findings"],
            "steps": answer["steps"],
            "cwd": path,
            "home": path,
            "root": path,
            "branch": null,
            "problems": [],
        })
    );
    assert!(answer["part"].as_str().unwrap().contains("terraform apply"), "{answer}");
    assert!(!answer["steps"].as_array().unwrap().is_empty());
    let silence = json(&home, &["guard", "test", "ls"]);
    assert_eq!((&silence["verdict"], &silence["rule"]), (&json!("silence"), &Value::Null));
}

#[test]
fn the_flags_set_the_world() {
    let home = home();
    let root = repo(&home, "main");
    let verdict = |arguments: &[&str]| {
        let ran = custos_in(&home, &root, &[&["guard", "test", "--json"], arguments].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        json_lines(&ran.stdout).remove(0)["verdict"].as_str().unwrap().to_owned()
    };
    // The real branch is read from `.git`.
    assert_eq!(verdict(&["git push"]), "deny");
    assert_eq!(verdict(&["--branch", "feat", "git push"]), "silence");
    // `~` is the home that is named.
    assert_eq!(verdict(&["--home", "/home/user", "rm -rf /home/user"]), "deny");
    assert_eq!(verdict(&["--cwd", "/home/user/project", "--home", "/home/user", "rm -rf ."]), "deny");
    assert_eq!(verdict(&["--cwd", "/home/user/project", "rm -rf target"]), "silence");
    assert_eq!(verdict(&["--home", "/home/user", "--path", "~/.ssh/id_ed25519", "--op", "read"]), "deny");
}

#[test]
fn a_batch_gets_one_answer_per_line() {
    let home = with_rules(RULES);
    let lines = [
        r#"{"cmd":"terraform apply","expect":"deny"}"#,
        r#"{"cmd":"npm install"}"#,
        "",
        r#"{"cmd":"ls"}"#,
        r#"{"path":"secrets/a","op":"write"}"#,
        r#"{"cmd":"git push","branch":"main","cwd":"/home/user/project"}"#,
        r#"{"cmd":"git push","branch":"feat","cwd":"/home/user/project"}"#,
        r#"{"cmd":"#,
        r#"{"path":"a"}"#,
        r#"{"path":"a","op":"frob"}"#,
        r#"{"cmd":"ls","path":"a","op":"read"}"#,
        r#"["ls"]"#,
        r#"{"cmd":"rm -rf ~","home":"/home/user"}"#,
    ];
    let arguments = ["guard", "test", "--batch", "-"];
    let ran = fed(&mut command(&home, &arguments), lines.join("\n").as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (65, ""));
    settings(&home).bind(|| insta::assert_snapshot!(ran.stdout));
    // The same from a file; without a bad line it is a success.
    let file = home.path().join("questions.jsonl");
    std::fs::write(&file, format!("{}\n{}\n", lines[0], lines[3])).unwrap();
    let ran = custos(&home, &["guard", "test", "--batch", file.to_str().unwrap()]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (
            0,
            "{\"verdict\":\"deny\",\"rule\":\"user.terraform-apply\",\"reason\":\"done by the pipeline\"}\n\
             {\"verdict\":\"silence\",\"rule\":null,\"reason\":null}\n"
        )
    );
    let missing = custos(&home, &["guard", "test", "--batch", "nowhere.jsonl"]);
    assert_eq!(missing.code, 66, "{missing:?}");
}

#[test]
fn a_question_that_is_none_is_64() {
    let home = home();
    for arguments in [
        &["guard"][..],
        &["guard", "test"],
        &["guard", "test", "ls", "--batch", "-"],
        &["guard", "test", "--path", "a"],
        &["guard", "test", "--path", "a", "--op", "frob"],
        &["guard", "test", "ls", "--op", "read"],
        &["guard", "test", "--cwd", "", "ls"],
        &["guard", "add", "deny"],
        &["guard", "add", "rule", "git.force-push"],
        &["guard", "add", "pack", "databases=maybe"],
        &["guard", "add", "flag", "git.allow_push=ask"],
        &["guard", "add", "protect", "x", "--op", "read"],
        &["guard", "add", "deny", "x", "--op", "read"],
        &["guard", "add", "allow", "x", "--id", "y"],
        &["guard", "remove"],
        &["trust", "--list", "--remove", "x"],
    ] {
        let ran = custos(&home, arguments);
        assert_eq!(ran.code, 64, "{arguments:?}: {ran:?}");
    }
    assert!(!rules_file(&home).exists());
}

#[test]
fn the_rules_in_force_are_shown_with_their_origin() {
    let home = with_rules(RULES);
    let root = repo(&home, "feat");
    std::fs::create_dir_all(root.join(".ai/policies")).unwrap();
    std::fs::write(
        root.join(".ai/policies/safety.yaml"),
        "packs: {terraform: deny, cloud: off}\ngit: {allow_push: false}\nallow: {commands: [make]}\n",
    )
    .unwrap();
    let ran = custos_in(&home, &root, &["guard", "rules", "--show-origin"]);
    assert_eq!(ran.code, 0);
    let (own, built_in) = ran.stdout.split_once("Built-in rules\n").unwrap();
    settings(&home).bind(|| {
        insta::assert_snapshot!(own);
        insta::assert_snapshot!(ran.stderr);
    });
    let files = built_in.rsplit("\n\n").next().unwrap();
    assert_eq!(files.lines().count(), 2, "{files}");
    let for_machines = custos_in(&home, &root, &["guard", "rules", "--json"]);
    let answer = json_lines(&for_machines.stdout).remove(0);
    assert_eq!(for_machines.stderr, "");
    assert_eq!(answer["problems"].as_array().unwrap().len(), 2, "{answer}");
    let names: Vec<&str> =
        answer["rules"].as_array().unwrap().iter().map(|rule| rule["name"].as_str().unwrap()).collect();
    for name in ["main", "develop", "user.terraform-apply", "databases", "git.allow_push", "git.force-push"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
}

#[test]
fn what_is_added_holds_and_what_is_removed_does_not_and_comments_stay() {
    let home = with_rules(RULES);
    let verdict = |cmd: &str| json(&home, &["guard", "test", cmd])["verdict"].as_str().unwrap().to_owned();
    assert_eq!(verdict("make deploy"), "silence");
    let added = custos(&home, &["guard", "add", "deny", "make deploy", "--reason", "on Fridays, too"]);
    let again = custos(&home, &["guard", "add", "deny", "make deploy"]);
    assert_eq!(verdict("make -j4 deploy"), "deny");
    let after_add = std::fs::read_to_string(rules_file(&home)).unwrap();
    let removed = custos(&home, &["guard", "remove", "user.make-deploy"]);
    assert_eq!(verdict("make deploy"), "silence");
    let missing = custos(&home, &["guard", "remove", "user.make-deploy"]);
    assert_eq!([&added, &again, &removed, &missing].map(|ran| ran.code), [0, 0, 0, 66]);
    assert!(after_add.contains("# ask Kim") && after_add.starts_with("# Mine.\n"), "{after_add}");
    assert_eq!(std::fs::read_to_string(rules_file(&home)).unwrap(), RULES);
    settings(&home).bind(|| {
        insta::assert_snapshot!(added.stdout);
        insta::assert_snapshot!(again.stdout);
        insta::assert_snapshot!(removed.stdout);
        insta::assert_snapshot!(missing.stderr);
    });
}

#[test]
fn everything_that_a_file_can_say_can_be_added_and_removed() {
    let home = home();
    let root = repo(&home, "feat");
    let entries = [
        ("deny", "terraform apply", "terraform apply"),
        ("ask", "npm install **", "npm install **"),
        ("allow", "git push --force-with-lease **", "git push --force-with-lease **"),
        ("deny-path", "secrets/**", "secrets/**"),
        ("ask-path", "migrations/**", "migrations/**"),
        ("allow-path", ".env.test", ".env.test"),
        ("read-only", "vendor/**", "vendor/**"),
        ("protect", "release/*", "release/*"),
        ("rule", "git.force-push=ask", "git.force-push"),
        ("pack", "databases=off", "databases"),
        ("flag", "git.require_feature_branch=true", "git.require_feature_branch"),
    ];
    let mut said = String::new();
    for (what, entry, _) in entries {
        let ran = custos_in(&home, &root, &["guard", "add", what, entry]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{what} {entry}: {ran:?}");
        said.push_str(&ran.stdout);
    }
    settings(&home).bind(|| insta::assert_snapshot!(said));
    for (_, entry, name) in entries {
        let ran = custos_in(&home, &root, &["guard", "remove", name, "--json"]);
        assert_eq!(ran.code, 0, "{entry}: {ran:?}");
        assert_eq!(json_lines(&ran.stdout)[0]["changed"], json!(true), "{entry}");
    }
    let rules = json(&home, &["guard", "rules"]);
    let from_files =
        rules["rules"].as_array().unwrap().iter().filter(|rule| rule["origin"] != json!(["built-in"]));
    assert_eq!(from_files.count(), 0, "{rules}");
}

#[test]
fn a_repo_can_only_tighten_and_a_level_must_be_there() {
    let home = home();
    let root = repo(&home, "feat");
    let tightened = custos_in(
        &home,
        &root,
        &["guard", "add", "ask-path", "db/**", "--op", "write,delete", "--level", "repo"],
    );
    assert_eq!((tightened.code, tightened.stderr.as_str()), (0, ""), "{tightened:?}");
    assert!(root.join(".ai/policies/safety.yaml").exists());
    let loosened = custos_in(&home, &root, &["guard", "add", "allow", "make", "--level", "repo"]);
    let nowhere = custos_in(&home, &root, &["guard", "add", "deny", "make", "--level", "workspace"]);
    let unknown = custos_in(&home, &root, &["guard", "add", "rule", "git.frob=ask"]);
    assert_eq!([&loosened, &nowhere, &unknown].map(|ran| ran.code), [65, 66, 66]);
    settings(&home).bind(|| {
        insta::assert_snapshot!(tightened.stdout);
        insta::assert_snapshot!(loosened.stderr);
        insta::assert_snapshot!(nowhere.stderr);
        insta::assert_snapshot!(unknown.stderr);
    });
}

#[test]
fn a_broken_file_is_told_everywhere_and_never_overwritten() {
    let broken = "deny:\n  commands: [terraform apply\nask: {";
    let home = with_rules(broken);
    let rules = custos(&home, &["guard", "rules"]);
    let test = custos(&home, &["guard", "test", "rm -rf ~"]);
    let add = custos(&home, &["guard", "add", "deny", "make deploy"]);
    let remove = custos(&home, &["guard", "remove", "terraform apply"]);
    let doctor = json_lines(&custos(&home, &["doctor", "--json"]).stdout).remove(0);
    assert_eq!([&rules, &test, &add, &remove].map(|ran| ran.code), [0, 0, 78, 78]);
    assert!(test.stdout.starts_with("deny"), "{}", test.stdout);
    assert_eq!(test.stderr, rules.stderr);
    let checks = doctor["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["what"] == "guard rules").unwrap();
    assert_eq!(check["state"], json!("bad"));
    assert_eq!(std::fs::read_to_string(rules_file(&home)).unwrap(), broken);
    settings(&home).bind(|| {
        insta::assert_snapshot!(rules.stderr);
        insta::assert_snapshot!(add.stderr);
        insta::assert_snapshot!(check["found"].as_str().unwrap());
    });
}

#[test]
fn what_the_guard_said_is_in_its_log() {
    let home = home();
    let none = custos(&home, &["guard", "log"]);
    assert_eq!((none.code, none.stdout.as_str()), (0, "nothing was denied or asked\n"));
    let event = |kind: &str, body: Value| json!({"kind": kind, "scope": "project", "agent": {"client": "codex"}, "body": body});
    append(
        &home,
        &[
            event(
                "tool.denied",
                json!({"rule": "git.force-push", "verdict": "deny", "reason": "overwrites what others pushed", "part": "git push -f", "tool": "Bash", "input": {"command": "git push -f\n origin main"}}),
            ),
            event("tool.used", json!({"tool": "Bash", "input": {"command": "ls"}})),
            event(
                "tool.asked",
                json!({"rule": "user.npm-install", "verdict": "ask", "reason": "\u{1b}[2Jnew packages", "part": "npm install", "tool": "Bash"}),
            ),
            event(
                "permission.decided",
                json!({"verdict": "allow", "tool": "Bash", "input": {"command": "git status"}}),
            ),
            event("tool.denied", json!({"tool": "Write", "input": {"file_path": "/etc/hosts"}})),
        ],
    );
    let all = custos(&home, &["guard", "log"]);
    assert_eq!(all.code, 0);
    settings(&home).bind(|| insta::assert_snapshot!(all.stdout));
    let newest = json_lines(&custos(&home, &["guard", "log", "-n", "2", "--json"]).stdout);
    let kinds: Vec<&str> = newest.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["permission.decided", "tool.denied"]);
}

#[test]
fn a_project_is_trusted_until_it_is_not() {
    let home = home();
    let root = repo(&home, "feat");
    std::fs::create_dir_all(root.join(".ai")).unwrap();
    let below = root.join("src");
    std::fs::create_dir(&below).unwrap();
    let doctor = || {
        let ran = custos_in(&home, &below, &["doctor", "--json"]);
        let answer = json_lines(&ran.stdout).remove(0);
        let checks = answer["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["what"] == "trust").map(|check| check["state"].clone())
    };
    assert_eq!(doctor(), Some(json!("note")));
    let none = custos(&home, &["trust", "--list"]);
    let trusted = custos_in(&home, &below, &["trust"]);
    let again = custos(&home, &["trust", "shop"]);
    let list = custos(&home, &["trust", "--list"]);
    assert_eq!(doctor(), Some(json!("ok")));
    let removed = custos(&home, &["trust", "--remove", "shop"]);
    let missing = custos(&home, &["trust", "nowhere"]);
    assert_eq!(doctor(), Some(json!("note")));
    assert_eq!([&none, &trusted, &again, &list, &removed, &missing].map(|ran| ran.code), [0, 0, 0, 0, 0, 66]);
    settings(&home).bind(|| {
        let said = [none.stdout, trusted.stdout, again.stdout, list.stdout, removed.stdout, missing.stderr];
        insta::assert_snapshot!(said.concat());
    });
    let answer = json(&home, &["trust", "shop"]);
    assert_eq!((&answer["changed"], &answer["trusted"]), (&json!(true), &json!(true)));
    // A project that is gone can still be taken out.
    std::fs::remove_dir_all(&root).unwrap();
    let answer = json(&home, &["trust", "--remove", root.to_str().unwrap()]);
    assert_eq!((&answer["changed"], &answer["trusted"]), (&json!(true), &json!(false)));
}
