//! What a client's tools do, as far as files and commands are concerned.
//!
//! Recording wants to know which files a call touched, the guard which it is about to touch. Both ask here. A tool that is in no table is
//! somebody's own; it may still name paths, but nobody can know.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::ToolCall;
use crate::overrides::Overrides;

/// What a tool does with what it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deed {
    /// Runs a shell command.
    Shell,
    /// Reads a file.
    Read,
    /// Writes, changes or deletes a file.
    Change,
    /// Applies a patch, which names its files itself.
    Patch,
    /// Sends a sub-agent.
    Delegate,
}

/// A tool of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// What the client calls it.
    pub name: &'static str,
    /// What it does.
    pub deed: Deed,
    /// The field of its input that says with what.
    pub field: &'static str,
}

/// Writes a row of a client's table.
pub(crate) const fn tool(name: &'static str, deed: Deed, field: &'static str) -> Tool {
    Tool { name, deed, field }
}

/// A deed and what it is done with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Act<'a> {
    /// The deed.
    pub deed: Deed,
    /// The command, the path or the patch.
    pub with: &'a str,
}

/// Says what a call does, if its tool is known and its input is as expected.
pub fn act<'a>(tools: &[Tool], overrides: &Overrides, call: &'a ToolCall) -> Option<Act<'a>> {
    let (deed, field) = match overrides.tools.get(&call.tool) {
        Some(own) => (own.deed, own.field.as_str()),
        None => tools.iter().find(|tool| tool.name == call.tool).map(|tool| (tool.deed, tool.field))?,
    };
    let with = match &call.input {
        Value::String(text) => text.as_str(),
        // A client may call the same path otherwise when it asks for permission.
        input => [field, "file_path", "path"].iter().find_map(|field| input.get(*field)?.as_str())?,
    };
    Some(Act { deed, with })
}
