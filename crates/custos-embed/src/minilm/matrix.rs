//! Numbers as integers: how weights are kept, how activations are rounded, and how the way back goes.
//!
//! A weight is one byte, and each row of a matrix has a scale of its own. The activations of a token get a scale when they
//! are needed, and as many bits as there is room for, because the multiplication widens both sides to 16 bits anyway: all
//! 16 if a row is short, somewhat fewer if its sum would overflow. What is lost then is lost in the weights.

#![expect(
    clippy::inline_always,
    reason = "inlined into a function that may use more instructions, it may as well"
)]

use super::functions::{highest, nearest_integer};
use crate::kernel::tiling::STEP;

/// Floating-point numbers as they lie in the file; reading one is a plain load.
pub(crate) type Floats = [[u8; 4]];

/// Gives the largest activation after rounding, for rows of a length.
///
/// Weights are between -127 and 127, so no sum of products with them exceeds 32 bits.
pub(crate) fn largest(width: usize) -> i16 {
    let room = usize::try_from(i32::MAX).unwrap_or(usize::MAX) / (127 * width);
    i16::try_from(room).unwrap_or(i16::MAX)
}

/// Holds weights by row, as bytes, with a scale and a bias for each row.
#[derive(Debug)]
pub(crate) struct Matrix<'a> {
    weights: &'a [[u8; STEP]],
    /// How many steps a row has.
    steps: usize,
    scales: &'a Floats,
    biases: &'a Floats,
}

impl<'a> Matrix<'a> {
    /// Takes weights in rows of `width`, a multiple of [`STEP`].
    pub(crate) const fn new(weights: &'a [u8], width: usize, scales: &'a Floats, biases: &'a Floats) -> Self {
        Self { weights: weights.as_chunks().0, steps: width / STEP, scales, biases }
    }

    /// Says how many rows there are, and so how many outputs.
    #[inline(always)]
    pub(crate) fn rows(&self) -> usize {
        self.scales.len()
    }

    /// Gives a row, in steps.
    #[inline(always)]
    pub(crate) fn steps(&self, row: usize) -> &'a [[u8; STEP]] {
        &self.weights[row * self.steps..][..self.steps]
    }

    /// Makes the output of a row from the sum of its products with a token's activations.
    #[inline(always)]
    pub(crate) fn output(&self, row: usize, sum: i32, scale: f32) -> f32 {
        sum as f32 * scale * f32::from_le_bytes(self.scales[row]) + f32::from_le_bytes(self.biases[row])
    }
}

/// Holds the numbers of some tokens, rounded to integers, with a scale for each token.
#[derive(Debug, Default)]
pub(crate) struct Activations {
    width: usize,
    values: Vec<i16>,
    scales: Vec<f32>,
}

impl Activations {
    /// Rounds the numbers of tokens, `width` of them each, in place of what was there.
    #[inline(always)]
    pub(crate) fn quantise(&mut self, tokens: &[f32], width: usize) {
        self.width = width;
        self.values.resize(tokens.len(), 0);
        self.scales.clear();
        let limit = f32::from(largest(width));
        for (numbers, values) in tokens.chunks_exact(width).zip(self.values.chunks_exact_mut(width)) {
            // Something tiny if all are zero: there is a division.
            let highest = highest(numbers, 1e-20, f32::abs);
            self.scales.push(highest / limit);
            let scale = limit / highest;
            for (value, number) in values.iter_mut().zip(numbers) {
                #[expect(clippy::cast_possible_truncation, reason = "16 bits, by the choice of the scale")]
                let rounded = nearest_integer(number * scale) as i16;
                *value = rounded;
            }
        }
    }

    /// Says how many numbers a token has.
    #[inline(always)]
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Says how many tokens there are.
    #[inline(always)]
    pub(crate) fn count(&self) -> usize {
        self.scales.len()
    }

    /// Gives the numbers of a token, in steps.
    #[inline(always)]
    pub(crate) fn steps(&self, token: usize) -> &[[i16; STEP]] {
        self.values[token * self.width..][..self.width].as_chunks().0
    }

    /// Gives what to multiply a token's integers by, to get back its numbers.
    #[inline(always)]
    pub(crate) fn scale(&self, token: usize) -> f32 {
        self.scales[token]
    }
}
