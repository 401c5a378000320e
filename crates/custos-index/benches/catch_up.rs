//! How long it takes to read a log into the index, beside how long it takes to read and parse the same lines.
//!
//! `CUSTOS_BENCH_EVENTS` sets the number of events; 200,000 where it is not set.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot write its files has nothing to measure")]

#[path = "../tests/index/writing.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod writing;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use custos_index::{Index, User};
use custos_log::LogReader;
use serde_json::Value;
use writing::Writing;

fn main() {
    #[expect(clippy::disallowed_methods, reason = "a benchmark's own setting")]
    let events: usize =
        std::env::var("CUSTOS_BENCH_EVENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(200_000);
    let home = tempfile::tempdir().unwrap();
    let (log_dir, state) = (home.path().join("log"), home.path().join("state"));
    let log = write_log(&log_dir, custos_testkit::corpus::events(1, events));

    let bytes = read_and_parse(&log_dir).0;
    let floor = read_and_parse(&log_dir).1;
    println!("{events} events, {} MB", bytes / 1_000_000);
    row("read and parse", floor, floor);

    let mut index = Index::open(&state, User::Worker).unwrap();
    let begin = Instant::now();
    let caught_up = index.catch_up(&log, None, &mut |_| {}).unwrap();
    assert_eq!((caught_up.events, caught_up.complete), (events as u64, true));
    row("catch up", begin.elapsed(), floor);
    println!("{:>16}  {} MB", "index", index.status().unwrap().bytes / 1_000_000);

    let begin = Instant::now();
    let rebuilt = index.rebuild(&log, &mut |_| {}).unwrap();
    assert_eq!((rebuilt.events, rebuilt.complete), (events as u64, true));
    row("rebuild", begin.elapsed(), floor);
    println!("{:>16}  {} MB", "index", index.status().unwrap().bytes / 1_000_000);
    if let Some(peak) = peak_memory() {
        println!("{:>16}  {} MB", "peak memory", peak / 1_000_000);
    }
}

fn row(what: &str, took: Duration, floor: Duration) {
    println!(
        "{what:>16}  {:>8.2} s  {:>5.2} ×",
        took.as_secs_f64(),
        took.as_secs_f64() / floor.as_secs_f64()
    );
}

fn read_and_parse(log: &Path) -> (u64, Duration) {
    let begin = Instant::now();
    let mut bytes = 0;
    let mut segments: Vec<_> =
        std::fs::read_dir(log.join("bench")).unwrap().map(|entry| entry.unwrap().path()).collect();
    segments.sort();
    for segment in segments {
        let mut reader = BufReader::with_capacity(256 * 1024, std::fs::File::open(segment).unwrap());
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).unwrap() > 0 {
            bytes += line.len() as u64;
            let value: serde_json::Value = serde_json::from_slice(&line).unwrap();
            std::hint::black_box(&value);
            line.clear();
        }
    }
    (bytes, begin.elapsed())
}

/// Reads the greatest resident memory so far, in bytes, where the system tells it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// Writes drafts as the log of one writer, in segments like those of the log.
fn write_log(log: &Path, drafts: impl Iterator<Item = Value>) -> LogReader {
    let mut writing = Writing::new(log, "bench", 1);
    for draft in drafts {
        writing.append(&draft);
        if writing.seq.is_multiple_of(40_000) {
            writing.next_segment();
        }
    }
    writing.flush();
    LogReader::new(log)
}
