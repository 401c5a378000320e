//! Who may read an event: its scope, its access list, and the one function that decides.
//!
//! Two questions, both of which must be answered with yes. The *scope* says how far the event reaches at all: one session, one agent,
//! one person, one project, a team. The *access list* says who within that reach may read it. The owner, sitting at the machine that
//! holds the log, may read everything in it: the log is theirs, and a list that they could circumvent with `cat` would be a lie.
//!
//! `user` in a list means the owner and every client that works for the owner on that machine; it keeps an event from everybody else
//! in a team. Where no list was given, [`default_access`] decides by kind and scope.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::kind::{Class, Kind};

/// How far an event reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The session that it happened in.
    Session,
    /// The one agent that wrote it.
    Agent,
    /// The person, in all their projects.
    User,
    /// Everybody's sessions in the same project.
    Project,
    /// The whole team.
    Team,
}

impl Scope {
    /// Lists every scope, from the narrowest to the widest.
    pub const ALL: [Self; 5] = [Self::Session, Self::Agent, Self::User, Self::Project, Self::Team];

    /// Gives the name under which the log stores the scope.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Agent => "agent",
            Self::User => "user",
            Self::Project => "project",
            Self::Team => "team",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Scope {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|scope| scope.name() == name).ok_or(())
    }
}

/// One entry of an access list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Grant {
    /// `*`: everybody whom the scope reaches.
    Everyone,
    /// `user`: the owner, and every client that works for the owner.
    User,
    /// `client:NAME`: agents that run in this client.
    Client(String),
    /// `role:NAME`: agents in this role.
    Role(String),
    /// `agent:ID`: one agent.
    Agent(String),
}

/// Reports a text that is no entry of an access list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is none of `*`, `user`, `client:NAME`, `role:NAME`, `agent:ID`")]
pub struct NotAGrant(pub String);

impl FromStr for Grant {
    type Err = NotAGrant;

    fn from_str(text: &str) -> Result<Self, NotAGrant> {
        let named = |name: &str| (!name.is_empty() && name.len() <= 256).then(|| name.to_owned());
        match text {
            "*" => Some(Self::Everyone),
            "user" => Some(Self::User),
            _ => text.split_once(':').and_then(|(sort, name)| match sort {
                "client" => named(name).map(Self::Client),
                "role" => named(name).map(Self::Role),
                "agent" => named(name).map(Self::Agent),
                _ => None,
            }),
        }
        .ok_or_else(|| NotAGrant(text.to_owned()))
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everyone => f.write_str("*"),
            Self::User => f.write_str("user"),
            Self::Client(name) => write!(f, "client:{name}"),
            Self::Role(name) => write!(f, "role:{name}"),
            Self::Agent(id) => write!(f, "agent:{id}"),
        }
    }
}

impl Serialize for Grant {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Grant {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Grant {
    fn schema_name() -> Cow<'static, str> {
        "Grant".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Who may read: everybody in reach, the owner, a client, a role or one agent.",
            "type": "string",
            "pattern": "^(\\*|user|(client|role|agent):.{1,256})$"
        })
    }
}

/// Who may read an event, within its scope. An empty list is nobody but the owner.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct AccessList(pub Vec<Grant>);

/// Gives the access list of an event for which nobody named one.
///
/// What a person typed and what their tools printed stays with them; what was learnt serves every client in the same project (the
/// scope sees to "the same project"); what an agent wrote for itself stays with that agent.
pub fn default_access(kind: Kind, scope: Scope, agent: Option<&str>) -> AccessList {
    let grant = match (scope, agent) {
        (Scope::Agent, Some(id)) => Grant::Agent(id.to_owned()),
        (Scope::Agent, None) => return AccessList::default(),
        _ => match kind.class() {
            Class::Prompts | Class::Tools | Class::Sessions | Class::Housekeeping => Grant::User,
            Class::Observations | Class::Summaries | Class::Knowledge => Grant::Everyone,
        },
    };
    AccessList(vec![grant])
}

/// The part of an event that decides who may read it.
#[derive(Debug, Clone, Copy)]
pub struct Protected<'a> {
    /// How far it reaches.
    pub scope: Scope,
    /// Who may read it within that reach.
    pub acl: &'a AccessList,
    /// The project that it happened in.
    pub project: Option<&'a str>,
    /// The session that it happened in.
    pub session: Option<&'a str>,
    /// The agent that wrote it.
    pub agent: Option<&'a str>,
}

/// Somebody who wants to read.
#[derive(Debug, Clone, Copy)]
pub enum Reader<'a> {
    /// The person whose log it is, at their own machine.
    Owner,
    /// An agent, or a person elsewhere.
    Other(Party<'a>),
}

/// A reader other than the owner in person, and what is known about them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Party<'a> {
    /// Whether they work for the owner of the log.
    pub for_owner: bool,
    /// Whether they belong to the owner's team.
    pub in_team: bool,
    /// The client that they run in.
    pub client: Option<&'a str>,
    /// Their role.
    pub role: Option<&'a str>,
    /// Their pseudonym.
    pub agent: Option<&'a str>,
    /// Their session.
    pub session: Option<&'a str>,
    /// The project that they work in.
    pub project: Option<&'a str>,
}

/// Decides whether somebody may read an event. Nothing else in Custos does.
pub fn may_read(event: Protected<'_>, reader: Reader<'_>) -> bool {
    let party = match reader {
        Reader::Owner => return true,
        Reader::Other(party) => party,
    };
    let same = |a: Option<&str>, b: Option<&str>| a.is_some() && a == b;
    let reached = match event.scope {
        Scope::Session => same(event.session, party.session),
        Scope::Agent => same(event.agent, party.agent),
        Scope::User => party.for_owner,
        Scope::Project => (party.for_owner || party.in_team) && same(event.project, party.project),
        Scope::Team => party.for_owner || party.in_team,
    };
    reached
        && event.acl.0.iter().any(|grant| match grant {
            Grant::Everyone => true,
            Grant::User => party.for_owner,
            Grant::Client(name) => party.client == Some(name.as_str()),
            Grant::Role(name) => party.role == Some(name.as_str()),
            Grant::Agent(id) => party.agent == Some(id.as_str()),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const MINE: Party<'static> = Party {
        for_owner: true,
        in_team: true,
        client: Some("codex"),
        role: Some("musician"),
        agent: Some("ag-1"),
        session: Some("s1"),
        project: Some("p1"),
    };

    fn list(grants: &[&str]) -> AccessList {
        AccessList(grants.iter().map(|grant| grant.parse().unwrap()).collect())
    }

    fn readers() -> Vec<(&'static str, Reader<'static>)> {
        vec![
            ("owner", Reader::Owner),
            ("same agent", Reader::Other(MINE)),
            ("other agent, same session", Reader::Other(Party { agent: Some("ag-2"), ..MINE })),
            (
                "other client, same project",
                Reader::Other(Party {
                    client: Some("gemini"),
                    role: None,
                    agent: Some("ag-3"),
                    session: Some("s2"),
                    ..MINE
                }),
            ),
            (
                "other project",
                Reader::Other(Party {
                    agent: Some("ag-4"),
                    session: Some("s3"),
                    project: Some("p2"),
                    client: None,
                    role: None,
                    ..MINE
                }),
            ),
            (
                "colleague, same project",
                Reader::Other(Party { for_owner: false, agent: Some("ag-5"), session: Some("s4"), ..MINE }),
            ),
            ("stranger", Reader::Other(Party::default())),
        ]
    }

    /// One row: scope, list → exactly these readers, in the order of `readers()`.
    #[rstest]
    #[case(Scope::Session, &["*"], "owner|same agent|other agent, same session")]
    #[case(Scope::Session, &["user"], "owner|same agent|other agent, same session")]
    #[case(Scope::Agent, &["agent:ag-1"], "owner|same agent")]
    #[case(Scope::Agent, &["*"], "owner|same agent")]
    #[case(Scope::Agent, &["agent:ag-2"], "owner")]
    #[case(Scope::User, &["user"], "owner|same agent|other agent, same session|other client, same project|other project")]
    #[case(Scope::User, &["*"], "owner|same agent|other agent, same session|other client, same project|other project")]
    #[case(Scope::User, &["client:gemini"], "owner|other client, same project")]
    #[case(Scope::Project, &["user"], "owner|same agent|other agent, same session|other client, same project")]
    #[case(Scope::Project, &["*"], "owner|same agent|other agent, same session|other client, same project|colleague, same project")]
    #[case(Scope::Project, &["client:codex"], "owner|same agent|other agent, same session|colleague, same project")]
    #[case(Scope::Project, &["role:musician"], "owner|same agent|other agent, same session|colleague, same project")]
    #[case(Scope::Project, &["agent:ag-3", "agent:ag-5"], "owner|other client, same project|colleague, same project")]
    #[case(Scope::Team, &["*"], "owner|same agent|other agent, same session|other client, same project|other project|colleague, same project")]
    #[case(Scope::Team, &["user"], "owner|same agent|other agent, same session|other client, same project|other project")]
    #[case(Scope::Team, &[], "owner")]
    fn who_may_read(#[case] scope: Scope, #[case] grants: &[&str], #[case] expected: &str) {
        let acl = list(grants);
        let event =
            Protected { scope, acl: &acl, project: Some("p1"), session: Some("s1"), agent: Some("ag-1") };
        let admitted: Vec<&str> = readers()
            .into_iter()
            .filter(|(_, reader)| may_read(event, *reader))
            .map(|(name, _)| name)
            .collect();
        assert_eq!(admitted.join("|"), expected);
    }

    #[test]
    fn what_has_no_project_or_session_reaches_nobody_by_it() {
        let acl = list(&["*"]);
        for scope in [Scope::Session, Scope::Agent, Scope::Project] {
            let event = Protected { scope, acl: &acl, project: None, session: None, agent: None };
            assert!(
                !may_read(event, Reader::Other(Party { for_owner: true, ..Party::default() })),
                "{scope}"
            );
        }
    }

    #[test]
    fn defaults_per_kind() {
        let table: Vec<String> = Kind::ALL
            .iter()
            .map(|kind| {
                let default = |scope| {
                    let acl = default_access(*kind, scope, Some("ag-1"));
                    acl.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
                };
                format!("{kind}: {} / {}", default(Scope::Project), default(Scope::Agent))
            })
            .collect();
        insta::assert_snapshot!(table.join("\n"), @r"
session.started: user / agent:ag-1
session.ended: user / agent:ag-1
session.interrupted: user / agent:ag-1
hook.alive: user / agent:ag-1
prompt.submitted: user / agent:ag-1
tool.used: user / agent:ag-1
tool.failed: user / agent:ag-1
tool.denied: user / agent:ag-1
tool.asked: user / agent:ag-1
permission.decided: user / agent:ag-1
turn.ended: user / agent:ag-1
subagent.started: user / agent:ag-1
subagent.stopped: user / agent:ag-1
context.compacting: user / agent:ag-1
usage.recorded: user / agent:ag-1
observation.recorded: * / agent:ag-1
summary.recorded: * / agent:ag-1
knowledge.saved: * / agent:ag-1
knowledge.updated: * / agent:ag-1
knowledge.archived: * / agent:ag-1
question.asked: * / agent:ag-1
question.answered: * / agent:ag-1
audit.finished: user / agent:ag-1
recall.served: user / agent:ag-1
recall.used: user / agent:ag-1
policy.updated: user / agent:ag-1
memory.compacted: user / agent:ag-1
work.done: user / agent:ag-1
work.failed: user / agent:ag-1
work.abandoned: user / agent:ag-1
work.reopened: user / agent:ag-1
import.finished: user / agent:ag-1
forget.done: user / agent:ag-1
");
    }

    #[test]
    fn an_agents_own_event_without_an_agent_is_the_owners_alone() {
        assert_eq!(default_access(Kind::ObservationRecorded, Scope::Agent, None), AccessList::default());
    }

    #[rstest]
    fn refuses_what_is_no_grant(
        #[values("", "**", "User", "client:", "client", "group:x", "role", " user")] text: &str,
    ) {
        assert_eq!(text.parse::<Grant>(), Err(NotAGrant(text.into())));
    }
}
