//! Permission triage: which requests need no person.
//!
//! A client is about to ask its person whether a command may run. Most such commands only look at something, and a person who confirms
//! `ls` fifty times a day confirms `rm` as well. So what is dangerous is refused, what is *proven* to only read is allowed, and everything
//! else is left to the person ([`decide`]).
//!
//! The proof ([`prove`]) is the opposite of the danger pass. That one looks for harm and has to see through every disguise; this one looks
//! for the absence of harm and gives up at the first thing it does not know. Nothing is resolved: a word means what it says, or the proof
//! fails. Programs, their subcommands and their options are listed with what each takes ([`Program`](program::Program)); whatever is not
//! listed is doubted, abbreviations too. There is no list of what is forbidden, for every guard that had one was led around it.
//!
//! Everything is a function of its arguments, without locks and without state: many at once do not get in each other's way, and a request
//! that fails on the way is simply not allowed.

mod advice;
mod awkward;
mod decision;
mod explained;
mod git;
mod literal;
mod narrow;
mod private;
mod processes;
mod program;
mod programs;
mod proof;
mod scene;
#[cfg(test)]
mod tests;

pub use advice::{Advice, Advisor, Breaker, Failure, Question, TASK, consult};
pub use decision::{Decision, Parts, decide};
pub use proof::{Doubt, Proof, prove};
