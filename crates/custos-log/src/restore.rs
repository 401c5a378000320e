//! Mending a damaged segment from a backup.
//!
//! The copy takes the segment's place, and what is newer than the copy follows it. Where the log still goes on right where the copy ends,
//! its bytes are kept as they are. Where it does not, because bytes were lost or came in before that place, an offset says nothing:
//! then each record is kept that proves itself and has a higher number than any in the copy.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;

use crate::append::Log;
use crate::backup::{self, PATIENCE, Standing, compare, copy_range, damaged_in, damaged_segments};
use crate::cursor::RawLine;
use crate::disk::{Access, Disk};
use crate::error::LogError;
use crate::frame::{self, Parsed};
use crate::head::Lock;
use crate::read::{LogReader, Position, segment_path};
use crate::verify;
use crate::writer::WriterId;

/// What restoring did to one segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Restored {
    /// The segment.
    pub file: PathBuf,
    /// The backup that it was restored from; none where the segment is damaged and no copy can mend it.
    pub from: Option<String>,
    /// The bytes that came from the backup.
    pub restored: u64,
    /// The bytes that were newer than the backup and were kept.
    pub kept: u64,
    /// Lines that were dropped: they stood behind the last record that the backup has, too, and are no whole records.
    pub dropped: u64,
}

/// Restores every segment that is damaged, cut or missing from the newest backup (or the named one) whose copy is good.
///
/// What was appended after the copy was taken is kept. The report ends with what is still damaged.
pub fn restore(
    log: &Log,
    only: Option<&str>,
    progress: &mut dyn FnMut(u64),
) -> Result<Vec<Restored>, LogError> {
    let disk = &*log.surroundings().disk;
    let places = log.places();
    let _maintenance = Lock::take_for_maintenance(disk, &places.state, PATIENCE)?;
    remove_drafts(log)?;
    let damaged = damaged_segments(&verify::verify(log, progress)?);
    let live = log.reader();
    let mut report = Vec::new();
    let mut decided = BTreeSet::new();
    for name in backup::names(disk, &places.backups)?.into_iter().rev() {
        if only.is_some_and(|only| only != name) {
            continue;
        }
        let copies = LogReader::with_disk(log.surroundings().disk.clone(), &places.backups.join(&name));
        for writer in copies.writers()? {
            let bad: BTreeSet<u32> = damaged_in(&verify::verify_copy(&copies, &writer)?).collect();
            if !is_same_log(&copies, &live, &writer)? {
                continue;
            }
            for segment in copies.segments(&writer)?.into_iter().filter(|segment| !bad.contains(segment)) {
                let place = (writer.clone(), segment);
                let is_damaged = damaged.contains(&place);
                if !decided.insert(place) {
                    continue;
                }
                let copy = segment_path(copies.dir(), &writer, segment);
                let file = segment_path(&places.log, &writer, segment);
                let is_wanted = || -> Result<bool, LogError> {
                    let standing = compare(disk, &copy, &file)?;
                    Ok(standing == Standing::Shrunk || (standing == Standing::Changed && is_damaged))
                };
                if !is_wanted()? {
                    continue;
                }
                // Appends wait, and what they did until now is looked at once more.
                let _lock = Lock::take(disk, &places.state, PATIENCE)?;
                if is_wanted()? {
                    let put = put_back(disk, &copies, &live, &writer, segment)?;
                    report.push(Restored { file, from: Some(name.clone()), ..put });
                }
            }
        }
    }
    for (writer, segment) in damaged_segments(&verify::verify(log, progress)?) {
        let file = segment_path(&places.log, &writer, segment);
        report.push(Restored { file, from: None, restored: 0, kept: 0, dropped: 0 });
    }
    Ok(report)
}

/// Says whether a copy is of the log that is there now, and not of one that was lost and begun anew.
fn is_same_log(copies: &LogReader, live: &LogReader, writer: &WriterId) -> Result<bool, LogError> {
    let mut is_other = false;
    let there = live.segments(writer)?;
    for segment in copies.segments(writer)?.into_iter().filter(|segment| there.contains(segment)) {
        match (copies.first_record(writer, segment)?, live.first_record(writer, segment)?) {
            (Some(copied), Some(found)) if copied == found => return Ok(true),
            (Some(_), Some(_)) => is_other = true,
            _ => {}
        }
    }
    Ok(!is_other)
}

/// The extension of a segment that is being put together.
const DRAFT: &str = "restoring";

/// Removes what a restoring left behind that died. Of another writer's directory, its owner does.
pub(crate) fn remove_drafts(log: &Log) -> Result<(), LogError> {
    let disk = &*log.surroundings().disk;
    let dir = log.places().log.join(log.writer().as_str());
    for name in disk.list(&dir).map_err(LogError::io("list", &dir))? {
        let stem = name.to_str().and_then(|name| name.strip_suffix(DRAFT)?.strip_suffix('.'));
        if stem.is_some_and(|stem| stem.len() >= 4 && stem.bytes().all(|b| b.is_ascii_digit())) {
            let path = dir.join(name);
            disk.remove(&path).map_err(LogError::io("remove", &path))?;
        }
    }
    Ok(())
}

/// Puts a copy in a segment's place, followed by what the segment has that is newer.
///
/// After a crash, the segment is either the old one or the new one.
fn put_back(
    disk: &dyn Disk,
    copies: &LogReader,
    live: &LogReader,
    writer: &WriterId,
    segment: u32,
) -> Result<Restored, LogError> {
    let copy = segment_path(copies.dir(), writer, segment);
    let file = segment_path(live.dir(), writer, segment);
    let dir = file.parent().unwrap_or(&file);
    disk.create_dirs(dir).map_err(LogError::io("create", dir))?;
    let draft = file.with_extension(DRAFT);
    let _ = disk.remove(&draft);
    let target = disk.open(&draft, Access::Create).map_err(LogError::io("create", &draft))?;
    let source = disk.open(&copy, Access::Read).map_err(LogError::io("open", &copy))?;
    let restored = copy_range(&*source, &copy, 0, &*target, &draft, 0)?;
    let mut put = Restored { file: file.clone(), from: None, restored, kept: 0, dropped: 0 };
    if live.segments(writer)?.contains(&segment) {
        let copied = Extent::of(copies, writer, segment)?;
        if goes_on_from(&copied, live, writer, segment)? {
            let rest = live.open_segment(writer, segment)?;
            put.kept = copy_range(&*rest, &file, restored, &*target, &draft, restored)?;
        } else {
            each_line(live, writer, segment, |_, line| {
                match proven_seq(line) {
                    Some(seq) if seq > copied.last => {
                        // Half a line at the end of the copy is set apart, as an append would.
                        let is_glued = put.kept == 0 && !copied.rest.is_empty();
                        let line = [if is_glued { &b"\n"[..] } else { b"" }, line, b"\n"].concat();
                        let end = restored + put.kept;
                        target.write_all_at(&line, end).map_err(LogError::io("write", &draft))?;
                        put.kept += line.len() as u64;
                    }
                    // Up to here, the copy has everything.
                    Some(_) => put.dropped = 0,
                    None => put.dropped += 1,
                }
                Ok(())
            })?;
        }
    }
    target.sync().map_err(LogError::io("sync", &draft))?;
    disk.rename(&draft, &file).map_err(LogError::io("rename", &draft))?;
    disk.sync_dir(dir).map_err(LogError::io("sync", dir))?;
    Ok(put)
}

/// How far a copy goes.
struct Extent {
    /// The number of its last record.
    last: u64,
    /// Where its last whole line ends.
    lines: u64,
    /// What stands behind that.
    rest: Vec<u8>,
}

impl Extent {
    fn of(copies: &LogReader, writer: &WriterId, segment: u32) -> Result<Self, LogError> {
        let end = copies.segment_len(writer, segment)?;
        let mut extent = Self { last: 0, lines: 0, rest: Vec::new() };
        each_line(copies, writer, segment, |at, line| {
            extent.last = extent.last.max(proven_seq(line).unwrap_or(0));
            let behind = at + line.len() as u64 + 1;
            if behind <= end {
                extent.lines = behind;
            } else {
                extent.rest = line.to_vec();
            }
            Ok(())
        })?;
        Ok(extent)
    }
}

/// Says whether a segment goes on where its copy ends: the last line break of the copy, and what follows it there, stand at the same
/// place, and no record is on the wrong side of it.
fn goes_on_from(
    copied: &Extent,
    live: &LogReader,
    writer: &WriterId,
    segment: u32,
) -> Result<bool, LogError> {
    let end = copied.lines + copied.rest.len() as u64;
    let line_break = if copied.lines > 0 { &b"\n"[..] } else { b"" };
    let expected = [line_break, &copied.rest].concat();
    let mut found = vec![0; expected.len()];
    let len = live
        .open_segment(writer, segment)?
        .read_full_at(&mut found, end - expected.len() as u64)
        .map_err(LogError::io("read", &segment_path(live.dir(), writer, segment)))?;
    let mut goes_on = found[..len] == expected;
    each_line(live, writer, segment, |at, line| {
        goes_on &= match proven_seq(line) {
            Some(seq) if seq > copied.last => at >= copied.lines,
            Some(_) => at < end,
            None => true,
        };
        Ok(())
    })?;
    Ok(goes_on)
}

/// Shows every line of a segment with its offset, an unfinished one at the end included.
fn each_line(
    reader: &LogReader,
    writer: &WriterId,
    segment: u32,
    mut look: impl FnMut(u64, &[u8]) -> Result<(), LogError>,
) -> Result<(), LogError> {
    let mut cursor = reader.cursor(writer, Position { segment, offset: 0 })?;
    while let Some((at, raw)) = cursor.next_raw()? {
        if at.segment != segment {
            return Ok(());
        }
        match raw {
            RawLine::Whole(line) | RawLine::CutShort(line) => look(at.offset, cursor.bytes(line))?,
            RawLine::Endless(_) => look(at.offset, b"")?,
        }
    }
    if cursor.position().segment == segment && !cursor.rest().is_empty() {
        look(cursor.position().offset, cursor.rest())?;
    }
    Ok(())
}

/// Gives the number of a record that is whole and proves itself.
fn proven_seq(line: &[u8]) -> Option<u64> {
    match frame::parse(line) {
        Parsed::Whole(frame) if frame.holds(line) => Some(frame.seq),
        _ => None,
    }
}
