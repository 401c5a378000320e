use super::*;

fn put_twins(desk: &Desk) {
    for (slug, title) in [("use-sqlite", "Use SQLite"), ("use-postgres", "Use Postgres")] {
        desk.put(
            &format!("decisions/D-003-{slug}.md"),
            format!(
                "---\nid: D-003\nslug: {slug}\ntitle: {title}\nstatus: active\n---\n\n# {title}\n\nText.\n"
            ),
        );
    }
}

#[rstest]
#[case("D-001")]
#[case("d1")]
#[case("1")]
#[case("use-sqlite")]
#[case("D-001-use-sqlite")]
#[case("D-001 Use SQLite")]
#[case("use the SQLite")]
#[case("root:Use SQLite")]
fn a_decision_is_found_and_put_away_by_any_of_its_names(#[case] name: &str) {
    let desk = Desk::repo();
    let view = desk.view();
    save(&desk, "Use SQLite");
    save(&desk, "Use files");
    assert_eq!(desk.base.find_decisions(&view, name).len(), 1);
    // As the one that follows, as the one that is replaced, and as the one that goes.
    desk.base.archive_decision(&view, "Use files", "slow", Some(name), false).unwrap();
    let found = desk.base.find_decisions(&view, "use-files").remove(0);
    assert_eq!(found.kept.item.superseded_by.as_deref(), Some("D-001"));
    let next = NewDecision { supersedes: vec![name.to_owned()], ..new("Use Postgres") };
    let saved = desk.base.save_decision(&next, &view).unwrap().remove(0);
    assert_eq!(saved.notes, ["D-001 (Use SQLite) of repo root is archived in its favour"]);
    assert_eq!(desk.base.archive_decision(&view, "Use Postgres", "x", None, false).unwrap().id, "D-003");
}

#[test]
fn an_id_that_two_have_is_not_guessed() {
    let desk = Desk::repo();
    let view = desk.view();
    put_twins(&desk);
    let told = "D-003 could mean several: repo root has D-003-use-postgres (Use Postgres), and repo root has D-003-use-sqlite (Use SQLite). Nothing was changed. Send \"D-003-use-postgres\" or \"D-003-use-sqlite\"; kb_doctor with `fix` gives one of them an id of its own";
    let refused = desk.base.archive_decision(&view, "D-003", "x", None, true).unwrap_err();
    assert_eq!(refused.to_string(), told);
    let next = NewDecision { supersedes: vec!["d3".to_owned()], ..new("Use files") };
    let refused = desk.base.save_decision(&next, &view).unwrap_err();
    assert_eq!(refused.to_string(), told.replacen("D-003", "d3", 1));
    assert_eq!(titles(&desk), ["D-003 Use Postgres", "D-003 Use SQLite"]);
    let found = desk.base.find_decisions(&view, "D-003");
    assert_eq!(
        twins(&found).unwrap(),
        "2 have one id: repo root has D-003-use-postgres (Use Postgres), and repo root has D-003-use-sqlite (Use SQLite). kb_doctor with `fix` gives one of them an id of its own"
    );
    let archived = desk.base.archive_decision(&view, "D-003-use-sqlite", "x", None, true).unwrap();
    assert_eq!(archived.title, "Use SQLite");
    assert_eq!(
        desk.base.archive_decision(&view, "use-postgres", "x", None, true).unwrap().title,
        "Use Postgres"
    );
    assert_eq!(twins(&desk.base.find_decisions(&view, "D-003")), None);
}

#[test]
fn from_the_workspace_they_are_named_with_their_store() {
    let desk = Desk::workspace();
    for slug in ["a", "b"] {
        desk.put(
            &format!("../api/.ai/decisions/D-001-{slug}.md"),
            format!("---\nid: D-001\nslug: {slug}\ntitle: About {slug}\n---\n\nText.\n"),
        );
    }
    let archive = |id: &str| desk.base.archive_decision(&desk.view(), id, "x", None, false);
    assert_eq!(
        archive("api:D-001").unwrap_err().to_string(),
        "D-001 could mean several: repo api has D-001-a (About a), and repo api has D-001-b (About b). Nothing was changed. Send \"api:D-001-a\" or \"api:D-001-b\"; kb_doctor with `fix` gives one of them an id of its own"
    );
    assert_eq!(archive("api:D-001-b").unwrap().title, "About b");
}
