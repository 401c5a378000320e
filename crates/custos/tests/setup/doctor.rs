//! `doctor`: what it says about clients when something is the matter.

use std::fs;

use crate::machine::{Machine, Ran};

/// Gives what doctor says about some of the things that it checks.
fn about(ran: &Ran, what: &[&str]) -> String {
    let checks: Vec<&str> = ran.stdout.split("\n\n").next().unwrap().lines().collect();
    let is_wanted = |line: &str| line.split_whitespace().nth(1).is_some_and(|word| what.contains(&word));
    // A finding is a line, and one more where there is something to do about it.
    let findings = checks.chunk_by(|_, next| next.starts_with(' '));
    let wanted = findings.filter(|lines| is_wanted(lines[0]));
    wanted.flatten().copied().collect::<Vec<_>>().join("\n")
}

fn matrix(ran: &Ran) -> &str {
    ran.stdout.split_once("\n\n").unwrap().1
}

#[test]
fn a_machine_on_which_all_is_well() {
    let machine = Machine::new();
    machine.set_up(&["claude-code", "gemini", "copilot", "opencode", "cursor"]);
    let ran = machine.custos(&["doctor"]);
    machine.settings().bind(|| insta::assert_snapshot!(ran.stdout, @r"
    ok   settings       the defaults; there is no ~/.config/ai/config.yaml
    ok   memory         ~/.config/ai/memory
    ok   state          ~/.local/state/ai/HASH
    ok   recording      as WRITER
    ok   log            0 records of 0 writers intact
    ok   index          up to date, SIZE
    note backups        none yet
                        the next command that runs longer takes one, or `custos backup create` now
    ok   distilling     by rules: no model, no tokens
    ok   work           0 events wait, 0 done; no worker runs
    ok   vectors        0 vectors by all-minilm-l6-v2.int8.1
    ok   clients        Claude Code, Gemini CLI, Copilot CLI, OpenCode, Cursor wired
    ok   claude-code    13 events replayed through the installed command
    ok   claude-code    MCP server: registered in ~/.claude.json, N tools in N ms
    ok   gemini         6 events replayed through the installed command
    ok   gemini         MCP server: registered in ~/.gemini/settings.json, N tools in N ms
    ok   copilot        11 events replayed through the installed command
    ok   copilot        MCP server: registered in ~/.copilot/mcp-config.json, N tools in N ms
    ok   opencode       7 events replayed through the installed command
    ok   opencode       MCP server: registered in ~/.config/opencode/opencode.json, N tools in N ms
    ok   cursor         10 events replayed through the installed command
    ok   cursor         MCP server: registered in ~/.cursor/mcp.json, N tools in N ms
    ok   hooks          none reported trouble
    ok   spool          nothing waits for the log
    ok   guard          on; asked before each tool of Claude Code, Gemini CLI, Copilot CLI, OpenCode, Cursor
    ok   guard rules    the built-in ones; there are no files
    note knowledge      this project has no .ai/ yet
                        `custos init` makes it

    What a hook can do         Claude Code  Gemini CLI   Copilot CLI  OpenCode     Cursor
    session starts             advisory     advisory     advisory     advisory     advisory
    prompt                     advisory     advisory     advisory     advisory     advisory
    before a tool              enforced     enforced     enforced     enforced     enforced
    permission asked           enforced     unsupported  enforced     unsupported  unsupported
    after a tool               advisory     advisory     advisory     advisory     advisory
    tool failed                advisory     unsupported  advisory     advisory     advisory
    tool denied by the client  advisory     unsupported  unsupported  unsupported  unsupported
    turn ends                  advisory     advisory     advisory     advisory     advisory
    sub-agent starts           advisory     unsupported  advisory     unsupported  advisory
    sub-agent stops            advisory     unsupported  advisory     unsupported  advisory
    compaction                 advisory     unsupported  advisory     advisory     advisory
    session ends               advisory     advisory     advisory     unsupported  advisory
    enforced: a denial came out as the client obeys it; advisory: heard and recorded; unsupported: the client has no such event
    "));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
fn a_client_that_is_here_and_not_wired_is_named() {
    let machine = Machine::new();
    machine.make_dir(".codex").make_dir(".cursor");
    insta::assert_snapshot!(about(&machine.custos(&["doctor"]), &["clients"]), @r"
note clients        none is wired; Codex, Cursor are here
                    run `custos setup`
");
    machine.set_up(&["cursor"]);
    insta::assert_snapshot!(about(&machine.custos(&["doctor"]), &["clients"]), @r"
note clients        Cursor wired; Codex is here and not wired
                    `custos setup` wires what is here
");
}

#[test]
fn a_program_that_was_deleted_fails_everywhere() {
    let machine = Machine::new();
    machine.set_up(&["claude-code", "cursor", "opencode"]);
    fs::remove_file(machine.path(".local/bin/custos")).unwrap();
    let ran = machine.custos(&["doctor"]);
    assert_eq!(ran.code, 1);
    machine.settings().bind(|| {
        insta::assert_snapshot!(about(&ran, &["claude-code", "cursor", "opencode"]), @r"
BAD  claude-code    13 of 13 events do not work; the first, SessionStart: ~/.local/bin/custos hook claude-code SessionStart cannot be started: No such file or directory (os error 2)
                    `custos setup` puts it right again
BAD  claude-code    MCP server: registered, but ~/.local/bin/custos mcp cannot be started: No such file or directory (os error 2), in ~/.claude.json
                    `custos setup` puts it right again
BAD  opencode       7 of 7 events do not work; the first, event.session.created: ~/.local/bin/custos hook opencode event.session.created cannot be started: No such file or directory (os error 2)
                    `custos setup` puts it right again
BAD  opencode       MCP server: registered, but ~/.local/bin/custos mcp cannot be started: No such file or directory (os error 2), in ~/.config/opencode/opencode.json
                    `custos setup` puts it right again
BAD  cursor         10 of 10 events do not work; the first, sessionStart: ~/.local/bin/custos hook cursor sessionStart was not found
                    `custos setup` puts it right again
BAD  cursor         MCP server: registered, but ~/.local/bin/custos mcp cannot be started: No such file or directory (os error 2), in ~/.cursor/mcp.json
                    `custos setup` puts it right again
");
        insta::assert_snapshot!(matrix(&ran), @r"
What a hook can do         Claude Code  OpenCode     Cursor
session starts             FAILED       FAILED       FAILED
prompt                     FAILED       FAILED       FAILED
before a tool              FAILED       FAILED       FAILED
permission asked           FAILED       unsupported  unsupported
after a tool               FAILED       FAILED       FAILED
tool failed                FAILED       FAILED       FAILED
tool denied by the client  FAILED       unsupported  unsupported
turn ends                  FAILED       FAILED       FAILED
sub-agent starts           FAILED       unsupported  FAILED
sub-agent stops            FAILED       unsupported  FAILED
compaction                 FAILED       FAILED       FAILED
session ends               FAILED       unsupported  FAILED
enforced: a denial came out as the client obeys it; advisory: heard and recorded; unsupported: the client has no such event
");
    });
    machine.set_up(&["claude-code", "cursor", "opencode"]);
    assert_eq!(machine.custos(&["doctor"]).code, 0);
}

#[test]
fn an_entry_that_was_removed_by_hand_is_not_wired() {
    let machine = Machine::new();
    machine.set_up(&["claude-code"]);
    let mut settings: serde_json::Value =
        serde_json::from_str(&machine.read(".claude/settings.json")).unwrap();
    settings["hooks"].as_object_mut().unwrap().remove("PreToolUse");
    machine.put(".claude/settings.json", settings.to_string());
    let ran = machine.custos(&["doctor"]);
    assert_eq!(ran.code, 1);
    machine.settings().bind(|| {
        insta::assert_snapshot!(about(&ran, &["claude-code"]), @r"
BAD  claude-code    PreToolUse is not in its file
                    `custos setup` puts it right again
ok   claude-code    MCP server: registered in ~/.claude.json, N tools in N ms
");
        insta::assert_snapshot!(matrix(&ran), @r"
What a hook can do         Claude Code
session starts             advisory
prompt                     advisory
before a tool              NOT WIRED
permission asked           enforced
after a tool               advisory
tool failed                advisory
tool denied by the client  advisory
turn ends                  advisory
sub-agent starts           advisory
sub-agent stops            advisory
compaction                 advisory
session ends               advisory
enforced: a denial came out as the client obeys it; advisory: heard and recorded; unsupported: the client has no such event
");
    });
    machine.set_up(&["claude-code"]);
    assert_eq!(machine.custos(&["doctor"]).code, 0);
}

#[test]
fn codex_has_to_be_told_to_trust_each_hook() {
    let machine = Machine::new();
    machine.put(
        ".codex/hooks.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}}"#,
    );
    machine.set_up(&["codex"]);
    let ran = machine.custos(&["doctor"]);
    assert_eq!(ran.code, 1);
    machine.settings().bind(|| {
        insta::assert_snapshot!(about(&ran, &["codex"]), @r"
ok   codex          10 events replayed through the installed command
ok   codex          MCP server: registered in ~/.codex/config.toml, N tools in N ms
BAD  codex          it does not trust our hooks yet and runs none of these: SessionStart, UserPromptSubmit, PreToolUse, PermissionRequest, PostToolUse, Stop, SubagentStart, SubagentStop, PreCompact, SessionEnd
                    start `codex`, enter /hooks and trust those of custos
");
        insta::assert_snapshot!(matrix(&ran), @r"
What a hook can do         Codex
session starts             NOT TRUSTED
prompt                     NOT TRUSTED
before a tool              NOT TRUSTED
permission asked           NOT TRUSTED
after a tool               NOT TRUSTED
tool failed                unsupported
tool denied by the client  unsupported
turn ends                  NOT TRUSTED
sub-agent starts           NOT TRUSTED
sub-agent stops            NOT TRUSTED
compaction                 NOT TRUSTED
session ends               NOT TRUSTED
enforced: a denial came out as the client obeys it; advisory: heard and recorded; unsupported: the client has no such event
");
    });

    // As Codex notes it: by file, event and place; ours is the second group of its event where somebody was there before.
    let hooks = machine.path(".codex/hooks.json");
    let trusted = |event: &str, group: usize| {
        format!(
            "[hooks.state.\"{}:{event}:{group}:0\"]\ntrusted_hash = \"sha256:{}\"\n",
            hooks.display(),
            "0".repeat(64)
        )
    };
    let mut config = format!("model = \"gpt\"\n\n{}", machine.read(".codex/config.toml"));
    for event in [
        "session_start",
        "user_prompt_submit",
        "pre_tool_use",
        "permission_request",
        "post_tool_use",
        "subagent_start",
        "subagent_stop",
        "pre_compact",
        "session_end",
    ] {
        config.push_str(&trusted(event, 0));
    }
    machine.put(".codex/config.toml", format!("{config}{}", trusted("stop", 0)));
    let only_theirs = machine.custos(&["doctor"]);
    assert_eq!(only_theirs.code, 1);
    assert!(only_theirs.stdout.contains("runs none of these: Stop\n"), "{}", only_theirs.stdout);
    machine.put(".codex/config.toml", format!("{config}{}", trusted("stop", 1)));
    let ran = machine.custos(&["doctor"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
}

#[test]
fn a_version_that_was_never_tested_is_named() {
    let machine = Machine::new();
    machine.put_program("claude", "9.9.9 (Claude Code)");
    machine.must(&["setup"]);
    let ran = machine.custos(&["doctor"]);
    assert_eq!(ran.code, 0);
    let _bound = machine.settings().bind_to_scope();
    insta::assert_snapshot!(about(&ran, &["claude-code"]), @r"
ok   claude-code    13 events replayed through the installed command
ok   claude-code    MCP server: registered in ~/.claude.json, N tools in N ms
note claude-code    Claude Code 9.9.9, tested with 2.1.325
                    used as tested; `custos doctor` replays recorded payloads through the installed command and says what held
");
}

#[test]
fn the_trouble_of_a_hook_is_told() {
    let machine = Machine::new();
    let ran = machine.hook("claude-code", "PreToolUse", r#"{"session_id": "s", "tool_name": 5}"#);
    // Nobody knows what would run, so the person is asked.
    assert!(ran.code == 0 && ran.stdout.contains(r#""permissionDecision":"ask""#), "{ran:?}");
    let ran = machine.custos(&["doctor"]);
    assert_eq!(ran.code, 1);
    machine.settings().bind(|| insta::assert_snapshot!(about(&ran, &["hooks"]), @r"
BAD  hooks          1 time since TIME; the latest, a moment ago: claude-code PreToolUse: the field `cwd` is missing
                    the client went on; what it sent is kept: `custos log tail --kind hook.alive`
"));
}

#[test]
fn events_that_wait_for_the_log_are_told() {
    let machine = Machine::new();
    // A file where the memory should be: nothing can be appended.
    machine.put(".config/ai/memory", "");
    let payload = custos_clients::sample::payload("claude-code", "UserPromptSubmit").unwrap();
    assert_eq!(machine.hook("claude-code", "UserPromptSubmit", payload).code, 0);
    let ran = machine.custos(&["doctor"]);
    machine.settings().bind(|| insta::assert_snapshot!(about(&ran, &["spool", "memory", "hooks"]), @r"
BAD  memory         ~/.config/ai/memory is no directory
                    move it away
BAD  hooks          2 times since TIME; the latest, a moment ago: claude-code UserPromptSubmit: spooled, because cannot open ~/.config/ai/memory/log/WRITER/0001.jsonl: Not a directory (os error 20)
                    the client went on; what it sent is kept: `custos log tail --kind hook.alive`
note spool          2 events wait for the log since TIME
                    the next hook that gets through to the log appends them
"));
    fs::remove_file(machine.path(".config/ai/memory")).unwrap();
    let payload = custos_clients::sample::payload("claude-code", "Stop").unwrap();
    assert_eq!(machine.hook("claude-code", "Stop", payload).code, 0);
    insta::assert_snapshot!(about(&machine.custos(&["doctor"]), &["spool"]), @r"ok   spool          nothing waits for the log");
}
