//! The command line of Custos: what a person or a script types, and what they get back.
//!
//! [`main`] looks at the first arguments before anything else is loaded: what runs inside a client's hook must be done in the time that an
//! empty program takes three times over, so it never meets the argument parser, SQLite or a terminal. Everything else goes through
//! clap into one module per command below `commands`.
//!
//! The libraries read no environment and no terminal; `environment` is the one place that does, and hands them a context.
//! Every command answers with one [`exit::Exit`] from one table, and never with 2, which clients read as "block".

mod arena;
mod args;
mod commands;
#[cfg(all(any(test, target_env = "musl"), target_arch = "x86_64"))]
mod compare;
mod context;
#[cfg(all(any(test, target_env = "musl"), target_arch = "x86_64"))]
mod copy;
mod dispatch;
mod distiller;
mod embedder;
mod environment;
mod error;
mod exit;
mod installation;
mod knowledge;
mod named;
mod output;
mod progress;
mod recall;
mod render;
mod when;

pub use arena::Arena;
pub use dispatch::main;
