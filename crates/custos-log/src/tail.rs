//! The end of this machine's log: finding it, and writing there.
//!
//! The head beside the lock says where the log ends, and mostly it is right. Where the two disagree:
//!
//! - The log goes on beyond the head: somebody died between log and head. What lies between is read.
//! - There is no head, or a damaged one: the last record in the log tells.
//! - The log ends before the head: records that were acknowledged are gone, with a file that was removed or replaced by an older
//!   one, or in a power cut. Their numbers are not given out again. The chain goes on behind them, in a segment of its own: so the
//!   loss stays visible, and a backup can still put back what belongs in front.
//! - The whole directory is gone, and no backup has any of it: somebody cleared their memory. The log begins anew.

use std::io;
use std::path::{Path, PathBuf};

use custos_model::kind::Durability;

use crate::append::Log;
use crate::backup;
use crate::cursor::RawLine;
use crate::disk::{Access, Disk, Handle};
use crate::error::LogError;
use crate::frame::{self, Parsed};
use crate::head::{Head, Lock};
use crate::read::{LogReader, Position, segment_path};
use crate::writer::{Machine, WriterId};

/// The end of the log, open for writing.
pub(crate) struct Tail {
    /// What the next record follows.
    pub(crate) head: Head,
    handle: Box<dyn Handle>,
    path: PathBuf,
    /// Whether the segment ends in a line that somebody left unfinished.
    torn: bool,
    /// How many of the directories above the segment its first line forces to the disk.
    depth: usize,
}

impl Tail {
    /// Finds the end of the log. `machine` is the writer to become where no head names one.
    pub(crate) fn find(log: &Log, lock: &Lock, machine: &Machine) -> Result<Self, LogError> {
        let disk = &*log.surroundings().disk;
        let reader = log.reader();
        let Some(head) = lock.head()? else {
            return Self::open(log, from_the_log(&reader, &machine.name())?);
        };
        let path = segment_path(&log.places().log, &head.writer, head.segment);
        let handle = match disk.open(&path, Access::Continue) {
            Ok(handle) => Some(handle),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(LogError::io("open", &path)(error)),
        };
        let len = match &handle {
            Some(handle) => handle.len().map_err(LogError::io("measure", &path))?,
            None => 0,
        };
        // A segment after it means that the head is old even if it fits: somebody died right after beginning the next one.
        let next = segment_path(&log.places().log, &head.writer, head.segment.saturating_add(1));
        match handle {
            Some(handle) if len == head.offset && !is_there(disk, &next)? => {
                Self::ready(head, handle, path, USUAL_DEPTH)
            }
            _ if len >= head.offset => Self::open(log, read_on(&reader, head)?),
            _ => Self::open(log, after_a_loss(log, &reader, head)?),
        }
    }

    fn open(log: &Log, head: Head) -> Result<Self, LogError> {
        let path = segment_path(&log.places().log, &head.writer, head.segment);
        let (handle, depth) = begin_segment(&*log.surroundings().disk, &path)?;
        Self::ready(head, handle, path, depth)
    }

    fn ready(head: Head, handle: Box<dyn Handle>, path: PathBuf, depth: usize) -> Result<Self, LogError> {
        let torn = ends_torn(&*handle, head.offset).map_err(LogError::io("read", &path))?;
        Ok(Self { head, handle, path, torn, depth })
    }

    /// Writes a line in one system call and gives the position at which the record begins.
    pub(crate) fn write(
        &mut self,
        log: &Log,
        mut line: Vec<u8>,
        durability: Durability,
    ) -> Result<Position, LogError> {
        line.push(b'\n');
        if self.head.offset > 0 && self.head.offset + line.len() as u64 > log.limits().segment {
            self.next_segment(log)?;
        }
        if self.torn {
            // What somebody left unfinished gets a line of its own.
            line.insert(0, b'\n');
        }
        let begins = Position { segment: self.head.segment, offset: self.head.offset + u64::from(self.torn) };
        self.write_whole(&line)?;
        let synced = self.sync(log, durability);
        // Whoever loses a tool event in a power cut was told so; a failing disk will show itself at the next durable one.
        if durability == Durability::Power {
            synced?;
        }
        self.head.offset += line.len() as u64;
        Ok(begins)
    }

    fn next_segment(&mut self, log: &Log) -> Result<(), LogError> {
        let Some(next) = self.head.segment.checked_add(1) else { return Ok(()) };
        if self.torn {
            self.write_whole(b"\n")?;
        }
        if log.limits().sync {
            // A durable record in the next segment is worth little if the ones before it are gone.
            self.handle.sync().map_err(LogError::io("sync", &self.path))?;
        }
        self.path = segment_path(&log.places().log, &self.head.writer, next);
        (self.handle, self.depth) = begin_segment(&*log.surroundings().disk, &self.path)?;
        self.head.segment = next;
        self.head.offset = 0;
        self.torn = false;
        Ok(())
    }

    fn sync(&self, log: &Log, durability: Durability) -> Result<(), LogError> {
        if !log.limits().sync {
            return Ok(());
        }
        if durability == Durability::Power {
            self.handle.sync().map_err(LogError::io("sync", &self.path))?;
        }
        // A new segment must be found again after a power cut, whichever kind of event began it.
        if self.head.offset == 0 {
            sync_dirs(&*log.surroundings().disk, &self.path, self.depth)?;
        }
        Ok(())
    }

    fn write_whole(&self, line: &[u8]) -> Result<(), LogError> {
        let mut written = 0;
        while written < line.len() {
            let error = match self.handle.append(&line[written..]) {
                Ok(0) => io::ErrorKind::WriteZero.into(),
                Ok(n) => {
                    written += n;
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => error,
            };
            // Nobody was told that this event is in the log, so its first half has no business there either. Where even that
            // fails, the next append sets it apart.
            if written > 0 {
                let _ = self.handle.truncate(self.head.offset);
            }
            return Err(LogError::io("append to", &self.path)(error));
        }
        Ok(())
    }
}

/// A segment's directory, and the one of all writers.
pub(crate) const USUAL_DEPTH: usize = 2;

/// Forces the entries of a segment, and of so many directories above it, to the disk.
pub(crate) fn sync_dirs(disk: &dyn Disk, segment: &Path, depth: usize) -> Result<(), LogError> {
    for dir in segment.ancestors().skip(1).take(depth) {
        disk.sync_dir(dir).map_err(LogError::io("sync", dir))?;
    }
    Ok(())
}

/// Opens a segment that may be new, and says how many directories above it have a new entry.
fn begin_segment(disk: &dyn Disk, path: &Path) -> Result<(Box<dyn Handle>, usize), LogError> {
    let mut depth = USUAL_DEPTH;
    let handle = match disk.open(path, Access::Append) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if let Some(dir) = path.parent() {
                // The first directory that is there already has the entry of the last that is not.
                let missing = dir.ancestors().take_while(|dir| is_missing(disk, dir)).count();
                depth = depth.max(missing + 1);
                disk.create_dirs(dir).map_err(LogError::io("create", dir))?;
            }
            disk.open(path, Access::Append)
        }
        opened => opened,
    }
    .map_err(LogError::io("open", path))?;
    Ok((handle, depth))
}

/// Says whether a directory has no entry in the one above it. Where that cannot be read, we cannot have made anything in it.
fn is_missing(disk: &dyn Disk, dir: &Path) -> bool {
    let (Some(above), Some(name)) = (dir.parent(), dir.file_name()) else { return false };
    !above.as_os_str().is_empty()
        && disk.list(above).is_ok_and(|names| !names.iter().any(|there| there == name))
}

fn is_there(disk: &dyn Disk, path: &Path) -> Result<bool, LogError> {
    match disk.open(path, Access::Read) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(LogError::io("open", path)(error)),
    }
}

fn ends_torn(handle: &dyn Handle, len: u64) -> io::Result<bool> {
    let Some(last) = len.checked_sub(1) else { return Ok(false) };
    let mut byte = [0];
    Ok(handle.read_full_at(&mut byte, last)? == 1 && byte != *b"\n")
}

/// Reads from a head to the end of the log and gives the head that it has there.
fn read_on(reader: &LogReader, mut head: Head) -> Result<Head, LogError> {
    let begin = Position { segment: head.segment, offset: head.offset };
    let mut cursor = reader.cursor(&head.writer, begin)?;
    // Half a write may look like a record whose content is damaged. Only what is proven is followed.
    let mut follow = |line: &[u8]| {
        if let Parsed::Whole(frame) = frame::parse(line)
            && frame.holds(line)
        {
            head.seq = frame.seq;
            head.link = frame.link(line);
        }
    };
    while let Some((_, raw)) = cursor.next_raw()? {
        if let RawLine::Whole(line) = raw {
            follow(cursor.bytes(line));
        }
    }
    // Whoever died may have lacked nothing but the line break.
    follow(cursor.rest());
    let end = cursor.position();
    head.segment = end.segment;
    head.offset = end.offset + cursor.unfinished() as u64;
    Ok(head)
}

/// Makes a head from the log alone. Only the last record counts, so the newest segment that has one is enough.
fn from_the_log(reader: &LogReader, writer: &WriterId) -> Result<Head, LogError> {
    let mut head = Head::start(writer.clone());
    for segment in reader.segments(writer)?.into_iter().rev() {
        head.segment = segment;
        if reader.first_record(writer, segment)?.is_some() {
            break;
        }
    }
    read_on(reader, head)
}

/// Gives the head from which the chain goes on although the log does not reach it any more.
fn after_a_loss(log: &Log, reader: &LogReader, head: Head) -> Result<Head, LogError> {
    if reader.segments(&head.writer)?.is_empty() && !backup::has_any_of(log, &head.writer)? {
        return Ok(Head::start(head.writer));
    }
    let found = from_the_log(reader, &head.writer)?;
    if found.seq >= head.seq {
        return Ok(found);
    }
    Ok(Head { segment: found.segment.max(head.segment).saturating_add(1), offset: 0, ..head })
}
