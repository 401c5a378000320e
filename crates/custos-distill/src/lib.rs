//! From what happened to what is worth knowing.
//!
//! A turn's tool calls are [evidence](turn); a distiller makes a few [observations](custos_model::Observation) and a
//! [summary](custos_model::Summary) of them. The [rules] need nothing but the evidence, give the same result for the same turn, and
//! are what everybody has; a model gets the same evidence [as a bounded prompt](prompt), and its answer is [believed](answer) only as far
//! as the evidence bears it out. Nothing here reads a file, a clock or a network.
//!
//! | module | what lives there |
//! |---|---|
//! | [`turn`] | what happened between a prompt and its end, in the same words for all clients |
//! | [`read`] | events of the log to a turn |
//! | [`rules`] | the distiller without a model |
//! | [`prompt`], [`answer`] | what a model is asked, and what is taken from its answer |
//! | [`model`] | a model that can be asked |
//! | [`importance`] | how much an observation matters, and why |
//! | [`alike`] | when two observations are the same |

pub mod alike;
pub mod answer;
pub mod importance;
pub mod model;
pub mod prompt;
pub mod read;
pub mod rules;
pub mod turn;

pub use turn::{Edit, Said, Step, Turn, What};

use custos_model::{Observation, Summary};

/// What a distiller made of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Distilled {
    /// What is worth knowing; mostly little, often nothing.
    pub observations: Vec<Found>,
    /// What the turn came to, where it changed something.
    pub summary: Option<Summary>,
}

/// An observation, and the steps that it was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What was learnt.
    pub observation: Observation,
    /// The places of its steps in the turn; none where it comes from what the person said.
    pub steps: Vec<usize>,
    /// Whether the person said so themselves.
    pub said: bool,
}
