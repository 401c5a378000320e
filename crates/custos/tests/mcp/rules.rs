//! The guard's rules through the tools: where they may be written, which of them are shown, and how a person takes one away.

use std::fs;

use rstest::rstest;
use serde_json::{Value, json};

use crate::client::{Client, Machine, make_repo};

fn rule(value: &str) -> Value {
    json!({ "rule_type": "bash_deny", "value": value })
}

#[test]
fn a_rule_begins_no_base_in_another_project() {
    let machine = Machine::with_repo();
    let other = machine.home.path().join("bank");
    make_repo(&other);
    let mut client = machine.serve();
    let mut sent = rule("make deploy");
    sent["project_path"] = json!(other);
    let refusal = client.refused("update_safety", sent);
    assert!(
        refusal.ends_with("Only a person begins one in another project: `custos init` there"),
        "{refusal}"
    );
    let close = json!({
        "safety_rules": [rule("make deploy")], "stopped_at": "a", "summary": "s", "in_progress": "nothing", "next_steps": "n",
        "worklog_entry": "w", "startup_text": "t", "project_path": other,
    });
    let said = client.refused("finalize_close", close);
    assert!(said.contains("- safety_rules[0]: NOT KEPT: there is no knowledge base in "), "{said}");
    assert!(!other.join(".ai").exists());
}

#[test]
fn a_base_that_begins_with_a_rule_is_not_taken_for_foreign() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    client.told("update_safety", rule("make deploy"));
    client.told("save_decision", json!({ "title": "Use UTC", "decision": "d", "reasoning": "r" }));
    let decisions = client.told("decisions", json!({}));
    assert!(decisions.starts_with("## Decisions of repo shop (1)"), "{decisions}");
    // The doctor of the machine judges alike.
    let doctor = machine.run(&["doctor"]);
    let line = doctor.lines().find(|line| line.contains(" trust ")).unwrap();
    assert!(
        machine.anywhere(line).ends_with("HOME/shop/.ai was begun on this machine: its texts are yours"),
        "{line}"
    );
}

#[test]
fn the_rules_of_a_workspace_are_shown_in_its_repos() {
    let machine = Machine::with_workspace();
    machine.serve().told("update_safety", rule("flyctl deploy"));
    let mut client = machine.serve_in(&machine.project().join("api"));
    let rules = machine.anywhere(&client.told("safety", json!({})));
    let line = rules.lines().find(|line| line.contains("flyctl deploy")).unwrap_or(&rules);
    assert!(line.contains("workspace") && line.contains("HOME/shop/.ai/policies/safety.yaml"), "{line}");
    assert!(client.told("context", json!({})).contains("deny flyctl deploy"));
}

#[test]
fn a_guarded_decision_is_among_the_rules() {
    let machine = Machine::with_workspace();
    let mut client = machine.serve();
    let guarded = |tool: &str, scope: &str| {
        json!({
            "title": format!("{tool} is for the pipeline"), "decision": "d", "reasoning": "r", "enforce": "required", "scope": [scope],
            "guard": { "command": format!("{tool} deploy"), "must_block": [format!("{tool} deploy --now")], "must_allow": [format!("{tool} status")] },
        })
    };
    client.told("save_decision", guarded("flyctl", "all"));
    client.told("save_decision", guarded("wrangler", "api"));
    let shown = |client: &mut Client, project: Value| {
        let said = client.call("safety", project);
        let rules = said.data["rules"].as_array().unwrap().clone();
        let decided = rules.into_iter().filter(|row| row["name"].as_str().unwrap().starts_with("decision."));
        decided
            .map(|row| machine.anywhere(&format!("{} {} {}", row["effect"], row["about"], row["origin"])))
            .collect::<Vec<_>>()
    };
    let flyctl = r#""deny" "flyctl deploy: goes against decision D-001: flyctl is for the pipeline" ["workspace HOME/shop/.ai/decisions"]"#;
    let wrangler = r#""deny" "wrangler deploy: goes against decision D-001: wrangler is for the pipeline" ["repo HOME/shop/api/.ai/decisions"]"#;
    assert_eq!(shown(&mut client, json!({})), [flyctl]);
    assert_eq!(shown(&mut client, json!({ "project_path": "api" })), [flyctl, wrangler]);
    let safety = |context: &str| {
        let (_, from) = context.split_once("# Safety\n\n").unwrap();
        from.split_once("\n\n#").unwrap().0.to_owned()
    };
    let told = safety(&client.told("context", json!({})));
    assert!(told.ends_with("Rules beside the built-in ones: deny flyctl deploy: goes against decision D-001: flyctl is for the pipeline"), "{told}");
    // What was told of the workspace is not repeated.
    assert_eq!(
        safety(&client.told("context", json!({ "project_path": "api" }))),
        "Rules beside the built-in ones: deny wrangler deploy: goes against decision D-001: wrangler is for the pipeline"
    );
    // A person sees the same.
    let typed = machine.run(&["guard", "rules", "--show-origin"]);
    assert!(machine.anywhere(&typed).contains("(workspace HOME/shop/.ai/decisions)"), "{typed}");
}

/// Runs a command as a person types it into a shell, in the project.
#[cfg(unix)]
fn typed(machine: &Machine, line: &str) -> (bool, String) {
    let mut shell = machine.home.command("sh");
    let program = std::path::Path::new(crate::client::CUSTOS).parent().unwrap().to_owned();
    let path = std::env::var_os("PATH").unwrap();
    let paths = std::iter::once(program).chain(std::env::split_paths(&path));
    shell.env("PATH", std::env::join_paths(paths).unwrap()).args(["-c", line]).current_dir(machine.project());
    let output = shell.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (output.status.success(), said)
}

#[cfg(unix)]
#[rstest]
#[case::repo(Machine::with_repo(), json!([]), "custos guard remove 'it'\\''s' --level repo")]
#[case::workspace(Machine::with_workspace(), json!([]), "custos guard remove 'it'\\''s' --level workspace")]
#[case::directory(Machine::with_directory(), json!([]), "custos guard remove 'it'\\''s' --level workspace")]
#[case::of_a_repo(Machine::with_workspace(), json!(["api"]), "cd 'HOME/shop/api' && custos guard remove 'it'\\''s' --level repo")]
#[case::mine(Machine::with_repo(), json!(["user"]), "custos guard remove 'it'\\''s' --level user")]
fn the_command_that_takes_a_rule_away_works_as_it_is_printed(
    #[case] machine: Machine,
    #[case] scope: Value,
    #[case] command: &str,
) {
    let mut client = machine.serve();
    let sent = json!({ "rule_type": "git_protected_branch", "value": "it's", "scope": scope });
    client.told("update_safety", sent.clone());
    // Whoever asks for it to go may have forgotten where it stands.
    for scope in [scope.clone(), json!([])] {
        if scope == json!([]) && command.starts_with("cd ") {
            continue;
        }
        let sent = json!({ "rule_type": "git_protected_branch", "value": "it's", "scope": scope, "action": "remove" });
        let refusal = client.refused("update_safety", sent);
        let (_, printed) = refusal.split_once("Ask the person to run: ").unwrap();
        assert_eq!(machine.anywhere(printed), command);
    }
    let refusal = client.refused(
        "update_safety",
        json!({ "rule_type": "git_protected_branch", "value": "it's", "scope": scope, "action": "remove" }),
    );
    let (_, printed) = refusal.split_once("Ask the person to run: ").unwrap();
    let (is_done, said) = typed(&machine, printed);
    assert!(is_done && said.contains("no longer in the rules"), "{printed}: {said}");
}

#[test]
fn a_rule_with_a_secret_in_it_is_refused() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let refusal = client.refused("update_safety", rule(&format!("curl -u {token}")));
    assert_eq!(
        refusal,
        "value has a secret in it, which is not kept, and without it the rule would hold nothing. Send a pattern that does without it (`*` stands for any word); nothing was changed"
    );
    assert!(!machine.project().join(".ai").exists());
    assert_eq!(fs::read_dir(machine.project()).unwrap().count(), 1);
}

#[rstest]
#[case::everything("fs_deny", "/", "the whole project", "deny-path '/'")]
#[case::any_name("fs_deny", "*", "the whole project", "deny-path '*'")]
#[case::any_path("fs_deny", "**", "the whole project", "deny-path '**'")]
#[case::any_path_from_the_root("fs_deny", "/**", "the whole project", "deny-path '/**'")]
#[case::home("fs_deny", "~", "the whole home directory", "deny-path '~'")]
#[case::what_is_at_home("fs_readonly", "~/**", "the whole home directory", "read-only '~/**'")]
#[case::every_branch("git_protected_branch", "*", "every branch", "protect '*'")]
fn an_agent_cannot_close_everything(
    #[case] rule_type: &str,
    #[case] value: &str,
    #[case] whole: &str,
    #[case] command: &str,
) {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let wanted = format!(
        "`{value}` is {whole}, which only a person may close to agents; nothing was changed. Name the part that is meant; if it is all of it, ask the person to run: custos guard add {command} --level"
    );
    for (scope, level) in [(json!([]), "repo"), (json!(["user"]), "user")] {
        let sent = json!({ "rule_type": rule_type, "value": value, "scope": scope });
        assert_eq!(client.refused("update_safety", sent), format!("{wanted} {level}"));
    }
    let close = json!({
        "safety_rules": [{ "rule_type": rule_type, "value": value }], "stopped_at": "a", "summary": "s", "in_progress": "nothing",
        "next_steps": "n", "worklog_entry": "w", "startup_text": "t",
    });
    let said = client.told("finalize_close", close);
    assert!(said.contains(&format!("- safety_rules[0]: NOT KEPT: {wanted} repo")), "{said}");
    let rules = machine.project().join(".ai/policies/safety.yaml");
    assert!(!rules.exists());
    // The person may.
    let typed: Vec<&str> = command.split(' ').map(|word| word.trim_matches('\'')).collect();
    machine.run(&[&["guard", "add"], &typed[..], &["--level", "repo"]].concat());
    assert!(fs::read_to_string(rules).unwrap().contains(value));
}

#[test]
fn a_project_is_not_closed_by_its_path_either() {
    let machine = Machine::with_workspace();
    let api = machine.project().join("api");
    let mut client = machine.serve_in(&api);
    let refused = |client: &mut Client, value: String| {
        client.refused("update_safety", json!({ "rule_type": "fs_deny", "value": value }))
    };
    let home = machine.home.path().canonicalize().unwrap();
    for (path, whole) in [(api.clone(), "project"), (machine.project(), "project"), (home, "home directory")]
    {
        for end in ["", "/", "/**"] {
            let refusal = refused(&mut client, format!("{}{end}", path.display()));
            let told = format!("` is the whole {whole}, which only a person may close");
            assert!(refusal.contains(&told), "{refusal}");
        }
    }
    // A part of it may be closed, and of a workspace one of its repos.
    client.told("update_safety", json!({ "rule_type": "fs_deny", "value": api.join("secrets/**") }));
    let mut above = machine.serve();
    above.told("update_safety", json!({ "rule_type": "fs_readonly", "value": "api/**" }));
}

/// What Claude Code's hook says about a command in the project; an empty text for silence.
fn hooked(machine: &Machine, command: &str) -> String {
    let payload = json!({
        "session_id": "4f1c", "transcript_path": "/nowhere.jsonl", "cwd": machine.project(), "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": "t1",
    });
    machine.fed(&["hook", "claude-code", "PreToolUse"], &payload.to_string())
}

#[test]
fn what_is_added_holds_and_what_would_hold_nothing_is_refused() {
    let machine = Machine::with_repo();
    let mut client = machine.serve();
    let sent = |rule_type: &str, value: &str| json!({ "rule_type": rule_type, "value": value });
    let taken =
        |value: &str| format!("Note: value was taken as {value}: what stood around it is no part of it.");
    for (rule_type, value, kept, command) in [
        ("bash_deny", "sudo", "sudo", "sudo apt-get install jq"),
        ("bash_deny", "`yarn deploy`", "yarn deploy", "yarn deploy"),
        ("bash_deny", "$ \"yarn ship\"", "yarn ship", "yarn ship --now"),
        ("fs_readonly", "'gen'", "gen", "touch gen/x"),
        ("git_protected_branch", "refs/heads/prod", "prod", "git push origin prod"),
    ] {
        assert_eq!(hooked(&machine, command), "", "{command}");
        let said = client.told("update_safety", sent(rule_type, value));
        let (first, note) = said.split_once('\n').unwrap_or((&said, ""));
        assert_eq!(first, format!("{rule_type} added: {kept} · repo (shop)"));
        assert_eq!(note, if value == kept { String::new() } else { taken(kept) });
        assert!(hooked(&machine, command).contains("\"deny\""), "{command}");
    }
    for (rule_type, value, why) in [
        ("bash_deny", "npm publish.*", "`.*` is of a regular expression"),
        ("bash_deny", "CI=1 make", "leave `CI=1` out"),
        ("fs_deny", "gen3, gen4", "add each by itself"),
        ("git_protected_branch", "origin/release", "a push names the branch alone: `release`"),
    ] {
        let refusal = client.refused("update_safety", sent(rule_type, value));
        assert!(refusal.contains(why) && refusal.contains("nothing was changed"), "{refusal}");
    }
    let close = json!({
        "safety_rules": [sent("bash_deny", "doas"), sent("bash_deny", "^kubectl delete")], "stopped_at": "a", "summary": "s",
        "in_progress": "nothing", "next_steps": "n", "worklog_entry": "w", "startup_text": "t",
    });
    let said = client.told("finalize_close", close);
    assert!(said.contains("- safety_rules[0]: kept: bash_deny added: doas"), "{said}");
    assert!(said.contains("- safety_rules[1]: NOT KEPT: `^kubectl delete`: `^` is of a regular"), "{said}");
}
