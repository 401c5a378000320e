//! Whom a forked session goes on from.
//!
//! A fork has a new id and says nothing of the old one, and its transcript is not written yet when its first hook runs. But its model still
//! has all that the other session was told, so telling it again would be a waste. Claude Code says how long ago the last answer was:
//! of the sessions of the same client in the same directory, the one with a sign of life at that very time is the one. A client that
//! does not say so has forked the latest. Where none fits, the fork begins like a new session.

use custos_clients::HookEvent;
use custos_config::Project;
use custos_log::Log;
use custos_log::disk::Access;
use custos_model::Timestamp;
use serde_json::Value;

use crate::session::{self, Journal};
use crate::silence;

/// How far the client's word on its last answer and the sign of life that the answer left may lie apart, in milliseconds: it counts whole
/// seconds, and may have been busy in between.
const TOLERANCE: i64 = 5_000;

/// The session that another was forked from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ancestor {
    /// Its id in the memory.
    pub(crate) session: String,
    /// When it was last active.
    pub(crate) until: Timestamp,
    /// The ends of the ids of all that it was given and still has.
    pub(crate) recalled: Vec<String>,
}

/// Finds the session that an event's session was forked from; only one that was ever told something.
pub(crate) fn ancestor(
    log: &Log,
    event: &HookEvent,
    own: &str,
    project: Option<&Project>,
    now: Timestamp,
) -> Option<Ancestor> {
    let root = project.and_then(|project| project.root.to_str());
    let answered = event.extra.get("seconds_since_last_response").and_then(Value::as_f64);
    let is_kin = |journal: &Journal| {
        journal.heading.as_ref().is_some_and(|heading| {
            heading.client == event.client && heading.root.as_deref() == root && heading.root.is_some()
        })
    };
    let journals = silence::journals(log, now);
    let kin = journals.iter().filter(|(name, journal)| name != own && is_kin(journal));
    let (name, journal) = match answered {
        Some(seconds) => {
            #[expect(clippy::cast_possible_truncation, reason = "a number that is too large fits nothing")]
            let then = now.as_millis().saturating_sub((seconds * 1_000.0) as i64);
            let apart = |journal: &Journal| journal.times().map(|at| (at - then).abs()).min();
            let near = kin.filter_map(|named| Some((apart(&named.1)?, named)));
            near.filter(|(apart, _)| *apart <= TOLERANCE).min_by_key(|(apart, _)| *apart)?.1
        }
        None => kin.filter_map(|named| Some((named.1.span()?.1, named))).max_by_key(|(last, _)| *last)?.1,
    };
    let path = session::directory(&log.places().state).join(name);
    let handle = log.surroundings().disk.open(&path, Access::Read).ok()?;
    let is_told = Journal::read(&*handle).ok()?.was_told();
    is_told.then(|| Ancestor {
        session: name.clone(),
        until: Timestamp::from_millis(journal.span().map_or(0, |(_, last)| last)),
        recalled: session::recalled(&*handle),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use custos_clients::{Happening, find};
    use custos_log::append::{Places, Surroundings};
    use custos_log::pseudonym::Pseudonyms;
    use custos_log::{Limits, WriterId};
    use serde_json::json;

    use super::*;
    use crate::session::{Mark, Session};

    const NOW: i64 = 1_794_767_700_802;

    fn event(client: &str, session: &str) -> HookEvent {
        HookEvent {
            client: find(client).unwrap().name,
            session: session.to_owned(),
            cwd: None,
            transcript: None,
            turn: None,
            agent: None,
            happening: Happening::SessionStarted { source: "fork".to_owned() },
            extra: serde_json::Map::default(),
        }
    }

    struct Machine {
        _dir: tempfile::TempDir,
        log: Log,
        here: Project,
        there: Project,
    }

    impl Machine {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let at = |name: &str| dir.path().join(name);
            let project = |path: &Path| {
                std::fs::create_dir_all(path.join(".git")).unwrap();
                Project::by_place(path)
            };
            let (here, there) = (project(&at("here")), project(&at("there")));
            let places = Places { log: at("log"), backups: at("backups"), state: at("state") };
            let writer: WriterId = "desk".parse().unwrap();
            let log = Log::new(places, Surroundings::system(), Limits::default(), writer);
            Self { _dir: dir, log, here, there }
        }

        /// Lets a session live: told something an hour ago, and last heard of so many seconds ago. Gives its id.
        fn lived(&self, client: &str, name: &str, project: &Project, seconds: i64) -> String {
            let surroundings = self.log.surroundings();
            let state = &self.log.places().state;
            let names = Pseudonyms::load(&*surroundings.disk, state, &surroundings.entropy).unwrap();
            let session = Session::join(&self.log, &names, &event(client, name), Some(project)).unwrap();
            let ago = |seconds: i64| Timestamp::from_millis(NOW - seconds * 1_000);
            session.mark(ago(3_600), "SessionStart", Mark::Recalled(&format!("{seconds:012x}"))).unwrap();
            session.mark(ago(seconds), "Stop", Mark::Turn).unwrap();
            session.id
        }

        fn ancestor(&self, answered: Option<f64>) -> Option<(String, Vec<String>)> {
            let mut fork = event("claude-code", "fork");
            fork.extra
                .extend(answered.map(|seconds| ("seconds_since_last_response".to_owned(), json!(seconds))));
            let now = Timestamp::from_millis(NOW);
            let found = ancestor(&self.log, &fork, "s-own", Some(&self.here), now)?;
            Some((found.session, found.recalled))
        }
    }

    #[test]
    fn a_fork_is_of_the_session_that_answered_when_the_client_says() {
        let machine = Machine::new();
        assert_eq!(machine.ancestor(None), None);
        let old = machine.lived("claude-code", "old", &machine.here, 900);
        let new = machine.lived("claude-code", "new", &machine.here, 60);
        machine.lived("claude-code", "elsewhere", &machine.there, 2);
        machine.lived("codex", "other", &machine.here, 2);
        let of = |id: &String, seconds: i64| Some((id.clone(), vec![format!("{seconds:012x}")]));
        assert_eq!(machine.ancestor(Some(900.0)), of(&old, 900));
        assert_eq!(machine.ancestor(Some(63.0)), of(&new, 60));
        assert_eq!(machine.ancestor(None), of(&new, 60));
        // One that nobody saw.
        assert_eq!(machine.ancestor(Some(500.0)), None);
        assert_eq!(machine.ancestor(Some(f64::MAX)), None);
    }
}
