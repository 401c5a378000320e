//! The newest events of a writer, without reading the rest.
//!
//! A log of a year is a few hundred megabytes, and whoever asks for the last twenty events waits for none of it: segments are read backwards,
//! in windows that grow while too little is found.

use std::collections::VecDeque;

use custos_model::Event;

use crate::error::LogError;
use crate::read::{Line, LogReader, Position};
use crate::writer::WriterId;

/// How much of a segment is read at first, and at most, on the way back.
const FIRST_WINDOW: u64 = 256 << 10;
const LARGEST_WINDOW: u64 = 64 << 20;

/// What was found.
#[derive(Debug)]
pub struct Newest<T> {
    /// What was taken, the oldest first.
    pub found: VecDeque<T>,
    /// Where the log ended.
    pub end: Position,
    /// Whether older events were left unread because they would have taken too long.
    pub is_cut: bool,
}

/// Finds the newest events of a writer of which `take` takes something, at most so many, reading at most so many bytes.
pub fn newest<T>(
    reader: &LogReader,
    writer: &WriterId,
    most: usize,
    within: u64,
    take: &mut dyn FnMut(&Event<'_>) -> Option<T>,
) -> Result<Newest<T>, LogError> {
    let mut newest = Newest { found: VecDeque::new(), end: Position::START, is_cut: false };
    let (mut is_first, mut read) = (true, 0);
    for segment in reader.segments(writer)?.into_iter().rev() {
        // Of the newest segment also what is appended while it is read.
        let mut until = if is_first { u64::MAX } else { reader.segment_len(writer, segment)? };
        let mut window = FIRST_WINDOW;
        loop {
            let end = until.min(reader.segment_len(writer, segment)?);
            let from = end.saturating_sub(window);
            read += end - from;
            let stretch =
                Stretch::read(reader, writer, Position { segment, offset: from }, until, most, take)?;
            if is_first {
                newest.end = stretch.end;
                is_first = false;
            }
            for item in stretch.found.into_iter().rev() {
                newest.found.push_front(item);
            }
            if newest.found.len() >= most {
                newest.found.drain(..newest.found.len() - most);
                return Ok(newest);
            }
            if from == 0 {
                break;
            }
            if read >= within {
                newest.is_cut = true;
                return Ok(newest);
            }
            until = stretch.begin;
            window = (window * 8).min(LARGEST_WINDOW);
        }
    }
    Ok(newest)
}

/// What a stretch of a segment holds.
struct Stretch<T> {
    found: VecDeque<T>,
    /// Where its first whole line begins: the stretch before it ends there.
    begin: u64,
    /// Where reading stopped.
    end: Position,
}

impl<T> Stretch<T> {
    /// Reads the lines of one segment that begin between two places.
    fn read(
        reader: &LogReader,
        writer: &WriterId,
        from: Position,
        until: u64,
        most: usize,
        take: &mut dyn FnMut(&Event<'_>) -> Option<T>,
    ) -> Result<Self, LogError> {
        let mut cursor = reader.cursor(writer, from)?;
        if from.offset > 0 {
            // Most likely the middle of a line; if not, the stretch before reads it.
            cursor.next()?;
        }
        let mut stretch =
            Self { found: VecDeque::new(), begin: cursor.position().offset, end: cursor.position() };
        if stretch.end.segment != from.segment {
            stretch.begin = until;
        }
        while stretch.end.segment == from.segment && stretch.end.offset < until {
            let Some(line) = cursor.next()? else { break };
            if let Line::Record(record) = line
                && let Ok(event) = record.event()
                && let Some(item) = take(&event)
            {
                stretch.found.push_back(item);
                // Only the newest are wanted; the others need not be held.
                if stretch.found.len() > most {
                    stretch.found.pop_front();
                }
            }
            stretch.end = cursor.position();
        }
        Ok(stretch)
    }
}
