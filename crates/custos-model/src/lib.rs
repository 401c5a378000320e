//! The nouns of Custos: what an event is, who may read it, how it is named and which schema it follows.
//!
//! Everything in Custos is an [`Event`] in a log. This crate says what one may hold and nothing about where it is kept:
//! no file, no clock, no environment, no randomness. Whatever is needed from outside comes in as an argument, so that every
//! rule here can be tested as a table.
//!
//! | module | noun |
//! |---|---|
//! | [`kind`] | what can happen, and how each kind is treated by default |
//! | [`event`] | the envelope around what happened |
//! | [`draft`] | an event that somebody wants to have recorded, checked field by field |
//! | [`access`] | scopes, access lists and the one function that decides who may read |
//! | [`observation`] | what is learnt from work, and what it came to |
//! | [`piece`] | the pieces of a text, each of which gets a vector |
//! | [`id`] | event ids and the pseudonyms of agents |
//! | [`time`] | instants, as the log spells them |
//! | [`version`] | schema versions and which of them a reader accepts |
//! | [`upgrade`] | older schemas, brought forward |
//! | `schema` | the envelope as JSON Schema (feature `schema`) |

pub mod access;
pub mod draft;
pub mod event;
pub mod id;
pub mod kind;
pub mod observation;
pub mod piece;
#[cfg(feature = "schema")]
pub mod schema;
pub mod time;
pub mod upgrade;
pub mod version;

pub use access::{AccessList, Grant, Reader, Scope, may_read};
pub use draft::{Draft, DraftAgent, SchemaViolation};
pub use event::{Agent, Event, Importance, Origin, Outcome};
pub use id::{AgentId, AgentKey, EventId};
pub use kind::Kind;
pub use observation::{Observation, Sort, Summary};
pub use piece::PieceId;
pub use time::Timestamp;
pub use version::SchemaVersion;
