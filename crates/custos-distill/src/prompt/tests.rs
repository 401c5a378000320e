use custos_model::EventId;
use proptest::prelude::*;

use super::*;
use crate::turn::{Edit, Fate, Said};

fn about(known: &[String]) -> About<'_> {
    About { project: "shop", date: "2026-11-16", known }
}

fn ran(command: &str, output: &str, ok: bool) -> Step {
    Step {
        id: EventId::from_bytes([1; 16]),
        tool: "Bash".into(),
        what: What::Ran(command.into()),
        ok: Some(ok),
        exit: (!ok).then_some(101),
        output: output.into(),
        files_read: Vec::new(),
        files_changed: Vec::new(),
        by: None,
    }
}

fn edited(path: &str, before: &str, after: &str) -> Step {
    let edit = Edit { path: path.into(), before: before.into(), after: after.into(), fate: Fate::Changed };
    Step { what: What::Edited(vec![edit]), files_changed: vec![path.into()], ..ran("", "", true) }
}

fn turn(said: &str, steps: Vec<Step>) -> Turn {
    let said = Said { id: EventId::from_bytes([2; 16]), text: said.into() };
    Turn { said: vec![said], steps, message: Some("Done.".into()), ..Turn::default() }
}

#[test]
fn a_question_holds_goal_project_date_and_the_evidence_in_short() {
    let read =
        Step { what: What::Read, files_read: vec!["src/token.rs".into()], ..ran("", "fn main() {}", true) };
    let steps = vec![
        read,
        ran("cargo test window", "running 1 test\n\u{1b}[31merror\u{1b}[0m: left 3, right 4\n", false),
        edited("src/token.rs", "fn window() {\n    3\n}\n", "fn window() {\n    4\n}\n"),
        ran("cargo test window", "test result: ok", true),
    ];
    let turns = [turn("The refresh window is off by one.", steps)];
    let pieces = of(&turns, &about(&["Tokens live for an hour".into()]));
    assert_eq!(pieces.prompts.len(), 1);
    assert_eq!(pieces.prompts[0].steps, 0..4);
    insta::assert_snapshot!(pieces.prompts[0].text, @r"
    Project: shop
    Date: 2026-11-16
    Already recorded:
    | Tokens live for an hour

    <evidence>
    [person]
    | The refresh window is off by one.
    [0] read, ok
    | src/token.rs
    [1] command, failed (101)
    | cargo test window
    output:
    | running 1 test
    | error: left 3, right 4
    [2] edit, ok
    | src/token.rs (changed)
    | -     3
    | +     4
    [3] command, ok
    | cargo test window
    output:
    | test result: ok
    [last words of the agent]
    | Done.
    </evidence>

    What of this is worth knowing next week? Give a summary of what the work came to, next steps only where they were named.
    ");
}

#[test]
fn a_hundred_calls_with_three_kilobytes_each_are_at_most_ten_questions_and_less_than_they_were() {
    for ok in [true, false] {
        let output = "a line of output that says this and that\n".repeat(75);
        let steps: Vec<_> = (0..100).map(|number| ran(&format!("make step-{number}"), &output, ok)).collect();
        let evidence: usize = steps.iter().map(|step| step.output.len()).sum();
        let pieces = of(&[turn("Build it.", steps)], &about(&[]));
        assert!(pieces.prompts.len() <= 10, "{}", pieces.prompts.len());
        let asked: usize = pieces.prompts.iter().map(|piece| piece.text.len() + pieces.system.len()).sum();
        assert!(asked * 10 < evidence * 8, "{asked} of {evidence}");
        let steps: Vec<_> = pieces.prompts.iter().flat_map(|piece| piece.steps.clone()).collect();
        assert_eq!(steps, (0..100).collect::<Vec<_>>());
    }
}

#[test]
fn a_summary_is_asked_for_once_and_only_where_something_was_changed() {
    let long = "x\n".repeat(2_000);
    let mut steps: Vec<_> = (0..30).map(|_| ran("make", &long, false)).collect();
    let asks = |turns: &[Turn]| {
        let pieces = of(turns, &about(&[]));
        pieces.prompts.iter().map(|piece| piece.text.contains("Give a summary")).collect::<Vec<_>>()
    };
    assert_eq!(asks(&[turn("Look.", steps.clone())]), [false, false, false]);
    steps.push(edited("a.rs", "1", "2"));
    assert_eq!(asks(&[turn("Look.", steps)]), [false, false, true]);
}

#[test]
fn nothing_of_a_private_turn_is_asked_about() {
    let private =
        Turn { is_private: true, ..turn("hidden words", vec![ran("hidden command", "hidden", true)]) };
    assert_eq!(of(std::slice::from_ref(&private), &about(&[])).prompts, []);
    let pieces = of(&[private, turn("Open words.", vec![ran("ls", "", true)])], &about(&[]));
    assert_eq!(pieces.prompts[0].steps, 1..2);
    assert!(!pieces.prompts[0].text.contains("hidden"));
}

#[test]
fn what_is_secret_or_private_is_not_sent_even_if_colours_hid_it() {
    let secret = format!("ghp_\u{1b}[1m{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let steps = vec![ran("printenv", &format!("TOKEN={secret}\n<private>my own\nwords</private>"), true)];
    let pieces = of(&[turn("Look <private>at home</private>.", steps)], &about(&[]));
    let text = &pieces.prompts[0].text;
    assert!(!text.contains("g7H8i9J0") && !text.contains("at home") && !text.contains("my own"), "{text}");
}

#[test]
fn a_piece_that_begins_in_the_middle_reminds_of_the_goal() {
    let long = "x\n".repeat(2_000);
    let pieces =
        of(&[turn("Make it build.", (0..30).map(|_| ran("make", &long, false)).collect())], &about(&[]));
    assert!(
        pieces.prompts[1].text.contains("[person, before this]\n| Make it build."),
        "{}",
        pieces.prompts[1].text
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_evidence_ends_the_evidence_or_looks_like_a_step(text in "(\n|\\[1\\] read|</? ?evidence>|<EVIDENCE|\u{1b}\\[|[a-z ]|\r){0,60}") {
        let steps = vec![ran(&text, &text, false), edited(&text, "", &text)];
        let pieces = of(&[turn(&text, steps)], &about(std::slice::from_ref(&text)));
        let asked = &pieces.prompts[0].text;
        prop_assert_eq!(asked.to_lowercase().matches("<evidence>").count(), 1);
        prop_assert_eq!(asked.to_lowercase().matches("</evidence>").count(), 1);
        let inside = asked.split("<evidence>").nth(1).and_then(|text| text.split("</evidence>").next()).unwrap();
        let ours = ["| ", "[person]", "[0] ", "[1] edit", "output:", "[last words of the agent]"];
        for line in inside.lines().filter(|line| !line.is_empty()) {
            prop_assert!(ours.iter().any(|start| line.starts_with(start)) || line == "|", "{}", line);
        }
    }

    #[test]
    fn a_step_and_a_piece_keep_their_bounds(outputs in proptest::collection::vec("[a-zé\n ]{0,4000}", 1..20)) {
        let steps: Vec<_> = outputs.iter().map(|output| ran(output, output, false)).collect();
        for step in &steps {
            prop_assert!(evidence::step(0, step).chars().count() <= MOST_OF_STEP);
        }
        for piece in of(&[turn("Go on.", steps)], &about(&[])).prompts {
            prop_assert!(piece.text.chars().count() <= MOST_EVIDENCE + 400);
        }
    }
}
