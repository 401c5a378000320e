//! Signals on Unix.
#![expect(unsafe_code, reason = "std has no signal handlers")]

use std::sync::atomic::Ordering;

extern "C" fn raise(_signal: libc::c_int) {
    super::SIGNALLED.store(true, Ordering::Relaxed);
}

pub(super) fn listen() {
    let handler: extern "C" fn(libc::c_int) = raise;
    for signal in [libc::SIGTERM, libc::SIGINT] {
        // SAFETY: the handler only stores into an atomic, which is allowed at any moment, and lives as long as the program.
        unsafe { libc::signal(signal, handler as libc::sighandler_t) };
    }
}
