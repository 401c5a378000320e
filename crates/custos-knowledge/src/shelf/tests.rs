//! What a shelf keeps is never older than its files.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::time::Duration;

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::check::Card;
use crate::directory::{File, Name};
use crate::memory::Memory;
use crate::store::Level;

const DIRECTORY: &str = "memory/patterns";

/// A store in a temporary directory, with a shelf of it.
struct Room {
    dir: tempfile::TempDir,
    store: Store,
    shelf: Shelf<Memory>,
}

impl Room {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::of(Level::Repo, dir.path(), "shop");
        fs::create_dir_all(store.path(DIRECTORY)).unwrap();
        Self { dir, store, shelf: Shelf::new(DIRECTORY) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.store.path(DIRECTORY).join(name)
    }

    #[expect(clippy::disallowed_methods, reason = "a person's editor is not atomic either")]
    fn put(&self, name: &str, title: &str) {
        fs::write(self.path(name), format!("# {title}\n\nA text.\n")).unwrap();
    }

    /// Writes a file that the doctor has something to say about, so that its card says which one it is of.
    #[expect(clippy::disallowed_methods, reason = "a person's editor is not atomic either")]
    fn put_whole(&self, at: usize, title: &str) {
        let text = format!(
            "---\nslug: m{at:03}\ntype: pattern\ntitle: {title}\nsource: {title}\n---\n\n# {title}\n\nA text.\n"
        );
        fs::write(self.path(&format!("m{at:03}.md")), text).unwrap();
    }

    /// The cards on a shelf, in all that they say.
    fn cards(&self, shelf: &Shelf<Card>) -> Vec<String> {
        let Contents { items, faults } = shelf.contents(&self.store);
        assert_eq!(faults, []);
        items.iter().map(|kept| format!("{}: {:?}", kept.file, *kept.item)).collect()
    }

    /// The names and titles on the shelf; what cannot be read has none.
    fn shown(&self) -> Vec<String> {
        self.shown_by(&self.shelf)
    }

    /// The same on a new shelf.
    fn shown_anew(&self) -> Vec<String> {
        self.shown_by(&Shelf::new(DIRECTORY))
    }

    fn shown_by(&self, shelf: &Shelf<Memory>) -> Vec<String> {
        let Contents { items, faults } = shelf.contents(&self.store);
        let name = |file: &str| file.strip_prefix("memory/patterns/").unwrap().to_owned();
        let items = items.iter().map(|kept| format!("{}: {}", name(&kept.file), kept.item.title));
        items.chain(faults.iter().map(|fault| name(&fault.file))).collect()
    }
}

/// Waits until a change would show in the version of everything that was written so far.
#[expect(clippy::disallowed_methods, reason = "it is the file system's clock that has to go on")]
fn settle() {
    std::thread::sleep(Duration::from_millis(40));
}

#[rstest]
#[case::in_a_small_directory(0)]
#[case::in_one_with_a_bell(80)]
fn an_edit_in_place_of_the_same_length_is_seen_at_once(#[case] others: usize) {
    let room = Room::new();
    let others: Vec<String> = (0..others).map(|number| format!("b{number:02}.md: Other")).collect();
    for other in &others {
        room.put(other.split(':').next().unwrap(), "Other");
    }
    room.put("a.md", "One");
    for (at, title) in ["Two", "Six", "Ten", "Old"].into_iter().cycle().take(40).enumerate() {
        // Read as soon as it is written, and after a while.
        if at % 5 == 0 {
            settle();
        }
        room.shown();
        room.put("a.md", title);
        let expected: Vec<String> = [format!("a.md: {title}")].into_iter().chain(others.clone()).collect();
        assert_eq!(room.shown(), expected, "the edit {at}");
    }
}

#[test]
fn what_has_not_settled_is_believed_within_a_span_or_under_watch() {
    let span = NonZero::new;
    for (belief, now, watched_since, expected) in [
        (Belief::Settled, None, None, true),
        (Belief::Settled, span(1), Some(7), true),
        (Belief::During(None), None, None, false),
        (Belief::During(None), span(1), None, false),
        (Belief::During(span(1)), span(1), None, true),
        (Belief::During(span(1)), None, Some(7), false),
        (Belief::During(span(1)), span(3), None, false),
        // Or as long as somebody tells of all changes who did so then.
        (Belief::Watched(7), None, Some(7), true),
        (Belief::Watched(7), span(1), Some(8), false),
        (Belief::Watched(7), span(1), None, false),
    ] {
        let now = Now { span: now, watched_since };
        assert_eq!(belief.holds(now), expected, "{belief:?} {now:?}");
    }
}

#[test]
fn a_file_that_comes_goes_or_is_replaced_is_seen_at_once() {
    let room = Room::new();
    assert_eq!(room.shown(), [""; 0]);
    for name in ["a.md", "c.md", "notes.txt", ".hidden.md"] {
        room.put(name, "One");
    }
    assert_eq!(room.shown(), ["a.md: One", "c.md: One"]);
    settle();
    assert_eq!(room.shown(), ["a.md: One", "c.md: One"]);
    room.put("b.md", "Two");
    assert_eq!(room.shown(), ["a.md: One", "b.md: Two", "c.md: One"]);
    settle();
    room.shown();
    fs::remove_file(room.path("a.md")).unwrap();
    assert_eq!(room.shown(), ["b.md: Two", "c.md: One"]);
    // With all of its times, as `cp --preserve` and a rename leave them.
    let old = fs::metadata(room.path("b.md")).unwrap().modified().unwrap();
    room.put("new", "Six");
    fs::File::options().write(true).open(room.path("new")).unwrap().set_modified(old).unwrap();
    fs::rename(room.path("new"), room.path("b.md")).unwrap();
    assert_eq!(room.shown(), ["b.md: Six", "c.md: One"]);
    assert_eq!(room.shelf.count(&room.store), 2);
    fs::remove_dir_all(room.store.path(DIRECTORY)).unwrap();
    assert_eq!(room.shown(), [""; 0]);
    fs::create_dir_all(room.store.path(DIRECTORY)).unwrap();
    room.put("d.md", "Ten");
    assert_eq!(room.shown(), ["d.md: Ten"]);
}

#[test]
fn another_directory_in_its_place_is_another_shelf() {
    let room = Room::new();
    room.put("a.md", "One");
    settle();
    room.shown();
    let aside = room.dir.path().join("aside");
    fs::rename(room.store.path(DIRECTORY), &aside).unwrap();
    fs::create_dir(room.store.path(DIRECTORY)).unwrap();
    room.put("a.md", "Two");
    assert_eq!(room.shown(), ["a.md: Two"]);
}

#[test]
#[cfg(unix)]
fn what_a_link_leads_to_is_not_shown() {
    let room = Room::new();
    room.put("a.md", "One");
    settle();
    room.shown();
    fs::rename(room.path("a.md"), room.dir.path().join("elsewhere.md")).unwrap();
    std::os::unix::fs::symlink(room.dir.path().join("elsewhere.md"), room.path("a.md")).unwrap();
    assert_eq!(room.shown(), ["a.md"]);
    assert_eq!(room.shelf.faults().len(), 1);
    let aside = room.dir.path().join("aside");
    fs::rename(room.store.path(DIRECTORY), &aside).unwrap();
    std::os::unix::fs::symlink(&aside, room.store.path(DIRECTORY)).unwrap();
    assert_eq!(room.shown(), [""; 0]);
}

#[test]
fn what_is_kept_is_kept_as_long_as_its_file_stays() {
    let room = Room::new();
    room.put("a.md", "One");
    room.put("b.md", "Two");
    settle();
    let before = room.shelf.contents(&room.store).items;
    room.put("b.md", "Six");
    let after = room.shelf.contents(&room.store).items;
    let same = |at: usize| std::ptr::eq(std::ptr::from_ref(&*before[at]), std::ptr::from_ref(&*after[at]));
    assert_eq!([same(0), same(1)], [true, false]);
    assert_eq!(after[0].line(|item| item.title.clone()), "One");
    assert_eq!(before[0].line(|_| unreachable!("it is spelt once")), "One");
}

#[rstest]
#[case::of_one_reader(255)]
#[case::of_two(256)]
#[case::of_several(1_025)]
fn thousands_of_files_are_read_in_their_order(#[case] count: usize) {
    let room = Room::new();
    for number in 0..count {
        room.put(&format!("{number:04}.md"), &format!("Title {number}"));
    }
    let broken = [0, 100, 254];
    for number in broken {
        fs::remove_file(room.path(&format!("{number:04}.md"))).unwrap();
        fs::create_dir(room.path(&format!("{number:04}.md"))).unwrap();
    }
    let whole = (0..count).filter(|number| !broken.contains(number));
    let expected: Vec<String> = whole
        .map(|number| format!("{number:04}.md: Title {number}"))
        .chain(broken.map(|number| format!("{number:04}.md")))
        .collect();
    assert_eq!(room.shown(), expected);
}

#[test]
fn a_directory_that_is_not_there_is_empty() {
    let store = Store::of(Level::Repo, Path::new("/nowhere/at/all"), "shop");
    let contents = Shelf::<Memory>::new(DIRECTORY).contents(&store);
    assert_eq!((contents.items.len(), contents.faults.len()), (0, 0));
}

#[test]
fn who_waits_for_the_first_look_sees_what_it_saw_and_then_what_changed() {
    for _ in 0..20 {
        let room = Room::new();
        let expected: Vec<String> =
            (0..60).map(|number| format!("{number:02}.md: Memory {number}")).collect();
        (0..60).for_each(|number| room.put(&format!("{number:02}.md"), &format!("Memory {number}")));
        std::thread::scope(|scope| {
            let shown: Vec<_> = (0..4).map(|_| scope.spawn(|| room.shown())).collect();
            for shown in shown {
                assert_eq!(shown.join().unwrap(), expected);
            }
        });
        room.put("00.md", "Another");
        fs::remove_file(room.path("59.md")).unwrap();
        let mut changed = expected.clone();
        "00.md: Another".clone_into(&mut changed[0]);
        changed.pop();
        assert_eq!(room.shown(), changed);
    }
}

/// An item of which the first takes until somebody lets it be read.
#[derive(Debug)]
struct Gated(String);

static IS_PASSED: AtomicBool = AtomicBool::new(false);
static REACHED: Barrier = Barrier::new(2);
static OPENED: Barrier = Barrier::new(2);

impl Item for Gated {
    type Beside = ();

    fn read(_file: &str, text: &str) -> Result<Self, Fault> {
        if !IS_PASSED.swap(true, Release) {
            REACHED.wait();
            OPENED.wait();
        }
        Ok(Self(text.to_owned()))
    }

    fn title(&self) -> &str {
        &self.0
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "whether somebody waits for a lock cannot be seen")]
fn what_comes_while_somebody_looks_for_the_first_time_is_seen_by_whoever_asks_next() {
    let room = Room::new();
    let shelf = Shelf::<Gated>::new(DIRECTORY);
    room.put("a.md", "There before");
    let files = || -> Vec<String> {
        shelf.contents(&room.store).items.into_iter().map(|kept| kept.file.clone()).collect()
    };
    std::thread::scope(|scope| {
        let first = scope.spawn(files);
        REACHED.wait();
        room.put("b.md", "Brought by git");
        let next = scope.spawn(files);
        std::thread::sleep(Duration::from_millis(50));
        OPENED.wait();
        assert_eq!(first.join().unwrap(), ["memory/patterns/a.md"]);
        assert_eq!(next.join().unwrap(), ["memory/patterns/a.md", "memory/patterns/b.md"]);
    });
}

/// What may happen to a directory between two looks.
#[derive(Debug, Clone)]
enum Event {
    Put(usize, &'static str),
    Remove(usize),
    /// All of them, as a checkout does it.
    Replace,
    /// Something is done together from here on, or no longer.
    Turn,
    /// Somebody looks: at this shelf, or at the one beside it.
    Look(bool),
}

fn event() -> impl Strategy<Value = Event> {
    // Of different lengths: within a span nobody sees a change that its version does not show.
    let titles = prop::sample::select(vec!["A", "Two", "Three", "A longer one"]);
    prop_oneof![
        4 => (0_usize..150, titles).prop_map(|(at, title)| Event::Put(at, title)),
        2 => (0_usize..150).prop_map(Event::Remove),
        1 => Just(Event::Replace),
        1 => Just(Event::Turn),
        3 => any::<bool>().prop_map(Event::Look),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Whatever happened, and whoever looked at what when: a shelf shows what one shows that was made just now.
    #[test]
    fn a_shelf_shows_what_a_new_one_does(few in any::<bool>(), begins in any::<bool>(), events in prop::collection::vec(event(), 1..40)) {
        let mut room = Room::new();
        let span = Span::default();
        if begins {
            span.turn();
        }
        room.shelf = Shelf::new(DIRECTORY).during(&span);
        let beside = Shelf::<Card>::new(DIRECTORY).during(&span).beside(&room.shelf);
        // Enough to be read for both.
        let count = if few { 3 } else { 140 };
        (0..count).for_each(|at| room.put_whole(at, "Before"));
        for (round, event) in events.into_iter().enumerate() {
            match event {
                Event::Put(at, title) => room.put_whole(at, title),
                Event::Remove(at) => drop(fs::remove_file(room.path(&format!("m{at:03}.md")))),
                Event::Replace => (0..count).for_each(|at| room.put_whole(at, &"x".repeat(round + 20))),
                Event::Turn => span.turn(),
                Event::Look(true) => prop_assert_eq!(room.shown(), room.shown_anew()),
                Event::Look(false) => prop_assert_eq!(room.cards(&beside), room.cards(&Shelf::new(DIRECTORY))),
            }
        }
        prop_assert_eq!(room.shown(), room.shown_anew());
        prop_assert_eq!(room.cards(&beside), room.cards(&Shelf::new(DIRECTORY)));
    }
}

fn seen(number: u64) -> Seen {
    Seen {
        version: Version([1, number, 0, 0, 0]),
        is_link: false,
        is_file: true,
        has_other_names: false,
        told: 0,
    }
}

/// What is known of a directory with these files, all of which were read.
fn known(there: &[File]) -> Known<Memory> {
    let files = there.iter().map(|(name, seen)| {
        let found = Err(Box::new(Fault::new(&**name, 0, "not read here")));
        let read = Read { version: seen.version, told: 0, belief: Belief::Settled, found };
        Named { name: Arc::clone(name), read: Some(read) }
    });
    Known { files: files.collect(), catalogued: Standing::Current, ..Known::default() }
}

proptest! {
    /// To follow what has changed comes to the same as to go through all of it.
    #[test]
    fn a_few_changes_are_followed(
        before in prop::collection::btree_map("[a-f]{1,2}", 0_u64..3, 0..12),
        after in prop::collection::btree_map("[a-f]{1,2}", 0_u64..3, 0..12),
    ) {
        let files = |there: &BTreeMap<String, u64>| -> Vec<File> {
            there.iter().map(|(name, number)| (Name::from(name.as_str()), seen(*number))).collect()
        };
        let (mut following, mut taking) = (known(&files(&before)), known(&files(&before)));
        let changed = before.keys().chain(after.keys()).filter(|name| before.get(*name) != after.get(*name));
        let step: Vec<_> = changed.map(|name| (Name::from(name.as_str()), after.get(name).copied().map(seen))).collect();
        let mut unread = following.follow(&step, Now::default());
        // Whoever came or went twice is told twice.
        unread.sort_unstable_by_key(|(at, _)| *at);
        unread.dedup_by_key(|(at, _)| *at);
        prop_assert_eq!(unread, taking.take(&files(&after), Now::default()));
        prop_assert_eq!(following.names(), taking.names());
        prop_assert_eq!(following.catalogued, taking.catalogued);
    }
}

#[test]
fn what_is_read_by_the_hundred_is_read_for_the_shelf_beside_as_well() {
    let room = Room::new();
    let beside = Shelf::<Card>::new(DIRECTORY).beside(&room.shelf);
    (0..200).for_each(|at| room.put_whole(at, "Zero"));
    settle();
    room.shelf.contents(&room.store);
    let offered = room.shelf.offers.clone();
    // The first look may be the only one.
    assert_eq!(offered.len(), 0);
    (0..200).for_each(|at| room.put_whole(at, "One"));
    settle();
    room.shelf.contents(&room.store);
    assert_eq!(offered.len(), 200);
    room.put_whole(7, "Seven");
    // What has changed since is read again.
    let cards = room.cards(&beside);
    assert_eq!(cards, room.cards(&Shelf::new(DIRECTORY)));
    assert!(cards[7].contains("Seven") && cards[8].contains("One"), "{:?}", &cards[7..9]);
    assert_eq!(offered.len(), 0);
}

#[test]
fn who_lives_on_reads_for_the_shelf_beside_at_once() {
    let room = Room::new();
    let _beside = Shelf::<Card>::new(DIRECTORY).beside(&room.shelf);
    room.shelf.span.live_on();
    (0..200).for_each(|at| room.put_whole(at, "Zero"));
    room.shelf.contents(&room.store);
    assert_eq!(room.shelf.offers.len(), 200);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a clone may hold anything")]
fn no_more_is_kept_than_there_is_room_for() {
    let room = Room::new();
    let text = format!("# Long\n\n{}", "word ".repeat((1 << 20) / 5 - 10));
    let count = usize::try_from(MOST_TEXT >> 20).unwrap() + 8;
    for at in 0..count {
        fs::write(room.path(&format!("m{at:02}.md")), &text).unwrap();
    }
    let Contents { items, faults } = room.shelf.contents(&room.store);
    let kept: u64 = items.iter().map(|kept| fs::metadata(room.store.path(&kept.file)).unwrap().len()).sum();
    assert!(
        kept <= MOST_TEXT && items.len() + faults.len() == count,
        "{kept} {} {}",
        items.len(),
        faults.len()
    );
    let left_out = |at: usize| no_room(&format!("{DIRECTORY}/m{at:02}.md"));
    assert_eq!(faults, (items.len()..count).map(left_out).collect::<Vec<_>>());
    // Once there is room, they find it.
    for at in 0..=(count - items.len()) {
        fs::remove_file(room.path(&format!("m{at:02}.md"))).unwrap();
    }
    assert_eq!(room.shelf.contents(&room.store).faults, []);
}

#[test]
fn files_that_change_in_turn_are_counted_once() {
    let room = Room::new();
    let long = "Long ".repeat(400);
    for at in 0..80 {
        room.put_whole(at, if at < 2 { &long } else { "Short" });
    }
    settle();
    let before = room.shown();
    assert_eq!(room.shown(), before);
    for _ in 0..6 {
        room.put_whole(0, &long);
        room.put_whole(1, &long);
    }
    assert_eq!(room.shown(), before);
}
