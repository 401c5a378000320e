//! A hint, how it reads, and its receipt.

use std::collections::BTreeMap;

use custos_model::{EventId, Kind, Sort, Timestamp};

use super::file::Key;
use crate::fence;
use crate::policy::Policy;
use crate::receipt::{Item, Moment, Receipt, Section, Trust, sha256};
use crate::tokens::estimate;

/// The longest line, in characters: a hint is a nudge, the rest is fetched by its id.
pub const LONGEST: usize = 200;

/// The longest label: why it is told, of a sort and an age with long names.
const LABEL: usize = 63;

/// The most characters of it that come from the memory: so many fit whole behind any label.
pub(crate) const TEXT: usize = LONGEST - LABEL - fence::OPEN.len() - fence::CLOSE.len();

/// What a hint is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    /// A file is about to be read or changed.
    File,
    /// A command failed.
    Error,
}

impl Trigger {
    /// Reads the word in a receipt.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        [Self::File, Self::Error].into_iter().find(|trigger| trigger.word() == word)
    }

    /// Gives the word in a receipt.
    pub const fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Error => "error",
        }
    }
}

/// Something to say at a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// What leads to it.
    pub key: Key,
    /// The observation.
    pub id: EventId,
    /// When that was made.
    pub ts: Timestamp,
    /// What sort of thing it is.
    pub sort: Sort,
    /// Stands for the session that made it, which need not be told.
    pub session: u64,
    /// Whether the owner wrote it or trusts the repository that it lies in.
    pub trusted: bool,
    /// What it says, in one line.
    pub text: String,
}

impl Hint {
    /// Spells the hint for the model: why it is told, how old it is, by which id to read the rest, and what it says, as a quotation.
    pub fn line(&self, trigger: Trigger, now: Timestamp) -> String {
        let id = self.id.to_string();
        let id = id.rsplit('-').next().unwrap_or(&id);
        let age = fence::age(now, self.ts);
        let label = match trigger {
            Trigger::File if self.trusted => format!("known about this file, {} {age}, {id}", self.sort),
            Trigger::File => format!("known about this file (repo, unreviewed), {} {age}, {id}", self.sort),
            // What was not made as a fix is not called one: all that is known is that it helped.
            Trigger::Error if self.sort == Sort::Change => {
                format!("{age} this error went away after this, {id}")
            }
            Trigger::Error => format!("the same error was fixed {age}, {id}"),
        };
        let taken = fence::OPEN.len() + label.chars().count() + ": ".len() + fence::CLOSE.len();
        let text = shortened(&fence::line(&self.text), LONGEST.saturating_sub(taken));
        format!("{}{label}: {text}{}", fence::OPEN, fence::CLOSE)
    }

    /// Says what it was made of: files have ids of their own version, made of their place.
    fn kind(&self) -> Kind {
        if self.id.as_bytes()[6] >> 4 == 8 { Kind::KnowledgeSaved } else { Kind::ObservationRecorded }
    }

    /// Makes the receipt of a hint that was given as `line`.
    pub fn receipt(&self, trigger: Trigger, now: Timestamp, line: &str) -> Receipt {
        let tokens = estimate(line);
        let item = Item {
            id: self.id,
            kind: self.kind().name().to_owned(),
            section: Section::Index,
            title: String::new(),
            score: 1.0,
            why: BTreeMap::from([(trigger.word().to_owned(), 1.0)]),
            nearness: BTreeMap::new(),
            but_for: Vec::new(),
            tokens,
            trust: if self.trusted { Trust::Own } else { Trust::Unreviewed },
            age_s: now.as_millis().saturating_sub(self.ts.as_millis()) / 1_000,
            text: None,
        };
        Receipt {
            moment: Moment::Tool,
            source: trigger.word().to_owned(),
            at: now,
            policy: Policy::DEFAULT.version,
            tokens,
            items: vec![item],
            sha256: sha256(line),
            ..Receipt::default()
        }
    }
}

/// Cuts a text to so many characters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let cut: String = text.chars().take(most.saturating_sub(1)).collect();
    // A code span that was cut open would swallow what follows.
    let is_open = cut.matches('`').count() % 2 == 1;
    let cut = if is_open { cut.rsplit_once('`').map_or(&*cut, |(head, _)| head) } else { &cut };
    format!("{}…", cut.trim_end())
}
