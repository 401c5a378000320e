//! Texts that begin with a dash, as lists in Markdown do.

use serde_json::{Value, json};

use super::Story;
use crate::guard::custos_in;

impl Story {
    /// Runs a command that must succeed, with each argument as it is.
    fn said(&self, arguments: &[&str]) -> Value {
        let ran = custos_in(&self.home, &self.root, &[arguments, &["--json"]].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}: {}", ran.stdout);
        serde_json::from_str(&ran.stdout).unwrap()
    }

    /// Runs a command that clap must refuse, and gives the first line of why.
    fn slip(&self, arguments: &[&str]) -> String {
        let ran = custos_in(&self.home, &self.root, arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (64, ""), "{arguments:?}");
        ran.stderr.lines().next().unwrap_or_default().to_owned()
    }
}

const LIST: &str = "- did a\n- did b";

#[test]
fn a_list_is_a_text() {
    let story = Story::begin();
    story.said(&[
        "close",
        "--stopped-at",
        "- here",
        "--summary",
        LIST,
        "--next-steps",
        "- [ ] x",
        "--prs",
        "-",
    ]);
    let parts = &story.said(&["handoff"])["handoff"]["parts"];
    assert_eq!(
        [&parts["stopped_at"], &parts["summary"], &parts["next_steps"]],
        [&json!("- here"), &json!(LIST), &json!("- [ ] x")]
    );
    story.said(&["decisions", "add", "--title", "T", "--decision", LIST, "--reasoning", "-- b"]);
    assert!(story.file("decisions/D-001-t.md").contains(&format!("\n{LIST}\n")));
    story.said(&["backlog", "add", "--title", "T", "--description", "- [ ] a", "--priority", "high"]);
    story.said(&["backlog", "update", "B-001", "--note", LIST]);
    assert!(story.file("backlog/B-001-t.md").contains("- [ ] a\n"));
    assert!(story.file("backlog/B-001-t.md").contains("- did a\n  - did b\n"), "a note is an item itself");
    story.said(&[
        "memories",
        "add",
        "--type",
        "pattern",
        "--title",
        "T",
        "--description",
        LIST,
        "--body",
        LIST,
    ]);
    assert!(story.file("memory/patterns/t.md").contains(LIST));
    story.said(&["worklog", "add", LIST]);
    assert!(story.file("local/worklog.md").contains(LIST));
    story.said(&["questions", "ask", LIST, "--context", "- c"]);
    story.said(&["questions", "answer", "Q-001", "- yes"]);
    let asked = story.said(&["questions", "--all"]);
    assert_eq!(
        [&asked["questions"][0]["context"], &asked["questions"][0]["answer"]],
        [&json!("- c"), &json!("- yes")]
    );
}

#[test]
fn a_line_of_dashes_is_a_title() {
    let story = Story::begin();
    story.said(&["decisions", "add", "--title", "---", "--decision", "---", "--reasoning", "---"]);
    assert_eq!(story.said(&["decisions", "show", "---"])["title"], json!("---"));
    story.said(&["memories", "add", "--type", "feedback", "--title", "---", "--description", "---"]);
    assert_eq!(story.said(&["memories"])["memories"][0]["title"], json!("---"));
    story.said(&["backlog", "add", "--title", "---", "--description", "---"]);
    assert_eq!(story.said(&["backlog", "show", "---"])["title"], json!("---"));
    story.said(&["questions", "ask", "---"]);
    assert_eq!(story.said(&["questions"])["questions"][0]["title"], json!("---"));
    story.said(&["plans", "save", "- a", "--title", "---", "---", "[x] b", "--status", "active"]);
    let plan = &story.said(&["plans"])["plans"][0];
    let steps: Vec<&Value> = plan["steps"].as_array().unwrap().iter().map(|step| &step["text"]).collect();
    assert_eq!((&plan["title"], steps), (&json!("---"), vec![&json!("a"), &json!("---"), &json!("b")]));
}

#[test]
fn an_option_is_not_taken_for_a_text() {
    let story = Story::begin();
    assert_eq!(
        story.slip(&["decisions", "add", "--title", "--required", "--decision", "a", "--reasoning", "b"]),
        "error: '--required' is an option, and '--title <TEXT>' wants a text before it"
    );
    for command in [&["worklog", "add"][..], &["questions", "ask"], &["plans", "save"]] {
        let said = story.slip(&[command, &["--jsn"]].concat());
        assert_eq!(said, "error: unexpected argument '--jsn' found");
    }
    assert!(!story.root.join(".ai").exists());
}
