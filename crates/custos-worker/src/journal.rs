//! The worker's own log: what it did and what went wrong, one line each, for a person who wonders.
//!
//! Nothing is derived from it. When the file is full it becomes the old one and a new one begins, so two files of a megabyte are the most.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use custos_log::disk::{Access, Disk};
use custos_model::Timestamp;

/// The size at which a new file begins.
const FULL: u64 = 1 << 20;

/// The longest line.
const LONGEST: usize = 2_000;

/// The worker's own log.
#[derive(Clone)]
pub struct Journal {
    disk: Arc<dyn Disk>,
    state: PathBuf,
}

impl Journal {
    /// Names the journal of a state directory; the first line creates it.
    pub fn new(disk: Arc<dyn Disk>, state: &Path) -> Self {
        Self { disk, state: state.to_owned() }
    }

    /// Gives the file.
    pub fn path(&self) -> PathBuf {
        self.state.join("worker.log")
    }

    /// Writes a line. A disk that does not take it has already kept the worker from doing anything worth a line.
    pub fn note(&self, now: Timestamp, text: &str) {
        let path = self.path();
        let Ok(handle) = self.disk.open(&path, Access::Append) else { return };
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect();
        let _ = handle.append(format!("{now} {text}\n").as_bytes());
        if handle.len().is_ok_and(|len| len >= FULL) {
            let _ = self.disk.rename(&path, &self.state.join("worker.log.1"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use custos_log::OsDisk;

    #[test]
    fn a_full_journal_makes_room_for_a_new_one() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(Arc::new(OsDisk), dir.path());
        let at = Timestamp::from_millis(0);
        journal.note(at, "one\ntwo");
        assert_eq!(std::fs::read_to_string(journal.path()).unwrap(), "1970-01-01T00:00:00.000Z one two\n");
        for _ in 0..3_000 {
            journal.note(at, &"x".repeat(5_000));
        }
        let sizes =
            ["worker.log", "worker.log.1"].map(|name| dir.path().join(name).metadata().unwrap().len());
        assert!(sizes.iter().all(|size| *size <= FULL + 3_000), "{sizes:?}");
    }
}
