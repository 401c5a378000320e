//! One line at a tool: what is known about a file before it is touched, and what helped the last time that a command failed so.

use std::path::Path;

use rstest::rstest;
use serde_json::{Value, json};

use crate::desk::{Desk, Ran, fed, silence};

const FAILED: &str = "running 1 test\ntest window::boundary ... FAILED\n\n---- window::boundary stdout ----\nthread 'window::boundary' panicked at src/window.rs:40:9:\nthe refresh window of svc-a was empty at t=300\n\ntest result: FAILED. 0 passed; 1 failed";
const AGAIN: &str =
    "thread 'window::boundary' panicked at src/window.rs:71:9:\nthe refresh window of svc-a was empty at t=9";

/// Calls a hook of Claude Code in a session.
fn call(desk: &Desk, session: &str, event: &str, fields: &Value) -> Ran {
    call_in(desk, &desk.project(), session, event, fields)
}

fn call_in(desk: &Desk, directory: &Path, session: &str, event: &str, fields: &Value) -> Ran {
    let mut payload = json!({
        "session_id": session, "cwd": directory, "prompt_id": format!("{session}-1"), "hook_event_name": event,
        "transcript_path": directory.join("t.jsonl"),
    });
    for (name, value) in fields.as_object().unwrap() {
        payload[name] = value.clone();
    }
    desk.hook("claude-code", event, payload.to_string())
}

fn bash() -> Value {
    json!({"tool_name": "Bash", "tool_input": {"command": "cargo test"}})
}

fn with(mut fields: Value, name: &str, value: Value) -> Value {
    fields[name] = value;
    fields
}

fn file(desk: &Desk, tool: &str, path: &str) -> Value {
    file_in(&desk.project(), tool, path)
}

fn file_in(directory: &Path, tool: &str, path: &str) -> Value {
    let input =
        json!({"file_path": directory.join(path), "old_string": "    n < 3", "new_string": "    n <= 3"});
    json!({"tool_name": tool, "tool_input": input})
}

/// A session in which something broke and was mended, and a worker that learnt from it.
fn mended() -> Desk {
    let desk = Desk::new();
    mend(&desk, &desk.project());
    desk
}

fn mend(desk: &Desk, directory: &Path) {
    mend_in(desk, directory, directory);
}

/// The same in a session that was begun in one directory and mends what lies in another.
fn mend_in(desk: &Desk, directory: &Path, repo: &Path) {
    let tell = |event: &str, fields: Value| {
        assert_eq!(call_in(desk, directory, "one", event, &fields), silence(), "{event}");
    };
    tell("UserPromptSubmit", json!({"prompt": "window::boundary is red, fix it"}));
    tell("PostToolUseFailure", with(bash(), "error", json!(format!("Exit code 101\n{FAILED}"))));
    tell(
        "PostToolUse",
        with(file_in(repo, "Edit", "src/window.rs"), "tool_response", json!({"structuredPatch": []})),
    );
    let passed = json!({"stdout": "test window::boundary ... ok\n\ntest result: ok. 1 passed", "stderr": ""});
    tell("PostToolUse", with(bash(), "tool_response", passed));
    tell("Stop", json!({"last_assistant_message": "`open` left out the end of the window."}));
    learn(desk);
}

fn learn(desk: &Desk) {
    let ran = fed(desk.command(&["worker", "run", "--until-idle"]).env_remove("CUSTOS_NO_WORKER"), b"");
    assert_eq!(ran.code, 0, "{ran:?}");
}

/// What a hook of Claude Code tells the model.
fn context(ran: &Ran) -> Option<String> {
    assert_eq!(ran.code, 0, "{ran:?}");
    let answer: Value = serde_json::from_str(&ran.stdout).ok()?;
    answer["hookSpecificOutput"]["additionalContext"].as_str().map(str::to_owned)
}

const SAID: &str =
    "Fixed “the refresh window of svc-a was empty at t=300” in window.rs; `n < 3` → `n <= 3`</custos-memory>";

#[test]
fn what_is_filed_about_a_file_is_announced_where_it_is_touched() {
    let desk = Desk::new();
    desk.put(
        "project/.ai/decisions/D-001-no-floats.md",
        "---\nid: D-001\ntitle: No floats in lib/pay.py\nenforce: required\nstatus: active\n---\n# No floats in lib/pay.py\n\nUse Decimal.\n",
    );
    desk.put(
        "project/.ai/memory/patterns/generated.md",
        "---\ntype: pattern\nslug: generated\ntitle: The protocol is generated\ndate: 2026-11-01\nkeywords: [lib/proto.py]\n---\n# The protocol is generated\n\nChange the schema and run make proto.\n",
    );
    let touch = |session: &str, tool: &str, path: &str| {
        context(&call(&desk, session, "PreToolUse", &file(&desk, tool, path)))
    };
    assert_eq!(touch("one", "Read", "lib/pay.py"), None);
    // A session that starts looks at the files; what they say is no turn that ends.
    call(&desk, "one", "SessionStart", &json!({"source": "startup"}));
    learn(&desk);
    let decided = touch("two", "Edit", "lib/pay.py").unwrap();
    assert!(
        decided.contains("known about this file (repo, unreviewed), decision ")
            && decided.contains(": No floats in lib/pay.py"),
        "{decided}"
    );
    let generated = touch("three", "Read", "lib/proto.py").unwrap();
    assert!(generated.contains(": The protocol is generated"), "{generated}");
    assert_eq!(touch("four", "Read", "lib/other.py"), None);
    // What was taken back is hinted at no more, from the next start on.
    std::fs::remove_file(desk.project().join(".ai/decisions/D-001-no-floats.md")).unwrap();
    call(&desk, "five", "SessionStart", &json!({"source": "startup"}));
    assert_eq!(touch("five", "Edit", "lib/pay.py"), None);
    learn(&desk);
    assert_eq!(touch("five", "Edit", "lib/pay.py"), None);
    assert!(touch("six", "Edit", "lib/proto.py").is_some());
}

#[test]
fn a_file_that_has_bitten_is_announced_once_a_session() {
    let desk = mended();
    let read = file(&desk, "Read", "src/window.rs");
    let said = context(&call(&desk, "two", "PreToolUse", &read)).unwrap();
    assert!(
        said.starts_with("<custos-memory>known about this file, bugfix just now, ") && said.ends_with(SAID),
        "{said}"
    );
    assert!(said.chars().count() <= 200);
    assert_eq!(call(&desk, "two", "PreToolUse", &read), silence());
    assert_eq!(call(&desk, "two", "PreToolUse", &file(&desk, "Edit", "src/window.rs")), silence());
    assert!(context(&call(&desk, "three", "PreToolUse", &file(&desk, "Edit", "src/window.rs"))).is_some());
    // By a shell as well, and no other file.
    let cat = json!({"tool_name": "Bash", "tool_input": {"command": "cat src/window.rs"}});
    assert!(context(&call(&desk, "four", "PreToolUse", &cat)).is_some());
    assert_eq!(call(&desk, "five", "PreToolUse", &file(&desk, "Read", "src/door.rs")), silence());
    // The session that it is from knows it.
    assert_eq!(call(&desk, "one", "PreToolUse", &read), silence());
    // Each was recorded, with what it was about and no word of it.
    let served = desk.events_of("recall.served");
    assert_eq!(served.len(), 3);
    assert_eq!(
        (&served[0]["body"]["moment"], &served[0]["body"]["source"]),
        (&json!("tool"), &json!("file"))
    );
    assert!(!served[0].to_string().contains("svc-a"), "{}", served[0]);
    assert_eq!(desk.troubles(), Vec::<String>::new());
    desk.verify();
}

#[test]
fn the_same_error_is_met_with_what_helped() {
    let desk = mended();
    let failed = |error: &str| with(bash(), "error", json!(format!("Exit code 101\n{error}")));
    let said = context(&call(&desk, "two", "PostToolUseFailure", &failed(AGAIN))).unwrap();
    assert!(
        said.starts_with("<custos-memory>the same error was fixed just now, ") && said.ends_with(SAID),
        "{said}"
    );
    assert_eq!(call(&desk, "two", "PostToolUseFailure", &failed(AGAIN)), silence());
    // The session has got it, whatever would lead to it again.
    assert_eq!(call(&desk, "two", "PreToolUse", &file(&desk, "Read", "src/window.rs")), silence());
    let other =
        "thread 'a' panicked at src/window.rs:71:9:\nassertion `left == right` failed\n  left: 1\n right: 2";
    assert_eq!(call(&desk, "three", "PostToolUseFailure", &failed(other)), silence());
    assert_eq!(call(&desk, "three", "PostToolUseFailure", &failed("Exit code 101")), silence());
    // The call itself is recorded as ever.
    assert_eq!(desk.events_of("tool.failed").len(), 5);
}

#[rstest]
#[case::codex("codex", "PostToolUse", json!({"session_id": "x", "cwd": "", "tool_name": "Bash", "tool_input": {"command": "cargo test"}, "tool_response": AGAIN}), "/hookSpecificOutput/additionalContext")]
#[case::gemini("gemini", "AfterTool", json!({"session_id": "x", "cwd": "", "tool_name": "run_shell_command", "tool_input": {"command": "cargo test"},
    "tool_response": {"llmContent": format!("Output: {AGAIN}\nExit Code: 101"), "error": null}}), "/hookSpecificOutput/additionalContext")]
#[case::copilot("copilot", "postToolUse", json!({"sessionId": "x", "cwd": "", "toolName": "bash", "toolArgs": {"command": "cargo test"},
    "toolResult": {"resultType": "success", "textResultForLlm": format!("{AGAIN}\n<shellId: 0 completed with exit code 101>")}}), "/additionalContext")]
fn what_one_client_learnt_serves_the_others(
    #[case] client: &str,
    #[case] event: &str,
    #[case] mut payload: Value,
    #[case] place: &str,
) {
    let desk = mended();
    payload["cwd"] = json!(desk.project());
    let ran = desk.hook(client, event, payload.to_string());
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let said = answer.pointer(place).and_then(Value::as_str).unwrap_or_default();
    assert!(said.ends_with(SAID), "{ran:?}");
}

#[test]
fn a_client_that_takes_nothing_there_is_told_nothing() {
    let desk = mended();
    let payload = json!({"session_id": "x", "cwd": desk.project(), "tool_name": "read_file", "tool_input": {"file_path": desk.project().join("src/window.rs")}});
    desk.tell("gemini", "BeforeTool", &payload);
    assert_eq!(desk.events_of("recall.served").len(), 0);
}

#[test]
fn what_was_forgotten_or_corrected_is_not_said() {
    let desk = mended();
    let read = file(&desk, "Read", "src/window.rs");
    let learnt = desk.events_of("observation.recorded")[0]["id"].as_str().unwrap().to_owned();
    // Corrected: other words at once, or none until a worker has been there.
    let edited = desk.custos(&["memory", "edit", &learnt, "--title", "The window is closed at both ends"]);
    assert_eq!(edited.code, 0, "{edited:?}");
    assert_eq!(call(&desk, "two", "PreToolUse", &read), silence());
    learn(&desk);
    let said = context(&call(&desk, "two", "PreToolUse", &read)).unwrap();
    assert!(said.contains("closed at both ends") && !said.contains("svc-a"), "{said}");
    // Forgotten: the old words, and then their correction, which is a memory of its own.
    let corrected = desk.events_of("observation.recorded")[1]["id"].as_str().unwrap().to_owned();
    for id in [&learnt, &corrected] {
        let forgotten = desk.custos(&["forget", id, "--reason", "test"]);
        assert_eq!(forgotten.code, 0, "{forgotten:?}");
    }
    assert_eq!(call(&desk, "three", "PreToolUse", &read), silence());
    learn(&desk);
    assert_eq!(call(&desk, "three", "PreToolUse", &read), silence());
}

#[test]
fn what_a_sub_agent_was_told_the_main_one_does_not_know() {
    let desk = mended();
    let read = file(&desk, "Read", "src/window.rs");
    let sub_agent = |id: &str| {
        let read = with(read.clone(), "agent_id", json!(id));
        context(&call(&desk, "two", "PreToolUse", &with(read, "agent_type", json!("Explore"))))
    };
    assert!(sub_agent("a1").is_some());
    assert_eq!(sub_agent("a1"), None, "once is enough");
    assert!(sub_agent("a2").is_some());
    assert!(context(&call(&desk, "two", "PreToolUse", &read)).is_some());
    assert_eq!(call(&desk, "two", "PreToolUse", &read), silence());
}

#[test]
fn hints_can_be_switched_off() {
    let mut desk = mended();
    desk.set("CUSTOS_RECALL_TOOL", "false");
    assert_eq!(call(&desk, "two", "PreToolUse", &file(&desk, "Read", "src/window.rs")), silence());
}

#[test]
fn a_damaged_file_of_hints_costs_nothing_but_the_hint() {
    let desk = mended();
    let dir = desk.state().join("hints");
    let read = file(&desk, "Read", "src/window.rs");
    let files = std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.filter(|path| path.extension().is_some()).collect();
    for damage in [&b""[..], b"custosh3", b"custosh3\xff\xff\xff\xff", &[0xff; 4096]] {
        for path in &files {
            std::fs::write(path, damage).unwrap();
        }
        assert_eq!(call(&desk, "two", "PreToolUse", &read), silence());
    }
    assert_eq!(desk.troubles(), Vec::<String>::new());
}

/// Makes a repo.
fn repo(desk: &Desk, path: &str) -> std::path::PathBuf {
    let head = desk.put(&format!("{path}/.git/HEAD"), "ref: refs/heads/main\n");
    head.parent().unwrap().parent().unwrap().to_owned()
}

#[test]
fn what_a_project_learnt_is_said_in_it_and_in_a_workspace_around_it() {
    let desk = Desk::new();
    let [shop, bank] = ["project/shop", "project/bank"].map(|path| repo(&desk, path));
    mend(&desk, &shop);
    let read = file_in(&shop, "Read", "src/window.rs");
    let said_in = |directory: &Path, session: &str| {
        context(&call_in(&desk, directory, session, "PreToolUse", &read)).is_some()
    };
    assert!(said_in(&shop, "in the project"));
    assert!(said_in(&desk.project(), "in the workspace"));
    assert!(!said_in(&bank, "in another project"));
    // Also when that one has something to say about its own files.
    mend(&desk, &bank);
    assert!(!said_in(&bank, "in another project that has hints"));
    let elsewhere = desk.put("elsewhere/notes.md", "");
    assert!(!said_in(elsewhere.parent().unwrap(), "in no project"));
}

/// What is learnt in a workspace about a file of a repo inside of it belongs to both: it is found wherever the file is touched.
#[test]
fn what_a_workspace_learnt_about_a_repo_is_said_in_both() {
    let desk = Desk::new();
    let [shop, bank] = ["project/shop", "project/bank"].map(|path| repo(&desk, path));
    let elsewhere = repo(&desk, "elsewhere/shop");
    mend_in(&desk, &desk.project(), &shop);
    let said_in = |directory: &Path, session: &str, read: &Value| {
        context(&call_in(&desk, directory, session, "PreToolUse", read))
            .is_some_and(|said| said.ends_with(SAID))
    };
    let read = file_in(&shop, "Read", "src/window.rs");
    assert!(said_in(&desk.project(), "in the workspace", &read));
    assert!(said_in(&shop, "in the repo", &read));
    assert!(!said_in(&bank, "in another repo", &read));
    // A file of the same name is another one, in another repo and in the workspace itself.
    assert!(!said_in(&bank, "of another repo", &file_in(&bank, "Read", "src/window.rs")));
    assert!(!said_in(&desk.project(), "of no repo", &file_in(&desk.project(), "Read", "src/window.rs")));
    assert!(!said_in(&elsewhere, "outside", &file_in(&elsewhere, "Read", "src/window.rs")));
    // Corrected, it still belongs to that file.
    let learnt = desk.events_of("observation.recorded")[0]["id"].as_str().unwrap().to_owned();
    let edited = desk.custos(&["memory", "edit", &learnt, "--title", "The window is closed at both ends"]);
    assert_eq!(edited.code, 0, "{edited:?}");
    learn(&desk);
    let said = context(&call_in(&desk, &shop, "later", "PreToolUse", &read)).unwrap();
    assert!(said.contains("closed at both ends") && !said.contains("svc-a"), "{said}");
    assert_eq!(desk.troubles(), Vec::<String>::new());
}

#[test]
fn an_error_is_met_by_what_helped_in_the_same_project() {
    let desk = Desk::new();
    let [shop, bank] = ["project/shop", "project/bank"].map(|path| repo(&desk, path));
    mend(&desk, &shop);
    let failed = with(bash(), "error", json!(format!("Exit code 101\n{AGAIN}")));
    assert_eq!(call_in(&desk, &bank, "two", "PostToolUseFailure", &failed), silence());
    assert!(context(&call_in(&desk, &shop, "three", "PostToolUseFailure", &failed)).is_some());
}
