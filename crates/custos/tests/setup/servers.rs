//! The MCP server in the clients' files: registered once, beside whatever is there, and gone again; and what `doctor` says about it.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};

use crate::machine::{ALL, Machine};

/// Where each client lists its servers.
const FILES: [(&str, &str); 6] = [
    ("claude-code", ".claude.json"),
    ("codex", ".codex/config.toml"),
    ("gemini", ".gemini/settings.json"),
    ("copilot", ".copilot/mcp-config.json"),
    ("opencode", ".config/opencode/opencode.json"),
    ("cursor", ".cursor/mcp.json"),
];

/// Claude Code's own file, as far as it matters here: long, full of what is nobody's business, and written all the time.
fn state() -> String {
    let projects: Vec<String> = (0..400)
        .map(|at| format!("    \"/home/zoe/p{at}\": {{\n      \"history\": [{{ \"display\": \"say \\\"{at}\\\"\" }}],\n      \"lastCost\": 0.1\n    }}"))
        .collect();
    format!(
        "{{\n  \"numStartups\": 1,\n  \"oauthAccount\": {{\n    \"accessToken\": \"sk-ant-oat01-x\"\n  }},\n  \"projects\": {{\n{}\n  }},\n  \"mcpServers\": {{\n    \"other\": {{ \"type\": \"http\", \"url\": \"https://example.org\" }}\n  }}\n}}",
        projects.join(",\n")
    )
}

/// Gives what is registered by our name in a file of JSON.
fn registered(machine: &Machine, file: &str, list: &str) -> Value {
    serde_json::from_str::<Value>(&machine.read(file)).unwrap()[list]["custos"].take()
}

/// Gives what doctor says about the servers of a client.
fn told(machine: &Machine, client: &str) -> String {
    let said = machine.custos(&["doctor"]).stdout;
    let lines: Vec<&str> = said.lines().collect();
    let about = |line: &str| line.contains("MCP server: ") && line.split_whitespace().nth(1) == Some(client);
    let at = lines.iter().position(|line| about(line)).unwrap_or_else(|| panic!("{said}"));
    lines[at..]
        .iter()
        .take(if lines[at].starts_with("ok") { 1 } else { 2 })
        .copied()
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn claude_codes_own_file_is_changed_in_one_place_and_no_copy_of_it_is_kept() {
    let machine = Machine::new();
    let before = state();
    machine.put(".claude.json", &before).set_mode(".claude.json", 0o600);
    machine.set_up(&["claude-code"]);
    let after = machine.read(".claude.json");
    let entry = json!({ "type": "stdio", "command": machine.path(".local/bin/custos"), "args": ["mcp"] });
    assert_eq!(registered(&machine, ".claude.json", "mcpServers"), entry);
    let added = after.len() - before.len();
    let head = after.bytes().zip(before.bytes()).take_while(|(new, old)| new == old).count();
    assert_eq!(before[head..], after[head + added..]);

    let tools = fs::read_dir(machine.path(".config/ai/tools/claude-code")).unwrap();
    for file in tools.flatten() {
        let text = fs::read_to_string(file.path()).unwrap();
        assert!(!text.contains("sk-ant"), "{}", file.path().display());
    }

    // Claude Code goes on writing it.
    machine.put(".claude.json", after.replace("\"numStartups\": 1", "\"numStartups\": 2"));
    machine.must(&["uninstall"]);
    assert_eq!(machine.read(".claude.json"), before.replace("\"numStartups\": 1", "\"numStartups\": 2"));
}

#[test]
fn what_claude_code_writes_at_the_same_time_is_not_lost() {
    let machine = Machine::new();
    machine.put(".claude.json", state());
    let (file, lock) = (machine.path(".claude.json"), machine.path(".claude.json.lock"));
    let done = AtomicBool::new(false);
    let starts = std::thread::scope(|scope| {
        // As Claude Code does it: a directory is the lock, and the file is read again within it.
        let client = scope.spawn(|| {
            let mut starts = 1;
            while !done.load(Ordering::Relaxed) {
                if fs::create_dir(&lock).is_err() {
                    std::thread::sleep(Duration::from_millis(1));
                    continue;
                }
                let mut state: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
                assert_eq!(state["numStartups"], starts);
                starts += 1;
                state["numStartups"] = json!(starts);
                std::thread::sleep(Duration::from_millis(3));
                let draft = file.with_extension("draft");
                fs::write(&draft, format!("{state:#}")).unwrap();
                fs::rename(&draft, &file).unwrap();
                fs::remove_dir(&lock).unwrap();
                std::thread::sleep(Duration::from_millis(2));
            }
            starts
        });
        for _ in 0..3 {
            machine.set_up(&["claude-code"]);
            assert_eq!(registered(&machine, ".claude.json", "mcpServers")["args"], json!(["mcp"]));
            machine.must(&["uninstall"]);
        }
        done.store(true, Ordering::Relaxed);
        client.join().unwrap()
    });
    let left: Value = serde_json::from_str(&machine.read(".claude.json")).unwrap();
    assert!(starts > 10 && left["numStartups"] == starts, "{starts}: {}", left["numStartups"]);
    assert_eq!(left["mcpServers"].as_object().unwrap().keys().collect::<Vec<_>>(), ["other"]);
    assert!(!lock.exists());
}

#[test]
fn codex_keeps_its_comments_and_what_the_person_allowed() {
    let machine = Machine::new();
    let before = "# mine\nmodel = \"gpt\" # the big one\n\n[mcp_servers.other]\ncommand = 'x'\n";
    machine.put(".codex/config.toml", before);
    machine.set_up(&["codex"]);
    let program = machine.path(".local/bin/custos").display().to_string();
    let ours = format!("\n[mcp_servers.custos]\nargs = [\"mcp\"]\ncommand = \"{program}\"\n");
    assert_eq!(machine.read(".codex/config.toml"), format!("{before}{ours}"));

    // As Codex notes that the person is not to be asked again.
    let allowed = "\n[mcp_servers.custos.tools.context]\napproval_mode = \"approve\"\n";
    machine.put(".codex/config.toml", format!("{before}{ours}{allowed}"));
    machine.must(&["setup", "--client", "codex", "--prefix", "elsewhere"]);
    let moved = machine.path("elsewhere/bin/custos").display().to_string();
    assert_eq!(
        machine.read(".codex/config.toml"),
        format!("{before}{}{allowed}", ours.replace(&program, &moved))
    );
    machine.must(&["uninstall"]);
    assert_eq!(machine.read(".codex/config.toml"), before);
}

/// Writes a list of servers in which our name is somebody else's.
fn taken(client: &str) -> String {
    let entry = json!({ "command": "/opt/other", "args": ["--key", "sk-1"] });
    match client {
        "codex" => {
            "[mcp_servers.custos]\ncommand = \"/opt/other\"\nargs = [\"--key\", \"sk-1\"]\n".to_owned()
        }
        "opencode" => {
            json!({ "mcp": { "custos": { "type": "local", "command": ["/opt/other", "--key", "sk-1"] } } })
                .to_string()
        }
        _ => json!({ "mcpServers": { "custos": entry } }).to_string(),
    }
}

#[rstest]
fn a_server_of_the_same_name_is_left_alone_and_told(
    #[values("claude-code", "codex", "gemini", "copilot", "opencode", "cursor")] client: &str,
) {
    let machine = Machine::new();
    let (_, file) = FILES.into_iter().find(|(name, _)| *name == client).unwrap();
    machine.put(file, taken(client));
    let before = machine.listing();
    let ran = machine.custos(&["setup", "--client", client]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert!(
        ran.stdout.contains("is the program \"/opt/other\", not Custos, and stays as it is"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("the name custos is that of /opt/other"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("sk-1"), "{}", ran.stdout);
    assert!(machine.read(file).contains("/opt/other"));
    let said = told(&machine, client);
    let shown = machine.path(file).display().to_string();
    assert_eq!(
        said.replace(&shown, "FILE"),
        format!(
            "BAD  {client:<14} MCP server: another program, as the name custos is that of /opt/other, in FILE\n                    give that server another name, then run `custos setup`"
        )
    );
    machine.must(&["uninstall"]);
    assert_eq!(machine.listing().without_times(), before.without_times());
}

#[test]
fn a_server_that_somebody_put_in_the_place_of_ours_survives_us() {
    let machine = Machine::new();
    machine.set_up(&ALL);
    for (client, file) in FILES {
        machine.put(file, taken(client));
    }
    machine.must(&["uninstall"]);
    for (client, file) in FILES {
        assert_eq!(machine.read(file), taken(client), "{client}");
    }
}

#[test]
fn what_was_added_to_our_entry_stays() {
    let machine = Machine::new();
    machine.make_dir("shop").set_up(&["gemini", "opencode"]);
    let mut settings: Value = serde_json::from_str(&machine.read(".gemini/settings.json")).unwrap();
    settings["mcpServers"]["custos"]["trust"] = json!(true);
    settings["mcpServers"]["custos"]["args"] = json!(["mcp", "--root", machine.path("shop")]);
    machine.put(".gemini/settings.json", format!("{settings:#}\n"));
    let theirs = machine.listing();
    machine.set_up(&["gemini", "opencode"]);
    assert_eq!(machine.listing(), theirs);
}

#[test]
fn doctor_says_whether_the_server_is_registered_and_works() {
    let machine = Machine::new();
    machine.set_up(&["opencode"]);
    let file = ".config/opencode/opencode.json";
    let _bound = machine.settings().bind_to_scope();
    insta::assert_snapshot!(told(&machine, "opencode"), @r"ok   opencode       MCP server: registered in ~/.config/opencode/opencode.json, N tools in N ms");

    let mut switched_off: Value = serde_json::from_str(&machine.read(file)).unwrap();
    switched_off["mcp"]["custos"]["enabled"] = json!(false);
    machine.put(file, switched_off.to_string());
    insta::assert_snapshot!(told(&machine, "opencode"), @r"
BAD  opencode       MCP server: switched off in ~/.config/opencode/opencode.json
                    switch it on there; until then agents have no tools of ours
");

    machine.put(file, "{}");
    assert_eq!(machine.custos(&["doctor"]).code, 1);
    insta::assert_snapshot!(told(&machine, "opencode"), @r"
BAD  opencode       MCP server: NOT REGISTERED in ~/.config/opencode/opencode.json
                    `custos setup` registers it
");

    machine.set_up(&["opencode"]);
    fs::remove_file(machine.path(".local/bin/custos")).unwrap();
    insta::assert_snapshot!(told(&machine, "opencode"), @r"
BAD  opencode       MCP server: registered, but ~/.local/bin/custos mcp cannot be started: No such file or directory (os error 2), in ~/.config/opencode/opencode.json
                    `custos setup` puts it right again
");
}

#[test]
fn in_a_project_each_server_is_asked() {
    let machine = Machine::new();
    machine.put("shop/.git/HEAD", "ref: refs/heads/main\n");
    let named: Vec<&str> = ALL.iter().flat_map(|client| ["--client", client]).collect();
    let said = machine.must(&[&["setup", "--project=shop"][..], &named].concat());
    assert_eq!(said.matches("  ok     MCP server ").count(), 6, "{said}");
    for client in ALL {
        assert!(told(&machine, client).contains("/shop/"), "{client}");
    }
    // One file for two clients: Copilot looks at no other where this one is.
    machine.must(&["uninstall", "--client", "claude-code"]);
    assert_eq!(registered(&machine, "shop/.mcp.json", "mcpServers")["type"], "stdio");
    machine.must(&["uninstall", "--client", "copilot"]);
    assert!(!machine.path("shop/.mcp.json").exists());
}
