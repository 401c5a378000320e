//! The one error of the command line: what happened, what to do next, and the exit code.

use std::io;

use custos_config::{EditError, PlaceError};
use custos_index::IndexError;
use custos_log::LogError;
use custos_recall::RecallError;
use custos_worker::WorkerError;

use crate::exit::Exit;

/// Reports why a command could not do its work.
#[derive(Debug)]
pub(crate) struct CliError {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl CliError {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hint: None }
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Stands for a reader that has gone away: `custos log tail | head` is a success.
    pub(crate) fn reader_gone() -> Self {
        Self::new(Exit::Success, String::new())
    }

    pub(crate) fn is_silent(&self) -> bool {
        self.message.is_empty()
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::reader_gone();
        }
        Self::new(Exit::Io, format!("cannot write the answer: {error}"))
    }
}

impl From<LogError> for CliError {
    fn from(error: LogError) -> Self {
        let (exit, hint) = match &error {
            LogError::Busy { .. } => {
                (Exit::Busy, "try again; if it stays, look for a hanging custos process")
            }
            LogError::Io { source, .. } => (Exit::Io, io_hint(source.kind())),
            LogError::TooLarge { .. } => (Exit::Data, "raise log.max_event_kb or send less"),
            LogError::Writer(_) | LogError::Json(_) => (Exit::Data, ""),
            _ => (Exit::Io, ""),
        };
        let error = Self::new(exit, error.to_string());
        if hint.is_empty() { error } else { error.hint(hint) }
    }
}

fn io_hint(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "the disk is full: free some space and try again; nothing that was acknowledged is lost"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "you may not write there: check the owner and the rights of the directory, or point AI_MEMORY_PATH elsewhere"
        }
        io::ErrorKind::NotADirectory => "a file is where a directory should be: move it away",
        _ => "",
    }
}

impl From<WorkerError> for CliError {
    fn from(error: WorkerError) -> Self {
        match error {
            WorkerError::Log(error) => error.into(),
            WorkerError::Index(error) => error.into(),
            error => Self::new(Exit::Io, error.to_string())
                .hint("check the rights of the state directory and the room on its disk"),
        }
    }
}

impl From<RecallError> for CliError {
    fn from(error: RecallError) -> Self {
        match error {
            RecallError::Index(error) => error.into(),
            RecallError::Log(error) => error.into(),
            error => Self::new(Exit::Io, error.to_string()),
        }
    }
}

impl From<PlaceError> for CliError {
    fn from(error: PlaceError) -> Self {
        Self::new(Exit::Config, error.to_string())
    }
}

impl From<EditError> for CliError {
    fn from(error: EditError) -> Self {
        let exit = match &error {
            EditError::Unknown(_) => Exit::NotFound,
            EditError::Wrong(_) => Exit::Data,
            EditError::Unwritable { .. } => Exit::Io,
            _ => Exit::Config,
        };
        Self::new(exit, error.to_string())
    }
}

impl From<IndexError> for CliError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Log(error) => error.into(),
            error @ IndexError::Busy => {
                Self::new(Exit::Busy, error.to_string()).hint("try again in a moment")
            }
            IndexError::Io { ref source, .. } => {
                let hint = io_hint(source.kind());
                let error = Self::new(Exit::Io, error.to_string());
                if hint.is_empty() { error } else { error.hint(hint) }
            }
            error => Self::new(Exit::Io, error.to_string()).hint(
                "the index is in the state directory: check its rights and the room on its disk; the log itself is not affected",
            ),
        }
    }
}
