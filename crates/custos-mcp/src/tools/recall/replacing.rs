//! Memories that take the place of what sessions learnt.

use custos_config::shown::shown;
use custos_index::Entry;
use custos_knowledge::{Refusal, View};
use custos_model::{EventId, Kind, Scope};
use custos_recall::names::could_be_id;
use custos_recall::{Named, Store, fence, hints};
use serde_json::{Map, json};

use super::asker::Asker;
use super::wording::{several, short};
use crate::desk::Desk;
use crate::recollection::unavailable;

/// Something that a new memory takes the place of.
pub(in crate::tools) struct Replaced {
    id: EventId,
    project: Option<String>,
}

/// Takes the ids of observations out of the names of what a new memory takes the place of. The id of a memory's file becomes its slug, by
/// which it is archived: the file says what holds, and no event does.
pub(in crate::tools) fn observations_among(
    desk: &Desk,
    names: &mut Vec<String>,
    is_for_every_project: bool,
) -> Result<Vec<Replaced>, Refusal> {
    if !names.iter().any(|name| could_be_id(name)) {
        return Ok(Vec::new());
    }
    let asker = Asker::at(desk)?;
    // It may have to catch up with what sessions have recorded.
    desk.base.let_go();
    desk.recall.ask(&desk.base, |store| {
        let (mut found, mut slugs) = (Vec::new(), Vec::new());
        for name in names.drain(..) {
            let id = match store.named(name.trim(), &asker.viewer()).map_err(|error| unavailable(&error))? {
                Named::One(id) if could_be_id(&name) => id,
                Named::Several(ids) if could_be_id(&name) => return Err(several(&name, &ids)),
                // A slug may look like an id.
                _ => {
                    slugs.push(name);
                    continue;
                }
            };
            match store.index().get(id).map_err(|error| unavailable(&error.into()))? {
                Some(Entry { file: Some(_), sort, name: called, .. }) => {
                    slugs.push(slug_of(&name, sort.as_deref(), called)?);
                }
                Some(entry) => {
                    holds(store, &entry)?;
                    if !is_for_every_project {
                        stays_within(&entry, &asker.project)?;
                    }
                    found.push(Replaced { id, project: entry.project });
                }
                // Forgotten since it was found.
                None => {}
            }
        }
        *names = slugs;
        Ok(found)
    })
}

/// Refuses what no longer holds, and says what does.
fn holds(store: &mut Store, entry: &Entry) -> Result<(), Refusal> {
    if !entry.superseded {
        return Ok(());
    }
    let by = store.replacement(entry.id).map_err(|error| unavailable(&error))?;
    let by = by.map_or_else(|| "something else".to_owned(), |by| fence::line(&by.to_string()));
    Err(Refusal::new(
        format!("{} no longer holds: {by} took its place", entry.id.end()),
        "Name what holds now; nothing was saved",
    ))
}

/// Refuses what others see than those who will see a memory of this project: they would be left with neither.
fn stays_within(entry: &Entry, project: &str) -> Result<(), Refusal> {
    let is_wider = matches!(entry.scope, Scope::User | Scope::Team);
    if !is_wider && entry.project.as_deref() == Some(project) {
        return Ok(());
    }
    Err(Refusal::new(
        format!(
            "{} is seen outside of this project (scope {}), where a memory of this project is not",
            entry.id.end(),
            entry.scope
        ),
        "Save it with scope `user`, or leave it out of `supersedes`; nothing was saved",
    ))
}

/// Gives the slug of a memory; refuses what is kept in another way.
fn slug_of(name: &str, sort: Option<&str>, called: Option<String>) -> Result<String, Refusal> {
    match (sort, called) {
        (Some("memory"), Some(slug)) => Ok(slug),
        (sort, called) => Err(Refusal::new(
            format!(
                "{} is {}, and no memory takes its place",
                shown(name),
                described(sort, called.as_deref())
            ),
            "Change it with the tools for what it is; nothing was saved",
        )),
    }
}

/// Says what a file of the knowledge base is: `decision D-001`.
fn described(sort: Option<&str>, called: Option<&str>) -> String {
    let called = called.map(|called| format!(" {}", shown(called))).unwrap_or_default();
    format!("{}{called}", sort.unwrap_or("a file of the knowledge base"))
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
