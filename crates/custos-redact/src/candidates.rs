//! Where something may begin, 64 bytes at a time.
//!
//! Clean text spends most of its time here. Walking it byte by byte was measurably slower, with a branch at the end of
//! every word that nothing foretells. So a block is classified at once, in plain loops without branches, and what is
//! left is a word of bits: the signs, and the starts of words.

use crate::effort;
use crate::shapes;

const BLOCK: usize = 64;

/// The candidates of one block.
#[derive(Default)]
pub(crate) struct Candidates {
    /// Where the block ends; 0 before the first.
    end: usize,
    signs: u64,
    starts: u64,
}

/// Says whether a byte can begin something other than a word: a value, an option, a PEM header, an escape.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "lazy operators are branches, and branches are not vector code"
)]
pub(crate) const fn is_sign(b: u8) -> bool {
    (b == b'=') | (b == b':') | (b == b'-') | (b == b'\\') | (b == b'%') | (b == b'>') | (b == 0x1b)
}

const fn is_word(b: u8) -> bool {
    ((b | 0x20).wrapping_sub(b'a') < 26) | (b.wrapping_sub(b'0') < 10)
}

impl Candidates {
    /// Returns the first place at or behind `from` where something may begin. If `from` is not inside a word, a word
    /// may begin there whatever stands before it: an escape, or something that was taken out.
    pub(crate) fn next(&mut self, bytes: &[u8], from: usize, in_word: bool) -> Option<usize> {
        let mut from = from;
        if !in_word {
            if is_sign(*bytes.get(from)?) || may_begin(bytes, from) {
                return Some(from);
            }
            from += 1;
        }
        while from < bytes.len() {
            let start = from - from % BLOCK;
            if self.end != start + BLOCK {
                self.read(bytes, start);
            }
            let ahead = u64::MAX << (from - start);
            let mut bits = (self.signs | self.starts) & ahead;
            while bits != 0 {
                effort::spend(1);
                let at = start + bits.trailing_zeros() as usize;
                if is_sign(bytes[at]) || may_begin(bytes, at) {
                    return Some(at);
                }
                bits &= bits - 1;
            }
            from = start + BLOCK;
        }
        None
    }

    /// Classifies the block that begins at `start`.
    fn read(&mut self, bytes: &[u8], start: usize) {
        let mut block = [0; BLOCK];
        let text = &bytes[start..bytes.len().min(start + BLOCK)];
        block[..text.len()].copy_from_slice(text);
        effort::spend(BLOCK);
        let words = pack(block.map(|b| u8::from(is_word(b))));
        let carry = start > 0 && is_word(bytes[start - 1]);
        self.end = start + BLOCK;
        self.signs = pack(block.map(|b| u8::from(is_sign(b))));
        self.starts = words & !(words << 1 | u64::from(carry));
    }
}

/// Packs bytes of 0 and 1 into bits: the multiplication moves each byte of eight to its place in the highest one.
fn pack(flags: [u8; BLOCK]) -> u64 {
    let (eights, _) = flags.as_chunks::<8>();
    let bits = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    eights.iter().enumerate().fold(0, |mask, (i, eight)| mask | bits(eight) << (8 * i))
}

/// Says whether a prefix may begin at `at`. None is so short that it fits into the last two bytes.
fn may_begin(bytes: &[u8], at: usize) -> bool {
    match bytes[at..] {
        [first, second, third, ..] => shapes::may_begin(first, second, third),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Candidates, is_sign, is_word, may_begin};
    use proptest::prelude::*;

    /// The same, byte by byte.
    fn plainly(bytes: &[u8], from: usize, in_word: bool) -> Option<usize> {
        (from..bytes.len()).find(|&at| {
            let joined = if at == from { in_word } else { is_word(bytes[at - 1]) };
            is_sign(bytes[at]) || is_word(bytes[at]) && !joined && may_begin(bytes, at)
        })
    }

    proptest! {
        #[test]
        fn blocks_see_what_bytes_see(text in "([a-z]{0,6}|ghp_|sk-|=|: | |ü){0,80}", from in 0_usize..200) {
            let bytes = text.as_bytes();
            let from = from.min(bytes.len());
            prop_assert_eq!(Candidates::default().next(bytes, from, false), plainly(bytes, from, false));
            let in_word = from > 0 && is_word(bytes[from - 1]);
            prop_assert_eq!(Candidates::default().next(bytes, from, in_word), plainly(bytes, from, in_word));
        }
    }
}
