//! Overwriting: records in place and at equal length, fragments with spaces.
//!
//! Before a byte is written, the line is read and recognised. A position alone is no proof: a backup may be older than the record, or
//! from before the log was lost and begun anew.

use std::path::Path;

use custos_model::EventId;

use crate::disk::{Access, Disk, Handle};
use crate::error::LogError;
use crate::frame::{self, Parsed};
use crate::read::{Position, segment_path};
use crate::writer::WriterId;

/// A line that is to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) writer: WriterId,
    pub(crate) at: Position,
    pub(crate) line: Line,
}

/// How the line is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    /// By its id.
    Record(EventId),
    /// By its length, and because it is no record.
    Fragment(u64),
}

/// How many lines were overwritten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Erased {
    pub(crate) records: usize,
    pub(crate) fragments: usize,
}

/// Overwrites those of the targets that are there, in the log or in the backup below `root`.
///
/// When this returns, they are gone from the disk, too. What was overwritten before is left alone.
pub(crate) fn erase<'t>(
    disk: &dyn Disk,
    root: &Path,
    targets: impl IntoIterator<Item = &'t Target>,
) -> Result<Erased, LogError> {
    let mut targets: Vec<&Target> = targets.into_iter().collect();
    targets.sort_by(|a, b| (&a.writer, a.at).cmp(&(&b.writer, b.at)));
    let mut erased = Erased::default();
    for in_segment in targets.chunk_by(|a, b| (&a.writer, a.at.segment) == (&b.writer, b.at.segment)) {
        let [first, ..] = in_segment else { continue };
        let path = segment_path(root, &first.writer, first.at.segment);
        let handle = match disk.open(&path, Access::Edit) {
            Ok(handle) => handle,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(LogError::io("open", &path)(error)),
        };
        let before = erased;
        for target in in_segment {
            let done = erase_line(&*handle, &path, target)?;
            match target.line {
                Line::Record(_) => erased.records += usize::from(done),
                Line::Fragment(_) => erased.fragments += usize::from(done),
            }
        }
        if erased != before {
            handle.sync().map_err(LogError::io("sync", &path))?;
        }
    }
    Ok(erased)
}

fn erase_line(handle: &dyn Handle, path: &Path, target: &Target) -> Result<bool, LogError> {
    let offset = target.at.offset;
    let line = read_line(handle, path, offset)?;
    let parsed = frame::parse(&line);
    let (from, bytes) = match (target.line, &parsed) {
        (Line::Record(_), Parsed::Whole(frame)) if frame.is_forgotten() => return Ok(false),
        (Line::Record(id), Parsed::Whole(frame) | Parsed::Headed(frame)) if frame.id == id => {
            let from = frame.erasable_from();
            let Some(erasure) = frame::erasure(line.len() - from) else { return Ok(false) };
            (from, erasure)
        }
        (Line::Fragment(len), Parsed::Not) if line.len() as u64 == len && line.iter().any(|b| *b != b' ') => {
            (0, vec![b' '; line.len()])
        }
        _ => return Ok(false),
    };
    handle.write_all_at(&bytes, offset + from as u64).map_err(LogError::io("overwrite", path))?;
    Ok(true)
}

/// Reads the line that begins at an offset, without its line break; nothing where no line begins there.
fn read_line(handle: &dyn Handle, path: &Path, offset: u64) -> Result<Vec<u8>, LogError> {
    // The place may come from another machine's log, and be anything.
    if offset >= handle.len().map_err(LogError::io("measure", path))? {
        return Ok(Vec::new());
    }
    // From the byte before, which must be a line break.
    let (start, skipped) = (offset.saturating_sub(1), usize::from(offset > 0));
    let mut bytes = vec![0; 4096];
    loop {
        let read = handle.read_full_at(&mut bytes, start).map_err(LogError::io("read", path))?;
        if skipped == 1 && (read == 0 || bytes[0] != b'\n') {
            return Ok(Vec::new());
        }
        let end = memchr::memchr(b'\n', &bytes[skipped..read]).map(|len| skipped + len);
        if end.is_none() && read == bytes.len() {
            bytes.resize(read * 4, 0);
            continue;
        }
        bytes.truncate(end.unwrap_or(read));
        bytes.drain(..skipped);
        return Ok(bytes);
    }
}
