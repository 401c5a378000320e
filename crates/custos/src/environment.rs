//! The process's surroundings: the only place that reads the environment, the working directory and the machine's name.
#![expect(clippy::disallowed_methods, reason = "this module is the exception that the rule names")]

use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::path::PathBuf;

use custos_config::{Environment, env};
use custos_hooks::kin::{Ancestor, Process};
use custos_log::WriterId;

/// The real environment.
pub(crate) struct ProcessEnvironment;

impl Environment for ProcessEnvironment {
    fn get(&self, name: &str) -> Option<OsString> {
        std::env::var_os(name)
    }
}

/// Gives the working directory, where it still exists.
pub(crate) fn working_directory() -> Option<PathBuf> {
    std::env::current_dir().ok()
}

/// Says whether a person is there to answer.
pub(crate) fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Names this machine as a writer, from its host name and what else tells it from others.
///
/// Where neither can be found out (macOS keeps both from those who only read files), the name is drawn at random, once: the head in the
/// state directory remembers it. Two such machines with the same home must not become one writer of a memory that they share.
pub(crate) fn machine(state: &std::path::Path) -> WriterId {
    let host = first_line("/proc/sys/kernel/hostname")
        .or_else(|| first_line("/etc/hostname"))
        .or_else(|| ProcessEnvironment.get(env::COMPUTERNAME.name)?.into_string().ok())
        .unwrap_or_default();
    let id = first_line("/etc/machine-id").unwrap_or_default();
    let mut chance = [0; 16];
    if host.is_empty() && id.is_empty() {
        // Without chance, the state directory alone has to do; an append that needs randomness will say so.
        let _ = getrandom::fill(&mut chance);
    }
    let state = state.as_os_str().as_encoded_bytes();
    WriterId::of_machine(&host, &[host.as_bytes(), id.as_bytes(), &chance, state])
}

/// Draws a word that nobody guesses; none where the system has no randomness to give.
pub(crate) fn random_word() -> Option<[u8; 16]> {
    let mut word = [0; 16];
    getrandom::fill(&mut word).ok().map(|()| word)
}

/// Gives the processes above this one, nearest first; each is looked up when it is asked for. None where the system does not show them.
pub(crate) fn ancestors() -> impl Iterator<Item = Ancestor> {
    let mut next = parent();
    std::iter::from_fn(move || {
        let seen = Seen::look(next)?;
        next = seen.parent;
        Some(Ancestor { process: seen.process, name: seen.name })
    })
    // A line of processes has an end; this is for a system that says otherwise.
    .take(64)
}

/// Gives this process as others see it.
pub(crate) fn this_process() -> Option<Process> {
    Seen::look(std::process::id()).map(|seen| seen.process)
}

/// Says whether a process still runs.
pub(crate) fn is_running(process: Process) -> bool {
    Seen::look(process.pid).is_some_and(|seen| seen.process == process && !seen.is_dead)
}

/// Names those whose processes this one sees: its machine, and there the container, each of which has numbers of its own.
pub(crate) fn sight(state: &std::path::Path) -> String {
    let container = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{} {}", machine(state), container.display())
}

/// Gives the number of the parent; 0, which the first of all processes has for a parent, where it cannot be told.
fn parent() -> u32 {
    #[cfg(unix)]
    return std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    return 0;
}

/// What the system shows of a process.
struct Seen {
    process: Process,
    name: String,
    parent: u32,
    /// Whether it is about to end, or has and only waits for its parent to notice.
    is_dead: bool,
}

/// The flag of a process that is about to end. Linux closes its files only after that, so whoever reads the end of a pipe sees it.
const EXITING: u64 = 4;

impl Seen {
    fn look(pid: u32) -> Option<Self> {
        let mut line = Vec::with_capacity(512);
        std::fs::File::open(format!("/proc/{pid}/stat")).ok()?.take(4096).read_to_end(&mut line).ok()?;
        Self::read(pid, &String::from_utf8_lossy(&line))
    }

    /// Reads a line of Linux's /proc/PID/stat. A program's name stands in brackets, and may hold brackets and spaces itself.
    fn read(pid: u32, line: &str) -> Option<Self> {
        let (before, after) = line.rsplit_once(") ")?;
        let (_, name) = before.split_once('(')?;
        let mut fields = after.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let flags: u64 = fields.nth(4)?.parse().ok()?;
        let start = fields.nth(12)?.parse().ok()?;
        let is_dead = matches!(state, "Z" | "X" | "x") || flags & EXITING != 0;
        Some(Self { process: Process { pid, start }, name: name.to_owned(), parent, is_dead })
    }
}

fn first_line(path: &str) -> Option<String> {
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(256).read_to_string(&mut text).ok()?;
    text.lines().next().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_its_program_is_called() {
        let line = "4711 (a (b) c) S 812 4711 4711 0 -1 4194560 9 0 0 0 1 2 0 0 20 0 1 0 230512 1000 2 3";
        let seen = Seen::read(4711, line).unwrap();
        assert_eq!(
            (seen.process, seen.name.as_str(), seen.parent, seen.is_dead),
            (Process { pid: 4711, start: 230_512 }, "a (b) c", 812, false)
        );
        for dead in [line.replace(" S ", " Z "), line.replace(" 4194560 ", " 4194564 ")] {
            assert!(Seen::read(4711, &dead).unwrap().is_dead, "{dead}");
        }
        for broken in ["", "4711", "4711 (a", "4711 (a) S", "4711 (a) S x", &line[..60]] {
            assert!(Seen::read(4711, broken).is_none(), "{broken:?}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_runs_below_its_parent() {
        let this = this_process().unwrap();
        assert!(is_running(this));
        assert!(!is_running(Process { start: this.start + 1, ..this }), "another that had the number before");
        let above: Vec<u32> = ancestors().map(|ancestor| ancestor.process.pid).collect();
        assert_eq!(above.first().copied(), Some(parent()));
        assert!(!above.contains(&this.pid));
    }
}
