//! The store that stays locked from one thing to the next.
//!
//! What is done together mostly goes into one store. It is locked once, and the numbers that were given out under that lock need not be looked
//! for again. Others get their turn when it takes long, when another store is wanted, and when all is done; whatever was written has its name by
//! then, so that they find it.

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Doing, Together};
use crate::lock;
use crate::store::{Store, Writing};

/// Whoever wants to change a store that has been locked for so long lets others have their turn first. Who does something else that may take
/// long lets go of it before ([`Base::let_go`](crate::base::Base::let_go)).
pub(super) const LONGEST_HOLD: Duration =
    if cfg!(test) { Duration::from_secs(30) } else { Duration::from_millis(100) };

/// A store that stays locked.
#[derive(Debug)]
pub(super) struct Held {
    store: Store,
    lock: Arc<File>,
    pub(super) since: Instant,
    /// The highest numbers that were given out since, by letter: whoever wants the next need not look for them.
    given: BTreeMap<char, u32>,
}

impl Held {
    /// Says whether others still find the lock where it was: the directory may have been taken away with it.
    fn is_there(&self) -> bool {
        lock::is_named(&self.lock, &self.store.lock_path())
    }
}

impl Together {
    /// Says whether another store than this is still locked, or this one for too long.
    pub(super) fn leaves(&self, store: &Store) -> bool {
        let doing = self.doing();
        let held = doing.as_ref().and_then(|doing| doing.held.as_ref());
        held.is_some_and(|held| held.store != *store || held.since.elapsed() >= LONGEST_HOLD)
    }

    /// Is told that a number was given out.
    pub(crate) fn give(&self, store: &Store, letter: char, number: u32) {
        let mut doing = self.doing();
        let held = doing.as_mut().and_then(|doing| doing.held.as_mut());
        if let Some(held) = held.filter(|held| held.store == *store) {
            let given = held.given.entry(letter).or_default();
            *given = number.max(*given);
        }
    }

    /// The highest number of a letter that was given out since the store was locked.
    pub(crate) fn given(&self, store: &Store, letter: char) -> Option<u32> {
        let doing = self.doing();
        let held = doing.as_ref()?.held.as_ref().filter(|held| held.store == *store)?;
        held.given.get(&letter).copied()
    }

    /// Gives the right to change a store that is still locked from what was done before.
    pub(crate) fn held<'a>(&'a self, store: &'a Store) -> Option<Writing<'a>> {
        let held = self.doing().as_mut()?.held.take()?;
        let (is_same, is_long) = (held.store == *store, held.since.elapsed() >= LONGEST_HOLD);
        if is_same && !is_long && held.is_there() {
            let lock = Arc::clone(&held.lock);
            self.doing().as_mut()?.held = Some(held);
            return Some(Writing::held(store, lock).within(self));
        }
        // Whoever comes next has to see what was done.
        self.publish();
        drop(held);
        if is_same && is_long {
            lock::let_others();
        }
        None
    }

    /// Keeps a store locked that was locked just now, if anything is done together.
    pub(crate) fn hold(&self, writing: &Writing<'_>) {
        if let Some(doing) = &mut *self.doing() {
            let (store, lock) = (writing.store().clone(), writing.lock());
            doing.held = Some(Held { store, lock, since: Instant::now(), given: BTreeMap::new() });
        }
    }

    /// How long to wait for a store: what is done together waits once for each.
    pub(crate) fn patience(&self, store: &Store) -> Duration {
        let is_given_up = |doing: &Doing| doing.given_up.contains(&store.dir);
        if self.doing().as_ref().is_some_and(is_given_up) { Duration::ZERO } else { self.patience }
    }

    /// Remembers that a store was waited for in vain.
    pub(crate) fn give_up_on(&self, store: &Store) {
        if let Some(doing) = &mut *self.doing() {
            doing.given_up.insert(store.dir.clone());
        }
    }

    /// Ends the lock of a store that is still locked from what was done before.
    pub(super) fn release(&self) {
        drop(self.doing().as_mut().and_then(|doing| doing.held.take()));
    }
}
