//! What the log is told of what is done together, and when.
//!
//! An event tells of a file that is there. While new files wait for their names their events wait with them, and so does every event that comes
//! after these, so that the log tells things in the order in which they were done. A file that could not be kept after all is reported to whoever
//! asked, and the event that would have told of it is dropped.

use std::path::{Path, PathBuf};

use custos_model::Draft;

use crate::store::Store;
use crate::unnamed::Unkept;

/// The events that wait, and the files that they must not tell of.
#[derive(Debug, Default)]
pub(super) struct Telling {
    /// The files that could not be kept after all, until somebody reports them.
    failed: Vec<Unkept>,
    /// The events that wait, with the stores that they are about.
    events: Vec<(PathBuf, Draft)>,
}

impl Telling {
    /// Is told of files that could not be kept.
    pub(super) fn fail(&mut self, failed: Vec<Unkept>) {
        self.failed.extend(failed);
    }

    /// The files that could not be kept, and of which nobody has said so.
    pub(super) fn failed(&self) -> &[Unkept] {
        &self.failed
    }

    /// Gives those of the files that could not be kept which are `wanted`, and drops what was to be told of them: whoever asks reports them.
    pub(super) fn take_failed(&mut self, wanted: impl Fn(&Unkept) -> bool) -> Vec<Unkept> {
        let taken: Vec<Unkept> = self.failed.extract_if(.., |failed| wanted(failed)).collect();
        self.events.retain(|(of, draft)| !taken.iter().any(|failed| is_of(failed, of, draft)));
        taken
    }

    /// Keeps an event if files wait for their names or others have to be told before it; else gives it back.
    pub(super) fn keep(&mut self, store: &Store, draft: Draft, has_unnamed: bool) -> Option<Draft> {
        if !has_unnamed && self.events.is_empty() && self.failed.is_empty() {
            return Some(draft);
        }
        self.events.push((store.dir.clone(), draft));
        None
    }

    /// Gives the events that wait, without those of files that could not be kept.
    pub(super) fn take_events(&mut self) -> Vec<Draft> {
        let Self { failed, events } = self;
        let is_there = |of: &Path, draft: &Draft| !failed.iter().any(|failed| is_of(failed, of, draft));
        let events = std::mem::take(events).into_iter();
        events.filter(|(of, draft)| is_there(of, draft)).map(|(_, draft)| draft).collect()
    }
}

/// Says whether an event about a store tells of a file that could not be kept.
fn is_of(failed: &Unkept, store: &Path, draft: &Draft) -> bool {
    failed.store.dir == store && draft.body.get("file").is_some_and(|file| *file == failed.file)
}
