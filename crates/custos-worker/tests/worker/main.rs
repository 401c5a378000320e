//! The worker in one process: its own clock, a model that plays a script, and a log on a real disk.
//!
//! What needs whole processes, such as dying at any moment, is tried where the program is.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod budget;
mod circuit;
mod desk;
mod embedding;
mod forgetting;
mod hints;
mod questions;
mod rules;
mod trouble;
mod wire;
