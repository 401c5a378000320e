//! `kill -9` at random moments, with one writer and with many at once: nothing that was acknowledged is lost, nothing is glued.
//!
//! Each round kills one of the processes that append at that moment and starts another in its place. Some write small events, some
//! write long ones in so many pieces that kills hit the middle of the write. The segments are small, so that kills also hit
//! the moment between two of them.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![expect(clippy::print_stdout, reason = "whoever looks wants to know how much was tried")]

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use custos_log::append::{Places, Surroundings};
use custos_log::verify::Severity;
use custos_log::{Line, Log, Position, WriterId, verify};
use custos_testkit::kill::wait_until;
use custos_testkit::random::Random;
use tempfile::TempDir;

/// The lengths of the events (one sector, some pages, and over the limit, where the text is cut), and how much is written at once.
const EVENTS: [(u64, u64); 4] = [(100, u64::MAX), (5_000, 10), (90_000, 60), (400_000, 200)];

/// The length of a segment: a few of the large events.
const SEGMENT: u64 = 1_000_000;

struct Crowd {
    dir: TempDir,
    started: u32,
    running: Vec<Child>,
}

impl Crowd {
    fn new() -> Self {
        Self { dir: TempDir::new().unwrap(), started: 0, running: Vec::new() }
    }

    fn places(&self) -> Places {
        let dir = self.dir.path();
        Places { log: dir.join("log"), backups: dir.join("backups"), state: dir.join("state") }
    }

    /// Starts a process whose acknowledgements go to a file of its own, which cannot fill up as a pipe would.
    fn start(&mut self, count: u64, (size, piece): (u64, u64)) {
        let Places { log, state, .. } = self.places();
        let acknowledged =
            File::create(self.dir.path().join(format!("acknowledged-{}", self.started))).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_custos-appender"))
            .args([&log, &state])
            .args([count, size, SEGMENT, piece].map(|number| number.to_string()))
            .stdout(acknowledged)
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        self.started += 1;
        self.running.push(child);
    }

    fn kill(&mut self, index: usize) {
        let mut child = self.running.swap_remove(index);
        child.kill().unwrap();
        let status = child.wait().unwrap();
        assert_eq!(status.code(), None, "it was to append until it is killed");
    }

    /// Reads what was acknowledged: id and sequence.
    fn acknowledged(&self) -> Vec<(String, u64)> {
        let files = (0..self.started).map(|n| self.dir.path().join(format!("acknowledged-{n}")));
        files.flat_map(|file| acknowledged_in(&file)).collect()
    }

    /// Checks all that was promised, and gives the number of records and of writes that were cut short.
    fn inspect(&self) -> (u64, usize) {
        let log = Log::new(
            self.places(),
            Surroundings::system(),
            custos_log::Limits::default(),
            "appender".parse::<WriterId>().unwrap(),
        );
        let found = verify(&log, &mut |_| {}).unwrap();
        let findings: Vec<_> = found.writers.iter().flat_map(|writer| &writer.findings).collect();
        let damage: Vec<_> = findings.iter().filter(|finding| finding.severity == Severity::Damage).collect();
        assert!(damage.is_empty(), "{damage:#?}");

        let mut records: HashMap<String, u64> = HashMap::new();
        let mut cursor = log.reader().cursor(&log.writer(), Position::START).unwrap();
        let mut expected = 1;
        while let Some(line) = cursor.next().unwrap() {
            match line {
                Line::Record(record) => {
                    let event = record.event().unwrap();
                    assert_eq!(event.seq, expected, "no number is missing or given out twice");
                    assert_eq!(
                        records.insert(event.id.to_string(), event.seq),
                        None,
                        "no event is there twice"
                    );
                    expected += 1;
                }
                Line::Broken(_) => {}
                other => panic!("{other:?}"),
            }
        }
        for (id, seq) in self.acknowledged() {
            assert_eq!(records.get(&id), Some(&seq), "acknowledged event {id}");
        }
        (expected - 1, findings.len())
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        for child in &mut self.running {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Reads whole lines only: the last one may have been cut by the kill.
fn acknowledged_in(file: &Path) -> Vec<(String, u64)> {
    let text = fs::read_to_string(file).unwrap();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let parse = |line: &str| {
        let (id, seq) = line.split_once(' ').unwrap();
        (id.to_owned(), seq.parse().unwrap())
    };
    whole.lines().map(parse).collect()
}

#[expect(clippy::disallowed_methods, reason = "the soak script sets how long this runs")]
fn rounds() -> u32 {
    std::env::var("CUSTOS_KILL_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(500)
}

fn kill_at_random_moments(writers: usize, longest_pause: Duration) {
    let seed = 0x0c05_705e + writers as u64;
    let mut random = Random::seeded(seed);
    let mut crowd = Crowd::new();
    for _ in 0..writers {
        crowd.start(u64::MAX, *random.pick(&EVENTS));
    }
    for _ in 0..rounds() {
        let micros = u64::try_from(longest_pause.as_micros()).unwrap();
        wait_until(Instant::now() + Duration::from_micros(random.within(0..micros)));
        crowd.kill(random.index(writers));
        crowd.start(u64::MAX, *random.pick(&EVENTS));
    }
    while !crowd.running.is_empty() {
        crowd.kill(0);
    }
    let (records, cut_short) = crowd.inspect();
    assert!(records > u64::from(rounds()), "{records} records are too few to have tested anything");
    // Of 64, only one holds the lock, and mostly another is killed.
    assert!(cut_short > 0 || writers > 8, "no kill hit the middle of a write");
    println!("{writers} writers, seed {seed:#x}: {records} records, {cut_short} writes cut short");
}

#[test]
fn killing_the_only_writer_loses_nothing() {
    kill_at_random_moments(1, Duration::from_millis(12));
}

#[test]
fn killing_one_of_8_writers_loses_nothing() {
    kill_at_random_moments(8, Duration::from_millis(6));
}

#[test]
fn killing_one_of_64_writers_loses_nothing() {
    kill_at_random_moments(64, Duration::from_millis(6));
}

#[test]
fn processes_that_append_at_once_lose_and_break_nothing() {
    let mut crowd = Crowd::new();
    for n in 0..64 {
        crowd.start(20, EVENTS[n % 3]);
    }
    for mut child in std::mem::take(&mut crowd.running) {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!((crowd.acknowledged().len(), crowd.inspect()), (64 * 20, (64 * 20, 0)));
}

/// As another user than root, to whom no directory is read-only.
#[test]
fn a_read_only_directory_is_a_clear_error() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;

    let dir = TempDir::new().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let (log, state) = (dir.path().join("log"), dir.path().join("state"));
    for (path, mode) in [(&log, 0o555), (&state, 0o777)] {
        fs::create_dir(path).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let program = readable_by_all(dir.path());
    let mut command = Command::new(program);
    command.args([&log, &state]).args(["1", "10"]);
    if fs::metadata(dir.path()).is_ok_and(|metadata| std::os::unix::fs::MetadataExt::uid(&metadata) == 0) {
        command.uid(65_534).gid(65_534);
    }
    let output = command.output().unwrap();
    let expected = format!("cannot create {}/appender: Permission denied (os error 13)\n", log.display());
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    assert_eq!(fs::read_dir(&log).unwrap().count(), 0);
}

/// Copies the program to where another user may start it.
fn readable_by_all(dir: &Path) -> PathBuf {
    let program = dir.join("custos-appender");
    fs::copy(env!("CARGO_BIN_EXE_custos-appender"), &program).unwrap();
    program
}
