//! Who an agent is among the others.
//!
//! A role is told, never guessed: whether there is a terminal says nothing about it. Who does not say, is not restricted.

use super::{Session, Trouble, disk};

/// The part that an agent plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Leads all others.
    Conductor,
    /// Leads some.
    SectionLeader,
    /// Does the work.
    Musician,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Conductor, Self::SectionLeader, Self::Musician];

    /// The name, as in `profiles/<name>.yaml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Conductor => "conductor",
            Self::SectionLeader => "section-leader",
            Self::Musician => "musician",
        }
    }

    /// Finds the role of a name; upper case, spaces and underscores make no difference.
    pub fn named(name: &str) -> Option<Self> {
        let folded = |c: char| if matches!(c, '_' | ' ') { '-' } else { c.to_ascii_lowercase() };
        Self::ALL.into_iter().find(|role| name.trim().chars().map(folded).eq(role.name().chars()))
    }

    /// Says whether others do the work for it.
    pub fn leads(self) -> bool {
        self != Self::Musician
    }
}

/// What is known about who uses a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clues<'a> {
    /// The value of `AGENT_ROLE`.
    pub agent_role: Option<&'a str>,
    /// Whether the client says that it is a sub-agent.
    pub is_subagent: Option<bool>,
    /// What the client calls this sort of agent.
    pub agent_type: Option<&'a str>,
}

/// Tells the role: a sub-agent's by what the client says about it, the main agent's by `AGENT_ROLE`, else by the session's marker. A marker
/// that cannot be read is a trouble, and no role.
///
/// A client's sub-agents inherit its environment. If the variable came first for them, a conductor's own musicians would be told to
/// delegate what they were sent to do.
pub fn tell(clues: Clues<'_>, session: Session<'_>) -> (Option<Role>, Option<Trouble>) {
    if let Some(role) = clues.agent_type.and_then(Role::named) {
        return (Some(role), None);
    }
    if clues.is_subagent == Some(true) {
        return (Some(Role::Musician), None);
    }
    // A name that is no role was still meant as one: nothing else may then restrict.
    if let Some(name) = clues.agent_role.filter(|name| !name.trim().is_empty()) {
        return (Role::named(name), None);
    }
    match disk::read_small(session.root, &marker_name(session)) {
        Ok(marker) => (marker.as_deref().and_then(Role::named), None),
        Err(trouble) => (None, Some(trouble)),
    }
}

/// Binds a role to a session: its tools are used in that role from now on, unless something stronger says otherwise.
pub fn mark(session: Session<'_>, role: Role) -> Result<(), Trouble> {
    disk::replace(session.root, &marker_name(session), format!("{}\n", role.name()).as_bytes())
}

fn marker_name(session: Session<'_>) -> String {
    format!("role-{}", disk::hash(session.id))
}
