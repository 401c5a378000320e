//! What git makes of a base: items that a merge carried along, things of this machine that it tracks.

use super::*;

const FIXED: &str = "fixed: is in the archive, and nothing in it says that it was put away";
const BY_HAND: &str = "by hand: is in the archive, and nothing in it says that it was put away";

#[test]
fn what_a_merge_carried_into_the_archive_is_moved_back() {
    let desk = Patient::in_order();
    let files = [
        ("backlog/B-001-a.md", "---\nid: B-001\nslug: a\nstatus: open\n---\n# A\n".to_owned()),
        ("decisions/D-001-a.md", decision("D-001", "a", "enforce: required\nguard: {command: x}\n")),
        ("memory/feedback/m.md", memory("m", "type: feedback\n")),
        ("memory/patterns/p.md", memory("p", "type: pattern\n").replace('\n', "\r\n")),
    ];
    for (file, text) in &files {
        desk.put(&format!("archive/{file}"), text);
    }
    let expected = [
        format!("archive/backlog/B-001-a.md:0 {FIXED}"),
        format!("archive/decisions/D-001-a.md:0 {FIXED}"),
        format!("archive/memory/feedback/m.md:0 {FIXED}"),
        format!("archive/memory/patterns/p.md:0 {FIXED}"),
    ];
    assert_eq!(desk.check(false), expected.clone().map(|line| line.replace(" fixed:", " fixable:")));
    assert_eq!(desk.check(true), expected);
    assert_eq!(desk.recorded().len(), 4);
    assert_eq!(desk.names(), files.each_ref().map(|(file, _)| *file));
    for (file, text) in files {
        assert_eq!(desk.read(file), text);
    }
    assert_eq!(desk.check(true), [""; 0]);
}

#[test]
fn what_somebody_put_into_the_archive_stays_there() {
    let desk = Patient::in_order();
    let past = |status: &str| decision("D-001", "a", "").replace("active", status);
    for (file, text) in [
        // As it is archived, also by older versions and by hand.
        ("decisions/D-001-a.md", decision("D-001", "a", "archived: 2026-11-02\narchived_reason: done\n")),
        ("decisions/D-002-b.md", past("superseded").replace("D-001", "D-002").replace(": a\n", ": b\n")),
        ("decisions/D-003-c.md", past("Deprecated").replace("D-001", "D-003").replace(": a\n", ": c\n")),
        ("decisions/D-004-d.md", decision("D-004", "d", "revoked_reason: done\n")),
        ("backlog/B-001-a.md", "---\nid: B-001\nslug: a\nstatus: done\n---\n# A\n".to_owned()),
        ("backlog/B-002-b.md", "---\nid: B-002\nslug: b\nstatus: wontfix\n---\n# B\n".to_owned()),
        ("memory/feedback/m.md", memory("m", "archived: 2026-11-02\n")),
        ("memory/patterns/p.md", memory("p", "superseded_by: m\n")),
        // As an import keeps what has no place here.
        ("axme/decisions/D-005-e.md", decision("D-005", "e", "")),
        ("axme/notes.md", "# Notes\n".to_owned()),
        ("oracle/stack.md", "# Stack\n".to_owned()),
    ] {
        desk.put(&format!("archive/{file}"), text);
    }
    let before = desk.files();
    assert_eq!(desk.check(true), [""; 0]);
    assert_eq!(desk.files(), before);
}

#[test]
fn what_another_supersedes_comes_back_with_its_guard_only_by_hand() {
    let desk = Patient::in_order();
    desk.put(
        "archive/decisions/D-001-a.md",
        decision("D-001", "a", "enforce: required\nguard: {command: x}\n"),
    );
    desk.put("decisions/D-002-b.md", decision("D-002", "b", "supersedes: [D-001]\n"));
    let before = desk.files();
    let told = format!("archive/decisions/D-001-a.md:0 {BY_HAND}, but another says that it supersedes it");
    assert_eq!(desk.check(true), [told]);
    assert_eq!(desk.files(), before);
}

#[test]
fn nothing_is_moved_back_to_where_another_is() {
    let desk = Patient::in_order();
    desk.put("decisions/D-001-ours.md", decision("D-001", "ours", ""));
    desk.put("archive/decisions/D-001-theirs.md", decision("D-001", "theirs", ""));
    desk.put("memory/patterns/m.md", memory("m", "type: pattern\n"));
    desk.put("archive/memory/feedback/m.md", memory("m", "type: feedback\n"));
    desk.put("archive/backlog/B-001-a.md", "---\nid: B-001\nslug: a\nstatus: open\n---\n# A\n");
    desk.put("backlog/B-001-a.md", "---\nid: B-002\nslug: b\nstatus: open\n# Broken\n");
    desk.put("archive/backlog/B-003-c.md", "---\nid: B-003\nslug: c\nstatus: open\n---\n# C\n");
    desk.put("backlog/B-003-d.md", "---\nid: B-003\nstatus: open\n# Broken\n");
    let before = desk.files();
    let expected = [
        format!("archive/backlog/B-001-a.md:0 {BY_HAND}"),
        format!("archive/backlog/B-003-c.md:0 {BY_HAND}"),
        format!("archive/decisions/D-001-theirs.md:0 {BY_HAND}"),
        format!("archive/memory/feedback/m.md:0 {BY_HAND}"),
        "backlog/B-001-a.md:1 by hand: the front matter begins here and never ends: the line `---` behind it is missing"
            .to_owned(),
        "backlog/B-003-d.md:1 by hand: the front matter begins here and never ends: the line `---` behind it is missing"
            .to_owned(),
    ];
    assert_eq!(desk.check(true), expected);
    assert_eq!(desk.files(), before);
}

#[test]
fn of_two_that_were_carried_along_with_one_id_both_come_back() {
    let desk = Patient::in_order();
    desk.put("archive/decisions/D-001-a.md", decision("D-001", "a", "date: 2026-11-01\n"));
    desk.put("archive/decisions/D-001-b.md", decision("D-001", "b", "date: 2026-11-02\n"));
    desk.check(true);
    assert_eq!(desk.names(), ["decisions/D-001-a.md", "decisions/D-002-b.md", "local/ids"]);
    assert_eq!(desk.check(true), [""; 0]);
}

#[test]
fn the_directory_of_an_item_stays_in_git_without_it() {
    let desk = Patient::in_order();
    // A store of before has no such file until something goes.
    desk.put("memory/feedback/m.md", memory("m", "type: feedback\n"));
    let new = NewDecision {
        title: "Use UTC".to_owned(),
        decision: "All times are UTC.".to_owned(),
        source: "session",
        ..NewDecision::default()
    };
    let mine = NewDecision { scope: vec!["user".to_owned()], ..new.clone() };
    let view = desk.view();
    desk.base.save_decision(&new, &view).unwrap();
    desk.base.save_decision(&mine, &view).unwrap();
    desk.base.archive_memory(&view, "m", "done", None).unwrap();
    desk.base.archive_decision(&view, "D-001", "done", None, true).unwrap();
    assert_eq!(
        desk.files().into_keys().filter(|name| !name.starts_with("local/")).collect::<Vec<_>>(),
        [
            ".gitignore",
            "archive/decisions/D-001-use-utc.md",
            "archive/memory/feedback/m.md",
            "decisions/.gitkeep",
            "memory/feedback/.gitkeep",
        ]
    );
    // What is the person's own is in no repo.
    assert!(!desk.base.user().store.path("decisions/.gitkeep").exists());
    assert_eq!(desk.check(true), [""; 0]);
}

/// An index of git with these files.
fn index(version: u32, files: &[&str]) -> Vec<u8> {
    let mut index = b"DIRC".to_vec();
    index.extend(version.to_be_bytes());
    index.extend(u32::try_from(files.len()).unwrap().to_be_bytes());
    for file in files {
        let begin = index.len();
        index.extend([7; 60]);
        let length = u16::try_from(file.len()).unwrap();
        index.extend(if version == 3 { length | 0x4000 } else { length }.to_be_bytes());
        index.extend(if version == 3 { &[0, 0][..] } else { &[] });
        index.extend(file.as_bytes());
        let entry = (index.len() - begin + 1).next_multiple_of(8);
        index.resize(begin + entry, 0);
    }
    index.extend([1; 20]);
    index
}

#[test]
fn what_git_tracks_of_this_machine_is_named() {
    let desk = Patient::in_order();
    let root = desk.view().root.path;
    let put = |index: Vec<u8>| {
        File::create(root.join(".git/index")).and_then(|mut file| file.write_all(&index)).unwrap();
    };
    let files = [
        ".ai/.gitignore",
        ".ai/local/handoffs/x.md",
        ".ai/local/worklog.md",
        ".ai/questions.md",
        "src/.ai/local/x",
    ];
    let said = "local:0 by hand: is to stay on this machine, and git tracks handoffs/x.md in it";
    for (index, expected) in [
        (index(2, &files), vec![format!("{said} and 1 more")]),
        (index(3, &files), vec![format!("{said} and 1 more")]),
        (index(2, &files[..2]), vec![said.to_owned()]),
        (index(2, &files[3..]), Vec::new()),
        (index(4, &files), Vec::new()),
        (index(2, &files)[..100].to_vec(), Vec::new()),
        (b"DIRC".to_vec(), Vec::new()),
    ] {
        put(index);
        assert_eq!(desk.check(true), expected);
    }
}
