use custos_clients::{Happening, find};
use custos_log::append::{Places, Surroundings};
use custos_log::{Limits, WriterId};

use super::*;

fn event() -> HookEvent {
    HookEvent {
        client: find("codex").unwrap().name,
        session: "its-own-id".to_owned(),
        cwd: None,
        transcript: None,
        turn: None,
        agent: None,
        happening: Happening::SubagentStarted,
        extra: serde_json::Map::default(),
    }
}

/// Joins a new session in an empty directory.
fn joined(dir: &Path) -> Session {
    let at = |name: &str| dir.join(name);
    let places = Places { log: at("log"), backups: at("backups"), state: at("state") };
    let writer: WriterId = "desk".parse().unwrap();
    let log = Log::new(places, Surroundings::system(), Limits::default(), writer);
    let surroundings = log.surroundings();
    let names = Pseudonyms::load(&*surroundings.disk, &log.places().state, &surroundings.entropy).unwrap();
    Session::join(&log, &names, &event(), None).unwrap()
}

#[test]
fn the_latest_task_is_found_wherever_its_line_lies() {
    let dir = tempfile::tempdir().unwrap();
    let session = joined(dir.path());
    let now = Timestamp::from_millis(1_794_767_700_802);
    assert_eq!((session.task(), session.has_task("t-0")), (None, false));
    for number in 0..150 {
        session.mark(now, "UserPromptSubmit", Mark::Prompt(&format!("t-{number}"))).unwrap();
        // Ever more between two of them, so that some line of a prompt lies across every border of what is read at a time.
        for _ in 0..number {
            session.mark(now, "PostToolUse", Mark::Quiet("prompt")).unwrap();
        }
        assert_eq!(session.task(), Some(format!("t-{number}")));
        assert!(session.has_task("t-0") || number > 100, "{number}");
        assert!(!session.has_task("t-") && !session.has_task("prompt"));
    }
}

#[test]
fn what_a_session_was_given_is_found_however_long_its_journal_is() {
    let dir = tempfile::tempdir().unwrap();
    let session = joined(dir.path());
    assert_eq!(session.recalled(), Vec::<String>::new());
    let now = Timestamp::from_millis(1_794_767_700_802);
    let many: Vec<String> = (0..100).map(|n| format!("{n:012x}")).collect();
    session.mark(now, "SessionStart", Mark::Recalled(&many.join(" "))).unwrap();
    // More than anybody reads of a journal at a tool.
    for _ in 0..8_000 {
        session.mark(now, "PostToolUse", Mark::Quiet("recalled")).unwrap();
    }
    session.mark(now, "UserPromptSubmit", Mark::Recalled("ffffffffffff")).unwrap();
    let mut expected = many;
    expected.push("ffffffffffff".to_owned());
    assert!(session.journal().unwrap().is_cut());
    assert_eq!(session.recalled(), expected);
    // What a compaction took is not had any more.
    session.mark(now, "PreCompact", Mark::Compacted).unwrap();
    assert_eq!(session.recalled(), Vec::<String>::new());
    session.mark(now, "UserPromptSubmit", Mark::Recalled("eeeeeeeeeeee ffffffffffff")).unwrap();
    assert_eq!(session.recalled(), ["eeeeeeeeeeee", "ffffffffffff"]);
}
