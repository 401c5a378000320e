//! Letting go on Unix.
#![expect(unsafe_code, reason = "std knows neither setsid nor closing what was inherited")]

use std::process::Command;

/// Changes nothing: anything that the child had to do between fork and exec would keep std from the fast way of starting it, and the
/// worker does it all itself.
pub(super) fn detached(_command: &mut Command) {}

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
