//! What the person keeps out of the log: projects and files.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::desk::{Desk, with};

const CLAUDE: &str = "claude-code";

/// Words that stand only in what must not be kept.
const CONTENT: &str = "only-for-my-eyes-77";

/// A desk on which keys and one directory are excluded.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.put(".config/ai/config.yaml", "capture:\n  exclude_paths: [\"*.pem\", secrets]\n");
    desk
}

fn assert_nothing_of(desk: &Desk, words: &[&str]) {
    for word in words {
        assert_eq!(desk.home.find_bytes(word).unwrap(), Vec::<PathBuf>::new(), "{word}");
    }
}

/// A call of a tool that begins.
#[expect(clippy::needless_pass_by_value, reason = "callers write the input where they call")]
fn begins(desk: &Desk, tool: &str, input: Value) -> Value {
    with(desk.fixture(CLAUDE, "PreToolUse.Bash"), json!({"tool_name": tool, "tool_input": input}))
}

#[test]
fn of_a_call_that_is_denied_neither_path_nor_content_is_kept() {
    let desk = desk();
    let home = desk.home.path().display().to_string();
    let calls = [
        begins(&desk, "Write", json!({"file_path": format!("{home}/.ssh/hartmann.pem"), "content": CONTENT})),
        begins(
            &desk,
            "Edit",
            json!({"file_path": "/etc/secrets/hartmann", "old_string": "x", "new_string": CONTENT}),
        ),
        begins(&desk, "Bash", json!({"command": format!("rm -rf / # secrets/hartmann {CONTENT}")})),
    ];
    for call in calls {
        assert!(desk.hook(CLAUDE, "PreToolUse", call.to_string()).stdout.contains("deny"), "{call}");
    }
    let denied = desk.events_of("tool.denied");
    assert_eq!(denied.len(), 3, "that something was denied is kept");
    for event in &denied {
        let fields: Vec<&String> = event["body"].as_object().unwrap().keys().collect();
        assert!(
            fields.iter().all(|field| ["by", "rule", "tool", "verdict"].contains(&field.as_str())),
            "{event}"
        );
    }
    assert_nothing_of(&desk, &["hartmann", CONTENT]);
}

#[test]
fn a_command_that_names_such_a_file_is_counted_and_not_stored() {
    let desk = desk();
    let bash = desk.fixture(CLAUDE, "PostToolUse.Bash");
    for command in [
        "cat secrets/hartmann.txt",
        "python3 -c \"print(open('SECRETS/hartmann.txt').read())\"",
        "openssl x509 -in tls/hartmann.PEM -text",
    ] {
        let input = json!({"tool_input": {"command": command}, "tool_response": {"stdout": CONTENT}});
        desk.tell(CLAUDE, "PostToolUse", &with(bash.clone(), input));
    }
    desk.tell(CLAUDE, "Stop", &desk.fixture(CLAUDE, "Stop"));
    assert_eq!(desk.events_of("tool.used").len(), 0);
    assert_eq!(desk.events_of("turn.ended")[0]["body"]["quiet"], json!({"Bash": 3}));
    assert_nothing_of(&desk, &["hartmann", CONTENT]);
}

#[test]
fn an_answer_that_names_such_a_file_is_left_out() {
    let desk = desk();
    let bash = desk.fixture(CLAUDE, "PostToolUse.Bash");
    let found = format!("src/main.rs:3: pw\nsecrets/hartmann.txt:1: pw = {CONTENT}");
    let input =
        json!({"tool_input": {"command": "grep -rn pw ."}, "tool_response": {"stdout": found, "stderr": ""}});
    desk.tell(CLAUDE, "PostToolUse", &with(bash.clone(), input));
    let input = json!({"tool_input": {"command": "cargo test"}, "tool_response": {"stdout": "the secrets of 3 tests", "stderr": ""}});
    desk.tell(CLAUDE, "PostToolUse", &with(bash, input));
    let used = desk.events_of("tool.used");
    let told: Vec<(&Value, &Value)> =
        used.iter().map(|event| (&event["body"]["input"]["command"], &event["body"]["output"])).collect();
    let left_out = json!("[left out: it names a file that is excluded by capture.exclude_paths]");
    assert_eq!(
        told,
        [(&json!("grep -rn pw ."), &left_out), (&json!("cargo test"), &json!("the secrets of 3 tests")),]
    );
    assert_nothing_of(&desk, &["hartmann", CONTENT]);
}

#[test]
fn of_an_excluded_project_nothing_is_recorded_and_the_guard_still_judges() {
    let desk = Desk::new();
    desk.put(".config/ai/config.yaml", "capture:\n  exclude_projects: [project]\n");
    let bash = desk.fixture(CLAUDE, "PostToolUse.Bash");
    desk.tell(CLAUDE, "PostToolUse", &bash);
    let call = begins(&desk, "Bash", json!({"command": "rm -rf /"}));
    assert!(desk.hook(CLAUDE, "PreToolUse", call.to_string()).stdout.contains("deny"));
    assert_eq!((desk.events_of("tool.used").len(), desk.events_of("tool.denied").len()), (0, 0));
}
