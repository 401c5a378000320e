//! Work that takes more than one turn, and what a careless reading would call it.

use super::*;

fn created(path: &str, text: &str) -> Step {
    let edit =
        Edit { path: path.to_owned(), before: String::new(), after: text.to_owned(), fate: Fate::Created };
    step(What::Edited(vec![edit]), true, "")
}

#[test]
fn an_option_is_told_by_what_it_is() {
    let offer = "Two ways: (a) sign the uploads on the server, (b) proxy every upload through the API.";
    let before =
        [turn("how could clients upload to the bucket?", vec![ran("ls src", true, "api.rs")], offer)];
    let distilled = distil(&turn("agreed, we go with a)", Vec::new(), "Fine."), &before);
    assert_eq!(titles(&distilled), [(Sort::Decision, "Sign the uploads on the server")]);
    let distilled = distil(&turn("agreed, we go with d)", Vec::new(), "Fine."), &before);
    assert_eq!(titles(&distilled), []);
}

#[test]
fn a_test_that_shows_the_trouble_belongs_to_its_cure() {
    let red = turn(
        "the window hangs when it is empty. write a failing test first",
        vec![edit("tests/window.rs", "", "#[test]\nfn boundary() {}"), ran("cargo test", false, FAILED)],
        "`open` compares with `<`, so the last slot is never opened because the window counts from one. Shall I change `open`?",
    );
    let cure = edit(
        "src/window.rs",
        "fn open(n: u8) -> bool {\n    n < 3\n}",
        "fn open(n: u8) -> bool {\n    n <= 3\n}",
    );
    let green = turn(
        "yes, keep it simple, i dont care if two of them open twice",
        vec![cure, ran("cargo test", true, PASSED)],
        "Fixed: `open` takes the last slot in.",
    );
    let distilled = distil(&green, &[red]);
    assert_eq!(titles(&distilled), [(Sort::Bugfix, "Fixed “the window was empty” in open (window.rs)")]);
    let narrative = &distilled.observations[0].observation.narrative;
    assert!(narrative.contains("the last slot is never opened because"), "{narrative}");
}

#[test]
fn a_script_that_came_and_went_is_no_fix() {
    let before = [turn(
        "the list is slow",
        vec![created("scripts/bench_list.py", "print(1)"), edit("list.py", "a = all()", "a = some()")],
        "`list.py` asks once.",
    )];
    let gone = Edit {
        path: "scripts/bench_list.py".to_owned(),
        before: "print(1)".to_owned(),
        after: String::new(),
        fate: Fate::Deleted,
    };
    let steps = vec![
        edit("tests/test_list.py", "", "def test_queries():\n    assert True"),
        step(What::Edited(vec![gone]), true, ""),
    ];
    let follow_up =
        turn("add a test so that nobody breaks it again. dont commit the bench script", steps, "Added.");
    assert_eq!(titles(&distil(&follow_up, &before)), []);
}

#[test]
fn what_git_cleaned_away_was_an_attempt() {
    let tried = turn(
        "try to compile the parser with nightly features",
        vec![
            created("src/parser_next.rs", "#![feature(gen_blocks)]"),
            edit("Cargo.toml", "edition = \"2021\"", "edition = \"2024\""),
            ran("cargo build", false, "error: edition 2024 is not supported by this version of rustc"),
        ],
        "`rustc` 1.80 cannot build `edition = \"2024\"`; it came with 1.85, which CI does not have.",
    );
    let back = turn(
        "ok, revert everything, again when CI has 1.85",
        vec![ran("git checkout -- . && git clean -fdq src", true, "")],
        "Reverted.",
    );
    let distilled = distil(&back, &[tried]);
    let found: Vec<_> = titles(&distilled).into_iter().filter(|(sort, _)| *sort != Sort::Decision).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, Sort::Discovery);
    assert!(found[0].1.contains("cannot build"), "{found:?}");
}

#[test]
fn a_step_on_the_way_waits_for_what_it_comes_to() {
    let slow = "DJANGO=1 python bench.py";
    let first = turn(
        "GET /report is awfully slow on staging (~4 s)",
        vec![
            ran(slow, true, "median 4100 ms, 900 queries"),
            edit("report.py", "rows = all()", "rows = joined()"),
            ran(slow, true, "median 800 ms, 90 queries"),
        ],
        "First step: 4100 ms to 800 ms. The remaining queries come from `total`. Go on?",
    );
    assert_eq!(titles(&distil(&first, &[])), []);
    let second = turn(
        "yes",
        vec![
            edit("report.py", "rows = joined()", "rows = annotated()"),
            ran(slow, true, "median 200 ms, 4 queries"),
        ],
        "`report.py` annotates `total` now.",
    );
    let distilled = distil(&second, &[first]);
    let told = titles(&distilled);
    assert_eq!(told, [(Sort::Refactor, "GET /report: 4100 ms → 200 ms")]);
}

#[test]
fn prose_is_done_though_a_build_fails_as_before() {
    let page = "## serve\n\nStarts the preview on `PORT`.\n".repeat(12);
    let pages = turn(
        "the README lacks the `serve` command, bring it and docs/serve.md up to date",
        vec![
            edit("README.md", "## Use", &format!("## Use\n\n{page}")),
            edit("docs/serve.md", "# Serve", &format!("# Serve\n\n{page}")),
            ran("mdbook build", false, "error: broken link in intro.md"),
        ],
        "README.md and docs/serve.md describe `serve` and `PORT`. The broken link existed before.",
    );
    let next = turn("thanks, bye", Vec::new(), "Bye.");
    assert_eq!(
        titles(&distil(&pages, &[])),
        [(Sort::Change, "README.md and docs/serve.md describe `serve` and `PORT`")]
    );
    assert_eq!(titles(&distil(&next, &[pages])), []);
}

#[test]
fn a_rule_says_what_it_points_at() {
    let said = |prompt: &str| {
        let distilled = distil(&turn(prompt, Vec::new(), "Ok."), &[]);
        titles(&distilled).first().map(|(_, title)| (*title).to_owned())
    };
    assert_eq!(
        said("what happens if the upload stops? the file must not be listed then").as_deref(),
        Some("The file must not be listed if the upload stops")
    );
    assert_eq!(
        said("pull the parsing out of the handler. we use serde_path in the other handlers, follow that")
            .as_deref(),
        Some("serde_path in handlers")
    );
    assert_eq!(
        said("nice but please no wildcard re-exports at the top, we dont do that in this repo").as_deref(),
        Some("No wildcard re-exports at the top")
    );
}

#[rstest]
#[case(
    "Cart#total is a mess, pull it out into a class of its own",
    Some("Pulled Cart#total out into a class of its own")
)]
#[case("90 days are enough, put a cleanup into the weekly job", Some("Put a cleanup into the weekly job"))]
#[case("this is a mess, pull it out into a class", None)]
#[case("the page is slow, no idea why", None)]
fn an_order_may_stand_behind_its_reason(#[case] wish: &str, #[case] expected: Option<&str>) {
    assert_eq!(request::done_behind(wish, 70).as_deref(), expected);
}

#[test]
fn what_git_brought_back_was_never_taken_back() {
    let change = || {
        edit(
            "src/window.rs",
            "fn open(n: u8) -> bool {\n    n < 3\n}",
            "fn open(n: u8) -> bool {\n    n <= 3\n}",
        )
    };
    let told = |look: Vec<Step>| {
        let steps = [vec![change()], look, vec![ran("cargo test", true, PASSED)]].concat();
        let distilled =
            distil(&turn("the last window does not open, fix it", steps, "`open` counts from one."), &[]);
        distilled.observations.into_iter().map(|found| found.observation.files_modified).collect::<Vec<_>>()
    };
    let kept = vec![vec!["src/window.rs".to_owned()]];
    assert_eq!(told(vec![ran("git stash -q; cargo run; git stash pop -q", true, "")]), kept);
    assert_eq!(
        told(vec![ran("git stash", true, ""), ran("cargo run", true, ""), ran("git stash pop", true, "")]),
        kept
    );
    assert_eq!(told(vec![ran("git stash", true, "")]), Vec::<Vec<String>>::new());
}
