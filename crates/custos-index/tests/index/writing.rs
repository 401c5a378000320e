//! Logs made to measure: any writer, any id, any instant, at the speed of writing files.
//!
//! The log's own `append` gives out ids and instants, waits for the disk and redacts; here the lines are laid out directly, with the same
//! function that it uses.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use custos_log::WriterId;
use custos_log::frame::{self, GENESIS, Hash, Opening};
use custos_model::access::default_access;
use custos_model::{EventId, Kind, SchemaVersion, Scope, Timestamp};
use serde_json::{Value, json};

/// One writer's log, being written.
pub(crate) struct Writing {
    dir: PathBuf,
    file: BufWriter<File>,
    segment: u32,
    prev: Hash,
    number: u8,
    /// The sequence of the last record.
    pub(crate) seq: u64,
}

impl Writing {
    /// Begins the log of a writer; `number` tells its ids from those of others.
    pub(crate) fn new(log: &Path, writer: &str, number: u8) -> Self {
        let writer: WriterId = writer.parse().unwrap();
        let dir = log.join(writer.as_str());
        fs::create_dir_all(&dir).unwrap();
        let file = open(&dir, 1);
        Self { dir, file, segment: 1, prev: GENESIS, number, seq: 0 }
    }

    /// Appends a draft, an object like those of the test kit's corpus, and gives its id. `id` and `ts` may be named in it.
    pub(crate) fn append(&mut self, draft: &Value) -> EventId {
        self.seq += 1;
        let text = |name: &str| draft[name].as_str();
        let kind: Kind = text("kind").unwrap().parse().unwrap();
        let scope: Scope = text("scope").unwrap_or("project").parse().unwrap();
        let at = i64::try_from(self.seq).unwrap() * 1000;
        let ts: Timestamp = text("ts").map_or(Timestamp::from_millis(at), |ts| ts.parse().unwrap());
        let id = text("id").map_or_else(|| EventId::new(ts, self.random()), |id| id.parse().unwrap());
        let mut content = json!({"scope": scope, "origin": "hook"});
        content["acl"] = draft.get("acl").cloned().unwrap_or_else(|| {
            serde_json::to_value(default_access(kind, scope, draft["agent"]["id"].as_str())).unwrap()
        });
        for name in ["project", "session", "agent", "task", "outcome", "importance"] {
            if let Some(value) = draft.get(name) {
                content[name] = value.clone();
            }
        }
        content["body"] = draft.get("body").cloned().unwrap_or_else(|| json!({}));
        let opening = Opening { v: SchemaVersion::CURRENT, id, seq: self.seq, ts, kind };
        let (line, link) = frame::write(&opening, &self.prev, &[7; 16], content.to_string().as_bytes());
        self.prev = link;
        self.raw(&line);
        id
    }

    /// Appends any line.
    pub(crate) fn raw(&mut self, line: &[u8]) {
        self.file.write_all(line).unwrap();
        self.file.write_all(b"\n").unwrap();
    }

    /// Goes on in the next segment.
    pub(crate) fn next_segment(&mut self) {
        self.flush();
        self.segment += 1;
        self.file = open(&self.dir, self.segment);
    }

    /// Makes everything visible to readers.
    pub(crate) fn flush(&mut self) {
        self.file.flush().unwrap();
    }

    /// Gives the file of the present segment.
    pub(crate) fn path(&self) -> PathBuf {
        self.dir.join(format!("{:04}.jsonl", self.segment))
    }

    fn random(&self) -> [u8; 10] {
        // Scattered, as real ids are, and the same every time.
        let mixed =
            (self.seq ^ u64::from(self.number) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
        let mut random = [self.number; 10];
        random[2..].copy_from_slice(&mixed);
        random
    }
}

fn open(dir: &Path, segment: u32) -> BufWriter<File> {
    let path = dir.join(format!("{segment:04}.jsonl"));
    BufWriter::with_capacity(1 << 20, OpenOptions::new().create(true).append(true).open(path).unwrap())
}
