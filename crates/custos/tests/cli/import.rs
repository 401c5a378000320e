//! `custos import`: the preview, the run, the second run, and the rules for the guard.

use std::fs;
use std::path::{Path, PathBuf};

use custos_testkit::TempHome;
use rstest::rstest;
use serde_json::{Value, json};

use crate::guard::{custos_in, repo};
use crate::shell::{home, settings};

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
fn a_second_run_finds_nothing_to_do(#[values("small", "odd")] name: &str) {
    let (home, root) = project(name);
    let ran = custos_in(&home, &root, &["import", "axme", "--yes"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    let rules = || fs::read_to_string(root.join(".ai/policies/safety.yaml")).unwrap();
    let carried = rules();
    let again = custos_in(&home, &root, &["import", "axme", "--yes", "--json"]);
    let told: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!((again.code, &told["done"], &told["stores"][0]["writes"]), (0, &json!(false), &json!(0)));
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
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    settings(&home).bind(|| insta::assert_snapshot!("the_run", ran.stdout));
    settings(&home).bind(|| {
        insta::assert_snapshot!(
            "the_rules",
            fs::read_to_string(root.join(".ai/policies/safety.yaml")).unwrap()
        );
    });
    let doctor = custos_in(&home, &root, &["kb", "doctor"]);
    settings(&home).bind(|| insta::assert_snapshot!("the_doctor", doctor.stdout));
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
            "files": [{"file": "CLAUDE.md", "rules": 1}], "left": [], "known": 1, "proposed": [],
            "passed_over": [{"file": "CLAUDE.md:4", "what": "src/ has the code"}],
        })
    );
    for form in [
        &["--file", "nope.md"][..],
        &["--file", "nope.md", "--json"],
        &["--file", "CLAUDE.md", "--file", "nope.md"],
    ] {
        let ran = custos_in(&home, &root, &[&["import", "instructions"], form].concat());
        assert_eq!(ran.code, 66, "{form:?}: {ran:?}");
    }
}
