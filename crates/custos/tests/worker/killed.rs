//! Workers that die, at any moment, and workers that meet.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use custos_testkit::kill::Killer;
use custos_testkit::model_server::Play;

use crate::desk::{Desk, signal};

#[test]
fn killed_two_hundred_times_it_distils_everything_once() {
    const TURNS: usize = 400;
    let desk = Desk::new();
    desk.record(TURNS, 5);
    // An index of its own making, so that the first rounds do not die in it.
    desk.json(&["work", "list"]);
    // Some die right after a question, when all of them have begun to work however slow the machine is; the
    // others at any moment after their start.
    let mut at_work = Killer::new(7, Duration::ZERO..Duration::from_millis(10));
    for _ in 0..50 {
        let asked = desk.server.requests().len();
        let strike = at_work.strike(|| {
            let worker = desk.start();
            assert!(desk.server.wait_for(asked + 1, Duration::from_mins(1)), "it asks");
            Ok(worker)
        });
        assert!(!strike.unwrap().came_too_late());
    }
    let mut at_random = Killer::new(8, Duration::ZERO..Duration::from_millis(150));
    for _ in 0..150 {
        at_random.strike(|| Ok(desk.start())).unwrap();
    }
    desk.work();
    desk.assert_distilled(TURNS);
    let booked: BTreeSet<String> =
        desk.events("usage.recorded").iter().map(|event| event["id"].to_string()).collect();
    let asked = desk.server.requests().len();
    assert!(booked.len() >= asked, "{asked} were asked, {} are in the books", booked.len());
}

#[test]
fn asked_to_end_it_gives_up_a_question_in_time_and_loses_nothing() {
    let desk = Desk::new();
    desk.record(2, 2);
    desk.server.play([Play::Hangs]);
    let worker = desk.start();
    assert!(desk.server.wait_for(1, Duration::from_secs(30)));
    let asked = Instant::now();
    signal("TERM", worker.id());
    let output = worker.wait_with_output().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    assert!(output.status.success(), "{output:?}");
    assert_eq!(desk.counts().0, 21);
    desk.work();
    desk.assert_distilled(2);
}

#[test]
fn asked_to_end_between_questions_it_ends_what_it_began() {
    let desk = Desk::new();
    desk.record(40, 5);
    for _ in 0..5 {
        let before = desk.server.requests().len();
        let worker = desk.start();
        desk.server.wait_for(before + 3, Duration::from_secs(30));
        signal("INT", worker.id());
        assert!(worker.wait_with_output().unwrap().status.success());
    }
    desk.work();
    desk.assert_distilled(40);
    assert_eq!(desk.server.requests().len(), 40, "no answer was thrown away");
}

#[test]
fn of_workers_that_start_at_once_one_works() {
    let desk = Desk::new();
    desk.record(20, 4);
    let workers: Vec<_> = (0..6).map(|_| desk.start()).collect();
    let codes: Vec<Option<i32>> =
        workers.into_iter().map(|worker| worker.wait_with_output().unwrap().status.code()).collect();
    assert!(
        codes.contains(&Some(0)) && codes.iter().all(|code| [Some(0), Some(75)].contains(code)),
        "{codes:?}"
    );
    desk.assert_distilled(20);
    assert_eq!(desk.server.requests().len(), 20);
}
