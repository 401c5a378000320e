//! Context: what a session is told without asking, at its start, at a prompt, and when an agent sends another.
//!
//! Three rules hold for all of it. There is one ceiling, in tokens and in the characters that the client takes, for everything that a
//! hook says ([`fit`](self)); nothing is said where nothing is worth saying; and whatever is said leaves a [receipt](crate::receipt) from
//! which, with the log, the same bytes can be written again ([`again`]).
//!
//! | module | what lives there |
//! |---|---|
//! | `start` | what a session begins with |
//! | `prompt` | what a prompt brings back, and what a sub-agent begins with |
//! | `frame` | what comes from files: handoff, rules, questions |
//! | `fit` | what goes in, and what is left out |
//! | `wording` | the words |
//! | `again` | writing it again |

mod again;
mod fit;
mod frame;
mod prompt;
mod start;
mod wording;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use custos_model::{EventId, Timestamp};

pub use again::{Again, again, without};
pub use fit::Served;
pub use prompt::{is_trivial, prompt, subagent};
pub use start::start;
pub use wording::{Stored, short};

use crate::error::RecallError;
use crate::receipt::{Ceiling, Receipt};
use crate::saying::Saying;
use crate::store::Store;
use crate::viewer::Viewer;

/// Where and for whom something is recalled.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// Who gets it.
    pub viewer: Viewer<'a>,
    /// The session.
    pub session: Option<&'a str>,
    /// The project that it works in.
    pub project: Option<&'a str>,
    /// The branch that is checked out.
    pub branch: Option<&'a str>,
    /// The time.
    pub now: Timestamp,
    /// How much may be said, and how much of that is taken.
    pub ceiling: Ceiling,
    /// What the session has got before: the ends of ids, as [`short`] gives them.
    pub seen: &'a [String],
    /// What it goes on from, if it is no new one.
    pub before: Option<Before<'a>>,
    /// What the guard holds here, in one line.
    pub safety: Option<&'a str>,
}

/// What a session goes on from: its own past if it was resumed, that of another if it was forked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Before<'a> {
    /// The session of that past.
    pub session: &'a str,
    /// When it was last active: what came later is new.
    pub until: Timestamp,
}

/// Reads what the log has of some items, as far as the viewer may see them.
pub fn stored(
    store: &mut Store,
    viewer: &Viewer<'_>,
    ids: &[EventId],
) -> Result<BTreeMap<EventId, Stored>, RecallError> {
    let whole = store.whole(ids, viewer)?;
    Ok(whole
        .into_iter()
        .map(|whole| (whole.entry.id, Stored { entry: whole.entry, body: whole.body }))
        .collect())
}

/// Gives what some texts say together, as far as they are still there.
fn saying_of(ids: &[EventId], stored: impl Fn(EventId) -> Option<Stored>) -> Saying {
    let mut saying = Saying::default();
    ids.iter().filter_map(|id| stored(*id)).for_each(|text| saying.add(text.saying()));
    saying
}

/// Reads what the log has of everything that a receipt names.
pub fn stored_of(
    store: &mut Store,
    viewer: &Viewer<'_>,
    receipt: &Receipt,
) -> Result<BTreeMap<EventId, Stored>, RecallError> {
    let left = receipt.left_out.iter().map(|left| left.item.id);
    let items = receipt.items.iter().chain(receipt.left_out.iter().map(|left| &left.item));
    let but_for = items.flat_map(|item| item.but_for.iter().copied());
    let ids: Vec<EventId> = receipt.ids().chain(left).chain(but_for).collect();
    stored(store, viewer, &ids)
}

/// Reads a receipt from the log; none if it was forgotten, or is none.
pub fn receipt(store: &mut Store, id: EventId) -> Result<Option<Receipt>, RecallError> {
    Ok(store.body(id)?.and_then(Receipt::read))
}
