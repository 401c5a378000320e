//! What is owed for a question that is under way.
//!
//! What a question took is known when its answer is there; and a worker may not live to hear it, or find no room on the disk to book it.
//! So the most that it may take is written down before it is asked. Whoever cannot do that does not ask, and what is still written down
//! when a worker begins is booked before anything else: no question is asked while the one before it is missing from the books.
//!
//! The entry has its id from the beginning. Should a worker die after it was booked and before it is crossed out, the next one books it
//! under the same id, and it counts once.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use custos_log::Log;
use custos_log::disk::{Access, Disk};
use custos_model::{Draft, EventId, Kind, Scope, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::WorkerError;

/// The most that is read: an entry is a few hundred bytes, a session and a project included.
const MOST: u64 = 64 << 10;

/// The file in which it is written down.
pub(crate) struct Owing {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    sync: bool,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    id: EventId,
    ts: Timestamp,
    session: Option<String>,
    project: Option<String>,
    body: Map<String, Value>,
}

impl Owing {
    /// Names the file of a memory.
    pub(crate) fn of(log: &Log) -> Self {
        let disk = Arc::clone(&log.surroundings().disk);
        Self { disk, path: log.places().state.join("owed.json"), sync: log.limits().sync }
    }

    /// Makes an entry for a question that is asked now, and writes it down. After a crash it is there.
    pub(crate) fn begin(&self, log: &Log, now: Timestamp, most: Draft) -> Result<Draft, WorkerError> {
        let mut random = [0; 10];
        log.surroundings().entropy.fill(&mut random)?;
        let id = EventId::new(now, random);
        let owed = Draft { id: Some(id), ts: Some(now), ..most };
        let Draft { session, project, body, .. } = owed.clone();
        let bytes = serde_json::to_vec(&Entry { id, ts: now, session, project, body }).unwrap_or_default();
        let written = self.disk.open(&self.path, Access::ReadWrite).and_then(|handle| {
            handle.truncate(0)?;
            handle.write_all_at(&bytes, 0)?;
            if self.sync { handle.sync() } else { Ok(()) }
        });
        written.map_err(WorkerError::io("write", &self.path))?;
        Ok(owed)
    }

    /// Gives what is still owed. Half an entry is none: whoever died while writing it had not asked yet.
    pub(crate) fn left(&self) -> Result<Option<Draft>, WorkerError> {
        let handle = match self.disk.open(&self.path, Access::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(WorkerError::io("open", &self.path))?,
        };
        let read = handle.len().and_then(|length| {
            let mut bytes = vec![0; usize::try_from(length.min(MOST)).unwrap_or_default()];
            let length = handle.read_full_at(&mut bytes, 0)?;
            bytes.truncate(length);
            Ok(bytes)
        });
        let bytes = read.map_err(WorkerError::io("read", &self.path))?;
        let Ok(Entry { id, ts, session, project, body }) = serde_json::from_slice(&bytes) else {
            return Ok(None);
        };
        let draft = Draft::new(Kind::UsageRecorded, Scope::Project, body);
        Ok(Some(Draft { id: Some(id), ts: Some(ts), session, project, ..draft }))
    }

    /// Crosses it out.
    pub(crate) fn settle(&self) -> Result<(), WorkerError> {
        match self.disk.remove(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(WorkerError::io("remove", &self.path)(error))
            }
            _ => Ok(()),
        }
    }
}
