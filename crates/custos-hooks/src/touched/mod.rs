//! Which files a tool call read and which it changed.
//!
//! Memory is asked by file more than by anything else: "what do we know about this one?". Tools that name a path
//! make that easy; most of what an agent does, though, is a line of shell. This module reads such a line the way a
//! careful person does, and tells only what is certain from the text alone: `cat "$F"`, `rm *.log` and
//! `sort $(ls)` name nothing that can be told, and a wrong file is worse than none.
//!
//! It runs in every hook, cold, and shares a third of a millisecond with everything else. So there is no grammar
//! and no pattern engine here, only passes from left to right:
//!
//! 1. `lexer` cuts a script into `words`, redirections and the operators between them. It knows quoting, comments,
//!    substitutions and here-documents, which is where a naïve reader goes astray.
//! 2. `walk` follows the script from command to command: which directory it is in, what a subshell undoes, what a
//!    redirection writes. `frames` knows what each construct does to the directory.
//! 3. `programs` says how a program takes its arguments, `arguments` sorts them into options and operands by that,
//!    and `effects` tells what becomes of the files among them (`git` has a module of its own).
//! 4. `patch` reads the two kinds of patches that agents send: those of `apply_patch`, and unified diffs.
//! 5. `paths` makes each name absolute and keeps the lists short.
//!
//! The guard reads commands with a real parser, since there a miss is a danger. Here a miss is only a file that is
//! not mentioned, and the price of each hook counts. Nothing looks at the disk: `..` is taken away by text, and
//! `mv a b` is told to change `b` even if `b` is a directory. Whatever the input, the work is linear: a script has
//! at most 64 KB, each nested level (at most four) reads its part once more, and constructs nest to a bounded depth.

mod ansi_c;
mod arguments;
mod effects;
mod effort;
mod frames;
mod git;
mod lexer;
mod patch;
mod paths;
mod programs;
#[cfg(test)]
mod tests;
mod transfer;
mod walk;
mod words;

pub use patch::by_patch;
pub(crate) use patch::could_touch;
pub use paths::{Touched, changed_one, read_one};
pub use walk::by_shell;
