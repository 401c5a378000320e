//! Which clients are wired when nobody names one, and what is said about it.

use rstest::rstest;

use crate::machine::{ALL, Machine};

#[test]
#[expect(clippy::too_many_lines, reason = "most of them are what the program says")]
fn clients_are_found_by_their_directory_or_on_the_path() {
    let machine = Machine::new();
    machine.make_dir(".gemini").put_program("cursor-agent", "2026.11.01");
    let first = machine.custos(&["setup"]);
    let second = machine.custos(&["setup"]);
    assert_eq!((first.code, first.stderr.as_str()), (0, ""));
    assert_eq!((second.code, second.stderr.as_str()), (0, ""));
    machine.settings().bind(|| {
        insta::assert_snapshot!(first.stdout, @r"
This will be changed:
  ~/.local/bin/custos  the program
  ~/.gemini/settings.json  hooks, +76 −0 lines
  ~/.gemini/settings.json  MCP server, +10 −0 lines
  ~/.gemini/GEMINI.md  instructions, +14 −0 lines
  ~/.cursor/hooks.json  hooks, +65 −0 lines
  ~/.cursor/mcp.json  MCP server, +10 −0 lines

program ~/.local/bin/custos installed
memory  ~/.config/ai/memory
state   ~/.local/state/ai/HASH

Gemini CLI ~/.gemini (not on the path)
  hooks        ~/.gemini/settings.json created
  MCP server   ~/.gemini/settings.json changed
  instructions ~/.gemini/GEMINI.md created
  ok     SessionStart                     recorded session.started N ms
  ok     BeforeAgent                      recorded prompt.submitted N ms
  ok     BeforeTool                       heard N ms
  ok     AfterTool                        recorded tool.used N ms
  ok     AfterAgent                       recorded turn.ended N ms
  ok     SessionEnd                       recorded session.ended N ms
  ok     MCP server                       N tools N ms

Cursor BIN/cursor-agent
  hooks        ~/.cursor/hooks.json created
  MCP server   ~/.cursor/mcp.json created
  ok     sessionStart                     recorded session.started N ms
  ok     beforeSubmitPrompt               recorded prompt.submitted N ms
  ok     preToolUse                       heard N ms
  ok     postToolUse                      recorded tool.used N ms
  ok     postToolUseFailure               recorded tool.failed N ms
  ok     stop                             recorded turn.ended N ms
  ok     subagentStart                    recorded subagent.started N ms
  ok     subagentStop                     recorded subagent.stopped N ms
  ok     preCompact                       recorded context.compacting N ms
  ok     sessionEnd                       recorded session.ended N ms
  ok     MCP server                       N tools N ms
  note Cursor's hooks follow its documentation; we could not run Cursor itself
  note Cursor has no file for instructions in this scope

The memory proven in a temporary one
  ok     events are recorded                                  N ms each
  ok     a secret in a tool's output never reaches the disk   [redacted]
  ok     the chain proves that nothing was changed            3 records
  ok     search finds refreshToken and refresh_token          2 hits
  ok     forgetting removes an event and what came of it      2 records

Custos works on this machine. Next: work with a client, then `custos log tail`; `custos doctor` checks, `custos uninstall` undoes.
");
        insta::assert_snapshot!(second.stdout, @r"
program ~/.local/bin/custos in place
memory  ~/.config/ai/memory
state   ~/.local/state/ai/HASH

Gemini CLI ~/.gemini (not on the path)
  hooks        ~/.gemini/settings.json unchanged
  MCP server   ~/.gemini/settings.json unchanged
  instructions ~/.gemini/GEMINI.md unchanged
  ok     SessionStart                     recorded session.started N ms
  ok     BeforeAgent                      recorded prompt.submitted N ms
  ok     BeforeTool                       heard N ms
  ok     AfterTool                        recorded tool.used N ms
  ok     AfterAgent                       recorded turn.ended N ms
  ok     SessionEnd                       recorded session.ended N ms
  ok     MCP server                       N tools N ms

Cursor BIN/cursor-agent
  hooks        ~/.cursor/hooks.json unchanged
  MCP server   ~/.cursor/mcp.json unchanged
  ok     sessionStart                     recorded session.started N ms
  ok     beforeSubmitPrompt               recorded prompt.submitted N ms
  ok     preToolUse                       heard N ms
  ok     postToolUse                      recorded tool.used N ms
  ok     postToolUseFailure               recorded tool.failed N ms
  ok     stop                             recorded turn.ended N ms
  ok     subagentStart                    recorded subagent.started N ms
  ok     subagentStop                     recorded subagent.stopped N ms
  ok     preCompact                       recorded context.compacting N ms
  ok     sessionEnd                       recorded session.ended N ms
  ok     MCP server                       N tools N ms
  note Cursor's hooks follow its documentation; we could not run Cursor itself
  note Cursor has no file for instructions in this scope

The memory proven in a temporary one
  ok     events are recorded                                  N ms each
  ok     a secret in a tool's output never reaches the disk   [redacted]
  ok     the chain proves that nothing was changed            3 records
  ok     search finds refreshToken and refresh_token          2 hits
  ok     forgetting removes an event and what came of it      2 records

Custos works on this machine. Next: work with a client, then `custos log tail`; `custos doctor` checks, `custos uninstall` undoes.
");
    });
    let uninstalled = machine.must(&["uninstall"]);
    machine.settings().bind(|| {
        insta::assert_snapshot!(uninstalled, @r"
gemini       ~/.gemini/settings.json removed
gemini       ~/.gemini/GEMINI.md removed
cursor       ~/.cursor/hooks.json removed
cursor       ~/.cursor/mcp.json removed
program      ~/.local/bin/custos removed

The memory stays at ~/.config/ai/memory. To remove it as well, delete it and ~/.local/state/ai/HASH.
");
    });
    machine.settings().bind(|| {
        insta::assert_snapshot!(machine.must(&["uninstall"]), @r"
No client is wired.

The memory stays at ~/.config/ai/memory. To remove it as well, delete it and ~/.local/state/ai/HASH.
");
    });
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
        let found: Vec<&str> = answer["clients"]
            .as_array()
            .unwrap()
            .iter()
            .map(|client| client["client"].as_str().unwrap())
            .collect();
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
    machine
        .make_dir("moved/claude")
        .make_dir("moved/codex")
        .make_dir("moved/copilot")
        .make_dir("xdg/opencode");
    let mut command = machine.command(&["setup", "--yes"]);
    command.env("CLAUDE_CONFIG_DIR", machine.path("moved/claude"));
    command.env("CODEX_HOME", machine.path("moved/codex"));
    command.env("COPILOT_HOME", machine.path("moved/copilot"));
    command.env("XDG_CONFIG_HOME", machine.path("xdg"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let files = machine.listing().files();
    let files: Vec<&str> =
        files.iter().map(String::as_str).filter(|file| !file.starts_with("xdg/ai/")).collect();
    assert_eq!(
        files,
        [
            "moved/claude/.claude.json",
            "moved/claude/CLAUDE.md",
            "moved/claude/settings.json",
            "moved/codex/AGENTS.md",
            "moved/codex/config.toml",
            "moved/codex/hooks.json",
            "moved/copilot/copilot-instructions.md",
            "moved/copilot/hooks/custos.json",
            "moved/copilot/mcp-config.json",
            "xdg/opencode/AGENTS.md",
            "xdg/opencode/opencode.json",
            "xdg/opencode/plugins/custos.js",
        ]
    );
}

#[test]
fn without_a_client_all_are_proven_in_a_temporary_home() {
    let machine = Machine::new();
    let ran = machine.custos(&["setup"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    machine.settings().bind(|| insta::assert_snapshot!(ran.stdout, @r"
This will be changed:
  ~/.local/bin/custos  the program

program ~/.local/bin/custos installed
memory  ~/.config/ai/memory
state   ~/.local/state/ai/HASH

No client was found on this machine. All of them were wired in a temporary home instead:
  ok     Claude Code  13 events heard, 16 records in the log, N tools
  ok     Codex        10 events heard, 11 records in the log, N tools
  ok     Gemini CLI   6 events heard, 5 records in the log, N tools
  ok     Copilot CLI  11 events heard, 12 records in the log, N tools
  ok     OpenCode     7 events heard, 8 records in the log, N tools
  ok     Cursor       10 events heard, 9 records in the log, N tools
Install one (`npm install -g @anthropic-ai/claude-code`, @openai/codex, @google/gemini-cli,
@github/copilot, opencode-ai) and run `custos setup` again, or wire one now with --client NAME.

The memory proven in a temporary one
  ok     events are recorded                                  N ms each
  ok     a secret in a tool's output never reaches the disk   [redacted]
  ok     the chain proves that nothing was changed            3 records
  ok     search finds refreshToken and refresh_token          2 hits
  ok     forgetting removes an event and what came of it      2 records

Custos works on this machine. Next: work with a client, then `custos log tail`; `custos doctor` checks, `custos uninstall` undoes.
"));
    assert_eq!(machine.listing().files(), [""; 0]);
    let answer = machine.json(&["setup"]);
    let rehearsed: Vec<&str> = answer["rehearsed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|client| client["client"].as_str().unwrap())
        .collect();
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
            "custos: there is no client \"emacs\"\n  the clients are claude-code, codex, gemini, copilot, opencode, cursor\n"
        );
    }
    assert_eq!(machine.everything().files(), [""; 0]);
}
