//! The tests of the settings, their places and their files: one binary, one module per part.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its files has failed")]

mod compiled;
mod edit;
mod files;
mod hostile;
mod layers;
mod names;
mod places;
mod project;
mod reference;
mod remote;
