//! What was kept goes into the log.
//!
//! One process replays at a time. Its claim is a lock, because the system lets go of a lock when its holder dies, however it dies;
//! everybody else goes on without waiting. Before an event is offered to the log, its file is renamed, and the new name says where the log
//! ended. So whoever finds such a name knows that its holder is dead or has failed, and reads the log from that place on before it
//! offers the event again: killed between the append and the removal, a hook has still recorded its event once.
//!
//! Where even that fails (the log was begun anew meanwhile, somebody removed the lock file) the log may hold two records with the same id.
//! That is harmless: the index stores an id once, and forgetting an id forgets every record that has it.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use custos_model::EventId;

use super::entry::{self, Entry, Found, Trouble};
use super::{Place, Spool, is_about_the_event};
use crate::append::Log;
use crate::disk::{Access, Handle};
use crate::error::LogError;
use crate::frame::{self, Parsed, push_hex};
use crate::hash;
use crate::head;
use crate::read::{Line, Position};

/// What a replay came to.
#[derive(Debug, Default)]
pub struct Replayed {
    /// Events that are in the log now and wait no longer.
    pub count: usize,
    /// Events that still wait.
    pub left: usize,
    /// What went wrong. Whatever it is, nothing was lost by it.
    pub failed: Vec<Unreplayed>,
}

/// Reports a file that did not become a record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unreplayed {
    /// The file is no event and never will be.
    #[error("a file in the spool {reason}; it is now {}", at.display())]
    Broken {
        /// Where it was set apart.
        at: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file could not be read, moved or removed, or the log did not take the event. It stays where it is.
    #[error(transparent)]
    Later(#[from] LogError),
}

/// A file that is to be looked at.
struct Candidate<'a> {
    place: &'a Place,
    name: OsString,
    found: Found,
}

impl Candidate<'_> {
    fn path(&self) -> PathBuf {
        self.place.waiting().join(&self.name)
    }

    /// Oldest first; strangers when everybody else is served.
    fn order(&self) -> (bool, Option<EventId>) {
        match self.found {
            Found::Event(entry) | Found::Part(entry) => (false, Some(entry.id)),
            Found::Stranger => (true, None),
        }
    }
}

/// What became of a file.
enum Outcome {
    /// It is in the log.
    Logged,
    /// It does not concern us: it is gone, its writer is alive, or a newer program will take it.
    Passed,
    /// It is set apart, or stays for the next time.
    Failed(Unreplayed),
    /// The log takes nothing at the moment.
    Refused(LogError),
}

impl Spool {
    /// Puts events that wait into the log, oldest first, with their ids, times and origins. At most `limit` files are dealt with.
    ///
    /// Best called after an append that worked: where the log takes nothing, the first attempt waits as long as any append.
    pub fn replay(&self, log: &Log, limit: usize) -> Replayed {
        let mut replayed = Replayed::default();
        let mut candidates = Vec::new();
        let mut claims = Vec::new();
        for place in &self.places {
            match self.claim(place, &mut candidates) {
                Ok(claim) => claims.extend(claim),
                Err(error) => replayed.failed.push(error.into()),
            }
        }
        candidates.sort_by_key(Candidate::order);
        let mut left = limit;
        for candidate in &candidates {
            if left == 0 {
                break;
            }
            left -= 1;
            match self.deal_with(log, candidate) {
                Outcome::Logged => replayed.count += 1,
                Outcome::Passed => left += 1,
                Outcome::Failed(failure) => replayed.failed.push(failure),
                Outcome::Refused(error) => {
                    replayed.failed.push(error.into());
                    break;
                }
            }
        }
        for place in &self.places {
            // Fails where something is left in it, and only then: `Disk` has nothing that removes a directory on that condition.
            let _ = std::fs::remove_dir(place.waiting());
            let names = self.disk.list(&place.waiting()).unwrap_or_default();
            replayed.left += names.iter().filter(|name| matches!(Found::of(name), Found::Event(_))).count();
        }
        drop(claims);
        replayed
    }

    /// Takes the lock of a place and lists what is in it; nothing where nothing waits or somebody else is at it.
    fn claim<'a>(
        &self,
        place: &'a Place,
        candidates: &mut Vec<Candidate<'a>>,
    ) -> Result<Option<Box<dyn Handle>>, LogError> {
        let dir = place.waiting();
        let list = || self.disk.list(&dir).map_err(LogError::io("list", &dir));
        if list()?.is_empty() {
            return Ok(None);
        }
        let path = place.lock();
        let handle =
            self.disk.open(&path, Access::ReadWrite).map_err(LogError::io("open the lock", &path))?;
        if !handle.try_lock().map_err(LogError::io("lock", &path))? {
            return Ok(None);
        }
        // Once more: what was there before the lock may have been replayed meanwhile.
        for name in list()? {
            candidates.push(Candidate { place, found: Found::of(&name), name });
        }
        Ok(Some(handle))
    }

    fn deal_with(&self, log: &Log, candidate: &Candidate<'_>) -> Outcome {
        match candidate.found {
            Found::Event(entry) => self.deliver(log, candidate, entry),
            Found::Part(entry) => self.finish(log, candidate, &entry),
            Found::Stranger => self.set_apart(candidate, "is none of ours".to_owned()),
        }
    }

    /// Puts one event into the log and removes its file.
    fn deliver(&self, log: &Log, candidate: &Candidate<'_>, entry: Entry) -> Outcome {
        let path = candidate.path();
        let (draft, origin) = match entry::read(&*self.disk, &path, &entry, self.bound) {
            Ok(event) => event,
            Err(trouble) => return self.give_up(candidate, trouble),
        };
        let claimed = match entry.tried {
            None => {
                let tried = Entry { tried: Some(end_of(log)), ..entry };
                let claimed = candidate.place.waiting().join(tried.name());
                match self.disk.rename(&path, &claimed) {
                    Ok(()) => {}
                    Err(error) if error.kind() == io::ErrorKind::NotFound => return Outcome::Passed,
                    Err(error) => return later("rename", path, error),
                }
                claimed
            }
            Some(since) => match is_in_log(log, entry.id, since) {
                Ok(true) => return self.remove(path),
                Ok(false) => path,
                Err(error) => return Outcome::Refused(error),
            },
        };
        match log.append(draft, origin) {
            Ok(_) => self.remove(claimed),
            Err(error) if is_about_the_event(&error) => {
                let name = claimed.file_name().unwrap_or_default().to_owned();
                self.set_apart(&Candidate { name, ..*candidate }, format!("cannot be recorded: {error}"))
            }
            // It keeps its new name: some of it may be in the log.
            Err(error) => Outcome::Refused(error),
        }
    }

    /// Makes a part that its writer left behind an event, if it is whole.
    fn finish(&self, log: &Log, candidate: &Candidate<'_>, entry: &Entry) -> Outcome {
        let path = candidate.path();
        let handle = match entry::open(&*self.disk, &path) {
            Ok(handle) => handle,
            Err(trouble) => return self.give_up(candidate, trouble),
        };
        // Whoever is writing it has the lock. Where there are no locks, nobody can tell.
        if !matches!(handle.try_lock(), Ok(true)) {
            return Outcome::Passed;
        }
        match handle.len() {
            // Died before the first byte, or is about to find out that somebody else has the lock and begins anew.
            Ok(0) => {
                return match self.disk.remove(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => later("remove", path, error),
                    _ => Outcome::Passed,
                };
            }
            Ok(_) => drop(handle),
            Err(error) => return later("measure", path, error),
        }
        if let Err(trouble) = entry::read(&*self.disk, &path, entry, self.bound) {
            return self.give_up(candidate, trouble);
        }
        let name = OsString::from(entry.name());
        match self.disk.rename(&path, &candidate.place.waiting().join(&name)) {
            Ok(()) => self.deliver(log, &Candidate { name, ..*candidate }, *entry),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Outcome::Passed,
            Err(error) => later("rename", path, error),
        }
    }

    fn remove(&self, path: PathBuf) -> Outcome {
        match self.disk.remove(&path) {
            // The event is in the log all the same, and the next one to look finds it there.
            Err(error) if error.kind() != io::ErrorKind::NotFound => later("remove", path, error),
            _ => Outcome::Logged,
        }
    }

    fn give_up(&self, candidate: &Candidate<'_>, trouble: Trouble) -> Outcome {
        match trouble {
            Trouble::Gone | Trouble::Newer => Outcome::Passed,
            Trouble::Broken(reason) => self.set_apart(candidate, reason),
            Trouble::Io(error) => later("read", candidate.path(), error),
        }
    }

    /// Moves what is no event out of the way.
    fn set_apart(&self, candidate: &Candidate<'_>, reason: String) -> Outcome {
        let (path, apart) = (candidate.path(), candidate.place.apart());
        let moved = self.disk.create_dirs(&apart).and_then(|()| {
            let taken = self.disk.list(&apart)?;
            let plain = plain_name(&candidate.name);
            let mut name = format!("{plain}.broken");
            let mut n = 1;
            while taken.iter().any(|there| there.as_os_str() == name.as_str()) {
                n += 1;
                name = format!("{plain}.{n}.broken");
            }
            let at = apart.join(name);
            self.disk.rename(&path, &at).map(|()| at)
        });
        match moved {
            Ok(at) => Outcome::Failed(Unreplayed::Broken { at, reason }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Outcome::Passed,
            Err(error) => later("set apart", path, error),
        }
    }
}

fn later(action: &'static str, path: PathBuf, error: io::Error) -> Outcome {
    Outcome::Failed(LogError::Io { action, path, source: error }.into())
}

/// Gives a name that every report can show and to which something can be added: the file's own, or a hash of it.
fn plain_name(name: &std::ffi::OsStr) -> String {
    match name.to_str() {
        Some(name) if name.len() <= 200 && name.bytes().all(|b| b.is_ascii_graphic()) => name.to_owned(),
        _ => {
            let mut digits = Vec::new();
            push_hex(&mut digits, &hash::brief(&[name.as_encoded_bytes()])[..8]);
            String::from_utf8_lossy(&digits).into_owned()
        }
    }
}

/// Gives a place in the log before which nothing will be written any more.
pub(super) fn end_of(log: &Log) -> Position {
    if let Some(head) = head::peek(&*log.surroundings().disk, &log.places().state) {
        return Position { segment: head.segment, offset: head.offset };
    }
    let segments = log.reader().segments(&log.writer()).unwrap_or_default();
    segments.last().map_or(Position::START, |segment| Position { segment: *segment, offset: 0 })
}

/// Says whether an event was recorded since the log ended at a place; a forgotten one was.
fn is_in_log(log: &Log, id: EventId, since: Position) -> Result<bool, LogError> {
    // A log that is shorter now was begun anew.
    let since = if end_of(log) < since { Position::START } else { since };
    let mut cursor = log.reader().cursor(&log.writer(), since)?;
    while let Some(line) = cursor.next()? {
        let is_proven = match &line {
            // Half a write may look like a record.
            Line::Record(record) => record.frame.holds(record.line()),
            _ => true,
        };
        if is_proven && line.id() == Some(id) {
            return Ok(true);
        }
    }
    // Whoever died may have lacked nothing but the line break; the next append adds it.
    let rest = cursor.rest();
    Ok(matches!(frame::parse(rest), Parsed::Whole(frame) if frame.id == id && frame.holds(rest)))
}
