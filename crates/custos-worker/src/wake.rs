//! Waking: a hook starts a worker, and the worker lets go of the hook.
//!
//! A hook has a millisecond for this, and nothing of it may outlive the hook in the hook's name: no handle that the client waits on, no
//! place in its process group, no terminal. So the hook only starts the program, without waiting until it is loaded, with its three
//! streams on nothing; and the worker, before it does anything else, leaves the session, closes what else it inherited and goes to the
//! root directory. The module uses neither log nor index: a hook that wakes must not pay for them.

use std::io;
use std::path::Path;

use crate::claim;

#[cfg(unix)]
#[path = "wake/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "wake/windows.rs"]
mod platform;

/// What came of waking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// A worker runs already; it will see what waits.
    Running,
    /// A worker was started.
    Started,
}

/// Starts a worker for the memory of a state directory, unless one runs. `program` is this program.
pub fn wake(state: &Path, program: &Path) -> io::Result<Woken> {
    if claim::is_held(state)? {
        return Ok(Woken::Running);
    }
    // Nobody waits for it: the hook ends at once, and whoever is first among all processes takes its place as the parent.
    platform::start(program)?;
    Ok(Woken::Started)
}

/// Lets go of whoever started this process. The first thing that a worker does: later, it would close what it has opened itself.
pub fn let_go() {
    platform::let_go();
}
