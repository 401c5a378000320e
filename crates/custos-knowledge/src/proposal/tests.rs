use super::*;
use crate::testing::Desk;

fn proposed(title: &str, wanted: Wanted) -> Proposed {
    Proposed {
        wanted,
        title: title.to_owned(),
        longer: None,
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
    assert_eq!(
        refusal.to_string(),
        "there is no proposal P-002 that waits. `custos proposals` lists those that do"
    );
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

    Evidence: `Cargo.toml`
    ");
}

#[test]
fn what_a_scan_no_longer_proves_is_withdrawn_and_may_come_back() {
    let desk = Desk::repo();
    let view = desk.view();
    let npm = proposed("Dependencies are managed with npm", Wanted::Decision);
    let pnpm = proposed("Dependencies are managed with pnpm", Wanted::Decision);
    let imported = Proposed { source: "import", ..proposed("Commits are small", Wanted::Feedback) };
    let dropped = proposed("Tests run with npm", Wanted::Decision);
    desk.base.propose(&view, &[npm.clone(), imported, dropped.clone()]).unwrap();
    desk.base.drop_proposed(&view, "P-003").unwrap();

    let withdrawn = desk.base.withdraw(&view, |item| item.title == pnpm.title).unwrap();
    assert_eq!(withdrawn, ["P-001"]);
    let staged = desk.base.propose(&view, &[pnpm, dropped]).unwrap();
    assert_eq!(staged, Staged { staged: vec!["P-004".into()], known: 1 });
    assert_eq!(waiting(&desk), ["P-002 Commits are small", "P-004 Dependencies are managed with pnpm"]);

    let staged = desk.base.propose(&view, &[npm]).unwrap();
    assert_eq!(staged, Staged { staged: vec!["P-001".into()], known: 0 });
    assert_eq!(
        waiting(&desk),
        [
            "P-001 Dependencies are managed with npm",
            "P-002 Commits are small",
            "P-004 Dependencies are managed with pnpm"
        ]
    );
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone_and_its_number_is_not_given_again() {
    let desk = Desk::repo();
    let view = desk.view();
    let nextest = proposed("Tests run with nextest", Wanted::Decision);
    desk.base.propose(&view, std::slice::from_ref(&nextest)).unwrap();
    let file = "local/proposals/P-001-tests-run-with-nextest.md";
    let broken = desk.read(file).replace("kind: decision", "kind: [") + "\nA note of a person.\n";
    desk.put(file, &broken);
    // A file may be called otherwise than it says, and one that is none may stand in the way.
    desk.put("local/proposals/P-007-mine.md", "---\nid: P-003\nkind: decision\ntitle: Mine\n---\n");
    desk.put("local/proposals/P-008-commits-are-small.md", "no proposal\n");
    let others = [nextest, proposed("Commits are small", Wanted::Feedback), proposed("New", Wanted::Pattern)];
    let staged = desk.base.propose(&view, &others).unwrap();
    assert_eq!(staged, Staged { staged: vec!["P-009".into()], known: 2 });
    assert_eq!(desk.read(file), broken);
    assert_eq!(desk.read("local/proposals/P-008-commits-are-small.md"), "no proposal\n");
    assert_eq!(waiting(&desk), ["P-003 Mine", "P-009 New"]);
    assert_eq!(desk.base.propose(&view, &others).unwrap(), Staged { staged: Vec::new(), known: 3 });
}

#[test]
fn what_somebody_wrote_beside_a_proposal_stays_when_it_comes_back() {
    let desk = Desk::repo();
    let view = desk.view();
    let npm = proposed("Dependencies are managed with npm", Wanted::Decision);
    desk.base.propose(&view, std::slice::from_ref(&npm)).unwrap();
    let file = "local/proposals/P-001-dependencies-are-managed-with-npm.md";
    desk.put(file, desk.read(file) + "\nA note of a person.\n");
    desk.base.withdraw(&view, |_| false).unwrap();
    let moved = Proposed { evidence: "package.json".to_owned(), more: "It is in another.".to_owned(), ..npm };
    desk.base.propose(&view, &[moved]).unwrap();
    insta::assert_snapshot!(desk.read(file), @r"
    ---
    id: P-001
    kind: decision
    title: Dependencies are managed with npm
    status: waiting
    source: scan
    evidence: package.json
    ---

    # Dependencies are managed with npm

    Dependencies are managed with npm.

    ## More

    It is in the file.

    A note of a person.

    It is in another.
    ");
}

#[test]
fn what_a_person_said_while_a_scan_looked_stands() {
    let desk = Desk::repo();
    let view = desk.view();
    let both =
        [proposed("Tests run with npm", Wanted::Decision), proposed("Lint with eslint", Wanted::Decision)];
    desk.base.propose(&view, &both).unwrap();
    // A person answers both between the scan's look and its write.
    let answered = std::cell::Cell::new(false);
    let is_proven = |_: &Proposal| {
        if !answered.replace(true) {
            desk.base.drop_proposed(&view, "P-001").unwrap();
            desk.base.accept(&view, "P-002").unwrap();
        }
        false
    };
    assert_eq!(desk.base.withdraw(&view, is_proven).unwrap(), Vec::<String>::new());
    let stand = |file: &str| Proposal::read(file, &desk.read(file)).unwrap().stand;
    let files = ["local/proposals/P-001-tests-run-with-npm.md", "local/proposals/P-002-lint-with-eslint.md"];
    assert_eq!(files.map(stand), [Stand::Dropped, Stand::Accepted]);
    // Nor does whoever looked before write over what was said since.
    let store = desk.base.session_store(&view);
    for other in Stand::ALL {
        assert_eq!(settle(&desk.base.lock(store).unwrap(), files[0], other), Ok(false));
    }
    assert_eq!(files.map(stand), [Stand::Dropped, Stand::Accepted]);
    assert_eq!(desk.base.propose(&view, &both).unwrap(), Staged { staged: Vec::new(), known: 2 });
}

#[test]
fn what_would_be_proposed_is_what_is_proposed() {
    let desk = Desk::repo();
    let view = desk.view();
    let all = [
        proposed("Tests run with nextest", Wanted::Decision),
        proposed("Tests run with  Nextest", Wanted::Decision),
        proposed("Commits are small", Wanted::Feedback),
    ];
    desk.base.propose(&view, &all[2..]).unwrap();
    let rehearsed = desk.base.rehearse(&view, &all);
    desk.base.propose(&view, &all).unwrap();
    let waiting = desk.base.proposed(&view).items;
    let made = &*waiting[1].item;
    assert_eq!(rehearsed, [Proposal { id: String::new(), ..made.clone() }]);
    assert_eq!(serde_json::to_value(&rehearsed[0]).unwrap().get("id"), None);
    assert_eq!(desk.base.rehearse(&view, &all), []);
}

#[test]
fn a_proposal_is_known_by_its_number_however_it_is_spelt() {
    for spelling in ["P-002", "p-2", "P2", "p002", "2", " P-02 "] {
        let desk = Desk::repo();
        let view = desk.view();
        let both = [proposed("Tests run with nextest", Wanted::Decision), proposed("New", Wanted::Pattern)];
        desk.base.propose(&view, &both).unwrap();
        assert_eq!(desk.base.drop_proposed(&view, spelling), Ok("P-002".to_owned()), "{spelling}");
        let refusal = desk.base.accept(&view, spelling).unwrap_err();
        assert!(refusal.to_string().contains("that waits"), "{refusal}");
    }
    let desk = Desk::repo();
    desk.base.propose(&desk.view(), &[proposed("New", Wanted::Pattern)]).unwrap();
    for other in ["D-001", "D1", "P-0000000001", "", "P-", "New"] {
        assert!(desk.base.drop_proposed(&desk.view(), other).is_err(), "{other}");
    }
}

#[test]
fn the_name_of_a_proposal_may_say_where_it_waits() {
    let desk = Desk::workspace();
    let view = desk.view();
    let root = |name: &str| {
        let (root, id) = desk.base.place_of_proposal(&view, name).unwrap();
        let below = root.path.strip_prefix(&view.root.path).unwrap();
        (below.display().to_string(), id.to_owned())
    };
    let place = |below: &str, id: &str| (below.to_owned(), id.to_owned());
    assert_eq!(root("api:P-001"), place("api", "P-001"));
    assert_eq!(root(" API: P-1 "), place("api", "P-1"));
    assert_eq!(root("web:p2"), place("web", "p2"));
    assert_eq!(root("workspace:P-001"), place("", "P-001"));
    assert_eq!(root("P-001"), place("", "P-001"));
    assert_eq!(
        root("tools:P-001"),
        place("", "tools:P-001"),
        "there is no such repo, and so no such proposal"
    );
    let refusal = desk.base.place_of_proposal(&view, "user:P-001").unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "there is no proposal user:P-001 that waits. `custos proposals` lists those that do"
    );
}

#[test]
fn proposals_of_one_scan_are_no_duplicates_of_each_other() {
    let desk = Desk::repo();
    let view = desk.view();
    let titles = [
        "Formatting is done with `npm run format`",
        "Linting is done with `npm run lint`",
        "Linting is done with `pnpm run lint`",
    ];
    desk.base.propose(&view, &titles.map(|title| proposed(title, Wanted::Decision))).unwrap();
    let notes = ["P-001", "P-002", "P-003"].map(|id| desk.base.accept(&view, id).unwrap().notes);
    assert_eq!(notes[..2], [Vec::<String>::new(), Vec::new()]);
    // Of two for the same purpose only one can hold.
    assert_eq!(
        notes[2],
        ["D-002 is much the same (Linting is done with `npm run lint`); archive one of them if it is"]
    );
}
