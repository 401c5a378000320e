//! Being asked to end.
//!
//! A signal only raises a flag, and whatever waits looks at it several times a second. What was begun is ended: an append is never cut, a
//! question to a model gets a few seconds more and is then given up; its work waits for the next worker.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(unix)]
#[path = "stop/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "stop/windows.rs"]
mod platform;

/// Says whether somebody asked this process to end.
#[derive(Debug, Clone)]
pub struct Stop(Flag);

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
        Self(Flag::Signals(&SIGNALLED))
    }

    /// Listens to a flag.
    pub fn when(flag: Arc<AtomicBool>) -> Self {
        Self(Flag::Shared(flag))
    }

    /// Says whether somebody asked.
    pub fn is_asked(&self) -> bool {
        match &self.0 {
            Flag::Signals(flag) => flag.load(Ordering::Relaxed),
            Flag::Shared(flag) => flag.load(Ordering::Relaxed),
        }
    }
}
