//! The program itself, in its place.
//!
//! The commands in the clients' settings name it by an absolute path that must stay the same across versions: Codex trusts a line, and a
//! line with another path is another line. So the program is copied to one place, and a new version goes over the old one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::CliError;
use crate::exit::Exit;

/// What putting the program in its place came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Put {
    /// It was there already, or is the one that runs.
    Unchanged,
    /// It was copied.
    Installed,
    /// It went over an older one.
    Updated,
}

/// Gives the place of the program below a prefix.
pub(crate) fn place(prefix: &Path) -> PathBuf {
    let name = if cfg!(windows) { "custos.exe" } else { "custos" };
    prefix.join("bin").join(name)
}

/// Copies the running program to its place, whole or not at all. With `rehearsal` only says what would be done.
pub(crate) fn put(place: &Path, rehearsal: bool) -> Result<Put, CliError> {
    let running = std::env::current_exe()
        .map_err(|error| CliError::new(Exit::Io, format!("cannot tell where this program is: {error}")))?;
    if is_same(&running, place) {
        return Ok(Put::Unchanged);
    }
    let there = fs::symlink_metadata(place).is_ok();
    let put = if there { Put::Updated } else { Put::Installed };
    if !rehearsal {
        copy(&running, place).map_err(|error| {
            CliError::new(Exit::Io, format!("cannot put the program at {}: {error}", place.display()))
                .hint("choose another place with --prefix")
        })?;
    }
    Ok(put)
}

/// Notes where the program was put, so that it can be removed from there and from nowhere else.
pub(crate) fn remember(config: &Path, place: &Path) {
    let note = note_path(config);
    let draft = note.parent().and_then(|dir| {
        fs::create_dir_all(dir).ok()?;
        tempfile::NamedTempFile::new_in(dir).ok()
    });
    // Without the note, uninstall leaves the program where it is and says so.
    if let Some(mut draft) = draft
        && io::Write::write_all(&mut draft, place.as_os_str().as_encoded_bytes()).is_ok()
    {
        let _ = draft.persist(note);
    }
}

/// Gives the place where we put the program.
pub(crate) fn remembered(config: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(note_path(config)).ok()?;
    Some(PathBuf::from(text)).filter(|place| place.is_absolute())
}

/// Removes the program that we put in its place, and the note.
pub(crate) fn remove(config: &Path, place: &Path) -> io::Result<()> {
    match fs::remove_file(place) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // Gone, if nothing else is in it.
    if let Some(dir) = place.parent() {
        let _ = fs::remove_dir(dir);
    }
    fs::remove_file(note_path(config))
}

fn note_path(config: &Path) -> PathBuf {
    config.join("tools").join("program")
}

/// Says whether two paths lead to the same program.
fn is_same(running: &Path, place: &Path) -> bool {
    match (running.canonicalize(), place.canonicalize()) {
        (Ok(a), Ok(b)) if a == b => true,
        _ => {
            let lengths =
                (fs::metadata(running).map(|m| m.len()).ok(), fs::metadata(place).map(|m| m.len()).ok());
            lengths.0 == lengths.1 && matches!((fs::read(running), fs::read(place)), (Ok(a), Ok(b)) if a == b)
        }
    }
}

/// Replaces the program by renaming: hooks that run at this moment keep the one they started with.
fn copy(running: &Path, place: &Path) -> io::Result<()> {
    let dir = place.parent().ok_or(io::ErrorKind::InvalidInput)?;
    fs::create_dir_all(dir)?;
    let mut draft = tempfile::Builder::new().prefix(".custos-").tempfile_in(dir)?;
    io::copy(&mut File::open(running)?, draft.as_file_mut())?;
    make_executable(draft.as_file())?;
    draft.as_file().sync_all()?;
    draft.persist(place)?;
    Ok(())
}

#[cfg(unix)]
fn make_executable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the twin of the function above")]
fn make_executable(_: &File) -> io::Result<()> {
    Ok(())
}
