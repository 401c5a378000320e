//! The MCP server, as a client meets it: a real process, over its standard input and output.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on should say where")]
#![expect(clippy::disallowed_methods, reason = "tests set the scene with plain writes")]

mod beginnings;
#[cfg(unix)]
mod branches;
mod client;
mod closing;
mod crowds;
mod hostile;
mod kept;
mod levels;
mod lists;
mod recall;
mod rules;
mod sections;
mod story;
mod strangers;
mod survives;
mod workspace;
