//! Asking the guard, as typed: `custos guard test` and `custos guard log`.

use std::path::PathBuf;

use custos_testkit::TempHome;
use serde_json::{Value, json};

use crate::shell::{Ran, append, command, custos, fed, home, json, json_lines, settings};

/// A rules file as people write it.
pub(crate) const RULES: &str = "\
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

pub(crate) fn rules_file(home: &TempHome) -> PathBuf {
    home.config_dir().join("policies/safety.yaml")
}

pub(crate) fn with_rules(text: &str) -> TempHome {
    let home = home();
    std::fs::create_dir_all(rules_file(&home).parent().unwrap()).unwrap();
    std::fs::write(rules_file(&home), text).unwrap();
    home
}

/// A repo on a branch, below the home.
pub(crate) fn repo(home: &TempHome, branch: &str) -> PathBuf {
    let root = home.path().join("shop");
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::write(root.join(".git/HEAD"), format!("ref: refs/heads/{branch}\n")).unwrap();
    root
}

pub(crate) fn custos_in(home: &TempHome, dir: &std::path::Path, arguments: &[&str]) -> Ran {
    fed(command(home, arguments).current_dir(dir), b"")
}

/// Has Claude Code's hook judge a command, and gives its answer.
pub(crate) fn hook(home: &TempHome, dir: &std::path::Path, cmd: &str) -> Ran {
    let payload = json!({
        "session_id": "4f1c", "transcript_path": "/nowhere.jsonl", "cwd": dir, "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": cmd}, "tool_use_id": "t1",
    });
    fed(&mut command(home, &["hook", "claude-code", "PreToolUse"]), payload.to_string().as_bytes())
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
        ");
    });
    let newest = json_lines(&custos(&home, &["guard", "log", "-n", "2", "--json"]).stdout);
    let kinds: Vec<&str> = newest.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["permission.decided", "tool.denied"]);
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
