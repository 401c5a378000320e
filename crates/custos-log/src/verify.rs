//! The proof of the chain: every record is what was written, in the order in which it was written, and none is missing.
//!
//! What is found is either *damage* (a byte was changed, a record is gone) or a *notice* (a write was cut short and nobody was told that
//! it succeeded). The difference is in the chain itself: a line that is no record, or only half of one, harms nothing if the record
//! after it names the one before it as its predecessor.
//!
//! The head of this machine's own writer is read before the log. Records that it acknowledges and that the log does not have are
//! damage too; that is how a tail that was cut off exactly between two lines is noticed. Of another machine's log, the end may still
//! be on its way here. What was removed from a record must be named by a forgetting (see [`crate::removal`]).

use std::cmp::Ordering;
use std::path::PathBuf;

use custos_model::EventId;
use serde::Serialize;
use serde::de::IgnoredAny;

use crate::append::Log;
use crate::cursor::{BEFORE_THE_CHAIN, RawLine};
use crate::error::LogError;
use crate::forget::Named;
use crate::frame::{self, Frame, GENESIS, Hash, Parsed};
use crate::head::Head;
use crate::read::{LogReader, Position, segment_name};
use crate::removal::{self, Unnamed};
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
    /// Whether it is an earlier segment that lost something, and this one only shows it.
    #[serde(skip)]
    pub(crate) lies_before: bool,
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

    pub(crate) fn find(
        &mut self,
        log: &LogReader,
        severity: Severity,
        at: Position,
        seq: Option<u64>,
        what: impl Into<String>,
    ) {
        let Position { segment, offset } = at;
        let file = log.dir().join(&self.writer).join(segment_name(segment));
        let what = what.into();
        self.findings.push(Finding { severity, file, segment, offset, seq, what, lies_before: false });
    }
}

impl Finding {
    pub(crate) fn position(&self) -> Position {
        Position { segment: self.segment, offset: self.offset }
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
    let named = Named::in_log(&reader)?;
    let mut done = 0;
    let mut reports = Vec::new();
    let mut unnamed = Vec::new();
    for writer in writers {
        let own = head.as_ref().filter(|head| head.writer == writer);
        let (report, more) =
            verify_writer(&reader, &writer, own, Some(&named), &mut |bytes| progress(done + bytes))?;
        done += report.bytes;
        reports.push(report);
        unnamed.push(more);
    }
    removal::report(&reader, &mut reports, &unnamed)?;
    Ok(Verification { writers: reports })
}

/// Proves the chain of one writer in a backup. What was forgotten there may be named elsewhere.
pub(crate) fn verify_copy(copies: &LogReader, writer: &WriterId) -> Result<WriterVerification, LogError> {
    verify_writer(copies, writer, None, None, &mut |_| {}).map(|(report, _)| report)
}

/// Proves the chain of one writer, and lists what was forgotten without being `named`. `head` is given if it is this machine's own.
fn verify_writer(
    reader: &LogReader,
    writer: &WriterId,
    head: Option<&Head>,
    named: Option<&Named>,
    progress: &mut dyn FnMut(u64),
) -> Result<(WriterVerification, Vec<Unnamed>), LogError> {
    let mut walk = Walk::new(reader, writer, head.is_some(), named)?;
    let mut cursor = reader.cursor(writer, Position::START)?;
    while let Some((at, raw)) = cursor.next_raw()? {
        let line = match raw {
            RawLine::Whole(line) => cursor.bytes(line),
            RawLine::CutShort(rest) => {
                walk.report.bytes += rest.len() as u64;
                walk.fragments.push(at);
                continue;
            }
            RawLine::Endless(len) => {
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
            Parsed::Not if is_unchained(line) => walk.report.unchained += 1,
            Parsed::Not => walk.fragments.push(at),
        }
    }
    let end = cursor.position();
    walk.finish(end, cursor.unfinished(), head);
    Ok((walk.report, walk.unnamed))
}

/// Says whether a line is a record from before the chain, and whole.
fn is_unchained(line: &[u8]) -> bool {
    line.starts_with(BEFORE_THE_CHAIN) && serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

/// How far the proof has come.
#[derive(Clone, Copy)]
struct Proven {
    /// What the next record must name.
    expected: Hash,
    /// The last record, and its number.
    last: Option<(Position, u64)>,
    /// Whether that record is known to be changed, so that a wrong link after it is no news.
    last_is_bad: bool,
}

impl Proven {
    fn next(&self) -> u64 {
        self.last.map_or(1, |(_, seq)| seq + 1)
    }
}

/// A record that names another predecessor than the one that stands before it. Which of the two was changed shows in the next.
struct Suspicion {
    before: Option<(Position, u64)>,
    at: Position,
    seq: u64,
    link: Hash,
}

/// A record whose content proves nothing: it is damaged, or forgotten. It may as well be half a write, of which nobody was told; that
/// shows in the next record, which then names the same predecessor.
struct Doubt {
    id: EventId,
    at: Position,
    seq: u64,
    prev: Hash,
    /// Whether it begins with a whole object, as half a write never does.
    complete: bool,
    /// What is wrong with it, if it is a record.
    what: Option<&'static str>,
    before: Proven,
    /// How it was counted.
    whole: bool,
    forgotten: bool,
}

struct Walk<'a> {
    reader: &'a LogReader,
    report: WriterVerification,
    lines: u64,
    proven: Proven,
    /// Lines since the last record that are none.
    fragments: Vec<Position>,
    suspicion: Option<Suspicion>,
    doubt: Option<Doubt>,
    /// What forgettings name, where that is of interest.
    named: Option<&'a Named>,
    unnamed: Vec<Unnamed>,
}

impl<'a> Walk<'a> {
    fn new(
        reader: &'a LogReader,
        writer: &WriterId,
        own: bool,
        named: Option<&'a Named>,
    ) -> Result<Self, LogError> {
        let report = WriterVerification {
            writer: writer.to_string(),
            own,
            segments: reader.segments(writer)?.len(),
            bytes: 0,
            records: 0,
            forgotten: 0,
            newer: 0,
            unchained: 0,
            findings: Vec::new(),
        };
        Ok(Self {
            reader,
            report,
            lines: 0,
            proven: Proven { expected: GENESIS, last: None, last_is_bad: false },
            fragments: Vec::new(),
            suspicion: None,
            doubt: None,
            named,
            unnamed: Vec::new(),
        })
    }

    fn find(&mut self, severity: Severity, at: Position, seq: Option<u64>, what: impl Into<String>) {
        self.report.find(self.reader, severity, at, seq, what);
    }

    fn find_gap(&mut self, at: Position, first: u64, last: u64) {
        let what = format!("{} before this place", are_missing(first, last));
        self.find(Severity::Damage, at, Some(first), what);
        let before = self.proven.last.map_or(0, |(at, _)| at.segment);
        if let Some(finding) = self.report.findings.last_mut() {
            finding.lies_before = at.segment > 1 && before != at.segment;
        }
    }

    fn record(&mut self, at: Position, frame: &Frame<'_>, line: &[u8], whole: bool) {
        self.settle_doubt(Some(&frame.prev), false);
        self.settle_suspicion(Some(&frame.prev));
        let before = self.proven;
        let intact = whole && frame.holds(line);
        let linked = frame.prev == before.expected;
        // Where the link holds, the place in the chain is certain, whatever the number in the line has become.
        let seq = if linked { before.next() } else { frame.seq };
        let what = if !whole {
            Some("its content is damaged")
        } else if !intact {
            Some("its content is not the one that was written")
        } else if seq != frame.seq && frame.is_forgotten() {
            // Only the links can tell that of a forgotten record.
            Some("its opening was changed")
        } else {
            None
        };
        let link = frame.link(line);
        self.check_link(at, frame, linked, link, what.is_none());
        let forgotten = whole && frame.is_forgotten();
        if !intact || forgotten {
            let mut values = serde_json::Deserializer::from_slice(line).into_iter::<IgnoredAny>();
            let complete = values.next().is_some_and(|value| value.is_ok());
            let (id, prev) = (frame.id, frame.prev);
            self.doubt = Some(Doubt { id, at, seq, prev, complete, what, before, whole, forgotten });
        } else if self.report.own && self.named.is_some_and(|named| named.names_id(&frame.id)) {
            self.find(Severity::Notice, at, Some(seq), "named by a forgetting that is not carried out yet");
        }
        self.report.records += u64::from(whole);
        self.report.forgotten += u64::from(forgotten);
        self.report.newer += u64::from(frame.v.readability() == custos_model::version::Readability::Newer);
        self.proven = Proven { expected: link, last: Some((at, seq)), last_is_bad: what.is_some() };
    }

    fn check_link(&mut self, at: Position, frame: &Frame<'_>, linked: bool, link: Hash, intact: bool) {
        let fragments = std::mem::take(&mut self.fragments);
        let Proven { last, last_is_bad, .. } = self.proven;
        let next = self.proven.next();
        let missing = if linked { 0 } else { frame.seq.saturating_sub(next) };
        let mut unexplained = missing;
        for fragment in fragments {
            if missing == 0 {
                self.find(Severity::Notice, fragment, None, SET_APART);
            } else {
                let seq = (missing == 1).then_some(next);
                self.find(Severity::Damage, fragment, seq, "a record that is damaged beyond recognition");
                unexplained = if missing == 1 { 0 } else { missing };
            }
        }
        if linked || !intact {
            return;
        }
        match frame.seq.cmp(&next) {
            Ordering::Greater if unexplained > 0 => self.find_gap(at, next, frame.seq - 1),
            Ordering::Greater => {}
            Ordering::Less => {
                let what = format!("stands where record {next} belongs");
                self.find(Severity::Damage, at, Some(frame.seq), what);
            }
            Ordering::Equal if last_is_bad => {}
            Ordering::Equal => {
                self.suspicion = Some(Suspicion { before: last, at, seq: frame.seq, link });
            }
        }
    }

    /// Decides whether the last record was one or only half a write. `told` is the predecessor that the next one names.
    fn settle_doubt(&mut self, told: Option<&Hash>, was_never_acknowledged: bool) {
        let Some(doubt) = self.doubt.take() else { return };
        let is_passed_over = told.is_some_and(|told| [doubt.prev, doubt.before.expected].contains(told));
        // A line in between that is no record may be what became of the write that followed.
        let is_replaced = !doubt.complete
            && !self.fragments.is_empty()
            && told.is_some_and(|told| *told != self.proven.expected);
        if is_passed_over || is_replaced || was_never_acknowledged {
            self.report.records -= u64::from(doubt.whole);
            self.report.forgotten -= u64::from(doubt.forgotten);
            self.proven = doubt.before;
            self.suspicion = None;
            self.find(Severity::Notice, doubt.at, None, SET_APART);
        } else if let Some(what) = doubt.what {
            self.find(Severity::Damage, doubt.at, Some(doubt.seq), what);
        } else if self.named.is_some_and(|named| !named.names_id(&doubt.id)) {
            self.unnamed.push(Unnamed { id: doubt.id, at: doubt.at, seq: doubt.seq });
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
                // So the link that comes next cannot fit either.
                self.proven.last_is_bad = true;
            }
        }
    }

    fn finish(&mut self, end: Position, unfinished: usize, head: Option<&Head>) {
        let was_never_acknowledged =
            self.doubt.as_ref().zip(head).is_some_and(|(doubt, head)| head.seq < doubt.seq);
        self.settle_doubt(head.map(|head| &head.link), was_never_acknowledged);
        let last = self.proven.next() - 1;
        let told = head.filter(|head| head.seq == last).map(|head| head.link);
        self.settle_suspicion(told.as_ref());
        if told.is_some_and(|told| told != self.proven.expected) && !self.proven.last_is_bad {
            let at = self.proven.last.map_or(end, |(at, _)| at);
            self.find(Severity::Damage, at, Some(last), "its opening or its links were changed");
        }
        let acknowledged = head.map_or(0, |head| head.seq);
        let missing = acknowledged.saturating_sub(last);
        let fragments = std::mem::take(&mut self.fragments);
        let in_pieces = missing > 0 && (!fragments.is_empty() || unfinished > 0);
        for fragment in fragments {
            if missing > 0 {
                let seq = (missing == 1).then_some(last + 1);
                self.find(Severity::Damage, fragment, seq, "a record that is damaged beyond recognition");
            } else {
                self.find(Severity::Notice, fragment, None, SET_APART);
            }
        }
        // Of another machine's log, the rest may still be on its way.
        if unfinished > 0 && head.is_some() {
            match missing {
                0 => {
                    let what = "a write that was cut short, or is under way; the next append sets it apart";
                    self.find(Severity::Notice, end, None, what);
                }
                1 => self.find(Severity::Damage, end, Some(last + 1), "the last record lost its end"),
                _ => {
                    let rest = are_missing(last + 2, acknowledged);
                    self.find(Severity::Damage, end, Some(last + 1), format!("it lost its end, and {rest}"));
                }
            }
        }
        if missing > 0 && !in_pieces {
            let what = format!(
                "{} at the end (a power cut loses tool events of the last seconds)",
                are_missing(last + 1, acknowledged)
            );
            self.find(Severity::Damage, end, Some(last + 1), what);
        }
    }
}

/// What is said about half a write.
const SET_APART: &str = "a write that was cut short, set apart; nothing is lost";

fn are_missing(first: u64, last: u64) -> String {
    if first == last {
        format!("record {first} is missing")
    } else {
        format!("records {first} to {last} are missing")
    }
}
