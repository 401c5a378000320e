//! What verifying says about logs that lost whole lines, segments or writers, and about lines that do not belong.

use std::fs;

use custos_log::Line;
use custos_log::backup;
use custos_log::read::Position;
use serde_json::json;

use crate::machine::{Machine, plant, vandalise};

/// Gives what verifying finds, in short: segment, record, what.
fn told(machine: &Machine) -> Vec<(u32, Option<u64>, String)> {
    machine.damage().into_iter().map(|finding| (finding.segment, finding.seq, finding.what)).collect()
}

fn lines_of(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect()
}

/// Rewrites a segment line by line.
fn rearrange(machine: &Machine, segment: u32, change: impl FnOnce(&mut Vec<Vec<u8>>)) {
    vandalise(&machine.segment(segment), |bytes| {
        let mut lines = lines_of(bytes);
        change(&mut lines);
        *bytes = lines.concat();
    });
}

#[test]
fn a_removed_line_is_missed() {
    let machine = Machine::new();
    machine.append_each(0..6);
    rearrange(&machine, 1, |lines| drop(lines.remove(2)));
    assert_eq!(told(&machine), [(1, Some(3), "record 3 is missing before this place".to_owned())]);
}

#[test]
fn removed_lines_are_missed_at_the_beginning_and_at_the_end() {
    let machine = Machine::new();
    machine.append_each(0..6);
    rearrange(&machine, 1, |lines| drop(lines.drain(..2)));
    assert_eq!(told(&machine), [(1, Some(1), "records 1 to 2 are missing before this place".to_owned())]);
    rearrange(&machine, 1, |lines| lines.truncate(2));
    let at_the_end =
        "records 5 to 6 are missing at the end (a power cut loses tool events of the last seconds)";
    assert_eq!(
        told(&machine),
        [
            (1, Some(1), "records 1 to 2 are missing before this place".to_owned()),
            (1, Some(5), at_the_end.to_owned())
        ]
    );
}

#[test]
fn exchanged_doubled_and_foreign_lines_are_found() {
    let machine = Machine::new();
    machine.append_each(0..6);
    let before = machine.snapshot();
    rearrange(&machine, 1, |lines| lines.swap(2, 3));
    assert!(machine.verify().is_damaged());
    before.put_into(machine.home.path());
    rearrange(&machine, 1, |lines| lines.insert(3, lines[2].clone()));
    assert_eq!(told(&machine), [(1, Some(3), "stands where record 4 belongs".to_owned())]);
    before.put_into(machine.home.path());
    let other = machine.beside("there");
    other.append_each(0..6);
    let theirs = lines_of(&fs::read(other.segment(1)).unwrap());
    rearrange(&machine, 1, |lines| lines[2].clone_from(&theirs[2]));
    assert!(told(&machine).iter().any(|(_, seq, _)| *seq == Some(3)), "{:?}", told(&machine));
}

#[test]
fn two_bodies_on_one_line_cost_these_two() {
    let machine = Machine::new();
    let appended = machine.append_each(0..6);
    rearrange(&machine, 1, |lines| assert_eq!(lines[2].pop(), Some(b'\n')));
    assert_eq!(
        told(&machine),
        [
            (1, Some(3), "its content is not the one that was written".to_owned()),
            (1, Some(4), "record 4 is missing before this place".to_owned())
        ]
    );
    let read: Vec<u64> = machine.records().iter().map(|seen| seen.seq).collect();
    assert_eq!(read, [1, 2, 5, 6]);
    let next = machine.append(json!({}));
    assert_eq!(next.seq, appended.len() as u64 + 1);
}

#[test]
fn a_segment_missing_in_the_middle_is_missed_and_costs_only_itself() {
    let machine = Machine::with_segments_of(1_000);
    machine.append_each(0..8);
    fs::remove_file(machine.segment(2)).unwrap();
    assert_eq!(told(&machine), [(3, Some(3), "records 3 to 4 are missing before this place".to_owned())]);
    let read: Vec<u64> = machine.records().iter().map(|seen| seen.seq).collect();
    assert_eq!(read, [1, 2, 5, 6, 7, 8]);
    assert_eq!(machine.append(json!({})).seq, 9);
}

#[test]
fn a_segment_missing_at_the_end_is_missed_before_and_after_the_next_append() {
    let machine = Machine::with_segments_of(1_000);
    machine.append_each(0..8);
    fs::remove_file(machine.segment(4)).unwrap();
    let what = "records 7 to 8 are missing at the end (a power cut loses tool events of the last seconds)";
    assert_eq!(told(&machine), [(3, Some(7), what.to_owned())]);
    assert_eq!(machine.append(json!({})).seq, 9);
    assert!(!machine.segment(4).exists(), "its place is kept for what a backup has of it");
    assert_eq!(told(&machine), [(5, Some(7), "records 7 to 8 are missing before this place".to_owned())]);
}

#[test]
fn a_missing_writer_is_missed_before_and_after_the_next_append() {
    let machine = Machine::new();
    machine.append_each(0..3);
    backup::create(&machine.log, 7, &mut |_| {}).unwrap();
    let dir = machine.segment(1).parent().unwrap().to_owned();
    fs::remove_dir_all(&dir).unwrap();
    let what = "records 1 to 3 are missing at the end (a power cut loses tool events of the last seconds)";
    assert_eq!(told(&machine), [(1, Some(1), what.to_owned())]);
    assert_eq!(machine.append(json!({})).seq, 4);
    assert_eq!(told(&machine), [(2, Some(1), "records 1 to 3 are missing before this place".to_owned())]);
    fs::remove_dir_all(&machine.log.places().log).unwrap();
    assert_eq!(machine.append(json!({})).seq, 5);
}

#[test]
fn a_memory_that_was_cleared_with_its_backups_begins_anew() {
    let machine = Machine::new();
    machine.append_each(0..3);
    backup::create(&machine.log, 7, &mut |_| {}).unwrap();
    fs::remove_dir_all(&machine.log.places().log).unwrap();
    fs::remove_dir_all(&machine.log.places().backups).unwrap();
    assert_eq!(machine.append(json!({})).seq, 1);
    machine.assert_sound();
}

#[test]
fn an_unfinished_end_of_another_machine_is_waited_for() {
    let machine = Machine::new();
    let other = machine.beside("there");
    machine.append_each(0..2);
    other.append_each(0..3);
    let whole = fs::read(other.segment(1)).unwrap();
    for len in 0..whole.len() {
        plant(&other.segment(1), &whole[..len]);
        machine.assert_sound();
        let read = other.records().len();
        assert_eq!(read, memchr::memchr_iter(b'\n', &whole[..len]).count(), "{len}");
    }
}

#[test]
fn damage_of_another_machine_is_found() {
    let machine = Machine::new();
    let other = machine.beside("there");
    machine.append_each(0..2);
    other.append_each(0..3);
    vandalise(&other.segment(1), |bytes| *bytes.iter_mut().rev().nth(4).unwrap() ^= 1);
    let damage = machine.damage();
    assert_eq!(damage.len(), 1, "{damage:#?}");
    assert_eq!((&damage[0].file, damage[0].seq), (&other.segment(1), Some(3)));
}

#[test]
fn empty_segments_are_no_harm() {
    let machine = Machine::with_segments_of(1_000);
    let mut appended = machine.append_each(0..5);
    let next = machine.log.reader().segments(&machine.writer()).unwrap().last().unwrap() + 1;
    plant(&machine.segment(next), b"");
    plant(&machine.segment(next + 7), b"");
    machine.assert_sound();
    appended.extend(machine.append_each(5..9));
    machine.assert_holds(&appended);
    machine.assert_sound();
}

/// A line over the limit, and a file that claims to be huge, take neither memory nor the records around them.
#[test]
fn a_line_without_an_end_costs_itself() {
    let machine = Machine::with_segments_of(1_000);
    machine.append_each(0..4);
    let first = fs::read(machine.segment(1)).unwrap();
    let endless = fs::OpenOptions::new().write(true).open(machine.segment(1)).unwrap();
    endless.set_len(first.len() as u64 + (80 << 20)).unwrap();
    let read: Vec<u64> = machine.records().iter().map(|seen| seen.seq).collect();
    assert_eq!(read, [1, 2, 3, 4]);
    let mut cursor = machine.log.reader().cursor(&machine.writer(), Position::START).unwrap();
    let mut broken = Vec::new();
    while let Some(line) = cursor.next().unwrap() {
        if let Line::Broken(line) = line {
            broken.push((line.at.offset, line.len, line.reason));
        }
    }
    let reason = "the line is longer than any event".to_owned();
    assert_eq!(broken, [(first.len() as u64, 80 << 20, reason)]);
    machine.assert_sound();
    assert_eq!(machine.append(json!({})).seq, 5);
}

#[test]
fn a_number_at_the_edge_overflows_nothing() {
    let machine = Machine::new();
    machine.append_each(0..2);
    for seq in [i64::MAX.unsigned_abs(), i64::MAX.unsigned_abs() + 1, u64::MAX] {
        let line = fs::read_to_string(machine.segment(1)).unwrap();
        let line = line.lines().next().unwrap().replace("\"seq\":1,", &format!("\"seq\":{seq},"));
        vandalise(&machine.segment(1), |bytes| bytes.extend_from_slice(format!("{line}\n").as_bytes()));
        machine.verify();
        machine.records();
    }
    assert_eq!(machine.append(json!({})).seq, 3);
}
