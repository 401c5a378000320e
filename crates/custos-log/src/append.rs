//! Writing: one event, one locked append.
//!
//! Everything that can be done without the lock is done before it is taken: redaction, shortening, serialising. Under the lock remain the
//! chain and one `write`. The order is: log first, head second. So a process that dies in between leaves a log that is ahead of
//! its head, and the next writer reads the difference; the other way round, the head would promise what nobody can find.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use custos_model::access::default_access;
use custos_model::kind::{Class, Durability};
use custos_model::{
    AccessList, Agent, AgentId, Draft, EventId, Grant, Importance, Kind, Origin, Outcome, SchemaVersion,
    Scope, Timestamp,
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::disk::{Access, Disk, Handle, OsDisk};
use crate::error::LogError;
use crate::excerpt;
use crate::frame::{self, GENESIS, Opening, Parsed, Salt};
use crate::head::{Head, Lock};
use crate::pseudonym::Pseudonyms;
use crate::read::{Cursor, LogReader, Position, RawLine, segment_path};
use crate::writer::WriterId;

/// Where random bytes come from.
#[derive(Clone)]
pub struct Entropy(Arc<dyn Fn(&mut [u8]) -> Result<(), LogError> + Send + Sync>);

impl Entropy {
    /// Takes them from the operating system.
    pub fn system() -> Self {
        Self(Arc::new(|bytes| getrandom::fill(bytes).map_err(|error| LogError::Entropy(error.to_string()))))
    }

    /// Takes them from anywhere, for tests.
    pub fn from_fn(fill: impl Fn(&mut [u8]) -> Result<(), LogError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(fill))
    }

    pub(crate) fn fill(&self, bytes: &mut [u8]) -> Result<(), LogError> {
        (self.0)(bytes)
    }
}

/// Where the time comes from.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Reads the clock of the machine.
pub fn system_clock() -> Clock {
    Arc::new(|| {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    })
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
}

impl Default for Limits {
    fn default() -> Self {
        Self { segment: 64 << 20, event: 256 << 10, patience: Duration::from_secs(2), access: Vec::new() }
    }
}

/// A log that can be appended to.
#[derive(Clone)]
pub struct Log {
    places: Places,
    surroundings: Surroundings,
    limits: Limits,
    machine: WriterId,
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

/// All of a record that forgetting takes away.
#[derive(Serialize)]
struct Content<'a> {
    scope: Scope,
    acl: &'a AccessList,
    origin: Origin,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a Agent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    importance: Option<Importance>,
    body: &'a Map<String, Value>,
}

impl<'a> Content<'a> {
    fn of(draft: &'a Draft, acl: &'a AccessList, agent: Option<&'a Agent>, origin: Origin) -> Self {
        Self {
            scope: draft.scope,
            acl,
            origin,
            project: draft.project.as_deref(),
            branch: draft.branch.as_deref(),
            commit: draft.commit.as_deref(),
            session: draft.session.as_deref(),
            agent,
            task: draft.task.as_deref(),
            outcome: draft.outcome,
            importance: draft.importance,
            body: &draft.body,
        }
    }
}

impl Log {
    /// Names a log; nothing is opened or created before the first append.
    ///
    /// `machine` is the writer to become where the state directory does not name one yet.
    pub fn new(places: Places, surroundings: Surroundings, limits: Limits, machine: WriterId) -> Self {
        Self { places, surroundings, limits, machine }
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
            .map_or_else(|| self.machine.clone(), |head| head.writer)
    }

    /// Records an event.
    ///
    /// When this returns, the event survives the death of every process; if its kind is durable, also a power cut. When it
    /// fails, nothing of the event is in the log, or an unfinished line that the next append sets apart.
    pub fn append(&self, draft: Draft, origin: Origin) -> Result<Appended, LogError> {
        let disk = &*self.surroundings.disk;
        let now = (self.surroundings.clock)();
        let mut random = [0; 26];
        self.surroundings.entropy.fill(&mut random)?;
        let (salt, id_random) = split_random(&random);
        let ts = draft.ts.unwrap_or(now);
        let id = draft.id.unwrap_or_else(|| EventId::new(now, id_random));
        let kind = draft.kind;
        let content = self.content(draft, origin)?;

        let lock = Lock::take(disk, &self.places.state, self.limits.patience)?;
        let mut tail = self.tail(&lock)?;
        let opening = Opening { v: SchemaVersion::CURRENT, id, seq: tail.head.seq + 1, ts, kind };
        let (line, link) = frame::write(&opening, &tail.head.link, &salt, &content);
        let begins = tail.write(self, line, kind.durability())?;
        tail.head.seq = opening.seq;
        tail.head.link = link;
        // The event is in the log. A head that cannot be written is found to be old by the next append.
        let _ = lock.set_head(&tail.head);
        Ok(Appended { id, writer: tail.head.writer, seq: opening.seq, at: begins })
    }

    /// Cleans a draft and serialises what will stand behind the salt.
    fn content(&self, draft: Draft, origin: Origin) -> Result<Vec<u8>, LogError> {
        let mut draft = draft;
        let pseudonyms = self.pseudonyms_for(&draft)?;
        let agent = self.name_agent(&draft, pseudonyms.as_ref())?;
        let agent_id = agent.as_ref().and_then(|agent| agent.id.as_ref()).map(AgentId::as_str);
        let acl = match draft.acl.take() {
            Some(acl) => hide_agents(acl, pseudonyms.as_ref(), agent.as_ref()),
            None => self.default_access(draft.kind, draft.scope, agent_id),
        };
        excerpt::redact_fields(&mut draft.body);
        for text in [&mut draft.project, &mut draft.branch, &mut draft.session, &mut draft.task] {
            if let Some(text) = text {
                excerpt::redact_text(text);
            }
        }
        let content = serde_json::to_vec(&Content::of(&draft, &acl, agent.as_ref(), origin))?;
        if content.len() <= self.limits.event {
            return Ok(content);
        }
        let envelope = content.len() - excerpt::json_len(&draft.body);
        drop(content);
        excerpt::fit(&mut draft.body, self.limits.event.saturating_sub(envelope));
        let content = serde_json::to_vec(&Content::of(&draft, &acl, agent.as_ref(), origin))?;
        // The access list and the names are bounded, so this only fails if the limit itself is absurdly small.
        if content.len() > self.limits.event + 64 * 1024 {
            return Err(LogError::TooLarge { bytes: content.len(), limit: self.limits.event });
        }
        Ok(content)
    }

    fn default_access(&self, kind: Kind, scope: Scope, agent: Option<&str>) -> AccessList {
        let set = self.limits.access.iter().find(|(class, _)| *class == kind.class());
        match set {
            Some((_, acl)) if scope != Scope::Agent => acl.clone(),
            _ => default_access(kind, scope, agent),
        }
    }

    /// Loads the key only where a client's own id is to be replaced: most events carry pseudonyms or no agent.
    fn pseudonyms_for(&self, draft: &Draft) -> Result<Option<Pseudonyms<'_>>, LogError> {
        let foreign = |id: &str| AgentId::recognise(id).is_none();
        let in_agent = draft.agent.as_ref().and_then(|agent| agent.id.as_deref()).is_some_and(foreign);
        let in_acl = draft.acl.iter().flat_map(|acl| &acl.0).any(|grant| match grant {
            Grant::Agent(id) => foreign(id),
            _ => false,
        });
        if !in_agent && !in_acl {
            return Ok(None);
        }
        let Surroundings { disk, entropy, .. } = &self.surroundings;
        Pseudonyms::load(&**disk, &self.places.state, entropy).map(Some)
    }

    fn name_agent(&self, draft: &Draft, names: Option<&Pseudonyms<'_>>) -> Result<Option<Agent>, LogError> {
        let Some(agent) = &draft.agent else { return Ok(None) };
        let id = match (agent.id.as_deref(), names) {
            (None, _) => None,
            (Some(id), names) => match (AgentId::recognise(id), names) {
                (Some(id), _) => Some(id),
                (None, Some(names)) => Some(names.of(&agent.client, id)?),
                (None, None) => None,
            },
        };
        Ok(Some(Agent { client: agent.client.clone(), id, role: agent.role.clone() }))
    }

    /// Finds the end of the log: from the head if it agrees with the file, else from the log itself.
    fn tail(&self, lock: &Lock) -> Result<Tail, LogError> {
        let remembered = lock.head()?;
        let head = match remembered {
            Some(head) => head,
            None => self.rebuilt_head(&Head::start(self.machine.clone()))?,
        };
        let path = segment_path(&self.places.log, &head.writer, head.segment);
        let handle = self.open_segment(&path)?;
        let len = handle.len().map_err(LogError::io("measure", &path))?;
        if len == head.offset {
            let torn = ends_torn(&*handle, len).map_err(LogError::io("read", &path))?;
            return Ok(Tail { head, handle, path, torn });
        }
        // Longer: somebody died between log and head. Shorter: a restored or a lost file; then the log is read from its beginning.
        drop(handle);
        let from = if len > head.offset { head } else { Head::start(head.writer) };
        let head = self.rebuilt_head(&from)?;
        let path = segment_path(&self.places.log, &head.writer, head.segment);
        let handle = self.open_segment(&path)?;
        let torn = ends_torn(&*handle, head.offset).map_err(LogError::io("read", &path))?;
        Ok(Tail { head, handle, path, torn })
    }

    /// Reads the log from a head onwards and gives the head that it has now.
    fn rebuilt_head(&self, from: &Head) -> Result<Head, LogError> {
        let reader = self.reader();
        let mut head = from.clone();
        let begin = Position { segment: head.segment, offset: head.offset };
        let mut cursor: Cursor = reader.cursor(&head.writer, begin)?;
        while let Some((_, raw)) = cursor.next_raw()? {
            let RawLine::Whole(line) = raw else { continue };
            let line = cursor.bytes(line);
            if let Parsed::Whole(frame) | Parsed::Headed(frame) = frame::parse(line) {
                head.seq = frame.seq;
                head.link = frame.link(line);
            }
        }
        let end = cursor.position();
        head.segment = end.segment;
        head.offset = end.offset + cursor.unfinished() as u64;
        Ok(head)
    }

    fn open_segment(&self, path: &std::path::Path) -> Result<Box<dyn Handle>, LogError> {
        let disk = &*self.surroundings.disk;
        match disk.open(path, Access::Append) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if let Some(dir) = path.parent() {
                    disk.create_dirs(dir).map_err(LogError::io("create", dir))?;
                }
                disk.open(path, Access::Append)
            }
            opened => opened,
        }
        .map_err(LogError::io("open", path))
    }
}

/// The end of the log, open for writing.
struct Tail {
    head: Head,
    handle: Box<dyn Handle>,
    path: PathBuf,
    torn: bool,
}

impl Tail {
    /// Writes a line in one system call and gives the position at which the record begins.
    fn write(&mut self, log: &Log, line: Vec<u8>, durability: Durability) -> Result<Position, LogError> {
        let mut line = line;
        line.push(b'\n');
        if self.head.offset > 0 && self.head.offset + line.len() as u64 > log.limits.segment {
            self.head.segment += 1;
            self.head.offset = 0;
            self.torn = false;
            self.path = segment_path(&log.places.log, &self.head.writer, self.head.segment);
            self.handle = log.open_segment(&self.path)?;
        }
        if self.torn {
            // What somebody left unfinished gets a line of its own.
            line.insert(0, b'\n');
        }
        let begins = self.head.offset + u64::from(self.torn);
        self.write_whole(&line)?;
        if durability == Durability::Power {
            self.handle.sync().map_err(LogError::io("sync", &self.path))?;
            // A new segment must be found again after a power cut, not only its content.
            if self.head.offset == 0
                && let Some(dir) = self.path.parent()
            {
                log.surroundings.disk.sync_dir(dir).map_err(LogError::io("sync", dir))?;
            }
        }
        self.head.offset += line.len() as u64;
        Ok(Position { segment: self.head.segment, offset: begins })
    }

    fn write_whole(&self, line: &[u8]) -> Result<(), LogError> {
        let mut written = 0;
        while written < line.len() {
            let error = match self.handle.append(&line[written..]) {
                Ok(0) => io::ErrorKind::WriteZero.into(),
                Ok(n) => {
                    written += n;
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => error,
            };
            // Nobody was told that this event is in the log, so its first half has no business there either. Where even that
            // fails, the next append sets it apart.
            if written > 0 {
                let _ = self.handle.truncate(self.head.offset);
            }
            return Err(LogError::io("append to", &self.path)(error));
        }
        Ok(())
    }
}

fn ends_torn(handle: &dyn Handle, len: u64) -> io::Result<bool> {
    let Some(last) = len.checked_sub(1) else { return Ok(false) };
    let mut byte = [0];
    Ok(handle.read_full_at(&mut byte, last)? == 1 && byte != *b"\n")
}

fn split_random(random: &[u8; 26]) -> (Salt, [u8; 10]) {
    let (mut salt, mut id) = ([0; 16], [0; 10]);
    salt.copy_from_slice(&random[..16]);
    id.copy_from_slice(&random[16..]);
    (salt, id)
}

/// Replaces the clients' own ids in an access list by pseudonyms. A bare id is taken to be of the event's own client.
fn hide_agents(acl: AccessList, names: Option<&Pseudonyms<'_>>, agent: Option<&Agent>) -> AccessList {
    let Some(names) = names else { return acl };
    let client = agent.map_or("", |agent| agent.client.as_str());
    let hide = |grant| match grant {
        Grant::Agent(id) if AgentId::recognise(&id).is_none() => {
            Grant::Agent(names.peek(client, &id).as_str().to_owned())
        }
        other => other,
    };
    AccessList(acl.0.into_iter().map(hide).collect())
}

/// Writes a record of an older schema as it would be written today, but outside any chain: for readers only.
pub(crate) fn unchained(draft: Draft, seq: u64) -> Result<Vec<u8>, LogError> {
    let ts = draft.ts.unwrap_or(Timestamp::from_millis(0));
    let id = draft.id.unwrap_or_else(|| EventId::new(ts, [0; 10]));
    let agent = draft.agent.as_ref().map(|agent| Agent {
        client: agent.client.clone(),
        // The reader has no key; what is no pseudonym is left out.
        id: agent.id.as_deref().and_then(AgentId::recognise),
        role: agent.role.clone(),
    });
    let acl = default_access(draft.kind, draft.scope, None);
    let content = serde_json::to_vec(&Content::of(&draft, &acl, agent.as_ref(), Origin::Import))?;
    let opening = Opening { v: SchemaVersion::CURRENT, id, seq, ts, kind: draft.kind };
    Ok(frame::write(&opening, &GENESIS, &[0; 16], &content).0)
}
