//! What a person has forgotten, and what becomes of what was made of it.

use std::sync::Arc;

use custos_model::{EventId, Kind};
use custos_worker::{Rules, queue};
use serde_json::json;

use crate::desk::{Desk, answer};

/// A turn in which something was mended, and of which everybody would learn; gives its prompt.
fn mended(desk: &Desk, prompt: &str) -> EventId {
    let prompt = desk.append(Kind::PromptSubmitted, "s", "t", json!({"text": prompt}));
    let run = |kind, output: &str, exit: i32| {
        let body = json!({"tool": "Bash", "input": {"command": "pytest"}, "output": output, "exit": exit});
        desk.append(kind, "s", "t", body);
    };
    run(Kind::ToolFailed, "FAILED test_hartmann.py::test_sum - assert hartmann(2) == 4", 1);
    let input = json!({"file_path": "hartmann.py", "old_string": "def hartmann(n):\n    return n", "new_string": "def hartmann(n):\n    return n * n"});
    let edit = json!({"tool": "Edit", "input": input, "files_changed": ["hartmann.py"], "output": "ok"});
    desk.append(Kind::ToolUsed, "s", "t", edit);
    run(Kind::ToolUsed, "8 passed", 0);
    desk.append(Kind::TurnEnded, "s", "t", json!({"message": "The sum of hartmann is right now."}));
    desk.end("s");
    prompt
}

/// Everything that was made of what happened.
fn made(desk: &Desk) -> String {
    let kinds = [Kind::ObservationRecorded, Kind::SummaryRecorded];
    let bodies =
        kinds.into_iter().flat_map(|kind| desk.events(kind)).map(|(.., body)| json!(body).to_string());
    bodies.collect()
}

#[test]
fn a_private_turn_stays_private_when_its_prompt_is_forgotten() {
    let public = Desk { distil: Arc::new(Rules), ..Desk::new() };
    mended(&public, "please mend the sum");
    public.run();
    assert!(made(&public).contains("hartmann"), "else this shows nothing: {}", made(&public));

    let (desk, script) = Desk::with_model(answer("Told by a model"));
    let desk = Desk { distil: Arc::new(Rules), ..desk };
    let prompt = mended(&desk, "<private>mend the sum of the Hartmann account</private>");
    desk.forget(prompt);
    desk.run();
    // Neither does another pass bring it to light.
    for one in queue::done(&mut desk.index(), None, false, 100).unwrap() {
        queue::reopen(&desk.log, &one.unit, "asked for").unwrap();
    }
    desk.run();
    assert_eq!((desk.counts().pending, desk.titles()), (0, vec![]));
    let asked = script.asked.lock().unwrap().join("\n");
    assert!(!format!("{asked}{}", made(&desk)).contains("hartmann"), "{asked} {}", made(&desk));
}

#[test]
fn a_turn_that_never_had_a_prompt_is_not_taken_for_private() {
    let desk = Desk::new();
    let other = desk.append(Kind::PromptSubmitted, "r", "other", json!({"text": "do something else"}));
    desk.turn("s", "one", 1);
    desk.forget(other);
    desk.run();
    assert_eq!(desk.titles(), ["Learnt one"]);
}

#[test]
fn what_was_forgotten_does_not_come_back_and_the_rest_of_its_turn_is_not_done_again() {
    let desk = Desk::new();
    let work = desk.turn("s", "one", 3);
    desk.run();
    let (wrong, ..) = desk.events(Kind::ObservationRecorded).remove(0);
    desk.forget(wrong);
    assert_eq!((desk.run().units, desk.titles(), desk.counts().pending), (0, vec![], 0));
    // Later one of the turn's events, which `work.done` names as well.
    desk.forget(work[1]);
    assert_eq!((desk.run().units, desk.titles(), desk.counts().pending), (0, vec![], 0));
    assert_eq!(desk.counts().done, 3);
    let named = desk.events(Kind::WorkDone);
    assert_eq!(named[0].2["sources"].as_array().unwrap().len(), 4, "the books are as they were");
    // An index made from the log alone agrees.
    std::fs::remove_dir_all(&desk.log.places().state).unwrap();
    assert_eq!((desk.run().units, desk.titles(), desk.counts().done), (0, vec![], 3));
}

#[test]
fn another_pass_does_not_bring_back_what_was_forgotten() {
    let desk = Desk::new();
    desk.turn("s", "one", 2);
    desk.turn("s", "two", 2);
    desk.run();
    let titled = |title: &str| {
        let all = desk.events(Kind::ObservationRecorded);
        all.into_iter().find(|(.., body)| body.get("title") == Some(&json!(title))).unwrap().0
    };
    desk.forget(titled("Learnt one"));
    for _ in 0..2 {
        for one in queue::done(&mut desk.index(), None, false, 100).unwrap() {
            queue::reopen(&desk.log, &one.unit, "asked for").unwrap();
        }
        assert_eq!(desk.run().units, 2);
        assert_eq!((desk.titles(), desk.counts().pending), (vec!["Learnt two".to_owned()], 0));
    }
}

#[test]
fn the_summaries_that_repeat_what_was_forgotten_go_with_it_and_stay_away() {
    let desk = Desk { distil: Arc::new(Rules), ..Desk::new() };
    mended(&desk, "please mend the sum");
    desk.run();
    let (wrong, _, observation) = desk.events(Kind::ObservationRecorded).remove(0);
    let title = observation["title"].as_str().unwrap().to_owned();
    let repeating = || {
        let summaries = desk.events(Kind::SummaryRecorded).into_iter().map(|(.., body)| body);
        let repeating = summaries.filter(|body| json!(body).to_string().contains(&title));
        repeating.map(|body| body["of"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(repeating(), ["turn", "session"], "else this shows nothing: {}", made(&desk));
    desk.forget(wrong);
    assert_eq!(repeating(), [""; 0]);
    for one in queue::done(&mut desk.index(), None, false, 100).unwrap() {
        queue::reopen(&desk.log, &one.unit, "asked for").unwrap();
    }
    desk.run();
    assert_eq!((desk.titles(), repeating()), (vec![], vec![]));
}

#[test]
fn what_a_model_repeats_goes_with_what_it_was_told_whatever_it_cites() {
    let (desk, script) = Desk::with_model(answer("unused"));
    let work = desk.turn("s", "one", 9);
    // It cites the first step, and repeats the words of the fourth.
    let body =
        json!({"tool": "Bash", "input": {"command": "make"}, "output": "the Hartmann account was closed"});
    let told = desk.append(Kind::ToolUsed, "s", "one", body);
    let observation = json!({"type": "discovery", "title": "The Hartmann account was closed", "narrative": "Long ago.", "steps": [0]});
    script.always(Ok(json!({"observations": [observation], "summary": null}).to_string()));
    desk.end("s");
    desk.run();
    let (.., recorded) = desk.events(Kind::ObservationRecorded).remove(0);
    let sources = recorded["sources"].as_array().unwrap();
    assert!([work[0], told].iter().all(|id| sources.contains(&json!(id))), "{sources:?}");
    desk.forget(told);
    assert_eq!(desk.titles(), Vec::<String>::new());
}
