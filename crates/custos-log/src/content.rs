//! What a record holds behind its salt: a draft, cleaned, with its agents under pseudonyms, as JSON.
//!
//! This is the one way into the log, so it is here that nothing gets past redaction: every text of a draft, its keys and its
//! envelope included, is looked at. Only the salted part is made here, without the lock and without the chain.

use custos_model::access::default_access;
use custos_model::{
    AccessList, Agent, AgentId, Draft, EventId, Grant, Importance, Kind, Origin, Outcome, SchemaVersion,
    Scope, Timestamp,
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::append::{Log, Surroundings};
use crate::error::LogError;
use crate::excerpt;
use crate::frame::{self, GENESIS, Opening};
use crate::pseudonym::Pseudonyms;

/// All of a record that forgetting takes away.
#[derive(Serialize)]
struct Content<'a> {
    scope: Scope,
    acl: &'a AccessList,
    origin: Origin,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a Agent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    importance: Option<Importance>,
    body: &'a Map<String, Value>,
}

impl<'a> Content<'a> {
    fn of(draft: &'a Draft, acl: &'a AccessList, agent: Option<&'a Agent>, origin: Origin) -> Self {
        Self {
            scope: draft.scope,
            acl,
            origin,
            project: draft.project.as_deref(),
            branch: draft.branch.as_deref(),
            commit: draft.commit.as_deref(),
            session: draft.session.as_deref(),
            agent,
            task: draft.task.as_deref(),
            outcome: draft.outcome,
            importance: draft.importance,
            body: &draft.body,
        }
    }
}

impl Log {
    /// Cleans a draft and serialises what will stand behind the salt.
    pub(crate) fn content(&self, mut draft: Draft, origin: Origin) -> Result<Vec<u8>, LogError> {
        let pseudonyms = self.pseudonyms_for(&draft)?;
        let agent = name_agent(&draft, pseudonyms.as_ref())?;
        let agent_id = agent.as_ref().and_then(|agent| agent.id.as_ref()).map(AgentId::as_str);
        let acl = match draft.acl.take() {
            Some(acl) => {
                let client = draft.agent.as_ref().map_or("", |agent| agent.client.as_str());
                clean_access(acl, pseudonyms.as_ref(), client)
            }
            None => self.default_access(draft.kind, draft.scope, agent_id),
        };
        excerpt::redact_fields(&mut draft.body);
        let Draft { project, branch, commit, session, task, .. } = &mut draft;
        for text in [project, branch, commit, session, task].into_iter().flatten() {
            excerpt::redact_text(text);
        }
        let content = serde_json::to_vec(&Content::of(&draft, &acl, agent.as_ref(), origin))?;
        if content.len() <= self.limits().event {
            return Ok(content);
        }
        let envelope = content.len() - excerpt::json_len(&draft.body);
        drop(content);
        excerpt::fit(&mut draft.body, self.limits().event.saturating_sub(envelope));
        let content = serde_json::to_vec(&Content::of(&draft, &acl, agent.as_ref(), origin))?;
        // The access list and the names are bounded, so this only fails if the limit itself is absurdly small.
        if content.len() > self.limits().event + 64 * 1024 {
            return Err(LogError::TooLarge { bytes: content.len(), limit: self.limits().event });
        }
        Ok(content)
    }

    fn default_access(&self, kind: Kind, scope: Scope, agent: Option<&str>) -> AccessList {
        let set = self.limits().access.iter().find(|(class, _)| *class == kind.class());
        match set {
            Some((_, acl)) if scope != Scope::Agent => acl.clone(),
            _ => default_access(kind, scope, agent),
        }
    }

    /// Loads the key only where a client's own id is to be replaced: most events carry pseudonyms or no agent.
    fn pseudonyms_for(&self, draft: &Draft) -> Result<Option<Pseudonyms<'_>>, LogError> {
        let foreign = |id: &str| AgentId::recognise(id).is_none();
        let in_agent = draft.agent.as_ref().and_then(|agent| agent.id.as_deref()).is_some_and(foreign);
        let in_acl = draft.acl.iter().flat_map(|acl| &acl.0).any(|grant| match grant {
            Grant::Agent(id) => foreign(id),
            _ => false,
        });
        if !in_agent && !in_acl {
            return Ok(None);
        }
        let Surroundings { disk, entropy, .. } = self.surroundings();
        Pseudonyms::load(&**disk, &self.places().state, entropy).map(Some)
    }
}

/// Puts an agent's pseudonym in the place of its client's own id.
fn name_agent(draft: &Draft, names: Option<&Pseudonyms<'_>>) -> Result<Option<Agent>, LogError> {
    let Some(agent) = &draft.agent else { return Ok(None) };
    let id = match (&agent.id, names) {
        (Some(id), Some(names)) if AgentId::recognise(id).is_none() => Some(names.of(&agent.client, id)?),
        (id, _) => id.as_deref().and_then(AgentId::recognise),
    };
    let mut agent = Agent { client: agent.client.clone(), id, role: agent.role.clone() };
    excerpt::redact_text(&mut agent.client);
    agent.role.iter_mut().for_each(excerpt::redact_text);
    Ok(Some(agent))
}

/// Cleans an access list and replaces the clients' own ids in it by pseudonyms. A bare id is taken to be of the event's own client.
fn clean_access(mut acl: AccessList, names: Option<&Pseudonyms<'_>>, client: &str) -> AccessList {
    for grant in &mut acl.0 {
        match (grant, names) {
            (Grant::Agent(id), Some(names)) if AgentId::recognise(id).is_none() => {
                names.peek(client, id).as_str().clone_into(id);
            }
            (Grant::Client(name) | Grant::Role(name), _) => excerpt::redact_text(name),
            _ => {}
        }
    }
    acl
}

/// Writes a record of an older schema as it would be written today, but outside any chain: for readers only.
pub(crate) fn unchained(draft: &Draft, seq: u64) -> Result<Vec<u8>, LogError> {
    let ts = draft.ts.unwrap_or(Timestamp::from_millis(0));
    let id = draft.id.unwrap_or_else(|| EventId::new(ts, [0; 10]));
    let agent = draft.agent.as_ref().map(|agent| Agent {
        client: agent.client.clone(),
        // The reader has no key; what is no pseudonym is left out.
        id: agent.id.as_deref().and_then(AgentId::recognise),
        role: agent.role.clone(),
    });
    let acl = default_access(draft.kind, draft.scope, None);
    let content = serde_json::to_vec(&Content::of(draft, &acl, agent.as_ref(), Origin::Import))?;
    let opening = Opening { v: SchemaVersion::CURRENT, id, seq, ts, kind: draft.kind };
    Ok(frame::write(&opening, &GENESIS, &[0; 16], &content).0)
}
