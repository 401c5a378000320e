//! Real coding agents, from `custos setup` to the next session: one journey per client.
//!
//! A hook that is wired wrongly fails in silence: the client goes on, and nothing is remembered. No fixture finds that. So these tests
//! start the clients that people use, in the versions that `tests/clients/clients.py` pins, offline, against a model that plays a script
//! (`tests/clients/scripts`). Each journey installs Custos as a person would, lets the client work, and then compares two things with
//! what they should be: the log, whole, and what the model was told.
//!
//! One journey serves all features: what comes later adds to what a journey checks, not another run. Three things have journeys of their
//! own: what the guard must hold (`guarded`), because that needs a home that may be lost, and the tools of the knowledge base
//! (`knowledge`), because each client names them and lets its model find them in its own way, and what a session is told of earlier ones
//! (`recalled`), because it passes from one client to another.
//!
//! The clients come from npm and are cached. Where that is not possible the journeys fail and say so; `scripts/test --offline` leaves
//! them out, by the part of the name that they all share: `the_real_client`.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![expect(clippy::disallowed_methods, reason = "tests set the scene with plain writes and hand on PATH")]

mod claude_code;
mod codex;
mod copilot;
mod gemini;
mod guarded;
mod journey;
mod knowledge;
mod opencode;
mod recalled;
mod trace;
