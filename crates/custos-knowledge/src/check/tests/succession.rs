//! Decisions whose place another took, and that still hold.

use rstest::rstest;

use super::*;

#[test]
fn what_a_crash_left_active_is_archived_as_saving_would_have() {
    let desk = Patient::in_order();
    desk.put("decisions/D-001-old.md", decision("D-001", "old", ""));
    desk.put("decisions/D-002-new.md", decision("D-002", "new", "supersedes: [D-001]\n"));
    let what = "still holds, and decisions/D-002-new.md says that it supersedes it";
    assert_eq!(desk.check(false), [format!("decisions/D-001-old.md:5 fixable: {what}")]);
    let report = desk.base.check(&desk.view(), true).unwrap();
    assert_eq!(told(&report.findings), [format!("decisions/D-001-old.md:5 fixed: {what}")]);
    assert_eq!(report.findings[0].next, "It is archive/decisions/D-001-old.md now");
    let text = desk.read("archive/decisions/D-001-old.md");
    let (by, why) = ("status: superseded\nsuperseded_by: D-002\n", "archived_reason: superseded by D-002\n");
    assert!(text.contains(by) && text.contains(why), "{text}");
    assert_eq!(desk.check(false), [""; 0]);
}

#[rstest]
#[case::guarded(
    "D-001",
    "guard:\n  command: x\n",
    "It carries a guard: ask the person to run `custos decisions archive D-001 --reason … --superseded-by D-002`"
)]
#[case::later(
    "D-003",
    "",
    "Archive it if it is meant (archive_decision with superseded_by D-002), or take it out of `supersedes` there"
)]
fn what_takes_a_judgement_is_only_told(#[case] id: &str, #[case] more: &str, #[case] next: &str) {
    let desk = Patient::in_order();
    let old = format!("decisions/{id}-old.md");
    desk.put(&old, decision(id, "old", more));
    desk.put("decisions/D-002-new.md", decision("D-002", "new", &format!("supersedes: [{id}]\n")));
    let report = desk.base.check(&desk.view(), true).unwrap();
    assert_eq!(
        told(&report.findings),
        [format!("{old}:5 by hand: still holds, and decisions/D-002-new.md says that it supersedes it")]
    );
    assert_eq!(report.findings[0].next, next);
}

#[test]
fn of_two_that_name_each_other_one_stays() {
    let desk = Patient::in_order();
    desk.put("decisions/D-001-a.md", decision("D-001", "a", "supersedes: [D-002]\n"));
    desk.put("decisions/D-002-b.md", decision("D-002", "b", "supersedes: [D-001]\n"));
    desk.check(true);
    assert_eq!(desk.view().own().store.list("decisions"), ["D-002-b.md"]);
    assert_eq!(desk.check(false), [""; 0]);
}

#[test]
fn one_that_supersedes_itself_or_does_not_hold_itself_takes_nothing_away() {
    let desk = Patient::in_order();
    desk.put("decisions/D-001-a.md", decision("D-001", "a", "supersedes: [D-001]\n"));
    let revoked = decision("D-002", "b", "supersedes: [D-001]\n").replace("active", "revoked");
    desk.put("archive/decisions/D-002-b.md", revoked);
    assert_eq!(desk.check(true), [""; 0]);
}

#[test]
fn one_of_another_store_is_told_where_its_successor_is() {
    let desk = Desk::workspace();
    desk.put(".gitignore", "local/\n");
    desk.put("decisions/D-001-of-all.md", decision("D-001", "of-all", ""));
    desk.put("../api/.ai/.gitignore", "local/\n");
    let new = decision("D-001", "of-api", "supersedes: [\"workspace:D-001\"]\n");
    desk.put("../api/.ai/decisions/D-001-of-api.md", new);
    let findings = desk.base.check(&desk.view(), true).unwrap().findings;
    assert_eq!(
        told(&findings),
        ["decisions/D-001-of-api.md:6 by hand: says that it supersedes workspace:D-001, which still holds"]
    );
}

#[test]
fn where_an_id_may_have_been_given_anew_nobody_knows_who_was_meant() {
    let desk = Patient::in_order();
    desk.put("decisions/D-001-a.md", decision("D-001", "a", "date: 2026-11-01\n"));
    desk.put("decisions/D-001-b.md", decision("D-001", "b", "date: 2026-11-02\n"));
    let new = decision("D-002", "new", "date: 2026-11-03\nsupersedes: [D-001]\n");
    desk.put("decisions/D-002-new.md", new);
    desk.check(true);
    assert_eq!(desk.view().own().store.list("decisions"), ["D-001-a.md", "D-002-new.md", "D-003-b.md"]);
    let left = [
        "decisions/D-001-a.md:5 by hand: still holds, and decisions/D-002-new.md says that it supersedes it",
    ];
    assert_eq!(desk.check(true), left);
}

#[test]
fn what_one_says_a_thousand_times_is_looked_at_once() {
    let desk = Desk::workspace();
    for store in ["", "../api/.ai/"] {
        desk.put(&format!("{store}.gitignore"), "local/\n");
        desk.put(&format!("{store}decisions/D-001-old.md"), decision("D-001", "old", ""));
    }
    let names = vec!["D-001, d-1, old, \"workspace:D-001\""; 20_000].join(", ");
    let new = decision("D-002", "new", &format!("supersedes: [{names}]\n"));
    desk.put("../api/.ai/decisions/D-002-new.md", new);
    let expected = [
        "decisions/D-001-old.md:5 fixable: still holds, and decisions/D-002-new.md says that it supersedes it",
        "decisions/D-002-new.md:6 by hand: says that it supersedes workspace:D-001, which still holds",
    ];
    assert_eq!(told(&desk.base.check(&desk.view(), false).unwrap().findings), expected);
}

#[test]
fn of_all_that_one_names_only_so_many_are_looked_up() {
    let desk = Patient::in_order();
    let names: Vec<String> = (1..=50_000).map(|number| format!("\"user:D-{number}\"")).collect();
    let new = decision("D-001", "new", &format!("supersedes: [{}]\n", names.join(", ")));
    desk.put("decisions/D-001-new.md", new);
    let told = |number| {
        format!(
            "decisions/D-001-new.md:6 by hand: names user:D-{number} in `supersedes`, and there is no such decision here"
        )
    };
    assert_eq!(desk.check(false), (1..=100).map(told).collect::<Vec<_>>());
}

#[test]
fn by_a_slug_that_two_have_nobody_is_put_away() {
    let desk = Patient::in_order();
    for id in ["D-001", "D-002"] {
        desk.put(&format!("decisions/{id}-clock.md"), decision(id, "clock", ""));
    }
    desk.put("decisions/D-003-new.md", decision("D-003", "new", "supersedes: [clock]\n"));
    let before = desk.files();
    assert_eq!(
        desk.check(true),
        ["decisions/D-002-clock.md:0 by hand: has the same name as decisions/D-001-clock.md, and both hold"]
    );
    assert_eq!(desk.files(), before);
}

#[test]
fn one_takes_the_place_of_another_that_is_called_as_it_is() {
    let desk = Patient::in_order();
    desk.put("decisions/D-001-clock.md", decision("D-001", "clock", ""));
    desk.put("decisions/D-002-clock.md", decision("D-002", "clock", "supersedes: [clock]\n"));
    let what = "still holds, and decisions/D-002-clock.md says that it supersedes it";
    assert_eq!(desk.check(true), [format!("decisions/D-001-clock.md:5 fixed: {what}")]);
    assert_eq!(desk.view().own().store.list("decisions"), ["D-002-clock.md"]);
}
