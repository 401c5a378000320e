//! The events of a piece of work, read from the log.
//!
//! The index says where each line begins. Lines of one turn mostly stand close together, so they are read in one go; and what else the log
//! tells of the same turn on the way, such as which sub-agents came and went, is taken along.

use std::collections::VecDeque;

use custos_distill::Turn;
use custos_index::{Prompted, Work};
use custos_log::{Line, LogError, LogReader, Position, WriterId};
use custos_model::{Agent, Event, EventId, Kind};

use crate::unit::Part;

/// A gap in the log that is not read through: with many sessions at once, most of what lies between the lines of a turn is others'.
const GAP: u64 = 32 << 10;

/// A turn as the log tells it.
#[derive(Debug, Clone)]
pub(crate) struct Evidence {
    pub(crate) turn: Turn,
    pub(crate) envelope: Envelope,
    /// The prompts and the ends: what they say may be in anything that is made of the turn.
    pub(crate) words: Vec<EventId>,
}

/// What an event that is made of others has in common with them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Envelope {
    pub(crate) project: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) commit: Option<String>,
    pub(crate) agent: Option<Agent>,
    pub(crate) task: Option<String>,
}

/// Reads a turn.
pub(crate) fn read(
    log: &LogReader,
    part: &Part,
    prompts: &[Prompted],
    session: Option<&str>,
) -> Result<Evidence, LogError> {
    let asked = prompts.iter().filter(|prompt| part.task.is_some() && prompt.task == part.task);
    let mut places: Vec<(WriterId, Position)> =
        asked.map(|prompt| (prompt.writer.clone(), prompt.at)).collect();
    places.extend(part.events.iter().map(|work: &Work| (work.writer.clone(), work.at)));
    let lines = lines(log, places, session, part.task.as_deref())?;
    let events: Vec<Event<'_>> = lines.iter().filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let mut envelope = Envelope::default();
    for event in &events {
        envelope.project = event.project.clone().or(envelope.project);
        envelope.branch = event.branch.clone().or(envelope.branch);
        envelope.commit = event.commit.clone().or(envelope.commit);
        envelope.task = event.task.clone().or(envelope.task);
        // Whoever was asked stands for the turn, whoever else worked in it.
        let is_main = matches!(event.kind, Kind::PromptSubmitted | Kind::TurnEnded);
        if is_main || envelope.agent.is_none() {
            envelope.agent = event.agent.clone().or(envelope.agent);
        }
    }
    let is_words = |event: &&Event<'_>| matches!(event.kind, Kind::PromptSubmitted | Kind::TurnEnded);
    let words = events.iter().filter(is_words).map(|event| event.id).collect();
    Ok(Evidence { turn: custos_distill::read::turn(&events, None), envelope, words })
}

/// Reads one record's line.
pub(crate) fn line(log: &LogReader, writer: &WriterId, at: Position) -> Result<Option<Vec<u8>>, LogError> {
    Ok(lines(log, vec![(writer.clone(), at)], None, None)?.pop())
}

/// Reads lines in the order of the log, and those that go with them. What was forgotten since is left out.
fn lines(
    log: &LogReader,
    mut places: Vec<(WriterId, Position)>,
    session: Option<&str>,
    task: Option<&str>,
) -> Result<Vec<Vec<u8>>, LogError> {
    places.sort_unstable();
    places.dedup();
    let mut wanted = VecDeque::from(places);
    let mut found = Vec::with_capacity(wanted.len());
    while let Some((writer, from)) = wanted.front().cloned() {
        let mut cursor = log.cursor(&writer, from)?;
        loop {
            let (at, line) = match cursor.next()? {
                None => break,
                Some(Line::Record(record)) => (Some(record.at), record.line().to_vec()),
                Some(_) => (None, Vec::new()),
            };
            let is_wanted = at.is_some_and(|at| wanted.front() == Some(&(writer.clone(), at)));
            if is_wanted || (session.is_some() && at.is_some() && goes_with(&line, session, task)) {
                found.push(line);
            }
            let passed = cursor.position();
            while wanted.front().is_some_and(|(of, at)| *of == writer && *at < passed) {
                wanted.pop_front();
            }
            let is_near = |(of, at): &(WriterId, Position)| {
                *of == writer && at.segment == passed.segment && at.offset - passed.offset < GAP
            };
            if !wanted.front().is_some_and(is_near) {
                break;
            }
        }
        // At the end of a log that has become shorter, what was wanted is not there.
        if wanted.front().is_some_and(|(of, at)| *of == writer && *at == from) {
            wanted.pop_front();
        }
    }
    Ok(found)
}

/// Says whether a line tells of a sub-agent of the same turn.
fn goes_with(line: &[u8], session: Option<&str>, task: Option<&str>) -> bool {
    // The opening of a record is short; most lines are seen to be of another kind without being parsed.
    let opening = &line[..line.len().min(256)];
    if memchr::memmem::find(opening, b"\"kind\":\"subagent.").is_none() {
        return false;
    }
    serde_json::from_slice::<Event<'_>>(line)
        .is_ok_and(|event| event.session.as_deref() == session && event.task.as_deref() == task)
}
