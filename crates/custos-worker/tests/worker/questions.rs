//! Questions that are not answered, and whose fault that is.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use custos_distill::model::{Fault, Spent};
use custos_distill::prompt;
use custos_model::Kind;
use custos_worker::circuit::broken;
use custos_worker::stop::Stop;
use custos_worker::{Ended, Time, queue};
use serde_json::json;

use crate::desk::{Desk, Play, answer};

fn declines(spent: Option<Spent>) -> Fault {
    Fault::Declined { message: "400: not in my house".to_owned(), spent }
}

/// A turn that is asked about in two parts.
fn long_turn(desk: &Desk) {
    desk.append(Kind::PromptSubmitted, "s", "one", json!({"text": "do it"}));
    for number in 0..45 {
        let output = format!("{number} {}", "all is well so far ".repeat(50));
        let body = json!({"tool": "Bash", "input": {"command": "make"}, "output": output});
        desk.append(Kind::ToolUsed, "s", "one", body);
    }
    desk.append(Kind::TurnEnded, "s", "one", json!({"message": "done"}));
}

/// An answer to the second of them.
#[expect(clippy::unnecessary_wraps, reason = "what a script plays may fail")]
fn second_answer() -> Play {
    let observation = json!({
        "type": "discovery", "title": "Of the second part", "narrative": "Something else.", "steps": [44],
    });
    Ok(json!({"observations": [observation], "summary": null}).to_string())
}

#[test]
fn an_answer_is_paid_for_once_and_a_fault_in_a_later_part_comes_to_an_end() {
    let (desk, script) = Desk::with_model(Err(Fault::Broken("500".to_owned())));
    long_turn(&desk);
    script.next([answer("Of the first part")]);
    let report = desk.run();
    assert_eq!((report.units, report.fell_back), (1, 1));
    assert_eq!(desk.events(Kind::UsageRecorded).len(), 1);
    let asked = script.asked.lock().unwrap().clone();
    assert!(asked.len() < 20, "{} questions in ten minutes", asked.len());
    assert_eq!(asked.iter().filter(|prompt| **prompt == asked[0]).count(), 1);
    assert_eq!(desk.troubles.borrow().len(), 1);
}

#[test]
fn parts_that_were_answered_are_kept_until_the_others_are() {
    let (desk, script) = Desk::with_model(second_answer());
    long_turn(&desk);
    script.next([answer("Of the first part"), Err(Fault::Broken("500".to_owned()))]);
    let report = desk.run();
    assert_eq!((report.fell_back, script.questions()), (0, 3));
    assert_eq!(desk.titles(), ["Of the first part", "Of the second part"]);
    assert_eq!(broken(&desk.log.places().state), None);
}

#[test]
fn a_question_that_is_declined_stops_nothing_but_its_own_work() {
    let (desk, script) = Desk::with_model(answer("From the model"));
    desk.turn("a", "one", 9);
    desk.turn("b", "two", 9);
    let spent = Spent { input: 8_000, output: 500, ..Spent::default() };
    script.next([Err(declines(Some(spent))), Err(declines(None))]);
    let report = desk.run();
    assert_eq!((report.units, report.fell_back, script.questions()), (2, 1, 3));
    assert_eq!(desk.titles(), ["From the model", "Learnt one"]);
    let (.., done) = desk.events(Kind::WorkDone).remove(0);
    assert_eq!(done["fell_back"], "scripted refused the question: 400: not in my house");
    let took: Vec<_> = desk.events(Kind::UsageRecorded).into_iter().map(|(.., took)| took).collect();
    assert_eq!((took.len(), &took[0]["input"], &took[0]["output"]), (3, &8_000.into(), &500.into()));
    assert!(took[1]["input"].as_u64() > Some(100), "where nobody knows, an estimate is booked");
    assert_eq!((broken(&desk.log.places().state), desk.troubles.borrow().len()), (None, 0));
}

#[test]
fn a_provider_that_declines_everything_is_asked_less_and_less() {
    let (desk, script) = Desk::with_model(Err(declines(Some(Spent::default()))));
    for session in ["a", "b", "c", "d", "e"] {
        desk.turn(session, session, 9);
    }
    let report = desk.run();
    assert_eq!((report.units, report.fell_back, script.questions()), (5, 5, 10));
    assert_eq!(desk.events(Kind::UsageRecorded).len(), 0, "what is not taken is not charged");
    assert_eq!(broken(&desk.log.places().state).map(|broken| broken.failures), Some(3));
    assert_eq!(desk.troubles.borrow().len(), 1);
}

#[test]
fn work_that_waits_and_is_to_be_tried_again_is_done_once() {
    let desk = Desk::new();
    desk.turn("s", "one", 1);
    let open = queue::open(&mut desk.index(), None, &desk.outlook()).unwrap();
    queue::reopen(&desk.log, &open[0].unit, "asked for").unwrap();
    queue::reopen(&desk.log, &open[0].unit, "asked for").unwrap();
    assert_eq!((desk.run().units, desk.run().units, desk.counts().pending), (1, 0, 0));
}

#[test]
fn work_that_was_dropped_twice_can_be_taken_back() {
    let desk = Desk::new();
    desk.turn("s", "one", 1);
    let open = || queue::open(&mut desk.index(), None, &desk.outlook()).unwrap().remove(0).unit;
    for _ in 0..2 {
        queue::abandon(&desk.log, &open(), "dropped").unwrap();
    }
    assert_eq!((desk.run().units, desk.counts().abandoned), (0, 2));
    queue::reopen(&desk.log, &open(), "asked for").unwrap();
    assert_eq!((desk.run().units, desk.counts().done), (1, 2));
}

#[test]
fn whoever_changes_the_settings_is_heard_before_the_next_question() {
    let (desk, script) = Desk::with_model(answer("From the model"));
    for session in ["a", "b", "c"] {
        desk.turn(session, session, 9);
    }
    // The person switches the model off while the first question is under way.
    let asking = Arc::clone(&script);
    let report = desk.run_until(Stop::when(Arc::default()).or_when(move || asking.questions() > 0));
    assert_eq!((report.ended, report.units, script.questions()), (Ended::Asked, 1, 1));
    assert_eq!((desk.counts().pending, desk.counts().done), (20, 10));
    // The next worker has no model any more.
    let rules = Desk { script: None, ..desk };
    assert_eq!((rules.run().units, script.questions()), (2, 1));
}

#[test]
fn a_question_without_an_answer_in_time_is_in_the_books() {
    let (mut desk, script) = Desk::with_model(answer("From the model"));
    desk.settings.deadline = Duration::from_millis(50);
    desk.turn("s", "one", 9);
    script.late.store(1, Ordering::Relaxed);
    let report = desk.run();
    assert_eq!((report.units, report.fell_back, script.questions()), (1, 0, 2));
    let took: Vec<_> = desk.events(Kind::UsageRecorded).into_iter().map(|(.., took)| took).collect();
    let [late, answered] = took.as_slice() else { panic!("{took:?}") };
    assert!(late["input"].as_u64() > answered["input"].as_u64(), "with the system prompt: {late:?}");
    assert_eq!((&late["output"], &answered["output"]), (&prompt::MOST_ANSWER.into(), &10.into()));
}

#[test]
fn who_wants_only_what_can_be_done_now_is_not_kept_by_a_provider_that_fails() {
    let (mut desk, script) = Desk::with_model(Err(Fault::Broken("500".to_owned())));
    desk.settings.idle = None;
    desk.turn("a", "one", 9);
    desk.turn("b", "two", 9);
    let report = desk.run();
    assert_eq!((report.ended, report.units, report.fell_back), (Ended::Postponed, 0, 0));
    // Two short pauses are waited out; the third failure is told, and enough.
    assert_eq!((desk.clocks.steady(), script.questions()), (Duration::from_secs(3), 3));
    assert_eq!((desk.counts().pending, desk.troubles.borrow().len()), (20, 1));
    // The next one does not ask before it is time.
    assert_eq!((desk.run().ended, script.questions()), (Ended::Postponed, 3));
    script.always(answer("From the model"));
    desk.pass(2);
    assert_eq!((desk.run().ended, desk.counts().pending), (Ended::Idle, 0));
}
