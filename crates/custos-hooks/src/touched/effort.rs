//! Counts the bytes and table entries that are looked at, in tests only: linear time is a promise, and a clock is a
//! poor witness.

/// Notes that `looks` bytes or entries were looked at.
#[cfg(not(test))]
pub(super) const fn spend(_looks: usize) {}

#[cfg(test)]
pub(super) use counting::{spend, spent};

#[cfg(test)]
mod counting {
    use std::cell::Cell;

    thread_local! {
        static SPENT: Cell<usize> = const { Cell::new(0) };
    }

    pub(crate) fn spend(looks: usize) {
        SPENT.with(|spent| spent.set(spent.get() + looks));
    }

    /// Returns the looks taken while `work` ran on this thread.
    pub(crate) fn spent(work: impl FnOnce()) -> usize {
        let before = SPENT.with(Cell::get);
        work();
        SPENT.with(Cell::get) - before
    }
}
