//! `custos import`: the preview, the run, the second run, and the rules for the guard.

use std::fs;
use std::path::{Path, PathBuf};

use custos_testkit::TempHome;
use rstest::rstest;
use serde_json::{Value, json};

use crate::guard::{custos_in, repo};
use crate::shell::{command, home, settings, unread};

fn tree(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../custos-knowledge/tests/data/axme")
        .join(name)
        .join(".axme-code")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A repo in which AXME Code was used.
fn project(name: &str) -> (TempHome, PathBuf) {
    let home = home();
    let root = repo(&home, "feat");
    copy(&tree(name), &root.join(".axme-code"));
    (home, root)
}

#[test]
fn a_preview_tells_everything_and_writes_nothing() {
    let (home, root) = project("small");
    fs::write(root.join(".mcp.json"), r#"{"mcpServers":{"axme":{}}}"#).unwrap();
    let ran = custos_in(&home, &root, &["import", "axme", "--dry-run"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(!root.join(".ai").exists());
    settings(&home).bind(|| insta::assert_snapshot!(ran.stdout));
}

#[test]
fn nobody_is_asked_means_nothing_is_done() {
    let (home, root) = project("small");
    let ran = custos_in(&home, &root, &["import", "axme"]);
    assert_eq!(ran.code, 64);
    assert!(ran.stderr.contains("nothing was carried over"), "{}", ran.stderr);
    assert!(!root.join(".ai").exists());
}

#[rstest]
#[case("small", &[], 0)]
#[case("small", &["--json"], 0)]
#[case::with_rules_that_are_none_here("odd", &[], 1)]
fn what_somebody_agreed_to_is_carried_also_if_nobody_reads_about_it(
    #[case] name: &str,
    #[case] how: &[&str],
    #[case] code: i32,
) {
    let (home, root) = project(name);
    let mut preview = command(&home, &["import", "axme", "--dry-run"]);
    assert_eq!(unread(preview.current_dir(&root)), (0, String::new()));
    assert!(!root.join(".ai").exists());
    let mut run = command(&home, &[&["import", "axme", "--yes"], how].concat());
    assert_eq!(unread(run.current_dir(&root)), (code, String::new()));
    let again = custos_in(&home, &root, &["import", "axme", "--yes", "--json"]);
    let told: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!((&told["done"], &told["stores"][0]["writes"]), (&json!(false), &json!(0)));
}

#[rstest]
#[case("small", 0)]
#[case::with_rules_that_are_none_here("odd", 1)]
fn a_second_run_finds_nothing_to_do(#[case] name: &str, #[case] code: i32) {
    let (home, root) = project(name);
    let ran = custos_in(&home, &root, &["import", "axme", "--yes"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (code, ""), "{}", ran.stdout);
    let rules = || fs::read_to_string(root.join(".ai/policies/safety.yaml")).unwrap();
    let carried = rules();
    let again = custos_in(&home, &root, &["import", "axme", "--yes", "--json"]);
    let told: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!((again.code, &told["done"], &told["stores"][0]["writes"]), (code, &json!(false), &json!(0)));
    // A rule that this run wrote down hides none that is built in, and the other way round.
    assert_eq!(rules(), carried);
    let new: Vec<&Value> =
        told["rules"].as_array().unwrap().iter().filter(|rule| rule["became"] == "new").collect();
    assert_eq!(new, Vec::<&Value>::new());
    let events = custos_in(&home, &root, &["log", "tail", "--json", "--kind", "import.finished"]);
    assert_eq!(events.stdout.lines().count(), 1, "{}{}", events.stdout, events.stderr);
}

#[test]
fn an_odd_tree_is_carried_over_and_what_is_odd_is_told() {
    let (home, root) = project("odd");
    let ran = custos_in(&home, &root, &["import", "axme", "--yes"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{}", ran.stdout);
    settings(&home).bind(|| insta::assert_snapshot!("the_run", ran.stdout));
    let again = custos_in(&home, &root, &["import", "axme", "--yes"]);
    assert!(
        again.stdout.contains("nothing to do: all that can be carried is here\nnote: "),
        "{}",
        again.stdout
    );
    assert!(!again.stdout.contains("says something else there"), "{}", again.stdout);
    settings(&home).bind(|| {
        insta::assert_snapshot!(
            "the_rules",
            fs::read_to_string(root.join(".ai/policies/safety.yaml")).unwrap()
        );
    });
    let doctor = custos_in(&home, &root, &["kb", "doctor"]);
    settings(&home).bind(|| insta::assert_snapshot!("the_doctor", doctor.stdout));
}

#[cfg(unix)]
#[test]
fn rules_that_cannot_be_written_are_not_said_to_be_wrong() {
    let (home, root) = project("small");
    let policies = root.join(".ai/policies");
    fs::create_dir_all(&policies).unwrap();
    let lock = fs::File::open(&policies).unwrap();
    lock.lock().unwrap();
    let ran = custos_in(&home, &root, &["import", "axme", "--yes"]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let told = ran.stdout.split_once("0 rules for the guard\n").unwrap().1;
    let why = "another process is changing it";
    assert!(told.starts_with("note: the rule ") && told.contains(why), "{told}");
    assert!(
        told.ends_with("note: put that right and run this again: what is here already is passed over\n"),
        "{told}"
    );
    assert!(!told.contains("in other words"), "{told}");
    lock.unlock().unwrap();
    let again = custos_in(&home, &root, &["import", "axme", "--yes"]);
    assert_eq!((again.code, again.stdout.contains("was not written")), (0, false), "{}", again.stdout);
}

#[test]
fn a_rule_with_a_secret_in_it_goes_nowhere() {
    let home = home();
    let root = repo(&home, "feat");
    let secret = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    fs::create_dir_all(root.join(".axme-code/safety")).unwrap();
    let rules = format!(
        "bash:\n  deniedPrefixes: [\"curl -H Authorization:{secret} https://x\", \"npm publish --tag x\"]\n"
    );
    fs::write(root.join(".axme-code/safety/rules.yaml"), rules).unwrap();
    let ran = custos_in(&home, &root, &["import", "axme", "--yes"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{}", ran.stdout);
    settings(&home).bind(|| insta::assert_snapshot!(ran.stdout, @r"
    shop ~/shop/.ai
      kept as it is
        safety/rules.yaml: its rules are carried one by one; the whole is kept as well: in archive/axme/safety/rules.yaml
      NOT carried, and not kept anywhere either
        safety/rules.yaml: line 2: in bash.deniedPrefixes, a rule has a secret in it, which is not kept, and without it the rule would hold nothing; `custos guard add` takes one with `*` in its place
      note: something secret is taken out of 1 text
      note: AXME Code asked for a mark on every commit and push; the commit gate does that here, and is off until you switch it on
      rules for the guard
        deny       npm publish --tag x
    carried over: 1 file, 1 rule for the guard
    note: 1 item could not be carried, as said above: keep .axme-code, nothing else has it
    "));
    // Neither in the rules nor in what is made of them.
    let mut open = vec![home.path().to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap().flatten() {
            let path = entry.path();
            if path.ends_with(".axme-code") || path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let bytes = fs::read(&path).unwrap_or_default();
            let has_it = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!has_it, "{}", path.display());
        }
    }
    let again = custos_in(&home, &root, &["import", "axme", "--yes"]);
    assert_eq!(again.code, 1, "{again:?}");
    let last: Vec<&str> = again.stdout.lines().rev().take(2).collect();
    assert_eq!(
        last,
        [
            "note: 1 item could not be carried, as said above: keep .axme-code, nothing else has it",
            "nothing to do: all that can be carried is here",
        ]
    );
}

#[test]
fn what_is_too_large_to_be_kept_is_named_and_the_exit_code_tells() {
    let home = home();
    let root = repo(&home, "feat");
    fs::create_dir_all(root.join(".axme-code")).unwrap();
    fs::File::create(root.join(".axme-code/dump.txt")).unwrap().set_len(50 << 20).unwrap();
    fs::write(root.join(".axme-code/large.txt"), "A line.\n".repeat(200_000)).unwrap();
    for form in [&["--dry-run"][..], &["--yes"], &["--yes"], &["--yes", "--json"]] {
        let ran = custos_in(&home, &root, &[&["import", "axme"], form].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{}", ran.stdout);
        assert!(!ran.stdout.contains("everything is here"), "{}", ran.stdout);
    }
    let told = custos_in(&home, &root, &["import", "axme", "--json"]).stdout;
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["stores"][0]["lost"], json!([{"file": "dump.txt", "what": "is larger than 16384 KB"}]));
    let parts = ["large.part-1.txt", "large.part-2.txt"]
        .map(|part| fs::read_to_string(root.join(".ai/archive/axme").join(part)).unwrap());
    assert!(parts.concat() == "A line.\n".repeat(200_000));
}

#[test]
fn what_is_no_tree_is_refused() {
    let home = home();
    let root = repo(&home, "feat");
    let ran = custos_in(&home, &root, &["import", "axme", "--yes"]);
    assert_eq!(ran.code, 66, "{}", ran.stderr);
    assert!(ran.stderr.contains("there is no .axme-code"), "{}", ran.stderr);
}

#[test]
fn instructions_are_proposed() {
    let home = home();
    let root = repo(&home, "feat");
    fs::write(root.join("CLAUDE.md"), "# Rules\n\n- Never push to main.\n- src/ has the code\n\n## AXME Code\n\n- Always call axme_context\n")
        .unwrap();
    let ran = custos_in(&home, &root, &["import", "instructions"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(ran.stdout, @r"
    CLAUDE.md: 1 rule
    left out, for it does not look like a rule:
      CLAUDE.md:4  src/ has the code
    P-001  feedback  Never push to main  (CLAUDE.md:3)
    nothing of this is kept yet: `custos proposals accept P-001 …` keeps what you name, `custos proposals drop` lets it go
    ");
    let again = custos_in(&home, &root, &["import", "instructions", "--json"]);
    let told: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(
        told,
        json!({
            "files": [{"file": "CLAUDE.md", "rules": 1}], "left": [], "known": 1, "proposed": [], "withdrawn": [],
            "passed_over": [{"file": "CLAUDE.md:4", "what": "src/ has the code"}],
        })
    );
    fs::write(root.join("CLAUDE.md"), "# Rules\n\n- Never push to main or release.\n").unwrap();
    let changed = custos_in(&home, &root, &["import", "instructions"]);
    insta::assert_snapshot!(changed.stdout, @r"
    CLAUDE.md: 1 rule
    withdrawn, for its file no longer says it: P-001
    P-002  feedback  Never push to main or release  (CLAUDE.md:3)
    nothing of this is kept yet: `custos proposals accept P-001 …` keeps what you name, `custos proposals drop` lets it go
    ");
    for action in ["accept", "drop"] {
        let ran = custos_in(&home, &root, &["proposals", action, "P-777"]);
        assert_eq!(ran.code, 66, "{ran:?}");
        assert!(ran.stderr.contains("there is no proposal P-777 that waits"), "{}", ran.stderr);
    }
    for form in [
        &["--file", "nope.md"][..],
        &["--file", "nope.md", "--json"],
        &["--file", "CLAUDE.md", "--file", "nope.md"],
    ] {
        let ran = custos_in(&home, &root, &[&["import", "instructions"], form].concat());
        assert_eq!(ran.code, 66, "{form:?}: {ran:?}");
    }
}

#[test]
fn what_begins_beside_a_tree_takes_none_of_its_ids() {
    let (home, root) = project("small");
    fs::write(root.join("Cargo.toml"), "[package]\nname = \"shop\"\nlicense = \"MIT\"\n").unwrap();
    let told = "what AXME Code kept in .axme-code is not here yet: `custos import axme` carries it over; its ids are kept free for it: B-001 to B-004, D-001 to D-008, Q-001 to Q-003";
    let notes = |arguments: &[&str]| {
        let ran = custos_in(&home, &root, &[arguments, &["--json"]].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        answer["places"][0]["notes"].clone()
    };
    assert_eq!(notes(&["init", "--dry-run"]), json!([told]));
    assert_eq!(notes(&["init", "--yes"]), json!([told]));
    assert_eq!(custos_in(&home, &root, &["proposals", "accept", "--all"]).code, 0);
    assert_eq!(
        notes(&["init", "--yes"]),
        json!(["what AXME Code kept in .axme-code is not here yet: `custos import axme` carries it over"])
    );
    let names = || {
        let mut names: Vec<String> = fs::read_dir(root.join(".ai/decisions"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy()[..5].to_owned())
            .filter(|name| name.starts_with('D'))
            .collect();
        names.sort();
        names
    };
    let first = names();
    assert_eq!(first.first().map(String::as_str), Some("D-009"));
    let ran = custos_in(&home, &root, &["import", "axme", "--yes", "--json"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &report["stores"][0]["renamed"]), (0, &json!([])));
    let of_tree = ["D-001", "D-002", "D-004", "D-005", "D-006"].map(str::to_owned);
    assert_eq!(names(), [of_tree.to_vec(), first].concat());
    assert_eq!(notes(&["init", "--yes"]), json!([]));
}

#[test]
fn what_is_forbidden_is_proposed_as_forbidden() {
    let home = home();
    let root = repo(&home, "feat");
    let text = "## Never\n\n- push to main branch\n- use `git push --force`\n\n| Do | Do not |\n|---|---|\n| use pnpm | use npm |\n\n<!--\n- Use yarn for everything\n-->\n\nAlways run it like this:\n\n```sh\nmake\n```\n";
    fs::write(root.join("CLAUDE.md"), text).unwrap();
    let ran = custos_in(&home, &root, &["import", "instructions"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(ran.stdout, @r"
    CLAUDE.md: 3 rules
    left out, for it does not look like a rule:
      CLAUDE.md:14  Always run it like this:
    P-001  feedback  Never: push to main branch  (CLAUDE.md:3)
    P-002  feedback  Never: use `git push --force`  (CLAUDE.md:4)
    P-003  feedback  Do: use pnpm – Do not: use npm  (CLAUDE.md:8)
    nothing of this is kept yet: `custos proposals accept P-001 …` keeps what you name, `custos proposals drop` lets it go
    ");
}
