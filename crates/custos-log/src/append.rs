//! Writing: one event, or what belongs together, in one locked append.
//!
//! Everything that can be done without the lock is done before it is taken: redaction, shortening, serialising. Under the lock remain the
//! chain and one `write`. The order is: log first, head second. So a process that dies in between leaves a log that is ahead of
//! its head, and the next writer reads the difference (see [`crate::tail`]); the other way round, the head would promise what
//! nobody can find.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use custos_model::kind::{Class, Durability};
use custos_model::{AccessList, Draft, EventId, Kind, Origin, SchemaVersion, Timestamp};
use serde::Serialize;

use crate::disk::{Access, Disk, OsDisk};
use crate::error::LogError;
use crate::frame::{self, Hash, Opening, Salt};
use crate::head::Lock;
use crate::read::{LogReader, Position, segment_path};
use crate::tail::{self, Tail};
use crate::writer::{Machine, WriterId};

/// Fills a buffer with random bytes.
type Fill = dyn Fn(&mut [u8]) -> Result<(), LogError> + Send + Sync;

/// Where random bytes come from.
#[derive(Clone)]
pub struct Entropy(Arc<Fill>);

impl Entropy {
    /// Takes them from the operating system.
    pub fn system() -> Self {
        Self(Arc::new(|bytes| getrandom::fill(bytes).map_err(|error| LogError::Entropy(error.to_string()))))
    }

    /// Takes them from anywhere, for tests.
    pub fn from_fn(fill: impl Fn(&mut [u8]) -> Result<(), LogError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(fill))
    }

    /// Fills a buffer.
    pub fn fill(&self, bytes: &mut [u8]) -> Result<(), LogError> {
        (self.0)(bytes)
    }
}

/// Where the time comes from.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Reads the clock of the machine.
pub fn system_clock() -> Clock {
    Arc::new(|| Timestamp::from_millis(i64::try_from(since_epoch().as_millis()).unwrap_or(i64::MAX)))
}

/// Asks the kernel itself. The C library would first look for the page on which the kernel keeps the time: that pays for those who ask
/// often, and costs a hook, which asks once, three page faults.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[expect(unsafe_code, reason = "no safe interface goes past the C library's shortcut")]
fn since_epoch() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel fills the structure that is passed, which lives through the call.
    unsafe { libc::syscall(libc::SYS_clock_gettime, libc::CLOCK_REALTIME, &raw mut time) };
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn since_epoch() -> Duration {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default()
}

/// What the log needs from outside.
#[derive(Clone)]
pub struct Surroundings {
    /// The file system.
    pub disk: Arc<dyn Disk>,
    /// The time.
    pub clock: Clock,
    /// Randomness.
    pub entropy: Entropy,
}

impl Surroundings {
    /// Takes the real ones.
    pub fn system() -> Self {
        Self { disk: Arc::new(OsDisk), clock: system_clock(), entropy: Entropy::system() }
    }
}

/// Where a log and what belongs to it are.
#[derive(Debug, Clone)]
pub struct Places {
    /// The directory with a directory per writer.
    pub log: PathBuf,
    /// The directory of the copies.
    pub backups: PathBuf,
    /// The directory of what never leaves this machine: locks, keys, what is derived.
    pub state: PathBuf,
}

/// How large things may get, and how long to wait.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The length at which a new segment begins.
    pub segment: u64,
    /// The length over which the long strings of an event are cut.
    pub event: usize,
    /// How long to wait for the lock.
    pub patience: Duration,
    /// Access lists for classes of kinds, where the user wants others than the defaults.
    pub access: Vec<(Class, AccessList)>,
    /// Whether durable kinds are forced to the disk. Whoever writes by the million switches it off and calls [`Log::sync`].
    pub sync: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            segment: 64 << 20,
            event: 256 << 10,
            patience: Duration::from_secs(2),
            access: Vec::new(),
            sync: true,
        }
    }
}

/// A log that can be appended to.
#[derive(Clone)]
pub struct Log {
    places: Places,
    surroundings: Surroundings,
    limits: Limits,
    machine: Machine,
}

/// The acknowledgement of an append.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Appended {
    /// The event's id.
    pub id: EventId,
    /// The writer in whose log it is.
    #[serde(serialize_with = "as_text")]
    pub writer: WriterId,
    /// Its place there.
    pub seq: u64,
    /// Where the record begins.
    #[serde(skip)]
    pub at: Position,
}

fn as_text<S: serde::Serializer>(writer: &WriterId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(writer.as_str())
}

impl Log {
    /// Names a log; nothing is opened or created before the first append.
    ///
    /// `machine` is the writer to become where the state directory does not name one yet.
    pub fn new(
        places: Places,
        surroundings: Surroundings,
        limits: Limits,
        machine: impl Into<Machine>,
    ) -> Self {
        Self { places, surroundings, limits, machine: machine.into() }
    }

    /// Gives the places of the log.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Gives what the log takes from outside.
    pub fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    /// Gives the limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Gives a reader of the same log.
    pub fn reader(&self) -> LogReader {
        LogReader::with_disk(Arc::clone(&self.surroundings.disk), &self.places.log)
    }

    /// Gives the writer that this machine is, without taking the lock.
    pub fn writer(&self) -> WriterId {
        crate::head::peek(&*self.surroundings.disk, &self.places.state)
            .map_or_else(|| self.machine.name(), |head| head.writer)
    }

    /// Records an event.
    ///
    /// When this returns, the event survives the death of every process; if its kind is durable, also a power cut. When it
    /// fails, nothing of the event is in the log, or an unfinished line that the next append sets apart; or, where only forcing it to
    /// the disk failed, the whole event, which may not survive a power cut. It is not taken back, as others may have read it.
    pub fn append(&self, draft: Draft, origin: Origin) -> Result<Appended, LogError> {
        let durability = draft.kind.durability();
        self.append_as(draft, origin, durability)
    }

    /// Records an event that is to survive a power cut only together with others, whatever its kind: once [`Log::force`] was called for the
    /// last of them. Else as [`Log::append`].
    pub fn append_unforced(&self, draft: Draft, origin: Origin) -> Result<Appended, LogError> {
        self.append_as(draft, origin, Durability::Process)
    }

    /// Forces an event to the disk, and with it all that this machine has written before: a segment that is full was forced then.
    pub fn force(&self, last: &Appended) -> Result<(), LogError> {
        if !self.limits.sync {
            return Ok(());
        }
        let path = segment_path(&self.places.log, &last.writer, last.at.segment);
        let handle =
            self.surroundings.disk.open(&path, Access::Continue).map_err(LogError::io("open", &path))?;
        handle.sync().map_err(LogError::io("sync", &path))
    }

    fn append_as(&self, draft: Draft, origin: Origin, durability: Durability) -> Result<Appended, LogError> {
        let ready = self.ready(draft, origin)?;
        let lock = Lock::take(&*self.surroundings.disk, &self.places.state, self.limits.patience)?;
        let mut tail = Tail::find(self, &lock, &self.machine)?;
        let seq = tail.head.seq + 1;
        let (line, link) = ready.line(seq, &tail.head.link);
        let begins = tail.write(self, line, durability)?;
        tail.head.seq = seq;
        tail.head.link = link;
        // The event is in the log. A head that cannot be written is found to be old by the next append.
        let _ = lock.set_head(&tail.head);
        Ok(Appended { id: ready.id, writer: tail.head.writer, seq, at: begins })
    }

    /// Records events that belong together, in one write: nobody else's event comes between them.
    ///
    /// When this returns, all of them survive what [`Log::append`] promises for the most durable of them. When it fails, none of them is
    /// in the log, with the same exceptions. The death of the process in the middle of the write may leave the first of them, so the one
    /// that confirms the others comes last.
    pub fn append_all(&self, drafts: Vec<Draft>, origin: Origin) -> Result<Vec<Appended>, LogError> {
        let is_durable = |draft: &Draft| draft.kind.durability() == Durability::Power;
        let durability = if drafts.iter().any(is_durable) { Durability::Power } else { Durability::Process };
        self.append_all_as(drafts, origin, durability)
    }

    /// The same for events that are to survive a power cut once [`Log::force`] was called for the last of them, whatever their kinds.
    pub fn append_all_unforced(&self, drafts: Vec<Draft>, origin: Origin) -> Result<Vec<Appended>, LogError> {
        self.append_all_as(drafts, origin, Durability::Process)
    }

    fn append_all_as(
        &self,
        drafts: Vec<Draft>,
        origin: Origin,
        durability: Durability,
    ) -> Result<Vec<Appended>, LogError> {
        let ready = drafts.into_iter().map(|draft| self.ready(draft, origin));
        let ready = ready.collect::<Result<Vec<_>, _>>()?;
        if ready.is_empty() {
            return Ok(Vec::new());
        }
        let lock = Lock::take(&*self.surroundings.disk, &self.places.state, self.limits.patience)?;
        let mut tail = Tail::find(self, &lock, &self.machine)?;
        let (mut seq, mut link) = (tail.head.seq, tail.head.link);
        let mut lines = Vec::new();
        let mut begins = Vec::with_capacity(ready.len());
        for one in &ready {
            if !lines.is_empty() {
                lines.push(b'\n');
            }
            begins.push(lines.len() as u64);
            seq += 1;
            let (line, next) = one.line(seq, &link);
            lines.extend_from_slice(&line);
            link = next;
        }
        let first = tail.write(self, lines, durability)?;
        let before = std::mem::replace(&mut tail.head.seq, seq);
        tail.head.link = link;
        let _ = lock.set_head(&tail.head);
        let appended = (before + 1..).zip(&ready).zip(begins).map(|((seq, one), begins)| Appended {
            id: one.id,
            writer: tail.head.writer.clone(),
            seq,
            at: Position { offset: first.offset + begins, ..first },
        });
        Ok(appended.collect())
    }

    /// Does all of an append that needs no lock.
    fn ready(&self, draft: Draft, origin: Origin) -> Result<Ready, LogError> {
        let now = (self.surroundings.clock)();
        let mut random = [0; 26];
        self.surroundings.entropy.fill(&mut random)?;
        let (salt, id_random) = split_random(&random);
        let ts = draft.ts.unwrap_or(now);
        let id = draft.id.unwrap_or_else(|| EventId::new(now, id_random));
        let kind = draft.kind;
        Ok(Ready { id, ts, kind, salt, content: self.content(draft, origin)? })
    }

    /// Forces everything that this machine has written to the disk.
    pub fn sync(&self) -> Result<(), LogError> {
        let disk = &*self.surroundings.disk;
        let writer = self.writer();
        for segment in self.reader().segments(&writer)? {
            let path = segment_path(&self.places.log, &writer, segment);
            let handle = disk.open(&path, Access::Continue).map_err(LogError::io("open", &path))?;
            handle.sync().map_err(LogError::io("sync", &path))?;
            tail::sync_dirs(disk, &path, tail::USUAL_DEPTH)?;
        }
        Ok(())
    }

    /// Gives the same log with other limits.
    #[must_use]
    pub fn with_limits(&self, limits: Limits) -> Self {
        Self { limits, ..self.clone() }
    }
}

/// An event to which only its place in the chain is missing.
struct Ready {
    id: EventId,
    ts: Timestamp,
    kind: Kind,
    salt: Salt,
    content: Vec<u8>,
}

impl Ready {
    fn line(&self, seq: u64, prev: &Hash) -> (Vec<u8>, Hash) {
        let Self { id, ts, kind, salt, content } = self;
        let opening = Opening { v: SchemaVersion::CURRENT, id: *id, seq, ts: *ts, kind: *kind };
        frame::write(&opening, prev, salt, content)
    }
}

fn split_random(random: &[u8; 26]) -> (Salt, [u8; 10]) {
    let (mut salt, mut id) = ([0; 16], [0; 10]);
    salt.copy_from_slice(&random[..16]);
    id.copy_from_slice(&random[16..]);
    (salt, id)
}
