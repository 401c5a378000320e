//! A child and all that it starts are one process group, in a directory that is its owner's alone, and on a leash.
//!
//! Whoever is killed cannot end its children. Most of them see their input end and go; one that hangs would stay for good. On Linux the
//! system ends the child with its parent, but not what the child has started, and elsewhere neither. So each child has a file of its own
//! that says which group it leads, and holds a lock on it from its birth to its death, by a handle that it and all that it starts
//! inherit and do not know of. The next worker ends those that still hold one. The lock is the proof: the system takes it away with the
//! last of them, and a group's number is nobody else's while one of it lives; so a number from before a restart, or of somebody who came
//! after, is never believed.
#![cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "std has no other way to what a child does first")
)]

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

#[cfg(target_os = "linux")]
use rustix::io::Errno;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, kill_process_group};
#[cfg(target_os = "linux")]
use rustix::process::{getpid, getppid, set_parent_process_death_signal};

/// What a child holds as long as it lives.
#[derive(Debug)]
pub(super) struct Leash {
    path: PathBuf,
}

impl Leash {
    /// Starts a child in a group of its own, on a leash from a directory. Only one may be started at a time: two would hold each other's.
    pub(super) fn start(command: &mut Command, directory: &Path) -> io::Result<(Child, Self)> {
        make_private(directory)?;
        let (mut file, path) = tempfile::Builder::new().prefix("child-").tempfile_in(directory)?.keep()?;
        let leash = Self { path };
        file.lock()?;
        fcntl_setfd(&file, FdFlags::empty())?;
        #[cfg(target_os = "linux")]
        end_with_parent(command);
        let child = command.process_group(0).spawn()?;
        // Should this be the moment at which we die, the child holds a lock of which nobody knows; it still sees its input end.
        write!(file, "{}", child.id())?;
        Ok((child, leash))
    }

    /// Removes the file, once the child has been ended.
    pub(super) fn put_away(&self) {
        let _ = fs::remove_file(&self.path);
    }

    /// Ends what earlier ones left behind, and says how many groups that were. Nobody else may hold one, or look at them.
    pub(super) fn pull(directory: &Path) -> usize {
        let mut ended = 0;
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if let Ok(mut file) = OpenOptions::new().read(true).write(true).open(&path)
                && matches!(file.try_lock(), Err(TryLockError::WouldBlock))
            {
                end_group(named_in(&mut file));
                ended += 1;
            }
            let _ = fs::remove_file(path);
        }
        ended
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        self.put_away();
    }
}

/// Has the system end a child when its parent dies, whatever the child does.
///
/// By the parent Linux means the thread that starts it. That is the one that asks, and it ends its children before it ends itself.
#[cfg(target_os = "linux")]
fn end_with_parent(command: &mut Command) {
    let parent = getpid();
    let bind = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // Of one that has died already nobody would be told.
        if getppid() == Some(parent) { Ok(()) } else { Err(io::Error::from(Errno::SRCH)) }
    };
    // SAFETY: between fork and exec it makes two system calls, and touches no memory but its own stack.
    unsafe { command.pre_exec(bind) };
}

fn named_in(file: &mut File) -> Option<i32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// Makes a directory that is its owner's alone.
pub(super) fn make_private(directory: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

/// Ends the child's group. It must not have been waited for.
pub(super) fn end(child: &mut Child) {
    end_group(i32::try_from(child.id()).ok());
}

fn end_group(leader: Option<i32>) {
    // Group 1 and below are none of a child's.
    if let Some(group) = leader.filter(|leader| *leader > 1).and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}
