//! In which process of a client a session lives, so that the client's MCP server finds it.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use custos_model::Timestamp;
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

/// What a client says to a server first.
fn hello() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "gemini-cli-mcp-client", "version": "0.61.0" },
    } })
}

/// Prepares a client that does what a script says, in a process group of its own. What it runs is a shell under another name: it can start
/// programs, and nobody takes it for a shell.
fn client(desk: &Desk, script: &str) -> Command {
    let program = desk.home.path().join("some-client");
    fs::copy("/bin/sh", &program).unwrap();
    let mut client = desk.program(program.to_str().unwrap());
    client.args(["-c", script]).process_group(0);
    client
}

/// The command that starts a session.
fn session_start(desk: &Desk) -> String {
    let payload = desk.put("payload.json", desk.fixture("gemini", "SessionStart").to_string());
    format!("'{CUSTOS}' hook gemini SessionStart < '{}' 2> /dev/null", payload.display())
}

/// Runs a client that starts a session and a server for it, greets the server, and waits. Gives it with what the server says, once that has
/// answered.
fn client_with_server(desk: &Desk) -> (Child, BufReader<impl std::io::Read>) {
    // Its standard error is the one way to the server's input, which ends with the client.
    let (from_client, to_server) = std::io::pipe().unwrap();
    let script = format!(
        "exec 4<&0; {}; '{CUSTOS}' mcp <&4 2> /dev/null & echo '{}' >&2; wait",
        session_start(desk),
        hello()
    );
    let mut client = client(desk, &script);
    client.stdin(from_client).stdout(Stdio::piped()).stderr(to_server);
    let mut client = client.spawn().unwrap();
    let mut from_server = BufReader::new(client.stdout.take().unwrap());
    let mut answer = String::new();
    from_server.read_line(&mut answer).unwrap();
    assert!(answer.starts_with(r#"{"jsonrpc":"2.0","id":1,"result":"#), "{answer}");
    assert_eq!(notes(desk).into_keys().collect::<Vec<_>>(), [client.id()]);
    (client, from_server)
}

/// Asks for the context in another client, which is this very process, and gives what its server says of sessions that were left.
fn next_context(desk: &Desk) -> Vec<String> {
    let ask = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "context", "arguments": {} } });
    let said = fed(&mut desk.command(&["mcp"]), format!("{}\n{ask}\n", hello()).as_bytes());
    let mut answers = said.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let answer = answers.find(|answer| answer["id"] == 2).unwrap();
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    text.lines().filter(|line| line.contains("without a close")).map(str::to_owned).collect()
}

/// What the log tells of a session that a later server found to be over, and what the next context says of it.
fn assert_found_gone(desk: &Desk) {
    let session = notes(desk).into_values().next().unwrap();
    let journal = fs::read_to_string(desk.state().join("sessions").join(session.trim_end())).unwrap();
    let last = journal.lines().last().unwrap().split('\t').next().unwrap().parse().unwrap();
    let said = "1 session ended without a close or an audit; `worklog` shows what happened.";
    // The first call waits for it, but not for a disk that takes its time; by its end the server has done it.
    let first = next_context(desk);
    assert!(first.is_empty() || first == [said], "{first:?}");
    let last = Timestamp::from_millis(last).to_string();
    let expected = [
        ("session.started".to_owned(), json!({ "source": "startup" })),
        ("session.ended".to_owned(), json!({ "reason": "server: client gone", "last_sign_of_life": last })),
    ];
    assert_eq!(desk.told(), expected);
    assert_eq!(notes(desk), BTreeMap::new());
    assert_eq!(servers(desk), 0);
    assert_eq!(next_context(desk), [said]);
    assert_eq!(desk.told(), expected, "once");
}

fn servers(desk: &Desk) -> usize {
    fs::read_dir(desk.state().join("servers")).unwrap().count()
}

#[test]
fn the_server_of_a_client_that_is_killed_says_that_its_session_is_over() {
    let desk = Desk::new();
    let (mut client, mut from_server) = client_with_server(&desk);
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
    assert_eq!(servers(&desk), 0);
}

#[test]
fn a_client_that_is_killed_with_its_server_is_found_gone_by_the_next_server() {
    let desk = Desk::new();
    let (mut client, mut from_server) = client_with_server(&desk);
    assert_eq!(next_context(&desk), Vec::<String>::new(), "it lives");
    assert_eq!(desk.events_of("session.ended"), Vec::<Value>::new());
    let group = format!("-{}", client.id());
    assert!(Command::new("kill").args(["-9", "--", &group]).status().unwrap().success());
    let mut rest = String::new();
    from_server.read_to_string(&mut rest).unwrap();
    client.wait().unwrap();
    assert_eq!((rest.as_str(), servers(&desk)), ("", 1));
    assert_found_gone(&desk);
}

#[test]
fn a_client_that_ends_its_server_before_itself_is_found_gone_by_the_next_server() {
    let desk = Desk::new();
    // As OpenCode does, which says nothing at its end either.
    let script = format!("{}; '{CUSTOS}' mcp < /dev/null; exit 0", session_start(&desk));
    let ran = client(&desk, &script).output().unwrap();
    assert_eq!((ran.status.code(), ran.stdout, ran.stderr), (Some(0), vec![], vec![]));
    assert_eq!(desk.told(), [("session.started".to_owned(), json!({ "source": "startup" }))]);
    assert_eq!(servers(&desk), 1);
    assert_found_gone(&desk);
}
