//! What a power cut took of what was pledged, and how it comes back.
//!
//! Some of the files may be missing, or have nothing in them. Whoever takes the store's lock next, as a server does when it begins, finds a pledge
//! from before the machine was started, and puts those in place; nobody else wipes such a one. Until then a name may lead to a file without its
//! text, which the doctor tells.
//!
//! What people did since stays as it is. A file that says something else by now is theirs. One that is not there was taken by the power cut if
//! nothing has come to its directory or gone since it was to get its name; else somebody may have removed it, and its text is put aside.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::time::SystemTime;

use custos_config::shown::shown;
use custos_config::source::{Links, is_absence, read_small};
use serde_json::{Map, Value, json};

use super::{Look, Pledged, Record, append, is_fit, is_possible, look, millis, open, wipe_from};
use crate::store::{LARGEST as LARGEST_FILE, Store, Writing};

/// Where the texts go of files that are missing, and that somebody may have removed.
const ASIDE: &str = "local/archive";
/// How many milliseconds it takes at most from a pledge until its files have their names. What changed later was changed by somebody else.
pub(super) const NAMING: u64 = 10_000;

/// What became of what was pledged before the machine was started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Settled {
    /// The files that a power cut had taken, and that are there again.
    pub(crate) restored: Vec<String>,
    /// Those that are missing and may have been removed, with the files in which their texts are now.
    pub(crate) aside: Vec<(String, String)>,
    /// Those that are as they were to be, or say something else by now.
    pub(crate) kept: Vec<String>,
    /// Those that could not be put in place, with the reasons. They stay pledged.
    pub(crate) failed: Vec<String>,
}

impl Settled {
    /// What the log is to be told: the lines that told of these files may be gone.
    pub(crate) fn events(&self) -> impl Iterator<Item = Map<String, Value>> {
        let restored = self.restored.iter().map(|file| (file, "Put in place after a power cut"));
        let aside = self.aside.iter().map(|(_, file)| (file, "Put aside after a power cut"));
        let kept = self.kept.iter().map(|file| (file, "Saved before the machine was started anew"));
        restored.chain(aside).chain(kept).map(|(file, title)| {
            let told = [("item", "restored"), ("title", title), ("file", file)];
            told.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect()
        })
    }

    /// What whoever asks is told, where something was not as it was to be.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.restored.is_empty() {
            let files = few(self.restored.iter().map(|file| shown(file)).collect());
            notes.push(format!(
                "A power cut had taken what was saved before, and it is in its place again: {files}"
            ));
        }
        if !self.aside.is_empty() {
            let told = |(file, aside): &(String, String)| {
                format!("{} (its text is in {})", shown(file), shown(aside))
            };
            notes.push(format!(
                "What was saved before the machine was started anew is not there, taken by a power cut or removed since: {}",
                few(self.aside.iter().map(told).collect())
            ));
        }
        if !self.failed.is_empty() {
            notes.push(format!(
                "A power cut has taken what was saved before, and it could not be put back: {}. Check the permissions and the space on the disk; the next write tries again",
                few(self.failed.clone())
            ));
        }
        notes
    }
}

/// How many files are named at most.
const NAMED: usize = 5;

fn few(mut files: Vec<String>) -> String {
    let more = files.len().saturating_sub(NAMED);
    files.truncate(NAMED);
    let named = files.join(", ");
    if more > 0 { format!("{named} and {more} more") } else { named }
}

/// What became of a file that was pledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is there, or what people made of it.
    There,
    /// It is missing or torn, and nobody but the power cut can have done that.
    Lost,
    /// It is missing, and somebody may have removed it.
    Missing,
}

/// Puts in place what a power cut took, if it took anything. The caller has just taken the lock.
pub(crate) fn settle(writing: &Writing<'_>) -> Settled {
    let store = writing.store();
    let mut settled = Settled::default();
    let Ok(look) = look(store) else { return settled };
    if !is_possible() || !look.is_old() {
        if look.records.is_empty() && !look.is_empty() {
            // Half of a line, or a copy.
            let _: io::Result<Option<File>> = look.wipe_all(store);
        }
        return settled;
    }
    let fates = fates(store, &look);
    let fallen = |fate: Fate| -> Vec<Pledged> {
        fates.values().filter(|(of, _)| *of == fate).map(|(_, pledged)| pledged.clone()).collect()
    };
    // What is put in place touches the directories. If that breaks off, the next one has to know that nobody else did.
    note_again(store, &look, fallen(Fate::Lost), false);
    let (mut lost, mut missing) = (Vec::new(), Vec::new());
    for (file, (fate, pledged)) in fates {
        let put = match fate {
            Fate::There => {
                settled.kept.push(file);
                continue;
            }
            Fate::Lost => writing.write(&file, &pledged.text).map(|()| settled.restored.push(file.clone())),
            Fate::Missing => {
                let stem = file.rsplit('/').next().unwrap_or(&file).trim_end_matches(".md");
                let aside = writing.write_new(ASIDE, stem, &pledged.text);
                aside.map(|aside| settled.aside.push((file.clone(), aside)))
            }
        };
        if let Err(error) = put {
            settled.failed.push(format!("{}: {error}", shown(&file)));
            if fate == Fate::Lost { lost.push(pledged) } else { missing.push(pledged) }
        }
    }
    if look.force(store).is_err() {
        return settled;
    }
    // What is done is not done again; what could not be is tried by the next one.
    let Ok(before) = super::look(store) else { return settled };
    if note_again(store, &look, lost, false) && note_again(store, &look, missing, true) {
        let wipe = || -> io::Result<()> {
            let mut file = open(store)?;
            wipe_from(&mut file, 0, before.written.len())?;
            file.sync_data()
        };
        let _: io::Result<()> = wipe();
    }
    settled
}

/// Pledges files anew in the name of the run that did it before. Says whether that could be done.
fn note_again(store: &Store, look: &Look, files: Vec<Pledged>, doubtful: bool) -> bool {
    let Some(old) = look.records.iter().find(|record| record.is_old()) else { return false };
    files.is_empty() || append(store, old.run.clone(), files, doubtful).is_ok()
}

/// Gives the files that a power cut took and nobody has put in place so far.
pub(crate) fn taken(store: &Store) -> io::Result<Vec<String>> {
    let fates = fates(store, &look(store)?);
    Ok(fates.into_iter().filter(|(_, (fate, _))| *fate != Fate::There).map(|(file, _)| file).collect())
}

/// Finds what became of what was pledged before the machine was started. Of what was pledged more than once the last counts.
fn fates(store: &Store, look: &Look) -> BTreeMap<String, (Fate, Pledged)> {
    let mut fates = BTreeMap::new();
    for record in look.records.iter().filter(|record| record.is_old()) {
        for pledged in record.files.iter().filter(|pledged| is_fit(pledged)) {
            fates.insert(pledged.file.clone(), (record.fate(store, pledged), pledged.clone()));
        }
    }
    fates
}

impl Record {
    fn fate(&self, store: &Store, pledged: &Pledged) -> Fate {
        let path = store.path(&pledged.file);
        if store.refuse_links(&path).is_err() {
            return Fate::There;
        }
        let since =
            |metadata: &fs::Metadata| metadata.modified().map_or(u64::MAX, millis).saturating_sub(self.time);
        // With a clock that was ahead nothing can be told from the times.
        let is_sure = !self.doubtful && self.time <= millis(SystemTime::now());
        // A directory in which something came or went later was on the disk by then, unless that was after the start.
        let is_untouched = path.parent().is_some_and(|directory| match fs::metadata(directory) {
            Ok(metadata) => since(&metadata) <= NAMING,
            Err(error) => is_absence(&error),
        });
        let metadata = match fs::symlink_metadata(&path) {
            Err(error) if is_absence(&error) => {
                return if is_untouched && is_sure { Fate::Lost } else { Fate::Missing };
            }
            Ok(metadata) if metadata.is_file() => metadata,
            _ => return Fate::There,
        };
        // It was written before it was pledged: what was changed later was changed by somebody else.
        let is_as_it_was = since(&metadata) == 0;
        let found = read_small(&path, LARGEST_FILE, Links::Refuse);
        match found {
            Ok(Some(found)) if is_as_it_was && found != pledged.text.as_bytes() => {
                let is_the_old = pledged.replaces && is_untouched && is_sure;
                match is_the_old || is_torn(&found, pledged.text.as_bytes()) {
                    true if is_sure => Fate::Lost,
                    true => Fate::Missing,
                    false => Fate::There,
                }
            }
            _ => Fate::There,
        }
    }
}

/// Says whether a file holds only a part of what it was to hold.
fn is_torn(found: &[u8], wanted: &[u8]) -> bool {
    let same = found.iter().zip(wanted).take_while(|(found, wanted)| found == wanted).count();
    found.len() <= wanted.len() && found[same..].iter().all(|byte| *byte == 0)
}
