//! What projects are called after they were moved, copied, or others came into their place.

use std::fs;
use std::path::{Path, PathBuf};

use custos_config::mark::put_mark;
use custos_config::{Names, Project};

use crate::files::{Home, write};

/// A machine on which sessions begin in projects, and the names that it knows.
struct Machine(Home);

impl Machine {
    fn new() -> Self {
        Self(Home::new())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    fn repo(&self, name: &str) -> PathBuf {
        let root = self.path(name);
        write(&root.join(".git/HEAD"), "ref: refs/heads/main\n");
        root
    }

    /// What a project is called by a process that starts now, with `~` for the home.
    fn name(&self, directory: &Path) -> String {
        self.0.abbreviated(&Names::of(&self.path("state")).find(directory).identity)
    }

    /// Lets a session begin in a project, and gives its name.
    fn work(&self, directory: &Path) -> String {
        let names = Names::of(&self.path("state"));
        let project = names.find(directory);
        names.keep(&project).unwrap();
        self.0.abbreviated(&project.identity)
    }

    fn list(&self) -> String {
        fs::read_to_string(self.path("state/projects")).unwrap_or_default()
    }
}

/// Moves a directory to what might be another disk: what the file system knew of it is lost.
fn carry(from: &Path, to: &Path) {
    copy(from, to);
    fs::remove_dir_all(from).unwrap();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Whether the file system of the tests says when a directory was made; where it does not, projects go by their marks alone.
fn knows_births() -> bool {
    let machine = Machine::new();
    machine.work(&machine.repo("any"));
    !machine.list().contains("\t-\t")
}

#[test]
fn a_project_keeps_its_name_wherever_it_is_moved() {
    let machine = Machine::new();
    if !knows_births() {
        return;
    }
    for (begun, name) in [(machine.repo("shop"), "~/shop/.git"), (machine.path("notes"), "~/notes")] {
        fs::create_dir_all(&begun).unwrap();
        assert_eq!(machine.work(&begun), name);
        let mut at = begun.clone();
        for next in ["boutique", "work/deep/store", "x"].map(|next| machine.path(next)) {
            fs::create_dir_all(next.parent().unwrap()).unwrap();
            fs::rename(&at, &next).unwrap();
            at = next;
            // Before and after it was written down that it is here.
            assert_eq!([machine.name(&at), machine.work(&at), machine.name(&at)], [name; 3]);
        }
        fs::rename(&at, &begun).unwrap();
        assert_eq!(machine.work(&begun), name);
    }
}

#[test]
fn a_mark_carries_the_name_to_another_disk() {
    let machine = Machine::new();
    let shop = machine.repo("shop");
    machine.work(&shop);
    put_mark(&shop, [1; 16]).unwrap();
    // It came later, and the next session wrote it down.
    assert_eq!(machine.work(&shop), "~/shop/.git");
    let there = machine.path("disk/shop");
    carry(&shop, &there);
    assert_eq!([machine.name(&there), machine.work(&there)], ["~/shop/.git"; 2]);
    carry(&there, &machine.path("again"));
    assert_eq!(machine.work(&machine.path("again")), "~/shop/.git");
}

#[test]
fn a_copy_is_another_project() {
    let machine = Machine::new();
    let shop = machine.repo("shop");
    put_mark(&shop, [1; 16]).unwrap();
    machine.work(&shop);
    let twin = machine.path("twin");
    copy(&shop, &twin);
    assert_eq!([machine.work(&twin), machine.work(&shop)], ["~/twin/.git", "~/shop/.git"]);
    // Each of them may move after that.
    carry(&twin, &machine.path("third"));
    assert_eq!(machine.work(&machine.path("third")), "~/twin/.git");
    carry(&shop, &machine.path("fourth"));
    assert_eq!(machine.work(&machine.path("fourth")), "~/shop/.git");
}

#[test]
fn a_mark_that_nobody_wrote_down_means_nothing() {
    let machine = Machine::new();
    machine.work(&machine.repo("shop"));
    let clone = machine.repo("clone");
    put_mark(&clone, [2; 16]).unwrap();
    assert_eq!(machine.work(&clone), "~/clone/.git");
}

#[test]
fn who_comes_to_a_path_that_is_the_name_of_another_gets_its_own() {
    let machine = Machine::new();
    let shop = machine.repo("shop");
    put_mark(&shop, [1; 16]).unwrap();
    machine.work(&shop);
    let moved = machine.path("boutique");
    fs::rename(&shop, &moved).unwrap();
    machine.work(&moved);
    let new = machine.repo("shop");
    let name = machine.work(&new);
    let digits = name.strip_prefix("~/shop~").and_then(|rest| rest.strip_suffix("/.git")).unwrap_or(&name);
    assert!(digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
    assert_eq!([machine.name(&new), machine.work(&new)], [name.as_str(); 2]);
    assert_eq!(machine.work(&moved), "~/shop/.git");
}

#[test]
fn a_path_stays_a_name_when_its_directory_is_made_anew() {
    let machine = Machine::new();
    let shop = machine.repo("shop");
    machine.work(&shop);
    fs::remove_dir_all(&shop).unwrap();
    machine.repo("shop");
    assert_eq!([machine.name(&shop), machine.work(&shop)], ["~/shop/.git"; 2]);
}

#[test]
fn a_directory_that_becomes_a_repo_is_the_same_project() {
    let machine = Machine::new();
    if !knows_births() {
        return;
    }
    let idea = machine.path("idea");
    fs::create_dir_all(&idea).unwrap();
    assert_eq!(machine.work(&idea), "~/idea");
    machine.repo("idea");
    assert_eq!(machine.work(&idea), "~/idea");
}

#[test]
fn a_working_tree_is_known_by_its_repo() {
    let machine = Machine::new();
    if !knows_births() {
        return;
    }
    let main = machine.repo("main");
    write(&main.join(".git/worktrees/side/HEAD"), "ref: refs/heads/side\n");
    write(&main.join(".git/worktrees/side/commondir"), "../..\n");
    let side = machine.path("side");
    write(&side.join(".git"), format!("gitdir: {}\n", main.join(".git/worktrees/side").display()));
    assert_eq!([machine.work(&side), machine.work(&main)], ["~/main/.git"; 2]);
    // What git itself would mend is mended by hand here.
    let moved = machine.path("moved");
    fs::rename(&main, &moved).unwrap();
    write(&side.join(".git"), format!("gitdir: {}\n", moved.join(".git/worktrees/side").display()));
    assert_eq!([machine.work(&side), machine.work(&moved)], ["~/main/.git"; 2]);
}

/// Gives a repo the remote `github.com/o/n`.
fn publish(root: &Path) {
    write(&root.join(".git/config"), "[remote \"origin\"]\n\turl = git@github.com:o/n.git\n");
}

#[test]
fn a_project_that_gets_a_remote_is_called_by_it_and_the_list_says_what_it_was() {
    let machine = Machine::new();
    let shop = machine.repo("shop");
    machine.work(&shop);
    let renamed = || -> Vec<(String, String)> {
        let names = Names::of(&machine.path("state"));
        names.renamed().map(|(was, now)| (machine.0.abbreviated(&was), now)).collect()
    };
    publish(&shop);
    assert_eq!((machine.name(&shop).as_str(), renamed()), ("github.com/o/n", Vec::new()));
    for _ in 0..2 {
        assert_eq!(machine.work(&shop), "github.com/o/n");
        assert_eq!(renamed(), [("~/shop/.git".to_owned(), "github.com/o/n".to_owned())]);
        assert_eq!(machine.list().lines().count(), 2);
    }
    // Without the remote it is still the same project, and another in its place is not.
    if knows_births() {
        fs::remove_file(shop.join(".git/config")).unwrap();
        assert_eq!([machine.name(&shop), machine.work(&shop)], ["github.com/o/n"; 2]);
        fs::rename(&shop, machine.path("aside")).unwrap();
        let other = machine.work(&machine.repo("shop"));
        assert!(other.starts_with("~/shop~"), "{other}");
        assert_eq!(renamed().len(), 1);
    }
}

#[test]
fn a_clone_was_never_called_otherwise() {
    let machine = Machine::new();
    machine.work(&machine.repo("other"));
    let clone = machine.repo("clone");
    publish(&clone);
    let before = machine.list();
    assert_eq!((machine.work(&clone).as_str(), machine.list()), ("github.com/o/n", before));
}

#[test]
fn the_list_is_private_and_grows_by_what_is_new() {
    let machine = Machine::new();
    let (shop, diary) = (machine.repo("shop"), machine.repo("diary"));
    for _ in 0..3 {
        machine.work(&shop);
        machine.work(&diary);
    }
    assert_eq!(machine.list().lines().count(), 2);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |name: &str| fs::metadata(machine.path(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("state"), mode("state/projects")), (0o700, 0o600));
        // Through a link it is the same project, and nothing is new.
        if knows_births() {
            std::os::unix::fs::symlink(&shop, machine.path("link")).unwrap();
            assert_eq!(machine.work(&machine.path("link")), "~/shop/.git");
            assert_eq!(machine.list().lines().count(), 2);
        }
    }
}

#[test]
fn a_list_that_cannot_be_read_leaves_everything_to_the_paths() {
    let machine = Machine::new();
    let shop = machine.repo("shop");
    for text in ["", "\n\n", "one two three\n", "\t\t\t\t\n", "a\tb\n", "\u{0}"] {
        write(&machine.path("state/projects"), text);
        assert_eq!(machine.work(&shop), "~/shop/.git", "{text:?}");
        assert!(machine.list().starts_with(text), "{text:?}");
    }
    // A directory in its place: nothing can be kept, and that is told.
    fs::remove_file(machine.path("state/projects")).unwrap();
    fs::create_dir(machine.path("state/projects")).unwrap();
    assert_eq!(machine.name(&shop), "~/shop/.git");
    assert!(Names::of(&machine.path("state")).keep(&Project::by_place(&shop)).is_err());
}

#[test]
fn a_long_list_is_written_anew_and_the_newest_stay() {
    let machine = Machine::new();
    let shop = machine.repo("shop");
    let lines: String = (0..9_000).map(|n| format!("/gone/p{n}/.git\t/gone/p{n}\t{n:x}.1\t-\n")).collect();
    write(&machine.path("state/projects"), &lines);
    machine.work(&shop);
    let list = machine.list();
    assert!(list.len() < lines.len() / 2, "{}", list.len());
    let kept: Vec<&str> = list.lines().collect();
    assert!(kept[kept.len() - 1].contains("/shop\t") && kept[kept.len() - 2].starts_with("/gone/p8999/"));
    assert_eq!(kept.len(), kept.iter().collect::<std::collections::BTreeSet<_>>().len());
}

#[test]
fn a_path_that_cannot_stand_in_a_line_goes_by_itself() {
    let machine = Machine::new();
    let odd = machine.path("a\tb\nc");
    fs::create_dir_all(&odd).unwrap();
    assert_eq!(machine.work(&odd), "~/a%09b%0Ac");
    assert_eq!(machine.list(), "");
}
