//! Money: as few questions as possible, and none beyond the budget.

use std::io::Write as _;
use std::sync::Arc;

use custos_distill::prompt;
use custos_model::{Kind, Timestamp};
use custos_testkit::faulty::FaultyDisk;
use custos_worker::ledger::Budget;
use serde_json::json;

use crate::desk::{Desk, Script, answer};

const NOTHING: &str = r#"{"observations":[],"summary":null}"#;

#[test]
fn beyond_the_budget_rules_take_over_until_tomorrow() {
    let (mut desk, script) = Desk::with_model(answer("From the model"));
    desk.settings.budget = Budget { per_day: Some(10_000), per_session: None };
    desk.turn("s", "one", 9);
    desk.run();
    let spent = desk.events(Kind::UsageRecorded)[0].2["input"].as_u64().unwrap() + 10;
    desk.settings.budget.per_day = Some(spent + 1_000);
    desk.turn("s", "two", 9);
    assert_eq!(desk.run().fell_back, 1);
    let (.., done) = desk.events(Kind::WorkDone).remove(1);
    assert_eq!(done["fell_back"], json!(format!("the budget of {} tokens a day is spent", spent + 1_000)));
    assert_eq!((script.questions(), desk.troubles.borrow().len()), (1, 0));
    desk.pass(24 * 60);
    desk.settings.budget.per_day = Some(10_000);
    desk.turn("s", "three", 9);
    assert_eq!((desk.run().fell_back, script.questions()), (0, 2));
}

#[test]
fn a_hundred_calls_cost_at_most_twelve_questions_and_half_as_much_again_as_they_hold() {
    for calls_in_turn in [1, 5, 100] {
        let (mut desk, script) = Desk::with_model(Ok(NOTHING.to_owned()));
        desk.settings.budget = Budget { per_day: None, per_session: None };
        let output = "0123456789 abcdef ghijk\n".repeat(128);
        for call in 0..100 {
            let task = (call / calls_in_turn).to_string();
            let body =
                json!({"tool": "Bash", "input": {"command": format!("make {call}")}, "output": output});
            desk.append(Kind::ToolUsed, "s", &task, body);
            if call % calls_in_turn == calls_in_turn - 1 {
                desk.append(Kind::TurnEnded, "s", &task, json!({"message": "ok"}));
            }
        }
        desk.end("s");
        desk.run();
        let sent: usize = script.asked.lock().unwrap().iter().map(String::len).sum();
        assert!(script.questions() <= 12, "{calls_in_turn}: {} questions", script.questions());
        assert!(sent * 2 <= output.len() * 100 * 3, "{calls_in_turn}: {sent} bytes");
        assert_eq!(desk.counts().pending, 0);
    }
}

#[test]
fn small_turns_wait_for_company_and_do_not_keep_the_worker() {
    let (desk, script) = Desk::with_model(Ok(NOTHING.to_owned()));
    desk.turn("s", "one", 2);
    assert_eq!((desk.run().units, script.questions()), (0, 0));
    desk.pass(5);
    assert_eq!((desk.run().units, script.questions()), (1, 1));
}

#[test]
fn while_a_question_cannot_be_booked_no_other_is_asked() {
    let (disk, script) = (FaultyDisk::default(), Script::new(answer("From the model")));
    let desk = Desk { script: Some(Arc::clone(&script)), ..Desk::on(disk.clone()) };
    desk.turn("s", "one", 9);
    let full = |problem: custos_worker::WorkerError| {
        let problem = problem.to_string();
        assert!(
            problem.contains(&std::io::Error::from(std::io::ErrorKind::StorageFull).to_string()),
            "{problem}"
        );
    };
    // Who could not even write down what the question may take does not ask.
    disk.fill();
    full(desk.try_run().unwrap_err());
    assert_eq!(script.questions(), 0);
    // The disk is full when the answer comes, and stays so for the next worker.
    disk.disarm();
    let filled = disk.clone();
    *script.meanwhile.lock().unwrap() = Some(Box::new(move || filled.fill()));
    for _ in 0..2 {
        full(desk.try_run().unwrap_err());
        assert_eq!((script.questions(), desk.events(Kind::UsageRecorded).len()), (1, 0));
    }
    // With room again the first thing that is written is what the question may have taken.
    *script.meanwhile.lock().unwrap() = None;
    disk.disarm();
    assert_eq!((desk.run().units, script.questions()), (1, 2));
    let took: Vec<_> = desk.events(Kind::UsageRecorded).into_iter().map(|(.., took)| took).collect();
    let [owed, answered] = took.as_slice() else { panic!("{took:?}") };
    assert_eq!((&owed["output"], &answered["output"]), (&prompt::MOST_ANSWER.into(), &10.into()));
    assert_eq!((&owed["work"], &owed["provider"]), (&answered["work"], &"scripted".into()));
    assert!(!desk.log.places().state.join("owed.json").exists());
}

#[test]
fn what_was_booked_and_not_crossed_out_counts_once() {
    let (desk, script) = Desk::with_model(Ok(NOTHING.to_owned()));
    desk.turn("s", "one", 9);
    let state = desk.log.places().state.clone();
    let (owed, copy) = (state.join("owed.json"), state.join("copy"));
    let (from, to) = (owed.clone(), copy.clone());
    let keep = move || assert!(std::fs::copy(&from, &to).unwrap() > 0);
    *script.meanwhile.lock().unwrap() = Some(Box::new(keep));
    desk.run();
    let booked = || -> u64 {
        let (ever, end) = (Timestamp::from_millis(0), Timestamp::from_millis(i64::MAX));
        desk.index().usage(ever, end).unwrap().iter().map(|usage| usage.calls).sum()
    };
    assert_eq!(booked(), 1);
    // As if it had died at that very moment.
    std::fs::rename(&copy, &owed).unwrap();
    desk.run();
    assert_eq!((booked(), owed.exists()), (1, false));
    // Half an entry is that of a question that was never asked.
    std::fs::File::create(&owed).unwrap().write_all(b"{\"id\": \"01").unwrap();
    desk.run();
    assert_eq!((booked(), owed.exists()), (1, false));
}
