//! The worker: takes what waits in the log, has it distilled, and appends what came of it.
//!
//! Hooks record what agents do and go on. What is to be learnt from it is found out here, by a process of its own that a hook
//! [wakes](mod@wake) when something waits and none runs, and that ends when nothing waits any more. Nothing stays resident.
//!
//! A piece of work is a [unit](mod@unit): the events of a turn, a few small turns, or the end of a session. It is taken from the index, which
//! knows what has no result yet; the claim is the worker's [lock](claim), so there is one worker for one memory. Its results and the
//! `work.done` that confirms them are one append, and their ids follow from the work and from what they say. So a worker that dies at any
//! moment loses nothing: what was not confirmed waits again, the same events make the same work, and what was half written is the same
//! event when it is written again, or is superseded by what takes its place.
//!
//! What a caller may rely on (each promise has a test):
//!
//! - Every event is distilled once in the end, whenever and however often the worker is killed.
//! - A question that a provider does not take stops nothing but the work that it is about, which the rules then do.
//! - A provider that does not answer costs time, never work: its [circuit] opens, the work waits and goes on by itself, and after
//!   ten minutes the rules take over and say so.
//! - No more is spent than the [budget](ledger) allows; beyond it the rules take over.
//! - Vectors are made last, and never instead of anything else; an embedder that fails costs vectors, and no work.
//! - What even the rules cannot take is tried three times, then given up and shown.
//!
//! | module | what lives there |
//! |---|---|
//! | [`wake`](mod@wake) | starting a worker from a hook, and letting go of the hook in the worker |
//! | [`claim`] | the lock that the one worker holds |
//! | [`stop`] | being asked to end |
//! | [`journal`] | the worker's own log |
//! | [`unit`](mod@unit) | what waits, cut into pieces of work |
//! | `evidence` | the events of a piece of work, read from the log |
//! | [`forgotten`] | turns that count as private because their prompt was forgotten |
//! | [`distiller`] | what makes something of it: rules, and a model where there is one |
//! | `asking`, `questions` | a question to a model, with a deadline that holds, and all that are about one piece of work |
//! | [`circuit`], [`ledger`] | when not to ask |
//! | `owing` | what a question may take, written down before it is asked |
//! | `results`, `provenance` | what is appended, and from which events its words come |
//! | `hints` | what hooks may say at a tool, written down for them |
//! | [`embedding`] | vectors of what was learnt, made when nothing else waits |
//! | `attempt`, `sitting` | one piece of work, from its events to its results, and what is known of its session |
//! | [`surroundings`], [`run`](mod@run) | what comes from outside, and the loop |
//! | [`queue`] | what a person sees of it, and moves |

mod asking;
mod attempt;
pub mod circuit;
pub mod claim;
pub mod distiller;
pub mod embedding;
mod error;
mod evidence;
pub mod forgotten;
mod hints;
pub mod journal;
pub mod ledger;
mod owing;
mod provenance;
mod questions;
pub mod queue;
mod results;
pub mod run;
mod sitting;
pub mod stop;
pub mod surroundings;
pub mod unit;
pub mod wake;

pub use claim::Claim;
pub use distiller::{Distil, Rules};
pub use error::WorkerError;
pub use run::run;
pub use surroundings::{
    Ended, MachineTime, Models, OpenEmbedder, Progress, Report, Settings, Surroundings, Time,
};
pub use wake::{Woken, wake};
