//! The guard as clients meet it: what is held, in each client's own words, and what is left alone.

use std::fs;

use rstest::rstest;
use serde_json::{Value, json};

use crate::desk::{CUSTOS, Desk, Ran, silence, with, without};

const CLAUDE: &str = "claude-code";

/// Held by every client's hook, with the rule's id in the reason.
const PUSH: &str = "git push --force origin main";
const PUSH_RULE: &str = "(rule git.force-push)";

/// A rule of the person's own, so that the words of an answer are known to the letter.
const OWN_RULES: &str = "deny:\n  commands:\n    - {run: deploy now, id: my.deploy, reason: is for the pipeline}\n\
                         ask:\n  commands:\n    - {run: deploy soon, id: my.soon, reason: is for the pipeline}\n";
const DENIAL: &str = "Custos denies `deploy now`: it is for the pipeline (rule my.deploy).";
const QUESTION: &str = "Custos asks about `deploy soon`: it is for the pipeline (rule my.soon).";

/// A recorded call of a client's shell, with another command in it.
pub(crate) fn shell(desk: &Desk, client: &str, command: &str) -> (&'static str, Value) {
    let (event, fixture, field) = match client {
        "claude-code" | "codex" => ("PreToolUse", "PreToolUse.Bash", "/tool_input/command"),
        "gemini" => ("BeforeTool", "BeforeTool.run_shell_command", "/tool_input/command"),
        "copilot" => ("preToolUse", "preToolUse.bash", "/toolArgs/command"),
        "opencode" => ("tool.execute.before", "tool.execute.before.bash", "/output/args/command"),
        "cursor" => ("preToolUse", "preToolUse.Shell", "/tool_input/command"),
        other => panic!("nothing was recorded of a shell of {other}"),
    };
    let mut payload = desk.fixture(client, fixture);
    *payload.pointer_mut(field).unwrap() = json!(command);
    (event, payload)
}

/// Has a command judged before it runs.
pub(crate) fn judged(desk: &Desk, client: &str, command: &str) -> Ran {
    let (event, payload) = shell(desk, client, command);
    desk.hook(client, event, payload.to_string())
}

/// A request for permission of Claude Code.
fn request(desk: &Desk, command: &str) -> Ran {
    let fixture = desk.fixture(CLAUDE, "PermissionRequest.Bash");
    let payload = with(fixture, json!({ "tool_input": { "command": command } }));
    desk.hook(CLAUDE, "PermissionRequest", payload.to_string())
}

/// What an answer says.
pub(crate) fn said(ran: &Ran) -> Value {
    assert_eq!(ran.stderr, "");
    serde_json::from_str(&ran.stdout).unwrap_or_default()
}

/// Claude Code's decision before a tool, with its reason; two empty texts for silence.
pub(crate) fn decision(ran: &Ran) -> (String, String) {
    let said = said(ran);
    let text = |name: &str| said["hookSpecificOutput"][name].as_str().unwrap_or_default().to_owned();
    (text("permissionDecision"), text("permissionDecisionReason"))
}

fn rules_of(desk: &Desk, kind: &str) -> Vec<Value> {
    desk.events_of(kind).iter().map(|event| event["body"]["rule"].clone()).collect()
}

#[rstest]
#[case::claude_code("claude-code", 0, json!({ "hookSpecificOutput": {
    "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": DENIAL } }))]
#[case::codex("codex", 0, json!({ "hookSpecificOutput": {
    "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": DENIAL } }))]
#[case::gemini("gemini", 0, json!({ "decision": "deny", "reason": DENIAL }))]
#[case::copilot("copilot", 0, json!({ "permissionDecision": "deny", "permissionDecisionReason": DENIAL }))]
#[case::opencode("opencode", 0, json!({ "deny": DENIAL }))]
#[case::cursor("cursor", 2, json!({ "permission": "deny", "user_message": DENIAL, "agent_message": DENIAL }))]
fn a_denial_is_said_as_the_client_obeys_it(#[case] client: &str, #[case] code: i32, #[case] answer: Value) {
    let desk = Desk::new();
    desk.put(".config/ai/policies/safety.yaml", OWN_RULES);
    assert_eq!(judged(&desk, client, "echo hi"), silence());
    let ran = judged(&desk, client, "deploy now");
    assert_eq!((ran.code, said(&ran)), (code, answer));
    let events = desk.events_of("tool.denied");
    assert_eq!(events.len(), 1);
    let body = &events[0]["body"];
    assert_eq!(
        (&events[0]["outcome"], &body["by"], &body["verdict"], &body["rule"], &body["part"]),
        (&json!("denied"), &json!("guard"), &json!("deny"), &json!("my.deploy"), &json!("deploy now"))
    );
}

#[rstest]
fn a_built_in_rule_holds_in_every_client(
    #[values("claude-code", "codex", "gemini", "copilot", "opencode", "cursor")] client: &str,
) {
    let desk = Desk::new();
    for (command, rule) in [(PUSH, "git.force-push"), ("rm -fr ~", "files.delete-home")] {
        let ran = judged(&desk, client, command);
        assert!(ran.stdout.contains(&format!("(rule {rule})")), "{command}: {ran:?}");
    }
    assert_eq!(rules_of(&desk, "tool.denied"), ["git.force-push", "files.delete-home"]);
}

#[test]
fn a_question_is_asked_where_the_client_can_and_is_a_denial_with_a_way_through_elsewhere() {
    for client in ["claude-code", "copilot"] {
        let desk = Desk::new();
        desk.put(".config/ai/policies/safety.yaml", OWN_RULES);
        let answer = said(&judged(&desk, client, "deploy soon"));
        let answer = answer.get("hookSpecificOutput").unwrap_or(&answer);
        assert_eq!(
            (&answer["permissionDecision"], &answer["permissionDecisionReason"]),
            (&json!("ask"), &json!(QUESTION)),
            "{client}"
        );
        assert_eq!(rules_of(&desk, "tool.asked"), ["my.soon"], "{client}");
    }
    for (client, reason) in [
        ("codex", "/hookSpecificOutput/permissionDecisionReason"),
        ("gemini", "/reason"),
        ("opencode", "/deny"),
        ("cursor", "/agent_message"),
    ] {
        let desk = Desk::new();
        desk.put(".config/ai/policies/safety.yaml", OWN_RULES);
        let answer = said(&judged(&desk, client, "deploy soon"));
        let reason = answer.pointer(reason).and_then(Value::as_str).unwrap();
        let denial = QUESTION.replace("asks about", "denies");
        assert!(reason.starts_with(&denial), "{client}: {reason}");
        assert!(
            reason.ends_with("the person can run: custos guard add allow 'deploy soon'"),
            "{client}: {reason}"
        );
        assert!(!answer.to_string().contains("\"ask\""), "{client} would let it run: {answer}");
        assert_eq!(rules_of(&desk, "tool.denied"), ["my.soon"], "{client}");
    }
}

#[test]
fn the_way_through_that_is_named_lets_the_call_pass() {
    for command in ["cat /srv/shop/.env", "git reset --hard", "git commit --no-verify -m x"] {
        let desk = Desk::new();
        let (_, reason) = decision(&judged(&desk, "codex", command));
        let (_, way) = reason.split_once("the person can run: custos ").unwrap_or_else(|| panic!("{reason}"));
        // As the person's shell would read it.
        let mut person = desk.program("/bin/sh");
        person.args(["-c", &format!("'{CUSTOS}' {way}")]);
        assert!(person.output().unwrap().status.success(), "{way}");
        assert_eq!(judged(&desk, "codex", command), silence(), "{command}: {way}");
    }
}

#[test]
fn a_payload_that_cannot_be_read_is_a_question() {
    let desk = Desk::new();
    let payload = desk.fixture(CLAUDE, "PreToolUse.Bash");
    let broken = ["", "not JSON", "[]", "{\"tool_name\":"].map(str::to_owned);
    let incomplete = ["tool_name", "tool_input", "session_id", "cwd"]
        .map(|field| without(payload.clone(), field).to_string());
    for payload in broken.iter().chain(&incomplete) {
        let ran = desk.hook(CLAUDE, "PreToolUse", payload);
        let (decision, reason) = decision(&ran);
        assert_eq!((ran.code, decision.as_str()), (0, "ask"), "{payload}");
        assert!(reason.starts_with("Custos could not judge this call, because "), "{reason}");
        // The person is being asked already.
        assert_eq!(desk.hook(CLAUDE, "PermissionRequest", payload), silence(), "{payload}");
    }
    // A client that cannot ask must not run what nobody understood.
    assert_eq!(decision(&desk.hook("codex", "PreToolUse", "not JSON")).0, "deny");
    assert_eq!(desk.hook("cursor", "preToolUse", "not JSON").code, 2);
}

#[rstest]
#[case("COPILOT_CLI", "1")]
#[case("CURSOR_VERSION", "2026.10.01")]
fn a_variable_does_not_switch_the_guard_off(#[case] name: &'static str, #[case] value: &str) {
    let mut desk = Desk::new();
    desk.set(name, value);
    let (decision, reason) = decision(&judged(&desk, CLAUDE, PUSH));
    assert_eq!(decision, "deny");
    assert!(reason.contains(PUSH_RULE), "{reason}");
    assert!(request(&desk, PUSH).stdout.contains(PUSH_RULE));
    assert_eq!(judged(&desk, CLAUDE, "echo hi"), silence());
    assert_eq!(desk.home.every_file().unwrap(), [], "the other client's own entry records");
}

#[test]
fn after_three_denials_of_a_rule_the_agent_is_told_to_stop() {
    let desk = Desk::new();
    let insists = |command: &str| {
        let (decision, reason) = decision(&judged(&desk, CLAUDE, command));
        assert_eq!(decision, "deny", "{command}");
        reason.contains("stop trying other spellings, and ask the person")
    };
    assert!(!insists(PUSH) && !insists("git push -f origin main"));
    assert!(!insists("rm -fr ~"), "another rule has a count of its own");
    assert!(insists("git push origin +main --force"));
    assert!(insists(PUSH));
    let other = with(shell(&desk, CLAUDE, PUSH).1, json!({ "session_id": "another" }));
    let (_, reason) = decision(&desk.hook(CLAUDE, "PreToolUse", other.to_string()));
    assert!(!reason.contains("stop trying"), "another session has a count of its own: {reason}");
}

#[test]
fn tools_of_others_are_judged_by_what_they_are_given() {
    let desk = Desk::new();
    let call = |tool: &str, input: Value| {
        let fixture = desk.fixture(CLAUDE, "PreToolUse.mcp__tiny__echo");
        let payload = with(fixture, json!({ "tool_name": tool, "tool_input": input }));
        desk.hook(CLAUDE, "PreToolUse", payload.to_string())
    };
    assert_eq!(call("mcp__tiny__echo", json!({ "text": PUSH })), silence(), "a text is no command");
    assert_eq!(call("mcp__files__read_file", json!({ "path": "README.md" })), silence());
    for (tool, input, rule) in [
        ("mcp__files__read_file", json!({ "path": "~/.ssh/id_ed25519" }), "secret.read"),
        ("mcp__files__read_many", json!({ "paths": ["README.md", "~/.aws/credentials"] }), "secret.read"),
        ("mcp__files__write_file", json!({ "path": "/etc/hosts", "content": "x" }), "system.write"),
        ("mcp__terminal__run", json!({ "command": PUSH }), "git.force-push"),
    ] {
        let (decision, reason) = decision(&call(tool, input));
        assert_eq!(decision, "deny", "{tool}: {reason}");
        assert!(reason.contains(&format!("(rule {rule})")), "{tool}: {reason}");
    }
}

#[test]
fn a_patch_is_judged_by_the_files_that_it_names() {
    let desk = Desk::new();
    let patched = |files: &[&str]| {
        let parts: String =
            files.iter().map(|file| format!("*** Update File: {file}\n@@\n-a\n+b\n")).collect();
        let patch = format!("*** Begin Patch\n{parts}*** End Patch\n");
        let fixture = desk.fixture("codex", "PreToolUse.apply_patch");
        // Outside of the directory for temporary files, in which the desk is.
        let payload = with(fixture, json!({ "cwd": "/srv/shop", "tool_input": { "command": patch } }));
        decision(&desk.hook("codex", "PreToolUse", payload.to_string()))
    };
    assert_eq!(patched(&["a.txt", "src/b.rs", ".env.example"]).0, "");
    for (files, rule) in [
        (&["a.txt", ".env"][..], "secret.env-file"),
        (&["../../etc/passwd"], "system.write"),
        (&[".git/hooks/pre-commit"], "persist.git-hook"),
        (&[".codex/hooks.json"], "own.registration"),
    ] {
        let (decision, reason) = patched(files);
        assert_eq!(decision, "deny", "{files:?}: {reason}");
        assert!(reason.contains(&format!("(rule {rule})")), "{files:?}: {reason}");
    }
}

#[rstest]
#[case("gemini", "/tool_input", "dir_path")]
#[case("opencode", "/output/args", "workdir")]
#[case("cursor", "/tool_input", "cwd")]
fn the_directory_that_a_shell_is_given_counts(
    #[case] client: &str,
    #[case] input: &str,
    #[case] field: &str,
) {
    let desk = Desk::new();
    let held = |dir: &str| {
        let (event, mut payload) = shell(&desk, client, "rm -rf ./*");
        payload.pointer_mut(input).unwrap()[field] = json!(dir);
        desk.hook(client, event, payload.to_string()).stdout
    };
    assert_eq!(held("build"), "");
    assert!(held("/etc").contains("(rule files.delete-system)"), "{}", held("/etc"));
    let home = desk.project().parent().unwrap().to_str().unwrap().to_owned();
    assert!(held(&home).contains("(rule files.delete-home)"), "{}", held(&home));
}

#[test]
fn a_request_for_permission_is_answered_only_where_the_answer_is_certain() {
    let desk = Desk::new();
    let decided = |command: &str| said(&request(&desk, command))["hookSpecificOutput"]["decision"].clone();
    for command in ["ls -la src", "cat README.md", "grep -n todo README.md | head -5"] {
        assert_eq!(decided(command), json!({ "behavior": "allow" }), "{command}");
    }
    let denied = decided(PUSH);
    assert_eq!(denied["behavior"], "deny");
    assert!(denied["message"].as_str().unwrap().contains(PUSH_RULE), "{denied}");
    for command in ["npm install", "cat \"$FILE\"", "cat .env", "git status", "make", "ls > list.txt"] {
        assert_eq!(request(&desk, command), silence(), "{command} is for the person to decide");
    }
    let verdicts: Vec<Value> =
        desk.events_of("permission.decided").iter().map(|event| event["body"]["verdict"].clone()).collect();
    assert_eq!(verdicts, ["allow", "allow", "allow", "deny"]);
}

#[test]
fn without_triage_nothing_is_allowed_and_danger_is_still_denied() {
    let desk = Desk::new();
    desk.put(".config/ai/config.yaml", "guard:\n  triage: false\n");
    assert_eq!(request(&desk, "ls"), silence());
    assert!(request(&desk, PUSH).stdout.contains("\"deny\""));
}

#[test]
fn switched_off_it_says_nothing_and_tools_are_recorded_as_ever() {
    let desk = Desk::new();
    desk.put(".config/ai/config.yaml", "guard:\n  enabled: false\n");
    for command in [PUSH, "rm -fr ~", "ls"] {
        assert_eq!(judged(&desk, CLAUDE, command), silence(), "{command}");
        assert_eq!(request(&desk, command), silence(), "{command}");
    }
    assert_eq!(desk.hook(CLAUDE, "PreToolUse", "not JSON"), silence());
    desk.play(CLAUDE, &["PostToolUse.Bash"]);
    assert_eq!((desk.events_of("tool.denied").len(), desk.events_of("tool.used").len()), (0, 1));
    // A project cannot do that.
    fs::remove_file(desk.put(".config/ai/config.yaml", "")).unwrap();
    desk.put("project/.ai/config.yaml", "guard:\n  enabled: false\n");
    assert_eq!(decision(&judged(&desk, CLAUDE, PUSH)).0, "deny");
}

#[test]
fn sixty_four_requests_at_once_get_sixty_four_right_answers() {
    let desk = Desk::new();
    std::thread::scope(|scope| {
        for n in 0..64 {
            let desk = &desk;
            scope.spawn(move || {
                let (command, behavior) = match n % 2 {
                    0 => (format!("cat notes-{n}.txt"), "allow"),
                    _ => (format!("git push --force origin main # {n}"), "deny"),
                };
                let ran = request(desk, &command);
                assert_eq!(
                    said(&ran)["hookSpecificOutput"]["decision"]["behavior"],
                    behavior,
                    "{command}: {ran:?}"
                );
            });
        }
    });
    desk.settle();
    let events = desk.events_of("permission.decided");
    let of = |verdict: &str| events.iter().filter(|event| event["body"]["verdict"] == verdict).count();
    assert_eq!((of("allow"), of("deny"), events.len()), (32, 32, 64));
    desk.verify();
}
