//! How memories read: one line in a list, a block in full; each nothing but text.

use custos_config::shown::shown;
use custos_index::Entry;
use custos_knowledge::Refusal;
use custos_model::{EventId, Kind, Timestamp};
use custos_recall::names::telling_name;
use custos_recall::{Found, Replacement, Store, Whole, fence};
use serde_json::{Map, Value, json};

use super::asker::Asker;
use crate::pages::PAGE;

/// How many sources are named.
const SOURCES: usize = 12;

/// How much of a title a line shows.
const TITLE: usize = 140;

/// Names the events that something was made from, with their kinds.
pub(super) fn sources(store: &mut Store, whole: &Whole) -> String {
    let mut named: Vec<String> = Vec::new();
    for id in whole.sources.iter().take(SOURCES) {
        let kind = store.index().locate(*id).ok().flatten().map_or("gone", |place| place.kind.name());
        named.push(format!("{} {kind}", id.end()));
    }
    let more = whole.sources.len().saturating_sub(SOURCES);
    if more > 0 {
        named.push(format!("and {more} more"));
    }
    named.join(", ")
}

/// Says what something is and where it comes from, in the line above its text.
pub(super) fn head(entry: &Entry, asker: &Asker) -> String {
    let mut head = format!(
        "## {} · {} · {} · {}",
        entry.id.end(),
        kind_word(entry),
        day(entry.ts),
        fence::age(asker.now, entry.ts)
    );
    if let Some(project) = entry.project.as_deref().filter(|project| *project != asker.project) {
        head.push_str(&format!(" · {}", fence::line(project)));
    }
    head.push_str(&format!(" · from {}{}", fence::line(&entry.origin), marks(entry)));
    head
}

/// Spells something in full.
pub(super) fn in_full(whole: &Whole, sources: &str, asker: &Asker) -> String {
    let Whole { entry, body, .. } = whole;
    let mut text = head(entry, asker) + "\n";
    match &whole.replaced_by {
        Some(Replacement::Memory(id) | Replacement::Told(id)) => {
            text.push_str(&format!("No longer holds: {} took its place.\n", id.end()));
        }
        Some(Replacement::Saved(slug)) => {
            text.push_str(&format!("No longer holds: the memory {} took its place.\n", fence::line(slug)));
        }
        None => {}
    }
    for name in fields_of(entry.kind) {
        if let Some(value) = body.get(*name).and_then(Value::as_str).filter(|value| !value.trim().is_empty())
        {
            text.push_str(&format!("{}: {}\n", name.replace('_', " "), paragraphs(value)));
        }
    }
    let list = |name: &str| texts(body, name);
    let facts = list("facts");
    if !facts.is_empty() {
        text.push_str(&format!("facts:\n- {}\n", facts.join("\n- ")));
    }
    for (name, field) in [
        ("concepts", "concepts"),
        ("files changed", "files_modified"),
        ("files changed", "files_edited"),
        ("files read", "files_read"),
    ] {
        let items = list(field);
        if !items.is_empty() {
            text.push_str(&format!("{name}: {}\n", items.join(", ")));
        }
    }
    if !sources.is_empty() {
        text.push_str(&format!("made from: {sources}\n"));
    }
    text.trim_end().to_owned()
}

/// The fields of a body that are texts, in the order in which they read best.
pub(super) fn fields_of(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::SummaryRecorded => &["request", "investigated", "learned", "completed", "next_steps", "notes"],
        Kind::PromptSubmitted => &["text"],
        Kind::KnowledgeSaved => &["name", "title", "text", "file"],
        _ => &["title", "subtitle", "narrative", "text"],
    }
}

/// Keeps the lines of a stored text apart, and each of them nothing but text.
pub(super) fn paragraphs(text: &str) -> String {
    let mut lines = fence::lines(text);
    lines.retain(|line| !line.is_empty());
    lines.join("\n  ")
}

pub(super) fn texts(body: &Map<String, Value>, name: &str) -> Vec<String> {
    let items = body.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(Value::as_str).map(fence::line).collect()
}

/// Makes data of what was stored: the same fields, each text nothing but text, and no longer than a page takes.
pub(super) fn as_data(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            let near = text.char_indices().nth(PAGE).map_or(text.len(), |(at, _)| at);
            let mark = if near < text.len() { "…" } else { "" };
            Value::String(fence::lines(&text[..near]).join("\n") + mark)
        }
        Value::Array(items) => Value::Array(items.iter().map(as_data).collect()),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (fence::line(name), as_data(value))).collect()
        }
        plain => plain.clone(),
    }
}

/// Refuses a part of an id that fits several.
pub(super) fn several(part: &str, ids: &[EventId]) -> Refusal {
    let listed: Vec<String> = ids.iter().map(ToString::to_string).collect();
    Refusal::new(format!("{} may be {}", shown(part), listed.join(" or ")), "Send the whole id")
}

/// Puts what was stored between our marks.
pub(super) fn fenced(heading: &str, text: &str) -> String {
    if text.is_empty() {
        heading.to_owned()
    } else {
        format!("{heading}\n{}\n{text}\n{}", fence::OPEN, fence::CLOSE)
    }
}

pub(super) fn line(found: &Found, asker: &Asker) -> String {
    format!(
        "- {} {}t {:.2} {}",
        about(&found.entry, asker),
        found.tokens,
        found.score,
        title(&found.entry, &found.snippet)
    )
}

/// Says of an entry which it is, when it was, and what it is.
pub(super) fn about(entry: &Entry, asker: &Asker) -> String {
    let elsewhere = entry.project.as_deref().filter(|project| *project != asker.project);
    let elsewhere = elsewhere.map_or_else(String::new, |project| {
        format!(" ({})", fence::cut(project.rsplit('/').next().unwrap_or(project), 40))
    });
    format!("{} {} {}{elsewhere}{}", entry.id.end(), day(entry.ts), kind_word(entry), marks(entry))
}

/// Says what should be known before an entry is believed.
pub(super) fn marks(entry: &Entry) -> String {
    let mut marks = String::new();
    for (is_so, mark) in [
        (entry.pinned, " [pinned]"),
        (entry.superseded, " [replaced]"),
        (!entry.trusted, " [not vouched for]"),
    ] {
        marks.push_str(if is_so { mark } else { "" });
    }
    marks
}

pub(super) fn title(entry: &Entry, otherwise: &str) -> String {
    let name = telling_name(entry).map(|name| format!("{} ", fence::cut(name, 60))).unwrap_or_default();
    let title = entry.title.as_deref().filter(|title| !title.trim().is_empty()).unwrap_or(otherwise);
    format!("| {name}{}", fence::cut(title, TITLE))
}

pub(super) fn kind_word(entry: &Entry) -> String {
    fence::cut(entry.sort.as_deref().unwrap_or_else(|| entry.kind.word()), 20)
}

pub(super) fn short(id: EventId) -> String {
    id.end()
}

pub(super) fn day(ts: Timestamp) -> String {
    ts.to_string().chars().take(16).collect::<String>().replace('T', " ")
}

pub(super) fn row(found: &Found) -> Value {
    let mut row = of_entry(&found.entry);
    row["tokens"] = json!(found.tokens);
    row["score"] = json!(found.score);
    row["parts"] = json!(found.parts);
    row
}

pub(super) fn of_entry(entry: &Entry) -> Value {
    json!({
        "id": entry.id, "ts": entry.ts, "kind": entry.kind, "type": kind_word(entry),
        "title": entry.title.as_deref().map(|title| fence::cut(title, TITLE)),
        "name": entry.name.as_deref().map(fence::line), "project": entry.project.as_deref().map(fence::line),
        "session": entry.session, "pinned": entry.pinned, "trusted": entry.trusted,
    })
}
