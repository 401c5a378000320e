//! A memory for an evaluation: a log, an index and vectors in a temporary directory, gone at the end.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use custos_embed::{Embedder, Vector};
use custos_index::User;
use custos_log::append::{Places, Surroundings};
use custos_log::{Limits, Log, WriterId};
use custos_model::piece::PieceId;
use custos_model::{Draft, EventId, Origin};
use custos_recall::{Policy, Store};
use custos_vectors::{Pen, ScopeTag};
use tempfile::TempDir;

use crate::error::CliError;
use crate::exit::Exit;
use crate::progress::{Progress, Unit};

/// How many events go to the log in one write, and how many vectors to their files.
const EVENTS: usize = 1000;
const VECTORS: usize = 16_384;

/// How many tokens of a document are embedded; as many as by the worker.
const DOCUMENT_TOKENS: usize = 128;

/// A memory that nobody else knows of.
pub(super) struct Scratch {
    log: Log,
    places: custos_recall::Places,
    embedder: Arc<dyn Embedder>,
    _directory: TempDir,
}

/// A text that gets a vector, and the project that it belongs to.
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) project: String,
}

impl Scratch {
    pub(super) fn new() -> Result<Self, CliError> {
        let directory = TempDir::with_prefix("custos-eval-").map_err(|error| {
            CliError::new(Exit::Io, format!("cannot make a temporary directory: {error}"))
        })?;
        let below = |name: &str| -> PathBuf { directory.path().join(name) };
        let places = Places { log: below("log"), backups: below("backups"), state: below("state") };
        let writer: WriterId = "eval"
            .parse()
            .map_err(|error: custos_log::NotAWriter| CliError::new(Exit::Internal, error.to_string()))?;
        let limits = Limits { sync: false, ..Limits::default() };
        let log = Log::new(places.clone(), Surroundings::system(), limits, writer);
        let places = custos_recall::Places { state: places.state, log: places.log };
        Ok(Self { log, places, embedder: embedder()?, _directory: directory })
    }

    /// Appends events, and gives their ids in the same order.
    pub(super) fn append(
        &self,
        drafts: impl ExactSizeIterator<Item = Draft>,
    ) -> Result<Vec<EventId>, CliError> {
        let mut progress = Progress::new("writing the log", Some(drafts.len() as u64), Unit::Lines);
        let mut ids = Vec::with_capacity(drafts.len());
        let mut drafts = drafts.peekable();
        while drafts.peek().is_some() {
            let batch: Vec<Draft> = drafts.by_ref().take(EVENTS).collect();
            ids.extend(self.log.append_all(batch, Origin::Cli)?.into_iter().map(|appended| appended.id));
            progress.at(ids.len() as u64);
        }
        Ok(ids)
    }

    /// Embeds texts, on as many threads as there are cores, and keeps their vectors.
    pub(super) fn embed(&self, pieces: Vec<Piece>) -> Result<(), CliError> {
        let mut known = HashSet::new();
        let mut wanted: Vec<(PieceId, ScopeTag, String)> = pieces
            .into_iter()
            .map(|piece| (PieceId::of(&piece.text), ScopeTag::of(Some(&piece.project)), piece.text))
            .collect();
        wanted.retain(|(piece, tag, _)| known.insert((*piece, *tag)));
        let mut progress = Progress::new("embedding", Some(wanted.len() as u64), Unit::Lines);
        let next = AtomicUsize::new(0);
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let (mut pen, mut batch) = (self.pen()?, Batch::default());
        let mut done = 0;
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..threads {
                let (sender, next, wanted) = (sender.clone(), &next, &wanted);
                scope.spawn(move || {
                    while let Some((piece, tag, text)) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let vector = self.embedder.embed(text, DOCUMENT_TOKENS);
                        // Nobody listens any more: something failed.
                        if sender.send(vector.map(|vector| (*piece, *tag, vector))).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            for row in receiver {
                batch.add(&mut pen, row.map_err(|error| CliError::new(Exit::Io, error.to_string()))?)?;
                done += 1;
                progress.at(done);
            }
            batch.write(&mut pen)
        })
    }

    /// Opens what vectors are kept with.
    pub(super) fn pen(&self) -> Result<Pen, CliError> {
        Pen::open(&self.places.state, self.embedder.id(), self.embedder.dims()).map_err(unkept)
    }

    /// Opens the memory as the server has it, with everything read.
    pub(super) fn open(&self) -> Result<Store, CliError> {
        let embedder = Some(Arc::clone(&self.embedder));
        let mut store = Store::open(&self.places, User::Worker, embedder, Policy::DEFAULT)?;
        let mut progress = Progress::new("indexing", None, Unit::Lines);
        let log = store.log().clone();
        store.index().rebuild(&log, &mut |at| progress.at(at.events))?;
        store.catch_up(None)?;
        Ok(store)
    }

    /// Gives the embedder.
    pub(super) fn embedder(&self) -> &Arc<dyn Embedder> {
        &self.embedder
    }
}

/// Vectors on their way to their files: each write waits for the disk, so they go together.
#[derive(Default)]
pub(super) struct Batch(Vec<(PieceId, ScopeTag, Vector)>);

impl Batch {
    /// Adds one, and writes all when there are many.
    pub(super) fn add(&mut self, pen: &mut Pen, row: (PieceId, ScopeTag, Vector)) -> Result<(), CliError> {
        self.0.push(row);
        if self.0.len() < VECTORS { Ok(()) } else { self.write(pen) }
    }

    /// Writes what there is.
    pub(super) fn write(&mut self, pen: &mut Pen) -> Result<(), CliError> {
        pen.append(&self.0).map_err(unkept)?;
        self.0.clear();
        Ok(())
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it maps an error")]
fn unkept(error: custos_vectors::VectorsError) -> CliError {
    CliError::new(Exit::Io, error.to_string()).hint("check the room on the disk of the temporary directory")
}

#[cfg(feature = "minilm")]
#[expect(clippy::unnecessary_wraps, reason = "a build without the model has none")]
fn embedder() -> Result<Arc<dyn Embedder>, CliError> {
    Ok(Arc::new(custos_embed::MiniLm::new()))
}

#[cfg(not(feature = "minilm"))]
fn embedder() -> Result<Arc<dyn Embedder>, CliError> {
    Err(CliError::new(Exit::Usage, "this build has no embedder").hint("build it with the feature `minilm`"))
}
