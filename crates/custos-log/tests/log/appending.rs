//! Appending: numbers, segments, heads that are missing or wrong, clocks that go back.

use std::collections::HashSet;
use std::fs;
use std::sync::Arc;

use custos_log::append::Entropy;
use custos_log::{Limits, Log, Position};
use custos_model::{Draft, EventId, Kind, Origin};
use custos_testkit::faulty::Operation;
use serde_json::json;

use crate::machine::{DAY, Machine, plant, quick, tool, vandalise};

#[test]
fn events_are_numbered_from_one_and_chained() {
    let machine = Machine::new();
    let appended = machine.append_each(0..5);
    assert_eq!(appended.iter().map(|one| one.seq).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    machine.assert_holds(&appended);
    let found = machine.verify();
    let [writer] = found.writers.as_slice() else { panic!("{found:?}") };
    assert_eq!((writer.own, writer.segments, writer.records, writer.findings.len()), (true, 1, 5, 0));
    assert_eq!(writer.bytes, fs::metadata(machine.segment(1)).unwrap().len());
}

#[test]
fn an_acknowledgement_says_where_the_record_begins() {
    let machine = Machine::with_segments_of(1_000);
    for appended in machine.append_each(0..10) {
        let first = machine.records_from(appended.at).into_iter().next().unwrap();
        assert_eq!((first.seq, first.id), (appended.seq, appended.id));
    }
}

#[test]
fn a_full_segment_is_followed_by_the_next() {
    let machine = Machine::with_segments_of(1_000);
    let appended = machine.append_each(0..20);
    machine.assert_holds(&appended);
    machine.assert_sound();
    let segments = machine.log.reader().segments(&machine.writer()).unwrap();
    assert!(segments.len() > 5, "{segments:?}");
    for segment in segments {
        let len = fs::metadata(machine.segment(segment)).unwrap().len();
        assert!((1..=1_000).contains(&len), "segment {segment} has {len} bytes");
    }
}

#[test]
fn an_event_that_is_longer_than_a_segment_gets_one_of_its_own() {
    let machine = Machine::with_segments_of(1_000);
    let appended: Vec<_> =
        (0..3).map(|n| machine.append(json!({ "n": n, "text": "long ".repeat(1_000) }))).collect();
    machine.assert_holds(&appended);
    assert_eq!(machine.log.reader().segments(&machine.writer()).unwrap(), [1, 2, 3]);
}

#[test]
fn the_segment_after_9999_is_10000() {
    let machine = Machine::with_segments_of(1_000);
    let mut appended = machine.append_each(0..2);
    fs::rename(machine.segment(1), machine.segment(9_999)).unwrap();
    fs::remove_file(machine.lock_file()).unwrap();
    appended.extend(machine.append_each(2..6));
    assert_eq!(machine.log.reader().segments(&machine.writer()).unwrap(), [9_999, 10_000, 10_001]);
    machine.assert_holds(&appended);
    machine.assert_sound();
}

#[test]
fn the_number_of_a_segment_does_not_overflow() {
    let machine = Machine::with_segments_of(1_000);
    let mut appended = machine.append_each(0..2);
    fs::rename(machine.segment(1), machine.segment(u32::MAX)).unwrap();
    fs::remove_file(machine.lock_file()).unwrap();
    appended.extend(machine.append_each(2..6));
    machine.assert_holds(&appended);
    machine.assert_sound();
}

/// What can have happened to the head, and none of it matters.
#[rstest::rstest]
#[case::deleted(|machine: &Machine, _: &[u8]| fs::remove_file(machine.lock_file()).unwrap())]
#[case::emptied(|machine: &Machine, _: &[u8]| vandalise(&machine.lock_file(), Vec::clear))]
#[case::damaged(|machine: &Machine, _: &[u8]| vandalise(&machine.lock_file(), |bytes| bytes[40] ^= 1))]
#[case::cut(|machine: &Machine, _: &[u8]| vandalise(&machine.lock_file(), |bytes| bytes.truncate(90)))]
#[case::no_text(|machine: &Machine, _: &[u8]| vandalise(&machine.lock_file(), |bytes| bytes.fill(0xff)))]
#[case::old(|machine: &Machine, old: &[u8]| plant(&machine.lock_file(), old))]
#[case::state_deleted(|machine: &Machine, _: &[u8]| fs::remove_dir_all(&machine.log.places().state).unwrap())]
fn whatever_becomes_of_the_head_the_same_writer_continues(
    #[case] harm: fn(&Machine, &[u8]),
    #[values(1_000_000, 1_000)] segment: u64,
) {
    let machine = Machine::with_segments_of(segment);
    let mut appended = machine.append_each(0..2);
    let old = fs::read(machine.lock_file()).unwrap();
    appended.extend(machine.append_each(2..9));
    let writer = machine.writer();
    harm(&machine, &old);
    appended.extend(machine.append_each(9..12));
    assert_eq!(machine.writer(), writer);
    machine.assert_holds(&appended);
    machine.assert_sound();
}

#[test]
fn an_old_head_is_recognised_at_every_age() {
    let machine = Machine::with_segments_of(1_500);
    let mut appended = Vec::new();
    let mut heads = Vec::new();
    for n in 0..20 {
        appended.extend(machine.append_each(n..n + 1));
        heads.push(fs::read(machine.lock_file()).unwrap());
    }
    for head in heads {
        plant(&machine.lock_file(), &head);
        appended.extend(machine.append_each(100..101));
        machine.assert_holds(&appended);
        machine.assert_sound();
    }
}

#[test]
fn a_head_of_another_writer_continues_that_writers_log() {
    let machine = Machine::new();
    let other = machine.beside("there");
    let mine = machine.append_each(0..3);
    let mut theirs = other.append_each(0..2);
    fs::copy(other.lock_file(), machine.lock_file()).unwrap();
    theirs.extend(machine.append_each(3..5));
    assert_eq!(machine.writer(), other.writer());
    machine.assert_holds(&theirs);
    machine.assert_sound();
    fs::remove_file(machine.lock_file()).unwrap();
    machine.assert_holds(&mine);
}

#[test]
fn a_clock_that_goes_back_breaks_nothing() {
    let machine = Machine::new();
    let mut appended = machine.append_each(0..2);
    machine.pass_time(-DAY);
    appended.extend(machine.append_each(2..4));
    machine.assert_holds(&appended);
    machine.assert_sound();
}

#[test]
fn ids_are_unique_within_one_millisecond() {
    let machine = Machine::new();
    let ids: HashSet<EventId> = machine.append_each(0..500).iter().map(|appended| appended.id).collect();
    assert_eq!(ids.len(), 500);
}

#[test]
fn without_entropy_nothing_is_written() {
    let machine = Machine::new();
    let mut surroundings = machine.log.surroundings().clone();
    surroundings.entropy = Entropy::from_fn(|_| Err(custos_log::LogError::Entropy("dry".to_owned())));
    let log = Log::new(machine.log.places().clone(), surroundings, quick(), machine.writer());
    let error = log.append(tool(json!({})), Origin::Hook).unwrap_err();
    assert_eq!(error.to_string(), "the system gives no random bytes: dry");
    assert!(machine.home.every_file().unwrap().is_empty());
}

#[test]
fn a_torn_tail_is_set_apart() {
    let machine = Machine::new();
    let mut appended = machine.append_each(0..2);
    machine.tear(json!({ "text": "half ".repeat(300) }));
    appended.extend(machine.append_each(2..4));
    machine.assert_holds(&appended);
    machine.assert_sound();
    let notices = machine.findings();
    assert_eq!(notices.len(), 1, "{notices:#?}");
    assert_eq!(notices[0].what, "a write that was cut short, set apart; nothing is lost");
}

/// At every byte at which a write can end, on its own and followed by another torn write.
#[test]
fn a_write_can_be_cut_short_anywhere() {
    let machine = Machine::new();
    let mut appended = machine.append_each(0..2);
    let before = machine.snapshot();
    let len = fs::read(machine.segment(1)).unwrap().len();
    appended.push(machine.append(json!({ "text": "nested", "deep": { "er": { "n": 1 } } })));
    let whole = fs::read(machine.segment(1)).unwrap();
    for cut in len + 1..whole.len() {
        // What lacked nothing but its line break is whole once it has one.
        let is_whole = cut == whole.len() - 1;
        for twice in [false, true] {
            if twice && is_whole {
                continue;
            }
            before.put_into(machine.home.path());
            let mut torn = whole[..cut].to_vec();
            if twice {
                torn.push(b'\n');
                torn.extend_from_slice(&whole[len..cut]);
            }
            plant(&machine.segment(1), &torn);
            machine.assert_sound();
            let next = machine.append(json!({ "n": "next" }));
            machine.assert_sound();
            let held = machine.records();
            let numbers: Vec<u64> = held.iter().map(|seen| seen.seq).collect();
            assert_eq!(numbers, (1..=next.seq).collect::<Vec<_>>(), "cut at {cut}, {twice}");
            assert_eq!(held.len(), if is_whole { 4 } else { 3 }, "cut at {cut}, {twice}");
            assert_eq!(held.last().map(|seen| seen.id), Some(next.id));
            // And the head alone knows nothing that the log does not.
            fs::remove_file(machine.lock_file()).unwrap();
            let after = machine.append(json!({ "n": "after" }));
            assert_eq!(after.seq, next.seq + 1);
            machine.assert_sound();
        }
    }
}

#[test]
fn a_torn_tail_at_the_end_of_a_segment_is_set_apart() {
    let machine = Machine::with_segments_of(1_200);
    let mut appended = machine.append_each(0..2);
    machine.tear(json!({ "text": "half" }));
    appended.push(machine.append(json!({ "text": "too long for this segment ".repeat(20) })));
    machine.assert_holds(&appended);
    machine.assert_sound();
    assert_eq!(machine.log.reader().segments(&machine.writer()).unwrap(), [1, 2]);
}

#[test]
fn many_threads_share_one_log() {
    let machine = Machine::with_segments_of(20_000);
    let log = Arc::new(
        machine
            .limited(Limits { patience: std::time::Duration::from_mins(1), ..machine.log.limits().clone() }),
    );
    let appended = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|n| {
                let log = Arc::clone(&log);
                scope.spawn(move || {
                    (0..25)
                        .map(|i| log.append(tool(json!({ "n": n, "i": i })), Origin::Hook).unwrap())
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let mut appended = appended;
    appended.sort_by_key(|one| one.seq);
    machine.assert_holds(&appended);
    machine.assert_sound();
}

/// A reader that saw the end of a segment before its last line came must not pass over that line when the next segment appears.
#[test]
fn a_reader_at_the_end_of_a_segment_misses_nothing() {
    let machine = Machine::with_segments_of(1_000);
    let mut appended = machine.append_each(0..1);
    let mut cursor = machine.log.reader().cursor(&machine.writer(), Position::START).unwrap();
    assert!(cursor.next().unwrap().is_some());
    assert!(cursor.next().unwrap().is_none());
    appended.extend(machine.append_each(1..7));
    let mut seen = vec![1];
    while let Some(line) = cursor.next().unwrap() {
        seen.extend(line.seq());
    }
    assert_eq!(seen, appended.iter().map(|one| one.seq).collect::<Vec<_>>());
}

/// Counts how often a directory is forced to the disk.
fn synced_dirs(machine: &Machine) -> usize {
    machine.disk.take_trace();
    machine.append(json!({}));
    machine.disk.take_trace().into_iter().filter(|operation| *operation == Operation::SyncDir).count()
}

#[test]
fn directories_that_were_made_are_forced_to_the_disk_up_to_one_that_was_there() {
    let machine = Machine::with(Limits { sync: true, ..quick() });
    let memory = machine.home.memory_dir();
    let _ = std::fs::remove_dir_all(&memory);
    let missing = machine.segment(1).ancestors().skip(1).take_while(|dir| !dir.exists()).count();
    assert!(missing >= 3, "the writer's, the log's and the memory's");
    assert_eq!(synced_dirs(&machine), missing + 1);
    assert_eq!(synced_dirs(&machine), 0, "once is enough");
    assert_eq!(synced_dirs(&machine.beside("there")), 2, "its own, and the one of all writers");
    let unforced = Machine::new();
    assert_eq!(synced_dirs(&unforced), 0);
}

#[rstest::rstest]
#[case::in_one_segment(1_000_000)]
#[case::where_the_segment_is_nearly_full(1_500)]
fn what_belongs_together_is_appended_together(#[case] segment: u64) {
    let machine = Machine::with_segments_of(segment);
    let mut appended = machine.append_each(0..3);
    let drafts = (3..7).map(|n| tool(json!({ "n": n }))).collect();
    machine.disk.take_trace();
    let together = machine.log.append_all(drafts, Origin::Distiller).unwrap();
    let writes = machine.disk.take_trace().into_iter().filter(|done| *done == Operation::Append).count();
    assert_eq!(writes, 1);
    for one in &together {
        let first = machine.records_from(one.at).into_iter().next().unwrap();
        assert_eq!((first.seq, first.id), (one.seq, one.id));
    }
    assert_eq!(together.iter().map(|one| one.seq).collect::<Vec<_>>(), [4, 5, 6, 7]);
    assert_eq!(machine.log.append_all(Vec::new(), Origin::Distiller).unwrap(), []);
    appended.extend(together);
    appended.extend(machine.append_each(7..9));
    machine.assert_holds(&appended);
    machine.assert_sound();
}

#[test]
fn what_is_forced_together_is_forced_once() {
    let machine = Machine::with(Limits { sync: true, segment: 1_500, ..quick() });
    let saved =
        |n: usize| Draft { kind: Kind::KnowledgeSaved, ..tool(json!({ "n": n, "text": "x".repeat(300) })) };
    let synced = || {
        let trace = machine.disk.take_trace().into_iter();
        trace.filter(|done| *done == Operation::Sync).count()
    };
    let mut appended = vec![machine.log.append(saved(0), Origin::Mcp).unwrap()];
    assert_eq!(synced(), 1, "by itself");
    appended.push(machine.log.append_unforced(saved(1), Origin::Mcp).unwrap());
    assert_eq!(synced(), 0, "not yet");
    machine.log.force(&appended[1]).unwrap();
    assert_eq!(synced(), 1, "with the others");
    // What is in a segment that is full was forced when the next one began.
    appended.extend((2..6).map(|n| machine.log.append_unforced(saved(n), Origin::Mcp).unwrap()));
    let segments = appended[5].at.segment - appended[1].at.segment;
    assert!(segments >= 1);
    assert_eq!(synced(), segments as usize);
    machine.log.force(&appended[5]).unwrap();
    assert_eq!(synced(), 1);
    machine.assert_holds(&appended);
    machine.assert_sound();
}

#[test]
fn an_id_that_was_given_out_before_is_kept() {
    let machine = Machine::new();
    let id = EventId::new(machine.now(), [7; 10]);
    let draft = Draft { id: Some(id), ..tool(json!({})) };
    let appended = machine.log.append_all(vec![draft], Origin::Distiller).unwrap();
    assert_eq!(appended[0].id, id);
}
