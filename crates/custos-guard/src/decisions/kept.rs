//! What is kept of a project's decisions from one look at them to the next: two files of the state directory.
//!
//! Hooks read the first at every call, so that it holds what is enforced and nothing else. Its first line is the state of the directory that
//! this came from; it is missing as long as some decisions are still to be proven:
//!
//! ```text
//! {"directory":"1794…-4096"}
//! {"file":"D-012-pipeline.md","stamp":"1794…-312","id":"D-012","title":"The pipeline …","command":"terraform apply","spellings":237}
//! ```
//!
//! The second, the ledger beside it, has a line for every file of the base, also for those without a predicate, and says which versions need
//! not be looked at again. Only who brings things up to date reads it.
//!
//! The ledger is written first. Whoever dies in between leaves a directory line that no longer fits, and the next hook catches up. There is no
//! lock: of two who look at once, the later one to write may have seen less, and its directory line says so.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use custos_config::replace::Draft;
use serde::{Deserialize, Serialize};

use super::Checked;

/// The largest of the two files: twenty thousand lines with the longest names.
const LARGEST: u64 = 16 << 20;

/// What hooks read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct InForce {
    /// The state of the directory in which everything was proven that is to be proven.
    pub(super) directory: Option<String>,
    /// The decisions that are enforced.
    pub(super) decisions: Vec<Checked>,
}

/// The first line of what hooks read.
#[derive(Serialize, Deserialize)]
struct FirstLine {
    directory: String,
}

impl InForce {
    /// Reads it; what is missing or damaged is made again by the next check.
    pub(super) fn read(cache: &Path) -> Self {
        let text = text(cache);
        let first = text.lines().next().and_then(|line| serde_json::from_str::<FirstLine>(line).ok());
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Checked>(line).ok());
        Self {
            directory: first.map(|first| first.directory),
            decisions: lines.filter(|decision| decision.spellings.is_some()).collect(),
        }
    }

    /// Puts it in place, whole.
    pub(super) fn write(&self, cache: &Path) -> io::Result<()> {
        let first = self.directory.clone().map(|directory| FirstLine { directory });
        let first = first.iter().filter_map(|line| serde_json::to_string(line).ok());
        write(cache, first.chain(lines(&self.decisions)))
    }
}

/// Reads the ledger, by file.
pub(super) fn read_ledger(cache: &Path) -> BTreeMap<String, Checked> {
    let text = text(&ledger(cache));
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Checked>(line).ok());
    lines.map(|checked| (checked.file.clone(), checked)).collect()
}

/// Puts the ledger in place, whole.
pub(super) fn write_ledger(cache: &Path, checked: &[Checked]) -> io::Result<()> {
    write(&ledger(cache), lines(checked))
}

fn ledger(cache: &Path) -> PathBuf {
    cache.with_extension("ledger.jsonl")
}

fn lines(checked: &[Checked]) -> impl Iterator<Item = String> {
    checked.iter().filter_map(|line| serde_json::to_string(line).ok())
}

fn write(path: &Path, lines: impl Iterator<Item = String>) -> io::Result<()> {
    let text: String = lines.map(|line| line + "\n").collect();
    Draft::begin(path)?.publish_disposable(text.as_bytes())
}

fn text(path: &Path) -> String {
    let read = || {
        let mut text = String::new();
        File::open(path)?.take(LARGEST).read_to_string(&mut text)?;
        Ok::<_, io::Error>(text)
    };
    read().unwrap_or_default()
}
