//! What people and agents call things: an id by the part of it that lists print, a type by its word.

use custos_model::{EventId, Kind, Sort};

use crate::access::may_see;
use crate::error::RecallError;
use crate::search::{Answer, Ask};
use crate::store::Store;
use crate::viewer::Viewer;

/// How many are named where a part of an id fits several.
const SEVERAL: usize = 10;

/// What a text means as an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// Nothing that there is, or that the viewer may see.
    Nothing,
    /// This one.
    One(EventId),
    /// One of these; more of the id would tell.
    Several(Vec<EventId>),
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

    /// Adds a kind.
    pub fn add(&mut self, kind: Kind) {
        self.kinds.push(kind);
    }
}

impl Store {
    /// Finds what a text names: an id, or 8 digits or more of its beginning or its end.
    pub fn named(&mut self, text: &str, viewer: &Viewer<'_>) -> Result<Named, RecallError> {
        let mut found = Vec::new();
        for id in self.index.ids_like(text, SEVERAL)? {
            if self.index.entry_of(id)?.is_some_and(|(_, entry)| may_see(viewer, &entry)) {
                found.push(id);
            }
        }
        Ok(match found.as_slice() {
            [] => Named::Nothing,
            [one] => Named::One(*one),
            _ => Named::Several(found),
        })
    }

    /// Searches among some types; all where none is named.
    ///
    /// For somebody who reads the list: what answers the question neither by its words nor clearly by its meaning is left out, and so is
    /// what is there only because it stands beside a match.
    pub fn search_types(&mut self, ask: &Ask<'_>, types: &Types) -> Result<Answer, RecallError> {
        let Types { kinds, sorts } = types;
        // Whole kinds and single types of others are one question: scores of two answers cannot be compared.
        let mut answer = if kinds.is_empty() || sorts.is_empty() {
            self.search(&Ask { kinds, sorts, ..*ask })?
        } else {
            self.search(&Ask { or_kinds: kinds, sorts, ..*ask })?
        };
        if !ask.text.trim().is_empty() {
            let relevant = self.policy.relevant;
            answer.found.retain(|found| relevant.is_met(found));
        }
        Ok(answer)
    }
}
