//! Changing other people's files.
//!
//! `custos setup` puts a few lines of ours into the settings of each client, and `custos uninstall` takes them out again. These files
//! belong to somebody else: they hold comments, hooks of other tools, sometimes keys. So the rules here are strict:
//!
//! - Nothing is written anew. A parser says which bytes something takes up, and only those bytes are spliced; all others
//!   stay as they are, with their comments, order, indentation, line ends and byte-order mark.
//! - The result is read again before anybody gets it. Unless it says exactly what the old text said, give or take what is
//!   ours, it is an error and there is no result.
//! - To do it twice is to do it once, and to undo it gives back the text of before.
//! - What is not understood is not touched: broken text, a value where a section should be, a name that stands twice.
//!
//! Text goes in and text comes out of [`json`], [`toml`] and [`block`]; none of them knows a file. [`Ledger`] is the one
//! place that does.
//!
//! | module | what it knows |
//! |---|---|
//! | [`json`] | entries of arrays and members of objects, in JSON with comments |
//! | [`ours`] | which entries of a hooks file are ours, and which MCP server |
//! | [`toml`] | one table in a TOML file |
//! | [`block`] | a marked block in Markdown |
//! | [`part`] | any of these, as data: what we want in a file, and what is left in it to take out |
//! | [`ledger`] | the files themselves: originals, links, modes, and the way back |
//! | [`diff`] | what a change does, in lines for people |

pub mod block;
pub mod diff;
pub mod json;
pub mod ledger;
pub mod ours;
pub mod part;
mod tail;
mod text;
pub mod toml;

pub use json::{Change, JsonEdit};
pub use ledger::{Action, Ledger, LedgerError, NewFile, Report};
pub use ours::Ours;
pub use part::{EditError, Part, Trace};
pub use text::Spot;
