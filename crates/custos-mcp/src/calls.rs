//! Whether anybody is waiting for an answer, for whoever works ahead of questions.
//!
//! A client may ask as soon as the server is there. What is prepared for later questions would then share the processor, the memory and the
//! disk with the one that somebody waits for. So it waits for a pause; but not for ever, for some clients make none.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long nobody asks before that is a pause: clients ask their first questions one right after the other.
const PAUSE: Duration = Duration::from_millis(50);
/// How long a pause is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// The calls of a connection.
#[derive(Debug)]
pub(crate) struct Calls {
    standing: Mutex<Standing>,
    answered: Condvar,
}

#[derive(Debug, Clone, Copy)]
struct Standing {
    answering: usize,
    /// When the last one was answered; before the first, when there began to be somebody to ask.
    answered: Instant,
}

/// A call that is being answered until this is dropped.
pub(crate) struct Answering<'a>(&'a Calls);

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        let mut standing = self.0.standing();
        standing.answering -= 1;
        standing.answered = Instant::now();
        self.0.answered.notify_all();
    }
}

impl Default for Calls {
    fn default() -> Self {
        let standing = Standing { answering: 0, answered: Instant::now() };
        Self { standing: Mutex::new(standing), answered: Condvar::new() }
    }
}

impl Calls {
    /// Notes that somebody waits for an answer.
    pub(crate) fn begin(&self) -> Answering<'_> {
        self.standing().answering += 1;
        Answering(self)
    }

    /// Waits until nobody has asked for a moment.
    pub(crate) fn wait_for_a_pause(&self) {
        let begun = Instant::now();
        let mut standing = self.standing();
        while let Some(patience) = PATIENCE.checked_sub(begun.elapsed()).filter(|left| !left.is_zero()) {
            let left = PAUSE.saturating_sub(standing.answered.elapsed());
            if standing.answering == 0 && left.is_zero() {
                return;
            }
            let wait = if standing.answering == 0 { left.min(patience) } else { patience };
            let waited = self.answered.wait_timeout(standing, wait);
            standing = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first look at a large base, which takes some milliseconds.
///
/// A client asks for the list of tools before it calls one, and may take its time over the list: so that answer waits for the look, and the
/// first call finds it done. But not for ever: on a slow disk the list is the more urgent of the two.
#[derive(Debug, Default)]
pub(crate) struct FirstLook {
    done: Mutex<bool>,
    told: Condvar,
}

/// How long the list of tools waits for the first look. It may take 20 ms in all, of which the start of the program takes two.
const LOOKING: Duration = Duration::from_millis(14);

impl FirstLook {
    /// Notes that everything has been looked at.
    pub(crate) fn end(&self) {
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.told.notify_all();
    }

    /// Waits until everything has been looked at, or it takes too long.
    pub(crate) fn wait(&self) {
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.told.wait_timeout_while(done, LOOKING, |done| !*done));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "nothing happens that could be waited for")]
    fn who_works_ahead_waits_for_the_end_of_a_call_and_a_moment_longer() {
        let calls = Calls::default();
        let is_answered = AtomicBool::new(false);
        let answering = calls.begin();
        thread::scope(|scope| {
            scope.spawn(|| {
                calls.wait_for_a_pause();
                assert!(is_answered.load(Ordering::Acquire));
                assert!(calls.standing().answered.elapsed() >= PAUSE);
            });
            // Longer than a pause: had it not been waited for, the other would be through by now.
            thread::sleep(PAUSE * 3);
            is_answered.store(true, Ordering::Release);
            drop(answering);
        });
    }

    #[test]
    fn the_list_of_tools_waits_for_the_first_look_and_not_without_end() {
        let look = FirstLook::default();
        let begun = Instant::now();
        look.wait();
        assert!(begun.elapsed() >= LOOKING);
        thread::scope(|scope| {
            scope.spawn(|| look.end());
            look.wait();
        });
        assert!(*look.done.lock().unwrap());
    }

    #[test]
    fn nobody_is_waited_for_without_end() {
        let calls = Calls::default();
        let _answering = calls.begin();
        let begun = Instant::now();
        calls.wait_for_a_pause();
        assert!(begun.elapsed() >= PATIENCE);
    }
}
