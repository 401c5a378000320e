//! Taking the place of other memories.
//!
//! As with decisions, a name that could mean several, or a file that cannot be read, is refused before anything is written. Memories of the store that the new one is written
//! to go under the same lock, those of other stores after it, each under the lock of its own store.

use std::sync::Arc;

use custos_config::shown::shown;

use super::save::{NewMemory, Wanted, Written};
use super::{Memory, SavedMemory, all, positions, still_there, unreadable};
use crate::base::{Base, Stack, Targets, View};
use crate::naming::{Found, Meant, address_of, described};
use crate::refusal::Refusal;
use crate::shelf::Kept;
use crate::store::{Store, Writing};

impl Base {
    /// Finds the memories whose place is taken; a name that nobody has is noted.
    pub(super) fn superseded_memories(
        &self,
        new: &NewMemory,
        view: &View,
        targets: &mut Targets,
    ) -> Result<Vec<Found<Memory>>, Refusal> {
        let mut superseded: Vec<Found<Memory>> = Vec::new();
        let near = targets.after(view.own());
        for name in &new.supersedes {
            let meant = self.meant(view, &near, name, those_called)?;
            self.refuse_unread(view, &near, name, &meant, unreadable)?;
            match meant {
                Meant::This(old) => {
                    let is_old = |known: &Found<Memory>| {
                        known.stack.store == old.stack.store && known.kept.file == old.kept.file
                    };
                    if !superseded.iter().any(is_old) {
                        superseded.push(old);
                    }
                }
                Meant::Elsewhere(old) => {
                    return Err(old.namesake().is_elsewhere("memory", "supersedes", name.trim()));
                }
                Meant::Nothing => targets.notes.push(self.why_no_place(view, name.trim())),
            }
        }
        Ok(superseded)
    }

    /// Says why nobody gives way: because it did before, as when a call is sent again, or because nobody has that name.
    fn why_no_place(&self, view: &View, name: &str) -> String {
        let before = self.archived_memory(view, name);
        let before = before.as_ref().and_then(|old| Some((old, old.kept.item.archived.as_ref()?)));
        before.map_or_else(
            || took_no_place(&shown(name)),
            // With its store: the reason may be the word of a clone.
            |(old, put)| {
                let old = described(&old.store, &*old.kept.item);
                format!("{old} is in the archive already: {}", shown(&put.reason))
            },
        )
    }

    /// Archives the memories of a store whose place another took. That one is written by now: what goes wrong here is worth a note, not a
    /// refusal.
    pub(super) fn supersede_memories<'a>(
        &self,
        writing: &Writing<'_>,
        others: &[&'a Kept<Memory>],
        wanted: &Wanted<'_>,
        by: &Written,
        notes: &mut Vec<String>,
    ) -> Vec<(&'a Kept<Memory>, String)> {
        let mut superseded = Vec::new();
        for old in wanted.superseded.iter().filter(|old| *old.stack.store == *writing.store()) {
            match others.iter().find(|kept| kept.file == old.kept.file) {
                Some(kept) => {
                    let archived = self.give_way(writing, kept, &by.item.slug, notes);
                    superseded.extend(archived.map(|file| (*kept, file)));
                }
                // It is this very memory, or gone.
                None => notes.push(took_no_place(&shown(&old.kept.item.slug))),
            }
        }
        superseded
    }

    /// Archives the memories of other stores whose place one took that was written to these.
    pub(super) fn supersede_memories_elsewhere(
        &self,
        wanted: &Wanted<'_>,
        stacks: &[Arc<Stack>],
        saved: &mut [SavedMemory],
    ) {
        let Some(first) = saved.first_mut() else { return };
        let is_its = |store: &Store| (store.level, &store.name) == (first.level, &first.store);
        let Some(stack) = stacks.iter().find(|stack| is_its(&stack.store)) else { return };
        let by = address_of(&stack.store, &first.slug);
        let is_written = |old: &&Found<Memory>| stacks.iter().any(|stack| stack.store == old.stack.store);
        for old in wanted.superseded.iter().filter(|old| !is_written(old)) {
            let writing = match self.lock(&old.stack.store) {
                Ok(writing) => writing,
                Err(refusal) => {
                    first.notes.push(stays(&old.described(), &refusal));
                    continue;
                }
            };
            // Another process may have been quicker.
            let Some(kept) = still_there(&old.stack, &old.kept.file) else { continue };
            let archived = self.give_way(&writing, &kept, &by, &mut first.notes);
            drop(writing);
            if let Some(file) = archived {
                let reason = superseded_by(&by);
                first.notes.extend(self.record_archived(&kept.item, &old.stack, &file, &reason, Some(&by)));
            }
        }
    }

    /// Archives a memory in favour of another, and gives its file there.
    fn give_way(
        &self,
        writing: &Writing<'_>,
        kept: &Kept<Memory>,
        by: &str,
        notes: &mut Vec<String>,
    ) -> Option<String> {
        let described = described(writing.store(), &*kept.item);
        match self.put_away_memory(writing, &kept.file, &superseded_by(by), Some(by)) {
            Ok(file) => {
                notes.push(format!("{described} is archived in its favour"));
                Some(file)
            }
            Err(refusal) => {
                notes.push(stays(&described, &refusal));
                None
            }
        }
    }
}

/// Finds the memories of a store that a name means.
fn those_called(stack: &Stack, name: &str) -> Vec<Kept<Memory>> {
    let items = all(stack).items;
    positions(items.iter(), name).into_iter().map(|at| items[at].clone()).collect()
}

/// Why a memory is in the archive.
pub(super) fn superseded_by(name: &str) -> String {
    format!("superseded by {name}")
}

fn took_no_place(name: &str) -> String {
    format!("There is no other memory {name} here, so it took nobody's place")
}

fn stays(described: &str, refusal: &Refusal) -> String {
    format!("{described} could not be archived, and stays: {refusal}")
}
