//! A vector as it is kept: one byte per dimension, and the name of the embedder that made it.
//!
//! Only the direction of an embedding means anything, so its length is free to choose: the largest component becomes
//! 127, and the rest is rounded. That costs a cosine about 0.00003 and takes a quarter of the room. No scale is
//! stored: whoever compares divides by the lengths of the integers themselves, which follow from the bytes.
//!
//! The components are kept as bytes, the way a file or a database holds them; `as i8` gives the number.

use std::error::Error;
use std::fmt;

use crate::embedder::EmbedderId;
use crate::kernel::Kernel;

/// The largest component, in size, that quantising gives.
///
/// Not 128: the range stays symmetric, so that the opposite of a vector has the opposite bytes.
const LARGEST: f32 = 127.0;

/// Holds the direction of an embedding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Vector {
    embedder: EmbedderId,
    components: Box<[u8]>,
}

impl Vector {
    /// Rounds an embedding of any length to one byte per dimension.
    ///
    /// What is not a number counts as zero, and infinity as the largest number: whatever a server sends is a vector.
    pub fn quantise(embedder: EmbedderId, embedding: &[f32]) -> Self {
        let finite = |value: f32| if value.is_nan() { 0.0 } else { value.clamp(f32::MIN, f32::MAX) };
        let largest = embedding.iter().fold(0.0, |largest: f32, &value| largest.max(finite(value).abs()));
        // Divided first: multiplying by 127 / largest overflows where the largest is tiny.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "between -127 and 127 after dividing by the largest"
        )]
        let component = |&value: &f32| {
            let rounded = (finite(value) / largest * LARGEST).round_ties_even() as i8;
            rounded.cast_unsigned()
        };
        let components = if largest == 0.0 {
            vec![0; embedding.len()].into()
        } else {
            embedding.iter().map(component).collect()
        };
        Self { embedder, components }
    }

    /// Takes the bytes of a stored vector.
    ///
    /// Any bytes are a vector; if there are too few or too many, comparing says so.
    pub fn from_bytes(embedder: EmbedderId, bytes: &[u8]) -> Self {
        Self { embedder, components: bytes.into() }
    }

    /// Gives the bytes to store: one per dimension.
    pub fn as_bytes(&self) -> &[u8] {
        &self.components
    }

    /// Names the embedder that made the vector.
    pub fn embedder(&self) -> &EmbedderId {
        &self.embedder
    }

    /// Says how many dimensions there are.
    pub fn dims(&self) -> usize {
        self.components.len()
    }

    /// Gives the cosine of the angle to another vector: 1 for the same direction, 0 for nothing in common.
    pub fn similarity(&self, other: &Self) -> Result<f32, Mismatch> {
        self.check(&other.embedder, other.dims())?;
        Ok(Direction::of(&self.components).similarity(&other.components, inverse_length(&other.components)))
    }

    /// Refuses what lies in another space.
    pub(crate) fn check(&self, embedder: &EmbedderId, dims: usize) -> Result<(), Mismatch> {
        if self.embedder == *embedder && self.dims() == dims {
            return Ok(());
        }
        let space = |embedder: &EmbedderId, dims: usize| format!("{embedder} ({dims} dimensions)");
        Err(Mismatch { ours: space(&self.embedder, self.dims()), theirs: space(embedder, dims) })
    }
}

/// Says that two vectors come from different embedders, so that no number compares them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    ours: String,
    theirs: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a vector of {} cannot be compared to one of {}", self.ours, self.theirs)
    }
}

impl Error for Mismatch {}

/// A vector made ready to be compared with many: what is the same for each of them is done once.
#[derive(Clone, Debug)]
pub struct Direction {
    /// The components at two bytes each, as the kernels multiply them.
    pub(crate) wide: Vec<i16>,
    pub(crate) inverse_length: f32,
}

impl Direction {
    /// Makes a vector ready, given its components.
    pub fn of(components: &[u8]) -> Self {
        Self {
            wide: components.iter().map(|&component| component.cast_signed().into()).collect(),
            inverse_length: inverse_length(components),
        }
    }

    /// Gives the cosine of the angle to a vector of as many components, given the inverse of its length.
    pub fn similarity(&self, components: &[u8], inverse_length: f32) -> f32 {
        let mut sum = [0];
        Kernel::best().products(&self.wide, components, &mut sum);
        self.similarity_of(sum[0], inverse_length)
    }

    /// Makes the cosine of the sum of the products of components.
    pub(crate) fn similarity_of(&self, sum: i32, inverse_length: f32) -> f32 {
        sum as f32 * inverse_length * self.inverse_length
    }
}

/// Gives the inverse of a vector's length; zero for one that has no direction, so that nothing is like it.
pub fn inverse_length(components: &[u8]) -> f32 {
    match Kernel::best().squares(components) {
        0 => 0.0,
        square => 1.0 / (square as f32).sqrt(),
    }
}
