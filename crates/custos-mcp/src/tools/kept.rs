//! What was said to be kept, looked at once more.
//!
//! New files get their names together, when all of a call is done, and one of them may fail to: the disk is full, or somebody else has taken the
//! name. By then a store has already said that it took the item. So whoever tells of it asks again before, and what is not there after all is told
//! as a store that did not take it.

use custos_knowledge::backlog::SavedTask;
use custos_knowledge::decision::SavedDecision;
use custos_knowledge::keeping::Became;
use custos_knowledge::memory::SavedMemory;
use custos_knowledge::{Level, Refusal, Store, Unkept, View};

use crate::answer::{place, titled};
use crate::desk::Desk;

/// What became of an item, in one store.
pub(super) trait Saved {
    /// The level and the name of the store, and the file in it.
    fn place(&self) -> (Level, &str, &str);

    /// Whether anything was written for it.
    fn is_written(&self) -> bool;

    /// Whether the store has what was sent, written now or before.
    fn is_taken(&self) -> bool {
        true
    }

    /// What whoever asked should know, and the stores that did not take it.
    fn notes(&mut self) -> (&mut Vec<String>, &mut Vec<String>);

    /// The stores of its scope that did not take it.
    fn refused(&self) -> &[String];
}

impl Saved for SavedDecision {
    fn place(&self) -> (Level, &str, &str) {
        (self.level, &self.store, &self.file)
    }

    fn is_written(&self) -> bool {
        self.created
    }

    fn is_taken(&self) -> bool {
        !self.dropped
    }

    fn notes(&mut self) -> (&mut Vec<String>, &mut Vec<String>) {
        (&mut self.notes, &mut self.refused)
    }

    fn refused(&self) -> &[String] {
        &self.refused
    }
}

impl Saved for SavedMemory {
    fn place(&self) -> (Level, &str, &str) {
        (self.level, &self.store, &self.file)
    }

    fn is_written(&self) -> bool {
        self.became != Became::Unchanged
    }

    fn notes(&mut self) -> (&mut Vec<String>, &mut Vec<String>) {
        (&mut self.notes, &mut self.refused)
    }

    fn refused(&self) -> &[String] {
        &self.refused
    }
}

impl Saved for SavedTask {
    fn place(&self) -> (Level, &str, &str) {
        (self.level, &self.store, &self.file)
    }

    fn is_written(&self) -> bool {
        self.became != Became::Unchanged
    }

    fn notes(&mut self) -> (&mut Vec<String>, &mut Vec<String>) {
        (&mut self.notes, &mut self.refused)
    }

    fn refused(&self) -> &[String] {
        &self.refused
    }
}

/// Puts what there is to say about a scope where it belongs: a name that nobody knows leads to the project's own store, and whoever writes to
/// several says so with the first.
pub(super) fn noted_at_home<T: Saved>(desk: &Desk, view: &View, scope: &[String], saved: &mut [T]) {
    let own = &view.own().store;
    let is_own = |saved: &T| {
        let (level, store, _) = saved.place();
        level == own.level && store == own.name
    };
    // Mostly there is one store, or nothing to say.
    let Some(home) = saved.iter().position(is_own).filter(|home| *home > 0) else { return };
    let Some(notes) = saved.first_mut().map(|first| first.notes().0).filter(|notes| !notes.is_empty()) else {
        return;
    };
    let about_scope = desk.base.targets(scope, view).notes;
    let moved: Vec<String> = notes.extract_if(.., |note| about_scope.contains(note)).collect();
    if let Some(home) = saved.get_mut(home) {
        home.notes().0.splice(..0, moved);
    }
}

/// Leaves what is really there of what was saved by this call. It is refused if that is nothing.
pub(super) fn really_kept<T: Saved>(desk: &Desk, saved: Vec<T>) -> Result<Vec<T>, Refusal> {
    without_lost(saved, &desk.base.unkept())
}

/// Leaves what is there of what was saved, without the files that could not be kept.
pub(super) fn without_lost<T: Saved>(saved: Vec<T>, unkept: &[Unkept]) -> Result<Vec<T>, Refusal> {
    let mut lost = Vec::new();
    let mut kept = Vec::new();
    for mut saved in saved {
        let is_lost = |unkept: &&Unkept| saved.is_written() && unkept.is_at(saved.place());
        match unkept.iter().find(is_lost) {
            None => kept.push(saved),
            Some(unkept) => {
                // What is said of the whole stands with the first, which may be this one.
                let (notes, refused) = saved.notes();
                let said = (std::mem::take(notes), std::mem::take(refused));
                lost.push((unkept, said));
            }
        }
    }
    let Some(first) = kept.first_mut() else {
        return match lost.first() {
            Some((unkept, _)) => Err(unkept.refusal()),
            None => Ok(kept),
        };
    };
    let (notes, refused) = first.notes();
    for (unkept, (said, others)) in lost {
        notes.extend(said);
        refused.extend(others);
        notes.push(format!("{} did not take it: {}", unkept.store.name, unkept.told()));
        refused.push(unkept.store.name.clone());
    }
    Ok(kept)
}

/// Says of an item that is to be put away that it is: one that takes its place may have come in the same call. It names the store, whose word
/// this is.
pub(super) fn gone(name: &str, store: &Store, superseded_by: Option<&str>) -> String {
    let by = superseded_by.map(|by| format!(", superseded by {}", titled(by))).unwrap_or_default();
    format!("{} is in the archive already{by} · {}", titled(name), place(store.level, &store.name))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use custos_knowledge::memory::MemoryKind;

    use super::*;

    const FILE: &str = "memory/patterns/a-lesson.md";

    fn saved(store: &str) -> SavedMemory {
        SavedMemory {
            slug: "a-lesson".to_owned(),
            kind: MemoryKind::Pattern,
            title: "A lesson".to_owned(),
            level: Level::Repo,
            store: store.to_owned(),
            file: FILE.to_owned(),
            became: Became::Created,
            refused: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn lost(store: &str) -> Unkept {
        let root = Path::new("/work").join(store);
        let store = Store { level: Level::Repo, name: store.to_owned(), dir: root.join(".ai"), root };
        Unkept { store, file: FILE.to_owned(), why: "the disk is full".to_owned() }
    }

    #[test]
    fn what_is_lost_everywhere_is_refused() {
        let refusal = without_lost(vec![saved("api")], &[lost("api")]).unwrap_err();
        let told = "NOT KEPT after all: memory/patterns/a-lesson.md of api could not be put in its place: the disk is full. Check the permissions and the space on the disk, then send it again";
        assert_eq!(refusal.to_string(), told);
    }

    #[test]
    fn the_store_that_lost_it_is_named_and_no_other() {
        let noted = SavedMemory { notes: vec!["Said of the whole".to_owned()], ..saved("api") };
        let kept = without_lost(vec![noted, saved("web")], &[lost("api")]).unwrap();
        let expected = SavedMemory {
            refused: vec!["api".to_owned()],
            notes: vec![
                "Said of the whole".to_owned(),
                format!("api did not take it: {}", lost("api").told()),
            ],
            ..saved("web")
        };
        assert_eq!(kept, [expected]);
    }

    #[test]
    fn what_was_there_before_is_not_lost() {
        let there = SavedMemory { became: Became::Unchanged, ..saved("api") };
        assert_eq!(without_lost(vec![there.clone()], &[lost("api"), lost("web")]).unwrap(), [there]);
    }
}
