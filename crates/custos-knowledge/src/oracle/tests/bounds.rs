//! Limits: files, bytes, time; and what is not looked at.

use std::cell::Cell;

use super::Project;
use crate::oracle::{Cut, Limits, Scan, Topic, render, scan};

fn limited(project: &Project, limits: &Limits<'_>) -> Scan {
    scan(project.path(), limits, &mut |_| {})
}

/// A project of many small files: 100 folders with 50 files each.
fn large() -> Project {
    let project = Project::new(&[("Cargo.toml", "[package]\nname = \"large\"\n")]);
    for folder in 0..100 {
        for file in 0..50 {
            let path = format!("src/part{folder:02}/file{file:02}.rs");
            project.write(&path, format!("pub struct Parcel{file};\n").as_bytes());
        }
    }
    project
}

#[test]
fn a_large_tree_is_read_within_its_limits() {
    let project = large();
    let mut told = Vec::new();
    let whole = scan(project.path(), &Limits::default(), &mut |seen| told.push(seen));
    assert_eq!((whole.files_seen, whole.cut_short, whole.sources_read), (5001, None, (4000, 5000)));
    assert_eq!((whole.structure.len(), whole.more_folders), (60, 41));
    let map = render(&whole).structure;
    assert_eq!(map.lines().rfind(|line| line.starts_with("- ")), Some("- and 41 more"), "{map}");
    assert!(told.is_sorted() && told.len() > 5 && told.last() == Some(&5001), "{told:?}");
    assert_eq!(whole.glossary[0].word, "parcel");
    assert!(render(&whole).glossary.contains("From 4000 of 5000 source files"));

    let few = limited(&project, &Limits { files: 1000, ..Limits::default() });
    assert_eq!((few.files_seen, few.cut_short), (1000, Some(Cut::Files)));
    assert_eq!(few, limited(&project, &Limits { files: 1000, ..Limits::default() }));
    assert!(render(&few).stack.contains("cut short after 1000 files"));

    let little = limited(&project, &Limits { total_bytes: 2000, ..Limits::default() });
    assert_eq!((little.files_seen, little.cut_short), (5001, Some(Cut::Bytes)));
    assert!(little.sources_read.0 < 200, "{:?}", little.sources_read);
}

#[test]
fn time_ends_the_walk_and_the_reading() {
    let project = large();
    for asked in [0, 1, 50, 150, 1000] {
        let left: Cell<usize> = Cell::new(asked);
        let expired = || {
            let up = left.get() == 0;
            left.set(left.get().saturating_sub(1));
            up
        };
        let cut = limited(&project, &Limits { expired: &expired, ..Limits::default() });
        assert_eq!(cut.cut_short, Some(Cut::Time), "after {asked}");
        assert!(left.get() == 0);
    }
}

#[test]
fn a_file_that_is_too_large_costs_itself() {
    let project = Project::new(&[
        ("package.json", "{\"scripts\": {\"test\": \"jest\"}}"),
        ("Makefile", "test:\n\tjest\n"),
    ]);
    let cut = limited(&project, &Limits { file_bytes: 20, ..Limits::default() });
    assert_eq!(
        cut.commands.iter().map(|command| command.command.as_str()).collect::<Vec<_>>(),
        ["make test"]
    );
    let unread: Vec<_> =
        cut.unread.iter().map(|unread| (unread.file.as_str(), unread.why.as_str())).collect();
    assert_eq!(unread, [("package.json", "it is larger than 20 bytes")]);
}

#[test]
fn of_the_packages_that_workspaces_name_so_many_are_noted() {
    let project = Project::new(&[("yarn.lock", ""), ("late/yarn.lock", "")]);
    for workspace in 0..6 {
        let named: Vec<String> = (0..500).map(|name| format!("\"packages/p{workspace}-{name}\"")).collect();
        let manifest = format!("{{\"workspaces\": [{}]}}", named.join(","));
        project.write(&format!("w{workspace}/package.json"), manifest.as_bytes());
    }
    let unread: Vec<_> = project.scan().unread.into_iter().map(|one| (one.file, one.why)).collect();
    let why = "it names packages beyond the 2000 that are noted in one scan: which program manages them may not be told";
    assert_eq!(unread, [("w4/package.json".to_owned(), why.to_owned())]);
}

#[test]
fn ignored_files_are_not_seen() {
    let project = Project::new(&[
        (".gitignore", "*.gen.rs\n/out/\n!keep.gen.rs\nlogs\n"),
        (".git/info/exclude", "private.rs\n"),
        (".git/HEAD", "ref: x\n"),
        ("a.rs", ""),
        ("b.gen.rs", ""),
        ("keep.gen.rs", ""),
        ("private.rs", ""),
        ("out/c.rs", ""),
        ("src/out/d.rs", ""),
        ("src/.gitignore", "e.rs\n!f.gen.rs\n"),
        ("src/e.rs", ""),
        ("src/f.gen.rs", ""),
        ("src/deep/e.rs", ""),
        ("e.rs", ""),
        ("logs/g.rs", ""),
        (".hidden/h.rs", ""),
        ("node_modules/i.rs", ""),
        ("lib/target/j.rs", ""),
        ("lib/venv/pyvenv.cfg", ""),
        ("lib/venv/k.rs", ""),
    ]);
    let scan = project.scan();
    let rust = scan.stack.iter().find(|finding| finding.topic == Topic::Language).unwrap();
    // a, e, keep.gen, src/out/d, src/f.gen, lib/target/j (there is no manifest beside it).
    assert_eq!(rust.detail.as_deref(), Some("100 % of the source files (6 files)"));
}
