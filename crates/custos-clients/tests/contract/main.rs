//! What the clients really say and what they really take, held against what we read and write.
//!
//! `fixtures/` holds payloads that were recorded from the clients, `schemas/` says for each wired event which of their fields we stand on
//! (`EVENT.stdin.json`) and which answers the client acts upon (`EVENT.stdout.json`). The tests here hold the three together: a
//! recorded payload is valid and becomes the right event, a payload that is not valid is refused by name, and nothing that we answer
//! is anything but what the client takes.
//!
//! - [`recorded`] finds the payloads, [`made`] adds those that no recording holds.
//! - [`shapes`] and [`answers`] are the tables from which [`schemas`] renews the committed files.
//! - [`payloads`], [`misreads`] and [`unknown`] test the way in, [`replies`] the way out.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod answers;
mod made;
mod misreads;
mod payloads;
mod recorded;
mod replies;
mod schemas;
mod shapes;
mod unknown;
