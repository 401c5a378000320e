//! The arithmetic that takes all the time, once per instruction set.
//!
//! Both halves of the crate come down to the same thing, sums of products of 16-bit and 8-bit integers: the model
//! multiplies activations by weights, the search a query by rows. An instruction set has to offer no more than a
//! [`Tile`](tiling::Tile) of them, some forty lines each in `avx512`, `avx2`, `neon` and `portable`; how a matrix is cut into tiles
//! is written once, in `tiling`.
//!
//! What a tile gives is exact, so all kernels agree to the last bit, and tests hold them to it. The floating-point parts
//! of the model are plain Rust, compiled once per kernel so that the compiler may use its registers.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(test)]
mod tests;
pub(crate) mod tiling;

#[cfg(target_arch = "x86_64")]
use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use avx512::Avx512;
#[cfg(target_arch = "aarch64")]
use neon::Neon;
use portable::Portable;

#[cfg(feature = "minilm")]
use crate::minilm::{blob::Model, layers};

/// In how many bits two sketches differ. Signed, for of these every processor finds the least of eight in one instruction.
pub(crate) type Difference = i16;

/// Picks the instructions to compute with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kernel {
    Portable(Portable),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
}

impl Kernel {
    /// Gives the fastest kernel of this machine; the processor is asked once per process.
    pub(crate) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx512) = Avx512::detect() {
            return Self::Avx512(avx512);
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = Avx2::detect() {
            return Self::Avx2(avx2);
        }
        #[cfg(target_arch = "aarch64")]
        if let Some(neon) = Neon::detect() {
            return Self::Neon(neon);
        }
        Self::PORTABLE
    }

    /// Gives all kernels of this machine.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Self> {
        let mut all = vec![Self::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        all.extend(Avx2::detect().map(Self::Avx2));
        #[cfg(target_arch = "x86_64")]
        all.extend(Avx512::detect().map(Self::Avx512));
        #[cfg(target_arch = "aarch64")]
        all.extend(Neon::detect().map(Self::Neon));
        all
    }

    /// Runs everywhere.
    pub(crate) const PORTABLE: Self = Self::Portable(Portable);

    /// Multiplies a query with each of some rows, one byte per component, and sums up by row.
    pub(crate) fn products(self, query: &[i16], rows: &[u8], sums: &mut [i32]) {
        match self {
            Self::Portable(tile) => tiling::products(tile, query, rows, sums),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.products(query, rows, sums),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(avx512) => avx512.products(query, rows, sums),
            #[cfg(target_arch = "aarch64")]
            Self::Neon(tile) => tiling::products(tile, query, rows, sums),
        }
    }

    /// Counts the bits in which a sketch differs from each of some others.
    pub(crate) fn differences(self, sketch: &[u64], sketches: &[[u8; 8]], counts: &mut [Difference]) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.differences(sketch, sketches, counts),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(avx512) => avx512.differences(sketch, sketches, counts),
            _ => portable::differences(sketch, sketches, counts),
        }
    }

    /// Sums up the squares of components.
    pub(crate) fn squares(self, components: &[u8]) -> i32 {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.squares(components),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(avx512) => avx512.avx2().squares(components),
            _ => portable::squares(components),
        }
    }

    /// Says whether a sketch is that of some components.
    pub(crate) fn is_sketch_of(self, sketch: &[[u8; 8]], components: &[u8]) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.is_sketch_of(sketch, components),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(avx512) => avx512.avx2().is_sketch_of(sketch, components),
            _ => portable::is_sketch_of(sketch, components),
        }
    }

    /// Runs the model over the tokens of a text.
    #[cfg(feature = "minilm")]
    pub(crate) fn forward(self, model: &Model<'_>, tokens: &[u16]) -> Vec<f32> {
        match self {
            Self::Portable(tile) => layers::forward(tile, model, tokens),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.forward(model, tokens),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(avx512) => avx512.forward(model, tokens),
            #[cfg(target_arch = "aarch64")]
            Self::Neon(tile) => layers::forward(tile, model, tokens),
        }
    }
}
