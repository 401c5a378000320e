//! Several trees that go to one store: the packages of a monorepo.

use super::*;

/// A repo with a package, each with a tree of its own.
fn monorepo() -> Desk {
    let desk = Desk::repo();
    let root = desk.view().root.path;
    let item = |front: &str, text: &str| format!("---\n{front}---\n\n{text}\n");
    let decision = |id: &str, title: &str, more: &str| format!("id: {id}\ntitle: {title}\n{more}");
    let both = [("", "root"), ("packages/web/", "web")];
    put(&root, ".axme-code/workspace.yaml", "projects:\n  - path: packages/web\n");
    for (place, name) in both {
        let tell = |file: &str, text: &str| put(&root, &format!("{place}.axme-code/{file}"), text);
        let own = format!("What {name} says.");
        let same = item(&decision("D-003", "Both say the same", ""), "In the same words.");
        tell("decisions/D-001-first.md", &item(&decision("D-001", &format!("First of {name}"), ""), &own));
        let second = decision("D-002", &format!("Second of {name}"), "supersedes: D-001\n");
        tell("decisions/D-002-second.md", &item(&second, &own));
        tell("decisions/D-003-same.md", &same);
        tell("decisions/D-004-ports.md", &item(&decision("D-004", "Ports are fixed", ""), &own));
        tell(
            "memory/feedback/slow.md",
            &item("slug: slow\ntype: feedback\ntitle: Tests are slow\nkeywords: test\n", &own),
        );
        tell(
            "backlog/B-001-task.md",
            &item(
                "id: B-001\nslug: task\ntitle: Split it\nstatus: open\ncreated: 2026-06-20\nupdated: 2026-06-20\n",
                &own,
            ),
        );
        tell(
            "open-questions.md",
            &format!(
                "## Q-001 [open] 2026-06-20 10:00:00 source=manual\n\n**Question**: What does {name} need?\n"
            ),
        );
        tell("oracle/stack.md", &format!("# Stack\n\nThe stack of {name}.\n"));
        tell(
            "plans/plan.md",
            &item(
                "slug: plan\ntitle: The plan\nstatus: active\ncreated: 2026-06-20\n",
                &format!("- [ ] step of {name}"),
            ),
        );
        tell("safety/rules.yaml", &format!("git:\n  protectedBranches: [main, {name}]\n"));
    }
    let section =
        |stamp: &str, session: &str, text: &str| format!("## {stamp} — Session {session}: {text}\n\n");
    let early = section("2026-06-19 10:00", "aaaaaaaa", "web began");
    let middle = section("2026-06-20 10:00", "bbbbbbbb", "root began");
    let late = section("2026-06-21 10:00", "cccccccc", "web went on");
    let other = section("2026-06-20 11:00", "bbbbbbbb", "web has a part in it");
    put(&root, ".axme-code/worklog.md", &middle);
    put(&root, "packages/web/.axme-code/worklog.md", &format!("{early}{other}{late}"));
    let handoff = |day: &str, name: &str| {
        format!("# Handoff\n\nDate: {day}\nStopped at: {name}\n\n## Summary\n\n{name}\n")
    };
    put(&root, ".axme-code/plans/handoff-bbbbbbbb.md", &handoff("2026-06-20", "root"));
    put(&root, "packages/web/.axme-code/plans/handoff-cccccccc.md", &handoff("2026-06-21", "web"));
    desk
}

#[test]
fn two_trees_of_one_store_lose_nothing_and_share_no_id() {
    let desk = monorepo();
    let view = desk.view();
    let (store, root) = (&view.own().store, &view.root.path);
    let trees = find(root).unwrap();
    let names: Vec<&str> = trees.iter().map(|tree| tree.name.as_str()).collect();
    assert_eq!(names, ["", "packages/web"]);
    let preview = desk.base.preview_axme(&trees);
    assert_eq!(whole(&store.dir), [], "a preview writes nothing");
    let report = desk.base.carry_axme(&trees).unwrap();
    assert_eq!(report, preview);
    insta::assert_snapshot!(told(&report, &store.dir, root));
    assert_eq!(report.stores[0].writes, whole(&store.dir).len());
    assert_eq!(desk.base.questions(&view).faults, []);
    let first = whole(&store.dir);
    let again = desk.base.carry_axme(&trees).unwrap();
    assert!(again.is_empty(), "{again:#?}");
    assert_eq!(whole(&store.dir), first);
    // Whoever says it in other words is not asked again.
    for (file, text) in
        first.iter().filter(|(file, _)| file.starts_with("decisions/") || file.starts_with("oracle/"))
    {
        desk.put(file, format!("{text}\nA word of a person.\n"));
    }
    let edited = whole(&store.dir);
    assert!(desk.base.carry_axme(&trees).unwrap().stores[0].counts.iter().all(|count| count.new == 0));
    let changed: Vec<(String, String)> =
        whole(&store.dir).into_iter().filter(|(file, _)| !file.starts_with("archive/axme/")).collect();
    assert_eq!(
        changed,
        edited.into_iter().filter(|(file, _)| !file.starts_with("archive/axme/")).collect::<Vec<_>>()
    );
}

#[test]
fn a_tree_that_comes_later_overwrites_nothing_of_the_one_before() {
    let desk = monorepo();
    let root = desk.view().root.path;
    let trees = find(&root).unwrap();
    let all = |report: &Report| {
        let counts = report.stores[0].counts.iter();
        counts.map(|count| (count.kind, count.new)).collect::<Vec<_>>()
    };
    desk.base.carry_axme(&trees[..1]).unwrap();
    let before = whole(&desk.view().own().store.dir);
    let report = desk.base.carry_axme(&trees).unwrap();
    assert_eq!(
        all(&report),
        [
            ("decisions", 2),
            ("memories", 0),
            ("tasks", 0),
            ("questions", 0),
            ("oracle sections", 1),
            ("handoffs", 1),
            ("worklog sections", 2),
            ("plans", 0),
        ]
    );
    // What may be another's, or a person's change, is kept as it is.
    let view = desk.view();
    let store = &view.own().store;
    for (file, said) in [
        ("decisions/D-004-ports.md", "What web says."),
        ("memory/feedback/slow.md", "What web says."),
        ("backlog/B-001-task.md", "What web says."),
        ("open-questions.md", "What does web need?"),
    ] {
        let kept = store.read(&format!("archive/axme/packages/web/{file}")).unwrap().unwrap();
        assert!(kept.contains(said), "{file}: {kept}");
    }
    let after = whole(&store.dir);
    let is_shared = |file: &str| ["questions.md", "oracle/stack.md", "local/worklog.md"].contains(&file);
    for (file, text) in before.iter().filter(|(file, _)| !is_shared(file)) {
        assert!(after.contains(&(file.clone(), text.clone())), "{file}");
    }
    assert!(desk.base.carry_axme(&trees).unwrap().is_empty());
    assert_eq!(whole(&store.dir), after);
}

#[test]
fn a_title_that_a_person_changed_makes_no_twin() {
    for is_older in [false, true] {
        let desk = Desk::repo();
        carried(&desk, "small");
        let store = desk.view().own().store.dir.clone();
        let is_item = |file: &str| {
            ["decisions/", "archive/decisions/", "memory/", "archive/memory/", "backlog/", "local/plans/"]
                .iter()
                .any(|directory| file.starts_with(directory))
        };
        let mut changed = 0;
        for (file, text) in whole(&store).into_iter().filter(|(file, _)| is_item(file)) {
            assert!(text.contains("\nimported_from: "), "{file}: {text}");
            let title = text.lines().find_map(|line| line.strip_prefix("title: ")).unwrap().to_owned();
            let text = text.replace(&format!("title: {title}\n"), "title: Said by a person in other words\n");
            let text = text.replace(
                &format!("# {}\n", title.trim_matches(['"', '\''])),
                "# Said by a person in other words\n",
            );
            // An import of before did not remember where something came from.
            let lines = text.lines().filter(|line| !is_older || !line.starts_with("imported_from: "));
            desk.put(&file, lines.map(|line| format!("{line}\n")).collect::<String>());
            changed += 1;
        }
        assert!(changed > 15, "{changed}");
        let edited = whole(&store);
        let after = desk.base.carry_axme(&find(&fixture("small")).unwrap()).unwrap();
        assert!(after.is_empty(), "{after:#?}");
        assert_eq!(whole(&store), edited);
    }
}

#[test]
fn what_the_archive_holds_is_not_active() {
    let desk = Desk::repo();
    let dir = tempfile::tempdir().unwrap();
    for (at, front) in
        [(1, "status: active\n"), (2, "status: active\nsupersededBy: D-009\n"), (3, ""), (4, "status: odd\n")]
    {
        let text = format!("---\nid: D-00{at}\ntitle: Number {at}\n{front}---\n\nText {at}.\n");
        put(dir.path(), &format!(".axme-code/archive/decisions/D-00{at}-x.md"), &text);
    }
    desk.base.carry_axme(&find(dir.path()).unwrap()).unwrap();
    let status = |at: usize| {
        let text = desk.read(&format!("archive/decisions/D-00{at}-x.md"));
        text.lines().find_map(|line| line.strip_prefix("status: ")).unwrap().to_owned()
    };
    assert_eq!([1, 2, 3, 4].map(status), ["revoked", "superseded", "revoked", "revoked"]);
}

#[test]
fn a_text_that_names_an_id_which_is_another_here_is_told() {
    let desk = Desk::repo();
    desk.put("decisions/D-001-ours.md", "---\nid: D-001\ntitle: Ours\n---\n\n# Ours\n\nFirst.\n");
    let dir = tempfile::tempdir().unwrap();
    let item = |file: &str, front: &str, text: &str| {
        put(dir.path(), &format!(".axme-code/{file}.md"), &format!("---\n{front}---\n\n{text}\n"));
    };
    item("decisions/D-001-one", "id: D-001\ntitle: One\n", "Text.");
    item("decisions/D-002-two", "id: D-002\ntitle: Two\nsupersedes: [D-001]\n", "See D-001 and D-002.");
    item("memory/feedback/three", "slug: three\ntitle: Three\n", "As d-1 says.");
    item("memory/feedback/four", "slug: four\ntitle: Four\n", "As D-002 says.");
    let trees = find(dir.path()).unwrap();
    let report = desk.base.carry_axme(&trees).unwrap();
    assert_eq!(
        said(&report.stores[0].oddities),
        [
            "decisions/D-002-two.md: its text names D-001, which is D-003 here",
            "memory/feedback/three.md: its text names D-001, which is D-003 here",
        ]
    );
    assert_eq!(said(&desk.base.carry_axme(&trees).unwrap().stores[0].oddities), [""; 0]);
}

#[test]
fn what_is_here_under_another_id_is_superseded_by_that() {
    let desk = Desk::repo();
    let root = desk.view().root.path;
    put(&root, "pnpm-workspace.yaml", "packages: ['packages/*']\n");
    put(&root, ".axme-code/workspace.yaml", "projects:\n  - path: packages/a\n");
    let item = |file: &str, front: &str, text: &str| {
        put(&root, &format!("{file}.md"), &format!("---\n{front}---\n\n{text}\n"));
    };
    item(".axme-code/decisions/D-001-root-one", "id: D-001\ntitle: Root one\n", "One.");
    item(".axme-code/decisions/D-007-shared", "id: D-007\ntitle: Shared rule\n", "Shared.");
    item("packages/a/.axme-code/decisions/D-001-shared", "id: D-001\ntitle: Shared rule\n", "Shared.");
    item(
        "packages/a/.axme-code/decisions/D-002-new",
        "id: D-002\ntitle: New rule\nsupersedes: [D-001]\n",
        "New.",
    );
    let trees = find(&root).unwrap();
    assert_eq!(trees.len(), 2, "{trees:?}");
    desk.base.carry_axme(&trees).unwrap();
    let text = desk.read("decisions/D-002-new.md");
    assert!(text.contains("supersedes: [D-007]"), "{text}");
}
