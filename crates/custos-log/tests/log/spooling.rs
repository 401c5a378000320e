//! The spool: whatever keeps an event out of the log, it gets there later, once, and as it would have been.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use custos_log::append::Surroundings;
use custos_log::disk::{Access, Disk, Handle, OsDisk};
use custos_log::head::Lock;
use custos_log::spool::{BOUND, Holding, Kept, REPLAYED_AT_ONCE, Recorded, Replayed, Spool, SpoolError};
use custos_log::{Limits, Line, Log, LogError, Position};
use custos_model::draft::DraftAgent;
use custos_model::{AccessList, Draft, EventId, Grant, Importance, Kind, Origin, Outcome, Scope, Timestamp};
use custos_testkit::faulty::{FaultyDisk, Operation};
use custos_testkit::kill::wait_until;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::machine::{Machine, NOON, object, plant, quick, tool};

mod faults;
mod hostile;
mod privacy;
mod together;

/// How many milliseconds a lock may stay taken by nobody.
const PATIENCE: usize = 10_000;

const SECRET: &str = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
/// The state directory, and the one that a session has for itself.
fn places(machine: &Machine) -> Vec<PathBuf> {
    vec![machine.log.places().state.clone(), machine.home.path().join("run/custos")]
}

fn spool(machine: &Machine) -> Spool {
    Spool::new(places(machine), BOUND, Arc::new(machine.disk.clone()))
}

fn waiting(machine: &Machine) -> PathBuf {
    places(machine)[0].join("spool")
}

fn apart(machine: &Machine) -> PathBuf {
    places(machine)[0].join("spool.apart")
}

fn names(dir: &Path) -> Vec<String> {
    let names = OsDisk.list(dir).unwrap();
    names.into_iter().map(|name| name.to_string_lossy().into_owned()).collect()
}

/// An event with everything that an event can have.
fn rich() -> Draft {
    Draft {
        ts: Some("2026-01-02T03:04:05.678Z".parse().unwrap()),
        project: Some("github.com/a/b".to_owned()),
        branch: Some(format!("feature/{SECRET}")),
        commit: Some("abc".to_owned()),
        session: Some("s-1".to_owned()),
        agent: Some(DraftAgent {
            client: "codex".to_owned(),
            id: Some("their-own-id".to_owned()),
            role: Some("musician".to_owned()),
        }),
        task: Some("t".to_owned()),
        outcome: Some(Outcome::Ok),
        importance: Importance::new(0.5),
        acl: Some(AccessList(vec![Grant::User, Grant::Agent("another-own-id".to_owned())])),
        ..Draft::new(
            Kind::PromptSubmitted,
            Scope::Project,
            object(json!({ "text": format!("my key is {SECRET}"), SECRET: [1, null, {"deep": true}] })),
        )
    }
}

/// Gives every record of a log without what only its place in the log decides.
fn contents(log: &Log) -> Vec<Value> {
    let mut cursor = log.reader().cursor(&log.writer(), Position::START).unwrap();
    let mut contents = Vec::new();
    while let Some(line) = cursor.next().unwrap() {
        let Line::Record(record) = line else { continue };
        let mut fields: BTreeMap<String, Value> = serde_json::from_slice(record.line()).unwrap();
        fields.retain(|name, _| !["seq", "prev", "commitment", "salt"].contains(&name.as_str()));
        contents.push(json!(fields));
    }
    contents
}

fn replay(machine: &Machine) -> (usize, usize, Vec<String>) {
    replay_some(machine, REPLAYED_AT_ONCE)
}

/// Replays as soon as nobody else does. A test that starts a process lends it every lock of this one until the process is its own.
fn replay_some(machine: &Machine, limit: usize) -> (usize, usize, Vec<String>) {
    for _ in 0..PATIENCE {
        let result = summary(&spool(machine).replay(&machine.log, limit));
        if result.0 > 0 || result.1 == 0 || !result.2.is_empty() {
            return result;
        }
        wait_until(Instant::now() + Duration::from_millis(1));
    }
    panic!("somebody has been replaying for {PATIENCE} ms");
}

fn summary(replayed: &Replayed) -> (usize, usize, Vec<String>) {
    (replayed.count, replayed.left, replayed.failed.iter().map(ToString::to_string).collect())
}

/// A disk below one directory of which nothing can be made or changed.
struct Walled {
    below: PathBuf,
    reason: ErrorKind,
}

impl Walled {
    fn check(&self, path: &Path) -> io::Result<()> {
        if path.starts_with(&self.below) { Err(self.reason.into()) } else { Ok(()) }
    }
}

impl Disk for Walled {
    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn Handle>> {
        if access != Access::Read && path.parent().is_some_and(Path::exists) {
            self.check(path)?;
        }
        OsDisk.open(path, access)
    }
    fn create_dirs(&self, path: &Path) -> io::Result<()> {
        if path.is_dir() { Ok(()) } else { self.check(path) }.and_then(|()| OsDisk.create_dirs(path))
    }
    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        OsDisk.list(dir)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.check(from).and_then(|()| self.check(to)).and_then(|()| OsDisk.rename(from, to))
    }
    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.check(to).and_then(|()| OsDisk.hard_link(from, to))
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.check(path).and_then(|()| OsDisk.remove(path))
    }
    fn remove_tree(&self, path: &Path) -> io::Result<()> {
        self.check(path).and_then(|()| OsDisk.remove_tree(path))
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        OsDisk.sync_dir(path)
    }
}

/// Gives a machine's log and spool on a disk of which a part is walled off.
fn walled(machine: &Machine, below: PathBuf, reason: ErrorKind) -> (Log, Spool) {
    let disk: Arc<dyn Disk> = Arc::new(Walled { below, reason });
    let surroundings = Surroundings { disk: Arc::clone(&disk), ..machine.log.surroundings().clone() };
    let limits = Limits { patience: Duration::from_millis(1), ..machine.log.limits().clone() };
    let log = Log::new(machine.log.places().clone(), surroundings, limits, machine.writer());
    (log, Spool::new(places(machine), BOUND, disk))
}

fn kept(recorded: Result<Recorded, SpoolError>) -> Kept {
    match recorded.unwrap() {
        Recorded::Spooled(kept, _) => kept,
        Recorded::Logged(appended) => panic!("{appended:?}"),
    }
}

/// What stands between a hook and its log.
#[derive(Debug, Clone, Copy)]
enum Obstacle {
    Busy,
    FullDisk,
    ReadOnlyMemory,
    NoMemory,
}

#[rstest::rstest]
fn an_event_that_was_kept_is_recorded_as_if_nothing_had_been_in_the_way(
    #[values(Obstacle::Busy, Obstacle::FullDisk, Obstacle::ReadOnlyMemory, Obstacle::NoMemory)]
    obstacle: Obstacle,
) {
    let machine = Machine::new();
    // Makes the key, so that the twin gives the same pseudonyms.
    machine.log.append(rich(), Origin::Mcp).unwrap();
    let twin = machine.copy();
    let memory = machine.home.memory_dir();
    let hidden = machine.home.path().join("unmounted");
    let recorded = match obstacle {
        Obstacle::Busy => {
            let _held = Lock::take(&OsDisk, &machine.log.places().state, Duration::ZERO).unwrap();
            let log = machine.limited(Limits { patience: Duration::from_millis(1), ..quick() });
            spool(&machine).record(&log, rich(), Origin::Hook)
        }
        Obstacle::FullDisk | Obstacle::ReadOnlyMemory => {
            let full = matches!(obstacle, Obstacle::FullDisk);
            let reason = if full { ErrorKind::StorageFull } else { ErrorKind::ReadOnlyFilesystem };
            let (log, spool) = walled(&machine, memory, reason);
            spool.record(&log, rich(), Origin::Hook)
        }
        Obstacle::NoMemory => {
            fs::rename(&memory, &hidden).unwrap();
            plant(&memory, b"no directory");
            let recorded = spool(&machine).record(&machine.log, rich(), Origin::Hook);
            fs::remove_file(&memory).unwrap();
            fs::rename(&hidden, &memory).unwrap();
            recorded
        }
    };
    let Kept { id, at, nameless } = kept(recorded);
    assert_eq!((at.parent(), nameless), (Some(waiting(&machine).as_path()), false));
    assert_eq!(machine.records().len(), 1);
    assert!(!spool(&machine).is_empty());

    machine.pass_time(60_000);
    assert_eq!(replay(&machine), (1, 0, vec![]));
    twin.log.append(Draft { id: Some(id), ..rich() }, Origin::Hook).unwrap();
    assert_eq!(contents(&machine.log), contents(&twin.log));
    assert!(spool(&machine).is_empty() && !waiting(&machine).exists());
    machine.assert_sound();
}

#[test]
fn an_event_gets_its_id_and_its_time_when_it_is_kept() {
    let machine = Machine::new();
    let kept = spool(&machine).keep(&machine.log, tool(json!({ "n": 1 })), Origin::Cli).unwrap();
    machine.pass_time(3_600_000);
    assert_eq!(replay(&machine), (1, 0, vec![]));
    let expected = json!({
        "v": "1.0.0", "id": kept.id, "ts": "2026-11-15T12:00:00.000Z", "kind": "tool.used", "scope": "user",
        "acl": ["user"], "origin": "cli", "body": { "n": 1 }
    });
    assert_eq!(contents(&machine.log), [expected]);
}

#[test]
fn what_the_log_takes_is_not_kept() {
    let machine = Machine::new();
    let recorded = spool(&machine).record(&machine.log, tool(json!({})), Origin::Hook).unwrap();
    assert!(matches!(recorded, Recorded::Logged(appended) if appended.seq == 1));
    assert!(!waiting(&machine).exists());
}

#[test]
fn nothing_that_waits_costs_one_look_at_each_place() {
    let machine = Machine::new();
    machine.append(json!({}));
    machine.disk.take_trace();
    assert!(spool(&machine).is_empty());
    assert_eq!(machine.disk.take_trace(), [Operation::List, Operation::List]);
}

#[test]
fn the_oldest_go_first_and_no_more_than_a_hook_has_time_for() {
    let machine = Machine::new();
    let spool = spool(&machine);
    let mut ids = Vec::new();
    for n in 0..5 {
        ids.push(spool.keep(&machine.log, tool(json!({ "n": n })), Origin::Hook).unwrap().id);
        machine.pass_time(1);
    }
    assert_eq!(summary(&spool.replay(&machine.log, 0)), (0, 5, vec![]));
    assert_eq!(replay_some(&machine, 2), (2, 3, vec![]));
    assert_eq!(replay_some(&machine, 9), (3, 0, vec![]));
    assert_eq!(machine.records().iter().map(|seen| seen.id).collect::<Vec<_>>(), ids);
}

#[test]
fn a_state_directory_that_is_full_leaves_the_next_place() {
    let machine = Machine::new();
    machine.append(json!({}));
    let state = machine.log.places().state.clone();
    let (log, spool) = walled(&machine, state, ErrorKind::StorageFull);
    let Kept { at, .. } = kept(spool.record(&log, tool(json!({ "n": 1 })), Origin::Hook));
    assert_eq!(at.parent(), Some(places(&machine)[1].join("spool").as_path()));
    assert_eq!(replay(&machine), (1, 0, vec![]));
    assert_eq!(machine.records().len(), 2);
}

#[test]
fn events_in_two_places_are_replayed_in_one_order() {
    let machine = Machine::new();
    machine.append(json!({ "n": 0 }));
    let (log, second_only) = walled(&machine, machine.log.places().state.clone(), ErrorKind::StorageFull);
    for n in 1..5 {
        let spool = if n % 2 == 0 { &second_only } else { &spool(&machine) };
        spool.keep(&log, tool(json!({ "n": n })), Origin::Hook).unwrap();
        machine.pass_time(1);
    }
    assert_eq!(replay(&machine), (4, 0, vec![]));
    let bodies: Vec<Value> = machine.records().into_iter().map(|seen| seen.body["n"].clone()).collect();
    assert_eq!(bodies, [0, 1, 2, 3, 4]);
}

#[test]
fn where_nothing_can_be_kept_both_reasons_are_told() {
    let machine = Machine::new();
    machine.append(json!({}));
    let (log, spool) = walled(&machine, machine.home.path().to_owned(), ErrorKind::ReadOnlyFilesystem);
    let error = spool.record(&log, tool(json!({})), Origin::Hook).unwrap_err();
    let [first, second] = [&places(&machine)[0], &places(&machine)[1]].map(|place| place.join("spool"));
    let reason = io::Error::from(ErrorKind::ReadOnlyFilesystem);
    assert_eq!(
        error.to_string(),
        format!(
            "cannot open the lock {}: {reason}; the event was dropped, as no place could keep it; \
             cannot create {}: {reason}; cannot create {}: {reason}",
            machine.lock_file().display(),
            first.display(),
            second.display()
        )
    );
}

#[test]
fn over_the_bound_events_are_refused_and_counted() {
    let machine = Machine::new();
    let small = Spool::new(places(&machine), 3 * 4096, Arc::new(machine.disk.clone()));
    let keep = |body: Value| small.keep(&machine.log, tool(body), Origin::Hook);
    let first = keep(json!({ "n": 1 })).unwrap();
    // More than one block.
    keep(json!({ "text": "word ".repeat(1_000) })).unwrap();
    let error = keep(json!({ "n": 2 })).unwrap_err();
    let at = waiting(&machine);
    assert_eq!(
        error.to_string(),
        format!("{} holds 12288 of 12288 bytes; the event of 4096 bytes was dropped", at.display())
    );
    assert!(keep(json!({ "n": 3 })).is_err());
    let holding = Holding {
        at,
        waiting: 2,
        bytes: 12_288,
        since: Some(machine.now()),
        broken: vec![],
        dropped: 2,
        problem: None,
    };
    let elsewhere = Holding {
        at: places(&machine)[1].join("spool"),
        waiting: 0,
        bytes: 0,
        since: None,
        dropped: 0,
        ..holding.clone()
    };
    assert_eq!(small.survey(), [holding, elsewhere]);
    assert!(first.at.exists());
    // The count stays for the report, and keeps no directory open.
    assert_eq!(replay(&machine), (2, 0, vec![]));
    assert!(!waiting(&machine).exists() && small.survey()[0].dropped == 2);
    keep(json!({ "n": 4 })).unwrap();
}

#[test]
fn an_event_that_nothing_can_write_is_refused_at_once() {
    let machine = Machine::with(Limits { event: 1, ..quick() });
    let acl = (0..5_000).map(|n| Grant::Role(format!("role-number-{n}"))).collect();
    let draft = Draft { acl: Some(AccessList(acl)), ..tool(json!({})) };
    let error = spool(&machine).record(&machine.log, draft, Origin::Hook).unwrap_err();
    assert!(matches!(error, SpoolError::Event(LogError::TooLarge { .. })), "{error}");
    let forgetting = Draft::new(Kind::ForgetDone, Scope::User, object(json!({ "ids": [] })));
    let error = spool(&machine).keep(&machine.log, forgetting, Origin::Hook).unwrap_err();
    assert!(matches!(error, SpoolError::Forgetting), "{error}");
    assert!(!waiting(&machine).exists());
}

#[test]
fn where_the_log_takes_nothing_a_replay_ends_at_once_and_loses_nothing() {
    let machine = Machine::new();
    let spool = spool(&machine);
    for n in 0..3 {
        spool.keep(&machine.log, tool(json!({ "n": n })), Origin::Hook).unwrap();
    }
    let held = Lock::take(&OsDisk, &machine.log.places().state, Duration::ZERO).unwrap();
    let hurried = machine.limited(Limits { patience: Duration::from_millis(1), ..quick() });
    let (count, left, failed) = summary(&spool.replay(&hurried, 32));
    assert_eq!((count, left, failed.len()), (0, 3, 1), "{failed:?}");
    drop(held);
    assert_eq!(replay(&machine), (3, 0, vec![]));
    assert_eq!(machine.records().len(), 3);
}

#[test]
fn a_survey_says_since_when_events_wait_and_what_cannot_be_looked_at() {
    let machine = Machine::new();
    let spool = spool(&machine);
    spool.keep(&machine.log, tool(json!({})), Origin::Hook).unwrap();
    machine.pass_time(5_000);
    spool.keep(&machine.log, tool(json!({})), Origin::Hook).unwrap();
    plant(&places(&machine)[1].join("spool"), b"no directory");
    let [here, there] = spool.survey().try_into().unwrap();
    assert_eq!((here.waiting, here.since.map(Timestamp::as_millis), here.problem), (2, Some(NOON), None));
    assert!(there.problem.unwrap().starts_with("cannot list "));
}

#[test]
fn a_disk_that_is_only_slow_to_write_is_no_obstacle() {
    let machine = Machine::new();
    let spool = Spool::new(places(&machine), BOUND, Arc::new(FaultyDisk::in_pieces(7)));
    spool.keep(&machine.log, rich(), Origin::Hook).unwrap();
    assert_eq!(replay(&machine), (1, 0, vec![]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_event_is_recorded_as_an_append_would_have_it(
        texts in prop::collection::vec(any::<String>(), 1..6),
        number in any::<i64>(),
        long in 0_usize..3_000,
        session in any::<Option<String>>(),
    ) {
        let machine = Machine::with(Limits { event: 2_000, ..quick() });
        let twin = machine.copy();
        let body = json!({ &texts[0]: texts, "number": number, "long": "word ".repeat(long) });
        let draft = Draft { session, id: Some(EventId::new(machine.now(), [1; 10])), ..tool(body) };
        spool(&machine).keep(&machine.log, draft.clone(), Origin::Mcp).unwrap();
        prop_assert_eq!(replay(&machine), (1, 0, vec![]));
        twin.log.append(draft, Origin::Mcp).unwrap();
        prop_assert_eq!(contents(&machine.log), contents(&twin.log));
    }
}

#[test]
fn events_of_one_millisecond_arrive_in_their_order() {
    let machine = Machine::new();
    let spool = spool(&machine);
    for number in 0..20 {
        spool.keep(&machine.log, tool(json!({ "number": number })), Origin::Hook).unwrap();
    }
    assert_eq!(replay(&machine), (20, 0, Vec::new()));
    let numbers: Vec<Value> =
        contents(&machine.log).iter().map(|event| event["body"]["number"].clone()).collect();
    assert_eq!(json!(numbers), json!((0..20).collect::<Vec<_>>()));
}
