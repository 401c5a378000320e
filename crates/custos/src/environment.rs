//! The process's surroundings: the only place that reads the environment, the working directory and the machine's name.
#![expect(clippy::disallowed_methods, reason = "this module is the exception that the rule names")]

use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::path::PathBuf;

use custos_config::{Environment, env};
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

fn first_line(path: &str) -> Option<String> {
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(256).read_to_string(&mut text).ok()?;
    text.lines().next().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned)
}
