//! The coding agents that Custos lives in.
//!
//! Each client has its own words for the same few things: a session starts, a person asks, a tool is about to run, it ran, the turn
//! is over. Here they become one [`HookEvent`], and our one [`Answer`] becomes the client's dialect again, exactly as the real
//! clients were seen to understand it: a field that one of them needs makes another run the tool that was to be stopped. So nothing is
//! sniffed and nothing is shared by accident: the installed command names its client, and a client is one file below
//! [`clients`] with its words, its events, its tools and its way of being answered.
//!
//! | to find | look in |
//! |---|---|
//! | what a client calls things | [`clients`], one file each, listed in [`client::CLIENTS`] |
//! | what all of them say | [`event`] |
//! | what we say | [`answer`] |
//! | what a client can do, and what not | [`manifest`], changed by [`overrides`] |
//! | which files of a client are ours to change | [`wiring`]; for our MCP server [`server`] |
//! | how they are changed | [`edit`] |
//!
//! Nothing here reads the environment or knows where a home directory is; what is needed comes in.

pub mod answer;
pub mod client;
pub mod clients;
pub mod edit;
pub mod event;
pub mod manifest;
pub mod overrides;

pub mod payload;
pub mod sample;
pub mod server;
pub mod tool;
pub mod wiring;
pub mod words;

pub use answer::{Answer, Reply, Verdict};
pub use client::{CLIENTS, Client, find};
pub use event::{HOOK_SCHEMA, Happening, HookEvent, Moment, SubAgent, ToolCall, ToolEnd};
pub use payload::Misread;
