//! What is told, case by case: each test compares everything that a command is said to have touched.
//!
//! Commands run in `/w`, and the home directory is `/h`. Lists are written with commas, and names in them are below
//! `/w` unless they are absolute.

mod changing;
mod hostile;
mod normalising;
mod patches;
mod reading;
mod syntax;

use super::{Touched, by_shell};

/// Returns what `command` touches.
fn touched(command: &str) -> Touched {
    let mut out = Touched::default();
    by_shell(command, "/w", Some("/h"), &mut out);
    out
}

/// Returns a result from two lists of paths.
fn expected(read: &str, changed: &str) -> Touched {
    let list = |names: &str| names.split(',').filter(|name| !name.is_empty()).map(absolute).collect();
    Touched { read: list(read), changed: list(changed) }
}

fn absolute(name: &str) -> String {
    if name.starts_with('/') { name.to_owned() } else { format!("/w/{name}") }
}
