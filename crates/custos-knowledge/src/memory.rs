//! Memories: what a session learnt that the next should know.
//!
//! `memory/feedback/slug.md` holds what people said about the work, `memory/patterns/slug.md` how things are done here. A memory is known by
//! its slug. Unlike a decision it may be said again, and better: saving one with the title of another brings that one up to date, wherever it
//! is, and keeps whatever else its file says ([`save`]). Several that say the same become one ([`merge`]). Of memories with one slug at
//! several levels, the nearest is shown.

use std::collections::HashSet;

use custos_model::Kind;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::base::{Base, Stack, View};
use crate::check::Card;
use crate::decision::Placed;
use crate::keeping::{self, Became};
use crate::naming::Called;
use crate::refusal::Refusal;
use crate::shelf::{Contents, Fault, Item, Kept, ReadBoth, Shelf};
use crate::store::{Level, Store, Writing};
use crate::text::{self, Document, Passage, Section};

mod finding;
pub mod merge;
pub mod save;
mod supersede;

pub use finding::{by_file, twins};
use finding::{no_such_memory, positions, still_there, unreadable};

#[cfg(test)]
mod tests;

/// What a memory is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryKind {
    /// What somebody said about the work.
    Feedback,
    /// How something is done here.
    Pattern,
}

impl MemoryKind {
    /// Both, in the order in which they are listed.
    pub const ALL: [Self; 2] = [Self::Feedback, Self::Pattern];

    /// The word in a file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Feedback => "feedback",
            Self::Pattern => "pattern",
        }
    }

    /// Reads the word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// The directory of its files, below the store.
    pub const fn directory(self) -> &'static str {
        match self {
            Self::Feedback => "memory/feedback",
            Self::Pattern => "memory/patterns",
        }
    }

    /// The file of a memory, below the store.
    fn file(self, slug: &str) -> String {
        format!("{}/{slug}.md", self.directory())
    }
}

/// The longest slug of a memory.
pub const LONGEST_SLUG: usize = 60;

/// The section with what is fetched on demand.
const DETAILS: &str = "Details";

/// A memory as its file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// Its own name, and mostly that of its file.
    pub slug: String,
    /// What it is about.
    #[serde(rename = "type")]
    pub kind: MemoryKind,
    /// What it says, in one line.
    pub title: String,
    /// Where it comes from: one of [`crate::decision::SOURCES`].
    pub source: String,
    /// The day on which it was first kept.
    pub date: String,
    /// The day on which it was last changed, if it ever was.
    pub updated: Option<String>,
    /// Words by which it is found.
    pub keywords: Vec<String>,
    /// The session in which it was first kept.
    pub session: Option<String>,
    /// What it is about, where that was said.
    pub scope: Vec<String>,
    /// When and why it was put away, if it was.
    pub archived: Option<PutAway>,
    /// What is read with the catalogue.
    pub description: String,
    /// What is fetched on demand.
    pub body: String,
    /// What else its file says, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Passage>,
}

/// The stamp of a memory in the archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PutAway {
    /// When.
    pub time: String,
    /// Why.
    pub reason: String,
    /// The slug of the memory that took its place.
    pub superseded_by: Option<String>,
}

impl Item for Memory {
    type Beside = Card;

    fn read(file: &str, text: &str) -> Result<Self, Fault> {
        let document = Document::parse(text).map_err(|problem| Fault::of(file, &problem))?;
        Ok(Self::of(file, &document.without_secrets()))
    }

    fn read_both(file: &str, text: &str) -> ReadBoth<Self, Card> {
        Card::with((file, text), |document| Ok(Self::of(file, document)))
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn said(&self) -> String {
        let own = Section { heading: DETAILS, text: &self.body };
        Passage::outlined(&self.description, own, &self.sections)
    }
}

impl Memory {
    /// Takes it from its file, which was read.
    pub(crate) fn of(file: &str, document: &Document) -> Self {
        let front = document.front();
        let own = |key: &str| front.text(key).filter(|text| !text.is_empty()).map(str::to_owned);
        let stem = keeping::stem(file);
        let slug =
            own("slug").filter(|slug| text::is_slug(slug, LONGEST_SLUG)).unwrap_or_else(|| stem.to_owned());
        // A word that nobody knows, or none: the directory says it as well.
        let kind = front.text("type").and_then(MemoryKind::of).unwrap_or_else(|| kind_of_directory(file));
        let heading = Some(document.title()).filter(|title| !title.is_empty());
        let mut sections: Vec<Section<'_>> = document.sections().collect();
        let details = Section::take(&mut sections, DETAILS);
        Self {
            kind,
            title: keeping::shown_title(
                &own("title").or_else(|| heading.map(str::to_owned)).unwrap_or_else(|| slug.clone()),
            ),
            slug,
            source: own("source").unwrap_or_else(|| "manual".to_owned()),
            date: own("date").unwrap_or_default(),
            updated: own("updated"),
            keywords: front.list("keywords"),
            session: own("session"),
            scope: front.list("scope"),
            archived: own("archived").map(|time| PutAway {
                time,
                reason: own("archived_reason").unwrap_or_default(),
                superseded_by: own("superseded_by"),
            }),
            description: document.lead().to_owned(),
            body: details.unwrap_or_default().to_owned(),
            sections: sections.into_iter().map(Passage::from).collect(),
        }
    }

    /// Says whether there is more to it than its description.
    pub fn has_more(&self) -> bool {
        !self.body.is_empty() || !self.sections.is_empty()
    }
}

impl Called for Memory {
    const WHAT: &'static str = "memory";
    const NAMED_BY: &'static str = "slug";

    fn name(&self) -> &str {
        &self.slug
    }

    fn name_by_file(file: &str) -> &str {
        finding::by_file(file)
    }
}

fn kind_of_directory(file: &str) -> MemoryKind {
    let in_feedback = file.trim_start_matches("archive/").starts_with(MemoryKind::Feedback.directory());
    if in_feedback { MemoryKind::Feedback } else { MemoryKind::Pattern }
}

/// What became of a memory, in one store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SavedMemory {
    /// Its slug.
    pub slug: String,
    /// What it is about.
    #[serde(rename = "type")]
    pub kind: MemoryKind,
    /// Its title.
    pub title: String,
    /// The level of the store.
    pub level: Level,
    /// The store.
    pub store: String,
    /// The file, below the store.
    pub file: String,
    /// What became of it.
    pub became: Became,
    /// The stores of its scope that did not take it; with the first of those that did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// What whoever asked should know.
    pub notes: Vec<String>,
}

impl SavedMemory {
    fn new(item: &Memory, store: &Store, file: &str, became: Became, notes: Vec<String>) -> Self {
        Self {
            slug: item.slug.clone(),
            kind: item.kind,
            title: item.title.clone(),
            level: store.level,
            store: store.name.clone(),
            file: file.to_owned(),
            became,
            refused: Vec::new(),
            notes,
        }
    }
}

impl Base {
    /// Lists the memories of every level, the nearest first; of those with one slug only the nearest level's.
    pub fn memories(&self, view: &View, kind: Option<MemoryKind>) -> Vec<Placed<Memory>> {
        let mut placed: Vec<Placed<Memory>> = Vec::new();
        for stack in &view.stacks {
            // Twins within one store are the doctor's business, and both are shown.
            let mut items = all(stack).items;
            if !items.is_empty() && !placed.is_empty() {
                let nearer: HashSet<&str> =
                    placed.iter().map(|placed| placed.kept.item.slug.as_str()).collect();
                items.retain(|kept| !nearer.contains(kept.item.slug.as_str()));
            }
            placed.extend(items.into_iter().map(|kept| place(stack, kept)));
        }
        placed.retain(|placed| kind.is_none_or(|kind| placed.kept.item.kind == kind));
        placed
    }

    /// Counts the memories that [`Base::memories`] would list, by the names of their files and without reading them.
    pub fn count_memories(&self, view: &View) -> usize {
        let counts: Vec<usize> = view.stacks.iter().map(|stack| stack.count_memories()).collect();
        // Mostly one level has them all, and no names are needed.
        if counts.iter().filter(|count| **count > 0).count() < 2 {
            return counts.into_iter().sum();
        }
        let (mut nearer, mut all) = (HashSet::new(), 0);
        for stack in &view.stacks {
            let directories = MemoryKind::ALL.map(MemoryKind::directory);
            let files: Vec<String> =
                directories.into_iter().flat_map(|directory| stack.store.list(directory)).collect();
            all += files.iter().filter(|file| !nearer.contains(*file)).count();
            nearer.extend(files);
        }
        all
    }

    /// Puts a memory away, in favour of another if that is named.
    pub fn archive_memory(
        &self,
        view: &View,
        name: &str,
        reason: &str,
        superseded_by: Option<&str>,
    ) -> Result<SavedMemory, Refusal> {
        let reason = self.clean("reason", reason)?;
        if reason.is_empty() {
            return Err(Refusal::new("reason is empty", "Say in a sentence why it no longer holds"));
        }
        let address = self.settled(view, "memory", name, |view, name| self.memories_called(view, name))?;
        let (stack, file) = self.locate_own(&view.own().store, &address)?;
        let writing = self.lock(&stack.store)?;
        let kept = still_there(stack, &file).ok_or_else(|| no_such_memory(&address.view, address.name))?;
        // The successor may be at another level.
        let successor = match superseded_by.map(str::trim).filter(|name| !name.is_empty()) {
            None => None,
            Some(successor) => Some(self.successor_of(&kept, stack, view, successor)?),
        };
        let file = self.put_away_memory(&writing, &kept.file, &reason, successor.as_deref())?;
        drop(writing);
        let mut notes = Vec::new();
        notes.extend(self.record_archived(&kept.item, stack, &file, &reason, successor.as_deref()));
        Ok(SavedMemory::new(&kept.item, &stack.store, &file, Became::Archived, notes))
    }

    /// Moves the file of a memory to the archive, stamped. It may say more than we know of: only what is stamped is changed.
    fn put_away_memory(
        &self,
        writing: &Writing<'_>,
        file: &str,
        reason: &str,
        superseded_by: Option<&str>,
    ) -> Result<String, Refusal> {
        let text = self.stamped(keeping::open(writing, file)?, reason, superseded_by);
        Ok(writing.archive(file, &text)?)
    }

    /// Gives the text of a memory as it lies in the archive.
    fn stamped(&self, mut document: Document, reason: &str, superseded_by: Option<&str>) -> String {
        let front = document.front_mut();
        front.set_text("archived", &self.now_text());
        front.set_text("archived_reason", reason);
        if let Some(slug) = superseded_by {
            front.set_text("superseded_by", slug);
        }
        document.to_text()
    }

    /// Records that a memory was put away.
    fn record_archived(
        &self,
        item: &Memory,
        stack: &Stack,
        file: &str,
        reason: &str,
        superseded_by: Option<&str>,
    ) -> Option<String> {
        let mut body = body(item, file);
        body.insert("reason".to_owned(), json!(reason));
        if let Some(slug) = superseded_by {
            body.insert("superseded_by".to_owned(), json!(slug));
        }
        self.record(Kind::KnowledgeArchived, &stack.store, body)
    }
}

/// Reads all memories of a store, feedback first.
fn all(stack: &Stack) -> Contents<Memory> {
    let [feedback, patterns] = &stack.memories;
    let [mut contents, Contents { items, faults }] = Shelf::both(feedback, patterns, &stack.store);
    contents.items.extend(items);
    contents.faults.extend(faults);
    contents
}

fn place(stack: &Stack, kept: Kept<Memory>) -> Placed<Memory> {
    Placed { level: stack.store.level, store: stack.store.clone(), kept }
}

/// What the log says of a memory.
fn body(item: &Memory, file: &str) -> Map<String, Value> {
    let fields = json!({
        "item": "memory", "slug": item.slug, "type": item.kind, "title": item.title, "file": file,
        "keywords": item.keywords, "text": item.description, "details": item.body,
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
