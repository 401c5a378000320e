//! Work that cannot be done, and workers that meet.

use std::sync::Arc;
use std::time::Duration;

use custos_index::WorkCounts;
use custos_model::{Kind, Timestamp};
use custos_worker::queue::{self, Standing};
use custos_worker::{Claim, Ended, Time};

use crate::desk::{Desk, NOON, Plain};

#[test]
fn what_even_the_rules_cannot_take_is_given_up_after_three_times_and_the_rest_goes_on() {
    let mut desk = Desk { distil: Arc::new(Plain { panics_at: Some("two") }), ..Desk::new() };
    for name in ["one", "two", "three"] {
        desk.turn("s", name, 1);
    }
    let report = desk.run();
    assert_eq!((report.units, report.failed, report.abandoned), (2, 3, 1));
    assert_eq!(desk.clocks.steady(), Duration::from_secs(6), "what is wrong for a moment is waited out");
    assert_eq!(desk.counts(), WorkCounts { done: 4, abandoned: 2, ..WorkCounts::default() });
    let (.., failed) = desk.events(Kind::WorkFailed).remove(0);
    assert_eq!(failed["error"], "the rules failed: cannot take two");
    assert_eq!(desk.troubles.borrow().len(), 1);
    assert_eq!(desk.run().failed, 0, "what was given up is left alone");

    let open = queue::open(&mut desk.index(), None, &desk.outlook()).unwrap();
    let [given_up] = open.as_slice() else { panic!("{open:?}") };
    assert_eq!((&given_up.standing, given_up.unit.attempts), (&Standing::Abandoned, 3));
    queue::reopen(&desk.log, &given_up.unit, "asked for").unwrap();
    desk.distil = Arc::new(Plain::default());
    assert_eq!((desk.run().units, desk.titles().len(), desk.counts().pending), (1, 3, 0));
}

#[test]
fn what_a_person_drops_is_not_done() {
    let desk = Desk::new();
    desk.turn("s", "one", 1);
    let open = queue::open(&mut desk.index(), Some("s"), &desk.outlook()).unwrap();
    assert_eq!(open[0].standing, Standing::Ready);
    let found = queue::find(&open, &open[0].unit.id.as_str()[..8]).unwrap();
    assert_eq!((queue::find(&open, "x").err(), found), (Some(0), &open[0]));
    queue::abandon(&desk.log, &found.unit, "dropped").unwrap();
    assert_eq!(desk.run().units, 0);
    assert_eq!(desk.counts().abandoned, 2);
}

#[test]
fn there_is_one_worker() {
    let desk = Desk::new();
    desk.turn("s", "one", 1);
    std::fs::create_dir_all(&desk.log.places().state).unwrap();
    let other = Claim::take(&desk.log.places().state).unwrap();
    assert_eq!((desk.run().ended, desk.counts().pending), (Ended::AnotherRuns, 2));
    drop(other);
    assert_eq!((desk.run().ended, desk.counts().pending), (Ended::Idle, 0));
}

#[test]
fn what_another_machine_recorded_is_left_to_it_for_a_day() {
    let desk = Desk::new();
    desk.turn("s", "one", 1);
    let other = desk.beside("elsewhere");
    assert_eq!((other.run().units, desk.run().units), (0, 1));
    other.turn("s", "two", 1);
    assert_eq!((desk.run().units, desk.counts().pending), (0, 2));
    let listed = queue::open(&mut desk.index(), None, &desk.outlook()).unwrap();
    let [theirs] = listed.as_slice() else { panic!("{listed:?}") };
    let reason = "another machine recorded it and distils it; here it is done after a day";
    assert_eq!((&theirs.standing, theirs.unit.events().count()), (&Standing::Waits(reason), 2));
    desk.pass(24 * 60);
    let listed = queue::open(&mut desk.index(), None, &desk.outlook()).unwrap();
    assert_eq!(listed[0].standing, Standing::Ready);
    assert_eq!((desk.run().units, desk.counts().pending), (1, 0));
}

#[test]
fn what_cannot_be_read_is_no_failure_and_waits_for_the_next_worker() {
    let desk = Desk::in_small_segments();
    desk.turn("s", "one", 2);
    desk.turn("r", "two", 2);
    desk.index();
    // A part of the log is away for a while, as on a drive of the network; what the index knows is still there.
    let (segment, away) = (desk.log.places().log.join("here/0001.jsonl"), desk.home.path().join("away"));
    std::fs::rename(&segment, &away).unwrap();
    std::fs::create_dir(&segment).unwrap();
    let report = desk.run();
    assert_eq!((report.units, report.failed, report.abandoned), (1, 0, 0));
    assert!(desk.troubles.borrow()[0].contains("cannot be read, and waits for the next worker: "));
    assert_eq!((desk.titles(), desk.counts().pending), (vec!["Learnt two".to_owned()], 3));
    std::fs::remove_dir(&segment).unwrap();
    std::fs::rename(&away, &segment).unwrap();
    assert_eq!((desk.run().units, desk.counts().pending), (1, 0));
    assert_eq!(desk.events(Kind::WorkFailed).len(), 0);
}

#[test]
fn what_a_wrong_clock_puts_into_the_future_is_learnt_now() {
    const YEARS: i64 = 70 * 365 * 24 * 60;
    let desk = Desk::new();
    desk.pass(YEARS);
    desk.turn("s", "one", 1);
    desk.pass(-YEARS);
    desk.turn("r", "two", 1);
    assert_eq!(desk.run().units, 2);
    let times: Vec<_> = desk.events(Kind::ObservationRecorded).into_iter().map(|(_, ts, _)| ts).collect();
    assert_eq!(times, [Timestamp::from_millis(NOON); 2]);
    assert_eq!((desk.run().units, desk.counts().pending), (0, 0));
}
