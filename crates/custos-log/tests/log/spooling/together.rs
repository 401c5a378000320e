//! Many hooks at once, and hooks that are killed.

use std::process::{Command, Stdio};

use custos_log::WriterId;
use custos_log::append::Places;
use custos_testkit::TempHome;
use custos_testkit::kill::Killer;

use super::*;

#[test]
fn who_finds_somebody_replaying_goes_on_without_waiting() {
    let machine = Machine::new();
    spool(&machine).keep(&machine.log, tool(json!({})), Origin::Hook).unwrap();
    let other = OsDisk.open(&places(&machine)[0].join("spool.lock"), Access::ReadWrite).unwrap();
    assert!(other.try_lock().unwrap());
    assert_eq!(summary(&spool(&machine).replay(&machine.log, 32)), (0, 1, vec![]));
    drop(other);
    assert_eq!(replay(&machine), (1, 0, vec![]));
}

#[test]
fn sixty_four_hooks_keep_and_replay_at_once_and_every_event_is_recorded_once() {
    const HOOKS: u64 = 64;
    const EACH: u64 = 8;
    let machine = Machine::new();
    let surroundings = Surroundings { disk: Arc::new(OsDisk), ..Surroundings::system() };
    let limits = Limits { patience: Duration::from_mins(1), ..quick() };
    let log = Log::new(machine.log.places().clone(), surroundings, limits, machine.writer());
    let spool = Spool::new(places(&machine), BOUND, Arc::new(OsDisk));
    let results: Vec<(Vec<EventId>, Vec<Replayed>)> = std::thread::scope(|scope| {
        let hooks: Vec<_> = (0..HOOKS)
            .map(|hook| {
                let (log, spool) = (&log, &spool);
                scope.spawn(move || {
                    let keep = |n: u64| {
                        let draft = tool(json!({ "hook": hook, "n": n }));
                        let kept = spool.keep(log, draft, Origin::Hook).unwrap();
                        (kept.id, spool.replay(log, 4))
                    };
                    (0..EACH).map(keep).unzip()
                })
            })
            .collect();
        hooks.into_iter().map(|hook| hook.join().unwrap()).collect()
    });
    let (ids, mut replays): (Vec<_>, Vec<_>) = results.into_iter().unzip();
    while !spool.is_empty() {
        replays.push(vec![spool.replay(&log, REPLAYED_AT_ONCE)]);
    }
    let replays: Vec<Replayed> = replays.into_iter().flatten().collect();
    let failed: Vec<String> = replays.iter().flat_map(|one| &one.failed).map(ToString::to_string).collect();
    assert_eq!(failed, Vec::<String>::new());
    assert_eq!(replays.iter().map(|one| one.count as u64).sum::<u64>(), HOOKS * EACH);
    let mut expected: Vec<EventId> = ids.into_iter().flatten().collect();
    let mut held: Vec<EventId> = machine.records().iter().map(|seen| seen.id).collect();
    expected.sort();
    held.sort();
    assert_eq!(held, expected);
    assert!(!waiting(&machine).exists() && !apart(&machine).exists());
    machine.assert_sound();
}

/// Names the home in which [`keeps_and_replays_until_it_is_killed`] works.
const VICTIMS_HOME: &str = "CUSTOS_TEST_SPOOL_HOME";

fn victims(home: &Path) -> (Log, Spool) {
    let places = Places { log: home.join("log"), backups: home.join("backups"), state: home.join("state") };
    let spool = Spool::new(vec![home.join("state")], BOUND, Arc::new(OsDisk));
    let log = Log::new(places, Surroundings::system(), quick(), "victim".parse::<WriterId>().unwrap());
    (log, spool)
}

/// No test, but the process that the next one kills: keeps events, says so, and replays.
#[test]
#[ignore = "the program of another test"]
fn keeps_and_replays_until_it_is_killed() {
    #[expect(clippy::disallowed_methods, reason = "a test binary takes no arguments of its own")]
    let Some(home) = std::env::var_os(VICTIMS_HOME) else { return };
    let home = PathBuf::from(home);
    let (log, spool) = victims(&home);
    let told = OsDisk.open(&home.join("told"), Access::Append).unwrap();
    for n in 0..100_000 {
        let kept =
            spool.keep(&log, tool(json!({ "n": n, "text": "word ".repeat(200) })), Origin::Hook).unwrap();
        told.append(format!("{}\n", kept.id).as_bytes()).unwrap();
        if n % 3 == 0 {
            spool.replay(&log, 2);
        }
    }
}

#[test]
fn a_hook_that_is_killed_at_any_moment_leaves_every_event_to_be_recorded_once() {
    let home = TempHome::new().unwrap();
    let program = std::env::current_exe().unwrap();
    let start = |_| {
        Command::new(&program)
            .args([
                "--exact",
                "spooling::together::keeps_and_replays_until_it_is_killed",
                "--ignored",
                "--nocapture",
            ])
            .env(VICTIMS_HOME, home.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
    };
    let mut strikes = 0;
    Killer::new(7, Duration::from_millis(2)..Duration::from_millis(40))
        .rounds::<io::Error>(60, start, |_, strike| {
            strikes += usize::from(!strike.came_too_late());
            Ok(())
        })
        .unwrap();
    assert_eq!(strikes, 60);
    let (log, spool) = victims(home.path());
    while !spool.is_empty() {
        let failed = spool.replay(&log, usize::MAX).failed;
        // Nobody was told that a part is kept.
        assert!(failed.iter().all(|one| one.to_string().contains(".part.broken")), "{failed:?}");
    }
    let mut recorded = BTreeMap::new();
    let ids = contents(&log).into_iter().map(|event| event["id"].as_str().unwrap().to_owned());
    ids.for_each(|id| *recorded.entry(id).or_insert(0) += 1);
    let told = fs::read_to_string(home.path().join("told")).unwrap();
    assert!(told.lines().count() > 10, "{}", told.lines().count());
    // The last line of a victim may be cut; no other is.
    for id in told.lines().filter(|line| line.parse::<EventId>().is_ok()) {
        assert_eq!(recorded.get(id), Some(&1), "{id}");
    }
    assert!(recorded.values().all(|copies| *copies == 1));
}
