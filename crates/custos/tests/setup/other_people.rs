//! Files that belong to somebody: with comments, with hooks of other tools, behind links, broken, read-only, edited in between.

use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::machine::Machine;

/// As people write it: comments, trailing commas, hooks of others in the events that we take too.
const SETTINGS: &str = r#"// My settings.
{
  "model": "opus", // the big one
  /* hooks of the linter,
     do not touch */
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "lint --before", }] },
    ],
    "Stop": [],
    "Notification": [{ "hooks": [{ "type": "command", "command": "bell" }] }],
  },
  "env": { "KEY": "sk-1" },
}
"#;

fn hooks(machine: &Machine) -> Value {
    custos_clients::wiring::settings(&machine.read(".claude/settings.json")).unwrap()["hooks"].take()
}

#[test]
fn comments_commas_and_other_hooks_stay_and_come_back_byte_for_byte() {
    for settings in [SETTINGS.to_owned(), SETTINGS.replace('\n', "\r\n"), format!("\u{feff}{SETTINGS}")] {
        let machine = Machine::new();
        machine.put(".claude/settings.json", &settings).set_mode(".claude/settings.json", 0o640);
        let before = machine.listing();
        machine.set_up(&["claude-code"]);
        let wired = machine.read(".claude/settings.json");
        for kept in ["// the big one", "do not touch */", "lint --before", "\"command\": \"bell\"", "sk-1"] {
            assert_eq!(wired.matches(kept).count(), 1, "{kept} in {wired}");
        }
        assert_eq!(wired.matches("\r\n").count() == wired.matches('\n').count(), settings.contains('\r'));
        let hooks = hooks(&machine);
        let counts =
            ["PreToolUse", "Stop", "Notification"].map(|event| hooks[event].as_array().unwrap().len());
        assert_eq!(counts, [2, 1, 1]);
        machine.must(&["uninstall"]);
        assert_eq!(machine.listing().without_times(), before.without_times());
    }
}

#[test]
fn what_the_person_changed_meanwhile_stays_and_only_our_part_goes() {
    let machine = Machine::new();
    machine.put(".claude/settings.json", SETTINGS).put(".claude/CLAUDE.md", "# Mine\n");
    machine.set_up(&["claude-code"]);
    let theirs = |text: &str| {
        text.replace("opus", "sonnet").replace("lint --before", "lint --all").replace("# Mine", "# Mine now")
    };
    for file in [".claude/settings.json", ".claude/CLAUDE.md"] {
        machine.put(file, theirs(&machine.read(file)));
    }
    let said = machine.must(&["uninstall"]);
    assert_eq!(machine.read(".claude/settings.json"), theirs(SETTINGS));
    assert_eq!(machine.read(".claude/CLAUDE.md"), "# Mine now\n");
    machine.settings().bind(|| {
        insta::assert_snapshot!(said, @r"
claude-code  ~/.claude/settings.json our part removed
claude-code  ~/.claude.json removed
claude-code  ~/.claude/CLAUDE.md our part removed
program      ~/.local/bin/custos removed

The memory stays at ~/.config/ai/memory. To remove it as well, delete it and ~/.local/state/ai/HASH.
");
    });
}

#[test]
fn a_hook_that_was_put_into_our_group_survives_us() {
    let machine = Machine::new();
    machine.set_up(&["claude-code"]);
    let mut settings: Value = serde_json::from_str(&machine.read(".claude/settings.json")).unwrap();
    let theirs = serde_json::json!({ "type": "command", "command": "theirs" });
    settings["hooks"]["Stop"][0]["hooks"].as_array_mut().unwrap().push(theirs.clone());
    machine.put(".claude/settings.json", format!("{settings:#}\n"));
    machine.must(&["uninstall"]);
    assert_eq!(hooks(&machine), serde_json::json!({ "Stop": [{ "hooks": [theirs] }] }));
}

#[test]
fn a_link_stays_a_link_and_the_file_behind_it_is_changed() {
    let machine = Machine::new();
    machine.put("dotfiles/claude.json", SETTINGS).make_dir(".claude");
    symlink("../dotfiles/claude.json", machine.path(".claude/settings.json")).unwrap();
    let before = machine.listing();
    machine.set_up(&["claude-code"]);
    assert!(machine.path(".claude/settings.json").is_symlink());
    assert!(machine.read("dotfiles/claude.json").contains("PostToolUseFailure"));
    let wired = machine.listing();
    machine.set_up(&["claude-code"]);
    assert_eq!(machine.listing(), wired);
    assert_eq!(machine.custos(&["doctor"]).code, 0);
    machine.must(&["uninstall"]);
    assert_eq!(machine.listing().without_times(), before.without_times());
}

#[test]
fn a_broken_file_is_left_alone_and_all_else_is_wired() {
    let machine = Machine::new();
    let broken = "{\n  \"hooks\": {\n    \"Stop\": [\n  }\n}\n";
    machine.put(".claude/settings.json", broken);
    let ran = machine.custos(&["setup", "--client", "claude-code", "--client", "cursor"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert_eq!(machine.read(".claude/settings.json"), broken);
    assert!(machine.path(".claude/CLAUDE.md").exists() && machine.path(".cursor/hooks.json").exists());
    machine.settings().bind(|| insta::assert_snapshot!(ran.stdout, @r"
This will be changed:
  ~/.local/bin/custos  the program
  ~/.claude.json  MCP server, +11 −0 lines
  ~/.claude/CLAUDE.md  instructions, +14 −0 lines
  ~/.cursor/hooks.json  hooks, +65 −0 lines
  ~/.cursor/mcp.json  MCP server, +10 −0 lines

program ~/.local/bin/custos installed
memory  ~/.config/ai/memory
state   ~/.local/state/ai/HASH

Claude Code ~/.claude (not on the path)
  hooks        ~/.claude/settings.json left alone
               ~/.claude/settings.json: line 4, column 3: this is not JSON: unexpected close brace; correct it first
  MCP server   ~/.claude.json created
  instructions ~/.claude/CLAUDE.md created
  FAILED none of its events is in the file
  ok     MCP server                       N tools N ms

Cursor not found
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

Not everything works; what does not is marked above, and `custos doctor` looks closer.
"));
    machine.must(&["uninstall"]);
    assert_eq!(machine.listing().files(), [".claude/settings.json"]);
}

#[test]
fn a_file_that_was_broken_after_setup_is_left_alone_and_said() {
    let machine = Machine::new();
    machine.set_up(&["codex"]);
    machine.put(".codex/hooks.json", "{ broken");
    let ran = machine.custos(&["uninstall"]);
    assert_eq!((ran.code, machine.read(".codex/hooks.json").as_str()), (1, "{ broken"));
    machine.settings().bind(|| insta::assert_snapshot!(ran.stdout, @r"
codex        ~/.codex/hooks.json left alone
             ~/.codex/hooks.json: line 1, column 3: this is not JSON: expected string for object property; correct it first
codex        ~/.codex/config.toml removed
codex        ~/.codex/AGENTS.md removed
program      ~/.local/bin/custos stays, as something may still call it: a file that was left alone, or our plugin

The memory stays at ~/.config/ai/memory. To remove it as well, delete it and ~/.local/state/ai/HASH.
"));
}

#[test]
fn what_is_read_only_is_left_alone() {
    let machine = Machine::new();
    machine.put(".codex/hooks.json", "{}\n").put(".gemini/settings.json", "{}\n");
    machine.set_mode(".codex/hooks.json", 0o444);
    machine.set_mode(".gemini", 0o555);
    let before = machine.listing();
    let ran = machine.custos(&["setup", "--client", "codex", "--client", "gemini"]);
    let said =
        ran.stdout.lines().filter(|line| line.contains("left alone") || line.starts_with("               "));
    let said: Vec<&str> = said.collect();
    machine.settings().bind(|| {
        insta::assert_snapshot!(said.join("\n"), @r"
hooks        ~/.codex/hooks.json left alone
             ~/.codex/hooks.json: it is read-only; make the change where it is managed, or make it writable
hooks        ~/.gemini/settings.json left alone
             ~/.gemini: it is read-only; make the change where it is managed, or make it writable
MCP server   ~/.gemini/settings.json left alone
             ~/.gemini: it is read-only; make the change where it is managed, or make it writable
instructions ~/.gemini/GEMINI.md left alone
             ~/.gemini: it is read-only; make the change where it is managed, or make it writable
");
    });
    assert_eq!(ran.code, 1);
    machine.must(&["uninstall"]);
    assert_eq!(machine.listing().without_times(), before.without_times());
    machine.set_mode(".gemini", 0o755);
}

#[test]
fn an_older_entry_with_another_path_is_replaced_and_not_doubled() {
    let machine = Machine::new();
    machine.must(&["setup", "--client", "claude-code", "--client", "codex", "--prefix", "old"]);
    let old = machine.path("old/bin/custos").display().to_string();
    assert!(machine.read(".codex/hooks.json").contains(&old));
    machine.must(&["setup", "--client", "claude-code", "--client", "codex", "--prefix", "new"]);
    for file in [".claude/settings.json", ".codex/hooks.json"] {
        let text = machine.read(file);
        assert!(!text.contains(&old), "{text}");
        let hooks = &serde_json::from_str::<Value>(&text).unwrap()["hooks"];
        assert!(
            hooks.as_object().unwrap().values().all(|groups| groups.as_array().unwrap().len() == 1),
            "{text}"
        );
    }
}

#[test]
fn an_entry_that_no_ledger_knows_is_ours_too() {
    let machine = Machine::new();
    let old = r#"{
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "/opt/old/custos hook claude-code Stop", "timeout": 5 }] },
      { "hooks": [{ "type": "command", "command": "bell" }] }
    ]
  }
}
"#;
    machine.put(".claude/settings.json", old);
    machine.set_up(&["claude-code"]);
    let stop = hooks(&machine)["Stop"].take();
    let commands: Vec<&str> =
        stop.as_array().unwrap().iter().map(|group| group["hooks"][0]["command"].as_str().unwrap()).collect();
    assert_eq!(commands, [machine.path(".local/bin/custos").to_str().unwrap(), "bell"]);
}
