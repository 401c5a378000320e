//! What the index has not read yet, handed out in batches.
//!
//! A batch is a stretch of one writer's log with everything in it prepared: where it begins, where it ends, and what lies between. It
//! is made without a lock. Whether it still applies is decided when it is stored, by comparing where it begins with how far the
//! index has come by then.

use std::collections::VecDeque;

use custos_log::{Cursor, Line, LogReader, Position, WriterId};
use custos_model::EventId;
use custos_model::version::Readability;

use crate::document::Composer;
use crate::error::IndexError;
use crate::prepare::{Prepared, prepare};

/// How far a writer's log has been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) writer: WriterId,
    pub(crate) position: Position,
    /// The sequence of the last record before it.
    pub(crate) seq: u64,
}

/// A stretch of one writer's log.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) from: Mark,
    pub(crate) to: Mark,
    pub(crate) items: Vec<Item>,
    pub(crate) bytes: u64,
}

/// What came of one line.
#[derive(Debug)]
pub(crate) enum Item {
    Event(Box<Prepared>),
    /// A record whose content is gone.
    Gone {
        id: EventId,
        kind: String,
    },
    Problem {
        at: Position,
        reason: String,
    },
}

/// What a look at the backlog gives.
pub(crate) enum Next {
    Batch(Batch),
    /// The log does not continue where the index has stopped: it was replaced, and the index with it must be.
    Rewound,
    /// Nothing more at the moment.
    End,
}

/// How much goes into one batch: it bounds memory, and how long others wait for the transaction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BatchSize {
    pub(crate) lines: usize,
    pub(crate) bytes: u64,
}

impl BatchSize {
    /// For whoever has time.
    pub(crate) const LARGE: Self = Self { lines: 4096, bytes: 8 << 20 };
    /// For whoever counts milliseconds.
    pub(crate) const SMALL: Self = Self { lines: 64, bytes: 256 << 10 };
}

/// Everything that is still to be read.
pub(crate) struct Backlog {
    log: LogReader,
    waiting: VecDeque<Mark>,
    reading: Option<Reading>,
    composer: Composer,
}

struct Reading {
    cursor: Cursor,
    mark: Mark,
    /// No line was read yet, so the next one shows whether the log still continues from here.
    resuming: bool,
}

impl Backlog {
    /// Begins at the marks; writers without one are read from their start.
    pub(crate) fn new(log: &LogReader, marks: &[Mark]) -> Result<Self, IndexError> {
        let waiting = log.writers()?.into_iter().map(|writer| {
            let known = marks.iter().find(|mark| mark.writer == writer);
            known.cloned().unwrap_or(Mark { writer, position: Position::START, seq: 0 })
        });
        Ok(Self {
            log: log.clone(),
            waiting: waiting.collect(),
            reading: None,
            composer: Composer::default(),
        })
    }

    /// Measures what is still to be read, in bytes.
    pub(crate) fn bytes(&self) -> Result<u64, IndexError> {
        let mut bytes = 0;
        for mark in &self.waiting {
            for segment in self.log.segments(&mark.writer)? {
                if segment >= mark.position.segment {
                    bytes += self.log.segment_len(&mark.writer, segment)?;
                }
            }
            bytes -= mark.position.offset.min(bytes);
        }
        Ok(bytes)
    }

    /// Reads the next batch. `stop` is asked now and then, and ends the batch early.
    pub(crate) fn next(
        &mut self,
        size: BatchSize,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Next, IndexError> {
        loop {
            if self.reading.is_none() {
                let Some(mark) = self.waiting.pop_front() else { return Ok(Next::End) };
                let resuming = mark.position != Position::START;
                let cursor = self.log.cursor(&mark.writer, mark.position)?;
                self.reading = Some(Reading { cursor, mark, resuming });
            }
            let Some(reading) = &mut self.reading else { return Ok(Next::End) };
            match reading.next(size, &mut self.composer, &self.log, stop)? {
                Next::End => self.reading = None,
                found => return Ok(found),
            }
        }
    }
}

impl Reading {
    fn next(
        &mut self,
        size: BatchSize,
        composer: &mut Composer,
        log: &LogReader,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Next, IndexError> {
        let from = self.mark.clone();
        let mut items = Vec::new();
        let (mut lines, mut bytes) = (0, 0);
        while lines < size.lines && bytes < size.bytes {
            if lines % 16 == 15 && stop() {
                break;
            }
            let before = self.cursor.position();
            let Some(line) = self.cursor.next()? else { break };
            if self.resuming {
                self.resuming = false;
                if has_been_replaced(&line, &from, log)? {
                    return Ok(Next::Rewound);
                }
            }
            let seq = line.seq();
            let item = match line {
                Line::Record(record) => match prepare(&record, composer) {
                    Ok(prepared) => Item::Event(Box::new(prepared)),
                    Err(reason) => Item::Problem { at: record.at, reason },
                },
                Line::Forgotten(frame) => Item::Gone { id: frame.id, kind: frame.kind.to_owned() },
                Line::Newer(frame) => {
                    let reason = format!("schema {} is newer than this program", frame.v);
                    Item::Problem { at: before, reason }
                }
                Line::Broken(broken) => Item::Problem { at: broken.at, reason: broken.reason },
            };
            items.push(item);
            lines += 1;
            let after = self.cursor.position();
            let begin = if after.segment == before.segment { before.offset } else { 0 };
            bytes += after.offset.saturating_sub(begin);
            self.mark.seq = seq.unwrap_or(self.mark.seq);
        }
        if lines == 0 {
            return Ok(Next::End);
        }
        self.mark.position = self.cursor.position();
        Ok(Next::Batch(Batch { from, to: self.mark.clone(), items, bytes }))
    }
}

/// Says whether the first line after a mark shows that this is not the log in which the mark was made.
fn has_been_replaced(line: &Line<'_>, mark: &Mark, log: &LogReader) -> Result<bool, IndexError> {
    match line {
        // Records from before the chain have no sequence of their own.
        Line::Record(record) if record.written_in.readability() == Readability::Older => Ok(false),
        Line::Broken(broken) if broken.at == mark.position && mark.position.offset > 0 => {
            // Broken it may well be. But if what stands before it is not the end of a line, we are in the middle of one.
            let before = Position { offset: mark.position.offset - 1, ..mark.position };
            let mut cursor = log.cursor(&mark.writer, before)?;
            Ok(!matches!(cursor.next()?, Some(Line::Broken(end)) if end.len == 0))
        }
        line => Ok(line.seq().is_some_and(|seq| seq <= mark.seq)),
    }
}

/// Says whether what was read up to the marks is no longer there.
pub(crate) fn is_behind(log: &LogReader, marks: &[Mark]) -> Result<bool, IndexError> {
    for Mark { writer, position, .. } in marks {
        if *position == Position::START {
            continue;
        }
        let segments = log.segments(writer)?;
        // A cursor that has walked past the last segment stands at the start of one that is still to come.
        let to_come =
            position.offset == 0 && segments.last().is_some_and(|last| last + 1 >= position.segment);
        if !segments.contains(&position.segment) && !to_come {
            return Ok(true);
        }
        if position.offset > 0 && log.segment_len(writer, position.segment)? < position.offset {
            return Ok(true);
        }
    }
    Ok(false)
}
