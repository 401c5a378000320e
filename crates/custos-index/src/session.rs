//! What a session came to: sums over its rows.
//!
//! The same sums are taken in two ways, row by row while catching up and from the tables after something was forgotten, and both must
//! agree to the last figure. So there is one way to add a row, and one to write the result.

use std::collections::{BTreeMap, BTreeSet};

use custos_model::Kind;
use rusqlite::{Connection, params};

use crate::key::{Table, moment, table};

/// Where a row of a session comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Prompt,
    ToolEvent,
    Observation,
    Summary,
    Milestone(Kind),
}

impl Part {
    /// Gives the part that a text is.
    pub(crate) const fn of(table: Table) -> Self {
        match table {
            Table::Prompts => Self::Prompt,
            Table::Observations => Self::Observation,
            Table::Summaries | Table::Other => Self::Summary,
        }
    }
}

/// One row that belongs to a session.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    pub(crate) part: Part,
    /// The part of its key that tells the time.
    pub(crate) key: i64,
    pub(crate) ts: i64,
    pub(crate) project: Option<&'a str>,
    pub(crate) client: Option<&'a str>,
    pub(crate) agent: Option<&'a str>,
}

/// What the earliest row says about the whole session.
#[derive(Debug, Default)]
struct Earliest {
    key: i64,
    project: Option<String>,
    client: Option<String>,
    agent: Option<String>,
}

/// The sums of some rows of one session.
#[derive(Debug, Default)]
struct Sums {
    earliest: Option<Earliest>,
    first: Option<i64>,
    last: Option<i64>,
    started: Option<i64>,
    ended: Option<i64>,
    interrupted: Option<i64>,
    turns: i64,
    prompts: i64,
    tool_events: i64,
    observations: i64,
    summaries: i64,
}

/// Collects the sums of many sessions before they are written.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    sums: BTreeMap<String, Sums>,
}

impl Sessions {
    /// Adds a row.
    pub(crate) fn add(&mut self, session: &str, row: &Row<'_>) {
        if !self.sums.contains_key(session) {
            self.sums.insert(session.to_owned(), Sums::default());
        }
        let Some(sums) = self.sums.get_mut(session) else { return };
        if sums.earliest.as_ref().is_none_or(|earliest| row.key < earliest.key) {
            let owned = |text: Option<&str>| text.map(str::to_owned);
            sums.earliest = Some(Earliest {
                key: row.key,
                project: owned(row.project),
                client: owned(row.client),
                agent: owned(row.agent),
            });
        }
        let least = |known: &mut Option<i64>| *known = Some(known.map_or(row.ts, |known| known.min(row.ts)));
        let greatest = |known: &mut Option<i64>| *known = (*known).max(Some(row.ts));
        least(&mut sums.first);
        greatest(&mut sums.last);
        match row.part {
            Part::Prompt => sums.prompts += 1,
            Part::ToolEvent => sums.tool_events += 1,
            Part::Observation => sums.observations += 1,
            Part::Summary => sums.summaries += 1,
            Part::Milestone(Kind::SessionStarted) => least(&mut sums.started),
            Part::Milestone(Kind::SessionEnded) => greatest(&mut sums.ended),
            Part::Milestone(Kind::SessionInterrupted) => greatest(&mut sums.interrupted),
            Part::Milestone(_) => sums.turns += 1,
        }
    }

    /// Adds the collected sums to what is stored, and forgets them.
    pub(crate) fn write(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let mut upsert = connection.prepare_cached(
            "INSERT INTO sessions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
             ON CONFLICT (session) DO UPDATE SET
                project = CASE WHEN excluded.first_key < first_key THEN excluded.project ELSE project END,
                client = CASE WHEN excluded.first_key < first_key THEN excluded.client ELSE client END,
                agent = CASE WHEN excluded.first_key < first_key THEN excluded.agent ELSE agent END,
                first_key = min(first_key, excluded.first_key),
                first = min(first, excluded.first),
                last = max(last, excluded.last),
                started = coalesce(min(started, excluded.started), started, excluded.started),
                ended = coalesce(max(ended, excluded.ended), ended, excluded.ended),
                interrupted = coalesce(max(interrupted, excluded.interrupted), interrupted, excluded.interrupted),
                turns = turns + excluded.turns,
                prompts = prompts + excluded.prompts,
                tool_events = tool_events + excluded.tool_events,
                observations = observations + excluded.observations,
                summaries = summaries + excluded.summaries",
        )?;
        for (session, sums) in std::mem::take(&mut self.sums) {
            let Earliest { key, project, client, agent } = sums.earliest.unwrap_or_default();
            upsert.execute(params![
                session,
                project,
                client,
                agent,
                key,
                sums.first,
                sums.last,
                sums.started,
                sums.ended,
                sums.interrupted,
                sums.turns,
                sums.prompts,
                sums.tool_events,
                sums.observations,
                sums.summaries,
            ])?;
        }
        Ok(())
    }
}

/// Computes sessions anew from their rows; those without any are removed. Reads each table once.
pub(crate) fn recompute(
    connection: &Connection,
    sessions: &BTreeSet<String>,
    milestone_kinds: &BTreeMap<i64, Kind>,
) -> rusqlite::Result<()> {
    let mut delete = connection.prepare_cached("DELETE FROM sessions WHERE session = ?1")?;
    for session in sessions {
        delete.execute([session])?;
    }
    let mut collected = Sessions::default();
    let tables = [
        ("texts", Part::Prompt),
        ("tool_events", Part::ToolEvent),
        ("milestones", Part::Milestone(Kind::TurnEnded)),
    ];
    for (name, part) in tables {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT session, key, ts, project, client, agent, kind FROM {name} WHERE session IS NOT NULL"
        ))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let text =
                |column| row.get_ref(column).and_then(|value| value.as_str_or_null().map_err(Into::into));
            let Some(session) = text(0)?.filter(|session| sessions.contains(*session)) else { continue };
            let key = row.get(1)?;
            let part = match part {
                Part::Milestone(other) => {
                    Part::Milestone(milestone_kinds.get(&row.get(6)?).copied().unwrap_or(other))
                }
                Part::ToolEvent => part,
                _ => Part::of(table(key)),
            };
            let row = Row {
                part,
                key: moment(key),
                ts: row.get(2)?,
                project: text(3)?,
                client: text(4)?,
                agent: text(5)?,
            };
            collected.add(session, &row);
        }
    }
    collected.write(connection)
}
