//! English endings, cut off: `tokens`, `refreshing` and `refreshed` are found as `token` and `refresh`.
//!
//! Only tokens of ASCII letters are stemmed; a digit makes a name, and names do not decline. German words that folding has made
//! ASCII pass through the English rules too: wrong as grammar, harmless for finding, because the question goes the same way.
//!
//! Words repeat, and stemming one costs a microsecond and two allocations: a small direct-mapped cache answers nine of ten. It
//! simply overwrites and grows once, to a fixed size, so no input can make it large or slow.

use rust_stemmers::{Algorithm, Stemmer};

use super::term_hash;

/// Shorter words have no ending to lose, longer ones are no words.
const STEMMED: std::ops::RangeInclusive<usize> = 3..=32;

/// Powers of two; the most is about a megabyte of short strings when full. A question has a few words, and a hook that asks one should
/// not pay for more.
const FEWEST_SLOTS: usize = 256;
const MOST_SLOTS: usize = 8192;

/// Cuts English endings off and remembers what it cut.
pub(super) struct Stems {
    stemmer: Stemmer,
    slots: Vec<Option<Slot>>,
    /// How many words were not known.
    cut: usize,
}

struct Slot {
    word: Box<str>,
    stem: Box<str>,
}

impl Default for Stems {
    fn default() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English), slots: empty(FEWEST_SLOTS), cut: 0 }
    }
}

fn empty(slots: usize) -> Vec<Option<Slot>> {
    std::iter::repeat_with(|| None).take(slots).collect()
}

impl Stems {
    /// Gives the stem of a folded token; the token itself if it is not one to stem.
    pub(super) fn stem<'a>(&'a mut self, token: &'a str) -> &'a str {
        if !STEMMED.contains(&token.len()) || !token.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return token;
        }
        if self.cut == FEWEST_SLOTS && self.slots.len() < MOST_SLOTS {
            self.slots = empty(MOST_SLOTS);
        }
        // The upper bits are the well mixed ones.
        let slot = usize::try_from(term_hash(token) >> 51).unwrap_or(0) % self.slots.len();
        let slot = &mut self.slots[slot];
        let known = slot.as_ref().is_some_and(|known| *known.word == *token);
        if !known {
            self.cut += 1;
            *slot = Some(Slot { word: token.into(), stem: self.stemmer.stem(token).into() });
        }
        slot.as_ref().map_or(token, |known| &known.stem)
    }
}
