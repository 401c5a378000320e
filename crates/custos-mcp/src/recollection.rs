//! The memory behind the desk: what sessions learnt, beside what the knowledge base holds.
//!
//! Most connections never ask for it, and a server has to be there within milliseconds. So it is opened with the first question, and stays
//! open from then on. Before each question it reads what the log and the files have gained, within a budget and as far as nobody else holds
//! the index up: an answer that lacks the last second is better than none, and says so.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use custos_index::Budget;
use custos_knowledge::{Base, Refusal};
use custos_recall::{RecallError, Store};

/// Opens the memory.
pub type Opener = Box<dyn Fn() -> Result<Store, RecallError> + Send + Sync>;

/// How long a question waits for the log to be read, and then for the files.
const CATCH_UP: Duration = Duration::from_secs(1);
const REFRESH: Duration = Duration::from_millis(300);

/// The memory, opened or not.
pub(crate) struct Recollection {
    open: Opener,
    store: Mutex<Option<Store>>,
}

impl Recollection {
    pub(crate) fn new(open: Opener) -> Self {
        Self { open, store: Mutex::default() }
    }

    /// Asks a question of the memory.
    pub(crate) fn ask<T>(
        &self,
        base: &Base,
        question: impl FnOnce(&mut Store) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let mut kept = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        // Taken out meanwhile: should it fall, the next question opens it anew.
        let mut store = match kept.take() {
            Some(store) => store,
            None => (self.open)().map_err(|error| unavailable(&error))?,
        };
        let begun = Instant::now();
        let elapsed = || begun.elapsed();
        let until = |limit| Budget { limit, elapsed: &elapsed };
        store
            .keep_up(base, until(CATCH_UP), until(CATCH_UP + REFRESH))
            .map_err(|error| unavailable(&error))?;
        let answer = question(&mut store);
        *kept = Some(store);
        answer
    }
}

/// Says that the memory cannot be asked.
pub(crate) fn unavailable(error: &RecallError) -> Refusal {
    Refusal::new(
        format!("the memory cannot be read: {error}"),
        "`custos doctor` says what to do; `decisions` and `memories` work without it",
    )
}
