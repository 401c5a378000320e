//! All that is known of something: its text from the log, where it comes from, and what has taken its place.

use std::fmt;

use custos_index::{Entry, Index, IndexError};
use custos_log::{Line, LogReader};
use custos_model::{EventId, Kind};
use serde_json::{Map, Value};

use crate::access::may_see;
use crate::error::RecallError;
use crate::store::Store;
use crate::viewer::Viewer;

/// Something in full.
#[derive(Debug, Clone, PartialEq)]
pub struct Whole {
    /// What the index keeps of it.
    pub entry: Entry,
    /// Everything that it says.
    pub body: Map<String, Value>,
    /// The events that it was made from.
    pub sources: Vec<EventId>,
    /// What has taken its place.
    pub replaced_by: Option<Replacement>,
}

/// What has taken the place of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replacement {
    /// Another memory.
    Memory(EventId),
    /// A memory that was saved on purpose, by its slug.
    Saved(String),
    /// Something that only the event tells that says so.
    Told(EventId),
}

impl fmt::Display for Replacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(id) | Self::Told(id) => id.fmt(f),
            Self::Saved(slug) => f.write_str(slug),
        }
    }
}

impl Store {
    /// Reads what is asked for, in that order. What there is not, or the viewer may not see, is missing: the two look alike.
    pub fn whole(&mut self, ids: &[EventId], viewer: &Viewer<'_>) -> Result<Vec<Whole>, RecallError> {
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            let Some((key, entry)) = self.index.entry_of(*id)? else { continue };
            if !may_see(viewer, &entry) {
                continue;
            }
            let body = match entry.kind {
                Kind::KnowledgeSaved => self.index.knowledge_text(key)?.map(|text| written(&entry, text)),
                _ => self.body(*id)?,
            };
            // Forgotten since the index was asked.
            let Some(body) = body else { continue };
            let sources = ids_in(&body, "sources");
            let replaced_by = if entry.superseded { self.replacement(*id)? } else { None };
            found.push(Whole { entry, body, sources, replaced_by });
        }
        Ok(found)
    }

    /// Finds what has taken the place of something.
    pub fn replacement(&mut self, id: EventId) -> Result<Option<Replacement>, RecallError> {
        Ok(replacement(&mut self.index, &self.log, id)?)
    }

    /// Reads the body of an event from the log.
    pub(crate) fn body(&mut self, id: EventId) -> Result<Option<Map<String, Value>>, RecallError> {
        Ok(body(&mut self.index, &self.log, id)?)
    }
}

/// Finds what has taken the place of something.
pub(crate) fn replacement(
    index: &mut Index,
    log: &LogReader,
    id: EventId,
) -> Result<Option<Replacement>, IndexError> {
    let Some(by) = index.replacement_of(id)? else { return Ok(None) };
    if index.get(by)?.is_some() {
        return Ok(Some(Replacement::Memory(by)));
    }
    let body = body(index, log, by)?.unwrap_or_default();
    let slug = body.get("slug").and_then(Value::as_str).filter(|slug| !slug.is_empty());
    Ok(Some(slug.map_or(Replacement::Told(by), |slug| Replacement::Saved(slug.to_owned()))))
}

fn body(index: &mut Index, log: &LogReader, id: EventId) -> Result<Option<Map<String, Value>>, IndexError> {
    let Some(place) = index.locate(id)? else { return Ok(None) };
    let mut cursor = log.cursor(&place.writer, place.at)?;
    let Some(Line::Record(record)) = cursor.next()? else { return Ok(None) };
    let body = record.event().ok().filter(|event| event.id == id);
    Ok(body.and_then(|event| serde_json::from_str(event.body.get()).ok()))
}

/// Gives what a file of the knowledge base says.
fn written(entry: &Entry, text: String) -> Map<String, Value> {
    let fields = [
        ("type", entry.sort.clone()),
        ("name", entry.name.clone()),
        ("title", entry.title.clone()),
        ("text", Some(text)),
        ("file", entry.file.clone()),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into()))).collect()
}

fn ids_in(body: &Map<String, Value>, name: &str) -> Vec<EventId> {
    let listed = body.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    listed.iter().filter_map(Value::as_str).filter_map(|id| id.parse().ok()).collect()
}
