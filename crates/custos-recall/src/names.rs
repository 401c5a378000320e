//! What people and agents call things: an id by the part of it that lists print, a file of the knowledge base by its name, a type by its word.
//!
//! Contexts and lists call a file what people call it, `D-001` or a slug, so that is taken wherever an id is. Each project counts its decisions
//! from 1, so a name means something only from where it is said: the project's own first, then the workspace's, then the person's.

use custos_index::Entry;
pub use custos_index::could_be_id;
use custos_knowledge::{memory, text};
use custos_model::{EventId, Kind, Sort};

use crate::access::may_see;
use crate::error::RecallError;
use crate::search::{Answer, Ask};
use crate::store::Store;
use crate::viewer::Viewer;

/// How many are named where a part of an id fits several.
const SEVERAL: usize = 10;

/// The longest name that is looked for, in bytes: far longer than any file's. Whatever is longer is a question.
const LONGEST: usize = 256;

/// What a text means as an id or a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// Nothing that there is, or that the viewer may see.
    Nothing,
    /// This one.
    One(EventId),
    /// One of these; the whole id would tell.
    Several(Vec<EventId>),
}

/// Gives the name of something where it tells more than its title, such as `D-001`. The slug of a title is that title once more.
pub fn telling_name(entry: &Entry) -> Option<&str> {
    let is_of = |title: &str, name: &str| text::slug(title, memory::LONGEST_SLUG) == name;
    let name = entry.name.as_deref()?;
    (!entry.title.as_deref().is_some_and(|title| is_of(title, name))).then_some(name)
}

/// The types of knowledge that no observation has.
const KNOWLEDGE: [&str; 4] = ["memory", "task", "question", "handoff"];

/// What was asked for by type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Types {
    kinds: Vec<Kind>,
    sorts: Vec<&'static str>,
}

impl Types {
    /// Lists the words that there are.
    pub fn words() -> impl Iterator<Item = &'static str> {
        let kinds = Kind::TEXTS.map(Kind::word).into_iter();
        kinds.chain(Sort::ALL.map(Sort::name)).chain(KNOWLEDGE)
    }

    /// Reads words; gives back the first that is none.
    pub fn read<'w>(words: impl IntoIterator<Item = &'w str>) -> Result<Self, &'w str> {
        let mut types = Self::default();
        for word in words {
            let wanted = word.trim().to_lowercase();
            if let Some(kind) =
                Kind::TEXTS.into_iter().find(|kind| kind.word() == wanted || kind.name() == wanted)
            {
                types.kinds.push(kind);
            } else if let Some(sort) = Self::words().find(|known| *known == wanted) {
                types.sorts.push(sort);
            } else {
                return Err(word);
            }
        }
        Ok(types)
    }

    /// Says whether all of a kind was asked for by its name.
    pub fn has(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }

    /// Adds a kind.
    pub fn add(&mut self, kind: Kind) {
        self.kinds.push(kind);
    }
}

impl Store {
    /// Finds what a text names: an id, 8 digits or more of its beginning or its end, or the name of a file that is at hand.
    ///
    /// A name means the nearest that has it, in the sense of [where the memory is asked from](Self::ask_from).
    pub fn named(&mut self, text: &str, viewer: &Viewer<'_>) -> Result<Named, RecallError> {
        let mut found = self.with_id(text, viewer)?;
        if found.is_empty() {
            found = self.called(text.trim(), viewer)?;
        }
        Ok(match found.as_slice() {
            [] => Named::Nothing,
            [one] => Named::One(*one),
            _ => Named::Several(found),
        })
    }

    fn with_id(&mut self, part: &str, viewer: &Viewer<'_>) -> Result<Vec<EventId>, RecallError> {
        let mut found = Vec::new();
        for id in self.index.ids_like(part, SEVERAL)? {
            if self.index.entry_of(id)?.is_some_and(|(_, entry)| may_see(viewer, &entry)) {
                found.push(id);
            }
        }
        Ok(found)
    }

    /// Finds the nearest files of a name; several where one store has them, such as a feedback and a pattern.
    fn called(&mut self, name: &str, viewer: &Viewer<'_>) -> Result<Vec<EventId>, RecallError> {
        if name.is_empty() || name.len() > LONGEST {
            return Ok(Vec::new());
        }
        let mut called: Vec<(usize, EventId)> = self
            .index
            .knowledge_named(name)?
            .iter()
            .filter(|entry| may_see(viewer, entry))
            .filter_map(|entry| Some((self.at_hand.distance(entry)?, entry.id)))
            .collect();
        let nearest = called.iter().map(|(distance, _)| *distance).min();
        called.retain(|(distance, _)| Some(*distance) == nearest);
        Ok(called.into_iter().map(|(_, id)| id).collect())
    }

    /// Searches among some types; all where none is named.
    ///
    /// For somebody who reads the list: what answers the question neither by its words nor clearly by its meaning is left out, and so is
    /// what is there only because it stands beside a match.
    pub fn search_types(&mut self, ask: &Ask<'_>, types: &Types) -> Result<Answer, RecallError> {
        let Types { kinds, sorts } = types;
        let ask = Ask { answers_only: true, sorts, ..*ask };
        // Whole kinds and single types of others are one question: scores of two answers cannot be compared.
        if kinds.is_empty() || sorts.is_empty() {
            self.search(&Ask { kinds, ..ask })
        } else {
            self.search(&Ask { or_kinds: kinds, ..ask })
        }
    }
}
