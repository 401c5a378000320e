//! What is written for each client, to the byte; and that it is written once, and goes again.

use custos_clients::wiring::INSTRUCTIONS;
use rstest::rstest;
use serde_json::json;

use crate::machine::{ALL, Machine};

/// The plugin in its source; only the program's place is filled in.
const PLUGIN: &str = include_str!("../../../custos-clients/src/clients/opencode_plugin.js");

/// Wires clients twice and unwires them. Gives what was written.
fn there_and_back(machine: &Machine, clients: &[&str]) -> String {
    let before = machine.listing();
    machine.set_up(clients);
    let written = machine.listing();
    machine.set_up(clients);
    assert_eq!(machine.listing(), written, "a second run changed something");

    machine.must(&["uninstall", "--yes"]);
    assert_eq!(machine.listing().without_times(), before.clone().without_times());
    assert!(!machine.path(".local/bin/custos").exists());
    written.since(&before)
}

/// Gives the plugin as it is to be on a machine.
fn plugin(machine: &Machine) -> String {
    let program = json!(machine.path(".local/bin/custos"));
    PLUGIN.replace("\"@PROGRAM@\"", &program.to_string()).replace("\"@REQUIRED@\"", "true")
}

/// Takes the two long texts out that are the same everywhere.
fn in_short(machine: &Machine, written: &str) -> String {
    written.replace(INSTRUCTIONS.trim_end(), "[the instructions]").replace(&plugin(machine), "[the plugin]\n")
}

#[test]
fn what_was_agreed_to_is_wired_also_if_nobody_reads_about_it() {
    let machine = Machine::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let setup = ["setup", "--yes", "--client", "codex"];
    assert_eq!(machine.command(&setup).stdout(writer).status().unwrap().code(), Some(0));
    let wired = machine.listing();
    machine.set_up(&["codex"]);
    assert_eq!(machine.listing(), wired, "a second run changed something");
}

#[test]
fn the_plugin_knows_the_tools_of_our_server() {
    let list = PLUGIN.split_once("new Set([").unwrap().1.split_once(']').unwrap().0;
    let known: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    let tools: Vec<&str> = custos_mcp::tools::TOOLS.iter().map(|tool| tool.name).collect();
    assert_eq!(known, tools);
}

#[rstest]
fn a_client_gets_its_files_once_and_loses_them_again(
    #[values("claude-code", "codex", "gemini", "copilot", "opencode", "cursor")] client: &str,
) {
    let machine = Machine::new();
    let written = there_and_back(&machine, &[client]);
    let mut settings = machine.settings();
    settings.set_snapshot_suffix(client);
    settings.bind(|| insta::assert_snapshot!(in_short(&machine, &written)));
}

#[test]
fn all_clients_together_get_the_same_files() {
    let machine = Machine::new();
    let together = there_and_back(&machine, &ALL);
    let mut alone = String::new();
    for client in ALL.iter().filter(|client| **client != "opencode") {
        let machine_of_its_own = Machine::new();
        let written = there_and_back(&machine_of_its_own, &[client]);
        let home = |machine: &Machine| machine.path("").display().to_string();
        alone.push_str(&written.replace(&home(&machine_of_its_own), &home(&machine)));
    }
    // OpenCode reads the instructions that Claude Code got.
    let server = json!({ "mcp": { "custos": {
        "command": [machine.path(".local/bin/custos"), "mcp"], "enabled": true, "type": "local"
    } } });
    alone.push_str(&format!("==> .config/opencode/opencode.json (600)\n{server:#}\n\n"));
    alone.push_str(&format!("==> .config/opencode/plugins/custos.js (600)\n{}\n", plugin(&machine)));
    let sorted = |text: &str| {
        let mut files: Vec<String> = text.split("==> ").map(str::to_owned).collect();
        files.sort_unstable();
        files
    };
    assert_eq!(sorted(&together), sorted(&alone));
}

/// What OpenCode is told depends on what is there: nothing of the person's may be hidden from it, and nothing said twice.
#[rstest]
#[case::nothing(
    &[],
    &[],
    &[".config/opencode/AGENTS.md", ".config/opencode/opencode.json", ".config/opencode/plugins/custos.js"],
)]
#[case::its_own(
    &[(".config/opencode/AGENTS.md", "Mine.\n"), (".claude/CLAUDE.md", "Mine.\n")],
    &[],
    &[".config/opencode/AGENTS.md", ".config/opencode/opencode.json", ".config/opencode/plugins/custos.js"],
)]
#[case::claude_codes(
    &[(".claude/CLAUDE.md", "Mine.\n")],
    &[],
    &[".config/opencode/custos.md", ".config/opencode/opencode.json", ".config/opencode/plugins/custos.js"],
)]
#[case::claude_codes_and_settings_with_comments(
    &[(".claude/CLAUDE.md", "Mine.\n"), (".config/opencode/opencode.jsonc", "{\n  // mine\n  \"instructions\": [\"a.md\"],\n}\n")],
    &[],
    &[".config/opencode/custos.md", ".config/opencode/opencode.jsonc", ".config/opencode/plugins/custos.js"],
)]
#[case::claude_code_is_wired(
    &[(".claude/CLAUDE.md", "Mine.\n")],
    &["claude-code"],
    &[".config/opencode/opencode.json", ".config/opencode/plugins/custos.js"],
)]
fn opencode_is_told_in_a_way_that_hides_nothing(
    #[case] there: &[(&str, &str)],
    #[case] wired: &[&str],
    #[case] files: &[&str],
) {
    let machine = Machine::new();
    for (name, text) in there {
        machine.put(name, text);
    }
    if !wired.is_empty() {
        machine.set_up(wired);
    }
    let before = machine.listing();
    let written = there_and_back_of(&machine, "opencode");
    let names: Vec<&str> =
        written.lines().filter_map(|line| line.strip_prefix("==> ")?.split(' ').next()).collect();
    assert_eq!(names, files);
    assert_eq!(machine.listing().without_times(), before.without_times());
}

fn there_and_back_of(machine: &Machine, client: &str) -> String {
    let before = machine.listing();
    machine.set_up(&[client]);
    let written = machine.listing();
    machine.set_up(&[client]);
    assert_eq!(machine.listing(), written, "a second run changed something");
    machine.must(&["uninstall", "--yes", "--client", client]);
    written.since(&before)
}

#[test]
fn a_file_of_instructions_is_named_in_the_settings_beside_others() {
    let machine = Machine::new();
    let settings = "{\r\n  // mine\r\n  \"instructions\": [\"a.md\"],\r\n}\r\n";
    machine.put(".claude/CLAUDE.md", "Mine.\n").put(".config/opencode/opencode.jsonc", settings);
    machine.set_up(&["opencode"]);
    let file = machine.path(".config/opencode/custos.md");
    let written = machine.read(".config/opencode/opencode.jsonc");
    assert!(written.contains(&format!("\"instructions\": [\"a.md\", {file:?}],\r\n")), "{written}");
    assert_eq!(machine.read(".config/opencode/custos.md"), INSTRUCTIONS);

    let edited = machine.read(".config/opencode/opencode.jsonc").replace("mine", "mine, and more");
    machine.put(".config/opencode/opencode.jsonc", &edited);
    machine.must(&["uninstall", "--yes"]);
    assert_eq!(machine.read(".config/opencode/opencode.jsonc"), settings.replace("mine", "mine, and more"));
}

#[test]
fn when_claude_code_is_wired_later_opencode_is_still_told_once() {
    let machine = Machine::new();
    machine.put(".claude/CLAUDE.md", "Mine.\n");
    let before = machine.listing();
    machine.set_up(&["opencode"]);
    machine.set_up(&["claude-code", "opencode"]);
    assert!(!machine.path(".config/opencode/custos.md").exists());
    let settings: serde_json::Value =
        serde_json::from_str(&machine.read(".config/opencode/opencode.json")).unwrap();
    assert_eq!(settings.as_object().unwrap().keys().collect::<Vec<_>>(), ["mcp"]);
    machine.must(&["uninstall", "--yes"]);
    assert_eq!(machine.listing().without_times(), before.without_times());
}
