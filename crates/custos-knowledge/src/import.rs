//! What was kept elsewhere, carried over.
//!
//! [`axme`] reads the tree of another knowledge base and writes its items as ours; [`instructions`] reads the files in which people tell
//! agents what to do, and proposes their rules. Neither changes what it reads, and neither overwrites what is there.

pub mod axme;
pub mod instructions;
