use std::collections::BTreeSet;

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::testing::Desk;

fn new(title: &str, description: &str) -> NewTask {
    NewTask { title: title.to_owned(), description: description.to_owned(), ..NewTask::default() }
}

impl Desk {
    fn add(&self, new: &NewTask) -> SavedTask {
        let mut added = self.base.add_task(new, &self.view()).unwrap();
        assert_eq!(added.len(), 1);
        added.remove(0)
    }

    fn task(&self, name: &str) -> Task {
        Task::clone(&self.base.find_tasks(&self.view(), name)[0].kept.item)
    }

    fn note(&self, name: &str, note: &str) -> SavedTask {
        self.base.update_task(&self.view(), name, None, None, Some(note)).unwrap()
    }
}

#[test]
fn the_end_of_a_long_title_begins_the_description() {
    let desk = Desk::repo();
    let title = format!("{}the end", "word ".repeat(2_000));
    let added = desk.add(&new(&title, "Soon."));
    let (beginning, _) = added.title.split_once('…').unwrap();
    let task = desk.task(&added.id);
    let rest = task.description.strip_prefix("… ").and_then(|text| text.strip_suffix("\n\nSoon.")).unwrap();
    assert_eq!(format!("{beginning} {rest}"), title);
}

#[test]
fn a_task_becomes_a_file_and_an_event() {
    let desk = Desk::repo();
    let added = desk.add(&NewTask {
        priority: Priority::High,
        tags: vec!["paper".to_owned(), "Paper".to_owned(), "archive: old".to_owned()],
        ..new("Import the \"paper\" tables", "Of 1998.\n## Notes\nare in the cellar.")
    });
    let expected = SavedTask {
        id: "B-001".to_owned(),
        slug: "import-the-paper-tables".to_owned(),
        title: "Import the \"paper\" tables".to_owned(),
        status: Status::Open,
        priority: Priority::High,
        level: Level::Repo,
        store: "root".to_owned(),
        file: "backlog/B-001-import-the-paper-tables.md".to_owned(),
        became: Became::Created,
        refused: Vec::new(),
        notes: Vec::new(),
    };
    assert_eq!(added, expected);
    insta::assert_snapshot!(desk.read(&added.file), @r#"
    ---
    id: B-001
    slug: import-the-paper-tables
    title: Import the "paper" tables
    status: open
    priority: high
    tags: [paper, "archive: old"]
    created: 2026-11-15T20:55:09Z
    updated: 2026-11-15T20:55:09Z
    ---

    # Import the "paper" tables

    Of 1998.
    \## Notes
    are in the cellar.
    "#);
    let events = desk.events.lock().unwrap();
    assert_eq!(events.len(), 1);
    let expected = json!({
        "item": "task", "level": "repo", "id": "B-001", "title": added.title, "file": added.file, "status": "open",
        "priority": "high", "tags": ["paper", "archive: old"], "text": "Of 1998.\n## Notes\nare in the cellar.",
    });
    assert_eq!(Value::Object(events[0].body.clone()), expected);
}

#[test]
fn notes_are_added_and_everything_else_stays() {
    let desk = Desk::repo();
    desk.put(
        "backlog/B-007-tables.md",
        "---\nid: B-7\ntitle: Tables\nstatus: In Progress\nowner: me # not you\n---\n\nText.\n\n## Notes\n\nBy hand.\n\n## Later\n\nMore.\n",
    );
    desk.note("b-7", "First line.\n\n## second\n```\nunclosed");
    let view = desk.view();
    let updated = desk
        .base
        .update_task(&view, "tables", Some(Status::Done), Some(Priority::Low), Some("Done."))
        .unwrap();
    assert_eq!(
        (updated.status, updated.priority, updated.became),
        (Status::Done, Priority::Low, Became::Updated)
    );
    insta::assert_snapshot!(desk.read("backlog/B-007-tables.md"), @r#"
    ---
    id: B-7
    title: Tables
    status: done
    owner: me # not you
    updated: 2026-11-15T20:55:10Z
    priority: low
    ---

    Text.

    ## Notes

    By hand.

    - 2026-11-15T20:55:09Z: First line.

      ## second
      \```
      unclosed

    - 2026-11-15T20:55:10Z: Done.

    ## Later

    More.
    "#);
    assert_eq!(desk.recorded(), ["knowledge.updated task", "knowledge.updated task"]);
}

#[test]
fn what_is_so_already_is_not_written() {
    let desk = Desk::repo();
    let file = desk.add(&new("Tables", "Import.")).file;
    let before = desk.read(&file);
    let view = desk.view();
    let update = |status, priority| desk.base.update_task(&view, "B-001", status, priority, Some("  "));
    assert_eq!(update(Some(Status::Open), Some(Priority::Medium)).unwrap().became, Became::Unchanged);
    assert_eq!(
        update(None, None).unwrap_err().to_string(),
        "nothing is to be changed. Send status, priority or notes"
    );
    assert_eq!(desk.read(&file), before);
    assert_eq!(desk.recorded(), ["knowledge.saved task"]);
}

#[test]
fn a_title_that_is_still_open_is_given_back() {
    let desk = Desk::repo();
    desk.add(&new("Import the paper tables", "All."));
    let again = desk.add(&new("import paper tables!", "Others."));
    assert_eq!((again.id.as_str(), again.became), ("B-001", Became::Unchanged));
    let left = "B-001 has this title, and was left as it is; backlog_update adds notes to it";
    assert_eq!(again.notes, [format!("{left}. NOT taken: description")]);
    assert_eq!(desk.add(&new("Import the paper tables", "All.")).notes, [left]);
    let near = desk.add(&new("Import the old paper tables", "Others."));
    assert_eq!(near.notes, ["B-001 is much the same (Import the paper tables)"]);
    desk.base.update_task(&desk.view(), "B-001", Some(Status::Done), None, None).unwrap();
    assert_eq!(desk.add(&new("Import the paper tables", "Again.")).id, "B-003");
}

#[test]
fn an_id_is_never_given_out_twice() {
    let desk = Desk::repo();
    desk.put("archive/backlog/B-004-gone.md", "");
    desk.put("backlog/b-005-broken.md", "---\nid: [\n---\n");
    desk.put("backlog/other.md", "---\nid: B-0009\n---\n\nText.\n");
    desk.put("backlog/B-+99-sign.md", "Text.\n");
    assert_eq!(desk.add(&new("Next", "Text.")).id, "B-010");
    desk.put("backlog/B-999999999-last.md", "---\nid: B-999999999\n---\n\nText.\n");
    let refused = desk.base.add_task(&new("After that", "Text."), &desk.view()).unwrap_err();
    assert_eq!(refused.problem, "B-999999999 is taken, and there is no higher id");
}

#[test]
fn a_file_that_cannot_be_read_is_never_written_over() {
    let desk = Desk::repo();
    let broken = "---\nid: B-003\nstatus: [open\n---\n\nText.\n";
    desk.put("backlog/B-003-broken.md", broken);
    desk.put("backlog/nameless.md", "---\nid: seven\n---\n\nText.\n");
    let update = |name: &str| {
        desk.base.update_task(&desk.view(), name, Some(Status::Done), None, None).unwrap_err().problem
    };
    assert!(update("B-3").starts_with("backlog/B-003-broken.md of repo root, line "), "{}", update("B-3"));
    assert_eq!(update("B-4"), "there is no task B-4");
    assert_eq!(desk.read("backlog/B-003-broken.md"), broken);
    let faults = desk.view().own().backlog.contents(&desk.view().own().store).faults;
    assert_eq!(faults.len(), 2);
    assert_eq!(faults[1].line, 2);
}

#[test]
fn a_task_whose_file_cannot_be_read_gets_no_twin() {
    let desk = Desk::repo();
    let split = "---\nid: B-001\n<<<<<<< ours\ntitle: T1\n=======\ntitle: T1\n>>>>>>> theirs\n---\n\nText.\n";
    desk.put("backlog/B-001-t1.md", split);
    let refusal = desk.base.add_task(&new("T1", "Text."), &desk.view()).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "backlog/B-001-t1.md of repo root, line 3: has an unresolved merge conflict. The file is left as it is. Mend it first; `kb_doctor` lists all such files"
    );
    assert_eq!(desk.view().own().store.list("backlog"), ["B-001-t1.md"]);
    assert_eq!(desk.add(&new("T2", "Text.")).id, "B-002");
}

#[test]
fn tasks_of_two_levels_do_not_hide_each_other() {
    let desk = Desk::workspace();
    desk.add(&new("Of the workspace", "Text."));
    let scoped = NewTask { scope: vec!["api".to_owned()], ..new("Of the repo", "Text.") };
    desk.add(&scoped);
    let view = desk.base.view(Some("api")).unwrap();
    let ids = |status| -> Vec<(Level, String)> {
        let tasks = desk.base.tasks(&view, status);
        tasks.into_iter().map(|placed| (placed.level, placed.kept.item.id.clone())).collect()
    };
    assert_eq!(ids(None), [(Level::Repo, "B-001".to_owned()), (Level::Workspace, "B-001".to_owned())]);
    let updated = desk.base.update_task(&view, "B-001", Some(Status::Blocked), None, None).unwrap();
    assert_eq!(updated.store, "api");
    assert_eq!(updated.notes, ["root has a B-001 as well (Of the workspace), which was left as it is"]);
    assert_eq!(ids(Some(Status::Blocked)), [(Level::Repo, "B-001".to_owned())]);
}

#[test]
fn a_word_that_nobody_knows_leaves_a_task_open_and_is_refused_from_an_agent() {
    let desk = Desk::repo();
    desk.put("backlog/B-001-x.md", "---\nstatus: wontfix\npriority: urgent\n---\n");
    let task = desk.task("B-001");
    assert_eq!((task.status, task.priority, task.title.as_str()), (Status::Open, Priority::Medium, "x"));
    assert_eq!(
        "wontfix".parse::<Status>().unwrap_err().to_string(),
        "status \"wontfix\" is not known. Send status as one of open, in-progress, done, blocked"
    );
    assert_eq!(
        "urgent".parse::<Priority>().unwrap_err().to_string(),
        "priority \"urgent\" is not known. Send priority as one of high, medium, low"
    );
}

#[rstest]
#[case("in_progress", Status::InProgress)]
#[case(" In Progress ", Status::InProgress)]
#[case("DONE", Status::Done)]
fn a_status_may_be_spelt_in_several_ways(#[case] word: &str, #[case] status: Status) {
    assert_eq!(word.parse(), Ok(status));
}

#[test]
fn sixty_four_at_once_get_an_id_each() {
    let desk = Desk::repo();
    desk.add(&new("Shared", "Text."));
    let view = desk.view();
    std::thread::scope(|scope| {
        for at in 0..64 {
            let (desk, view) = (&desk, &view);
            scope.spawn(move || {
                // Every other one through a base of its own, as another process has it.
                let other = desk.in_session(Some("s-2"));
                let base = if at % 2 == 0 { &desk.base } else { &other };
                base.add_task(&new(&format!("Number {at}"), "Text."), view).unwrap();
                base.update_task(view, "B-001", None, None, Some(&format!("note {at};"))).unwrap();
            });
        }
    });
    let tasks = desk.base.tasks(&view, None);
    let ids: BTreeSet<String> = tasks.iter().map(|placed| placed.kept.item.id.clone()).collect();
    let titles: BTreeSet<String> = tasks.iter().map(|placed| placed.kept.item.title.clone()).collect();
    assert_eq!((tasks.len(), ids.len(), titles.len()), (65, 65, 65));
    assert_eq!((ids.first().unwrap().as_str(), ids.last().unwrap().as_str()), ("B-001", "B-065"));
    let notes = desk.task("B-001").notes;
    assert!((0..64).all(|at| notes.contains(&format!("note {at};"))), "{notes}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_added_is_read_back(
        title in "\\PC{1,40}|[\\x00-\\x7f]{1,40}|(---|: |# |\"|'|Ж|港|ع|🦀|\n){1,8}",
        description in "(\\PC{0,30}|## Notes|# y|---|```|~~~|\\\\# z|>>>>>>> a|\r\n| - \n){0,12}",
        tags in prop::collection::vec("\\PC{0,12}|- a|b: c|\\[d|null|1e3", 0..6),
        notes in prop::collection::vec("(\\PC{0,20}|## Notes|```|~~~~|\n){1,6}", 0..4),
    ) {
        let desk = Desk::repo();
        let task = NewTask { tags: tags.clone(), ..new(&title, &description) };
        let clean = |text: &str| desk.base.clean("text", text).unwrap();
        let Ok(cleaned) = desk.base.clean_title(&title) else { return Ok(()) };
        prop_assume!(!clean(&description).is_empty());
        let added = desk.add(&task);
        let mut expected = Vec::new();
        for note in notes.iter().map(|note| clean(note)).filter(|note| !note.is_empty()) {
            desk.note(&added.id, &note);
            expected.push(entry(&desk.task(&added.id).updated, &note));
        }
        let read = desk.task(&added.id);
        prop_assert_eq!(&read.title, &cleaned.title);
        prop_assert_eq!(&read.description, &clean(&description));
        prop_assert_eq!(&read.tags, &keeping::labels(&desk.base, &tags));
        prop_assert_eq!(&read.notes, &expected.join("\n\n"));
        prop_assert_eq!(desk.add(&task).id, added.id);
    }
}

#[test]
fn a_task_is_found_by_any_of_its_names_and_not_guessed() {
    let desk = Desk::repo();
    let view = desk.view();
    for (id, slug, title) in
        [("B-001", "paint-it", "Paint it"), ("B-002", "twin-a", "Twin A"), ("B-002", "twin-b", "Twin B")]
    {
        desk.put(
            &format!("backlog/{id}-{slug}.md"),
            format!("---\nid: {id}\nslug: {slug}\ntitle: {title}\nstatus: open\n---\n\nText.\n"),
        );
    }
    let block = |name: &str| desk.base.update_task(&view, name, Some(Status::Blocked), None, None);
    for name in
        ["B-001", "b1", "1", "paint-it", "B-001-paint-it", "B-001 Paint it", "B-1: paint it", "Paint it"]
    {
        assert_eq!(block(name).unwrap().title, "Paint it", "{name}");
    }
    assert_eq!(
        block("B-002").unwrap_err().to_string(),
        "B-002 could mean several: repo root has B-002-twin-a (Twin A), and repo root has B-002-twin-b (Twin B). Nothing was changed. Send \"B-002-twin-a\" or \"B-002-twin-b\"; kb_doctor with `fix` gives one of them an id of its own"
    );
    assert_eq!(block("B-002-twin-b").unwrap().title, "Twin B");
    let found = desk.base.find_tasks(&view, "2");
    let note = twins(&found).unwrap();
    assert!(note.starts_with("2 have one id: repo root has B-002-twin-a (Twin A)"), "{note}");
}

#[test]
fn a_task_of_the_person_is_changed_only_by_its_full_name() {
    let desk = Desk::repo();
    let view = desk.view();
    let new = NewTask { scope: vec!["user".to_owned()], ..new("Mine", "Text.") };
    desk.base.add_task(&new, &view).unwrap();
    let done = |id: &str| desk.base.update_task(&view, id, Some(Status::Done), None, None);
    assert_eq!(
        done("B-001").unwrap_err().to_string(),
        "this project has no task B-001; there is one that is the person's own. If you mean that one, send id: \"user:B-001\""
    );
    assert_eq!(done("user:B-001").unwrap().status, Status::Done);
}

#[test]
fn an_id_whose_own_file_cannot_be_read_means_no_other() {
    let desk = Desk::repo();
    let view = desk.view();
    desk.base.add_task(&NewTask { scope: vec!["user".to_owned()], ..new("Mine", "Text.") }, &view).unwrap();
    let file = desk.add(&new("Ours", "Text.")).file;
    desk.put(&file, desk.read(&file).replacen("---\n", "---\n<<<<<<< HEAD\n", 1));
    for name in ["B-001", "1", "ours"] {
        let refusal = desk.base.update_task(&view, name, Some(Status::Done), None, None).unwrap_err();
        assert!(refusal.problem.ends_with("has an unresolved merge conflict"), "{name}: {refusal}");
    }
    assert_eq!(
        desk.base.update_task(&view, "user:B-001", Some(Status::Done), None, None).unwrap().status,
        Status::Done
    );
}
