//! One piece of work, from its events to its results.

use std::collections::BTreeSet;
use std::sync::Arc;

use custos_distill::{Distilled, Found, Turn, alike, answer, importance, prompt};
use custos_model::{Event, EventId, Observation, Summary};
use serde_json::json;

use crate::circuit::Advice;
use crate::distiller::within;
use crate::error::WorkerError;
use crate::evidence::{Envelope, Evidence, line, read};
use crate::provenance::{self, Told};
use crate::results::{Learnt, Origin, day};
use crate::run::Worker;
use crate::sitting::Sitting;
use crate::unit::{Sort, Unit};

/// What came of an attempt.
#[derive(Debug)]
pub(crate) enum Attempt {
    /// The results are in the log.
    Done,
    /// It waits for a provider.
    Postponed,
    /// It failed, and why.
    Failed(String),
    /// Its events could not be read, and why. That is nobody's fault that is here, so it is no failure.
    Unread(String),
    /// The worker was asked to end.
    Stopped,
}

/// What a distiller made of a piece of work.
struct Made {
    by: String,
    fell_back: Option<String>,
    observations: Vec<Finding>,
    /// Each with the place of its turn.
    summaries: Vec<(usize, Summary)>,
}

/// An observation, the place of its turn, and the events that it was made from.
struct Finding {
    turn: usize,
    found: Found,
    sources: Vec<EventId>,
}

/// Why a model made nothing.
pub(crate) enum Without {
    /// Somebody else has to: the reason.
    FallBack(String),
    /// It has to wait.
    Postponed,
    Stopped,
}

impl Worker<'_> {
    /// Does a piece of work.
    pub(crate) fn attempt(&mut self, unit: &Unit, sitting: &mut Sitting) -> Result<Attempt, WorkerError> {
        sitting.prepare(self, unit)?;
        if unit.sort == Sort::Session {
            return self.sum_up(unit, sitting);
        }
        let mut evidence = Vec::with_capacity(unit.turns.len());
        for part in &unit.turns {
            match read(&self.reader, part, &sitting.prompts, unit.session.as_deref()) {
                Ok(read) => evidence.push(sitting.hidden(part, read)),
                // What cannot be read keeps nothing else from being done.
                Err(error) => return Ok(Attempt::Unread(error.to_string())),
            }
        }
        let made = match self.made_by_model(unit, &evidence, sitting)? {
            Ok(Some(made)) => made,
            Ok(None) => match self.made_by_rules(&evidence, sitting, None) {
                Ok(made) => made,
                Err(error) => return Ok(Attempt::Failed(error)),
            },
            Err(Without::FallBack(reason)) => match self.made_by_rules(&evidence, sitting, Some(reason)) {
                Ok(made) => made,
                Err(error) => return Ok(Attempt::Failed(error)),
            },
            Err(Without::Postponed) => return Ok(Attempt::Postponed),
            Err(Without::Stopped) => return Ok(Attempt::Stopped),
        };
        self.record(unit, &evidence, &made, sitting)?;
        sitting.went_on(evidence);
        Ok(Attempt::Done)
    }

    /// Lets the rules look at each turn.
    fn made_by_rules(
        &self,
        evidence: &[Evidence],
        sitting: &Sitting,
        fell_back: Option<String>,
    ) -> Result<Made, String> {
        let turns: Vec<Turn> = evidence.iter().map(|evidence| evidence.turn.clone()).collect();
        let (distil, before) = (Arc::clone(&self.around.distil), sitting.before.clone());
        let distilled: Vec<Distilled> = within(self.settings.deadline, move || {
            let mut before = before;
            let distilled = turns.into_iter().map(|turn| {
                let distilled = distil.turn(&turn, &before);
                before.push(turn);
                distilled
            });
            distilled.collect()
        })?;
        let mut made =
            Made { by: "rules".to_owned(), fell_back, observations: Vec::new(), summaries: Vec::new() };
        for (place, (distilled, evidence)) in distilled.into_iter().zip(evidence).enumerate() {
            for found in distilled.observations {
                let steps = found.steps.iter().filter_map(|step| evidence.turn.steps.get(*step));
                let sources = unique(steps.map(|step| step.id).chain(evidence.words.iter().copied()));
                made.observations.push(Finding { turn: place, found, sources });
            }
            made.summaries.extend(distilled.summary.map(|summary| (place, summary)));
        }
        Ok(made)
    }

    /// Lets the model look at all turns together; none where there is no model.
    fn made_by_model(
        &mut self,
        unit: &Unit,
        evidence: &[Evidence],
        sitting: &Sitting,
    ) -> Result<Result<Option<Made>, Without>, WorkerError> {
        let (Some(models), Some(circuit)) = (&self.around.models, &self.circuit) else { return Ok(Ok(None)) };
        let by = format!("{}/{}", models.provider, models.model);
        match circuit.advice(self.around.time.steady()) {
            Advice::Ask => {}
            Advice::Wait(_) => return Ok(Err(Without::Postponed)),
            Advice::DoWithout => return Ok(Err(Without::FallBack(self.away()))),
        }
        let turns: Vec<Turn> = evidence.iter().map(|evidence| evidence.turn.clone()).collect();
        let about = prompt::About {
            project: unit.project.as_deref().unwrap_or("no project"),
            date: &day(unit.last()),
            known: &sitting.titles(),
        };
        let pieces = prompt::of(&turns, &about);
        let distilled = match self.answers(unit, &pieces, &turns)? {
            Ok(answers) => answer::joined(answers),
            Err(without) => return Ok(Err(without)),
        };
        // Steps are counted through all of the turns: each with its turn, its place there and its event.
        let steps: Vec<(usize, usize, EventId)> = turns
            .iter()
            .enumerate()
            .flat_map(|(turn, of)| of.steps.iter().enumerate().map(move |(at, step)| (turn, at, step.id)))
            .collect();
        let last = turns.len().saturating_sub(1);
        let observations = distilled.observations.into_iter().map(|found| {
            let of: Vec<(usize, usize, EventId)> =
                found.steps.iter().filter_map(|step| steps.get(*step).copied()).collect();
            let turn = of.first().map_or(last, |(turn, ..)| *turn);
            // Without steps it came from what was said, in any of the turns.
            let is_told = |turn: usize| of.is_empty() || of.iter().any(|(of, ..)| *of == turn);
            let told = evidence.iter().enumerate().filter(|(turn, _)| is_told(*turn));
            let words = told.flat_map(|(_, evidence)| evidence.words.iter().copied());
            let sources = unique(of.iter().map(|(.., id)| *id).chain(words));
            let own = of.iter().filter(|(of, ..)| *of == turn).map(|(_, at, _)| *at).collect();
            Finding { turn, found: Found { steps: own, ..found }, sources }
        });
        let observations = observations.collect();
        let summaries = distilled.summary.map(|summary| (last, summary)).into_iter().collect();
        Ok(Ok(Some(Made { by, fell_back: None, observations, summaries })))
    }

    /// Appends what was made, all at once.
    fn record(
        &mut self,
        unit: &Unit,
        evidence: &[Evidence],
        made: &Made,
        sitting: &mut Sitting,
    ) -> Result<(), WorkerError> {
        let sources = unit.sources();
        let old = self.index.made_from(&sources, false)?;
        let old = self.made_of_these(unit, old)?;
        let told: Vec<Told> =
            evidence.iter().flat_map(|evidence| provenance::told(&evidence.turn, &evidence.words)).collect();
        let origin = Origin { unit, by: &made.by, at: unit.happened(self.around.time.now()) };
        let (mut drafts, mut results, mut learnt) = (Vec::new(), Vec::new(), Vec::new());
        // What each finding became; none of what a person had forgotten.
        let mut became: Vec<(usize, Option<EventId>)> = Vec::with_capacity(made.observations.len());
        let (mut merged, mut summed) = (0, 0);
        for Finding { turn, found, sources } in &made.observations {
            let observation = &found.observation;
            let key = alike::content_key(unit.session.as_deref().unwrap_or_default(), observation);
            let content: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
            // What a person had forgotten does not come back with another pass.
            if self.index.is_any_forgotten(&origin.passes_of(&content))? {
                became.push((*turn, None));
                continue;
            }
            if let Some(known) = sitting.find(&content, observation, &old) {
                merged += u64::from(!old.contains(&known));
                became.push((*turn, Some(known)));
                results.push(known);
                continue;
            }
            let place = &evidence[*turn];
            let text = format!("{} {}", observation.title, observation.narrative);
            let novelty = self.index.novelty(&text, place.envelope.project.as_deref())?;
            let (importance, parts) = importance::appraise(found, &place.turn, novelty);
            let supersedes = sitting.superseded_by(observation);
            let sources = &provenance::traced(observation, sources, told.iter().chain(sitting.told()));
            let why = serde_json::to_value(parts).unwrap_or_else(|_| json!({}));
            let learning =
                Learnt { found, content: &content, sources, supersedes: &supersedes, importance, why };
            let draft = origin.observation(&learning, &place.envelope);
            let Some(id) = draft.id else { continue };
            sitting.learn(id, content, observation.clone(), &supersedes);
            became.push((*turn, Some(id)));
            results.push(id);
            learnt.push(id);
            drafts.push(draft);
        }
        for (turn, summary) in &made.summaries {
            let place = &evidence[*turn];
            // A summary repeats the titles of what was found, so it is made of that as well, and goes with it. A single one may be of all turns.
            let repeated = became.iter().filter(|(of, _)| of == turn || made.summaries.len() == 1);
            let Some(repeated) = repeated.map(|(_, id)| *id).collect::<Option<Vec<EventId>>>() else {
                continue;
            };
            let of = unit.turns[*turn].events.iter().map(|work| work.event);
            let sources = unique(of.chain(place.words.iter().copied()).chain(repeated));
            let sources = provenance::traced(summary, &sources, told.iter().chain(sitting.told()));
            let draft = origin.summary(summary, &sources, &place.envelope);
            results.extend(draft.id);
            drafts.push(draft);
            summed += 1;
        }
        let kept: BTreeSet<&EventId> = results.iter().collect();
        let replaced: Vec<EventId> = old.into_iter().filter(|id| !kept.contains(id)).collect();
        let envelope = evidence.last().map(|evidence| evidence.envelope.clone()).unwrap_or_default();
        drafts.push(origin.done(&results, &replaced, merged, made.fell_back.as_deref(), &envelope));
        self.append(drafts)?;
        self.report.observations += learnt.len() as u64;
        self.report.summaries += summed;
        if let Some(reason) = &made.fell_back {
            self.report.fell_back += 1;
            self.note(&format!("{} by rules: {reason}", unit.id));
        }
        Ok(())
    }

    /// Keeps what was made of the turns of a piece of work; what was made of a later one may only repeat some words of them.
    fn made_of_these(&mut self, unit: &Unit, made: Vec<EventId>) -> Result<Vec<EventId>, WorkerError> {
        let mut kept = Vec::with_capacity(made.len());
        for id in made {
            let Some(place) = self.index.locate(id)? else { continue };
            let Ok(Some(line)) = line(&self.reader, &place.writer, place.at) else { continue };
            let Ok(event) = serde_json::from_slice::<Event<'_>>(&line) else { continue };
            if unit.turns.iter().any(|part| part.task == event.task) {
                kept.push(id);
            }
        }
        Ok(kept)
    }

    /// Sums a session up: by rules, from what was learnt in it, whoever learnt it.
    fn sum_up(&mut self, unit: &Unit, sitting: &mut Sitting) -> Result<Attempt, WorkerError> {
        let all = sitting.all_turns(self, unit)?;
        let observations: Vec<Observation> = sitting.observations();
        let turns: Vec<Turn> = all.iter().map(|evidence| evidence.turn.clone()).collect();
        let distil = Arc::clone(&self.around.distil);
        let summed = within(self.settings.deadline, move || distil.session(&turns, &observations));
        let summary = match summed {
            Ok(summary) => summary,
            Err(error) => return Ok(Attempt::Failed(error)),
        };
        let old = self.index.made_from(&unit.sources(), true)?;
        let origin = Origin { unit, by: "rules", at: unit.happened(self.around.time.now()) };
        let envelope =
            Envelope { task: None, ..all.last().map(|last| last.envelope.clone()).unwrap_or_default() };
        let mut drafts = Vec::new();
        if let Some(summary) = &summary {
            let words = all.iter().flat_map(|evidence| evidence.words.iter().copied());
            let sources = unique(unit.sources().into_iter().chain(words).chain(sitting.ids()));
            let told: Vec<Told> =
                all.iter().flat_map(|evidence| provenance::told(&evidence.turn, &evidence.words)).collect();
            let sources = provenance::traced(summary, &sources, told.iter());
            drafts.push(origin.summary(summary, &sources, &envelope));
        }
        let results: Vec<EventId> = drafts.iter().filter_map(|draft| draft.id).collect();
        let replaced: Vec<EventId> = old.into_iter().filter(|id| !results.contains(id)).collect();
        drafts.push(origin.done(&results, &replaced, 0, None, &envelope));
        self.append(drafts)?;
        self.report.summaries += results.len() as u64;
        Ok(Attempt::Done)
    }
}

/// Keeps the first of each.
fn unique(ids: impl Iterator<Item = EventId>) -> Vec<EventId> {
    let mut seen = BTreeSet::new();
    ids.filter(|id| seen.insert(*id)).collect()
}
