//! What a client told us, in our own words.
//!
//! One type for all clients, so that everything behind it (recording, the guard, recall) is written once. It says only what the client
//! said: what a client does not tell is absent and stays absent. Fields that we do not know are kept in `extra`: a newer client
//! may tell more than we understand, and whoever reads the log later may.
//!
//! The ids in here are the client's own. They never leave this machine; the router replaces them by pseudonyms.

use serde::Serialize;
use serde_json::{Map, Value};

/// The version of [`HookEvent`] and [`Answer`](crate::Answer) as other programs may meet them, in manifests and recorded cases.
///
/// The first number changes when something is taken away or means something else; the second when something is added.
pub const HOOK_SCHEMA: &str = "1.0.0";

/// The moments in the life of a session that a hook can be called at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// A session began, was resumed, cleared or compacted.
    SessionStarted,
    /// A person sent a prompt.
    PromptSubmitted,
    /// A tool is about to run.
    ToolStarting,
    /// The client wants to ask the person whether a tool may run.
    PermissionAsked,
    /// A tool ran.
    ToolFinished,
    /// A tool ran and failed, where the client tells the two apart.
    ToolFailed,
    /// The client itself kept a tool from running.
    ToolDenied,
    /// The agent finished its answer.
    TurnEnded,
    /// A sub-agent began.
    SubagentStarted,
    /// A sub-agent ended.
    SubagentStopped,
    /// The client is about to shorten its context.
    Compacting,
    /// The session is over.
    SessionEnded,
}

impl Moment {
    /// Lists every moment in the order of a session's life.
    pub const ALL: [Self; 12] = [
        Self::SessionStarted,
        Self::PromptSubmitted,
        Self::ToolStarting,
        Self::PermissionAsked,
        Self::ToolFinished,
        Self::ToolFailed,
        Self::ToolDenied,
        Self::TurnEnded,
        Self::SubagentStarted,
        Self::SubagentStopped,
        Self::Compacting,
        Self::SessionEnded,
    ];

    /// Gives the name that manifests and pages use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SessionStarted => "session_started",
            Self::PromptSubmitted => "prompt_submitted",
            Self::ToolStarting => "tool_starting",
            Self::PermissionAsked => "permission_asked",
            Self::ToolFinished => "tool_finished",
            Self::ToolFailed => "tool_failed",
            Self::ToolDenied => "tool_denied",
            Self::TurnEnded => "turn_ended",
            Self::SubagentStarted => "subagent_started",
            Self::SubagentStopped => "subagent_stopped",
            Self::Compacting => "compacting",
            Self::SessionEnded => "session_ended",
        }
    }

    /// Gives the name as a person reads it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::SessionStarted => "session starts",
            Self::PromptSubmitted => "prompt",
            Self::ToolStarting => "before a tool",
            Self::PermissionAsked => "permission asked",
            Self::ToolFinished => "after a tool",
            Self::ToolFailed => "tool failed",
            Self::ToolDenied => "tool denied by the client",
            Self::TurnEnded => "turn ends",
            Self::SubagentStarted => "sub-agent starts",
            Self::SubagentStopped => "sub-agent stops",
            Self::Compacting => "compaction",
            Self::SessionEnded => "session ends",
        }
    }
}

/// One call of a hook.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HookEvent {
    /// The client, by its name in [`crate::CLIENTS`].
    pub client: &'static str,
    /// The client's own id of the session.
    pub session: String,
    /// The directory in which the client works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Where the client keeps the session's transcript.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// The client's own id of the prompt that all this is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The sub-agent in which it happened; none for the session's main agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<SubAgent>,
    /// What happened.
    pub happening: Happening,
    /// What else the client said.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

/// A sub-agent, as its client names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SubAgent {
    /// The client's own id.
    pub id: String,
    /// What sort of agent it is: `explore`, `general-purpose`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "moment", rename_all = "snake_case")]
pub enum Happening {
    /// See [`Moment::SessionStarted`].
    SessionStarted {
        /// Why: `startup`, `resume`, `clear`, `compact`, `fork`, or what the client calls it.
        source: String,
    },
    /// See [`Moment::PromptSubmitted`].
    PromptSubmitted {
        /// What the person typed; may be empty.
        text: String,
    },
    /// See [`Moment::ToolStarting`].
    ToolStarting {
        /// The call.
        call: ToolCall,
    },
    /// See [`Moment::PermissionAsked`].
    PermissionAsked {
        /// The call.
        call: ToolCall,
    },
    /// A tool ran; see [`Moment::ToolFinished`] and [`Moment::ToolFailed`].
    ToolEnded {
        /// The call.
        call: ToolCall,
        /// How it ended.
        end: ToolEnd,
    },
    /// See [`Moment::ToolDenied`].
    ToolDenied {
        /// The call.
        call: ToolCall,
        /// Why.
        reason: Option<String>,
    },
    /// See [`Moment::TurnEnded`].
    TurnEnded {
        /// The last thing that the agent said, where the client tells it.
        message: Option<String>,
        /// Why the turn failed, if it did.
        error: Option<String>,
        /// Whether the turn goes on only because a hook of this kind asked for it.
        again: bool,
    },
    /// See [`Moment::SubagentStarted`].
    SubagentStarted,
    /// See [`Moment::SubagentStopped`].
    SubagentStopped {
        /// The last thing that the sub-agent said.
        message: Option<String>,
        /// Whether it goes on only because a hook of this kind asked for it.
        again: bool,
    },
    /// See [`Moment::Compacting`].
    Compacting {
        /// Who wanted it: `auto`, `manual`.
        trigger: Option<String>,
    },
    /// See [`Moment::SessionEnded`].
    SessionEnded {
        /// Why.
        reason: Option<String>,
    },
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolCall {
    /// The tool, as the client names it.
    pub tool: String,
    /// Its input, as the client gives it.
    pub input: Value,
}

/// How a tool call ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ToolEnd {
    /// Whether it went well; none where the client does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
    /// What came out, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The exit code of a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i64>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}
