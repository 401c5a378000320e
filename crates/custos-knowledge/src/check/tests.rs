mod again;
mod any_files;
mod branches;
mod settings;
mod slips;
mod succession;
mod twins;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use super::*;
use crate::backlog::NewTask;
use crate::decision::NewDecision;
use crate::memory::MemoryKind;
use crate::memory::save::NewMemory;
use crate::plan::{Step, StepState};
use crate::testing::Desk;

/// A decision with an id, a slug and further lines of front matter.
fn decision(id: &str, slug: &str, more: &str) -> String {
    format!(
        "---\nid: {id}\nslug: {slug}\ntitle: About {slug}\nstatus: active\n{more}---\n\n# About {slug}\n\nWhat {slug} says.\n"
    )
}

fn memory(slug: &str, more: &str) -> String {
    format!("---\nslug: {slug}\ntitle: About {slug}\n{more}---\n\n# About {slug}\n\nWhat {slug} says.\n")
}

/// A desk whose store is to be looked through.
struct Patient(Desk);

impl Deref for Patient {
    type Target = Desk;

    fn deref(&self) -> &Desk {
        &self.0
    }
}

impl Patient {
    /// One without a store.
    fn new() -> Self {
        Self(Desk::repo())
    }

    fn check(&self, fix: bool) -> Vec<String> {
        told(&self.base.check(&self.view(), fix).unwrap().findings)
    }

    fn path(&self, file: &str) -> PathBuf {
        self.view().own().store.path(file)
    }

    /// Every file of the root's store, without the lock.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.path("."), "", &mut files);
        files.remove("local/.lock");
        files
    }

    /// The names of all files, without those that every store has.
    fn names(&self) -> Vec<String> {
        let is_for_git = |name: &String| name.ends_with(".gitignore") || name.ends_with(".gitkeep");
        self.files().into_keys().filter(|name| !is_for_git(name)).collect()
    }

    /// A store that was locked once, so that its `.gitignore` is there.
    fn in_order() -> Self {
        let desk = Self::new();
        drop(desk.view().own().store.lock().unwrap());
        desk
    }

    fn made_at(&self, file: &str, seconds: u64) {
        let file = File::options().write(true).open(self.path(file)).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    }
}

fn collect(directory: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            collect(&entry.path(), &format!("{name}/"), files);
        } else if kind.is_file() {
            files.insert(name, fs::read(entry.path()).unwrap());
        }
    }
}

/// Findings in a line each.
fn told(findings: &[Finding]) -> Vec<String> {
    let line = |finding: &Finding| {
        let state = match (finding.fixed, finding.fixable) {
            (true, _) => "fixed",
            (false, true) => "fixable",
            (false, false) => "by hand",
        };
        format!("{}:{} {state}: {}", finding.file, finding.line, finding.what)
    };
    findings.iter().map(line).collect()
}

#[test]
fn what_the_base_writes_is_in_order() {
    let desk = Patient::new();
    let view = desk.view();
    assert_eq!(desk.check(false), [""; 0]);
    let new = NewDecision {
        title: "Use UTC".to_owned(),
        decision: "All times are UTC.".to_owned(),
        reasoning: "One clock.".to_owned(),
        source: "session",
        ..NewDecision::default()
    };
    let first = desk.base.save_decision(&new, &view).unwrap().remove(0);
    let successor =
        NewDecision { title: "Times are UTC, always".to_owned(), supersedes: vec![first.id], ..new };
    desk.base.save_decision(&successor, &view).unwrap();
    for kind in MemoryKind::ALL {
        let new = NewMemory {
            kind,
            title: "Build first".to_owned(),
            description: format!("As {}.", kind.word()),
            body: String::new(),
            keywords: Vec::new(),
            scope: Vec::new(),
            source: "session",
            supersedes: Vec::new(),
        };
        desk.base.save_memory(&new, &view).unwrap();
    }
    let task =
        NewTask { title: "Paint it".to_owned(), description: "Blue.".to_owned(), ..NewTask::default() };
    desk.base.add_task(&task, &view).unwrap();
    desk.base.ask(&view, "Which blue?", "").unwrap();
    desk.base
        .save_plan(&view, "Paint", &[Step { text: "Buy paint".to_owned(), state: StepState::Pending }], None)
        .unwrap();
    desk.base.append_entry(&view, "Bought paint.").unwrap();
    let before = (desk.files(), desk.recorded());
    assert_eq!(desk.check(true), [""; 0]);
    assert_eq!((desk.files(), desk.recorded()), before);
}

#[test]
fn what_takes_a_judgement_is_shown_and_left_alone() {
    let desk = Patient::in_order();
    desk.put("decisions/D-001-a.md", "---\nid: D-001\n<<<<<<< HEAD\ntitle: A\n=======\n");
    desk.put("decisions/D-002-b.md", "---\ntitle: \"B\n---\n\n# B\n");
    desk.put("decisions/D-003-c.md", b"---\nid: D-003\ntitle: \xff\n---\n");
    desk.put("decisions/D-004-d.md", " \n");
    desk.put("decisions/D-005-e.md", decision("D-005", "e", "enforce: always\nsource: [a, b]\n"));
    desk.put("decisions/D-006-f.md", decision("D-006", "f", "superseded_by: D-099\n"));
    desk.put("decisions/D-007-g.md", decision("D-007", "g", "supersedes: [D-006, D-098]\n"));
    desk.put("decisions/D-008-h.md", decision("D-008", "H", ""));
    desk.put("decisions/notes.md", "# Notes\n");
    desk.put("decisions/D-009-i.md", "x".repeat(1 << 21));
    desk.put("archive/decisions/D-010-j.md", "---\nid: [\n---\n");
    desk.put(
        "backlog/B-001-a.md",
        "---\nid: B-001\nslug: a\nstatus: someday\npriority: In-Progress\n---\n# A\n",
    );
    desk.put("memory/feedback/m.md", "---\nslug: m\ntype: rumour\n---\nNo heading.\n");
    desk.put(
        "memory/feedback/cut.md",
        memory("cut", "").replace("says.", "says.</parameter>\n<parameter name=\"body\">And more."),
    );
    desk.put("questions.md", "# Questions\n\n<<<<<<< ours\n");
    desk.put("local/plans/p.md", "---\nstatus: lost\n---\n# P\n");
    desk.put("local/handoffs/x.md", "# X\n");
    desk.put("oracle/stack.md", "---\n\n# Stack\n\n>>>>>>> theirs\n");
    desk.put("local/worklog.md", b"\n\n\xff");
    let before = desk.files();
    let expected = [
        "archive/decisions/D-010-j.md:2 by hand: unclosed bracket '['",
        "backlog/B-001-a.md:4 by hand: says `status: someday`, which nobody knows",
        "backlog/B-001-a.md:5 by hand: says `priority: In-Progress`, which nobody knows",
        "decisions/D-001-a.md:3 by hand: has an unresolved merge conflict",
        "decisions/D-002-b.md:2 by hand: invalid indentation in multiline quoted scalar",
        "decisions/D-003-c.md:3 by hand: is not valid UTF-8 here: save the file as UTF-8",
        "decisions/D-004-d.md:0 by hand: is empty",
        "decisions/D-005-e.md:6 by hand: says `enforce: always`, which nobody knows",
        "decisions/D-005-e.md:7 by hand: has a `source` that is not one word",
        "decisions/D-006-f.md:6 by hand: names D-099 in `superseded_by`, and there is no such decision here",
        "decisions/D-006-f.md:6 by hand: is active, and has `superseded_by` all the same",
        "decisions/D-007-g.md:6 by hand: names D-098 in `supersedes`, and there is no such decision here",
        "decisions/D-008-h.md:3 by hand: has a slug that is none: at most 50 lower case letters, digits and hyphens",
        "decisions/D-009-i.md:0 by hand: this is larger than 1048576 bytes: shorten it or remove it",
        "decisions/notes.md:1 by hand: has no id; its front matter should give it one that no other has: `id: D-…`",
        "local/handoffs/x.md:1 by hand: has no time; its front matter should say `date: 2026-11-15T20:55:09Z`",
        "local/plans/p.md:2 by hand: the status is \"lost\", and should be one of active, done, dropped",
        "local/worklog.md:3 by hand: is not valid UTF-8 here: save the file as UTF-8",
        "memory/feedback/cut.md:0 by hand: has markup of a tool call in its title or its first text",
        "memory/feedback/m.md:1 by hand: has no title",
        "memory/feedback/m.md:3 by hand: says `type: rumour`, which nobody knows",
        "oracle/stack.md:5 by hand: has an unresolved merge conflict",
        "questions.md:3 by hand: has an unresolved merge conflict",
    ];
    assert_eq!(desk.check(true), expected);
    assert_eq!(desk.files(), before);
    assert_eq!(desk.recorded(), [""; 0]);
}

#[test]
fn a_byte_order_mark_and_the_ends_of_lines_are_fine() {
    let desk = Patient::in_order();
    desk.put("decisions/D-001-a.md", format!("\u{feff}{}", decision("D-001", "a", "")));
    desk.put("decisions/D-2-b.md", decision("D-2", "b", "").replace('\n', "\r\n"));
    desk.put("backlog/B-001-a.md", "---\nid: b-1\nslug: a\nstatus: in progress\n---\n# A\n");
    assert_eq!(desk.check(false), [""; 0]);
}

/// When something was archived, and the same in seconds.
const STAMP: &str = "2026-11-02T08:00:00Z";
const STAMPED: u64 = 1_793_606_400;

#[test]
fn times_that_a_copy_made_prove_nothing() {
    let desk = Patient::in_order();
    desk.put("decisions/D-001-a.md", decision("D-001", "a", ""));
    desk.put("archive/decisions/D-001-a.md", decision("D-001", "a", &format!("archived: {STAMP}\n")));
    desk.made_at("decisions/D-001-a.md", STAMPED + 90_000);
    desk.made_at("archive/decisions/D-001-a.md", STAMPED + 90_001);
    let before = desk.files();
    let expected =
        ["decisions/D-001-a.md:0 by hand: is in the archive as well, as archive/decisions/D-001-a.md"];
    assert_eq!(desk.check(true), expected);
    assert_eq!(desk.files(), before);
}

/// Puts one file for every defect that can be repaired.
fn spoil(desk: &Patient) {
    desk.put(".gitignore", "*.tmp");
    desk.put("decisions/D-001-first.md", decision("D-001", "first", "date: 2026-11-03\n"));
    desk.put(
        "decisions/D-001-second.md",
        decision("D-001", "second", "date: 2026-11-01\nowner: us # by hand\n"),
    );
    desk.put(
        "decisions/D-001-copy.md",
        decision("D-001", "second", "date: 2026-11-01\nowner: us # by hand\n"),
    );
    desk.put("decisions/D-002-third.md", decision("D-002", "third", ""));
    desk.put("decisions/wrong-name.md", decision("D-003", "named", ""));
    desk.put("decisions/D-004-bare.md", "# Bare\r\n\r\nSaid.\r\n");
    desk.put("decisions/D-005-over.md", decision("D-005", "over", "x: 1\n").replace("active", "revoked"));
    desk.put("decisions/D-006-crash.md", decision("D-006", "crash", ""));
    desk.put(
        "archive/decisions/D-006-crash.md",
        decision("D-006", "crash", &format!("archived: {STAMP}\narchived_reason: done\n"))
            .replace("active", "revoked"),
    );
    desk.made_at("archive/decisions/D-006-crash.md", STAMPED);
    desk.made_at("decisions/D-006-crash.md", 1_000);
    desk.put("decisions/D-007-reborn.md", decision("D-007", "reborn", ""));
    desk.put(
        "archive/decisions/D-007-gone.md",
        decision("D-007", "gone", "superseded_by: D-001\narchived: 2026-11-02\n"),
    );
    desk.put(
        "decisions/D-008-leak.md",
        decision("D-008", "leak", "")
            .replace("About leak", "About leak</parameter>")
            .replace("says.", "says.\n</invoke>\n\nMore."),
    );
    desk.put("backlog/B-001-a.md", "---\nid: B-001\nslug: a\nstatus: open\ncreated: 2026-11-02\n---\n# A\n");
    desk.put("backlog/B-001-b.md", "---\nid: B-001\nslug: b\nstatus: open\ncreated: 2026-11-01\n---\n# B\n");
    desk.put("memory/feedback/same.md", memory("same", "date: 2026-11-01\n"));
    desk.put("memory/patterns/same.md", memory("same", "date: 2026-11-02\n"));
    desk.put("memory/feedback/moved.md", memory("moved", "type: pattern\n"));
    desk.put("local/.custos-a1B2c3", "half");
    desk.put("local/.custos-a1B2c4", "half, and new");
    desk.put("local/.custos-notes.md", "somebody's own");
    desk.made_at("local/.custos-a1B2c3", 1_000);
    desk.made_at("local/.custos-notes.md", 1_000);
}

#[test]
fn what_is_wrong_in_form_is_repaired_once_and_for_all() {
    let desk = Patient::in_order();
    spoil(&desk);
    let before = desk.files();
    let expected = [
        ".gitignore:0 fixed: lacks `local/`, so that git takes handoffs, worklog and plans along",
        "archive/decisions/D-007-gone.md:6 by hand: names D-001 in `superseded_by`, and two files had that id",
        "backlog/B-001-a.md:2 fixed: has the id B-001, and so has backlog/B-001-b.md",
        "decisions/D-001-copy.md:0 fixed: is a copy of decisions/D-001-second.md, to the last byte",
        "decisions/D-001-first.md:2 fixed: has the id D-001, and so has decisions/D-001-second.md",
        "decisions/D-004-bare.md:1 fixed: has no id in its front matter",
        "decisions/D-004-bare.md:1 fixed: has no status",
        "decisions/D-004-bare.md:1 fixed: has no slug in its front matter",
        "decisions/D-005-over.md:5 fixed: is revoked, and is not in the archive",
        "decisions/D-006-crash.md:0 fixed: was archived, and is still here",
        "decisions/D-007-reborn.md:2 fixed: has the id D-007, and so has archive/decisions/D-007-gone.md",
        "decisions/D-008-leak.md:4 fixed: has markup of a tool call in its title or its first text",
        "decisions/wrong-name.md:0 fixed: should be decisions/D-003-named.md, as its front matter has it",
        "local/.custos-a1B2c3:0 fixed: was never finished",
        "memory/feedback/moved.md:0 fixed: should be memory/patterns/moved.md, as its front matter has it",
        "memory/patterns/same.md:2 fixed: has the slug same, and so has memory/feedback/same.md",
    ];
    assert_eq!(desk.check(false), expected.map(|line| line.replace(" fixed:", " fixable:")));
    assert_eq!(desk.files(), before);
    assert_eq!(desk.check(true), expected);
    let names = [
        "archive/decisions/D-005-over.md",
        "archive/decisions/D-006-crash.md",
        "archive/decisions/D-007-gone.md",
        "backlog/B-001-b.md",
        "backlog/B-002-a.md",
        "decisions/D-001-second.md",
        "decisions/D-002-third.md",
        "decisions/D-003-named.md",
        "decisions/D-004-bare.md",
        "decisions/D-008-leak.md",
        "decisions/D-009-first.md",
        "decisions/D-010-reborn.md",
        "local/.custos-a1B2c4",
        "local/.custos-notes.md",
        "local/ids",
        "memory/feedback/same.md",
        "memory/patterns/moved.md",
        "memory/patterns/same-2.md",
    ];
    assert_eq!(desk.names(), names);
    assert_eq!(desk.read(".gitignore"), "*.tmp\nlocal/\n");
    assert_eq!(
        desk.read("decisions/D-004-bare.md"),
        "---\r\nid: D-004\r\nstatus: active\r\nslug: bare\r\n---\r\n# Bare\r\n\r\nSaid.\r\n"
    );
    assert_eq!(
        desk.read("decisions/D-008-leak.md"),
        decision("D-008", "leak", "").replace("says.", "says.\n\n\nMore.")
    );
    assert!(
        desk.read("archive/decisions/D-005-over.md").contains("\narchived_reason: its status is revoked\n")
    );
    assert_eq!(
        desk.read("memory/patterns/same-2.md"),
        memory("same", "date: 2026-11-02\n").replace("slug: same", "slug: same-2")
    );
    let after = desk.files();
    assert_eq!(desk.check(true), [""; 0]);
    assert_eq!(desk.files(), after);
    assert_eq!(desk.recorded().len(), 15);
}

#[test]
fn a_repair_keeps_every_other_byte_and_is_one_event() {
    let desk = Patient::in_order();
    let older = decision("D-001", "older", "date: 2026-10-01\n");
    let newer = decision("D-001 # ours", "newer", "date: 2026-11-01\nowner: us\n").replace('\n', "\r\n");
    desk.put("decisions/D-001-older.md", &older);
    desk.put("decisions/D-001-newer.md", &newer);
    desk.put("archive/decisions/D-004-old.md", decision("D-004", "old", "superseded_by: D-001\n"));
    let report = desk.base.check(&desk.view(), true).unwrap();
    assert_eq!(
        told(&report.findings),
        [
            "archive/decisions/D-004-old.md:6 by hand: names D-001 in `superseded_by`, and two files had that id",
            "decisions/D-001-newer.md:2 fixed: has the id D-001, and so has decisions/D-001-older.md",
        ]
    );
    assert_eq!(report.findings[1].next, "It is decisions/D-005-newer.md now");
    assert_eq!(desk.read("decisions/D-001-older.md"), older);
    assert_eq!(desk.read("decisions/D-005-newer.md"), newer.replace("D-001", "D-005"));
    assert!(!desk.path("decisions/D-001-newer.md").exists());
    let events = desk.events.lock().unwrap();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].kind, Kind::KnowledgeUpdated);
    assert_eq!(events[0].body["item"], "decision");
    assert_eq!(events[0].body["file"], "decisions/D-001-newer.md");
    assert_eq!(events[0].body["what"], "has the id D-001, and so has decisions/D-001-older.md");
}

#[test]
fn what_the_guard_enforces_is_put_away_by_a_person() {
    let desk = Patient::in_order();
    let guard = "guard:\n  command: rm\n";
    desk.put("decisions/D-001-a.md", decision("D-001", "a", guard).replace("active", "revoked"));
    desk.put("decisions/D-002-b.md", decision("D-002", "b", guard));
    desk.made_at("decisions/D-002-b.md", 1_000);
    let stamped = format!("{guard}archived: {STAMP}\n");
    desk.put("archive/decisions/D-002-b.md", decision("D-002", "b", &stamped).replace("active", "revoked"));
    desk.made_at("archive/decisions/D-002-b.md", STAMPED);
    let expected = [
        "decisions/D-001-a.md:5 by hand: is revoked, and is not in the archive",
        "decisions/D-002-b.md:0 by hand: was archived, and is still here",
    ];
    assert_eq!(desk.check(true), expected);
}

#[test]
fn what_was_taken_back_from_the_archive_stays() {
    let desk = Patient::in_order();
    desk.put("archive/decisions/D-001-a.md", decision("D-001", "a", "archived: 2026-11-01\n"));
    desk.put("archive/memory/feedback/m.md", memory("m", "archived: 2026-11-01\n"));
    desk.made_at("archive/decisions/D-001-a.md", 1_000);
    desk.made_at("archive/memory/feedback/m.md", 1_000);
    desk.put("decisions/D-001-a.md", decision("D-001", "a", ""));
    desk.put("memory/feedback/m.md", memory("m", ""));
    let before = desk.files();
    let expected =
        ["decisions/D-001-a.md:0 by hand: is in the archive as well, as archive/decisions/D-001-a.md"];
    assert_eq!(desk.check(true), expected);
    assert_eq!(desk.files(), before);
}

#[test]
fn a_name_that_is_taken_is_not_taken_away() {
    let desk = Patient::in_order();
    desk.put("decisions/D-001-a.md", "---\nid: [\n---\n");
    desk.put("decisions/x.md", decision("D-001", "a", ""));
    let before = desk.files();
    let expected = [
        "decisions/D-001-a.md:2 by hand: ",
        "decisions/x.md:0 by hand: should be decisions/D-001-a.md, as its front matter has it",
    ];
    let found = desk.check(true);
    assert_eq!(found.len(), expected.len(), "{found:?}");
    assert!(found.iter().zip(expected).all(|(found, expected)| found.starts_with(expected)), "{found:?}");
    assert_eq!(desk.files(), before);
}

#[test]
fn a_store_that_cannot_be_written_says_why() {
    let desk = Patient::new();
    desk.put("decisions/x.md", decision("D-001", "a", ""));
    // Even the system's administrator cannot open a directory for writing.
    desk.put("local/.lock/in-the-way", "");
    let before = desk.files();
    let findings = desk.base.check(&desk.view(), true).unwrap().findings;
    let expected = [
        ".gitignore:0 fixable: is missing, so that git takes handoffs, worklog and plans along",
        "decisions/x.md:0 fixable: should be decisions/D-001-a.md, as its front matter has it",
    ];
    assert_eq!(told(&findings), expected);
    assert!(findings.iter().all(|finding| finding.next.contains("cannot be locked")), "{findings:?}");
    assert_eq!(desk.files(), before);
}

#[test]
fn a_missing_gitignore_is_made_and_told() {
    let desk = Patient::new();
    desk.put("oracle/stack.md", "# Stack\n");
    let expected = [".gitignore:0 fixed: is missing, so that git takes handoffs, worklog and plans along"];
    assert_eq!(desk.check(true), expected);
    assert!(desk.read(".gitignore").ends_with("\nlocal/\n"));
    assert_eq!(desk.recorded(), ["knowledge.updated store"]);
    desk.put(".gitignore", "a\r\nb");
    assert_eq!(desk.check(true).len(), 1);
    assert_eq!(desk.read(".gitignore"), "a\r\nb\r\nlocal/\r\n");
    for fine in ["/local\n", "**/local/\n", "local/\nx\n", "*\n"] {
        desk.put(".gitignore", fine);
        assert_eq!(desk.check(true), [""; 0], "{fine:?}");
    }
    desk.put(".gitignore", "local/\n!local/\n");
    assert_eq!(
        desk.check(true),
        [
            ".gitignore:0 by hand: takes `local/` out again, so that git takes handoffs, worklog and plans along"
        ]
    );
}

#[test]
fn a_log_that_takes_nothing_is_a_note() {
    let desk = Patient::in_order();
    desk.put("decisions/x.md", decision("D-001", "a", ""));
    desk.put("decisions/y.md", decision("D-002", "b", ""));
    let base = desk.with_broken_log();
    let report = base.check(&base.view(None).unwrap(), true).unwrap();
    assert_eq!(report.findings.iter().filter(|finding| finding.fixed).count(), 2);
    assert_eq!(report.notes.len(), 1, "{:?}", report.notes);
}

#[test]
fn every_level_is_looked_at() {
    let desk = Desk::workspace();
    let view = desk.base.view(Some("api")).unwrap();
    for (count, stack) in view.stacks.iter().enumerate() {
        let path = stack.store.path(&format!("decisions/x{count}.md"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        drop(stack.store.lock().unwrap());
        File::create(&path).unwrap();
        let writing = stack.store.lock().unwrap();
        writing.write(&format!("decisions/x{count}.md"), &decision("D-001", "a", "")).unwrap();
    }
    let report = desk.base.check(&view, true).unwrap();
    let levels: Vec<_> = report
        .findings
        .iter()
        .map(|finding| (finding.level, finding.store.as_str(), finding.fixed))
        .collect();
    assert_eq!(
        levels,
        [(Level::Repo, "api", true), (Level::Workspace, "root", true), (Level::User, "user", true)]
    );
}

#[cfg(unix)]
#[test]
fn links_and_other_things_are_shown_and_never_followed() {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;

    let desk = Patient::in_order();
    let outside = desk.dir.path().join("outside");
    fs::create_dir_all(outside.join("patterns")).unwrap();
    File::create(outside.join("patterns/.custos-a1B2c3")).unwrap().set_modified(UNIX_EPOCH).unwrap();
    desk.put("decisions/D-001-a.md", decision("D-001", "a", ""));
    symlink(&outside, desk.path("memory")).unwrap();
    symlink("/etc/hostname", desk.path("decisions/D-002-b.md")).unwrap();
    symlink("nowhere", desk.path("questions.md")).unwrap();
    fs::create_dir(desk.path("decisions/D-003-c.md")).unwrap();
    desk.put("oracle", "a file");
    File::create(desk.path("decisions").join(std::ffi::OsStr::from_bytes(b"D-\xff.md"))).unwrap();
    let expected = [
        "decisions/D-002-b.md:0 by hand: is a link, which is not followed: put the file itself here",
        "decisions/D-003-c.md:0 by hand: this is a directory, not a file, and is not opened: put a regular file in its place or remove it",
        "decisions/D-\u{fffd}.md:0 by hand: has a name that is not UTF-8, so nobody reads it",
        "memory:0 by hand: is a link, which is not followed",
        "oracle:0 by hand: is not a directory",
        "questions.md:0 by hand: is a link, which is not followed: put the file itself here",
    ];
    assert_eq!(desk.check(true), expected);
    assert!(outside.join("patterns/.custos-a1B2c3").exists());
}

#[cfg(unix)]
#[test]
fn a_store_that_is_a_link_is_not_entered() {
    let desk = Patient::new();
    let outside = desk.dir.path().join("outside");
    fs::create_dir_all(outside.join("decisions")).unwrap();
    let ai = desk.dir.path().join("root/.ai");
    std::os::unix::fs::symlink(&outside, &ai).unwrap();
    assert_eq!(desk.check(true), [".ai:0 by hand: is a link, which is not followed"]);
    fs::remove_file(&ai).unwrap();
    File::create(&ai).unwrap();
    assert_eq!(desk.check(true), [".ai:0 by hand: is not a directory"]);
}

#[test]
fn a_tag_is_told_from_text_in_angle_brackets() {
    assert_eq!(defects::said("a <b> c < d\n e > f <"), "acdef");
}
