//! The sessions of which their agents took leave, and whose handoffs are gone.
//!
//! Of one session the agent's handoff counts, and five handoffs are kept. An auditor that is late would otherwise speak for a session whose
//! agent has spoken, because nobody remembers. So `local/closed` does, a session on each line, the last one below:
//!
//! ```text
//! 0199f1a2-5c1e-7cc0
//! 0199f1b8-01d4-7f3a
//! ```
//!
//! It is of this machine, as handoffs are. Who loses it is told by an auditor what an agent told before, and nothing worse.

use crate::store::{Store, StoreError, Writing};

/// The file, below the store.
const FILE: &str = "local/closed";
/// How many are remembered. An auditor is late by some sessions, not by some hundred.
pub(super) const MOST_CLOSED: usize = 200;

/// Gives the sessions that are remembered.
pub(super) fn sessions(store: &Store) -> Vec<String> {
    let text = store.read(FILE).ok().flatten().unwrap_or_default();
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Remembers sessions whose handoffs are about to go. Where that cannot be written, an auditor's may count that should not.
pub(super) fn remember<'a>(writing: &Writing<'_>, going: impl Iterator<Item = &'a str>) {
    let going: Vec<&str> = going.map(str::trim).filter(|session| !session.contains('\n')).collect();
    if going.is_empty() {
        return;
    }
    let mut all = sessions(writing.store());
    all.retain(|session| !going.contains(&session.as_str()));
    // The newest comes first among those that go.
    all.extend(going.into_iter().rev().map(str::to_owned));
    let first = all.len().saturating_sub(MOST_CLOSED);
    let text: String = all[first..].iter().map(|session| format!("{session}\n")).collect();
    let _: Result<(), StoreError> = writing.write_disposable(FILE, &text);
}
