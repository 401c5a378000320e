//! Seeking and resuming: from any place, the same records follow.

use std::fmt::Write as _;

use custos_log::{Cursor, Line, Position};
use proptest::prelude::*;
use serde_json::json;

use crate::machine::{Machine, vandalise};

/// Says in short what a line is.
fn describe(line: &Line<'_>) -> String {
    match line {
        Line::Record(record) => format!("record {} at {:?}", record.frame.seq, record.at),
        Line::Forgotten(frame) => format!("forgotten {}", frame.seq),
        Line::Newer(frame) => format!("newer {}", frame.seq),
        Line::Broken(broken) => format!("{broken:?}"),
    }
}

fn rest_of(cursor: &mut Cursor) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(line) = cursor.next().unwrap() {
        lines.push(describe(&line));
    }
    lines
}

/// A log of several segments, some longer than what is read at once, with broken lines of every sort.
fn broken_log(lengths: &[usize], breaks: &[(usize, u8)], segment: u64) -> Machine {
    let machine = Machine::with_segments_of(segment);
    for (n, len) in lengths.iter().enumerate() {
        machine.append(json!({ "n": n, "text": "w ".repeat(*len) }));
    }
    for (at, how) in breaks {
        let segments = machine.log.reader().segments(&machine.writer()).unwrap();
        vandalise(&machine.segment(segments[at % segments.len()]), |bytes| {
            let lines = bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::len);
            let starts: Vec<usize> =
                lines.scan(0, |sum, len| Some(std::mem::replace(sum, *sum + len))).collect();
            let start = starts[(at / 7) % starts.len()];
            match how {
                0 => bytes[start] = b'#',
                1 => drop(bytes.splice(start..start, b"half a line\n".iter().copied())),
                2 => drop(bytes.splice(start..start, b"\n\n".iter().copied())),
                _ => {
                    drop(bytes.splice(start..start, br#"{"v":"0.9.0","id":1}"#.iter().chain(b"\n").copied()));
                }
            }
        });
    }
    machine
}

fn check(machine: &Machine, last: u64) {
    let reader = machine.log.reader();
    let writer = machine.writer();
    let mut cursor = reader.cursor(&writer, Position::START).unwrap();
    let mut places = vec![cursor.position()];
    let mut lines = Vec::new();
    let mut numbers = Vec::new();
    while let Some(line) = cursor.next().unwrap() {
        lines.push(describe(&line));
        numbers.push(line.seq());
        places.push(cursor.position());
    }
    for (n, place) in places.iter().enumerate() {
        let resumed = rest_of(&mut reader.cursor(&writer, *place).unwrap());
        assert_eq!(resumed, lines[n..], "resumed at {place:?}");
    }
    for seq in 0..=last + 2 {
        let place = reader.seek(&writer, seq).unwrap();
        let found = reader.cursor(&writer, place).unwrap().next().unwrap().and_then(|line| line.seq());
        let expected = numbers.iter().flatten().copied().find(|number| *number >= seq);
        assert_eq!(found, expected, "seeking {seq} led to {place:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_number_is_found_and_every_place_can_be_resumed(
        lengths in prop::collection::vec(prop_oneof![4 => 0..200_usize, 1 => 5_000..20_000_usize], 1..30),
        breaks in prop::collection::vec((0..1_000_usize, 0..4_u8), 0..8),
        segment in prop_oneof![Just(1_000_u64), Just(20_000), Just(300_000)],
    ) {
        let machine = broken_log(&lengths, &breaks, segment);
        check(&machine, lengths.len() as u64);
    }
}

/// A body may hold what looks like a record; seeking must not begin to read there.
#[test]
fn a_record_within_a_record_is_not_mistaken_for_one() {
    let machine = Machine::with_segments_of(10 << 20);
    let first = machine.append(json!({ "n": 0 }));
    let line = std::fs::read_to_string(machine.segment(1)).unwrap();
    let fake: serde_json::Value = serde_json::from_str(line.trim_end()).unwrap();
    let mut text = String::new();
    for field in ["v", "id", "seq", "ts", "kind", "prev", "commitment", "salt"] {
        write!(text, "{}{}:{}", if text.is_empty() { "{" } else { "," }, json!(field), fake[field]).unwrap();
    }
    text.push_str(",\"x\":1}");
    let fakes: Vec<serde_json::Value> = vec![serde_json::from_str(&text).unwrap(); 300];
    for _ in 0..5 {
        machine.append(json!({ "fakes": fakes }));
    }
    check(&machine, 6);
    assert_eq!(machine.log.reader().seek(&machine.writer(), 1).unwrap(), first.at);
}

#[test]
fn seeking_in_nothing_gives_the_beginning() {
    let machine = Machine::new();
    assert_eq!(machine.log.reader().seek(&machine.writer(), 5).unwrap(), Position::START);
}
