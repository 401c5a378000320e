//! Money: as few questions as possible, and none beyond the budget.

use custos_model::Kind;
use custos_worker::ledger::Budget;
use serde_json::json;

use crate::desk::{Desk, answer};

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
