//! The memory behind the desk: what sessions learnt, beside what the knowledge base holds.
//!
//! Most connections never ask for it, and a server has to be there within milliseconds. So it is opened with the first question, and stays
//! open from then on. Before each question it reads what the log and the files have gained, within a budget and as far as nobody else holds
//! the index up: an answer that lacks the last second is better than none, and says so.
//!
//! Only a large base that the index does not have yet takes longer than anybody should wait. Its files are brought there ahead of the first
//! question ([`Recollection::read_ahead`]), through a connection of their own. A question that comes meanwhile waits for a moment, does not do
//! the same work once more, and says what it could not search.

use std::cell::OnceCell;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use custos_index::{Budget, User};
use custos_knowledge::base::Stack;
use custos_knowledge::{Base, Cause, Refusal, View};
use custos_recall::{Places, Policy, RecallError, Store};

/// Opens the memory.
pub type Opener = Box<dyn Fn() -> Result<Store, RecallError> + Send + Sync>;

/// How long a question waits for the log to be read, and then for the files.
const CATCH_UP: Duration = Duration::from_secs(1);
const REFRESH: Duration = Duration::from_millis(100);

/// How many files a question can bring into the index by itself without anybody noticing.
const FEW: usize = 64;
/// How long files are read ahead: longer than any base takes.
const AHEAD: Duration = Duration::from_secs(30);

/// The memory, opened or not.
pub(crate) struct Recollection {
    open: Opener,
    store: Mutex<Option<Store>>,
    ahead: Ahead,
}

/// Whether files are being read ahead.
#[derive(Debug, Default)]
struct Ahead {
    is_reading: Mutex<bool>,
    done: Condvar,
}

/// Says that files are being read ahead, until it is dropped.
struct Reading<'a>(&'a Ahead);

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.0.set(false);
        self.0.done.notify_all();
    }
}

impl Ahead {
    fn begin(&self) -> Reading<'_> {
        self.set(true);
        Reading(self)
    }

    fn set(&self, is_reading: bool) {
        *self.is_reading.lock().unwrap_or_else(PoisonError::into_inner) = is_reading;
    }

    /// Waits for it to be done, but not for longer than this; says whether it is.
    fn is_done_within(&self, patience: Duration) -> bool {
        let is_reading = self.is_reading.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.done.wait_timeout_while(is_reading, patience, |is_reading| *is_reading);
        !*waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Recollection {
    pub(crate) fn new(open: Opener) -> Self {
        Self { open, store: Mutex::default(), ahead: Ahead::default() }
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
        let log = Budget { limit: CATCH_UP, elapsed: &|| begun.elapsed() };
        // By a clock of its own, which begins when somebody looks at it: the log may have taken no time at all.
        let begun = OnceCell::new();
        let limit = if self.ahead.is_done_within(REFRESH) { REFRESH } else { Duration::ZERO };
        let files = Budget { limit, elapsed: &|| begun.get_or_init(Instant::now).elapsed() };
        store.keep_up(base, log, files).map_err(|error| unavailable(&error))?;
        let answer = question(&mut store);
        *kept = Some(store);
        answer
    }

    /// Brings the files of a large base into the index before anybody asks. What fails here fails the question as well, which says why.
    pub(crate) fn read_ahead(&self, base: &Base, view: &View, places: &Places) {
        let count = |stack: &Arc<Stack>| stack.decisions.count(&stack.store) + stack.count_memories();
        if view.stacks.iter().map(count).sum::<usize>() <= FEW {
            return;
        }
        let _reading = self.ahead.begin();
        // Nobody asks for meanings here: an embedder may be far away.
        if let Ok(mut store) = Store::open(places, User::Worker, None, Policy::DEFAULT) {
            let begun = Instant::now();
            let budget = Budget { limit: AHEAD, elapsed: &|| begun.elapsed() };
            let _: Result<_, RecallError> = store.refresh_knowledge(base, Some(budget));
        }
    }
}

/// Says that the memory cannot be asked.
pub(crate) fn unavailable(error: &RecallError) -> Refusal {
    Refusal::new(
        format!("the memory cannot be read: {error}"),
        "`custos doctor` says what to do; `decisions` and `memories` work without it",
    )
    .because(Cause::System)
}
