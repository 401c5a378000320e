//! Hints at a tool: one line before a file is touched that has bitten somebody before, and one after a command failed as it failed before.
//!
//! A tool's hook has a millisecond and opens no database. So the worker writes down in advance what could be said: one small file per
//! project, sorted by what leads to each line, which a hook reads in one go and searches by halves. The file is derived and may be
//! deleted at any time; whoever corrects or forgets something deletes it, and the next worker makes it anew.
//!
//! A hint interrupts, so it is silent unless it is sure. What is sure, and what is not, is decided where the file is made ([`build`](mod@build)) and in
//! what an error is recognised by ([`signature`]).
//!
//! | module | what lives there |
//! |---|---|
//! | [`build`](mod@build) | which observations become hints |
//! | `proof` | which errors went away by what was edited |
//! | `evidence` | what an observation was made from |
//! | `filed` | which files of the knowledge base become hints |
//! | [`signature`] | what an error is recognised by |
//! | [`file`](mod@file) | the file: written whole, read without trust |
//! | [`hint`] | a hint, and how it reads |
//! | `wording` | how a memory is told in one line |

pub mod build;
mod evidence;
pub mod file;
mod filed;
pub mod hint;
mod proof;
pub mod signature;
#[cfg(test)]
mod tests;
mod wording;

pub use build::build;
pub use file::{Hints, discard, discard_all};
pub use hint::{Hint, Trigger};
