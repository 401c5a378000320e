//! `custos fixtures`, as typed.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Stdio;

use custos_testkit::TempHome;
use serde_json::{Value, json};

use crate::shell::{Ran, command, custos, fed, home, settings};

const PROGRAM: &str = env!("CARGO_BIN_EXE_custos");

fn payload(file: &str) -> Vec<u8> {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../custos-clients/fixtures");
    std::fs::read(format!("{fixtures}/{file}.json")).unwrap()
}

/// Writes a hook command that is a shell script, and gives its path.
fn script(home: &TempHome, name: &str, text: &str) -> String {
    let path = home.path().join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Records a case below `cases` in the home.
fn record(home: &TempHome, options: &[&str], hook: &[&str], question: &[u8]) -> Ran {
    let arguments = [&["fixtures", "record", "--to", "cases"], options, &["--"], hook].concat();
    fed(&mut command(home, &arguments), question)
}

fn case(home: &TempHome, name: &str, file: &str) -> PathBuf {
    home.path().join("cases").join(name).join(file)
}

fn read_json(home: &TempHome, name: &str, file: &str) -> Value {
    serde_json::from_slice(&std::fs::read(case(home, name, file)).unwrap()).unwrap()
}

fn silent(code: i32, stdout: &str) -> Ran {
    Ran { code, stdout: stdout.to_owned(), stderr: String::new() }
}

const DENY: &str = r#"cat > /dev/null; echo '{"permissionDecision":"deny","permissionDecisionReason":"no"}'"#;

#[test]
fn a_recorded_case_is_replayed_and_a_changed_expectation_is_found() {
    let home = home();
    let hook = script(&home, "hook.sh", DENY);
    let said = "{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"no\"}\n";
    let question = payload("copilot/preToolUse.bash");
    assert_eq!(
        record(&home, &["--name", "deny"], &[&hook, "hook", "copilot", "preToolUse"], &question),
        silent(0, said)
    );
    let heading = std::fs::read_to_string(case(&home, "deny", "case.yaml")).unwrap();
    settings(&home).bind(|| {
        insta::assert_snapshot!(heading, @r#"
name: deny
schema: "1.0.0"
client: copilot
event: preToolUse
recorded: "TIME"
exit: 0
command:
- ~/hook.sh
- hook
- copilot
- preToolUse
volatile:
- pattern: time
- pattern: id
"#);
    });
    let asked: Value = serde_json::from_slice(&question).unwrap();
    assert_eq!(read_json(&home, "deny", "stdin.json"), asked);
    let expected =
        json!({"exit": 0, "stdout": {"permissionDecision": "deny", "permissionDecisionReason": "no"}});
    assert_eq!(read_json(&home, "deny", "expected.json"), expected);
    let replayed = custos(&home, &["fixtures", "replay", "cases"]);
    insta::assert_snapshot!(replayed.stdout, @r#"
deny  same
1 case: 1 the same, 0 not
"#);
    assert_eq!(replayed.code, 0);

    let changed = json!({"exit": 2, "stdout": {"permissionDecision": "allow", "systemMessage": "x"}});
    std::fs::write(case(&home, "deny", "expected.json"), changed.to_string()).unwrap();
    let replayed = custos(&home, &["fixtures", "replay", "cases"]);
    insta::assert_snapshot!(replayed.stdout, @r#"
deny  differs
  exit
    recorded  2
    now       0
  $.permissionDecision
    recorded  "allow"
    now       "deny"
  $.systemMessage
    recorded  "x"
    now       (nothing)
  $.permissionDecisionReason
    recorded  (nothing)
    now       "no"
1 case: 0 the same, 1 not
"#);
    assert_eq!(replayed.code, 1);
    let replayed = custos(&home, &["fixtures", "replay", "cases/deny", "--json"]);
    assert_eq!(replayed.code, 1);
    let answer: Value = serde_json::from_str(&replayed.stdout).unwrap();
    assert_eq!(
        answer,
        json!({
            "cases": [{"name": "deny", "result": "differs", "differences": [
                {"at": "exit", "recorded": 2, "now": 0},
                {"at": "$.permissionDecision", "recorded": "allow", "now": "deny"},
                {"at": "$.systemMessage", "recorded": "x", "now": null},
                {"at": "$.permissionDecisionReason", "recorded": null, "now": "no"},
            ]}],
            "same": 0, "different": 1,
        })
    );
}

/// Our own hook, for every client: recorded in one home, replayed in another, and none of it in the memory of either.
#[test]
fn our_own_hook_answers_a_replay_as_it_answered_the_client() {
    let home = home();
    for (client, event) in [
        ("claude-code", "PreToolUse"),
        ("claude-code", "SessionStart"),
        ("codex", "Stop"),
        ("gemini", "AfterTool"),
        ("copilot", "sessionEnd"),
        ("opencode", "chat.message"),
        ("cursor", "preToolUse"),
    ] {
        let question = payload(&format!("{client}/{event}"));
        let ran = record(&home, &[], &[PROGRAM, "hook", client, event], &question);
        assert_eq!(ran, silent(0, ""), "{client} {event}");
    }
    let events = custos(&home, &["log", "tail", "--json"]).stdout;
    let replayed = custos(&home, &["fixtures", "replay", "cases"]);
    insta::assert_snapshot!(replayed.stdout, @r#"
claude-code-PreToolUse-1    same
claude-code-SessionStart-1  same
codex-Stop-1                same
copilot-sessionEnd-1        same
cursor-preToolUse-1         same
gemini-AfterTool-1          same
opencode-chat.message-1     same
7 cases: 7 the same, 0 not
"#);
    assert_eq!((replayed.code, custos(&home, &["log", "tail", "--json"]).stdout), (0, events));
    let other = custos(&home, &["fixtures", "replay", "cases", "--", PROGRAM, "hook", "{client}", "{event}"]);
    assert_eq!(other, replayed);
}

#[test]
fn two_commands_are_compared_case_by_case() {
    let home = home();
    for file in ["copilot/preToolUse.bash", "copilot/preToolUse.view"] {
        let event = file.split(['/', '.']).nth(1).unwrap();
        record(&home, &[], &[PROGRAM, "hook", "copilot", event], &payload(file));
    }
    let deny = script(&home, "deny bash.sh", &format!(r#"case "$(cat)" in *'"bash"'*) {DENY};; esac"#));
    let a = format!("'{PROGRAM}' hook {{client}} {{event}}");
    let ran = custos(&home, &["fixtures", "diff", "cases", "--a", &a, "--b", &format!("\"{deny}\" x")]);
    insta::assert_snapshot!(ran.stdout, @r#"
copilot-preToolUse-1  differs
  $
    a  (nothing)
    b  {"permissionDecision":"deny","permissionDecisionReason":"no"}
copilot-preToolUse-2  same
2 cases: 1 the same, 1 not
"#);
    assert_eq!(ran.code, 1);
    assert_eq!(custos(&home, &["fixtures", "diff", "cases", "--a", &a, "--b", &a]).code, 0);
    // No shell, no expansion: a program of that name is looked for.
    let ran = custos(&home, &["fixtures", "diff", "cases", "--a", &a, "--b", "$(touch ran); true", "--json"]);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &answer["cases"][0]["result"]), (1, &json!("failed")));
    assert!(!home.path().join("ran").exists());
    let unclosed = custos(&home, &["fixtures", "diff", "cases", "--a", &a, "--b", "'x"]);
    assert_eq!(
        (unclosed.code, unclosed.stderr.as_str()),
        (64, "custos: --b \"'x\": a single quote is not closed\n")
    );
}

#[test]
fn whatever_a_command_does_goes_through_unchanged() {
    let home = home();
    for (name, text, expected, stored) in [
        (
            "text",
            "cat; printf 'no JSON'; echo loud >&2; exit 2",
            Ran { code: 2, stdout: "{\"a\": 1}no JSON".into(), stderr: "loud\n".into() },
            json!("{\"a\": 1}no JSON"),
        ),
        ("deaf", "echo '[1,2]'", silent(0, "[1,2]\n"), json!([1, 2])),
        ("killed", "kill -9 $$", silent(137, ""), Value::Null),
        ("fails", "exit 1", silent(1, ""), Value::Null),
    ] {
        let hook = script(&home, name, text);
        assert_eq!(record(&home, &["--name", name], &[&hook], b"{\"a\": 1}"), expected, "{name}");
        let answer = read_json(&home, name, "expected.json");
        assert_eq!(answer, json!({"exit": expected.code, "stdout": stored}), "{name}");
    }
    // The question that is replayed is the same JSON in another layout, and `text` repeats it.
    let replayed = custos(&home, &["fixtures", "replay", "cases"]);
    insta::assert_snapshot!(replayed.stdout, @r#"
deaf    same
fails   same
killed  same
text    differs
  $
    recorded  "{\"a\": 1}no JSON"
    now       {
    now         "a": 1
    now       }
    now       no JSON
4 cases: 3 the same, 1 not
"#);
}

#[test]
fn megabytes_and_the_environment_go_through() {
    let home = home();
    let question = json!({ "text": "ä\n".repeat(3 << 20) }).to_string();
    assert_eq!(record(&home, &["--name", "long"], &["/bin/cat"], question.as_bytes()), silent(0, &question));
    assert_eq!(read_json(&home, "long", "stdin.json"), serde_json::from_str::<Value>(&question).unwrap());
    let hook = script(&home, "hook", r#"echo "$MARK""#);
    let arguments = ["fixtures", "record", "--to", "cases", "--", &hook];
    assert_eq!(fed(command(&home, &arguments).env("MARK", "inherited"), b"{}"), silent(0, "inherited\n"));
}

#[test]
fn a_client_that_does_not_close_the_question_still_gets_its_answer() {
    let home = home();
    let hook = script(&home, "hook", "echo answer; exit 5");
    let mut child = command(&home, &["fixtures", "record", "--to", "cases", "--", &hook])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let open = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(open);
    let ran = (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    );
    let why = "custos: the case was not recorded: the client did not close standard input\n";
    assert_eq!(ran, (Some(5), "answer\n".to_owned(), why.to_owned()));
}

#[test]
fn a_question_that_is_no_json_is_kept_as_text() {
    let home = home();
    let hook = script(&home, "hook", "cat");
    assert_eq!(record(&home, &[], &[&hook], b"half of {\"a"), silent(0, "half of {\"a"));
    assert_eq!(std::fs::read_to_string(case(&home, "case-1", "stdin.txt")).unwrap(), "half of {\"a");
    assert_eq!(record(&home, &[], &[&hook], b""), silent(0, ""));
    assert_eq!(std::fs::read_to_string(case(&home, "case-2", "stdin.txt")).unwrap(), "");
    assert_eq!(custos(&home, &["fixtures", "replay", "cases"]).code, 0);
}

#[test]
fn what_differs_by_its_nature_does_not_count() {
    let home = home();
    let hook = script(
        &home,
        "hook",
        r#"n=$(cat count 2>/dev/null || echo 1); echo $((n + 1)) > count
echo "{\"at\":\"2026-11-15T20:55:0$n.123Z\",\"id\":\"019a893e-2d83-7fff-bfff-00000000000$n\",\"list\":[{\"n\":$n,\"x\":1}],\"kept\":0}""#,
    );
    record(&home, &["--name", "counts"], &[&hook], b"{}");
    let ran = custos(&home, &["fixtures", "replay", "cases"]);
    insta::assert_snapshot!(ran.stdout, @r#"
counts  differs
  $.list[0].n
    recorded  1
    now       2
1 case: 0 the same, 1 not
"#);
    let heading = std::fs::read_to_string(case(&home, "counts", "case.yaml")).unwrap();
    let with_rule = format!("{}\n- path: $.list[*].n\n", heading.trim_end());
    std::fs::write(case(&home, "counts", "case.yaml"), with_rule).unwrap();
    let ran = custos(&home, &["fixtures", "replay", "cases"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "counts  same\n1 case: 1 the same, 0 not\n"));
}

#[test]
fn a_command_that_hangs_or_cannot_be_started_is_said_so() {
    let home = home();
    let hook = script(&home, "hook", "exit 0");
    record(&home, &["--name", "hangs"], &[&hook], b"{}");
    script(&home, "hook", "exec sleep 600");
    let ran = custos(&home, &["fixtures", "replay", "cases", "--timeout", "1"]);
    let late = "hangs  failed\n  it took longer than 1 s\n1 case: 0 the same, 1 not\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (1, late));
    let ran = custos(&home, &["fixtures", "replay", "cases", "--", "/no/such/program"]);
    let gone = "hangs  failed\n  /no/such/program cannot be started: No such file or directory (os error 2)\n1 case: 0 the same, 1 not\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (1, gone));
    let ran = record(&home, &[], &["/no/such/program"], b"{}");
    assert_eq!((ran.code, ran.stdout.as_str()), (127, ""));
    let ran = record(&home, &[], &[home.path().to_str().unwrap()], b"{}");
    assert_eq!((ran.code, ran.stdout.as_str()), (126, ""));
}

#[test]
fn no_secret_reaches_the_disk_and_nobody_else_may_read() {
    let home = home();
    let secret = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
    let password = "Tr0ub4dor-and-3";
    let question = json!({"hook_event_name": "PreToolUse", "tool_input": {"command": format!("curl -H 'Authorization: token {secret}'")}});
    let ran = record(&home, &[], &["/bin/cat", "-"], question.to_string().as_bytes());
    assert_eq!(ran, silent(0, &question.to_string()));
    let ran = record(&home, &[], &["/bin/echo", secret, "--password", password], secret.as_bytes());
    assert_eq!(ran.stdout, format!("{secret} --password {password}\n"));
    assert_eq!(home.find_bytes(secret).unwrap(), Vec::<PathBuf>::new());
    assert_eq!(home.find_bytes(password).unwrap(), Vec::<PathBuf>::new());
    let mode = |path: &PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home.path().join("cases")), 0o700);
    assert_eq!(mode(&home.path().join("cases/PreToolUse-1")), 0o700);
    for file in ["case.yaml", "stdin.json", "expected.json"] {
        assert_eq!(mode(&case(&home, "PreToolUse-1", file)), 0o600, "{file}");
    }
}

#[test]
fn a_case_that_cannot_be_written_costs_the_client_nothing() {
    let home = home();
    let hook = script(&home, "hook", "cat; exit 3");
    std::fs::write(home.path().join("cases"), "a file").unwrap();
    let ran = record(&home, &[], &[&hook], b"{}");
    assert_eq!((ran.code, ran.stdout.as_str()), (3, "{}"));
    assert!(ran.stderr.starts_with("custos: the case was not recorded: cases: "), "{}", ran.stderr);
    // Without a home there is no directory to choose; the answer is the same.
    let ran = fed(
        command(&home, &["fixtures", "record", "--", &hook]).env_clear().env("PATH", "/bin:/usr/bin"),
        b"{}",
    );
    assert_eq!((ran.code, ran.stdout.as_str()), (3, "{}"));
    assert!(ran.stderr.starts_with("custos: the case was not recorded: "), "{}", ran.stderr);
}

#[test]
fn a_name_never_leaves_the_directory_and_never_replaces_a_case() {
    let home = home();
    let hook = script(&home, "hook", "exit 0");
    for name in ["../../escaped", "a/b", "same", "same", "..", "."] {
        assert_eq!(record(&home, &["--name", name], &[&hook], b"{}"), silent(0, ""), "{name}");
    }
    let event = json!({"hook_event_name": "../../../up"}).to_string();
    record(&home, &[], &[&hook], event.as_bytes());
    record(&home, &[], &[&hook, "hook", "codex", "../Stop"], b"{}");
    let mut names: Vec<String> = std::fs::read_dir(home.path().join("cases"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["a-b", "case-1", "case-2", "codex-..-Stop-1", "escaped", "same", "same-2", "up-1"]);
}

#[test]
fn sixteen_recordings_at_once_are_sixteen_cases() {
    let home = home();
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| assert_eq!(record(&home, &[], &["/bin/cat"], b"{}"), silent(0, "{}")));
        }
    });
    let ran = custos(&home, &["fixtures", "replay", "cases", "--json"]);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &answer["same"], &answer["different"]), (0, &json!(16), &json!(0)));
}

#[test]
fn a_damaged_case_is_named_and_the_others_still_run() {
    let home = home();
    for name in ["broken", "empty", "good"] {
        record(&home, &["--name", name], &["/bin/cat"], b"{}");
    }
    std::fs::write(case(&home, "broken", "case.yaml"), "name: [").unwrap();
    std::fs::remove_file(case(&home, "empty", "expected.json")).unwrap();
    // A recording that was interrupted is no case.
    std::fs::create_dir(home.path().join("cases/interrupted")).unwrap();
    let ran = custos(&home, &["fixtures", "replay", "cases", "--json"]);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    let results: Vec<(&str, &str)> = answer["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| (case["name"].as_str().unwrap(), case["result"].as_str().unwrap()))
        .collect();
    assert_eq!((ran.code, results), (1, vec![("broken", "failed"), ("empty", "failed"), ("good", "same")]));
}

#[test]
fn without_a_directory_the_cases_are_beside_what_never_leaves_the_machine() {
    let home = home();
    let none = custos(&home, &["fixtures", "replay"]);
    assert_eq!(none.code, 66, "{none:?}");
    fed(&mut command(&home, &["fixtures", "record", "--", "/bin/cat"]), b"{}");
    let replayed = custos(&home, &["fixtures", "replay"]);
    assert_eq!((replayed.code, replayed.stdout.as_str()), (0, "case-1  same\n1 case: 1 the same, 0 not\n"));
    let found = home.find_bytes("case-1").unwrap();
    assert!(!found.is_empty() && found.iter().all(|path| path.starts_with(home.state_dir())), "{found:?}");
}
