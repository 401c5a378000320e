//! What two items with one id make of what others say about it.

use rstest::rstest;

use super::*;

fn said(desk: &Patient) -> Vec<String> {
    told(&desk.base.check(&desk.view(), false).unwrap().findings)
}

#[test]
fn a_reference_that_is_mutual_goes_with_the_one_that_is_renumbered() {
    let desk = Patient::in_order();
    desk.put("decisions/D-002-main.md", decision("D-002", "main", "date: 2026-11-01\n"));
    let other = decision("D-002", "other", "date: 2026-11-02\nsupersedes: [D-001]\n");
    desk.put("decisions/D-002-other.md", &other);
    let base = decision("D-001", "base", "superseded_by: D-002 # ours\n").replace("active", "superseded");
    desk.put("archive/decisions/D-001-base.md", &base);
    let report = desk.base.check(&desk.view(), true).unwrap();
    assert_eq!(
        told(&report.findings),
        ["decisions/D-002-other.md:2 fixed: has the id D-002, and so has decisions/D-002-main.md"]
    );
    assert_eq!(
        report.findings[0].next,
        "It is decisions/D-003-other.md now, and archive/decisions/D-001-base.md says so"
    );
    assert_eq!(desk.read("decisions/D-003-other.md"), other.replace("D-002", "D-003"));
    assert_eq!(desk.read("archive/decisions/D-001-base.md"), base.replace("D-002", "D-003"));
    assert_eq!(said(&desk), [""; 0]);
}

#[test]
fn two_decisions_of_one_name_are_shown_as_long_as_both_hold() {
    let desk = Patient::in_order();
    // Two branches decided it, and git merged both files.
    desk.put("decisions/D-003-use-postgres.md", decision("D-003", "use-postgres", ""));
    desk.put("decisions/D-004-use-postgres.md", decision("D-004", "use-postgres", ""));
    let shown = "decisions/D-004-use-postgres.md:0 by hand: has the same name as decisions/D-003-use-postgres.md, and both hold";
    assert_eq!(said(&desk), [shown]);
    assert_eq!(told(&desk.base.check(&desk.view(), true).unwrap().findings), [shown]);
    // Who saves it once more hears of both.
    let again = crate::testing::decision("About use-postgres");
    let saved = desk.base.save_decision(&again, &desk.view()).unwrap();
    assert_eq!(saved[0].notes.last().unwrap(), "D-004 has this title as well, and both hold: look at both");
    desk.base.archive_decision(&desk.view(), "D-004", "past", Some("D-003"), true).unwrap();
    assert_eq!(said(&desk), [""; 0]);
}

#[rstest]
#[case::older("date: 2026-11-01\n", "date: 2026-11-02\n", "b", ", the newer")]
#[case::older_whatever_its_name("date: 2026-11-02\n", "date: 2026-11-01\n", "a", ", the newer")]
#[case::without_a_date("", "date: 2026-11-01\n", "a", ", which has no date")]
#[case::of_one_day(
    "date: 2026-11-01\n",
    "date: 2026-11-01\n",
    "b",
    ", for nothing tells which is older and the other comes first by name"
)]
#[case::without_dates("", "", "b", ", for nothing tells which is older and the other comes first by name")]
fn only_what_is_newer_is_called_so(
    #[case] a: &str,
    #[case] b: &str,
    #[case] renumbered: &str,
    #[case] why: &str,
) {
    let desk = Patient::in_order();
    desk.put("decisions/D-001-a.md", decision("D-001", "a", a));
    desk.put("decisions/D-001-b.md", decision("D-001", "b", b));
    let next = |fix| {
        let found = desk.base.check(&desk.view(), fix).unwrap().findings;
        found.into_iter().map(|finding| (finding.file, finding.next)).collect::<Vec<_>>()
    };
    let file = format!("decisions/D-001-{renumbered}.md");
    let told =
        format!("The repair gives this one{why}, the next free id; references to it are left as they are");
    assert_eq!(next(false), [(file.clone(), told)]);
    assert_eq!(next(true), [(file, format!("It is decisions/D-002-{renumbered}.md now"))]);
}

#[test]
fn of_two_memories_only_what_is_newer_is_called_so() {
    let desk = Patient::in_order();
    let of_day = memory("x", "date: 2026-11-01\n");
    desk.put("memory/feedback/x.md", &of_day);
    desk.put("memory/patterns/x.md", of_day.replace("What x", "What else x"));
    let found = desk.base.check(&desk.view(), false).unwrap().findings;
    assert_eq!(
        found[0].next,
        "The repair gives this one, for nothing tells which is older and the other comes first by name, another slug; merge_memories makes one of two"
    );
}

#[test]
fn so_does_what_names_one_that_says_it_is_superseded() {
    let desk = Patient::in_order();
    desk.put("decisions/D-002-main.md", decision("D-002", "main", "date: 2026-11-01\n"));
    let other = decision("D-002", "other", "date: 2026-11-02\nsuperseded_by: D-004\n");
    desk.put("decisions/D-002-other.md", other.replace("active", "superseded"));
    desk.put("decisions/D-005-older.md", decision("D-005", "older", "date: 2026-11-01\n"));
    let twin = decision("D-005", "twin", "date: 2026-11-02\nsuperseded_by: D-004\n");
    desk.put("decisions/D-005-twin.md", twin.replace("active", "superseded"));
    // One file names two that are renumbered.
    desk.put("decisions/D-004-new.md", decision("D-004", "new", "supersedes: [D-002, d-5, D-001]\n"));
    desk.put("archive/decisions/D-001-base.md", decision("D-001", "base", "archived: 2026-11-01\n"));
    desk.check(true);
    assert!(
        desk.read("decisions/D-004-new.md").contains("supersedes: [D-006, D-007, D-001]\n"),
        "{}",
        desk.read("decisions/D-004-new.md")
    );
    let names: Vec<String> = desk.names().into_iter().filter(|name| name.contains("archive")).collect();
    assert_eq!(
        names,
        [
            "archive/decisions/D-001-base.md",
            "archive/decisions/D-006-other.md",
            "archive/decisions/D-007-twin.md"
        ]
    );
    assert_eq!(said(&desk), [""; 0]);
}

#[test]
fn what_means_the_one_that_keeps_its_id_stays_and_what_could_mean_both_is_shown() {
    let desk = Patient::in_order();
    let supersedes = |date: &str| format!("date: 2026-11-0{date}\nsupersedes: [D-001]\n");
    desk.put("decisions/D-002-main.md", decision("D-002", "main", &supersedes("1")));
    desk.put("decisions/D-002-other.md", decision("D-002", "other", "date: 2026-11-02\n"));
    desk.put("archive/decisions/D-001-base.md", decision("D-001", "base", "superseded_by: D-002\n"));
    let twin = "decisions/D-002-other.md:2 fixable: has the id D-002, and so has decisions/D-002-main.md";
    assert_eq!(said(&desk), [twin]);
    desk.put("decisions/D-002-other.md", decision("D-002", "other", &supersedes("2")));
    assert_eq!(
        said(&desk),
        [
            "archive/decisions/D-001-base.md:6 by hand: names D-002 in `superseded_by`, and two files had that id",
            twin,
        ]
    );
}

#[test]
fn two_with_one_id_in_the_archive_are_shown() {
    let desk = Patient::in_order();
    for slug in ["a", "b"] {
        desk.put(
            &format!("archive/decisions/D-002-{slug}.md"),
            decision("D-002", slug, "archived: 2026-11-01\n").replace("active", "revoked"),
        );
        desk.put(
            &format!("archive/backlog/B-003-{slug}.md"),
            format!("---\nid: B-003\nslug: {slug}\nstatus: done\n---\n# {slug}\n"),
        );
    }
    // Archived, taken back and archived again.
    for name in ["D-001-c", "D-001-c-2"] {
        desk.put(&format!("archive/decisions/{name}.md"), decision("D-001", "c", "archived: 2026-11-01\n"));
    }
    let before = desk.files();
    for fix in [true, false] {
        assert_eq!(
            desk.check(fix),
            [
                "archive/backlog/B-003-b.md:0 by hand: has the id B-003, and so has archive/backlog/B-003-a.md",
                "archive/decisions/D-002-b.md:0 by hand: has the id D-002, and so has archive/decisions/D-002-a.md",
            ]
        );
    }
    assert_eq!(desk.files(), before);
}

#[test]
fn numbers_that_the_doctor_gives_out_are_not_given_out_again() {
    let desk = Patient::in_order();
    for (slug, day) in [("a", 1), ("b", 2)] {
        desk.put(
            &format!("decisions/D-001-{slug}.md"),
            decision("D-001", slug, &format!("date: 2026-11-0{day}\n")),
        );
        desk.put(
            &format!("backlog/B-001-{slug}.md"),
            format!("---\nid: B-001\nslug: {slug}\nstatus: open\ncreated: 2026-11-0{day}\n---\n# {slug}\n"),
        );
    }
    let view = desk.view();
    desk.base.ask(&view, "First?", "").unwrap();
    let question = desk.read("questions.md");
    let second = question[question.find("## ").unwrap()..].replace("First?", "Second?");
    desk.put("questions.md", format!("{question}\n{second}"));
    assert_eq!(desk.check(true).len(), 3);
    assert_eq!(desk.read("local/ids"), "Q 2\nD 2\nB 2\n");
    for file in ["decisions/D-002-b.md", "backlog/B-002-b.md", "questions.md"] {
        fs::remove_file(desk.path(file)).unwrap();
    }
    let new = NewDecision {
        title: "Use UTC".to_owned(),
        decision: "d".to_owned(),
        source: "session",
        ..NewDecision::default()
    };
    let task = NewTask { title: "Paint".to_owned(), description: "Blue.".to_owned(), ..NewTask::default() };
    assert_eq!(desk.base.save_decision(&new, &view).unwrap()[0].id, "D-003");
    assert_eq!(desk.base.add_task(&task, &view).unwrap()[0].id, "B-003");
    assert_eq!(desk.base.ask(&view, "Third?", "").unwrap().id, "Q-003");
}
