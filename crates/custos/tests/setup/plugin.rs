//! The plugin for Claude Code: its files are those that `setup` would write, and the two do not get into each other's way.

use std::path::{Path, PathBuf};

use custos_clients::server;
use custos_clients::wiring::{Reach, Target};
use serde_json::{Value, json};

use crate::machine::Machine;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> Value {
    let text = std::fs::read_to_string(root().join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Gives what `setup` would write for a program that is found on the PATH: the hooks, or the MCP server.
fn written(what: &str) -> String {
    let client = custos_clients::find("claude-code").unwrap();
    let nowhere = Path::new("/");
    let target = Target {
        reach: Reach::User,
        dir: nowhere,
        user: nowhere,
        moved: false,
        root: nowhere,
        program: "custos",
        together: &[],
        read: &|_| None,
    };
    let wishes = (client.wire)(client, &target);
    let wish = wishes.iter().find(|wish| wish.what == what).unwrap();
    wish.part.apply(None).unwrap().0
}

/// The files of the plugin, and what stands in each.
const FILES: [(&str, &str); 2] = [("hooks/hooks.json", "hooks"), (".mcp.json", server::WHAT)];

#[test]
fn the_committed_plugin_is_current() {
    for (name, what) in FILES {
        let file = root().join("plugins/claude-code").join(name);
        if std::env::var_os("CUSTOS_RENEW").is_some() {
            std::fs::write(&file, written(what)).unwrap();
        }
        let committed = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            committed == written(what),
            "plugins/claude-code/{name} is stale; renew it with\n  CUSTOS_RENEW=1 cargo test -p custos --test setup plugin"
        );
    }
    let plugin = read("plugins/claude-code/.claude-plugin/plugin.json");
    assert_eq!((&plugin["name"], &plugin["version"]), (&json!("custos"), &json!(env!("CARGO_PKG_VERSION"))));
    let listed = &read(".claude-plugin/marketplace.json")["plugins"];
    assert_eq!(listed[0]["name"], plugin["name"]);
    assert!(root().join(listed[0]["source"].as_str().unwrap()).join(".claude-plugin/plugin.json").exists());
}

/// A machine on which Claude Code has the plugin, as `claude plugin install` leaves it.
fn with_plugin() -> Machine {
    let machine = Machine::new();
    let place = machine.path(".claude/plugins/cache/custos/custos/0.1.0");
    machine.put(".claude/settings.json", "{\n  \"enabledPlugins\": {\n    \"custos@custos\": true\n  }\n}\n");
    let installed =
        json!({ "version": 2, "plugins": { "custos@custos": [{ "scope": "user", "installPath": place }] } });
    machine.put(".claude/plugins/installed_plugins.json", installed.to_string());
    for (name, what) in FILES {
        machine.put(&format!(".claude/plugins/cache/custos/custos/0.1.0/{name}"), written(what));
    }
    machine
}

#[test]
fn with_the_plugin_only_the_instructions_are_written_and_what_it_brings_is_proven() {
    let machine = with_plugin();
    machine.put_custos();
    let before = machine.listing();
    let answer = machine.json(&["setup", "--client", "claude-code"]);
    let client = &answer["clients"][0];
    let written: Vec<&Value> = client["files"].as_array().unwrap().iter().map(|file| &file["what"]).collect();
    assert_eq!((written, &answer["ok"]), (vec![&json!("instructions")], &json!(true)));
    let worths: Vec<&str> =
        client["proof"].as_array().unwrap().iter().map(|trial| trial["worth"].as_str().unwrap()).collect();
    assert_eq!(worths.len(), 13);
    assert!(worths.iter().all(|worth| ["advisory", "enforced"].contains(worth)), "{worths:?}");
    assert_eq!(client["servers"][0]["standing"], "registered", "{client}");
    assert_eq!(machine.custos(&["doctor"]).code, 0);
    machine.must(&["uninstall"]);
    assert_eq!(machine.listing().without_times(), before.without_times());
}

#[test]
fn a_plugin_that_does_not_find_the_program_is_told() {
    let machine = with_plugin();
    let answer = machine.json(&["setup", "--client", "claude-code"]);
    let trial = &answer["clients"][0]["proof"][0];
    assert_eq!((&answer["ok"], &trial["worth"]), (&json!(false), &json!("failed")));
    insta::assert_snapshot!(trial["problem"].as_str().unwrap(), @r"custos hook claude-code SessionStart cannot be started: No such file or directory (os error 2)");
}

#[test]
fn what_setup_wrote_goes_when_the_plugin_brings_it() {
    let machine = Machine::new();
    machine.put(".claude/settings.json", "{}\n").put_custos();
    machine.set_up(&["claude-code"]);
    let mut settings: Value = serde_json::from_str(&machine.read(".claude/settings.json")).unwrap();
    let plugin = with_plugin();
    for file in [
        ".claude/plugins/installed_plugins.json",
        ".claude/plugins/cache/custos/custos/0.1.0/hooks/hooks.json",
        ".claude/plugins/cache/custos/custos/0.1.0/.mcp.json",
    ] {
        let home = |machine: &Machine| machine.path("").display().to_string();
        machine.put(file, plugin.read(file).replace(&home(&plugin), &home(&machine)));
    }
    settings["enabledPlugins"] = json!({ "custos@custos": true });
    machine.put(".claude/settings.json", settings.to_string());
    let told = machine.custos(&["doctor"]);
    assert_eq!(told.code, 1);
    assert!(told.stdout.contains("its settings and our plugin both call us"), "{}", told.stdout);
    machine.set_up(&["claude-code"]);
    let left: Value = serde_json::from_str(&machine.read(".claude/settings.json")).unwrap();
    assert_eq!(left, json!({ "enabledPlugins": { "custos@custos": true } }));
    assert!(!machine.path(".claude.json").exists());
    assert_eq!(machine.custos(&["doctor"]).code, 0);
}
