//! Sessions and clients that went silent.
//!
//! A client that is killed says no goodbye, and a client whose hooks no longer run (an update, another PATH, a trust that was lost) says
//! nothing at all: memory and guard are gone and nobody notices. So whenever a session starts, somewhere, the journals are looked
//! through. A session without a sign of life for a day is recorded as interrupted, and a client that was used while its hooks were
//! silent is named, to the model that just started and in `custos doctor`.

use std::path::Path;
use std::time::SystemTime;

use custos_log::Log;
use custos_log::disk::{Access, Disk, Handle};
use custos_model::{Draft, DraftAgent, Kind, Origin, Scope, Timestamp};
use serde_json::{Map, json};

use custos_clients::{Client, Moment};

use crate::kin::register;
use crate::router::Around;
use crate::session::{self, Journal, Mark};

const MINUTE: i64 = 60 * 1000;
const DAY: i64 = 24 * 60 * MINUTE;

/// How long a session may be silent before it counts as interrupted.
pub const INTERRUPTED_AFTER: i64 = DAY;

/// How long the journal of a session that is over is kept: until every auditor had its chance.
const KEPT_FOR: i64 = 30 * DAY;

/// A client's own files may be a little newer than the last hook.
const GRACE: i64 = 10 * MINUTE;

/// How many journals are read while a client waits: the newest, and so many of the others.
const NEWEST: usize = 200;
const OTHERS: usize = 100;

/// The most names that are looked at.
const MOST_LISTED: usize = 20_000;

/// A client that is wired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wired {
    /// Its name.
    pub client: &'static str,
    /// When it was wired or last heard in any memory of this person, in milliseconds since 1970.
    pub since: i64,
    /// When it last wrote to a transcript; none where that cannot be told, or means nothing, because only a project is wired.
    pub used: Option<i64>,
    /// The events that the person has switched off.
    pub off: Vec<String>,
}

/// What the journals say about one client.
#[derive(Debug, Default)]
struct Signs {
    /// The latest sign of life of any session.
    latest: Option<i64>,
    /// The moments whose hooks stayed silent in the latest session although they must have come.
    missing: Vec<Moment>,
}

/// A client that is not heard any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Silent {
    /// The client.
    pub client: &'static str,
    /// What is the matter, as a sentence without its full stop.
    pub what: String,
}

/// A journal, with the session's id in the memory.
pub type Named = (String, Journal);

/// Reads the journals' signs of a client. The session `except` has only just begun.
fn signs(journals: &[Named], client: &'static Client, off: &[String], except: Option<&str>) -> Signs {
    let mut signs = Signs::default();
    let mut newest_other: Option<(i64, &Journal)> = None;
    for (name, journal) in journals {
        if journal.heading.as_ref().is_none_or(|heading| heading.client != client.name) {
            continue;
        }
        let Some((_, last)) = journal.span() else { continue };
        signs.latest = signs.latest.max(Some(last));
        if except != Some(name.as_str()) && newest_other.as_ref().is_none_or(|(latest, _)| last > *latest) {
            newest_other = Some((last, journal));
        }
    }
    if let Some((_, journal)) = newest_other {
        let saw = |moment: Moment| {
            client.manifest.events.iter().any(|row| row.moment == moment && journal.saw(row.event))
        };
        let has = |moment: Moment| {
            client
                .manifest
                .events
                .iter()
                .any(|row| row.moment == moment && !off.iter().any(|off| off == row.event))
        };
        for (follows, first) in
            [(Moment::ToolFinished, Moment::ToolStarting), (Moment::TurnEnded, Moment::PromptSubmitted)]
        {
            // Of a long turn only the end was read; its prompt came before that.
            let is_read = first == Moment::ToolStarting || !journal.is_cut();
            if is_read && has(first) && saw(follows) && !saw(first) {
                signs.missing.push(first);
            }
        }
    }
    signs
}

/// Names the clients that are not heard any more.
pub fn silent(journals: &[Named], wired: &[Wired], except: Option<&str>) -> Vec<Silent> {
    let mut silent = Vec::new();
    for wired in wired {
        let Some(client) = custos_clients::find(wired.client) else { continue };
        let signs = signs(journals, client, &wired.off, except);
        let heard = signs.latest.unwrap_or(wired.since).max(wired.since);
        if wired.used.is_some_and(|used| used > heard + GRACE) {
            let what = match signs.latest {
                Some(_) => format!("{} was used, but its hooks have stopped firing", client.title),
                None => format!("{} was used, but its hooks have never fired", client.title),
            };
            silent.push(Silent { client: client.name, what });
        } else if !signs.missing.is_empty() {
            let names: Vec<&str> = client
                .manifest
                .events
                .iter()
                .filter(|row| signs.missing.contains(&row.moment))
                .map(|row| row.event)
                .collect();
            let what = format!(
                "in the last session of {} the hook {} did not fire",
                client.title,
                names.join(" and ")
            );
            silent.push(Silent { client: client.name, what });
        }
    }
    silent
}

/// Looks around when a session starts. Gives what its model should tell the person.
pub(crate) fn at_session_start(around: &Around<'_>, session: &str, now: Timestamp) -> Option<String> {
    let journals = journals(around.log, now);
    sweep(around.log, &journals, now);
    register::sweep(&*around.log.surroundings().disk, &around.log.places().state, now);
    let silent = silent(&journals, &(around.wired)(), Some(session));
    if silent.is_empty() {
        return None;
    }
    let what: Vec<String> = silent.into_iter().map(|silent| silent.what).collect();
    Some(format!(
        "Custos, the memory and guard of this machine, has to tell the person something; please pass it on: {}. \
         `custos doctor` says why and what to do.",
        what.join("; ")
    ))
}

/// Gives the right to record what became of sessions that said no goodbye, until it is dropped; nothing while somebody else has it.
///
/// One at a time, hook or server, or an end would be recorded twice. Whoever has it looks at a journal again before it records anything.
pub(crate) fn take_turn(disk: &dyn Disk, state: &Path) -> Option<Box<dyn Handle>> {
    let lock = disk.open(&state.join("sweep.lock"), Access::ReadWrite).ok()?;
    lock.try_lock().unwrap_or(false).then_some(lock)
}

/// Records sessions that went silent as interrupted, and throws old journals away.
fn sweep(log: &Log, journals: &[Named], now: Timestamp) {
    let disk = &*log.surroundings().disk;
    let state = &log.places().state;
    let Some(_turn) = take_turn(disk, state) else { return };
    for (name, journal) in journals {
        let path = session::directory(state).join(name);
        let Some((_, last)) = journal.span() else {
            // Whoever made it is about to write to it, or died on it. From now on it gets older like any other.
            if let Ok(handle) = disk.open(&path, Access::Continue) {
                let _ = session::write_mark(&*handle, now, "-", Mark::Alive);
            }
            continue;
        };
        let age = now.as_millis() - last;
        if age > INTERRUPTED_AFTER && !journal.is_over() && !is_settled(disk, &path) {
            let client = journal.heading.as_ref().map_or("", |heading| heading.client.as_str());
            let body = Map::from_iter([("silent_for_hours".to_owned(), json!(age / (60 * MINUTE)))]);
            let mut draft = Draft::new(Kind::SessionInterrupted, Scope::Project, body);
            draft.session = Some(name.clone());
            draft.project = journal.heading.as_ref().and_then(|heading| heading.project.clone());
            let id = name.replacen("s-", "ag-", 1);
            draft.agent = (!client.is_empty()).then(|| DraftAgent {
                client: client.to_owned(),
                id: Some(id),
                role: None,
            });
            if log.append(draft, Origin::Hook).is_err() {
                // The next start tries again; this one's client has waited long enough.
                return;
            }
            if let Ok(handle) = disk.open(&path, Access::Continue) {
                // With the time of the last sign of life: this is none.
                let _ = session::write_mark(&*handle, Timestamp::from_millis(last), "-", Mark::Interrupted);
            }
        }
        if age > KEPT_FOR {
            let _ = disk.remove(&path);
        }
    }
}

/// Says whether a journal was settled since it was read: another start may have been faster to the lock.
fn is_settled(disk: &dyn Disk, path: &Path) -> bool {
    disk.open(path, Access::Read)
        .and_then(|handle| Journal::glance(&*handle))
        .is_ok_and(|journal| journal.is_over())
}

/// Reads the newest journals, and some of the others: each time other ones, so that all are swept in the end.
pub fn journals(log: &Log, now: Timestamp) -> Vec<Named> {
    let disk = &*log.surroundings().disk;
    let dir = session::directory(&log.places().state);
    let names = disk.list(&dir).unwrap_or_default().into_iter().filter_map(|name| name.into_string().ok());
    let mut names: Vec<(SystemTime, String)> = names
        .filter(|name| name.starts_with("s-"))
        .take(MOST_LISTED)
        .filter_map(|name| Some((dir.join(&name).symlink_metadata().ok()?.modified().ok()?, name)))
        .collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    let mut others = names.split_off(names.len().min(NEWEST));
    if !others.is_empty() {
        let chance = usize::try_from(now.as_millis()).unwrap_or(0) % others.len();
        others.rotate_left(chance);
        others.truncate(OTHERS);
    }
    let read = |(_, name): (SystemTime, String)| {
        let handle = disk.open(&dir.join(&name), Access::Read).ok()?;
        Journal::glance(&*handle).ok().map(|journal| (name, journal))
    };
    names.into_iter().chain(others).filter_map(read).collect()
}
