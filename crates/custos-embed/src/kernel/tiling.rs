//! How long sums of products are cut into tiles that fit the registers and the nearest cache.
//!
//! A processor multiplies faster than it loads, so what is loaded has to be used more than once. A tile takes up to six
//! left sides and two rows: twelve sums that stay in registers, from eight loads. Rows are taken a few kilobytes at a
//! time, and all left sides pass over these before the next: so each weight comes from memory once, whatever the number
//! of tokens.

#![expect(
    clippy::inline_always,
    reason = "inlined into a function that may use more instructions, it may as well"
)]

#[cfg(feature = "minilm")]
use crate::minilm::matrix::{Activations, Matrix};

/// How many components a tile takes at a time.
pub(crate) const STEP: usize = 16;

/// How many left sides a tile has at most; with two rows, twelve of sixteen registers hold sums.
#[cfg(feature = "minilm")]
const TALLEST: usize = 6;

/// How many bytes of rows stay in the first cache, beside the left sides.
#[cfg(feature = "minilm")]
const BLOCK_BYTES: usize = 12 << 10;

/// Sums up products of each left side with each of two rows.
pub(crate) trait Tile: Copy {
    /// Gives, for each left side, its sums with both rows; all of them have the same number of steps.
    fn tile<const LEFT: usize>(
        self,
        left: [&[[i16; STEP]]; LEFT],
        rows: [&[[u8; STEP]]; 2],
    ) -> [[i32; 2]; LEFT];
}

/// Multiplies a query with each row, and sums up by row.
#[inline(always)]
pub(super) fn products(tile: impl Tile, query: &[i16], rows: &[u8], sums: &mut [i32]) {
    let width = query.len();
    let (steps, rest) = query.as_chunks();
    let row_at = |row: usize| rows[row * width..][..width].as_chunks();
    for pair in 0..sums.len().div_ceil(2) {
        // The last of an odd number is its own neighbour.
        let (first, second) = (2 * pair, (2 * pair + 1).min(sums.len() - 1));
        let ((first_steps, first_rest), (second_steps, second_rest)) = (row_at(first), row_at(second));
        let [[first_sum, second_sum]] = tile.tile([steps], [first_steps, second_steps]);
        sums[first] = first_sum.wrapping_add(product(rest, first_rest));
        sums[second] = second_sum.wrapping_add(product(rest, second_rest));
    }
}

/// Multiplies the activations of each token with a matrix.
#[cfg(feature = "minilm")]
#[inline(always)]
pub(crate) fn multiply(tile: impl Tile, tokens: &Activations, matrix: &Matrix<'_>, outputs: &mut [f32]) {
    let rows_per_block = (BLOCK_BYTES / tokens.width()).next_multiple_of(2);
    let (height, count) = (matrix.rows(), tokens.count());
    // Of the same height, as far as that goes: thirteen are five, four and four, not six, six and one.
    let groups = count.div_ceil(TALLEST);
    for block in (0..height).step_by(rows_per_block) {
        let block = block..height.min(block + rows_per_block);
        for group in 0..groups {
            let (first, end) = (group * count / groups, (group + 1) * count / groups);
            for row in block.clone().step_by(2) {
                match end - first {
                    1 => place::<1>(tile, tokens, first, matrix, row, outputs),
                    2 => place::<2>(tile, tokens, first, matrix, row, outputs),
                    3 => place::<3>(tile, tokens, first, matrix, row, outputs),
                    4 => place::<4>(tile, tokens, first, matrix, row, outputs),
                    5 => place::<5>(tile, tokens, first, matrix, row, outputs),
                    _ => place::<TALLEST>(tile, tokens, first, matrix, row, outputs),
                }
            }
        }
    }
}

/// Computes one tile, from a token and a row on, and puts the results in their places.
#[cfg(feature = "minilm")]
#[inline(always)]
fn place<const LEFT: usize>(
    tile: impl Tile,
    tokens: &Activations,
    token: usize,
    matrix: &Matrix<'_>,
    row: usize,
    outputs: &mut [f32],
) {
    let mut left = [[].as_slice(); LEFT];
    for (token, side) in (token..).zip(&mut left) {
        *side = tokens.steps(token);
    }
    let sums = tile.tile(left, [matrix.steps(row), matrix.steps(row + 1)]);
    for (token, sums) in (token..).zip(sums) {
        let output = &mut outputs[token * matrix.rows() + row..][..2];
        output[0] = matrix.output(row, sums[0], tokens.scale(token));
        output[1] = matrix.output(row + 1, sums[1], tokens.scale(token));
    }
}

/// Sums up the products of two sides.
///
/// Wraps around, as the instructions do; up to 131,071 components that does not happen.
#[inline(always)]
pub(super) fn product(left: &[i16], row: &[u8]) -> i32 {
    let products = left.iter().zip(row).map(|(&left, &row)| i32::from(left) * i32::from(row.cast_signed()));
    products.fold(0, i32::wrapping_add)
}
