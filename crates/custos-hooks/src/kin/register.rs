//! Which sessions live in which process of a client.
//!
//! One small file for each such process, named after it, with a session's id on each line. It is written when a session starts, comes back
//! or is asked something, never for a mere tool, and only if the session is not in it yet. A server opens the file of its own client's
//! process and need not look through the journals, of which there may be thousands.
//!
//! Notes are a convenience: one that is lost is made again at the next prompt. So they are not forced to the disk, and whatever goes
//! wrong with them is nobody's concern.

use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use custos_log::disk::{Access, Disk, Handle};
use custos_model::Timestamp;

use super::Process;

/// How much of the end of a note is read: nearly thirty sessions, more than anybody works with at once in one process.
const TAIL: u64 = 1 << 10;

/// How long a note is kept that nobody added to, in milliseconds. If its process still runs, the next prompt makes a new one.
const KEPT_FOR: i64 = 30 * 24 * 60 * 60 * 1000;

fn directory(state: &Path) -> PathBuf {
    state.join("kin")
}

fn path(state: &Path, process: Process) -> PathBuf {
    directory(state).join(process.to_string())
}

/// Notes that a session lives in a process.
pub fn note(disk: &dyn Disk, state: &Path, process: Process, session: &str) -> io::Result<()> {
    let path = path(state, process);
    let mut opened = disk.open(&path, Access::Append);
    if opened.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        disk.create_dirs(&directory(state))?;
        opened = disk.open(&path, Access::Append);
    }
    let handle = opened?;
    if read(&*handle)?.iter().any(|noted| noted == session) {
        return Ok(());
    }
    handle.append(format!("{session}\n").as_bytes()).map(drop)
}

/// Forgets a process whose only session has ended. It may get another, which will be noted then.
pub fn leave(disk: &dyn Disk, state: &Path, process: Process, session: &str) {
    if sessions(disk, state, process) == [session] {
        forget(disk, state, process);
    }
}

/// Forgets a process.
pub(super) fn forget(disk: &dyn Disk, state: &Path, process: Process) {
    let _ = disk.remove(&path(state, process));
}

/// Lists the sessions of a process, in the order in which they came.
pub fn sessions(disk: &dyn Disk, state: &Path, process: Process) -> Vec<String> {
    disk.open(&path(state, process), Access::Read).and_then(|handle| read(&*handle)).unwrap_or_default()
}

/// Lists the processes that have a note.
pub(super) fn processes(disk: &dyn Disk, state: &Path) -> Vec<Process> {
    let names = disk.list(&directory(state)).unwrap_or_default();
    names.iter().filter_map(|name| name.to_str()?.parse().ok()).collect()
}

/// Throws notes away that are old.
pub(crate) fn sweep(disk: &dyn Disk, state: &Path, now: Timestamp) {
    for process in processes(disk, state) {
        let modified = path(state, process).symlink_metadata().and_then(|metadata| metadata.modified());
        let Ok(since) = modified.map(|at| at.duration_since(UNIX_EPOCH).unwrap_or_default()) else {
            continue;
        };
        if now.as_millis() - i64::try_from(since.as_millis()).unwrap_or(i64::MAX) > KEPT_FOR {
            forget(disk, state, process);
        }
    }
}

fn read(handle: &dyn Handle) -> io::Result<Vec<String>> {
    let len = handle.len()?;
    let from = len.saturating_sub(TAIL);
    let mut bytes = vec![0; usize::try_from(len - from).unwrap_or(0)];
    let read = handle.read_full_at(&mut bytes, from)?;
    let mut sessions: Vec<String> = Vec::new();
    for line in String::from_utf8_lossy(&bytes[..read]).lines() {
        // A line that is cut, or that somebody else wrote, names no journal.
        if is_session(line) && !sessions.iter().any(|known| known == line) {
            sessions.push(line.to_owned());
        }
    }
    Ok(sessions)
}

/// Says whether a text has the form of a session's id, and so may become the name of a file.
fn is_session(text: &str) -> bool {
    text.strip_prefix("s-")
        .is_some_and(|digits| digits.len() == 32 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}
