//! Adds an entry to a rules file or removes one, and leaves every other byte as it was.
//!
//! A rules file is the person's: its comments, order and spacing are theirs. So it is not written anew; the parser says where things
//! stand, and only there the text is changed ([`splice`]). YAML has more forms than an editor should know, and for the rare ones it need
//! not: the result is read again, and unless it says exactly what the old file said plus the change, the file is left alone and the person
//! is asked to edit it.

use std::cmp::Reverse;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use custos_config::replace::{Draft, create_private};
use custos_config::shown::{shown, shown_path};
use custos_config::source::{Links, read_text};
use custos_config::yaml::Position;
use custos_config::{Change, ReadError};
use thiserror::Error;

use super::compiled::LARGEST_FILE;
use super::document::{self, is_branch};
use super::entry::{Entry, List, Ops, PACKS, Placed, Said, Setting};
use super::glob::{PathPattern, PathPatternError};
use super::idle::{self, Idle};
use super::merge::{Catalogue, is_id, merge};
use super::pattern::{CommandPattern, PatternError};
use super::policy::Level;
use super::problem::ProblemKind;
use super::sources::{Source, Sources};

mod splice;

/// Why a rules file was not changed.
#[derive(Debug, Error)]
pub enum EditError {
    /// There is no directory of that level here.
    #[error("there is no {level} here, and so no rules of it")]
    NoLevel {
        /// The level.
        level: Level,
    },
    /// A repo or workspace may not say this.
    #[error("a {level}'s rules can only tighten: add this to your own rules if you want it")]
    Loosens {
        /// The level.
        level: Level,
    },
    /// The pattern is none.
    #[error("`{}`: {why}; nothing was changed", shown(pattern))]
    Pattern {
        /// The pattern.
        pattern: String,
        /// Why not.
        why: PatternError,
    },
    /// The pattern is none.
    #[error("`{}`: {why}; nothing was changed", shown(pattern))]
    PathPattern {
        /// The pattern.
        pattern: String,
        /// Why not.
        why: PathPatternError,
    },
    /// It is a pattern, and would hold nothing.
    #[error("`{}`: {why}; nothing was changed", shown(pattern))]
    Idle {
        /// The pattern.
        pattern: String,
        /// Why not.
        why: Idle,
    },
    /// A name that nothing has, or that a rule or branch cannot have.
    #[error("`{}` is no {what}; nothing was changed", shown(name))]
    Name {
        /// The name.
        name: String,
        /// What it would be.
        what: &'static str,
    },
    /// Nothing in the file is called that.
    #[error(
        "{}: nothing there is called `{}`; `custos guard rules --show-origin` shows what is where",
        shown_path(path),
        shown(what)
    )]
    NotThere {
        /// The file.
        path: PathBuf,
        /// What was to be removed.
        what: String,
    },
    /// It stands there, but not in the list that is meant.
    #[error("{}: `{}` does not stand in that list; nothing was changed", shown_path(path), shown(what))]
    OtherList {
        /// The file.
        path: PathBuf,
        /// What was to be removed.
        what: String,
        /// What is called that.
        entries: Vec<Entry>,
    },
    /// Entries of several lists are called that, and not all of them can be meant.
    #[error("{}: `{}` stands in several lists; nothing was changed", shown_path(path), shown(what))]
    SeveralLists {
        /// The file.
        path: PathBuf,
        /// What was to be removed.
        what: String,
        /// What is called that.
        entries: Vec<Entry>,
    },
    /// Another process is changing the file at this moment.
    #[error("{}: another process is changing it; nothing was changed: try again", shown_path(path))]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error("{}: {why}; nothing was changed", shown_path(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: ReadError,
    },
    /// The file as it is cannot be read as rules.
    #[error("{}:{}:{}: this is not usable as rules: {why}; nothing was changed: correct it first", shown_path(path), at.line, at.column)]
    Broken {
        /// The file.
        path: PathBuf,
        /// Where.
        at: Position,
        /// Why not.
        why: String,
    },
    /// The entry stands or would stand in a form that cannot be changed without touching something else.
    #[error(
        "{}: this cannot be changed there without touching something else, because of how the file is written; nothing was changed: edit the file by hand",
        shown_path(path)
    )]
    Entangled {
        /// The file.
        path: PathBuf,
    },
    /// The new file could not be written.
    #[error(
        "{}: it cannot be written: {why}; nothing was changed: check the permissions of its directory",
        shown_path(path)
    )]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        why: io::Error,
    },
}

/// What a new rules file begins with.
const HEADER: &str = "# Rules of Custos's guard. `custos guard rules --show-origin` shows what is in force and where it comes from.\n";

/// Adds an entry to the rules of a level; a rule, pack or flag that is set already gets the new value.
///
/// After a crash the file is the old one or the new one, whole.
pub fn add(
    sources: &Sources,
    level: Level,
    entry: &Entry,
    catalogue: Catalogue,
) -> Result<Change, EditError> {
    check(level, entry, catalogue)?;
    let file = Rules::open_or_make_room(sources, level)?;
    let old = file.text.clone().unwrap_or_else(|| HEADER.to_owned());
    let before = file.meaning(&old)?;
    if before.entries.iter().any(|known| is_same(known, entry)) {
        return Ok(Change::Nothing);
    }
    let new = splice::with(&old, entry).ok_or_else(|| file.entangled())?;
    let mut wanted = before;
    wanted.entries.retain(|known| !splice::is_same_key(known, entry));
    wanted.entries.push(entry.clone());
    file.write(&new, &wanted)?;
    Ok(Change::Written)
}

/// Removes from the rules of a level what has this id, pattern or name, and gives back what it was.
///
/// A pattern may stand in several lists, and taking it out of one can loosen where taking it out of another tightens. So only the entries
/// that are meant go, and if those are of several lists, none does.
pub fn remove(
    sources: &Sources,
    level: Level,
    what: &str,
    is_meant: impl Fn(&Entry) -> bool,
    catalogue: Catalogue,
) -> Result<Vec<Entry>, EditError> {
    let file = Rules::open(sources, level)?;
    let mut text = file.text.clone().unwrap_or_default();
    let mut wanted = file.meaning(&text)?;
    let found = file.find(&text, what, catalogue);
    let (mut meant, others): (Vec<Placed>, Vec<Placed>) =
        found.into_iter().partition(|placed| is_meant(&placed.entry));
    let (path, what) = (file.source.path.clone(), what.to_owned());
    let Some(first) = meant.first().map(|placed| placed.entry.clone()) else {
        let entries = others.into_iter().map(|placed| placed.entry).collect::<Vec<_>>();
        let is_elsewhere = !entries.is_empty();
        return Err(if is_elsewhere {
            EditError::OtherList { path, what, entries }
        } else {
            EditError::NotThere { path, what }
        });
    };
    if !meant.iter().all(|placed| placed.entry.stands_with(&first)) {
        let entries = meant.into_iter().map(|placed| placed.entry).collect();
        return Err(EditError::SeveralLists { path, what, entries });
    }
    // From the end, so that the places of the others stay what they are.
    meant.sort_by_key(|placed| Reverse(placed.at));
    for Placed { entry, at } in &meant {
        text = splice::without(&text, *at).ok_or_else(|| file.entangled())?;
        let index = wanted.entries.iter().position(|known| known == entry).ok_or_else(|| file.entangled())?;
        wanted.entries.remove(index);
    }
    file.write(&text, &wanted)?;
    Ok(meant.into_iter().rev().map(|placed| placed.entry).collect())
}

/// Finds in the rules of a level what has this id, pattern or name: what [`remove`] would look at.
pub fn find(
    sources: &Sources,
    level: Level,
    what: &str,
    catalogue: Catalogue,
) -> Result<Vec<Entry>, EditError> {
    let file = Rules::open(sources, level)?;
    let text = file.text.clone().unwrap_or_default();
    Ok(file.find(&text, what, catalogue).into_iter().map(|placed| placed.entry).collect())
}

/// Says whether an entry is the same rule, whatever it is called and for whatever reason.
fn is_same(one: &Entry, other: &Entry) -> bool {
    match (one, other) {
        (Entry::Command { list, pattern, .. }, Entry::Command { list: l, pattern: p, .. }) => {
            list == l && pattern == p
        }
        (Entry::Path { list, pattern, ops, .. }, Entry::Path { list: l, pattern: p, ops: o, .. }) => {
            list == l && pattern == p && ops == o
        }
        _ => one == other,
    }
}

/// Says why an entry cannot be added, whatever the file says.
pub fn check(level: Level, entry: &Entry, catalogue: Catalogue) -> Result<(), EditError> {
    let loosens = match entry {
        Entry::Rule { id, to } => catalogue.find(id).is_some_and(|rule| to.hold() < Some(rule.hold)),
        Entry::Pack { to, .. } => *to == Setting::Off,
        entry => !entry.only_tightens(),
    };
    if loosens && level.comes_with_a_clone() {
        return Err(EditError::Loosens { level });
    }
    let name = |name: &str, what| Err(EditError::Name { name: name.to_owned(), what });
    let named = match entry {
        Entry::Branch(branch) if !is_branch(branch) => name(branch, "name of a branch"),
        Entry::Rule { id, .. } if catalogue.find(id).is_none() => name(id, "built-in rule"),
        Entry::Pack { name: pack, .. } if !PACKS.contains(&pack.as_str()) => name(pack, "pack"),
        Entry::Command { id: Some(id), .. } | Entry::Path { id: Some(id), .. }
            if !is_id(id) || catalogue.find(id).is_some() =>
        {
            name(id, "id that a rule of your own can have")
        }
        Entry::Command { list: List::ReadOnly, pattern, .. } => name(pattern, "path"),
        Entry::Command { pattern, .. } => CommandPattern::new(pattern)
            .map(drop)
            .map_err(|why| EditError::Pattern { pattern: pattern.clone(), why }),
        Entry::Path { list, pattern, ops, .. } => {
            if *list == List::ReadOnly && *ops != Ops::CHANGE {
                return name(&ops.to_string(), "op of `read_only`");
            }
            PathPattern::new(pattern, None)
                .map(drop)
                .map_err(|why| EditError::PathPattern { pattern: pattern.clone(), why })
        }
        _ => Ok(()),
    };
    named?;
    match (entry, idle::why(entry)) {
        (
            Entry::Branch(pattern) | Entry::Command { pattern, .. } | Entry::Path { pattern, .. },
            Some(why),
        ) => Err(EditError::Idle { pattern: pattern.clone(), why }),
        _ => Ok(()),
    }
}

/// What a file says, without its form.
#[derive(Debug)]
struct Meaning {
    entries: Vec<Entry>,
    complaints: Vec<ProblemKind>,
}

impl Meaning {
    /// Says whether both say the same, in whatever order.
    fn is(&self, other: &Self) -> bool {
        let mut rest: Vec<_> = other.entries.iter().collect();
        self.complaints == other.complaints
            && self.entries.iter().all(|entry| {
                let at = rest.iter().position(|known| *known == entry);
                at.map(|at| rest.swap_remove(at)).is_some()
            })
            && rest.is_empty()
    }
}

/// A rules file that is being changed.
struct Rules<'a> {
    source: &'a Source,
    text: Option<String>,
    /// Held until the change is done, so that of two changes at once neither is lost.
    _lock: Option<Lock>,
}

impl<'a> Rules<'a> {
    fn open(sources: &'a Sources, level: Level) -> Result<Self, EditError> {
        let source = sources.file(level).ok_or(EditError::NoLevel { level })?;
        let lock = lock_directory(&source.path).map_err(|error| match error {
            TryLockError::WouldBlock => EditError::Busy { path: source.path.clone() },
            TryLockError::Error(why) => EditError::Unwritable { path: source.path.clone(), why },
        })?;
        let text = if source.is_linked() {
            Err(ReadError::Link)
        } else {
            read_text(&source.path, LARGEST_FILE, Links::Follow)
        };
        let text = text.map_err(|why| EditError::Unreadable { path: source.path.clone(), why })?;
        Ok(Self { source, text, _lock: lock })
    }

    /// Opens the file, and makes its directory if need be, so that there is something to lock.
    fn open_or_make_room(sources: &'a Sources, level: Level) -> Result<Self, EditError> {
        if let Some(source) = sources.file(level)
            && let Some(directory) = source.path.parent()
            // Behind a link nothing is made; opening says why.
            && !source.is_linked()
        {
            create_private(directory)
                .map_err(|why| EditError::Unwritable { path: source.path.clone(), why })?;
        }
        Self::open(sources, level)
    }

    /// Reads what a text says, unless that is uncertain.
    fn meaning(&self, text: &str) -> Result<Meaning, EditError> {
        let broken = |at, why| EditError::Broken { path: self.source.path.clone(), at, why };
        let found = document::read(text).map_err(|why| broken(why.at, why.why))?;
        let mut complaints = Vec::new();
        for fault in found.faults {
            match fault.kind {
                ProblemKind::TooManyEntries { .. } | ProblemKind::TooManyProblems { .. } => {
                    return Err(broken(fault.at, fault.kind.to_string()));
                }
                // Lines move; which one was first is no part of the meaning.
                ProblemKind::Duplicate { key, .. } => {
                    complaints.push(ProblemKind::Duplicate { key, first: 0 });
                }
                kind => complaints.push(kind),
            }
        }
        Ok(Meaning { entries: found.entries.into_iter().map(|placed| placed.entry).collect(), complaints })
    }

    /// Finds entries by what people call them: their pattern or name, the id they gave them, or the one that was made for them.
    fn find(&self, text: &str, what: &str, catalogue: Catalogue) -> Vec<Placed> {
        let entries = document::read(text).map(|found| found.entries).unwrap_or_default();
        let mut said = Said { level: self.source.level, root: self.source.root_text(), entries };
        let (policy, _) = merge(std::slice::from_ref(&said), catalogue);
        // Which pattern the id is made for. Of patterns in several lists only one has it.
        let of_command = policy.commands.iter().find(|rule| rule.id == what);
        let of_path = policy.paths.iter().find(|rule| rule.id == what);
        let is_it = |entry: &Entry| match entry {
            Entry::Command { pattern, id, list, .. } => {
                pattern == what
                    || id.as_deref() == Some(what)
                    || of_command
                        .is_some_and(|rule| list.hold() == Some(rule.hold) && rule.pattern.text() == pattern)
            }
            Entry::Path { pattern, id, list, ops, .. } => {
                pattern == what
                    || id.as_deref() == Some(what)
                    || of_path.is_some_and(|rule| {
                        list.hold() == Some(rule.hold) && rule.pattern.text() == pattern && rule.ops == *ops
                    })
            }
            Entry::Branch(_) => *entry == Entry::branch(what),
            Entry::Rule { id: name, .. } | Entry::Pack { name, .. } => name == what,
            Entry::Flag { flag, .. } => flag.to_string() == what,
        };
        said.entries.retain(|placed| is_it(&placed.entry));
        said.entries
    }

    fn entangled(&self) -> EditError {
        EditError::Entangled { path: self.source.path.clone() }
    }

    /// Writes the new text, once it is proven to mean what is wanted and nothing else.
    fn write(&self, new: &str, wanted: &Meaning) -> Result<(), EditError> {
        match self.meaning(new) {
            Ok(after) if after.is(wanted) => {}
            _ => return Err(self.entangled()),
        }
        let written = Draft::begin(&self.source.path).and_then(|draft| draft.publish(new.as_bytes()));
        written.map_err(|why| EditError::Unwritable { path: self.source.path.clone(), why })
    }
}

/// Locks the directory of a file, where a directory can be opened. The file itself is replaced, and a lock on it would go with it.
fn lock_directory(path: &Path) -> Result<Option<Lock>, TryLockError> {
    let directory = path.parent().filter(|directory| cfg!(unix) && directory.is_dir());
    let Some(directory) = directory else { return Ok(None) };
    let directory = File::open(directory).map_err(TryLockError::Error)?;
    directory.try_lock()?;
    Ok(Some(Lock(directory)))
}

/// A directory that is locked for as long as this lives.
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing it would not be enough: a process that another thread is just starting has the file open, too, until it runs its program.
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests;
