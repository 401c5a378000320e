//! Secrets that never were: prefixes joined at run time to tails from a counter, so that no scanner of a code
//! host takes this repository for a leak.

pub(crate) const HEX: &str = "0123456789abcdef";
pub(crate) const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
pub(crate) const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
pub(crate) const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Returns `length` letters of an alphabet, the same ones each time.
pub(crate) fn tail(alphabet: &str, length: usize) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = 0x9e37_79b9_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        letters[(state >> 16) as usize % letters.len()]
    };
    (0..length).map(|_| next()).collect()
}

/// Joins a prefix to a tail.
pub(crate) fn token(prefix: &str, alphabet: &str, length: usize) -> String {
    format!("{prefix}{}", tail(alphabet, length))
}
