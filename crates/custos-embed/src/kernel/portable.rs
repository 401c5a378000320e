//! The kernel for every machine: plain loops, in a form that compilers turn into whatever vector instructions there are.

#![expect(
    clippy::inline_always,
    reason = "inlined into a function that may use more instructions, it may as well"
)]

use super::Difference;
use super::tiling::{STEP, Tile, product};
use crate::rows::sketch;

/// Needs nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Tile for Portable {
    #[inline(always)]
    fn tile<const LEFT: usize>(
        self,
        left: [&[[i16; STEP]]; LEFT],
        rows: [&[[u8; STEP]]; 2],
    ) -> [[i32; 2]; LEFT] {
        left.map(|left| rows.map(|row| product(left.as_flattened(), row.as_flattened())))
    }
}

/// The words of a sketch of 384 dimensions, which most have that are used.
pub(super) const USUAL: usize = 6;

/// Counts the bits in which a sketch differs from each of some others.
#[inline(always)]
pub(super) fn differences(sketch: &[u64], sketches: &[[u8; 8]], counts: &mut [Difference]) {
    // Of a known length, the rows of the usual one take a third of the time.
    match <&[u64; USUAL]>::try_from(sketch) {
        Ok(sketch) => {
            for (row, count) in sketches.as_chunks::<USUAL>().0.iter().zip(counts) {
                *count = difference(sketch, row);
            }
        }
        Err(_) => {
            for (row, count) in sketches.chunks_exact(sketch.len().max(1)).zip(counts) {
                *count = difference(sketch, row);
            }
        }
    }
}

/// Sums up the squares of components. Up to 131,071 of them no sum overflows, but to let it wrap around lets the compiler take several at a
/// time.
#[inline(always)]
pub(super) fn squares(components: &[u8]) -> i32 {
    let mut sum: i32 = 0;
    for component in components {
        sum = sum.wrapping_add(i32::from(component.cast_signed()).pow(2));
    }
    sum
}

/// Says whether a sketch is that of some components.
pub(super) fn is_sketch_of(words: &[[u8; 8]], components: &[u8]) -> bool {
    sketch(components).map(u64::to_le_bytes).eq(words.iter().copied())
}

/// Is a loop and not a chain of closures: what the standard library calls back is not inlined into a function with other instructions,
/// and counts bits without the one that counts them.
#[inline(always)]
fn difference(sketch: &[u64], row: &[[u8; 8]]) -> Difference {
    let mut count: u32 = 0;
    for (word, bytes) in sketch.iter().zip(row) {
        count += (word ^ u64::from_le_bytes(*bytes)).count_ones();
    }
    Difference::try_from(count).unwrap_or(Difference::MAX)
}
