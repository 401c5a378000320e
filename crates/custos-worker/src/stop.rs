//! Being asked to end.
//!
//! A signal only raises a flag, and whatever waits looks at it several times a second. What was begun is ended: an append is never cut, a
//! question to a model gets a few seconds more and is then given up; its work waits for the next worker.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(unix)]
#[path = "stop/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "stop/windows.rs"]
mod platform;

/// Says whether somebody asked this process to end.
#[derive(Clone)]
pub struct Stop {
    flag: Flag,
    also: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

#[derive(Debug, Clone)]
enum Flag {
    Signals(&'static AtomicBool),
    Shared(Arc<AtomicBool>),
}

static SIGNALLED: AtomicBool = AtomicBool::new(false);

impl Stop {
    /// Listens to the signals that end a process: SIGTERM and SIGINT. On Windows nobody sends any.
    pub fn on_signals() -> Self {
        platform::listen();
        Self { flag: Flag::Signals(&SIGNALLED), also: None }
    }

    /// Listens to a flag.
    pub fn when(flag: Arc<AtomicBool>) -> Self {
        Self { flag: Flag::Shared(flag), also: None }
    }

    /// Also counts it as asked for when something holds, such as that the settings are others by now.
    #[must_use]
    pub fn or_when(self, holds: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { also: Some(Arc::new(holds)), ..self }
    }

    /// Says whether somebody asked.
    pub fn is_asked(&self) -> bool {
        self.is_signalled() || self.also.as_ref().is_some_and(|holds| holds())
    }

    /// Says whether somebody asked by the flag itself, and not by what else counts.
    pub fn is_signalled(&self) -> bool {
        match &self.flag {
            Flag::Signals(flag) => flag.load(Ordering::Relaxed),
            Flag::Shared(flag) => flag.load(Ordering::Relaxed),
        }
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stop").field("flag", &self.flag).finish_non_exhaustive()
    }
}
