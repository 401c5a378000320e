//! The worker as a process: started by hooks, killed at any moment, with a provider on the other end of a real wire.
//!
//! Every test ends with the same question: is every event distilled, and none of it twice?

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![expect(clippy::disallowed_methods, reason = "tests set the scene with plain writes, and wait")]

mod desk;
mod detached;
mod killed;
mod left_behind;
mod providers;
mod queue;
