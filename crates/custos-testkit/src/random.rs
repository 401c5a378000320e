//! Seeded chance: a SplitMix64, because it is eight lines, passes the usual batteries and never changes.
//!
//! A crate would do as well until its next major version draws other numbers from the same seed, and with
//! them another corpus and other figures. Everything here is integer arithmetic: the logarithms and powers
//! that a textbook would use differ in the last bit between C libraries.

use std::ops::Range;

/// Draws the same numbers from the same seed, on every platform, in every version.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Starts the sequence that belongs to this seed.
    pub fn seeded(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Draws 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Draws a number from the range; an empty range gives its start.
    pub fn within(&mut self, range: Range<u64>) -> u64 {
        let width = range.end.saturating_sub(range.start);
        // The high half of the product maps 64 bits onto the width; its bias is below one in 2^32 for any
        // width used here, and unlike rejection it draws exactly once.
        let scaled = (u128::from(self.next_u64()) * u128::from(width)) >> 64;
        range.start + u64::try_from(scaled).unwrap_or_default()
    }

    /// Draws an index below `len`; 0 when there is none.
    pub fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.within(0..len as u64)).unwrap_or_default()
    }

    /// Says yes in `percent` of a hundred cases.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.within(0..100) < percent
    }

    /// Picks one of several.
    ///
    /// # Panics
    ///
    /// Panics when there is nothing to pick from.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.index(from.len())]
    }

    /// Puts the items into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.index(last + 1);
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_of_a_seed_is_the_published_one() {
        // The reference output of SplitMix64 for this seed: if it ever changes, so does every corpus.
        let mut random = Random::seeded(1_234_567);
        let drawn: Vec<u64> = (0..3).map(|_| random.next_u64()).collect();
        assert_eq!(drawn, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn a_range_is_filled_and_never_left() {
        let mut random = Random::seeded(7);
        let mut seen = [0_u32; 10];
        for _ in 0..10_000 {
            let drawn = random.within(20..30);
            seen[usize::try_from(drawn - 20).unwrap()] += 1;
        }
        assert!(seen.iter().all(|&hits| (850..1_150).contains(&hits)), "{seen:?}");
    }

    #[test]
    fn empty_ranges_give_their_start() {
        let mut random = Random::seeded(1);
        assert_eq!((random.within(5..5), random.index(0)), (5, 0));
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        Random::seeded(3).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
