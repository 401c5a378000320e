//! Work that cannot be done, and workers that meet.

use std::sync::Arc;

use custos_index::WorkCounts;
use custos_model::Kind;
use custos_worker::queue::{self, Standing};
use custos_worker::{Claim, Ended};

use crate::desk::{Desk, Plain};

#[test]
fn what_even_the_rules_cannot_take_is_given_up_after_three_times_and_the_rest_goes_on() {
    let mut desk = Desk { distil: Arc::new(Plain { panics_at: Some("two") }), ..Desk::new() };
    for name in ["one", "two", "three"] {
        desk.turn("s", name, 1);
    }
    let report = desk.run();
    assert_eq!((report.units, report.failed, report.abandoned), (2, 3, 1));
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
    desk.pass(24 * 60);
    assert_eq!((desk.run().units, desk.counts().pending), (1, 0));
}
