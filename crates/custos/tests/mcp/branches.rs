//! A base in git: what branches, merges, other checkouts and working trees make of it. Asks git itself, where there is one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::client::{CUSTOS, Machine};

/// Runs git in a directory. Gives whether it succeeded, and what it said.
fn git(machine: &Machine, directory: &Path, arguments: &[&str]) -> (bool, String) {
    let output = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(directory)
        .env("HOME", machine.home.path())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_EDITOR", "true")
        .output();
    output.map_or((false, String::new()), |output| {
        let said = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap()).concat();
        (output.status.success(), said)
    })
}

/// A project with a first commit; nothing where there is no git.
fn project() -> Option<Machine> {
    let machine = Machine::with_directory();
    if !git(&machine, &machine.project(), &["init", "-q", "-b", "main"]).0 {
        return None;
    }
    fs::write(machine.project().join("README.md"), "# Shop\n").unwrap();
    commit(&machine, "first");
    Some(machine)
}

/// Runs git in the project, which has to succeed.
fn run(machine: &Machine, arguments: &[&str]) -> String {
    let (is_done, said) = git(machine, &machine.project(), arguments);
    assert!(is_done, "git {arguments:?}: {said}");
    said
}

fn commit(machine: &Machine, message: &str) {
    run(machine, &["add", "-A"]);
    run(machine, &["commit", "-qm", message]);
}

fn lesson(machine: &Machine, title: &str) {
    let said = machine.run(&[
        "memories",
        "add",
        "--type",
        "feedback",
        "--title",
        title,
        "--description",
        "Because.",
    ]);
    assert!(said.starts_with("Created") || said.contains("memory/feedback/"), "{said}");
}

/// A branch that adds a lesson beside one which main has archived, and the way in which they come together.
fn comes_together(is_of_before: bool, how: &[&str]) {
    let Some(machine) = project() else { return };
    lesson(&machine, "Old lesson");
    if is_of_before {
        fs::remove_file(machine.file("memory/feedback/.gitkeep")).unwrap();
    }
    commit(&machine, "a lesson");
    run(&machine, &["branch", "dev"]);
    machine.run(&["memories", "archive", "old-lesson", "--reason", "we have our own"]);
    commit(&machine, "archived");
    run(&machine, &["checkout", "-q", "dev"]);
    lesson(&machine, "Never deploy on Friday");
    commit(&machine, "another lesson");
    run(&machine, how);
    assert_eq!(machine.list("memory/feedback"), ["never-deploy-on-friday.md"]);
    assert_eq!(machine.list("archive/memory/feedback"), ["old-lesson.md"]);
    assert_eq!(machine.run(&["kb", "doctor"]), "The knowledge base is in order.\n");
    assert_eq!(run(&machine, &["status", "--short"]), "");
}

#[test]
fn a_merge_leaves_a_new_item_where_another_branch_archived_all_others() {
    for is_of_before in [false, true] {
        comes_together(is_of_before, &["merge", "-q", "main", "-m", "merged"]);
        comes_together(
            is_of_before,
            &["-c", "merge.directoryRenames=true", "merge", "-q", "main", "-m", "merged"],
        );
        comes_together(is_of_before, &["rebase", "-q", "main"]);
    }
}

#[test]
fn what_a_merge_carried_into_the_archive_is_enforced_again_once_it_is_moved_back() {
    let Some(machine) = project() else { return };
    machine.put(
        "archive/decisions/D-002-no-scp.md",
        "---\nid: D-002\nslug: no-scp\ntitle: No scp\ndate: 2026-11-15\nstatus: active\nenforce: required\nguard:\n  command: scp *\n  must_block:\n  - scp a b\n  must_allow:\n  - rsync a b\n---\n\n# No scp\n\nCopy by the pipeline.\n",
    );
    let found = machine.run(&["kb", "doctor", "--fix"]);
    assert!(found.contains("archive/decisions/D-002-no-scp.md: is in the archive, and nothing in it says that it was put away. It is decisions/D-002-no-scp.md now"), "{found}");
    assert!(machine.run(&["kb", "doctor", "--fix"]).ends_with("The knowledge base is in order.\n"));
    let verdict = machine.run(&["guard", "test", "scp a b"]);
    assert!(verdict.contains("D-002"), "{verdict}");
}

#[test]
fn what_is_of_this_machine_stays_in_a_branch_that_has_no_base() {
    let Some(machine) = project() else { return };
    run(&machine, &["branch", "feature"]);
    machine.run(&["decisions", "add", "--title", "Use UTC", "--decision", "d", "--reasoning", "r"]);
    machine.run(&["close", "--stopped-at", "step 3", "--summary", "s", "--next-steps", "n"]);
    commit(&machine, "a base");
    run(&machine, &["checkout", "-q", "feature"]);
    fs::write(machine.project().join("README.md"), "# Shop\n\nMore.\n").unwrap();
    commit(&machine, "work");
    run(&machine, &["stash", "-u"]);
    run(&machine, &["clean", "-qfd"]);
    assert_eq!(run(&machine, &["ls-files", ".ai"]), "");
    run(&machine, &["checkout", "-q", "main"]);
    assert!(machine.run(&["handoff"]).contains("step 3"));
    assert_eq!(machine.run(&["kb", "doctor"]), "The knowledge base is in order.\n");
    // Whoever committed it by force is told how to take it out again.
    run(&machine, &["add", "-f", ".ai/local/handoffs"]);
    let said = machine.run(&["kb", "doctor"]);
    assert!(said.contains("local: is to stay on this machine, and git tracks handoffs/"), "{said}");
    run(&machine, &["rm", "-rq", "--cached", ".ai/local"]);
    assert_eq!(machine.run(&["kb", "doctor"]), "The knowledge base is in order.\n");
}

/// The context of a session in a directory.
fn context(machine: &Machine, directory: &Path) -> String {
    machine.serve_in(directory).told("context", json!({}))
}

#[test]
fn a_working_tree_of_ones_own_project_is_ones_own() {
    let Some(machine) = project() else { return };
    machine.serve().told(
        "save_decision",
        json!({ "title": "Use UTC", "decision": "d", "reasoning": "r", "enforce": "required" }),
    );
    commit(&machine, "a base");
    run(&machine, &["worktree", "add", "-q", "-b", "side", "../side"]);
    let beside = |name: &str| machine.project().parent().unwrap().join(name);
    let said = context(&machine, &beside("side"));
    assert!(!said.contains("vouched") && said.contains("Use UTC"), "{said}");
    // A copy of it says the same of itself, and is none of the project's.
    let copy: PathBuf = beside("copy");
    fs::create_dir_all(copy.join(".ai/decisions")).unwrap();
    for file in [".git", ".ai/decisions/D-001-use-utc.md"] {
        fs::copy(beside("side").join(file), copy.join(file)).unwrap();
    }
    assert!(context(&machine, &copy).contains("nobody has vouched"));
    // Nor is one of a clone.
    let clone = beside("clone");
    let main = machine.project();
    assert!(git(&machine, &beside(""), &["clone", "-q", main.to_str().unwrap(), "clone"]).0);
    assert!(git(&machine, &clone, &["worktree", "add", "-q", "-b", "other", "../other"]).0);
    assert!(context(&machine, &beside("other")).contains("nobody has vouched"));
    let trusted = machine.home.command(CUSTOS).arg("trust").arg(&clone).output().unwrap();
    assert!(trusted.status.success());
    assert!(!context(&machine, &beside("other")).contains("vouched"));
}
