//! The program as a user runs it: one story per journey, and what it says when something is wrong.

mod bad_input;
mod help;
mod journey;
mod machine;
mod places;
mod settings;
mod shell;
