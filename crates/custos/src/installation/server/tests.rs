use rstest::rstest;

use super::*;

/// Lets a shell play the server: each line that it reads is a message, and what it prints is its answer.
fn played(script: &str) -> Result<usize, String> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]);
    ask(command, Duration::from_secs(5)).map(|offer| offer.tools)
}

const INITIALIZED: &str =
    r#"read -r a; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}'; read -r b;"#;

#[test]
fn the_tools_of_all_pages_are_counted() {
    let script = format!(
        "{INITIALIZED} {}",
        r#"read -r c; echo '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
        echo '{"jsonrpc":"2.0","id":2,"method":"ping"}'
        echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"x"}}'
        read -r d; case "$d" in *'"cursor":"x"'*) echo '{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"c"}]}}';; esac
        read -r e"#
    );
    assert_eq!(played(&script), Ok(3));
}

#[test]
fn it_is_greeted_as_clients_greet() {
    let script = r#"
        read -r a; case "$a" in *'"method":"initialize"'*'"protocolVersion":"2025-11-25"'*) echo '{"id":1,"result":{}}';; esac
        read -r b; case "$b" in *'"method":"notifications/initialized"'*) ;; *) exit 9;; esac
        read -r c; case "$c" in *'"method":"tools/list"'*) echo '{"id":2,"result":{"tools":[{}]}}';; esac
    "#;
    assert_eq!(played(script), Ok(1));
}

#[rstest]
#[case::no_such_command("exit 64", "ended with 64 before it had answered")]
#[case::chatter("read -r a; echo hello; read -r b", "said something that is no message of the protocol")]
#[case::refusal(
    r#"read -r a; echo '{"id":1,"error":{"code":-32602,"message":"not you"}}'; read -r b"#,
    "refused `initialize`: not you"
)]
#[case::no_tools(&format!(r#"{INITIALIZED} read -r c; echo '{{"id":2,"result":{{"tools":[]}}}}'; read -r d"#), "has no tools")]
#[case::no_list(&format!(r#"{INITIALIZED} read -r c; echo '{{"id":2,"result":{{}}}}'; read -r d"#), "answered without a list of tools")]
#[case::no_end(
    &format!(r#"{INITIALIZED} read -r c; echo '{{"id":2,"result":{{"tools":[{{}}]}}}}'; exec sleep 30"#),
    "went on for 2 s after its client was gone"
)]
fn what_is_wrong_is_said(#[case] script: &str, #[case] problem: &str) {
    assert_eq!(played(script), Err(problem.to_owned()));
}

#[test]
fn a_server_that_says_nothing_is_not_waited_for() {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "exec sleep 30"]);
    let asked = ask(command, Duration::from_millis(200));
    assert_eq!(asked, Err("did not answer `initialize` in time".to_owned()));
}

#[test]
fn what_stands_in_a_file_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("mcp.json");
    let cursor = custos_clients::find("cursor").unwrap();
    let standing = |text: &str| {
        std::io::Write::write_all(&mut std::fs::File::create(&file).unwrap(), text.as_bytes()).unwrap();
        let trial = prove(cursor, &file);
        (trial.standing, trial.problem)
    };
    let said = |problem: &str| Some(problem.to_owned());
    assert_eq!(standing("{}"), (Standing::NotRegistered, said("it is not in the file")));
    assert_eq!(
        standing(r#"{"mcpServers": {"custos": {"command": "/opt/other", "args": ["--key", "sk-1"]}}}"#),
        (Standing::AnotherProgram, said("the name custos is that of /opt/other"))
    );
    assert_eq!(
        standing(r#"{"mcpServers": {"custos": {"command": "custos", "args": ["mcp"], "disabled": true}}}"#),
        (Standing::SwitchedOff, said("it is switched off in the file"))
    );
    assert_eq!(
        standing(r#"{"mcpServers": {"custos": {"command": "/nowhere/custos", "args": ["mcp"]}}}"#),
        (
            Standing::Failed,
            said("/nowhere/custos mcp cannot be started: No such file or directory (os error 2)")
        )
    );
}
