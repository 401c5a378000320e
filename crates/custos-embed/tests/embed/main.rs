//! The crate from outside: the reference, hostile texts, and the search.

#![expect(clippy::unwrap_used, reason = "a test that has no vector has failed")]

#[cfg(feature = "minilm")]
mod hostile;
#[cfg(feature = "minilm")]
mod reference;
mod search;
mod vectors;
