//! Copying memory, where the C library is slow at it.
//!
//! musl copies with one instruction whatever the length, and on the processors of today it takes that instruction longer to get going
//! than to copy the twenty bytes that it mostly is. A hook makes some 700 copies, nearly all of them that small: a fifteenth of its
//! whole time. So the static builds bring their own. Short copies are loaded whole, from both ends, before anything is stored, which is right
//! for regions that overlap as well; there are no loops but one that is spelt out, for the compiler would turn them into calls of this very
//! function.
#![expect(unsafe_code, reason = "the two functions that every other copy is made of")]

use core::arch::asm;
use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_storeu_si128};

/// Copies `count` bytes between regions that do not overlap.
///
/// # Safety
/// As the C standard has it: both regions are `count` bytes long.
#[cfg_attr(target_env = "musl", unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    if count <= 128 {
        // SAFETY: the caller's promise.
        unsafe { copy_short(to, from, count) };
    } else {
        // SAFETY: the caller's promise; the direction flag is clear by convention.
        unsafe { copy_forward(to, from, count) };
    }
    to
}

/// Copies `count` bytes between regions that may overlap.
///
/// # Safety
/// As the C standard has it: both regions are `count` bytes long.
#[cfg_attr(target_env = "musl", unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    if count <= 128 {
        // SAFETY: the caller's promise; everything is loaded before anything is stored.
        unsafe { copy_short(to, from, count) };
    } else if to.addr().wrapping_sub(from.addr()) >= count {
        // SAFETY: the caller's promise; the target does not begin within the source, so going forward overwrites nothing unread.
        unsafe { copy_forward(to, from, count) };
    } else {
        // SAFETY: the caller's promise, and there are more than 64 bytes.
        unsafe { copy_backward(to, from, count) };
    }
    to
}

/// Copies from the end backward, as whoever makes room in a long list does. The processor's own instruction for that goes byte by byte.
///
/// Each turn of the loop loads 64 bytes before it stores them. The first 64 are loaded before all else, and stored last: by then the loop may
/// have written over them, and what is left of it is less than a turn.
///
/// # Safety
/// Both regions are `count` bytes long, which is more than 64, and the target begins where the source does or behind that.
#[inline]
unsafe fn copy_backward(to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: the caller's promise. `left` goes down from `count` by 64 as long as it is more than that, so that every address is within its
    // region.
    unsafe {
        asm!(
            "movdqu {head0}, [{from}]",
            "movdqu {head1}, [{from} + 16]",
            "movdqu {head2}, [{from} + 32]",
            "movdqu {head3}, [{from} + 48]",
            "2:",
            "movdqu {a}, [{from} + {left} - 16]",
            "movdqu {b}, [{from} + {left} - 32]",
            "movdqu {c}, [{from} + {left} - 48]",
            "movdqu {d}, [{from} + {left} - 64]",
            "movdqu [{to} + {left} - 16], {a}",
            "movdqu [{to} + {left} - 32], {b}",
            "movdqu [{to} + {left} - 48], {c}",
            "movdqu [{to} + {left} - 64], {d}",
            "sub {left}, 64",
            "cmp {left}, 64",
            "ja 2b",
            "movdqu [{to}], {head0}",
            "movdqu [{to} + 16], {head1}",
            "movdqu [{to} + 32], {head2}",
            "movdqu [{to} + 48], {head3}",
            to = in(reg) to,
            from = in(reg) from,
            left = inout(reg) count => _,
            head0 = out(xmm_reg) _,
            head1 = out(xmm_reg) _,
            head2 = out(xmm_reg) _,
            head3 = out(xmm_reg) _,
            a = out(xmm_reg) _,
            b = out(xmm_reg) _,
            c = out(xmm_reg) _,
            d = out(xmm_reg) _,
            options(nostack),
        );
    }
}

/// Copies forward, however much it is.
///
/// # Safety
/// Both regions are `count` bytes long, and the target does not begin within the source.
#[inline]
unsafe fn copy_forward(to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        asm!(
            "rep movsb",
            inout("rcx") count => _,
            inout("rdi") to => _,
            inout("rsi") from => _,
            options(nostack, preserves_flags),
        );
    }
}

/// Copies at most 128 bytes: the first and the last so many, which may be the same.
///
/// # Safety
/// Both regions are `count` bytes long.
#[inline]
unsafe fn copy_short(to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: each pair reads and writes its width from the beginning and up to the end, and is only taken where `count` is at least that.
    unsafe {
        match count {
            0 => {}
            1 => *to = *from,
            2..=3 => ends::<u16>(to, from, count),
            4..=7 => ends::<u32>(to, from, count),
            8..=15 => ends::<u64>(to, from, count),
            16..=32 => ends::<[u64; 2]>(to, from, count),
            33..=64 => {
                let (first, last) = (load_two(from), load_two(from.add(count - 32)));
                store_two(to, first);
                store_two(to.add(count - 32), last);
            }
            _ => {
                let (first, second) = (load_two(from), load_two(from.add(32)));
                let (third, last) = (load_two(from.add(count - 64)), load_two(from.add(count - 32)));
                store_two(to, first);
                store_two(to.add(32), second);
                store_two(to.add(count - 64), third);
                store_two(to.add(count - 32), last);
            }
        }
    }
}

/// Copies one `T` from the beginning and one up to the end.
///
/// # Safety
/// Both regions are `count` bytes long, and that is at least the size of `T`.
#[inline]
unsafe fn ends<T: Copy>(to: *mut u8, from: *const u8, count: usize) {
    let last = count - size_of::<T>();
    // SAFETY: the caller's promise.
    unsafe {
        let (first, second) =
            (from.cast::<T>().read_unaligned(), from.add(last).cast::<T>().read_unaligned());
        to.cast::<T>().write_unaligned(first);
        to.add(last).cast::<T>().write_unaligned(second);
    }
}

/// Loads 32 bytes.
///
/// # Safety
/// They are there.
#[inline]
unsafe fn load_two(from: *const u8) -> [__m128i; 2] {
    // SAFETY: the caller's promise; SSE2 is in every x86-64.
    unsafe { [_mm_loadu_si128(from.cast()), _mm_loadu_si128(from.add(16).cast())] }
}

/// Stores 32 bytes.
///
/// # Safety
/// There is room for them.
#[inline]
unsafe fn store_two(to: *mut u8, values: [__m128i; 2]) {
    // SAFETY: the caller's promise; SSE2 is in every x86-64.
    unsafe {
        _mm_storeu_si128(to.cast(), values[0]);
        _mm_storeu_si128(to.add(16).cast(), values[1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every length around each border, and every way in which the two regions can overlap.
    #[test]
    fn what_is_moved_is_what_was_there() {
        const ROOM: usize = 700;
        let original: Vec<u8> = (0..ROOM).map(|at| u8::try_from(at * 31 % 251).unwrap()).collect();
        for count in (0..=260).chain([300, 319, 320, 321]) {
            for (from, to) in [
                (0, 0),
                (0, 1),
                (1, 0),
                (0, 15),
                (17, 0),
                (0, 63),
                (5, 69),
                (0, 65),
                (3, 100),
                (100, 3),
                (0, 350),
                (370, 7),
            ] {
                let mut expected = original.clone();
                expected.copy_within(from..from + count, to);
                let mut moved = original.clone();
                let start = moved.as_mut_ptr();
                // SAFETY: both regions lie in the vector.
                unsafe { memmove(start.add(to), start.add(from), count) };
                assert_eq!(moved, expected, "{count} bytes from {from} to {to}");
                if from.abs_diff(to) >= count {
                    let mut copied = original.clone();
                    let start = copied.as_mut_ptr();
                    // SAFETY: both regions lie in the vector, apart from each other.
                    unsafe { memcpy(start.add(to), start.add(from), count) };
                    assert_eq!(copied, expected, "{count} bytes from {from} to {to}");
                }
            }
        }
    }
}
