//! A memory in a temporary directory, and an embedder that anybody can follow.

use std::sync::Arc;

use custos_embed::{EmbedError, Embedder, EmbedderId, Vector};
use custos_index::User;
use custos_log::append::{Places, Surroundings};
use custos_log::{Limits, Log, WriterId};
use custos_model::piece::{PieceId, pieces};
use custos_model::{Draft, EventId, Kind, Origin, Scope, Timestamp};
use custos_recall::context::Scene;
use custos_recall::receipt::Ceiling;
use custos_recall::{Answer, Ask, Depth, Policy, Store, Viewer};
use custos_vectors::{Pen, ScopeTag};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// The present.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000)
}

/// Puts each word of a text into one of its dimensions; words that mean the same share one.
#[derive(Debug)]
pub(crate) struct Bag {
    id: EmbedderId,
}

const DIMS: usize = 128;

/// Words that mean the same.
const SAME: [&[&str]; 3] =
    [&["database", "postgres", "sql"], &["bicycle", "bike", "cycling"], &["datenbank", "speicher"]];

impl Bag {
    pub(crate) fn named(name: &str) -> Arc<dyn Embedder> {
        Arc::new(Self { id: EmbedderId::new(name) })
    }
}

impl Embedder for Bag {
    fn id(&self) -> &EmbedderId {
        &self.id
    }

    fn dims(&self) -> usize {
        DIMS
    }

    fn embed(&self, text: &str, max_tokens: usize) -> Result<Vector, EmbedError> {
        let mut sums = [0.0_f32; DIMS];
        for word in
            text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(max_tokens)
        {
            let word = word.to_lowercase();
            let meaning =
                SAME.iter().find(|same| same.contains(&word.as_str())).map_or(word.as_str(), |same| same[0]);
            let hash = meaning.bytes().fold(7_usize, |hash, byte| hash.wrapping_mul(31) ^ usize::from(byte));
            sums[hash % DIMS] += 1.0;
        }
        Ok(Vector::quantise(self.id.clone(), &sums))
    }
}

/// A log with what belongs to it.
pub(crate) struct Memory {
    log: Log,
    places: custos_recall::Places,
    directory: TempDir,
}

impl Memory {
    pub(crate) fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let below = |name: &str| directory.path().join(name);
        let places = Places { log: below("log"), backups: below("backups"), state: below("state") };
        let writer: WriterId = "tester".parse().unwrap();
        let limits = Limits { sync: false, ..Limits::default() };
        let log = Log::new(places.clone(), Surroundings::system(), limits, writer);
        let places = custos_recall::Places { state: places.state, log: places.log };
        Self { log, places, directory }
    }

    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    /// The file of the index.
    pub(crate) fn index(&self) -> std::path::PathBuf {
        self.places.state.join(format!("index-{}.db", custos_index::SCHEMA))
    }

    pub(crate) fn path(&self) -> &std::path::Path {
        self.directory.path()
    }

    pub(crate) fn append(&self, draft: Draft) -> EventId {
        self.log.append(draft, Origin::Cli).unwrap().id
    }

    /// Makes the vectors of drafts, as the worker would.
    pub(crate) fn embed(&self, embedder: &Arc<dyn Embedder>, drafts: &[Draft]) {
        let mut pen = Pen::open(&self.places.state, embedder.id(), embedder.dims()).unwrap();
        let rows: Vec<_> = drafts
            .iter()
            .flat_map(|draft| {
                let tag = ScopeTag::of(draft.project.as_deref());
                pieces(draft.kind, &draft.body).into_iter().map(move |text| (text, tag))
            })
            .map(|(text, tag)| (PieceId::of(&text), tag, embedder.embed(&text, 128).unwrap()))
            .collect();
        pen.append(&rows).unwrap();
    }

    /// Opens it with an embedder, up to date.
    pub(crate) fn open(&self, embedder: Option<Arc<dyn Embedder>>) -> Store {
        let mut store = Store::open(&self.places, User::Worker, embedder, Policy::DEFAULT).unwrap();
        store.catch_up(None).unwrap();
        store
    }

    /// Opens it as it is, whatever the log has more.
    pub(crate) fn open_as_it_is(&self) -> Store {
        Store::open(&self.places, User::Worker, None, Policy::DEFAULT).unwrap()
    }

    /// Appends drafts with their vectors, and opens it.
    pub(crate) fn with(drafts: &[Draft]) -> (Self, Store, Vec<EventId>) {
        let memory = Self::new();
        let ids = drafts.iter().map(|draft| memory.append(draft.clone())).collect();
        let embedder = Bag::named("bag.1");
        memory.embed(&embedder, drafts);
        let store = memory.open(Some(embedder));
        (memory, store, ids)
    }
}

/// Makes an observation of project `p`, so many minutes before now.
pub(crate) fn observation(minutes: i64, narrative: &str) -> Draft {
    with_body(minutes, json!({ "type": "discovery", "narrative": narrative }))
}

pub(crate) fn with_body(minutes: i64, body: Value) -> Draft {
    let Value::Object(body) = body else { panic!("a body is an object") };
    draft(Kind::ObservationRecorded, minutes, body)
}

pub(crate) fn draft(kind: Kind, minutes: i64, body: Map<String, Value>) -> Draft {
    let mut draft = Draft::new(kind, Scope::Project, body);
    draft.project = Some("p".to_owned());
    draft.ts = Some(now().minus_millis(minutes * 60_000));
    draft
}

/// Asks as the owner, in the server.
pub(crate) fn ask(text: &str) -> Ask<'_> {
    Ask::new(text, Viewer::owner(), now(), Depth::Server)
}

/// Gives the beginnings of what was found, in order.
pub(crate) fn texts(answer: &Answer) -> Vec<&str> {
    answer.found.iter().map(|found| found.entry.excerpt.as_str()).collect()
}

/// Is what an agent of the project meets that has just begun.
pub(crate) fn scene() -> Scene<'static> {
    Scene {
        viewer: Viewer::agent(None, None, None, Some("asking"), Some("p")),
        session: Some("asking"),
        project: Some("p"),
        branch: None,
        now: now(),
        ceiling: Ceiling { tokens: 1500, characters: 10_000, taken_tokens: 0, taken_characters: 0 },
        seen: &[],
        before: None,
        safety: None,
    }
}
