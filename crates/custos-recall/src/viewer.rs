//! Who asks.

use custos_model::Reader;
use custos_model::access::Party;

/// Somebody who wants to recall something, and what they may be shown.
///
/// Made by what the caller *is*, never by what it asks for: a sub-agent that asks for prompts is still a sub-agent.
#[derive(Debug, Clone, Copy)]
pub struct Viewer<'a> {
    pub(crate) reader: Reader<'a>,
    /// Whether they are shown what a person typed.
    pub(crate) sees_prompts: bool,
}

impl<'a> Viewer<'a> {
    /// The person whose memory it is, at their own machine.
    pub const fn owner() -> Self {
        Self { reader: Reader::Owner, sees_prompts: true }
    }

    /// An agent that works for the owner: its client, role, pseudonym, session and project, as far as they are known.
    pub const fn agent(
        client: Option<&'a str>,
        role: Option<&'a str>,
        agent: Option<&'a str>,
        session: Option<&'a str>,
        project: Option<&'a str>,
    ) -> Self {
        let party = Party { for_owner: true, in_team: true, client, role, agent, session, project };
        Self { reader: Reader::Other(party), sees_prompts: true }
    }

    /// An agent that another agent has sent, which gets the least that its task needs.
    ///
    /// It sees what serves everybody in the project: neither what a person typed nor what is the owner's alone.
    pub const fn subagent(
        client: Option<&'a str>,
        role: Option<&'a str>,
        agent: Option<&'a str>,
        session: Option<&'a str>,
        project: Option<&'a str>,
    ) -> Self {
        let party = Party { for_owner: false, in_team: true, client, role, agent, session, project };
        Self { reader: Reader::Other(party), sees_prompts: false }
    }

    /// Gives the reader that an access list is asked about.
    pub const fn reader(&self) -> Reader<'a> {
        self.reader
    }

    /// Gives the role in which they work.
    pub(crate) const fn role(&self) -> Option<&'a str> {
        match self.reader {
            Reader::Owner => None,
            Reader::Other(party) => party.role,
        }
    }

    /// Gives the project in which they work, if they are bound to one.
    pub(crate) const fn project(&self) -> Option<&'a str> {
        match self.reader {
            Reader::Owner => None,
            Reader::Other(party) => party.project,
        }
    }
}
