//! A hundred tool calls with three kilobytes of output each, and what asking about them costs.

use custos_distill::model::Question;
use custos_distill::prompt::{self, About};
use custos_distill::{Said, Step, Turn, What};
use custos_model::{EventId, Timestamp};
use custos_testkit::model_server::{ModelServer, Request};

use crate::{OVER_HTTP, opened, question};

const CALLS: usize = 100;
/// What the calls put out, in tokens of four characters.
pub(crate) const EVIDENCE: u64 = CALLS as u64 * 3_000 / 4;

/// Makes the questions about the calls, in batches of so many to a turn.
pub(crate) fn questions(batch: usize, ok: bool) -> Vec<String> {
    let line = "running the next of many steps of the build, and saying so\n";
    let steps: Vec<_> =
        (0..CALLS).map(|number| step(number, &line.repeat(3_000 / line.len() + 1)[..3_000], ok)).collect();
    let about = About { project: "shop", date: "2026-11-16", known: &[] };
    let turns = steps.chunks(batch).map(|steps| turn(steps.to_vec()));
    turns.flat_map(|turn| prompt::of(&[turn], &about).prompts).map(|piece| piece.text).collect()
}

fn step(number: usize, output: &str, ok: bool) -> Step {
    Step {
        id: EventId::from_bytes([1; 16]),
        tool: "Bash".into(),
        what: What::Ran(format!("make step-{number}")),
        ok: Some(ok),
        exit: None,
        output: output.into(),
        files_read: Vec::new(),
        files_changed: Vec::new(),
        by: None,
    }
}

fn turn(steps: Vec<Step>) -> Turn {
    let said = Said { id: EventId::from_bytes([2; 16]), text: "Make the build pass.".into() };
    let at = Timestamp::from_millis(0);
    Turn {
        client: "claude-code".into(),
        project: None,
        branch: None,
        said: vec![said],
        steps,
        message: Some("Done.".into()),
        error: None,
        began: at,
        ended: at,
        is_private: false,
    }
}

#[test]
fn a_hundred_calls_cost_a_dozen_questions_and_less_than_they_put_out() {
    for (named, ok) in OVER_HTTP.into_iter().flat_map(|named| [(named, true), (named, false)]) {
        let server = ModelServer::start().unwrap();
        let mut model = opened(named, &server);
        for prompt in questions(9, ok) {
            model.ask(&Question { system: prompt::SYSTEM, ..question(&prompt) }).unwrap();
        }
        let requests = server.requests();
        let sent: u64 = requests.iter().map(Request::tokens).sum();
        assert!(requests.len() <= 12, "{named}: {}", requests.len());
        assert!(sent < EVIDENCE, "{named}: {sent} of {EVIDENCE}");
        println!("{named}, ok: {ok}: {} questions, {sent} tokens for {EVIDENCE} of evidence", requests.len());
    }
}
