//! The proof of the chain: every record is what was written, in the order in which it was written, and none is missing.
//!
//! What is found is either *damage* (a byte was changed, a record is gone) or a *notice* (a write was cut short and nobody was told that
//! it succeeded). The difference is in the chain itself: a line that is no record harms nothing if the record after it names the one
//! before it as its predecessor.
//!
//! The head of this machine's own writer is read before the log. Records that it acknowledges and that the log does not have are
//! damage too; that is how a tail that was cut off exactly between two lines is noticed. Of another machine's log, the end may still
//! be on its way here.

use std::path::PathBuf;

use serde::Serialize;

use crate::append::Log;
use crate::error::LogError;
use crate::frame::{self, Frame, GENESIS, Hash, Parsed};
use crate::head::Head;
use crate::read::{LogReader, Position, RawLine, segment_path};
use crate::writer::WriterId;

/// What was found in a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// One part per writer.
    pub writers: Vec<WriterVerification>,
}

/// What was found in the log of one writer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WriterVerification {
    /// The writer.
    pub writer: String,
    /// Whether it is this machine.
    pub own: bool,
    /// The number of segments.
    pub segments: usize,
    /// The bytes that were read.
    pub bytes: u64,
    /// The records that are whole, those included that were forgotten.
    pub records: u64,
    /// The records whose content was forgotten.
    pub forgotten: u64,
    /// The records of a schema that is newer than ours; their chain is checked like any.
    pub newer: u64,
    /// The records of a schema from before the chain, which proves nothing about them.
    pub unchained: u64,
    /// What is wrong, or worth knowing.
    pub findings: Vec<Finding>,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something that was acknowledged is changed or gone.
    Damage,
    /// Nothing that was acknowledged is affected.
    Notice,
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The file.
    pub file: PathBuf,
    /// The segment that the file is.
    #[serde(skip)]
    pub segment: u32,
    /// The byte at which the line begins.
    pub offset: u64,
    /// The record, where it can still be told.
    pub seq: Option<u64>,
    /// What was found.
    pub what: String,
}

impl Verification {
    /// Says whether there is any damage.
    pub fn is_damaged(&self) -> bool {
        self.writers.iter().any(WriterVerification::is_damaged)
    }
}

impl WriterVerification {
    /// Says whether there is any damage.
    pub fn is_damaged(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Damage)
    }
}

/// Proves the chain of every writer. `progress` gets the bytes that were read so far.
pub fn verify(log: &Log, progress: &mut dyn FnMut(u64)) -> Result<Verification, LogError> {
    let reader = log.reader();
    let head = crate::head::peek(&*log.surroundings().disk, &log.places().state);
    let mut writers = reader.writers()?;
    // A writer whose whole directory is gone is still missed by its head.
    if let Some(head) = &head
        && head.seq > 0
        && !writers.contains(&head.writer)
    {
        writers.push(head.writer.clone());
    }
    let mut done = 0;
    let mut reports = Vec::new();
    for writer in writers {
        let own = head.as_ref().filter(|head| head.writer == writer);
        let report = verify_writer(&reader, &writer, own, &mut |bytes| progress(done + bytes))?;
        done += report.bytes;
        reports.push(report);
    }
    Ok(Verification { writers: reports })
}

/// Proves the chain of one writer; `head` is given if it is this machine's own.
pub(crate) fn verify_writer(
    reader: &LogReader,
    writer: &WriterId,
    head: Option<&Head>,
    progress: &mut dyn FnMut(u64),
) -> Result<WriterVerification, LogError> {
    let mut walk = Walk::new(reader, writer, head.is_some(), reader.segments(writer)?.len());
    let mut cursor = reader.cursor(writer, Position::START)?;
    while let Some((at, raw)) = cursor.next_raw()? {
        let line = match raw {
            RawLine::Whole(line) => cursor.bytes(line),
            RawLine::CutShort(len) | RawLine::Endless(len) => {
                walk.report.bytes += len;
                walk.fragments.push(at);
                continue;
            }
        };
        walk.report.bytes += line.len() as u64 + 1;
        if walk.lines.is_multiple_of(1024) {
            progress(walk.report.bytes);
        }
        walk.lines += 1;
        match frame::parse(line) {
            Parsed::Whole(frame) => walk.record(at, &frame, line, true),
            Parsed::Headed(frame) => walk.record(at, &frame, line, false),
            Parsed::Not if line.starts_with(crate::read::BEFORE_THE_CHAIN) => walk.report.unchained += 1,
            Parsed::Not => walk.fragments.push(at),
        }
    }
    let end = cursor.position();
    walk.finish(end, cursor.unfinished(), head);
    Ok(walk.report)
}

/// A record that names another predecessor than the one that stands before it. Which of the two was changed shows in the next.
struct Suspicion {
    before: Option<(Position, u64)>,
    at: Position,
    seq: u64,
    link: Hash,
}

struct Walk<'a> {
    reader: &'a LogReader,
    writer: &'a WriterId,
    report: WriterVerification,
    lines: u64,
    /// What the next record must name.
    expected: Hash,
    /// The record before.
    last: Option<(Position, u64)>,
    /// Whether the record before is known to be changed, so that a wrong link after it is no news.
    last_is_bad: bool,
    /// Lines since the last record that are none.
    fragments: Vec<Position>,
    suspicion: Option<Suspicion>,
}

impl<'a> Walk<'a> {
    fn new(reader: &'a LogReader, writer: &'a WriterId, own: bool, segments: usize) -> Self {
        let report = WriterVerification {
            writer: writer.to_string(),
            own,
            segments,
            bytes: 0,
            records: 0,
            forgotten: 0,
            newer: 0,
            unchained: 0,
            findings: Vec::new(),
        };
        Self {
            reader,
            writer,
            report,
            lines: 0,
            expected: GENESIS,
            last: None,
            last_is_bad: false,
            fragments: Vec::new(),
            suspicion: None,
        }
    }

    fn find(&mut self, severity: Severity, at: Position, seq: Option<u64>, what: impl Into<String>) {
        self.report.findings.push(Finding {
            severity,
            file: segment_path(self.reader.dir(), self.writer, at.segment),
            segment: at.segment,
            offset: at.offset,
            seq,
            what: what.into(),
        });
    }

    fn record(&mut self, at: Position, frame: &Frame<'_>, line: &[u8], whole: bool) {
        let link = frame.link(line);
        let intact = whole && frame.holds(line);
        self.settle_suspicion(Some(&frame.prev));
        self.check_link(at, frame, link, intact);
        if !whole {
            self.find(Severity::Damage, at, Some(frame.seq), "its content is damaged");
        } else if !intact {
            self.find(Severity::Damage, at, Some(frame.seq), "its content is not the one that was written");
        }
        self.report.records += u64::from(whole);
        self.report.forgotten += u64::from(whole && frame.is_forgotten());
        self.report.newer += u64::from(frame.v.readability() == custos_model::version::Readability::Newer);
        self.last_is_bad = !intact;
        self.expected = link;
        self.last = Some((at, frame.seq));
    }

    fn check_link(&mut self, at: Position, frame: &Frame<'_>, link: Hash, intact: bool) {
        let fragments = std::mem::take(&mut self.fragments);
        let next = self.last.map_or(1, |(_, seq)| seq + 1);
        if frame.prev == self.expected {
            for fragment in fragments {
                self.find(
                    Severity::Notice,
                    fragment,
                    None,
                    "a write that was cut short, set apart; nothing is lost",
                );
            }
        } else if !fragments.is_empty() {
            let seq = (fragments.len() == 1 && frame.seq == next + 1).then_some(next);
            for fragment in fragments {
                self.find(Severity::Damage, fragment, seq, "a record that is damaged beyond recognition");
            }
        } else if frame.seq > next && intact {
            let missing = match frame.seq - next {
                1 => format!("record {next} is missing before it"),
                _ => format!("records {next} to {} are missing before it", frame.seq - 1),
            };
            self.find(Severity::Damage, at, Some(frame.seq), missing);
        } else if intact && !self.last_is_bad {
            self.suspicion = Some(Suspicion { before: self.last, at, seq: frame.seq, link });
        }
    }

    /// Decides who was changed, once the record after the suspicious one (or the head) has told what that one's link was.
    fn settle_suspicion(&mut self, told: Option<&Hash>) {
        let Some(suspicion) = self.suspicion.take() else { return };
        let unchanged = told == Some(&suspicion.link);
        match suspicion.before {
            Some((at, seq)) if unchanged => {
                self.find(Severity::Damage, at, Some(seq), "its opening or its links were changed");
            }
            _ => {
                let what = "the predecessor that it names is not the record before it";
                self.find(Severity::Damage, suspicion.at, Some(suspicion.seq), what);
            }
        }
    }

    fn finish(&mut self, end: Position, unfinished: usize, head: Option<&Head>) {
        let last = self.last.map_or(0, |(_, seq)| seq);
        let told = head.filter(|head| head.seq == last).map(|head| head.link);
        self.settle_suspicion(told.as_ref());
        let missing = head.map_or(0, |head| head.seq.saturating_sub(last));
        let fragments = std::mem::take(&mut self.fragments);
        let lost = missing > 0 && (!fragments.is_empty() || unfinished > 0);
        for fragment in fragments {
            if missing > 0 {
                let seq = (missing == 1).then_some(last + 1);
                self.find(Severity::Damage, fragment, seq, "a record that is damaged beyond recognition");
            } else {
                self.find(Severity::Notice, fragment, None, "a write that was cut short; nothing is lost");
            }
        }
        if unfinished > 0 && head.is_some() {
            if missing > 0 {
                self.find(Severity::Damage, end, Some(last + 1), "the last record lost its end");
            } else {
                let what = "a write that was cut short, or is under way; the next append sets it apart";
                self.find(Severity::Notice, end, None, what);
            }
        }
        if missing > 0 && !lost {
            let what = format!(
                "the log ends at record {last}, but {} were acknowledged (a power cut loses unsynced tool events)",
                last + missing
            );
            self.find(Severity::Damage, end, Some(last + 1), what);
        } else if told.is_some_and(|told| told != self.expected) && !self.report.is_damaged() {
            let at = self.last.map_or(end, |(at, _)| at);
            self.find(Severity::Damage, at, Some(last), "its opening or its links were changed");
        }
    }
}
