//! The forward pass: from tokens to one direction.
//!
//! Each token starts as the numbers of its piece plus those of its place. A layer then does two things, and each time adds
//! the result to what was there. *Attention*: each token asks a question of all others (its query against their keys), and
//! takes from each, as far as the answer fits, its value; twelve heads do so side by side, with 32 numbers each. *The inner
//! part*: each token by itself is spread to four times the numbers, bent by a curve, and drawn together again. After six
//! layers the mean over the tokens, brought to length one, is the embedding.
//!
//! Nine tenths of the time go into the four multiplications of each layer, which are integers (`kernel::tiling`). All
//! else is here, in floating point, written in loops over arrays of fixed length.

#![expect(
    clippy::inline_always,
    reason = "inlined into a function that may use more instructions, it may as well"
)]

use super::blob::{HEADS, HIDDEN, INNER, Layer, Model, Norm};
use super::functions::{exp, gelu, highest, sum};
use super::matrix::Activations;
use crate::kernel::tiling::{Tile, multiply};

/// Numbers per token and head.
const HEAD: usize = HIDDEN / HEADS;

/// Numbers per token that attention starts from: a query, a key and a value.
const ASKED: usize = 3 * HIDDEN;

/// Gives the embedding of a text from its tokens, of which there is at least one and at most one per position.
#[inline(always)]
pub(crate) fn forward(tile: impl Tile, model: &Model<'_>, tokens: &[u16]) -> Vec<f32> {
    let mut states = first_states(model, tokens);
    let mut room = Room::new(tokens.len());
    for layer in &model.layers {
        attend(tile, layer, &mut states, &mut room);
        think(tile, layer, &mut states, &mut room);
    }
    pooled(&states)
}

/// Holds what a layer works with, so that only the first has to allocate.
struct Room {
    activations: Activations,
    /// Up to `INNER` numbers per token.
    wide: Vec<f32>,
    /// What a half of a layer adds to the states.
    change: Vec<f32>,
    head: Head,
}

impl Room {
    fn new(tokens: usize) -> Self {
        Self {
            activations: Activations::default(),
            wide: vec![0.0; tokens * INNER],
            change: vec![0.0; tokens * HIDDEN],
            head: Head::new(tokens),
        }
    }
}

/// Looks up the numbers that each token starts with.
#[inline(always)]
fn first_states(model: &Model<'_>, tokens: &[u16]) -> Vec<f32> {
    let mut states = vec![0.0; tokens.len() * HIDDEN];
    let places = model.positions.chunks_exact(HIDDEN);
    for ((state, place), &token) in states.chunks_exact_mut(HIDDEN).zip(places).zip(tokens) {
        let weights = &model.words.weights[usize::from(token) * HIDDEN..][..HIDDEN];
        let scale = f32::from_le_bytes(model.words.scales[usize::from(token)]);
        for ((number, &weight), &place) in state.iter_mut().zip(weights).zip(place) {
            *number = f32::from(weight.cast_signed()) * scale + f32::from_le_bytes(place);
        }
        normalise(state, &model.norm);
    }
    states
}

/// Lets each token take in what it asks of the others.
#[inline(always)]
fn attend(tile: impl Tile, layer: &Layer<'_>, states: &mut [f32], room: &mut Room) {
    let Room { activations, wide, change, head } = room;
    let asked = &mut wide[..states.len() / HIDDEN * ASKED];
    activations.quantise(states, HIDDEN);
    multiply(tile, activations, &layer.attention, asked);
    for index in 0..HEADS {
        head.answer(index, asked, change);
    }
    activations.quantise(change, HIDDEN);
    multiply(tile, activations, &layer.attention_output, change);
    add(states, change, &layer.attention_norm);
}

/// Lets each token make something of what it has.
#[inline(always)]
fn think(tile: impl Tile, layer: &Layer<'_>, states: &mut [f32], room: &mut Room) {
    let Room { activations, wide, change, .. } = room;
    activations.quantise(states, HIDDEN);
    multiply(tile, activations, &layer.inner, wide);
    for number in wide.iter_mut() {
        *number = gelu(*number);
    }
    activations.quantise(wide, INNER);
    multiply(tile, activations, &layer.output, change);
    add(states, change, &layer.output_norm);
}

/// Holds one head's view of all tokens.
struct Head {
    /// The keys, turned round: for each block of 32 tokens, for each of the 32 numbers, that number of each token. So the
    /// scores of a block come out side by side.
    keys: Vec<[f32; HEAD]>,
    values: Vec<[f32; HEAD]>,
    scores: Vec<[f32; HEAD]>,
}

impl Head {
    fn new(tokens: usize) -> Self {
        let blocks = tokens.div_ceil(HEAD);
        Self {
            keys: vec![[0.0; HEAD]; blocks * HEAD],
            values: vec![[0.0; HEAD]; tokens],
            scores: vec![[0.0; HEAD]; blocks],
        }
    }

    /// Answers the queries of one head for all tokens, into its part of each token's answer.
    #[inline(always)]
    fn answer(&mut self, index: usize, asked: &[f32], answers: &mut [f32]) {
        let part = index * HEAD;
        for (token, (numbers, value)) in asked.chunks_exact(ASKED).zip(&mut self.values).enumerate() {
            let (block, place) = (token / HEAD * HEAD, token % HEAD);
            for (keys, &number) in self.keys[block..].iter_mut().zip(&numbers[HIDDEN + part..][..HEAD]) {
                keys[place] = number;
            }
            value.copy_from_slice(&numbers[2 * HIDDEN + part..][..HEAD]);
        }
        for (numbers, answer) in asked.chunks_exact(ASKED).zip(answers.chunks_exact_mut(HIDDEN)) {
            let query = &numbers[part..][..HEAD];
            for (scores, keys) in self.scores.iter_mut().zip(self.keys.chunks_exact(HEAD)) {
                *scores = mixture(query, keys);
            }
            // The last block has room for tokens that are not there.
            let scores = &mut self.scores.as_flattened_mut()[..self.values.len()];
            let total = soften(scores);
            let mixed = mixture(scores, &self.values);
            for (number, mixed) in answer[part..][..HEAD].iter_mut().zip(mixed) {
                *number = mixed / total;
            }
        }
    }
}

/// Adds up rows, each by its weight.
#[inline(always)]
fn mixture(weights: &[f32], rows: &[[f32; HEAD]]) -> [f32; HEAD] {
    let mut total = [0.0; HEAD];
    for (weight, row) in weights.iter().zip(rows) {
        for (total, number) in total.iter_mut().zip(row) {
            *total += weight * number;
        }
    }
    total
}

/// Makes weights of scores, each e times as much for one more, and gives their sum.
#[inline(always)]
fn soften(scores: &mut [f32]) -> f32 {
    let highest = highest(scores, f32::MIN, |score| score);
    for score in scores.iter_mut() {
        *score = exp(*score - highest);
    }
    sum(scores)
}

/// Adds a change to the states, and brings each back to scale.
#[inline(always)]
fn add(states: &mut [f32], change: &[f32], norm: &Norm<'_>) {
    for (state, change) in states.chunks_exact_mut(HIDDEN).zip(change.chunks_exact(HIDDEN)) {
        for (number, change) in state.iter_mut().zip(change) {
            *number += change;
        }
        normalise(state, norm);
    }
}

/// Brings a token's numbers to mean zero and variance one, then to where the model wants them.
#[inline(always)]
fn normalise(state: &mut [f32], norm: &Norm<'_>) {
    /// Keeps equal numbers from being divided by zero.
    const EPSILON: f32 = 1e-12;
    let mean = sum(state) / HIDDEN as f32;
    let mut squares = [0.0; HIDDEN];
    for (number, square) in state.iter_mut().zip(&mut squares) {
        *number -= mean;
        *square = *number * *number;
    }
    let scale = 1.0 / (sum(&squares) / HIDDEN as f32 + EPSILON).sqrt();
    for ((number, &gain), &bias) in state.iter_mut().zip(norm.gains).zip(norm.biases) {
        *number = *number * scale * f32::from_le_bytes(gain) + f32::from_le_bytes(bias);
    }
}

/// Takes the mean direction of all tokens.
#[inline(always)]
fn pooled(states: &[f32]) -> Vec<f32> {
    let mut total = vec![0.0; HIDDEN];
    for state in states.chunks_exact(HIDDEN) {
        for (total, number) in total.iter_mut().zip(state) {
            *total += number;
        }
    }
    let squares: Vec<f32> = total.iter().map(|number| number * number).collect();
    let length = sum(&squares).sqrt();
    for number in &mut total {
        *number /= length;
    }
    total
}
