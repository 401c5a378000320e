//! What one shelf reads for another that keeps something else of the same files.
//!
//! To open a file takes as long as to understand it. So where thousands are read, as after a checkout, they are read once, and what the other
//! shelf would make of them waits here until it asks. It counts for the version that it was made of, like all that was read.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Read;
use crate::directory::Name;

/// Something that was read for another shelf.
#[derive(Debug)]
pub(super) struct Offer<T> {
    pub(super) name: Name,
    pub(super) read: Read<T>,
}

/// What was read for another shelf, which has it too.
#[derive(Debug)]
pub(super) struct Offers<T>(Arc<Mutex<Vec<Offer<T>>>>);

impl<T> Offers<T> {
    /// Says whether there is a shelf to take them.
    pub(super) fn is_wanted(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Offers what was read, in the place of what nobody took: that is read again if somebody asks.
    pub(super) fn make(&self, new: impl Iterator<Item = Offer<T>>) {
        let mut new = new.peekable();
        if new.peek().is_some() {
            *self.offers() = new.collect();
        }
    }

    /// Takes all of them, by the names of their files.
    pub(super) fn take(&self) -> HashMap<Name, Read<T>> {
        let offers = std::mem::take(&mut *self.offers());
        offers.into_iter().map(|Offer { name, read }| (name, read)).collect()
    }

    /// How many there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.offers().len()
    }

    fn offers(&self) -> MutexGuard<'_, Vec<Offer<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Default for Offers<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Clone for Offers<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}
