//! Saving a memory: a new one, or new words for one that is there.

use std::fs;

use custos_config::source::is_absence;
use custos_model::Kind;

use super::supersede::superseded_by;
use super::{DETAILS, LONGEST_SLUG, Memory, MemoryKind, SavedMemory, all, body, place};
use crate::base::{Base, Stack, View};
use crate::decision::Placed;
use crate::keeping::{self, Became};
use crate::naming::{self, Found};
use crate::refusal::Refusal;
use crate::shelf::{Contents, Fault, Item as _, Kept};
use crate::store::{Level, Store, Writing};
use crate::text::{self, Document, Front, Wording};

/// The longest description, in characters, that is taken without a word: every session reads all of them.
pub const LONGEST_DESCRIPTION: usize = 400;

/// A memory that somebody wants to have kept.
#[derive(Debug, Clone)]
pub struct NewMemory {
    /// What it is about.
    pub kind: MemoryKind,
    /// What it says, in one line.
    pub title: String,
    /// What is read with the catalogue.
    pub description: String,
    /// What is fetched on demand; for one that is there already, nothing means that it keeps what it has.
    pub body: String,
    /// Words by which it is found; for one that is there already, they are added.
    pub keywords: Vec<String>,
    /// Where it belongs.
    pub scope: Vec<String>,
    /// Where it comes from: one of [`crate::decision::SOURCES`].
    pub source: &'static str,
    /// The memories whose place it takes, by slug or title; of other stores with the store, as in `api:slug`.
    pub supersedes: Vec<String>,
}

/// A memory as it may be written, with what there is to say about it.
pub(super) struct Wanted<'a> {
    pub(super) new: &'a NewMemory,
    /// Those whose place it takes.
    pub(super) superseded: Vec<Found<Memory>>,
    title: String,
    description: String,
    body: String,
    /// The details of one that is not there yet.
    new_body: String,
    keywords: Vec<String>,
    scope: Vec<String>,
    notes: Vec<String>,
}

/// A memory that is written, and where.
pub(super) struct Written {
    pub(super) item: Memory,
    file: String,
    became: Became,
}

impl Base {
    /// Keeps a memory, in every store that its scope names. One with an equivalent title is brought up to date instead.
    pub fn save_memory(&self, new: &NewMemory, view: &View) -> Result<Vec<SavedMemory>, Refusal> {
        let mut wanted = self.wanted(new)?;
        let mut targets = self.targets(&new.scope, view);
        wanted.superseded = self.superseded_memories(new, view, &mut targets)?;
        let stacks = targets.stacks.clone();
        let mut saved = keeping::in_each_store(
            targets,
            |stack| self.save_memory_in(stack, &wanted),
            |saved| (&mut saved.notes, &mut saved.refused),
        )?;
        self.supersede_memories_elsewhere(&wanted, &stacks, &mut saved);
        if let Some(created) = saved.iter_mut().find(|saved| saved.became == Became::Created) {
            let same =
                keeping::same_elsewhere(view, &stacks, &Wording::of(&wanted.title), |stack| all(stack).items);
            let told = |found: &Found<Memory>| beside(created.level, &created.slug, found);
            let notes: Vec<String> = same.iter().map(told).collect();
            created.notes.extend(notes);
        }
        Ok(saved)
    }

    fn wanted<'a>(&self, new: &'a NewMemory) -> Result<Wanted<'a>, Refusal> {
        let cleaned = self.clean_title(&new.title)?;
        let description = self.clean("description", &new.description)?;
        if description.is_empty() {
            return Err(Refusal::new(
                "description is empty",
                "Send a sentence or two that say what to do, and why; details belong into body",
            ));
        }
        let mut notes = Vec::new();
        if cleaned.is_shortened() {
            notes.push("The title was shortened; its end is at the beginning of the details".to_owned());
        }
        notes.extend(overlong(&description));
        let body = self.clean("body", &new.body)?;
        Ok(Wanted {
            new,
            superseded: Vec::new(),
            description,
            // One that is there keeps its details where none are sent.
            new_body: cleaned.before(&body),
            body: if body.is_empty() { body } else { cleaned.before(&body) },
            title: cleaned.title,
            keywords: keeping::labels(self, &new.keywords),
            scope: keeping::labels(self, &new.scope),
            notes,
        })
    }

    fn save_memory_in(&self, stack: &Stack, wanted: &Wanted<'_>) -> Result<SavedMemory, Refusal> {
        let writing = self.lock(&stack.store)?;
        let there = all(stack);
        let mut notes = wanted.notes.clone();
        let same = same_title(stack, &there.items, wanted)?;
        let written = match same {
            Some(kept) => self.renew(&writing, &there, kept, wanted, &mut notes)?,
            None => self.add(&writing, &there, wanted, &mut notes)?,
        };
        let others = there.items.iter().filter(|kept| same.is_none_or(|same| same.file != kept.file));
        let superseded =
            self.supersede_memories(&writing, &others.collect::<Vec<_>>(), wanted, &written, &mut notes);
        drop(writing);
        let Written { item, file, became } = written;
        let kind = if became == Became::Created { Kind::KnowledgeSaved } else { Kind::KnowledgeUpdated };
        if became != Became::Unchanged {
            notes.extend(self.record(kind, &stack.store, body(&item, &file)));
        }
        for (old, file) in superseded {
            let reason = superseded_by(&item.slug);
            notes.extend(self.record_archived(&old.item, stack, &file, &reason, Some(&item.slug)));
        }
        Ok(SavedMemory::new(&item, &stack.store, &file, became, notes))
    }

    /// Writes a memory that was not there.
    fn add(
        &self,
        writing: &Writing<'_>,
        there: &Contents<Memory>,
        wanted: &Wanted<'_>,
        notes: &mut Vec<String>,
    ) -> Result<Written, Refusal> {
        let plain = text::slug(&wanted.title, LONGEST_SLUG);
        // It may be this very memory, and nobody can tell.
        if let Some(fault) =
            there.faults.iter().find(|fault| keeping::stem(&fault.file).eq_ignore_ascii_case(&plain))
        {
            return Err(keeping::broken(writing.store(), fault));
        }
        let slug = free_slug(writing.store(), there, &plain);
        if slug != plain {
            notes.push(format!(
                "The slug {plain} belongs to another memory, so this one is {slug}; both stay"
            ));
        }
        let file = wanted.new.kind.file(&slug);
        let text = self.new_text(wanted, &slug);
        keeping::add(writing, &file, &text)?;
        // What gives way to it needs it to be there.
        if !wanted.superseded.is_empty() {
            writing.publish_with(&file)?;
        }
        notes.extend(near(writing.store(), there, wanted));
        Ok(Written { item: read(writing.store(), &file, &text)?, file, became: Became::Created })
    }

    fn new_text(&self, wanted: &Wanted<'_>, slug: &str) -> String {
        let mut front = Front::default();
        front.set_text("slug", slug);
        front.set_text("type", wanted.new.kind.word());
        front.set_text("title", &wanted.title);
        front.set_text("source", wanted.new.source);
        front.set_text("date", &self.today());
        if !wanted.keywords.is_empty() {
            front.set_list("keywords", &wanted.keywords);
        }
        if let Some(session) = self.around().session() {
            front.set_text("session", &session);
        }
        if !wanted.scope.is_empty() {
            front.set_list("scope", &wanted.scope);
        }
        let details = [(DETAILS, wanted.new_body.as_str())];
        let sections = if wanted.new_body.is_empty() { &details[..0] } else { &details };
        Document::compose(front, &wanted.title, &wanted.description, sections).to_text()
    }

    /// Gives a memory that is there new words. Its file may have been edited by hand: only what is said anew is changed, and nothing is
    /// written if it says all of it already.
    fn renew(
        &self,
        writing: &Writing<'_>,
        there: &Contents<Memory>,
        kept: &Kept<Memory>,
        wanted: &Wanted<'_>,
        notes: &mut Vec<String>,
    ) -> Result<Written, Refusal> {
        let store = writing.store();
        let mut document = keeping::open(writing, &kept.file)?;
        let before = document.to_text();
        // Whoever sends back what it was shown, without what is private, changes nothing.
        let shown = document.without_secrets().into_owned();
        if ![document.lead(), shown.lead()].contains(&wanted.description.as_str()) {
            document.replace_lead(&wanted.description);
        }
        let details = [document.section(DETAILS), shown.section(DETAILS)];
        if !wanted.body.is_empty() && !details.contains(&Some(&wanted.body)) {
            document.replace_section(DETAILS, &wanted.body);
        }
        let mut keywords = document.front().list("keywords");
        keeping::unite(&mut keywords, wanted.keywords.iter().cloned());
        if keywords.len() > document.front().list("keywords").len() {
            document.front_mut().set_list("keywords", &keywords);
        }
        if kept.item.title != wanted.title {
            notes.push(format!("It was there as {:?}, and keeps that title", kept.item.title));
        }
        let moves = !kept.file.starts_with(wanted.new.kind.directory());
        if moves || kept.item.kind != wanted.new.kind {
            document.front_mut().set_text("type", wanted.new.kind.word());
        }
        if !moves && document.to_text() == before {
            let item = Memory::clone(&kept.item);
            return Ok(Written { item, file: kept.file.clone(), became: Became::Unchanged });
        }
        document.front_mut().set_text("updated", &self.today());
        let file = if moves {
            new_place(store, there, kept, wanted.new.kind, &mut document)
        } else {
            kept.file.clone()
        };
        let text = document.to_text();
        keeping::write(writing, &file, &text)?;
        if moves {
            let moved = writing.secure(&file).and_then(|()| writing.remove(&kept.file));
            if let Err(error) = moved {
                // Rather where it was than in two places.
                writing.remove(&file)?;
                return Err(error.into());
            }
            notes.push(format!("It is a {} now, and its file moved", wanted.new.kind.word()));
        }
        Ok(Written { item: read(writing.store(), &file, &text)?, file, became: Became::Updated })
    }
}

/// Asks to shorten a description that every session would read.
pub(super) fn overlong(description: &str) -> Option<String> {
    let length = description.chars().count();
    (length > LONGEST_DESCRIPTION).then(|| {
        format!(
            "The description has {length} characters, and every session reads it; keep it below {LONGEST_DESCRIPTION} and move details into body"
        )
    })
}

/// Reads what was just written.
fn read(store: &Store, file: &str, text: &str) -> Result<Memory, Refusal> {
    Memory::read(file, text).map_err(|fault: Fault| keeping::broken(store, &fault))
}

/// Finds the memory that says the same in its title: word for word if there is one, else an equivalent one. Of several it is the one of the same
/// type; whose text is to be replaced is not guessed.
fn same_title<'a>(
    stack: &Stack,
    items: &'a [Kept<Memory>],
    wanted: &Wanted<'_>,
) -> Result<Option<&'a Kept<Memory>>, Refusal> {
    let mut same: Vec<&Kept<Memory>> = items.iter().filter(|kept| kept.item.title == wanted.title).collect();
    if same.is_empty() {
        let wording = Wording::of(&wanted.title);
        same.extend(items.iter().filter(|kept| kept.wording().is_equivalent(&wording)));
    }
    let mut of_kind = same.iter().filter(|kept| kept.item.kind == wanted.new.kind);
    match (&same[..], of_kind.next(), of_kind.next()) {
        ([], ..) => Ok(None),
        ([one], ..) | (_, Some(one), None) => Ok(Some(one)),
        _ => {
            let all: Vec<Placed<Memory>> = same.iter().map(|kept| place(stack, Kept::clone(kept))).collect();
            let problem = naming::several(&wanted.title, &all, &stack.store).problem;
            Err(Refusal::new(
                problem,
                "Nothing was saved. Make one of them (merge_memories) or archive the one that is wrong, then save it again",
            ))
        }
    }
}

/// Names a memory that says nearly the same, unless it is to go anyway.
fn near(store: &Store, there: &Contents<Memory>, wanted: &Wanted<'_>) -> Option<String> {
    let goes = |kept: &Kept<Memory>| {
        wanted.superseded.iter().any(|old| *old.stack.store == *store && old.kept.file == kept.file)
    };
    let wording = Wording::of(&wanted.title);
    let near = there.items.iter().find(|kept| kept.wording().is_near(&wording) && !goes(kept))?;
    let Memory { slug, title, .. } = &*near.item;
    Some(format!("{slug} is much the same ({title}); use merge_memories if it is"))
}

/// Says how a memory of another level with the same title stands to a new one: of two with one slug the nearer level is read.
fn beside(level: Level, slug: &str, other: &Found<Memory>) -> String {
    let address = other.address();
    match other.stack.store.level {
        _ if other.kept.item.slug != slug => format!("{address} has the same title; both stay"),
        farther if farther < level => format!("It hides {address} here, which has the same slug"),
        _ => format!("{address} has the same slug, and hides it there"),
    }
}

/// Finds the place of a memory among those of another kind; its slug goes with it, if that is free.
fn new_place(
    store: &Store,
    there: &Contents<Memory>,
    kept: &Kept<Memory>,
    kind: MemoryKind,
    document: &mut Document,
) -> String {
    let same = kind.file(keeping::stem(&kept.file));
    if is_free(store, &same) {
        return same;
    }
    let slug = free_slug(store, there, &text::slug(&kept.item.title, LONGEST_SLUG));
    document.front_mut().set_text("slug", &slug);
    kind.file(&slug)
}

/// Gives a slug that no memory of a store has. The caller holds the lock.
fn free_slug(store: &Store, there: &Contents<Memory>, wanted: &str) -> String {
    keeping::free_slug(wanted, LONGEST_SLUG, |slug| {
        let is_file = MemoryKind::ALL.into_iter().any(|kind| !is_free(store, &kind.file(slug)));
        is_file || there.items.iter().any(|kept| kept.item.slug == slug)
    })
}

/// Says whether there is no file of a name. The disk is asked: some take names for the same that differ in case, and not everything that
/// lies there is a memory.
fn is_free(store: &Store, file: &str) -> bool {
    fs::symlink_metadata(store.path(file)).is_err_and(|error| is_absence(&error))
}
