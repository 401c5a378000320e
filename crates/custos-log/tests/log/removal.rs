//! What was removed, and what forgettings say about it; and what an interrupted one leaves to do.

use std::fs;
use std::path::PathBuf;

use custos_log::forget::{self, Forgotten};
use custos_log::frame::{self, Parsed};
use custos_log::verify::Severity;
use custos_log::{Appended, Selection, backup};
use custos_model::{Draft, Kind, Origin, Scope};
use serde_json::json;

use crate::machine::{Machine, object, plant, vandalise};

/// Gives what verifying finds, in short: how bad, record, what.
fn told(machine: &Machine) -> Vec<(Severity, Option<u64>, String)> {
    machine.findings().into_iter().map(|finding| (finding.severity, finding.seq, finding.what)).collect()
}

/// Removes a record's content as forgetting does, without a word about it.
fn blank(machine: &Machine, one: &Appended) {
    vandalise(&machine.segment(one.at.segment), |bytes| {
        let begin = usize::try_from(one.at.offset).unwrap();
        let len = bytes[begin..].iter().position(|b| *b == b'\n').unwrap();
        let line = &mut bytes[begin..begin + len];
        let Parsed::Whole(frame) = frame::parse(line) else { panic!("no record at {begin}") };
        let from = frame.erasable_from();
        let erasure = frame::erasure(len - from).unwrap();
        line[from..].copy_from_slice(&erasure);
    });
}

/// Promises to forget a record and goes no further.
fn promise(machine: &Machine, one: &Appended) {
    let body = object(json!({ "ids": [one.id.to_string()] }));
    machine.log.append(Draft::new(Kind::ForgetDone, Scope::User, body), Origin::Cli).unwrap();
}

fn forget(machine: &Machine, selection: &Selection) -> Forgotten {
    let plan = forget::plan(&machine.log, selection, &mut |_| {}).unwrap();
    forget::forget(&machine.log, &plan, selection, "a test").unwrap()
}

fn take_backup(machine: &Machine) {
    backup::create(&machine.log, 7, &mut |_| {}).unwrap();
}

#[test]
fn a_record_of_ours_that_was_blanked_and_not_forgotten_is_damaged_and_can_be_restored() {
    let machine = Machine::new();
    let appended = machine.append_each(0..3);
    take_backup(&machine);
    blank(&machine, &appended[1]);
    let what = "its content was removed, but no forgetting names it".to_owned();
    assert_eq!(told(&machine), [(Severity::Damage, Some(2), what)]);
    backup::restore(&machine.log, None, &mut |_| {}).unwrap();
    assert_eq!(told(&machine), []);
    machine.assert_holds(&appended);
}

#[test]
fn a_blanked_record_of_another_machine_may_be_named_by_what_is_not_here_yet() {
    let machine = Machine::new();
    let other = machine.beside("there");
    machine.append_each(0..1);
    let theirs = other.append_each(0..3);
    blank(&other, &theirs[0]);
    let what = "its content was removed, but the forgetting that names it is not here".to_owned();
    assert_eq!(told(&machine), [(Severity::Notice, Some(1), what)]);
    promise(&machine, &theirs[0]);
    assert_eq!(told(&machine), []);
}

#[test]
fn where_the_forgetting_itself_is_lost_only_that_is_damage() {
    let machine = Machine::new();
    let appended = machine.append_each(0..3);
    forget(&machine, &Selection::Id(appended[0].id));
    let told_at =
        fs::read(machine.segment(1)).unwrap().windows(11).position(|w| w == b"forget.done").unwrap();
    machine.append_each(3..4);
    vandalise(&machine.segment(1), |bytes| bytes[told_at] = b'F');
    let removed = "its content was removed; what named it may be among what is damaged".to_owned();
    let changed = "its content is not the one that was written".to_owned();
    assert_eq!(told(&machine), [(Severity::Damage, Some(4), changed), (Severity::Notice, Some(1), removed)]);
}

#[test]
fn what_is_promised_and_not_done_is_said_until_it_is_done() {
    let machine = Machine::new();
    let other = machine.beside("there");
    let appended = machine.append_each(0..3);
    promise(&other, &appended[1]);
    let what = "named by a forgetting that is not carried out yet".to_owned();
    assert_eq!(told(&machine), [(Severity::Notice, Some(2), what)]);
    assert_eq!(told(&other), [], "nothing that it could do");
    forget::carry_out(&machine.log).unwrap();
    assert_eq!(told(&machine), []);
}

/// In the backup is what was forgotten, but not the event that names it.
#[test]
fn a_copy_is_good_although_what_was_forgotten_in_it_is_named_elsewhere() {
    let machine = Machine::with_segments_of(1_000);
    let appended = machine.append_each(0..4);
    take_backup(&machine);
    forget(&machine, &Selection::Id(appended[0].id));
    let original = fs::read(machine.segment(1)).unwrap();
    let second = usize::try_from(appended[1].at.offset).unwrap();
    vandalise(&machine.segment(1), |bytes| bytes[second + 300] ^= 1);
    let restored = backup::restore(&machine.log, None, &mut |_| {}).unwrap();
    assert_eq!((restored.len(), restored[0].from.is_some()), (1, true));
    assert_eq!(fs::read(machine.segment(1)).unwrap(), original);
    assert_eq!(told(&machine), []);
}

#[test]
fn what_an_interrupted_backup_or_restoring_left_behind_is_forgotten_too() {
    let machine = Machine::new();
    let id = machine.append(json!({ "text": "PLANTED" })).id;
    let leave_behind = || {
        let unfinished = machine.log.places().backups.join("unfinished-2026-11-14T12-00-00-000Z");
        plant(&unfinished.join("machine-here/0001.jsonl"), b"PLANTED in a backup");
        plant(&machine.segment(1).with_extension("restoring"), b"PLANTED in a draft");
    };
    leave_behind();
    forget(&machine, &Selection::Id(id));
    assert_eq!(machine.files_with("PLANTED"), Vec::<PathBuf>::new());
    leave_behind();
    forget::carry_out(&machine.log).unwrap();
    assert_eq!(machine.files_with("PLANTED"), Vec::<PathBuf>::new());
}

#[test]
fn a_mark_tells_of_an_interrupted_forgetting_and_goes_with_it() {
    let machine = Machine::new();
    let id = machine.append(json!({ "text": "PLANTED" })).id;
    assert!(!forget::is_pending(&machine.log));
    forget(&machine, &Selection::Id(id));
    assert!(!forget::is_pending(&machine.log));
    plant(&machine.log.places().state.join("forget.pending"), b"");
    forget(&machine, &Selection::Session("another".to_owned()));
    assert!(forget::is_pending(&machine.log), "whoever forgets something else has not finished it");
    forget::carry_out(&machine.log).unwrap();
    assert!(!forget::is_pending(&machine.log));
    // Also where nothing was promised after all.
    let other = Machine::new();
    plant(&other.log.places().state.join("forget.pending"), b"");
    forget::carry_out(&other.log).unwrap();
    assert!(!forget::is_pending(&other.log));
}
