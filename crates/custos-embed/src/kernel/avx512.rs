//! The kernel for x86-64 servers since 2019 and desktops since 2022: thirty-two products at a time, added up by the way.
//!
//! `vpdpwssd` does in one instruction, on registers of twice the width, what AVX2 needs a multiplication and an addition for. It wraps
//! around instead of saturating, so that the sums are the same to the last bit.

#![expect(
    unsafe_code,
    reason = "only a check at run time tells that the instructions are there, and loads take pointers"
)]

use std::arch::x86_64::{
    __m256i, __m512i, _mm256_add_epi32, _mm256_loadu_si256, _mm512_castsi512_si256, _mm512_cvtepi8_epi16,
    _mm512_dpwssd_epi32, _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_mask_reduce_add_epi64,
    _mm512_popcnt_epi64, _mm512_setzero_si512, _mm512_xor_si512, _mm512_zextsi256_si512,
};
use std::ptr;

use super::Difference;
use super::avx2::{Avx2, loaded, total_of, widened};
use super::portable::USUAL;
use super::tiling::{self, STEP, Tile};
#[cfg(feature = "minilm")]
use crate::minilm::{blob::Model, layers};

/// Proves that the processor has what is used here, and AVX2: there is no other way to get one than [`Avx512::detect`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512 {
    avx2: Avx2,
    /// Whether it counts the bits of eight words at a time as well, which came a little later.
    counts_bits: bool,
}

impl Avx512 {
    pub(super) fn detect() -> Option<Self> {
        let is_there = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni");
        let counts_bits = is_x86_feature_detected!("avx512vpopcntdq");
        Avx2::detect().filter(|_| is_there).map(|avx2| Self { avx2, counts_bits })
    }

    /// Gives the smaller kernel, for what it does as well.
    pub(super) fn avx2(self) -> Avx2 {
        self.avx2
    }

    pub(super) fn products(self, query: &[i16], rows: &[u8], sums: &mut [i32]) {
        // SAFETY: `self` proves that the instructions are there.
        unsafe { products(self, query, rows, sums) }
    }

    /// Counts the bits of sketches of the usual length many at a time, and those of others as AVX2 does.
    pub(super) fn differences(self, sketch: &[u64], sketches: &[[u8; 8]], counts: &mut [Difference]) {
        match <&[u64; USUAL]>::try_from(sketch) {
            // SAFETY: `self` proves that the instructions are there.
            Ok(sketch) if self.counts_bits => unsafe {
                differences(self, sketch, sketches.as_chunks().0, counts);
            },
            _ => self.avx2.differences(sketch, sketches, counts),
        }
    }

    #[cfg(feature = "minilm")]
    pub(super) fn forward(self, model: &Model<'_>, tokens: &[u16]) -> Vec<f32> {
        // SAFETY: `self` proves that the instructions are there.
        unsafe { forward(self, model, tokens) }
    }
}

impl Tile for Avx512 {
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

#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vnni")]
fn products(avx512: Avx512, query: &[i16], rows: &[u8], sums: &mut [i32]) {
    tiling::products(avx512, query, rows, sums);
}

/// Is the forward pass of AVX2, but for the tiles: its loops are written for eight numbers at a time, and round the same.
#[cfg(feature = "minilm")]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vnni")]
fn forward(avx512: Avx512, model: &Model<'_>, tokens: &[u16]) -> Vec<f32> {
    layers::forward(avx512, model, tokens)
}

#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vnni")]
fn tile<const LEFT: usize>(left: [&[[i16; STEP]]; LEFT], rows: [&[[u8; STEP]]; 2]) -> [[i32; 2]; LEFT] {
    let [first_row, second_row] = rows;
    let steps = first_row.len();
    // All cut to the same length here, once, so that no step has to check (see `avx2`).
    let (second_row, mut left) = (&second_row[..steps], left);
    for side in &mut left {
        *side = &side[..steps];
    }
    let (first_pairs, second_pairs) = (first_row.as_chunks().0, &second_row.as_chunks().0[..steps / 2]);
    let mut sums = [[_mm512_setzero_si512(); 2]; LEFT];
    for pair in 0..steps / 2 {
        let (first, second) = (wide_weights(&first_pairs[pair]), wide_weights(&second_pairs[pair]));
        for (sums, left) in sums.iter_mut().zip(left) {
            let left = wide_loaded(&left.as_chunks().0[pair]);
            sums[0] = _mm512_dpwssd_epi32(sums[0], left, first);
            sums[1] = _mm512_dpwssd_epi32(sums[1], left, second);
        }
    }
    if steps % 2 == 1 {
        // Half a register is left, and zeros add nothing.
        let last = steps - 1;
        let first = _mm512_zextsi256_si512(widened(&first_row[last]));
        let second = _mm512_zextsi256_si512(widened(&second_row[last]));
        for (sums, left) in sums.iter_mut().zip(left) {
            let left = _mm512_zextsi256_si512(loaded(&left[last]));
            sums[0] = _mm512_dpwssd_epi32(sums[0], left, first);
            sums[1] = _mm512_dpwssd_epi32(sums[1], left, second);
        }
    }
    let mut totals = [[0; 2]; LEFT];
    for (total, [first, second]) in totals.iter_mut().zip(sums) {
        *total = total_of(halved(first), halved(second));
    }
    totals
}

/// Counts the bits of four sketches, which fill three registers, at a time. Memory is no faster.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn differences(
    avx512: Avx512,
    sketch: &[u64; USUAL],
    sketches: &[[[u8; 8]; USUAL]],
    counts: &mut [Difference],
) {
    let four = [*sketch; 4];
    let asked = [0, 1, 2].map(|third| word_loaded(&four.as_flattened().as_chunks().0[third]));
    let sketches = &sketches[..sketches.len().min(counts.len())];
    let ((fours, rest), (of_fours, of_rest)) = (sketches.as_chunks::<4>(), counts.as_chunks_mut::<4>());
    for (four, counts) in fours.iter().zip(of_fours) {
        let words: &[[[u8; 8]; 8]] = four.as_flattened().as_chunks().0;
        let mut found = [_mm512_setzero_si512(); 3];
        for ((found, words), asked) in found.iter_mut().zip(words).zip(asked) {
            *found = _mm512_popcnt_epi64(_mm512_xor_si512(bytes_loaded(words), asked));
        }
        let [first, second, third] = found;
        let sums = [
            _mm512_mask_reduce_add_epi64(0b0011_1111, first),
            _mm512_mask_reduce_add_epi64(0b1100_0000, first)
                + _mm512_mask_reduce_add_epi64(0b0000_1111, second),
            _mm512_mask_reduce_add_epi64(0b1111_0000, second)
                + _mm512_mask_reduce_add_epi64(0b0000_0011, third),
            _mm512_mask_reduce_add_epi64(0b1111_1100, third),
        ];
        for (count, sum) in counts.iter_mut().zip(sums) {
            *count = Difference::try_from(sum).unwrap_or(Difference::MAX);
        }
    }
    avx512.avx2.differences(sketch, rest.as_flattened(), of_rest);
}

/// Adds the upper half of a register to the lower.
#[inline]
#[target_feature(enable = "avx2,avx512f")]
fn halved(sums: __m512i) -> __m256i {
    _mm256_add_epi32(_mm512_castsi512_si256(sums), _mm512_extracti64x4_epi64::<1>(sums))
}

/// Loads two steps of a left side.
#[inline]
#[target_feature(enable = "avx512f")]
fn wide_loaded(values: &[[i16; STEP]; 2]) -> __m512i {
    // SAFETY: the arrays have the 64 bytes that are read, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(ptr::from_ref(values).cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn word_loaded(words: &[u64; 8]) -> __m512i {
    // SAFETY: the array has the 64 bytes that are read, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(ptr::from_ref(words).cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn bytes_loaded(words: &[[u8; 8]; 8]) -> __m512i {
    // SAFETY: the array has the 64 bytes that are read, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(ptr::from_ref(words).cast()) }
}

/// Loads two steps of a row, and widens them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn wide_weights(bytes: &[[u8; STEP]; 2]) -> __m512i {
    // SAFETY: the arrays have the 32 bytes that are read, and the load needs no alignment.
    _mm512_cvtepi8_epi16(unsafe { _mm256_loadu_si256(ptr::from_ref(bytes).cast()) })
}
