//! The program on a terminal: a pseudo one, with nobody at it but the test.

#![expect(
    unsafe_code,
    reason = "a terminal is made by the C library, and no safe call of the standard library does it"
)]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::process::{Command, Stdio};
use std::ptr::null_mut;

use crate::shell::Ran;

/// Runs a program with a terminal for its standard input and error; its standard output is a pipe.
pub(crate) fn on_terminal(command: &mut Command) -> Ran {
    typing("", command)
}

/// Runs a program on a terminal at which somebody types.
pub(crate) fn typing(keys: &str, command: &mut Command) -> Ran {
    let (master, slave) = pair();
    let mut master = File::from(master);
    master.write_all(keys.as_bytes()).unwrap();
    let child = command
        .stdin(Stdio::from(slave.try_clone().unwrap()))
        .stdout(Stdio::piped())
        .stderr(Stdio::from(slave))
        .spawn()
        .unwrap();
    // The command holds the other end as long as it lives, and the reader would wait for more.
    command.stdin(Stdio::null()).stderr(Stdio::null());
    let reader = std::thread::spawn(move || {
        let (mut shown, mut chunk) = (Vec::new(), [0; 1024]);
        // When nobody holds the other end, Linux reports an error and others the end.
        while let Ok(read @ 1..) = master.read(&mut chunk) {
            shown.extend_from_slice(&chunk[..read]);
        }
        String::from_utf8(shown).unwrap().replace("\r\n", "\n")
    });
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: reader.join().unwrap(),
    }
}

/// Makes a terminal: the end of whoever sits at it, and the end of the program.
fn pair() -> (OwnedFd, OwnedFd) {
    let (mut master, mut slave) = (-1, -1);
    // SAFETY: both descriptors are written to variables that live here; name, modes and size may be null.
    let made = unsafe { libc::openpty(&raw mut master, &raw mut slave, null_mut(), null_mut(), null_mut()) };
    assert_eq!(made, 0, "{}", std::io::Error::last_os_error());
    // SAFETY: the call succeeded, so these are two open descriptors that nobody else has.
    unsafe { (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) }
}
