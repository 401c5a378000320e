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
        insta::assert_snapshot!(held.stdout, @r"
        deny  done by the pipeline
          rule     user.terraform-apply
          part     terraform apply -auto-approve
        ask  changes infrastructure, possibly by replacing what is in use
          rule     terraform.apply
          part     terraform apply -auto-approve
          instead  show the plan with `terraform plan` and let the person apply it

        Looked at in ~
           1  cd infra
           2  sudo terraform apply -auto-approve
           3  terraform apply -auto-approve
           4  tee out
        ");
        insta::assert_snapshot!(asked.stdout, @r"
        ask  does what the rules of the user ask about: npm install
          rule     user.npm-install
          part     npm install left-pad

        Looked at in ~, on branch feat
           1  npm install left-pad
        ");
        insta::assert_snapshot!(silent.stdout, @r"
        silence  nothing in it is held

        Looked at in ~
           1  echo 'terraform apply'
        ");
        insta::assert_snapshot!(path.stdout, @r"
        deny  does what the rules of the user deny: secrets/**
          rule     user.secrets
          part     secrets/key.txt

        Looked at in ~
           1  read secrets/key.txt, which is ~/secrets/key.txt
        ");
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
    settings(&home).bind(|| insta::assert_snapshot!(ran.stdout, @r#"
        {"verdict":"deny","rule":"user.terraform-apply","reason":"done by the pipeline"}
        {"verdict":"ask","rule":"user.npm-install","reason":"does what the rules of the user ask about: npm install"}
        {"verdict":"silence","rule":null,"reason":null}
        {"verdict":"deny","rule":"user.secrets","reason":"does what the rules of the user deny: secrets/**"}
        {"verdict":"deny","rule":"git.push-protected","reason":"pushes to a protected branch"}
        {"verdict":"silence","rule":null,"reason":null}
        {"line":8,"error":"this is no question: EOF while parsing a value at line 1 column 7"}
        {"line":9,"error":"a path needs an op: read, write or delete"}
        {"line":10,"error":"there is no op \"frob\"; there are read, write and delete"}
        {"line":11,"error":"a question has either cmd, or path and op"}
        {"line":12,"error":"this is no JSON object"}
        {"verdict":"deny","rule":"files.delete-home","reason":"deletes a home directory or what a person keeps in it"}
        "#));
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
        insta::assert_snapshot!(own, @r"
        Protected branches
          main  (built-in)
          master  (built-in)
          develop  (user ~/.config/ai/policies/safety.yaml:2)

        Rules from files
          deny  user.terraform-apply  terraform apply: done by the pipeline  (user ~/.config/ai/policies/safety.yaml:6)
          ask   user.npm-install      npm install  (user ~/.config/ai/policies/safety.yaml:11)
          deny  user.secrets          secrets/** (any)  (user ~/.config/ai/policies/safety.yaml:7)

        Packs
          ask   cloud  (built-in)
          ask   databases  (built-in)
          ask   docker  (built-in)
          ask   kubernetes  (built-in)
          ask   publishing  (built-in)
          deny  terraform  (repo ~/shop/.ai/policies/safety.yaml:1)

        Switches
          true   git.allow_force_with_lease  (built-in)
          false  git.allow_push  (repo ~/shop/.ai/policies/safety.yaml:2)
          false  git.allow_branch_delete  (built-in)
          false  git.allow_no_verify  (built-in)
          false  git.require_feature_branch  (built-in)
          false  commit_gate.enabled  (built-in)
        ");
        insta::assert_snapshot!(ran.stderr, @r"
        warning: ~/shop/.ai/policies/safety.yaml:1:26: a repo or workspace may only tighten, and `cloud: off` is less than `ask`, which is in force. It is ignored: set it in your own safety.yaml if you want it
        warning: ~/shop/.ai/policies/safety.yaml:3:20: `allow` is not for a repo or workspace, because such a file comes with a clone. The entry is ignored: allow it in your own safety.yaml if you want it
        ");
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
        insta::assert_snapshot!(added.stdout, @r#"
        now in the rules of the user: deny make deploy
          ~/.config/ai/policies/safety.yaml
             7 +     - {run: "make deploy", reason: "on Fridays, too"}
        in force: deny  user.make-deploy  make deploy: on Fridays, too  (user ~/.config/ai/policies/safety.yaml:7)
        "#);
        insta::assert_snapshot!(again.stdout, @r"
        nothing to change: the rules of the user say so already: deny make deploy
          ~/.config/ai/policies/safety.yaml
        in force: deny  user.make-deploy  make deploy: on Fridays, too  (user ~/.config/ai/policies/safety.yaml:7)
        ");
        insta::assert_snapshot!(removed.stdout, @r#"
        no longer in the rules of the user: deny make deploy
          ~/.config/ai/policies/safety.yaml
             7 -     - {run: "make deploy", reason: "on Fridays, too"}
        nothing of it is in force any more
        "#);
        insta::assert_snapshot!(missing.stderr, @r"
        custos: ~/.config/ai/policies/safety.yaml: nothing there is called `user.make-deploy`; `custos guard rules --show-origin` shows what is where
        ");
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
    settings(&home).bind(|| insta::assert_snapshot!(said, @r#"
        now in the rules of the user: deny terraform apply
          ~/.config/ai/policies/safety.yaml
             1 + # Rules of Custos's guard. `custos guard rules --show-origin` shows what is in force and where it comes from.
             3 + deny:
             4 +   commands:
             5 +     - "terraform apply"
        in force: deny  user.terraform-apply  terraform apply  (user ~/.config/ai/policies/safety.yaml:5)
        now in the rules of the user: ask npm install **
          ~/.config/ai/policies/safety.yaml
             7 + ask:
             8 +   commands:
             9 +     - "npm install **"
        in force: ask  user.npm-install  npm install **  (user ~/.config/ai/policies/safety.yaml:9)
        now in the rules of the user: allow git push --force-with-lease **
          ~/.config/ai/policies/safety.yaml
            11 + allow:
            12 +   commands:
            13 +     - "git push --force-with-lease **"
        in force: allow  git push --force-with-lease **  command  (user ~/.config/ai/policies/safety.yaml:13)
        now in the rules of the user: deny path secrets/** (any)
          ~/.config/ai/policies/safety.yaml
             6 +   paths: ["secrets/**"]
        in force: deny  user.secrets  secrets/** (any)  (user ~/.config/ai/policies/safety.yaml:6)
        now in the rules of the user: ask path migrations/** (any)
          ~/.config/ai/policies/safety.yaml
            11 +   paths: ["migrations/**"]
        in force: ask  user.migrations  migrations/** (any)  (user ~/.config/ai/policies/safety.yaml:11)
        now in the rules of the user: allow path .env.test (any)
          ~/.config/ai/policies/safety.yaml
            16 +   paths: [".env.test"]
        in force: allow  .env.test  path (any)  (user ~/.config/ai/policies/safety.yaml:16)
        now in the rules of the user: read-only vendor/**
          ~/.config/ai/policies/safety.yaml
            18 + read_only:
            19 +   - "vendor/**"
        in force: deny  user.vendor  vendor/** (write, delete)  (user ~/.config/ai/policies/safety.yaml:19)
        now in the rules of the user: protected branch release/*
          ~/.config/ai/policies/safety.yaml
            21 + protected_branches:
            22 +   - "release/*"
        in force: protected  release/*  (user ~/.config/ai/policies/safety.yaml:22)
        now in the rules of the user: rule git.force-push: ask
          ~/.config/ai/policies/safety.yaml
            24 + rules:
            25 +   git.force-push: ask
        in force: ask  git.force-push  overwrites what others may have pushed to the remote branch  (user ~/.config/ai/policies/safety.yaml:25)
        now in the rules of the user: pack databases: off
          ~/.config/ai/policies/safety.yaml
            27 + packs:
            28 +   databases: off
        in force: off  databases  (user ~/.config/ai/policies/safety.yaml:28)
        now in the rules of the user: git.require_feature_branch: true
          ~/.config/ai/policies/safety.yaml
            30 + git:
            31 +   require_feature_branch: true
        in force: true  git.require_feature_branch  (user ~/.config/ai/policies/safety.yaml:31)
        "#));
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
        insta::assert_snapshot!(tightened.stdout, @r#"
        now in the rules of the repo: ask path db/** (write, delete)
          ~/shop/.ai/policies/safety.yaml
             1 + # Rules of Custos's guard. `custos guard rules --show-origin` shows what is in force and where it comes from.
             3 + ask:
             4 +   paths:
             5 +     - {path: "db/**", op: [write, delete]}
        in force: ask  repo.db  db/** (write, delete)  (repo ~/shop/.ai/policies/safety.yaml:5)
        "#);
        insta::assert_snapshot!(loosened.stderr, @r"
        custos: a repo's rules can only tighten: add this to your own rules if you want it
          leave --level out
        ");
        insta::assert_snapshot!(nowhere.stderr, @r"
        custos: there is no workspace here, and so no rules of it
          nothing above this repo looks like one: go to the directory that shall be it
        ");
        insta::assert_snapshot!(unknown.stderr, @r"
        custos: `git.frob` is no built-in rule; nothing was changed
          `custos guard rules` lists the names
        ");
    });
}

#[test]
fn the_rules_of_a_workspace_and_of_the_repo_that_is_worked_on_count() {
    let home = home();
    let work = home.path().join("work");
    for name in ["shop", "site"] {
        std::fs::create_dir_all(work.join(name).join(".git")).unwrap();
        std::fs::write(work.join(name).join(".git/HEAD"), "ref: refs/heads/feat\n").unwrap();
    }
    let (shop, site) = (work.join("shop"), work.join("site"));
    let add = |dir: &std::path::Path, level: &str, pattern: &str| {
        let ran = custos_in(&home, dir, &["guard", "add", "deny", pattern, "--level", level]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    };
    // From within a repo, the workspace is the directory that holds several.
    add(&shop, "workspace", "make deploy");
    add(&site, "repo", "make publish");
    assert!(work.join(".ai/policies/safety.yaml").exists() && site.join(".ai/policies/safety.yaml").exists());
    let rule = |dir: &std::path::Path, cmd: &str| {
        let ran = custos_in(&home, dir, &["guard", "test", "--json", cmd]);
        json_lines(&ran.stdout).remove(0)["rule"].clone()
    };
    assert_eq!(rule(&shop, "make deploy"), json!("workspace.make-deploy"));
    assert_eq!(rule(&work, "make deploy"), json!("workspace.make-deploy"));
    assert_eq!(rule(&shop, "make publish"), Value::Null);
    assert_eq!(rule(&site, "make publish"), json!("repo.make-publish"));
    let elsewhere = format!("cd {} && make publish", site.display());
    assert_eq!(rule(&shop, &elsewhere), json!("repo.make-publish"));
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
        insta::assert_snapshot!(rules.stderr, @r"
        warning: ~/.config/ai/policies/safety.yaml:3:4: this is not usable as rules: illegal placement of ':' indicator. Until that is corrected, none of its rules apply, only the built-in ones and those of other files
        ");
        insta::assert_snapshot!(add.stderr, @r"
        custos: ~/.config/ai/policies/safety.yaml:3:4: this is not usable as rules: illegal placement of ':' indicator; nothing was changed: correct it first
        ");
        insta::assert_snapshot!(check["found"].as_str().unwrap(), @r"
        ~/.config/ai/policies/safety.yaml:3:4: this is not usable as rules: illegal placement of ':' indicator. Until that is corrected, none of its rules apply, only the built-in ones and those of other files
        ");
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
    settings(&home).bind(|| {
        insta::assert_snapshot!(all.stdout, @r"
        TIME  deny   git.force-push                codex         Bash git push -f origin main
                                    overwrites what others pushed
        TIME  ask    user.npm-install              codex         Bash npm install
                                    �[2Jnew packages
        TIME  allow  -                             codex         Bash git status
        TIME  deny   by the client                 codex         Write /etc/hosts
        ")
    });
    let newest = json_lines(&custos(&home, &["guard", "log", "-n", "2", "--json"]).stdout);
    let kinds: Vec<&str> = newest.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["permission.decided", "tool.denied"]);
}

/// Has Claude Code's hook judge a command, and gives its answer.
fn hook(home: &TempHome, dir: &std::path::Path, cmd: &str) -> Ran {
    let payload = json!({
        "session_id": "4f1c", "transcript_path": "/nowhere.jsonl", "cwd": dir, "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": cmd}, "tool_use_id": "t1",
    });
    fed(&mut command(home, &["hook", "claude-code", "PreToolUse"]), payload.to_string().as_bytes())
}

#[test]
fn what_a_hook_holds_is_what_the_test_says_and_is_in_the_log() {
    let home = with_rules(RULES);
    let root = repo(&home, "feat");
    let mut expected = Vec::new();
    for cmd in ["terraform apply", "ls -l", "npm install", "git push --force origin main"] {
        let ran = hook(&home, &root, cmd);
        assert_eq!(ran.code, 0, "{ran:?}");
        let said = custos_in(&home, &root, &["guard", "test", "--json", cmd]);
        let said = json_lines(&said.stdout).remove(0);
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
        let decision = answer["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or("silence");
        assert_eq!(said["verdict"], json!(decision), "{cmd}: {ran:?}");
        if decision != "silence" {
            expected.push(json!([said["verdict"], said["rule"], said["reason"], said["part"], cmd]));
        }
    }
    assert_eq!(expected.len(), 3);
    let logged = custos(&home, &["guard", "log", "--json"]);
    let logged: Vec<Value> = json_lines(&logged.stdout)
        .iter()
        .map(|event| &event["body"])
        .map(|body| {
            json!([body["verdict"], body["rule"], body["reason"], body["part"], body["input"]["command"]])
        })
        .collect();
    assert_eq!(logged, expected);
}

#[test]
fn of_a_file_that_breaks_the_last_good_version_stays_in_force() {
    let home = with_rules(RULES);
    // Older than the clock's last tick, so that the hook may rely on its time.
    let past = std::time::SystemTime::now() - std::time::Duration::from_mins(1);
    std::fs::File::options().write(true).open(rules_file(&home)).unwrap().set_modified(past).unwrap();
    hook(&home, home.path(), "ls");
    std::fs::write(rules_file(&home), "deny: [").unwrap();
    let rules = custos(&home, &["guard", "rules"]);
    assert!(rules.stderr.contains("the last good version of this file stays in force"), "{}", rules.stderr);
    assert!(rules.stdout.contains("user.terraform-apply"), "{}", rules.stdout);
    let answer = json(&home, &["guard", "test", "terraform apply"]);
    assert_eq!(answer["rule"], json!("user.terraform-apply"));
    assert_eq!(std::fs::read_to_string(rules_file(&home)).unwrap(), "deny: [");
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
        insta::assert_snapshot!(said.concat(), @r"
        no project is trusted; `custos trust DIR` trusts one
        ~/shop is trusted: its texts are read as yours, and git may be run there without asking
        nothing to change: ~/shop is trusted already
        ~/shop
        ~/shop is no longer trusted
        custos: nowhere: No such file or directory (os error 2)
          give the directory of a project
        ");
    });
    let answer = json(&home, &["trust", "shop"]);
    assert_eq!((&answer["changed"], &answer["trusted"]), (&json!(true), &json!(true)));
    // A project that is gone can still be taken out.
    std::fs::remove_dir_all(&root).unwrap();
    let answer = json(&home, &["trust", "--remove", root.to_str().unwrap()]);
    assert_eq!((&answer["changed"], &answer["trusted"]), (&json!(true), &json!(false)));
}
