//! Delegation: an agent that leads others is reminded to let them do the work.
//!
//! With roles switched on, a conductor or section-leader that edits files and runs commands itself is warned after a few such uses within
//! a time window, and stopped after a few more. Musicians do the work and are never restricted, and neither is anybody whose role is not
//! known ([`role`]). What counts, how much of it and where it is always fine is said by a [`Profile`].
//!
//! The counting is pure ([`count`]); around it is a journal per session ([`journal`]), to which each hook adds its use in one write, so
//! that hooks at the same moment need no lock and lose no count. Whatever goes wrong with a file is told and restricts nobody.

pub mod count;
pub mod journal;
pub mod profile;
pub mod role;

mod disk;
mod trouble;

use std::path::Path;
use std::time::{Duration, SystemTime};

pub use count::{Count, Outcome, step};
pub use profile::{Deed, Profile, Use};
pub use role::{Clues, Role};
pub use trouble::Trouble;

use crate::verdict::{Hold, Rule};

/// Holds the work of those who lead; it is applied where [`Outcome::Stop`] is answered.
pub static WORKS_ITSELF: Rule = Rule {
    id: "delegation.works-itself",
    hold: Hold::Deny,
    reason: "does the work itself that its role delegates",
    safer: "send a sub-agent with this task",
};

/// The rules of this module, for the catalogue.
pub(crate) static RULES: &[&Rule] = &[&WORKS_ITSELF];

/// The session in which a tool is used, and where its files are.
#[derive(Debug, Clone, Copy)]
pub struct Session<'a> {
    /// The root of the session's project.
    pub root: &'a Path,
    /// The configuration directory, in which `profiles/` is.
    pub config: Option<&'a Path>,
    /// The session's id, unique among all clients.
    pub id: &'a str,
}

/// What came of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// Whether the use may go on.
    pub outcome: Outcome,
    /// What went wrong on the way, to be told.
    pub troubles: Vec<Trouble>,
}

/// Counts a use of a tool by somebody with this role, and says whether it may go on. For those who are not restricted nothing is read or
/// written.
pub fn check(session: Session<'_>, role: Option<Role>, used: &Use<'_>, now: SystemTime) -> Checked {
    let mut troubles = Vec::new();
    let Some(role) = role.filter(|role| role.leads()) else {
        return Checked { outcome: Outcome::Silent, troubles };
    };
    let profile = match profile::load(session.config, role) {
        Ok(profile) => profile,
        Err(trouble) => {
            troubles.push(trouble);
            Profile::default()
        }
    };
    if !profile.counts(used, session.root) {
        return Checked { outcome: Outcome::Silent, troubles };
    }
    let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let outcome = journal::note(session, now, role, &profile, &mut troubles);
    Checked { outcome, troubles }
}

#[cfg(test)]
mod tests;
