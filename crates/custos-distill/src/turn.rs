//! What happened between a prompt and its end, in the same words for all clients.
//!
//! Everything that a distiller may know about a turn stands here. It was redacted before it came into the log, and private text is gone;
//! what is added to a turn must come from there as well.

use custos_model::{EventId, Timestamp};

/// A turn: what was asked, what was done, and what the agent said at its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// The client, such as `codex`.
    pub client: String,
    /// The project, as the log names it.
    pub project: Option<String>,
    /// The branch that was checked out.
    pub branch: Option<String>,
    /// What the person typed, in order; mostly one prompt.
    pub said: Vec<Said>,
    /// What was done, in order.
    pub steps: Vec<Step>,
    /// The last thing that the agent said.
    pub message: Option<String>,
    /// Why the turn broke off, if it did.
    pub error: Option<String>,
    /// When it began and when it ended; equal where only one is known.
    pub began: Timestamp,
    /// See `began`.
    pub ended: Timestamp,
    /// Whether the person kept the whole prompt private: then nothing is to be remembered of the turn.
    pub is_private: bool,
}

/// A prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The event.
    pub id: EventId,
    /// What was typed, without what is private.
    pub text: String,
}

/// A tool call that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The event.
    pub id: EventId,
    /// What the client calls the tool.
    pub tool: String,
    /// What was done.
    pub what: What,
    /// Whether it went well, where the client tells or the result shows.
    pub ok: Option<bool>,
    /// The exit status, where it is told.
    pub exit: Option<i64>,
    /// What came back: an excerpt where it was long.
    pub output: String,
    /// Files that it read, relative to the project.
    pub files_read: Vec<String>,
    /// Files that it changed, relative to the project.
    pub files_changed: Vec<String>,
    /// The role of the sub-agent that did it; none for the session's own agent.
    pub by: Option<String>,
}

/// What a step did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// Ran a command line.
    Ran(String),
    /// Edited, wrote or deleted files.
    Edited(Vec<Edit>),
    /// Read a file.
    Read,
    /// Sent a sub-agent, with these words.
    Delegated(String),
    /// Something else: a tool of an MCP server, a search on the web. Its input as text.
    Other(String),
}

/// One change in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The file, relative to the project.
    pub path: String,
    /// What stood there; empty for a new file, or where nobody knows.
    pub before: String,
    /// What stands there now; empty where it was deleted.
    pub after: String,
    /// What is known of the whole file: whether it is new, gone or changed.
    pub fate: Fate,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It was not there before.
    Created,
    /// It was written anew as a whole; what stood there is not known.
    Written,
    /// A part of it was changed.
    Changed,
    /// It is gone.
    Deleted,
}
