//! Telling the guard what to hold, as typed: `custos guard rules`, `add`, `remove`, and `custos trust`.

use serde_json::{Value, json};

use crate::guard::{RULES, custos_in, hook, repo, rules_file, with_rules};
use crate::shell::{custos, home, json, json_lines, settings};

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
        insta::assert_snapshot!(missing.stderr, @r"custos: ~/.config/ai/policies/safety.yaml: nothing there is called `user.make-deploy`; `custos guard rules --show-origin` shows what is where");
    });
}

#[test]
fn a_rule_about_everything_is_added_with_a_warning() {
    let home = home();
    let root = repo(&home, "feat");
    let whole = root.display().to_string();
    let entries = [
        (["deny-path", "**"], "the whole project"),
        (["read-only", &whole], "the whole project"),
        (["deny-path", "~/*"], "the whole project"),
        (["protect", "*"], "every branch"),
    ];
    for (entry, what) in entries {
        let ran = custos_in(&home, &root, &[&["guard", "add"], &entry[..], &["--level", "repo"]].concat());
        let warned = format!("warning: this is {what}: agents can no longer work with it\n");
        assert_eq!((ran.code, ran.stderr), (0, warned), "{entry:?}");
        assert!(ran.stdout.starts_with("now in the rules of the repo: "), "{}", ran.stdout);
    }
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
        insta::assert_snapshot!(rules.stderr, @r"warning: ~/.config/ai/policies/safety.yaml:3:4: this is not usable as rules: illegal placement of ':' indicator. Until that is corrected, none of its rules apply, only the built-in ones and those of other files");
        insta::assert_snapshot!(add.stderr, @r"custos: ~/.config/ai/policies/safety.yaml:3:4: this is not usable as rules: illegal placement of ':' indicator; nothing was changed: correct it first");
        insta::assert_snapshot!(check["found"].as_str().unwrap(), @r"~/.config/ai/policies/safety.yaml:3:4: this is not usable as rules: illegal placement of ':' indicator. Until that is corrected, none of its rules apply, only the built-in ones and those of other files");
    });
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

/// The changes that the log holds, the oldest first.
fn updates(home: &custos_testkit::TempHome) -> Vec<Value> {
    let log = custos(home, &["log", "tail", "--kind", "policy.updated", "--json"]);
    assert_eq!((log.code, log.stderr.as_str()), (0, ""), "{log:?}");
    json_lines(&log.stdout)
}

#[test]
fn what_changes_the_rules_or_the_trust_is_in_the_log() {
    let home = home();
    let root = repo(&home, "feat");
    let steps: [&[&str]; 9] = [
        &["guard", "add", "deny", "make deploy"],
        // Nothing changes, and nothing is recorded.
        &["guard", "add", "deny", "make deploy"],
        &["guard", "add", "ask-path", "db/**", "--op", "write", "--level", "repo"],
        &["guard", "add", "rule", "git.force-push=ask"],
        &["guard", "remove", "user.make-deploy"],
        &["trust"],
        &["trust"],
        &["trust", "--list"],
        &["trust", "--remove", "."],
    ];
    for step in steps {
        let ran = custos_in(&home, &root, step);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{step:?}");
    }
    let told = updates(&home);
    let path = root.to_str().unwrap();
    let body = |change, level, list, value| -> Value {
        json!({"change": change, "level": level, "list": list, "value": value, "by": "command line"})
    };
    let bodies: Vec<&Value> = told.iter().map(|event| &event["body"]).collect();
    assert_eq!(
        bodies,
        [
            &body("added", "user", "deny", "make deploy"),
            &body("added", "repo", "ask-path", "db/**"),
            &body("added", "user", "rule", "git.force-push=ask"),
            &body("removed", "user", "deny", "make deploy"),
            &body("added", "user", "trust", path),
            &body("removed", "user", "trust", path),
        ]
    );
    let scopes: Vec<&Value> = told.iter().map(|event| &event["scope"]).collect();
    assert_eq!(scopes, ["user", "project", "user", "user", "user", "user"]);
    assert!(told.iter().all(|event| event["origin"] == "cli"), "{told:?}");
    let of_project: Vec<&Value> =
        told.iter().filter(|event| event["project"].is_string()).map(|event| &event["branch"]).collect();
    assert_eq!(of_project, ["feat"], "only the repo's rules belong to a project");
}

#[test]
fn a_change_that_cannot_be_recorded_is_made_and_that_is_said() {
    let home = home();
    let root = repo(&home, "feat");
    // Where the log would be is a file.
    std::fs::create_dir_all(home.config_dir().join("memory")).unwrap();
    std::fs::write(home.config_dir().join("memory/log"), "").unwrap();
    let added = custos(&home, &["guard", "add", "deny", "make deploy"]);
    let removed = custos(&home, &["guard", "remove", "make deploy"]);
    let trusted = custos_in(&home, &root, &["trust"]);
    let no_more = custos_in(&home, &root, &["trust", "--remove", "."]);
    for ran in [&added, &removed, &trusted, &no_more] {
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(
            ran.stderr.starts_with("warning: the change was made, but is not in the log: ")
                && ran.stderr.lines().count() == 1,
            "{}",
            ran.stderr
        );
    }
    assert!(added.stdout.starts_with("now in the rules of the user: deny make deploy"), "{added:?}");
    assert!(no_more.stdout.ends_with("is no longer trusted\n"), "{no_more:?}");
}

#[test]
fn of_several_lists_one_is_named() {
    let rules =
        "deny:\n  commands: [make deploy] # never\nallow:\n  commands:\n    - make deploy # Fridays\n";
    let home = with_rules(rules);
    let unclear = custos(&home, &["guard", "remove", "make deploy"]);
    let other = custos(&home, &["guard", "remove", "make deploy", "--list", "ask"]);
    assert_eq!(std::fs::read_to_string(rules_file(&home)).unwrap(), rules);
    let removed = custos(&home, &["guard", "remove", "make deploy", "--list", "allow"]);
    assert_eq!([&unclear, &other, &removed].map(|ran| ran.code), [64, 66, 0]);
    assert_eq!(
        std::fs::read_to_string(rules_file(&home)).unwrap(),
        "deny:\n  commands: [make deploy] # never\nallow:\n  commands:\n"
    );
    settings(&home).bind(|| {
        insta::assert_snapshot!(unclear.stderr, @r"
        custos: ~/.config/ai/policies/safety.yaml: `make deploy` stands in several lists; nothing was changed
          it stands in deny, allow: name the one that is meant with --list
        ");
        insta::assert_snapshot!(other.stderr, @r"
        custos: ~/.config/ai/policies/safety.yaml: `make deploy` does not stand in that list; nothing was changed
          it stands in deny, allow: name the one that is meant with --list
        ");
        insta::assert_snapshot!(removed.stdout, @r"
        no longer in the rules of the user: allow make deploy
          ~/.config/ai/policies/safety.yaml
             5 -     - make deploy # Fridays
        nothing of it is in force any more
        ");
    });
    let told: Vec<Value> = updates(&home).iter().map(|event| event["body"]["list"].clone()).collect();
    assert_eq!(told, [json!("allow")]);
    // Of one that is left, nobody has to name the list.
    assert_eq!(custos(&home, &["guard", "remove", "make deploy"]).code, 0);
}

#[test]
fn a_base_that_begins_with_a_rule_is_whole_and_ones_own() {
    let home = home();
    let root = repo(&home, "feat");
    // What is refused begins nothing.
    let refused = custos_in(&home, &root, &["guard", "add", "allow", "make deploy", "--level", "repo"]);
    assert_eq!(refused.code, 65, "{refused:?}");
    assert!(!root.join(".ai").exists());
    let added = custos_in(&home, &root, &["guard", "add", "deny", "make deploy", "--level", "repo"]);
    assert_eq!(added.code, 0, "{added:?}");
    let mut there: Vec<_> =
        std::fs::read_dir(root.join(".ai")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    there.sort();
    assert_eq!(there, [".gitignore", "local", "policies"]);
    let text = ["decisions", "add", "--title", "Use UTC", "--decision", "d", "--reasoning", "r"];
    assert_eq!(custos_in(&home, &root, &text).code, 0);
    let doctor = custos_in(&home, &root, &["doctor"]).stdout;
    let line = doctor.lines().find(|line| line.contains(" trust ")).unwrap();
    assert!(line.ends_with("/shop/.ai was begun on this machine: its texts are yours"), "{line}");
}
