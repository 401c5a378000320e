use super::*;
use crate::testing::Desk;

fn proposed(title: &str, wanted: Wanted) -> Proposed {
    Proposed {
        wanted,
        title: title.to_owned(),
        text: format!("{title}."),
        more: "It is in the file.".to_owned(),
        evidence: "Cargo.toml".to_owned(),
        source: "scan",
    }
}

fn waiting(desk: &Desk) -> Vec<String> {
    desk.base
        .proposed(&desk.view())
        .items
        .iter()
        .map(|kept| format!("{} {}", kept.item.id, kept.item.title))
        .collect()
}

#[test]
fn what_was_proposed_once_is_not_proposed_again() {
    let desk = Desk::repo();
    let all = [
        proposed("Tests run with nextest", Wanted::Decision),
        proposed("Commits are small", Wanted::Feedback),
        proposed("Fixtures are recorded", Wanted::Pattern),
    ];
    let view = desk.view();
    let staged = desk.base.propose(&view, &all).unwrap();
    assert_eq!(staged, Staged { staged: vec!["P-001".into(), "P-002".into(), "P-003".into()], known: 0 });
    let decision = desk.base.accept(&view, "p-1").unwrap();
    assert_eq!(
        (decision.became.as_str(), decision.file.as_str()),
        ("D-001", "decisions/D-001-tests-run-with-nextest.md")
    );
    let memory = desk.base.accept(&view, "P-003").unwrap();
    assert_eq!(memory.file, "memory/patterns/fixtures-are-recorded.md");
    assert_eq!(desk.base.drop_proposed(&view, "P-002"), Ok("P-002".to_owned()));
    assert_eq!(waiting(&desk), Vec::<String>::new());
    assert_eq!(desk.base.propose(&view, &all).unwrap(), Staged { staged: Vec::new(), known: 3 });
    let refusal = desk.base.accept(&view, "P-002").unwrap_err();
    assert_eq!(refusal.to_string(), "no proposal P-002 waits. `custos proposals` lists those that do");
    insta::assert_snapshot!(desk.read("decisions/D-001-tests-run-with-nextest.md"), @r"
    ---
    id: D-001
    slug: tests-run-with-nextest
    title: Tests run with nextest
    date: 2026-11-15
    source: scan
    enforce: advisory
    session: s-1
    status: active
    ---

    # Tests run with nextest

    Tests run with nextest.

    ## Reasoning

    It is in the file.
    ");
}
