//! `--dry-run`, `--json`, and what happens when nobody is there to be asked.

use crate::machine::{ALL, Machine, shape};

#[test]
#[expect(clippy::too_many_lines, reason = "most of them are what the program says")]
fn a_dry_run_shows_the_lines_and_changes_nothing_at_all() {
    let machine = Machine::new();
    machine.put(".cursor/hooks.json", "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n");
    let before = machine.everything();
    let ran = machine.custos(&["setup", "--dry-run", "--client", "cursor", "--client", "opencode"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(machine.everything(), before);
    machine.settings().bind(|| insta::assert_snapshot!(ran.stdout, @r#"
    This will be changed:
      ~/.local/bin/custos  the program
      ~/.cursor/hooks.json  hooks, +62 −1 lines
        -   "hooks": {}
        +   "hooks": {
        +     "sessionStart": [
        +       {
        +         "command": "~/.local/bin/custos hook cursor sessionStart",
        +         "timeout": 10
        +       }
        +     ],
        +     "beforeSubmitPrompt": [
        +       {
        +         "command": "~/.local/bin/custos hook cursor beforeSubmitPrompt",
        +         "timeout": 10
        +       }
        +     ],
        +     "preToolUse": [
        +       {
        +         "command": "~/.local/bin/custos hook cursor preToolUse",
        +         "timeout": 10
        +       }
        +     ],
        +     "postToolUse": [
        +       {
        +         "command": "~/.local/bin/custos hook cursor postToolUse",
        +         "timeout": 10
        +       }
        +     ],
        +     "postToolUseFailure": [
        +       {
        +         "command": "~/.local/bin/custos hook cursor postToolUseFailure",
        +         "timeout": 10
        +       }
        +     ],
        +     "stop": [
        +       {
        +         "command": "~/.local/bin/custos hook cursor stop",
        +         "timeout": 10
        +       }
        +     ],
        +     "subagentStart": [
        +       {
        +         "command": "~/.local/bin/custos hook cursor subagentStart",
        +         "timeout": 10
        +       }
        +     ],
        +     "subagentStop": [
        +       {
        +         "command": "~/.local/bin/custos hook cursor subagentStop",
        +         "timeout": 10
        +       }
        +     ],
        +     "preCompact": [
        +       {
        +         "command": "~/.local/bin/custos hook cursor preCompact",
        +         "timeout": 10
        +       }
        +     ],
        +     "sessionEnd": [
        +       {
        +         "command": "~/.local/bin/custos hook cursor sessionEnd",
        +         "timeout": 10
      ~/.cursor/mcp.json  MCP server, +10 −0 lines
        + {
        +   "mcpServers": {
        +     "custos": {
        +       "args": [
        +         "mcp"
        +       ],
        +       "command": "~/.local/bin/custos"
        +     }
        +   }
        + }
      ~/.config/opencode/plugins/custos.js  plugin
      ~/.config/opencode/opencode.json  MCP server, +12 −0 lines
        + {
        +   "mcp": {
        +     "custos": {
        +       "command": [
        +         "~/.local/bin/custos",
        +         "mcp"
        +       ],
        +       "enabled": true,
        +       "type": "local"
        +     }
        +   }
        + }
      ~/.config/opencode/AGENTS.md  instructions, +14 −0 lines
        + <!-- custos:begin -->
        + ## Custos: the memory of this machine
        +
        + Custos remembers across sessions and clients, and guards against destructive commands. Its tools are those of the MCP server `custos`;
        + where tools have to be searched for, search for `custos` and the tool's name.
        +
        + - At the start, before anything else, call `context`. Before you touch files of another repo, call it again with that repo's path.
        + - Save at once, not at the end: a decision (`save_decision`), a lesson, a correction or a preference of the person (`save_memory`),
        +   a rule about what must not be done (`update_safety`).
        + - Before you ask what was decided earlier, look it up: `decisions`, `memories`.
        + - When the work is done or the person says goodbye: call `begin_close`, do what it says, then `finalize_close`.
        +
        + What a guard denied stays denied: do not look for another way to do the same; tell the person.
        + <!-- custos:end -->
    "#));
}

#[test]
fn a_dry_run_for_machines_changes_nothing_at_all() {
    let machine = Machine::new();
    machine.put(".cursor/hooks.json", "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n");
    let before = machine.everything();
    let answer = machine.json(&["setup", "--dry-run", "--client", "cursor"]);
    assert_eq!(machine.everything(), before);
    machine.settings().bind(|| {
        insta::assert_snapshot!(format!("{answer:#}"), @r#"
{
  "clients": [
    {
      "client": "cursor",
      "files": [
        {
          "path": "~/.cursor/hooks.json",
          "result": "would be changed",
          "what": "hooks"
        },
        {
          "path": "~/.cursor/mcp.json",
          "result": "would be created",
          "what": "MCP server"
        }
      ],
      "found": "~/.cursor (not on the path)",
      "notes": [],
      "proof": [],
      "servers": []
    }
  ],
  "dry_run": true,
  "knowledge": [],
  "program": {
    "path": "~/.local/bin/custos",
    "result": "installed"
  }
}
"#);
    });
}

#[test]
fn a_dry_run_of_uninstall_changes_nothing_at_all() {
    let machine = Machine::new();
    machine.put(".codex/hooks.json", "{}\n");
    machine.set_up(&["codex", "opencode"]);
    let before = machine.everything();
    let said = machine.must(&["uninstall", "--dry-run"]);
    assert_eq!(machine.everything(), before);
    machine.settings().bind(|| {
        insta::assert_snapshot!(said, @r"
codex        ~/.codex/hooks.json would be restored
codex        ~/.codex/config.toml would be removed
codex        ~/.codex/AGENTS.md would be removed
opencode     ~/.config/opencode/plugins/custos.js would be removed
opencode     ~/.config/opencode/opencode.json would be removed
opencode     ~/.config/opencode/AGENTS.md would be removed
program      ~/.local/bin/custos would be removed

The memory stays at ~/.config/ai/memory. To remove it as well, delete it and ~/.local/state/ai/HASH.
");
    });
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
#[expect(clippy::too_many_lines, reason = "most of them are what the program says")]
fn answers_in_json_keep_their_shape() {
    let machine = Machine::new();
    let setup = machine.json(&["setup", "--client", "codex"]);
    let doctor = machine.json(&["doctor"]);
    let uninstall = machine.json(&["uninstall"]);
    insta::assert_snapshot!(format!("{:#}", shape(&setup)), @r#"
{
  "clients": [
    {
      "client": "text",
      "files": [
        {
          "path": "text",
          "result": "text",
          "what": "text"
        }
      ],
      "found": "text",
      "notes": [
        "text"
      ],
      "proof": [
        {
          "event": "text",
          "moment": "text",
          "ms": "number",
          "recorded": [
            "text"
          ],
          "worth": "text"
        }
      ],
      "servers": [
        {
          "ms": "number",
          "path": "text",
          "standing": "text",
          "tools": "number"
        }
      ]
    }
  ],
  "distilling": {
    "offer": null,
    "provider": "text"
  },
  "knowledge": [],
  "memory": "text",
  "ok": "yes or no",
  "program": {
    "path": "text",
    "result": "text"
  },
  "proofs": [
    {
      "detail": "text",
      "ok": "yes or no",
      "what": "text"
    }
  ],
  "rehearsed": [],
  "state": "text"
}
"#);
    insta::assert_snapshot!(format!("{:#}", shape(&doctor)), @r#"
{
  "checks": [
    {
      "found": "text",
      "state": "text",
      "what": "text"
    }
  ],
  "matrix": [
    {
      "client": "text",
      "events": [
        {
          "event": "text",
          "moment": "text",
          "ms": "number",
          "recorded": [
            "text"
          ],
          "worth": "text"
        }
      ],
      "servers": [
        {
          "ms": "number",
          "path": "text",
          "standing": "text",
          "tools": "number"
        }
      ],
      "unsupported": [
        "text"
      ]
    }
  ],
  "ok": "yes or no"
}
"#);
    insta::assert_snapshot!(format!("{:#}", shape(&uninstall)), @r#"
    {
      "dry_run": "yes or no",
      "files": [
        {
          "client": "text",
          "path": "text",
          "result": "text"
        }
      ],
      "memory": "text",
      "ok": "yes or no"
    }
    "#);
}

#[test]
fn what_json_says_about_clients_is_what_was_done() {
    let machine = Machine::new();
    let answer = machine.json(&[&["setup"][..], &ALL.map(|client| ["--client", client]).concat()].concat());
    assert_eq!(answer["ok"], serde_json::json!(true));
    let mut told: Vec<String> = Vec::new();
    for client in answer["clients"].as_array().unwrap() {
        for file in client["files"].as_array().unwrap() {
            let path =
                std::path::Path::new(file["path"].as_str().unwrap()).strip_prefix(machine.path("")).unwrap();
            let path = path.display().to_string();
            // Two things of ours may stand in one file.
            let result = if told.contains(&path) { "changed" } else { "created" };
            assert_eq!(file["result"], result, "{file}");
            told.push(path);
        }
    }
    told.sort_unstable();
    told.dedup();
    let mut files = machine.listing().files();
    files.sort_unstable();
    assert_eq!(told, files);
}
