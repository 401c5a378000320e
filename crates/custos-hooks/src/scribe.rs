//! The hand that writes for one call: into the log, or into the spool, and a note of what went wrong.
//!
//! Nothing here fails. A client waits for its hook, so the log's lock is waited for once in a call: after that the rest goes to the spool,
//! and the next hook that gets through takes it from there.

use std::cell::Cell;

use custos_clients::Client;
use custos_config::{Names, Project};
use custos_log::pseudonym::Pseudonyms;
use custos_log::spool::{REPLAYED_AT_ONCE, Recorded, Unreplayed};
use custos_log::{LogError, excerpt};
use custos_model::{Draft, DraftAgent, Kind, Origin, Scope, Timestamp};
use serde_json::{Map, Value, json};

use crate::disguise::Disguise;
use crate::router::Around;
use crate::session::pseudonym;
use crate::trouble;

/// Writes for one call.
pub(crate) struct Scribe<'a> {
    pub(crate) around: &'a Around<'a>,
    pub(crate) client: &'static Client,
    /// The client's own name of the event.
    pub(crate) event: &'a str,
    pub(crate) now: Timestamp,
    /// What projects are called.
    pub(crate) names: Names,
    /// Whether the log was waited for in vain.
    busy: Cell<bool>,
}

impl<'a> Scribe<'a> {
    pub(crate) fn new(around: &'a Around<'a>, client: &'static Client, event: &'a str) -> Self {
        let now = (around.log.surroundings().clock)();
        let names = Names::of(&around.log.places().state);
        Self { around, client, event, now, names, busy: Cell::new(false) }
    }

    /// Appends an event, or keeps it for later.
    pub(crate) fn append(&self, draft: Draft) {
        let Self { around, busy, .. } = self;
        if busy.get() {
            if let Err(error) = around.spool.keep(around.log, draft, Origin::Hook) {
                self.trouble(&error.to_string());
            }
            return;
        }
        match around.spool.record(around.log, draft, Origin::Hook) {
            Ok(Recorded::Logged(_)) => {}
            Ok(Recorded::Spooled(_, error)) => {
                busy.set(matches!(error, LogError::Busy { .. }));
                self.trouble(&format!("spooled, because {error}"));
            }
            Err(error) => self.trouble(&error.to_string()),
        }
    }

    /// Writes down by what a project will be known if it is moved.
    pub(crate) fn keep_name(&self, project: &Project) {
        if let Err(error) = self.names.keep(project) {
            self.trouble(&format!("if the project is moved, it will not be known: {error}"));
        }
    }

    /// Appends what earlier calls had to keep.
    pub(crate) fn replay(&self) {
        if self.around.spool.is_empty() {
            return;
        }
        let replayed = self.around.spool.replay(self.around.log, REPLAYED_AT_ONCE);
        for failed in &replayed.failed {
            self.busy.set(self.busy.get() || matches!(failed, Unreplayed::Later(LogError::Busy { .. })));
            self.trouble(&format!("a spooled event could not be replayed: {failed}"));
        }
    }

    /// Keeps a payload that could not be understood, or an event that means nothing to us: somebody may understand it later.
    pub(crate) fn keep_as_it_came(&self, problem: Option<&str>, payload: Value) {
        if !self.around.records {
            return;
        }
        if let Some(problem) = problem {
            self.trouble(problem);
        }
        let mut body = Map::from_iter([("event".to_owned(), json!(short(self.event)))]);
        if let Some(problem) = problem {
            body.insert("problem".to_owned(), json!(problem));
        }
        body.insert("payload".to_owned(), self.without_ids(payload));
        let mut draft = Draft::new(Kind::HookAlive, Scope::User, body);
        draft.agent = Some(self.nobody());
        self.append(draft);
    }

    /// Brings a payload within bounds and takes the client's own ids out of it.
    fn without_ids(&self, payload: Value) -> Value {
        let limit = self.around.keep.output;
        let names = self.names();
        let name = |prefix: &str, id: &str| match &names {
            Ok(names) => pseudonym(prefix, names, self.client.name, id),
            Err(_) => nameless(prefix, id),
        };
        let (text, fields) = match payload {
            Value::String(text) => (text, None),
            Value::Object(fields) => (serde_json::to_string(&fields).unwrap_or_default(), Some(fields)),
            other => (other.to_string(), None),
        };
        let disguise = Disguise::found_in(&text, &name);
        match fields {
            Some(mut fields) if text.len() <= limit => {
                disguise.put_on(&mut fields);
                Value::Object(fields)
            }
            _ => {
                let mut text = excerpt::shorten(None, &text, limit);
                disguise.put_on_text(&mut text);
                Value::String(text)
            }
        }
    }

    /// Loads what this machine's pseudonyms are made with.
    pub(crate) fn names(&self) -> Result<Pseudonyms<'a>, LogError> {
        let surroundings = self.around.log.surroundings();
        Pseudonyms::load(&*surroundings.disk, &self.around.log.places().state, &surroundings.entropy)
    }

    /// Names the client alone, where no agent can be named.
    pub(crate) fn nobody(&self) -> DraftAgent {
        DraftAgent { client: self.client.name.to_owned(), id: None, role: None }
    }

    /// Notes what went wrong, for `custos doctor`. What another client's entry takes care of is its trouble.
    pub(crate) fn trouble(&self, problem: &str) {
        if !self.around.records {
            return;
        }
        let disk = &*self.around.log.surroundings().disk;
        let state = &self.around.log.places().state;
        trouble::note(disk, state, self.now, self.client.name, self.event, problem);
    }
}

/// Stands for an id where there is no key to make a pseudonym with.
pub(crate) fn nameless(_: &str, _: &str) -> String {
    "[id]".to_owned()
}

/// Makes a name from outside fit for a field of an event: short, and of one line. Redacted first, or half of a secret would be left.
pub(crate) fn short(text: &str) -> String {
    let start = &text[..text.floor_char_boundary(4096)];
    custos_redact::redact(start).chars().filter(|c| !c.is_control()).take(64).collect()
}
