//! Invented coding sessions, as the log receives them: drafts of events, mixed and sized like real ones.
//!
//! Benchmarks and crash tests need a hundred thousand events, and real sessions are nobody's to publish. So
//! this writes its own, and keeps to what matters for a log and a search index: the mix of kinds (mostly
//! tool calls), sizes around one kilobyte with a long tail, words that are as unequal in frequency as those
//! of any language, identifiers and paths between them, and some text that is not English, or not even
//! written with spaces.
//!
//! Two properties make queries possible whose answer is known. Most observations contain [`COMMON_WORD`],
//! which is the worst case of a search. And [`rare_word`] tells which events have a word to themselves.
//!
//! The same seed gives the same drafts, always: see [`crate::random`].

mod bodies;
mod events;
mod prose;
mod vocabulary;

pub use events::{Events, events, observations};
pub use prose::{COMMON_WORD, RARE_EVERY, rare_word};
