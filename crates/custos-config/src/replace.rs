//! Replaces a file as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A new version of a file that nobody sees yet. Dropped without [`Draft::publish`], it leaves no trace.
#[derive(Debug)]
pub struct Draft {
    file: NamedTempFile,
    target: PathBuf,
}

impl Draft {
    /// Begins a new version of `path`, in the same directory, which is made if need be. Where `path` is a
    /// link, the file it leads to is the one that will be replaced.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let target = end_of_links(path)?;
        let directory = target.parent().ok_or(io::ErrorKind::InvalidInput)?;
        create_private(directory)?;
        // A temporary file is 0600 from the start, and so is what it becomes.
        let file = tempfile::Builder::new().prefix(".custos-").tempfile_in(directory)?;
        Ok(Self { file, target })
    }

    /// The file as it is so far.
    pub fn metadata(&self) -> io::Result<fs::Metadata> {
        self.file.as_file().metadata()
    }

    /// Puts the new version in place. After a crash the file is the old one or the new one, whole; once
    /// this has returned, it is the new one.
    pub fn publish(self, content: &[u8]) -> io::Result<()> {
        self.write(content, true)
    }

    /// Puts the new version in place without waiting for the disk: for what can be made again.
    pub fn publish_disposable(self, content: &[u8]) -> io::Result<()> {
        self.write(content, false)
    }

    fn write(mut self, content: &[u8], durable: bool) -> io::Result<()> {
        self.file.write_all(content)?;
        if durable {
            self.file.as_file().sync_all()?;
        }
        self.file.persist(&self.target).map_err(|error| error.error)?;
        match self.target.parent() {
            Some(directory) if durable => sync_directory(directory),
            _ => Ok(()),
        }
    }
}

/// The most links that are followed, as the kernel has it.
const MOST_LINKS: usize = 40;

/// Follows links to the path that is not one; it need not exist.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().map_or(next.clone(), |parent| parent.join(next)),
            // Not a link, or nothing at all; anything else shows when the file is written.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "too many links"))
}

/// Makes a directory and those above it, for the user alone.
pub fn create_private(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(directory)
}

/// Makes a renaming in `directory` survive a power cut. Elsewhere than on Unix a directory cannot be opened.
fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}
