//! The kernel for every machine: plain loops, in a form that compilers turn into whatever vector instructions there are.

#![expect(
    clippy::inline_always,
    reason = "inlined into a function that may use more instructions, it may as well"
)]

use super::tiling::{STEP, Tile, product};

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

/// Counts the bits in which a sketch differs from each of some others.
#[inline(always)]
pub(super) fn differences(sketch: &[u64], sketches: &[[u8; 8]], counts: &mut [u32]) {
    for (row, count) in counts.iter_mut().enumerate() {
        let other = &sketches[row * sketch.len()..][..sketch.len()];
        *count = sketch.iter().zip(other).map(|(a, b)| (a ^ u64::from_le_bytes(*b)).count_ones()).sum();
    }
}
