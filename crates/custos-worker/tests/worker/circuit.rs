//! Providers that fail, and come back.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use custos_distill::model::Fault;
use custos_distill::prompt;
use custos_model::Kind;
use custos_worker::circuit::broken;
use custos_worker::{Ended, Time, queue};
use rstest::rstest;

use crate::desk::{Desk, answer};

fn away() -> Fault {
    Fault::Unreachable("no route to host".to_owned())
}

#[test]
fn a_model_is_asked_where_there_is_one() {
    let (desk, script) = Desk::with_model(answer("From the model"));
    desk.turn("s", "one", 9);
    let report = desk.run();
    assert_eq!((report.units, report.observations, report.fell_back), (1, 1, 0));
    assert_eq!((desk.titles(), script.questions()), (vec!["From the model".to_owned()], 1));
    let (.., observation) = desk.events(Kind::ObservationRecorded).remove(0);
    assert_eq!(observation["by"], "scripted/m");
    let (.., usage) = desk.events(Kind::UsageRecorded).remove(0);
    assert_eq!((usage["work"].clone(), usage["output"].clone()), (observation["work"].clone(), 10.into()));
}

#[rstest]
#[case::unreachable(away())]
#[case::busy(Fault::Busy { message: "429".into(), retry_after: Some(Duration::from_secs(5)) })]
#[case::broken(Fault::Broken("500".into()))]
#[case::garbled(Fault::Garbled("<html>".into()))]
#[case::refused(Fault::Refused("401".into()))]
fn work_waits_for_a_provider_and_goes_on_without_anybody_coming_by(#[case] fault: Fault) {
    let (desk, script) = Desk::with_model(answer("From the model"));
    desk.turn("s", "one", 9);
    desk.end("s");
    script.next(vec![Err(fault.clone()); 4]);
    let report = desk.run();
    assert_eq!((report.ended, report.fell_back, report.observations), (Ended::Idle, 0, 1));
    assert_eq!((desk.counts().pending, script.questions()), (0, 5));
    assert_eq!(desk.titles(), ["From the model"]);
    let told = desk.troubles.borrow().clone();
    assert_eq!(told, [format!("scripted: {fault}")], "a person is told once");
    assert_eq!(broken(&desk.log.places().state), None);
}

#[test]
fn two_failures_are_nothing_to_tell() {
    let (desk, script) = Desk::with_model(answer("From the model"));
    desk.turn("s", "one", 9);
    script.next(vec![Err(away()); 2]);
    desk.run();
    assert_eq!(desk.troubles.borrow().len(), 0);
    assert_eq!(desk.clocks.steady(), Duration::from_secs(3));
}

#[test]
fn after_ten_minutes_rules_take_over_and_later_the_model_does_it_again() {
    let (desk, script) = Desk::with_model(Err(away()));
    let work = desk.turn("s", "one", 9);
    desk.end("s");
    let report = desk.run();
    assert_eq!((report.fell_back, report.observations, report.units), (1, 1, 2));
    assert_eq!(desk.titles(), ["Learnt one"]);
    let minutes = desk.clocks.steady().as_secs() / 60;
    assert!((9..=11).contains(&minutes), "{minutes}");
    let (.., done) = desk.events(Kind::WorkDone).remove(0);
    let reason = "scripted did not answer for 10 minutes: no route to host";
    assert_eq!((done["by"].clone(), done["fell_back"].clone()), ("rules".into(), reason.into()));
    // Nobody waits another ten minutes, and nobody asks a provider that was asked a moment ago.
    let asked = script.questions();
    desk.turn("r", "two", 9);
    assert_eq!((desk.run().fell_back, script.questions()), (1, asked));

    desk.pass(60);
    script.always(answer("From the model"));
    let redo = queue::done(&mut desk.index(), None, true, 100).unwrap();
    assert_eq!(redo.len(), 2);
    for one in &redo {
        queue::reopen(&desk.log, &one.unit, "asked for").unwrap();
    }
    assert_eq!(desk.counts().pending, 20);
    let report = desk.run();
    assert_eq!((report.units, report.fell_back), (2, 0));
    assert_eq!(desk.titles(), ["From the model", "From the model"]);
    assert_eq!(desk.events(Kind::ObservationRecorded).len(), 4, "nothing is forgotten");
    assert_eq!(desk.counts().pending, 0);
    assert!(work.iter().all(|id| desk.confirmed()[id] == 2));
    // Once more, with the same answer: the same results, and no end of work.
    let redo = queue::done(&mut desk.index(), Some("s"), false, 100).unwrap();
    for one in &redo {
        queue::reopen(&desk.log, &one.unit, "asked for").unwrap();
    }
    assert_eq!((desk.run().units, desk.run().units), (2, 0));
    assert_eq!((desk.titles().len(), desk.counts().pending), (2, 0));
}

#[test]
fn a_bad_answer_is_asked_for_once_more_and_then_rules_do_it() {
    let (desk, script) = Desk::with_model(answer("From the model"));
    desk.turn("s", "one", 9);
    script.next([Ok("Sure! Here is what I found:".to_owned())]);
    assert_eq!((desk.run().fell_back, script.questions()), (0, 2));
    desk.turn("r", "two", 9);
    script.next([Ok("Sure!".to_owned()), Ok("{\"observations\": 7}".to_owned())]);
    assert_eq!((desk.run().fell_back, script.questions()), (1, 4));
    assert_eq!(desk.titles(), ["From the model", "Learnt two"]);
    assert_eq!(desk.events(Kind::UsageRecorded).len(), 4, "what was asked was paid for");
    assert_eq!(desk.counts().pending, 0);
}

#[test]
fn an_end_in_the_middle_of_a_question_leaves_the_work_for_the_next_worker() {
    let (desk, script) = Desk::with_model(answer("From the model"));
    desk.turn("s", "one", 9);
    script.hangs.store(true, Ordering::Relaxed);
    let (stop, asking) = (Arc::clone(&desk.stop), Arc::clone(&script));
    let asked = std::thread::spawn(move || {
        while asking.questions() == 0 {
            std::thread::park_timeout(Duration::from_millis(5));
        }
        stop.store(true, Ordering::Relaxed);
        std::time::Instant::now()
    });
    let report = desk.run();
    let took = asked.join().unwrap().elapsed();
    assert_eq!((report.ended, report.units), (Ended::Asked, 0));
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert_eq!(desk.counts().pending, 10);
    let took: Vec<_> = desk.events(Kind::UsageRecorded).into_iter().map(|(.., took)| took).collect();
    assert_eq!(took.len(), 1, "whoever was asked will charge for it");
    assert_eq!((&took[0]["output"], &took[0]["cached"]), (&prompt::MOST_ANSWER.into(), &0.into()));
    assert!(took[0]["input"].as_u64() > Some(100), "{took:?}");
    script.hangs.store(false, Ordering::Relaxed);
    desk.stop.store(false, Ordering::Relaxed);
    desk.run();
    assert_eq!((desk.titles(), desk.counts().pending), (vec!["From the model".to_owned()], 0));
}
