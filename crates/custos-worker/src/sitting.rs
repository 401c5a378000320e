//! What is known about a session while its work is done.
//!
//! The turns before the one that is looked at, and what was learnt so far. Read once from the index and the log when the first piece of a
//! session's work is taken up, and kept current from there on, so that a session with a hundred turns is not read a hundred times.

use custos_distill::{Turn, alike};
use custos_index::{Prompted, Work};
use custos_model::{Event, EventId, Observation};

use crate::error::WorkerError;
use crate::evidence::{self, Evidence};
use crate::forgotten::Forgotten;
use crate::provenance::{self, Told};
use crate::run::Worker;
use crate::unit::{Part, Unit, parts};

/// How many turns before the present one are looked at, and how many events of them.
const TURNS_BEFORE: usize = 8;
const EVENTS_BEFORE: usize = 400;

/// How many turns of a session are summed up, and how many events of them.
const TURNS_OF_SESSION: usize = 64;
const EVENTS_OF_SESSION: usize = 4_000;

/// How many observations of a session are compared with a new one.
const COMPARED: usize = 200;

/// How many titles a model is told.
const TITLES: usize = 20;

/// What is known about a session while its work is done.
#[derive(Debug, Default)]
pub(crate) struct Sitting {
    session: Option<String>,
    pub(crate) prompts: Vec<Prompted>,
    forgotten: Forgotten,
    pub(crate) before: Vec<Turn>,
    /// What the events of these turns tell, turn by turn.
    told: Vec<Vec<Told>>,
    known: Vec<Known>,
    is_prepared: bool,
}

/// An observation that was recorded.
#[derive(Debug)]
struct Known {
    id: EventId,
    content: String,
    /// None where it cannot be read any more.
    observation: Option<Observation>,
}

impl Sitting {
    pub(crate) fn new(session: Option<String>, prompts: Vec<Prompted>) -> Self {
        Self { session, prompts, ..Self::default() }
    }

    /// Reads what there is, before the first piece of work.
    pub(crate) fn prepare(&mut self, worker: &mut Worker<'_>, unit: &Unit) -> Result<(), WorkerError> {
        if std::mem::replace(&mut self.is_prepared, true) {
            return Ok(());
        }
        self.forgotten = Forgotten::read(&mut worker.index)?;
        let Some(session) = self.session.clone() else { return Ok(()) };
        let mine: Vec<EventId> = unit.sources();
        let first = unit.events().map(|work| (work.writer.clone(), work.at)).min();
        let earlier = worker.index.work_of(Some(&session))?;
        let earlier = earlier
            .into_iter()
            .filter(|work| !mine.contains(&work.event) && Some((work.writer.clone(), work.at)) < first);
        let read = self.newest(worker, earlier.collect(), TURNS_BEFORE, EVENTS_BEFORE);
        self.went_on(read);
        let learnt = worker.index.learnt_in(&session)?;
        for (id, content) in learnt.into_iter().rev().take(COMPARED).rev() {
            let observation = recorded(worker, id)?;
            self.known.push(Known { id, content, observation });
        }
        Ok(())
    }

    /// Reads all turns of the session, as far as they are summed up.
    pub(crate) fn all_turns(
        &self,
        worker: &mut Worker<'_>,
        unit: &Unit,
    ) -> Result<Vec<Evidence>, WorkerError> {
        let work = worker.index.work_of(unit.session.as_deref())?;
        let ends = unit.sources();
        let work = work.into_iter().filter(|work| !ends.contains(&work.event));
        Ok(self.newest(worker, work.collect(), TURNS_OF_SESSION, EVENTS_OF_SESSION))
    }

    /// Reads the newest turns of some work, oldest first, within bounds.
    fn newest(&self, worker: &Worker<'_>, work: Vec<Work>, turns: usize, events: usize) -> Vec<Evidence> {
        let mut count = 0;
        let newest = parts(work).into_iter().rev().take(turns).take_while(|part| {
            // The first of them is read whatever its size.
            let fits = count == 0 || count + part.events.len() <= events;
            count += part.events.len();
            fits
        });
        let newest: Vec<Part> = newest.collect();
        let mut read = Vec::with_capacity(newest.len());
        for part in newest.iter().rev() {
            // What is only looked at beside the work may be missing.
            let one = evidence::read(&worker.reader, part, &self.prompts, self.session.as_deref());
            read.extend(one.map(|one| self.hidden(part, one)));
        }
        read
    }

    /// Takes a turn for private whose prompt was forgotten: whether it was, nobody can tell any more.
    pub(crate) fn hidden(&self, part: &Part, read: Evidence) -> Evidence {
        let has_prompt = part.task.is_none() || self.prompts.iter().any(|prompt| prompt.task == part.task);
        let last = part.events.iter().map(|work| work.ts).max();
        let is_orphan = !has_prompt && last.is_some_and(|last| self.forgotten.may_hold_prompt_of(last));
        let is_private = read.turn.is_private || is_orphan;
        Evidence { turn: Turn { is_private, ..read.turn }, ..read }
    }

    /// Notes that turns were looked at.
    pub(crate) fn went_on(&mut self, turns: Vec<Evidence>) {
        for Evidence { turn, words, .. } in turns {
            self.told.push(provenance::told(&turn, &words));
            self.before.push(turn);
        }
        let over = self.before.len().saturating_sub(TURNS_BEFORE);
        self.before.drain(..over);
        self.told.drain(..over);
    }

    /// Lists what the events of the turns before tell.
    pub(crate) fn told(&self) -> impl Iterator<Item = &Told> + Clone {
        self.told.iter().flatten()
    }

    /// Finds an observation that says the same. What is about to be replaced counts only where it says it word for word.
    pub(crate) fn find(&self, content: &str, new: &Observation, replaced: &[EventId]) -> Option<EventId> {
        let same = self.known.iter().find(|known| known.content == content);
        let near = || {
            self.known.iter().find(|known| {
                let is_near = |old: &Observation| alike::near(new, old) && !alike::supersedes(new, old);
                !replaced.contains(&known.id) && known.observation.as_ref().is_some_and(is_near)
            })
        };
        same.or_else(near).map(|known| known.id)
    }

    /// Lists the observations whose place a new one takes.
    pub(crate) fn superseded_by(&self, new: &Observation) -> Vec<EventId> {
        let is_old =
            |known: &&Known| known.observation.as_ref().is_some_and(|old| alike::supersedes(new, old));
        self.known.iter().filter(is_old).map(|known| known.id).collect()
    }

    /// Notes that something was learnt.
    pub(crate) fn learn(
        &mut self,
        id: EventId,
        content: String,
        observation: Observation,
        superseded: &[EventId],
    ) {
        self.known.retain(|known| !superseded.contains(&known.id));
        self.known.push(Known { id, content, observation: Some(observation) });
    }

    /// Lists the titles of what was learnt last, the newest last.
    pub(crate) fn titles(&self) -> Vec<String> {
        let titles = self.known.iter().filter_map(|known| Some(known.observation.as_ref()?.title.clone()));
        let titles: Vec<String> = titles.collect();
        titles[titles.len().saturating_sub(TITLES)..].to_vec()
    }

    /// Lists what was learnt.
    pub(crate) fn observations(&self) -> Vec<Observation> {
        self.known.iter().filter_map(|known| known.observation.clone()).collect()
    }

    /// Lists the ids of what was learnt.
    pub(crate) fn ids(&self) -> impl Iterator<Item = EventId> + '_ {
        self.known.iter().map(|known| known.id)
    }
}

/// Reads an observation back from the log.
fn recorded(worker: &mut Worker<'_>, id: EventId) -> Result<Option<Observation>, WorkerError> {
    let Some(place) = worker.index.locate(id)? else { return Ok(None) };
    let Ok(Some(line)) = evidence::line(&worker.reader, &place.writer, place.at) else { return Ok(None) };
    let event: Option<Event<'_>> = serde_json::from_slice(&line).ok();
    Ok(event.and_then(|event| serde_json::from_str(event.body.get()).ok()))
}
