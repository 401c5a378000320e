//! What an observation was made from, read back from the log.

use custos_index::Index;
use custos_log::{Line, LogReader};
use custos_model::{Event, EventId};
use serde_json::{Map, Value};

use crate::error::RecallError;

/// Reads the body of an event from the log.
pub(super) fn body(
    index: &mut Index,
    log: &LogReader,
    id: EventId,
) -> Result<Option<Map<String, Value>>, RecallError> {
    read(index, log, id, |event| Some(fields(event)))
}

/// Gives the fields of an event.
pub(super) fn fields(event: &Event<'_>) -> Map<String, Value> {
    serde_json::from_str(event.body.get()).unwrap_or_default()
}

/// Reads from an event what is wanted of it; none if the log does not have it.
pub(super) fn read<T>(
    index: &mut Index,
    log: &LogReader,
    id: EventId,
    take: impl FnOnce(&Event<'_>) -> Option<T>,
) -> Result<Option<T>, RecallError> {
    let Some(place) = index.locate(id)? else { return Ok(None) };
    let mut cursor = log.cursor(&place.writer, place.at)?;
    Ok(match cursor.next()? {
        // The log may be another one than the index has read.
        Some(Line::Record(record)) => {
            record.event().ok().filter(|event| event.id == id).as_ref().and_then(take)
        }
        _ => None,
    })
}

/// Lists the texts of a field.
pub(super) fn texts_in(body: &Map<String, Value>, name: &str) -> Vec<String> {
    let list = body.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Lists the ids of a field.
pub(super) fn ids_in(body: &Map<String, Value>, name: &str) -> Vec<EventId> {
    texts_in(body, name).iter().filter_map(|id| id.parse().ok()).collect()
}
