//! Receipts: what was given to a session, why, and what was not.
//!
//! Whatever is put before a model without being asked for leaves an event `recall.served`, whose body is a [`Receipt`]. It names each item with
//! the parts of its score, which add up to it, and what would have come next had there been more room. Of what stands in the log it holds no word, only ids and
//! hashes, so that whoever forgets a memory need not look for it in receipts; what came from files (a handoff, decisions, questions) is
//! kept as it was said, because files change and nobody could say later what they said.
//!
//! With the log, that is enough to write the same bytes again: [`crate::context::again`]. The hash tells whether they are the same.
//!
//! A receipt of an older version reads with what it has; one of a newer version loses what is not known here.

use std::collections::BTreeMap;

use custos_model::{EventId, Timestamp};
use hmac_sha256::Hash;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::tokens::{Room, estimate, units};

/// When something is given without being asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Moment {
    /// A session starts.
    #[default]
    Start,
    /// A person asks something.
    Prompt,
    /// An agent sends another.
    Subagent,
    /// A tool runs, or has failed.
    Tool,
}

impl Moment {
    /// Gives the word in a receipt.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Prompt => "prompt",
            Self::Subagent => "subagent",
            Self::Tool => "tool",
        }
    }
}

/// Where in a context an item stands, and so how much of it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Section {
    /// The last summary, with what was done and what is next.
    Summary,
    /// One line that says that it is there.
    #[default]
    Index,
    /// A memory with what it says.
    Memory,
}

/// How far a text can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// It was made here.
    #[default]
    Own,
    /// It was imported, or comes with a repo that nobody has looked at.
    Unreviewed,
}

/// One thing that was given, or would have been.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Its id; of a knowledge file the id of its row.
    pub id: EventId,
    /// What it is: the name of the event's kind.
    pub kind: String,
    /// Where it stands.
    #[serde(default)]
    pub section: Section,
    /// The first digits of its title's hash, which tell whether it still has this title.
    #[serde(default)]
    pub title: String,
    /// How well it fits.
    #[serde(default)]
    pub score: f64,
    /// The parts of the score that are not 0; their sum is the score.
    #[serde(default)]
    pub why: BTreeMap<String, f64>,
    /// How near it is to the prompt by itself, which decides whether it is given at all: `coverage` and `cosine`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub nearness: BTreeMap<String, f64>,
    /// What it takes, as it was said.
    #[serde(default)]
    pub tokens: u64,
    /// How far it is trusted.
    #[serde(default)]
    pub trust: Trust,
    /// How old it was, in seconds.
    #[serde(default)]
    pub age_s: i64,
    /// What these say was left out of it: they were corrected since, or are told beside it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub but_for: Vec<EventId>,
    /// What was said of it, where it comes from a file and not from the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Why something was not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// There was no room for it.
    #[default]
    Room,
    /// There was enough without it.
    Enough,
    /// The session had got it before.
    Seen,
    /// Nobody could be sure that it fits.
    Unsure,
    /// Something else says the same, here or earlier in the session.
    Twin,
    /// It repeats what was corrected since.
    Corrected,
}

impl Reason {
    /// Says it to a person.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Room => "no room",
            Self::Enough => "enough without it",
            Self::Seen => "the session had it",
            Self::Unsure => "not sure enough",
            Self::Twin => "something else says the same",
            Self::Corrected => "it repeats what was corrected",
        }
    }

    /// Says whether it would have been given, had something else not.
    pub(crate) const fn is_spare(self) -> bool {
        matches!(self, Self::Room | Self::Enough)
    }
}

/// One thing that was not given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    /// What it is.
    pub item: Item,
    /// Why it was not given.
    #[serde(default)]
    pub why: Reason,
}

/// What comes from files and not from the log, line by line as it was said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Frame {
    /// Where the last session stopped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub handoff: Vec<String>,
    /// What binds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// What waits for an answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    /// What would bind, had somebody looked at the repo that it came with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreviewed: Vec<String>,
    /// What should be known about all this: that the index is behind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How many there are beyond those that are worth a line.
    #[serde(skip_serializing_if = "More::is_none")]
    pub more: More,
}

/// How many more there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct More {
    /// Of what binds.
    pub rules: usize,
    /// Of what waits for an answer.
    pub questions: usize,
    /// Of what nobody has looked at.
    pub unreviewed: usize,
}

impl More {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl Frame {
    /// Says whether there is nothing in it that is worth saying by itself.
    pub fn is_empty(&self) -> bool {
        [&self.handoff, &self.rules, &self.questions, &self.unreviewed].into_iter().all(Vec::is_empty)
    }

    fn is_blank(&self) -> bool {
        *self == Self::default()
    }
}

/// How much could be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Ceiling {
    /// In tokens, for all that the hook says.
    pub tokens: u64,
    /// In characters, as the client counts them.
    pub characters: usize,
    /// The tokens that other things took which the hook said.
    pub taken_tokens: u64,
    /// The characters that they took.
    pub taken_characters: usize,
}

impl Ceiling {
    /// Takes into account what the hook says besides.
    #[must_use]
    pub fn beside(self, said: &str) -> Self {
        // Two line ends stand between them.
        let said = format!("{said}\n\n");
        Self { taken_tokens: estimate(&said), taken_characters: units(&said), ..self }
    }

    /// Gives the room that is left.
    pub(crate) fn room(self) -> Room {
        Room::new(
            self.tokens.saturating_sub(self.taken_tokens),
            self.characters.saturating_sub(self.taken_characters),
        )
    }
}

/// What was given, why, and what was not.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Receipt {
    /// When in the life of a session.
    pub moment: Moment,
    /// Why the session started, or what sort of agent did.
    pub source: String,
    /// The time from which ages are counted.
    pub at: Timestamp,
    /// The version of the numbers that decided.
    pub policy: u32,
    /// How much could be said.
    pub ceiling: Ceiling,
    /// How many tokens were said.
    pub tokens: u64,
    /// The items, in the order in which they stand.
    pub items: Vec<Item>,
    /// What was left out, the best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// What came from files.
    pub frame: Frame,
    /// What came from files and found no room, as it would have been said.
    #[serde(skip_serializing_if = "Frame::is_blank")]
    pub unsaid: Frame,
    /// The hash of what was said.
    pub sha256: String,
}

impl Receipt {
    /// Reads the body of an event.
    pub fn read(body: Map<String, Value>) -> Option<Self> {
        let mut receipt: Self = serde_json::from_value(Value::Object(body)).ok()?;
        let left = receipt.left_out.iter_mut().map(|left| &mut left.item);
        for item in receipt.items.iter_mut().chain(left) {
            // The first receipts had these among the parts of the score.
            for name in ["coverage", "cosine"] {
                item.nearness.extend(item.why.remove_entry(name));
            }
        }
        Some(receipt)
    }

    /// Spells the body of an event.
    pub fn body(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(body)) => body,
            _ => Map::new(),
        }
    }

    /// Gives the ids of what was given.
    pub fn ids(&self) -> impl Iterator<Item = EventId> + '_ {
        self.items.iter().map(|item| item.id)
    }
}

/// Hashes what was said.
pub fn sha256(text: &str) -> String {
    Hash::hash(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Gives the first digits of a title's hash: enough to tell another title, too few to find the title by.
pub(crate) fn title_hash(title: &str) -> String {
    Hash::hash(title.as_bytes()).iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}
