//! The tools about memories.

use std::sync::Arc;

use custos_knowledge::base::Stack;
use custos_knowledge::decision::Placed;
use custos_knowledge::keeping::Became;
use custos_knowledge::memory::save::NewMemory;
use custos_knowledge::memory::{Memory, MemoryKind, SavedMemory, twins};
use custos_knowledge::naming::Unread;
use custos_knowledge::{Level, Refusal, View};
use serde_json::{Value, json};

use crate::answer::{Answer, Unvouched, file_of, one_line, place, store_name, titled, whose, with_notes};
use crate::desk::{Caller, Desk};
use crate::fields::Arguments;
use crate::pages::{List, Page};

use super::beside::{add_beside, counts_beside, told_beside};
use super::health::{missing, shut};
use super::kept;
use super::kept::{noted_at_home, really_kept};
use super::recall;
use super::shown::{Shown, notes};

/// What a memory is about.
pub(super) const KINDS: &[&str] = &["feedback", "pattern"];

/// How much of a description the list shows.
const SHOWN: usize = 400;

pub(super) fn memories(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.look(arguments)?;
    let kind = MemoryKind::of(arguments.text("type"));
    let mut found = desk.base.memories(&view, None);
    let all = found.len();
    found.retain(|placed| kind.is_none_or(|kind| placed.kept.item.kind == kind));
    let unvouched = Unvouched::of(&desk.base, &view);
    let mut list = List::beginning_with(unvouched.caution());
    let mut shown = Vec::new();
    for stack in &view.stacks {
        for (kind, heading) in [(MemoryKind::Feedback, "Feedback"), (MemoryKind::Pattern, "Patterns")] {
            let of_store: Vec<&Placed<Memory>> = found
                .iter()
                .filter(|placed| placed.store == stack.store && placed.kept.item.kind == kind)
                .collect();
            if of_store.is_empty() {
                continue;
            }
            list.section(&format!("## {heading} of {} ({})\n\n", store_name(&stack.store), of_store.len()));
            for placed in &of_store {
                list.item(placed.kept.line(line));
            }
            list.say("\n");
            shown.extend(of_store);
        }
    }
    let unread: usize =
        view.stacks.iter().flat_map(|stack| &stack.memories).map(|shelf| shelf.faults().len()).sum();
    let shut = shut(&view, &MemoryKind::ALL.map(MemoryKind::directory));
    let beside = counts_beside(desk, &view, |view| desk.base.memories(view, kind).len());
    let last = match (shown.is_empty(), kind) {
        (true, Some(kind)) if all > 0 => {
            format!(
                "No memory has the type {}. Others: {all} (`memories` without type shows them).",
                kind.word()
            )
        }
        (true, _) if unread > 0 || !shut.is_empty() => "No memory can be shown.".to_owned(),
        (true, _) if !beside.is_empty() => "No memory is kept for the whole workspace yet.".to_owned(),
        (true, _) => "No memories yet. `save_memory` keeps a lesson as soon as it is learnt.".to_owned(),
        (false, _) => "`get_memory` shows one with its details (marked +).".to_owned(),
    };
    list.say(&format!("{last}\n\n{}{shut}{}", told_beside(&beside), missing(unread)));
    let page = desk.page(&list, arguments);
    let rows: Vec<Value> = shown[page.items.clone()].iter().map(|placed| row(placed)).collect();
    let mut data = json!({
        "memories": rows, "total": shown.len(), "unreadable": unread, "page": page.number, "pages": page.of,
    });
    add_beside(&mut data, &beside);
    unvouched.mark(&mut data);
    Ok(Answer::new(page.text, data))
}

fn line(item: &Memory) -> String {
    let more = if item.has_more() { " +" } else { "" };
    let description = one_line(&item.description, SHOWN);
    format!("- **{}** ({}){more}: {description}\n", titled(&item.title), titled(&item.slug))
}

fn row(placed: &Placed<Memory>) -> Value {
    let item = &placed.kept.item;
    json!({
        "slug": item.slug, "type": item.kind, "title": item.title, "level": placed.level, "store": placed.store.name,
        "date": item.date, "keywords": item.keywords, "has_details": item.has_more(),
        "description": one_line(&item.description, SHOWN),
    })
}

pub(super) fn get_memory(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.look(arguments)?;
    let wanted = arguments.text("slug");
    let beside = desk.base.memories_beside(&view, wanted);
    let found = desk.base.find_memories(&view, wanted);
    let unread = desk.base.unread_memory(&view, wanted);
    let Some(first) = found.first() else {
        return Err(unread.as_ref().map_or_else(
            || desk.base.not_here(&view, "memory", wanted, &beside, "`memories` lists what there is"),
            Unread::refusal,
        ));
    };
    let notes = notes(twins(&found), &beside, unread.as_ref());
    let shown = Shown::of((desk, &view, arguments), &found, notes, |placed| {
        (titled(&placed.kept.item.title), whole(placed))
    });
    let page = &shown.page;
    let mut data = in_full(page, 0, first);
    data["archived"] = json!(first.kept.item.archived);
    if found.len() > 1 {
        let others = found.iter().enumerate().skip(1);
        data["others"] = others.map(|(at, placed)| in_full(page, at, placed)).collect();
    }
    Ok(shown.answer(data, "notes"))
}

/// A memory as data, with as much of its texts as the page shows.
fn in_full(page: &Page, at: usize, placed: &Placed<Memory>) -> Value {
    let (mut data, item) = (row(placed), &placed.kept.item);
    let mut texts = vec![("description", json!(item.description)), ("body", json!(item.body))];
    if !item.sections.is_empty() {
        texts.push(("sections", json!(item.sections)));
    }
    page.add_texts(at, &mut data, &texts);
    data["file"] = json!(file_of(&placed.store.dir, &placed.kept.file));
    data
}

/// Spells a memory in full, below its heading.
fn whole(placed: &Placed<Memory>) -> String {
    let item = &placed.kept.item;
    let (slug, kind, whose) = (titled(&item.slug), item.kind.word(), whose(&placed.store));
    let mut text = format!("{slug} · {kind} · {whose} · {}", item.date);
    if !item.keywords.is_empty() {
        text.push_str(&format!(" · {}", item.keywords.join(", ")));
    }
    if let Some(archived) = &item.archived {
        text.push_str(&format!(" · archived {}: {}", archived.time, archived.reason));
        if let Some(by) = &archived.superseded_by {
            text.push_str(&format!(" · superseded by {}", titled(by)));
        }
    }
    let said = placed.in_full();
    text.push_str(&format!(" · {}\n\n{said}\n", file_of(&placed.store.dir, &placed.kept.file)));
    text
}

pub(super) fn save_memory(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let source = if desk.caller == Caller::Person { "manual" } else { "session" };
    let saved = really_kept(desk, keep(desk, &view, new(arguments, source))?)?;
    let texts: Vec<String> = saved.iter().map(told).collect();
    Ok(Answer::new(
        texts.join("\n"),
        json!({ "slug": saved.first().map(|saved| &saved.slug), "saved": saved }),
    ))
}

/// Keeps a memory. What sessions learnt is called by its id, and what was saved on purpose by its slug; it may take the place of both.
pub(super) fn keep(desk: &Desk, view: &View, mut new: NewMemory) -> Result<Vec<SavedMemory>, Refusal> {
    if new.supersedes.is_empty() {
        return remembered(desk, view, &new);
    }
    let stores = desk.base.targets(&new.scope, view).stacks;
    let is_for_every_project = stores.iter().any(|stack| stack.store.level == Level::User);
    let replaced = recall::observations_among(desk, &mut new.supersedes, is_for_every_project)?;
    let mut saved = remembered(desk, view, &new)?;
    if let Some(first) = saved.first_mut().filter(|_| !replaced.is_empty()) {
        let is_its =
            |stack: &&Arc<Stack>| stack.store.level == first.level && stack.store.name == first.store;
        for stack in stores.iter().filter(is_its) {
            desk.base.make_sure(&stack.store, &first.file)?;
        }
        first.notes.extend(recall::replace_observations(desk, view, &first.slug, &replaced));
    }
    Ok(saved)
}

/// Saves a memory, and remembers that this connection has.
fn remembered(desk: &Desk, view: &View, new: &NewMemory) -> Result<Vec<SavedMemory>, Refusal> {
    let mut saved = desk.base.save_memory(new, view)?;
    noted_at_home(desk, view, &new.scope, &mut saved);
    for saved in saved.iter().filter(|saved| saved.became != Became::Unchanged) {
        desk.has_saved(saved.level, &saved.store, &saved.slug);
    }
    Ok(saved)
}

/// Reads a memory from the arguments of a call.
pub(super) fn new(arguments: &Arguments, source: &'static str) -> NewMemory {
    NewMemory {
        kind: MemoryKind::of(arguments.text("type")).unwrap_or(MemoryKind::Pattern),
        title: arguments.text("title").to_owned(),
        description: arguments.text("description").to_owned(),
        body: arguments.text("body").to_owned(),
        keywords: arguments.labels("keywords"),
        scope: arguments.texts("scope"),
        source,
        supersedes: arguments.names("supersedes"),
    }
}

pub(super) fn told(saved: &SavedMemory) -> String {
    let what = match saved.became {
        Became::Created => "saved",
        Became::Updated => "updated",
        Became::Unchanged => "is there already",
        Became::Archived => "archived",
    };
    let place = place(saved.level, &saved.store);
    let text = format!("{} {what}: {} · {place} · {}", saved.slug, titled(&saved.title), saved.file);
    with_notes(text, &saved.notes)
}

/// What whoever puts a memory away twice is told.
const GONE: &str = "Nothing was changed; `get_memory` shows it, and why it was put away";

/// Says of a memory that is to be put away that it is.
pub(super) fn gone(past: &Placed<Memory>) -> String {
    let Memory { slug, archived, .. } = &*past.kept.item;
    kept::gone(slug, &past.store, archived.as_ref().and_then(|put| put.superseded_by.as_deref()))
}

pub(super) fn archive_memory(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let slug = arguments.text("slug");
    let archived =
        desk.base.archive_memory(&view, slug, arguments.text("reason"), arguments.some_text("superseded_by"));
    let archived = archived.map_err(|refusal| match desk.base.archived_memory(&view, slug) {
        // The reason that was sent now is kept nowhere, so that it is no success.
        Some(past) => Refusal { problem: gone(&past), next: GONE.to_owned(), ..refusal },
        None => refusal,
    })?;
    Ok(Answer::new(told(&archived), json!({ "slug": archived.slug, "archived": archived })))
}

pub(super) fn merge_memories(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let merged = desk.base.merge_memories(
        &view,
        arguments.text("into"),
        &arguments.names("from"),
        arguments.some_text("description"),
        arguments.some_text("body"),
    )?;
    let gone: Vec<&str> = merged.archived.iter().map(|gone| gone.slug.as_str()).collect();
    let text = format!("{}\nArchived in its favour: {}", told(&merged.into), gone.join(", "));
    Ok(Answer::new(text, json!({ "slug": merged.into.slug, "merged": merged })))
}
