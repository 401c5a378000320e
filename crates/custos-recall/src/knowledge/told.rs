//! What each kind of file says, in the words of the index.

use custos_knowledge::backlog::{Priority, Status, Task};
use custos_knowledge::decision::{Decision, Enforce};
use custos_knowledge::handoff::Handoff;
use custos_knowledge::memory::Memory;
use custos_knowledge::question::{self, Question};
use custos_knowledge::shelf::Item;
use custos_knowledge::text::Passage;
use custos_model::Timestamp;

use super::instant;
use crate::policy::Filed;

/// An item of the knowledge base.
pub(super) struct Told {
    pub(super) sort: &'static str,
    /// What people call it: `D-001`, or a slug.
    pub(super) name: String,
    pub(super) title: String,
    pub(super) text: String,
    pub(super) ts: Option<Timestamp>,
    pub(super) importance: f64,
    /// Whether it must be followed.
    pub(super) binds: bool,
}

/// Reads a file; nothing if it cannot be read, or says what does not hold any more.
pub(super) type Tell = fn(&str, &str, &Filed) -> Option<Told>;

/// The directories whose files are one item each.
pub(super) const SHELVES: [(&str, Tell); 5] = [
    ("decisions", decision),
    ("memory/feedback", memory),
    ("memory/patterns", memory),
    ("backlog", task),
    ("local/handoffs", handoff),
];

fn decision(path: &str, text: &str, filed: &Filed) -> Option<Told> {
    let item = Decision::read(path, text).ok().filter(Decision::is_active)?;
    let binds = item.enforce == Enforce::Required;
    Some(Told {
        sort: "decision",
        text: joined(&[&item.decision, &item.reasoning, &spelt(&item.sections)]),
        ts: instant(&item.date),
        name: item.id,
        title: item.title,
        importance: if binds { filed.required } else { filed.advisory },
        binds,
    })
}

fn memory(path: &str, text: &str, filed: &Filed) -> Option<Told> {
    let item = Memory::read(path, text).ok().filter(|item| item.archived.is_none())?;
    Some(Told {
        sort: "memory",
        text: joined(&[&item.description, &item.body, &spelt(&item.sections), &item.keywords.join(", ")]),
        ts: instant(item.updated.as_deref().unwrap_or(&item.date)).or_else(|| instant(&item.date)),
        name: item.slug,
        title: item.title,
        importance: filed.remembered,
        binds: false,
    })
}

fn task(path: &str, text: &str, filed: &Filed) -> Option<Told> {
    let item = Task::read(path, text).ok()?;
    let importance = match (item.status, item.priority) {
        (Status::Done, _) => filed.done,
        (_, Priority::High) => filed.urgent,
        _ => filed.open,
    };
    Some(Told {
        sort: "task",
        text: joined(&[&item.description, &item.notes, &spelt(&item.sections), &item.tags.join(", ")]),
        ts: instant(&item.updated).or_else(|| instant(&item.created)),
        name: item.id,
        title: item.title,
        importance,
        binds: false,
    })
}

fn handoff(path: &str, text: &str, filed: &Filed) -> Option<Told> {
    let item = Handoff::read(path, text).ok()?;
    let parts = item.parts.headed().map(|(_, text)| text);
    let stem = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".md");
    Some(Told {
        sort: "handoff",
        text: joined(&parts),
        ts: instant(&item.date),
        name: stem.to_owned(),
        title: item.parts.stopped_at.lines().next().unwrap_or_default().to_owned(),
        importance: filed.open,
        binds: false,
    })
}

/// Tells a question with its answer.
pub(super) fn question(item: Question, filed: &Filed) -> Told {
    let is_open = item.status == question::Status::Open;
    let when = [&item.answered, &item.asked].into_iter().flatten().find_map(|time| instant(time));
    Told {
        sort: "question",
        text: joined(&[&item.question, &item.context, &item.answer, &item.note]),
        ts: when,
        name: item.id,
        title: item.title,
        importance: if is_open { filed.open } else { filed.done },
        binds: false,
    }
}

/// Spells what else a file says: people write sections of their own, and look for their words.
fn spelt(sections: &[Passage]) -> String {
    let lines = sections.iter().flat_map(|Passage { heading, text }| [heading.as_str(), text]);
    joined(&lines.collect::<Vec<_>>())
}

/// Puts the parts that are not empty one below the other.
fn joined(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.trim().is_empty()).collect();
    parts.join("\n")
}
