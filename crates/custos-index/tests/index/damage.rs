//! Damage makes an index that is started anew by itself; a lock does not.

use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::time::Duration;

use custos_index::{CatchUp, Index, IndexError, SearchQuery, User};
use custos_testkit::corpus::{COMMON_WORD, events};
use custos_testkit::random::Random;
use serde_json::json;

use crate::{Bench, answers, catch_up, ids};

fn filled(seed: u64, count: usize) -> Bench {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    for draft in events(seed, count) {
        writer.append(&draft);
    }
    writer.flush();
    bench
}

#[test]
fn damaged_bytes_anywhere_still_give_an_index_that_answers() {
    let bench = filled(4, 400);
    let mut random = Random::seeded(4);
    let expected = bench.caught_up().search(&SearchQuery::new(COMMON_WORD)).unwrap();
    assert_eq!(expected.len(), 20);
    for round in 0..36 {
        let mut file = OpenOptions::new().read(true).write(true).open(bench.database()).unwrap();
        let len = file.metadata().unwrap().len();
        let cut_short = round % 3 == 0;
        if cut_short {
            file.set_len(random.within(0..len)).unwrap();
        } else if round % 3 == 1 {
            // A page of rubbish.
            file.seek(SeekFrom::Start(random.within(0..len / 4096) * 4096)).unwrap();
            let rubbish: Vec<u8> = (0..512).flat_map(|_| random.next_u64().to_le_bytes()).collect();
            file.write_all(&rubbish).unwrap();
        } else {
            for _ in 0..20 {
                let at = random.within(0..len);
                let mut byte = [0];
                file.seek(SeekFrom::Start(at)).unwrap();
                file.read_exact(&mut byte).unwrap();
                byte[0] ^= 1 << random.within(0..8);
                file.seek(SeekFrom::Start(at)).unwrap();
                file.write_all(&byte).unwrap();
            }
        }
        drop(file);
        let mut index = bench.index();
        let caught_up = index.catch_up(&bench.log(), None, &mut |_| {}).unwrap();
        assert!(caught_up.complete, "round {round}");
        index.ask(&bench.log(), Index::status).unwrap();
        let hits = index.ask(&bench.log(), |index| index.search(&SearchQuery::new(COMMON_WORD))).unwrap();
        if cut_short {
            // A missing page is always noticed, so what is answered is right; a flipped bit in a text is just another text.
            assert_eq!(hits, expected, "round {round}");
        }
        // Whatever damage nobody has met yet is gone for the next round.
        let rebuilt = index.rebuild(&bench.log(), &mut |_| {}).unwrap();
        assert_eq!((rebuilt.events, rebuilt.complete), (400, true));
        assert_eq!(index.search(&SearchQuery::new(COMMON_WORD)).unwrap(), expected, "round {round}");
    }
}

#[test]
fn what_is_no_database_or_of_another_make_is_replaced_and_said() {
    let bench = filled(4, 100);
    let expected = answers(&mut bench.caught_up(), &[COMMON_WORD.to_owned()]);
    let other = rusqlite::Connection::open(bench.home.path().join("other.db")).unwrap();
    other.execute_batch("CREATE TABLE t (x)").unwrap();
    drop(other);
    let foreign = std::fs::read(bench.home.path().join("other.db")).unwrap();
    for content in [b"".as_slice(), b"no database", &foreign] {
        std::fs::write(bench.database(), content).unwrap();
        let mut index = bench.index();
        let caught_up = catch_up(&mut index, &bench);
        assert_eq!((caught_up.events, caught_up.complete, caught_up.rebuilt), (100, true, true));
        assert_eq!(answers(&mut index, &[COMMON_WORD.to_owned()]), expected);
    }
}

#[test]
fn an_index_that_is_deleted_under_a_running_process_comes_back() {
    let bench = filled(4, 100);
    let mut index = bench.caught_up();
    for (path, _) in bench.state_bytes() {
        if path.extension().is_some_and(|extension| extension != "lock") {
            std::fs::remove_file(path).unwrap();
        }
    }
    assert_eq!(ids(&mut index, COMMON_WORD), []);
    assert_eq!(catch_up(&mut index, &bench).events, 100);
}

#[test]
fn a_lock_is_busy_and_not_damage() {
    let bench = filled(4, 100);
    let mut index = bench.caught_up();
    let before = ids(&mut index, COMMON_WORD);
    let mut writer = bench.writer("b", 2);
    writer.append(&json!({"kind": "prompt.submitted", "body": {"text": "late"}}));
    writer.flush();
    let holder = rusqlite::Connection::open(bench.database()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let elapsed = || Duration::ZERO;
    let budget = custos_index::Budget { limit: Duration::from_millis(20), elapsed: &elapsed };
    let refused = index.catch_up(&bench.log(), Some(budget), &mut |_| {});
    assert!(matches!(refused, Err(IndexError::Busy)), "{refused:?}");
    assert_eq!(ids(&mut index, COMMON_WORD), before);
    holder.execute_batch("ROLLBACK").unwrap();
    drop(holder);
    let caught_up = catch_up(&mut index, &bench);
    assert_eq!((caught_up.events, caught_up.rebuilt), (1, false));
}

#[test]
fn indexes_of_other_schemas_are_left_alone() {
    let bench = filled(4, 10);
    std::fs::create_dir_all(bench.state()).unwrap();
    let other = bench.state().join("index-999.db");
    std::fs::write(&other, b"theirs").unwrap();
    bench.caught_up().rebuild(&bench.log(), &mut |_| {}).unwrap();
    assert_eq!(std::fs::read(other).unwrap(), b"theirs");
}

#[cfg(unix)]
#[test]
fn files_are_private_and_nothing_else_is_taken_for_one() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let bench = filled(4, 10);
    let mut index = bench.caught_up();
    index.rebuild(&bench.log(), &mut |_| {}).unwrap();
    ids(&mut index, "x");
    for (path, _) in bench.state_bytes() {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", path.display());
    }
    drop(index);
    let elsewhere = bench.home.path().join("elsewhere");
    std::fs::write(&elsewhere, b"").unwrap();
    std::fs::remove_file(bench.database()).unwrap();
    symlink(&elsewhere, bench.database()).unwrap();
    let refused = Index::open(&bench.state(), User::Worker);
    assert!(matches!(&refused, Err(IndexError::NotAFile(path)) if *path == bench.database()), "{refused:?}");
    std::fs::remove_file(bench.database()).unwrap();
    std::process::Command::new("mkfifo").arg(bench.database()).status().unwrap();
    assert!(matches!(Index::open(&bench.state(), User::Worker), Err(IndexError::NotAFile(_))));
    assert_eq!(std::fs::read(elsewhere).unwrap(), b"");
}

#[test]
fn an_empty_log_is_complete() {
    let bench = Bench::new();
    let mut index = bench.index();
    let nothing = CatchUp { complete: true, ..CatchUp::default() };
    assert_eq!(catch_up(&mut index, &bench), nothing);
    assert_eq!(ids(&mut index, "anything"), []);
}
