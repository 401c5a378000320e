//! Where there are no process groups, the child alone is ended; what it started sees its pipes close, and so does a child whose parent was
//! killed.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Command};

/// Nothing: there is no handle that a child could inherit without knowing of it.
#[derive(Debug)]
pub(super) struct Leash;

impl Leash {
    /// Starts a child.
    pub(super) fn start(command: &mut Command, _directory: &Path) -> io::Result<(Child, Self)> {
        Ok((command.spawn()?, Self))
    }

    /// Removes nothing.
    pub(super) fn put_away(&self) {}

    /// Ends nothing.
    pub(super) fn pull(_directory: &Path) -> usize {
        0
    }
}

/// Makes a directory; who may read it, its parent decides.
pub(super) fn make_private(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)
}

/// Ends the child.
pub(super) fn end(child: &mut Child) {
    let _ = child.kill();
}
