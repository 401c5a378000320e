//! Comparing memory, where the C library is slow at it.
//!
//! musl compares byte by byte. Names of files, slugs and keys begin alike for twenty bytes and more, and a server compares thousands of them
//! before its first answer: a ninth of all instructions of the knowledge base's doctor. So the static builds bring their own: sixteen bytes at
//! a time, and what is left at the end together with some that were compared before, which are the same.
#![expect(unsafe_code, reason = "the function that every comparison of texts is made of")]

use core::arch::x86_64::{_mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8};
use core::cmp::Ordering;
use core::ffi::c_int;

/// How many bytes are compared at a time.
const WIDTH: usize = 16;

/// Says how `count` bytes compare with as many others, by the first that differ: less than, equal to or greater than zero.
///
/// # Safety
/// As the C standard has it: both regions are `count` bytes long.
#[cfg_attr(target_env = "musl", unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn memcmp(one: *const u8, other: *const u8, count: usize) -> c_int {
    // SAFETY: the caller's promise; what is loaded begins within the regions and ends there as well.
    unsafe {
        if count < WIDTH {
            return compare_short(one, other, count);
        }
        let last = count - WIDTH;
        let mut at = 0;
        while at < last {
            let order = compare_block(one.add(at), other.add(at));
            if order != 0 {
                return order;
            }
            at += WIDTH;
        }
        compare_block(one.add(last), other.add(last))
    }
}

/// Says whether `count` bytes differ from as many others: zero if they do not.
///
/// # Safety
/// As for [`memcmp`].
#[cfg_attr(target_env = "musl", unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn bcmp(one: *const u8, other: *const u8, count: usize) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { memcmp(one, other, count) }
}

/// Compares fewer than sixteen bytes: the first and the last so many, which may be the same.
///
/// # Safety
/// Both regions are `count` bytes long.
#[inline]
unsafe fn compare_short(one: *const u8, other: *const u8, count: usize) -> c_int {
    // SAFETY: each pair reads its width from the beginning and up to the end, and is only taken where `count` is at least that.
    unsafe {
        match count {
            0 => 0,
            1 => c_int::from(*one) - c_int::from(*other),
            // As numbers, the first byte counting most: to compare arrays would be to call this very function.
            2..=3 => {
                let ends = |from| ends::<2>(from, count).map(u16::from_be_bytes);
                let ([a, b], [c, d]) = (ends(one), ends(other));
                sign((a, b).cmp(&(c, d)))
            }
            4..=7 => {
                let ends = |from| ends::<4>(from, count).map(u32::from_be_bytes);
                let ([a, b], [c, d]) = (ends(one), ends(other));
                sign((a, b).cmp(&(c, d)))
            }
            _ => {
                let ends = |from| ends::<8>(from, count).map(u64::from_be_bytes);
                let ([a, b], [c, d]) = (ends(one), ends(other));
                sign((a, b).cmp(&(c, d)))
            }
        }
    }
}

/// Loads the first and the last `N` bytes.
///
/// # Safety
/// The region is `count` bytes long, and that is at least `N`.
#[inline]
unsafe fn ends<const N: usize>(from: *const u8, count: usize) -> [[u8; N]; 2] {
    // SAFETY: the caller's promise; bytes lie anywhere.
    unsafe { [from.cast::<[u8; N]>().read(), from.add(count - N).cast::<[u8; N]>().read()] }
}

/// Compares sixteen bytes.
///
/// # Safety
/// They are there, in both regions.
#[inline]
unsafe fn compare_block(one: *const u8, other: *const u8) -> c_int {
    // SAFETY: the caller's promise; SSE2 is in every x86-64.
    unsafe {
        let same = _mm_cmpeq_epi8(_mm_loadu_si128(one.cast()), _mm_loadu_si128(other.cast()));
        let differing = !_mm_movemask_epi8(same) & 0xffff;
        if differing == 0 {
            return 0;
        }
        let first = differing.trailing_zeros() as usize;
        c_int::from(*one.add(first)) - c_int::from(*other.add(first))
    }
}

fn sign(order: Ordering) -> c_int {
    order as c_int
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every length around each border, and a difference at every place, upward and downward, with others behind it that must not count.
    #[test]
    fn the_first_bytes_that_differ_decide() {
        let text: Vec<u8> = (0..80).map(|at| u8::try_from(at * 31 % 251).unwrap()).collect();
        for count in 0..=text.len() {
            // SAFETY: both regions lie in the vector.
            assert_eq!(unsafe { memcmp(text.as_ptr(), text.as_ptr(), count) }, 0, "{count} bytes");
            for place in 0..count {
                for byte in [text[place].wrapping_add(1), text[place].wrapping_sub(1), 0, 0xff] {
                    let mut other = text.clone();
                    other[place] = byte;
                    for later in &mut other[place + 1..] {
                        *later = later.wrapping_mul(7);
                    }
                    // A plain loop, for the comparison of slices may be the very function that is tested.
                    let expected = text[..count].iter().zip(&other).map(|(a, b)| a.cmp(b));
                    let expected = expected.fold(Ordering::Equal, Ordering::then);
                    // SAFETY: both regions lie in vectors of this length.
                    let order = unsafe { memcmp(text.as_ptr(), other.as_ptr(), count) };
                    assert_eq!(order.cmp(&0), expected, "{count} bytes, the first other one at {place}");
                    // SAFETY: as above.
                    let differs = unsafe { bcmp(text.as_ptr(), other.as_ptr(), count) } != 0;
                    assert_eq!(differs, expected.is_ne());
                }
            }
        }
    }
}
