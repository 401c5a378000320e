//! What a person sees of the work, and moves: list, do again, drop.
//!
//! Nothing is moved but by an event in the log. Work that was given up is opened again; work that is done is opened for another pass, whose
//! results take the place of the old ones; work that nobody wants is given up.

use std::collections::HashMap;

use custos_index::{Index, Work, WorkState};
use custos_log::Log;
use custos_model::{EventId, Origin};

use crate::error::WorkerError;
use crate::results;
use crate::run::units;
use crate::unit::{Outlook, Part, Sort, Unit, WorkId, parts};

/// A piece of work, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The work.
    pub unit: Unit,
    /// How far it has come.
    pub standing: Standing,
}

/// How far a piece of work has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// The next worker does it.
    Ready,
    /// It waits, and why.
    Waits(&'static str),
    /// It was given up.
    Abandoned,
    /// It has its results.
    Done {
        /// Who made them.
        by: String,
        /// Why not who should have.
        fell_back: Option<String>,
        /// How many there are.
        results: u64,
    },
}

/// Why work waits that is not ours.
const ELSEWHERE: &str = "another machine recorded it and distils it; here it is done after a day";

/// Lists the work that waits or was given up.
pub fn open(index: &mut Index, session: Option<&str>, outlook: &Outlook) -> Result<Vec<Listed>, WorkerError> {
    let mut listed = Vec::new();
    for waiting in index.waiting()? {
        if session.is_some() && waiting.session.as_deref() != session {
            continue;
        }
        let elsewhere = elsewhere(index, waiting.session.as_deref(), outlook)?;
        let (units, _) = units(index, waiting.session.as_deref(), outlook)?;
        listed.extend(units.into_iter().map(|unit| {
            let standing = unit.waits.map_or(Standing::Ready, |waits| Standing::Waits(waits.reason()));
            Listed { unit, standing }
        }));
        listed
            .extend(elsewhere.into_iter().map(|unit| Listed { unit, standing: Standing::Waits(ELSEWHERE) }));
    }
    let mut given_up: Vec<(Option<String>, Vec<Work>)> = Vec::new();
    for work in index.abandoned_work(usize::MAX)? {
        if session.is_some() && work.session.as_deref() != session {
            continue;
        }
        match given_up.last_mut() {
            Some((of, works)) if *of == work.session => works.push(work),
            _ => given_up.push((work.session.clone(), vec![work])),
        }
    }
    for (_, works) in given_up {
        let units = parts(works).into_iter().map(unit_of);
        listed.extend(units.map(|unit| Listed { unit, standing: Standing::Abandoned }));
    }
    Ok(listed)
}

/// Cuts what waits for the machine that recorded it into pieces.
fn elsewhere(index: &mut Index, session: Option<&str>, outlook: &Outlook) -> Result<Vec<Unit>, WorkerError> {
    let mut pending = index.work_of(session)?;
    pending.retain(|work| work.state == WorkState::Pending && !outlook.is_ours(work));
    Ok(parts(pending).into_iter().map(unit_of).collect())
}

/// Lists the work that is done, the newest first: of one session or all, or only what somebody else had to do. What counts is the last
/// pass over an event, however the passes were cut.
pub fn done(
    index: &mut Index,
    session: Option<&str>,
    only_fallbacks: bool,
    limit: usize,
) -> Result<Vec<Listed>, WorkerError> {
    let mut passes: Vec<(u64, Listed)> = Vec::new();
    let mut last: HashMap<EventId, u64> = HashMap::new();
    let mut last_ts = None;
    for finished in index.finished(session, false, usize::MAX)? {
        // All passes over the same events bear the same instant, and come in no order.
        if passes.len() >= limit && !only_fallbacks && last_ts != Some(finished.ts) {
            break;
        }
        last_ts = Some(finished.ts);
        let sources = index.sources_of(finished.id)?;
        // It may wait for another pass by now, or its events were forgotten.
        if sources.is_empty() || sources.iter().any(|work| work.state != WorkState::Done) {
            continue;
        }
        let standing =
            Standing::Done { by: finished.maker, fell_back: finished.fell_back, results: finished.results };
        let unit = unit_of(Part { task: sources[0].task.clone(), events: sources });
        let pass = results::pass_of(finished.id, &finished.work, unit.passes);
        for work in unit.events() {
            let last = last.entry(work.event).or_default();
            *last = pass.max(*last);
        }
        passes.push((pass, Listed { unit, standing }));
    }
    let is_last = |pass: u64, unit: &Unit| {
        unit.events().any(|work| last.get(&work.event).is_none_or(|last| *last <= pass))
    };
    let fell_back = |one: &Listed| matches!(one.standing, Standing::Done { fell_back: Some(_), .. });
    let listed = passes.into_iter().filter(|(pass, one)| is_last(*pass, &one.unit)).map(|(_, one)| one);
    Ok(listed.filter(|one| !only_fallbacks || fell_back(one)).take(limit).collect())
}

/// Opens work again.
pub fn reopen(log: &Log, unit: &Unit, reason: &str) -> Result<(), WorkerError> {
    log.append(results::reopened(unit, reason), Origin::Cli)?;
    Ok(())
}

/// Gives work up.
pub fn abandon(log: &Log, unit: &Unit, reason: &str) -> Result<(), WorkerError> {
    log.append(results::abandoned(unit, reason), Origin::Cli)?;
    Ok(())
}

/// Finds work by its id or the beginning of it; an error names how many begin with it.
pub fn find<'a>(listed: &'a [Listed], wanted: &str) -> Result<&'a Listed, usize> {
    let wanted = wanted.to_ascii_lowercase();
    let is_wanted = |one: &&Listed| !wanted.is_empty() && one.unit.id.as_str().starts_with(&wanted);
    let found: Vec<&Listed> = listed.iter().filter(is_wanted).collect();
    match found.as_slice() {
        [one] => Ok(one),
        several => Err(several.len()),
    }
}

fn unit_of(part: Part) -> Unit {
    let is_end = part.events.iter().all(|work| {
        matches!(work.kind, custos_model::Kind::SessionEnded | custos_model::Kind::SessionInterrupted)
    });
    let sort = if is_end { Sort::Session } else { Sort::Turns };
    let sources: Vec<_> = part.events.iter().map(|work| work.event).collect();
    Unit {
        id: WorkId::of(sort, &sources),
        sort,
        session: part.events.iter().find_map(|work| work.session.clone()),
        project: part.events.iter().find_map(|work| work.project.clone()),
        attempts: part.events.iter().map(|work| work.attempts).max().unwrap_or(0),
        passes: part.events.iter().map(|work| work.passes).max().unwrap_or(0),
        waits: None,
        turns: vec![part],
    }
}
