//! Putting a decision away.

use std::sync::Arc;

use custos_config::shown::shown;
use custos_model::Kind;
use serde_json::json;

use super::supersede::{binds_everywhere, ends_everywhere, is_not_told};
use super::{Decision, Placed, SavedDecision, body, outcome, stamp, those_called, unreadable};
use crate::base::{Base, Stack, View};
use crate::keeping;
use crate::naming::{Found, Meant, Unread, address_of, called};
use crate::refusal::Refusal;
use crate::shelf::Kept;
use crate::store::{Store, Writing};

impl Base {
    /// Archives a decision of a project's own store; of another level or a repo of the workspace only if that is named, as in `user:D-001`
    /// or `api:D-001`.
    ///
    /// `by_person` says that a person asks, at their command line: only they may take away what the guard enforces, or what they require in
    /// all their projects.
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
        let own = std::slice::from_ref(view.own());
        let found = match self.meant(view, own, id, those_called)? {
            Meant::This(found) => found,
            meant => return Err(self.is_not_there(view, id, &meant)),
        };
        let stack = &found.stack;
        if let Some(fault) = unreadable(stack, self.address(view, id).name) {
            // It may be the very one that is meant, whatever else has the id.
            return Err(keeping::broken(&stack.store, &fault));
        }
        let writing = self.lock(&stack.store)?;
        // Another process may have been quicker.
        let Some(kept) = still_there(&found) else {
            return Err(self.is_not_there(view, id, &Meant::Nothing));
        };
        let item = &kept.item;
        if item.guarded && !by_person {
            return Err(is_guarded(view, &stack.store, item));
        }
        let successor = match superseded_by.map(str::trim).filter(|id| !id.is_empty()) {
            None => None,
            Some(successor) => Some(self.successor(view, &found, successor)?),
        };
        if !by_person && ends_everywhere(&stack.store, item, successor.iter().map(|next| &next.stack)) {
            let instead = "Save what differs here as a decision of this project";
            return Err(binds_everywhere(&stack.store, item, instead));
        }
        let name = successor.as_ref().map(|next| next.seen_from(&stack.store));
        let file = self.put_away(&writing, &kept, &reason, name.as_deref())?;
        let mut notes: Vec<String> =
            item.guarded.then(|| self.tell_guard(&stack.store)).flatten().into_iter().collect();
        let (here, elsewhere): (Vec<_>, Vec<_>) =
            successor.into_iter().partition(|next| next.stack.store == stack.store);
        for next in here {
            notes.extend(self.tell_successor(&writing, &next, &found, by_person));
        }
        drop(writing);
        let mut body = body(item, &file);
        body.insert("reason".to_owned(), json!(reason));
        notes.extend(self.record(Kind::KnowledgeArchived, &stack.store, body));
        for next in elsewhere {
            notes.extend(match self.lock(&next.stack.store) {
                Ok(writing) => self.tell_successor(&writing, &next, &found, by_person),
                Err(refusal) => vec![is_not_told(&next, &found, &refusal)],
            });
        }
        Ok(outcome(item, &stack.store, &file, false, None, notes))
    }

    /// Finds the file of a decision that a name means and that cannot be read.
    pub fn unread_decision(&self, view: &View, name: &str) -> Option<Unread> {
        self.unread_in(view, name, unreadable)
    }

    /// Finds a decision that was put away, in the store that its name says, or else in the project's own. Nothing where the name means or could
    /// mean one that is still there.
    pub fn archived_decision(&self, view: &View, name: &str) -> Option<Placed<Decision>> {
        let meant = self.meant(view, std::slice::from_ref(view.own()), name, those_called).ok()?;
        let address = self.address(view, name);
        let stack = address.view.own();
        if matches!(meant, Meant::This(_)) || unreadable(stack, address.name).is_some() {
            return None;
        }
        let kept =
            called(stack.past_decisions.contents(&stack.store).items, address.name).into_iter().next()?;
        Some(Placed { level: stack.store.level, store: Arc::clone(&stack.store), kept })
    }

    /// Says why there is no decision that may be archived by this name.
    fn is_not_there(&self, view: &View, asked: &str, meant: &Meant<Decision>) -> Refusal {
        let address = self.address(view, asked);
        match (unreadable(address.view.own(), address.name), meant) {
            (Some(fault), _) => keeping::broken(&address.view.own().store, &fault),
            (None, Meant::Elsewhere(found)) => {
                found.namesake().is_elsewhere("active decision", "id", address.name)
            }
            (None, _) => no_such_decision(&address.view, address.name, address.is_told),
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
        let mut document = keeping::open(writing, &kept.file)?;
        stamp(document.front_mut(), &self.now_text(), reason, superseded_by);
        Ok(writing.archive(&kept.file, &document.to_text())?)
    }

    /// Finds the decision that takes another's place.
    fn successor(
        &self,
        view: &View,
        archived: &Found<Decision>,
        name: &str,
    ) -> Result<Found<Decision>, Refusal> {
        let Found { stack, kept: old } = archived;
        let mut near = vec![Arc::clone(stack)];
        if stack.store != view.own().store {
            near.push(Arc::clone(view.own()));
        }
        let others = |of: &Stack, name: &str| {
            let mut found = those_called(of, name);
            found.retain(|kept| kept.item.is_active() && (of.store != stack.store || kept.file != old.file));
            found
        };
        let meant = self.meant(view, &near, name, others)?;
        self.refuse_unread(view, &near, name, &meant, unreadable)?;
        match meant {
            // It is only named, so it may be of any level.
            Meant::This(found) | Meant::Elsewhere(found) => Ok(found),
            Meant::Nothing => {
                let address = self.address(view, name);
                let store = if address.is_told { address.view.own() } else { stack };
                Err(Refusal::missing(
                    format!(
                        "there is no other active decision {} in {}",
                        shown(address.name),
                        store.store.name
                    ),
                    "Save the successor first (save_decision), then archive this one; `decisions` lists what there is",
                ))
            }
        }
    }
}

/// Reads a decision again that was found before its store was locked.
pub(super) fn still_there(found: &Found<Decision>) -> Option<Kept<Decision>> {
    let items = found.stack.decisions.contents(&found.stack.store).items;
    items.into_iter().find(|kept| kept.file == found.kept.file)
}

/// Says that a decision is enforced, and who may take it away.
pub(super) fn is_guarded(view: &View, store: &Store, item: &Decision) -> Refusal {
    let name = name_in(view, store, &item.id);
    Refusal::new(
        format!("{name} is enforced by the guard, which only a person may loosen"),
        format!("Ask the person to run `custos decisions archive {name} --reason …`"),
    )
}

/// Names a decision of a store so that a project knows it: in a workspace, several may have its id.
pub(super) fn name_in(view: &View, store: &Store, id: &str) -> String {
    let is_plain = *store == *view.own().store && !view.root.is_workspace();
    if is_plain { id.to_owned() } else { address_of(store, id) }
}

fn no_such_decision(view: &View, id: &str, is_told: bool) -> Refusal {
    let place = if is_told { format!(" in {}", view.own().store.name) } else { String::new() };
    Refusal::missing(
        format!("there is no active decision {}{place}", shown(id)),
        "`decisions` lists what there is; with include_archived also what was put away",
    )
}
