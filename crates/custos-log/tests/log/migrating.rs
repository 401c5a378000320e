//! Migrating: an exact report, every event that can be carried over, and an old log that nobody touched.

use std::collections::BTreeMap;

use custos_log::migrate::{Migration, Refused};
use custos_log::{LogReader, Position, Selection, forget, migrate};
use custos_model::draft::DraftAgent;
use custos_model::{Draft, Importance, Kind, Origin, Outcome, Scope};
use serde_json::{Value, json};

use crate::machine::{Machine, object, plant, quick, tool, vandalise};
use crate::schemas::OLD;

fn carried(entries: &[(&str, &[(&str, u64)])]) -> BTreeMap<String, BTreeMap<String, u64>> {
    let kinds = |kinds: &[(&str, u64)]| kinds.iter().map(|(kind, n)| ((*kind).to_owned(), *n)).collect();
    entries.iter().map(|(version, list)| ((*version).to_owned(), kinds(list))).collect()
}

/// Reads every event of a log as JSON, without what belongs to its chain.
fn events(machine: &Machine) -> Vec<Value> {
    let mut cursor = machine.log.reader().cursor(&machine.writer(), Position::START).unwrap();
    let mut events = Vec::new();
    while let Some(line) = cursor.next().unwrap() {
        let custos_log::Line::Record(record) = line else { panic!("{line:?}") };
        events.push(serde_json::to_value(record.event().unwrap()).unwrap());
    }
    events
}

#[test]
fn an_old_log_is_carried_over_and_not_touched() {
    let old = Machine::new();
    let path = old.log.places().log.join("old-machine/0001.jsonl");
    let other_type = OLD.replace("000001\"", "000002\"").replace("tool_error", "telepathy");
    let no_data = OLD.replace("000001\"", "000003\"").replace(r#"{"tool":"Bash"}"#, "[]");
    let prompt = OLD.replace("000001\"", "000004\"").replace("tool_error", "prompt");
    let unknown = OLD.replace("0.9.0", "0.3.0");
    let last = OLD.replace("000001\"", "000005\"");
    let half = &OLD[..60];
    let lines = [OLD, &other_type, &prompt, &no_data, &unknown, "not JSON", half, &last];
    plant(&path, lines.join("\n").as_bytes());
    let before = old.snapshot();

    let offset = |n: usize| lines[..n].iter().map(|line| line.len() as u64 + 1).sum();
    let refused =
        |n: usize, reason: &str| Refused { file: path.clone(), offset: offset(n), reason: reason.to_owned() };
    let expected = Migration {
        carried: carried(&[("0.9.0", &[("prompt.submitted", 1), ("tool.failed", 2)])]),
        forgotten: 0,
        refused: vec![
            refused(1, "schema 0.9.0: type: \"telepathy\" has no counterpart in schema 1.0"),
            refused(3, "schema 0.9.0: data: is no object"),
            refused(4, "schema 0.3.0: v: no schema 0.3.0 was ever published; 0.9 and 1.0 were"),
            refused(5, "is no record"),
            refused(6, "is no record: EOF while parsing a string at line 1 column 60"),
        ],
    };
    assert_eq!(migrate(&old.log.reader(), None, &mut |_| {}).unwrap(), expected, "as a dry run");
    assert_eq!(old.snapshot(), before);

    let new = Machine::new();
    let report = migrate(&old.log.reader(), Some(&new.log), &mut |_| {}).unwrap();
    assert_eq!((report.total(), &report), (3, &expected));
    assert_eq!(old.snapshot(), before, "not a byte of the old log has changed");
    new.assert_sound();
    let ids: Vec<String> = new.records().iter().map(|seen| seen.id.to_string()).collect();
    assert_eq!(
        ids,
        [
            "0193f0a1-7c00-7000-8000-000000000001",
            "0193f0a1-7c00-7000-8000-000000000004",
            "0193f0a1-7c00-7000-8000-000000000005"
        ]
    );
}

/// A log with every field that an event can have.
fn full_log() -> Machine {
    let machine = Machine::with_segments_of(2_000);
    machine.append_each(0..2);
    let draft = Draft {
        project: Some("p".to_owned()),
        branch: Some("b".to_owned()),
        commit: Some("c".to_owned()),
        session: Some("s".to_owned()),
        agent: Some(DraftAgent {
            client: "codex".to_owned(),
            id: Some("their-own-id".to_owned()),
            role: Some("conductor".to_owned()),
        }),
        task: Some("t".to_owned()),
        outcome: Some(Outcome::Denied),
        importance: Importance::new(0.25),
        ts: Some("2020-02-02T02:02:02.020Z".parse().unwrap()),
        ..Draft::new(
            Kind::KnowledgeSaved,
            Scope::Agent,
            object(json!({ "big": 12_345_678_901_234_567_890_u64, "f": 0.1 })),
        )
    };
    machine.log.append(draft, Origin::Mcp).unwrap();
    machine.append_each(2..6);
    machine
}

#[test]
fn a_current_log_gives_the_same_events() {
    let old = full_log();
    let new = Machine::new();
    let report = migrate(&old.log.reader(), Some(&new.log), &mut |_| {}).unwrap();
    let expected = carried(&[("1.0.0", &[("knowledge.saved", 1), ("tool.used", 6)])]);
    assert_eq!(report, Migration { carried: expected, ..Migration::default() });
    assert_eq!(events(&new), events(&old));
    let third = Machine::new();
    migrate(&new.log.reader(), Some(&third.log), &mut |_| {}).unwrap();
    assert_eq!(events(&third), events(&old));
    third.assert_sound();
}

#[test]
fn what_is_forgotten_newer_or_damaged_is_counted_or_refused() {
    let old = Machine::new();
    let appended = old.append_each(0..5);
    let selection = Selection::Id(appended[1].id);
    let plan = forget::plan(&old.log, &selection, &mut |_| {}).unwrap();
    forget::forget(&old.log, &plan, &selection, "a test").unwrap();
    vandalise(&old.segment(1), |bytes| {
        let end = usize::try_from(appended[3].at.offset).unwrap() - 2;
        bytes[end] = b'?';
    });
    let report = migrate(&LogReader::new(&old.log.places().log), None, &mut |_| {}).unwrap();
    let reason = "the content of record 3 is cut short or damaged".to_owned();
    assert_eq!(
        report,
        Migration {
            carried: carried(&[("1.0.0", &[("forget.done", 1), ("tool.used", 3)])]),
            forgotten: 1,
            refused: vec![Refused { file: old.segment(1), offset: appended[2].at.offset, reason }],
        }
    );
}

#[test]
fn the_disk_is_asked_once_and_not_once_per_event() {
    use custos_testkit::faulty::Operation;
    let old = Machine::new();
    for n in 0..20 {
        let draft = Draft::new(Kind::PromptSubmitted, Scope::User, object(json!({ "n": n })));
        old.log.append(draft, Origin::Hook).unwrap();
    }
    let new = Machine::with(custos_log::Limits { sync: true, ..quick() });
    new.disk.take_trace();
    migrate(&old.log.reader(), Some(&new.log), &mut |_| {}).unwrap();
    let syncs = new.disk.take_trace().into_iter().filter(|operation| *operation == Operation::Sync).count();
    assert_eq!(syncs, 1);
    new.log.append(tool(json!({})), Origin::Hook).unwrap();
    new.assert_sound();
}

#[test]
fn a_content_that_is_not_the_one_that_was_written_is_refused() {
    let old = Machine::new();
    let appended = old.append_each(0..3);
    let offset = appended[1].at.offset;
    let end = usize::try_from(appended[2].at.offset).unwrap();
    vandalise(&old.segment(1), |bytes| {
        let digit = bytes[..end].iter().rposition(|b| *b == b'1').unwrap();
        bytes[digit] = b'7';
    });
    let report = migrate(&old.log.reader(), None, &mut |_| {}).unwrap();
    let reason = "its content is not the one that was written".to_owned();
    assert_eq!(
        report,
        Migration {
            carried: carried(&[("1.0.0", &[("tool.used", 2)])]),
            forgotten: 0,
            refused: vec![Refused { file: old.segment(1), offset, reason }],
        }
    );
}

/// The promise is in the log of one machine, and what it names in the log of another that has not heard of it yet.
#[test]
fn what_a_forgetting_names_is_not_carried_over() {
    let old = Machine::new();
    let other = old.beside("there");
    let promised = other.append(json!({ "text": "PLANTED there" })).id;
    let line = OLD.replace("Bash", "PLANTED before the chain");
    plant(&old.log.places().log.join("old-machine/0001.jsonl"), format!("{line}\n").as_bytes());
    old.append(json!({ "n": 0 }));
    let body = json!({
        "ids": [promised.to_string()],
        "fragments": [{ "writer": "old-machine", "segment": 1, "offset": 0, "len": line.len() }],
    });
    old.log.append(Draft::new(Kind::ForgetDone, Scope::User, object(body)), Origin::Cli).unwrap();
    let new = Machine::new();
    let report = migrate(&old.log.reader(), Some(&new.log), &mut |_| {}).unwrap();
    let expected = carried(&[("1.0.0", &[("forget.done", 1), ("tool.used", 1)])]);
    assert_eq!(report, Migration { carried: expected, forgotten: 2, refused: Vec::new() });
    assert_eq!(new.files_with("PLANTED"), Vec::<std::path::PathBuf>::new());
}
