//! The server as a client sees it: lines in, lines out.
//!
//! [`client`] holds both ends: tools that do next to nothing, and a client that says what it is told to, byte for byte. Answers
//! are compared whole, as they are on the wire, because what a client stumbles over is rarely what a test would have picked out.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod batches;
mod calls;
mod client;
mod ending;
mod hostile;
mod opening;
