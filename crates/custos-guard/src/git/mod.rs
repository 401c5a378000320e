//! Git, judged by its argument vector and its refspecs, and the command lines of the forges.
//!
//! Text tells little about git: `push -fu`, `push --forc`, `push origin +x`, `-c alias.p='push -f' p` and a bare `push` on main are all the
//! same deed, while `push -n origin main`, `push origin main:feat` and a commit message about `reset --hard` are none. So a call is read as
//! git reads it: its global options first (`globals`), then aliases, wherever they were defined (`alias`), then the options of
//! the subcommand from that subcommand's own table (`flags`). What is judged then is what would happen: what reaches the remote
//! (`push`), which work would be lost (`discard`, `history`), which branch would move (`branch`), which hooks
//! would not run (`commit`), and which programs git would start on the caller's behalf (`settings`, `environment`, `runs`).
//!
//! Git starts other programs in two dozen ways. Those are not judged here but handed back to the walker as [`Nested`], which
//! judges them like anything else on the command line.

mod alias;
mod branch;
mod call;
mod commit;
mod discard;
mod environment;
mod flags;
mod forge;
mod globals;
mod history;
mod nested;
mod push;
mod refs;
mod runs;
mod settings;
#[cfg(test)]
mod tests;

pub(crate) use call::{RULES, judge};
pub(crate) use forge::{RULES as FORGE_RULES, judge_forge};
pub(crate) use nested::{Earlier, Nested};
