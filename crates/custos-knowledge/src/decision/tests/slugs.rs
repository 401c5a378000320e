use super::*;

#[test]
fn two_decisions_never_share_a_slug() {
    let desk = Desk::repo();
    let slugs = |titles: &[&str]| -> Vec<String> {
        titles
            .iter()
            .map(|title| {
                let saved = save(&desk, title);
                assert!(saved.created, "{saved:?}");
                desk.base.find_decisions(&desk.view(), &saved.id)[0].kept.item.slug.clone()
            })
            .collect()
    };
    assert_eq!(
        slugs(&["Version 1.2", "Version 1 2", "-1", "1"]),
        ["version-1-2", "version-1-2-2", "1", "1-2"]
    );
    for (slug, title) in [("version-1-2", "Version 1.2"), ("version-1-2-2", "Version 1 2"), ("1-2", "1")] {
        let found = desk.base.find_decisions(&desk.view(), slug);
        let titles: Vec<&str> = found.iter().map(|placed| placed.kept.item.title.as_str()).collect();
        assert_eq!(titles, [title]);
    }
}

#[test]
fn a_taken_slug_is_told_and_one_that_is_given_up_is_free() {
    let desk = Desk::repo();
    save(&desk, "Version 1.2");
    let second = save(&desk, "Version 1 2");
    assert_eq!(second.file, "decisions/D-002-version-1-2-2.md");
    assert_eq!(
        second.notes,
        ["The slug version-1-2 belongs to D-001 (Version 1.2), so this one is version-1-2-2; both stay"]
    );
    let third = NewDecision { supersedes: vec!["D-001".to_owned()], ..new("Version -1 2") };
    let third = desk.base.save_decision(&third, &desk.view()).unwrap().remove(0);
    assert_eq!(
        (third.file.as_str(), third.notes),
        (
            "decisions/D-003-version-1-2.md",
            vec!["D-001 (Version 1.2) of repo root is archived in its favour".to_owned()]
        )
    );
}

#[test]
fn a_suffix_does_not_make_a_slug_too_long() {
    let desk = Desk::repo();
    let long = "x".repeat(LONGEST_SLUG - "-1-2".len());
    save(&desk, &format!("{long} 1.2"));
    let file = save(&desk, &format!("{long} 1 2")).file;
    // With `-2` it would be what it was.
    assert_eq!(file, format!("decisions/D-002-{long}-1-3.md"));
}
