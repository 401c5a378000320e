//! One memory session per session of a client, whatever the client does with it.

use std::fs;
use std::path::PathBuf;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::desk::{Desk, SESSION, with, without};

const CLAUDE: &str = "claude-code";
const HOUR: i64 = 60 * 60 * 1000;

/// The journal of the only session.
fn journal(desk: &Desk) -> PathBuf {
    let mut entries = fs::read_dir(desk.state().join("sessions")).unwrap();
    entries.next().unwrap().unwrap().path()
}

/// Moves all signs of life of all sessions into the past.
pub(crate) fn age(desk: &Desk, hours: i64) {
    for entry in fs::read_dir(desk.state().join("sessions")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let older = |line: &str| match line.split_once('\t') {
            Some((at, rest)) => format!("{}\t{rest}\n", at.parse::<i64>().unwrap() - hours * HOUR),
            None => format!("{line}\n"),
        };
        fs::write(&path, text.lines().map(older).collect::<String>()).unwrap();
    }
}

fn started(desk: &Desk) -> Vec<(Value, Value)> {
    desk.events_of("session.started")
        .into_iter()
        .map(|e| (e["session"].clone(), e["body"]["source"].clone()))
        .collect()
}

fn session_of_client(desk: &Desk, id: &str) -> Value {
    with(desk.fixture(CLAUDE, "SessionStart"), json!({ "session_id": id }))
}

#[test]
fn resume_compact_clear_and_fork_go_on_in_the_session_that_the_client_names() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]);
    for source in ["resume", "compact", "clear", "fork"] {
        let start = with(desk.fixture(CLAUDE, "SessionStart"), json!({ "source": source }));
        desk.tell(CLAUDE, "SessionStart", &start);
    }
    let told = started(&desk);
    let sources: Vec<&str> = told.iter().map(|(_, source)| source.as_str().unwrap()).collect();
    assert_eq!(sources, ["startup", "resume", "compact", "clear", "fork"]);
    assert!(told.iter().all(|(session, _)| *session == told[0].0), "{told:?}");

    // A fork under a new id is another session of the client, and so of the memory.
    desk.tell(CLAUDE, "SessionStart", &with(desk.fixture(CLAUDE, "SessionStart.fork"), json!({})));
    let fork = started(&desk).pop().unwrap();
    assert_eq!(fork.1, json!("fork"));
    assert_ne!(fork.0, told[0].0);
}

#[test]
fn a_first_event_that_is_no_start_opens_the_session() {
    for first in [
        "UserPromptSubmit",
        "PreToolUse.Bash",
        "PostToolUse.Bash",
        "PostToolUse.TaskCreate",
        "Stop",
        "SessionEnd",
    ] {
        let desk = Desk::new();
        desk.play(CLAUDE, &[first, "PostToolUse.Bash"]);
        let events = desk.events();
        assert_eq!(
            (&events[0]["kind"], &events[0]["body"]),
            (&json!("session.started"), &json!({ "source": "first event" }))
        );
        assert_eq!(started(&desk).len(), 1, "{first}");
        assert!(events.iter().all(|event| event["session"] == events[0]["session"]));
    }
}

#[test]
fn a_start_that_comes_late_says_nothing_new_and_one_after_the_end_does() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["UserPromptSubmit", "SessionStart", "Stop", "SessionEnd"]);
    assert_eq!(started(&desk).len(), 1);
    desk.play(CLAUDE, &["SessionStart"]);
    let sources: Vec<Value> = started(&desk).into_iter().map(|(_, source)| source).collect();
    assert_eq!(sources, [json!("first event"), json!("startup")]);
}

#[test]
fn clients_with_the_same_id_have_sessions_of_their_own() {
    let desk = Desk::new();
    desk.tell(CLAUDE, "SessionStart", &session_of_client(&desk, "same"));
    desk.tell("codex", "SessionStart", &session_of_client(&desk, "same"));
    let told = started(&desk);
    assert_eq!(told.len(), 2);
    assert_ne!(told[0].0, told[1].0);
}

#[test]
fn an_id_that_would_be_a_path_is_only_an_id() {
    let desk = Desk::new();
    let long = "x".repeat(100_000);
    for id in ["../../../escaped", "/etc/passwd", "a\u{0}b", "a\nb\tc", long.as_str(), "Ünïcödé 🦀"] {
        desk.tell(CLAUDE, "SessionStart", &session_of_client(&desk, id));
    }
    assert_eq!(started(&desk).len(), 6);
    assert_eq!(fs::read_dir(desk.state().join("sessions")).unwrap().count(), 6);
    assert!(desk.troubles().is_empty(), "{:?}", desk.troubles());
}

#[test]
fn everything_between_two_prompts_is_for_the_first_of_them() {
    let desk = Desk::new();
    // Gemini names no turns.
    desk.play(
        "gemini",
        &["SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "BeforeAgent", "AfterTool", "AfterAgent"],
    );
    let tasks: Vec<Value> = desk.events().into_iter().map(|event| event["task"].clone()).collect();
    let (first, second) = (&tasks[1], &tasks[4]);
    assert!(first.as_str().unwrap().starts_with("t-") && first != second);
    assert_eq!(
        tasks,
        [
            Value::Null,
            first.clone(),
            first.clone(),
            first.clone(),
            second.clone(),
            second.clone(),
            second.clone()
        ]
    );
}

#[test]
fn a_sub_agent_of_copilot_belongs_to_its_parents_session() {
    let desk = Desk::new();
    let (parent, child) = ("97a07ad6-dd46-48b6-bab0-d04acceb20c0", "7f09d6a5-ad30-4b9b-9cec-10dca0ee7ab7");
    let of_parent = |name: &str| with(desk.fixture("copilot", name), json!({ "sessionId": parent }));
    let of_child = |name: &str| {
        let fields =
            json!({ "sessionId": child, "agentId": child, "agentType": "explore", "parentAgentId": parent });
        with(desk.fixture("copilot", name), fields)
    };
    desk.tell("copilot", "sessionStart", &of_parent("sessionStart"));
    desk.tell("copilot", "userPromptSubmitted", &of_parent("userPromptSubmitted"));
    desk.tell("copilot", "subagentStart", &desk.fixture("copilot-pascal", "SubagentStart"));
    desk.tell("copilot", "userPromptSubmitted", &of_child("userPromptSubmitted"));
    desk.tell("copilot", "preToolUse", &of_child("preToolUse"));
    desk.tell("copilot", "postToolUse", &of_child("postToolUse"));
    desk.tell("copilot", "agentStop", &of_child("agentStop"));
    desk.tell("copilot", "postToolUse", &of_parent("postToolUse"));
    desk.tell("copilot", "agentStop", &of_parent("agentStop"));
    assert_snapshot!(desk.trace(), @r#"
session.started s1 main in ~/project
    {"source":"new"}
prompt.submitted s1 main t1 in ~/project
    {"text":"Please do the thing"}
subagent.started s1 sub1 as explore t1 in ~/project
    {"parent":"main of s1","sort":"explore"}
tool.used ok s1 sub1 as explore t1 in ~/project
    {"exit":0,"input":{"command":"echo hello-from-shell","description":"say hello"},"output":"hello-from-shell\n","tool":"bash"}
tool.used ok s1 main t1 in ~/project
    {"exit":0,"input":{"command":"echo hello-from-shell","description":"say hello"},"output":"hello-from-shell\n","tool":"bash"}
turn.ended ok s1 main t1 in ~/project
    {"extra":{"stopReason":"end_turn"}}
"#);
    assert_eq!(fs::read_dir(desk.state().join("sessions")).unwrap().count(), 1);
}

#[test]
fn a_child_session_of_opencode_is_a_sub_agent_of_its_parent() {
    let desk = Desk::new();
    let child = |name: &str| {
        let text = desk.fixture("opencode", name).to_string();
        let text = text.replace("ses_e1f801922ffex12ZDj313tlY8S", "ses_e1f7c084affea661ypMi70cita");
        with(serde_json::from_str(&text).unwrap(), json!({ "parentID": "ses_e1f801922ffex12ZDj313tlY8S" }))
    };
    desk.play("opencode", &["event.session.created", "chat.message"]);
    for event in ["event.session.created", "chat.message", "tool.execute.after", "event.session.idle"] {
        desk.tell("opencode", event, &child(event));
    }
    desk.play("opencode", &["tool.execute.after.task", "event.session.idle"]);
    assert_snapshot!(desk.trace(), @r#"
session.started s1 main in ~/project
    {"source":"startup"}
prompt.submitted s1 main t1 in ~/project
    {"text":"\"Please do the thing\""}
subagent.started s1 sub1 t1 in ~/project
    {"parent":"main of s1"}
tool.used ok s1 sub1 t1 in ~/project
    {"exit":0,"input":{"command":"echo hello-from-shell","description":"say hello"},"output":"hello-from-shell\n","tool":"bash"}
subagent.stopped s1 sub1 t1 in ~/project
    {"parent":"main of s1"}
tool.used ok s1 main t1 in ~/project
    {"input":{"description":"sub","prompt":"sub prompt","subagent_type":"general"},"output":"<task id=\"sub1\" state=\"completed\">\n<task_result>\nSUB-FINAL\n</task_result>\n</task>","tool":"task"}
turn.ended ok s1 main t1 in ~/project
    {}
"#);
}

#[test]
fn what_is_no_prompt_of_a_person_is_not_recorded_as_one() {
    let desk = Desk::new();
    desk.play("codex", &["SessionStart", "UserPromptSubmit.subagent"]);
    let notice = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>";
    let notice = with(desk.fixture(CLAUDE, "UserPromptSubmit"), json!({ "prompt": notice }));
    desk.tell(CLAUDE, "UserPromptSubmit", &notice);
    assert_eq!(desk.events_of("prompt.submitted"), Vec::<Value>::new());
    let kinds: Vec<String> = desk.told().into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["session.started", "session.started"], "the sessions are opened all the same");
}

#[test]
fn the_agent_that_compacts_is_no_sub_agent() {
    let desk = Desk::new();
    let compacts = with(desk.fixture(CLAUDE, "SubagentStop"), json!({ "agent_type": "" }));
    desk.tell(CLAUDE, "SubagentStop", &compacts);
    assert_eq!(desk.events_of("subagent.stopped"), Vec::<Value>::new());
    desk.play(CLAUDE, &["SubagentStop"]);
    assert_eq!(desk.events_of("subagent.stopped").len(), 1);
}

#[test]
fn a_session_that_was_silent_for_a_day_is_interrupted_exactly_once() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["SessionStart", "UserPromptSubmit", "PostToolUse.Bash"]);
    let silent = desk.events()[0].clone();
    age(&desk, 23);
    desk.tell(CLAUDE, "SessionStart", &session_of_client(&desk, "another"));
    assert_eq!(desk.events_of("session.interrupted"), Vec::<Value>::new());
    age(&desk, 3);
    std::thread::scope(|scope| {
        for n in 0..16 {
            let desk = &desk;
            scope.spawn(move || {
                desk.tell(CLAUDE, "SessionStart", &session_of_client(desk, &format!("start {n}")));
            });
        }
    });
    desk.settle();
    desk.tell(CLAUDE, "SessionStart", &session_of_client(&desk, "one more"));
    let interrupted = desk.events_of("session.interrupted");
    assert_eq!(interrupted.len(), 1, "{interrupted:#?}");
    let event = &interrupted[0];
    assert_eq!((&event["session"], &event["agent"]), (&silent["session"], &silent["agent"]));
    assert_eq!(event["body"], json!({ "silent_for_hours": 26 }));
    desk.verify();
}

#[test]
fn a_session_that_ended_is_not_interrupted_and_one_that_goes_on_may_be_again() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["SessionStart", "SessionEnd"]);
    age(&desk, 30);
    desk.tell(CLAUDE, "SessionStart", &session_of_client(&desk, "a"));
    assert_eq!(desk.events_of("session.interrupted"), Vec::<Value>::new());
    let sessions = ["b", "c", "d"];
    for (round, other) in sessions.into_iter().enumerate() {
        desk.play(CLAUDE, &["UserPromptSubmit"]);
        age(&desk, 30);
        let start = with(session_of_client(&desk, other), json!({}));
        desk.tell("codex", "SessionStart", &start);
        desk.tell(
            "codex",
            "SessionEnd",
            &with(desk.fixture("codex", "SessionEnd"), json!({ "session_id": other })),
        );
        let interrupted = desk.events_of("session.interrupted");
        let ours = interrupted.iter().filter(|event| event["session"] == desk.events()[0]["session"]);
        assert_eq!(ours.count(), round + 1);
    }
}

#[test]
fn old_journals_are_thrown_away_and_not_before_their_sessions_are_over() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["SessionStart", "SessionEnd"]);
    desk.play("codex", &["SessionStart"]);
    age(&desk, 31 * 24);
    desk.tell(CLAUDE, "SessionStart", &session_of_client(&desk, "another"));
    assert_eq!(fs::read_dir(desk.state().join("sessions")).unwrap().count(), 1);
    let interrupted = desk.events_of("session.interrupted");
    assert_eq!(interrupted.len(), 1);
    assert_eq!(interrupted[0]["agent"]["client"], json!("codex"));
}

#[test]
fn a_journal_that_was_only_just_made_is_left_alone() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["SessionStart"]);
    let path = journal(&desk);
    let heading = fs::read_to_string(&path).unwrap().lines().next().unwrap().to_owned();
    for begun in [String::new(), format!("{heading}\n")] {
        // The hook that opens the session has not come further yet when another session starts.
        fs::write(&path, &begun).unwrap();
        desk.play("codex", &["SessionStart"]);
        assert!(fs::read_to_string(&path).unwrap().starts_with(&begun));
        desk.play(CLAUDE, &["PostToolUse.Bash"]);
        assert_eq!(started(&desk).iter().filter(|(session, _)| *session == started(&desk)[0].0).count(), 1);
    }
}

#[test]
fn a_session_whose_opener_died_is_recovered_at_the_end_of_the_turn() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["SessionStart", "UserPromptSubmit", "Stop"]);
    let path = journal(&desk);
    let heading = fs::read_to_string(&path).unwrap().lines().next().unwrap().to_owned();
    for begun in [format!("{heading}\n"), String::new()] {
        // As if the hook that made the file had died before it could say anything.
        fs::write(&path, begun).unwrap();
        let before = started(&desk).len();
        desk.play(CLAUDE, &["UserPromptSubmit", "PostToolUse.Bash", "Stop", "Stop", "SessionStart"]);
        let told = started(&desk);
        assert_eq!(told[before..], [(told[0].0.clone(), json!("recovered"))]);
    }
}

#[test]
fn a_session_of_a_hundred_thousand_calls_was_opened_once() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["SessionStart", "UserPromptSubmit"]);
    let path = journal(&desk);
    let mut text = fs::read_to_string(&path).unwrap();
    let line = text.lines().last().unwrap().split_once('\t').unwrap().0.to_owned() + "\tPostToolUse\talive\n";
    text.push_str(&line.repeat(100_000));
    fs::write(&path, text).unwrap();
    desk.play(CLAUDE, &["SessionStart", "PostToolUse.Bash", "Stop", "Stop"]);
    assert_eq!(started(&desk).len(), 1);
    age(&desk, 30);
    desk.tell("codex", "SessionStart", &session_of_client(&desk, "another"));
    let interrupted = desk.events_of("session.interrupted");
    assert_eq!(interrupted.len(), 1);
    assert_eq!(interrupted[0]["agent"]["client"], json!(CLAUDE));
}

#[test]
fn a_journal_with_torn_lines_and_foreign_marks_is_still_a_journal() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["SessionStart", "PostToolUse.TaskCreate"]);
    let path = journal(&desk);
    let mut text = fs::read_to_string(&path).unwrap().replacen('{', "{\"since\":\"2.0.0\",", 1).into_bytes();
    text.extend_from_slice(
        b"17947\xff\t\n\n\t\t\t\nnot a line\n1794788946832\tLevitate\thovering\tx\ty\n{torn",
    );
    fs::write(&path, text).unwrap();
    desk.play(CLAUDE, &["PostToolUse.TaskCreate", "PostToolUse.TaskCreate", "Stop", "SessionEnd"]);
    let turn = desk.events_of("turn.ended").remove(0);
    // The line after the torn one is lost with it.
    assert_eq!(turn["body"]["quiet"], json!({ "TaskCreate": 2 }));
    assert_eq!(started(&desk).len(), 1);
    assert!(desk.troubles().is_empty());
}

#[test]
fn a_transcript_is_only_noted_in_the_journal() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["SessionStart"]);
    let heading = fs::read_to_string(journal(&desk)).unwrap();
    let heading: Value = serde_json::from_str(heading.lines().next().unwrap()).unwrap();
    let transcript = desk.fixture(CLAUDE, "SessionStart")["transcript_path"].clone();
    let project = desk.fixture(CLAUDE, "SessionStart")["cwd"].clone();
    assert_eq!(
        heading,
        json!({ "client": CLAUDE, "session": SESSION, "transcript": transcript, "project": project, "root": project })
    );
    let nameless = without(session_of_client(&desk, "without"), "transcript_path");
    desk.tell(CLAUDE, "SessionStart", &nameless);
    assert!(desk.troubles().is_empty());
}
