//! The answer of a hook that dies.
//!
//! A panic is caught, but memory that runs out, a stack that overflows and a loop without end are not: the process would end without a word,
//! and clients take silence for "go on". So before a call is judged, the answer for that case is laid ready, and a signal handler says it:
//! after a time that no honest call takes, or when the process aborts. Three system calls, no thread, and nothing composed: the texts stand
//! in a table, because composing one costs a tenth of what a hook may take. A test holds them against what each client would be told.

use custos_clients::Client;

use super::unjudged;

/// What is to blame when nothing else could be said.
const WHY: &str = "Custos ran out of time or memory over it";

macro_rules! reason {
    () => {
        "Custos could not judge this call, because Custos ran out of time or memory over it. `custos doctor` says more."
    };
}

macro_rules! reason_without_asking {
    () => {
        concat!(reason!(), " (This client cannot ask the person from a hook. Ask them, and let them run it.)")
    };
}

macro_rules! before_tool {
    ($decision:literal, $reason:expr) => {
        concat!(
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":""#,
            $decision,
            r#"","permissionDecisionReason":""#,
            $reason,
            "\"}}\n"
        )
    };
}

/// The answer of each client for each event that is judged, and what the process ends with. Silence leaves a permission to the person.
const READY: &[(&str, &str, &str, u8)] = &[
    ("claude-code", "PreToolUse", before_tool!("ask", reason!()), 0),
    ("claude-code", "PermissionRequest", "", 0),
    ("codex", "PreToolUse", before_tool!("deny", reason_without_asking!()), 0),
    ("codex", "PermissionRequest", "", 0),
    (
        "gemini",
        "BeforeTool",
        concat!(r#"{"decision":"deny","reason":""#, reason_without_asking!(), "\"}\n"),
        0,
    ),
    (
        "copilot",
        "preToolUse",
        concat!(r#"{"permissionDecision":"ask","permissionDecisionReason":""#, reason!(), "\"}\n"),
        0,
    ),
    ("copilot", "permissionRequest", "", 0),
    ("opencode", "tool.execute.before", concat!(r#"{"deny":""#, reason_without_asking!(), "\"}\n"), 0),
    (
        "cursor",
        "preToolUse",
        concat!(
            r#"{"agent_message":""#,
            reason_without_asking!(),
            r#"","permission":"deny","user_message":""#,
            reason_without_asking!(),
            "\"}\n"
        ),
        2,
    ),
];

/// The answer for a call that could not be judged, in the words of its client.
fn ready(client: &Client, event: &str) -> (&'static [u8], u8) {
    let found = READY.iter().find(|(name, at, ..)| *name == client.name && *at == event);
    found.map_or_else(
        || {
            let reply = unjudged(client, event, WHY);
            // It has to be there until the very end.
            (&*reply.stdout.leak(), reply.exit)
        },
        |(_, _, text, exit)| (text.as_bytes(), *exit),
    )
}

#[cfg(unix)]
pub(super) use unix::{limit_memory, prepare, withdraw};

#[cfg(not(unix))]
pub(super) fn prepare(_: &Client, _: &str) {}

#[cfg(not(unix))]
pub(super) fn withdraw() {}

#[cfg(not(unix))]
pub(super) fn limit_memory(_: Option<u64>) {}

#[cfg(unix)]
#[expect(unsafe_code, reason = "signal handlers and limits are set through libc")]
mod unix {
    use std::ptr;
    use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicUsize, Ordering};

    use super::{Client, ready};

    /// How long a hook may take, in seconds: the commit gate and waiting for the log included. Clients wait ten.
    const PATIENCE: u8 = 9;

    /// How much memory a hook may have. It needs a few megabytes.
    const MEMORY: libc::rlim_t = 2 << 30;

    static TEXT: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
    static LENGTH: AtomicUsize = AtomicUsize::new(0);
    static EXIT: AtomicI32 = AtomicI32::new(0);

    /// Lays the answer ready for the case that this process cannot give another.
    pub(in super::super) fn prepare(client: &Client, event: &str) {
        let (text, exit) = ready(client, event);
        LENGTH.store(text.len(), Ordering::Relaxed);
        EXIT.store(i32::from(exit), Ordering::Relaxed);
        TEXT.store(text.as_ptr().cast_mut(), Ordering::Release);
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
        // SAFETY: the text is there to the end and never changed; write and _exit may be called in a signal handler.
        unsafe {
            if !text.is_null() {
                libc::write(libc::STDOUT_FILENO, text.cast(), LENGTH.load(Ordering::Relaxed));
            }
            libc::_exit(exit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::hook::is_judged;

    #[test]
    fn each_answer_in_the_table_is_the_one_that_would_be_composed() {
        let mut composed = Vec::new();
        for client in custos_clients::CLIENTS {
            for event in client.manifest.events.iter().filter(|row| is_judged(client, row.event)) {
                let reply = unjudged(client, event.event, WHY);
                let text = String::from_utf8(reply.stdout).expect("answers are text");
                composed.push((client.name, event.event, text, reply.exit));
            }
        }
        let table: Vec<_> = READY
            .iter()
            .map(|(client, event, text, exit)| (*client, *event, (*text).to_owned(), *exit))
            .collect();
        assert_eq!(table, composed);
    }
}
