//! Where there are no process groups, the child alone is ended; what it started sees its pipes close.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Command};

/// Leaves the child as it is.
pub(super) fn set_apart(_command: &mut Command) {}

/// Makes a directory; who may read it, its parent decides.
pub(super) fn make_private(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)
}

/// Ends the child.
pub(super) fn end(child: &mut Child) {
    let _ = child.kill();
}
