//! Starting and letting go on Windows: everything is said when the process is made.

use std::io;
use std::os::windows::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// No console of the client's.
const DETACHED_PROCESS: u32 = 0x0000_0008;
/// No window of its own.
const CREATE_NO_WINDOW: u32 = 0x0800_0000;
/// Ctrl+C in the client's console is not meant for it.
const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;

pub(super) fn start(program: &Path) -> io::Result<()> {
    Command::new(program)
        .arg("worker")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .creation_flags(DETACHED_PROCESS | CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP)
        .spawn()
        .map(drop)
}

pub(super) fn let_go() {}
