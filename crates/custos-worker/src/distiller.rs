//! What makes something of a turn.
//!
//! The rules are asked through a trait, so that a test can put in a distiller that fails, and on a thread of their own: a bug in them that
//! panics or never ends costs a piece of work, not the worker.

use std::panic::AssertUnwindSafe;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use custos_distill::{Distilled, Turn, rules};
use custos_model::{Observation, Summary};

/// Makes something of a turn without a model.
pub trait Distil: Send + Sync {
    /// Distils a turn. `before` are the turns before it, oldest first.
    fn turn(&self, turn: &Turn, before: &[Turn]) -> Distilled;

    /// Sums a session up.
    fn session(&self, turns: &[Turn], observations: &[Observation]) -> Option<Summary>;
}

/// The rules, as everybody has them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rules;

impl Distil for Rules {
    fn turn(&self, turn: &Turn, before: &[Turn]) -> Distilled {
        rules::distil(turn, before)
    }

    fn session(&self, turns: &[Turn], observations: &[Observation]) -> Option<Summary> {
        rules::session_summary(turns, observations)
    }
}

/// Runs something that may panic or never end. What does not end goes on until the process ends.
pub(crate) fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let (sender, receiver) = sync_channel(1);
    let started = std::thread::Builder::new().name("distiller".to_owned()).spawn(move || {
        let done = std::panic::catch_unwind(AssertUnwindSafe(work));
        let _ = sender.send(done);
    });
    started.map_err(|error| format!("no thread could be started: {error}"))?;
    match receiver.recv_timeout(limit) {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(panic)) => {
            let message = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
            Err(format!(
                "the rules failed: {}",
                message.unwrap_or_else(|| "a panic without words".to_owned())
            ))
        }
        Err(RecvTimeoutError::Timeout) => Err(format!("the rules took longer than {} s", limit.as_secs())),
        Err(RecvTimeoutError::Disconnected) => Err("the rules ended without a result".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_panics_or_never_ends_is_a_failure_and_no_end() {
        let patient = Duration::from_mins(1);
        assert_eq!(within(patient, || 7), Ok(7));
        assert_eq!(within::<()>(patient, || panic!("no {}", 3)), Err("the rules failed: no 3".to_owned()));
        let endless = move || std::thread::park_timeout(patient);
        assert_eq!(
            within(Duration::from_millis(20), endless),
            Err("the rules took longer than 0 s".to_owned())
        );
    }
}
