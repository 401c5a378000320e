//! What the form of a file depends on of the item in it: decisions, tasks and memories have it alike.

use super::paper::Sort;
use crate::backlog::{self, Task};
use crate::decision::{self, Decision};
use crate::memory::Memory;
use crate::shelf::Fault;
use crate::text::Document;

/// What the form of a file depends on of the item in it.
#[derive(Debug)]
pub(crate) struct Gist {
    /// The number of its id; memories have none.
    pub(super) number: Option<u32>,
    pub(super) title: String,
    pub(super) date: String,
    /// Whether it has a text that lists show.
    pub(super) has_text: bool,
    /// The directory in which it should be.
    pub(super) directory: &'static str,
}

impl Gist {
    pub(super) fn read(sort: Sort, file: &str, document: &Document) -> Result<Self, Fault> {
        Ok(match sort {
            Sort::Decision => Self::from(&Decision::of(file, document)?),
            Sort::Task => Self::from(&Task::of(file, document)?),
            Sort::Memory => Self::from(&Memory::of(file, document)),
        })
    }
}

impl From<&Decision> for Gist {
    fn from(item: &Decision) -> Self {
        Self {
            number: decision::number(&item.id),
            title: item.title.clone(),
            date: item.date.clone(),
            has_text: !item.decision.is_empty(),
            directory: "decisions",
        }
    }
}

impl From<&Task> for Gist {
    fn from(item: &Task) -> Self {
        Self {
            number: backlog::number(&item.id),
            title: item.title.clone(),
            date: item.created.clone(),
            has_text: !item.description.is_empty(),
            directory: "backlog",
        }
    }
}

impl From<&Memory> for Gist {
    fn from(item: &Memory) -> Self {
        Self {
            number: None,
            title: item.title.clone(),
            date: item.date.clone(),
            has_text: !item.description.is_empty(),
            directory: item.kind.directory(),
        }
    }
}
