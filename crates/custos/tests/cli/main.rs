//! The program as a user runs it: one story per journey, and what it says when something is wrong.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![expect(clippy::disallowed_methods, reason = "tests damage files and set the scene with plain writes")]

mod bad_input;
mod correcting;
mod distilling;
mod eval;
mod fixtures;
mod guard;
mod guard_rules;
mod help;
mod import;
mod init;
mod journey;
mod knowledge;
mod machine;
mod named;
mod places;
mod recall;
mod settings;
mod shell;
#[cfg(unix)]
mod terminal;
mod vectors;
