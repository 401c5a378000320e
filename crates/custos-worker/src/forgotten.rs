//! Turns whose prompt was forgotten.
//!
//! Whether such a prompt was private nobody can tell any more, so its turn is taken for private, by whoever would look at it: a worker, or
//! a person who tries what a model would make of it. Nothing in the log says which turn a forgotten prompt was for; but its id tells when
//! it was typed, and a turn that has lost its prompt has none of its own.

use custos_index::{Index, IndexError};
use custos_model::{EventId, Timestamp};

/// A prompt from so long before a turn's end is not the turn's, in milliseconds.
const LONGEST_TURN: i64 = 24 * 60 * 60_000;

/// The prompts that were forgotten, of whatever session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Forgotten(Vec<EventId>);

impl Forgotten {
    /// Asks the index, which must have caught up.
    pub fn read(index: &mut Index) -> Result<Self, IndexError> {
        index.forgotten_prompts().map(Self)
    }

    /// Says whether the prompt of a turn may be one of them, by the turn's last instant. One that still has its prompt, or that was for
    /// none, is no such turn; that is for the caller to say.
    pub fn may_hold_prompt_of(&self, last: Timestamp) -> bool {
        let last = last.as_millis();
        let begin = EventId::new(Timestamp::from_millis(last.saturating_sub(LONGEST_TURN)), [0; 10]);
        let end = EventId::new(Timestamp::from_millis(last), [0xff; 10]);
        self.0.iter().any(|id| (begin..=end).contains(id))
    }
}
