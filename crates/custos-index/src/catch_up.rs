//! Catching up with the log.
//!
//! Any number of processes may do it at once: batches are prepared without a lock and stored only if the cursor still stands where
//! they begin. Whoever comes second looks where the cursor is now and goes on from there, so together they do the work once.
//!
//! When there is much to do, a second thread reads and analyses while this one stores; each is about half of the work.

use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use custos_log::LogReader;

use crate::apply::{Applied, apply, marks, renamed};
use crate::backlog::{Backlog, Batch, BatchSize, Next, is_behind};
use crate::error::IndexError;
use crate::store::Index;

/// How long a catch-up may take. What is left is left to the next one.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// The time that may pass.
    pub limit: Duration,
    /// Tells the time that has passed since the caller began to count.
    pub elapsed: &'a dyn Fn() -> Duration,
}

impl Budget<'_> {
    fn is_spent(&self) -> bool {
        (self.elapsed)() >= self.limit
    }
}

/// How far a catch-up is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Events stored so far.
    pub events: u64,
    /// Bytes of the log read so far.
    pub bytes: u64,
    /// Bytes that were to be read when it began.
    pub total_bytes: u64,
}

/// What a catch-up came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CatchUp {
    /// Events that were stored. Those that were there already, in another writer's log or before, do not count.
    pub events: u64,
    /// Bytes of the log that were read.
    pub bytes: u64,
    /// Lines that hold no event that could be read. [`Index::problems`] lists them.
    pub problems: u64,
    /// Whether the index has now read the whole log.
    pub complete: bool,
    /// Whether the index was made anew: it was damaged, or the log is not the one that it was made from.
    pub rebuilt: bool,
}

impl CatchUp {
    fn add(&mut self, applied: Applied, bytes: u64) {
        self.events += applied.events;
        self.problems += applied.problems;
        self.bytes += bytes;
    }
}

/// How a run over the backlog ended.
enum Run {
    Complete,
    OutOfTime,
    /// Another process stored something in between: look again where the cursors are.
    Overtaken,
    /// The log is not the one that the index was made from.
    Rewound,
}

impl Index {
    /// Reads what the log has gained since the last time.
    ///
    /// With a budget, it stops soon after the budget is spent, and leaves a rebuild that has become necessary to somebody who has
    /// time. Without one, it ends only when everything is read.
    pub fn catch_up(
        &mut self,
        log: &LogReader,
        budget: Option<Budget<'_>>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<CatchUp, IndexError> {
        let mut result = CatchUp::default();
        let mut damages = 0;
        loop {
            match self.run(log, budget, &mut result, progress) {
                Ok(Run::Complete) => {
                    result.complete = true;
                    break;
                }
                Ok(Run::OutOfTime) => break,
                Ok(Run::Overtaken) => {}
                Ok(Run::Rewound) if budget.is_some() => break,
                Ok(Run::Rewound) => {
                    result = self.rebuild(log, progress)?;
                    break;
                }
                // Already replaced by an empty file. A disk on which that happens again and again is beyond us.
                Err(IndexError::Damaged) if damages < 3 => {
                    damages += 1;
                    result = CatchUp::default();
                }
                Err(error) => return Err(error),
            }
        }
        result.rebuilt |= std::mem::take(&mut self.renewed);
        if budget.is_none() {
            self.tidy_up(result.events > 0)?;
        }
        Ok(result)
    }

    fn run(
        &mut self,
        log: &LogReader,
        budget: Option<Budget<'_>>,
        result: &mut CatchUp,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Run, IndexError> {
        let (marks, renamed) =
            self.operate(|connection, _| Ok((marks(connection)?, renamed(connection)?)))?;
        // Where a project has got another name, all rows of the old one have to be made anew: their keys are made of it.
        let is_news = |(was, now): (&String, &String)| renamed.get(was) != Some(now);
        if is_behind(log, &marks)? || log.renamed().iter().any(is_news) {
            return Ok(Run::Rewound);
        }
        // Another process may know of more than this one, and has told the index.
        let mut backlog = Backlog::new(&log.clone().calling(renamed), &marks)?;
        if let Some(budget) = budget {
            return self.run_within(budget, &mut backlog, result);
        }
        let total_bytes = result.bytes + backlog.bytes()?;
        let mut store = |index: &mut Self, batch: &Batch| -> Result<bool, IndexError> {
            let Some(applied) = index.write(|connection, _| apply(connection, batch))? else {
                return Ok(false);
            };
            result.add(applied, batch.bytes);
            progress(Progress { events: result.events, bytes: result.bytes, total_bytes });
            Ok(true)
        };
        match backlog.next(BatchSize::LARGE, &mut || false)? {
            Next::End => return Ok(Run::Complete),
            Next::Rewound => return Ok(Run::Rewound),
            Next::Batch(batch) => {
                if !store(self, &batch)? {
                    return Ok(Run::Overtaken);
                }
            }
        }
        ahead(backlog, |batches| {
            for next in batches {
                match next? {
                    Next::End => break,
                    Next::Rewound => return Ok(Run::Rewound),
                    Next::Batch(batch) => {
                        if !store(self, &batch)? {
                            return Ok(Run::Overtaken);
                        }
                    }
                }
            }
            Ok(Run::Complete)
        })
    }

    fn run_within(
        &mut self,
        budget: Budget<'_>,
        backlog: &mut Backlog,
        result: &mut CatchUp,
    ) -> Result<Run, IndexError> {
        loop {
            // Looked at before it is read, and used after: who has read all of it is not behind, also if that took all the time.
            let is_spent = budget.is_spent();
            match backlog.next(BatchSize::SMALL, &mut || budget.is_spent())? {
                Next::End => return Ok(Run::Complete),
                Next::Rewound => return Ok(Run::Rewound),
                Next::Batch(_) if is_spent => return Ok(Run::OutOfTime),
                Next::Batch(batch) => {
                    let left = budget.limit.saturating_sub((budget.elapsed)());
                    let applied = self.write(|connection, _| {
                        connection.busy_timeout(left)?;
                        let applied = apply(connection, &batch);
                        connection.busy_timeout(crate::store::PATIENCE)?;
                        applied
                    })?;
                    match applied {
                        Some(applied) => result.add(applied, batch.bytes),
                        None => return Ok(Run::Overtaken),
                    }
                }
            }
        }
    }
}

/// Lets a second thread read ahead while `consume` works on what was read.
pub(crate) fn ahead<T>(
    mut backlog: Backlog,
    consume: impl FnOnce(Receiver<Result<Next, IndexError>>) -> Result<T, IndexError>,
) -> Result<T, IndexError> {
    // Two batches: one being prepared, one waiting, while a third is stored. More would only be memory.
    let (sender, receiver) = sync_channel(1);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            loop {
                let next = backlog.next(BatchSize::LARGE, &mut || false);
                let last = !matches!(next, Ok(Next::Batch(_)));
                // Nobody listens any more: the run was overtaken or failed.
                if sender.send(next).is_err() || last {
                    break;
                }
            }
        });
        consume(receiver)
    })
}
