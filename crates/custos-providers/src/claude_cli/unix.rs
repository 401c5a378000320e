//! A child and all that it starts are one process group, in a directory that is its owner's alone.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command};

use rustix::process::{Pid, Signal, kill_process_group};

/// Gives the child a group of its own.
pub(super) fn set_apart(command: &mut Command) {
    command.process_group(0);
}

/// Makes a directory that is its owner's alone.
pub(super) fn make_private(directory: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

/// Ends the child's group. It must not have been waited for.
pub(super) fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}
