//! Daily copies, and restoring a damaged segment from one.
//!
//! A backup is a directory with the same layout as the log. Segments that nobody appends to any more are the same file in every
//! backup (a hard link to the newest copy before), so seven backups of a large log take little more room than one. A segment that
//! is found damaged is not copied: its last good copy is carried on instead, so that damage never displaces what could mend it.
//!
//! Backups are plain files because forgetting has to reach into them: it overwrites the same bytes at the same offsets.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use custos_model::Timestamp;
use serde::Serialize;

use crate::append::Log;
use crate::disk::{Access, Disk, Handle};
use crate::error::LogError;
use crate::head::Lock;
use crate::read::{LogReader, segment_path};
use crate::verify::{self, Severity, Verification};
use crate::writer::WriterId;

/// How long a backup waits for other maintenance.
const PATIENCE: Duration = Duration::from_secs(30);

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
    /// Segments that are damaged and of which an older, good copy was carried on, or none exists.
    pub damaged: Vec<PathBuf>,
    /// Old backups that were removed.
    pub removed: Vec<String>,
}

/// What restoring did to one segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Restored {
    /// The segment.
    pub file: PathBuf,
    /// The backup that it was restored from; none where no copy was good.
    pub from: Option<String>,
    /// The bytes that came from the backup.
    pub restored: u64,
    /// The bytes that were newer than the backup and were kept.
    pub kept: u64,
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

/// Says whether the newest backup is from another day than `now`.
pub fn is_due(log: &Log, now: Timestamp) -> Result<bool, LogError> {
    let today = now.to_string();
    let newest = names(&*log.surroundings().disk, &log.places().backups)?.pop();
    Ok(newest.is_none_or(|newest| newest.get(..10) != today.get(..10)))
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
pub fn create(log: &Log, keep: usize, progress: &mut dyn FnMut(u64)) -> Result<Taken, LogError> {
    let disk = &*log.surroundings().disk;
    let backups = &log.places().backups;
    let _maintenance = Lock::take_for_maintenance(disk, &log.places().state, PATIENCE)?;
    let found = verify::verify(log, progress)?;
    let damaged = damaged_segments(&found);
    let before = names(disk, backups)?.pop();

    let name = name_at((log.surroundings().clock)());
    let draft = backups.join(format!("unfinished-{name}"));
    let mut taken = Taken { name, copied: 0, shared: 0, damaged: Vec::new(), removed: Vec::new() };
    let reader = log.reader();
    for writer in reader.writers()? {
        let segments = reader.segments(&writer)?;
        let dir = draft.join(writer.as_str());
        disk.create_dirs(&dir).map_err(LogError::io("create", &dir))?;
        for segment in &segments {
            let sealed = segments.last() != Some(segment);
            let is_damaged = damaged.contains(&(writer.clone(), *segment));
            let live = segment_path(log.places().log.as_path(), &writer, *segment);
            let copy = segment_path(&draft, &writer, *segment);
            let older = before.as_ref().map(|name| segment_path(&backups.join(name), &writer, *segment));
            if is_damaged {
                taken.damaged.push(live.clone());
            }
            let shared = match &older {
                Some(older) if is_damaged || (sealed && same_length(disk, older, &live)?) => {
                    disk.hard_link(older, &copy).is_ok()
                }
                _ => false,
            };
            if shared {
                taken.shared += 1;
            } else if !is_damaged {
                copy_file(disk, &live, &copy)?;
                taken.copied += 1;
            }
        }
        disk.sync_dir(&dir).map_err(LogError::io("sync", &dir))?;
    }
    disk.create_dirs(&draft).map_err(LogError::io("create", &draft))?;
    let whole = backups.join(&taken.name);
    disk.rename(&draft, &whole).map_err(LogError::io("rename", &draft))?;
    disk.sync_dir(backups).map_err(LogError::io("sync", backups))?;
    taken.removed = prune(disk, backups, keep)?;
    Ok(taken)
}

fn prune(disk: &dyn Disk, backups: &Path, keep: usize) -> Result<Vec<String>, LogError> {
    let names = names(disk, backups)?;
    let surplus = names.len().saturating_sub(keep.max(1));
    let old: Vec<String> = names.into_iter().take(surplus).collect();
    for name in &old {
        let path = backups.join(name);
        disk.remove_tree(&path).map_err(LogError::io("remove", &path))?;
    }
    // What a process that died left behind.
    for name in disk.list(backups).map_err(LogError::io("list", backups))? {
        if name.to_str().is_some_and(|name| name.strip_prefix("unfinished-").is_some_and(is_name)) {
            let path = backups.join(name);
            disk.remove_tree(&path).map_err(LogError::io("remove", &path))?;
        }
    }
    Ok(old)
}

fn damaged_segments(found: &Verification) -> BTreeSet<(WriterId, u32)> {
    let mut damaged = BTreeSet::new();
    for writer in &found.writers {
        let Ok(id) = writer.writer.parse::<WriterId>() else { continue };
        for finding in writer.findings.iter().filter(|finding| finding.severity == Severity::Damage) {
            damaged.insert((id.clone(), finding.segment));
        }
    }
    damaged
}

fn same_length(disk: &dyn Disk, a: &Path, b: &Path) -> Result<bool, LogError> {
    let len = |path: &Path| -> Option<u64> { disk.open(path, Access::Read).ok()?.len().ok() };
    Ok(len(a).is_some() && len(a) == len(b))
}

fn copy_file(disk: &dyn Disk, from: &Path, to: &Path) -> Result<(), LogError> {
    let source = disk.open(from, Access::Read).map_err(LogError::io("open", from))?;
    let target = disk.open(to, Access::Create).map_err(LogError::io("create", to))?;
    copy_range(&*source, from, 0, &*target, to, 0)?;
    target.sync().map_err(LogError::io("sync", to))
}

/// Copies everything from an offset on, and gives the number of bytes.
fn copy_range(
    source: &dyn Handle,
    from: &Path,
    from_offset: u64,
    target: &dyn Handle,
    to: &Path,
    to_offset: u64,
) -> Result<u64, LogError> {
    let mut chunk = vec![0; 1 << 20];
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

/// Restores every segment that is damaged or missing from the newest backup (or the named one) whose copy is good.
///
/// What was appended after the copy was taken is kept.
pub fn restore(
    log: &Log,
    only: Option<&str>,
    progress: &mut dyn FnMut(u64),
) -> Result<Vec<Restored>, LogError> {
    let disk = &*log.surroundings().disk;
    let places = log.places();
    let _maintenance = Lock::take_for_maintenance(disk, &places.state, PATIENCE)?;
    let _lock = Lock::take(disk, &places.state, PATIENCE)?;
    let mut wanted = damaged_segments(&verify::verify(log, progress)?);
    let candidates: Vec<String> = names(disk, &places.backups)?
        .into_iter()
        .rev()
        .filter(|name| only.is_none_or(|only| only == name))
        .collect();
    for name in &candidates {
        let copy = LogReader::with_disk(log.surroundings().disk.clone(), &places.backups.join(name));
        for writer in copy.writers()? {
            let live = log.reader().segments(&writer)?;
            wanted.extend(
                copy.segments(&writer)?
                    .into_iter()
                    .filter(|n| !live.contains(n))
                    .map(|n| (writer.clone(), n)),
            );
        }
    }
    let mut report = Vec::new();
    for (writer, segment) in wanted {
        let file = segment_path(&places.log, &writer, segment);
        let mut restored = Restored { file: file.clone(), from: None, restored: 0, kept: 0 };
        for name in &candidates {
            let copy = segment_path(&places.backups.join(name), &writer, segment);
            if is_good(log, &places.backups.join(name), &writer, segment)? {
                (restored.restored, restored.kept) = put_back(disk, &copy, &file)?;
                restored.from = Some(name.clone());
                break;
            }
        }
        report.push(restored);
    }
    Ok(report)
}

/// Says whether a copy of a segment is whole and its records follow each other.
fn is_good(log: &Log, backup: &Path, writer: &WriterId, segment: u32) -> Result<bool, LogError> {
    let reader = LogReader::with_disk(log.surroundings().disk.clone(), backup);
    if !reader.segments(writer)?.contains(&segment) {
        return Ok(false);
    }
    let found = verify::verify_writer(&reader, writer, None, &mut |_| {})?;
    Ok(!found
        .findings
        .iter()
        .any(|finding| finding.severity == Severity::Damage && finding.segment == segment))
}

/// Puts a copy in a segment's place, followed by what the segment has beyond it.
///
/// After a crash, the segment is either the old one or the new one.
fn put_back(disk: &dyn Disk, copy: &Path, file: &Path) -> Result<(u64, u64), LogError> {
    let dir = file.parent().unwrap_or(file);
    disk.create_dirs(dir).map_err(LogError::io("create", dir))?;
    let draft = file.with_extension("restoring");
    let _ = disk.remove(&draft);
    let target = disk.open(&draft, Access::Create).map_err(LogError::io("create", &draft))?;
    let source = disk.open(copy, Access::Read).map_err(LogError::io("open", copy))?;
    let restored = copy_range(&*source, copy, 0, &*target, &draft, 0)?;
    let kept = match disk.open(file, Access::Read) {
        Ok(live) => copy_range(&*live, file, restored, &*target, &draft, restored)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
        Err(error) => return Err(LogError::io("open", file)(error)),
    };
    target.sync().map_err(LogError::io("sync", &draft))?;
    disk.rename(&draft, file).map_err(LogError::io("rename", &draft))?;
    disk.sync_dir(dir).map_err(LogError::io("sync", dir))?;
    Ok((restored, kept))
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
