//! The tools of the knowledge base, and the MCP server that offers them.
//!
//! Two doors lead to the same room. An agent calls a tool through the server ([`server`], over rmcp on standard input and output); a person
//! types a command, which calls the same tool. Both stand before the [`Desk`], so that they get the same answer: a text to read, and the same as
//! data. What differs is what they may do ([`desk::Caller`]): some doors open for a person only.
//!
//! A tool is a row in a table ([`tools::TOOLS`]): its name, when to use it, its arguments, and the function that does it. The schema that a
//! client gets, the check of what it sends and the refusal that names everything that is missing all come from that row ([`fields`]).
//!
//! Nothing here asks a model or a network.

pub mod answer;
mod calls;
pub mod desk;
pub mod fields;
mod leaks;
pub mod pages;
mod recollection;
pub mod server;
pub mod tools;

pub use desk::{Caller, Desk};
pub use recollection::Opener;
