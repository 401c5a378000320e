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
        assert!(refusal.problem.starts_with("decisions/D-002-use-utc.md, line "), "{refusal}");
        assert!(refusal.next.starts_with("The file is left as it is"), "{refusal}");
    }
    assert_eq!(desk.read("decisions/D-002-use-utc.md"), before);
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
