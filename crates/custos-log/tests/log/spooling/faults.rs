//! Disks that fail and processes that die while an event is kept or replayed.

use custos_log::{Selection, forget};
use custos_testkit::faulty::{Effect, Fault};

use super::*;

/// Full, broken, torn, dead.
const EFFECTS: [Effect; 4] = [
    Effect::Fail(ErrorKind::StorageFull),
    Effect::Fail(ErrorKind::Other),
    Effect::Torn(ErrorKind::StorageFull),
    Effect::Crash,
];

/// Lets every operation of some work fail in every way. `prepare` makes the machine on which it is done.
fn sweep<T>(
    prepare: impl Fn() -> (Machine, T),
    work: impl Fn(&Machine, &T),
    mut inspect: impl FnMut(&Machine, &T, &str),
) {
    let (machine, begun) = prepare();
    machine.disk.take_trace();
    work(&machine, &begun);
    let trace = machine.disk.take_trace();
    assert!(trace.len() > 5, "{trace:?}");
    for (nth, operation) in trace.iter().enumerate() {
        for effect in EFFECTS {
            let (machine, begun) = prepare();
            machine.disk.arm(Fault { nth, effect });
            work(&machine, &begun);
            machine.disk.disarm();
            inspect(&machine, &begun, &format!("operation {nth}, {operation:?}: {effect:?}"));
        }
    }
}

/// Replays until nothing is left of the spool, and gives what went wrong.
fn drain(machine: &Machine, what: &str) -> Vec<String> {
    let mut failed = Vec::new();
    let dirs: Vec<PathBuf> = places(machine).iter().map(|place| place.join("spool")).collect();
    for _ in 0..PATIENCE {
        failed.extend(replay(machine).2);
        if !dirs.iter().any(|dir| dir.exists()) {
            break;
        }
        wait_until(Instant::now() + Duration::from_millis(1));
    }
    for dir in dirs {
        assert!(!dir.exists(), "{what}: {:?}, {failed:?}", names(&dir));
    }
    let damage = machine.damage();
    assert!(damage.is_empty(), "{what}: {damage:#?}");
    failed
}

#[rstest::rstest]
fn whatever_fails_in_keeping_an_event_an_acknowledged_one_is_recorded_once(
    #[values(Kind::ToolUsed, Kind::PromptSubmitted)] kind: Kind,
) {
    let prepare = || {
        let machine = Machine::with(Limits { sync: true, ..quick() });
        machine.log.append(rich(), Origin::Hook).unwrap();
        (machine, std::cell::RefCell::new(None))
    };
    let id: EventId = "019a894c-e443-7101-8101-010101010101".parse().unwrap();
    sweep(
        prepare,
        |machine, acknowledged| {
            let draft = Draft { id: Some(id), kind, ..rich() };
            *acknowledged.borrow_mut() = spool(machine).keep(&machine.log, draft, Origin::Hook).ok();
        },
        |machine, acknowledged, what| {
            let broken = drain(machine, what);
            let copies = machine.records().iter().filter(|seen| seen.id == id).count();
            let acknowledged = acknowledged.borrow().is_some();
            assert!(copies == 1 || (copies == 0 && !acknowledged), "{what}: {copies} copies");
            assert!(broken.is_empty() || !acknowledged, "{what}: {broken:?}");
            // Two places, so one failure is never the end; a dead process is.
            assert!(acknowledged || what.ends_with("Crash"), "{what}");
        },
    );
}

#[rstest::rstest]
#[case::of_a_new_log(false)]
#[case::of_an_old_log(true)]
fn whatever_fails_in_replaying_every_event_is_recorded_once(#[case] old: bool) {
    let prepare = || {
        // Segments so small that the events do not fit into one; durable kinds, so that forcing them to the disk can fail.
        let machine = Machine::with(Limits { segment: 1_000, sync: true, ..quick() });
        if old {
            machine.append(json!({ "n": "before" }));
        }
        let ids: Vec<EventId> = (0..3)
            .map(|n| {
                let kind = if n == 1 { Kind::ToolUsed } else { Kind::PromptSubmitted };
                let draft = Draft::new(kind, Scope::User, object(json!({ "n": n })));
                machine.pass_time(1);
                spool(&machine).keep(&machine.log, draft, Origin::Hook).unwrap().id
            })
            .collect();
        (machine, ids)
    };
    sweep(
        prepare,
        |machine, _| drop(replay(machine)),
        |machine, ids, what| {
            let failed = drain(machine, what);
            assert!(failed.is_empty(), "{what}: {failed:?}");
            // One that could not be read at first is not waited for.
            let mut held: Vec<EventId> = machine.records().iter().map(|seen| seen.id).collect();
            held[usize::from(old)..].sort();
            assert_eq!(held[usize::from(old)..], ids[..], "{what}");
        },
    );
}

#[test]
fn whatever_fails_in_recording_the_event_is_in_the_log_once() {
    let id: EventId = "019a894c-e443-7101-8101-010101010101".parse().unwrap();
    let prepare = || {
        let machine = Machine::with(Limits { segment: 1_000, sync: true, ..quick() });
        machine.append_each(0..2);
        (machine, std::cell::Cell::new(false))
    };
    let mut spooled_though_logged = 0;
    sweep(
        prepare,
        |machine, acknowledged| {
            let draft = Draft { id: Some(id), kind: Kind::PromptSubmitted, ..tool(json!({ "n": 2 })) };
            acknowledged.set(spool(machine).record(&machine.log, draft, Origin::Hook).is_ok());
        },
        |machine, acknowledged, what| {
            let copies = || machine.records().iter().filter(|seen| seen.id == id).count();
            spooled_though_logged += usize::from(copies() == 1 && !spool(machine).is_empty());
            drain(machine, what);
            assert!(copies() == 1 || (copies() == 0 && !acknowledged.get()), "{what}: {} copies", copies());
            assert!(acknowledged.get() || what.ends_with("Crash"), "{what}");
        },
    );
    assert!(spooled_though_logged > 2, "{spooled_though_logged}");
}

#[test]
fn an_event_that_was_recorded_and_forgotten_does_not_come_back() {
    let machine = Machine::new();
    machine.append(json!({ "n": 0 }));
    let kept = spool(&machine).keep(&machine.log, tool(json!({ "text": "PLANTED" })), Origin::Hook).unwrap();
    let file = fs::read(&kept.at).unwrap();
    assert_eq!(replay(&machine), (1, 0, vec![]));
    let selection = Selection::Id(kept.id);
    let plan = forget::plan(&machine.log, &selection, &mut |_| {}).unwrap();
    forget::forget(&machine.log, &plan, &selection, "test").unwrap();
    // As if the one who replayed had died before it could remove the file.
    let tried = format!("{}.{}.1-0.tried", kept.id, file.len());
    plant(&waiting(&machine).join(tried), &file);
    assert_eq!(replay(&machine), (1, 0, vec![]));
    assert_eq!(machine.files_with("PLANTED"), Vec::<PathBuf>::new());
}

#[test]
fn a_log_that_was_begun_anew_is_searched_from_its_beginning() {
    let machine = Machine::new();
    let kept = spool(&machine).keep(&machine.log, tool(json!({ "n": 1 })), Origin::Hook).unwrap();
    let file = fs::read(&kept.at).unwrap();
    assert_eq!(replay(&machine), (1, 0, vec![]));
    let tried = format!("{}.{}.7-4711.tried", kept.id, file.len());
    plant(&waiting(&machine).join(tried), &file);
    assert_eq!(replay(&machine), (1, 0, vec![]));
    assert_eq!(machine.records().len(), 1);
}

#[test]
fn a_part_of_a_dead_process_is_finished_or_set_apart_and_one_of_a_living_process_is_left_alone() {
    let machine = Machine::new();
    let whole = spool(&machine).keep(&machine.log, tool(json!({ "n": 1 })), Origin::Hook).unwrap();
    let part = |n: u32| PathBuf::from(format!("{}.{n}.part", whole.at.display()));
    let bytes = fs::read(&whole.at).unwrap();
    fs::remove_file(&whole.at).unwrap();
    plant(&part(0), &bytes);
    plant(&part(1), &bytes[..100]);
    plant(&part(2), b"");
    plant(&part(3), &bytes[..50]);
    let living = OsDisk.open(&part(3), Access::Edit).unwrap();
    assert!(living.try_lock().unwrap());

    let broken = apart(&machine).join(format!("{}.broken", part(1).file_name().unwrap().to_str().unwrap()));
    let len = bytes.len();
    let failure = format!("a file in the spool has 100 bytes and not {len}; it is now {}", broken.display());
    assert_eq!(replay(&machine), (1, 0, vec![failure]));
    assert_eq!(names(&waiting(&machine)), [part(3).file_name().unwrap().to_str().unwrap()]);
    assert_eq!(spool(&machine).survey()[0].broken, [broken]);
    assert_eq!(machine.records().len(), 1);
}
