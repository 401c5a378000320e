//! Hooks and servers of one client: who belongs to whom.
//!
//! A client starts our hooks and our MCP server, but tells only the hooks which session they belong to. Some name it in the server's
//! environment, and leave the old name there when the person begins anew; one names it in each request. What holds for all of them is that
//! the hook and the server are children of the same process. So a hook notes in which process of the client its session lives, and a
//! server looks up its own. Two windows on one project are two processes, and never mix.
//!
//! | to find | look in |
//! |---|---|
//! | which process above us is the client | here |
//! | the notes that hooks leave about it | [`register`] |
//! | the session that a request belongs to | [`found`] |
//! | the end of sessions whose client is gone | [`orphans`] |
//!
//! Where the system does not show its processes, there are no notes, and a server knows what the client tells it and no more.

pub mod found;
pub mod orphans;
pub mod register;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

pub use found::{Facts, SessionFound, find_session, find_subagent};

/// A process, told apart from a later one that got the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it started, in the system's own count.
    pub start: u64,
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.pid, self.start)
    }
}

/// A text that names no process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a process is named by its number and its start, as in 4711-230512")]
pub struct NoProcess;

impl FromStr for Process {
    type Err = NoProcess;

    fn from_str(text: &str) -> Result<Self, NoProcess> {
        let (pid, start) = text.split_once('-').ok_or(NoProcess)?;
        let process =
            Self { pid: pid.parse().map_err(|_| NoProcess)?, start: start.parse().map_err(|_| NoProcess)? };
        // One spelling only: it is the name of a file.
        if process.to_string() == text { Ok(process) } else { Err(NoProcess) }
    }
}

/// A process above our own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ancestor {
    /// The process.
    pub process: Process,
    /// The name of its program, as far as the system keeps it.
    pub name: String,
}

/// What stands between a client and what it starts: shells, and programs that run another.
const BETWEEN: [&str; 20] = [
    "ash", "bash", "busybox", "csh", "custos", "dash", "doas", "env", "fish", "ksh", "mksh", "nice", "nu",
    "pwsh", "setsid", "sh", "sudo", "tcsh", "timeout", "zsh",
];

/// How many programs above us may be the client: a launcher or two may stand in between.
const MOST_CANDIDATES: usize = 4;

impl Ancestor {
    fn is_between(&self) -> bool {
        BETWEEN.contains(&self.name.trim_start_matches('-'))
    }
}

/// Finds the client of a hook: the first process above it that does not merely run another.
///
/// The ancestors come nearest first, and are asked for only as far as they are needed.
pub fn client_of(ancestors: impl IntoIterator<Item = Ancestor>) -> Option<Process> {
    candidates(ancestors).next()
}

/// Finds the processes that may be the client of a server, nearest first.
///
/// Whatever starts the server for the client may stand in between, but nothing above the next shell counts: there somebody typed a
/// command, and if that was an agent, its session is another's.
pub fn clients_of(ancestors: impl IntoIterator<Item = Ancestor>) -> Vec<Process> {
    candidates(ancestors).take(MOST_CANDIDATES).collect()
}

fn candidates(ancestors: impl IntoIterator<Item = Ancestor>) -> impl Iterator<Item = Process> {
    ancestors
        .into_iter()
        .skip_while(Ancestor::is_between)
        .take_while(|ancestor| !ancestor.is_between())
        .map(|ancestor| ancestor.process)
}
