//! Tests of the guard from outside, in one binary.

mod bash_agrees;
mod corpus;
mod mutation;
mod parser;
mod robust;
mod scene;
