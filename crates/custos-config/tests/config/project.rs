//! The project of a directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use custos_config::{Marker, Project, Repo, main_working_tree, workspace_marker};
use rstest::rstest;

use crate::files::{Home, write};

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const OTHER: &str = "fedcba9876543210fedcba9876543210fedcba98";

/// Makes the least that is a repo, with this `HEAD`.
fn repo(home: &Home, name: &str, head: &str) -> PathBuf {
    let root = home.path(name);
    write(&root.join(".git/HEAD"), head);
    root
}

fn checked_out(root: &Path) -> (Option<String>, Option<String>) {
    let repo = Project::by_place(root).repo.unwrap();
    (repo.branch, repo.commit)
}

#[expect(clippy::unnecessary_wraps, reason = "it is what branch and commit are compared with")]
fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn a_directory_without_a_repo_is_its_own_project() {
    let home = Home::new();
    let directory = home.path("plain");
    fs::create_dir_all(&directory).unwrap();
    let identity = directory.to_str().unwrap().to_owned();
    assert_eq!(Project::by_place(&directory), Project { root: directory, identity, repo: None });
}

#[test]
fn a_repo_is_found_from_below() {
    let home = Home::new();
    let root = repo(&home, "r", "ref: refs/heads/main\n");
    write(&root.join(".git/refs/heads/main"), format!("{COMMIT}\n"));
    write(
        &root.join(".git/config"),
        "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@github.com:o/n.git\n",
    );
    write(&root.join("src/deep/file"), "");
    let git_dir = root.join(".git");
    let repo = Repo {
        git_dir: git_dir.clone(),
        common_dir: git_dir,
        remote: some("github.com/o/n"),
        branch: some("main"),
        commit: some(COMMIT),
    };
    let expected = Project { root: root.clone(), identity: "github.com/o/n".to_owned(), repo: Some(repo) };
    assert_eq!(Project::by_place(&root), expected);
    assert_eq!(Project::by_place(&root.join("src/deep")), expected);
    assert_eq!(Project::by_place(&root.join("src/not/there")), expected);
}

#[test]
fn refs_are_loose_packed_symbolic_or_missing() {
    let home = Home::new();
    let root = repo(&home, "r", "ref: refs/heads/feature/x\n");
    assert_eq!(checked_out(&root), (some("feature/x"), None));
    write(
        &root.join(".git/packed-refs"),
        format!(
            "# pack-refs with: peeled fully-peeled sorted \n{OTHER} refs/heads/a/refs/heads/feature/x\n{COMMIT} refs/heads/feature/x\n^{OTHER}\n"
        ),
    );
    assert_eq!(checked_out(&root), (some("feature/x"), some(COMMIT)));
    write(&root.join(".git/refs/heads/feature/x"), format!("{OTHER}\n"));
    assert_eq!(checked_out(&root), (some("feature/x"), some(OTHER)));
    write(&root.join(".git/refs/heads/feature/x"), "ref: refs/heads/y\n");
    write(&root.join(".git/refs/heads/y"), COMMIT);
    assert_eq!(checked_out(&root), (some("feature/x"), some(COMMIT)));
    write(&root.join(".git/refs/heads/y"), "ref: refs/heads/feature/x\n");
    assert_eq!(checked_out(&root), (some("feature/x"), None));
}

#[rstest]
#[case::detached(COMMIT, None, Some(COMMIT))]
#[case::sha256(
    "ABCDEFabcdefABCDEFabcdefABCDEFabcdefABCDEFabcdefABCDEFabcdefABCD",
    None,
    Some("abcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcd")
)]
#[case::reftable("ref: refs/heads/.invalid", None, None)]
#[case::upwards("ref: refs/heads/../../../secret", None, None)]
#[case::absolute("ref: /etc/passwd", None, None)]
#[case::outside_refs("ref: config", None, None)]
#[case::control("ref: refs/heads/a\u{1b}[2J", None, None)]
#[case::backslash("ref: refs/heads/a\\b", None, None)]
#[case::tag("ref: refs/tags/v1", None, None)]
#[case::nonsense("hello", None, None)]
#[case::empty("", None, None)]
fn forms_of_head(#[case] head: &str, #[case] branch: Option<&str>, #[case] commit: Option<&str>) {
    let home = Home::new();
    write(&home.path("secret"), COMMIT);
    let root = repo(&home, "r", head);
    assert_eq!(checked_out(&root), (branch.map(str::to_owned), commit.map(str::to_owned)));
}

#[test]
fn a_git_directory_without_head_is_not_a_repo() {
    let home = Home::new();
    let outer = repo(&home, "outer", COMMIT);
    fs::create_dir_all(outer.join("inner/.git")).unwrap();
    assert_eq!(Project::by_place(&outer.join("inner")).root, outer);
}

#[test]
fn a_directory_with_repos_of_its_own_is_no_part_of_the_repo_around_it() {
    let home = Home::new();
    let outer = repo(&home, "outer", COMMIT);
    let work = outer.join("work");
    let found = |directory: &Path| Project::by_place(directory).root;
    repo(&home, "outer/work/api", COMMIT);
    assert_eq!(found(&work), outer, "one repo is a repo in a repo");
    repo(&home, "outer/work/web", COMMIT);
    assert_eq!(Project::by_place(&work), Project::of_directory(&work));
    write(&work.join("docs/file"), "");
    assert_eq!(found(&work.join("docs")), outer);
    assert_eq!(found(&work.join("api")), work.join("api"));
    // git still works in the outer one there.
    assert_eq!(Project::of_working_tree(&work).unwrap(), Project::by_place(&outer));
    // Submodules and linked working trees belong to the repo that they are in.
    for name in ["a", "b"] {
        write(&outer.join(".git/modules").join(name).join("HEAD"), COMMIT);
        let git = outer.join(".git/modules").join(name);
        write(&outer.join("vendor").join(name).join(".git"), format!("gitdir: {}\n", git.display()));
    }
    assert_eq!(found(&outer.join("vendor")), outer);
}

#[rstest]
#[case::bare("[remote \"origin\"]\nurl=https://h/o/n", "h/o/n")]
#[case::one_line("[remote \"origin\"] url = https://h/o/n", "h/o/n")]
#[case::any_case("[REMOTE \"origin\"]\n  URL = https://h/o/n", "h/o/n")]
#[case::quotes("[remote \"origin\"]\nurl = \"https://h/o/n\" ; yes", "h/o/n")]
#[case::comment("[remote \"origin\"]\n# url = https://h/no/no\nurl = https://h/o/n # yes", "h/o/n")]
#[case::first_counts("[remote \"origin\"]\nurl = https://h/o/n\nurl = https://h/x/x", "h/o/n")]
#[case::carriage_returns("[remote \"origin\"]\r\nurl = https://h/o/n\r\n", "h/o/n")]
#[case::among_others(
    "[remote \"up\"]\nurl = https://h/x/x\n[remote \"origin\"]\nfetch = +a:b\npushurl = https://h/y/y\nurl = https://h/o/n\n[x]\nurl = z",
    "h/o/n"
)]
fn forms_of_the_remote(#[case] config: &str, #[case] identity: &str) {
    let home = Home::new();
    let root = repo(&home, "r", COMMIT);
    write(&root.join(".git/config"), config);
    assert_eq!(Project::by_place(&root).identity, identity);
}

#[rstest]
#[case::none("[core]\nbare = false\n")]
#[case::another("[remote \"Origin\"]\nurl = https://h/o/n\n")]
#[case::local("[remote \"origin\"]\nurl = /srv/git/n.git\n")]
#[case::not_closed("[remote \"origin\"\nurl = https://h/o/n\n")]
#[case::nothing("")]
fn without_a_clear_remote_the_path_is_the_identity(#[case] config: &str) {
    let home = Home::new();
    let root = repo(&home, "r", COMMIT);
    write(&root.join(".git/config"), config);
    assert_eq!(Project::by_place(&root).identity, root.join(".git").to_str().unwrap());
}

#[rstest]
#[case::absolute(true)]
#[case::relative(false)]
fn a_linked_working_tree_is_the_same_project(#[case] absolute: bool) {
    let home = Home::new();
    let main = repo(&home, "main", "ref: refs/heads/main\n");
    write(&main.join(".git/refs/heads/side"), COMMIT);
    write(&main.join(".git/worktrees/side/HEAD"), "ref: refs/heads/side\n");
    write(&main.join(".git/worktrees/side/commondir"), "../..\n");
    let side = home.path("side");
    let target = main.join(".git/worktrees/side");
    let pointer = if absolute { target.to_str().unwrap() } else { "../main/.git/worktrees/side" };
    write(&side.join(".git"), format!("gitdir: {pointer}\n"));
    let (project, of_main) = (Project::by_place(&side), Project::by_place(&main));
    assert_eq!(project.root, side);
    assert_eq!(project.identity, of_main.identity);
    let expected = Repo {
        git_dir: target,
        common_dir: main.join(".git"),
        remote: None,
        branch: some("side"),
        commit: some(COMMIT),
    };
    assert_eq!(project.repo.unwrap(), expected);
}

#[test]
fn a_working_tree_belongs_to_another_only_if_both_say_so() {
    let home = Home::new();
    let main = repo(&home, "main", "ref: refs/heads/main\n");
    let admin = main.join(".git/worktrees/side");
    let side = home.path("side");
    let says = |root: &Path, pointer: &str| write(&root.join(".git"), format!("gitdir: {pointer}\n"));
    says(&side, "../main/.git/worktrees/side");
    assert_eq!(main_working_tree(&side), None, "the repo knows nothing of it");
    for back in [side.join(".git").to_str().unwrap(), "../../../../side/.git"] {
        write(&admin.join("gitdir"), format!("{back}\n"));
        assert_eq!(main_working_tree(&side), Some(main.canonicalize().unwrap()), "{back}");
    }
    let evil = home.path("evil");
    // It leads to what is somebody else's, or brings along what says that it is theirs.
    write(&evil.join("admin/commondir"), "../../main/.git\n");
    write(&evil.join("admin/gitdir"), "../.git\n");
    write(&evil.join(".git/modules/x/gitdir"), "../../.git\n");
    for pointer in ["../main/.git/worktrees/side", "../main/.git", "../main", "admin", "", "/"] {
        let copy = home.path("copy");
        says(&copy, pointer.replace("admin", "../evil/admin").as_str());
        assert_eq!(main_working_tree(&copy), None, "{pointer}");
    }
    assert_eq!([&main, &evil, &home.path("nowhere")].map(|root| main_working_tree(root)), [None, None, None]);
}

/// Asks git itself, where there is one.
#[test]
fn git_agrees() {
    let home = Home::new();
    let root = home.path("r");
    let git = |directory: &Path, arguments: &[&str]| {
        let output = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .current_dir(directory)
            .env("HOME", home.path(""))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output();
        output
            .ok()
            .filter(|output| output.status.success())
            .map(|output| String::from_utf8(output.stdout).unwrap().trim().to_owned())
    };
    fs::create_dir_all(&root).unwrap();
    if git(&root, &["init", "-q", "-b", "trunk"]).is_none() {
        return; // No git here.
    }
    assert_eq!(checked_out(&root), (some("trunk"), None));
    git(&root, &["commit", "-q", "--allow-empty", "-m", "one"]).unwrap();
    git(&root, &["remote", "add", "origin", "https://u:p@Example.org/o/n.git"]).unwrap();
    git(&root, &["worktree", "add", "-q", "-b", "side/x", "../side"]).unwrap();
    let side = home.path("side");
    assert_eq!(main_working_tree(&side), Some(root.canonicalize().unwrap()));
    git(&side, &["commit", "-q", "--allow-empty", "-m", "two"]).unwrap();
    let agrees = |directory: &Path, branch: &str| {
        let commit = git(directory, &["rev-parse", "HEAD"]);
        assert_eq!(checked_out(directory), (some(branch), commit));
        assert_eq!(Project::by_place(directory).identity, "example.org/o/n");
    };
    agrees(&root, "trunk");
    agrees(&side, "side/x");
    git(&root, &["pack-refs", "--all"]).unwrap();
    agrees(&root, "trunk");
    agrees(&side, "side/x");
    git(&root, &["checkout", "-q", "--detach"]).unwrap();
    assert_eq!(checked_out(&root), (None, git(&root, &["rev-parse", "HEAD"])));
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    fn fifo(path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    #[test]
    fn nothing_waits_for_a_fifo() {
        let home = Home::new();
        fifo(&home.path("a/.git"));
        assert_eq!(Project::by_place(&home.path("a")).repo, None);
        fifo(&home.path("b/.git/HEAD"));
        assert_eq!(Project::by_place(&home.path("b")).repo, None);
        let root = repo(&home, "c", "ref: refs/heads/main");
        fifo(&root.join(".git/refs/heads/main"));
        fifo(&root.join(".git/packed-refs"));
        fifo(&root.join(".git/config"));
        fifo(&root.join(".git/commondir"));
        assert_eq!(checked_out(&root), (some("main"), None));
        fifo(&home.path("d/package.json"));
        assert_eq!(workspace_marker(&home.path("d")), None);
    }

    #[test]
    fn names_of_any_bytes_become_one_line() {
        let home = Home::new();
        let name = |bytes: &[u8]| {
            let directory = home.path("").join(OsStr::from_bytes(bytes));
            fs::create_dir_all(&directory).unwrap();
            let identity = Project::by_place(&directory).identity;
            identity.rsplit('/').next().unwrap().to_owned()
        };
        assert_eq!(name(b"a\nb\x1b[2J"), "a%0Ab%1B[2J");
        assert_eq!(name(b"a\xffb"), "a%FFb");
        assert_eq!(name(b"a%FFb"), "a%25FFb");
        assert_eq!(name("Zoë".as_bytes()), "Zoë");
    }
}

#[test]
fn large_files_are_left_alone() {
    let home = Home::new();
    let root = repo(&home, "r", "ref: refs/heads/main");
    write(
        &root.join(".git/config"),
        format!("#{}\n[remote \"origin\"]\nurl = https://h/o/n\n", "x".repeat(1024 * 1024)),
    );
    write(
        &root.join(".git/packed-refs"),
        format!("{COMMIT} refs/heads/main\n{}", "#".repeat(9 * 1024 * 1024)),
    );
    let project = Project::by_place(&root);
    assert_eq!(project.identity, root.join(".git").to_str().unwrap());
    assert_eq!(project.repo.unwrap().commit, None);
}

#[rstest]
#[case("pnpm-workspace.yaml", "")]
#[case("lerna.json", "{}")]
#[case("nx.json", "{}")]
#[case("rush.json", "{}")]
#[case("go.work", "go 1.24")]
#[case(".gitmodules", "")]
#[case("package.json", "{\"workspaces\": [\"a\"]}")]
#[case("Cargo.toml", "[workspace]\nmembers = []")]
#[case("settings.gradle", "include 'a'")]
#[case("settings.gradle.kts", "include(\"a\")")]
#[case("pom.xml", "<project><modules><module>a</module></modules></project>")]
fn files_that_mark_a_workspace(#[case] name: &'static str, #[case] content: &str) {
    let home = Home::new();
    let directory = home.path("w");
    write(&directory.join(name), content);
    assert_eq!(workspace_marker(&directory), Some(Marker::File(name)));
    // In a repo the same file is part of the repo.
    write(&directory.join(".git/HEAD"), COMMIT);
    assert_eq!(workspace_marker(&directory), None);
}

#[test]
fn other_marks_of_a_workspace() {
    let home = Home::new();
    let directory = home.path("w");
    write(&directory.join("package.json"), "{\"name\": \"x\"}");
    write(&directory.join("Cargo.toml"), "[package]");
    repo(&home, "w/one", COMMIT);
    assert_eq!(workspace_marker(&directory), None);
    repo(&home, "w/two", COMMIT);
    assert_eq!(workspace_marker(&directory), Some(Marker::ChildRepos));
    write(&home.path("v/x.code-workspace"), "{}");
    assert_eq!(workspace_marker(&home.path("v")), Some(Marker::Editor));
    assert_eq!(workspace_marker(&home.path("not/there")), None);
}
