//! Disks that are full, that fail, that write half, and processes that die between any two operations.
//!
//! Each test does its work once to count the operations, and then once per operation and per way of failing.

use std::io::ErrorKind;

use custos_log::verify::Severity;
use custos_log::{Appended, Limits, LogError, Selection, backup, forget};
use custos_model::draft::DraftAgent;
use custos_model::{Draft, Kind, Origin, Scope};
use custos_testkit::faulty::{Effect, Fault, Operation};
use serde_json::json;

use crate::machine::{Machine, Snapshot, object, quick, tool, vandalise};

/// Full, broken, torn, dead.
const EFFECTS: [Effect; 4] = [
    Effect::Fail(ErrorKind::StorageFull),
    Effect::Fail(ErrorKind::Other),
    Effect::Torn(ErrorKind::StorageFull),
    Effect::Crash,
];

/// Lets every operation of some work fail in every way and shows what is left.
///
/// `prepare` makes the machine on which the work is done; its files are put back before each turn.
fn sweep(
    prepare: impl Fn() -> Machine,
    work: impl Fn(&Machine) -> Result<(), LogError>,
    effects: &[Effect],
    mut inspect: impl FnMut(&Machine, Result<(), LogError>, &str),
) {
    let begin = prepare();
    let before = begin.snapshot();
    let count = {
        let machine = again(&begin, &before);
        machine.disk.take_trace();
        work(&machine).unwrap();
        machine.disk.take_trace()
    };
    assert!(count.len() > 5, "{count:?}");
    for (nth, operation) in count.iter().enumerate() {
        for effect in effects {
            let machine = again(&begin, &before);
            machine.disk.arm(Fault { nth, effect: *effect });
            let result = work(&machine);
            machine.disk.disarm();
            inspect(&machine, result, &format!("operation {nth}, {operation:?}: {effect:?}"));
        }
    }
}

fn again(begin: &Machine, before: &Snapshot) -> Machine {
    let machine = Machine::with(begin.log.limits().clone());
    before.put_into(machine.home.path());
    machine
}

/// With everything that an append can do: segments that end, durable kinds, agents that need a pseudonym.
fn synced_and_small() -> Limits {
    Limits { segment: 1_000, sync: true, ..quick() }
}

fn prompt(n: u64) -> Draft {
    Draft {
        agent: Some(DraftAgent { client: "codex".to_owned(), id: Some(format!("session-{n}")), role: None }),
        ..Draft::new(Kind::PromptSubmitted, Scope::User, object(json!({ "n": n })))
    }
}

/// Appends three events and keeps what was acknowledged until something failed.
fn append_three(machine: &Machine, acknowledged: &mut Vec<Appended>) -> Result<(), LogError> {
    for draft in [prompt(1), tool(json!({ "n": 2 })), prompt(3)] {
        acknowledged.push(machine.log.append(draft, Origin::Hook)?);
    }
    Ok(())
}

fn check_appends(machine: &Machine, acknowledged: &[Appended], what: &str) {
    let damage = machine.damage();
    assert!(damage.is_empty(), "{what}: {damage:#?}");
    machine.log.append(prompt(4), Origin::Hook).unwrap_or_else(|error| panic!("{what}: {error}"));
    let damage = machine.damage();
    assert!(damage.is_empty(), "{what}: {damage:#?}");
    let held = machine.records();
    let numbers: Vec<u64> = held.iter().map(|seen| seen.seq).collect();
    assert_eq!(numbers, (1..=held.len() as u64).collect::<Vec<_>>(), "{what}");
    for one in acknowledged {
        let copies = held.iter().filter(|seen| (seen.id, seen.seq) == (one.id, one.seq)).count();
        assert_eq!(copies, 1, "{what}: acknowledged record {}", one.seq);
    }
}

#[rstest::rstest]
#[case::of_a_new_log(0)]
#[case::of_an_old_log(3)]
fn whatever_fails_in_an_append_nothing_acknowledged_is_lost(#[case] before: u64) {
    let prepare = || {
        let machine = Machine::with(synced_and_small());
        machine.append_each(0..before);
        machine
    };
    let acknowledged = std::cell::RefCell::new(Vec::new());
    let work = |machine: &Machine| {
        acknowledged.borrow_mut().clear();
        append_three(machine, &mut acknowledged.borrow_mut())
    };
    sweep(prepare, work, &EFFECTS, |machine, _, what| check_appends(machine, &acknowledged.borrow(), what));
}

#[rstest::rstest]
#[case::of_a_new_log(0)]
#[case::of_an_old_log(3)]
fn whatever_fails_in_an_append_of_several_they_are_all_there_or_the_last_is_not(#[case] before: usize) {
    let prepare = || {
        let machine = Machine::with(synced_and_small());
        machine.append_each(0..before as u64);
        machine
    };
    let work = |machine: &Machine| {
        let drafts = vec![prompt(1), tool(json!({ "n": 2 })), prompt(3)];
        machine.log.append_all(drafts, Origin::Distiller).map(|_| ())
    };
    sweep(prepare, work, &EFFECTS, |machine, result, what| {
        let held: Vec<_> = machine.records().into_iter().map(|seen| seen.body["n"].clone()).collect();
        let found = [1, 2, 3].map(|n| held[held.len().min(before)..].contains(&json!(n)));
        match result {
            Ok(()) => assert_eq!(found, [true; 3], "{what}"),
            // Only forcing it to the disk comes after all of it was written.
            Err(_) => assert!(found.is_sorted_by(|a, b| a >= b), "{what}: {found:?}"),
        }
        check_appends(machine, &[], what);
    });
}

#[test]
fn interrupted_and_short_reads_and_writes_are_no_failures() {
    let prepare = || Machine::with(synced_and_small());
    let acknowledged = std::cell::RefCell::new(Vec::new());
    let work = |machine: &Machine| {
        acknowledged.borrow_mut().clear();
        append_three(machine, &mut acknowledged.borrow_mut())
    };
    sweep(prepare, work, &[Effect::Short], |machine, result, what| {
        result.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(machine.findings(), [], "{what}");
        check_appends(machine, &acknowledged.borrow(), what);
    });
    sweep(prepare, work, &[Effect::Fail(ErrorKind::Interrupted)], |machine, result, what| {
        let may_be_interrupted = [Operation::Read, Operation::Append, Operation::Write]
            .iter()
            .any(|one| what.contains(&format!("{one:?}:")));
        if may_be_interrupted {
            result.unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(machine.findings(), [], "{what}");
        }
        check_appends(machine, &acknowledged.borrow(), what);
    });
}

#[test]
fn a_failed_write_leaves_nothing_behind_where_that_can_be_had() {
    let machine = Machine::new();
    let appended = machine.append_each(0..2);
    let before = machine.snapshot();
    let operations = {
        let twin = machine.copy();
        twin.disk.take_trace();
        twin.append(json!({ "n": 2 }));
        twin.disk.take_trace()
    };
    let write = operations.iter().position(|operation| *operation == Operation::Append).unwrap();
    machine.disk.arm(Fault { nth: write, effect: Effect::Torn(ErrorKind::StorageFull) });
    let error = machine.try_append(json!({ "n": 2 })).unwrap_err();
    machine.disk.disarm();
    assert_eq!(error.io_kind(), Some(ErrorKind::StorageFull));
    let path = machine.segment(1);
    assert_eq!(
        error.to_string(),
        format!("cannot append to {}: {}", path.display(), std::io::Error::from(ErrorKind::StorageFull))
    );
    assert_eq!(machine.snapshot(), before);
    machine.assert_holds(&appended);
}

/// A log with a backup, in which a text stands in records, in a derived record, and in a write that was cut short.
fn with_planted_text() -> Machine {
    let machine = Machine::with(Limits { segment: 1_500, ..quick() });
    machine.append_each(0..2);
    let source = machine.append(json!({ "text": "PLANTED one" }));
    machine.tear(json!({ "first": "PLANTED two", "then": "x".repeat(900) }));
    vandalise(&machine.segment(1), |bytes| {
        bytes.extend_from_slice(b"\n{\"v\":\"0.9.0\",\"data\":\"PLANTED four\"}\n");
    });
    machine.append(json!({ "title": "derived", "sources": [source.id.to_string()] }));
    backup::create(&machine.log, 7, &mut |_| {}).unwrap();
    machine.append(json!({ "text": "PLANTED three" }));
    for n in ["one", "two", "three", "four"] {
        assert!(!machine.files_with(format!("PLANTED {n}")).is_empty(), "{n}");
    }
    machine
}

fn forget_planted(machine: &Machine) -> Result<(), LogError> {
    let selection = Selection::Matching("PLANTED".to_owned());
    let plan = forget::plan(&machine.log, &selection, &mut |_| {})?;
    forget::forget(&machine.log, &plan, &selection, "PLANTED by a test")?;
    Ok(())
}

#[test]
fn whatever_fails_in_forgetting_it_can_be_finished() {
    sweep(with_planted_text, forget_planted, &EFFECTS, |machine, result, what| {
        forget::carry_out(&machine.log).unwrap_or_else(|error| panic!("{what}: {error}"));
        // Where it failed, whoever asked was told so, and asks again.
        if result.is_err() {
            forget_planted(machine).unwrap_or_else(|error| panic!("{what}: {error}"));
        }
        assert_eq!(machine.files_with("PLANTED"), Vec::<std::path::PathBuf>::new(), "{what}");
        let damage = machine.damage();
        assert!(damage.is_empty(), "{what}: {damage:#?}");
        machine.append(json!({ "n": "next" }));
        machine.assert_sound();
        let kept: Vec<_> = machine.records().iter().filter_map(|seen| seen.body.get("n").cloned()).collect();
        assert_eq!(kept, [json!(0), json!(1), json!("next")], "{what}");
    });
}

/// Once everything is named in the log, no crash can keep it from being forgotten.
#[test]
fn a_crash_after_the_promise_needs_nobody_who_asks_again() {
    let mut finished = 0;
    sweep(with_planted_text, forget_planted, &[Effect::Crash], |machine, _, what| {
        let named = machine.records().iter().filter(|seen| seen.body.get("selected_by").is_some()).count();
        if named == 2 {
            finished += 1;
            let is_left = !machine.files_with("PLANTED").is_empty();
            assert!(forget::is_pending(&machine.log) || !is_left, "{what}");
            forget::carry_out(&machine.log).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!(!forget::is_pending(&machine.log), "{what}");
            assert_eq!(machine.files_with("PLANTED"), Vec::<std::path::PathBuf>::new(), "{what}");
            machine.assert_sound();
        }
    });
    assert!(finished > 10, "{finished}");
}

fn with_a_backup() -> Machine {
    let machine = Machine::with(Limits { segment: 1_000, ..quick() });
    machine.append_each(0..5);
    backup::create(&machine.log, 2, &mut |_| {}).unwrap();
    machine.pass_time(1);
    backup::create(&machine.log, 2, &mut |_| {}).unwrap();
    machine.append_each(5..7);
    machine
}

#[test]
fn whatever_fails_in_a_backup_the_others_and_the_log_stay_whole() {
    let work = |machine: &Machine| {
        machine.pass_time(crate::machine::DAY);
        backup::create(&machine.log, 2, &mut |_| {}).map(drop)
    };
    sweep(with_a_backup, work, &EFFECTS, |machine, _, what| {
        machine.assert_sound();
        assert_eq!(machine.records().len(), 7);
        let whole = backup::list(&machine.log).unwrap();
        assert!((2..=3).contains(&whole.len()), "{what}: {whole:?}");
        for backup in &whole {
            assert!(backup.segments >= 3, "{what}: {whole:?}");
        }
        machine.pass_time(1);
        let taken =
            backup::create(&machine.log, 2, &mut |_| {}).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(taken.damaged, Vec::<std::path::PathBuf>::new());
        let names = std::fs::read_dir(&machine.log.places().backups).unwrap().count();
        assert_eq!(names, 2, "{what}: nothing unfinished is left behind");
        restores_exactly(machine, what);
    });
}

/// Checks that the newest backup brings everything back.
fn restores_exactly(machine: &Machine, what: &str) {
    let bytes = |machine: &Machine| -> Vec<Vec<u8>> {
        let segments = machine.log.reader().segments(&machine.writer()).unwrap();
        segments.into_iter().map(|segment| std::fs::read(machine.segment(segment)).unwrap()).collect()
    };
    let original = bytes(machine);
    std::fs::remove_dir_all(machine.segment(1).parent().unwrap()).unwrap();
    let restored = backup::restore(&machine.log, None, &mut |_| {}).unwrap();
    assert!(restored.iter().all(|one| one.from.is_some()), "{what}: {restored:?}");
    assert_eq!(bytes(machine), original, "{what}");
}

#[test]
fn whatever_fails_in_restoring_the_segment_is_the_old_or_the_new_one() {
    let original = std::cell::RefCell::new(Snapshot(Vec::new()));
    let prepare = || {
        let machine = with_a_backup();
        *original.borrow_mut() = machine.snapshot();
        vandalise(&machine.segment(1), |bytes| bytes[450] ^= 1);
        std::fs::remove_file(machine.segment(2)).unwrap();
        machine
    };
    let work = |machine: &Machine| backup::restore(&machine.log, None, &mut |_| {}).map(drop);
    sweep(prepare, work, &EFFECTS, |machine, _, what| {
        assert!(machine.records().len() >= 4, "{what}");
        backup::restore(&machine.log, None, &mut |_| {}).unwrap_or_else(|error| panic!("{what}: {error}"));
        let after = machine.snapshot();
        let is_kept = |path: &std::path::Path| path.extension().is_some_and(|extension| extension == "jsonl");
        let only_segments = |snapshot: &Snapshot| {
            Snapshot(snapshot.0.iter().filter(|(path, _)| is_kept(path)).cloned().collect())
        };
        assert_eq!(only_segments(&after), only_segments(&original.borrow()), "{what}");
        assert!(
            !after.0.iter().any(|(path, _)| path.extension().is_some_and(|e| e == "restoring")),
            "{what}"
        );
        machine.assert_sound();
        assert_eq!(machine.append(json!({})).seq, 8, "{what}");
    });
}

#[test]
fn a_log_that_cannot_be_read_is_not_taken_for_a_damaged_one() {
    let machine = Machine::new();
    machine.append_each(0..3);
    machine.disk.take_trace();
    let found = machine.verify();
    assert!(found.writers[0].findings.iter().all(|finding| finding.severity != Severity::Damage));
    let reads: Vec<usize> = machine
        .disk
        .take_trace()
        .iter()
        .enumerate()
        .filter(|(_, operation)| **operation == Operation::Read)
        .map(|(nth, _)| nth)
        .collect();
    // The first read is the head's; without it, the log is read like another machine's.
    for nth in reads.into_iter().skip(1) {
        machine.disk.arm(Fault { nth, effect: Effect::Fail(ErrorKind::Other) });
        let error = custos_log::verify(&machine.log, &mut |_| {}).unwrap_err();
        assert_eq!(error.to_string(), format!("cannot read {}: other error", machine.segment(1).display()));
    }
    machine.disk.disarm();
}
