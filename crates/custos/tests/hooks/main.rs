//! The hook as clients call it: the real program, fed with what real clients send, and with everything that could come instead.
//!
//! Two things are checked of every call. The client must be able to go on: exit code 0 and not a byte on standard output, unless the guard
//! has something to hold. And the log must say what happened, whole: who did what in which session, for which prompt, with which outcome.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![expect(clippy::disallowed_methods, reason = "tests damage files and set the scene with plain writes")]

mod advisor;
mod alone;
mod crowds;
mod desk;
mod excluded;
mod guard;
mod guard_alone;
mod guard_decisions;
mod guard_options;
mod guard_rules;
mod hints;
mod kin;
mod nowhere;
mod other_clients;
mod payloads;
mod places;
mod privacy;
mod recalled;
mod sessions;
mod survives;
mod trace;
mod versions;
mod waking;
mod whole_sessions;
mod words;
