//! Tests of the guard from outside, in one binary.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod bash_agrees;
mod corpus;
mod mutation;
mod parser;
mod robust;
mod scene;
