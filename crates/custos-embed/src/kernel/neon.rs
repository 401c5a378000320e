//! The kernel for 64-bit ARM: eight products at a time.
//!
//! `smlal` and `smlal2` multiply the lower and the upper four of eight 16-bit integers and add the products to four sums
//! of 32 bits. Weights are widened to 16 bits as they are loaded.

#![expect(
    unsafe_code,
    reason = "only a check at run time tells that the instructions are there, and loads take pointers"
)]

use std::arch::aarch64::{
    int16x8_t, int32x4_t, vaddvq_s32, vdupq_n_s32, vget_low_s8, vget_low_s16, vld1q_s16, vld1q_u8,
    vmlal_high_s16, vmlal_s16, vmovl_high_s8, vmovl_s8, vreinterpretq_s8_u8,
};
use std::arch::is_aarch64_feature_detected;

use super::tiling::{STEP, Tile};

/// Proves that the processor has NEON: there is no other way to get one than [`Neon::detect`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neon(());

impl Neon {
    pub(super) fn detect() -> Option<Self> {
        is_aarch64_feature_detected!("neon").then_some(Self(()))
    }
}

impl Tile for Neon {
    #[inline]
    fn tile<const LEFT: usize>(
        self,
        left: [&[[i16; STEP]]; LEFT],
        rows: [&[[u8; STEP]]; 2],
    ) -> [[i32; 2]; LEFT] {
        // SAFETY: `self` proves that the instructions are there.
        unsafe { tile(left, rows) }
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn tile<const LEFT: usize>(left: [&[[i16; STEP]]; LEFT], rows: [&[[u8; STEP]]; 2]) -> [[i32; 2]; LEFT] {
    let [first_row, second_row] = rows;
    let steps = first_row.len();
    // All cut to the same length here, once, so that no step has to check. Not by `map`: what the standard library calls
    // back is not inlined into a function with other instructions, and its result is then a riddle to the compiler.
    let (second_row, mut left) = (&second_row[..steps], left);
    for side in &mut left {
        *side = &side[..steps];
    }
    let mut sums = [[vdupq_n_s32(0); 2]; LEFT];
    for step in 0..steps {
        let (first, second) = (widened(&first_row[step]), widened(&second_row[step]));
        for (sums, left) in sums.iter_mut().zip(left) {
            let left = loaded(&left[step]);
            sums[0] = added(sums[0], left, first);
            sums[1] = added(sums[1], left, second);
        }
    }
    let mut totals = [[0; 2]; LEFT];
    for (total, [first, second]) in totals.iter_mut().zip(sums) {
        *total = [vaddvq_s32(first), vaddvq_s32(second)];
    }
    totals
}

/// Adds the products of sixteen pairs to four sums.
#[inline]
#[target_feature(enable = "neon")]
fn added(sums: int32x4_t, left: [int16x8_t; 2], row: [int16x8_t; 2]) -> int32x4_t {
    let mut sums = sums;
    for (left, row) in left.into_iter().zip(row) {
        sums = vmlal_s16(sums, vget_low_s16(left), vget_low_s16(row));
        sums = vmlal_high_s16(sums, left, row);
    }
    sums
}

#[inline]
#[target_feature(enable = "neon")]
fn loaded(values: &[i16; STEP]) -> [int16x8_t; 2] {
    let pointer = values.as_ptr();
    // SAFETY: the array has sixteen values; eight are read from its start and eight from its middle.
    unsafe { [vld1q_s16(pointer), vld1q_s16(pointer.add(8))] }
}

#[inline]
#[target_feature(enable = "neon")]
fn widened(bytes: &[u8; STEP]) -> [int16x8_t; 2] {
    // SAFETY: the array has the 16 bytes that are read.
    let bytes = vreinterpretq_s8_u8(unsafe { vld1q_u8(bytes.as_ptr()) });
    [vmovl_s8(vget_low_s8(bytes)), vmovl_high_s8(bytes)]
}
