//! What is held and what is left alone, a call per line.

use super::*;
use crate::judge::trial::{disturbed, missed};

const HELD: &[&str] = &[
    "own.command: custos guard remove my.rule",
    "own.command: /home/user/.local/bin/custos guard remove 1",
    "own.command: custos --json guard remove 1",
    "own.command: custos guard add allow 'rm -rf /'",
    "own.command: custos guard add allow-path .env",
    "own.command: custos guard add rule git.force-push=off",
    "own.command: custos guard add rule git.force-push=ask",
    "own.command: custos guard add pack databases=off",
    "own.command: custos guard add flag git.allow_no_verify=true",
    "own.command: custos guard add flag commit_gate.enabled=false",
    "own.command: custos guard add --level user allow x",
    "own.command: custos guard something-new",
    "own.command: custos trust .",
    "own.command: custos trust",
    "own.command: custos forget --session 4f1c --reason x",
    "own.command: custos uninstall",
    "own.command: custos uninstall --client gemini --yes",
    "own.command: custos config set guard.enabled false",
    "own.command: custos config set delegation.mode off",
    "own.command: custos config unset access.prompts",
    "own.command: custos config set $X false",
    "own.restore: custos backup restore 3",
    "own.hook: custos hook claude-code PreToolUse",
    "own.environment: AI_MEMORY_PATH=/tmp/x custos status",
    "own.environment: XDG_CONFIG_HOME=/tmp/x custos guard rules",
    "own.environment: CUSTOS_GUARD_ENABLED=false claude -p hi",
    "own.kill: pkill custos",
    "own.kill: pkill -9 -f custos",
    "own.kill: killall custos",
    "own.kill: pkill -f 'custos hook'",
    "own.unguarded-agent: claude --dangerously-skip-permissions -p 'do it'",
    "own.unguarded-agent: claude -p x --permission-mode bypassPermissions",
    "own.unguarded-agent: claude --permission-mode=bypassPermissions",
    "own.unguarded-agent: claude --setting-sources project -p x",
    "own.unguarded-agent: codex --yolo",
    "own.unguarded-agent: codex exec --dangerously-bypass-approvals-and-sandbox x",
    "own.unguarded-agent: codex exec -s danger-full-access x",
    "own.unguarded-agent: codex exec -c hooks.enabled=false x",
    "own.unguarded-agent: gemini --yolo -p x",
    "own.unguarded-agent: gemini -y",
    "own.unguarded-agent: gemini --approval-mode yolo",
    "own.unguarded-agent: copilot --allow-all-tools -p x",
    "own.unguarded-agent: cursor-agent -f",
    "own.unguarded-agent: amp --dangerously-allow-all",
    "own.agent-settings: claude config set theme dark",
    "own.agent-settings: claude mcp add x -- npx y",
    "own.agent-settings: gemini hooks disable-all",
    "own.agent-settings: gemini extensions uninstall x",
];

const SILENT: &[&str] = &[
    "custos",
    "custos status",
    "custos doctor",
    "custos setup",
    "custos setup --dry-run",
    "custos guard test 'rm -rf /'",
    "custos guard test --json 'custos guard remove x'",
    "custos guard rules --show-origin",
    "custos guard log",
    "custos guard add --deny 'terraform apply **'",
    "custos guard remove --help",
    "custos trust --list",
    "custos guard add deny 'terraform apply'",
    "custos guard add --reason x deny-path secrets/**",
    "custos guard add rule git.reset-hard=deny",
    "custos guard add flag commit_gate.enabled=true",
    "custos guard decisions",
    "custos trust --help",
    "custos help forget",
    "custos forget --session 4f1c --reason x --dry-run",
    "custos uninstall --dry-run",
    "custos config get guard.enabled",
    "custos config list --show-origin",
    "custos config set search.limit 50",
    "custos backup list",
    "custos search forget trust",
    "custos log tail",
    "custos verify",
    "custos index rebuild",
    "CUSTOS_OUTPUT_COLOR=never custos status",
    "XDG_CONFIG_HOME=/tmp/x nvim",
    "AI_MEMORY_PATH=/tmp/m cargo test",
    "pkill -f vite",
    "pkill custodian",
    "kill 1234",
    "systemctl status custos",
    "claude --version",
    "claude -p 'explain --yolo'",
    "claude mcp list",
    "codex exec 'fix the tests'",
    "codex --version",
    "gemini -p hello",
    "copilot --help",
    "opencode run hello",
    "grep -rn custos .",
];

#[test]
fn what_takes_the_guard_away_is_held() {
    assert_eq!(missed(judge, HELD), Vec::<String>::new());
}

#[test]
fn what_only_shows_or_tightens_is_not() {
    assert_eq!(disturbed(judge, SILENT), Vec::<String>::new());
}

#[test]
fn the_table_is_sorted() {
    assert!(PROGRAMS.windows(2).all(|pair| pair[0].0 < pair[1].0));
}
