//! What is appended: observations, summaries, and that the work is done.
//!
//! Ids follow from the work, from how often it was opened again, and from what a result says. A worker that died after its append, or in
//! the middle of it, makes the same events again, and the index takes each once.

use custos_distill::Found;
use custos_distill::model::Spent;
use custos_model::{Draft, DraftAgent, EventId, Importance, Kind, Scope, Summary, Timestamp};
use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::evidence::Envelope;
use crate::ledger;
use crate::unit::Unit;

/// Where the results of a piece of work come from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin<'a> {
    pub(crate) unit: &'a Unit,
    /// Who made them: `rules`, or provider and model.
    pub(crate) by: &'a str,
    /// When it happened.
    pub(crate) at: Timestamp,
}

/// An observation with all that belongs to it.
#[derive(Debug)]
pub(crate) struct Learnt<'a> {
    pub(crate) found: &'a Found,
    pub(crate) content: &'a str,
    pub(crate) sources: &'a [EventId],
    pub(crate) supersedes: &'a [EventId],
    pub(crate) importance: Importance,
    pub(crate) why: Value,
}

impl Origin<'_> {
    pub(crate) fn observation(&self, learnt: &Learnt<'_>, envelope: &Envelope) -> Draft {
        let mut body = fields(&learnt.found.observation);
        body.insert("content".into(), json!(learnt.content));
        body.insert("why".into(), learnt.why.clone());
        if !learnt.supersedes.is_empty() {
            body.insert("supersedes".into(), json!(learnt.supersedes));
        }
        let mut draft = self.draft(Kind::ObservationRecorded, body, learnt.sources, envelope);
        draft.id = Some(self.id("observation", learnt.content, self.unit.passes));
        draft.importance = Some(learnt.importance);
        draft
    }

    pub(crate) fn summary(&self, summary: &Summary, sources: &[EventId], envelope: &Envelope) -> Draft {
        let mut body = fields(summary);
        let said = Value::Object(body.clone()).to_string();
        let of = if self.unit.sort == crate::unit::Sort::Session { "session" } else { "turn" };
        body.insert("of".into(), json!(of));
        let mut draft = self.draft(Kind::SummaryRecorded, body, sources, envelope);
        draft.id = Some(self.id(of, &said, self.unit.passes));
        draft
    }

    /// Says that the work is done. Comes last, so that it is not there without the others.
    pub(crate) fn done(
        &self,
        results: &[EventId],
        supersedes: &[EventId],
        merged: u64,
        fell_back: Option<&str>,
        envelope: &Envelope,
    ) -> Draft {
        let mut body = Map::from_iter([
            ("results".to_owned(), json!(results)),
            ("pass".to_owned(), json!(self.unit.passes)),
        ]);
        if !supersedes.is_empty() {
            body.insert("supersedes".into(), json!(supersedes));
        }
        if merged > 0 {
            body.insert("merged".into(), json!(merged));
        }
        if let Some(reason) = fell_back {
            body.insert("fell_back".into(), json!(reason));
        }
        let mut draft = self.draft(Kind::WorkDone, body, &self.unit.sources(), envelope);
        draft.id = Some(self.id("done", "", self.unit.passes));
        draft
    }

    /// Lists the ids that an observation has or had in this and all earlier passes.
    pub(crate) fn passes_of(&self, content: &str) -> Vec<EventId> {
        (0..=self.unit.passes).map(|pass| self.id("observation", content, pass)).collect()
    }

    fn draft(
        &self,
        kind: Kind,
        mut body: Map<String, Value>,
        sources: &[EventId],
        envelope: &Envelope,
    ) -> Draft {
        body.insert("sources".into(), json!(sources));
        body.insert("work".into(), json!(self.unit.id.as_str()));
        body.insert("by".into(), json!(self.by));
        let mut draft = Draft::new(kind, Scope::Project, body);
        draft.ts = Some(self.at);
        draft.session.clone_from(&self.unit.session);
        draft.project = envelope.project.clone().or_else(|| self.unit.project.clone());
        draft.branch.clone_from(&envelope.branch);
        draft.commit.clone_from(&envelope.commit);
        draft.task.clone_from(&envelope.task);
        draft.agent = envelope.agent.as_ref().map(|agent| DraftAgent {
            client: agent.client.clone(),
            id: agent.id.as_ref().map(|id| id.as_str().to_owned()),
            role: agent.role.clone(),
        });
        draft
    }

    fn id(&self, what: &str, said: &str, pass: u64) -> EventId {
        EventId::new(self.unit.last(), mark(self.unit.id.as_str(), what, said, pass))
    }
}

/// Gives what follows the instant in the id of a result.
fn mark(work: &str, what: &str, said: &str, pass: u64) -> [u8; 10] {
    let mut hash = Sha256::new();
    for part in [work, what, said] {
        hash.update(part);
        hash.update([0]);
    }
    hash.update(pass.to_be_bytes());
    let mut random = [0; 10];
    random.copy_from_slice(&hash.finalize()[..10]);
    random
}

/// Tells from the id of a `work.done` which pass over the work it ended, of those up to a last one; the first where no pass made the id.
pub(crate) fn pass_of(done: EventId, work: &str, last: u64) -> u64 {
    let at = Timestamp::from_millis(0);
    let without_instant = |id: EventId| id.as_bytes()[6..].to_vec();
    let is_of = |pass: &u64| {
        without_instant(EventId::new(at, mark(work, "done", "", *pass))) == without_instant(done)
    };
    (0..=last).rev().find(is_of).unwrap_or(0)
}

/// Says what a question took. Each question was asked, so each such event is another.
pub(crate) fn usage(unit: &Unit, provider: &str, model: &str, spent: Spent) -> Draft {
    let mut body = ledger::entry(provider, model, spent);
    body.insert("work".into(), json!(unit.id.as_str()));
    about(unit, Kind::UsageRecorded, body)
}

/// Says that an attempt at the work failed.
pub(crate) fn failed(unit: &Unit, error: &str) -> Draft {
    setback(Kind::WorkFailed, unit, unit.passes, ("error", error))
}

/// Says that the work is given up.
pub(crate) fn abandoned(unit: &Unit, reason: &str) -> Draft {
    setback(Kind::WorkAbandoned, unit, unit.passes, ("reason", reason))
}

/// Says that the work is to be done again, in another pass.
pub(crate) fn reopened(unit: &Unit, reason: &str) -> Draft {
    setback(Kind::WorkReopened, unit, unit.passes + 1, ("reason", reason))
}

fn setback(kind: Kind, unit: &Unit, pass: u64, (name, words): (&str, &str)) -> Draft {
    let body = Map::from_iter([
        ("work".to_owned(), json!(unit.id.as_str())),
        ("sources".to_owned(), json!(unit.sources())),
        ("pass".to_owned(), json!(pass)),
        (name.to_owned(), json!(words.chars().take(500).collect::<String>())),
    ]);
    about(unit, kind, body)
}

fn about(unit: &Unit, kind: Kind, body: Map<String, Value>) -> Draft {
    let mut draft = Draft::new(kind, Scope::Project, body);
    draft.session.clone_from(&unit.session);
    draft.project.clone_from(&unit.project);
    draft
}

fn fields(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// Gives the day of an instant, in UTC, as a model is told it.
pub(crate) fn day(ts: Timestamp) -> String {
    ts.to_string().chars().take(10).collect()
}
