//! The envelope around what happened.
//!
//! An [`Event`] is what a reader gets: the envelope parsed, the body still as the text that stands in the log. Most readers want two
//! fields of a body or none at all, and a million bodies are read at a rebuild, so nobody pays for parsing what nobody looks at.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::access::{AccessList, Protected, Scope};
use crate::id::{AgentId, EventId};
use crate::kind::Kind;
use crate::time::Timestamp;
use crate::version::SchemaVersion;

/// Who did it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Agent {
    /// The client that the agent runs in, such as `codex`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 64)))]
    pub client: String,
    /// The agent's pseudonym.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>", length(max = 256)))]
    pub id: Option<AgentId>,
    /// The agent's role, such as `conductor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 64)))]
    pub role: Option<String>,
}

/// How it went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It worked.
    Ok,
    /// It did not.
    Failed,
    /// It was not allowed to happen.
    Denied,
}

impl Outcome {
    /// Gives the name under which the log stores the outcome.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Denied => "denied",
        }
    }
}

/// Which part of the program wrote the event. Set by the code path, never by content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A client's hook.
    Hook,
    /// A tool call on the MCP server.
    Mcp,
    /// A person or a script on the command line.
    Cli,
    /// The worker that distils.
    Distiller,
    /// The auditor that reads transcripts.
    Auditor,
    /// An import or a migration.
    Import,
}

impl Origin {
    /// Gives the name under which the log stores the origin.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Mcp => "mcp",
            Self::Cli => "cli",
            Self::Distiller => "distiller",
            Self::Auditor => "auditor",
            Self::Import => "import",
        }
    }
}

/// How much an event matters, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Importance(#[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))] f64);

impl Importance {
    /// Accepts a number from 0 to 1.
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then_some(Self(value))
    }

    /// Gives the number.
    pub const fn value(self) -> f64 {
        self.0
    }
}

/// One event, as it stands in the log.
///
/// Fields that a newer minor version added are ignored here and stay untouched in the log.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Event<'a> {
    /// The schema that it was written in.
    #[cfg_attr(feature = "schema", schemars(with = "String", regex(pattern = r"^\d+\.\d+\.\d+$")))]
    pub v: SchemaVersion,
    /// Its id, a UUIDv7.
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("format" = "uuid")))]
    pub id: EventId,
    /// Its place in its writer's log: 1, 2, 3 …
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub seq: u64,
    /// When it happened, by the writer's clock. Order comes from `seq`.
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("format" = "date-time")))]
    pub ts: Timestamp,
    /// What happened.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::KindName"))]
    pub kind: Kind,
    /// How far it reaches.
    pub scope: Scope,
    /// Who may read it, within its scope.
    pub acl: AccessList,
    /// Which part of the program wrote it.
    pub origin: Origin,
    /// The project: its repository's remote or directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 1024)))]
    pub project: Option<String>,
    /// The branch that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub branch: Option<String>,
    /// The commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 128)))]
    pub commit: Option<String>,
    /// The session that it happened in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub session: Option<String>,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    /// The task that it belongs to: the id of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 512)))]
    pub task: Option<String>,
    /// How it went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// How much it matters, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<Importance>,
    /// What happened, in the words of its kind.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<String, serde_json::Value>"))]
    pub body: &'a RawValue,
}

impl Event<'_> {
    /// Gives the part that decides who may read it.
    pub fn protected(&self) -> Protected<'_> {
        Protected {
            scope: self.scope,
            acl: &self.acl,
            project: self.project.as_deref(),
            session: self.session.as_deref(),
            agent: self.agent.as_ref().and_then(|agent| agent.id.as_ref()).map(AgentId::as_str),
        }
    }
}
