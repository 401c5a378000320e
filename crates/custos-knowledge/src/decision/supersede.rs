//! Taking the place of other decisions.
//!
//! Which ones are meant is settled before anything is written, and a name that could mean several is refused, as it is by archiving: what is
//! put away is asked for. Those of the store that the new one is written to go under the same lock. Those of other stores follow once it is
//! written, each under the lock of its own store, for nobody holds two. By then the new one is there: what goes wrong is worth a note that says
//! what is left to do, never a refusal of what is done.
//!
//! Each of the two names the other, whether the new one was saved in the place of the old one or the old one was archived in its favour: by that
//! the doctor knows who is meant where a merge of branches gave one id to two.

use std::sync::Arc;

use custos_config::shown::shown;
use custos_model::Kind;

use super::archive::{is_guarded, name_in, still_there};
use super::save::{LARGEST_GUARDED, Wanted, too_large};
use super::{Decision, Enforce, NewDecision, SavedDecision, body, those_called, unreadable};
use crate::base::{Base, Stack, Targets, View};
use crate::keeping;
use crate::naming::{Found, Meant, address_of, called, described};
use crate::refusal::Refusal;
use crate::shelf::{Fault, Kept};
use crate::store::{Level, Store, Writing};

impl Wanted<'_> {
    /// Gives the decisions of a store whose place it takes.
    pub(super) fn superseded_in(&self, store: &Store) -> impl Iterator<Item = &Found<Decision>> {
        self.superseded.iter().filter(move |old| *old.stack.store == *store)
    }

    /// Says whether it is written to a store.
    fn is_for(&self, store: &Store) -> bool {
        self.stacks.iter().any(|stack| *stack.store == *store)
    }

    /// Gives the names of those whose place it takes in a store, as that store calls them. What another store gives up that it is written to as
    /// well is named there.
    pub(super) fn named_in(&self, store: &Store) -> Vec<String> {
        let is_of = |old: &&Found<Decision>| *old.stack.store == *store || !self.is_for(&old.stack.store);
        self.superseded.iter().filter(is_of).map(|old| old.seen_from(store)).collect()
    }
}

/// Says whether a decision binds in all projects of a person, and would give way to nothing, or to what only some of them have: to what is in
/// the stores of `next`.
pub(super) fn ends_everywhere<'s>(
    store: &Store,
    item: &Decision,
    mut next: impl Iterator<Item = &'s Arc<Stack>>,
) -> bool {
    store.level == Level::User
        && item.enforce == Enforce::Required
        && next.all(|stack| *stack.store != *store)
}

/// Refuses to end what binds in all projects of a person.
pub(super) fn binds_everywhere(store: &Store, item: &Decision, instead: &str) -> Refusal {
    Refusal::new(
        format!(
            "{} is required in all the person's projects, and this would end it in each of them",
            described(store, item)
        ),
        format!(
            "{instead}; or ask the person to run `custos decisions archive {} --reason …`",
            address_of(store, &item.id)
        ),
    )
}

impl Base {
    /// Finds the decisions whose place is taken. What the guard enforces gives way to a person only; a name that nobody has is noted.
    pub(super) fn superseded(
        &self,
        new: &NewDecision,
        view: &View,
        targets: &mut Targets,
    ) -> Result<Vec<Found<Decision>>, Refusal> {
        let mut superseded: Vec<Found<Decision>> = Vec::new();
        let near = targets.after(view.own());
        for name in &new.supersedes {
            let meant = self.meant(view, &near, name, those_called)?;
            self.refuse_unread(view, &near, name, &meant, unreadable)?;
            match meant {
                Meant::This(old) if old.kept.item.guarded && !new.by_person => {
                    return Err(is_guarded(view, &old.stack.store, &old.kept.item));
                }
                Meant::This(old)
                    if !new.by_person
                        && ends_everywhere(&old.stack.store, &old.kept.item, targets.stacks.iter()) =>
                {
                    let instead = "Save it for this project without `supersedes` and say where it differs";
                    return Err(binds_everywhere(&old.stack.store, &old.kept.item, instead));
                }
                Meant::This(old) => {
                    let is_old = |known: &Found<Decision>| {
                        known.stack.store == old.stack.store && known.kept.file == old.kept.file
                    };
                    if !superseded.iter().any(is_old) {
                        superseded.push(old);
                    }
                }
                Meant::Elsewhere(old) => {
                    return Err(old.namesake().is_elsewhere("active decision", "supersedes", name.trim()));
                }
                Meant::Nothing => {
                    let address = self.address(view, name);
                    let mut stacks = address.view.stacks.iter().chain(&near);
                    let past = stacks.find_map(|stack| put_away_already(stack, address.name));
                    targets.notes.push(past.unwrap_or_else(|| {
                        format!("{} is not here, so that nothing gave way under this name", shown(name))
                    }));
                }
            }
        }
        Ok(superseded)
    }

    /// Refuses a name that a file has which cannot be read: it may be the very one that is meant, whatever else is found by it in the stores
    /// that are `near`. `unreadable` looks in one of them.
    pub(crate) fn refuse_unread<T>(
        &self,
        view: &View,
        near: &[Arc<Stack>],
        name: &str,
        meant: &Meant<T>,
        unreadable: impl Fn(&Stack, &str) -> Option<Fault>,
    ) -> Result<(), Refusal> {
        let address = self.address(view, name);
        // What a store has counts before what others have, unless it has nothing.
        let is_wide = address.is_told || matches!(meant, Meant::Nothing);
        let told = address.view.stacks.iter().filter(|_| is_wide);
        let near = near.iter().filter(|_| !address.is_told);
        let broken =
            |stack: &Arc<Stack>| Some(keeping::broken(&stack.store, &unreadable(stack, address.name)?));
        told.chain(near).find_map(broken).map_or(Ok(()), Err)
    }

    /// Archives a decision of a store in favour of another, given by its store and id, and gives what there is to say about it.
    pub(super) fn make_way(
        &self,
        writing: &Writing<'_>,
        view: &View,
        kept: &Kept<Decision>,
        by: (&Store, &str),
    ) -> Vec<String> {
        let store = writing.store();
        let name = if *store == *by.0 { by.1.to_owned() } else { address_of(by.0, by.1) };
        match self.put_away(writing, kept, &format!("superseded by {name}"), Some(&name)) {
            Ok(file) => {
                let unrecorded = self.record(Kind::KnowledgeArchived, store, body(&kept.item, &file));
                let archived = format!("{} is archived in its favour", described(store, &*kept.item));
                [archived].into_iter().chain(unrecorded).collect()
            }
            Err(refusal) => vec![still_active(view, store, &kept.item, by, &refusal)],
        }
    }

    /// Lets a decision name one that was archived in its favour, as it would if it had been saved so. Gives what there is to say about it.
    pub(super) fn tell_successor(
        &self,
        writing: &Writing<'_>,
        next: &Found<Decision>,
        old: &Found<Decision>,
        by_person: bool,
    ) -> Vec<String> {
        self.told_successor(writing, next, old, by_person)
            .unwrap_or_else(|refusal| vec![is_not_told(next, old, &refusal)])
    }

    fn told_successor(
        &self,
        writing: &Writing<'_>,
        next: &Found<Decision>,
        old: &Found<Decision>,
        by_person: bool,
    ) -> Result<Vec<String>, Refusal> {
        let store = writing.store();
        // Another process may have been quicker, and then it is no successor any more.
        let Some(kept) = still_there(next) else { return Ok(Vec::new()) };
        let mut document = keeping::open(writing, &kept.file)?;
        let mut names = document.front().list("supersedes");
        let name = old.seen_from(store);
        if names.iter().any(|known| known.trim().eq_ignore_ascii_case(&name)) {
            return Ok(Vec::new());
        }
        if kept.item.guarded && !by_person {
            return Err(Refusal::new("the guard enforces it", "Only a person changes it"));
        }
        names.push(name);
        document.front_mut().set_list("supersedes", &names);
        let text = document.to_text();
        if kept.item.guarded && text.len() > LARGEST_GUARDED {
            return Err(too_large(text.len()));
        }
        keeping::write(writing, &kept.file, &text)?;
        let untold = kept.item.guarded.then(|| self.tell_guard(store)).flatten();
        let unrecorded = self.record(Kind::KnowledgeUpdated, store, body(&kept.item, &kept.file));
        Ok(untold.into_iter().chain(unrecorded).collect())
    }

    /// Archives the decisions of other stores whose place a new one took.
    pub(super) fn supersede_elsewhere(&self, wanted: &Wanted<'_>, saved: &mut [SavedDecision]) {
        let elsewhere: Vec<&Found<Decision>> =
            wanted.superseded.iter().filter(|old| !wanted.is_for(&old.stack.store)).collect();
        let created = saved.iter_mut().find(|saved| saved.created);
        if let Some(created) = created {
            let is_its = |store: &Store| (store.level, &store.name) == (created.level, &created.store);
            let Some(stack) = wanted.stacks.iter().find(|stack| is_its(&stack.store)) else { return };
            for old in elsewhere {
                let notes = self.make_way_elsewhere(wanted, old, (&stack.store, &created.id));
                created.notes.extend(notes);
            }
        } else if let Some(first) = saved.first_mut() {
            let untouched = |old: &Found<Decision>| format!("{} was NOT superseded", old.described());
            first.notes.extend(elsewhere.into_iter().map(untouched));
        }
    }

    fn make_way_elsewhere(
        &self,
        wanted: &Wanted<'_>,
        old: &Found<Decision>,
        by: (&Store, &str),
    ) -> Vec<String> {
        let (view, store) = (wanted.view, &old.stack.store);
        let writing = match self.lock(store) {
            Ok(writing) => writing,
            Err(refusal) => return vec![still_active(view, store, &old.kept.item, by, &refusal)],
        };
        // Another process may have been quicker.
        let Some(kept) = still_there(old) else { return Vec::new() };
        if kept.item.guarded && !wanted.new.by_person {
            return vec![still_active(view, store, &kept.item, by, &is_guarded(view, store, &kept.item))];
        }
        let mut notes = self.make_way(&writing, view, &kept, by);
        if kept.item.guarded {
            notes.extend(self.tell_guard(store));
        }
        notes
    }
}

/// Says that a decision is in the archive of a store already, and in whose favour: a call that is sent again finds what it did before.
fn put_away_already(stack: &Stack, name: &str) -> Option<String> {
    let past = called(stack.past_decisions.contents(&stack.store).items, name);
    // Of several with one id, the last was put away in place of the others.
    let item = &past.last()?.item;
    let by = item.superseded_by.as_ref().map(|by| format!(", in favour of {}", shown(by)));
    Some(format!(
        "{} is archived already{}; this changed nothing about it",
        described(&stack.store, &**item),
        by.unwrap_or_default()
    ))
}

/// Says that a decision does not name one that was archived in its favour, and why.
pub(super) fn is_not_told(next: &Found<Decision>, old: &Found<Decision>, refusal: &Refusal) -> String {
    let name = old.seen_from(&next.stack.store);
    format!("{} does not say that it supersedes {name}: {refusal}", next.described())
}

/// Says that a decision still holds although another was to take its place, why, and what to do.
fn still_active(
    view: &View,
    store: &Store,
    item: &Decision,
    (by, id): (&Store, &str),
    refusal: &Refusal,
) -> String {
    let (old, new) = (name_in(view, store, &item.id), name_in(view, by, id));
    format!(
        "{} is STILL ACTIVE, for it could not be archived: {refusal}. Then use archive_decision with id {old} and superseded_by {new}",
        described(store, item)
    )
}
