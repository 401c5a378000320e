//! Which clients are wired when nobody names one, and what is said about it.

use rstest::rstest;

use crate::machine::{ALL, Machine};

#[test]
fn clients_are_found_by_their_directory_or_on_the_path() {
    let machine = Machine::new();
    machine.make_dir(".gemini").put_program("cursor-agent", "2026.11.01");
    let first = machine.custos(&["setup"]);
    let second = machine.custos(&["setup"]);
    assert_eq!((first.code, first.stderr.as_str()), (0, ""));
    assert_eq!((second.code, second.stderr.as_str()), (0, ""));
    machine.settings().bind(|| {
        insta::assert_snapshot!(first.stdout, @"");
        insta::assert_snapshot!(second.stdout, @"");
    });
    let uninstalled = machine.must(&["uninstall"]);
    machine.settings().bind(|| insta::assert_snapshot!(uninstalled, @""));
    machine.settings().bind(|| insta::assert_snapshot!(machine.must(&["uninstall"]), @""));
}

#[rstest]
#[case("claude-code", "claude", ".claude")]
#[case("codex", "codex", ".codex")]
#[case("gemini", "gemini", ".gemini")]
#[case("copilot", "copilot", ".copilot")]
#[case("opencode", "opencode", ".config/opencode")]
#[case("cursor", "cursor", ".cursor")]
fn each_client_is_found_either_way(#[case] client: &str, #[case] program: &str, #[case] dir: &str) {
    let by_program = Machine::new();
    by_program.put_program(program, "1.0.0");
    let by_directory = Machine::new();
    by_directory.make_dir(dir);
    for machine in [by_program, by_directory] {
        let answer = machine.json(&["setup", "--dry-run"]);
        let found: Vec<&str> =
            answer["clients"].as_array().unwrap().iter().map(|client| client["client"].as_str().unwrap()).collect();
        assert_eq!(found, [client]);
    }
}

#[test]
fn a_file_that_is_no_program_is_no_client() {
    let machine = Machine::new();
    machine.put_program("claude", "").put_program("codex", "");
    machine.set_mode("../bin/claude", 0o644);
    std::fs::remove_file(machine.path("../bin/codex")).unwrap();
    machine.make_dir("../bin/codex");
    assert_eq!(machine.json(&["setup", "--dry-run"])["clients"], serde_json::json!([]));
}

#[test]
fn directories_that_were_moved_are_found_where_they_are() {
    let machine = Machine::new();
    machine.make_dir("moved/claude").make_dir("moved/codex").make_dir("moved/copilot").make_dir("xdg/opencode");
    let mut command = machine.command(&["setup", "--yes"]);
    command.env("CLAUDE_CONFIG_DIR", machine.path("moved/claude"));
    command.env("CODEX_HOME", machine.path("moved/codex"));
    command.env("COPILOT_HOME", machine.path("moved/copilot"));
    command.env("XDG_CONFIG_HOME", machine.path("xdg"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let files = machine.listing().files();
    let files: Vec<&str> = files.iter().map(String::as_str).filter(|file| !file.starts_with("xdg/ai/")).collect();
    assert_eq!(
        files,
        [
            "moved/claude/CLAUDE.md",
            "moved/claude/settings.json",
            "moved/codex/AGENTS.md",
            "moved/codex/hooks.json",
            "moved/copilot/copilot-instructions.md",
            "moved/copilot/hooks/custos.json",
            "xdg/opencode/AGENTS.md",
            "xdg/opencode/plugins/custos.js",
        ]
    );
}

#[test]
fn without_a_client_all_are_proven_in_a_temporary_home() {
    let machine = Machine::new();
    let ran = machine.custos(&["setup"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    machine.settings().bind(|| insta::assert_snapshot!(ran.stdout, @""));
    assert_eq!(machine.listing().files(), [""; 0]);
    let answer = machine.json(&["setup"]);
    let rehearsed: Vec<&str> =
        answer["rehearsed"].as_array().unwrap().iter().map(|client| client["client"].as_str().unwrap()).collect();
    assert_eq!((rehearsed, &answer["clients"]), (ALL.to_vec(), &serde_json::json!([])));
}

#[test]
fn an_unknown_client_is_an_error_that_names_the_known() {
    let machine = Machine::new();
    for command in ["setup", "uninstall"] {
        let ran = machine.custos(&[command, "--client", "emacs"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (64, ""));
        assert_eq!(
            ran.stderr,
            "error: there is no client \"emacs\"\nhint: the clients are claude-code, codex, gemini, copilot, opencode, cursor\n"
        );
    }
    assert_eq!(machine.everything().files(), [""; 0]);
}
