//! The rules in force: what people write in `policies/safety.yaml`, and what it comes to.
//!
//! A file at user, workspace and repo level says entries ([`entry`], read by `document`). [`merge`] puts the
//! levels together by laws that leave no room for surprises: lists unite, the stronger hold wins, and whatever comes with a clone can only
//! tighten. The outcome is a [`Policy`], the one thing that judges ask. Hooks get it from [`load_fast`], which keeps it compiled and reads
//! YAML only after a change; people see it through [`show`] and change it through [`edit`].
//!
//! A rule says what a command *is*, not what its text looks like: [`pattern`] compares argument vectors, and [`glob`] compares paths.
//! Which of them would be about everything, [`breadth`] says; which about nothing, [`idle`].

pub mod breadth;
pub mod compiled;
pub mod edit;
pub mod entry;
pub mod glob;
pub mod idle;
pub mod merge;
pub mod pattern;
pub mod policy;
pub mod problem;
pub mod show;
pub mod sources;
pub mod trust;

pub(crate) mod document;
mod wire;

pub use custos_config::Change;

pub use breadth::{Whole, whole_of};
pub use compiled::{Loaded, load, load_fast};
pub use edit::EditError;
pub use entry::{Entry, Flag, List, Ops, Setting};
pub use glob::{PathPattern, Place, Target};
pub use idle::{Idle, bare};
pub use merge::Catalogue;
pub use pattern::CommandPattern;
pub use policy::{CommandRule, Level, Origin, PathRule, Policy};
pub use problem::{Problem, ProblemKind};
pub use sources::Sources;

#[cfg(test)]
mod tests;
