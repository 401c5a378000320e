//! The knowledge base of a project: decisions, memories, backlog, questions, plans, oracle, handoffs, in plain files below `.ai/`.
//!
//! People read, edit, review and merge these files; agents write them through tools. So a file that a person edited wins over everything that
//! was derived from it, a file that cannot be read is reported with its line and never overwritten, and every write is whole or not at all
//! ([`store`]). There are three levels: the person's own, a workspace, a repo. What is written goes where its scope says, what is read is merged
//! ([`base`]): decisions of all levels stay visible, each with its level; of memories with one slug the nearest wins; the oracle shows both.
//! Every write is an event in the log as well.
//!
//! No model, no network, no environment: the same files give the same answers.

mod aftercare;
pub mod ahead;
pub mod backlog;
pub mod base;
mod catalogue;
pub mod check;
mod counter;
pub mod decision;
pub mod described;
mod directory;
pub mod handoff;
mod ignore;
pub mod import;
pub mod init;
pub mod keeping;
mod lines;
mod lock;
pub mod memory;
pub mod naming;
pub mod oracle;
pub mod plan;
mod pledge;
pub mod preset;
pub mod proposal;
pub mod question;
pub mod refusal;
pub mod roll;
pub mod root;
pub mod scope;
pub mod shelf;
pub mod store;
pub mod text;
pub mod together;
mod unnamed;
mod version;
mod whole;
pub mod worklog;

#[cfg(test)]
pub(crate) mod testing;

pub use aftercare::Debt;
pub use base::{Around, Base, View};
pub use refusal::{Cause, Refusal};
pub use root::{Nature, Root};
pub use shelf::Fault;
pub use store::{Level, Store};
pub use together::Unkept;
pub use version::Version;
