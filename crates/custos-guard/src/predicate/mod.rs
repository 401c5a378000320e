//! Decisions as guards: a rule that proves itself before it is in force.
//!
//! A decision that people marked as required can carry a predicate: a pattern for commands or for paths, with examples of what it must
//! block and what it must allow. A rule that people wrote in a hurry usually leaks, and nobody notices. So a predicate is put to the
//! proof first ([`prove`]): its examples, and each of them said in dozens of other ways that mean the same ([`rewrite`]). Only a [`Proven`]
//! predicate is enforced; one that leaks is refused with the very spelling that leaked.

mod decision;
mod proof;
pub mod rewrite;

pub use decision::{Pattern, Predicate, PredicateError, from_front_matter};
pub use proof::{Leak, Proven, Wanted, prove};
