//! Several users of one index at once.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use custos_index::{Index, IndexError, SearchQuery, User};
use custos_log::LogReader;
use custos_testkit::corpus::{COMMON_WORD, events};

use crate::{Bench, answers, ids};

fn filled(count: usize) -> Bench {
    let bench = Bench::new();
    let mut writers = [bench.writer("a", 1), bench.writer("b", 2)];
    for (number, draft) in events(8, count).enumerate() {
        writers[number % 2].append(&draft);
    }
    writers.iter_mut().for_each(crate::writing::Writing::flush);
    bench
}

#[test]
fn threads_that_catch_up_at_once_do_the_work_once() {
    let bench = filled(12_000);
    let stored: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let caught_up = bench.index().catch_up(&bench.log(), None, &mut |_| {}).unwrap();
                    assert!(caught_up.complete && !caught_up.rebuilt);
                    caught_up.events
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(stored, 12_000);
    let questions = [COMMON_WORD.to_owned()];
    assert_eq!(answers(&mut bench.index(), &questions), answers(&mut bench.rebuilt(), &questions));
}

/// The part of the next test that runs in processes of its own.
#[test]
#[ignore = "started by another test, with a place to work in"]
fn catch_up_in_a_process() {
    let home = std::path::PathBuf::from(std::env::var_os("CUSTOS_TEST_HOME").unwrap());
    let mut index = Index::open(&home.join("state"), User::Worker).unwrap();
    let log = LogReader::new(&home.join("log"));
    assert!(index.catch_up(&log, None, &mut |_| {}).unwrap().complete);
}

#[test]
fn processes_that_catch_up_at_once_do_the_work_once() {
    let bench = filled(6_000);
    let children: Vec<_> = (0..3)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "together::catch_up_in_a_process", "--ignored"])
                .env("CUSTOS_TEST_HOME", bench.home.path())
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let mut index = bench.index();
    assert_eq!(crate::catch_up(&mut index, &bench).events, 0);
    let questions = [COMMON_WORD.to_owned()];
    assert_eq!(answers(&mut index, &questions), answers(&mut bench.rebuilt(), &questions));
}

#[test]
fn readers_never_see_half_an_index_while_it_is_rebuilt() {
    let bench = filled(2_000);
    let mut index = bench.caught_up();
    let expected = index.search(&SearchQuery::new(COMMON_WORD)).unwrap();
    assert_eq!(expected.len(), 20);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut reader = bench.index();
                while !done.load(Ordering::Relaxed) {
                    assert_eq!(reader.search(&SearchQuery::new(COMMON_WORD)).unwrap(), expected);
                }
            });
        }
        for _ in 0..5 {
            index.rebuild(&bench.log(), &mut |_| {}).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn whoever_has_the_old_file_open_goes_on_with_the_new_one() {
    let bench = filled(200);
    let mut index = bench.caught_up();
    let mut other = bench.index();
    assert_eq!(ids(&mut other, "brandnew"), []);
    let mut writer = bench.writer("c", 3);
    let prompt = |text: &str| serde_json::json!({"kind": "prompt.submitted", "body": {"text": text}});
    let first = writer.append(&prompt("brandnew"));
    writer.flush();
    index.rebuild(&bench.log(), &mut |_| {}).unwrap();
    assert_eq!(ids(&mut other, "brandnew"), [first]);
    // And what it stores from now on, it stores there.
    let second = writer.append(&prompt("evennewer"));
    writer.flush();
    assert_eq!(crate::catch_up(&mut other, &bench).events, 1);
    assert_eq!(ids(&mut index, "evennewer"), [second]);
}

#[test]
fn only_one_rebuilds_at_a_time() {
    let bench = filled(2_000);
    let mut index = bench.caught_up();
    let mut other = bench.index();
    let mut refused = 0;
    index
        .rebuild(&bench.log(), &mut |_| {
            assert!(matches!(other.rebuild(&bench.log(), &mut |_| {}), Err(IndexError::Busy)));
            assert!(matches!(other.forget(&[]), Err(IndexError::Busy)));
            // The old index still answers.
            assert_eq!(ids(&mut other, COMMON_WORD).len(), 20);
            refused += 1;
        })
        .unwrap();
    assert!(refused > 0);
    assert_eq!(ids(&mut other, COMMON_WORD).len(), 20);
}
