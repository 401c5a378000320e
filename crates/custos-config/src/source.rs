//! Reads small regular files, and nothing else.
//!
//! A path that should lead to a settings file or to something in `.git` may lead to a FIFO, a device or a
//! gigabyte. What it is, is asked before it is opened, so that nothing here waits or fills the memory.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use thiserror::Error;

/// Why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    /// Something else is in the file's place.
    #[error("this is {what}, not a file, and is not opened: put a regular file in its place or remove it")]
    NotAFile {
        /// What it is.
        what: &'static str,
    },
    /// The file came with a clone and leads out of it.
    #[error(
        "this is a link, and files that come with a clone are not followed elsewhere: replace it by a regular file or remove it"
    )]
    Link,
    /// The file is larger than anything that belongs there.
    #[error("this is larger than {limit} bytes: shorten it or remove it")]
    TooLarge {
        /// The most bytes.
        limit: u64,
    },
    /// The text is not UTF-8.
    #[error("line {line} is not valid UTF-8: save the file as UTF-8")]
    NotText {
        /// The first line that is not.
        line: usize,
    },
    /// The system refused.
    #[error("it cannot be read: {why}; check its permissions")]
    Refused {
        /// The system's reason.
        why: String,
    },
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Refused { why: error.to_string() }
    }
}

/// Whether a link may stand for the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// The user made it.
    Follow,
    /// A clone brought it: neither the file nor the directory it is in may be one.
    Refuse,
}

/// Reads a regular file of at most `limit` bytes; a file that does not exist is `None`.
pub fn read_small(path: &Path, limit: u64, links: Links) -> Result<Option<Vec<u8>>, ReadError> {
    if links == Links::Refuse && is_linked(path) {
        return Err(ReadError::Link);
    }
    let file = match open(path) {
        Ok(file) => file,
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(ReadError::NotAFile { what: kind_of(&metadata) });
    }
    if metadata.len() > limit {
        return Err(ReadError::TooLarge { limit });
    }
    let mut bytes = vec![0; usize::try_from(metadata.len()).map_or(0, |length| length + 1)];
    let mut file = file.take(limit + 1);
    let begun = match file.read(&mut bytes) {
        Err(error) if error.kind() == ErrorKind::Interrupted => 0,
        begun => begun?,
    };
    bytes.truncate(begun);
    // Who got as much as there was has all of it, and need not ask for the end. What has no length has one all the same, if the system makes it
    // as it is read; and a file may have grown since it was asked: the reading is bounded, too.
    if begun == 0 || begun as u64 != metadata.len() {
        file.read_to_end(&mut bytes)?;
    }
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { limit });
    }
    Ok(Some(bytes))
}

/// Opens a file without waiting for what may be at the other end of a pipe, and without asking for it twice: hooks read many.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    fs::OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Reads a regular file as text.
pub fn read_text(path: &Path, limit: u64, links: Links) -> Result<Option<String>, ReadError> {
    let Some(bytes) = read_small(path, limit, links)? else { return Ok(None) };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            Err(ReadError::NotText { line: before.split(|byte| *byte == b'\n').count() })
        }
    }
}

/// Tells whether an error means that there is no such file.
pub fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Tells whether a file or the directory it is in is a link.
pub fn is_linked(path: &Path) -> bool {
    is_link(path) || path.parent().is_some_and(is_link)
}

/// Tells whether a path, or a directory on the way to it from `root`, is a link.
pub fn is_linked_below(root: &Path, path: &Path) -> bool {
    let mut parts: Vec<&Path> = path.ancestors().take_while(|part| *part != root).collect();
    // From the root on, for nothing is below what is not there.
    while let Some(part) = parts.pop() {
        match fs::symlink_metadata(part) {
            Ok(metadata) if metadata.is_symlink() => return true,
            Err(error) if is_absence(&error) => return false,
            _ => {}
        }
    }
    false
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

fn kind_of(metadata: &fs::Metadata) -> &'static str {
    if metadata.is_dir() {
        return "a directory";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        let file_type = metadata.file_type();
        if file_type.is_fifo() {
            return "a FIFO";
        }
        if file_type.is_socket() {
            return "a socket";
        }
        if file_type.is_char_device() || file_type.is_block_device() {
            return "a device";
        }
    }
    "something else"
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_on_the_way_is_found_also_where_nothing_is_at_the_end() {
        let root = tempfile::tempdir().unwrap();
        let path = |below: &str| root.path().join(below);
        fs::create_dir_all(path("plain/deep")).unwrap();
        symlink(path("plain"), path("linked")).unwrap();
        symlink(path("nowhere"), path("plain/dangling")).unwrap();
        for (below, is_linked) in [
            ("plain/deep", false),
            ("plain/absent/file.md", false),
            ("absent/deep/file.md", false),
            ("linked", true),
            ("linked/deep", true),
            ("linked/absent/file.md", true),
            ("plain/dangling", true),
            ("plain/dangling/file.md", true),
        ] {
            assert_eq!(is_linked_below(root.path(), &path(below)), is_linked, "{below}");
        }
        // A link above the root is the person's own.
        assert!(!is_linked_below(&path("linked"), &path("linked/deep")));
    }
}
