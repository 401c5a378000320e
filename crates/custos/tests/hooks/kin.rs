//! In which process of a client a session lives, so that the client's MCP server finds it.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::desk::{CUSTOS, Desk, fed, silence};

const CLAUDE: &str = "claude-code";

/// The notes, by the number of the process that they are about.
fn notes(desk: &Desk) -> BTreeMap<u32, String> {
    let Ok(entries) = fs::read_dir(desk.state().join("kin")) else { return BTreeMap::new() };
    let note = |path: std::path::PathBuf| {
        let (pid, _) = path.file_name()?.to_str()?.split_once('-')?;
        Some((pid.parse().ok()?, fs::read_to_string(&path).ok()?))
    };
    entries.map(|entry| note(entry.unwrap().path()).unwrap()).collect()
}

/// The note that says that the only session lives in this very process, which is the client here.
fn lives_here(desk: &Desk) -> BTreeMap<u32, String> {
    let session =
        desk.events().first().and_then(|event| event["session"].as_str().map(str::to_owned)).unwrap();
    BTreeMap::from([(std::process::id(), format!("{session}\n"))])
}

#[test]
fn a_session_is_noted_from_its_start_to_its_end() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["SessionStart"]);
    assert_eq!(notes(&desk), lives_here(&desk));
    desk.play(
        CLAUDE,
        &["UserPromptSubmit", "PreToolUse.Bash", "PostToolUse.Bash", "Stop", "SessionStart.resume"],
    );
    assert_eq!(notes(&desk), lives_here(&desk), "once");
    desk.play(CLAUDE, &["SessionEnd"]);
    assert_eq!(notes(&desk), BTreeMap::new());
}

#[test]
fn a_tool_looks_for_no_process_and_a_prompt_mends_what_is_missing() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["PreToolUse.Bash"]);
    assert_eq!(notes(&desk), lives_here(&desk), "it was the first sign of the session");
    fs::remove_dir_all(desk.state().join("kin")).unwrap();
    desk.play(CLAUDE, &["PreToolUse.Bash", "PostToolUse.Bash", "Stop"]);
    assert_eq!(notes(&desk), BTreeMap::new());
    desk.play(CLAUDE, &["UserPromptSubmit"]);
    assert_eq!(notes(&desk), lives_here(&desk));
}

#[test]
fn a_shell_between_the_client_and_its_hook_is_not_the_client() {
    let desk = Desk::new();
    let payload: Value = desk.fixture("gemini", "SessionStart");
    let mut shell = desk.program("/bin/sh");
    // Two commands, or the shell would become the hook.
    shell.args(["-c", &format!("'{CUSTOS}' hook gemini SessionStart; exit 0")]);
    assert_eq!(fed(&mut shell, payload.to_string().as_bytes()), silence());
    assert_eq!(notes(&desk), lives_here(&desk));
}

#[test]
fn notes_that_cannot_be_made_are_no_obstacle() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["PreToolUse.Bash"]);
    fs::remove_dir_all(desk.state().join("kin")).unwrap();
    fs::write(desk.state().join("kin"), "a file in the place of the directory").unwrap();
    desk.play(CLAUDE, &["UserPromptSubmit", "SessionEnd"]);
    assert_eq!(desk.events_of("session.ended").len(), 1);
    assert_eq!(desk.troubles().len(), 1, "{:?}", desk.troubles());
}

/// Runs a client that starts a session and a server for it, greets the server, and waits. What it runs is a shell under another name: it
/// can start programs, and nobody takes it for a shell.
fn client_with_server(desk: &Desk) -> Child {
    let program = desk.home.path().join("some-client");
    fs::copy("/bin/sh", &program).unwrap();
    let payload = desk.put("payload.json", desk.fixture("gemini", "SessionStart").to_string());
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "gemini-cli-mcp-client", "version": "0.61.0" },
    } });
    // Its standard error is the one way to the server's input, which ends with the client.
    let (from_client, to_server) = std::io::pipe().unwrap();
    let script = format!(
        "exec 4<&0; '{CUSTOS}' hook gemini SessionStart < '{}' 2> /dev/null; '{CUSTOS}' mcp <&4 2> /dev/null & \
         echo '{hello}' >&2; wait",
        payload.display()
    );
    let mut client = desk.program(program.to_str().unwrap());
    client.args(["-c", &script]).stdin(from_client).stdout(Stdio::piped()).stderr(to_server);
    client.spawn().unwrap()
}

#[test]
fn the_server_of_a_client_that_is_killed_says_that_its_session_is_over() {
    let desk = Desk::new();
    let mut client = client_with_server(&desk);
    let mut from_server = BufReader::new(client.stdout.take().unwrap());
    let mut answer = String::new();
    from_server.read_line(&mut answer).unwrap();
    assert!(answer.starts_with(r#"{"jsonrpc":"2.0","id":1,"result":"#), "{answer}");
    assert_eq!(notes(&desk).into_keys().collect::<Vec<_>>(), [client.id()]);
    client.kill().unwrap();
    // What it says ends when it does.
    let mut rest = String::new();
    from_server.read_to_string(&mut rest).unwrap();
    client.wait().unwrap();
    assert_eq!(rest, "");
    let expected = [
        ("session.started".to_owned(), json!({ "source": "startup" })),
        ("session.ended".to_owned(), json!({ "reason": "server: input ended" })),
    ];
    assert_eq!(desk.told(), expected);
    assert_eq!(notes(&desk), BTreeMap::new());
    assert_eq!(fs::read_dir(desk.state().join("servers")).unwrap().count(), 0);
}
