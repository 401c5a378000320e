//! A budget is kept, by a clock that the test moves.

use std::cell::Cell;
use std::time::Duration;

use custos_index::{Budget, CatchUp};
use custos_testkit::corpus::{COMMON_WORD, events};

use crate::{Bench, answers, catch_up};

fn filled() -> Bench {
    let bench = Bench::new();
    let mut writers = [bench.writer("a", 1), bench.writer("b", 2)];
    for (number, draft) in events(6, 1_000).enumerate() {
        writers[number % 2].append(&draft);
    }
    writers.iter_mut().for_each(crate::writing::Writing::flush);
    bench
}

#[test]
fn it_stops_when_the_budget_is_spent_and_goes_on_the_next_time() {
    let bench = filled();
    let mut index = bench.index();
    let limit = Duration::from_millis(10);
    let mut rounds = 0;
    let mut events = 0;
    loop {
        let asked = Cell::new(0);
        // Every question takes a millisecond.
        let elapsed = || {
            asked.set(asked.get() + 1);
            Duration::from_millis(asked.get())
        };
        let result =
            index.catch_up(&bench.log(), Some(Budget { limit, elapsed: &elapsed }), &mut |_| {}).unwrap();
        events += result.events;
        rounds += 1;
        // Asked once per sixteen lines and three times per batch: not more than two batches fit.
        assert!(result.events <= 160, "{result:?}");
        if result.complete {
            break;
        }
    }
    assert_eq!(events, 1_000);
    assert!(rounds > 5);
    let questions = [COMMON_WORD.to_owned()];
    assert_eq!(answers(&mut index, &questions), answers(&mut bench.rebuilt(), &questions));
}

#[test]
fn nothing_is_read_when_there_is_no_time() {
    let bench = filled();
    let elapsed = || Duration::from_secs(1);
    let budget = Budget { limit: Duration::from_millis(5), elapsed: &elapsed };
    assert_eq!(bench.index().catch_up(&bench.log(), Some(budget), &mut |_| {}).unwrap(), CatchUp::default());
}

#[test]
fn a_clock_that_goes_back_ends_as_well() {
    let bench = filled();
    let asked = Cell::new(100_u64);
    let elapsed = || {
        asked.set(asked.get().saturating_sub(1));
        Duration::from_millis(asked.get())
    };
    let budget = Budget { limit: Duration::from_millis(101), elapsed: &elapsed };
    let result = bench.index().catch_up(&bench.log(), Some(budget), &mut |_| {}).unwrap();
    assert_eq!((result.events, result.complete), (1_000, true));
}

#[test]
fn a_rebuild_that_became_necessary_is_left_to_whoever_has_time() {
    let bench = filled();
    let mut index = bench.caught_up();
    std::fs::remove_dir_all(bench.log_dir().join("a")).unwrap();
    let elapsed = || Duration::ZERO;
    let budget = Budget { limit: Duration::from_secs(1), elapsed: &elapsed };
    let hurried = index.catch_up(&bench.log(), Some(budget), &mut |_| {}).unwrap();
    assert_eq!((hurried.complete, hurried.rebuilt), (false, false));
    let caught_up = catch_up(&mut index, &bench);
    assert_eq!((caught_up.events, caught_up.complete, caught_up.rebuilt), (500, true, true));
}

#[test]
fn progress_ends_at_the_total() {
    let bench = filled();
    let mut last = None;
    bench.index().catch_up(&bench.log(), None, &mut |progress| last = Some(progress)).unwrap();
    let last = last.unwrap();
    assert_eq!((last.events, last.bytes), (1_000, last.total_bytes));
}
