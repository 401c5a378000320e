//! Events that the log could not take, kept until it can.
//!
//! A hook must answer whether or not the log takes its event: the lock may be busy past the deadline, the disk full, the memory directory
//! read-only or not mounted. Then the event waits here, redacted and with its id and its time, and the next hook that gets through to the
//! log puts it there ([`Spool::replay`]).
//!
//! One event is one file, written under another name and renamed. So there is nothing that hooks would have to agree on: sixty-four of
//! them keep their events at once without a lock, and whichever of them is killed leaves either a whole event or a part that nobody was
//! told about. Lines appended to one file would share a fate instead: half a line of one hook spoils the next hook's, and whoever takes
//! lines out would have to lock out those who put lines in. The content of a file is a record as the log writes it, outside any
//! chain: its commitment shows every byte that is missing or changed.
//!
//! ```text
//! PLACE/spool/ID.LENGTH.event                    waits; never offered to the log
//! PLACE/spool/ID.LENGTH.SEGMENT-OFFSET.tried     waits; was offered when the log ended there, and may be in it
//! PLACE/spool/….N.part                           is being written, or its writer died
//! PLACE/spool.apart/NAME.broken                  is no event, set apart for the person
//! PLACE/spool.apart/dropped                      one byte for each event that found no room
//! PLACE/spool.lock                               held by the one who replays
//! ```
//!
//! `spool` exists only while something is in it, so that a hook pays one failing system call per place to learn that nothing waits.
//! The length is in the name so that the bound is checked by listing, without opening thousands of files.
//!
//! A place must be private to the user and belong to one memory: whoever can write into it can add events.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fmt, io};

use custos_model::draft::DraftAgent;
use custos_model::kind::Durability;
use custos_model::{AgentId, Draft, EventId, Grant, Kind, Origin, Timestamp};

use crate::append::{Appended, Log, Surroundings};
use crate::disk::{Access, Disk};
use crate::error::LogError;
use crate::pseudonym::Pseudonyms;
use crate::read::Position;

mod entry;
mod replay;

use entry::{Entry, Found};
pub use replay::{Replayed, Unreplayed};

/// How many bytes may wait in one place, unless somebody wants another bound.
pub const BOUND: u64 = 16 << 20;

/// How many events one hook replays, unless it has more time: a few milliseconds.
pub const REPLAYED_AT_ONCE: usize = 32;

/// What a file takes at least, whatever is in it. Counted, because a bound on bytes alone would allow a million tiny files.
const BLOCK: u64 = 4096;

/// How often a part is begun anew because the directory went away, or because somebody took the part for a dead one's.
const ATTEMPTS: u32 = 32;

/// Keeps events that the log could not take.
#[derive(Clone)]
pub struct Spool {
    places: Vec<Place>,
    bound: u64,
    disk: Arc<dyn Disk>,
    /// The last id that was given out: events wait in the order of their ids, and several may come within a millisecond.
    last: Arc<Mutex<Option<EventId>>>,
}

/// A directory with a spool in it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place(PathBuf);

impl Place {
    fn waiting(&self) -> PathBuf {
        self.0.join("spool")
    }

    fn apart(&self) -> PathBuf {
        self.0.join("spool.apart")
    }

    fn dropped(&self) -> PathBuf {
        self.apart().join("dropped")
    }

    fn lock(&self) -> PathBuf {
        self.0.join("spool.lock")
    }
}

/// The acknowledgement that an event is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The event's id, which it will have in the log.
    pub id: EventId,
    /// The file.
    pub at: PathBuf,
    /// Whether agents' ids were left out of the event: without the machine's key there are no pseudonyms for them.
    pub nameless: bool,
}

/// Where an event went.
#[derive(Debug)]
pub enum Recorded {
    /// Into the log.
    Logged(Appended),
    /// Into the spool, and why not into the log.
    Spooled(Kept, LogError),
}

/// Reports an event that was not kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpoolError {
    /// As much waits already as may wait.
    #[error("{} holds {held} of {bound} bytes; the event of {bytes} bytes was dropped", at.display())]
    Full {
        /// The directory.
        at: PathBuf,
        /// What waits there, each file rounded up to a block.
        held: u64,
        /// What the event would have taken.
        bytes: u64,
        /// How much may wait.
        bound: u64,
    },
    /// No place could be written to.
    #[error("the event was dropped, as no place could keep it{}", reasons(.0))]
    Nowhere(Vec<LogError>),
    /// A forgetting is asked for by a person who waits for the answer; carried out later, it would take away what they did not see.
    #[error("a `forget.done` event is not kept for later")]
    Forgetting,
    /// The event itself cannot be written, here or in the log.
    #[error(transparent)]
    Event(#[from] LogError),
    /// Neither the log nor the spool took the event.
    #[error("{append}; {keep}")]
    Lost {
        /// What the log said.
        append: LogError,
        /// What the spool said.
        keep: Box<SpoolError>,
    },
}

fn reasons(errors: &[LogError]) -> String {
    errors.iter().fold(String::new(), |mut text, error| {
        let _ = write!(text, "; {error}");
        text
    })
}

/// What is in one place, for a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding {
    /// The directory in which events wait.
    pub at: PathBuf,
    /// How many wait.
    pub waiting: u64,
    /// How many bytes these take, each file rounded up to a block.
    pub bytes: u64,
    /// The time in the oldest one's id.
    pub since: Option<Timestamp>,
    /// Files that are no events. They do no harm, and are nobody's but the person's to remove.
    pub broken: Vec<PathBuf>,
    /// How many events found no room, as far as that could be counted.
    pub dropped: u64,
    /// Why the place could not be looked at.
    pub problem: Option<String>,
}

impl fmt::Debug for Spool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spool")
            .field("places", &self.places)
            .field("bound", &self.bound)
            .finish_non_exhaustive()
    }
}

impl Spool {
    /// Names a spool; nothing is opened or created before an event is kept.
    ///
    /// An event goes to the first of `places` that can be written to. `bound` holds for each of them.
    pub fn new(places: Vec<PathBuf>, bound: u64, disk: Arc<dyn Disk>) -> Self {
        Self { places: places.into_iter().map(Place).collect(), bound, disk, last: Arc::default() }
    }

    /// Says whether nothing waits. This is what every hook asks; where there is no directory, it is one system call per place.
    pub fn is_empty(&self) -> bool {
        // What cannot be listed cannot be replayed either; `survey` says so.
        self.places
            .iter()
            .all(|place| self.disk.list(&place.waiting()).map_or(true, |names| names.is_empty()))
    }

    /// Records an event in the log, or keeps it where the log does not take it.
    ///
    /// The event has one id from the start, so that one that got into the log although the append failed is recognised.
    pub fn record(&self, log: &Log, mut draft: Draft, origin: Origin) -> Result<Recorded, SpoolError> {
        self.identify(log, &mut draft)?;
        let append = match log.append(draft.clone(), origin) {
            Ok(appended) => return Ok(Recorded::Logged(appended)),
            Err(error) => error,
        };
        if is_about_the_event(&append) {
            return Err(SpoolError::Event(append));
        }
        // Only forcing it to the disk comes after writing it. Nobody has moved the head since, or somebody who was very quick; then the
        // log gets a second record with the same id (see `replay`).
        let written = matches!(&append, LogError::Io { action: "sync", .. });
        let tried = written.then(|| replay::end_of(log));
        match self.keep_tried(log, draft, origin, tried) {
            Ok(kept) => Ok(Recorded::Spooled(kept, append)),
            Err(keep) => Err(SpoolError::Lost { append, keep: Box::new(keep) }),
        }
    }

    /// Keeps an event that is not in the log.
    ///
    /// When this returns, the event survives the death of every process; if its kind is durable, it was also forced to the disk. What
    /// is written is what [`Log::append`] would have written. Hooks that keep events at the same moment do not see each other's, so
    /// that they may exceed the bound by as many events as there are hooks.
    pub fn keep(&self, log: &Log, draft: Draft, origin: Origin) -> Result<Kept, SpoolError> {
        self.keep_tried(log, draft, origin, None)
    }

    /// Gives a draft its id and its time where it has none.
    fn identify(&self, log: &Log, draft: &mut Draft) -> Result<(EventId, Timestamp), LogError> {
        let Surroundings { clock, entropy, .. } = log.surroundings();
        let now = clock();
        let id = if let Some(id) = draft.id {
            id
        } else {
            let mut random = [0; 10];
            entropy.fill(&mut random)?;
            let id = EventId::new(now, random);
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            // A clock that went back starts anew.
            let is_same_time = |last: &EventId| last.as_bytes()[..6] == id.as_bytes()[..6];
            let id = last.filter(is_same_time).map_or(id, |last| id.after(last));
            *last = Some(id);
            id
        };
        draft.id = Some(id);
        Ok((id, *draft.ts.get_or_insert(now)))
    }

    fn keep_tried(
        &self,
        log: &Log,
        mut draft: Draft,
        origin: Origin,
        tried: Option<Position>,
    ) -> Result<Kept, SpoolError> {
        if draft.kind == Kind::ForgetDone {
            return Err(SpoolError::Forgetting);
        }
        let (id, ts) = self.identify(log, &mut draft)?;
        let kind = draft.kind;
        let nameless = hide_agents(log, &mut draft);
        let content = log.content(draft, origin)?;
        let mut salt = [0; 16];
        log.surroundings().entropy.fill(&mut salt)?;
        let bytes = entry::seal(id, ts, kind, &salt, &content);
        let entry = Entry { id, len: bytes.len() as u64, tried };
        let durable = log.limits().sync && kind.durability() == Durability::Power;

        let mut refusals = Vec::new();
        for place in &self.places {
            let (at, room, bound) = (place.waiting(), entry.weight(), self.bound);
            match self.held(&at) {
                Ok(held) if held.saturating_add(room) > bound => {
                    // The next place is for when this one fails; used for more, it would only be a second bound.
                    self.count_dropped();
                    return Err(SpoolError::Full { at, held, bytes: room, bound });
                }
                held => match held.and_then(|_| self.write(&at, &entry, &bytes, durable)) {
                    Ok(at) => return Ok(Kept { id, at, nameless }),
                    Err(refusal) => refusals.push(refusal),
                },
            }
        }
        self.count_dropped();
        Err(SpoolError::Nowhere(refusals))
    }

    /// Adds up what waits in a directory.
    fn held(&self, dir: &Path) -> Result<u64, LogError> {
        let names = self.disk.list(dir).map_err(LogError::io("list", dir))?;
        Ok(names.iter().map(|name| entry::weight(name)).fold(0, u64::saturating_add))
    }

    /// Writes a file whole or not at all.
    fn write(&self, dir: &Path, entry: &Entry, bytes: &[u8], durable: bool) -> Result<PathBuf, LogError> {
        let path = dir.join(entry.name());
        for attempt in 0..ATTEMPTS {
            let part = dir.join(entry.part_name(attempt));
            let handle = match self.disk.open(&part, Access::Create) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    // Never made, or removed by the one who took the last event out.
                    self.disk.create_dirs(dir).map_err(LogError::io("create", dir))?;
                    continue;
                }
                opened => opened.map_err(LogError::io("create", &part))?,
            };
            // The lock says that the part's writer is alive. Somebody who has it has taken the still empty part for a dead one's
            // and removes it. Where there are no locks, nobody removes parts.
            if matches!(handle.try_lock(), Ok(false)) {
                continue;
            }
            let written = handle.write_all_at(bytes, 0);
            let written = written.and_then(|()| if durable { handle.sync() } else { Ok(()) });
            match written.and_then(|()| self.disk.rename(&part, &path)) {
                Ok(()) => {}
                // Somebody has removed the whole directory.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    let _ = self.disk.remove(&part);
                    return Err(LogError::io("write", &path)(error));
                }
            }
            if durable {
                // It is kept; a second copy elsewhere would not be safer, only twice.
                let _ = dir.parent().map(|above| self.disk.sync_dir(above));
                let _ = self.disk.sync_dir(dir);
            }
            return Ok(path);
        }
        Err(LogError::io("write", &path)(io::ErrorKind::NotFound.into()))
    }

    /// Notes that an event found no room. One byte appended needs no lock, and the length is the count.
    fn count_dropped(&self) {
        for place in &self.places {
            let counted = self.disk.create_dirs(&place.apart()).and_then(|()| {
                let handle = self.disk.open(&place.dropped(), Access::Append)?;
                handle.append(b".")
            });
            if counted.is_ok() {
                return;
            }
        }
    }

    /// Looks at what is in each place.
    pub fn survey(&self) -> Vec<Holding> {
        self.places.iter().map(|place| self.survey_place(place)).collect()
    }

    fn survey_place(&self, place: &Place) -> Holding {
        let (at, apart) = (place.waiting(), place.apart());
        let mut problem = None;
        let mut list = |dir: &Path| match self.disk.list(dir) {
            Ok(names) => names,
            Err(error) => {
                problem = Some(LogError::io("list", dir)(error).to_string());
                Vec::new()
            }
        };
        let (names, names_apart) = (list(&at), list(&apart));
        let mut holding =
            Holding { at, waiting: 0, bytes: 0, since: None, broken: Vec::new(), dropped: 0, problem };
        for name in names {
            match Found::of(&name) {
                Found::Event(entry) => {
                    holding.waiting += 1;
                    holding.bytes = holding.bytes.saturating_add(entry.weight());
                    // They are listed in order.
                    holding.since.get_or_insert(entry.kept_at());
                }
                Found::Part(_) => {}
                Found::Stranger => holding.broken.push(holding.at.join(name)),
            }
        }
        let dropped = place.dropped();
        holding
            .broken
            .extend(names_apart.iter().map(|name| apart.join(name)).filter(|path| *path != dropped));
        let count = self.disk.open(&dropped, Access::Read).and_then(|handle| handle.len());
        holding.dropped = count.unwrap_or(0);
        holding
    }
}

/// Says whether an append failed because of the event, so that it would fail again.
fn is_about_the_event(error: &LogError) -> bool {
    matches!(error, LogError::TooLarge { .. } | LogError::Json(_))
}

/// Puts pseudonyms in the place of clients' own ids, or nothing where there is no key; says whether anything was left out.
///
/// An access list that loses an entry becomes narrower, and an empty one is nobody but the owner: nothing gets out by this.
fn hide_agents(log: &Log, draft: &mut Draft) -> bool {
    let Draft { agent, acl, .. } = draft;
    let foreign = |id: &str| AgentId::recognise(id).is_none();
    let in_agent = agent.as_ref().and_then(|agent| agent.id.as_deref()).is_some_and(foreign);
    let is_foreign = |grant: &Grant| matches!(grant, Grant::Agent(id) if foreign(id));
    if !in_agent && !acl.iter().flat_map(|acl| &acl.0).any(is_foreign) {
        return false;
    }
    let Surroundings { disk, entropy, .. } = log.surroundings();
    let Ok(names) = Pseudonyms::load(&**disk, &log.places().state, entropy) else {
        if let Some(agent) = agent.as_mut().filter(|_| in_agent) {
            agent.id = None;
        }
        if let Some(acl) = acl {
            acl.0.retain(|grant| !is_foreign(grant));
        }
        return true;
    };
    let client = agent.as_ref().map(|agent| agent.client.clone()).unwrap_or_default();
    if let Some(DraftAgent { id: Some(id), .. }) = agent.as_mut().filter(|_| in_agent) {
        // On a full disk the map gets no entry; the next event of the same agent writes it.
        let name = names.of(&client, id).unwrap_or_else(|_| names.peek(&client, id));
        name.as_str().clone_into(id);
    }
    for grant in acl.iter_mut().flat_map(|acl| &mut acl.0) {
        if let Grant::Agent(id) = grant
            && foreign(id)
        {
            names.peek(&client, id).as_str().clone_into(id);
        }
    }
    false
}
