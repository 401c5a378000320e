//! What is on the machine: the program itself, the clients, and what of them is ours.
//!
//! `setup`, `uninstall`, `doctor` and `clients` all ask the same questions: which clients are here, which of their files do we change,
//! do the commands that stand in them work. The answers are found here, once; the commands only show them.

pub(crate) mod machine;
pub(crate) mod program;
pub(crate) mod replay;
pub(crate) mod server;
pub(crate) mod wiring;
