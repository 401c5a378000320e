//! Putting a decision away.

use std::sync::Arc;

use custos_config::shown::shown;
use custos_model::Kind;
use serde_json::json;

use super::{Decision, Placed, SavedDecision, body, namesakes, number, outcome, split_name};
use crate::base::{Base, Stack, View};
use crate::keeping;
use crate::naming::{Address, Namesake};
use crate::refusal::Refusal;
use crate::shelf::{Fault, Kept};
use crate::store::Writing;

impl Base {
    /// Archives a decision of a project's own store; of another level or a repo of the workspace only if that is named, as in `user:D-001`
    /// or `api:D-001`.
    ///
    /// `by_person` says that a person asks, at their command line: only they may take away what the guard enforces.
    pub fn archive_decision(
        &self,
        view: &View,
        id: &str,
        reason: &str,
        superseded_by: Option<&str>,
        by_person: bool,
    ) -> Result<SavedDecision, Refusal> {
        let reason = self.clean("reason", reason)?;
        if reason.is_empty() {
            return Err(Refusal::new("reason is empty", "Say in a sentence why it no longer holds"));
        }
        let active = |view: &View, name: &str| {
            let found: Vec<_> = self.find_decisions(view, name).into_iter().filter(is_there).collect();
            namesakes(&found)
        };
        let Address { view, name: id, is_told } = self.settled(view, "decision", id, active)?;
        let view = &view;
        let stack = self.holder(view, id, is_told)?;
        let writing = self.lock(&stack.store)?;
        // Another process may have been quicker.
        let holds = |placed: &Placed<Decision>| placed.store == stack.store && is_there(placed);
        let Some(placed) = self.find_decisions(view, id).into_iter().find(holds) else {
            return Err(no_such_decision(view, id, is_told));
        };
        if placed.kept.item.guarded && !by_person {
            return Err(is_guarded(&placed.kept.item));
        }
        let successor = match superseded_by.map(str::trim).filter(|id| !id.is_empty()) {
            None => None,
            Some(successor) => Some(self.successor(view, &placed, successor)?),
        };
        let file = self.put_away(&writing, &placed.kept, &reason, successor.as_deref())?;
        let untold = placed.kept.item.guarded.then(|| self.tell_guard(&stack.store)).flatten();
        drop(writing);
        let mut body = body(&placed.kept.item, &file);
        body.insert("reason".to_owned(), json!(reason));
        let unrecorded = self.record(Kind::KnowledgeArchived, &stack.store, body);
        let notes = untold.into_iter().chain(unrecorded).collect();
        Ok(outcome(&placed.kept.item, &stack.store, &file, false, None, notes))
    }

    /// Finds the store that holds a decision which may be archived by this name.
    fn holder(&self, view: &View, id: &str, is_told: bool) -> Result<Arc<Stack>, Refusal> {
        let found: Vec<Placed<Decision>> =
            self.find_decisions(view, id).into_iter().filter(is_there).collect();
        let own = found.iter().find(|placed| placed.store == view.own().store);
        match (own, found.first()) {
            (Some(placed), _) => {
                let stack = view.stacks.iter().find(|stack| stack.store == placed.store);
                stack.map(Arc::clone).ok_or_else(|| no_such_decision(view, id, is_told))
            }
            (None, found) => Err(match (unreadable(view.own(), id), found) {
                (Some(fault), _) => keeping::broken(&fault),
                (None, Some(elsewhere)) => {
                    let Decision { id: own, title, .. } = &*elsewhere.kept.item;
                    Namesake::of(elsewhere, own, title).is_elsewhere("active decision", "id", id)
                }
                (None, None) => no_such_decision(view, id, is_told),
            }),
        }
    }

    /// Moves a decision to the archive, stamped. Its file may say more than we know of: only what is stamped is changed.
    pub(super) fn put_away(
        &self,
        writing: &Writing<'_>,
        kept: &Kept<Decision>,
        reason: &str,
        superseded_by: Option<&str>,
    ) -> Result<String, Refusal> {
        let mut document = keeping::open(writing.store(), &kept.file)?;
        let front = document.front_mut();
        if let Some(id) = superseded_by {
            front.set_text("status", "superseded");
            front.set_text("superseded_by", id);
        } else {
            front.set_text("status", "revoked");
            front.set_text("revoked_reason", reason);
        }
        front.set_text("archived", &self.now_text());
        front.set_text("archived_reason", reason);
        Ok(writing.archive(&kept.file, &document.to_text())?)
    }

    /// Finds the decision that takes another's place, in the same store.
    fn successor(&self, view: &View, placed: &Placed<Decision>, successor: &str) -> Result<String, Refusal> {
        let can_follow = |other: &Placed<Decision>| {
            other.store == placed.store
                && other.kept.item.is_active()
                && other.kept.item.id != placed.kept.item.id
        };
        let found = self.find_decisions(view, successor).into_iter().find(can_follow);
        found.map(|other| other.kept.item.id.clone()).ok_or_else(|| {
            Refusal::new(
                format!("there is no other active decision {} in {}", shown(successor), placed.store.name),
                "Save the successor first (save_decision), then archive this one; `decisions` lists what there is",
            )
        })
    }
}

/// Says whether a decision is still among those that count.
fn is_there(placed: &Placed<Decision>) -> bool {
    !placed.kept.file.starts_with("archive/")
}

/// Says that a decision is enforced, and who may take it away.
pub(super) fn is_guarded(item: &Decision) -> Refusal {
    Refusal::new(
        format!("{} is enforced by the guard, which only a person may loosen", item.id),
        format!("Ask the person to run `custos decisions archive {} --reason …`", item.id),
    )
}

/// Finds a file that has the name of a decision and cannot be read. It may be the very one.
fn unreadable(stack: &Stack, id: &str) -> Option<Fault> {
    let wanted = number(&id.to_ascii_uppercase());
    let is_meant = |fault: &Fault| {
        let (id_of_file, slug) = split_name(keeping::stem(&fault.file));
        wanted.map_or_else(|| slug == id, |wanted| number(id_of_file) == Some(wanted))
    };
    stack.decisions.contents(&stack.store).faults.into_iter().find(is_meant)
}

fn no_such_decision(view: &View, id: &str, is_told: bool) -> Refusal {
    let place = if is_told { format!(" in {}", view.own().store.name) } else { String::new() };
    Refusal::new(
        format!("there is no active decision {}{place}", shown(id)),
        "`decisions` lists what there is; with include_archived also what was put away",
    )
}
