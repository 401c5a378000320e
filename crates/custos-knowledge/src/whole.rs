//! A change of several files that is made as a whole, or not at all.
//!
//! What each file holds before and after is written down in `local/` before the first of them is touched, and forgotten after the last. Whoever
//! takes the store's lock and finds such a note comes after a process that died in between. Nobody was told that anything is done, and the log
//! does not say so either. So it is taken back: each file that is as the change left it gets what it held before. One that somebody has edited
//! since is left as it is.
//!
//! After a crash at any moment every text is somewhere, and the next one who takes the lock finds all files as they were, or all of them
//! changed.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use custos_config::replace::{Draft, sync_directory};
use custos_config::source::{Links, read_text};
use serde::{Deserialize, Serialize};

use crate::store::{LARGEST as LARGEST_FILE, Store, StoreError, Writing, unwritable};

/// The note, below the store.
pub(crate) const FILE: &str = "local/change.json";
/// The largest note: a change of half a dozen files that are as large as can be. A larger one could be written, and not be read again.
pub(crate) const LARGEST: u64 = 16 << 20;
/// Where the files lie that are changed so. A note that came with a clone changes no others.
const PLACES: [&str; 2] = ["memory/", "archive/memory/"];

/// One file of a change; no text means that there is no file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Step {
    /// The file, below the store.
    pub(crate) file: String,
    /// What it holds.
    pub(crate) before: Option<String>,
    /// What it is to hold.
    pub(crate) after: Option<String>,
}

/// Why a change was not made.
#[derive(Debug)]
pub(crate) enum Unmade {
    /// The note would be too large, so that nobody could take the change back. Nothing was touched.
    TooLarge {
        /// How large it would be.
        bytes: usize,
    },
    /// An earlier change is noted that could not be taken back. Nothing was touched.
    Waits {
        /// What is wrong with that note.
        why: String,
    },
    /// A file could not be changed.
    Failed {
        /// The reason.
        why: StoreError,
        /// The files that could not be taken back. Whoever takes the lock next tries again.
        left: Vec<String>,
    },
}

/// Changes files, one after the other. If one of them cannot be changed, those before it are taken back.
pub(crate) fn change(writing: &Writing<'_>, steps: &[Step]) -> Result<(), Unmade> {
    writing.publish();
    writing.redeem(&steps.iter().map(|step| &*step.file).collect::<Vec<_>>());
    refuse_while_noted(writing)?;
    note(writing, steps)?;
    let made = steps
        .iter()
        .try_for_each(|step| put(writing, &step.file, step.after.as_deref()))
        .and_then(|()| force(writing.store(), steps))
        .and_then(|()| forget(writing));
    made.map_err(|why| {
        let left = take_back(writing, steps);
        if left.is_empty() {
            // If that fails, the next one finds nothing to take back, and tries again.
            let _: Result<(), StoreError> = force(writing.store(), steps).and_then(|()| forget(writing));
        }
        Unmade::Failed { why, left }
    })
}

/// Takes back a change that broke off, if there is one. The caller has just taken the lock.
///
/// What cannot be taken back now stays noted, and keeps nobody from writing anything else: the doctor tells of it, and no other change is made
/// as a whole until then.
pub(crate) fn settle(writing: &Writing<'_>) {
    let Ok(Some(steps)) = broken_off(writing.store()) else { return };
    if take_back(writing, &steps).is_empty() {
        let _: Result<(), StoreError> = force(writing.store(), &steps).and_then(|()| forget(writing));
    }
}

/// Refuses to note a change in the place of another one that could not be taken back.
fn refuse_while_noted(writing: &Writing<'_>) -> Result<(), Unmade> {
    let why = match broken_off(writing.store()) {
        Ok(None) => return Ok(()),
        Ok(Some(_)) => "tells of a merge that broke off and could not be taken back".to_owned(),
        Err(why) => why,
    };
    Err(Unmade::Waits { why })
}

/// Gives the change that broke off, if there is one; or says what is wrong with the note.
pub(crate) fn broken_off(store: &Store) -> Result<Option<Vec<Step>>, String> {
    let path = store.path(FILE);
    store.refuse_links(&path).map_err(|error| error.to_string())?;
    let Some(text) = read_text(&path, LARGEST, Links::Refuse).map_err(|why| why.to_string())? else {
        return Ok(None);
    };
    let steps: Vec<Step> =
        serde_json::from_str(&text).map_err(|_| "is no note of a change that this version made")?;
    let is_allowed = |step: &Step| PLACES.iter().any(|place| step.file.starts_with(place));
    if !steps.iter().all(is_allowed) {
        return Err("names files that are not changed so".to_owned());
    }
    // Such a text could not have been read before it was changed.
    let is_large = |text: &Option<String>| text.as_ref().is_some_and(|text| text.len() as u64 > LARGEST_FILE);
    if steps.iter().any(|step| is_large(&step.before)) {
        return Err("holds a text that is larger than any file here".to_owned());
    }
    Ok(Some(steps))
}

/// Writes down what is about to be done. It is on the disk before anything else is.
fn note(writing: &Writing<'_>, steps: &[Step]) -> Result<(), Unmade> {
    let path = writing.store().path(FILE);
    let failed = |why| Unmade::Failed { why, left: Vec::new() };
    writing.store().refuse_links(&path).map_err(failed)?;
    let spelt = serde_json::to_vec(steps);
    if let Ok(note) = &spelt
        && note.len() as u64 > LARGEST
    {
        return Err(Unmade::TooLarge { bytes: note.len() });
    }
    let write = || Draft::begin(&path)?.publish(&spelt?);
    write().map_err(unwritable("written", &path)).map_err(failed)
}

/// Takes the note away, also from the disk: it must not come back after a power cut.
fn forget(writing: &Writing<'_>) -> Result<(), StoreError> {
    let path = writing.store().path(FILE);
    let remove = || {
        fs::remove_file(&path)?;
        path.parent().map_or(Ok(()), sync_directory)
    };
    remove().map_err(unwritable("removed", &path))
}

/// Makes sure that the files are on the disk as they are now.
fn force(store: &Store, steps: &[Step]) -> Result<(), StoreError> {
    let directories: BTreeSet<PathBuf> =
        steps.iter().filter_map(|step| store.path(&step.file).parent().map(PathBuf::from)).collect();
    let there = directories.iter().filter(|directory| directory.is_dir());
    let mut each = there.map(|directory| sync_directory(directory).map_err(unwritable("written", directory)));
    each.try_for_each(|forced| forced)
}

fn put(writing: &Writing<'_>, file: &str, text: Option<&str>) -> Result<(), StoreError> {
    match text {
        Some(text) => writing.write(file, text),
        None => writing.remove(file),
    }
}

/// Gives each file what it held before, the last one first, and names those that could not be taken back.
fn take_back(writing: &Writing<'_>, steps: &[Step]) -> Vec<String> {
    let mut left = Vec::new();
    for Step { file, before, after } in steps.iter().rev() {
        // What cannot be read is not what the change left there.
        let is_changed = writing.store().read(file).is_ok_and(|now| now == *after);
        if is_changed && put(writing, file, before.as_deref()).is_err() {
            left.push(file.clone());
        }
    }
    left
}
