//! Counts the bytes that matchers look at, in tests only: linear time is a promise, and a clock is a poor witness.

/// Notes that `bytes` bytes were looked at.
#[cfg(not(test))]
pub(crate) const fn spend(_bytes: usize) {}

#[cfg(test)]
pub(crate) use counting::{spend, spent};

#[cfg(test)]
mod counting {
    use std::cell::Cell;

    thread_local! {
        static SPENT: Cell<usize> = const { Cell::new(0) };
    }

    pub(crate) fn spend(bytes: usize) {
        SPENT.with(|spent| spent.set(spent.get() + bytes));
    }

    /// Returns the bytes looked at while `work` ran on this thread.
    pub(crate) fn spent(work: impl FnOnce()) -> usize {
        let before = SPENT.with(Cell::get);
        work();
        SPENT.with(Cell::get) - before
    }
}
