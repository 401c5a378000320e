//! `--dry-run`, `--json`, and what happens when nobody is there to be asked.

use crate::machine::{ALL, Machine, shape};

#[test]
fn a_dry_run_shows_the_lines_and_changes_nothing_at_all() {
    let machine = Machine::new();
    machine.put(".cursor/hooks.json", "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n");
    let before = machine.everything();
    let ran = machine.custos(&["setup", "--dry-run", "--client", "cursor", "--client", "opencode"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(machine.everything(), before);
    machine.settings().bind(|| insta::assert_snapshot!(ran.stdout, @""));
    let answer = machine.json(&["setup", "--dry-run", "--client", "cursor"]);
    assert_eq!(machine.everything(), before);
    machine.settings().bind(|| insta::assert_snapshot!(format!("{answer:#}"), @""));
}

#[test]
fn a_dry_run_of_uninstall_changes_nothing_at_all() {
    let machine = Machine::new();
    machine.put(".codex/hooks.json", "{}\n");
    machine.set_up(&["codex", "opencode"]);
    let before = machine.everything();
    let said = machine.must(&["uninstall", "--dry-run"]);
    assert_eq!(machine.everything(), before);
    machine.settings().bind(|| insta::assert_snapshot!(said, @""));
}

#[test]
fn nobody_is_asked_where_nobody_sits() {
    let machine = Machine::new();
    // Standard input is a pipe here, as in a script: it neither waits nor takes silence for a no.
    machine.must(&["setup", "--client", "codex"]);
    assert!(machine.path(".codex/hooks.json").exists());
    machine.must(&["uninstall"]);
    assert!(!machine.path(".codex").exists());
}

#[test]
fn answers_in_json_keep_their_shape() {
    let machine = Machine::new();
    let setup = machine.json(&["setup", "--client", "codex"]);
    let doctor = machine.json(&["doctor"]);
    let uninstall = machine.json(&["uninstall"]);
    insta::assert_snapshot!(format!("{:#}", shape(&setup)), @"");
    insta::assert_snapshot!(format!("{:#}", shape(&doctor)), @"");
    insta::assert_snapshot!(format!("{:#}", shape(&uninstall)), @"");
}

#[test]
fn what_json_says_about_clients_is_what_was_done() {
    let machine = Machine::new();
    let answer = machine.json(&[&["setup"][..], &ALL.map(|client| ["--client", client]).concat()].concat());
    assert_eq!(answer["ok"], serde_json::json!(true));
    let mut told: Vec<String> = Vec::new();
    for client in answer["clients"].as_array().unwrap() {
        for file in client["files"].as_array().unwrap() {
            assert_eq!(file["result"], "created", "{file}");
            let path = std::path::Path::new(file["path"].as_str().unwrap()).strip_prefix(machine.path("")).unwrap();
            told.push(path.display().to_string());
        }
    }
    told.sort_unstable();
    assert_eq!(told, machine.listing().files());
}
