//! Reading the log, from any position.
//!
//! A [`LogReader`] knows the writers and their segments and finds places in them; a [`Cursor`] walks on from there. What it hands out is a
//! [`Line`] as it is: a record, a forgotten record, a record of a schema that we do not know, or a line that is broken. Nothing is
//! ever skipped in silence.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use custos_model::version::Readability;
use custos_model::{Event, EventId, SchemaVersion};

use crate::cursor::Cursor;
use crate::disk::{Access, Disk, Handle, OsDisk};
use crate::error::LogError;
use crate::frame::Frame;
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
    pub(crate) line: &'a [u8],
    pub(crate) renamed: &'a Renamed,
}

/// What projects are called now that were called otherwise when something was recorded: the old name, and the new one.
pub type Renamed = BTreeMap<String, String>;

impl<'a> Record<'a> {
    /// Parses the envelope; the body stays text. Its project is called as the reader was told to call it.
    pub fn event(&self) -> Result<Event<'a>, serde_json::Error> {
        let mut event: Event<'a> = serde_json::from_slice(self.line)?;
        if let Some(project) = &mut event.project
            && let Some(now) = self.renamed.get(project.as_str())
        {
            now.clone_into(project);
        }
        Ok(event)
    }

    /// Gives the record's line, in the current schema.
    pub fn line(&self) -> &'a [u8] {
        self.line
    }
}

/// Gives the file of a segment.
pub fn segment_path(log: &Path, writer: &WriterId, segment: u32) -> PathBuf {
    log.join(writer.as_str()).join(segment_name(segment))
}

pub(crate) fn segment_name(segment: u32) -> String {
    format!("{segment:04}.jsonl")
}

/// Reads a log directory.
#[derive(Clone)]
pub struct LogReader {
    disk: Arc<dyn Disk>,
    log: PathBuf,
    renamed: Arc<Renamed>,
}

impl LogReader {
    /// Reads the log in a directory on the real disk.
    pub fn new(log: &Path) -> Self {
        Self::with_disk(Arc::new(OsDisk), log)
    }

    /// Reads the log in a directory on any disk.
    pub fn with_disk(disk: Arc<dyn Disk>, log: &Path) -> Self {
        Self { disk, log: log.to_owned(), renamed: Arc::default() }
    }

    /// Reads the same log, and calls projects by these names.
    #[must_use]
    pub fn calling(self, renamed: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { renamed: Arc::new(renamed.into_iter().collect()), ..self }
    }

    /// Gives what projects are called that were called otherwise.
    pub fn renamed(&self) -> &Renamed {
        &self.renamed
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
        let names = match self.disk.list(&dir) {
            // Something else that happens to have a writer's name costs no one else's records.
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => Vec::new(),
            names => names.map_err(LogError::io("list", &dir))?,
        };
        let mut segments: Vec<u32> = names.iter().filter_map(|name| segment_number(name.to_str()?)).collect();
        segments.sort_unstable();
        Ok(segments)
    }

    /// Gives the length of a segment.
    pub fn segment_len(&self, writer: &WriterId, segment: u32) -> Result<u64, LogError> {
        let handle = self.open_segment(writer, segment)?;
        handle.len().map_err(LogError::io("measure", &segment_path(&self.log, writer, segment)))
    }

    pub(crate) fn open_segment(&self, writer: &WriterId, segment: u32) -> Result<Box<dyn Handle>, LogError> {
        let path = segment_path(&self.log, writer, segment);
        self.disk.open(&path, Access::Read).map_err(LogError::io("open", &path))
    }

    /// Starts reading at a position.
    pub fn cursor(&self, writer: &WriterId, from: Position) -> Result<Cursor, LogError> {
        Cursor::open(self.clone(), writer.clone(), from)
    }

    /// Finds the first record whose sequence is at least `seq`; the end of the log where there is none.
    pub fn seek(&self, writer: &WriterId, seq: u64) -> Result<Position, LogError> {
        let segments = self.segments(writer)?;
        let mut begin = Position::START;
        // From the newest backwards: whoever seeks mostly wants to read on from a recent place.
        for segment in segments.into_iter().rev() {
            begin = Position { segment, offset: 0 };
            if self.first_record(writer, segment)?.is_some_and(|(first, _)| first <= seq) {
                break;
            }
        }
        let begin = self.bisect(writer, begin, seq)?;
        let mut cursor = self.cursor(writer, begin)?;
        loop {
            let before = cursor.position();
            match cursor.next()? {
                None => return Ok(before),
                Some(line) if line.place().is_some_and(|found| found >= seq) => return Ok(before),
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
            // The line before the middle, or what is left of it, counts for nothing: the next one is the first that is whole.
            let mut cursor = self.cursor(writer, Position { offset: middle - 1, ..begin })?;
            cursor.next_raw()?;
            let mut found = None;
            while found.is_none() {
                let at = cursor.position();
                if at.segment != begin.segment || at.offset >= high {
                    break;
                }
                let Some(line) = cursor.next()? else { break };
                found = line.place().map(|there| (at.offset, there));
            }
            match found {
                Some((offset, there)) if there < seq => low = offset,
                _ => high = middle,
            }
        }
        Ok(Position { offset: low, ..begin })
    }

    /// Gives sequence and id of the first record in a segment, if it has any.
    pub(crate) fn first_record(
        &self,
        writer: &WriterId,
        segment: u32,
    ) -> Result<Option<(u64, EventId)>, LogError> {
        let mut cursor = self.cursor(writer, Position { segment, offset: 0 })?;
        loop {
            let Some(line) = cursor.next()? else { return Ok(None) };
            let found = line.place().zip(line.id());
            // Asked afterwards: the end of a segment is only seen in passing it.
            if cursor.position().segment != segment {
                return Ok(None);
            }
            if found.is_some() {
                return Ok(found);
            }
        }
    }
}

impl Line<'_> {
    /// Gives the sequence, where the line has one.
    pub fn seq(&self) -> Option<u64> {
        self.frame().map(|frame| frame.seq)
    }

    /// Gives the event's id, where the line has one.
    pub fn id(&self) -> Option<EventId> {
        self.frame().map(|frame| frame.id)
    }

    fn frame(&self) -> Option<&Frame<'_>> {
        match self {
            Line::Record(Record { frame, .. }) | Line::Forgotten(frame) | Line::Newer(frame) => Some(frame),
            Line::Broken(_) => None,
        }
    }

    /// Gives the place in the chain. What was written before there was a chain has a number, but no place.
    fn place(&self) -> Option<u64> {
        match self {
            Line::Record(record) if record.written_in.readability() == Readability::Older => None,
            line => line.seq(),
        }
    }
}

fn segment_number(name: &str) -> Option<u32> {
    let digits = name.strip_suffix(".jsonl")?;
    let number: u32 = digits.parse().ok()?;
    (number > 0 && segment_name(number) == name).then_some(number)
}
