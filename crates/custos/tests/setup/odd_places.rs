//! Homes and prefixes with names that a shell would take apart.

use rstest::rstest;
use serde_json::Value;

use crate::machine::{ALL, Machine};

/// Gives the command of one event of each client as it stands in its file.
fn commands(machine: &Machine) -> Vec<String> {
    let at = |file: &str, pointer: &str| {
        let settings: Value = serde_json::from_str(&machine.read(file)).unwrap();
        settings.pointer(pointer).unwrap().to_string()
    };
    let plugin = machine.read(".config/opencode/plugins/custos.js");
    vec![
        at(".claude/settings.json", "/hooks/Stop/0/hooks/0/command"),
        at(".codex/hooks.json", "/hooks/Stop/0/hooks/0/command"),
        at(".gemini/settings.json", "/hooks/AfterAgent/0/hooks/0/command"),
        at(".copilot/hooks/custos.json", "/hooks/agentStop/0/bash"),
        plugin.lines().find(|line| line.contains("PROGRAM =")).unwrap().to_owned(),
        at(".cursor/hooks.json", "/hooks/stop/0/command"),
    ]
}

#[test]
fn every_client_finds_a_program_in_an_odd_home() {
    let machine = Machine::named("Zoë's höme $HOME");
    let before = machine.listing();
    // It succeeds only if each of the installed commands did what it should.
    machine.set_up(&ALL);
    machine.settings().bind(|| {
        insta::assert_snapshot!(commands(&machine).join("\n"), @r#"
"~/.local/bin/custos"
"'TMP/Zoë'\\''s höme $HOME/.local/bin/custos' hook codex Stop"
"'TMP/Zoë'\\''s höme $HOME/.local/bin/custos' hook gemini AfterAgent"
"'TMP/Zoë'\\''s höme $HOME/.local/bin/custos' hook copilot agentStop"
const PROGRAM = "~/.local/bin/custos";
"'TMP/Zoë'\\''s höme $HOME/.local/bin/custos' hook cursor stop"
"#);
    });
    assert_eq!(machine.custos(&["uninstall"]).code, 0);
    assert_eq!(machine.listing().without_times(), before.without_times());
}

#[rstest]
#[case::plain("prefix")]
#[case::odd("my prefix; 'ö'")]
#[case::relative("./here/../prefix")]
fn the_program_goes_where_the_prefix_says(#[case] prefix: &str) {
    let machine = Machine::new();
    let named: Vec<&str> = ALL.iter().flat_map(|client| ["--client", client]).collect();
    machine.must(&[&["setup", "--prefix", prefix][..], &named].concat());
    let program = machine.path(prefix).join("bin/custos");
    assert!(program.exists() && !machine.path(".local/bin/custos").exists());
    machine.must(&["uninstall"]);
    assert!(!program.exists());
}

#[test]
fn a_place_where_no_program_can_go_is_said_and_nothing_is_wired() {
    let machine = Machine::new();
    machine.put("file", "");
    let before = machine.listing();
    let ran = machine.custos(&["setup", "--client", "codex", "--prefix", "file"]);
    machine.settings().bind(|| {
        insta::assert_snapshot!(ran.stderr, @r"
custos: cannot put the program at ~/file/bin/custos: Not a directory (os error 20)
  choose another place with --prefix
");
    });
    assert_eq!(ran.code, 74);
    assert_eq!(machine.listing(), before);
}

#[test]
fn a_new_version_goes_over_the_old_one_and_the_lines_stay() {
    let machine = Machine::new();
    machine.set_up(&["codex"]);
    let lines = machine.listing();
    machine.put(".local/bin/custos", "an older version");
    let said = machine.set_up(&["codex"]);
    assert!(said.contains("updated"), "{said}");
    assert_eq!(machine.listing(), lines);
    assert_eq!(
        std::fs::read(machine.path(".local/bin/custos")).unwrap(),
        std::fs::read(env!("CARGO_BIN_EXE_custos")).unwrap()
    );
}
