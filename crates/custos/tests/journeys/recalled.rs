//! The memory before real clients: what one session learnt, the next ones are told, whichever client they run in.
//!
//! The lesson is learnt in Claude Code and distilled by rules. What counts is what a model reads, so the proof is in the requests that the
//! scripted one received: the lesson is in the first of the next session, in a session of another project it is nowhere, and once it is
//! forgotten it never comes back.

use serde_json::{Value, json};

use crate::journey::{Journey, Session};

/// What the person says in the first session, and words of it that nothing in the next ones says by itself.
const LESSON: &str = "From now on always run the tests with `cargo nextest run`, never with cargo test.";
const TOLD: &str = "cargo nextest run";

/// What the person asks later.
const QUESTION: &str = "How do I run the tests of this project?";

fn a_session(journey: &Journey) -> Session {
    journey.session_of(&[json!({ "text": "As you say." })], QUESTION)
}

fn it_reaches(client: &'static str) {
    let mut journey = Journey::new("claude-code");
    journey.set_up();
    journey.session_of(&[json!({ "text": "Understood." })], LESSON);
    journey.custos(&["worker", "run", "--until-idle"]);
    let learnt: Vec<Value> = serde_json::from_str(&journey.custos(&["observations", "--json"])).unwrap();
    let [lesson] = learnt.as_slice() else { panic!("one lesson was to be learnt: {learnt:#?}") };

    if client != "claude-code" {
        journey.change_to(client);
        journey.set_up();
        if client == "codex" {
            journey.trust_hooks();
        }
    }
    let next = a_session(&journey);
    assert!(next.told_at_first(TOLD) > 0, "{client} was not told: {}", next.everything());
    let why = journey.custos(&["why", "--last"]);
    assert!(why.contains(TOLD), "{client}: {why}");

    let elsewhere = a_session(&journey.beside("depot"));
    assert!(!elsewhere.saw(TOLD), "{client} told another project: {}", elsewhere.everything());

    let id = lesson["id"].as_str().unwrap();
    journey.custos(&["forget", "--yes", "--reason", "it was a mistake", "--matching", TOLD]);
    let after = a_session(&journey);
    assert!(!after.saw(TOLD), "{client} was told of {id} after it was forgotten: {}", after.everything());
}

#[test]
fn a_lesson_reaches_the_real_client_claude_code() {
    it_reaches("claude-code");
}

#[test]
fn a_lesson_reaches_the_real_client_codex() {
    it_reaches("codex");
}

#[test]
fn a_lesson_reaches_the_real_client_gemini() {
    it_reaches("gemini");
}

#[test]
fn a_lesson_reaches_the_real_client_copilot() {
    it_reaches("copilot");
}

#[test]
fn a_lesson_reaches_the_real_client_opencode() {
    it_reaches("opencode");
}

#[test]
fn a_fork_of_the_real_client_is_not_told_again_what_it_has() {
    let journey = Journey::new("claude-code");
    journey.set_up();
    journey.session_of(&[json!({ "text": "Understood." })], LESSON);
    journey.custos(&["worker", "run", "--until-idle"]);
    let next = a_session(&journey);
    let once = next.told_at_first(TOLD);
    assert!(once > 0, "{}", next.everything());
    let fork = journey.session("answer", "Are you sure?", &["--continue", "--fork-session"]);
    assert_eq!(fork.told_at_first(TOLD), once, "{}", fork.everything());
}
