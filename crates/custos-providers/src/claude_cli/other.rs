//! Where there are no process groups, the child alone is ended; what it started sees its pipes close.

use std::process::{Child, Command};

/// Leaves the child as it is.
pub(super) fn set_apart(_command: &mut Command) {}

/// Ends the child.
pub(super) fn end(child: &mut Child) {
    let _ = child.kill();
}
