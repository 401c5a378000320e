//! The files below `.ai/local/delegation/`.
//!
//! The project may be a clone of anybody's, so nothing is read or written through a link, and what is opened is a regular file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use custos_config::replace::{Draft, create_private};
use custos_config::source::{Links, is_absence, read_text};

use super::Trouble;

/// The directory, below the project's root.
const DIRECTORY: [&str; 3] = [".ai", "local", "delegation"];

/// The most bytes of any file here; a journal is cut long before.
const LARGEST: u64 = 1 << 20;

/// A name for a session that fits into a file's name and tells nothing.
pub(super) fn hash(session: &str) -> String {
    let digest = hmac_sha256::Hash::hash(session.as_bytes());
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// The place of a file.
pub(super) fn place(root: &Path, name: &str) -> PathBuf {
    DIRECTORY.iter().fold(root.to_owned(), |path, part| path.join(part)).join(name)
}

/// Reads a small regular file; `None` if there is none.
pub(super) fn read_at(path: &Path) -> io::Result<Option<String>> {
    read_text(path, LARGEST, Links::Follow).map_err(io::Error::other)
}

/// Reads one of the files here; `None` if there is none.
pub(super) fn read_small(root: &Path, name: &str) -> Result<Option<String>, Trouble> {
    let path = place(root, name);
    refuse_links(root, name).and_then(|()| read_at(&path)).map_err(|error| refused(&path, &error))
}

/// Replaces one of the files here, or makes it. After a crash it is the old one or the new one, whole.
pub(super) fn replace(root: &Path, name: &str, content: &[u8]) -> Result<(), Trouble> {
    let path = place(root, name);
    let write = || {
        prepare(root, name)?;
        Draft::begin(&path)?.publish_disposable(content)
    };
    write().map_err(|error| refused(&path, &error))
}

/// Adds to the end of one of the files here, in one write, and gives all that is then in it.
pub(super) fn append(root: &Path, name: &str, line: &[u8]) -> Result<Vec<u8>, Trouble> {
    let path = place(root, name);
    let write = || {
        prepare(root, name)?;
        if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(io::Error::other("it is not a regular file"));
        }
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let mut file = options.open(&path)?;
        file.write_all(line)?;
        file.rewind()?;
        let mut content = Vec::new();
        file.take(LARGEST).read_to_end(&mut content)?;
        Ok(content)
    };
    write().map_err(|error| refused(&path, &error))
}

/// Puts one of the files here aside, for people to look at.
pub(super) fn put_aside(root: &Path, name: &str) -> Result<(), Trouble> {
    let path = place(root, name);
    match fs::rename(&path, path.with_extension("damaged")) {
        // Another hook was quicker.
        Err(error) if is_absence(&error) => Ok(()),
        moved => moved.map_err(|error| refused(&path, &error)),
    }
}

/// Makes the directory, for its owner only and out of git's sight.
fn prepare(root: &Path, name: &str) -> io::Result<()> {
    refuse_links(root, name)?;
    let directory = place(root, "");
    if !directory.is_dir() {
        create_private(&directory)?;
        match File::create_new(directory.join(".gitignore")) {
            Ok(mut ignore) => ignore.write_all(b"*\n")?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn refuse_links(root: &Path, name: &str) -> io::Result<()> {
    let mut path = root.to_owned();
    for part in DIRECTORY.iter().chain([&name]) {
        path.push(part);
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {
                return Err(io::Error::other("it is reached through a link"));
            }
            Ok(_) => {}
            Err(error) if is_absence(&error) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn refused(path: &Path, error: &io::Error) -> Trouble {
    Trouble::Refused { path: path.to_owned(), why: error.to_string() }
}
