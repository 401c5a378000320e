//! What was seen of a directory is what is there.
#![expect(clippy::disallowed_methods, reason = "files are written as a hand would")]

use std::cell::Cell;
use std::fs;
use std::io::Write as _;

use proptest::prelude::*;

use super::*;
use crate::store::Level;

type Change = dyn Fn(&Watched);

/// A directory with enough files for a bell, at which somebody has looked.
struct Watched {
    dir: tempfile::TempDir,
    store: Store,
    sight: Sight,
    /// How often it was listed.
    listed: Cell<usize>,
}

impl Watched {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::of(Level::Repo, dir.path(), "shop");
        fs::create_dir_all(store.path("backlog")).unwrap();
        let mut watched = Self { dir, store, sight: Sight::default(), listed: Cell::new(0) };
        for number in 0..WORTH_IT {
            fs::write(watched.path(number), "One").unwrap();
        }
        assert_eq!(watched.look(), watched.really());
        watched
    }

    fn path(&self, number: usize) -> PathBuf {
        self.store.path("backlog").join(format!("{number:03}.md"))
    }

    fn look(&mut self) -> Vec<(String, Version)> {
        let names = |_| {
            self.listed.set(self.listed.get() + 1);
            list(&self.store, "backlog")
        };
        let directory = self.sight.look((&self.store, "backlog"), SystemTime::now(), names).unwrap();
        directory.files().iter().map(|(name, seen)| (name.to_string(), seen.version)).collect()
    }

    /// What is there, by another way.
    fn really(&self) -> Vec<(String, Version)> {
        let version = |name: &String| Version::of(&self.store.path("backlog").join(name)).unwrap();
        self.store.list("backlog").into_iter().map(|name| (name.clone(), version(&name))).collect()
    }

    fn directory(&mut self) -> &mut Directory {
        self.sight.0.as_mut().unwrap()
    }

    fn has_bell(&mut self) -> bool {
        matches!(self.directory().watch, Watch::Belled(_))
    }
}

#[test]
fn every_change_by_hand_is_seen_at_the_next_look() {
    let mut watched = Watched::new();
    let changes: [(&str, &Change); 10] = [
        ("written anew", &|watched| fs::write(watched.path(3), "Two").unwrap()),
        ("added to", &|watched| {
            let mut file = fs::File::options().append(true).open(watched.path(4)).unwrap();
            file.write_all(b" and more").unwrap();
        }),
        ("replaced", &|watched| {
            let other = watched.dir.path().join("other");
            fs::write(&other, "Another").unwrap();
            fs::rename(other, watched.path(5)).unwrap();
        }),
        ("removed", &|watched| fs::remove_file(watched.path(6)).unwrap()),
        ("back again", &|watched| fs::write(watched.path(6), "Back").unwrap()),
        ("new", &|watched| fs::write(watched.path(700), "New").unwrap()),
        ("none of ours", &|watched| fs::write(watched.path(701).with_extension("txt"), "No").unwrap()),
        ("cut", &|watched| {
            fs::File::options().write(true).open(watched.path(7)).unwrap().set_len(1).unwrap();
        }),
        ("moved", &|watched| fs::rename(watched.path(8), watched.path(9)).unwrap()),
        ("nothing", &|_| ()),
    ];
    for (what, change) in changes {
        let edition = watched.directory().edition();
        change(&watched);
        assert_eq!(watched.look(), watched.really(), "{what}");
        let is_same = watched.directory().edition() == edition;
        assert_eq!(is_same, ["none of ours", "nothing"].contains(&what), "{what}");
        assert_eq!(watched.look(), watched.really(), "{what}, once more");
        assert_eq!(watched.sight.count(&watched.store, "backlog", SystemTime::now()), watched.really().len());
    }
    // Where tests run there need not be a disk of this machine.
    assert_eq!(watched.has_bell(), watched.directory().bell().is_some());
}

#[test]
fn with_a_bell_nobody_lists_again() {
    let mut watched = Watched::new();
    if !watched.has_bell() {
        return;
    }
    let listed = watched.listed.get();
    for number in 100..120 {
        fs::write(watched.path(number), "New").unwrap();
        fs::remove_file(watched.path(number - 100)).unwrap();
        assert_eq!(watched.look(), watched.really());
    }
    assert_eq!(watched.listed.get(), listed);
    // A directory that has changed although nobody was told is no longer believed.
    watched.directory().at = Version([0; Version::PARTS]);
    watched.directory().files.pop();
    let (version, names) = (watched.store.version("backlog").unwrap(), list(&watched.store, "backlog"));
    watched.directory().look(version, SystemTime::now(), |_| names.clone());
    assert_eq!(watched.directory().files().len(), watched.really().len());
}

/// How many connections to inotify this process has.
#[cfg(target_os = "linux")]
fn connections() -> usize {
    let open = fs::read_dir("/proc/self/fd").unwrap();
    let leads = |entry: io::Result<fs::DirEntry>| fs::read_link(entry.unwrap().path()).unwrap_or_default();
    open.map(leads).filter(|path| path.to_string_lossy().contains("inotify")).count()
}

#[test]
#[cfg(target_os = "linux")]
fn all_bells_of_a_process_share_one_connection() {
    let mut all = [Watched::new(), Watched::new(), Watched::new()];
    if !all[0].has_bell() {
        return;
    }
    assert_eq!(connections(), 1);
    // A second bell for the same directory.
    let mut beside = Sight::default();
    let mut look_beside = |watched: &Watched| {
        let names = |_| list(&watched.store, "backlog");
        let directory = beside.look((&watched.store, "backlog"), SystemTime::now(), names).unwrap();
        directory.files().iter().map(|(name, seen)| (name.to_string(), seen.version)).collect::<Vec<_>>()
    };
    assert_eq!(look_beside(&all[1]), all[1].really());
    for round in 0..3 {
        for watched in &all {
            fs::write(watched.path(round), format!("Round {round}")).unwrap();
            fs::write(watched.path(100 + round), "New").unwrap();
        }
        for watched in &mut all {
            assert_eq!(watched.look(), watched.really());
        }
        assert_eq!(look_beside(&all[1]), all[1].really());
        assert_eq!(connections(), 1);
    }
    // One of two bells is enough to be told.
    drop(beside);
    fs::write(all[1].path(7), "Later").unwrap();
    assert_eq!(all[1].look(), all[1].really());
    drop(all);
    assert_eq!(connections(), 0);
}

#[test]
fn more_directories_than_can_be_kept_open_are_seen_all_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let stores: Vec<Store> = (0..MOST_OPEN + 10)
        .map(|number| Store::of(Level::Repo, &dir.path().join(format!("r{number}")), "shop"))
        .collect();
    let mut sights: Vec<Sight> = stores.iter().map(|_| Sight::default()).collect();
    for title in ["One", "Two", "Three"] {
        for (store, sight) in stores.iter().zip(&mut sights) {
            fs::create_dir_all(store.path("backlog")).unwrap();
            fs::write(store.path("backlog/a.md"), title).unwrap();
            let names = |_| list(store, "backlog");
            let directory = sight.look((store, "backlog"), SystemTime::now(), names).unwrap();
            let [(name, seen)] = directory.files() else { panic!("one file") };
            assert_eq!((&**name, seen.version), ("a.md", Version::of(&store.path("backlog/a.md")).unwrap()));
            sight.rest();
            assert!(OPEN.load(Ordering::Relaxed) <= MOST_OPEN);
        }
    }
    drop(sights);
    assert_eq!(OPEN.load(Ordering::Relaxed), 0);
}

#[test]
fn more_changes_than_the_kernel_remembers_are_seen() {
    let mut watched = Watched::new();
    for round in 0..600 {
        for number in 0..WORTH_IT {
            // Each event differs from the one before, so none is taken for it.
            fs::write(watched.path(number), format!("Round {round}")).unwrap();
        }
    }
    fs::write(watched.path(800), "New").unwrap();
    assert_eq!(watched.look(), watched.really());
    fs::write(watched.path(1), "After that").unwrap();
    assert_eq!(watched.look(), watched.really());
}

#[test]
fn what_comes_while_the_bell_is_read_is_not_lost() {
    let mut watched = Watched::new();
    std::thread::sleep(Duration::from_millis(40));
    watched.look();
    // The version is taken, a file comes, and the bell tells of it to whoever has to look at everything.
    let version = watched.store.version("backlog").unwrap();
    fs::write(watched.path(900), "New").unwrap();
    watched.directory().looked = Instant::now().checked_sub(BELIEVED).unwrap();
    let names = list(&watched.store, "backlog");
    watched.directory().look(version, SystemTime::now(), |_| names.clone());
    fs::write(watched.path(1), "Another").unwrap();
    assert_eq!(watched.look(), watched.really());
}

#[cfg(unix)]
#[test]
fn what_is_written_by_another_name_in_the_directory_is_seen_at_once() {
    let mut watched = Watched::new();
    fs::hard_link(watched.path(3), watched.path(903)).unwrap();
    fs::write(watched.path(903), "Written by its other name").unwrap();
    assert_eq!(watched.look(), watched.really());
}

#[cfg(unix)]
#[test]
fn what_is_written_by_another_name_is_seen_in_the_end() {
    let mut watched = Watched::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let other = elsewhere.path().join("other");
    fs::hard_link(watched.path(3), &other).unwrap();
    fs::write(&other, "Written by its other name").unwrap();
    watched.directory().looked = Instant::now().checked_sub(BELIEVED).unwrap();
    assert_eq!(watched.look(), watched.really());
    // From then on at once.
    assert!(!watched.has_bell());
    fs::write(&other, "Written again").unwrap();
    assert_eq!(watched.look(), watched.really());
}

#[cfg(unix)]
#[test]
fn another_directory_in_its_place_is_another() {
    let mut watched = Watched::new();
    let edition = watched.directory().edition();
    let (path, aside) = (watched.store.path("backlog"), watched.dir.path().join("aside"));
    fs::rename(&path, &aside).unwrap();
    fs::create_dir(&path).unwrap();
    fs::write(watched.path(3), "Of the other").unwrap();
    assert_eq!(watched.look(), watched.really());
    assert_ne!(watched.directory().edition(), edition);
    // And the first again.
    fs::remove_dir_all(&path).unwrap();
    fs::rename(&aside, &path).unwrap();
    assert_eq!(watched.look(), watched.really());
    fs::write(watched.path(3), "Changed since").unwrap();
    assert_eq!(watched.look(), watched.really());
}

/// Something that a hand does to a directory, and whether somebody looks afterwards.
fn deed() -> impl Strategy<Value = (usize, usize, usize, bool)> {
    (0..5usize, 0..90usize, 0..90usize, any::<bool>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_is_done_the_next_look_sees_what_is_there(deeds in prop::collection::vec(deed(), 1..60)) {
        let mut watched = Watched::new();
        for (what, one, other, is_looked_at) in deeds {
            // What cannot be done is not: a file that is moved may not be there.
            let _ = match what {
                0 => fs::write(watched.path(one), format!("Written {other}")),
                1 => fs::remove_file(watched.path(one)),
                2 => fs::rename(watched.path(one), watched.path(other)),
                3 => fs::rename(watched.path(one), watched.dir.path().join("aside.md")),
                _ => fs::rename(watched.dir.path().join("aside.md"), watched.path(one)),
            };
            if is_looked_at {
                prop_assert_eq!(watched.look(), watched.really());
            }
        }
        prop_assert_eq!(watched.look(), watched.really());
    }
}
