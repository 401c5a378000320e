//! Who may change a store, and which stores were begun thereby.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use custos_config::shown::shown_path;
use custos_model::Kind;

use super::{Base, View};
use crate::aftercare;
use crate::pledge;
use crate::refusal::Refusal;
use crate::root::Nature;
use crate::store::{Level, Store, StoreError, Writing};

impl Base {
    /// Takes the right to change a store. One that is made thereby holds nobody else's texts, and is remembered for it.
    pub fn lock<'a>(&'a self, store: &'a Store) -> Result<Writing<'a>, Refusal> {
        let is_here = store.level == Level::User || store.root.starts_with(&self.root.path);
        if !is_here && !store.exists() && !self.around.is_person() {
            return Err(Refusal::missing(
                format!("there is no knowledge base in {}", shown_path(&store.root)),
                "Only a person begins one in another project: `custos init` there",
            ));
        }
        self.leave(store);
        if let Some(writing) = self.together.held(store) {
            return Ok(writing);
        }
        let writing = store.lock_within(self.together.patience(store)).map_err(|error| match error {
            StoreError::Busy { path, .. } => {
                self.together.give_up_on(store);
                // Also where it was waited for before, and not once more.
                StoreError::Busy { path, seconds: self.together.patience.as_secs() }
            }
            error => error,
        })?;
        if self.together.aftercare.is_none() {
            // Nobody is there who would see to what a server has left, and if it fails the next one does.
            let _: io::Result<()> = aftercare::at_once(store);
        }
        let writing = writing.within(&self.together);
        self.together.hold(&writing);
        self.tell_settled(&writing);
        // The person's own store is theirs without a mark.
        if writing.is_first && store.level != Level::User {
            // Each time: it may have been taken away since it was begun, and its mark with it.
            self.around.made(&store.root);
            // Whoever writes in a repo or a workspace knows where it ends; any other directory may be one below the one that was meant.
            let is_obvious = self.root_of(&store.root).nature != Nature::Directory;
            self.begun().entry(store.dir.clone()).or_insert(is_obvious);
        }
        Ok(writing)
    }

    /// Puts in place what a power cut took from a store, if it took anything.
    pub(crate) fn settle(&self, store: &Store) {
        if pledge::look(store).is_ok_and(|look| look.is_old())
            && let Ok(writing) = store.lock_within(self.together.patience)
        {
            self.tell_settled(&writing);
        }
    }

    /// Records what was saved before the machine was started anew, and tells what of it had gone.
    fn tell_settled(&self, writing: &Writing<'_>) {
        for body in writing.settled.events() {
            self.together
                .note(self.record(Kind::KnowledgeUpdated, writing.store(), body).map_or(Ok(()), Err));
        }
        for note in writing.settled.notes() {
            self.together.note(Err(note));
        }
    }

    /// Says so if another process is changing the store of a project, to whoever has waited for so long.
    pub fn held(&self, view: &View, waited: Duration) -> Option<Refusal> {
        view.own().store.held(waited).map(Refusal::from)
    }

    /// Gives a note on the base that was begun by a write, once.
    pub(crate) fn note_beginning(&self) -> Option<String> {
        let mut begun = self.begun();
        let (begun, is_told) = begun.iter_mut().find(|(_, is_told)| !**is_told)?;
        *is_told = true;
        Some(format!(
            "This begins a knowledge base in {}: the directory is neither a repo nor a workspace",
            shown_path(begun)
        ))
    }

    fn begun(&self) -> MutexGuard<'_, BTreeMap<PathBuf, bool>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
