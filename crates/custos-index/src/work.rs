//! What was made from what, and which work is still to be done.
//!
//! A tool event, the end of a turn and the end of a session are work until somebody says that it is done. What is said about an event
//! stands in the table `sources`, one row for each event that names it, and the state follows from the rows alone: in which order they
//! came does not matter.
//!
//! Work is done in passes. The first has the number 0, and whoever opens work again gives the number of the pass that this begins. To be
//! done or given up closes a pass, and all before it; work waits until the last pass that was begun is closed. So it does no harm to say
//! the same thing twice: to give up what was given up, or to open what still waits.

use custos_model::EventId;
use rusqlite::params;

use crate::apply::signed;
use crate::error::IndexError;
use crate::prepare::{Content, Done, Made, Prepared, Usage};
use crate::tables::Tables;

/// What an event says about its sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    /// It is a text that somebody else made of them; they need no other.
    Result = 0,
    /// An attempt at them failed.
    Failed = 1,
    /// They were given up.
    Abandoned = 2,
    /// They are to be done again.
    Reopened = 3,
    /// They are done.
    Done = 4,
    /// It is a text that a worker made of them, and which does not count before the worker says that all is done.
    Made = 5,
}

impl Tables<'_, '_> {
    /// Remembers what an event was made from, and settles the work that this was.
    pub(crate) fn derive(
        &self,
        derived: EventId,
        sources: &[EventId],
        link: Link,
        pass: u64,
    ) -> Result<(), IndexError> {
        for source in sources {
            if self.is_forgotten(*source)? {
                continue;
            }
            self.connection
                .prepare_cached("INSERT OR IGNORE INTO sources VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![source.as_bytes(), derived.as_bytes(), link as i64, signed(pass)])?;
            if link != Link::Made {
                self.settle(*source)?;
            }
        }
        Ok(())
    }

    /// Brings the state of a piece of work in line with what is known about it.
    pub(crate) fn settle(&self, event: EventId) -> Result<(), IndexError> {
        self.connection
            .prepare_cached(
                "WITH said AS (SELECT result, pass FROM sources WHERE source = ?1 AND result <> 5),
                      sums AS (SELECT
                        coalesce(max(pass) FILTER (WHERE result IN (0, 2, 4)), -1) AS closed,
                        coalesce(max(pass) FILTER (WHERE result = 3), 0) AS opened,
                        coalesce(max(pass), 0) AS last,
                        count(*) FILTER (WHERE result IN (0, 4)) AS done
                        FROM said)
                 UPDATE work SET
                    attempts = (SELECT count(*) FROM said, sums WHERE result = 1 AND pass = last),
                    passes = (SELECT last FROM sums),
                    state = (SELECT CASE
                        WHEN closed < opened THEN 0
                        WHEN done > 0 THEN 1
                        ELSE 2 END FROM sums)
                 WHERE event = ?1",
            )?
            .execute([event.as_bytes()])?;
        Ok(())
    }

    pub(crate) fn store_work(&self, event: &Prepared, kind: i64, writer: i64) -> Result<(), IndexError> {
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO work VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, 0, 0)")?
            .execute(params![
                event.id.as_bytes(),
                kind,
                writer,
                event.ts.as_millis(),
                event.session,
                event.project,
                event.task,
            ])?;
        let named: bool = self
            .connection
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM sources WHERE source = ?1)")?
            .query_row([event.id.as_bytes()], |row| row.get(0))?;
        if named { self.settle(event.id) } else { Ok(()) }
    }

    pub(crate) fn store_made(&self, event: &Prepared, made: Option<&Made>) -> Result<(), IndexError> {
        let Some(Made { work, content, of_session }) = made else { return Ok(()) };
        self.connection
            .prepare_cached("INSERT OR IGNORE INTO made VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
            .execute(params![
                event.id.as_bytes(),
                event.ts.as_millis(),
                work,
                event.session,
                content,
                of_session
            ])?;
        Ok(())
    }

    pub(crate) fn store_done(&self, event: &Prepared, done: &Done) -> Result<(), IndexError> {
        self.connection
            .prepare_cached("INSERT OR IGNORE INTO done VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?
            .execute(params![
                event.id.as_bytes(),
                done.work,
                event.ts.as_millis(),
                event.session,
                done.maker,
                done.fell_back,
                signed(done.results as u64),
                signed(done.merged),
            ])?;
        Ok(())
    }

    /// Takes note of what has taken the place of some texts: the event itself, or what it names. What was forgotten takes no place.
    pub(crate) fn supersede(
        &self,
        event: &Prepared,
        old: &[EventId],
        by: Option<EventId>,
    ) -> Result<(), IndexError> {
        let replacement = by.unwrap_or(event.id);
        let corrects = !matches!(event.content, Content::Done { .. } | Content::Text { made: Some(_), .. });
        for id in old {
            self.connection
                .prepare_cached(
                    "INSERT OR IGNORE INTO superseded SELECT ?1, ?2, ?3, ?4, ?5
                     WHERE NOT EXISTS (SELECT 1 FROM forgotten WHERE id = ?2)",
                )?
                .execute(params![
                    id.as_bytes(),
                    replacement.as_bytes(),
                    event.id.as_bytes(),
                    event.ts.as_millis(),
                    corrects
                ])?;
        }
        Ok(())
    }

    pub(crate) fn store_usage(&self, event: &Prepared, usage: &Usage) -> Result<(), IndexError> {
        self.connection
            .prepare_cached(
                "INSERT OR IGNORE INTO usage VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?
            .execute(params![
                event.id.as_bytes(),
                event.ts.as_millis(),
                event.session,
                event.project,
                usage.work,
                usage.provider,
                usage.model,
                signed(usage.input),
                signed(usage.cached),
                signed(usage.output),
                usage.microdollars.map(signed),
            ])?;
        Ok(())
    }

    /// Takes out what the worker's books hold of an event.
    pub(crate) fn remove_from_books(&self, id: EventId) -> Result<(), IndexError> {
        let statements = [
            "DELETE FROM done WHERE id = ?1",
            "DELETE FROM made WHERE id = ?1",
            "DELETE FROM usage WHERE id = ?1",
            "DELETE FROM pins WHERE event = ?1",
            "DELETE FROM served WHERE id = ?1",
        ];
        for sql in statements {
            self.connection.prepare_cached(sql)?.execute([id.as_bytes()])?;
        }
        Ok(())
    }
}
