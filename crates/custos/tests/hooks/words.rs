//! What is recorded of a single call, and what is not.

use serde_json::{Value, json};

use crate::desk::{Desk, with};

const CLAUDE: &str = "claude-code";

fn bodies(desk: &Desk, kind: &str) -> Vec<Value> {
    desk.events_of(kind).into_iter().map(|event| event["body"].clone()).collect()
}

#[test]
fn an_empty_and_a_null_prompt_are_prompts() {
    let desk = Desk::new();
    for text in [json!(""), json!(null), json!("  \n")] {
        let prompt = with(desk.fixture(CLAUDE, "UserPromptSubmit"), json!({ "prompt": text }));
        desk.tell(CLAUDE, "UserPromptSubmit", &prompt);
    }
    let texts: Vec<Value> =
        bodies(&desk, "prompt.submitted").iter().map(|body| body["text"].clone()).collect();
    assert_eq!(texts, [json!(""), json!(""), json!("  \n")]);
    assert!(desk.troubles().is_empty());
}

#[test]
fn the_same_payload_again_is_a_new_event() {
    let desk = Desk::new();
    desk.play(
        CLAUDE,
        &["UserPromptSubmit", "UserPromptSubmit", "PostToolUse.Bash", "PostToolUse.Bash", "Stop", "Stop"],
    );
    let events = desk.events();
    let kinds: Vec<&str> = events.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    let expected = [
        "session.started",
        "prompt.submitted",
        "prompt.submitted",
        "tool.used",
        "tool.used",
        "turn.ended",
        "turn.ended",
    ];
    assert_eq!(kinds, expected);
    for pair in [1, 3, 5] {
        assert_eq!(events[pair]["body"], events[pair + 1]["body"]);
        assert_ne!(events[pair]["id"], events[pair + 1]["id"]);
    }
}

fn tool(desk: &Desk, name: &str) -> Value {
    with(desk.fixture(CLAUDE, "PostToolUse.Bash"), json!({ "tool_name": name }))
}

fn quiet_counts(desk: &Desk) -> (Vec<Value>, Vec<Value>) {
    for name in ["Glob", "Grep", "grep", "TodoWrite", "Bash"] {
        desk.tell(CLAUDE, "PostToolUse", &tool(desk, name));
    }
    desk.play(CLAUDE, &["Stop", "Stop"]);
    let stored = bodies(desk, "tool.used").iter().map(|body| body["tool"].clone()).collect();
    (stored, bodies(desk, "turn.ended").iter().map(|body| body["quiet"].clone()).collect())
}

#[test]
fn quiet_tools_are_counted_once_and_not_stored() {
    let counts = json!({ "Glob": 1, "Grep": 1, "grep": 1, "TodoWrite": 1 });
    assert_eq!(quiet_counts(&Desk::new()), (vec![json!("Bash")], vec![counts, Value::Null]));
}

#[test]
fn a_person_says_which_tools_are_quiet() {
    let counts = json!({ "Bash": 1, "Glob": 1 });
    let stored = ["Grep", "grep", "TodoWrite"].map(|name| json!(name)).to_vec();
    let expected = (stored, vec![counts, Value::Null]);

    let mut by_variable = Desk::new();
    by_variable.set("CUSTOS_CAPTURE_QUIET_TOOLS", "bash, GLOB");
    assert_eq!(quiet_counts(&by_variable), expected);

    let by_file = Desk::new();
    by_file.put(".config/ai/config.yaml", "capture:\n  quiet_tools: [bash, GLOB]\n");
    assert_eq!(quiet_counts(&by_file), expected);

    let mut none = Desk::new();
    none.set("CUSTOS_CAPTURE_QUIET_TOOLS", "[]");
    let stored = ["Glob", "Grep", "grep", "TodoWrite", "Bash"].map(|name| json!(name)).to_vec();
    assert_eq!(quiet_counts(&none), (stored, vec![Value::Null, Value::Null]));
}

#[test]
fn a_failed_quiet_tool_is_quiet_too_and_a_turn_that_fails_has_counts() {
    let desk = Desk::new();
    let failed = with(desk.fixture(CLAUDE, "PostToolUseFailure"), json!({ "tool_name": "Grep" }));
    desk.tell(CLAUDE, "PostToolUseFailure", &failed);
    let turn = with(desk.fixture(CLAUDE, "StopFailure"), json!({ "session_id": failed["session_id"] }));
    desk.tell(CLAUDE, "StopFailure", &turn);
    let (kind, body) = desk.told().pop().unwrap();
    assert_eq!(kind, "turn.ended");
    let expected =
        json!({ "quiet": { "Grep": 1 }, "error": "unknown", "message": "API Error: 400 mock bad request" });
    assert_eq!(body, expected);
}

#[test]
fn the_role_comes_from_the_environment_before_the_client() {
    let mut desk = Desk::new();
    let roles = |desk: &Desk| -> Vec<Value> {
        desk.events_of("tool.used").into_iter().map(|event| event["agent"]["role"].clone()).collect()
    };
    let both = ["PostToolUse.Bash", "PostToolUse.Bash.general-purpose.insubagent"];
    desk.play(CLAUDE, &both);
    assert_eq!(roles(&desk), [Value::Null, json!("general-purpose")]);
    desk.set("AGENT_ROLE", "reviewer");
    desk.play(CLAUDE, &both);
    assert_eq!(roles(&desk)[2..], [json!("reviewer"), json!("reviewer")]);
    // A role is one short line, whatever somebody exports.
    desk.set("AGENT_ROLE", format!("a\nb\u{1b}[0m{}", "x".repeat(1000)));
    desk.play(CLAUDE, &both[..1]);
    assert_eq!(roles(&desk)[4], json!(format!("ab[0m{}", "x".repeat(59))));
    desk.set("AGENT_ROLE", "");
    desk.play(CLAUDE, &both);
    assert_eq!(roles(&desk)[5..], [Value::Null, json!("general-purpose")]);
}

#[test]
fn a_long_output_becomes_an_excerpt_with_its_head_and_its_tail() {
    let desk = Desk::new();
    let output = format!("HEAD{}TAIL", "0123456789\n".repeat(20_000));
    let response = json!({ "stdout": output, "stderr": "" });
    let long = with(desk.fixture(CLAUDE, "PostToolUse.Bash"), json!({ "tool_response": response }));
    desk.tell(CLAUDE, "PostToolUse", &long);
    let body = bodies(&desk, "tool.used").remove(0);
    let kept = body["output"].as_str().unwrap();
    assert!(serde_json::to_string(kept).unwrap().len() <= 8 << 10, "{}", kept.len());
    assert!(kept.len() > 7 << 10, "{}", kept.len());
    assert!(kept.starts_with("HEAD0123") && kept.ends_with("9\nTAIL"));
    assert!(kept.contains(&format!("[cut: {} bytes, sha256 ", output.len())), "{kept}");

    let mut small = Desk::new();
    small.set("CUSTOS_CAPTURE_OUTPUT_KB", "1");
    small.tell(CLAUDE, "PostToolUse", &long);
    let body = bodies(&small, "tool.used").remove(0);
    assert!(body["output"].as_str().unwrap().len() <= 1 << 10);
}

#[test]
fn a_long_input_keeps_its_short_fields() {
    let desk = Desk::new();
    let path = desk.project().join("big.txt");
    let input = json!({ "file_path": path, "content": "line\n".repeat(50_000) });
    let write = json!({ "tool_name": "Write", "tool_input": input, "tool_response": null });
    desk.tell(CLAUDE, "PostToolUse", &with(desk.fixture(CLAUDE, "PostToolUse.Bash"), write));
    let body = bodies(&desk, "tool.used").remove(0);
    assert_eq!(
        (&body["input"]["file_path"], &body["files_changed"]),
        (&json!(path), &json!([path.to_str().unwrap().rsplit('/').next()]))
    );
    assert!(body["input"].to_string().len() <= 32 << 10);
    assert!(body["input"]["content"].as_str().unwrap().contains("[cut: 250000 bytes"));
}

#[test]
fn a_turn_that_goes_on_because_of_a_hook_is_recorded_as_such_and_never_answered() {
    for (client, event) in
        [(CLAUDE, "Stop"), ("codex", "Stop"), ("gemini", "AfterAgent"), ("copilot", "agentStop")]
    {
        let desk = Desk::new();
        desk.play(client, &[event]);
        let again = with(desk.fixture(client, event), json!({ "stop_hook_active": true }));
        desk.tell(client, event, &again);
        let told: Vec<Value> = bodies(&desk, "turn.ended").iter().map(|body| body["again"].clone()).collect();
        assert_eq!(told, [Value::Null, json!(true)], "{client}");
    }
}

#[test]
fn unknown_fields_are_kept_and_ignored() {
    let desk = Desk::new();
    let newer = json!({ "mood": { "level": 9 }, "tags": ["a", "b"], "huge": "x".repeat(100_000) });
    desk.tell(CLAUDE, "PostToolUse", &with(desk.fixture(CLAUDE, "PostToolUse.Bash"), newer));
    let body = bodies(&desk, "tool.used").remove(0);
    assert_eq!((&body["tool"], &body["output"], &body["exit"]), (&json!("Bash"), &json!("hi"), &json!(0)));
    let extra = &body["extra"];
    assert_eq!((&extra["mood"], &extra["tags"]), (&json!({ "level": 9 }), &json!(["a", "b"])));
    assert!(extra.to_string().len() <= 2 << 10, "{}", extra.to_string().len());
    assert!(desk.troubles().is_empty());
}

#[test]
fn an_unknown_event_is_kept_and_is_no_trouble() {
    let desk = Desk::new();
    let payload = json!({ "what": "a thought", "cwd": desk.project() });
    desk.tell(CLAUDE, "ThoughtFinished", &payload);
    assert_eq!(
        desk.told(),
        [("hook.alive".to_owned(), json!({ "event": "ThoughtFinished", "payload": payload }))]
    );
    assert!(desk.troubles().is_empty());
}

#[test]
fn a_missing_field_is_named_with_its_client_and_event_and_the_payload_is_kept() {
    for (client, fixture, field) in [
        (CLAUDE, "PostToolUse.Bash", "session_id"),
        (CLAUDE, "UserPromptSubmit", "prompt"),
        (CLAUDE, "SessionStart", "source"),
        ("codex", "PostToolUse.Bash", "tool_name"),
        ("codex", "PreToolUse.Bash", "tool_input"),
        ("gemini", "BeforeAgent", "cwd"),
        ("copilot", "postToolUse.bash", "toolName"),
        ("copilot", "sessionStart", "sessionId"),
        ("opencode", "chat.message", "input"),
        ("cursor", "stop", "conversation_id"),
    ] {
        let desk = Desk::new();
        let mut payload = desk.fixture(client, fixture);
        payload.as_object_mut().unwrap().remove(field).unwrap();
        let event = if client == "opencode" { fixture } else { fixture.split('.').next().unwrap() };
        let ran = desk.hook(client, event, payload.to_string());
        // What was to be judged is answered; see `guard`.
        assert_eq!((ran.code, ran.stdout.is_empty()), (0, event != "PreToolUse"), "{client} {event}");
        let problem = format!("the field `{field}` is missing");
        assert_eq!(desk.troubles(), [format!("{client} {event}: {problem}")]);
        let told = desk.told();
        assert_eq!(told.len(), 1, "{told:#?}");
        let (kind, body) = &told[0];
        assert_eq!(
            (kind.as_str(), &body["event"], &body["problem"]),
            ("hook.alive", &json!(event), &json!(problem))
        );
        assert!(body["payload"].is_object(), "{body}");
    }
}

#[test]
fn a_field_of_another_type_is_named() {
    for (field, value, problem) in [
        ("session_id", json!(7), "the field `session_id` should be a text and is a number"),
        ("session_id", json!(""), "the field `session_id` is missing"),
        ("session_id", json!(null), "the field `session_id` is missing"),
        ("cwd", json!(["/"]), "the field `cwd` should be a text and is a list"),
        ("tool_name", json!({}), "the field `tool_name` should be a text and is an object"),
        ("tool_input", json!([1]), "the field `tool_input` should be an object and is a list"),
        ("duration_ms", json!("soon"), "the field `duration_ms` should be a number and is a text"),
        ("agent_id", json!(true), "the field `agent_id` should be a text and is true or false"),
    ] {
        let desk = Desk::new();
        let payload = with(desk.fixture(CLAUDE, "PostToolUse.Bash"), json!({ field: value }));
        desk.tell(CLAUDE, "PostToolUse", &payload);
        assert_eq!(desk.troubles(), [format!("{CLAUDE} PostToolUse: {problem}")]);
        assert_eq!(desk.told()[0].1["problem"], json!(problem));
    }
}
