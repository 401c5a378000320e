//! The person's editor, and where it may open.
//!
//! On a terminal it opens whatever it is. Elsewhere nobody can tell what it would wait for: an agent that runs the command inherits the
//! person's `EDITOR`, and `editor`, `env vim` or a wrapper of somebody's own may all end in a program that waits for a key forever. So without a
//! terminal only a script opens, which is what people put there on purpose; it has nothing to read, and a minute.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use custos_config::{Environment, env};

use crate::environment::{self, ProcessEnvironment};
use crate::installation::machine;

/// An editor.
#[derive(Debug)]
pub(super) struct Editor {
    command: OsString,
    is_chosen: bool,
}

/// Programs that do what their arguments say and end, as in `sed -i …` and `python3 fill-in.py`.
const TOOLS: &[&str] = &[
    "awk", "bash", "cp", "false", "mv", "node", "perl", "python", "python3", "ruby", "sed", "sh", "tee",
    "touch", "true",
];

/// Where the system and its packages keep programs. A script in there may start any editor, as `sensible-editor` does.
const OF_SYSTEM: &[&str] = &["/bin", "/nix", "/opt", "/sbin", "/snap", "/usr"];

/// How long a script may take.
const PATIENCE: Duration = Duration::from_mins(1);

impl Editor {
    /// The editor that the person chose: `VISUAL`, else `EDITOR`, else the one that every system has.
    pub(super) fn chosen() -> Self {
        let chosen = [env::VISUAL, env::EDITOR]
            .iter()
            .filter_map(|variable| ProcessEnvironment.get(variable.name))
            .find(|value| !value.to_string_lossy().trim().is_empty());
        let fallback = if cfg!(windows) { "notepad" } else { "vi" };
        Self { is_chosen: chosen.is_some(), command: chosen.unwrap_or_else(|| fallback.into()) }
    }

    /// Says whether it may open where the command runs. Without a terminal nobody asked for one that was not chosen.
    pub(super) fn may_open(&self) -> bool {
        environment::is_interactive() || (self.is_chosen && self.is_script())
    }

    /// Says whether it is a script, and no program that may want a terminal.
    fn is_script(&self) -> bool {
        let command = self.command.to_string_lossy();
        let program = program(&command);
        let file = || if program.contains('/') { Some(program.into()) } else { machine::on_path(program) };
        TOOLS.contains(&name_of(program)) || file().is_some_and(|file| is_own_script(&file))
    }

    /// Its command, as the person wrote it.
    pub(super) fn name(&self) -> String {
        self.command.to_string_lossy().into_owned()
    }

    /// Opens a file in it and waits for its end; an error is the end of a sentence.
    pub(super) fn open(self, file: &Path) -> Result<ExitStatus, String> {
        let mut command = opening(self.command, file);
        // An answer that goes into a pipe must not take the terminal away from the editor.
        command.stdout(std::io::stderr());
        let unstarted = |error: std::io::Error| format!("cannot be started: {error}");
        if environment::is_interactive() {
            return command.status().map_err(unstarted);
        }
        command.stdin(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(unstarted)?;
        machine::wait(&mut child, Instant::now() + PATIENCE).ok_or_else(|| {
            end_group(child.id());
            "was not done after a minute, and there is no terminal for it to wait for".to_owned()
        })
    }
}

/// The first word of a command, which may be quoted.
fn program(command: &str) -> &str {
    let command = command.trim();
    match command.chars().next() {
        Some(quote @ ('\'' | '"')) => command[1..].split(quote).next(),
        _ => command.split_whitespace().next(),
    }
    .unwrap_or_default()
}

fn name_of(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Says whether a file is a script that no package brought along.
fn is_own_script(path: &Path) -> bool {
    // As it really is: a link of somebody's own may lead to any program.
    let Ok(real) = std::fs::canonicalize(path) else { return false };
    let is_of_system = OF_SYSTEM.iter().any(|directory| real.starts_with(directory));
    let mut start = [0; 2];
    let mut read = || std::fs::File::open(&real)?.read_exact(&mut start);
    !is_of_system && real.is_file() && read().is_ok() && &start == b"#!"
}

/// Ends what a script has left running. The number of a group is not given out anew while somebody is in it.
#[cfg(unix)]
fn end_group(leader: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end_group(_leader: u32) {}

/// The value may have options and quotes, as `code --wait`: a shell reads it, as everywhere else.
#[cfg(unix)]
fn opening(mut editor: OsString, file: &Path) -> Command {
    editor.push(" \"$1\"");
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(editor).arg("custos").arg(file);
    command
}

#[cfg(not(unix))]
fn opening(editor: OsString, file: &Path) -> Command {
    let editor = editor.to_string_lossy();
    let mut words = editor.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).arg(file);
    command
}
