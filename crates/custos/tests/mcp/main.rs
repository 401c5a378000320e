//! The MCP server, as a client meets it: a real process, over its standard input and output.

mod beginnings;
mod client;
mod crowds;
mod hostile;
mod levels;
mod lists;
mod story;
mod survives;
