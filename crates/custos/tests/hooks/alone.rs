//! A hook is one process and speaks to nobody: no child, no thread, no socket.
//!
//! Only a look from outside can show that, so this needs `strace`, on Linux.

#![cfg(target_os = "linux")]

use std::path::Path;

use crate::desk::{CUSTOS, Desk, fed, silence};

const STRACE: &str = "/usr/bin/strace";

/// Calls a hook and gives the names of the calls by which it dealt with processes or the network.
fn traced(desk: &Desk, client: &str, event: &str, payload: &[u8]) -> Vec<String> {
    assert!(
        Path::new(STRACE).exists(),
        "this test needs strace: install it, for example with `apt-get install strace`"
    );
    let calls = desk.home.path().join("calls");
    let mut command = desk.program(STRACE);
    command.args(["-f", "-qq", "-e", "signal=none", "-e", "trace=%process,%network", "-o"]).arg(&calls);
    command.args([CUSTOS, "hook", client, event]);
    assert_eq!(fed(&mut command, payload), silence(), "strace may not be allowed to trace here");
    let text = std::fs::read_to_string(&calls).unwrap();
    let name = |line: &str| line.split_whitespace().nth(1)?.split('(').next().map(str::to_owned);
    // Setting up one's own first thread counts as dealing with processes in some versions of strace.
    text.lines().filter_map(name).filter(|name| name != "arch_prctl").collect()
}

#[test]
fn a_hook_starts_no_process_and_opens_no_socket() {
    let desk = Desk::new();
    for (client, fixture) in [
        ("claude-code", "SessionStart"),
        ("claude-code", "UserPromptSubmit"),
        ("claude-code", "PreToolUse.Bash"),
        ("claude-code", "PostToolUse.Bash"),
        ("claude-code", "Stop"),
        ("claude-code", "SessionEnd"),
        ("codex", "PostToolUse.apply_patch"),
        ("copilot", "sessionStart"),
        ("cursor", "postToolUse.Shell"),
    ] {
        let event = fixture.split('.').next().unwrap();
        let payload = desk.fixture(client, fixture).to_string();
        assert_eq!(
            traced(&desk, client, event, payload.as_bytes()),
            ["execve", "exit_group"],
            "{client} {fixture}"
        );
    }
    assert_eq!(traced(&desk, "claude-code", "Stop", b"not JSON"), ["execve", "exit_group"]);
}
