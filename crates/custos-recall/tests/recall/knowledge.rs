//! The files of the knowledge base, in one ranking with what sessions learnt.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use custos_index::Budget;
use custos_knowledge::{Around, Base};
use custos_model::{Draft, Kind, Timestamp};
use custos_recall::knowledge::Refreshed;
use custos_recall::{Ask, Named, Viewer};

use crate::memory::{Memory, ask, now, observation};

struct Surroundings {
    trusted: bool,
}

impl Around for Surroundings {
    fn now(&self) -> Timestamp {
        now()
    }

    fn record(&self, _: Draft) -> Result<(), String> {
        Ok(())
    }

    fn trusts(&self, _: &Path) -> bool {
        self.trusted
    }

    fn made(&self, _: &Path) {}

    fn prove(&self, _: &str, _: &Path) -> Result<usize, String> {
        Ok(1)
    }

    fn decided(&self, _: &Path) -> Result<(), String> {
        Ok(())
    }

    fn is_person(&self) -> bool {
        true
    }

    fn session(&self) -> Option<String> {
        None
    }

    fn client(&self) -> Option<String> {
        None
    }
}

/// A repo and a person's own store, below a memory's directory.
struct Files {
    root: PathBuf,
    config: PathBuf,
}

impl Files {
    fn new(memory: &Memory) -> Self {
        let files = Self { root: memory.path().join("repo"), config: memory.path().join("config") };
        fs::create_dir_all(files.root.join(".git")).unwrap();
        files.write(
            ".ai/decisions/D-001-queue.md",
            "---\nid: D-001\ntitle: The queue is in Postgres\ndate: 2026-01-02\nenforce: required\n---\n\nJobs are rows.\n",
        );
        files.write(
            ".ai/memory/patterns/retry.md",
            "---\nslug: retry\ntype: pattern\ntitle: Retry the queue\n---\n\nThree times.\n",
        );
        files.write(
            "../config/knowledge/memory/feedback/tabs.md",
            "---\nslug: tabs\ntitle: No tabs in the queue\n---\n\nNever.\n",
        );
        files
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }

    /// Says that it is a clone of something.
    fn clone_of(&self, remote: &str) {
        self.write(".git/HEAD", "ref: refs/heads/main\n");
        self.write(".git/config", &format!("[remote \"origin\"]\n\turl = https://{remote}.git\n"));
    }

    fn base(&self, trusted: bool) -> Base {
        Base::new(&self.root, &self.config, Arc::new(Surroundings { trusted }))
    }
}

/// Waits until a change would show in the version of everything that was written so far.
fn settle() {
    std::thread::sleep(Duration::from_millis(40));
}

fn found(store: &mut custos_recall::Store, text: &str) -> Vec<String> {
    let answer = store.search(&ask(text)).unwrap();
    let mut names: Vec<String> =
        answer.found.into_iter().map(|found| found.entry.name.unwrap_or(found.entry.excerpt)).collect();
    names.sort();
    names
}

#[test]
fn files_are_found_beside_what_sessions_learnt_and_followed_as_they_change() {
    let memory = Memory::new();
    memory.append(observation(1, "the queue is slow"));
    let files = Files::new(&memory);
    let mut store = memory.open(None);
    let base = files.base(true);
    settle();
    assert_eq!(store.refresh_knowledge(&base, None).unwrap().read, 3);
    assert_eq!(found(&mut store, "queue"), ["D-001", "retry", "tabs", "the queue is slow"]);
    // Nothing has changed, and nothing is read.
    assert_eq!(store.refresh_knowledge(&base, None).unwrap(), Refreshed::default());

    files.write(
        ".ai/memory/patterns/retry.md",
        "---\nslug: retry\ntype: pattern\ntitle: Retry the request\n---\n\nFive times.\n",
    );
    fs::remove_file(files.root.join(".ai/decisions/D-001-queue.md")).unwrap();
    settle();
    let refreshed = store.refresh_knowledge(&base, None).unwrap();
    assert_eq!((refreshed.read, refreshed.gone, refreshed.left), (1, 1, 0));
    assert_eq!(found(&mut store, "queue"), ["tabs", "the queue is slow"]);
    assert_eq!(found(&mut store, "request"), ["retry"]);
}

#[test]
fn what_lay_in_a_directory_that_is_gone_goes_when_somebody_has_time() {
    let memory = Memory::new();
    let files = Files::new(&memory);
    settle();
    let mut store = memory.open(None);
    store.refresh_knowledge(&files.base(true), None).unwrap();
    fs::remove_dir_all(&files.root).unwrap();
    fs::create_dir(memory.path().join("elsewhere")).unwrap();
    let elsewhere = Files { root: memory.path().join("elsewhere"), config: files.config.clone() };
    let in_a_hurry = Budget { limit: Duration::from_secs(1), elapsed: &|| Duration::ZERO };
    store.refresh_knowledge(&elsewhere.base(true), Some(in_a_hurry)).unwrap();
    assert_eq!(found(&mut store, "queue"), ["D-001", "retry", "tabs"]);
    let refreshed = store.refresh_knowledge(&elsewhere.base(true), None).unwrap();
    assert_eq!((refreshed.read, refreshed.gone), (0, 2));
    assert_eq!(found(&mut store, "queue"), ["tabs"]);
}

#[test]
fn a_file_that_was_changed_just_now_is_read_again() {
    let memory = Memory::new();
    let files = Files::new(&memory);
    let mut store = memory.open(None);
    let base = files.base(true);
    store.refresh_knowledge(&base, None).unwrap();
    fs::write(files.root.join(".ai/memory/patterns/new.md"), "---\nslug: new\n---\n\nalpha\n").unwrap();
    store.refresh_knowledge(&base, None).unwrap();
    // As long as before, and within one tick of a slow clock.
    fs::write(files.root.join(".ai/memory/patterns/new.md"), "---\nslug: new\n---\n\ngamma\n").unwrap();
    store.refresh_knowledge(&base, None).unwrap();
    assert_eq!((found(&mut store, "alpha"), found(&mut store, "gamma")), (vec![], vec!["new".to_owned()]));
}

#[test]
fn every_edit_is_followed_however_often_nothing_had_changed() {
    let memory = Memory::new();
    let files = Files::new(&memory);
    let mut store = memory.open(None);
    let base = files.base(true);
    let path = ".ai/memory/patterns/new.md";
    let text = |word: &str| format!("---\nslug: new\n---\n\n{word}\n");
    let mut before = "none".to_owned();
    for (at, word) in ["alpha", "gamma", "delta"].into_iter().cycle().take(24).enumerate() {
        // Seen as soon as it is written, and after it had settled for a while.
        if at % 4 == 0 {
            settle();
        }
        for _ in 0..at % 3 {
            store.refresh_knowledge(&base, None).unwrap();
        }
        files.write(path, &text(word));
        store.refresh_knowledge(&base, None).unwrap();
        let after = (found(&mut store, &before), found(&mut store, word));
        assert_eq!(after, (vec![], vec!["new".to_owned()]), "the edit {at}");
        word.clone_into(&mut before);
    }
    settle();
    store.refresh_knowledge(&base, None).unwrap();
    assert_eq!(store.refresh_knowledge(&base, None).unwrap(), Refreshed::default());
    fs::remove_file(files.root.join(path)).unwrap();
    assert_eq!(store.refresh_knowledge(&base, None).unwrap(), Refreshed { gone: 1, ..Refreshed::default() });
    assert_eq!(found(&mut store, &before), [""; 0]);
}

#[test]
fn what_another_takes_out_of_the_index_or_puts_there_is_noticed() {
    let memory = Memory::new();
    let files = Files::new(&memory);
    let base = files.base(true);
    let (mut store, mut other) = (memory.open(None), memory.open(None));
    settle();
    store.refresh_knowledge(&base, None).unwrap();
    assert_eq!(store.refresh_knowledge(&base, None).unwrap(), Refreshed::default());
    let directory = files.root.canonicalize().unwrap().join(".ai");
    let path = "decisions/D-001-queue.md".to_owned();
    other.index().put_knowledge(directory.to_str().unwrap(), &[], &[path]).unwrap();
    assert_eq!(found(&mut store, "queue"), ["retry", "tabs"]);
    assert_eq!(store.refresh_knowledge(&base, None).unwrap(), Refreshed { read: 1, ..Refreshed::default() });
    assert_eq!(found(&mut store, "queue"), ["D-001", "retry", "tabs"]);
    // Made anew, it has none of it.
    drop(other);
    fs::remove_file(memory.index()).unwrap();
    assert_eq!(store.refresh_knowledge(&base, None).unwrap(), Refreshed { read: 3, ..Refreshed::default() });
}

#[test]
fn a_large_base_is_read_in_portions() {
    let memory = Memory::new();
    let files = Files::new(&memory);
    for number in 0..200 {
        files.write(&format!(".ai/memory/feedback/m{number}.md"), "---\ntitle: A queue\n---\n\nA text.\n");
    }
    settle();
    let mut store = memory.open(None);
    let base = files.base(true);
    let asked = std::cell::Cell::new(0_u32);
    // Time for some of it, by a clock that goes on whenever somebody looks.
    let elapsed = || {
        asked.set(asked.get() + 1);
        Duration::from_millis(asked.get().into())
    };
    let refreshed = store
        .refresh_knowledge(&base, Some(Budget { limit: Duration::from_millis(4), elapsed: &elapsed }))
        .unwrap();
    assert_eq!(refreshed, Refreshed { read: 128, gone: 0, left: 75 });
    assert_eq!(store.refresh_knowledge(&base, None).unwrap(), Refreshed { read: 75, ..Refreshed::default() });
    assert_eq!(store.refresh_knowledge(&base, None).unwrap(), Refreshed::default());
}

#[test]
fn without_time_the_old_is_kept_and_a_note_says_so() {
    let memory = Memory::new();
    let files = Files::new(&memory);
    let mut store = memory.open(None);
    let base = files.base(true);
    let no_time = Budget { limit: Duration::ZERO, elapsed: &|| Duration::ZERO };
    assert_eq!(store.refresh_knowledge(&base, Some(no_time)).unwrap().left, 3);
    let answer = store.search(&ask("queue")).unwrap();
    assert_eq!(answer.found, []);
    assert!(
        answer.notes[0].starts_with("3 changed files of the knowledge base are not searched yet"),
        "{:?}",
        answer.notes
    );
    store.refresh_knowledge(&base, None).unwrap();
    assert_eq!(store.search(&ask("queue")).unwrap().notes, Vec::<String>::new());
}

#[test]
fn what_a_clone_brought_is_not_trusted_until_somebody_has_looked() {
    let memory = Memory::new();
    let files = Files::new(&memory);
    let mut store = memory.open(None);
    let trusted = |store: &mut custos_recall::Store, is_trusted: bool| {
        store.refresh_knowledge(&files.base(is_trusted), None).unwrap();
        let answer = store.search(&ask("queue")).unwrap();
        let mut trusted: Vec<(String, bool)> =
            answer.found.into_iter().map(|found| (found.entry.name.unwrap(), found.entry.trusted)).collect();
        trusted.sort();
        trusted
    };
    let named = |names: [bool; 3]| {
        ["D-001", "retry", "tabs"].into_iter().map(str::to_owned).zip(names).collect::<Vec<_>>()
    };
    // The person's own is their own.
    assert_eq!(trusted(&mut store, false), named([false, false, true]));
    assert_eq!(trusted(&mut store, true), named([true, true, true]));
}

#[test]
fn of_two_checkouts_only_the_files_of_the_one_at_hand_answer() {
    let memory = Memory::new();
    let mut learnt = observation(1, "the queue is slow");
    learnt.project = Some("github.com/acme/shop".to_owned());
    memory.append(learnt);
    let here = Files::new(&memory);
    here.clone_of("github.com/acme/shop");
    let there = Files { root: memory.path().join("other"), config: here.config.clone() };
    there.clone_of("github.com/acme/shop");
    there.write(
        ".ai/decisions/D-002-queue.md",
        "---\nid: D-002\ntitle: The queue is in Redis\ndate: 2026-01-02\n---\n\nJobs are keys.\n",
    );
    let mut store = memory.open(None);
    // What is learnt is shared, and each asks for its own files, also one that has no time to read them again.
    for _ in 0..2 {
        store.refresh_knowledge(&here.base(true), None).unwrap();
        assert_eq!(found(&mut store, "queue"), ["D-001", "retry", "tabs", "the queue is slow"]);
        store.refresh_knowledge(&there.base(true), None).unwrap();
        assert_eq!(found(&mut store, "queue"), ["D-002", "tabs", "the queue is slow"]);
        assert_eq!(found(&mut store, ""), ["D-002", "tabs", "the queue is slow"]);
    }
    store.ask_from(&here.base(true));
    assert_eq!(found(&mut store, ""), ["D-001", "retry", "tabs", "the queue is slow"]);
    let learnt = store.search(&ask("slow")).unwrap().found[0].entry.id;
    let around = store.timeline(learnt, 9, 9, &Viewer::owner()).unwrap();
    let names: Vec<_> = around.iter().filter_map(|(_, entry)| entry.name.as_deref()).collect();
    assert_eq!(names, ["D-001", "retry"]);
    // Whoever asks from elsewhere has none of them at hand, and all are told apart by their ids.
    let elsewhere = Files { root: memory.path().join("elsewhere"), config: here.config.clone() };
    fs::create_dir(&elsewhere.root).unwrap();
    store.refresh_knowledge(&elsewhere.base(true), None).unwrap();
    assert_eq!(found(&mut store, "queue"), ["D-001", "D-002", "retry", "tabs", "the queue is slow"]);
}

#[test]
fn all_of_a_file_can_be_read_and_only_in_its_project() {
    let memory = Memory::new();
    let files = Files::new(&memory);
    let mut store = memory.open(None);
    store.refresh_knowledge(&files.base(true), None).unwrap();
    let answer =
        store.search(&Ask { kinds: &[Kind::KnowledgeSaved], sorts: &["decision"], ..ask("queue") }).unwrap();
    let [decision] = answer.found.as_slice() else { panic!("{answer:?}") };
    assert!(decision.entry.name.as_deref() == Some("D-001"));
    let whole = store.whole(&[decision.entry.id], &Viewer::owner()).unwrap();
    assert_eq!(whole[0].body["text"], "Jobs are rows.");
    let elsewhere = Viewer::agent(Some("codex"), None, None, None, Some("another"));
    assert_eq!(store.whole(&[decision.entry.id], &elsewhere).unwrap(), []);
    let project = decision.entry.project.clone().unwrap();
    // The person's own knowledge goes with every project.
    let answer = store.search(&Ask { projects: &["another"], viewer: elsewhere, ..ask("queue") }).unwrap();
    let names: Vec<_> = answer.found.iter().map(|found| found.entry.name.as_deref()).collect();
    assert_eq!(names, [Some("tabs")]);
    let here = Viewer::agent(Some("codex"), None, None, None, Some(&project));
    let answer = store.search(&Ask { projects: &[&project], viewer: here, ..ask("queue") }).unwrap();
    assert_eq!(answer.found.len(), 3);
}

#[test]
fn whoever_holds_the_index_up_keeps_nobody_from_an_answer() {
    let memory = Memory::new();
    let files = Files::new(&memory);
    memory.append(observation(1, "The queue lost jobs"));
    let mut store = memory.open(None);
    memory.append(observation(0, "The queue is slow again"));
    let holder = rusqlite::Connection::open(memory.index()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let soon = Budget { limit: Duration::from_millis(20), elapsed: &|| Duration::ZERO };
    store.keep_up(&files.base(true), soon, soon).unwrap();
    assert_eq!(found(&mut store, "queue"), ["The queue lost jobs"]);
    let notes = store.search(&ask("queue")).unwrap().notes;
    assert!(
        notes.len() == 1 && notes[0].starts_with("the index has not read the whole log yet"),
        "{notes:?}"
    );
    holder.execute_batch("ROLLBACK").unwrap();
    store.keep_up(&files.base(true), soon, soon).unwrap();
    assert_eq!(
        found(&mut store, "queue"),
        ["D-001", "The queue is slow again", "The queue lost jobs", "retry", "tabs"]
    );
    assert_eq!(store.search(&ask("queue")).unwrap().notes, Vec::<String>::new());
}

#[test]
fn a_file_is_called_by_its_name_and_the_nearest_is_meant() {
    let memory = Memory::new();
    let files = Files::new(&memory);
    // The person has a decision of that number as well, and a memory that the repo does not have.
    files.write("../config/knowledge/decisions/D-001-own.md", "---\nid: D-001\ntitle: Mine\n---\n\nSo.\n");
    files.write(".ai/memory/feedback/twice.md", "---\nslug: twice\ntitle: As feedback\n---\n\nA.\n");
    files.write(".ai/memory/patterns/twice.md", "---\nslug: twice\ntitle: As a pattern\n---\n\nB.\n");
    let mut store = memory.open(None);
    store.refresh_knowledge(&files.base(true), None).unwrap();
    let title = |store: &mut custos_recall::Store, name: &str, viewer: &Viewer<'_>| match store
        .named(name, viewer)
        .unwrap()
    {
        Named::One(id) => store.whole(&[id], viewer).unwrap().remove(0).entry.title,
        Named::Nothing => None,
        Named::Several(ids) => Some(format!("{} of them", ids.len())),
    };
    let owner = Viewer::owner();
    let cases = [
        ("D-001", Some("The queue is in Postgres")),
        (" d-001 ", Some("The queue is in Postgres")),
        ("retry", Some("Retry the queue")),
        ("tabs", Some("No tabs in the queue")),
        ("twice", Some("2 of them")),
        ("D-002", None),
        ("queue", None),
        ("", None),
    ];
    for (name, expected) in cases {
        assert_eq!(title(&mut store, name, &owner).as_deref(), expected, "{name:?}");
    }
    // Whoever works in another project names none of its files, and still the person's own.
    let elsewhere = Viewer::agent(Some("codex"), None, None, None, Some("another"));
    assert_eq!(title(&mut store, "retry", &elsewhere), None);
    assert_eq!(title(&mut store, "D-001", &elsewhere).as_deref(), Some("Mine"));
    // From another directory, a name is not that of the files here, for the owner either.
    let other = Files { root: memory.path().join("other"), config: files.config.clone() };
    fs::create_dir(&other.root).unwrap();
    store.refresh_knowledge(&other.base(true), None).unwrap();
    assert_eq!(title(&mut store, "retry", &owner), None);
    assert_eq!(title(&mut store, "D-001", &owner).as_deref(), Some("Mine"));
}

#[test]
fn a_file_is_as_old_as_its_day_or_as_the_file_system_says_within_it() {
    let memory = Memory::new();
    let files = Files::new(&memory);
    let text = |slug: &str, day: &str| {
        format!("---\nslug: {slug}\ntitle: {slug}\ndate: {day}\n---\n\nThe lesson.\n")
    };
    // The present is 2027-01-15T08:00:00Z.
    let cases = [
        ("just-now", "2027-01-15", 5, "just now"),
        ("cloned-today", "2027-01-14", 5, "yesterday"),
        ("touched-before", "2027-01-15", 3 * 86_400, "today"),
        ("of-yesterday", "2027-01-14", 10 * 3_600, "10 h ago"),
        ("old", "2027-01-05", 5, "10 days ago"),
        ("older", "2026-09-05", 5, "4 months ago"),
    ];
    for (slug, day, seconds, _) in cases {
        let path = format!(".ai/memory/patterns/{slug}.md");
        files.write(&path, &text(slug, day));
        let modified = std::time::SystemTime::UNIX_EPOCH
            + Duration::from_millis(now().as_millis().unsigned_abs())
            - Duration::from_secs(seconds);
        fs::File::options().write(true).open(files.root.join(&path)).unwrap().set_modified(modified).unwrap();
    }
    let mut store = memory.open(None);
    store.refresh_knowledge(&files.base(true), None).unwrap();
    let answer = store.search(&Ask { limit: 50, ..ask("lesson") }).unwrap();
    for (slug, _, _, expected) in cases {
        let found = answer.found.iter().find(|found| found.entry.name.as_deref() == Some(slug)).unwrap();
        assert_eq!(custos_recall::fence::age_of(now(), &found.entry), expected, "{slug}");
    }
}
