//! What is done together is there together, or it is told.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use super::held::LONGEST_HOLD;
use super::*;
use crate::decision::NewDecision;
use crate::memory::MemoryKind;
use crate::memory::save::NewMemory;
use crate::testing::{Desk, decision};

fn memory(title: &str) -> NewMemory {
    NewMemory {
        kind: MemoryKind::Pattern,
        title: title.to_owned(),
        description: "What to do.".to_owned(),
        body: String::new(),
        keywords: Vec::new(),
        scope: Vec::new(),
        source: "session",
        supersedes: Vec::new(),
    }
}

fn owed(desk: &Desk) -> Option<Vec<String>> {
    let doing = desk.base.together.doing();
    let names = |directory: &PathBuf| directory.file_name().unwrap().to_str().unwrap().to_owned();
    doing.as_ref().map(|doing| doing.owed.iter().map(names).collect())
}

#[test]
fn directories_are_owed_until_all_is_done() {
    let desk = Desk::repo();
    let view = desk.view();
    let ((), note) = desk.base.together(|| {
        desk.base.save_memory(&memory("The first lesson"), &view).unwrap();
        desk.base.save_memory(&memory("Something else altogether"), &view).unwrap();
        // What the next one compares itself with is there at once.
        let same = desk.base.save_memory(&memory("First lesson"), &view).unwrap();
        assert_eq!(same[0].slug, "the-first-lesson");
        assert_eq!(owed(&desk).unwrap(), ["patterns"]);
        assert_eq!(desk.forced(), ["gather"]);
    });
    assert_eq!((note, owed(&desk)), (None, None));
    assert_eq!(desk.forced(), ["gather", "force"]);
    // Alone, each is forced at once.
    desk.base.save_memory(&memory("A third of them"), &view).unwrap();
    assert_eq!((owed(&desk), desk.forced().len()), (None, 2));
}

#[test]
fn a_store_stays_locked_from_one_thing_to_the_next() {
    let desk = Desk::repo();
    let view = desk.view();
    let store = &view.own().store;
    let is_locked = || {
        let file = fs::File::open(store.path("local/.lock")).unwrap();
        matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock))
    };
    let (saved, _) = desk.base.together(|| {
        let first = desk.base.save_decision(&decision("Use UTC"), &view).unwrap();
        assert!(is_locked());
        let memory = desk.base.save_memory(&memory("The first lesson"), &view).unwrap();
        let second = desk.base.save_decision(&decision("Keep logs"), &view).unwrap();
        // A process may be killed at any moment, and the file be removed.
        assert_eq!(desk.read("local/ids"), "D 2\n");
        // Another store, and this one is free.
        let mine = NewDecision { scope: vec!["user".to_owned()], ..decision("Mine alone") };
        let mine = desk.base.save_decision(&mine, &view).unwrap();
        assert!(!is_locked());
        let third = desk.base.save_decision(&decision("Name the owner"), &view).unwrap();
        assert!(is_locked());
        [first, second, mine, third]
            .map(|saved| saved[0].id.clone())
            .to_vec()
            .into_iter()
            .chain([memory[0].slug.clone()])
            .collect::<Vec<_>>()
    });
    assert_eq!(saved, ["D-001", "D-002", "D-001", "D-003", "the-first-lesson"]);
    assert!(!is_locked());
    assert_eq!(desk.read("local/ids"), "D 3\n");
    let own = fs::read_to_string(desk.base.user().store.path("local/ids")).unwrap();
    assert_eq!(own, "D 1\n");
    assert_eq!(desk.recorded().len(), 5);
}

#[test]
fn the_project_is_looked_for_once() {
    let desk = Desk::repo();
    let view = desk.view();
    let save = |title: &str| drop(desk.base.save_decision(&decision(title), &view).unwrap());
    desk.base.together(|| ["Use UTC", "Keep logs", "Name the owner"].map(save));
    assert_eq!(desk.looked_for_projects(), 1);
    // What comes later may be on another branch.
    save("Pin versions");
    save("Sign commits");
    assert_eq!(desk.looked_for_projects(), 3);
    let branches: Vec<_> = desk.events.lock().unwrap().iter().map(|draft| draft.branch.clone()).collect();
    assert_eq!(branches, [const { "main" }; 5].map(|name| Some(name.to_owned())));
}

#[test]
fn whoever_waits_for_a_store_gets_a_turn() {
    let desk = Desk::repo();
    let view = desk.view();
    let (store, together) = (&view.own().store, &desk.base.together);
    let (saved, _) = desk.base.together(|| {
        desk.base.save_decision(&decision("Use UTC"), &view).unwrap();
        assert!(together.held(store).is_some());
        let long_ago = Instant::now().checked_sub(LONGEST_HOLD).unwrap();
        together.doing().as_mut().unwrap().held.as_mut().unwrap().since = long_ago;
        assert!(together.held(store).is_none());
        drop(store.lock().unwrap());
        let second = desk.base.save_decision(&decision("Keep logs"), &view).unwrap();
        desk.base.let_go();
        drop(store.lock().unwrap());
        second
    });
    assert_eq!(saved[0].id, "D-002");
}

#[test]
fn a_file_that_somebody_brings_meanwhile_keeps_its_id() {
    let desk = Desk::repo();
    let view = desk.view();
    let save = |title: &str| desk.base.save_decision(&decision(title), &view).unwrap().remove(0).id;
    let (saved, _) = desk.base.together(|| {
        let first = save("Use UTC");
        desk.put("decisions/D-002-theirs.md", "# Theirs\n\nText.\n");
        let second = save("Keep logs");
        desk.put("decisions/D-004.md", "---\nid: [\n---\n");
        desk.put("decisions/D-0041-longer.md", "# Longer\n\nText.\n");
        [first, second, save("Name the owner"), save("Pin versions")]
    });
    assert_eq!(saved, ["D-001", "D-003", "D-042", "D-043"]);
}

#[test]
fn a_lock_that_was_taken_away_is_not_kept() {
    let desk = Desk::repo();
    let view = desk.view();
    let store = &view.own().store;
    desk.base.together(|| {
        desk.base.save_decision(&decision("Use UTC"), &view).unwrap();
        // As `git clean` does it.
        fs::remove_dir_all(store.path("local")).unwrap();
        let theirs = store.lock().unwrap();
        assert!(desk.base.together.held(store).is_none());
        drop(theirs);
        desk.base.save_decision(&decision("Keep logs"), &view).unwrap();
        fs::remove_dir_all(&store.root).unwrap();
        let gone = desk.base.save_decision(&decision("Name the owner"), &view).unwrap_err();
        assert!(gone.problem.contains("is no longer there"), "{gone}");
    });
    assert!(!store.root.exists());
}

#[test]
fn a_span_is_like_no_other() {
    let together = Together::default();
    let span = together.span();
    let mut seen = vec![span.now()];
    for _ in 0..4 {
        span.turn();
        seen.push(span.now());
    }
    assert_eq!(seen, [None, NonZero::new(1), None, NonZero::new(3), None]);
}

#[test]
fn what_broke_off_is_forced_as_well() {
    let desk = Desk::repo();
    let view = desk.view();
    let broken = catch_unwind(AssertUnwindSafe(|| {
        desk.base.together(|| {
            desk.base.save_memory(&memory("The first lesson"), &view).unwrap();
            panic!("a defect");
        })
    }));
    assert!(broken.is_err());
    fs::File::open(view.own().store.path("local/.lock")).unwrap().try_lock().unwrap();
    assert_eq!(desk.base.together.span().now(), None);
    assert_eq!((owed(&desk), desk.forced()), (None, vec!["gather", "force"]));
}

#[test]
fn a_disk_that_does_not_confirm_is_told() {
    let desk = Desk::repo();
    let view = desk.view();
    let directory = view.own().store.path("memory/patterns");
    let (saved, note) = desk.base.together(|| {
        let saved = desk.base.save_memory(&memory("The first lesson"), &view).unwrap();
        desk.base.together.publish();
        fs::remove_dir_all(&directory).unwrap();
        saved
    });
    assert_eq!(saved[0].file, "memory/patterns/the-first-lesson.md");
    let note = note.unwrap();
    assert!(note.starts_with("All of it is written, but the disk did not confirm it"), "{note}");
    assert!(note.contains("memory/patterns: No such file"), "{note}");
    // The log is forced all the same.
    assert_eq!(desk.forced(), ["gather", "force"]);
}

/// The files of a directory of the root's store, also those that nobody should see, but for the one that keeps it in git.
fn files(desk: &Desk, directory: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(desk.view().own().store.path(directory)) else { return Vec::new() };
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name != ".gitkeep");
    names.sort();
    names
}

/// The same without those that are not finished.
fn named(desk: &Desk, directory: &str) -> Vec<String> {
    files(desk, directory).into_iter().filter(|name| !name.starts_with(".custos-")).collect()
}

#[test]
fn new_items_are_forced_and_named_together() {
    let desk = Desk::repo();
    let view = desk.view();
    let titles = |base: &Base| -> Vec<String> {
        let view = base.view(None).unwrap();
        let decisions = base.decisions(&view, false).into_iter().map(|placed| placed.kept.item.title.clone());
        let memories = base.memories(&view, None).into_iter().map(|placed| placed.kept.item.title.clone());
        decisions.chain(memories).collect()
    };
    let ((), note) = desk.base.together(|| {
        desk.base.save_memory(&memory("The first lesson"), &view).unwrap();
        desk.base.save_decision(&decision("Use UTC"), &view).unwrap();
        desk.base.save_decision(&decision("Keep logs"), &view).unwrap();
        // Whoever saves the next one knows of them; nobody else does, and nothing tells of them.
        assert_eq!(titles(&desk.base), ["Use UTC", "Keep logs", "The first lesson"]);
        assert_eq!(titles(&desk.in_session(None)), [""; 0]);
        assert_eq!((files(&desk, "decisions").len(), named(&desk, "decisions")), (2, Vec::new()));
        assert_eq!(desk.recorded(), [""; 0]);
    });
    assert_eq!(note, None);
    assert_eq!(files(&desk, "decisions"), ["D-001-use-utc.md", "D-002-keep-logs.md"]);
    assert_eq!(files(&desk, "memory/patterns"), ["the-first-lesson.md"]);
    assert!(
        desk.read("decisions/D-002-keep-logs.md")
            .ends_with("# Keep logs\n\nText.\n\n## Reasoning\n\nText.\n")
    );
    assert_eq!(titles(&desk.base), titles(&desk.in_session(None)));
    assert_eq!(
        desk.recorded(),
        ["knowledge.saved memory", "knowledge.saved decision", "knowledge.saved decision"]
    );
}

#[test]
fn what_was_just_saved_can_be_changed_and_put_away() {
    let desk = Desk::repo();
    let view = desk.view();
    let ((), note) = desk.base.together(|| {
        desk.base.save_memory(&memory("The first lesson"), &view).unwrap();
        let again = NewMemory { description: "Something else.".to_owned(), ..memory("First lesson") };
        desk.base.save_memory(&again, &view).unwrap();
        desk.base.save_decision(&decision("Use UTC"), &view).unwrap();
        let successor = NewDecision { supersedes: vec!["D-001".to_owned()], ..decision("Use local time") };
        desk.base.save_decision(&successor, &view).unwrap();
        desk.base.save_memory(&memory("Another lesson"), &view).unwrap();
        desk.base.archive_memory(&view, "another-lesson", "it was wrong", None).unwrap();
    });
    assert_eq!(note, None);
    assert_eq!(files(&desk, "memory/patterns"), ["the-first-lesson.md"]);
    assert!(desk.read("memory/patterns/the-first-lesson.md").contains("\n\nSomething else.\n"));
    assert_eq!(files(&desk, "decisions"), ["D-002-use-local-time.md"]);
    assert_eq!(files(&desk, "archive/decisions"), ["D-001-use-utc.md"]);
    assert_eq!(files(&desk, "archive/memory/patterns"), ["another-lesson.md"]);
    assert_eq!(
        desk.recorded(),
        [
            "knowledge.saved memory",
            "knowledge.updated memory",
            "knowledge.saved decision",
            "knowledge.archived decision",
            "knowledge.saved decision",
            "knowledge.saved memory",
            "knowledge.archived memory",
        ]
    );
}

#[test]
fn a_name_that_somebody_took_meanwhile_stays_theirs() {
    let desk = Desk::repo();
    let view = desk.view();
    let ((), note) = desk.base.together(|| {
        desk.base.save_memory(&memory("The first lesson"), &view).unwrap();
        desk.base.save_memory(&memory("Something else altogether"), &view).unwrap();
        desk.put("memory/patterns/the-first-lesson.md", "# Theirs\n\nText.\n");
    });
    let note = note.unwrap();
    assert!(
        note.starts_with(
            "NOT KEPT after all: memory/patterns/the-first-lesson.md of root could not be put in its place: something has that name by now"
        ),
        "{note}"
    );
    assert_eq!(files(&desk, "memory/patterns"), ["something-else-altogether.md", "the-first-lesson.md"]);
    assert_eq!(desk.read("memory/patterns/the-first-lesson.md"), "# Theirs\n\nText.\n");
    // Nothing tells of what is not there.
    let events = desk.events.lock().unwrap();
    let told: Vec<_> = events.iter().map(|draft| draft.body["file"].as_str().unwrap()).collect();
    assert_eq!(told, ["memory/patterns/something-else-altogether.md"]);
}

#[test]
fn as_many_wait_as_a_process_may_have_open() {
    let desk = Desk::repo();
    let view = desk.view();
    let count = 2 * MOST + 10;
    let (most, note) = desk.base.together(|| {
        let save = |at| {
            let title = format!("Lesson {at} of the day {at}");
            assert_eq!(desk.base.save_memory(&memory(&title), &view).unwrap().len(), 1);
            desk.base.together.span().unnamed().len()
        };
        (0..count).map(save).max().unwrap()
    });
    assert_eq!((most, note), (MOST, None));
    assert_eq!(named(&desk, "memory/patterns").len(), count);
    assert_eq!(desk.recorded().len(), count);
}

#[test]
fn whoever_gets_the_store_next_sees_what_was_saved() {
    let desk = Desk::repo();
    let view = desk.view();
    desk.base.together(|| {
        desk.base.save_decision(&decision("Use UTC"), &view).unwrap();
        assert_eq!(named(&desk, "decisions"), [""; 0]);
        // Another store is locked in its place.
        let mine = NewDecision { scope: vec!["user".to_owned()], ..decision("Mine alone") };
        desk.base.save_decision(&mine, &view).unwrap();
        assert_eq!(named(&desk, "decisions"), ["D-001-use-utc.md"]);
        desk.base.save_decision(&decision("Keep logs"), &view).unwrap();
        desk.base.let_go();
        assert_eq!(named(&desk, "decisions"), ["D-001-use-utc.md", "D-002-keep-logs.md"]);
    });
    assert_eq!(desk.recorded().len(), 3);
}

#[test]
fn a_log_that_takes_nothing_is_told_once() {
    let desk = Desk::repo();
    let base = desk.with_broken_log();
    let view = base.view(None).unwrap();
    let ((), note) = base.together(|| {
        base.save_decision(&decision("Use UTC"), &view).unwrap();
        base.save_decision(&decision("Keep logs"), &view).unwrap();
    });
    assert_eq!(
        note.unwrap(),
        "The file is written, but the event is not in the log: the disk is full. `custos doctor` says what to do"
    );
    assert_eq!(files(&desk, "decisions"), ["D-001-use-utc.md", "D-002-keep-logs.md"]);
}

#[test]
fn what_one_store_cannot_keep_another_keeps_and_tells() {
    let desk = Desk::workspace();
    let view = desk.view();
    let everywhere =
        NewMemory { scope: vec!["api".to_owned(), "web".to_owned()], ..memory("The first lesson") };
    let (unkept, note) = desk.base.together(|| {
        assert_eq!(desk.base.save_memory(&everywhere, &view).unwrap().len(), 2);
        // The first of the two was named when the other was locked.
        let theirs = view.root.path.join("web/.ai/memory/patterns/the-first-lesson.md");
        custos_config::replace::append_private(&theirs, "# Theirs\n").unwrap();
        desk.base.unkept()
    });
    let told: Vec<_> =
        unkept.iter().map(|unkept| (unkept.store.name.as_str(), unkept.file.as_str())).collect();
    assert_eq!((told, note), (vec![("web", "memory/patterns/the-first-lesson.md")], None));
    assert!(view.root.path.join("api/.ai/memory/patterns/the-first-lesson.md").exists());
    // Nothing tells of what is not there, whoever was told that it is not.
    assert_eq!(desk.recorded(), ["knowledge.saved memory"]);
}

#[test]
fn what_gives_way_does_so_to_what_is_there() {
    let desk = Desk::repo();
    let view = desk.view();
    desk.base.save_decision(&decision("Use UTC"), &view).unwrap();
    let (there, note) = desk.base.together(|| {
        let successor = NewDecision { supersedes: vec!["D-001".to_owned()], ..decision("Use local time") };
        desk.base.save_decision(&successor, &view).unwrap();
        (named(&desk, "decisions"), named(&desk, "archive/decisions"))
    });
    assert_eq!(there, (vec!["D-002-use-local-time.md".to_owned()], vec!["D-001-use-utc.md".to_owned()]));
    assert_eq!(note, None);
}
