//! A machine with a log: a memory directory, a state directory, a clock that the test sets, and a disk that can fail.

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use custos_log::append::{Entropy, Places, Surroundings};
use custos_log::read::segment_path;
use custos_log::verify::{Finding, Severity, Verification};
use custos_log::{Appended, Limits, Line, Log, LogError, Position, WriterId, verify};
use custos_model::{Draft, EventId, Kind, Origin, Scope, Timestamp};
use custos_testkit::TempHome;
use custos_testkit::faulty::{Effect, Fault, FaultyDisk, Operation};
use serde_json::{Map, Value, json};

/// The time at which every test begins: 2026-11-15T12:00:00Z.
pub(crate) const NOON: i64 = 1_794_744_000_000;

/// One day.
pub(crate) const DAY: i64 = 86_400_000;

pub(crate) struct Machine {
    pub(crate) home: Rc<TempHome>,
    pub(crate) log: Log,
    pub(crate) disk: FaultyDisk,
    clock: Arc<AtomicI64>,
}

/// A record as a reader sees it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    pub(crate) seq: u64,
    pub(crate) id: EventId,
    pub(crate) body: Value,
}

/// Limits for tests that have better things to do than to wait for the disk.
pub(crate) fn quick() -> Limits {
    Limits { sync: false, ..Limits::default() }
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    let Value::Object(fields) = value else { panic!("an object: {value}") };
    fields
}

pub(crate) fn tool(body: Value) -> Draft {
    Draft::new(Kind::ToolUsed, Scope::User, object(body))
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self::with(quick())
    }

    pub(crate) fn with_segments_of(segment: u64) -> Self {
        Self::with(Limits { segment, ..quick() })
    }

    pub(crate) fn with(limits: Limits) -> Self {
        Self::in_home(Rc::new(TempHome::new().unwrap()), "here", limits)
    }

    /// Makes another machine that shares the memory directory, as a file synchroniser would have it.
    pub(crate) fn beside(&self, name: &str) -> Self {
        Self::in_home(Rc::clone(&self.home), name, self.log.limits().clone())
    }

    fn in_home(home: Rc<TempHome>, name: &str, limits: Limits) -> Self {
        let clock = Arc::new(AtomicI64::new(NOON));
        let disk = FaultyDisk::default();
        let ticking = Arc::clone(&clock);
        let surroundings = Surroundings {
            disk: Arc::new(disk.clone()),
            clock: Arc::new(move || Timestamp::from_millis(ticking.load(Ordering::Relaxed))),
            entropy: Entropy::system(),
        };
        let memory = home.memory_dir();
        let places = Places {
            log: memory.join("log"),
            backups: memory.join("backups"),
            state: home.state_dir().join(name),
        };
        let log =
            Log::new(places, surroundings, limits, format!("machine-{name}").parse::<WriterId>().unwrap());
        Self { home, log, disk, clock }
    }

    /// Gives the same machine with other limits.
    pub(crate) fn limited(&self, limits: Limits) -> Log {
        self.log.with_limits(limits)
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(Ordering::Relaxed))
    }

    pub(crate) fn pass_time(&self, millis: i64) {
        self.clock.fetch_add(millis, Ordering::Relaxed);
    }

    pub(crate) fn try_append(&self, body: Value) -> Result<Appended, LogError> {
        self.log.append(tool(body), Origin::Hook)
    }

    pub(crate) fn append(&self, body: Value) -> Appended {
        self.try_append(body).unwrap()
    }

    /// Appends events with the numbers of a range as their bodies.
    pub(crate) fn append_each(&self, range: std::ops::Range<u64>) -> Vec<Appended> {
        range.map(|n| self.append(json!({ "n": n }))).collect()
    }

    pub(crate) fn writer(&self) -> WriterId {
        self.log.writer()
    }

    pub(crate) fn segment(&self, number: u32) -> PathBuf {
        segment_path(&self.log.places().log, &self.writer(), number)
    }

    pub(crate) fn lock_file(&self) -> PathBuf {
        self.log.places().state.join("log.lock")
    }

    /// Leaves half of a write at the end of the log, as a process that dies does.
    pub(crate) fn tear(&self, body: Value) {
        let twin = self.copy();
        twin.disk.take_trace();
        twin.append(body.clone());
        let write = twin.disk.take_trace().iter().position(|operation| *operation == Operation::Append);
        self.disk.arm(Fault { nth: write.unwrap(), effect: Effect::Crash });
        assert!(self.try_append(body).is_err());
        self.disk.disarm();
    }

    /// Makes a machine of its own with the same files.
    pub(crate) fn copy(&self) -> Self {
        let twin = Self::with(self.log.limits().clone());
        self.snapshot().put_into(twin.home.path());
        twin
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        let strip = |path: PathBuf| path.strip_prefix(self.home.path()).unwrap().to_owned();
        let files = self.home.every_file().unwrap();
        Snapshot(files.into_iter().map(|(path, bytes)| (strip(path), bytes)).collect())
    }

    pub(crate) fn verify(&self) -> Verification {
        verify(&self.log, &mut |_| {}).unwrap()
    }

    /// Gives what verifying finds: how bad, segment and offset, record, and what.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        self.verify().writers.into_iter().flat_map(|writer| writer.findings).collect()
    }

    pub(crate) fn damage(&self) -> Vec<Finding> {
        self.findings().into_iter().filter(|finding| finding.severity == Severity::Damage).collect()
    }

    pub(crate) fn assert_sound(&self) {
        let damage = self.damage();
        assert!(damage.is_empty(), "{damage:#?}");
    }

    /// Reads all records of this machine's writer that can be read.
    pub(crate) fn records(&self) -> Vec<Seen> {
        self.records_from(Position::START)
    }

    pub(crate) fn records_from(&self, from: Position) -> Vec<Seen> {
        let mut cursor = self.log.reader().cursor(&self.writer(), from).unwrap();
        let mut seen = Vec::new();
        while let Some(line) = cursor.next().unwrap() {
            if let Line::Record(record) = line
                && let Ok(event) = record.event()
            {
                let body = serde_json::from_str(event.body.get()).unwrap();
                seen.push(Seen { seq: event.seq, id: event.id, body });
            }
        }
        seen
    }

    /// Checks that the records are exactly these, in this order, with these numbers.
    pub(crate) fn assert_holds(&self, expected: &[Appended]) {
        let held: Vec<(EventId, u64)> = self.records().iter().map(|seen| (seen.id, seen.seq)).collect();
        let expected: Vec<(EventId, u64)> = expected.iter().map(|one| (one.id, one.seq)).collect();
        assert_eq!(held, expected);
    }

    /// Lists the files that hold a text, in their names or as raw bytes.
    pub(crate) fn files_with(&self, text: impl AsRef<[u8]>) -> Vec<PathBuf> {
        self.home.find_bytes(text).unwrap()
    }
}

/// Every file of a machine, and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snapshot(pub(crate) Vec<(PathBuf, Vec<u8>)>);

impl Snapshot {
    pub(crate) fn put_into(&self, root: &Path) {
        for (path, bytes) in &self.0 {
            plant(&root.join(path), bytes);
        }
    }
}

/// Puts a file in its place, whatever was there.
#[expect(clippy::disallowed_methods, reason = "the tests play the vandal; nothing has to survive a crash")]
pub(crate) fn plant(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Changes the bytes of a file.
pub(crate) fn vandalise(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    plant(path, &bytes);
}
