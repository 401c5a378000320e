//! A child and all that it starts are one process group.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};

use rustix::process::{Pid, Signal, kill_process_group};

/// Gives the child a group of its own.
pub(super) fn set_apart(command: &mut Command) {
    command.process_group(0);
}

/// Ends the child's group. It must not have been waited for.
pub(super) fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}
