//! Starting and letting go on Unix.
#![expect(
    unsafe_code,
    reason = "std starts no program without waiting for it, and knows neither setsid nor closing what was inherited"
)]

use std::ffi::{CString, c_int};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Starts the program as a worker, and does not wait until it is loaded.
///
/// Every way that std has of starting a program holds the caller until the new one is in place, which takes as long as a whole hook. A
/// plain fork of a process as small as a hook is a few dozen microseconds; what comes after it is the child's own time.
pub(super) fn start(program: &Path) -> io::Result<()> {
    let program = CString::new(program.as_os_str().as_bytes())?;
    let arguments = [program.as_ptr(), c"worker".as_ptr(), std::ptr::null()];
    // SAFETY: between fork and exec the child only makes system calls, on memory that was made ready before.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            // SAFETY: the pointers are to strings that end in a zero and to an array that ends in a null; `execv` returns only if it
            // fails, and then nothing but `_exit` may run.
            unsafe {
                let nothing = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
                for stream in 0..3 as c_int {
                    libc::dup2(nothing, stream);
                }
                libc::execv(program.as_ptr(), arguments.as_ptr());
                libc::_exit(127)
            }
        }
        _ => Ok(()),
    }
}

pub(super) fn let_go() {
    // SAFETY: takes no pointers. It fails where this process leads a group already, as one that a shell started does; that one is
    // watched by a person and may stay.
    unsafe { libc::setsid() };
    close_inherited();
    // SAFETY: the path is a literal that ends in a zero. Without it a worker would keep a file system from being unmounted; that it
    // fails is no harm.
    unsafe { libc::chdir(c"/".as_ptr()) };
}

/// Closes everything but the three streams. A client may have left open what it does not know of, such as the end of a pipe on which it
/// waits for its hook to end.
fn close_inherited() {
    #[cfg(target_os = "linux")]
    // SAFETY: takes numbers only, and this process has opened nothing yet.
    if unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0_u32) } == 0 {
        return;
    }
    for descriptor in 3..1024 {
        // SAFETY: as above; closing what is not open is an error that changes nothing.
        unsafe { libc::close(descriptor) };
    }
}
