//! What the tests and benchmarks of every other crate stand on; nothing here is part of the program.
//!
//! - [`TempHome`] is a home directory of its own, so that a test can run the real binary and then look
//!   at every byte it left behind.
//! - [`spawn`] measures whole processes, always beside an empty program started in the same breath.
//! - [`corpus`] writes invented coding sessions: the same seed gives the same bytes on every machine.
//! - [`kill`] ends a process without warning at a moment drawn from a seed.
//! - [`faulty`] is a disk that is full, that fails, or that ends in the middle of a write.
//! - [`model_server`] is a model that says what it is told to, or breaks as it is told to, on a real socket.
//! - [`store`] fills a log with a corpus, by the million if need be.
//! - [`random`] is the one source of chance for all of these.
//!
//! Chance is always seeded. A test that fails must fail again, with the number it printed, on the machine
//! of whoever reads the report; so no module here takes entropy from the system.

pub mod corpus;
pub mod faulty;
mod home;
pub mod kill;
pub mod model_server;
pub mod random;
#[cfg(unix)]
pub mod spawn;
pub mod store;

pub use home::TempHome;
