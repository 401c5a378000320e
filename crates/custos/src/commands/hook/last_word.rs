//! The answer of a hook that dies.
//!
//! A panic is caught, but memory that runs out, a stack that overflows and a loop without end are not: the process would end without a word,
//! and clients take silence for "go on". So before a call is judged, the answer for that case is laid ready, and a signal handler says it:
//! after a time that no honest call takes, or when the process aborts. Three system calls, no thread.

use custos_clients::Reply;

#[cfg(unix)]
pub(super) use unix::{limit_memory, prepare, withdraw};

#[cfg(not(unix))]
pub(super) fn prepare(_: &Reply) {}

#[cfg(not(unix))]
pub(super) fn withdraw() {}

#[cfg(not(unix))]
pub(super) fn limit_memory(_: Option<u64>) {}

#[cfg(unix)]
#[expect(unsafe_code, reason = "signal handlers and limits are set through libc")]
mod unix {
    use std::ptr;
    use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicUsize, Ordering};

    use super::Reply;

    /// How long a hook may take, in seconds: the commit gate and waiting for the log included. Clients wait ten.
    const PATIENCE: u8 = 9;

    /// How much memory a hook may have. It needs a few megabytes.
    const MEMORY: libc::rlim_t = 2 << 30;

    static TEXT: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
    static LENGTH: AtomicUsize = AtomicUsize::new(0);
    static EXIT: AtomicI32 = AtomicI32::new(0);

    /// Lays the answer ready for the case that this process cannot give another.
    pub(in super::super) fn prepare(reply: &Reply) {
        // It has to be there until the very end.
        let text: &'static mut [u8] = reply.stdout.clone().leak();
        LENGTH.store(text.len(), Ordering::Relaxed);
        EXIT.store(i32::from(reply.exit), Ordering::Relaxed);
        TEXT.store(text.as_mut_ptr(), Ordering::Release);
        let wait = libc::timeval { tv_sec: PATIENCE.into(), tv_usec: 0 };
        let timer = libc::itimerval { it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 }, it_value: wait };
        // SAFETY: the structures are initialised and live through the calls; `speak` only does what a signal handler may.
        unsafe {
            libc::signal(libc::SIGABRT, speak as *const () as libc::sighandler_t);
            libc::signal(libc::SIGALRM, speak as *const () as libc::sighandler_t);
            libc::setitimer(libc::ITIMER_REAL, &raw const timer, ptr::null_mut());
        }
        limit_memory(Some(MEMORY));
    }

    /// Sets how much memory this process and what it starts may have; `None` is as much as before.
    pub(in super::super) fn limit_memory(most: Option<libc::rlim_t>) {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the structure is initialised and lives through the calls.
        unsafe {
            if libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) == 0 {
                limit.rlim_cur = most.map_or(limit.rlim_max, |most| most.min(limit.rlim_max));
                libc::setrlimit(libc::RLIMIT_AS, &raw const limit);
            }
        }
    }

    /// Takes the answer back, because there is a better one.
    pub(in super::super) fn withdraw() {
        TEXT.store(ptr::null_mut(), Ordering::Release);
    }

    /// Says what was laid ready, and ends the process.
    extern "C" fn speak(signal: libc::c_int) {
        let text = TEXT.swap(ptr::null_mut(), Ordering::AcqRel);
        if text.is_null() && signal == libc::SIGALRM {
            // The true answer is on its way.
            return;
        }
        let exit = if text.is_null() { 70 } else { EXIT.load(Ordering::Relaxed) };
        // SAFETY: the text was leaked and is never changed; write and _exit may be called in a signal handler.
        unsafe {
            if !text.is_null() {
                libc::write(libc::STDOUT_FILENO, text.cast(), LENGTH.load(Ordering::Relaxed));
            }
            libc::_exit(exit);
        }
    }
}
