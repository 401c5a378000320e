mod bounds;
mod trees;

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::testing::Desk;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/axme").join(name)
}

/// Everything that a store holds, but for the lock and the numbers that were given out.
fn whole(dir: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else if ![".lock", ".gitignore", ".gitkeep", "ids", "ids-axme"]
                .contains(&&*entry.file_name().to_string_lossy())
            {
                let path = entry.path();
                let name = path.strip_prefix(dir).unwrap().to_string_lossy().into_owned();
                files.push((name, fs::read_to_string(path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// A report and the files that came of it, to be looked at as a whole.
fn told(report: &Report, store: &Path, root: &Path) -> String {
    let mut text = serde_json::to_string_pretty(report).unwrap().replace(&*root.to_string_lossy(), "ROOT");
    for rule in report.stores.iter().flat_map(|store| &store.rules) {
        text.push_str(&format!("\n{:?} {} = {}", rule.sort, rule.value, rule.pattern));
    }
    for (name, content) in whole(store) {
        text.push_str(&format!("\n\n=== {name}\n{content}"));
    }
    text
}

fn said(remarks: &[Remark]) -> Vec<String> {
    remarks.iter().map(|remark| format!("{}: {}", remark.file, remark.what)).collect()
}

fn carried(desk: &Desk, fixture_name: &str) -> Report {
    let trees = find(&fixture(fixture_name)).unwrap();
    let preview = desk.base.preview_axme(&trees);
    assert_eq!(whole(&desk.view().own().store.dir), [], "a preview writes nothing");
    let done = desk.base.carry_axme(&trees).unwrap();
    assert_eq!(done, preview);
    done
}

#[test]
fn a_well_formed_tree_is_carried_whole() {
    let desk = Desk::repo();
    let report = carried(&desk, "small");
    let view = desk.view();
    insta::assert_snapshot!(told(&report, &view.own().store.dir, &view.root.path));
}

#[test]
fn an_odd_tree_is_carried_as_far_as_it_goes_and_every_oddity_is_told() {
    let desk = Desk::repo();
    let report = carried(&desk, "odd");
    let view = desk.view();
    insta::assert_snapshot!(told(&report, &view.own().store.dir, &view.root.path));
    // Every file of the tree is an item, kept aside, or named.
    assert!(desk.base.questions(&view).faults.is_empty());
    assert!(view.own().decisions.contents(&view.own().store).faults.is_empty());
    assert!(desk.base.plans(&view, None).faults.is_empty());
}

#[test]
fn levels_go_to_the_stores_of_the_same_roots() {
    let desk = Desk::with_repos(&["gateway", "web"]);
    let root = desk.view().root.path;
    copy(&fixture("levels"), &root);
    let trees = find(&root).unwrap();
    let report = desk.base.carry_axme(&trees).unwrap();
    let mut text = told(&report, &root.join(".ai"), &root);
    for repo in ["gateway", "web"] {
        text.push_str(&format!("\n\n##### {repo}"));
        for (name, content) in whole(&root.join(repo).join(".ai")) {
            text.push_str(&format!("\n\n=== {name}\n{content}"));
        }
    }
    insta::assert_snapshot!(text);
    assert!(desk.base.preview_axme(&trees).is_empty());
}

#[test]
fn a_repo_that_is_not_here_is_told() {
    let desk = Desk::repo();
    let report = desk.base.preview_axme(&find(&fixture("levels")).unwrap());
    assert_eq!(report.stores.len(), 1);
    assert_eq!(
        report.notes,
        ["gateway", "web"].map(|name| format!(
            "{name} has a tree of its own, but there is no such repo in root: not carried"
        ))
    );
}

#[test]
fn twice_is_once_and_hand_edits_win() {
    for name in ["small", "odd"] {
        let desk = Desk::repo();
        carried(&desk, name);
        let store = desk.view().own().store.dir.clone();
        let first = whole(&store);
        let trees = find(&fixture(name)).unwrap();
        let again = desk.base.carry_axme(&trees).unwrap();
        assert!(again.is_empty(), "{name}: {again:#?}");
        assert_eq!(whole(&store), first);
        // A person says everything in other words.
        for (file, text) in &first {
            let is_item =
                ["decisions/", "archive/decisions/", "memory/", "archive/memory/", "backlog/", "oracle/"];
            if is_item.iter().any(|directory| file.starts_with(directory)) {
                desk.put(file, format!("{text}\nA word of a person.\n"));
            }
        }
        let edited = whole(&store);
        let after = desk.base.carry_axme(&trees).unwrap();
        assert!(after.is_empty(), "{name}: {after:#?}");
        assert_eq!(whole(&store), edited);
    }
}

#[test]
fn ids_that_are_taken_are_not_given_again() {
    let desk = Desk::repo();
    desk.put("decisions/D-001-ours.md", "---\nid: D-001\ntitle: Ours\n---\n\n# Ours\n\nFirst.\n");
    desk.put("decisions/D-002-broken.md", "---\nid: [\n---\n");
    desk.put("archive/decisions/D-1007-gone.md", "---\nid: D-1007\ntitle: Gone\n---\n\n# Gone\n");
    desk.base.carry_axme(&find(&fixture("small")).unwrap()).unwrap();
    let ours = desk.read("decisions/D-001-ours.md");
    assert!(ours.contains("First."));
    let names = desk.view().own().store.list("decisions");
    assert_eq!(
        names,
        [
            "D-001-ours.md",
            "D-002-broken.md",
            "D-004-tests-run-against-a-real-postgres.md",
            "D-005-charts-use-the-tide-table-of-the-port-authority.md",
            "D-006-gauges-push-the-collector-listens.md",
            "D-1008-all-changes-reach-main-by-pull-request.md",
            "D-1009-readings-are-stored-in-utc-only.md",
        ]
    );
    assert!(desk.base.preview_axme(&find(&fixture("small")).unwrap()).is_empty());
}

#[test]
fn every_item_is_an_event() {
    let desk = Desk::repo();
    let report = carried(&desk, "small");
    desk.base.record_import(&report, 3);
    let mut recorded = desk.recorded();
    assert_eq!(recorded.pop().as_deref(), Some("import.finished import"));
    let events = desk.events.lock().unwrap();
    assert_eq!(
        serde_json::to_value(&events.last().unwrap().body).unwrap(),
        serde_json::json!({
            "item": "import", "source": "axme", "rules": 3, "level": "repo",
            "stores": [{"store": "root", "level": "repo", "redacted": 0, "new": {
                "decisions": 5, "archived decisions": 3, "memories": 4, "archived memories": 1, "tasks": 4,
                "questions": 3, "oracle sections": 4, "handoffs": 2, "worklog sections": 2, "plans": 1,
            }}],
        })
    );
    recorded.sort();
    recorded.dedup();
    let kinds = ["decision", "handoff", "memory", "oracle", "plan", "question", "task", "worklog"];
    assert_eq!(recorded, kinds.map(|kind| format!("knowledge.saved {kind}")));
}

#[test]
fn secrets_are_taken_out_and_counted() {
    let desk = Desk::repo();
    let dir = tempfile::tempdir().unwrap();
    let secret = format!("ghp_{}", "a8Kd72Lq0ZxV".repeat(3));
    put(
        dir.path(),
        ".axme-code/decisions/D-001-x.md",
        &format!("---\nid: D-001\ntitle: X\n---\n\n# X\n\nThe token is {secret}.\n"),
    );
    put(
        dir.path(),
        ".axme-code/memory/feedback/y.md",
        &format!("---\nslug: y\ntitle: Y\nkeywords: a, {secret}\narchived: yes\n---\n\nY.\n"),
    );
    put(
        dir.path(),
        ".axme-code/backlog/B-001-z.md",
        &format!("---\nid: B-001\ntitle: Z\nstatus: {secret}\nguard: x\n---\n\nZ.\n"),
    );
    put(dir.path(), ".axme-code/scratch.txt", &format!("token {secret}\n"));
    let report = desk.base.carry_axme(&find(dir.path()).unwrap()).unwrap();
    assert!(report.stores[0].redacted >= 4);
    let all = whole(&desk.view().own().store.dir);
    assert_eq!(all.len(), 6);
    assert!(all.iter().all(|(_, text)| !text.contains(&secret)), "{all:?}");
}

#[test]
#[cfg(unix)]
fn nothing_is_followed_out_of_a_tree_and_nothing_hangs() {
    use std::os::unix::fs::symlink;
    let desk = Desk::repo();
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    put(root, "outside/secret.md", "---\nid: D-009\ntitle: Secret\n---\n\n# Secret\n");
    put(root, "p/.axme-code/decisions/D-001-a.md", "---\nid: D-001\ntitle: A\n---\n\n# A\n\nText.\n");
    let tree = root.join("p/.axme-code");
    symlink(root.join("outside/secret.md"), tree.join("decisions/D-002-link.md")).unwrap();
    symlink(root.join("outside"), tree.join("memory")).unwrap();
    symlink(root.join("outside"), tree.join("oracle")).unwrap();
    let fifo = tree.join("decisions/D-003-fifo.md");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    fs::File::create(tree.join("decisions/D-004-large.md")).unwrap().set_len(50 << 20).unwrap();
    put(root, "p/.axme-code/safety/rules.yaml", &"[".repeat(100_000));
    put(root, "p/.axme-code/a/b/c/d/e/f/g/h/i.md", "deep");
    let report = desk.base.carry_axme(&find(&root.join("p")).unwrap()).unwrap();
    assert_eq!(
        said(&report.stores[0].lost),
        [
            "a/b/c/d/e/f/g/h: lies too deep",
            "decisions/D-002-link.md: is a link, and is not followed",
            "decisions/D-003-fifo.md: is no regular file",
            "decisions/D-004-large.md: is larger than 16384 KB",
            "memory: is a link, and is not followed",
            "oracle: is a link, and is not followed",
        ]
    );
    assert_eq!(desk.view().own().store.list("decisions"), ["D-001-a.md"]);
}

#[test]
#[cfg(unix)]
fn a_linked_tree_is_no_tree() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "real/decisions/D-001-a.md", "x");
    fs::create_dir(dir.path().join("p")).unwrap();
    std::os::unix::fs::symlink(dir.path().join("real"), dir.path().join("p/.axme-code")).unwrap();
    assert!(find(&dir.path().join("p")).unwrap_err().problem.starts_with("there is no .axme-code in "));
}

#[test]
fn ten_thousand_files_are_looked_at_in_one_go() {
    let desk = Desk::repo();
    let dir = tempfile::tempdir().unwrap();
    for at in 0..10_000 {
        let id = at / 2 + 1;
        put(
            dir.path(),
            &format!(".axme-code/decisions/D-{id:03}-n{at}.md"),
            &format!("---\nid: D-{id:03}\ntitle: Number {at}\n---\n\nText {at}.\n"),
        );
    }
    let trees = find(dir.path()).unwrap();
    let report = desk.base.preview_axme(&trees);
    assert_eq!((report.new_of("decisions"), report.stores[0].renamed.len()), (10_000, 5_000));
}

#[test]
#[cfg(unix)]
fn a_store_that_cannot_be_written_is_refused_and_a_preview_works() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::repo();
    let root = desk.view().root.path;
    fs::create_dir(root.join(".ai")).unwrap();
    fs::set_permissions(root.join(".ai"), fs::Permissions::from_mode(0o555)).unwrap();
    // Whoever may write anywhere is not stopped by this.
    if fs::File::create(root.join(".ai/probe")).is_ok() {
        return;
    }
    let trees = find(&fixture("small")).unwrap();
    assert_eq!(desk.base.preview_axme(&trees).new_of("decisions"), 5);
    let broken = desk.base.carry_axme(&trees).unwrap_err();
    assert!(broken.refusal.problem.contains("cannot be created"), "{}", broken.refusal);
    assert_eq!(broken.done.stores, []);
}

#[expect(clippy::disallowed_methods, reason = "a test that makes its own files")]
fn put(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn copy(from: &Path, to: &Path) {
    for (name, text) in whole(from) {
        put(to, &name, &text);
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test that makes its own tree")]
fn a_handoff_that_does_not_say_when_comes_behind_those_that_are_here() {
    let desk = Desk::repo();
    let here = "---\ndate: 2026-11-14T08:00:00Z\nsession: s-9\nsource: agent\n---\n\n# Handoff\n\n## Stopped at\n\nhere\n";
    desk.put("local/handoffs/20261114T080000Z-s-9.md", here);
    let plans = desk.dir.path().join("old/.axme-code/plans");
    fs::create_dir_all(&plans).unwrap();
    fs::write(plans.join("handoff-abc.md"), "# Handoff\n\nStopped at: long ago\n").unwrap();
    let carry = || {
        desk.base.carry_axme(&find(&desk.dir.path().join("old")).unwrap()).unwrap();
        let stopped = |kept: &crate::shelf::Kept<crate::handoff::Handoff>| kept.item.parts.stopped_at.clone();
        let mut dates: Vec<(String, String)> = crate::handoff::contents(&desk.view().own().store)
            .items
            .iter()
            .map(|kept| (kept.item.date.clone(), stopped(kept)))
            .collect();
        dates.sort();
        dates
    };
    let told = |date: &str, stopped: &str| (date.to_owned(), stopped.to_owned());
    let first = [told("2026-11-14T07:59:59Z", "long ago"), told("2026-11-14T08:00:00Z", "here")];
    assert_eq!(carry(), first);
    // A day that the front matter or the name says is one, and may be newer.
    fs::write(plans.join("handoff-d.md"), "---\ndate: 2026-11-15\n---\n# Handoff\n\nStopped at: later\n")
        .unwrap();
    fs::write(plans.join("handoff-2026-11-10-e.md"), "# Handoff\n\nStopped at: before\n").unwrap();
    let all = carry();
    assert_eq!(all.first(), Some(&told("2026-11-10T00:00:00Z", "before")));
    assert_eq!(all.last(), Some(&told("2026-11-15T00:00:00Z", "later")));
}

#[test]
fn one_value_in_quotes_makes_no_yaml_of_its_neighbours() {
    let desk = Desk::repo();
    let dir = tempfile::tempdir().unwrap();
    let decision = |file: &str, front: &str| {
        put(dir.path(), &format!(".axme-code/decisions/{file}.md"), &format!("---\n{front}---\n\nText.\n"));
    };
    decision("D-001-list", "id: D-001\ntitle: Fix issue #12 in the parser\nscope: [api, web]\n");
    decision("D-002-reason", "id: D-002\ntitle: Fix issue #13: \"now\"\nrevokedReason: \"obsolete # yes\"\n");
    decision("D-003-quoted", "id: D-003\ntitle: 'Quoted #14: it''s so'\nsource: a: b\n");
    decision("D-004-lines", "id: D-004\ntitle: Fix #15\nscope:\n  - api\n  - web\n");
    put(
        dir.path(),
        ".axme-code/memory/feedback/red.md",
        "---\nslug: red\ntitle: Memory #7 is red: \"always\"\nkeywords: [\"a\", \"b # c\"]\n---\n\nText.\n",
    );
    desk.base.carry_axme(&find(dir.path()).unwrap()).unwrap();
    let view = desk.view();
    let decisions: Vec<_> = desk
        .base
        .decisions(&view, false)
        .into_iter()
        .map(|placed| (placed.kept.item.title.clone(), placed.kept.item.scope.clone()))
        .collect();
    let told =
        |title: &str, scope: &[&str]| (title.to_owned(), scope.iter().map(|s| (*s).to_owned()).collect());
    assert_eq!(
        decisions,
        [
            told("Fix issue #12 in the parser", &["api", "web"]),
            told("Fix issue #13: \"now\"", &[]),
            told("Quoted #14: it's so", &[]),
            told("Fix #15", &["api", "web"]),
        ]
    );
    let reason = desk.base.find_decisions(&view, "D-002")[0].kept.item.revoked_reason.clone();
    assert_eq!(reason.as_deref(), Some("obsolete # yes"));
    let found = desk.base.find_memory(&view, "red").unwrap();
    let memory = &found.kept.item;
    assert_eq!(
        (memory.title.as_str(), &memory.keywords[..]),
        ("Memory #7 is red: \"always\"", &["a".to_owned(), "b # c".to_owned()][..])
    );
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test that makes its own tree")]
fn what_is_no_text_is_kept_with_marks() {
    let desk = Desk::repo();
    let dir = tempfile::tempdir().unwrap();
    let tree = dir.path().join(".axme-code");
    fs::create_dir_all(tree.join("decisions")).unwrap();
    let secret = format!("ghp_{}", "a8Kd72Lq0ZxV".repeat(3));
    let broken = [b"---\nid: D-001\n---\n\nCaf\xe9, token ".as_slice(), secret.as_bytes(), b".\n"].concat();
    fs::write(tree.join("decisions/D-001-cafe.md"), broken).unwrap();
    fs::write(tree.join("logo.png"), b"\x89PNG\r\n\x1a\n\0\0").unwrap();
    let trees = find(dir.path()).unwrap();
    let report = desk.base.carry_axme(&trees).unwrap();
    let carried = &report.stores[0];
    assert_eq!(
        said(&carried.aside),
        [
            "decisions/D-001-cafe.md: line 5 is not valid UTF-8: in archive/axme/decisions/D-001-cafe.md with its broken bytes replaced",
            "logo.png: has no place of its own: in archive/axme/logo.png with its broken bytes replaced",
        ]
    );
    assert_eq!((&carried.left, &carried.lost), (&Vec::new(), &Vec::new()));
    assert_eq!(carried.redacted, 1);
    let store = desk.view().own().store.dir.clone();
    let first = whole(&store);
    let text = "---\nid: D-001\n---\n\nCaf\u{fffd}, token [redacted:github-token].\n";
    let logo = "\u{fffd}PNG\r\n\u{1a}\n\0\0";
    assert_eq!(
        first,
        [
            ("archive/axme/decisions/D-001-cafe.md".to_owned(), text.to_owned()),
            ("archive/axme/logo.png".to_owned(), logo.to_owned()),
        ]
    );
    assert!(desk.base.carry_axme(&trees).unwrap().is_empty());
    assert_eq!(whole(&store), first);
}

#[test]
fn a_secret_that_something_unseen_stands_in_is_taken_out() {
    let desk = Desk::repo();
    let dir = tempfile::tempdir().unwrap();
    let split = ["ghp", "_16C7e42F29\u{200b}2c6912E7710c838347Ae178B4a"].concat();
    put(
        dir.path(),
        ".axme-code/decisions/D-001-x.md",
        &format!("---\nid: D-001\ntitle: Use {split} here\nscope: {split}\n---\n\nText.\n"),
    );
    put(dir.path(), ".axme-code/scratch.txt", &format!("token {split}\r\n"));
    desk.base.carry_axme(&find(dir.path()).unwrap()).unwrap();
    let all = whole(&desk.view().own().store.dir);
    assert_eq!(all.len(), 2);
    assert!(all.iter().all(|(_, text)| !text.contains("16C7e42F29")), "{all:?}");
}
