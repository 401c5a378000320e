//! The person's editor, and the file that it opens.
//!
//! An editor that was chosen opens wherever the command runs, as git's does: it may be a script, or have a window of its own. One that draws on
//! the terminal needs one. An agent that runs the command has none, and inherits the person's `EDITOR`; it would wait for a key forever.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use custos_config::source::{Links, read_text};
use custos_config::{Environment, env};
use tempfile::TempPath;

use crate::environment::ProcessEnvironment;
use crate::error::CliError;
use crate::exit::Exit;

/// The largest text that is read back: far more than is taken, so that the refusal can say so.
const LARGEST: u64 = 4 << 20;

/// A text that a person is writing. Its file is private, and gone with it unless it is kept.
#[derive(Debug)]
pub(super) struct Draft {
    path: TempPath,
    template: String,
}

impl Draft {
    /// Writes down what the person will find.
    pub(super) fn begin(template: &str) -> Result<Self, CliError> {
        let write = || {
            let mut file = tempfile::Builder::new().prefix("custos-").suffix(".md").tempfile()?;
            file.write_all(template.as_bytes())?;
            Ok(file.into_temp_path())
        };
        let path = write().map_err(|error: std::io::Error| {
            CliError::new(Exit::Io, format!("cannot make a file for the editor: {error}"))
        })?;
        Ok(Self { path, template: template.to_owned() })
    }

    /// Opens the editor, waits for its end, and gives what is in the file then.
    pub(super) fn edit(&self, editor: Editor) -> Result<String, CliError> {
        let name = editor.command.to_string_lossy().into_owned();
        let unusable = |why: String| {
            CliError::new(Exit::Io, format!("the editor `{name}` {why}; nothing was saved"))
                .hint("set EDITOR to one that works, or give the texts as flags")
        };
        let status = opening(editor.command, &self.path)
            // An answer that goes into a pipe must not take the terminal away from the editor.
            .stdout(std::io::stderr())
            .status()
            .map_err(|error| unusable(format!("cannot be started: {error}")))?;
        if !status.success() {
            return Err(unusable(format!("ended with {status}")));
        }
        match read_text(&self.path, LARGEST, Links::Follow) {
            Ok(text) => Ok(text.unwrap_or_default()),
            Err(error) => {
                Err(CliError::new(Exit::Data, format!("what the editor left cannot be used: {error}")))
            }
        }
    }

    /// Leaves the file where it is, for a person whose text could not be saved. One that nobody wrote in is not worth keeping.
    pub(super) fn keep(self) -> Option<PathBuf> {
        let is_untouched = read_text(&self.path, LARGEST, Links::Follow)
            .is_ok_and(|text| text.is_none_or(|text| text.trim().is_empty() || text == self.template));
        if is_untouched { None } else { self.path.keep().ok() }
    }
}

/// An editor.
#[derive(Debug)]
pub(super) struct Editor {
    command: OsString,
    is_chosen: bool,
}

/// Editors that draw on the terminal.
const ON_TERMINAL: &[&str] = &[
    "helix", "hx", "jed", "joe", "kak", "mcedit", "micro", "nano", "ne", "nvim", "pico", "vi", "view", "vim",
];

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

    /// Says whether it opens only where a person sits. Nobody asked for one that was not chosen.
    pub(super) fn needs_terminal(&self) -> bool {
        let command = self.command.to_string_lossy();
        let command = command.trim();
        let program = match command.chars().next() {
            Some(quote @ ('\'' | '"')) => command[1..].split(quote).next(),
            _ => command.split_whitespace().next(),
        };
        let name = program.and_then(|program| program.rsplit(['/', '\\']).next()).unwrap_or_default();
        !self.is_chosen || ON_TERMINAL.contains(&name.trim_end_matches(".exe"))
    }
}

/// The value may have options and quotes, as `code --wait`: a shell reads it, as everywhere else.
#[cfg(unix)]
fn opening(mut editor: OsString, file: &std::path::Path) -> Command {
    editor.push(" \"$1\"");
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(editor).arg("custos").arg(file);
    command
}

#[cfg(not(unix))]
fn opening(editor: OsString, file: &std::path::Path) -> Command {
    let editor = editor.to_string_lossy();
    let mut words = editor.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).arg(file);
    command
}
