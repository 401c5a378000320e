//! Handoffs: where a session stopped, for the one that follows.
//!
//! `local/handoffs/<time>-<session>.md`, at the session's root and on this machine only. The newest by time is what the next session begins
//! with. An agent that closes its session writes one; an auditor that reads the transcript afterwards may write another. Of one session the
//! agent's counts, for it knew what it meant; an auditor's of a later session goes before an agent's of an earlier one.
//!
//! The newest five are kept, and beside them up to five whose date is yet to come. A file that we did not name, or cannot read, is nobody's to remove. That its agent took leave of a session is
//! remembered when the file goes ([`closed`]): an auditor may come to that session late.

mod closed;
#[cfg(test)]
mod tests;

use std::cell::LazyCell;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use custos_model::{Kind, Timestamp};
use serde::Serialize;
use serde_json::{Map, json};

use crate::base::{Base, Stack, View};
use crate::keeping;
use crate::refusal::Refusal;
use crate::shelf::{Contents, Fault, Item, Kept, Shelf};
use crate::store::{Level, Store, Writing};
use crate::text::{Document, Front};

/// Where handoffs are, below the store.
pub(crate) const DIRECTORY: &str = "local/handoffs";
/// How many are kept.
pub(crate) const MOST: usize = 5;
/// The longest name of a session in a file and its name.
const LONGEST_SESSION: usize = 64;

/// Who wrote a handoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Author {
    /// The agent, at the end of its session, or a person.
    #[default]
    Agent,
    /// Whoever read the transcript afterwards.
    Auditor,
}

impl Author {
    /// The word in a file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Auditor => "auditor",
        }
    }
}

/// What a handoff says. A part may be empty.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Parts {
    /// Where the work stopped.
    pub stopped_at: String,
    /// What was done.
    pub summary: String,
    /// What is half done.
    pub in_progress: String,
    /// What comes next.
    pub next_steps: String,
    /// The pull requests.
    pub prs: String,
    /// What the tests said.
    pub test_results: String,
    /// What is in the way.
    pub blockers: String,
    /// The branches with changes that are not committed.
    pub dirty_branches: String,
    /// What to tell the next session first.
    pub startup_text: String,
}

impl Parts {
    /// The parts with their headings, in the order of the file.
    pub fn headed(&self) -> [(&'static str, &str); 9] {
        [
            ("Stopped at", &self.stopped_at),
            ("Summary", &self.summary),
            ("In progress", &self.in_progress),
            ("Next steps", &self.next_steps),
            ("Pull requests", &self.prs),
            ("Test results", &self.test_results),
            ("Blockers", &self.blockers),
            ("Dirty branches", &self.dirty_branches),
            ("Startup text", &self.startup_text),
        ]
    }

    /// Makes the same of every part, given its heading.
    fn made_of(mut part: impl FnMut(&'static str) -> String) -> Self {
        Self {
            stopped_at: part("Stopped at"),
            summary: part("Summary"),
            in_progress: part("In progress"),
            next_steps: part("Next steps"),
            prs: part("Pull requests"),
            test_results: part("Test results"),
            blockers: part("Blockers"),
            dirty_branches: part("Dirty branches"),
            startup_text: part("Startup text"),
        }
    }

    fn part(&self, heading: &str) -> &str {
        self.headed().into_iter().find(|(own, _)| *own == heading).map_or("", |(_, text)| text)
    }
}

/// A handoff as its file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Handoff {
    /// When it was written.
    pub date: String,
    /// The session that ended.
    pub session: Option<String>,
    /// Who wrote it.
    pub source: Author,
    /// What it says.
    pub parts: Parts,
    #[serde(skip)]
    time: Timestamp,
}

impl Handoff {
    /// When it was written, to the millisecond.
    pub fn time(&self) -> Timestamp {
        self.time
    }
}

impl Item for Handoff {
    type Beside = ();

    fn read(file: &str, text: &str) -> Result<Self, Fault> {
        let document = Document::parse(text).map_err(|problem| Fault::of(file, &problem))?;
        let document = document.without_secrets();
        let front = document.front();
        let own = |key: &str| front.text(key).filter(|text| !text.is_empty()).map(str::to_owned);
        let date = own("date").unwrap_or_default();
        let Some(time) = date.parse().ok().or_else(|| named_time(keeping::stem(file))) else {
            let line = front.line_of("date").unwrap_or(1);
            return Err(Fault::new(
                file,
                line,
                "has no time; its front matter should say `date: 2026-11-15T20:55:09Z`",
            ));
        };
        let source = match front.text("source") {
            Some("auditor") => Author::Auditor,
            _ => Author::Agent,
        };
        let section = |heading| document.section(heading).unwrap_or_default().to_owned();
        let parts = Parts::made_of(section);
        // It would hide an older one that says something.
        if parts == Parts::default() {
            let reason = "says nothing: it has none of the sections of a handoff, such as `## Stopped at`";
            return Err(Fault::new(file, 1, reason));
        }
        let date = if date.is_empty() { time.to_string() } else { date };
        Ok(Self { date: to_the_second(&date), session: own("session"), source, parts, time })
    }

    fn title(&self) -> &str {
        &self.parts.stopped_at
    }
}

/// A handoff that somebody wants to have kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewHandoff {
    /// Who wrote it.
    pub source: Author,
    /// The session that ended, if it is another than the one that is served.
    pub session: Option<String>,
    /// When it ended, if that is not now.
    pub time: Option<Timestamp>,
    /// What it says.
    pub parts: Parts,
}

/// What became of a handoff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SavedHandoff {
    /// The session that ended.
    pub session: Option<String>,
    /// When.
    pub date: String,
    /// The level of the store.
    pub level: Level,
    /// The store.
    pub store: String,
    /// The file, below the store.
    pub file: String,
    /// Whether the next session begins with it.
    pub newest: bool,
    /// What whoever asked should know.
    pub notes: Vec<String>,
}

impl Base {
    /// Keeps a handoff, and lets go of those that are no longer among the newest.
    pub fn write_handoff(&self, view: &View, new: &NewHandoff) -> Result<SavedHandoff, Refusal> {
        let mut cut = Vec::new();
        let parts = Parts::made_of(|heading| {
            let (text, note) = self.clean_and_cut(heading, new.parts.part(heading));
            cut.extend(note);
            text
        });
        if parts == Parts::default() {
            return Err(Refusal::new(
                "the handoff is empty",
                "Send at least stopped_at, summary and next_steps",
            ));
        }
        let session =
            new.session.clone().or_else(|| self.around().session()).map(|session| safe_session(&session));
        let now = self.around().now();
        let time = new.time.unwrap_or(now);
        let date = to_the_second(&time.to_string());
        // Several sessions may end within a second; the file tells which came last.
        let text = written(&time.to_string(), session.as_deref(), new.source, &parts);
        let store = self.session_store(view);
        let writing = self.lock(store)?;
        let stem = format!("{}-{}", date.replace(['-', ':'], ""), session.as_deref().unwrap_or("unknown"));
        let file = writing.free_name(DIRECTORY, &never_used(store, stem), &[])?;
        writing.add(&file, &text)?;
        writing.publish_with(&file)?;
        let (newest, removed, mut notes) = keep_newest(&writing, now);
        notes.splice(..0, self.note_session_store(view).into_iter().chain(cut));
        drop(writing);
        let newest = newest.is_some_and(|kept| kept.file == file);
        if !newest {
            notes.push(
                "It is kept, but the next session begins with another one, which is newer or the agent's own"
                    .to_owned(),
            );
        }
        let body = Map::from_iter([
            ("item".to_owned(), json!("handoff")),
            ("id".to_owned(), json!(session)),
            ("title".to_owned(), json!(parts.stopped_at)),
            ("file".to_owned(), json!(file)),
            ("source".to_owned(), json!(new.source)),
            // The log outlives the file: of which session its own agent took leave is known for good.
            ("closed".to_owned(), json!(new.source == Author::Agent)),
            ("text".to_owned(), json!(parts.summary)),
            ("next_steps".to_owned(), json!(parts.next_steps)),
            ("removed".to_owned(), json!(removed)),
        ]);
        notes.extend(self.record(Kind::KnowledgeSaved, store, body));
        Ok(SavedHandoff { session, date, level: store.level, store: store.name.clone(), file, newest, notes })
    }

    /// Gives the handoff that the next session begins with.
    pub fn newest_handoff(&self, view: &View) -> Option<Kept<Handoff>> {
        newest(self.session_store(view), &self.handoffs(view).items, self.around().now())
    }

    /// Gives a handoff that does not count, for its time is to come.
    pub fn handoff_to_come(&self, view: &View) -> Option<Kept<Handoff>> {
        let (now, newest) = (self.around().now(), self.newest_handoff(view));
        let counts = |kept: &Kept<Handoff>| newest.as_ref().is_some_and(|newest| newest.file == kept.file);
        self.handoffs(view).items.into_iter().find(|kept| is_to_come(kept, now) && !counts(kept))
    }

    /// Gives the handoffs of a session's root, the newest first; and the files that are none.
    pub fn handoffs(&self, view: &View) -> Contents<Handoff> {
        let stack = self.session_stack(view);
        newest_first(stack.handoffs.contents(&stack.store))
    }

    /// Gives those of some sessions, as the log calls them, of which nobody has taken leave: neither their agent nor an auditor, here or, as
    /// handoffs call them, `elsewhere`.
    pub fn without_handoff(
        &self,
        view: &View,
        mut sessions: Vec<String>,
        elsewhere: &BTreeSet<String>,
    ) -> Vec<String> {
        let closed = closed::sessions(self.session_store(view));
        let handoffs = self.handoffs(view).items;
        sessions.retain(|session| {
            let session = safe_session(session);
            let is_of_it = |kept: &Kept<Handoff>| kept.item.session.as_deref() == Some(session.as_str());
            !closed.contains(&session) && !elsewhere.contains(&session) && !handoffs.iter().any(is_of_it)
        });
        sessions
    }

    /// The store of the session's own things: handoffs, worklog and plans do not go to the repos of a workspace.
    pub fn session_store<'a>(&self, view: &'a View) -> &'a Store {
        &self.session_stack(view).store
    }

    /// Says where the session's own things are kept, where a view is about another project: one of the workspace's repos.
    pub fn note_session_store(&self, view: &View) -> Option<String> {
        let (kept, named) = (self.session_store(view), &view.own().store);
        (kept != &**named).then(|| {
            format!(
                "It is kept in {} {}, the session's root, and not in {}: handoffs, worklog and plans are not kept by repo",
                kept.level.word(),
                kept.name,
                named.name
            )
        })
    }

    /// The same store, with what was read of it.
    pub(crate) fn session_stack<'a>(&self, view: &'a View) -> &'a Stack {
        let own = view.stacks.iter().find(|stack| stack.store.root == self.root().path);
        own.unwrap_or_else(|| view.own())
    }
}

/// Cuts the milliseconds off a time, which are only there to put handoffs in order.
fn to_the_second(date: &str) -> String {
    match date.split_once('.') {
        Some((seconds, rest)) if rest.len() == "123Z".len() && rest.ends_with('Z') => format!("{seconds}Z"),
        _ => date.to_owned(),
    }
}

/// Gives a name that comes after those that begin alike. A name that was freed because its file was among the oldest is not used again: it
/// would make the newest look like the oldest.
fn never_used(store: &Store, stem: String) -> String {
    let used = store.list(DIRECTORY).into_iter().filter_map(|name| {
        match keeping::stem(&name).strip_prefix(&stem)? {
            "" => Some(1),
            rest => rest.strip_prefix('-')?.parse::<usize>().ok(),
        }
    });
    match used.max() {
        Some(last) => format!("{stem}-{}", last.saturating_add(1)),
        None => stem,
    }
}

/// Makes of a session's name what can stand in a file name and in a heading.
pub(crate) fn safe_session(session: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let safe: String =
        session.trim().chars().take(LONGEST_SESSION).map(|c| if is_safe(c) { c } else { '-' }).collect();
    if safe.is_empty() { "unknown".to_owned() } else { safe }
}

/// Writes a handoff as it stands in a file.
pub(crate) fn written(date: &str, session: Option<&str>, source: Author, parts: &Parts) -> String {
    let mut front = Front::default();
    front.set_text("date", date);
    if let Some(session) = session {
        front.set_text("session", session);
    }
    front.set_text("source", source.word());
    let title = format!("Handoff of {} {}", &date[..10], &date[11..16]);
    let sections: Vec<_> = parts.headed().into_iter().filter(|(_, text)| !text.is_empty()).collect();
    Document::compose(front, &title, "", &sections).to_text()
}

/// Gives the handoffs of a store as they are now, the newest first; and the files that are none.
pub(crate) fn contents(store: &Store) -> Contents<Handoff> {
    newest_first(Shelf::<Handoff>::new(DIRECTORY).contents(store))
}

fn newest_first(mut contents: Contents<Handoff>) -> Contents<Handoff> {
    contents.items.sort_by_key(|kept| {
        // Of one second, the one with the longer suffix came later.
        let stem = keeping::stem(&kept.file).to_owned();
        Reverse((kept.item.time, stem.len(), stem))
    });
    contents
}

/// Chooses, among handoffs with the newest first, the one that the next session begins with.
fn newest(store: &Store, handoffs: &[Kept<Handoff>], now: Timestamp) -> Option<Kept<Handoff>> {
    // Mostly nobody asks for those that are gone.
    let gone = LazyCell::new(|| closed::sessions(store));
    let took_leave = |session: &str| {
        let is_agents = |other: &Kept<Handoff>| {
            other.item.source == Author::Agent && other.item.session.as_deref() == Some(session)
        };
        handoffs.iter().any(is_agents) || gone.iter().any(|known| known == session)
    };
    let is_overruled = |kept: &Kept<Handoff>| {
        kept.item.source == Author::Auditor && kept.item.session.as_deref().is_some_and(took_leave)
    };
    let counts = |kept: &&Kept<Handoff>| !is_overruled(kept) && !is_to_come(kept, now);
    // Better one with a wrong clock than none.
    handoffs.iter().find(counts).or_else(|| handoffs.first()).cloned()
}

/// Says whether a handoff claims to be written in the future. A clock may be a little ahead; more than that, and it would be the newest for ever.
fn is_to_come(kept: &Kept<Handoff>, now: Timestamp) -> bool {
    kept.item.time.as_millis() > now.as_millis() + 24 * 60 * 60 * 1_000
}

/// Removes those that are no longer among the newest, but never the one that counts. What cannot be removed is told.
fn keep_newest(writing: &Writing<'_>, now: Timestamp) -> (Option<Kept<Handoff>>, Vec<String>, Vec<String>) {
    let handoffs = contents(writing.store()).items;
    let newest = newest(writing.store(), &handoffs, now);
    let counts = |kept: &&Kept<Handoff>| newest.as_ref().is_some_and(|newest| newest.file == kept.file);
    let (mut removed, mut notes) = (Vec::new(), Vec::new());
    let named = |kept: &&Kept<Handoff>| !counts(kept) && named_time(keeping::stem(&kept.file)).is_some();
    let (to_come, past): (Vec<_>, Vec<_>) =
        handoffs.iter().filter(named).partition(|kept| is_to_come(kept, now));
    // One that claims to be written in the future is no newer for it, and may be the only one of its session: it has a place of its own.
    let going: Vec<_> = past.into_iter().skip(MOST - 1).chain(to_come.into_iter().skip(MOST)).collect();
    let agents = going.iter().filter(|kept| kept.item.source == Author::Agent);
    closed::remember(writing, agents.filter_map(|kept| kept.item.session.as_deref()));
    for kept in going {
        match writing.remove(&kept.file) {
            Ok(()) => removed.push(kept.file.clone()),
            Err(error) => notes.push(format!("An old handoff is still there: {error}")),
        }
    }
    (newest, removed, notes)
}

/// Reads the time at the beginning of a name such as `20261115T205509Z-s-1`.
fn named_time(stem: &str) -> Option<Timestamp> {
    let (time, rest) = stem.split_at_checked("20261115T205509Z".len())?;
    let is_apart = rest.is_empty() || rest.starts_with('-');
    time.parse().ok().filter(|_| is_apart)
}
