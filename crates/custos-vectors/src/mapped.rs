//! A file as bytes: mapped where the system can, so that opening costs nothing and only what is touched is read.

use std::io;
use std::ops::Deref;
use std::path::Path;

#[cfg(not(unix))]
#[path = "mapped/elsewhere.rs"]
mod platform;
#[cfg(unix)]
#[path = "mapped/unix.rs"]
mod platform;

/// The bytes that a file had when it was opened.
#[derive(Debug, Default)]
pub(crate) struct Mapped(platform::Bytes);

impl Mapped {
    /// Opens one of our own files; a missing one is empty.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        match platform::Bytes::open(path) {
            Ok(bytes) => Ok(Self(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_slice()
    }
}

/// Refuses whatever else may lie where a file should.
fn not_a_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "something other than a regular file is in its place")
}
