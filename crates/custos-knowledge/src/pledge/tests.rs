//! What a power cut takes is there again; what people did since stays as it is.

use std::fs::{FileTimes, OpenOptions};
use std::time::Duration;

use proptest::prelude::*;
use rstest::rstest;

use super::settling::NAMING;
use super::*;
use crate::handoff::NewHandoff;
use crate::store::Writing;
use crate::testing::{Desk, decision};

const UTC: &str = "decisions/D-002-use-utc.md";
const OTHER_RUN: &str = "another";

/// A server's repo in which something was saved.
fn desk() -> Desk {
    let desk = Desk::repo().serving();
    let view = desk.view();
    desk.base.save_decision(&decision("Keep logs"), &view).unwrap();
    desk
}

fn store(desk: &Desk) -> Store {
    Store::clone(&desk.view().own().store)
}

fn save(desk: &Desk, title: &str) -> Option<String> {
    desk.base.together(|| desk.base.save_decision(&decision(title), &desk.view()).unwrap()).1
}

fn pledged(file: &str, text: &str, replaces: bool) -> Pledged {
    Pledged { file: file.to_owned(), text: text.to_owned(), replaces }
}

/// Leaves a pledge as another run of the machine did.
fn leave(store: &Store, run: &str, files: &[Pledged]) {
    let mut file = open_or_make(store).unwrap();
    let end = written(&mut file).unwrap().len();
    let (time, holder) = (millis(SystemTime::now()), number(&file).unwrap());
    let record = Record { run: run.to_owned(), holder, time, doubtful: false, files: files.to_vec() };
    file.seek(SeekFrom::Start(end as u64)).unwrap();
    file.write_all(&spelt(&record).unwrap()).unwrap();
}

/// What a power cut has taken, and what becomes of it with the next lock.
fn settled(store: &Store) -> (Vec<String>, Settled) {
    let taken = taken(store).unwrap();
    (taken, store.lock().unwrap().settled.clone())
}

fn age(path: &Path, by: Duration) {
    let time = SystemTime::now() + by;
    let file = if path.is_dir() { File::open(path) } else { OpenOptions::new().write(true).open(path) };
    file.unwrap().set_times(FileTimes::new().set_modified(time)).unwrap();
}

#[test]
fn what_a_server_adds_is_pledged_before_it_has_a_name_and_forced_after_the_answer() {
    let desk = desk();
    let store = store(&desk);
    let note = save(&desk, "Use UTC");
    let look_ = look(&store).unwrap();
    let [record] = &*look_.records else { panic!("{look_:?}") };
    assert_eq!(record.files, [pledged(UTC, &desk.read(UTC), false)]);
    assert_eq!((note, desk.forced()), (None, vec!["gather"]));
    // A second call comes before that was done.
    assert_eq!(save(&desk, "Pin versions"), None);
    assert_eq!(look(&store).unwrap().records.len(), 2);
    desk.base.end();
    assert!(look(&store).unwrap().is_empty());
    assert_eq!(fs::read(store.path(FILE)).unwrap(), vec![0; ROOM]);
    assert_eq!(desk.forced(), ["gather", "gather", "force", "force"]);
}

#[test]
fn whoever_does_not_live_on_pledges_nothing_and_sees_to_what_was_left() {
    let desk = desk();
    save(&desk, "Use UTC");
    let person = desk.within("");
    let saved = person.together(|| person.save_decision(&decision("Pin versions"), &desk.view()).unwrap());
    assert_eq!((&*saved.0[0].id, saved.1), ("D-003", None));
    assert!(look(&store(&desk)).unwrap().is_empty());
}

#[test]
fn a_file_that_is_refused_is_not_pledged_any_more() {
    let desk = desk();
    let view = desk.view();
    let (unkept, _) = desk.base.together(|| {
        let (store, text) = (&view.own().store, "Mine.\n");
        let writing = desk.base.lock(store).unwrap();
        writing.add("decisions/D-007-mine.md", text).unwrap();
        writing.add("decisions/D-008-other.md", text).unwrap();
        drop(writing);
        desk.put("decisions/D-007-mine.md", "Theirs.\n");
        desk.base.unkept()
    });
    assert_eq!(unkept.iter().map(|unkept| &*unkept.file).collect::<Vec<_>>(), ["decisions/D-007-mine.md"]);
    assert_eq!(desk.read("decisions/D-007-mine.md"), "Theirs.\n");
    assert_eq!(desk.read("decisions/D-008-other.md"), "Mine.\n");
    assert!(look(&store(&desk)).unwrap().is_empty());
}

/// What stands in the place of a file after a power cut.
#[rstest]
#[case::it_has_no_name(None, true)]
#[case::it_is_empty(Some(""), true)]
#[case::it_is_full_of_nothing(Some("\0\0\0\0"), true)]
#[case::half_of_it_is_there(Some("Use U"), true)]
#[case::and_nothing_behind(Some("Use U\0\0"), true)]
#[case::it_is_there(Some("Use UTC.\n"), false)]
#[case::somebody_wrote_more(Some("Use UTC.\nAlways.\n"), false)]
#[case::somebody_wrote_something_else(Some("Use it."), false)]
fn what_a_power_cut_took_is_put_in_place(#[case] left: Option<&str>, #[case] is_lost: bool) {
    let desk = desk();
    let store = store(&desk);
    if let Some(left) = left {
        desk.put(UTC, left);
    }
    leave(&store, OTHER_RUN, &[pledged(UTC, "Use UTC.\n", false)]);
    let wanted = if is_lost { vec![pledged(UTC, "Use UTC.\n", false)] } else { Vec::new() };
    let names: Vec<String> = wanted.iter().map(|pledged| pledged.file.clone()).collect();
    assert_eq!(taken(&store).unwrap(), names);
    let writing = store.lock().unwrap();
    assert_eq!(writing.settled.restored, names);
    assert_eq!(writing.settled.kept, if is_lost { Vec::new() } else { vec![UTC.to_owned()] });
    let found = if is_lost { "Use UTC.\n" } else { left.unwrap() };
    assert_eq!((&*desk.read(UTC), look(&store).unwrap().is_empty()), (found, true));
    drop(writing);
    assert_eq!(store.lock().unwrap().settled, Settled::default());
}

#[test]
fn as_long_as_the_machine_runs_nothing_is_put_in_place() {
    let desk = desk();
    let store = store(&desk);
    leave(&store, RUN.as_deref().unwrap(), &[pledged(UTC, "Use UTC.\n", false)]);
    assert_eq!(settled(&store), (Vec::new(), Settled::default()));
    assert!(!store.path(UTC).exists());
}

#[test]
fn what_people_did_later_stays() {
    let desk = desk();
    let store = store(&desk);
    desk.put(UTC, "");
    leave(&store, OTHER_RUN, &[pledged(UTC, "Use UTC.\n", false)]);
    // Emptied by hand.
    age(&store.path(UTC), Duration::from_secs(1));
    let kept = Settled { kept: vec![UTC.to_owned()], ..Settled::default() };
    assert_eq!(settled(&store), (Vec::new(), kept));
    assert_eq!(desk.read(UTC), "");
}

#[test]
fn what_somebody_may_have_removed_is_put_aside() {
    let desk = desk();
    let store = store(&desk);
    let (other, text) = ("decisions/D-003-pin-versions.md", "Use UTC.\n");
    desk.put(other, "");
    leave(&store, OTHER_RUN, &[pledged(UTC, text, false), pledged(other, "Pin them.\n", false)]);
    age(&store.path("decisions"), Duration::from_millis(NAMING + 1_000));
    let aside = "local/archive/D-002-use-utc.md";
    let wanted = Settled {
        // Of this one only a part got to the disk, whatever came to the directory or went.
        restored: vec![other.to_owned()],
        aside: vec![(UTC.to_owned(), aside.to_owned())],
        ..Settled::default()
    };
    assert_eq!(settled(&store), (vec![UTC.to_owned(), other.to_owned()], wanted.clone()));
    assert_eq!(
        (&*desk.read(aside), &*desk.read(other), store.path(UTC).exists()),
        (text, "Pin them.\n", false)
    );
    insta::assert_snapshot!(wanted.notes().join("\n"), @r"
    A power cut had taken what was saved before, and it is in its place again: decisions/D-003-pin-versions.md
    What was saved before the machine was started anew is not there, taken by a power cut or removed since: decisions/D-002-use-utc.md (its text is in local/archive/D-002-use-utc.md)
    ");
    assert_eq!(settled(&store), (Vec::new(), Settled::default()));
}

#[test]
fn what_cannot_be_put_in_place_stays_pledged_and_keeps_nothing_else_away() {
    let desk = desk();
    let store = store(&desk);
    let memory = "memory/patterns/a-lesson.md";
    let files = [pledged(UTC, "Use UTC.\n", false), pledged(memory, "A lesson.\n", false)];
    fs::rename(store.path("decisions"), store.path("elsewhere")).unwrap();
    desk.put("decisions", "no directory");
    leave(&store, OTHER_RUN, &files);
    let (taken, first) = settled(&store);
    assert_eq!(taken, [UTC, memory]);
    assert_eq!(
        (first.restored.len(), first.failed.len(), desk.read(memory)),
        (1, 1, "A lesson.\n".to_owned())
    );
    let told = first.notes().remove(1);
    assert!(
        told.starts_with("A power cut has taken what was saved before, and it could not be put back: "),
        "{told}"
    );
    // Whoever gives up the lock forces what others pledged, and leaves this to the next.
    assert_eq!(crate::aftercare::at_once(&store).map_err(|error| error.kind()), Ok(()));
    fs::remove_file(store.path("decisions")).unwrap();
    fs::rename(store.path("elsewhere"), store.path("decisions")).unwrap();
    let second = settled(&store).1;
    assert_eq!(second.restored, [UTC]);
    assert_eq!((desk.read(UTC), look(&store).unwrap().is_empty()), ("Use UTC.\n".to_owned(), true));
}

#[test]
fn the_older_text_of_a_file_is_replaced_unless_it_was_edited() {
    let desk = desk();
    let store = store(&desk);
    let (log, new) = (worklog::FILE, pledged(worklog::FILE, "Old.\n\nNew.\n", true));
    for is_lost in [true, false] {
        desk.put(log, "Older.\n");
        leave(&store, OTHER_RUN, std::slice::from_ref(&new));
        let (now, second) = (SystemTime::now(), Duration::from_secs(1));
        let time = if is_lost { now - second } else { now + second };
        let file = OpenOptions::new().write(true).open(store.path(log)).unwrap();
        file.set_times(FileTimes::new().set_modified(time)).unwrap();
        assert_eq!(settled(&store).0.len(), usize::from(is_lost));
        assert_eq!(desk.read(log), if is_lost { "Old.\n\nNew.\n" } else { "Older.\n" });
    }
    // Of several that were to be there the last counts.
    let newest = pledged(log, "Old.\n\nNew.\n\nNewest.\n", true);
    fs::remove_file(store.path(log)).unwrap();
    leave(&store, OTHER_RUN, &[new, newest.clone()]);
    assert_eq!((settled(&store).1.restored, desk.read(log)), (vec![log.to_owned()], newest.text));
}

#[rstest]
#[case("decisions/../../outside.md")]
#[case("/etc/outside.md")]
#[case("policies/safety.yaml")]
#[case("policies/rules.md")]
#[case("decisions/.gitkeep")]
#[case("decisions//x.md")]
#[case("local/ids")]
#[case("local/worklog.md/x.md")]
fn no_other_files_are_made(#[case] file: &str) {
    let desk = desk();
    let store = store(&desk);
    leave(&store, OTHER_RUN, &[pledged(file, "Mine.\n", false)]);
    assert_eq!(settled(&store), (Vec::new(), Settled::default()), "{file}");
    let refused = make(&store, vec![pledged(file, "Mine.\n", false)]).map_err(|error| error.kind());
    assert_eq!(refused, Err(io::ErrorKind::InvalidInput));
}

#[test]
fn a_pledge_that_was_copied_tells_nothing() {
    let desk = desk();
    let store = store(&desk);
    leave(&store, OTHER_RUN, &[pledged(UTC, "Use UTC.\n", false)]);
    let copy = fs::read(store.path(FILE)).unwrap();
    // The first stays until the copy has its place, so that they are two files.
    desk.put("local/copy", copy);
    fs::rename(store.path("local/copy"), store.path(FILE)).unwrap();
    assert_eq!(settled(&store), (Vec::new(), Settled::default()));
    assert!(look(&store).unwrap().is_empty());
}

#[test]
fn what_follows_half_a_line_is_read() {
    let desk = desk();
    let store = store(&desk);
    let mut file = open_or_make(&store).unwrap();
    file.write_all(b"0123 half of a li").unwrap();
    make(&store, vec![pledged(UTC, "Use UTC.\n", false)]).unwrap();
    let read = look(&store).unwrap();
    assert_eq!(
        read.records.iter().map(|record| &*record.files).collect::<Vec<_>>(),
        [[pledged(UTC, "Use UTC.\n", false)]]
    );
}

#[test]
fn what_has_no_room_is_forced_instead() {
    let desk = desk();
    let store = store(&desk);
    let fill = |size: usize| make(&store, vec![pledged(UTC, &"x".repeat(size), false)]);
    let sizes = std::iter::successors(Some(LARGEST / 2), |size| Some(size / 2)).take_while(|size| *size > 0);
    let made: Vec<io::Result<()>> = sizes.map(fill).collect();
    assert!(made[0].is_ok(), "{made:?}");
    assert_eq!(fill(1).map_err(|error| error.kind()), Err(io::ErrorKind::FileTooLarge));
    assert_eq!(save(&desk, "Use UTC"), None);
    assert!(desk.read(UTC).contains("Use UTC"));
    assert_eq!(desk.forced(), ["gather", "force"]);
}

#[test]
fn the_doctor_tells_of_it_and_puts_it_in_place() {
    let desk = desk();
    save(&desk, "Use UTC");
    let (store, text) = (store(&desk), desk.read(UTC));
    desk.base.end();
    fs::remove_file(store.path(UTC)).unwrap();
    leave(&store, OTHER_RUN, &[pledged(UTC, &text, false)]);
    let told = |fix: bool| {
        let found = desk.base.check(&desk.view(), fix).unwrap().findings;
        found.into_iter().map(|found| (found.file, found.what, found.fixed)).collect::<Vec<_>>()
    };
    let what = format!("tells of {UTC}, which a power cut has taken");
    assert_eq!(told(false), [(FILE.to_owned(), what.clone(), false)]);
    assert_eq!(told(true), [(FILE.to_owned(), what, true)]);
    assert_eq!((told(false), desk.read(UTC)), (Vec::new(), text));
    assert_eq!(desk.recorded()[2..], ["knowledge.updated restored", "knowledge.updated store"]);
}

#[test]
fn whoever_writes_next_is_told_and_so_is_the_log() {
    let desk = desk();
    let store = store(&desk);
    leave(&store, OTHER_RUN, &[pledged(UTC, "---\nid: D-002\ntitle: Use UTC\n---\n\nText.\n", false)]);
    let note = save(&desk, "Pin versions").unwrap();
    assert_eq!(
        note,
        format!("A power cut had taken what was saved before, and it is in its place again: {UTC}")
    );
    assert_eq!(desk.recorded()[1..], ["knowledge.updated restored", "knowledge.saved decision"]);
    assert!(store.path("decisions/D-003-pin-versions.md").exists());
}

#[test]
fn a_close_is_pledged_in_one_go() {
    let desk = desk();
    let view = desk.view();
    let ((), note) = desk.base.together(|| {
        desk.base.save_decision(&decision("Use UTC"), &view).unwrap();
        desk.base.append_entry(&view, "Done.").unwrap();
        let parts = crate::handoff::Parts { summary: "It is done.".to_owned(), ..Default::default() };
        desk.base
            .write_handoff(
                &view,
                &NewHandoff { parts, session: None, source: crate::handoff::Author::Agent, time: None },
            )
            .unwrap();
    });
    let look = look(&store(&desk)).unwrap();
    let files: Vec<Vec<(&str, bool)>> = look
        .records
        .iter()
        .map(|record| record.files.iter().map(|pledged| (&*pledged.file, pledged.replaces)).collect())
        .collect();
    let [(_, false), (worklog::FILE, true), (handoff, false)] = *files[0] else { panic!("{files:?}") };
    assert!(handoff.starts_with("local/handoffs/") && files.len() == 1, "{files:?}");
    assert_eq!((note, desk.forced()), (None, vec!["gather"]));
}

#[test]
fn what_fails_again_is_not_done_over() {
    let desk = desk();
    let store = store(&desk);
    let gone = "memory/patterns/a-lesson.md";
    desk.put("memory/patterns/another.md", "");
    fs::rename(store.path("decisions"), store.path("elsewhere")).unwrap();
    desk.put("decisions", "no directory");
    leave(&store, OTHER_RUN, &[pledged(UTC, "Use UTC.\n", false), pledged(gone, "A lesson.\n", false)]);
    age(&store.path("memory/patterns"), Duration::from_millis(NAMING + 1_000));
    let first = settled(&store).1;
    assert_eq!((first.aside.len(), first.failed.len()), (1, 1));
    // What a server pledges meanwhile is forced before.
    make(&store, vec![pledged("memory/patterns/new.md", "New.\n", false)]).unwrap();
    let again = settled(&store).1;
    assert_eq!((again.aside.len(), again.kept.len(), again.failed.len()), (0, 0, 1));
    fs::remove_file(store.path("decisions")).unwrap();
    fs::rename(store.path("elsewhere"), store.path("decisions")).unwrap();
    assert_eq!((settled(&store).1.restored, look(&store).unwrap().is_empty()), (vec![UTC.to_owned()], true));
    assert_eq!(store.list("local/archive"), ["a-lesson.md"]);
}

#[test]
fn with_a_clock_that_was_ahead_texts_go_aside() {
    let desk = desk();
    let store = store(&desk);
    let mut file = open_or_make(&store).unwrap();
    let record = Record {
        run: OTHER_RUN.to_owned(),
        holder: number(&file).unwrap(),
        time: millis(SystemTime::now()) + 1_000_000_000,
        doubtful: false,
        files: vec![pledged(UTC, "Use UTC.\n", false)],
    };
    file.rewind().unwrap();
    file.write_all(&spelt(&record).unwrap()).unwrap();
    let aside = settled(&store).1.aside;
    assert_eq!(aside, [(UTC.to_owned(), "local/archive/D-002-use-utc.md".to_owned())]);
    assert_eq!((store.path(UTC).exists(), look(&store).unwrap().is_empty()), (false, true));
}

#[test]
fn a_server_that_begins_puts_it_in_place() {
    let desk = desk();
    let store = store(&desk);
    leave(&store, OTHER_RUN, &[pledged(UTC, "Use UTC.\n", false)]);
    let aftercare = crate::aftercare::Aftercare::default();
    aftercare.take([store.clone()], None);
    // Whoever only forces what is pledged leaves it to whoever tells of it.
    assert_eq!((aftercare.end(), taken(&store).unwrap()), (Vec::new(), vec![UTC.to_owned()]));
    desk.base.settle_all(&desk.view());
    assert_eq!((desk.read(UTC), look(&store).unwrap().is_empty()), ("Use UTC.\n".to_owned(), true));
    assert_eq!(desk.recorded()[1..], ["knowledge.updated restored"]);
    // Whoever writes next is told.
    let told = format!("A power cut had taken what was saved before, and it is in its place again: {UTC}");
    assert_eq!((save(&desk, "Pin versions"), save(&desk, "Sign commits")), (Some(told), None));
}

#[test]
fn what_is_just_being_named_is_not_taken_for_removed() {
    let desk = desk();
    let store = store(&desk);
    let writing = store.lock().unwrap();
    make(&store, vec![pledged(UTC, "Use UTC.\n", false)]).unwrap();
    let aftercare = crate::aftercare::Aftercare::default();
    aftercare.take([store.clone()], None);
    assert_eq!((aftercare.end(), look(&store).unwrap().records.len()), (Vec::new(), 1));
    drop(writing);
}

#[test]
fn as_much_from_somebody_else_is_not_wiped() {
    let desk = desk();
    let store = store(&desk);
    make(&store, vec![pledged(UTC, "One.\n", false)]).unwrap();
    let first = look(&store).unwrap();
    crate::aftercare::at_once(&store).unwrap();
    make(&store, vec![pledged(UTC, "Two.\n", false)]).unwrap();
    assert_eq!(first.written.len(), look(&store).unwrap().written.len());
    assert!(first.wipe(&store).unwrap().is_none());
    assert_eq!(look(&store).unwrap().records.len(), 1);
}

#[test]
fn what_is_removed_is_pledged_no_longer() {
    let desk = desk();
    let store = store(&desk);
    for remove in [
        |writing: &Writing<'_>| writing.remove(UTC),
        |writing: &Writing<'_>| writing.rename(UTC, "decisions/D-009-elsewhere.md"),
        |writing: &Writing<'_>| writing.archive(UTC, "text").map(drop),
    ] {
        desk.put(UTC, "Use UTC.\n");
        let writing = store.lock().unwrap();
        make(&store, vec![pledged(UTC, "Use UTC.\n", false)]).unwrap();
        remove(&writing).unwrap();
        assert!(look(&store).unwrap().is_empty());
    }
}

#[test]
fn the_log_is_forced_before_the_answer_where_nothing_is_pledged_any_more() {
    let desk = desk();
    let view = desk.view();
    let store = store(&desk);
    let keep = |and_remove: bool| {
        desk.base.together(|| {
            let saved = desk.base.save_decision(&decision("Use UTC"), &view).unwrap();
            let writing = desk.base.lock(&store).unwrap();
            writing.publish();
            // Something else may go.
            writing.remove("decisions/D-001-keep-logs.md").unwrap();
            if and_remove {
                writing.remove(&saved[0].file).unwrap();
            }
        })
    };
    assert_eq!((keep(false).1, desk.forced()), (None, vec!["gather"]));
    assert_eq!(look(&store).unwrap().records.len(), 1);
    fs::remove_file(store.path(UTC)).unwrap();
    assert_eq!((keep(true).1, desk.forced()), (None, vec!["gather", "gather", "force"]));
    assert!(look(&store).unwrap().is_empty());
}

#[test]
fn what_is_no_file_hinders_nobody() {
    let desk = desk();
    let store = store(&desk);
    let fifo = |path: &Path| {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    fifo(&store.path(UTC));
    leave(&store, OTHER_RUN, &[pledged(UTC, "Use UTC.\n", false)]);
    assert_eq!(settled(&store), (Vec::new(), Settled { kept: vec![UTC.to_owned()], ..Settled::default() }));
    fs::remove_file(store.path(UTC)).unwrap();
    fs::remove_file(store.path(FILE)).unwrap();
    fifo(&store.path(FILE));
    assert_eq!(save(&desk, "Use UTC"), None);
    assert_eq!((desk.base.end(), store.path(UTC).exists()), (Vec::new(), true));
    let found = desk.base.check(&desk.view(), false).unwrap().findings;
    let told: Vec<_> = found.iter().map(|found| (&*found.file, &*found.what)).collect();
    let why = "cannot be read, so that saving takes longer: this is a FIFO, not a file, and is not opened";
    assert!(told.len() == 1 && told[0].0 == FILE && told[0].1.starts_with(why), "{told:?}");
}

#[test]
fn a_store_that_came_with_a_pledge_is_not_taken_for_new() {
    let desk = Desk::repo();
    let store = store(&desk);
    fs::create_dir_all(store.path("local")).unwrap();
    assert!(store.lock().unwrap().is_first);
    leave(&store, OTHER_RUN, &[pledged(UTC, "Use UTC.\n", false)]);
    assert!(!store.lock().unwrap().is_first);
}

proptest! {
    #[test]
    fn what_is_spelt_is_read(files in prop::collection::vec((".*", ".*", any::<bool>()), 0..4), time: u64) {
        let files = files.into_iter().map(|(file, text, replaces)| pledged(&file, &text, replaces)).collect();
        let record = Record { run: OTHER_RUN.to_owned(), holder: 7, time, doubtful: false, files };
        let line = spelt(&record).unwrap();
        let read: Vec<Record> = line.split(|byte| *byte == b'\n').filter_map(read).collect();
        prop_assert_eq!(read.len(), 1);
        prop_assert_eq!((&read[0].files, read[0].time), (&record.files, time));
        prop_assert!(!line.contains(&0));
    }

    #[test]
    fn whatever_stands_there_keeps_nobody_from_writing(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let desk = desk();
        desk.put(FILE, &bytes);
        prop_assert_eq!(save(&desk, "Use UTC"), None);
        prop_assert!(store(&desk).path(UTC).exists());
    }
}
