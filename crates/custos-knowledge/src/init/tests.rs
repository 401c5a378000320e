use std::collections::BTreeMap;
use std::fs;

use super::*;
use crate::oracle::Limits;
use crate::preset::{named, presets};
use crate::testing::Desk;

fn scanned(desk: &Desk) -> Scan {
    oracle::scan(&desk.view().root.path, &Limits::default(), &mut |_| {})
}

/// A repo with a manifest that proves something.
#[expect(clippy::disallowed_methods, reason = "a person's editor is not atomic either")]
fn repo() -> Desk {
    let desk = Desk::repo();
    let root = desk.view().root.path;
    fs::create_dir_all(root.join("src")).unwrap();
    fs::write(root.join("Cargo.toml"), "[package]\nname = \"shop\"\nlicense = \"MIT\"\nedition = \"2024\"\n")
        .unwrap();
    fs::write(root.join("src/main.rs"), "//! Sells things.\nfn main() {}\n").unwrap();
    desk
}

/// Every file of the store with what it holds.
fn files(desk: &Desk) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![desk.view().own().store.dir.clone()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(&directory).unwrap().flatten() {
            if entry.path().is_dir() {
                waiting.push(entry.path());
            } else {
                let name =
                    entry.path().strip_prefix(&desk.view().own().store.dir).unwrap().display().to_string();
                found.insert(name, fs::read_to_string(entry.path()).unwrap());
            }
        }
    }
    found
}

fn titles(made: &[Made]) -> Vec<&str> {
    made.iter().map(|made| made.title.as_str()).collect()
}

#[test]
fn a_base_begins_once_and_a_second_time_changes_no_byte() {
    let desk = repo();
    let (essential, scan) = (named(&["essential"]).unwrap(), scanned(&desk));
    assert!(desk.base.is_blank(&desk.view()));
    let planned = desk.base.to_begin(&desk.view(), &essential, Some(&scan));
    assert!(!desk.view().own().store.exists(), "nothing is written by asking");

    let begun = desk.base.begin(&desk.view(), &essential, Some(&scan)).unwrap();
    assert_eq!(titles(&begun.made), titles(&planned));
    assert_eq!(begun.notes, Vec::<String>::new());
    assert!(!desk.base.is_blank(&desk.view()));
    assert_eq!(begun.proposals.staged.len(), scan.proposals.len());
    let before = files(&desk);
    for made in &begun.made {
        assert!(before.contains_key(made.file.as_ref().unwrap()), "{made:?}");
    }

    let again = desk.base.begin(&desk.view(), &essential, Some(&scanned(&desk))).unwrap();
    assert_eq!((again.made, again.proposals.staged), (Vec::new(), Vec::new()));
    assert_eq!(files(&desk), before);
}

#[test]
fn what_people_wrote_changed_or_put_away_stays_so() {
    let desk = repo();
    let essential = named(&["essential"]).unwrap();
    desk.base.begin(&desk.view(), &essential, Some(&scanned(&desk))).unwrap();
    let view = desk.view();
    let decision = &essential[0].decisions[0].title;
    let found = desk.base.find_decisions(&view, "D-001").remove(0).kept;
    assert_eq!(found.item.title, *decision);
    desk.base.archive_memory(&view, "say-what-was-left-out", "we do", None).unwrap();
    desk.put("decisions/D-002-the-main-branch-changes-through-review-only.md", "---\nid: [\n---\nbroken");
    let stack = desk.read("oracle/stack.md");
    desk.put("oracle/stack.md", format!("{stack}\nOurs: ask Kim about the cache.\n"));
    let before = files(&desk);
    let again = desk.base.begin(&desk.view(), &essential, Some(&scanned(&desk))).unwrap();
    assert_eq!(again.made, Vec::new());
    assert_eq!(files(&desk), before);
}

#[test]
fn a_gitignore_that_does_not_hide_what_is_local_is_completed_and_told() {
    let desk = Desk::repo();
    desk.put(".gitignore", "*.tmp\r\n");
    let expected = [Made {
        item: "ignore",
        title: "what stays on this machine".to_owned(),
        file: Some(".gitignore".to_owned()),
        became: Became::Updated,
    }];
    assert_eq!(desk.base.to_begin(&desk.view(), &[], None), expected);
    assert_eq!(desk.read(".gitignore"), "*.tmp\r\n", "nothing is written by asking");
    assert_eq!(desk.base.begin(&desk.view(), &[], None).unwrap().made, expected);
    assert_eq!(desk.read(".gitignore"), "*.tmp\r\nlocal/\r\n");
    assert_eq!(desk.base.begin(&desk.view(), &[], None).unwrap().made, []);
    // Who takes it out again means it.
    desk.put(".gitignore", "local/*\n!local/\n");
    assert_eq!(desk.base.begin(&desk.view(), &[], None).unwrap().made, []);
}

#[test]
fn who_asks_for_a_beginning_is_not_told_of_it() {
    let desk = Desk::directory();
    let begun = desk.base.begin(&desk.view(), &named(&["essential"]).unwrap(), None).unwrap();
    assert_eq!(begun.notes, Vec::<String>::new());
}

#[test]
fn all_presets_together_are_kept_without_a_word() {
    let desk = Desk::repo();
    let all = presets();
    let begun = desk.base.begin(&desk.view(), &all, None).unwrap();
    assert_eq!(begun.notes, Vec::<String>::new());
    let wanted: usize = all.iter().map(|preset| preset.decisions.len() + preset.memories.len()).sum();
    assert_eq!(begun.made.len(), wanted + 1);
    let kept = desk.base.find_decisions(&desk.view(), "D-001").remove(0).kept;
    assert_eq!((kept.item.source.as_str(), kept.item.enforce), ("preset", Enforce::Required));
}

#[test]
fn what_the_workspace_says_is_not_said_again_in_its_repos() {
    let desk = Desk::workspace();
    let essential = named(&["essential"]).unwrap();
    desk.base.begin(&desk.view(), &essential, None).unwrap();
    let api = desk.base.view(Some("api")).unwrap();
    assert_eq!(titles(&desk.base.to_begin(&api, &essential, None)), ["what stays on this machine"]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a person's editor is not atomic either")]
fn a_rescan_withdraws_what_is_no_longer_so() {
    let desk = Desk::repo();
    let root = desk.view().root.path;
    let titles = || {
        let items = desk.base.proposed(&desk.view()).items;
        items.into_iter().map(|kept| kept.item.title.clone()).collect::<Vec<_>>()
    };
    fs::write(root.join("package-lock.json"), "{}").unwrap();
    desk.base.propose_of(&desk.view(), &scanned(&desk)).unwrap();
    assert_eq!(titles(), ["JavaScript dependencies are managed with npm"]);
    fs::remove_file(root.join("package-lock.json")).unwrap();
    fs::write(root.join("pnpm-lock.yaml"), "").unwrap();
    let cut = Scan { cut_short: Some(oracle::Cut::Time), ..Scan::default() };
    desk.base.propose_of(&desk.view(), &cut).unwrap();
    assert_eq!(titles(), ["JavaScript dependencies are managed with npm"]);
    desk.base.propose_of(&desk.view(), &scanned(&desk)).unwrap();
    assert_eq!(titles(), ["JavaScript dependencies are managed with pnpm"]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a person's editor is not atomic either")]
fn what_a_repo_of_a_workspace_proves_waits_in_that_repo() {
    let desk = Desk::with_repos(&["api", "web"]);
    let root = desk.view().root.path.join("api");
    fs::write(root.join("Cargo.toml"), "[package]\nname = \"shop\"\nlicense = \"MIT\"\nedition = \"2024\"\n")
        .unwrap();
    let view = desk.base.view(Some("api")).unwrap();
    let scan = oracle::scan(&view.root.path, &Limits::default(), &mut |_| {});
    let staged = desk.base.propose_of(&view, &scan).unwrap();
    assert!(!staged.staged.is_empty() && staged.staged.len() == scan.proposals.len(), "{staged:?}");
    assert!(root.join(".ai/local/proposals").is_dir());
    assert!(!desk.view().own().store.exists());
}
