//! The files that rules are kept in: read if they are small and regular, replaced as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use thiserror::Error;

/// Why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    /// Something else is in the file's place.
    #[error("this is not a regular file and is not opened: put one in its place or remove it")]
    NotAFile,
    /// The file came with a clone and leads out of it.
    #[error(
        "this is reached through a link, and files that come with a clone are not followed elsewhere: replace the link by what it leads to"
    )]
    Link,
    /// The file is larger than anything that belongs there.
    #[error("this is larger than {limit} bytes: shorten it")]
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

/// Reads a regular file of at most `limit` bytes; a file that does not exist is `None`.
pub(crate) fn read_small(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, ReadError> {
    // What it is, is asked before it is opened: opening a FIFO waits for whoever writes to it.
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Err(ReadError::NotAFile),
        Ok(metadata) if metadata.len() > limit => return Err(ReadError::TooLarge { limit }),
        Ok(_) => {}
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut bytes = Vec::new();
    // It may have grown since it was asked: the reading is bounded, too.
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { limit });
    }
    Ok(Some(bytes))
}

/// Reads a small regular file as text.
pub(crate) fn read_text(path: &Path, limit: u64) -> Result<Option<String>, ReadError> {
    let Some(bytes) = read_small(path, limit)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        ReadError::NotText { line: before.split(|byte| *byte == b'\n').count() }
    })
}

/// Tells whether an error means that there is no such file.
pub(crate) fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Tells whether a path, or a directory on the way to it from `root`, is a link.
pub(crate) fn is_linked(path: &Path, root: &Path) -> bool {
    path.ancestors()
        .take_while(|part| *part != root)
        .any(|part| fs::symlink_metadata(part).is_ok_and(|metadata| metadata.is_symlink()))
}

/// A new version of a file that nobody sees yet. Dropped without being published, it leaves no trace.
pub(crate) struct Draft {
    file: NamedTempFile,
    target: PathBuf,
}

impl Draft {
    /// Begins a new version of `path`, in the same directory, which is made if need be. Where `path` is a link, what it leads to will be
    /// replaced.
    pub(crate) fn begin(path: &Path) -> io::Result<Self> {
        let target = match fs::canonicalize(path) {
            Err(error) if is_absence(&error) => path.to_owned(),
            target => target?,
        };
        let directory = target.parent().ok_or(ErrorKind::InvalidInput)?;
        create_private(directory)?;
        // A temporary file is 0600 from the start, and so is what it becomes.
        let file = tempfile::Builder::new().prefix(".custos-").tempfile_in(directory)?;
        Ok(Self { file, target })
    }

    /// The file as it is so far.
    pub(crate) fn metadata(&self) -> io::Result<fs::Metadata> {
        self.file.as_file().metadata()
    }

    /// Puts the new version in place. After a crash the file is the old one or the new one, whole; once this has returned, the new one.
    pub(crate) fn publish(mut self, content: &[u8]) -> io::Result<()> {
        self.file.write_all(content)?;
        self.file.as_file().sync_all()?;
        self.file.persist(&self.target).map_err(|error| error.error)?;
        // Elsewhere than on Unix a directory cannot be opened.
        match self.target.parent() {
            Some(directory) if cfg!(unix) => File::open(directory)?.sync_all(),
            _ => Ok(()),
        }
    }

    /// Puts the new version in place without waiting for the disk: for what can be made again.
    pub(crate) fn publish_disposable(mut self, content: &[u8]) -> io::Result<()> {
        self.file.write_all(content)?;
        self.file.persist(&self.target).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Makes a directory and those above it, for the user alone.
pub(crate) fn create_private(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(directory)
}
