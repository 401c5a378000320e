//! SQLite's memory comes from the program's allocator.
//!
//! Left to itself, SQLite asks the C library. That of a static binary takes pages from the system for every few blocks and gives them
//! back as soon as none is in use: a prompt's question made it do so 360 times, a fifth of all that the question took. The allocator of
//! the program is chosen for that (and whoever chose none gets the system's), so SQLite may as well have its blocks from there.
//!
//! C gives a block back without saying how long it is, so its length stands before it.
#![expect(unsafe_code, reason = "SQLite calls back from C")]

use std::alloc::{Layout, alloc, dealloc, realloc};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Once;

use rusqlite::ffi;

/// What stands before a block: as long as a block is aligned, and longer than a length.
const HEAD: usize = 16;

/// Sees to it, once, before the first database is opened. Where something else in the process was faster, all stays as it is.
pub(crate) fn comes_from_the_program() {
    static ONCE: Once = Once::new();
    let methods = ffi::sqlite3_mem_methods {
        xMalloc: Some(take),
        xFree: Some(give_back),
        xRealloc: Some(resize),
        xSize: Some(size),
        xRoundup: Some(rounded),
        xInit: Some(begin),
        xShutdown: Some(end),
        pAppData: ptr::null_mut(),
    };
    ONCE.call_once(|| {
        // SAFETY: `methods` is what this option wants, and is copied by the call. Nothing is counted, which takes a lock for every
        // block and is asked for by nobody.
        unsafe {
            ffi::sqlite3_config(ffi::SQLITE_CONFIG_MALLOC, &raw const methods);
            ffi::sqlite3_config(ffi::SQLITE_CONFIG_MEMSTATUS, 0 as c_int);
        }
    });
}

fn layout(length: usize) -> Option<Layout> {
    Layout::from_size_align(length.checked_add(HEAD)?, HEAD).ok()
}

/// Gives the length that stands before a block.
///
/// # Safety
/// The block came from [`take`] or [`resize`], and was not given back.
unsafe fn length(block: *mut c_void) -> usize {
    // SAFETY: by the caller's promise there is a head, which is aligned to more than a length.
    unsafe { block.byte_sub(HEAD).cast::<usize>().read() }
}

/// Writes the length before a block, and gives the block; null if there is no memory.
///
/// # Safety
/// `whole` is null, or has room for a head and is aligned to one.
#[expect(clippy::cast_ptr_alignment, reason = "it is aligned to more than a length")]
unsafe fn headed(whole: *mut u8, length: usize) -> *mut c_void {
    if whole.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: by the caller's promise.
    unsafe {
        whole.cast::<usize>().write(length);
        whole.add(HEAD).cast()
    }
}

unsafe extern "C" fn take(wanted: c_int) -> *mut c_void {
    let Ok(length) = usize::try_from(wanted) else { return ptr::null_mut() };
    let Some(layout) = layout(length) else { return ptr::null_mut() };
    // SAFETY: a layout with a head is never empty, and has room for it.
    unsafe { headed(alloc(layout), length) }
}

unsafe extern "C" fn give_back(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: SQLite gives back only what it was given, once, so its head says how it was made.
    unsafe {
        if let Some(layout) = layout(length(block)) {
            dealloc(block.byte_sub(HEAD).cast(), layout);
        }
    }
}

unsafe extern "C" fn resize(block: *mut c_void, wanted: c_int) -> *mut c_void {
    let Ok(wanted) = usize::try_from(wanted) else { return ptr::null_mut() };
    // SAFETY: SQLite resizes only what it was given, and never to nothing.
    unsafe {
        match (layout(length(block)), layout(wanted)) {
            (Some(old), Some(new)) => headed(realloc(block.byte_sub(HEAD).cast(), old, new.size()), wanted),
            _ => ptr::null_mut(),
        }
    }
}

unsafe extern "C" fn size(block: *mut c_void) -> c_int {
    if block.is_null() {
        return 0;
    }
    // SAFETY: SQLite asks only about what it was given.
    c_int::try_from(unsafe { length(block) }).unwrap_or(c_int::MAX)
}

unsafe extern "C" fn rounded(wanted: c_int) -> c_int {
    wanted.checked_add(7).map_or(wanted, |sum| sum & !7)
}

unsafe extern "C" fn begin(_: *mut c_void) -> c_int {
    ffi::SQLITE_OK
}

unsafe extern "C" fn end(_: *mut c_void) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_know_their_length_and_keep_what_they_hold_when_they_grow() {
        // SAFETY: every block is used as SQLite does.
        unsafe {
            let block = take(100);
            assert_eq!((size(block), block as usize % HEAD), (100, 0));
            block.cast::<u8>().write_bytes(7, 100);
            let grown = resize(block, 5_000);
            assert_eq!((size(grown), grown as usize % HEAD), (5_000, 0));
            assert_eq!(std::slice::from_raw_parts(grown.cast::<u8>(), 100), [7; 100]);
            give_back(grown);
            give_back(ptr::null_mut());
            assert_eq!(size(ptr::null_mut()), 0);
            assert!(take(-1).is_null());
        }
    }

    #[test]
    fn sqlite_uses_them() {
        comes_from_the_program();
        // SAFETY: asked of a library that is initialised by the call itself.
        let block = unsafe { ffi::sqlite3_malloc(1_000) };
        assert!(!block.is_null());
        // SAFETY: it was given by the line above; one of another make would have no such head.
        unsafe {
            assert_eq!(length(block), 1_000);
            ffi::sqlite3_free(block);
        }
    }
}
