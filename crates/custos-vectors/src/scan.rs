//! Comparing rows one by one, wherever they lie.
//!
//! `custos_embed` compares rows that follow each other. The rows of a scope lie among those of others, and those that are asked
//! for by name lie anywhere, so they are taken up singly here. The arithmetic is the same, in integers, and so are the results, to the bit.

/// A query made ready to be compared with many rows.
#[derive(Debug)]
pub(crate) struct Query {
    wide: Vec<i16>,
    inverse_length: f32,
    sketch: Vec<u64>,
}

impl Query {
    pub(crate) fn of(components: &[u8]) -> Self {
        let negative = |&component: &u8| u64::from(component >> 7);
        let word =
            |signs: &[u8]| signs.iter().rev().fold(0, |bits, component| bits << 1 | negative(component));
        Self {
            wide: components.iter().map(|&component| component.cast_signed().into()).collect(),
            inverse_length: inverse_length(components),
            sketch: components.chunks(64).map(word).collect(),
        }
    }

    /// Gives the cosine of the angle to a row.
    pub(crate) fn similarity(&self, components: &[u8], inverse_length: f32) -> f32 {
        product(&self.wide, components) as f32 * inverse_length * self.inverse_length
    }

    /// Counts the signs in which a row differs.
    pub(crate) fn differences(&self, sketch: &[[u8; 8]]) -> u32 {
        let words = self.sketch.iter().zip(sketch);
        words.map(|(&ours, &theirs)| (ours ^ u64::from_le_bytes(theirs)).count_ones()).sum()
    }

    /// Says how many words the sketch of a row has.
    pub(crate) fn words(&self) -> usize {
        self.sketch.len()
    }
}

/// Gives the inverse of a vector's length; zero for one that has no direction.
pub(crate) fn inverse_length(components: &[u8]) -> f32 {
    let square = components.iter().fold(0_i32, |sum, &component| {
        let component = i32::from(component.cast_signed());
        sum.wrapping_add(component * component)
    });
    if square == 0 { 0.0 } else { 1.0 / (square as f32).sqrt() }
}

/// Sums up the products of components. Nothing overflows (see `shelf::MOST_DIMS`), but to say so lets the compiler take
/// several at a time.
fn product(wide: &[i16], components: &[u8]) -> i32 {
    let terms = wide.iter().zip(components);
    terms.fold(0_i32, |sum, (&ours, &theirs)| {
        sum.wrapping_add(i32::from(ours) * i32::from(theirs.cast_signed()))
    })
}
