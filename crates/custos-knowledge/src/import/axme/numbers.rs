//! The numbers that are given out, so that none is given twice.
//!
//! A number is free if no file has it and none had it: `local/ids` remembers the highest that was given out here, and what is not above it may
//! be the number of something that was removed. But a tree is often carried over in several goes: an import is cut short, or a file is mended
//! and comes with the next. So `local/ids-axme` remembers which numbers trees came with. In between, only an import has given any out, and an
//! item that comes later still gets its own:
//!
//! ```text
//! D 1-120
//! ```

use std::collections::HashSet;

use crate::counter;
use crate::store::{Store, StoreError, Writing};

/// Where it is remembered with which numbers trees came.
const BROUGHT: &str = "local/ids-axme";
/// Beyond this, somebody made a number up, and nobody counts on from there.
const HIGHEST: u32 = 99_999_999;

/// The numbers of one kind.
#[derive(Debug)]
pub(super) struct Numbers {
    letter: char,
    taken: HashSet<u32>,
    last: u32,
    /// The highest that was given out before, also to what is gone.
    noted: u32,
    /// Those that trees came with before.
    brought: Vec<(u32, u32)>,
    /// The highest that this tree came with.
    own: u32,
    /// The highest that is given out now.
    given: u32,
}

/// What is to be remembered of the numbers that were given out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Given {
    letter: char,
    noted: u32,
    own: u32,
    highest: u32,
}

impl Numbers {
    /// Counts the numbers that a store has given out, of which its files have `there`.
    pub(super) fn of(store: &Store, letter: char, there: impl Iterator<Item = u32>) -> Self {
        let taken: HashSet<u32> = there.collect();
        let highest = taken.iter().copied().filter(|number| *number <= HIGHEST).max().unwrap_or(0);
        let noted = counter::noted(store, letter, highest);
        let brought = store.read(BROUGHT).ok().flatten().unwrap_or_default();
        Self {
            letter,
            taken,
            last: highest.max(noted),
            noted,
            brought: brought.lines().filter_map(|line| span(line, letter)).collect(),
            own: 0,
            given: 0,
        }
    }

    /// Counts in a number that the tree came with: none below it is given out anew.
    pub(super) fn came_with(&mut self, number: u32) {
        if number <= HIGHEST {
            self.own = self.own.max(number);
            self.last = self.last.max(number);
        }
    }

    /// Says whether a number is free, and takes it.
    pub(super) fn claim(&mut self, number: u32) -> bool {
        let was_brought = self.brought.iter().any(|(first, last)| (*first..=*last).contains(&number));
        (number > self.noted || was_brought) && self.take(number)
    }

    /// Gives out the next number.
    pub(super) fn next(&mut self) -> u32 {
        loop {
            self.last += 1;
            if self.take(self.last) {
                return self.last;
            }
        }
    }

    fn take(&mut self, number: u32) -> bool {
        let is_free = self.taken.insert(number);
        if is_free && number <= HIGHEST {
            self.given = self.given.max(number);
        }
        is_free
    }

    /// Says what is to be remembered, if anything was given out.
    pub(super) fn given(&self) -> Option<Given> {
        let Self { letter, noted, own, given: highest, .. } = *self;
        (highest > 0).then_some(Given { letter, noted, own, highest })
    }
}

impl Given {
    /// The first and the last of the numbers that the tree came with, as far as none of them was given out here.
    pub(super) fn span(&self) -> [String; 2] {
        [self.noted + 1, self.own].map(|number| format!("{}-{number:03}", self.letter))
    }
}

/// Gives the numbers that trees came with and that are still to be given out: nobody else is to get them.
pub(super) fn awaited(given: &[Given]) -> Vec<Given> {
    let ours = given.iter().filter(|given| given.own > given.noted);
    let mut awaited: Vec<Given> = ours.map(|given| Given { highest: given.own, ..*given }).collect();
    // Of several trees the one that came with the most.
    awaited.sort_by_key(|given| (given.letter, std::cmp::Reverse(given.own)));
    awaited.dedup_by_key(|given| given.letter);
    awaited
}

/// Remembers what is about to be given out, before anything has it. Where that cannot be written the files have to do.
pub(super) fn remember(writing: &Writing<'_>, numbers: &Given) {
    let Given { letter, noted, own, highest } = *numbers;
    counter::note(writing, letter, Some(highest));
    if own > noted {
        let line = format!("{letter} {}-{own}\n", noted + 1);
        let _: Result<(), StoreError> = writing.revise(BROUGHT, |text| format!("{text}{line}"));
    }
}

/// Reads a line like `D 1-120`.
fn span(line: &str, letter: char) -> Option<(u32, u32)> {
    let (first, last) = line.strip_prefix(letter)?.strip_prefix(' ')?.trim().split_once('-')?;
    Some((first.parse().ok()?, last.parse().ok()?))
}
