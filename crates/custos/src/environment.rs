//! The process's surroundings: the only place that reads the environment, the working directory and the machine's name.
#![expect(clippy::disallowed_methods, reason = "this module is the exception that the rule names")]

use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::path::PathBuf;

use custos_config::Environment;
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
pub(crate) fn machine(state: &std::path::Path) -> WriterId {
    let host = first_line("/proc/sys/kernel/hostname")
        .or_else(|| first_line("/etc/hostname"))
        .or_else(|| std::env::var("COMPUTERNAME").ok())
        .or_else(|| std::env::var("HOSTNAME").ok())
        .unwrap_or_default();
    let id = first_line("/etc/machine-id").unwrap_or_default();
    WriterId::of_machine(&host, &[host.as_bytes(), id.as_bytes(), state.as_os_str().as_encoded_bytes()])
}

fn first_line(path: &str) -> Option<String> {
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(256).read_to_string(&mut text).ok()?;
    text.lines().next().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned)
}
