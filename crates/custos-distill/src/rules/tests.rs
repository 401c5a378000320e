mod causes;
mod course;
mod remedies;

use custos_model::{EventId, Sort, Timestamp};
use proptest::prelude::*;
use rstest::rstest;

use super::message::Sentence;
use super::names::Evidence;
use super::*;
use crate::turn::{Edit, Fate, Said, Step, What};

fn step(what: What, ok: bool, output: &str) -> Step {
    let files_changed = match &what {
        What::Edited(edits) => edits.iter().map(|edit| edit.path.clone()).collect(),
        _ => Vec::new(),
    };
    Step {
        id: EventId::new(Timestamp::from_millis(0), [0; 10]),
        tool: String::new(),
        what,
        ok: Some(ok),
        exit: None,
        output: output.to_owned(),
        files_read: Vec::new(),
        files_changed,
        by: None,
    }
}

fn ran(line: &str, ok: bool, output: &str) -> Step {
    step(What::Ran(line.to_owned()), ok, output)
}

fn edit(path: &str, before: &str, after: &str) -> Step {
    let edit = Edit {
        path: path.to_owned(),
        before: before.to_owned(),
        after: after.to_owned(),
        fate: Fate::Changed,
    };
    step(What::Edited(vec![edit]), true, "")
}

fn turn(prompt: &str, steps: Vec<Step>, message: &str) -> Turn {
    let said = vec![Said { id: EventId::new(Timestamp::from_millis(0), [0; 10]), text: prompt.to_owned() }];
    let message = (!message.is_empty()).then(|| message.to_owned());
    Turn { client: "claude-code".to_owned(), said, steps, message, ..Turn::default() }
}

fn titles(distilled: &Distilled) -> Vec<(Sort, &str)> {
    distilled
        .observations
        .iter()
        .map(|found| (found.observation.sort, found.observation.title.as_str()))
        .collect()
}

const FAILED: &str = "running 1 test\ntest window::boundary ... FAILED\n\n---- window::boundary stdout ----\nthread 'window::boundary' panicked at src/window.rs:40:9:\nthe window was empty\n\ntest result: FAILED. 0 passed; 1 failed";
const PASSED: &str = "running 1 test\ntest window::boundary ... ok\n\ntest result: ok. 1 passed; 0 failed";

fn fixing() -> Vec<Step> {
    vec![
        ran("cargo test", false, FAILED),
        edit(
            "src/window.rs",
            "fn open(n: u8) -> bool {\n    n < 3\n}",
            "fn open(n: u8) -> bool {\n    n <= 3\n}",
        ),
        ran("cargo test", true, PASSED),
    ]
}

#[test]
fn a_failure_an_edit_and_a_pass_are_a_fix() {
    let distilled = distil(&turn("why is window::boundary red", fixing(), ""), &[]);
    assert_eq!(titles(&distilled), [(Sort::Bugfix, "Fixed “the window was empty” in open (window.rs)")]);
    let observation = &distilled.observations[0].observation;
    assert_eq!(observation.narrative, "`cargo test` failed (window::boundary).");
    assert_eq!(observation.facts, ["`n < 3` → `n <= 3`", "window.rs: open changed"]);
    assert_eq!(observation.files_modified, ["src/window.rs"]);
    assert_eq!(distilled.observations[0].steps, [0, 1, 2]);
}

#[test]
fn a_failure_of_an_earlier_turn_counts() {
    let mut steps = fixing();
    let seen = turn("is the build green?", vec![steps.remove(0)], "");
    let first = turn(
        "window::boundary fails, fix it",
        vec![edit("src/window.rs", "n < 3", "n < 4"), ran("cargo test", false, FAILED)],
        "Not yet.",
    );
    let second =
        turn("go on", vec![edit("src/window.rs", "n < 4", "n <= 3"), ran("cargo test", true, PASSED)], "");
    assert_eq!(titles(&distil(&first, std::slice::from_ref(&seen))), []);
    let distilled = distil(&second, &[seen, first]);
    assert_eq!(distilled.observations.len(), 1);
    assert_eq!(distilled.observations[0].observation.sort, Sort::Bugfix);
    assert!(distilled.observations[0].observation.facts.contains(&"`n < 3` → `n <= 3`".to_owned()));
}

#[test]
fn a_slip_of_ones_own_is_no_fix() {
    let error = "error[E0425]: cannot find value `x` in this scope\n --> src/a.rs:2:5\nerror: could not compile `a` (lib) due to 1 previous error";
    let steps = vec![
        edit("src/a.rs", "fn a() {}", "fn a() {}\n\npub fn double(n: u8) -> u8 {\n    x * 2\n}"),
        ran("cargo build", false, error),
        edit("src/a.rs", "    x * 2", "    n * 2"),
        ran("cargo build", true, "Finished"),
    ];
    let distilled = distil(&turn("add arithmetic for small numbers", steps, ""), &[]);
    assert_eq!(titles(&distilled), [(Sort::Feature, "Added arithmetic for small numbers: double")]);
}

#[test]
fn what_cancels_itself_out_leaves_nothing() {
    let steps = vec![
        edit("src/a.rs", "a();", "dbg!(1);\na();"),
        ran("cargo test", true, PASSED),
        edit("src/a.rs", "dbg!(1);\n", ""),
    ];
    assert_eq!(distil(&turn("look into it", steps, "Nothing to see."), &[]), Distilled::default());
}

#[test]
fn routine_gives_nothing() {
    let steps =
        vec![ran("ls -la", true, "a\nb"), ran("git status", true, "clean"), ran("cargo test", true, PASSED)];
    assert_eq!(distil(&turn("hi, is all green?", steps, "Yes, all tests pass."), &[]), Distilled::default());
}

#[test]
fn a_private_turn_leaves_no_trace_and_is_no_context() {
    let mut private = turn("", fixing(), "The account was reset.");
    private.is_private = true;
    assert_eq!(distil(&private, &[]), Distilled::default());
    let next = turn("thanks", Vec::new(), "You're welcome.");
    assert_eq!(distil(&next, std::slice::from_ref(&private)), Distilled::default());
    assert_eq!(session_summary(&[private], &[]), None);
}

#[test]
fn what_still_fails_for_another_reason_does_not_hide_the_work() {
    let unrelated = "--- FAIL: TestClock (0.00s)\n    clock_test.go:9: expected 1, got 2\nFAIL";
    let steps = vec![
        edit("a.go", "", "func Double(n int) int {\n\treturn n * 2\n}"),
        ran("go test ./...", false, unrelated),
    ];
    let told = "Added `Double`. TestClock fails as well, which is unrelated.";
    assert_eq!(titles(&distil(&turn("add Double", steps.clone(), told), &[])).len(), 1);
    assert_eq!(titles(&distil(&turn("add Double", steps, ""), &[])), []);
}

#[rstest]
#[case("add an endpoint POST /v1/x", Some("Added an endpoint POST /v1/x"))]
#[case("pls upgrade axum to 0.8. dont touch tokio", Some("Upgraded axum to 0.8"))]
#[case("store.go is too long. split it by entity", Some("Split store.go by entity"))]
#[case("fix it", None)]
#[case("why is that so?", None)]
#[case("予約一覧を直して", None)]
fn a_wish_becomes_what_was_done(#[case] wish: &str, #[case] done: Option<&str>) {
    assert_eq!(request::done(wish, 70).as_deref(), done);
}

#[rstest]
#[case("the export 500s on staging, can u look", "the export 500s on staging")]
#[case("on mobile the modal is broken, fix the css", "on mobile the modal is broken")]
#[case("Kunden bekommen jede Mahnung doppelt. Schau mal", "Kunden bekommen jede Mahnung doppelt")]
fn a_complaint_is_told_without_the_request(#[case] wish: &str, #[case] complaint: &str) {
    let turn = turn(wish, Vec::new(), wish);
    let ground = ground::Ground::of(&Story::read(&turn, &[]));
    assert_eq!(request::trouble(wish, &ground).as_deref(), Some(complaint));
}

#[rstest]
#[case("sentry: TypeError: x is null in label. use the id", Some("TypeError: x is null in label"))]
#[case(
    "prod: FATAL: sorry, too many clients already. fix the pool",
    Some("FATAL: sorry, too many clients already")
)]
#[case("please note: this is no error", None)]
fn an_error_is_found_within_a_sentence(#[case] wish: &str, #[case] error: Option<&str>) {
    assert_eq!(request::pasted(wish).as_deref(), error);
}

#[rstest]
#[case("we get errors in prod", true)]
#[case("add error handling to the client", false)]
#[case("add a timeout of 5s", false)]
#[case("the worker hangs", true)]
#[case("エラーが出る", true)]
#[case("rename the debugger", false)]
fn trouble_is_told_from_a_wish(#[case] prompt: &str, #[case] is_trouble: bool) {
    assert_eq!(words::is_trouble(prompt), is_trouble);
}

#[test]
fn sentences_are_split_where_people_end_them() {
    let text =
        "Done: see `a.b` e.g. here. Next!\n- item one\n2. item two\n```\ncode. here\n```\n終わり。次です";
    assert_eq!(
        wording::sentences(text),
        ["Done: see `a.b` e.g. here.", "Next!", "item one", "item two", "終わり。", "次です"]
    );
}

#[test]
fn a_cut_never_leaves_a_name_open() {
    assert_eq!(wording::cut("one `two three four` five", 16), "one `two three`…");
    assert_eq!(wording::headline("It was late; and then there was much more to say", 20), "It was late");
    assert_eq!(wording::cut("短い文です", 3), "短い…");
}

#[test]
fn only_what_the_evidence_knows_counts() {
    let turn = turn("", vec![ran("cat src/token.rs", true, "fn state_at() {}")], "");
    let evidence = Evidence::of([&turn].into_iter());
    let told = message::read(
        "`state_at` was wrong because of the window. `made_up` too. Shall I go on? I think `state_at` is fine.",
        &evidence,
    );
    let expected = Sentence {
        text: "`state_at` was wrong because of the window.".to_owned(),
        weight: 5,
        is_cause: true,
        is_ahead: false,
        names: 1,
    };
    assert_eq!((told.len(), &told[0], told[1].weight), (2, &expected, -2));
}

fn any_step() -> impl Strategy<Value = Step> {
    let text = || {
        prop::sample::select(vec![
            "",
            "fn a() {}",
            "x = 1",
            "error: no",
            "`",
            "…[cut: ",
            "漢字。",
            "{\"a\": 1}",
            "a: 1\nb: 2",
            "git checkout -- .",
            "cargo test",
            "rm a",
            "npm i x@1",
        ])
    };
    let path =
        prop::sample::select(vec!["a.rs", "b/c.py", "x.yaml", "package.json", "README.md", "tests/t.rs", ""]);
    (0..4_u8, path, text(), text(), text(), any::<bool>()).prop_map(|(sort, path, a, b, output, ok)| {
        match sort {
            0 => ran(a, ok, output),
            1 => step(What::Read, ok, output),
            2 => step(What::Other(a.to_owned()), ok, output),
            _ => edit(path, a, b),
        }
    })
}

proptest! {
    #[test]
    fn any_turn_can_be_distilled_within_its_bounds(
        prompts in prop::collection::vec("\\PC{0,60}", 1..4),
        steps in prop::collection::vec(any_step(), 0..12),
        message in "\\PC{0,200}",
    ) {
        let turns: Vec<Turn> = prompts.iter().map(|prompt| turn(prompt, steps.clone(), &message)).collect();
        let (last, before) = turns.split_last().unwrap();
        let distilled = distil(last, before);
        prop_assert_eq!(&distilled, &distil(last, before));
        prop_assert!(distilled.observations.len() <= 9);
        for found in &distilled.observations {
            let one = &found.observation;
            prop_assert!(!one.title.is_empty() && one.title.chars().count() <= wording::TITLE + 1, "{}", one.title);
            prop_assert!(one.narrative.chars().count() <= wording::NARRATIVE + 1);
            prop_assert!(one.facts.len() <= wording::FACTS && one.facts.iter().all(|fact| fact.chars().count() <= wording::FACT + 1));
            prop_assert!(one.concepts.len() <= wording::CONCEPTS && one.files_modified.len() <= wording::FILES);
            prop_assert!(found.steps.iter().all(|at| *at < last.steps.len()));
        }
        session_summary(&turns, &[]);
    }
}
