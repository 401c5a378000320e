//! What is too large, no UTF-8, secret, or would get the id of something that is gone.

use super::*;

fn tree(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (file, bytes) in files {
        put_bytes(&dir.path().join(".axme-code").join(file), bytes);
    }
    dir
}

#[expect(clippy::disallowed_methods, reason = "a test that makes its own files")]
fn put_bytes(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn store_of(desk: &Desk) -> PathBuf {
    desk.view().own().store.dir.clone()
}

#[test]
fn a_rule_with_a_secret_in_it_is_not_carried_and_its_line_is_told() {
    let desk = Desk::repo();
    let secret = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let unseen = secret.replace("E7710", "E7\u{200b}710");
    let rules = format!(
        "git:\n  protectedBranches: [release]\n{secret}: 1\nbash:\n  deniedPrefixes:\n    - curl -H Authorization:{secret} https://x\n    - npm publish\n    - echo {unseen}\nfilesystem:\n  {secret}: 1\n  deniedPaths: [/keys/{secret}]\n"
    );
    let dir = tree(&[("safety/rules.yaml", rules.as_bytes())]);
    let report = desk.base.carry_axme(&find(dir.path()).unwrap()).unwrap();
    let carried = &report.stores[0];
    let kept: Vec<&str> = carried.rules.iter().map(|rule| rule.pattern.as_str()).collect();
    assert_eq!(kept, ["release", "npm publish"]);
    let why = "a rule has a secret in it, which is not kept, and without it the rule would hold nothing; `custos guard add` takes one with `*` in its place";
    assert_eq!(
        said(&carried.lost),
        [
            format!("safety/rules.yaml: line 11: in filesystem.deniedPaths, {why}"),
            format!("safety/rules.yaml: line 6: in bash.deniedPrefixes, {why}"),
            format!("safety/rules.yaml: line 8: in bash.deniedPrefixes, {why}"),
        ]
    );
    assert_eq!(report.lost(), 3);
    let all = told(&report, &store_of(&desk), &desk.view().root.path) + &format!("{:?}", carried.rules);
    assert!(!all.contains("16C7e42F29"), "{all}");
}

#[test]
fn a_large_worklog_and_large_questions_are_carried_and_nothing_is_lost() {
    let desk = Desk::repo();
    let line = "What was done here, in a few words that are of no interest. ".repeat(20);
    let sections: String = (0..2_500)
        .map(|at| {
            format!("## 2026-06-{:02} 10:{:02} — Session {at:08}: {line}\n\n", at / 60 % 30 + 1, at % 60)
        })
        .collect();
    let journal: String =
        (0..25_000).map(|at| format!("{{\"at\":{at},\"note\":\"{}\"}}\n", "x".repeat(90))).collect();
    let questions: String = (1..=1_000)
        .map(|at| {
            format!(
                "## Q-{at:03} [open] 2026-06-20 10:00:00 source=manual\n\n**Question**: Number {at}? {}\n\n",
                "y".repeat(600)
            )
        })
        .collect();
    let decision = format!("---\nid: D-001\ntitle: Large\n---\n\n{}\n", "z".repeat(600 << 10));
    let unknown = "w".repeat(1_500_000);
    let dir = tree(&[
        ("worklog.md", sections.as_bytes()),
        ("worklog.jsonl", journal.as_bytes()),
        ("open-questions.md", questions.as_bytes()),
        ("decisions/D-001-large.md", decision.as_bytes()),
        ("notes", unknown.as_bytes()),
    ]);
    let trees = find(dir.path()).unwrap();
    let report = desk.base.carry_axme(&trees).unwrap();
    let carried = &report.stores[0];
    assert_eq!(
        said(&carried.aside),
        [
            "decisions/D-001-large.md: is larger than 512 KB: in archive/axme/decisions/D-001-large.md",
            "notes: has no place of its own: in archive/axme/notes.part-1 to archive/axme/notes.part-2",
            "worklog.jsonl: the journal of AXME Code has times and writers of its own: in local/axme/worklog.part-1.jsonl to local/axme/worklog.part-3.jsonl",
            "worklog.md: its 2397 oldest sections are too much for ours: in local/axme/worklog.part-1.md to local/axme/worklog.part-3.md",
        ]
    );
    assert_eq!(report.lost(), 0);
    assert_eq!((report.new_of("questions"), report.new_of("worklog sections")), (1_000, 103));
    let view = desk.view();
    assert_eq!(desk.base.open_questions(&view).questions.len(), 1_000);
    let parts = |stem: &str, ending: &str, count: usize| -> String {
        (1..=count).map(|at| desk.read(&format!("{stem}.part-{at}{ending}"))).collect()
    };
    assert!(parts("local/axme/worklog", ".md", 3) == sections);
    assert!(parts("local/axme/worklog", ".jsonl", 3) == journal);
    assert!(parts("archive/axme/notes", "", 2) == unknown);
    assert!(desk.read("archive/axme/decisions/D-001-large.md") == decision);
    let first = whole(&store_of(&desk));
    assert!(desk.base.carry_axme(&trees).unwrap().is_empty());
    assert!(whole(&store_of(&desk)) == first);
}

#[test]
fn of_more_questions_than_there_is_room_for_the_open_and_the_new_ones_come_first() {
    let desk = Desk::repo();
    let question = |at: usize, status: &str, day: usize| {
        format!(
            "## Q-{at:03} [{status}] 2026-06-{day:02} 10:00:00 source=manual\n\n**Question**: Number {at}? {}\n\n**Answer**: Yes.\n\n",
            "y".repeat(250 << 10)
        )
    };
    let all =
        [question(1, "applied", 9), question(2, "open", 1), question(3, "open", 3), question(4, "open", 2)];
    let whole_text = all.concat() + &question(5, "answered", 8);
    let dir = tree(&[("open-questions.md", whole_text.as_bytes())]);
    let trees = find(dir.path()).unwrap();
    let report = desk.base.carry_axme(&trees).unwrap();
    assert_eq!(
        said(&report.stores[0].aside),
        [
            "open-questions.md: 2 of its questions are too much for ours: in archive/axme/open-questions.part-1.md to archive/axme/open-questions.part-2.md"
        ]
    );
    let kept: Vec<String> =
        desk.base.questions(&desk.view()).questions.into_iter().map(|question| question.id).collect();
    assert_eq!(kept, ["Q-002", "Q-003", "Q-004"]);
    assert!(desk.base.carry_axme(&trees).unwrap().is_empty());
}

#[test]
fn utf_16_is_read_and_broken_bytes_are_replaced() {
    let desk = Desk::repo();
    let text = "---\nid: D-007\ntitle: Größe\n---\n\nAlle Maße in Metern.\n";
    let little: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let big: Vec<u8> = [0xfe, 0xff]
        .into_iter()
        .chain(
            text.replace("D-007", "D-008").replace("Größe", "Maß").encode_utf16().flat_map(u16::to_be_bytes),
        )
        .collect();
    let cut = [little.as_slice(), b"\0"].concat();
    let dir = tree(&[
        ("decisions/D-007-little.md", &little),
        ("decisions/D-008-big.md", &big),
        ("decisions/D-009-cut.md", &cut),
        ("decisions/D-010-zeroes.md", b"---\nid: D-010\n---\n\nA\0B\xff.\n"),
    ]);
    let report = desk.base.carry_axme(&find(dir.path()).unwrap()).unwrap();
    let carried = &report.stores[0];
    assert_eq!(
        said(&carried.aside),
        [
            "decisions/D-009-cut.md: is not valid UTF-16: in archive/axme/decisions/D-009-cut.md with its broken bytes replaced",
            "decisions/D-010-zeroes.md: line 5 is not valid UTF-8: in archive/axme/decisions/D-010-zeroes.md with its broken bytes replaced",
        ]
    );
    assert_eq!((report.lost(), report.new_of("decisions")), (0, 2));
    let titles: Vec<String> = desk
        .base
        .decisions(&desk.view(), false)
        .into_iter()
        .map(|placed| {
            format!("{} {}: {}", placed.kept.item.id, placed.kept.item.title, placed.kept.item.decision)
        })
        .collect();
    assert_eq!(titles, ["D-007 Größe: Alle Maße in Metern.", "D-008 Maß: Alle Maße in Metern."]);
    assert_eq!(desk.read("archive/axme/decisions/D-009-cut.md"), format!("{text}\u{fffd}"));
    assert_eq!(desk.read("archive/axme/decisions/D-010-zeroes.md"), "---\nid: D-010\n---\n\nA\0B\u{fffd}.\n");
}

/// A tree with three of each kind, of which the second decision is broken at first.
fn three_of_each(second: &str) -> tempfile::TempDir {
    let decision = |at: usize| format!("---\nid: D-00{at}\ntitle: Decision {at}\n---\n\nText {at}.\n");
    let task = |at: usize| format!("---\nid: B-00{at}\ntitle: Task {at}\nstatus: open\n---\n\nText {at}.\n");
    let questions: String = (1..=3)
        .map(|at| {
            format!(
                "## Q-00{at} [open] 2026-06-20 10:00:00 source=manual\n\n**Question**: Question {at}?\n\n"
            )
        })
        .collect();
    let dir =
        tree(&[("open-questions.md", questions.as_bytes()), ("decisions/D-002-d.md", second.as_bytes())]);
    for at in [1, 3] {
        put(dir.path(), &format!(".axme-code/decisions/D-00{at}-d.md"), &decision(at));
    }
    for at in 1..=3 {
        put(dir.path(), &format!(".axme-code/backlog/B-00{at}-t.md"), &task(at));
    }
    dir
}

const SECOND: &str = "---\nid: D-002\ntitle: Decision 2\n---\n\nText 2.\n";

fn ids(desk: &Desk) -> [Vec<String>; 3] {
    let view = desk.view();
    let firsts = |names: Vec<String>| names.iter().map(|name| name[..5].to_owned()).collect();
    [
        firsts(view.own().store.list("decisions")),
        firsts(view.own().store.list("backlog")),
        desk.base.questions(&view).questions.into_iter().map(|question| question.id).collect(),
    ]
}

#[test]
fn an_import_gives_out_no_id_of_what_is_gone_and_remembers_those_that_it_gives() {
    let desk = Desk::repo();
    // Two of each were given out here, and are gone.
    desk.put("local/ids", "D 2\nB 2\nQ 2\n");
    let dir = three_of_each(SECOND);
    desk.base.carry_axme(&find(dir.path()).unwrap()).unwrap();
    let three = |letter: char| ["003", "004", "005"].map(|number| format!("{letter}-{number}")).to_vec();
    let mut given = ids(&desk);
    given[2].sort();
    assert_eq!(given, [three('D'), three('B'), three('Q')]);
    assert_eq!(desk.read("local/ids"), "D 5\nB 5\nQ 5\n");
    // What the import brought and somebody removed is not given out again either.
    let store = store_of(&desk);
    for directory in ["decisions", "backlog"] {
        fs::remove_dir_all(store.join(directory)).unwrap();
    }
    fs::remove_file(store.join("questions.md")).unwrap();
    let view = desk.view();
    assert_eq!(desk.base.ask(&view, "Which one?", "").unwrap().id, "Q-006");
    let task = crate::backlog::NewTask {
        title: "New".to_owned(),
        description: "Text.".to_owned(),
        ..Default::default()
    };
    assert_eq!(desk.base.add_task(&task, &view).unwrap()[0].id, "B-006");
}

#[test]
fn an_item_that_comes_with_a_later_run_keeps_its_id() {
    let desk = Desk::repo();
    let dir = three_of_each("---\n<<<<<<< ours\nid: D-002\n>>>>>>> theirs\n---\n");
    let trees = find(dir.path()).unwrap();
    desk.base.carry_axme(&trees).unwrap();
    assert_eq!(ids(&desk)[0], ["D-001", "D-003"]);
    assert_eq!(desk.read("local/ids"), "D 3\nB 3\nQ 3\n");
    put(dir.path(), ".axme-code/decisions/D-002-d.md", SECOND);
    let report = desk.base.carry_axme(&trees).unwrap();
    assert_eq!((report.new_of("decisions"), &report.stores[0].renamed), (1, &Vec::new()));
    assert_eq!(ids(&desk)[0], ["D-001", "D-002", "D-003"]);
    assert!(desk.base.carry_axme(&trees).unwrap().is_empty());
}
