//! Decisions: what was settled, why, and whether it is enforced.
//!
//! `decisions/D-001-slug.md`. Ids count up within one store and are never given out twice, not even those of archived decisions; two stores
//! may both have a D-001, so that every answer names the level. A decision is never rewritten by saving another with the same title: the one
//! that is there is given back, and whoever wants to change it archives it in favour of a successor.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value, json};

use custos_model::Kind;

use crate::base::{Base, Stack, View};
use crate::refusal::Refusal;
use crate::shelf::{Fault, Item, Kept};
use crate::store::{Level, Store, Writing};
use crate::text::{self, Document, Front, Wording};

/// How binding a decision is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Enforce {
    /// It must be followed.
    Required,
    /// It should be followed unless there is a reason.
    #[default]
    Advisory,
}

impl Enforce {
    /// The word in a file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Advisory => "advisory",
        }
    }

    /// Reads the word; anything else is no reason to enforce it.
    pub fn of(word: &str) -> Self {
        if word == "required" { Self::Required } else { Self::Advisory }
    }
}

/// Where a decision or a memory comes from.
pub const SOURCES: [&str; 6] = ["scan", "session", "manual", "preset", "audit", "import"];

/// What became of a decision.
pub const STATUSES: [&str; 3] = ["active", "superseded", "revoked"];

/// The highest number of an id. A store that goes up to it has no place for another.
const HIGHEST: u32 = 999_999_999;

/// The longest slug of a decision.
pub const LONGEST_SLUG: usize = 50;

/// A decision as its file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// `D-001`.
    pub id: String,
    /// The rest of the file's name.
    pub slug: String,
    /// What was decided, in one line.
    pub title: String,
    /// The day.
    pub date: String,
    /// Where it comes from.
    pub source: String,
    /// How binding it is.
    pub enforce: Enforce,
    /// The session in which it was made.
    pub session: Option<String>,
    /// What it is about, where that was said.
    pub scope: Vec<String>,
    /// Active, superseded or revoked.
    pub status: String,
    /// The decision that took its place.
    pub superseded_by: Option<String>,
    /// Those whose place it took.
    pub supersedes: Vec<String>,
    /// Why it was revoked.
    pub revoked_reason: Option<String>,
    /// Whether it carries a predicate for the guard.
    pub guarded: bool,
    /// What was decided, in full.
    pub decision: String,
    /// Why.
    pub reasoning: String,
}

impl Item for Decision {
    fn read(file: &str, text: &str) -> Result<Self, Fault> {
        let document = Document::parse(text).map_err(|problem| Fault::of(file, &problem))?;
        let front = document.front();
        let stem = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".md");
        let (named_id, named_slug) = split_name(stem);
        let id = front.text("id").map_or_else(|| named_id.to_owned(), str::to_owned);
        if number(&id).is_none() {
            return Err(Fault::new(file, 1, "has no id; its front matter should say `id: D-001`"));
        }
        let own = |key: &str| front.text(key).filter(|text| !text.is_empty()).map(str::to_owned);
        Ok(Self {
            id,
            slug: own("slug").unwrap_or_else(|| named_slug.to_owned()),
            title: own("title").unwrap_or_else(|| document.title().to_owned()),
            date: own("date").unwrap_or_default(),
            source: own("source").unwrap_or_else(|| "manual".to_owned()),
            enforce: Enforce::of(front.text("enforce").unwrap_or_default()),
            session: own("session"),
            scope: front.list("scope"),
            status: own("status").unwrap_or_else(|| "active".to_owned()),
            superseded_by: own("superseded_by"),
            supersedes: front.list("supersedes"),
            revoked_reason: own("revoked_reason"),
            guarded: front.has("guard"),
            decision: document.lead().to_owned(),
            reasoning: document.section("Reasoning").unwrap_or_default().to_owned(),
        })
    }

    fn title(&self) -> &str {
        &self.title
    }
}

impl Decision {
    /// Says whether it still holds.
    pub fn is_active(&self) -> bool {
        self.status == "active"
    }

    /// Spells a new decision; `guard` is a block of YAML.
    fn to_text(&self, guard: Option<&str>) -> Result<String, Refusal> {
        let mut front = Front::default();
        front.set_text("id", &self.id);
        front.set_text("slug", &self.slug);
        front.set_text("title", &self.title);
        front.set_text("date", &self.date);
        front.set_text("source", &self.source);
        front.set_text("enforce", self.enforce.word());
        if let Some(session) = &self.session {
            front.set_text("session", session);
        }
        if !self.scope.is_empty() {
            front.set_list("scope", &self.scope);
        }
        front.set_text("status", &self.status);
        if !self.supersedes.is_empty() {
            front.set_list("supersedes", &self.supersedes);
        }
        if let Some(guard) = guard {
            front.set_raw("guard", guard).map_err(|problem| not_a_guard(&problem.reason))?;
        }
        Ok(Document::compose(front, &self.title, &self.decision, &[("Reasoning", &self.reasoning)]).to_text())
    }
}

/// The number of an id such as `D-012`.
pub fn number(id: &str) -> Option<u32> {
    let digits = id.strip_prefix("D-")?;
    // A sign would be a number as well.
    digits
        .parse()
        .ok()
        .filter(|number| *number <= HIGHEST && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Takes the name of a file apart: `D-012-use-utc` is `D-012` and `use-utc`.
pub(crate) fn split_name(stem: &str) -> (&str, &str) {
    let end = stem.match_indices('-').nth(1).map_or(stem.len(), |(at, _)| at);
    (&stem[..end], stem[end..].trim_start_matches('-'))
}

/// A decision that somebody wants to have kept.
#[derive(Debug, Clone, Default)]
pub struct NewDecision {
    /// What was decided, in one line.
    pub title: String,
    /// In full.
    pub decision: String,
    /// Why.
    pub reasoning: String,
    /// How binding it is.
    pub enforce: Enforce,
    /// Where it belongs.
    pub scope: Vec<String>,
    /// The predicate for the guard, as the block of YAML below `guard:`.
    pub guard: Option<String>,
    /// Where it comes from: one of [`SOURCES`].
    pub source: &'static str,
    /// The decisions of the same store whose place it takes.
    pub supersedes: Vec<String>,
}

/// What became of a decision that was to be saved, in one store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SavedDecision {
    /// Its id.
    pub id: String,
    /// Its slug.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// The level of the store.
    pub level: Level,
    /// The store.
    pub store: String,
    /// The file, below the store.
    pub file: String,
    /// Whether it is new; otherwise an equivalent one was there and was left as it is.
    pub created: bool,
    /// In how many spellings its predicate held, if it has one.
    pub spellings: Option<usize>,
    /// What whoever asked should know.
    pub notes: Vec<String>,
}

/// A decision among others, with where it was found.
#[derive(Debug, Clone)]
pub struct Placed<T> {
    /// The level of its store.
    pub level: Level,
    /// The store.
    pub store: Arc<Store>,
    /// The item and its file.
    pub kept: Kept<T>,
}

impl Base {
    /// Keeps a decision, in every store that its scope names.
    pub fn save_decision(&self, new: &NewDecision, view: &View) -> Result<Vec<SavedDecision>, Refusal> {
        let cleaned = self.clean_title(&new.title)?;
        if let Some(pointer) = text::points_at(&cleaned.title) {
            return Err(points_elsewhere(&pointer));
        }
        let decision = self.clean("decision", &new.decision)?;
        let reasoning = self.clean("reasoning", &new.reasoning)?;
        let spellings = self.proven(new, view)?;
        let targets = self.targets(&new.scope, view);
        let wanted = Wording::of(&cleaned.title);
        let mut saved = Vec::new();
        for stack in &targets.stacks {
            let writing = stack.store.lock()?;
            let mut notes = targets.notes.clone();
            if cleaned.shortened {
                notes.push("The title was shortened; put the rest into the decision".to_owned());
            }
            let there = stack.decisions.contents(&stack.store);
            if let Some(twin) =
                there.items.iter().find(|kept| kept.item.is_active() && kept.wording().is_equivalent(&wanted))
            {
                notes.push(format!(
                    "A decision with this title exists and was left as it is; to change it, save one with another title and archive {} in its favour",
                    twin.item.id
                ));
                saved.push(outcome(&twin.item, &stack.store, &twin.file, false, None, notes));
                continue;
            }
            for missing in
                new.supersedes.iter().filter(|id| !there.items.iter().any(|kept| kept.item.id == **id))
            {
                notes.push(format!("{missing} is not here, so nothing was superseded by this"));
            }
            if let Some(near) =
                there.items.iter().find(|kept| kept.item.is_active() && kept.wording().is_near(&wanted))
            {
                notes.push(format!(
                    "{} is much the same ({}); archive one of them if it is",
                    near.item.id, near.item.title
                ));
            }
            let item = Decision {
                id: next_id(stack)?,
                slug: text::slug(&cleaned.title, LONGEST_SLUG),
                title: cleaned.title.clone(),
                date: self.today(),
                source: new.source.to_owned(),
                enforce: new.enforce,
                session: self.around().session(),
                scope: new.scope.clone(),
                status: "active".to_owned(),
                superseded_by: None,
                supersedes: new.supersedes.clone(),
                revoked_reason: None,
                guarded: new.guard.is_some(),
                decision: decision.clone(),
                reasoning: reasoning.clone(),
            };
            let file = format!("decisions/{}-{}.md", item.id, item.slug);
            writing.write(&file, &item.to_text(new.guard.as_deref())?)?;
            let superseded = self.supersede(&writing, stack, &item)?;
            drop(writing);
            notes.extend(superseded);
            notes.extend(self.record(Kind::KnowledgeSaved, &stack.store, body(&item, &file)));
            saved.push(outcome(&item, &stack.store, &file, true, spellings, notes));
        }
        Ok(saved)
    }

    /// Proves the predicate of a decision before anything is written.
    fn proven(&self, new: &NewDecision, view: &View) -> Result<Option<usize>, Refusal> {
        let Some(guard) = &new.guard else { return Ok(None) };
        if new.enforce != Enforce::Required {
            return Err(Refusal::new(
                "only a required decision can carry a guard",
                "Send enforce: \"required\" with it, or leave guard out",
            ));
        }
        let mut front = Front::default();
        front.set_text("enforce", "required");
        front.set_raw("guard", guard).map_err(|problem| not_a_guard(&problem.reason))?;
        self.around().prove(front.to_text(), &view.root.path).map(Some).map_err(|why| not_a_guard(&why))
    }

    /// Archives the decisions whose place another takes.
    fn supersede(&self, writing: &Writing<'_>, stack: &Stack, by: &Decision) -> Result<Vec<String>, Refusal> {
        let mut notes = Vec::new();
        for kept in stack.decisions.contents(&stack.store).items {
            if !by.supersedes.contains(&kept.item.id) || kept.item.id == by.id {
                continue;
            }
            let archived =
                self.put_away(writing, &kept, &format!("superseded by {}", by.id), Some(&by.id))?;
            notes.extend(self.record(Kind::KnowledgeArchived, &stack.store, body(&kept.item, &archived)));
            notes.push(format!("{} is archived in its favour", kept.item.id));
        }
        Ok(notes)
    }

    /// Moves a decision to the archive, stamped. Its file may say more than we know of: only what is stamped is changed.
    fn put_away(
        &self,
        writing: &Writing<'_>,
        kept: &Kept<Decision>,
        reason: &str,
        superseded_by: Option<&str>,
    ) -> Result<String, Refusal> {
        let text = writing.store().read(&kept.file)?.unwrap_or_default();
        let mut document = Document::parse(&text).map_err(|problem| {
            Refusal::new(format!("{}: {}", kept.file, problem.reason), "Mend the file first")
        })?;
        let front = document.front_mut();
        if let Some(id) = superseded_by {
            front.set_text("status", "superseded");
            front.set_text("superseded_by", id);
        } else {
            front.set_text("status", "revoked");
            front.set_text("revoked_reason", reason);
        }
        front.set_text("archived", &self.now_text());
        front.set_text("archived_reason", reason);
        Ok(writing.archive(&kept.file, &document.to_text())?)
    }

    /// Lists the decisions of every level, the nearest first. Ids of different levels never hide each other.
    pub fn decisions(&self, view: &View, include_archived: bool) -> Vec<Placed<Decision>> {
        let mut placed = Vec::new();
        for stack in &view.stacks {
            let mut items = stack.decisions.contents(&stack.store).items;
            if include_archived {
                items.extend(stack.past_decisions.contents(&stack.store).items);
            } else {
                items.retain(|kept| kept.item.is_active());
            }
            items.sort_by_key(|kept| number(&kept.item.id));
            placed.extend(items.into_iter().map(|kept| Placed {
                level: stack.store.level,
                store: Arc::clone(&stack.store),
                kept,
            }));
        }
        placed
    }

    /// Finds decisions by id or slug, archived ones after those that hold. Several levels may each have one.
    pub fn find_decisions(&self, view: &View, id_or_slug: &str) -> Vec<Placed<Decision>> {
        let wanted = id_or_slug.trim();
        let wanted_number = number(&wanted.to_ascii_uppercase());
        let mut found = self.decisions(view, true);
        found.retain(|placed| {
            let item = &placed.kept.item;
            // `d-12` is D-012 as well.
            wanted_number.is_some_and(|wanted| number(&item.id) == Some(wanted)) || item.slug == wanted
        });
        found.sort_by_key(|placed| placed.kept.file.starts_with("archive/"));
        found
    }

    /// Archives a decision of a project's own store. `by_person` says that a person asks, at their command line: only they may take away
    /// what the guard enforces.
    pub fn archive_decision(
        &self,
        view: &View,
        id: &str,
        reason: &str,
        superseded_by: Option<&str>,
        by_person: bool,
    ) -> Result<SavedDecision, Refusal> {
        let reason = self.clean("reason", reason)?;
        if reason.is_empty() {
            return Err(Refusal::new("reason is empty", "Say in a sentence why it no longer holds"));
        }
        let mut found = self.find_decisions(view, id);
        found.retain(|placed| !placed.kept.file.starts_with("archive/"));
        let Some(placed) = found.into_iter().next() else { return Err(no_such_decision(id)) };
        if placed.kept.item.guarded && !by_person {
            return Err(Refusal::new(
                format!("{} is enforced by the guard, which only a person may loosen", placed.kept.item.id),
                format!(
                    "Ask the person to run `custos decisions archive {} --reason …`",
                    placed.kept.item.id
                ),
            ));
        }
        let successor = match superseded_by.map(str::trim).filter(|id| !id.is_empty()) {
            None => None,
            Some(successor) => Some(self.successor(view, &placed, successor)?),
        };
        let stack = view
            .stacks
            .iter()
            .find(|stack| stack.store == placed.store)
            .ok_or_else(|| no_such_decision(id))?;
        let writing = stack.store.lock()?;
        let file = self.put_away(&writing, &placed.kept, &reason, successor.as_deref())?;
        drop(writing);
        let mut notes = Vec::new();
        let mut body = body(&placed.kept.item, &file);
        body.insert("reason".to_owned(), json!(reason));
        notes.extend(self.record(Kind::KnowledgeArchived, &stack.store, body));
        Ok(outcome(&placed.kept.item, &stack.store, &file, false, None, notes))
    }

    /// Finds the decision that takes another's place, in the same store.
    fn successor(&self, view: &View, placed: &Placed<Decision>, successor: &str) -> Result<String, Refusal> {
        self.find_decisions(view, successor)
            .into_iter()
            .find(|other| other.store == placed.store && other.kept.item.is_active() && other.kept.item.id != placed.kept.item.id)
            .map(|other| other.kept.item.id.clone())
            .ok_or_else(|| {
                Refusal::new(
                    format!("there is no other active decision {} in {}", custos_config::shown::shown(successor), placed.store.name),
                    "Save the successor first (save_decision), then archive this one; `decisions` lists what there is",
                )
            })
    }
}

fn not_a_guard(why: &str) -> Refusal {
    Refusal::new(
        format!("the guard of this decision does not hold: {why}"),
        "Send guard with `command` or `path`, and at least one example in must_block and one in must_allow; nothing was saved",
    )
}

fn no_such_decision(id: &str) -> Refusal {
    Refusal::new(
        format!("there is no active decision {}", custos_config::shown::shown(id)),
        "`decisions` lists what there is; with include_archived also what was put away",
    )
}

fn points_elsewhere(pointer: &text::Pointer) -> Refusal {
    let ids = pointer.ids.join(" and ");
    Refusal::new(
        format!("this title only points at {ids}, and says nothing of its own"),
        "Save what is decided now under a title that says it, then use archive_decision with superseded_by for the old one",
    )
}

/// Gives the next id of a store: one more than any that is or was there. The caller holds the lock.
fn next_id(stack: &Stack) -> Result<String, Refusal> {
    // A file may be called otherwise than its front matter says, and one that cannot be read has a name all the same.
    let names =
        ["decisions", "archive/decisions"].into_iter().flat_map(|directory| stack.store.list(directory));
    let named = names.filter_map(|name| number(split_name(name.trim_end_matches(".md")).0));
    let shelves = [&stack.decisions, &stack.past_decisions];
    let items = shelves.into_iter().flat_map(|shelf| shelf.contents(&stack.store).items);
    let highest = named.chain(items.filter_map(|kept| number(&kept.item.id))).max().unwrap_or(0);
    if highest >= HIGHEST {
        return Err(Refusal::new(
            format!("there is no id after D-{highest}"),
            "Give the decision with that id a smaller number by hand",
        ));
    }
    Ok(format!("D-{:03}", highest + 1))
}

fn body(item: &Decision, file: &str) -> Map<String, Value> {
    let fields = json!({
        "item": "decision", "id": item.id, "title": item.title, "file": file, "enforce": item.enforce,
        "text": item.decision, "reasoning": item.reasoning,
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn outcome(
    item: &Decision,
    store: &Store,
    file: &str,
    created: bool,
    spellings: Option<usize>,
    notes: Vec<String>,
) -> SavedDecision {
    SavedDecision {
        id: item.id.clone(),
        slug: item.slug.clone(),
        title: item.title.clone(),
        level: store.level,
        store: store.name.clone(),
        file: file.to_owned(),
        created,
        spellings,
        notes,
    }
}
