//! Forgetting: what is gone is gone from every file, and what stays still verifies.

use std::path::PathBuf;

use custos_log::forget::{self, Forgotten, Plan};
use custos_log::{Limits, Line, Position, Selection, backup};
use custos_model::draft::DraftAgent;
use custos_model::{Draft, EventId, Origin};
use custos_testkit::faulty::{Effect, Fault, Operation};
use serde_json::{Value, json};

use crate::machine::{DAY, Machine, object, plant, quick, tool, vandalise};

const NOWHERE: [PathBuf; 0] = [];

fn plan(machine: &Machine, selection: &Selection) -> Plan {
    forget::plan(&machine.log, selection, &mut |_| {}).unwrap()
}

fn forget(machine: &Machine, selection: &Selection) -> Forgotten {
    let plan = plan(machine, selection);
    forget::forget(&machine.log, &plan, selection, "a test").unwrap()
}

fn matching(text: &str) -> Selection {
    Selection::Matching(text.to_owned())
}

fn take_backup(machine: &Machine) {
    machine.pass_time(DAY);
    backup::create(&machine.log, 7, &mut |_| {}).unwrap();
}

fn in_session(session: &str, body: Value) -> Draft {
    Draft { session: Some(session.to_owned()), ..tool(body) }
}

fn in_project(project: &str, body: Value) -> Draft {
    Draft { project: Some(project.to_owned()), ..tool(body) }
}

fn append(machine: &Machine, draft: Draft) -> EventId {
    machine.log.append(draft, Origin::Hook).unwrap().id
}

/// Gives the bodies that are left, without those that tell of forgetting.
fn left(machine: &Machine) -> Vec<Value> {
    let bodies = machine.records().into_iter().map(|seen| seen.body);
    bodies.filter(|body| body.get("selected_by").is_none()).collect()
}

/// Gives the bodies that tell of forgetting.
fn told(machine: &Machine) -> Vec<Value> {
    let bodies = machine.records().into_iter().map(|seen| seen.body);
    bodies.filter(|body| body.get("selected_by").is_some()).collect()
}

#[test]
fn several_events_are_forgotten_by_their_ids() {
    let machine = Machine::new();
    let [first, second] =
        ["PLANTED one", "PLANTED two"].map(|text| machine.append(json!({ "text": text })).id);
    machine.append(json!({ "made": "PLANTED three", "sources": [second] }));
    machine.append(json!({ "names": first }));
    assert_eq!(plan(&machine, &Selection::Ids(Vec::new())), Plan::default());
    let done = forget(&machine, &Selection::Ids(vec![first, second]));
    assert_eq!(done, Forgotten { overwritten: 3, ..Forgotten::default() });
    assert_eq!(machine.files_with("PLANTED"), NOWHERE);
    assert_eq!(left(&machine), [json!({ "names": first })]);
}

#[test]
fn an_event_is_forgotten_by_its_id() {
    let machine = Machine::new();
    machine.append(json!({ "n": 0 }));
    let id = machine.append(json!({ "text": "PLANTED" })).id;
    machine.append(json!({ "n": 2 }));
    take_backup(&machine);
    let before = machine.verify();
    let done = forget(&machine, &Selection::Id(id));
    assert_eq!(done, Forgotten { overwritten: 1, in_backups: 1, left_to_others: 0, fragments: 0 });
    assert_eq!(machine.files_with("PLANTED"), NOWHERE);
    assert_eq!(left(&machine), [json!({ "n": 0 }), json!({ "n": 2 })]);
    assert_eq!(told(&machine), [json!({ "ids": [id.to_string()], "reason": "a test", "selected_by": "id" })]);
    let after = machine.verify();
    assert_eq!((after.is_damaged(), after.writers[0].forgotten), (false, 1));
    assert_eq!(after.writers[0].records, before.writers[0].records + 1);

    let mut cursor = machine.log.reader().cursor(&machine.writer(), Position::START).unwrap();
    cursor.next().unwrap();
    let Some(Line::Forgotten(frame)) = cursor.next().unwrap() else { panic!("no forgotten record") };
    assert_eq!((frame.seq, frame.id, frame.kind), (2, id, "tool.used"));
}

#[test]
fn sessions_and_projects_are_forgotten_as_a_whole_and_exactly() {
    let machine = Machine::new();
    append(&machine, in_session("s1", json!({ "n": 1 })));
    append(&machine, in_session("s12", json!({ "n": 2, "text": "s1" })));
    append(&machine, in_project("p/q", json!({ "n": 3 })));
    append(&machine, in_project("p", json!({ "n": 4, "text": "p/q" })));
    append(&machine, in_session("s1", json!({ "n": 5 })));
    assert_eq!(forget(&machine, &Selection::Session("s1".to_owned())).overwritten, 2);
    assert_eq!(forget(&machine, &Selection::Project(vec!["p/q".to_owned()])).overwritten, 1);
    let numbers: Vec<_> = left(&machine).iter().map(|body| body["n"].clone()).collect();
    assert_eq!(numbers, [json!(2), json!(4)]);
    machine.assert_sound();
}

#[rstest::rstest]
#[case::plain("a PLANTED text")]
#[case::quotes(r#"say "PLANTED" twice"#)]
#[case::backslash(r"C:\PLANTED\file")]
#[case::line_break("first PLANTED\nsecond line")]
#[case::unicode("PLANTED café 漢字 🦀")]
#[case::control("PLANTED \u{1b}[31m red")]
fn a_text_is_forgotten_wherever_it_stands(#[case] text: &str) {
    let machine = Machine::new();
    machine.append(json!({ "n": 0 }));
    machine.append(json!({ "text": format!("before {text} after") }));
    machine.append(json!({ "deep": [{ "er": [text] }] }));
    machine.append(json!({ "as json": json!({ "text": text }).to_string() }));
    machine.append(json!({ text: "as a key" }));
    append(&machine, in_session(text, json!({ "n": 1 })));
    append(&machine, in_project(text, json!({ "n": 2 })));
    append(
        &machine,
        Draft { branch: Some(text.to_owned()), task: Some("t".to_owned()), ..tool(json!({ "n": 3 })) },
    );
    append(&machine, Draft { commit: Some(text.to_owned()), ..tool(json!({ "n": 4 })) });
    append(&machine, Draft { task: Some(text.to_owned()), ..tool(json!({ "n": 5 })) });
    let agent =
        DraftAgent { client: "codex".to_owned(), id: Some(text.to_owned()), role: Some(text.to_owned()) };
    append(&machine, Draft { agent: Some(agent), ..tool(json!({ "n": 6 })) });
    machine.append(json!({ "n": 7 }));
    take_backup(&machine);
    assert!(machine.files_with("PLANTED").len() >= 3, "log, backup and the map of agents");

    let plan = plan(&machine, &matching(text));
    forget::forget(&machine.log, &plan, &matching(text), &format!("it said {text}")).unwrap();
    assert_eq!(machine.files_with("PLANTED"), NOWHERE);
    assert_eq!(left(&machine), [json!({ "n": 0 }), json!({ "n": 7 })]);
    assert_eq!(told(&machine)[0]["reason"], "it said [the text]");
    machine.assert_sound();
}

#[test]
fn a_text_that_every_record_has_in_its_envelope_selects_nothing_by_that() {
    let machine = Machine::new();
    machine.append_each(0..5);
    for text in ["user", "scope", "salt", "2026-11", "tool.used", "", "\""] {
        assert!(plan(&machine, &matching(text)).is_empty(), "{text:?}");
    }
}

#[test]
fn what_was_derived_goes_too_and_what_was_derived_from_that() {
    let machine = Machine::new();
    let other = machine.beside("there");
    let source = machine.append(json!({ "text": "PLANTED source" })).id;
    let observation = other.append(json!({ "title": "seen", "sources": [source.to_string()] })).id;
    let summary = machine.append(json!({ "learned": "much", "sources": ["x", observation.to_string()] })).id;
    let unrelated =
        machine.append(json!({ "title": "kept", "sources": [EventId::from_bytes([7; 16]).to_string()] })).id;
    let found = plan(&machine, &matching("PLANTED"));
    let listed: Vec<_> =
        found.records.iter().map(|planned| (planned.id, planned.derived, planned.own)).collect();
    assert_eq!(listed, [(source, false, true), (summary, true, true), (observation, true, false)]);
    assert_eq!(forget(&machine, &matching("PLANTED")).left_to_others, 1);
    let left: Vec<_> = machine.records().iter().map(|seen| seen.id).collect();
    assert!(left.contains(&unrelated) && !left.contains(&summary));
    assert_eq!(forget::carry_out(&other.log).unwrap().overwritten, 1);
    assert_eq!(other.records(), []);
    machine.assert_sound();
}

#[test]
fn what_was_derived_from_an_event_that_is_gone_is_found_by_its_id() {
    let machine = Machine::new();
    let source = machine.append(json!({ "text": "source" })).id;
    forget(&machine, &Selection::Id(source));
    machine.append(json!({ "title": "late", "sources": [source.to_string()] }));
    assert_eq!(forget(&machine, &Selection::Id(source)).overwritten, 1);
    assert_eq!(left(&machine), Vec::<Value>::new());
}

#[test]
fn another_machines_record_is_left_to_its_owner() {
    let machine = Machine::new();
    let other = machine.beside("there");
    machine.append_each(0..2);
    other.append(json!({ "text": "PLANTED there" }));
    other.append(json!({ "n": 1 }));
    take_backup(&machine);
    let theirs = std::fs::read(other.segment(1)).unwrap();
    let done = forget(&machine, &matching("PLANTED"));
    assert_eq!(done, Forgotten { overwritten: 0, in_backups: 1, left_to_others: 1, fragments: 0 });
    assert_eq!(
        std::fs::read(other.segment(1)).unwrap(),
        theirs,
        "another machine's file is not ours to change"
    );
    assert_eq!(machine.files_with("PLANTED"), [other.segment(1)]);
    assert_eq!(forget::carry_out(&machine.log).unwrap().left_to_others, 1);

    let done = forget::carry_out(&other.log).unwrap();
    assert_eq!(done, Forgotten { overwritten: 1, ..Forgotten::default() });
    assert_eq!(machine.files_with("PLANTED"), NOWHERE);
    assert_eq!(forget::carry_out(&other.log).unwrap(), Forgotten::default());
    assert_eq!(forget::carry_out(&machine.log).unwrap(), Forgotten::default());
    machine.assert_sound();
    other.assert_sound();
}

/// The owner forgets and its log is synchronised; our backups have the old state of it.
#[test]
fn what_another_machine_forgot_goes_from_our_backups() {
    let machine = Machine::new();
    let other = machine.beside("there");
    machine.append_each(0..2);
    let id = other.append(json!({ "text": "PLANTED there" })).id;
    take_backup(&machine);
    let backups = machine.log.places().backups.clone();
    let hidden = machine.home.path().join("hidden");
    // The other machine does not see our backups.
    std::fs::rename(&backups, &hidden).unwrap();
    forget(&other, &Selection::Id(id));
    std::fs::rename(&hidden, &backups).unwrap();
    assert_eq!(machine.files_with("PLANTED").len(), 1);
    let done = forget::carry_out(&machine.log).unwrap();
    assert_eq!(done, Forgotten { in_backups: 1, ..Forgotten::default() });
    assert_eq!(machine.files_with("PLANTED"), NOWHERE);
}

#[test]
fn forgetting_twice_is_harmless() {
    let machine = Machine::new();
    let id = machine.append(json!({ "text": "PLANTED" })).id;
    let before = plan(&machine, &Selection::Id(id));
    forget(&machine, &Selection::Id(id));
    assert!(plan(&machine, &Selection::Id(id)).is_empty());
    assert!(plan(&machine, &matching("PLANTED")).is_empty());
    let bytes = std::fs::read(machine.segment(1)).unwrap().len();
    let done = forget::forget(&machine.log, &before, &Selection::Id(id), "once more").unwrap();
    assert_eq!(done, Forgotten::default());
    assert!(std::fs::read(machine.segment(1)).unwrap().len() > bytes, "the second one is told, too");
    machine.assert_sound();
}

#[test]
fn a_write_that_was_cut_short_is_forgotten_before_and_after_it_was_set_apart() {
    let machine = Machine::new();
    machine.append_each(0..2);
    machine.tear(json!({ "first": "PLANTED in the middle", "then": "x".repeat(700) }));
    machine.append(json!({ "n": 2 }));
    machine.tear(json!({ "first": "PLANTED at the end", "then": "x".repeat(700) }));
    take_backup(&machine);
    assert_eq!(machine.files_with("PLANTED").len(), 2);
    assert_eq!(plan(&machine, &matching("PLANTED")).records.len(), 2);
    forget(&machine, &matching("PLANTED"));
    assert_eq!(machine.files_with("PLANTED"), NOWHERE);
    machine.assert_sound();
    machine.append(json!({ "n": 3 }));
    machine.assert_sound();
    assert_eq!(left(&machine).len(), 4);
}

#[test]
fn lines_that_are_no_records_are_blanked_here_and_named_for_others() {
    let machine = Machine::new();
    let other = machine.beside("there");
    for machine in [&machine, &other] {
        machine.append_each(0..1);
        vandalise(&machine.segment(1), |bytes| {
            bytes.extend_from_slice(b"garbage with PLANTED in it\n");
            let old = br#"{"v":"0.9.0","id":"0193f0a1-7c00-7000-8000-000000000001","time":1,"type":"prompt","data":{"text":"PLANTED \u00e9"}}"#;
            bytes.extend_from_slice(old);
            bytes.push(b'\n');
        });
        machine.append_each(1..2);
    }
    take_backup(&machine);
    let found = plan(&machine, &matching("PLANTED"));
    assert_eq!((found.records.len(), found.fragments()), (0, 4));
    let done = forget(&machine, &matching("PLANTED"));
    assert_eq!((done.fragments, done.in_backups), (2, 4));
    assert_eq!(machine.files_with("PLANTED"), [other.segment(1)]);
    assert_eq!(forget::carry_out(&other.log).unwrap().fragments, 2);
    assert_eq!(machine.files_with("PLANTED"), NOWHERE);
    machine.assert_sound();
    other.assert_sound();
    assert_eq!(forget::carry_out(&machine.log).unwrap(), Forgotten::default());
}

#[test]
fn a_damaged_record_can_be_forgotten() {
    let machine = Machine::new();
    machine.append_each(0..2);
    machine.append(json!({ "text": "PLANTED" }));
    machine.append_each(2..4);
    let at = String::from_utf8(std::fs::read(machine.segment(1)).unwrap()).unwrap().find("PLANTED").unwrap();
    vandalise(&machine.segment(1), |bytes| bytes[at + 9] = b'!');
    assert!(machine.verify().is_damaged());
    forget(&machine, &matching("PLANTED"));
    assert_eq!(machine.files_with("PLANTED"), NOWHERE);
    machine.assert_sound();
}

#[test]
fn a_record_of_many_megabytes_is_forgotten() {
    let machine = Machine::with(Limits { event: 5 << 20, ..quick() });
    machine.append_each(0..1);
    machine.append(json!({ "text": "PLANTED and more ".repeat(150_000) }));
    machine.append_each(1..2);
    assert_eq!(forget(&machine, &matching("PLANTED")).overwritten, 1);
    assert_eq!(machine.files_with("PLANTED"), NOWHERE);
    machine.assert_sound();
}

#[test]
fn thousands_of_ids_are_named_even_if_events_are_kept_short() {
    let machine = Machine::with(Limits { event: 2_000, segment: 100_000, ..quick() });
    for n in 0..300 {
        append(&machine, in_session("long", json!({ "n": n })));
    }
    assert_eq!(forget(&machine, &Selection::Session("long".to_owned())).overwritten, 300);
    let named: usize = told(&machine).iter().map(|body| body["ids"].as_array().unwrap().len()).sum();
    assert_eq!(named, 300);
    assert_eq!(left(&machine), Vec::<Value>::new());
    machine.assert_sound();
}

/// The reason of an earlier forgetting may itself be what is to be forgotten; what it named must still be carried out.
#[test]
fn forgetting_a_reason_forgets_nothing_that_was_promised() {
    let machine = Machine::new();
    let other = machine.beside("there");
    let id = other.append(json!({ "text": "theirs" })).id;
    let selection = Selection::Id(id);
    let planned = plan(&machine, &selection);
    forget::forget(&machine.log, &planned, &selection, "because of PLANTED").unwrap();
    forget(&machine, &matching("PLANTED"));
    assert_eq!(machine.files_with("PLANTED"), NOWHERE);
    assert_eq!(forget::carry_out(&other.log).unwrap().overwritten, 1);
    assert_eq!(other.records(), []);
}

#[test]
fn a_record_that_only_a_backup_still_has_is_forgotten_there() {
    let machine = Machine::with_segments_of(1_000);
    machine.append_each(0..2);
    machine.append(json!({ "text": "PLANTED" }));
    machine.append_each(2..6);
    take_backup(&machine);
    std::fs::remove_file(machine.segment(2)).unwrap();
    let found = plan(&machine, &matching("PLANTED"));
    assert_eq!((found.records.len(), found.strays()), (0, 1));
    assert_eq!(forget(&machine, &matching("PLANTED")).in_backups, 1);
    assert_eq!(machine.files_with("PLANTED"), NOWHERE);
    backup::restore(&machine.log, None, &mut |_| {}).unwrap();
    machine.assert_sound();
    assert_eq!(left(&machine).len(), 6);
}

/// A backup that was taken while somebody was asked whether they are sure.
#[test]
fn a_backup_taken_after_the_plan_is_reached_too() {
    let machine = Machine::new();
    machine.append(json!({ "text": "PLANTED" }));
    let selection = matching("PLANTED");
    let planned = plan(&machine, &selection);
    take_backup(&machine);
    let done = forget::forget(&machine.log, &planned, &selection, "a test").unwrap();
    assert_eq!((done.overwritten, done.in_backups), (1, 1));
    assert_eq!(machine.files_with("PLANTED"), NOWHERE);
}

/// Backups of a log that was lost and begun anew have other records at the same places.
#[test]
fn a_place_alone_proves_nothing() {
    let machine = Machine::new();
    machine.append(json!({ "text": "KEPT one" }));
    take_backup(&machine);
    std::fs::remove_dir_all(&machine.log.places().log).unwrap();
    std::fs::remove_dir_all(&machine.log.places().state).unwrap();
    machine.append(json!({ "text": "PLANTED" }));
    forget(&machine, &matching("PLANTED"));
    assert_eq!(machine.files_with("PLANTED"), NOWHERE);
    assert_eq!(machine.files_with("KEPT one").len(), 1);
}

#[test]
fn a_name_in_a_forgetting_that_names_nonsense_harms_nothing() {
    let machine = Machine::new();
    let appended = machine.append_each(0..2);
    let body = json!({
        "ids": ["nonsense", 7, null],
        "fragments": [
            { "writer": machine.writer().to_string(), "segment": 1, "offset": 1, "len": 20 },
            { "writer": machine.writer().to_string(), "segment": 1, "offset": 0, "len": 999_999 },
            { "writer": "../../etc", "segment": 1, "offset": 0, "len": 9 },
            { "writer": machine.writer().to_string(), "segment": 9, "offset": u64::MAX, "len": u64::MAX },
        ],
    });
    let draft = Draft::new(custos_model::Kind::ForgetDone, custos_model::Scope::User, object(body));
    append(&machine, draft);
    assert_eq!(forget::carry_out(&machine.log).unwrap(), Forgotten::default());
    machine.assert_sound();
    assert_eq!(left(&machine).len(), appended.len() + 1);
    plant(&machine.segment(9), b"");
    assert_eq!(forget::carry_out(&machine.log).unwrap(), Forgotten::default());
}

/// Gives what the map of agents says, in order.
fn map_of_agents(machine: &Machine) -> Vec<String> {
    let dir = machine.log.places().state.join("agents");
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let mut texts: Vec<String> = entries.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    texts.sort();
    texts
}

#[test]
fn a_session_takes_its_own_agent_from_the_map_and_no_other_one() {
    let machine = Machine::new();
    for id in ["s1", "s12", "a-s1"] {
        let agent = DraftAgent { client: "codex".to_owned(), id: Some(id.to_owned()), role: None };
        append(&machine, Draft { agent: Some(agent), ..in_session(id, json!({})) });
    }
    forget(&machine, &Selection::Session("s1".to_owned()));
    assert_eq!(map_of_agents(&machine), ["codex\na-s1\n", "codex\ns12\n"]);
    forget(&machine, &matching("s1"));
    assert_eq!(map_of_agents(&machine), Vec::<String>::new());
}

#[test]
fn the_map_of_agents_stays_where_the_forgetting_could_not_be_told() {
    let machine = Machine::new();
    let agent = DraftAgent { client: "codex".to_owned(), id: Some("s1".to_owned()), role: None };
    append(&machine, Draft { agent: Some(agent), ..in_session("s1", json!({})) });
    let selection = Selection::Session("s1".to_owned());
    let planned = plan(&machine, &selection);
    let twin = machine.copy();
    twin.disk.take_trace();
    forget::forget(&twin.log, &planned, &selection, "a test").unwrap();
    let telling = twin.disk.take_trace().iter().position(|operation| *operation == Operation::Append);
    machine.disk.arm(Fault { nth: telling.unwrap(), effect: Effect::Fail(std::io::ErrorKind::StorageFull) });
    assert!(forget::forget(&machine.log, &planned, &selection, "a test").is_err());
    machine.disk.disarm();
    assert_eq!(map_of_agents(&machine), ["codex\ns1\n"]);
}
