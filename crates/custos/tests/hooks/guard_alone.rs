//! The guard looks and answers: it starts nothing, speaks to nobody, and writes nothing but what is recorded.
//!
//! Only a look from outside can show that, so this needs `strace`, on Linux.

#![cfg(target_os = "linux")]

use std::path::Path;

use crate::desk::{CUSTOS, Desk, fed};
use crate::guard::shell;

const CLAUDE: &str = "claude-code";
const STRACE: &str = "/usr/bin/strace";

/// What a hook did, as seen from outside.
#[derive(Debug, Default)]
struct Seen {
    /// Calls that deal with processes or the network, beside its own start and end.
    company: Vec<String>,
    /// Files that were opened for writing, or changed by name, below the home.
    written: Vec<String>,
    /// What it answered.
    answer: String,
}

/// Has a command judged under `strace`.
fn watched(desk: &Desk, command: &str) -> Seen {
    let calls = desk.home.path().join("calls");
    let mut strace = desk.program(STRACE);
    strace.args([
        "-f",
        "-qq",
        "-s",
        "4096",
        "-e",
        "signal=none",
        "-e",
        "trace=%process,%network,%file",
        "-o",
    ]);
    strace.arg(&calls).args([CUSTOS, "hook", CLAUDE, "PreToolUse"]);
    let ran = fed(&mut strace, shell(desk, CLAUDE, command).1.to_string().as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "strace may not be allowed to trace here");
    let mut seen = Seen { answer: ran.stdout, ..Seen::default() };
    for line in std::fs::read_to_string(&calls).unwrap().lines() {
        // A process id, then the call.
        let Some((name, arguments)) = line.split_once(' ').and_then(|(_, call)| call.trim().split_once('('))
        else {
            continue;
        };
        // Taking part in company would be another process or a socket.
        let company = ["fork", "vfork", "clone", "clone3", "socket", "connect", "kill", "wait4", "waitid"];
        let writing = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND", "O_TRUNC"];
        let changes = [
            "rename", "unlink", "mkdir", "link", "symlink", "chmod", "chown", "truncate", "mknod", "utime",
            "creat",
        ];
        let is_change = changes.iter().any(|change| name.starts_with(change));
        if company.contains(&name) || name == "execve" && !arguments.contains(CUSTOS) {
            seen.company.push(line.to_owned());
        } else if is_change || name.starts_with("open") && writing.iter().any(|flag| arguments.contains(flag))
        {
            let path = arguments.split('"').nth(1).unwrap_or_default();
            let path = path.strip_prefix(desk.home.path().to_str().unwrap()).unwrap_or(path);
            seen.written.push(path.trim_start_matches('/').to_owned());
        }
    }
    seen
}

fn kinds(written: &[String]) -> Vec<&'static str> {
    let mut kinds: Vec<&str> = written
        .iter()
        .map(|path| match path.as_str() {
            path if path.starts_with(".local/state/ai/") && path.contains("/sessions/s-") => "journal",
            path if path.starts_with(".config/ai/memory/log/") => "log",
            path if path.ends_with("/log.lock") => "lock",
            path if path.contains("/log.head") => "head",
            path => panic!("{path} is not the guard's to write"),
        })
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

#[test]
fn a_judgement_starts_nothing_and_writes_only_what_is_recorded() {
    if !Path::new(STRACE).exists() {
        eprintln!("skipped: this test needs strace; install it, for example with `apt-get install strace`");
        return;
    }
    let desk = Desk::new();
    desk.put(".config/ai/policies/safety.yaml", "ask: {commands: [make deploy]}\n");
    // The first calls make what all later ones find: directories, the machine's key, the compiled rules.
    desk.play(CLAUDE, &["SessionStart", "UserPromptSubmit", "PreToolUse.Bash", "PostToolUse.Bash"]);
    let file = desk.home.path().join(".config/ai/policies/safety.yaml");
    let old = std::time::SystemTime::now() - std::time::Duration::from_mins(1);
    std::fs::File::options().write(true).open(file).unwrap().set_modified(old).unwrap();
    desk.play(CLAUDE, &["PreToolUse.Bash", "PreToolUse.Bash"]);

    let harmless = watched(&desk, "cd src && grep -rn todo . | sort > ../found.txt");
    assert_eq!((harmless.answer.as_str(), harmless.company), ("", Vec::<String>::new()));
    assert_eq!(kinds(&harmless.written), ["journal"]);

    let denied = watched(&desk, "bash -c 'git push --force origin main'");
    assert!(denied.answer.contains("(rule git.force-push)"), "{}", denied.answer);
    assert_eq!(denied.company, Vec::<String>::new());
    let kinds = kinds(&denied.written);
    assert!(kinds.contains(&"journal") && kinds.contains(&"log"), "{kinds:?}");
}
