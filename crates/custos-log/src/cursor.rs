//! Walking the lines of one writer, across its segments.
//!
//! A cursor stops before an unfinished tail, because that may be another machine's file in the middle of being synchronised; whoever reads
//! on later finds it finished. It holds at most one line and one chunk in memory, whatever the files contain.

use std::ops::Range;

use custos_model::SchemaVersion;
use custos_model::version::Readability;

use crate::disk::Handle;
use crate::error::LogError;
use crate::frame::{self, Parsed};
use crate::read::{Broken, Line, LogReader, Position, Record, segment_path};
use crate::writer::WriterId;

/// Walks the lines of one writer.
pub struct Cursor {
    reader: LogReader,
    writer: WriterId,
    handle: Option<Box<dyn Handle>>,
    segments: Vec<u32>,
    /// Where `buffer[start]` is.
    at: Position,
    buffer: Vec<u8>,
    start: usize,
    /// A record of an older schema, written anew in ours.
    converted: Vec<u8>,
}

/// How much is read at once.
const CHUNK: usize = 256 * 1024;

/// The longest line that is looked at: more than any event that the settings allow.
const LONGEST: usize = 72 * 1024 * 1024;

impl Cursor {
    pub(crate) fn open(reader: LogReader, writer: WriterId, from: Position) -> Result<Self, LogError> {
        let segments = reader.segments(&writer)?;
        let mut cursor = Self {
            reader,
            writer,
            handle: None,
            segments,
            at: from,
            buffer: Vec::new(),
            start: 0,
            converted: Vec::new(),
        };
        cursor.open_from(from)?;
        Ok(cursor)
    }

    /// Gives the position of the next line.
    pub fn position(&self) -> Position {
        self.at
    }

    /// Gives the number of bytes after the last whole line: a write that is under way, or one that was cut short.
    pub fn unfinished(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// Gives the next line with its position, without looking into it.
    pub(crate) fn next_raw(&mut self) -> Result<Option<(Position, RawLine)>, LogError> {
        loop {
            let mut searched = 0;
            let found = loop {
                if let Some(len) = memchr::memchr(b'\n', &self.buffer[self.start + searched..]) {
                    break Some(searched + len);
                }
                searched = self.unfinished();
                if searched > LONGEST {
                    return self.skip_endless_line().map(Some);
                }
                if !self.fill()? {
                    break None;
                }
            };
            let at = self.at;
            if let Some(len) = found {
                let line = self.start..self.start + len;
                self.start += len + 1;
                self.at.offset += len as u64 + 1;
                return Ok(Some((at, RawLine::Whole(line))));
            }
            if !self.is_sealed() {
                return Ok(None);
            }
            // Only now is it certain that nothing more comes: the last lines may have been appended after the end was seen.
            if self.fill()? {
                continue;
            }
            let rest = self.start..self.buffer.len();
            if !rest.is_empty() {
                self.start = rest.end;
                self.at.offset += rest.len() as u64;
                return Ok(Some((at, RawLine::CutShort(rest))));
            }
            self.open_from(Position { segment: self.at.segment + 1, offset: 0 })?;
        }
    }

    /// Gives the bytes after the last whole line.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Gives the bytes of a line that [`Cursor::next_raw`] has just found.
    pub(crate) fn bytes(&self, line: Range<usize>) -> &[u8] {
        &self.buffer[line]
    }

    /// Gives the next line; none at the end, or before an unfinished tail.
    #[expect(clippy::should_implement_trait, reason = "lends from its buffer, which no Iterator can")]
    pub fn next(&mut self) -> Result<Option<Line<'_>>, LogError> {
        let Some((at, raw)) = self.next_raw()? else { return Ok(None) };
        let broken = |len: u64, reason: &str| Line::Broken(Broken { at, len, reason: reason.to_owned() });
        let line = match raw {
            RawLine::CutShort(rest) => {
                return Ok(Some(broken(rest.len() as u64, "the segment ends in the middle of a line")));
            }
            RawLine::Endless(len) => return Ok(Some(broken(len, "the line is longer than any event"))),
            RawLine::Whole(line) => line,
        };
        let len = line.len() as u64;
        if self.buffer[line.clone()].starts_with(BEFORE_THE_CHAIN) {
            return Ok(Some(match convert_older(&self.buffer[line], &mut self.converted) {
                Ok(written_in) => self.converted_record(at, written_in),
                Err(reason) => broken(len, &reason),
            }));
        }
        let (line, renamed) = (&self.buffer[line], self.reader.renamed());
        Ok(Some(match frame::parse(line) {
            Parsed::Whole(frame) if frame.v.readability() == Readability::Newer => Line::Newer(frame),
            Parsed::Whole(frame) if frame.is_forgotten() => Line::Forgotten(frame),
            Parsed::Whole(frame) => Line::Record(Record { written_in: frame.v, frame, at, line, renamed }),
            Parsed::Headed(frame) => {
                broken(len, &format!("the content of record {} is cut short or damaged", frame.seq))
            }
            Parsed::Not if line.iter().all(|b| *b == b' ') => broken(len, "is blank"),
            Parsed::Not => broken(len, "is no record"),
        }))
    }

    fn converted_record(&self, at: Position, written_in: SchemaVersion) -> Line<'_> {
        let renamed = self.reader.renamed();
        match frame::parse(&self.converted) {
            Parsed::Whole(frame) => {
                Line::Record(Record { frame, at, written_in, line: &self.converted, renamed })
            }
            Parsed::Headed(_) | Parsed::Not => Line::Broken(Broken {
                at,
                len: 0,
                reason: "cannot be brought to the current schema".to_owned(),
            }),
        }
    }

    /// Reads more; false at the end of the segment.
    fn fill(&mut self) -> Result<bool, LogError> {
        let Some(handle) = &self.handle else { return Ok(false) };
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        let held = self.buffer.len();
        if held == 0 {
            self.buffer = vec![0; CHUNK];
        } else {
            // Doubling, so that a long line is not searched for and copied once per chunk.
            self.buffer.resize(held + CHUNK.max(held), 0);
        }
        let path = segment_path(self.reader.dir(), &self.writer, self.at.segment);
        let read = handle
            .read_full_at(&mut self.buffer[held..], self.at.offset + held as u64)
            .map_err(LogError::io("read", &path));
        self.buffer.truncate(held + read.as_ref().copied().unwrap_or(0));
        Ok(read? > 0)
    }

    /// Says whether a later segment exists, so that nothing will be appended to this one.
    fn is_sealed(&mut self) -> bool {
        let next = |segments: &[u32], at: u32| segments.iter().any(|segment| *segment > at);
        if !next(&self.segments, self.at.segment)
            && let Ok(segments) = self.reader.segments(&self.writer)
        {
            self.segments = segments;
        }
        next(&self.segments, self.at.segment)
    }

    fn open_from(&mut self, from: Position) -> Result<(), LogError> {
        self.buffer.clear();
        self.start = 0;
        self.handle = None;
        self.at = from;
        let Some(segment) = self.segments.iter().copied().find(|segment| *segment >= from.segment) else {
            return Ok(());
        };
        if segment != from.segment {
            self.at = Position { segment, offset: 0 };
        }
        self.handle = Some(self.reader.open_segment(&self.writer, segment)?);
        Ok(())
    }

    /// Passes over a line that is longer than any event without holding it.
    fn skip_endless_line(&mut self) -> Result<(Position, RawLine), LogError> {
        let at = self.at;
        loop {
            if let Some(len) = memchr::memchr(b'\n', &self.buffer[self.start..]) {
                self.at.offset += len as u64 + 1;
                self.start += len + 1;
                break;
            }
            self.at.offset += self.unfinished() as u64;
            self.buffer.clear();
            self.start = 0;
            if !self.fill()? {
                break;
            }
        }
        Ok((at, RawLine::Endless(self.at.offset - at.offset)))
    }
}

/// A line before anybody looked into it.
pub(crate) enum RawLine {
    /// With a line break behind it, at this place in the buffer.
    Whole(Range<usize>),
    /// Without one, in a segment that nobody appends to any more.
    CutShort(Range<usize>),
    /// Longer than any event.
    Endless(u64),
}

/// How a record begins that was written before there was a chain.
pub(crate) const BEFORE_THE_CHAIN: &[u8] = b"{\"v\":\"0.";

/// Writes a record of an older schema in ours, or says why that cannot be done.
fn convert_older(line: &[u8], out: &mut Vec<u8>) -> Result<SchemaVersion, String> {
    let fields: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(line).map_err(|error| format!("is no record: {error}"))?;
    let version = fields.get("v").and_then(serde_json::Value::as_str).unwrap_or_default();
    let version: SchemaVersion = version.parse().map_err(|error| format!("is no record: {error}"))?;
    let seq = fields.get("seq").and_then(serde_json::Value::as_u64).unwrap_or(0);
    let draft =
        custos_model::upgrade::upgrade(version, fields).map_err(|v| format!("schema {version}: {v}"))?;
    *out = crate::content::unchained(&draft, seq.max(1)).map_err(|error| error.to_string())?;
    Ok(version)
}
