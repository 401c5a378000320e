//! Decisions: what was settled, why, and whether it is enforced.
//!
//! `decisions/D-001-slug.md`. Ids count up within one store and are never given out twice, not even those of archived decisions; two stores
//! may both have a D-001, so that every answer names the level. A decision is never rewritten by saving another with the same title: the one
//! that is there is given back, and whoever wants to change it archives it in favour of a successor.

mod archive;
mod records;
mod save;
mod supersede;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::base::{Base, Stack, View};
use crate::check::Card;
use crate::keeping;
use crate::naming::{self, Address, Called, Namesake, Numbered, called, names_file};
use crate::refusal::Refusal;
use crate::shelf::{Fault, Item, Kept, ReadBoth};
use crate::store::{Level, Store};
use crate::text::{Document, Front, Passage, Section};
pub use records::STATUSES;
pub(crate) use records::{ACTIVE, known_status, past_status, status};

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
        if word.trim().eq_ignore_ascii_case("required") { Self::Required } else { Self::Advisory }
    }
}

/// Where a decision or a memory comes from.
pub const SOURCES: [&str; 6] = ["scan", "session", "manual", "preset", "audit", "import"];

/// The highest number of an id. A store that goes up to it has no place for another.
const HIGHEST: u32 = 999_999_999;

/// The longest slug of a decision.
pub const LONGEST_SLUG: usize = 50;

/// The sections that say what was decided, where a decision has no text above its sections: people write it so, as they know it from elsewhere.
const DECIDED: [&str; 2] = ["Decision", "Decision Outcome"];

/// A decision as its file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// `D-001`.
    pub id: String,
    /// The rest of the file's name.
    pub slug: String,
    /// What was decided, in one line.
    pub title: String,
    /// The day; of a file without front matter for it, the one that is all of its first text.
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
    /// What else its file says, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Passage>,
}

impl Item for Decision {
    type Beside = Card;

    fn read(file: &str, text: &str) -> Result<Self, Fault> {
        let document = Document::parse(text).map_err(|problem| Fault::of(file, &problem))?;
        Self::of(file, &document.without_secrets())
    }

    fn read_both(file: &str, text: &str) -> ReadBoth<Self, Card> {
        Card::with((file, text), |document| Self::of(file, document))
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn said(&self) -> String {
        let own = Section { heading: "Reasoning", text: &self.reasoning };
        Passage::outlined(&self.decision, own, &self.sections)
    }
}

impl Called for Decision {
    const WHAT: &'static str = "decision";

    fn name(&self) -> &str {
        &self.id
    }
}

impl Numbered for Decision {
    const LETTER: char = 'D';

    fn number(&self) -> Option<u32> {
        number(&self.id)
    }

    fn slug(&self) -> &str {
        &self.slug
    }
}

/// Stamps a decision that goes to the archive: because another took its place, or because it does not hold any more.
pub(crate) fn stamp(front: &mut Front, now: &str, reason: &str, superseded_by: Option<&str>) {
    if let Some(id) = superseded_by {
        front.set_text("status", "superseded");
        front.set_text("superseded_by", id);
    } else {
        front.set_text("status", "revoked");
        front.set_text("revoked_reason", reason);
    }
    front.set_text("archived", now);
    front.set_text("archived_reason", reason);
}

impl Decision {
    /// Takes it from its file, which was read.
    pub(crate) fn of(file: &str, document: &Document) -> Result<Self, Fault> {
        // What a crash or a `touch` left says nothing, and is not shown as if it did.
        if document.is_blank() {
            return Err(Fault::new(file, 0, "is empty"));
        }
        let front = document.front();
        let stem = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".md");
        let (named_id, named_slug) = split_name(stem);
        let Some(number) = number(front.text("id").unwrap_or(named_id)) else {
            let none = |id: &str| {
                format!("its id {} is none", custos_config::shown::shown(&custos_redact::redact(id)))
            };
            let what = front.text("id").map_or_else(|| "has no id".to_owned(), none);
            return Err(Fault::new(
                file,
                front.line_of("id").unwrap_or(1),
                format!("{what}; its front matter should give it one that no other has: `id: D-…`"),
            ));
        };
        let own = |key: &str| front.text(key).filter(|text| !text.is_empty()).map(str::to_owned);
        let mut sections: Vec<Section<'_>> = document.sections().collect();
        let lead = Some(document.lead()).filter(|lead| !lead.is_empty());
        let dated = lead.and_then(records::date_alone);
        let day = dated.filter(|date| records::is_day(date));
        let decided = lead
            .filter(|_| dated.is_none())
            .or_else(|| DECIDED.into_iter().find_map(|heading| Section::take(&mut sections, heading)))
            // What is no day may be a sentence about dates, and is all that there is.
            .or_else(|| lead.filter(|_| day.is_none()));
        let reasoning = Section::take(&mut sections, "Reasoning");
        Ok(Self {
            // However many digits it has there.
            id: id_of(number),
            slug: own("slug").unwrap_or_else(|| named_slug.to_owned()),
            title: keeping::shown_title(&own("title").unwrap_or_else(|| document.title().to_owned())),
            date: own("date").or_else(|| day.map(str::to_owned)).unwrap_or_default(),
            source: own("source").unwrap_or_else(|| "manual".to_owned()),
            enforce: Enforce::of(front.text("enforce").unwrap_or_default()),
            session: own("session"),
            scope: front.list("scope"),
            status: status(document).to_owned(),
            superseded_by: own("superseded_by"),
            supersedes: front.list("supersedes"),
            revoked_reason: own("revoked_reason"),
            guarded: front.has("guard"),
            decision: decided.unwrap_or_default().to_owned(),
            reasoning: reasoning.unwrap_or_default().to_owned(),
            sections: sections.into_iter().map(Passage::from).collect(),
        })
    }

    /// Says whether it still holds. One with a status that nobody knows does: whoever wrote `agreed` by hand did not mean to hide it.
    pub fn is_active(&self) -> bool {
        !records::is_past(&self.status)
    }

    /// Says whether nobody knows what its status means.
    pub fn has_unknown_status(&self) -> bool {
        !STATUSES.contains(&self.status.as_str())
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
            front.set_raw("guard", guard).map_err(|problem| save::not_a_guard(&problem.reason))?;
        }
        Ok(Document::compose(front, &self.title, &self.decision, &[("Reasoning", &self.reasoning)]).to_text())
    }
}

/// Spells an id.
pub(crate) fn id_of(number: u32) -> String {
    format!("D-{number:03}")
}

/// The number of an id such as `D-012`.
pub fn number(id: &str) -> Option<u32> {
    let digits = id.strip_prefix(['D', 'd'])?.strip_prefix('-').filter(|digits| !digits.is_empty())?;
    // Digit by digit: a sign would be a number as well, and whoever gives out an id asks for the number of every other.
    let number = digits.bytes().try_fold(0, |number: u32, byte| {
        let digit = char::from(byte).to_digit(10)?;
        number.checked_mul(10)?.checked_add(digit)
    })?;
    (number <= HIGHEST).then_some(number)
}

/// Takes the name of a file apart: `D-012-use-utc` is `D-012` and `use-utc`.
pub(crate) fn split_name(stem: &str) -> (&str, &str) {
    let mut hyphens = stem.bytes().enumerate().filter(|(_, byte)| *byte == b'-');
    let end = hyphens.nth(1).map_or(stem.len(), |(at, _)| at);
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
    /// How binding it is; advisory, if nobody says.
    pub enforce: Option<Enforce>,
    /// Where it belongs.
    pub scope: Vec<String>,
    /// The predicate for the guard, as the block of YAML below `guard:`.
    pub guard: Option<String>,
    /// Where it comes from: one of [`SOURCES`].
    pub source: &'static str,
    /// The decisions whose place it takes, by any of their names; of other stores with the store, as in `api:D-001`.
    pub supersedes: Vec<String>,
    /// Whether a person says so, at their command line: only they may replace what the guard enforces.
    pub by_person: bool,
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
    /// Whether that one says something else, so that what was sent is kept nowhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dropped: bool,
    /// In how many spellings its predicate held, if it has one.
    pub spellings: Option<usize>,
    /// The stores of its scope that did not take it; with the first of those that did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
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

impl<T: Item> Placed<T> {
    /// Gives everything that its file says below its front matter. If somebody has taken or broken it since, it is what was read before.
    pub fn in_full(&self) -> String {
        let text = self.store.read(&self.kept.file).ok().flatten();
        let document = text.and_then(|text| Document::parse(&text).ok());
        let below = |document: Document| document.without_secrets().below(self.kept.item.title());
        document.map_or_else(|| self.kept.item.said(), below)
    }
}

impl Base {
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

    /// Finds decisions by id, slug, file or title, archived ones after those that hold. Several levels may each have one; `user:D-001` names the
    /// level, `api:D-001` a repo of the workspace.
    pub fn find_decisions(&self, view: &View, name: &str) -> Vec<Placed<Decision>> {
        let Address { view, name, .. } = self.address(view, name);
        let mut found = Vec::new();
        for stack in &view.stacks {
            let mut items = stack.decisions.contents(&stack.store).items;
            items.extend(stack.past_decisions.contents(&stack.store).items);
            found.extend(called(items, name).into_iter().map(|kept| Placed {
                level: stack.store.level,
                store: Arc::clone(&stack.store),
                kept,
            }));
        }
        found.sort_by_key(|placed| !is_there(placed));
        found
    }

    /// Finds the decisions of the repos of a workspace that a name could mean as well.
    pub fn decisions_beside(&self, view: &View, name: &str) -> Vec<Namesake> {
        self.namesakes_beside(view, name, |view, name| naming::namesakes(&self.find_decisions(view, name)))
    }
}

/// Finds the decisions of a store that are not in the archive, by whatever they are called.
fn those_called(stack: &Stack, name: &str) -> Vec<Kept<Decision>> {
    called(stack.decisions.contents(&stack.store).items, name)
}

/// Says whether a decision is still among those that count.
fn is_there(placed: &Placed<Decision>) -> bool {
    !placed.kept.file.starts_with("archive/")
}

/// Says which of some decisions share an id with another of their store, if any do.
pub fn twins(found: &[Placed<Decision>]) -> Option<String> {
    let there: Vec<Placed<Decision>> = found.iter().filter(|placed| is_there(placed)).cloned().collect();
    naming::twins_noted(&there)
}

/// Finds the file of a decision that a name means, and that cannot be read.
pub(super) fn unreadable(stack: &Stack, name: &str) -> Option<Fault> {
    let faults = stack.decisions.contents(&stack.store).faults;
    faults.into_iter().find(|fault| names_file(Decision::LETTER, &fault.file, name))
}

/// Says whether a store has or had a decision of a name, also if its file cannot be read.
pub(crate) fn is_known(stack: &Stack, name: &str) -> bool {
    [&stack.decisions, &stack.past_decisions].into_iter().any(|shelf| {
        let contents = shelf.contents(&stack.store);
        let is_meant = |fault: &Fault| names_file(Decision::LETTER, &fault.file, name);
        contents.faults.iter().any(is_meant) || !called(contents.items, name).is_empty()
    })
}

/// Says whether a store has a decision of a name that still holds.
pub(crate) fn holds(stack: &Stack, name: &str) -> bool {
    those_called(stack, name).iter().any(|kept| kept.item.is_active())
}

pub(crate) fn body(item: &Decision, file: &str) -> Map<String, Value> {
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
        dropped: false,
        spellings,
        refused: Vec::new(),
        notes,
    }
}
