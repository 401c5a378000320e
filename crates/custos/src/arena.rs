//! Where the program's memory comes from.
//!
//! A hook lives a third of a millisecond, and the allocator of a static binary spends a tenth of that on asking the system for pages and
//! giving them back. A server or a worker meets it again in another shape: it gives a page back as soon as nothing is left on it, asks
//! for it again at the next allocation, and lets two threads wait for each other meanwhile. So small blocks come from here.
//!
//! Sizes are rounded up to a class, four to each doubling. A block that is given back waits in its class's list for the next of its
//! size, unless it was the last of the chunk, which is cut off again; where none waits, the next piece of the present chunk is taken. The
//! first chunk is a part of the program itself, so a hook asks the system for nothing; later ones are four megabytes each, of which only
//! what is written to takes memory, and stay. Whatever is larger than the largest class, or wants to be aligned to more than a class is,
//! is the system's. Which of the two made a block follows from its layout, so nothing is stored beside it.
//!
//! There are a few *rooms* with such lists and chunks of their own. A thread takes what it needs from one room until it meets another thread
//! there, and then tries the next: so two that read thousands of files side by side soon have a room each, and a program with one thread uses
//! one. A block goes back to the room that it is from, whoever gives it back, so that what one thread makes and another drops is there for the
//! next. Whose a block is stands at the beginning of its chunk, and where that is follows from its address.
#![expect(unsafe_code, reason = "an allocator is unsafe by its nature")]

#[cfg(test)]
mod tests;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::{AtomicBool, Ordering};

/// The size of the chunk that is a part of the program, and of those that come from the system, which are aligned to it.
const FIRST: usize = 256 << 10;
const FURTHER: usize = 4 << 20;

/// How much of a further chunk gets its pages at once. Whoever needs one needs more than a few of them, and a page that is missed when it
/// is first written to costs three times as much.
const STRETCH: usize = 256 << 10;

/// What every class is a multiple of, and aligned to.
const GRAIN: usize = align_of::<u128>();

/// Up to here the classes are [`GRAIN`] apart; above, there are four to each doubling.
const FINE: usize = 128;
const FINE_CLASSES: usize = FINE / GRAIN;

/// The largest class.
const LARGEST: usize = 128 << 10;
const CLASSES: usize = FINE_CLASSES + 4 * (LARGEST / FINE).ilog2() as usize;

/// How many rooms there are: as many as there are threads that have much to do at once.
const ROOMS: usize = 4;

thread_local! {
    /// The room in which this thread was last.
    static ROOM: Cell<usize> = const { Cell::new(0) };
}

/// Hands out memory in classes of sizes.
pub struct Arena {
    rooms: [Room; ROOMS],
    first: UnsafeCell<[u128; FIRST / GRAIN]>,
}

/// Where one thread at a time takes and gives back. Two that lay in one line of the cache would be in each other's way all the same.
#[repr(align(128))]
struct Room {
    is_taken: AtomicBool,
    shelves: UnsafeCell<Shelves>,
}

/// What waits to be handed out.
struct Shelves {
    /// For each class, the first block that was given back; the beginning of a block holds the address of the next.
    returned: [*mut u8; CLASSES],
    /// What is left of the present chunk.
    next: *mut u8,
    left: usize,
    /// Up to where the present chunk has its pages.
    ready: *mut u8,
    /// Whether the first chunk is in use.
    has_begun: bool,
}

// SAFETY: `shelves` is only touched by whoever has set `is_taken` of its room, and `first` is handed out by the first room, in parts that do
// not overlap.
unsafe impl Sync for Arena {}

/// Gives the class of a layout; none if it is the system's.
fn class_of(layout: Layout) -> Option<usize> {
    let size = layout.size();
    if size > LARGEST || layout.align() > GRAIN {
        return None;
    }
    if size <= FINE {
        return Some(size.saturating_sub(1) / GRAIN);
    }
    let doubling = (size - 1).ilog2();
    let step = (size - 1 - (1 << doubling)) >> (doubling - 2);
    Some(FINE_CLASSES + 4 * (doubling - FINE.ilog2()) as usize + step)
}

/// Gives the size of the blocks of a class.
fn size_of(class: usize) -> usize {
    match class.checked_sub(FINE_CLASSES) {
        None => (class + 1) * GRAIN,
        Some(coarse) => (FINE << (coarse / 4)) / 4 * (5 + coarse % 4),
    }
}

/// Asks the system for the pages of a stretch. Where it cannot, they come as they are written to.
#[cfg(target_os = "linux")]
fn get_pages(start: *mut u8, length: usize) {
    const PAGE: usize = 4096;
    let (from, to) = (start.addr().next_multiple_of(PAGE), (start.addr() + length) / PAGE * PAGE);
    if to > from {
        // SAFETY: the pages are within a chunk of ours, and what they hold does not change.
        unsafe {
            libc::madvise(start.with_addr(from).cast(), to - from, libc::MADV_POPULATE_WRITE);
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn get_pages(_: *mut u8, _: usize) {}

#[expect(clippy::cast_ptr_alignment, reason = "every block is aligned to more than an address")]
impl Shelves {
    /// Takes a block of a class; null if the system has no memory.
    ///
    /// # Safety
    /// These are the shelves of the room with this number, and `first` is the chunk of the one arena to which it belongs.
    unsafe fn take(&mut self, class: usize, room: usize, first: *mut u8) -> *mut u8 {
        let block = self.returned[class];
        if !block.is_null() {
            // SAFETY: a block in a list was given back, is at least as long as an address, and holds the next one's.
            self.returned[class] = unsafe { block.cast::<*mut u8>().read() };
            return block;
        }
        let size = size_of(class);
        if size > self.left {
            (self.next, self.left, self.ready) = if room == 0 && !self.has_begun {
                self.has_begun = true;
                // A hook uses some pages here and there: they come as they are needed.
                (first, FIRST, first.wrapping_add(FIRST))
            } else {
                // SAFETY: the size is not zero, and the alignment a power of two.
                let chunk = unsafe { System.alloc(Layout::from_size_align_unchecked(FURTHER, FURTHER)) };
                if chunk.is_null() {
                    return chunk;
                }
                // SAFETY: the chunk is ours, longer than a number, and aligned to more than one.
                unsafe { chunk.cast::<usize>().write(room) };
                (chunk.wrapping_add(GRAIN), FURTHER - GRAIN, chunk)
            };
        }
        let block = self.next;
        self.next = block.wrapping_add(size);
        if self.next > self.ready {
            let stretch = STRETCH.max(size).min(self.left);
            get_pages(block, stretch);
            self.ready = block.wrapping_add(stretch);
        }
        self.left -= size;
        block
    }

    /// Takes a block back.
    ///
    /// # Safety
    /// The block is at least as long as its class, came from here, and nobody uses it any more.
    unsafe fn put_back(&mut self, block: *mut u8, class: usize) {
        let size = size_of(class);
        // The last of the chunk is cut off again, and may become something else.
        if block.wrapping_add(size) == self.next {
            self.next = block;
            self.left += size;
            return;
        }
        // SAFETY: the shortest block has room for an address, and is aligned to more than one.
        unsafe { block.cast::<*mut u8>().write(self.returned[class]) };
        self.returned[class] = block;
    }

    /// Lets the block that was taken last grow where it stands, as a buffer does while it is filled; false if it is another one, there is no
    /// room, or one of that size waits. That one has to be used: who always grew into what is new would take more with every buffer.
    fn extend_last(&mut self, block: *mut u8, old: usize, new: usize) -> bool {
        let more = size_of(new) - size_of(old);
        let is_last = block.wrapping_add(size_of(old)) == self.next && more <= self.left;
        let grows = is_last && self.returned[new].is_null();
        if grows {
            self.next = self.next.wrapping_add(more);
            self.left -= more;
        }
        grows
    }
}

impl Arena {
    /// Gives an arena of which nothing is used. It is all zeros: a program need not bring it along.
    #[expect(clippy::large_stack_arrays, reason = "a constant for a static, never on a stack")]
    pub const fn new() -> Self {
        Self { rooms: [const { Room::new() }; ROOMS], first: UnsafeCell::new([0; FIRST / GRAIN]) }
    }

    /// Takes a block of a class, from the room where this thread was last, or the next in which nobody is.
    fn take(&self, class: usize) -> *mut u8 {
        let mut at = ROOM.get();
        let mut patience = Patience::default();
        while !self.rooms[at].is_entered() {
            at = (at + 1) % ROOMS;
            ROOM.set(at);
            patience.wear();
        }
        // SAFETY: the shelves are those of this room, and the chunk is this arena's own.
        self.rooms[at].leave_after(|shelves| unsafe { shelves.take(class, at, self.first.get().cast()) })
    }

    /// Does something with the shelves that a block is from.
    ///
    /// # Safety
    /// The block is of a class, and from here.
    unsafe fn with_home<T>(&self, block: *mut u8, act: impl FnOnce(&mut Shelves) -> T) -> T {
        let is_first = block.addr().wrapping_sub(self.first.get().addr()) < FIRST;
        // SAFETY: what is not from the first chunk is from one of the system's.
        let at = if is_first { 0 } else { unsafe { room_of(block) } };
        let mut patience = Patience::default();
        while !self.rooms[at].is_entered() {
            patience.wear();
        }
        self.rooms[at].leave_after(act)
    }
}

/// Gives the beginning of the chunk from the system that a block is from.
fn chunk_of(block: *mut u8) -> *mut u8 {
    block.map_addr(|address| address & !(FURTHER - 1))
}

/// Gives the number of the room that a block is from.
///
/// # Safety
/// It is from a chunk of the system's: these are aligned to their size, and begin with the number.
#[expect(clippy::cast_ptr_alignment, reason = "a chunk is aligned to more than a number")]
unsafe fn room_of(block: *mut u8) -> usize {
    // SAFETY: the caller's promise.
    unsafe { chunk_of(block).cast::<usize>().read() }
}

/// Waits for others, who take nanoseconds: so it turns in circles, and gives way only where they were interrupted.
#[derive(Default)]
struct Patience(u32);

impl Patience {
    fn wear(&mut self) {
        self.0 += 1;
        if self.0.is_multiple_of(256) {
            std::thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
    }
}

impl Room {
    const fn new() -> Self {
        let none = std::ptr::null_mut();
        let shelves =
            Shelves { returned: [none; CLASSES], next: none, left: 0, ready: none, has_begun: false };
        Self { is_taken: AtomicBool::new(false), shelves: UnsafeCell::new(shelves) }
    }

    /// Enters the room, unless somebody is in it.
    fn is_entered(&self) -> bool {
        self.is_taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Does something with the shelves of this room, which was entered, and leaves it.
    fn leave_after<T>(&self, act: impl FnOnce(&mut Shelves) -> T) -> T {
        // SAFETY: the room is ours until it is left; `act` neither panics nor allocates.
        let done = act(unsafe { &mut *self.shelves.get() });
        self.is_taken.store(false, Ordering::Release);
        done
    }
}

impl Default for Arena {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: blocks of a class are as long and as aligned as any layout of it, do not overlap, and stay where they are until they are given
// back; every other layout is the system's, by the same function each time.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match class_of(layout) {
            Some(class) => self.take(class),
            // SAFETY: the caller's promises about the layout are passed on.
            None => unsafe { System.alloc(layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if class_of(layout).is_none() {
            // SAFETY: as above. Fresh pages are zero already, and the system knows which are.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: as above.
        let block = unsafe { self.alloc(layout) };
        if !block.is_null() {
            // SAFETY: the block is as long as the layout.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match class_of(layout) {
            // SAFETY: by the caller's promise it was made with this layout, hence from this class or a longer block.
            Some(class) => unsafe { self.with_home(block, |shelves| shelves.put_back(block, class)) },
            // SAFETY: as it was made.
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the size is not zero and does not overflow with this alignment, by the caller's promise.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (class_of(layout), class_of(wanted)) {
            // SAFETY: the system made it, and the system keeps it.
            (None, None) => return unsafe { System.realloc(block, layout, size) },
            (Some(old), Some(new)) if new == old => return block,
            (Some(old), Some(new))
                if new > old
                    // SAFETY: it was made with this layout, hence here.
                    && unsafe { self.with_home(block, |shelves| shelves.extend_last(block, old, new)) } =>
            {
                return block;
            }
            _ => {}
        }
        // SAFETY: the layout is a valid one.
        let moved = unsafe { self.alloc(wanted) };
        if !moved.is_null() {
            // SAFETY: both blocks are at least that long, and they do not overlap; the old one is not used after this.
            unsafe {
                std::ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
                self.dealloc(block, layout);
            }
        }
        moved
    }
}
