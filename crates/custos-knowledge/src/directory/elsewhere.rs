//! Where nobody tells of changes, and names are listed as everywhere.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::{Changes, Opened};

/// No bell can be made of this.
#[derive(Debug)]
pub(super) enum Bell {}

impl Bell {
    pub(super) fn hang(_: &Path, _: &Opened) -> Option<Self> {
        None
    }

    pub(super) fn changes(&mut self) -> Changes {
        match *self {}
    }
}

/// Nobody is woken.
#[derive(Debug)]
pub(crate) enum Alarm {}

impl Alarm {
    pub(crate) fn set(_: impl Iterator<Item = PathBuf>) -> Option<Self> {
        None
    }

    pub(crate) fn rings(&self) -> bool {
        match *self {}
    }

    pub(crate) fn is_silent(&self, _: std::time::Duration) -> bool {
        match *self {}
    }
}

/// Goes through the names in a directory for as long as `visit` wants.
pub(super) fn visit_names(path: &Path, mut visit: impl FnMut(&OsStr) -> bool) -> io::Result<()> {
    for entry in std::fs::read_dir(path)? {
        if !visit(&entry?.file_name()) {
            break;
        }
    }
    Ok(())
}
