//! Tests of the guard from outside, in one binary.

mod parser;
