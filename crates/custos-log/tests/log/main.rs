//! The promises of the log, each tried from outside, on real files.
//!
//! [`machine`] is what all of them stand on: a log on a disk that can be told to fail. The promise that needs whole processes,
//! `kill -9` at any moment, is tried where its program is: in the testkit.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod appending;
mod backups;
mod chain;
mod content;
mod faults;
mod flips;
mod forgetting;
mod hostile;
mod machine;
mod migrating;
mod removal;
mod schemas;
mod seeking;
mod spooling;
