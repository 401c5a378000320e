//! Two versions of the program on one store: what an older or a newer one wrote is in the same log.

use std::fs;
use std::path::PathBuf;

use custos_log::frame::{self, Opening, Parsed};
use custos_model::{EventId, Kind, SchemaVersion, Timestamp};
use serde_json::json;

use crate::desk::Desk;

const CLAUDE: &str = "claude-code";
const OLD: &str = include_str!("../fixtures/schema-0.9.jsonl");

fn segment(desk: &Desk) -> PathBuf {
    let writer = fs::read_dir(desk.memory().join("log")).unwrap().next().unwrap().unwrap().path();
    writer.join("0001.jsonl")
}

/// Appends a record as a program of another version would.
fn append(desk: &Desk, v: SchemaVersion, tag: u8, content: &[u8]) {
    let path = segment(desk);
    let mut bytes = fs::read(&path).unwrap();
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let frames: Vec<_> = lines
        .filter_map(|line| match frame::parse(line) {
            Parsed::Whole(frame) if frame.v.major > 0 => Some((frame.seq, frame.link(line))),
            _ => None,
        })
        .collect();
    let (seq, link) = frames.last().unwrap();
    let ts = Timestamp::from_millis(1_794_788_946_832);
    let opening = Opening { v, id: EventId::new(ts, [tag; 10]), seq: seq + 1, ts, kind: Kind::ToolUsed };
    let (line, _) = frame::write(&opening, link, &[7; 16], content);
    bytes.extend_from_slice(&line);
    bytes.push(b'\n');
    fs::write(&path, bytes).unwrap();
}

#[test]
fn hooks_append_after_records_of_newer_and_older_versions() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["SessionStart", "UserPromptSubmit"]);
    let minor =
        br#"{"scope":"user","acl":["user"],"origin":"hook","mood":"new","body":{"tool":"Telepathy"}}"#;
    append(&desk, SchemaVersion { major: 1, minor: 7, patch: 0 }, 1, minor);
    desk.play(CLAUDE, &["PostToolUse.Bash"]);
    append(&desk, SchemaVersion { major: 2, minor: 0, patch: 0 }, 2, br#"{"future":[]}"#);
    desk.play(CLAUDE, &["PostToolUse.Edit"]);
    let old = OLD.lines().take(3).map(|line| format!("{line}\n")).collect::<String>();
    let mut bytes = fs::read(segment(&desk)).unwrap();
    bytes.extend_from_slice(old.as_bytes());
    fs::write(segment(&desk), bytes).unwrap();
    desk.play(CLAUDE, &["Stop", "SessionEnd"]);

    desk.verify();
    let ours: Vec<(u64, String)> = desk
        .events()
        .into_iter()
        .filter(|event| event["origin"] == "hook" && event["session"].is_string())
        .map(|event| (event["seq"].as_u64().unwrap(), event["kind"].as_str().unwrap().to_owned()))
        .collect();
    let expected = [
        (1, "session.started"),
        (2, "prompt.submitted"),
        (4, "tool.used"),
        (6, "tool.used"),
        (7, "turn.ended"),
        (8, "session.ended"),
    ];
    assert_eq!(ours, expected.map(|(seq, kind)| (seq, kind.to_owned())), "3 and 5 are the other version's");
    let newer = desk.events_of("tool.used").into_iter().find(|event| event["body"]["tool"] == "Telepathy");
    assert_eq!(newer.unwrap()["seq"], json!(3));
    assert_eq!(desk.troubles(), Vec::<String>::new());
}

#[test]
fn a_spooled_event_of_a_newer_version_does_not_stop_the_others() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["SessionStart"]);
    let spool = desk.state().join("spool");
    fs::create_dir(&spool).unwrap();
    fs::write(spool.join("01a1e1c1-f35c-79a2-bb5f-72cd3980c65e.12.event"), "from tomorrow").unwrap();
    fs::write(spool.join("a-name-from-tomorrow.v2"), "from tomorrow").unwrap();
    desk.play(CLAUDE, &["UserPromptSubmit", "Stop"]);
    let kinds: Vec<String> = desk.told().into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["session.started", "prompt.submitted", "turn.ended"]);
    desk.verify();
}
