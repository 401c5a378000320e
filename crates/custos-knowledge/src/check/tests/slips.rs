//! Slips of a hand or of a merge, in front matter and in questions.

use super::*;

#[test]
fn front_matter_without_its_first_line_is_shown_and_left_alone() {
    let desk = Patient::in_order();
    let lost = decision("D-001", "a", "enforce: required\n").replacen("---\n", "", 1);
    desk.put("decisions/D-001-a.md", &lost);
    desk.put(
        "decisions/D-002-b.md",
        format!("\n\u{feff}\n{}", decision("D-002", "b", "enforce: required\n")),
    );
    let found = [
        "decisions/D-001-a.md:1 by hand: the front matter begins here without the line `---` that belongs above it",
    ];
    assert_eq!(desk.check(false), found);
    assert_eq!(desk.check(true), found);
    assert_eq!(desk.read("decisions/D-001-a.md"), lost);
    let read = desk.base.decisions(&desk.view(), false);
    let read: Vec<_> =
        read.iter().map(|placed| (placed.kept.item.id.as_str(), placed.kept.item.enforce)).collect();
    assert_eq!(read, [("D-002", crate::decision::Enforce::Required)]);
}

#[test]
fn questions_with_one_id_get_two() {
    let desk = Patient::in_order();
    let question = |title: &str, asked: &str| {
        format!("\n## Q-001: {title}\n\n- status: open\n- asked: {asked}\n\n### Question\n\n> {title}\n")
    };
    let (newer, elder) =
        (question("Which port?", "2026-11-15T20:55:09Z"), question("Which host?", "2026-11-14T20:55:09Z"));
    desk.put("questions.md", format!("# Questions\n{newer}{elder}{elder}"));
    let told = |state: &str, line: usize| {
        format!("questions.md:{line} {state}: Q-001 is the id of the question in line 3 as well")
    };
    assert_eq!(desk.check(false), [told("fixable", 12), told("fixable", 21)]);
    let report = desk.base.check(&desk.view(), true).unwrap();
    assert_eq!(super::told(&report.findings), [told("fixed", 12)]);
    assert_eq!(
        report.findings[0].next,
        "\"Which port?\" in line 3 is Q-002 now. The copy in line 21 is removed"
    );
    assert_eq!(
        desk.read("questions.md"),
        format!("# Questions\n{}{elder}\n", newer.replace("Q-001", "Q-002"))
    );
    assert_eq!(desk.check(false), [""; 0]);
    // What cannot be told apart by a program is said as it is.
    desk.put("questions.md", "## Q-001: Which port?\n\n- status: perhaps\n");
    let report = desk.base.check(&desk.view(), true).unwrap();
    let said: Vec<_> = report.findings.iter().map(|finding| (finding.line, finding.next.as_str())).collect();
    assert_eq!(said, [(3, "Mend it by hand; until then this question counts as open and is not changed")]);
}

#[test]
fn a_question_without_an_id_is_told_with_the_heading_that_it_needs() {
    let desk = Patient::in_order();
    let text = "# Questions\n\n## Q-004: Which port?\n\n- status: open\n\n## How about caching?\n\nIt is slow.\n\n## Which host\n\n### Answer\n\n## Notes\n\n```\n## What is this?\n```\n";
    desk.put("questions.md", text);
    let report = desk.base.check(&desk.view(), true).unwrap();
    let said: Vec<_> = report
        .findings
        .iter()
        .map(|finding| (finding.line, finding.what.as_str(), finding.next.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (
                7,
                "has a question without an id, which nobody can answer: \"How about caching?\"",
                "Write `## Q-005: How about caching?`"
            ),
            (
                11,
                "has a question without an id, which nobody can answer: \"Which host\"",
                "Write `## Q-006: Which host`"
            ),
        ]
    );
    assert_eq!(desk.read("questions.md"), text);
    let asked = desk.base.questions(&desk.view());
    assert_eq!((asked.questions.len(), asked.faults.len()), (1, 2));
}

#[test]
fn what_lists_show_nothing_of_is_told() {
    let desk = Patient::in_order();
    desk.put(
        "decisions/D-001-a.md",
        decision("D-001", "a", "").replace("What a says.", "## Context\n\nLong."),
    );
    desk.put(
        "decisions/D-002-b.md",
        decision("D-002", "b", "").replace("What b says.", "## Decision\n\nShort."),
    );
    desk.put("memory/patterns/c.md", memory("c", "").replace("What c says.", "## Details\n\nMuch."));
    let what = "has no text that lists could show beside its title";
    assert_eq!(
        desk.check(true),
        [
            format!("decisions/D-001-a.md:0 by hand: {what}"),
            format!("memory/patterns/c.md:0 by hand: {what}"),
        ]
    );
}

#[test]
fn a_question_in_which_somebody_wrote_is_no_copy() {
    let desk = Patient::in_order();
    let question = "\n## Q-001: Which port?\n\n- status: open\n- asked: 2026-11-15T20:55:09Z\n\n### Question\n\n> Which port?\n";
    let noted = question.replace("### Question", "Bob on the phone: ticket 4711.\n\n### Question");
    // However its lines end, a copy is one.
    let copy = question.replace('\n', "\r\n");
    desk.put("questions.md", format!("# Questions\n{question}{noted}{copy}"));
    let report = desk.base.check(&desk.view(), true).unwrap();
    assert_eq!(
        report.findings[0].next,
        "\"Which port?\" in line 12 is Q-002 now. The copy in line 23 is removed"
    );
    assert_eq!(
        desk.read("questions.md"),
        format!("# Questions\n{question}{}\r\n", noted.replace("Q-001", "Q-002"))
    );
    assert_eq!(desk.check(false), [""; 0]);
}

#[test]
fn an_id_that_only_the_name_has_is_written_down() {
    let desk = Patient::in_order();
    desk.put("decisions/D-020-x.md", "---\nslug: x\nstatus: active\n---\n# X\n\nText.\n");
    desk.put("backlog/B-7-y.md", "---\nid:\nslug: y\nstatus: open\n---\n# Y\n\nText.\n");
    desk.put("decisions/nameless.md", "---\nslug: z\nstatus: active\n---\n# Z\n\nText.\n");
    let expected = [
        "backlog/B-7-y.md:1 fixed: has no id in its front matter",
        "decisions/D-020-x.md:1 fixed: has no id in its front matter",
        "decisions/nameless.md:1 by hand: has no id; its front matter should give it one that no other has: `id: D-…`",
    ];
    assert_eq!(desk.check(true), expected);
    assert_eq!(desk.check(true), expected[2..]);
    assert_eq!(
        desk.read("decisions/D-020-x.md"),
        "---\nslug: x\nstatus: active\nid: D-020\n---\n# X\n\nText.\n"
    );
    assert_eq!(desk.read("backlog/B-7-y.md"), "---\nid: B-007\nslug: y\nstatus: open\n---\n# Y\n\nText.\n");
}

#[test]
fn an_id_that_another_has_is_written_down_for_neither() {
    let desk = Patient::in_order();
    let nameless = "---\nslug: x\nstatus: active\n---\n# X\n\nText.\n";
    desk.put("decisions/D-020-x.md", nameless);
    desk.put("archive/decisions/D-020-x.md", "---\nid: D-020\nslug: x\nstatus: revoked\n---\n# X\n\nText.\n");
    desk.put("decisions/D-021-y.md", "---\nslug: y\nstatus: active\ndate: 2026-11-02\n---\n# Y\n\nText.\n");
    desk.put("decisions/D-021-w.md", decision("D-021", "w", "date: 2026-11-01\n"));
    let expected = [
        "decisions/D-020-x.md:0 by hand: is in the archive as well, as archive/decisions/D-020-x.md",
        "decisions/D-020-x.md:1 by hand: has no id in its front matter",
        "decisions/D-021-y.md:0 fixed: has the id D-021, and so has decisions/D-021-w.md",
    ];
    assert_eq!(desk.check(true), expected);
    assert_eq!(desk.read("decisions/D-020-x.md"), nameless);
    assert!(desk.read("decisions/D-022-y.md").contains("\nid: D-022\n"));
}

#[test]
fn a_readme_is_no_item_and_no_defect() {
    let desk = Patient::in_order();
    for directory in ["decisions", "backlog", "memory/feedback", "memory/patterns", "archive/decisions"] {
        desk.put(&format!("{directory}/README.md"), "# What is in here\n\nSee the docs.\n");
    }
    assert_eq!(desk.check(true), [""; 0]);
    assert_eq!(
        (desk.base.decisions(&desk.view(), true).len(), desk.base.count_memories(&desk.view())),
        (0, 0)
    );
}

#[test]
fn what_is_secret_in_a_file_is_for_a_person_to_take_out() {
    let desk = Patient::in_order();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let text = decision("D-001", "a", "").replace("says.", &format!("says {token}."));
    desk.put("decisions/D-001-a.md", &text);
    assert_eq!(desk.check(true), ["decisions/D-001-a.md:10 by hand: has something secret or private in it"]);
    assert_eq!(desk.read("decisions/D-001-a.md"), text);
}
