use super::*;
use custos_index::WorkState;
use proptest::prelude::*;
use rstest::rstest;

const NOW: i64 = 1_794_744_000_000;
const MINUTE: i64 = 60_000;

/// An event, at a place of the log that follows from its number, so many minutes ago.
fn work(number: u64, kind: Kind, task: &str, minutes_ago: i64) -> Work {
    let ts = Timestamp::from_millis(NOW - minutes_ago * MINUTE);
    let mut random = [0; 10];
    random[2..].copy_from_slice(&number.to_be_bytes());
    Work {
        event: EventId::new(Timestamp::from_millis(NOW), random),
        kind,
        ts,
        session: Some("s".to_owned()),
        project: Some("p".to_owned()),
        task: (!task.is_empty()).then(|| task.to_owned()),
        state: WorkState::Pending,
        attempts: 0,
        passes: 0,
        writer: "w".parse().unwrap(),
        at: Position { segment: 1, offset: number * 100 },
    }
}

fn tool(number: u64, task: &str) -> Work {
    work(number, Kind::ToolUsed, task, 1)
}

fn end(number: u64, task: &str) -> Work {
    work(number, Kind::TurnEnded, task, 1)
}

fn around(in_company: bool) -> Around<'static> {
    Around { prompts: &[], over: None, now: Timestamp::from_millis(NOW), in_company }
}

/// Units as the numbers of their events, with why they wait.
fn seen(units: &[Unit]) -> Vec<(Vec<u64>, Option<Waits>)> {
    let numbers = |unit: &Unit| unit.events().map(|work| work.at.offset / 100).collect();
    units.iter().map(|unit| (numbers(unit), unit.waits)).collect()
}

#[test]
fn a_turn_with_its_end_is_one_piece_of_work_and_one_without_waits() {
    // In any order: the log's counts.
    let pending = vec![end(3, "a"), tool(1, "a"), tool(2, "a"), tool(4, "b"), tool(5, "b")];
    let units = cut(pending, &around(false));
    assert_eq!(seen(&units), [(vec![1, 2, 3], None), (vec![4, 5], Some(Waits::ForItsEnd))]);
    assert_eq!(units[0].sort, Sort::Turns);
}

#[test]
fn the_end_of_a_session_ends_its_turns_and_comes_last() {
    let pending = vec![work(9, Kind::SessionEnded, "", 0), tool(1, "a"), tool(2, "")];
    let units = cut(pending, &around(true));
    assert_eq!(seen(&units), [(vec![1, 2], None), (vec![9], None)]);
    assert_eq!(units[1].sort, Sort::Session);
    let over = Around { over: Some(Timestamp::from_millis(NOW)), ..around(false) };
    assert_eq!(seen(&cut(vec![tool(1, "a")], &over)), [(vec![1], None)]);
}

#[test]
fn whoever_asks_something_else_is_done_with_what_was_before() {
    let prompt = |number: u64, task: &str| Prompted {
        id: tool(number, "").event,
        task: Some(task.to_owned()),
        ts: Timestamp::from_millis(NOW),
        writer: "w".parse().unwrap(),
        at: Position { segment: 1, offset: number * 100 },
    };
    let prompts = [prompt(1, "a"), prompt(4, "b")];
    let around = Around { prompts: &prompts, ..around(false) };
    let units = cut(vec![tool(2, "a"), tool(3, "a"), tool(5, "b")], &around);
    assert_eq!(seen(&units), [(vec![2, 3], None), (vec![5], Some(Waits::ForItsEnd))]);
}

#[rstest]
#[case::just_now(0, true)]
#[case::a_while_ago(9, true)]
#[case::silent(10, false)]
#[case::long_ago(100_000, false)]
#[case::a_little_ahead(-9, true)]
#[case::from_a_clock_that_jumped(-100_000, false)]
fn silence_ends_a_turn_and_no_clock_makes_it_wait_for_ever(#[case] minutes_ago: i64, #[case] waits: bool) {
    let units = cut(vec![work(1, Kind::ToolUsed, "a", minutes_ago)], &around(false));
    assert_eq!(units[0].waits.is_some(), waits);
}

#[test]
fn small_turns_are_asked_about_together_but_do_not_wait_for_long() {
    let turn = |first: u64, task: &str, minutes_ago: i64| {
        let mut turn: Vec<Work> =
            (0..4).map(|n| work(first + n, Kind::ToolUsed, task, minutes_ago)).collect();
        turn.push(work(first + 4, Kind::TurnEnded, task, minutes_ago));
        turn
    };
    let pending =
        |minutes: i64| [turn(0, "a", 2), turn(10, "b", 2), turn(20, "c", 2), turn(30, "d", minutes)].concat();
    let counts = |units: &[Unit]| -> Vec<(usize, bool)> {
        units.iter().map(|unit| (unit.turns.len(), unit.waits.is_some())).collect()
    };
    assert_eq!(counts(&cut(pending(2), &around(true))), [(3, false), (1, true)]);
    assert_eq!(counts(&cut(pending(5), &around(true))), [(3, false), (1, false)]);
    assert_eq!(counts(&cut(pending(2), &around(false))), [(1, false); 4]);
    let mut again = pending(2);
    for work in &mut again {
        work.passes = 1;
    }
    assert_eq!(
        counts(&cut(again, &around(true))),
        [(3, false), (1, false)],
        "whoever asks for it does not wait"
    );
}

#[test]
fn a_hundred_calls_are_at_most_twelve_questions() {
    for calls_in_turn in [1_u64, 2, 5, 8, 9, 50] {
        let mut pending = Vec::new();
        for call in 0..100 {
            let task = (call / calls_in_turn).to_string();
            pending.push(tool(call * 2, &task));
            if call % calls_in_turn == calls_in_turn - 1 {
                pending.push(end(call * 2 + 1, &task));
            }
        }
        pending.push(work(1_000, Kind::SessionEnded, "", 0));
        let units = cut(pending, &around(true));
        let questions = units.iter().filter(|unit| unit.sort == Sort::Turns).count();
        assert!(
            questions <= 12 && units.iter().all(|unit| unit.waits.is_none()),
            "{calls_in_turn}: {questions}"
        );
    }
}

#[test]
fn a_turn_without_measure_is_cut() {
    let units = cut((0..5_000).map(|number| tool(number, "a")).collect(), &around(false));
    let sizes: Vec<(usize, bool)> =
        units.iter().map(|unit| (unit.events().count(), unit.waits.is_some())).collect();
    assert_eq!(sizes, [(2_000, false), (2_000, false), (1_000, true)]);
}

proptest! {
    #[test]
    fn every_event_is_in_one_unit_and_ids_depend_on_nothing_but_events(
        picks in proptest::collection::vec((0_u8..4, 0_u8..4, -20_i64..20), 0..60),
        in_company: bool,
        seed: u64,
    ) {
        let kinds = [Kind::ToolUsed, Kind::ToolFailed, Kind::TurnEnded, Kind::SessionEnded];
        let pending: Vec<Work> = picks
            .iter()
            .enumerate()
            .map(|(number, (kind, task, ago))| {
                let task = ["", "a", "b", "c"][usize::from(*task)];
                work(number as u64, kinds[usize::from(*kind)], task, *ago)
            })
            .collect();
        let mut shuffled = pending.clone();
        shuffled.sort_by_key(|work| work.at.offset.wrapping_mul(seed | 1));
        let units = cut(pending.clone(), &around(in_company));
        let mut numbers: Vec<u64> = seen(&units).into_iter().flat_map(|(numbers, _)| numbers).collect();
        numbers.sort_unstable();
        prop_assert_eq!(numbers, (0..pending.len() as u64).collect::<Vec<_>>());
        prop_assert_eq!(&units, &cut(shuffled, &around(in_company)));
        for unit in &units {
            let mut backwards = unit.sources();
            backwards.reverse();
            prop_assert_eq!(&unit.id, &WorkId::of(unit.sort, &backwards));
        }
    }
}
