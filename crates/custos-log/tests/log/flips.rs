//! One changed byte, anywhere: it is found, the record is named, and no other record is lost.

use std::fs;

use custos_log::disk::{Access, Disk, OsDisk};
use custos_log::frame::{self, Parsed};
use custos_log::verify::Severity;
use custos_log::{Selection, forget};
use serde_json::json;

use crate::machine::{Machine, plant};

/// A line of the log, as it was before anybody touched it.
#[derive(Debug, Clone)]
struct Whole {
    segment: u32,
    begins: usize,
    /// Its length, without the line break.
    len: usize,
    /// Its number, if it is a record.
    seq: Option<u64>,
}

/// Makes a log with everything that a log can hold: two segments, a forgotten record, and two writes that were cut short.
fn everything() -> (Machine, Vec<Whole>) {
    let machine = Machine::with_segments_of(3_500);
    let mut appended = machine.append_each(0..2);
    appended.push(machine.append(json!({ "text": "to be forgotten", "deep": [{ "er": 1 }] })));
    machine.tear(json!({ "text": "cut short in its content ".repeat(30) }));
    appended.extend(machine.append_each(3..5));
    machine.tear(json!({}));
    appended.push(machine.append(json!({ "text": "nested", "deep": [{ "er": { "n": [1, 2] } }] })));
    let selection = Selection::Id(appended[2].id);
    let plan = forget::plan(&machine.log, &selection, &mut |_| {}).unwrap();
    forget::forget(&machine.log, &plan, &selection, "a test").unwrap();
    machine.append_each(6..8);
    machine.assert_sound();

    let mut lines = Vec::new();
    for segment in machine.log.reader().segments(&machine.writer()).unwrap() {
        let bytes = fs::read(machine.segment(segment)).unwrap();
        let mut begins = 0;
        for line in bytes.split_inclusive(|b| *b == b'\n') {
            let line = &line[..line.len() - 1];
            let seq = match frame::parse(line) {
                Parsed::Whole(frame) => Some(frame.seq),
                Parsed::Headed(_) | Parsed::Not => None,
            };
            lines.push(Whole { segment, begins, len: line.len(), seq });
            begins += line.len() + 1;
        }
    }
    let numbers: Vec<u64> = lines.iter().filter_map(|line| line.seq).collect();
    assert_eq!(numbers, (1..=9).collect::<Vec<_>>());
    assert_eq!(lines.iter().filter(|line| line.seq.is_none()).count(), 2);
    assert_eq!(lines.last().map(|line| line.segment), Some(2));
    (machine, lines)
}

#[test]
fn every_changed_byte_is_found_and_costs_one_record() {
    let (machine, lines) = everything();
    let pristine = machine.records();
    for (index, line) in lines.iter().enumerate() {
        let path = machine.segment(line.segment);
        let file = OsDisk.open(&path, Access::Edit).unwrap();
        for at in line.begins..=line.begins + line.len {
            let mut byte = [0];
            file.read_full_at(&mut byte, at as u64).unwrap();
            for changed in [byte[0] ^ 1, b'\n', [byte[0] ^ 0x20, b' ', 0xff][at % 3]] {
                if changed == byte[0] {
                    continue;
                }
                file.write_all_at(&[changed], at as u64).unwrap();
                let glued = at == line.begins + line.len;
                check(&machine, &pristine, &lines, index, glued, &format!("byte {at} → {changed:#x}"));
            }
            file.write_all_at(&byte, at as u64).unwrap();
        }
    }
    machine.assert_sound();
    assert_eq!(machine.records(), pristine);
}

/// Checks what is found when a byte of one line was changed, or its line break.
fn check(
    machine: &Machine,
    pristine: &[crate::machine::Seen],
    lines: &[Whole],
    index: usize,
    glued: bool,
    what: &str,
) {
    let line = &lines[index];
    let next = lines.get(index + 1).filter(|next| glued && next.segment == line.segment);
    // A line without its break takes the next one with it.
    let lost: Vec<u64> = line.seq.into_iter().chain(next.and_then(|next| next.seq)).collect();
    let what = format!("segment {}, line at {} ({lost:?}), {what}", line.segment, line.begins);
    let findings = machine.findings();
    let named = |finding: &&custos_log::verify::Finding| {
        finding.file == machine.segment(line.segment) && finding.offset == line.begins as u64
    };
    let here = findings.iter().find(named).unwrap_or_else(|| panic!("{what}: not found in {findings:#?}"));
    let expected = if lost.is_empty() { Severity::Notice } else { Severity::Damage };
    assert_eq!(here.severity, expected, "{what}: {findings:#?}");
    assert_eq!(here.seq, lost.first().copied(), "{what}: {findings:#?}");
    for finding in &findings {
        if finding.severity == Severity::Damage {
            assert!(finding.seq.is_some_and(|seq| lost.contains(&seq)), "{what}: {findings:#?}");
        }
    }
    let read = machine.records();
    for other in pristine.iter().filter(|seen| !lost.contains(&seen.seq)) {
        assert!(read.contains(other), "{what}: record {} is lost, too", other.seq);
    }
}

#[test]
fn every_truncation_of_the_last_segment_is_found_and_survived() {
    let (machine, lines) = everything();
    let pristine = machine.records();
    let before = machine.snapshot();
    let path = machine.segment(2);
    let whole = fs::read(&path).unwrap();
    for len in 0..whole.len() {
        before.put_into(machine.home.path());
        let _ = fs::remove_file(machine.segment(3));
        plant(&path, &whole[..len]);
        let survives = |line: &&Whole| line.segment == 1 || line.begins + line.len < len;
        let first_lost = lines.iter().filter(survives).filter_map(|line| line.seq).max().unwrap() + 1;
        let damage = machine.damage();
        assert_eq!(damage.len(), 1, "cut to {len}: {damage:#?}");
        assert_eq!((damage[0].segment, damage[0].seq), (2, Some(first_lost)), "cut to {len}: {damage:#?}");
        let kept: Vec<_> = pristine.iter().filter(|seen| seen.seq < first_lost).cloned().collect();
        assert_eq!(machine.records(), kept, "cut to {len}");

        // The log goes on, gives no number out twice, and the loss does not go unseen for it.
        let next = machine.append(json!({ "n": "next" }));
        assert_eq!(next.seq, 10, "cut to {len}");
        // What lacked nothing but its line break is whole again.
        let is_whole = len == whole.len() - 1;
        let damage = machine.damage();
        let is_seen = damage.iter().any(|finding| finding.seq == Some(first_lost));
        assert_eq!(is_seen, !is_whole, "cut to {len}: {damage:#?}");
        let next_but_one = machine.append(json!({ "n": "next but one" }));
        assert_eq!(next_but_one.seq, 11);
        let read: Vec<_> = machine.records().into_iter().filter(|seen| seen.seq < 10).collect();
        assert_eq!(read.len(), kept.len() + usize::from(is_whole), "cut to {len}");

        // And what a backup has can still be put back.
        if !is_whole {
            plant(&path, &whole);
            machine.assert_sound();
        }
    }
}
