//! Backups: when they are due, what they share, what they keep, and what they bring back.

use std::fs;
use std::path::PathBuf;

use custos_log::backup::{self, Restored, Taken};
use custos_log::read::segment_path;
use serde_json::json;

use crate::machine::{DAY, Machine, plant, vandalise};

fn take(machine: &Machine) -> Taken {
    backup::create(&machine.log, 7, &mut |_| {}).unwrap()
}

fn restore(machine: &Machine) -> Vec<Restored> {
    backup::restore(&machine.log, None, &mut |_| {}).unwrap()
}

fn copy_of(machine: &Machine, name: &str, segment: u32) -> PathBuf {
    segment_path(&machine.log.places().backups.join(name), &machine.writer(), segment)
}

fn names(machine: &Machine) -> Vec<String> {
    backup::list(&machine.log).unwrap().into_iter().map(|backup| backup.name).collect()
}

#[test]
fn a_backup_is_due_once_a_day_whichever_way_the_clock_goes() {
    let machine = Machine::new();
    machine.append_each(0..1);
    let due = || backup::is_due(&machine.log, machine.now()).unwrap();
    assert!(due());
    take(&machine);
    assert!(!due());
    machine.pass_time(DAY / 2 - 1);
    assert!(!due());
    machine.pass_time(1);
    assert!(due(), "midnight has passed");
    take(&machine);
    assert!(!due());
    machine.pass_time(-2 * DAY);
    assert!(due());
    take(&machine);
    assert!(!due(), "although a newer one is there");
}

#[test]
fn the_newest_seven_are_kept() {
    let machine = Machine::new();
    machine.append_each(0..1);
    let taken: Vec<Taken> = (0..10)
        .map(|_| {
            machine.pass_time(DAY);
            take(&machine)
        })
        .collect();
    let all: Vec<String> = taken.iter().map(|one| one.name.clone()).collect();
    assert_eq!(all[0], "2026-11-16T12-00-00-000Z");
    assert_eq!(names(&machine), all[3..]);
    assert_eq!(taken.last().unwrap().removed, [all[2].clone()]);
}

#[test]
fn the_one_just_taken_is_kept_even_if_the_clock_went_back() {
    let machine = Machine::new();
    machine.append_each(0..1);
    for _ in 0..7 {
        machine.pass_time(DAY);
        take(&machine);
    }
    machine.pass_time(-30 * DAY);
    let taken = take(&machine);
    assert!(names(&machine).contains(&taken.name));
    assert_eq!((names(&machine).len(), taken.removed.len()), (7, 1));
}

#[test]
fn a_backup_lists_what_it_holds() {
    let machine = Machine::with_segments_of(1_000);
    machine.append_each(0..5);
    take(&machine);
    let bytes: u64 = (1..=3).map(|segment| fs::metadata(machine.segment(segment)).unwrap().len()).sum();
    let [backup] = &*backup::list(&machine.log).unwrap() else { panic!() };
    assert_eq!((backup.segments, backup.bytes), (3, bytes));
}

#[cfg(unix)]
#[test]
fn segments_that_have_not_changed_are_shared() {
    use std::os::unix::fs::MetadataExt;
    let inode = |path: &PathBuf| fs::metadata(path).unwrap().ino();
    let machine = Machine::with_segments_of(1_000);
    machine.append_each(0..5);
    let first = take(&machine);
    assert_eq!((first.copied, first.shared), (3, 0));
    machine.append_each(5..6);
    machine.pass_time(DAY);
    let second = take(&machine);
    assert_eq!((second.copied, second.shared), (1, 2));
    for (segment, shared) in [(1, true), (2, true), (3, false)] {
        let [a, b] = [&first, &second].map(|taken| copy_of(&machine, &taken.name, segment));
        assert_eq!(inode(&a) == inode(&b), shared, "segment {segment}");
        assert_ne!(inode(&b), inode(&machine.segment(segment)), "a copy is not the log itself");
    }
}

#[test]
fn damage_does_not_displace_a_good_copy() {
    let machine = Machine::with_segments_of(1_000);
    machine.append_each(0..5);
    let good = take(&machine);
    let original = fs::read(machine.segment(1)).unwrap();
    vandalise(&machine.segment(1), |bytes| bytes[400] ^= 1);
    for _ in 0..10 {
        machine.pass_time(DAY);
        let taken = take(&machine);
        assert_eq!(taken.damaged, [machine.segment(1)]);
        assert_eq!(fs::read(copy_of(&machine, &taken.name, 1)).unwrap(), original);
    }
    assert!(!names(&machine).contains(&good.name));
    let restored = restore(&machine);
    assert_eq!((restored.len(), &restored[0].file), (1, &machine.segment(1)));
    assert_eq!(fs::read(machine.segment(1)).unwrap(), original);
    machine.assert_sound();
}

#[test]
fn a_lost_segment_and_a_cut_one_stay_in_the_backups() {
    let machine = Machine::with_segments_of(1_000);
    machine.append_each(0..8);
    take(&machine);
    let originals: Vec<Vec<u8>> = (1..=4).map(|n| fs::read(machine.segment(n)).unwrap()).collect();
    fs::remove_file(machine.segment(1)).unwrap();
    vandalise(&machine.segment(2), |bytes| bytes.truncate(500));
    for _ in 0..8 {
        machine.pass_time(DAY);
        let taken = take(&machine);
        assert_eq!(taken.damaged[..2], [machine.segment(1), machine.segment(2)]);
    }
    restore(&machine);
    let restored: Vec<Vec<u8>> = (1..=4).map(|n| fs::read(machine.segment(n)).unwrap()).collect();
    assert_eq!(restored, originals);
    machine.assert_sound();
}

#[test]
fn a_copy_that_rotted_is_replaced() {
    let machine = Machine::with_segments_of(1_000);
    machine.append_each(0..5);
    let first = take(&machine);
    vandalise(&copy_of(&machine, &first.name, 1), |bytes| bytes[400] ^= 1);
    machine.pass_time(DAY);
    let second = take(&machine);
    assert_eq!((second.copied, second.shared, second.damaged.len()), (1, 2, 0));
    assert_eq!(fs::read(copy_of(&machine, &second.name, 1)).unwrap(), fs::read(machine.segment(1)).unwrap());
}

#[test]
fn a_damaged_segment_without_any_copy_is_better_copied_than_not() {
    let machine = Machine::new();
    machine.append_each(0..5);
    vandalise(&machine.segment(1), |bytes| bytes[400] ^= 1);
    let taken = take(&machine);
    assert_eq!((taken.copied, taken.damaged), (1, vec![machine.segment(1)]));
    machine.append_each(5..6);
    machine.pass_time(DAY);
    assert_eq!(take(&machine).copied, 1, "what was appended since is in the next one");
}

#[test]
fn restoring_keeps_what_is_newer_than_the_backup() {
    let machine = Machine::new();
    machine.append_each(0..5);
    let taken = take(&machine);
    let copied = fs::metadata(machine.segment(1)).unwrap().len();
    machine.append_each(5..8);
    let original = fs::read(machine.segment(1)).unwrap();
    vandalise(&machine.segment(1), |bytes| bytes[700..900].fill(b'#'));
    let expected = Restored {
        file: machine.segment(1),
        from: Some(taken.name),
        restored: copied,
        kept: original.len() as u64 - copied,
        dropped: 0,
    };
    assert_eq!(restore(&machine), [expected]);
    assert_eq!(fs::read(machine.segment(1)).unwrap(), original);
    machine.assert_sound();
    assert_eq!(restore(&machine), [], "once is enough");
}

#[test]
fn restoring_takes_the_newest_good_copy() {
    let machine = Machine::new();
    machine.append_each(0..3);
    let older = take(&machine);
    machine.pass_time(DAY);
    machine.append_each(3..5);
    let newer = take(&machine);
    let original = fs::read(machine.segment(1)).unwrap();
    vandalise(&copy_of(&machine, &newer.name, 1), |bytes| bytes[400] ^= 1);
    vandalise(&machine.segment(1), |bytes| bytes[500] ^= 1);
    let restored = restore(&machine);
    assert_eq!(restored[0].from.as_ref(), Some(&older.name));
    assert_eq!(fs::read(machine.segment(1)).unwrap(), original);
    machine.assert_sound();
}

#[test]
fn only_the_named_backup_is_used_if_one_is_named() {
    let machine = Machine::new();
    machine.append_each(0..3);
    let older = take(&machine);
    machine.pass_time(DAY);
    take(&machine);
    vandalise(&machine.segment(1), |bytes| bytes[500] ^= 1);
    let restored = backup::restore(&machine.log, Some(&older.name), &mut |_| {}).unwrap();
    assert_eq!(restored[0].from, Some(older.name));
    machine.assert_sound();
}

#[test]
fn what_no_backup_can_mend_is_said() {
    let machine = Machine::new();
    machine.append_each(0..3);
    take(&machine);
    machine.append_each(3..5);
    let len = fs::metadata(machine.segment(1)).unwrap().len();
    vandalise(&machine.segment(1), |bytes| bytes[usize::try_from(len).unwrap() - 10] ^= 1);
    let hopeless = Restored { file: machine.segment(1), from: None, restored: 0, kept: 0, dropped: 0 };
    assert_eq!(restore(&machine), [hopeless]);
}

#[test]
fn a_lost_log_is_restored_after_it_went_on() {
    let machine = Machine::with_segments_of(1_000);
    let mut appended = machine.append_each(0..6);
    take(&machine);
    fs::remove_dir_all(&machine.log.places().log).unwrap();
    appended.extend(machine.append_each(6..8));
    assert!(machine.verify().is_damaged());
    let restored = restore(&machine);
    assert!(restored.iter().all(|one| one.from.is_some()), "{restored:?}");
    machine.assert_sound();
    machine.assert_holds(&appended);
    appended.extend(machine.append_each(8..10));
    machine.assert_holds(&appended);
}

#[test]
fn a_log_that_was_begun_anew_is_not_mixed_with_an_old_one() {
    let machine = Machine::with_segments_of(1_000);
    machine.append_each(0..6);
    take(&machine);
    fs::remove_dir_all(&machine.log.places().log).unwrap();
    fs::remove_dir_all(&machine.log.places().state).unwrap();
    let appended = machine.append_each(0..1);
    assert_eq!(restore(&machine), []);
    machine.assert_sound();
    machine.assert_holds(&appended);
}

#[test]
fn an_unfinished_backup_is_neither_listed_nor_kept() {
    let machine = Machine::new();
    machine.append_each(0..2);
    let backups = machine.log.places().backups.clone();
    let unfinished = backups.join("unfinished-2026-11-14T12-00-00-000Z");
    plant(&unfinished.join("machine-here/0001.jsonl"), b"half");
    plant(&backups.join("unfinished-notes"), b"not ours");
    assert_eq!(names(&machine), Vec::<String>::new());
    take(&machine);
    assert!(!unfinished.exists() && backups.join("unfinished-notes").exists());
    assert_eq!(names(&machine).len(), 1);
}

#[test]
fn an_empty_log_can_be_backed_up_and_restored() {
    let machine = Machine::new();
    let taken = take(&machine);
    assert_eq!((taken.copied, taken.shared, restore(&machine)), (0, 0, Vec::new()));
    machine.append(json!({}));
    machine.assert_sound();
}

/// Where bytes were lost before it, what is newer does not begin where the copy ends.
#[rstest::rstest]
#[case::bytes_were_lost(|bytes: &mut Vec<u8>, at: usize, _: usize| drop(bytes.drain(at + 300..at + 305)))]
#[case::bytes_came_in(|bytes: &mut Vec<u8>, at: usize, _: usize| drop(bytes.splice(at + 300..at + 300, *b"five!")))]
#[case::a_line_was_lost(|bytes: &mut Vec<u8>, at: usize, len: usize| drop(bytes.drain(at..at + len)))]
#[case::a_line_was_doubled(|bytes: &mut Vec<u8>, at: usize, len: usize| {
    let line = bytes[at..at + len].to_vec();
    bytes.splice(at..at, line);
})]
fn restoring_keeps_newer_records_wherever_they_stand(#[case] damage: fn(&mut Vec<u8>, usize, usize)) {
    let machine = Machine::new();
    let mut appended = machine.append_each(0..3);
    let taken = take(&machine);
    let original = fs::read(machine.segment(1)).unwrap();
    let at = |n: usize| usize::try_from(appended[n].at.offset).unwrap();
    let (second, third) = (at(1), at(2));
    vandalise(&machine.segment(1), |bytes| damage(bytes, second, third - second));
    appended.extend(machine.append_each(3..5));
    let restored = restore(&machine);
    assert_eq!((restored.len(), &restored[0].from), (1, &Some(taken.name)));
    assert_eq!(restored[0].dropped, 0);
    assert_eq!(machine.findings(), []);
    machine.assert_holds(&appended);
    assert!(fs::read(machine.segment(1)).unwrap().starts_with(&original));
    appended.extend(machine.append_each(5..6));
    machine.assert_holds(&appended);
    assert_eq!(machine.findings(), []);
}

#[test]
fn restoring_drops_what_is_no_record_and_counts_it() {
    let machine = Machine::new();
    let mut appended = machine.append_each(0..3);
    take(&machine);
    let second = usize::try_from(appended[1].at.offset).unwrap();
    vandalise(&machine.segment(1), |bytes| drop(bytes.drain(second + 300..second + 305)));
    machine.tear(json!({ "text": "cut short ".repeat(20) }));
    appended.extend(machine.append_each(3..4));
    let restored = restore(&machine);
    assert_eq!((restored.len(), restored[0].dropped), (1, 1));
    assert_eq!(machine.findings(), []);
    machine.assert_holds(&appended);
}

#[test]
fn restoring_keeps_what_follows_a_copy_that_ends_in_half_a_line() {
    let machine = Machine::new();
    machine.append_each(0..3);
    machine.tear(json!({ "text": "cut short ".repeat(20) }));
    take(&machine);
    machine.append_each(3..5);
    let original = fs::read(machine.segment(1)).unwrap();
    vandalise(&machine.segment(1), |bytes| bytes[500] ^= 1);
    assert_eq!(restore(&machine).len(), 1);
    assert_eq!(fs::read(machine.segment(1)).unwrap(), original);
    machine.assert_sound();
}

/// A segment without any record is not taken for another log because of what stands in the next one.
#[test]
fn a_segment_that_lost_every_record_is_restored() {
    let machine = Machine::with_segments_of(1_000);
    let mut appended = machine.append_each(0..2);
    take(&machine);
    appended.extend(machine.append_each(2..4));
    assert!(machine.segment(2).exists());
    vandalise(&machine.segment(1), |bytes| bytes.iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b'#'));
    restore(&machine);
    machine.assert_sound();
    machine.assert_holds(&appended);
}

#[test]
fn what_an_interrupted_restoring_left_behind_is_removed() {
    let machine = Machine::new();
    machine.append_each(0..2);
    let draft = machine.segment(7).with_extension("restoring");
    let notes = draft.with_file_name("notes.restoring");
    plant(&notes, b"not ours");
    for work in [|machine: &Machine| drop(take(machine)), |machine: &Machine| drop(restore(machine))] {
        plant(&draft, b"half");
        work(&machine);
        assert!(!draft.exists() && notes.exists());
    }
}
