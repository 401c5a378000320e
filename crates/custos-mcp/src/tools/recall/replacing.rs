//! Memories that take the place of what sessions learnt.

use custos_knowledge::{Refusal, View};
use custos_model::{EventId, Kind};
use custos_recall::{Named, hints};
use serde_json::{Map, json};

use super::asker::Asker;
use super::wording::{several, short};
use crate::desk::Desk;
use crate::recollection::unavailable;

/// Something that a new memory takes the place of.
pub(in crate::tools) struct Replaced {
    /// As it was called.
    pub(in crate::tools) name: String,
    id: EventId,
    project: Option<String>,
}

/// Tells ids of observations from slugs of memories among what a new memory takes the place of.
pub(in crate::tools) fn observations_among(desk: &Desk, names: &[String]) -> Result<Vec<Replaced>, Refusal> {
    let could_be_id =
        |name: &&String| name.len() >= 8 && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let names: Vec<&String> = names.iter().filter(could_be_id).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let asker = Asker::at(desk)?;
    desk.recall.ask(&desk.base, |store| {
        let mut found = Vec::new();
        for name in names {
            match store.named(name.trim(), &asker.viewer()).map_err(|error| unavailable(&error))? {
                Named::One(id) => {
                    let entry = store.index().get(id).map_err(|error| unavailable(&error.into()))?;
                    found.push(Replaced {
                        name: name.clone(),
                        id,
                        project: entry.and_then(|entry| entry.project),
                    });
                }
                Named::Several(ids) => return Err(several(name, &ids)),
                // A slug may look like an id.
                Named::Nothing => {}
            }
        }
        Ok(found)
    })
}

/// Records that a memory took the place of observations: they are demoted from the next question on, and no hint shows them any more.
pub(in crate::tools) fn replace_observations(
    desk: &Desk,
    view: &View,
    slug: &str,
    replaced: &[Replaced],
) -> Vec<String> {
    let ids: Vec<EventId> = replaced.iter().map(|replaced| replaced.id).collect();
    let body = Map::from_iter([
        ("item".to_owned(), json!("memory")),
        ("slug".to_owned(), json!(slug)),
        ("supersedes".to_owned(), json!(ids)),
    ]);
    let unrecorded = desk.base.record(Kind::KnowledgeUpdated, &view.own().store, body);
    let mut notes: Vec<String> = unrecorded.into_iter().collect();
    for project in replaced.iter().filter_map(|replaced| replaced.project.as_deref()) {
        if let Err(error) = hints::discard(&desk.places.state, project) {
            notes.push(format!("A hint may still show what was replaced: {error}"));
        }
    }
    if notes.is_empty() {
        let named: Vec<String> = ids.iter().map(|id| short(*id)).collect();
        notes.push(format!("It took the place of {}, which no longer counts", named.join(", ")));
    }
    notes
}
