//! Records of other schemas in one log: newer ones are kept and skipped, older ones are read as if they were ours.

use std::fs;

use custos_log::frame::{self, Opening, Parsed};
use custos_log::{Line, Position};
use custos_model::{EventId, Kind, SchemaVersion, Timestamp};
use serde_json::json;

use crate::machine::{Machine, NOON, vandalise};

pub(crate) const OLD: &str = r#"{"v":"0.9.0","id":"0193f0a1-7c00-7000-8000-000000000001","time":1700000000000,"type":"tool_error","client":"codex","session":"s1","project":"demo","level":"shared","data":{"tool":"Bash"}}"#;

/// Appends a record of a version that does not exist yet, as a program that knows it would.
fn append_newer(machine: &Machine, v: SchemaVersion) -> u64 {
    let mut seq = 0;
    vandalise(&machine.segment(1), |bytes| {
        let last = bytes.split(|b| *b == b'\n').rfind(|line| !line.is_empty()).unwrap();
        let Parsed::Whole(frame) = frame::parse(last) else { panic!() };
        seq = frame.seq + 1;
        let ts = Timestamp::from_millis(NOON);
        let opening = Opening { v, id: EventId::new(ts, [9; 10]), seq, ts, kind: Kind::ToolUsed };
        let (line, _) = frame::write(&opening, &frame.link(last), &[7; 16], br#"{"mood":"new","body":[]}"#);
        bytes.extend_from_slice(&line);
        bytes.push(b'\n');
    });
    seq
}

#[test]
fn a_newer_record_is_kept_skipped_and_chained() {
    let machine = Machine::new();
    machine.append_each(0..2);
    let v = SchemaVersion { major: 2, minor: 0, patch: 0 };
    let newer = append_newer(&machine, v);
    assert_eq!(newer, 3);
    assert_eq!(machine.append(json!({ "n": 2 })).seq, 4);
    machine.assert_sound();
    let found = machine.verify();
    assert_eq!((found.writers[0].records, found.writers[0].newer), (4, 1));
    let mut cursor = machine.log.reader().cursor(&machine.writer(), Position::START).unwrap();
    let mut lines = Vec::new();
    while let Some(line) = cursor.next().unwrap() {
        lines.push(match line {
            Line::Record(record) => ("record", record.frame.seq, record.frame.v),
            Line::Newer(frame) => ("newer", frame.seq, frame.v),
            other => panic!("{other:?}"),
        });
    }
    let ours = SchemaVersion::CURRENT;
    assert_eq!(lines, [("record", 1, ours), ("record", 2, ours), ("newer", 3, v), ("record", 4, ours)]);
}

#[test]
fn a_newer_record_is_as_protected_as_any() {
    let machine = Machine::new();
    machine.append_each(0..1);
    append_newer(&machine, SchemaVersion { major: 2, minor: 0, patch: 0 });
    machine.append_each(1..2);
    let at = String::from_utf8(fs::read(machine.segment(1)).unwrap()).unwrap().find("\"mood\"").unwrap();
    vandalise(&machine.segment(1), |bytes| bytes[at + 2] ^= 1);
    let damage = machine.damage();
    assert_eq!((damage.len(), damage[0].seq), (1, Some(2)), "{damage:#?}");
}

#[test]
fn a_record_of_a_newer_minor_version_is_read() {
    let machine = Machine::new();
    machine.append_each(0..1);
    let line = fs::read_to_string(machine.segment(1)).unwrap();
    let Parsed::Whole(first) = frame::parse(line.trim_end().as_bytes()) else { panic!() };
    let ts = Timestamp::from_millis(NOON);
    let v = SchemaVersion { major: 1, minor: 7, patch: 0 };
    let opening = Opening { v, id: EventId::new(ts, [9; 10]), seq: 2, ts, kind: Kind::ToolUsed };
    let content = br#"{"scope":"user","acl":["user"],"origin":"hook","mood":"new","body":{"n":1}}"#;
    let (line, _) = frame::write(&opening, &first.link(line.trim_end().as_bytes()), &[7; 16], content);
    vandalise(&machine.segment(1), |bytes| {
        bytes.extend_from_slice(&line);
        bytes.push(b'\n');
    });
    machine.assert_sound();
    assert_eq!(machine.records()[1].body, json!({ "n": 1 }));
}

#[test]
fn an_older_record_is_read_as_it_would_be_written_today() {
    let machine = Machine::new();
    machine.append_each(0..2);
    vandalise(&machine.segment(1), |bytes| bytes.extend_from_slice(format!("{OLD}\n").as_bytes()));
    let next = machine.append(json!({ "n": 2 }));
    assert_eq!(next.seq, 3);
    machine.assert_sound();
    assert_eq!(machine.verify().writers[0].unchained, 1);
    let mut cursor = machine.log.reader().cursor(&machine.writer(), Position::START).unwrap();
    cursor.next().unwrap();
    cursor.next().unwrap();
    let Some(Line::Record(record)) = cursor.next().unwrap() else { panic!() };
    assert_eq!(record.written_in.to_string(), "0.9.0");
    let event = record.event().unwrap();
    assert_eq!(
        serde_json::to_value(&event).unwrap(),
        json!({
            "v": "1.0.0", "id": "0193f0a1-7c00-7000-8000-000000000001", "seq": 1, "ts": "2023-11-14T22:13:20.000Z",
            "kind": "tool.failed", "scope": "project", "acl": ["user"], "origin": "import", "project": "demo", "session": "s1",
            "agent": { "client": "codex" }, "outcome": "failed", "body": { "tool": "Bash" },
        })
    );
    let position = machine.log.reader().seek(&machine.writer(), 3).unwrap();
    assert_eq!(position, next.at, "a number from before the chain is no place in it");
}
