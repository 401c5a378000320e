//! Judges what an agent is about to do.
//!
//! A verdict is deny, ask or silence, and it comes from structure, never from text that happens to look alike: the command is parsed as
//! bash would parse it ([`shell`]), its words are resolved as far as they can be known ([`words`]), every command in it is visited with
//! its wrappers taken off and its nested scripts opened (`walk`), and each is judged by its argument vector (`judge`, [`git`], `packs`)
//! against the rules in force ([`rules`]). Paths are judged the same wherever they appear (`path`).
//!
//! Three promises shape the code. What cannot be understood is never silently allowed if it could destroy something. The time grows with
//! the input, not with its cleverness: every loop draws on one bounded effort, and when that is spent, the answer is "ask". And no verdict
//! without an explanation: each names its rule, the part that offends, and a safer way.
//!
//! Nothing here starts a process, opens a socket, reads the environment or writes a file other than those that are its subject.

pub mod catalogue;
pub mod decisions;
pub mod delegation;
pub mod fuzz;
pub mod gate;
pub mod guard;
pub mod invocation;
pub mod options;
pub mod predicate;
pub mod rules;
pub mod shell;
pub mod triage;
pub mod verdict;
pub mod world;

mod case;
mod code;
mod git;
mod judge;
mod packs;
mod path;
mod tool;
mod walk;
mod words;

pub use case::Case;
pub use catalogue::CATALOGUE;
pub use guard::{Guard, Judgement};
pub use invocation::{Arg, Invocation};
pub use path::Access;
pub use verdict::{Finding, Hold, Rule};
pub use world::{Files, World};
