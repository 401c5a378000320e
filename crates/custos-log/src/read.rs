//! Reading the log, from any position.
//!
//! A [`Cursor`] walks the segments of one writer and hands out lines as they are: records, forgotten records, records of a schema that we
//! do not know, and lines that are broken. It stops before an unfinished tail, because that may be another machine's file in the
//! middle of being synchronised; whoever reads on later finds it finished. Nothing is ever skipped in silence.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use custos_model::version::Readability;
use custos_model::{Event, SchemaVersion};

use crate::disk::{Access, Disk, Handle, OsDisk};
use crate::error::LogError;
use crate::frame::{self, Frame, Parsed};
use crate::writer::WriterId;

/// A place in a writer's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The segment, from 1.
    pub segment: u32,
    /// The byte within it.
    pub offset: u64,
}

impl Position {
    /// The beginning of a log.
    pub const START: Self = Self { segment: 1, offset: 0 };
}

/// One line of a log.
#[derive(Debug)]
pub enum Line<'a> {
    /// A record that can be read.
    Record(Record<'a>),
    /// A record whose content was forgotten.
    Forgotten(Frame<'a>),
    /// A record of a schema that is newer than ours: kept, skipped, reported.
    Newer(Frame<'a>),
    /// Anything else.
    Broken(Broken),
}

/// A line that is no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Where it begins.
    pub at: Position,
    /// How long it is.
    pub len: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// A record that can be read.
#[derive(Debug)]
pub struct Record<'a> {
    /// Its opening and its links.
    pub frame: Frame<'a>,
    /// Where it begins.
    pub at: Position,
    /// The schema that it was written in; the line is already in ours.
    pub written_in: SchemaVersion,
    line: &'a [u8],
}

impl<'a> Record<'a> {
    /// Parses the envelope; the body stays text.
    pub fn event(&self) -> Result<Event<'a>, serde_json::Error> {
        serde_json::from_slice(self.line)
    }

    /// Gives the record's line, in the current schema.
    pub fn line(&self) -> &'a [u8] {
        self.line
    }
}

/// Gives the file of a segment.
pub fn segment_path(log: &Path, writer: &WriterId, segment: u32) -> PathBuf {
    log.join(writer.as_str()).join(format!("{segment:04}.jsonl"))
}

/// Reads a log directory.
#[derive(Clone)]
pub struct LogReader {
    disk: Arc<dyn Disk>,
    log: PathBuf,
}

impl LogReader {
    /// Reads the log in a directory on the real disk.
    pub fn new(log: &Path) -> Self {
        Self::with_disk(Arc::new(OsDisk), log)
    }

    /// Reads the log in a directory on any disk.
    pub fn with_disk(disk: Arc<dyn Disk>, log: &Path) -> Self {
        Self { disk, log: log.to_owned() }
    }

    /// Gives the directory.
    pub fn dir(&self) -> &Path {
        &self.log
    }

    /// Lists the writers that have a log here, in order. Directories with other names are none of ours.
    pub fn writers(&self) -> Result<Vec<WriterId>, LogError> {
        let names = self.disk.list(&self.log).map_err(LogError::io("list", &self.log))?;
        Ok(names.iter().filter_map(|name| name.to_str()?.parse().ok()).collect())
    }

    /// Lists the segments of a writer, in order.
    pub fn segments(&self, writer: &WriterId) -> Result<Vec<u32>, LogError> {
        let dir = self.log.join(writer.as_str());
        let names = self.disk.list(&dir).map_err(LogError::io("list", &dir))?;
        let mut segments: Vec<u32> = names.iter().filter_map(|name| segment_number(name.to_str()?)).collect();
        segments.sort_unstable();
        Ok(segments)
    }

    /// Gives the length of a segment.
    pub fn segment_len(&self, writer: &WriterId, segment: u32) -> Result<u64, LogError> {
        let path = segment_path(&self.log, writer, segment);
        let handle = self.disk.open(&path, Access::Read).map_err(LogError::io("open", &path))?;
        handle.len().map_err(LogError::io("measure", &path))
    }

    /// Starts reading at a position.
    pub fn cursor(&self, writer: &WriterId, from: Position) -> Result<Cursor, LogError> {
        let mut cursor = Cursor {
            disk: Arc::clone(&self.disk),
            log: self.log.clone(),
            writer: writer.clone(),
            handle: None,
            segments: self.segments(writer)?,
            at: from,
            buffer: Vec::new(),
            start: 0,
            converted: Vec::new(),
        };
        cursor.open_from(from)?;
        Ok(cursor)
    }

    /// Finds the first record whose sequence is at least `seq`; the end of the log where there is none.
    pub fn seek(&self, writer: &WriterId, seq: u64) -> Result<Position, LogError> {
        let segments = self.segments(writer)?;
        let mut begin = Position::START;
        // From the newest backwards: whoever seeks mostly wants to read on from a recent place.
        for segment in segments.into_iter().rev() {
            begin = Position { segment, offset: 0 };
            match self.first_seq(writer, begin)? {
                Some(first) if first <= seq => break,
                _ => {}
            }
        }
        let begin = self.bisect(writer, begin, seq)?;
        let mut cursor = self.cursor(writer, begin)?;
        loop {
            let before = cursor.position();
            match cursor.next()? {
                None => return Ok(before),
                Some(line) if line.seq().is_some_and(|found| found >= seq) => return Ok(before),
                Some(_) => {}
            }
        }
    }

    /// Narrows the search within a segment down to a stretch that is short enough to be read.
    fn bisect(&self, writer: &WriterId, begin: Position, seq: u64) -> Result<Position, LogError> {
        const SHORT: u64 = 64 * 1024;
        let mut low = begin.offset;
        let mut high = match self.segment_len(writer, begin.segment) {
            Ok(len) => len,
            Err(error) if error.io_kind() == Some(std::io::ErrorKind::NotFound) => return Ok(begin),
            Err(error) => return Err(error),
        };
        while high - low > SHORT {
            let middle = low + (high - low) / 2;
            // The line in which the middle lies is cut off in front and reads as broken: the next one is the first that counts.
            let mut cursor = self.cursor(writer, Position { offset: middle, ..begin })?;
            let mut found = None;
            loop {
                let at = cursor.position();
                if at.segment != begin.segment || at.offset >= high {
                    break;
                }
                match cursor.next()? {
                    None => break,
                    Some(line) => {
                        if let Some(there) = line.seq() {
                            found = Some((at.offset, there));
                            break;
                        }
                    }
                }
            }
            match found {
                Some((offset, there)) if there < seq => low = offset,
                _ => high = middle,
            }
        }
        Ok(Position { offset: low, ..begin })
    }

    fn first_seq(&self, writer: &WriterId, from: Position) -> Result<Option<u64>, LogError> {
        let mut cursor = self.cursor(writer, from)?;
        while let Some(line) = cursor.next()? {
            if let Some(seq) = line.seq() {
                return Ok(Some(seq));
            }
        }
        Ok(None)
    }
}

impl Line<'_> {
    /// Gives the sequence, where the line has one.
    pub fn seq(&self) -> Option<u64> {
        match self {
            Line::Record(Record { frame, .. }) | Line::Forgotten(frame) | Line::Newer(frame) => {
                Some(frame.seq)
            }
            Line::Broken(_) => None,
        }
    }
}

fn segment_number(name: &str) -> Option<u32> {
    let digits = name.strip_suffix(".jsonl")?;
    let number: u32 = digits.parse().ok()?;
    (number > 0 && format!("{number:04}") == digits).then_some(number)
}

/// Walks the lines of one writer.
pub struct Cursor {
    disk: Arc<dyn Disk>,
    log: PathBuf,
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
            let cut_short = self.unfinished() as u64;
            self.open_from(Position { segment: self.at.segment + 1, offset: 0 })?;
            if cut_short > 0 {
                return Ok(Some((at, RawLine::CutShort(cut_short))));
            }
        }
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
            RawLine::CutShort(len) => {
                return Ok(Some(broken(len, "the segment ends in the middle of a line")));
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
        let line = &self.buffer[line];
        Ok(Some(match frame::parse(line) {
            Parsed::Whole(frame) if frame.v.readability() == Readability::Newer => Line::Newer(frame),
            Parsed::Whole(frame) if frame.is_forgotten() => Line::Forgotten(frame),
            Parsed::Whole(frame) => Line::Record(Record { written_in: frame.v, frame, at, line }),
            Parsed::Headed(frame) => broken(len, &format!("the content of record {} is damaged", frame.seq)),
            Parsed::Not if line.iter().all(|b| *b == b' ') => broken(len, "is blank"),
            Parsed::Not => broken(len, "is no record"),
        }))
    }

    fn converted_record(&self, at: Position, written_in: SchemaVersion) -> Line<'_> {
        match frame::parse(&self.converted) {
            Parsed::Whole(frame) => Line::Record(Record { frame, at, written_in, line: &self.converted }),
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
        // Doubling, so that a long line is not searched for and copied once per chunk.
        self.buffer.resize(held + CHUNK.max(held), 0);
        let path = segment_path(&self.log, &self.writer, self.at.segment);
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
            && let Ok(segments) =
                (LogReader { disk: Arc::clone(&self.disk), log: self.log.clone() }).segments(&self.writer)
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
        let path = segment_path(&self.log, &self.writer, segment);
        self.handle = Some(self.disk.open(&path, Access::Read).map_err(LogError::io("open", &path))?);
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
    CutShort(u64),
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
    *out = crate::append::unchained(draft, seq.max(1)).map_err(|error| error.to_string())?;
    Ok(version)
}
