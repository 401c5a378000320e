//! Ending processes, and becoming somebody else.

use crate::case::Case;
use crate::invocation::{Arg, Invocation, Stream, UNKNOWN};
use crate::judge::system::{KILL_ALL, ROOT_SHELL};
use crate::options::Options;
use crate::packs::shape::{Tool, disarms, fits, has, held};

pub(super) static BECOME: Tool = Tool::code(become_somebody).taking(
    "CDghpRrTtUucGsw",
    &[
        "user",
        "group",
        "host",
        "prompt",
        "chdir",
        "close-from",
        "command",
        "shell",
        "session-command",
        "other-user",
        "role",
        "type",
    ],
);

/// `sudo -i`, `sudo su`, `su -`: a shell that reads what the agent types next, out of sight.
fn become_somebody(call: &Invocation, read: &Options<'_>, case: &mut Case<'_>) {
    let is_su = call.program() == "su";
    let runs_something =
        if is_su { has(read, "-c|--command|--session-command") } else { !read.operands.is_empty() };
    let opens_shell =
        if is_su { true } else { call.args().iter().any(|arg| fits("-i|-s|--login|--shell", arg.text())) };
    let questions = if is_su { "--help|--version|-h|-V" } else { "--help|--version|-V|-l|-v|-K|-k" };
    let asks_only = disarms(read, questions);
    // What comes on its input instead is judged as a script.
    if opens_shell && !runs_something && !asks_only && call.stdin == Stream::Inherited {
        case.hold(&ROOT_SHELL, call.shown());
    }
}

/// A shell for root, without anything to do.
pub(super) static SHELL: Tool = Tool::code(|call, read, case| {
    let waits_for_typing = read.operands.is_empty() && !has(read, "-c") && call.stdin == Stream::Inherited;
    if call.elevated && waits_for_typing && !disarms(read, "--help|--version") {
        case.hold(&ROOT_SHELL, call.shown());
    }
})
.taking("cO", &["rcfile", "init-file"]);

/// Nobody names more processes than this at once.
const MOST: usize = 64;

/// Processes that nobody ends without ending more.
const VITAL: &str = "init|systemd|systemd-*|sshd|dbus-daemon|launchd|loginwindow|WindowServer|Xorg|Xwayland|gnome-shell|kwin*|\
                     kernel_task|dockerd|containerd|NetworkManager|bash|zsh|-bash";

pub(super) static KILL: Tool = Tool::code(|call, _, case| {
    let mut args = call.args();
    // The signal comes first, and looks like a group of processes.
    match args.first().map(Arg::text) {
        // Signal 0 only asks whether it is there.
        Some("-l" | "-L" | "--list" | "--table" | "--help" | "-0") => return,
        Some("-s" | "-n" | "--signal") => args = args.get(2..).unwrap_or_default(),
        Some("--") | None => {}
        Some(first) if first.starts_with('-') => args = &args[1..],
        Some(_) => {}
    }
    let by_name = args.iter().filter(|arg| !arg.is_sure()).take(MOST);
    if args.iter().any(|arg| matches!(arg.text(), "-1" | "1"))
        || by_name.flat_map(process_names).any(is_vital)
    {
        case.hold(&KILL_ALL, call.shown());
    }
});
pub(super) static KILLALL: Tool = Tool::code(|call, read, case| {
    let by_user = has(read, "-u|--user") && read.operands.is_empty();
    let by_pattern = has(read, "-r|--regexp|-m") && read.operands.iter().any(|name| matches_all(name.text()));
    let vital = || read.operands.len() > MOST || read.operands.iter().any(|name| fits(VITAL, name.text()));
    if by_user || by_pattern || vital() {
        case.hold(&KILL_ALL, call.shown());
    }
})
.taking("uosyZn", &["user", "signal", "older-than", "younger-than"]);
pub(super) static KILLALL5: Tool = Tool::new(&[held("", &KILL_ALL)]);
pub(super) static PKILL: Tool = Tool::code(|call, read, case| {
    let user = read.value('u', "euid").or_else(|| read.value('U', "uid"));
    let by_user = user.is_some_and(|user| read.operands.is_empty() || fits("root|0", user));
    let ends_vital = || read.operands.len() > MOST || read.operands.iter().any(|name| is_vital(name.text()));
    if by_user || ends_vital() || has(read, "-v|--inverse") {
        case.hold(&KILL_ALL, call.shown());
    }
})
.taking(
    "uUGPgstF",
    &["euid", "uid", "group", "parent", "pgroup", "session", "terminal", "signal", "pidfile"],
);

/// What the processes are called that a word stands for: the word itself, or what they were searched for (`$(pgrep name)`).
pub(crate) fn process_names(word: &Arg) -> impl Iterator<Item = &str> {
    word.text().split(UNKNOWN).filter(|name| !name.is_empty())
}

/// Says whether a pattern means a process that nobody ends without ending more.
fn is_vital(pattern: &str) -> bool {
    fits(VITAL, pattern.trim_start_matches('^').trim_end_matches('$')) || matches_all(pattern)
}

/// Says whether a pattern matches every name.
fn matches_all(pattern: &str) -> bool {
    pattern.chars().all(|character| "^.*+$".contains(character))
}
