//! Recall from the outside: a real log, its index, real files of vectors.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![expect(clippy::disallowed_methods, reason = "tests plant files; nothing has to survive a crash")]

mod access;
mod by_time;
mod knowledge;
mod memory;
mod million;
mod questions;
mod ranking;
