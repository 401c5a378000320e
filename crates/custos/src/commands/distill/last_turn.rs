//! The last turn in which a file was changed.

use custos_distill::{Turn, What, read};
use custos_index::{Index, IndexError};
use custos_log::{Line, LogReader, Position, WriterId};
use custos_model::{Event, Timestamp};
use custos_worker::forgotten::Forgotten;

/// How many sessions are looked through, the newest first.
const SESSIONS: usize = 20;

/// How many turns before it a distiller gets to see.
const BEFORE: usize = 5;

/// A turn, and what was before it.
pub(super) struct Found {
    pub(super) session: String,
    pub(super) turn: Turn,
    /// The turns before it, oldest first.
    pub(super) before: Vec<Turn>,
}

/// The events of a turn: its task, whether that still has a prompt, when it was last worked on, and where they stand in the log.
struct Task {
    name: Option<String>,
    has_prompt: bool,
    worked_on: Option<Timestamp>,
    places: Vec<(WriterId, Position)>,
}

/// Finds the last turn of a session, or of a project, or of any, in which a file was changed.
pub(super) fn find(
    index: &mut Index,
    log: &LogReader,
    session: Option<&str>,
    project: Option<&str>,
) -> Result<Option<Found>, IndexError> {
    let sessions: Vec<String> = match session {
        Some(session) => vec![session.to_owned()],
        None => index.sessions(project, SESSIONS)?.into_iter().map(|session| session.session).collect(),
    };
    let forgotten = Forgotten::read(index)?;
    for session in sessions {
        let tasks = tasks(index, &session)?;
        for (at, task) in tasks.iter().enumerate().rev() {
            let turn = turn(log, task, &forgotten)?;
            if turn.is_private || !turn.steps.iter().any(changes) {
                continue;
            }
            let before = tasks[at.saturating_sub(BEFORE)..at].iter();
            let before = before.map(|task| self::turn(log, task, &forgotten)).collect::<Result<_, _>>()?;
            return Ok(Some(Found { session, turn, before }));
        }
    }
    Ok(None)
}

fn changes(step: &custos_distill::Step) -> bool {
    step.ok != Some(false) && (!step.files_changed.is_empty() || matches!(step.what, What::Edited(_)))
}

/// Groups what a session did by the prompts that it was for, oldest first.
fn tasks(index: &mut Index, session: &str) -> Result<Vec<Task>, IndexError> {
    let prompts = index.prompts_of(session)?.into_iter();
    let prompts = prompts.map(|prompt| (prompt.task, prompt.writer, prompt.at, None));
    let work = index.work_of(Some(session))?.into_iter();
    let work = work.map(|work| (work.task, work.writer, work.at, Some(work.ts)));
    let mut events: Vec<_> = prompts.chain(work).collect();
    events.sort_by(|a, b| (&a.1, a.2).cmp(&(&b.1, b.2)));
    let mut tasks: Vec<Task> = Vec::new();
    for (name, writer, at, worked_on) in events {
        let of = tasks.iter().position(|task| task.name == name).unwrap_or_else(|| {
            // What was for no prompt has lost none.
            let has_prompt = name.is_none();
            tasks.push(Task { name, has_prompt, worked_on: None, places: Vec::new() });
            tasks.len() - 1
        });
        let task = &mut tasks[of];
        task.has_prompt |= worked_on.is_none();
        task.worked_on = task.worked_on.max(worked_on);
        task.places.push((writer, at));
    }
    // By when each was last worked on: a prompt that was put in between does not end what it interrupts.
    tasks.sort_by_cached_key(|task| task.places.last().cloned());
    Ok(tasks)
}

/// Reads a turn. One whose prompt was forgotten counts as private, as it does to a worker.
fn turn(log: &LogReader, task: &Task, forgotten: &Forgotten) -> Result<Turn, IndexError> {
    let mut lines = Vec::with_capacity(task.places.len());
    for (writer, at) in &task.places {
        let mut cursor = log.cursor(writer, *at)?;
        if let Some(Line::Record(record)) = cursor.next()? {
            lines.push(record.line().to_vec());
        }
    }
    let events: Vec<Event<'_>> = lines.iter().filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let turn = read::turn(&events, None);
    let is_orphan = !task.has_prompt && task.worked_on.is_some_and(|last| forgotten.may_hold_prompt_of(last));
    Ok(Turn { is_private: turn.is_private || is_orphan, ..turn })
}
