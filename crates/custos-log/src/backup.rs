//! Daily copies. [`restore`] brings back from them what the log has lost.
//!
//! A backup is a directory with the same layout as the log. Segments that have not changed are the same file in every backup (a hard
//! link to the copy before), so seven backups of a large log take little more room than one. A segment that is damaged, cut or missing
//! does not replace its copy: that is carried on instead, so that damage never displaces what could mend it. Copies are compared byte
//! by byte, because the newest copy is all that seven backups have of an old segment.
//!
//! Backups are plain files because forgetting has to reach into them: it overwrites the same bytes at the same offsets.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use custos_model::Timestamp;
use serde::Serialize;

use crate::append::{Log, Places};
use crate::disk::{Access, Disk, Handle};
use crate::error::LogError;
use crate::head::Lock;
use crate::read::{LogReader, segment_path};
use crate::restore;
use crate::verify::{self, Severity, Verification, WriterVerification};
use crate::writer::WriterId;

pub use crate::restore::{Restored, restore};

/// How long a backup waits for other maintenance.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// How much is read at once.
const CHUNK: usize = 1 << 20;

/// One backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Backup {
    /// Its name: the time at which it was taken.
    pub name: String,
    /// The bytes that it holds, whether or not it shares them with other backups.
    pub bytes: u64,
    /// The number of segments.
    pub segments: usize,
}

/// What taking a backup did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Taken {
    /// The backup's name.
    pub name: String,
    /// Segments that were copied.
    pub copied: usize,
    /// Segments that are shared with the backup before.
    pub shared: usize,
    /// Segments that are damaged, cut or missing; where there was a copy from before, that was carried on.
    pub damaged: Vec<PathBuf>,
    /// Old backups that were removed.
    pub removed: Vec<String>,
}

/// Lists the names of all backups, oldest first.
pub fn names(disk: &dyn Disk, backups: &Path) -> Result<Vec<String>, LogError> {
    let names = disk.list(backups).map_err(LogError::io("list", backups))?;
    Ok(names.into_iter().filter_map(|name| name.into_string().ok()).filter(|name| is_name(name)).collect())
}

/// Lists all backups, oldest first.
pub fn list(log: &Log) -> Result<Vec<Backup>, LogError> {
    let disk = &log.surroundings().disk;
    let mut backups = Vec::new();
    for name in names(&**disk, &log.places().backups)? {
        let reader = LogReader::with_disk(disk.clone(), &log.places().backups.join(&name));
        let mut backup = Backup { name, bytes: 0, segments: 0 };
        for writer in reader.writers()? {
            for segment in reader.segments(&writer)? {
                backup.segments += 1;
                backup.bytes += reader.segment_len(&writer, segment)?;
            }
        }
        backups.push(backup);
    }
    Ok(backups)
}

/// Says whether any backup has a segment of a writer.
pub(crate) fn has_any_of(log: &Log, writer: &WriterId) -> Result<bool, LogError> {
    let disk = &log.surroundings().disk;
    for name in names(&**disk, &log.places().backups)? {
        let copy = LogReader::with_disk(disk.clone(), &log.places().backups.join(&name));
        if !copy.segments(writer)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Says whether there is no backup of the day of `now` yet.
pub fn is_due(log: &Log, now: Timestamp) -> Result<bool, LogError> {
    let today = now.to_string();
    // Any, not the newest: after the clock went back, the newest is of a day to come.
    let names = names(&*log.surroundings().disk, &log.places().backups)?;
    Ok(!names.iter().any(|name| name.get(..10) == today.get(..10)))
}

/// Gives the name of a backup that is taken at some time: the time, without what a file name cannot hold.
fn name_at(now: Timestamp) -> String {
    now.to_string().replace([':', '.'], "-")
}

fn is_name(name: &str) -> bool {
    // 2026-11-15T20-55-09-123Z, which also keeps every path that is made from it below the directory.
    let pattern = b"dddd-dd-ddTdd-dd-dd-dddZ";
    name.len() == pattern.len()
        && name.bytes().zip(pattern).all(|(b, p)| if *p == b'd' { b.is_ascii_digit() } else { b == *p })
}

/// Takes a backup and removes all but the newest `keep`.
///
/// After a crash, the backup is there as a whole or not at all.
pub fn create(log: &Log, keep: usize, progress: &mut dyn FnMut(u64)) -> Result<Taken, LogError> {
    let disk = &*log.surroundings().disk;
    let backups = &log.places().backups;
    let _maintenance = Lock::take_for_maintenance(disk, &log.places().state, PATIENCE)?;
    remove_leftovers(log)?;
    let damaged = damaged_segments(&verify::verify(log, progress)?);
    let name = name_at((log.surroundings().clock)());
    let draft = backups.join(format!("{UNFINISHED}{name}"));
    let whole = backups.join(&name);
    let filled = fill(log, &draft, name, &damaged).and_then(|taken| {
        disk.rename(&draft, &whole).map_err(LogError::io("rename", &draft))?;
        disk.sync_dir(backups).map_err(LogError::io("sync", backups))?;
        Ok(taken)
    });
    if filled.is_err() {
        // Where the disk is full, half a backup is the last thing that it should hold.
        let _ = disk.remove_tree(&draft);
    }
    let mut taken = filled?;
    taken.removed = prune(disk, backups, keep, &taken.name)?;
    Ok(taken)
}

/// How the name of a backup begins that is being taken.
const UNFINISHED: &str = "unfinished-";

/// Copies every segment that has changed, and shares the others with the backup before.
fn fill(
    log: &Log,
    draft: &Path,
    name: String,
    damaged: &BTreeSet<(WriterId, u32)>,
) -> Result<Taken, LogError> {
    let disk = &*log.surroundings().disk;
    let Places { log: live, backups, .. } = log.places();
    let mut taken = Taken { name, copied: 0, shared: 0, damaged: Vec::new(), removed: Vec::new() };
    let mut segments = all_segments(&log.reader())?;
    let before = names(disk, backups)?.pop().map(|name| backups.join(name));
    if let Some(before) = &before {
        // What the log has lost stays in the backups.
        segments.extend(all_segments(&LogReader::with_disk(log.surroundings().disk.clone(), before))?);
    }
    disk.create_dirs(draft).map_err(LogError::io("create", draft))?;
    for (writer, segment) in segments {
        let dir = draft.join(writer.as_str());
        disk.create_dirs(&dir).map_err(LogError::io("create", &dir))?;
        let original = segment_path(live, &writer, segment);
        let copy = segment_path(draft, &writer, segment);
        let older = before.as_ref().map(|before| segment_path(before, &writer, segment));
        let standing = match &older {
            Some(older) => compare(disk, older, &original)?,
            None => Standing::New,
        };
        let is_damaged = damaged.contains(&(writer, segment));
        if is_damaged || standing == Standing::Shrunk {
            taken.damaged.push(original.clone());
        }
        match (standing, older) {
            (Standing::Changed, Some(older)) if is_damaged => share(disk, &older, &copy, &mut taken)?,
            (Standing::Same | Standing::Shrunk, Some(older)) => share(disk, &older, &copy, &mut taken)?,
            _ => {
                copy_file(disk, &original, &copy)?;
                taken.copied += 1;
            }
        }
        disk.sync_dir(&dir).map_err(LogError::io("sync", &dir))?;
    }
    disk.sync_dir(draft).map_err(LogError::io("sync", draft))?;
    Ok(taken)
}

fn all_segments(reader: &LogReader) -> Result<BTreeSet<(WriterId, u32)>, LogError> {
    let mut all = BTreeSet::new();
    for writer in reader.writers()? {
        all.extend(reader.segments(&writer)?.into_iter().map(|segment| (writer.clone(), segment)));
    }
    Ok(all)
}

/// Makes an older copy part of a backup: by a second name, or, on a file system that has none, by another copy.
fn share(disk: &dyn Disk, older: &Path, copy: &Path, taken: &mut Taken) -> Result<(), LogError> {
    if disk.hard_link(older, copy).is_ok() {
        taken.shared += 1;
        return Ok(());
    }
    taken.copied += 1;
    copy_file(disk, older, copy)
}

fn prune(disk: &dyn Disk, backups: &Path, keep: usize, just_taken: &str) -> Result<Vec<String>, LogError> {
    let names = names(disk, backups)?;
    let surplus = names.len().saturating_sub(keep.max(1));
    // The one just taken is not the newest by name if the clock went back.
    let old: Vec<String> = names.into_iter().filter(|name| name != just_taken).take(surplus).collect();
    for name in &old {
        let path = backups.join(name);
        disk.remove_tree(&path).map_err(LogError::io("remove", &path))?;
    }
    Ok(old)
}

/// Removes what a backup or a restoring left behind that died. Whoever calls this holds the lock for maintenance.
pub(crate) fn remove_leftovers(log: &Log) -> Result<(), LogError> {
    let disk = &*log.surroundings().disk;
    let backups = &log.places().backups;
    for name in disk.list(backups).map_err(LogError::io("list", backups))? {
        if name.to_str().is_some_and(|name| name.strip_prefix(UNFINISHED).is_some_and(is_name)) {
            let path = backups.join(name);
            disk.remove_tree(&path).map_err(LogError::io("remove", &path))?;
        }
    }
    restore::remove_drafts(log)
}

pub(crate) fn damaged_segments(found: &Verification) -> BTreeSet<(WriterId, u32)> {
    let mut damaged = BTreeSet::new();
    for writer in &found.writers {
        let Ok(id) = writer.writer.parse::<WriterId>() else { continue };
        damaged.extend(damaged_in(writer).map(|segment| (id.clone(), segment)));
    }
    damaged
}

/// Lists the segments of a writer whose own bytes are damaged.
pub(crate) fn damaged_in(found: &WriterVerification) -> impl Iterator<Item = u32> {
    found
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Damage && !finding.lies_before)
        .map(|finding| finding.segment)
}

/// How a segment of the log stands to a copy of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// There is no copy.
    New,
    /// It is the same.
    Same,
    /// It begins with the copy and goes on.
    Grown,
    /// It ends before the copy does, or is missing.
    Shrunk,
    /// It is different.
    Changed,
}

pub(crate) fn compare(disk: &dyn Disk, copy: &Path, original: &Path) -> Result<Standing, LogError> {
    let Some(copied) = open_if_there(disk, copy)? else { return Ok(Standing::New) };
    let Some(live) = open_if_there(disk, original)? else { return Ok(Standing::Shrunk) };
    let (mut theirs, mut ours) = (vec![0; CHUNK], vec![0; CHUNK]);
    let mut offset = 0;
    loop {
        let in_copy = copied.read_full_at(&mut theirs, offset).map_err(LogError::io("read", copy))?;
        let in_live = live.read_full_at(&mut ours, offset).map_err(LogError::io("read", original))?;
        let both = in_copy.min(in_live);
        if theirs[..both] != ours[..both] {
            return Ok(Standing::Changed);
        }
        match in_copy.cmp(&in_live) {
            Ordering::Less => return Ok(Standing::Grown),
            Ordering::Greater => return Ok(Standing::Shrunk),
            Ordering::Equal if both == 0 => return Ok(Standing::Same),
            Ordering::Equal => offset += both as u64,
        }
    }
}

fn open_if_there(disk: &dyn Disk, path: &Path) -> Result<Option<Box<dyn Handle>>, LogError> {
    match disk.open(path, Access::Read) {
        Ok(handle) => Ok(Some(handle)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(LogError::io("open", path)(error)),
    }
}

fn copy_file(disk: &dyn Disk, from: &Path, to: &Path) -> Result<(), LogError> {
    let source = disk.open(from, Access::Read).map_err(LogError::io("open", from))?;
    let target = disk.open(to, Access::Create).map_err(LogError::io("create", to))?;
    copy_range(&*source, from, 0, &*target, to, 0)?;
    target.sync().map_err(LogError::io("sync", to))
}

/// Copies everything from an offset on, and gives the number of bytes.
pub(crate) fn copy_range(
    source: &dyn Handle,
    from: &Path,
    from_offset: u64,
    target: &dyn Handle,
    to: &Path,
    to_offset: u64,
) -> Result<u64, LogError> {
    let mut chunk = vec![0; CHUNK];
    let mut copied = 0;
    loop {
        let read =
            source.read_full_at(&mut chunk, from_offset + copied).map_err(LogError::io("read", from))?;
        if read == 0 {
            return Ok(copied);
        }
        target.write_all_at(&chunk[..read], to_offset + copied).map_err(LogError::io("write", to))?;
        copied += read as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_time_is_a_name() {
        let now: Timestamp = "2026-11-15T20:55:09.123Z".parse().unwrap();
        assert_eq!(name_at(now), "2026-11-15T20-55-09-123Z");
        assert!(is_name(&name_at(now)));
        for name in [
            "",
            "..",
            "../2026-11-15T20-55-09-123Z",
            "2026-11-15T20-55-09-12/Z",
            "unfinished-2026-11-15T20-55-09-123Z",
        ] {
            assert!(!is_name(name), "{name}");
        }
    }
}
