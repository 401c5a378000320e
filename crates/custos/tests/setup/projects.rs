//! `--project`: the files of one project, and never the same thing twice for one client.

use crate::machine::{ALL, Machine};

const BLOCK: &str = "Custos: the memory of this machine";

fn with_project() -> Machine {
    let machine = Machine::new();
    machine
        .put("shop/.git/HEAD", "ref: refs/heads/main\n")
        .put("shop/.git/config", "")
        .make_dir("shop/.git/objects")
        .make_dir("shop/.git/refs");
    machine.make_dir("shop/src");
    machine
}

fn wire(machine: &Machine, clients: &[&str]) -> String {
    let named: Vec<&str> = clients.iter().flat_map(|client| ["--client", client]).collect();
    machine.must(&[&["setup", "--project=shop/src"][..], &named].concat())
}

fn files(machine: &Machine) -> Vec<String> {
    machine.listing().files().into_iter().filter(|file| !file.contains(".git/")).collect()
}

#[test]
fn all_clients_share_one_project_and_each_is_told_once() {
    let machine = with_project();
    let before = machine.listing();
    wire(&machine, &ALL);
    assert_eq!(
        files(&machine),
        [
            "shop/.claude/CLAUDE.md",
            "shop/.claude/settings.json",
            "shop/.codex/config.toml",
            "shop/.codex/hooks.json",
            "shop/.cursor/hooks.json",
            "shop/.cursor/mcp.json",
            "shop/.gemini/custos.md",
            "shop/.gemini/settings.json",
            "shop/.github/hooks/custos.json",
            "shop/.mcp.json",
            "shop/.opencode/opencode.json",
            "shop/.opencode/plugins/custos.js",
            "shop/AGENTS.md",
            "shop/GEMINI.md",
        ]
    );
    let written = machine.listing();
    wire(&machine, &ALL);
    assert_eq!(machine.listing(), written);

    // What each of them was seen to read in a project; Gemini follows the import, Copilot does not.
    let told =
        |files: &[&str]| files.iter().map(|file| machine.read(file).matches(BLOCK).count()).sum::<usize>();
    assert_eq!(told(&["shop/.claude/CLAUDE.md"]), 1, "Claude Code");
    assert_eq!(told(&["shop/AGENTS.md"]), 1, "Codex, OpenCode, Cursor");
    assert_eq!(told(&["shop/AGENTS.md", "shop/GEMINI.md"]), 1, "Copilot");
    assert_eq!(told(&["shop/GEMINI.md", "shop/.gemini/custos.md"]), 1, "Gemini");
    assert!(machine.read("shop/GEMINI.md").contains("\n@./.gemini/custos.md\n"));

    machine.must(&["uninstall"]);
    assert_eq!(machine.listing().without_times(), before.without_times());
}

#[test]
fn one_by_one_they_leave_and_the_last_takes_the_shared_file_along() {
    let machine = with_project();
    machine.put("shop/AGENTS.md", "# Shop\r\n");
    let before = machine.listing();
    wire(&machine, &["codex", "copilot", "opencode"]);
    let said = machine.must(&["uninstall", "--client", "codex"]);
    machine.settings().bind(|| {
        insta::assert_snapshot!(said, @r"
codex        ~/shop/.codex/hooks.json removed
codex        ~/shop/.codex/config.toml removed
codex        ~/shop/AGENTS.md kept for another client

The memory stays at ~/.config/ai/memory. To remove it as well, delete it and ~/.local/state/ai/HASH.
");
    });
    assert!(machine.read("shop/AGENTS.md").contains(BLOCK));
    machine.must(&["uninstall", "--client", "copilot"]);
    assert!(machine.read("shop/AGENTS.md").contains(BLOCK));
    assert_eq!(machine.json(&["doctor"])["matrix"].as_array().unwrap().len(), 1);
    machine.must(&["uninstall", "--client", "opencode"]);
    assert_eq!(machine.listing().without_times(), before.without_times());
}

#[test]
fn a_client_that_is_wired_for_everything_is_not_wired_again_in_a_project() {
    let machine = with_project();
    machine.set_up(&["codex"]);
    let said = wire(&machine, &["codex", "cursor"]);
    machine.settings().bind(|| insta::assert_snapshot!(said, @r"
This will be changed:
  ~/shop/.cursor/hooks.json  hooks, +65 −0 lines
  ~/shop/.cursor/mcp.json  MCP server, +10 −0 lines
  ~/shop/AGENTS.md  instructions, +14 −0 lines

program ~/.local/bin/custos in place
memory  ~/.config/ai/memory
state   ~/.local/state/ai/HASH

Cursor not found
  hooks        ~/shop/.cursor/hooks.json created
  MCP server   ~/shop/.cursor/mcp.json created
  instructions ~/shop/AGENTS.md created
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
  note these files name ~/.local/bin/custos, on this machine: think twice before you commit them

Codex ~/.codex (not on the path)
  note wired for everything you do already, this project included: nothing is added, or all would be heard twice

The memory proven in a temporary one
  ok     events are recorded                                  N ms each
  ok     a secret in a tool's output never reaches the disk   [redacted]
  ok     the chain proves that nothing was changed            3 records
  ok     search finds refreshToken and refresh_token          2 hits
  ok     forgetting removes an event and what came of it      2 records

Custos works on this machine. Next: work with a client, then `custos log tail`; `custos doctor` checks, `custos uninstall` undoes.
"));
    assert_eq!(
        files(&machine),
        [
            ".codex/AGENTS.md",
            ".codex/config.toml",
            ".codex/hooks.json",
            "shop/.cursor/hooks.json",
            "shop/.cursor/mcp.json",
            "shop/AGENTS.md"
        ]
    );
}

#[test]
fn a_client_that_is_wired_for_everything_later_leaves_the_project() {
    let machine = with_project();
    machine.put("shop/AGENTS.md", "# Shop\n");
    wire(&machine, &["codex", "cursor"]);
    let said = machine.set_up(&["codex"]);
    machine.settings().bind(|| insta::assert_snapshot!(said, @r"
This will be changed:
  ~/.codex/hooks.json  hooks, +114 −0 lines
  ~/.codex/config.toml  MCP server, +3 −0 lines
  ~/.codex/AGENTS.md  instructions, +14 −0 lines
  ~/shop/.codex/hooks.json  left over, +0 −114 lines
  ~/shop/.codex/config.toml  left over, +0 −3 lines

program ~/.local/bin/custos in place
memory  ~/.config/ai/memory
state   ~/.local/state/ai/HASH

Codex not found
  hooks        ~/.codex/hooks.json created
  MCP server   ~/.codex/config.toml created
  instructions ~/.codex/AGENTS.md created
  left over    ~/shop/.codex/hooks.json removed
  left over    ~/shop/.codex/config.toml removed
  ok     SessionStart                     recorded session.started N ms
  ok     UserPromptSubmit                 recorded prompt.submitted N ms
  ok     PreToolUse                       heard N ms
  ok     PermissionRequest                recorded session.started N ms
  ok     PostToolUse                      recorded tool.used N ms
  ok     Stop                             recorded turn.ended N ms
  ok     SubagentStart                    recorded session.started, subagent.started N ms
  ok     SubagentStop                     recorded subagent.stopped N ms
  ok     PreCompact                       recorded session.started, context.compacting N ms
  ok     SessionEnd                       recorded session.ended N ms
  ok     MCP server                       N tools N ms
  note Codex runs no new hook until you trust it: start `codex`, enter /hooks (or answer the dialog at its start) and trust those of custos

The memory proven in a temporary one
  ok     events are recorded                                  N ms each
  ok     a secret in a tool's output never reaches the disk   [redacted]
  ok     the chain proves that nothing was changed            3 records
  ok     search finds refreshToken and refresh_token          2 hits
  ok     forgetting removes an event and what came of it      2 records

Custos works on this machine. Next: work with a client, then `custos log tail`; `custos doctor` checks, `custos uninstall` undoes.
"));
    // Cursor still needs what the project says.
    assert_eq!(
        files(&machine),
        [
            ".codex/AGENTS.md",
            ".codex/config.toml",
            ".codex/hooks.json",
            "shop/.cursor/hooks.json",
            "shop/.cursor/mcp.json",
            "shop/AGENTS.md"
        ]
    );
    assert_eq!(machine.custos(&["uninstall"]).code, 0);
    assert_eq!(
        (files(&machine), machine.read("shop/AGENTS.md").as_str()),
        (vec!["shop/AGENTS.md".to_owned()], "# Shop\n")
    );
}

#[test]
fn a_path_that_needs_quotes_is_written_as_a_line_where_copilot_reads_it_too() {
    let machine = Machine::named("Zoë's home");
    machine.make_dir("shop");
    machine.must(&["setup", "--project=shop", "--client", "claude-code", "--client", "copilot"]);
    let settings: serde_json::Value =
        serde_json::from_str(&machine.read("shop/.claude/settings.json")).unwrap();
    machine.settings().bind(|| {
        insta::assert_snapshot!(format!("{:#}", settings["hooks"]["PreToolUse"]), @r#"
        [
          {
            "hooks": [
              {
                "command": "'TMP/Zoë'\\''s home/.local/bin/custos' hook claude-code PreToolUse",
                "timeout": 10,
                "type": "command"
              }
            ]
          }
        ]
        "#);
    });
}

#[test]
fn one_project_is_left_and_another_stays() {
    let machine = with_project();
    machine.put("other/.git/HEAD", "ref: refs/heads/main\n");
    let before = machine.listing();
    machine.must(&["setup", "--project=other", "--client", "codex"]);
    let with_other = machine.listing();
    wire(&machine, &["codex", "claude-code"]);
    machine.must(&["uninstall", "--project=shop"]);
    assert_eq!(machine.listing().without_times(), with_other.without_times());
    assert!(machine.path(".local/bin/custos").exists());
    machine.must(&["uninstall"]);
    assert_eq!(machine.listing().without_times(), before.without_times());
}

#[test]
fn a_project_that_is_not_there_is_an_error() {
    let machine = Machine::new();
    let ran = machine.custos(&["setup", "--project=nowhere", "--client", "codex"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (66, ""));
    machine.settings().bind(|| {
        insta::assert_snapshot!(ran.stderr, @r"
custos: there is no project at nowhere
  name its directory: --project=DIR
");
    });
    assert_eq!(machine.everything().files(), [""; 0]);
}
