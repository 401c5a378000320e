//! The files themselves, and the way back.
//!
//! The ledger remembers each file that we changed: whether it was there, what it said, what we wrote last and what in
//! it is ours. So an uninstall can give a file back byte for byte as long as nobody else has touched it since, and
//! otherwise takes out our part only.
//!
//! What a file said is kept as a copy beside the ledger. **Settings may hold keys, and then the copies hold them, too**: they are
//! readable by their owner only (0600, in a directory 0700), and go when the file is restored. Of a client's own state, which holds its
//! login and changes by the minute, no copy is kept ([`Ledger::apply_without_copy`]).
//!
//! In what order things are written decides what a crash can do. First the copy, then the ledger, then the file, each
//! whole or not at all. A crash in between leaves a ledger that speaks of a change that never came; the next run finds
//! the file as it was and takes it from there.
//!
//! A file is replaced by renaming a new one over it. Links are followed, mode and owner are kept; access lists
//! and hard links are not. A file or directory that nobody may write to is left alone, even by a user who could: it is managed by
//! somebody or something else.

mod backup;
mod book;
mod digest;
mod error;
mod target;

use std::fs::File;
use std::path::{Path, PathBuf};

use self::backup::Backup;
use self::book::{Book, Copies, Origin, Record};
use self::digest::Digest;
pub use self::error::LedgerError;
pub use self::target::NewFile;
use self::target::{Target, check_absolute};
use super::diff::{DiffLine, diff};
use super::part::{Part, Trace};

/// Changes files and remembers how they were.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    book: Book,
    /// Held as long as the ledger is open; none in a rehearsal, which changes nothing.
    lock: Option<File>,
}

/// What was done to a file, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The file, as it was named.
    pub file: PathBuf,
    /// What was done.
    pub action: Action,
    /// The lines that came and went; see [`diff`](super::diff) on keys in them.
    pub lines: Vec<DiffLine>,
}

/// What was done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Nothing: it says already what it should.
    Unchanged,
    /// It was made.
    Created,
    /// It was changed.
    Changed,
    /// It is again what it was before us, byte for byte.
    Restored,
    /// It was removed, as it was not there before us.
    Deleted,
    /// Our part was taken out; the rest is not what it was before us, but what others have made of it since.
    Trimmed,
    /// Nothing: all of it was ours, somebody else has changed it since, and so it is theirs now.
    Left,
    /// Nothing: somebody else removed it.
    Gone,
    /// Nothing: the ledger does not know it.
    Unknown,
}

/// What is to become of a file.
enum Outcome {
    Nothing(Action),
    Write(Action, Vec<u8>),
    Delete,
}

impl Ledger {
    /// Opens the ledger at this path, or begins one. Only one process can have it open.
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        check_absolute(path)?;
        let lock = book::lock(path)?;
        Ok(Self { book: Book::load(path)?, path: path.to_owned(), lock: Some(lock) })
    }

    /// Opens the ledger to see what would be done: the reports are the same, and nothing is changed.
    pub fn rehearse(path: &Path) -> Result<Self, LedgerError> {
        check_absolute(path)?;
        Ok(Self { book: Book::load(path)?, path: path.to_owned(), lock: None })
    }

    /// Lists the files that we changed and have not restored.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.book.records.iter().map(|record| record.file.as_path())
    }

    /// Makes sure that our part is in a file. If it is there already, the file is not written.
    ///
    /// The first time, what the file said is kept. If somebody else has changed it since, what it says now is kept
    /// besides, and a later [`restore`](Self::restore) takes out our part only.
    pub fn apply(&mut self, file: &Path, part: &Part, new_file: NewFile) -> Result<Report, LedgerError> {
        self.apply_with(file, part, new_file, Copies::Kept)
    }

    /// Makes sure that our part is in a file of which no copy is kept: because others write it all the time, so that its original is worth
    /// nothing in an hour, and because it holds what must not lie about twice.
    pub fn apply_without_copy(&mut self, file: &Path, part: &Part) -> Result<Report, LedgerError> {
        self.apply_with(file, part, NewFile::Private, Copies::None)
    }

    /// Tells whether this only shows what would be done.
    pub fn is_rehearsal(&self) -> bool {
        self.lock.is_none()
    }

    fn apply_with(
        &mut self,
        file: &Path,
        part: &Part,
        new_file: NewFile,
        copies: Copies,
    ) -> Result<Report, LedgerError> {
        let target = Target::find(file)?;
        let old = target.text()?;
        let edit_error = |why| LedgerError::Edit { path: file.to_owned(), why };
        let (text, trace) = part.apply(old).map_err(edit_error)?;
        let action = match old {
            Some(old) if old == text => Action::Unchanged,
            Some(_) => Action::Changed,
            None => Action::Created,
        };
        let report = Report { file: file.to_owned(), action, lines: diff(old.unwrap_or_default(), &text) };
        if action != Action::Unchanged {
            target.check_writable()?;
        }
        if self.lock.is_none() {
            return Ok(report);
        }
        if action == Action::Unchanged {
            self.acknowledge(&target, trace)?;
        } else {
            self.write(&target, text.as_bytes(), new_file, trace, copies)?;
        }
        Ok(report)
    }

    /// Gives a file back as it was before us: byte for byte if it is as we left it, and removed if we made it.
    /// If somebody else has changed it since, only our part is taken out.
    pub fn restore(&mut self, file: &Path) -> Result<Report, LedgerError> {
        let target = Target::find(file)?;
        let report = |action, lines| Report { file: file.to_owned(), action, lines };
        let Some(record) = self.book.record(&target.path) else {
            return Ok(report(Action::Unknown, Vec::new()));
        };
        let outcome = self.outcome(&target, record, file)?;
        let new = match &outcome {
            Outcome::Write(_, bytes) => bytes.as_slice(),
            Outcome::Delete => &[],
            Outcome::Nothing(_) => target.bytes().unwrap_or_default(),
        };
        let lines =
            diff(&String::from_utf8_lossy(target.bytes().unwrap_or_default()), &String::from_utf8_lossy(new));
        if !matches!(outcome, Outcome::Nothing(_)) {
            target.check_writable()?;
        }
        let live = self.lock.is_some();
        let action = match outcome {
            Outcome::Nothing(action) => action,
            Outcome::Write(action, bytes) => {
                if live {
                    target.draft(&bytes, NewFile::Private)?.publish()?;
                }
                action
            }
            Outcome::Delete => {
                if live {
                    target.delete()?;
                }
                Action::Deleted
            }
        };
        if live {
            self.forget(&target)?;
        }
        Ok(report(action, lines))
    }

    /// Lets another ledger answer for a file that both know: what the file was before us goes along, unless the other knows better.
    pub fn pass_on(&mut self, file: &Path, heir: &mut Self) -> Result<(), LedgerError> {
        let target = Target::find(file)?;
        let Some(record) = self.book.record(&target.path) else { return Ok(()) };
        if self.lock.is_none() {
            return Ok(());
        }
        let mut book = heir.book.clone();
        if let Some(known) = book.record_mut(&target.path)
            && known.origin == Origin::Unknown
        {
            let kept = |backup: &Backup| {
                backup.read(&self.path).map(|bytes| Backup::keep(&heir.path, &bytes)).transpose()
            };
            known.origin = match &record.origin {
                Origin::Kept(backup) => kept(backup)?.map_or(Origin::Unknown, Origin::Kept),
                origin => origin.clone(),
            };
            known.edited = record.edited.as_ref().map(kept).transpose()?.flatten();
            known.written = record.written.clone();
            book.save(&heir.path)?;
            heir.book = book;
        }
        self.forget(&target)
    }

    fn outcome(&self, target: &Target, record: &Record, file: &Path) -> Result<Outcome, LedgerError> {
        let Some(bytes) = target.bytes() else { return Ok(Outcome::Nothing(Action::Gone)) };
        let whole = record.trace == Trace::Whole;
        if Digest::of(bytes) == record.written && (whole || record.edited.is_none()) {
            match &record.origin {
                Origin::Absent => return Ok(Outcome::Delete),
                // A copy that is damaged or gone is no original; then our part is taken out, as if it were unknown.
                Origin::Kept(backup) => {
                    if let Some(original) = backup.read(&self.path) {
                        return Ok(Outcome::Write(Action::Restored, original));
                    }
                }
                Origin::Unknown => {}
            }
        }
        if whole {
            return Ok(Outcome::Nothing(Action::Left));
        }
        let text = target.text()?.unwrap_or_default();
        let rest =
            record.trace.remove(text).map_err(|why| LedgerError::Edit { path: file.to_owned(), why })?;
        Ok(
            if rest.trim_start_matches('\u{feff}').trim().is_empty()
                && matches!(record.origin, Origin::Absent)
            {
                Outcome::Delete
            } else if rest == text {
                Outcome::Nothing(Action::Unchanged)
            } else {
                Outcome::Write(Action::Trimmed, rest.into_bytes())
            },
        )
    }

    /// Makes a note of a file that says already what it should.
    fn acknowledge(&mut self, target: &Target, trace: Trace) -> Result<(), LedgerError> {
        let mut book = self.book.clone();
        match book.record_mut(&target.path) {
            Some(record) => record.trace = record.trace.clone().and_then(trace),
            // Ours from before this ledger: nobody knows what it was without us.
            None => book.records.push(Record {
                file: target.path.clone(),
                origin: Origin::Unknown,
                edited: None,
                written: Digest::of(target.bytes().unwrap_or_default()),
                trace,
            }),
        }
        if book != self.book {
            book.save(&self.path)?;
            self.book = book;
        }
        Ok(())
    }

    fn write(
        &mut self,
        target: &Target,
        bytes: &[u8],
        new_file: NewFile,
        trace: Trace,
        copies: Copies,
    ) -> Result<(), LedgerError> {
        let made = target.make_parents(new_file)?;
        let written = self.write_in_made(target, bytes, new_file, trace, copies, &made);
        if written.is_err() {
            target::remove_empty(&made);
        }
        written
    }

    fn write_in_made(
        &mut self,
        target: &Target,
        bytes: &[u8],
        new_file: NewFile,
        trace: Trace,
        copies: Copies,
        made: &[PathBuf],
    ) -> Result<(), LedgerError> {
        // Whatever can fail fails here, before anything is noted.
        let draft = target.draft(bytes, new_file)?;
        let mut book = self.book.clone();
        book.directories.extend(made.iter().filter(|made| !self.book.directories.contains(made)).cloned());
        let before = book.take(&target.path);
        let record = Record::next(&self.path, target, before, Digest::of(bytes), trace, copies)?;
        book.records.push(record);

        let published = book.save(&self.path).and_then(|()| draft.publish());
        let (kept, given_up) = if published.is_ok() { (&book, &self.book) } else { (&self.book, &book) };
        if published.is_err() {
            // Should this fail as well, the ledger speaks of a change that never came, which does no harm.
            let _ = kept.save(&self.path);
        }
        given_up.delete_backups_unless_in(kept, &self.path);
        if published.is_ok() {
            self.book = book;
        }
        published
    }

    /// Removes a file's record, its copies, and the directories that were made for it and are empty now.
    fn forget(&mut self, target: &Target) -> Result<(), LedgerError> {
        let mut book = self.book.clone();
        book.take(&target.path);
        book.directories = target::remove_empty(&book.directories);
        book.save(&self.path)?;
        self.book.delete_backups_unless_in(&book, &self.path);
        self.book = book;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
