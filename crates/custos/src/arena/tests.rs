//! What is handed out is nobody else's, keeps what is written to it, and is used again.

use super::*;

#[test]
fn a_class_holds_what_is_rounded_up_to_it_and_wastes_a_fifth_at_most() {
    let mut before = 0;
    for size in 1..=LARGEST {
        let class = class_of(Layout::from_size_align(size, 8).unwrap()).unwrap();
        let rounded = size_of(class);
        assert!(rounded >= size && rounded.is_multiple_of(GRAIN) && class < CLASSES, "{size}");
        assert!(rounded - size < GRAIN || rounded * 4 <= size * 5 + 4, "{size} becomes {rounded}");
        assert!(class == before || class == before + 1, "classes follow each other: {size}");
        before = class;
    }
    assert_eq!((before + 1, size_of(before)), (CLASSES, LARGEST));
}

#[test]
fn what_is_large_or_wants_to_lie_far_apart_is_the_systems() {
    for (size, align) in [(LARGEST + 1, 8), (64, 32), (1, 4096)] {
        assert_eq!(class_of(Layout::from_size_align(size, align).unwrap()), None, "{size} {align}");
    }
}

/// Numbers that look like chance, the same each time.
fn chances(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    }
}

/// Allocates, grows, shrinks and gives back at random; every block must keep what was written to it.
fn exercise(arena: &Arena, seed: u64, steps: usize) {
    let mut chance = chances(seed);
    let mut held: Vec<(*mut u8, Layout, u8)> = Vec::new();
    let fill = |block: *mut u8, layout: Layout, mark: u8| {
        assert!(!block.is_null() && (block as usize).is_multiple_of(layout.align()));
        // SAFETY: the block is as long as its layout.
        unsafe { block.write_bytes(mark, layout.size()) };
    };
    let is_kept = |block: *mut u8, size: usize, mark: u8| {
        // SAFETY: the block is at least that long, and written.
        unsafe { std::slice::from_raw_parts(block, size) }.iter().all(|byte| *byte == mark)
    };
    for step in 0..steps {
        let mark = u8::try_from(step % 251).unwrap();
        let most = [40, 400, 4_000, 100_000][chance(4)];
        let size = 1 + chance(most);
        match chance(3) {
            0 => {
                let layout = Layout::from_size_align(size, 1 << chance(6)).unwrap();
                // SAFETY: the size is not zero.
                let block = unsafe { arena.alloc(layout) };
                fill(block, layout, mark);
                held.push((block, layout, mark));
            }
            1 if !held.is_empty() => {
                let (block, layout, old) = held.swap_remove(chance(held.len()));
                // SAFETY: it was made with this layout, and is not used again under its old address.
                let moved = unsafe { arena.realloc(block, layout, size) };
                assert!(is_kept(moved, size.min(layout.size()), old));
                let layout = Layout::from_size_align(size, layout.align()).unwrap();
                fill(moved, layout, mark);
                held.push((moved, layout, mark));
            }
            _ if !held.is_empty() => {
                let (block, layout, mark) = held.swap_remove(chance(held.len()));
                assert!(is_kept(block, layout.size(), mark));
                // SAFETY: it was made with this layout, and is not used again.
                unsafe { arena.dealloc(block, layout) };
            }
            _ => {}
        }
    }
    for (block, layout, mark) in held {
        assert!(is_kept(block, layout.size(), mark));
        // SAFETY: as above.
        unsafe { arena.dealloc(block, layout) };
    }
}

#[test]
fn blocks_keep_what_is_written_to_them() {
    let arena = Box::new(Arena::new());
    for seed in 0..20 {
        exercise(&arena, seed, 5_000);
    }
}

#[test]
fn blocks_of_several_threads_never_overlap() {
    let arena = Box::new(Arena::new());
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let arena = &arena;
            scope.spawn(move || exercise(arena, 100 + seed, 20_000));
        }
    });
}

#[test]
fn what_was_given_back_is_given_out_again_and_the_last_block_grows_where_it_stands() {
    let arena = Box::new(Arena::new());
    let layout = |size| Layout::from_size_align(size, 8).unwrap();
    // SAFETY: sizes are not zero, and every block is used with the layout that it has.
    unsafe {
        let first = arena.alloc(layout(100));
        arena.dealloc(first, layout(100));
        assert_eq!(arena.alloc(layout(110)), first);
        let last = arena.alloc(layout(1_000));
        assert_eq!(arena.realloc(last, layout(1_000), 20_000), last);
        assert_ne!(arena.realloc(first, layout(110), 1_000), first);
    }
}

#[test]
fn what_grows_again_and_again_grows_into_what_was_given_back() {
    let arena = Box::new(Arena::new());
    let layout = |size| Layout::from_size_align(size, 8).unwrap();
    let mut places = std::collections::BTreeSet::new();
    // A server does that: of each call something small stays, and a long list goes.
    for round in 0..1_000 {
        // SAFETY: sizes are not zero, and every block is used with the layout that it has.
        unsafe {
            let mut list = arena.alloc(layout(64));
            for doubling in 6..15 {
                list = arena.realloc(list, layout(1 << doubling), 2 << doubling);
                if doubling == 6 + round % 9 {
                    arena.alloc(layout(64));
                }
            }
            places.insert(list.addr());
            arena.dealloc(list, layout(32 << 10));
        }
    }
    assert!(places.len() < 12, "{} different places", places.len());
}

#[test]
fn what_one_makes_and_another_drops_is_there_for_the_next() {
    let arena = Box::new(Arena::new());
    let layout = |size| Layout::from_size_align(size, 8).unwrap();
    let mut places = std::collections::BTreeSet::new();
    for _ in 0..20_000 {
        // SAFETY: sizes are not zero, and every block is used with the layout that it has, and given back once.
        unsafe {
            ROOM.set(1);
            // Something that is as large as it will be only in the end, and something that is gone at once.
            let grown = arena.realloc(arena.alloc(layout(64)), layout(64), 1_024);
            let passing = arena.alloc(layout(5_000));
            arena.dealloc(passing, layout(5_000));
            ROOM.set(2);
            arena.dealloc(grown, layout(1_024));
            places.extend([grown.addr(), passing.addr()]);
        }
    }
    ROOM.set(0);
    assert!(places.len() < 10, "{} different places", places.len());
}

#[test]
fn threads_that_meet_go_to_different_rooms() {
    let arena = Box::new(Arena::new());
    let layout = Layout::from_size_align(100, 8).unwrap();
    // SAFETY: the size is not zero.
    let take = || unsafe { arena.alloc(layout) };
    let (one, before) = (take(), ROOM.get());
    assert!(arena.rooms[before].is_entered());
    let (two, after) = (take(), ROOM.get());
    arena.rooms[before].leave_after(|_| ());
    ROOM.set(0);
    assert_ne!(before, after);
    assert_ne!(chunk_of(one), chunk_of(two));
    // SAFETY: it is not the first chunk's, which is only the first room's.
    assert_eq!(unsafe { room_of(two) }, after);
}

#[test]
fn a_new_arena_is_all_zeros() {
    let arena = Box::new(Arena::new());
    // SAFETY: it is as long as that; of its padding nothing is said, so that only its rooms are looked at.
    let is_bare = |room: &Room| {
        room.leave_after(|shelves| {
            let Shelves { returned, next, left, ready, has_begun } = shelves;
            returned.iter().chain([&*next, &*ready]).all(|place| place.is_null()) && *left == 0 && !*has_begun
        })
    };
    assert!(arena.rooms.iter().all(is_bare));
}

#[test]
fn zeroed_means_zeroed_for_a_block_that_was_used_before() {
    let arena = Box::new(Arena::new());
    let layout = Layout::from_size_align(300, 8).unwrap();
    // SAFETY: as above.
    unsafe {
        let block = arena.alloc(layout);
        block.write_bytes(7, 300);
        arena.dealloc(block, layout);
        let again = arena.alloc_zeroed(layout);
        assert_eq!(again, block);
        assert_eq!(std::slice::from_raw_parts(again, 300), [0; 300]);
    }
}
