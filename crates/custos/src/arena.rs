//! The first quarter of a megabyte that the program allocates.
//!
//! A hook lives a third of a millisecond, and the allocator of a static binary spends a tenth of that on asking the system for pages and
//! giving them back. So the first allocations come out of a piece of the program's own memory, one behind the other, and are not given
//! back, except the last one, which may also grow where it stands: that is how buffers are filled. When the piece is used up, which only
//! commands that live longer ever see, the system's allocator takes over.
#![expect(unsafe_code, reason = "an allocator is unsafe by its nature; this one is forty lines")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How much is handed out before the system is asked.
const SIZE: usize = 256 << 10;

/// An allocator that begins with its own memory.
pub struct Arena {
    used: AtomicUsize,
    memory: UnsafeCell<[u8; SIZE]>,
}

// SAFETY: `memory` is only handed out in parts that do not overlap, each claimed by an exchange on `used`.
unsafe impl Sync for Arena {}

impl Arena {
    /// Gives an arena of which nothing is used.
    #[expect(clippy::large_stack_arrays, reason = "a constant for a static, never on a stack")]
    pub const fn new() -> Self {
        Self { used: AtomicUsize::new(0), memory: UnsafeCell::new([0; SIZE]) }
    }

    fn begin(&self) -> *mut u8 {
        self.memory.get().cast()
    }

    fn owns(&self, pointer: *mut u8) -> bool {
        (self.begin() as usize..self.begin() as usize + SIZE).contains(&(pointer as usize))
    }

    /// Claims room behind what is used; none if there is not enough.
    fn claim(&self, layout: Layout) -> Option<*mut u8> {
        let mut used = self.used.load(Ordering::Relaxed);
        loop {
            let address = self.begin() as usize + used;
            let padding = address.next_multiple_of(layout.align()) - address;
            let end = used.checked_add(padding)?.checked_add(layout.size())?;
            if end > SIZE {
                return None;
            }
            match self.used.compare_exchange_weak(used, end, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return Some(self.begin().wrapping_add(used + padding)),
                Err(now) => used = now,
            }
        }
    }

    /// Moves the end of the last block; false if it is not the last one or there is no room.
    fn resize_last(&self, pointer: *mut u8, old: usize, new: usize) -> bool {
        let offset = pointer as usize - self.begin() as usize;
        let (old_end, new_end) = (offset + old, offset.saturating_add(new));
        new_end <= SIZE
            && self.used.compare_exchange(old_end, new_end, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

impl Default for Arena {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: blocks from `claim` lie within `memory`, are aligned, do not overlap and stay where they are; whatever is not in `memory`
// came from the system's allocator and goes back to it.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises about the layout are passed on.
        self.claim(layout).unwrap_or_else(|| unsafe { System.alloc(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if self.owns(pointer) {
            self.resize_last(pointer, layout.size(), 0);
        } else {
            // SAFETY: not ours, so it came from the system with this layout.
            unsafe { System.dealloc(pointer, layout) }
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !self.owns(pointer) {
            // SAFETY: not ours, so it came from the system with this layout.
            return unsafe { System.realloc(pointer, layout, size) };
        }
        if size <= layout.size() || self.resize_last(pointer, layout.size(), size) {
            return pointer;
        }
        // SAFETY: the size is not zero and does not overflow with this alignment, by the caller's promise.
        let moved = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !moved.is_null() {
            // SAFETY: both blocks are at least as long as the old one, and they do not overlap.
            unsafe { std::ptr::copy_nonoverlapping(pointer, moved, layout.size()) };
        }
        moved
    }
}
