use super::*;

#[test]
fn a_decision_that_cannot_be_read_is_neither_absent_nor_replaced() {
    let desk = Desk::repo();
    let view = desk.view();
    desk.put("decisions/D-002-use-utc.md", "---\nid: D-002\ntitle: [Use UTC\n---\n\nText.\n");
    let before = desk.read("decisions/D-002-use-utc.md");
    let new = NewDecision {
        title: "Use UTC".to_owned(),
        decision: "d".to_owned(),
        source: "manual",
        ..NewDecision::default()
    };
    let refused = [
        desk.base.archive_decision(&view, "D-002", "over", None, true).unwrap_err(),
        desk.base.archive_decision(&view, "use-utc", "over", None, true).unwrap_err(),
        desk.base.save_decision(&new, &view).unwrap_err(),
    ];
    for refusal in refused {
        assert!(refusal.problem.starts_with("decisions/D-002-use-utc.md of repo root, line "), "{refusal}");
        assert!(refusal.next.starts_with("The file is left as it is"), "{refusal}");
    }
    assert_eq!(desk.read("decisions/D-002-use-utc.md"), before);
}

#[test]
fn one_that_can_be_read_does_not_give_way_in_its_stead() {
    let desk = Desk::workspace();
    let alpha =
        "---\nid: D-002\nslug: alpha-one\ntitle: Alpha one\nstatus: active\n---\n# Alpha one\n\nText.\n";
    desk.put("decisions/D-002-alpha-one.md", alpha);
    desk.put("decisions/D-002-beta-two.md", "---\nid: D-002\ntitle: [Beta\n---\n\nText.\n");
    desk.put("../api/.ai/decisions/D-003-gamma.md", "---\nid: D-003\ntitle: [Gamma\n---\n\nText.\n");
    desk.put("decisions/D-003-delta.md", alpha.replace("D-002", "D-003").replace("lpha one", "delta"));
    let save = |old: &str, scope: &[&str]| {
        let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect();
        let new = NewDecision { supersedes: texts(&[old]), scope: texts(scope), ..new("Newer") };
        desk.base.save_decision(&new, &desk.view())
    };
    let broken = "decisions/D-002-beta-two.md of workspace root, line ";
    for name in ["D-002", "2", "workspace:D-002"] {
        let refusal = save(name, &[]).unwrap_err();
        assert!(refusal.problem.starts_with(broken), "{name}: {refusal}");
    }
    let refusal = desk.base.archive_decision(&desk.view(), "workspace:D-003", "over", Some("D-002"), false);
    assert!(refusal.as_ref().is_err_and(|refusal| refusal.problem.starts_with(broken)), "{refusal:?}");
    // It may also be in another store that is written to.
    let refusal = save("D-003", &["all", "api"]).unwrap_err();
    assert!(refusal.problem.starts_with("decisions/D-003-gamma.md of repo api, line "), "{refusal}");
    assert_eq!(desk.read("decisions/D-002-alpha-one.md"), alpha);
    // By its file it is meant, and nothing else.
    save("D-002-alpha-one", &[]).unwrap();
    assert!(desk.read("archive/decisions/D-002-alpha-one.md").contains("superseded_by: "));
}

#[test]
fn the_end_of_a_long_title_begins_the_text() {
    let desk = Desk::repo();
    let title = format!("{} end", "word ".repeat(2_000));
    let new = NewDecision {
        title: title.clone(),
        decision: "The text.".to_owned(),
        source: "manual",
        ..NewDecision::default()
    };
    let saved = desk.base.save_decision(&new, &desk.view()).unwrap().remove(0);
    assert_eq!(saved.notes, ["The title was shortened; its end is at the beginning of the decision"]);
    let found = desk.base.find_decisions(&desk.view(), "D-001");
    let text = &found[0].kept.item.decision;
    assert!(text.starts_with("… word word") && text.ends_with(" end\n\nThe text."), "{text}");
    let (kept, _) = saved.title.split_once('…').unwrap();
    assert_eq!(kept.split_whitespace().count() + text.split_whitespace().count() - 3, 2_001);
    // Saved again it is the same.
    assert!(!desk.base.save_decision(&new, &desk.view()).unwrap().remove(0).created);
}
