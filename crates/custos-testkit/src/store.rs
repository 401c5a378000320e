//! Logs of any size, written with the library and not forced to the disk, for benchmarks and long runs.

use std::path::PathBuf;

use custos_log::append::{Places, Surroundings};
use custos_log::{Limits, Log, LogError, WriterId};
use custos_model::{Draft, Origin, SchemaViolation};
use serde_json::Value;

use crate::TempHome;

/// A log that was filled.
#[derive(Debug, Clone)]
pub struct Filled {
    /// The log directory, as the program finds it in the home.
    pub log: PathBuf,
    /// A state directory of its own: the program that is run in the home is another writer.
    pub state: PathBuf,
}

/// Reports why a log could not be filled.
#[derive(Debug, thiserror::Error)]
pub enum FillError {
    /// The name of the writer is none.
    #[error(transparent)]
    Writer(#[from] custos_log::NotAWriter),
    /// A draft of the corpus is none.
    #[error("a draft of the corpus violates the schema: {0}")]
    Draft(#[from] SchemaViolation),
    /// The log refused.
    #[error(transparent)]
    Log(#[from] LogError),
}

/// Appends drafts to the log in a home, as the writer `corpus`.
pub fn fill(home: &TempHome, drafts: impl Iterator<Item = Value>) -> Result<Filled, FillError> {
    let (memory, state) = (home.memory_dir(), home.path().join("corpus-state"));
    let places = Places { log: memory.join("log"), backups: memory.join("backups"), state: state.clone() };
    let writer: WriterId = "corpus".parse()?;
    let log = Log::new(places, Surroundings::system(), Limits { sync: false, ..Limits::default() }, writer);
    for draft in drafts {
        let fields = draft.as_object().cloned().unwrap_or_default();
        log.append(Draft::from_fields(fields)?, Origin::Cli)?;
    }
    Ok(Filled { log: memory.join("log"), state })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus;

    #[test]
    fn a_filled_log_holds_every_event_and_is_proven() {
        let home = TempHome::new().unwrap();
        let filled = fill(&home, corpus::events(3, 50)).unwrap();
        let reader = custos_log::LogReader::new(&filled.log);
        let writer = "corpus".parse().unwrap();
        let mut cursor = reader.cursor(&writer, custos_log::Position::START).unwrap();
        let mut records = 0;
        while let Some(custos_log::Line::Record(_)) = cursor.next().unwrap() {
            records += 1;
        }
        assert_eq!(records, 50);
    }
}
