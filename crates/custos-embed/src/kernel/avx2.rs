//! The kernel for x86-64 processors since 2013: sixteen products at a time.
//!
//! `vpmaddwd` multiplies sixteen pairs of 16-bit integers and adds up neighbours into eight sums of 32 bits. Weights are
//! widened to 16 bits as they are loaded.

#![expect(
    unsafe_code,
    reason = "only a check at run time tells that the instructions are there, and loads take pointers"
)]

use std::arch::x86_64::{
    __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_extract_epi32, _mm_loadu_si128, _mm_shuffle_epi32,
    _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_extracti128_si256,
    _mm256_loadu_si256, _mm256_madd_epi16, _mm256_movemask_epi8, _mm256_setzero_si256, _mm256_unpackhi_epi32,
    _mm256_unpacklo_epi32,
};
use std::ptr;

use super::tiling::{self, STEP, Tile};
use super::{Difference, portable};
#[cfg(feature = "minilm")]
use crate::minilm::{blob::Model, layers};

/// Proves that the processor has AVX2 and POPCNT: there is no other way to get one than [`Avx2::detect`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt")).then_some(Self(()))
    }

    pub(super) fn products(self, query: &[i16], rows: &[u8], sums: &mut [i32]) {
        // SAFETY: `self` proves that the instructions are there.
        unsafe { products(self, query, rows, sums) }
    }

    #[expect(clippy::unused_self, reason = "a proof is not looked at")]
    pub(super) fn differences(self, sketch: &[u64], sketches: &[[u8; 8]], counts: &mut [Difference]) {
        // SAFETY: `self` proves that the instructions are there.
        unsafe { differences(sketch, sketches, counts) }
    }

    #[expect(clippy::unused_self, reason = "a proof is not looked at")]
    pub(super) fn squares(self, components: &[u8]) -> i32 {
        // SAFETY: `self` proves that the instructions are there.
        unsafe { squares(components) }
    }

    #[expect(clippy::unused_self, reason = "a proof is not looked at")]
    pub(super) fn is_sketch_of(self, sketch: &[[u8; 8]], components: &[u8]) -> bool {
        // SAFETY: `self` proves that the instructions are there.
        unsafe { is_sketch_of(sketch, components) }
    }

    #[cfg(feature = "minilm")]
    pub(super) fn forward(self, model: &Model<'_>, tokens: &[u16]) -> Vec<f32> {
        // SAFETY: `self` proves that the instructions are there.
        unsafe { forward(self, model, tokens) }
    }
}

impl Tile for Avx2 {
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

#[target_feature(enable = "avx2")]
fn products(avx2: Avx2, query: &[i16], rows: &[u8], sums: &mut [i32]) {
    tiling::products(avx2, query, rows, sums);
}

/// Is the portable loop; what it gains is the instruction that counts bits, which beats wider ones on rows this short.
#[target_feature(enable = "popcnt")]
fn differences(sketch: &[u64], sketches: &[[u8; 8]], counts: &mut [Difference]) {
    portable::differences(sketch, sketches, counts);
}

#[target_feature(enable = "avx2")]
fn squares(components: &[u8]) -> i32 {
    portable::squares(components)
}

/// Takes the signs of 32 components with one instruction.
#[target_feature(enable = "avx2")]
fn is_sketch_of(sketch: &[[u8; 8]], components: &[u8]) -> bool {
    let (whole, rest) = components.as_chunks::<64>();
    let Some((words, last)) = sketch.split_at_checked(whole.len()) else { return false };
    for (components, word) in whole.iter().zip(words) {
        let (halves, _) = components.as_chunks::<32>();
        let mut signs = [0; 2];
        for (signs, half) in signs.iter_mut().zip(halves) {
            // SAFETY: the array has the 32 bytes that are read, and the load needs no alignment.
            let half = unsafe { _mm256_loadu_si256(ptr::from_ref(half).cast()) };
            *signs = _mm256_movemask_epi8(half).cast_unsigned();
        }
        if u64::from(signs[0]) | u64::from(signs[1]) << 32 != u64::from_le_bytes(*word) {
            return false;
        }
    }
    portable::is_sketch_of(last, rest)
}

/// Is the forward pass with the registers of AVX2; without fused operations, so that it rounds as all others do.
#[cfg(feature = "minilm")]
#[target_feature(enable = "avx2")]
fn forward(avx2: Avx2, model: &Model<'_>, tokens: &[u16]) -> Vec<f32> {
    layers::forward(avx2, model, tokens)
}

#[inline]
#[target_feature(enable = "avx2")]
fn tile<const LEFT: usize>(left: [&[[i16; STEP]]; LEFT], rows: [&[[u8; STEP]]; 2]) -> [[i32; 2]; LEFT] {
    let [first_row, second_row] = rows;
    let steps = first_row.len();
    // All cut to the same length here, once, so that no step has to check. Not by `map`: what the standard library calls
    // back is not inlined into a function with other instructions, and its result is then a riddle to the compiler.
    let (second_row, mut left) = (&second_row[..steps], left);
    for side in &mut left {
        *side = &side[..steps];
    }
    let mut sums = [[_mm256_setzero_si256(); 2]; LEFT];
    for step in 0..steps {
        let (first, second) = (widened(&first_row[step]), widened(&second_row[step]));
        for (sums, left) in sums.iter_mut().zip(left) {
            let left = loaded(&left[step]);
            sums[0] = _mm256_add_epi32(sums[0], _mm256_madd_epi16(left, first));
            sums[1] = _mm256_add_epi32(sums[1], _mm256_madd_epi16(left, second));
        }
    }
    let mut totals = [[0; 2]; LEFT];
    for (total, [first, second]) in totals.iter_mut().zip(sums) {
        *total = total_of(first, second);
    }
    totals
}

/// Adds up the eight sums in each of two registers.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn total_of(first: __m256i, second: __m256i) -> [i32; 2] {
    // Interleaved, both are added up at once: eight pairs become four, two, one.
    let four = _mm256_add_epi32(_mm256_unpacklo_epi32(first, second), _mm256_unpackhi_epi32(first, second));
    let two = _mm_add_epi32(_mm256_castsi256_si128(four), _mm256_extracti128_si256::<1>(four));
    let one = _mm_add_epi32(two, _mm_shuffle_epi32::<0b01_00_11_10>(two));
    [_mm_cvtsi128_si32(one), _mm_extract_epi32::<1>(one)]
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn loaded(values: &[i16; STEP]) -> __m256i {
    // SAFETY: the array has the 32 bytes that are read, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(ptr::from_ref(values).cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn widened(bytes: &[u8; STEP]) -> __m256i {
    // SAFETY: the array has the 16 bytes that are read, and the load needs no alignment.
    _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(ptr::from_ref(bytes).cast()) })
}
