//! Vectors of what was learnt, made when nothing else waits.
//!
//! The index lists the texts that may lack vectors, the newest first; their words are in the log. A vector is kept under the hash of
//! its text, so what an index that was made anew lists again is only looked up, and a text that several projects share is embedded
//! once. As soon as something new is in the log, it goes before.
//!
//! An embedder that fails is left alone for the rest of the run: nothing is lost, for the list stays, and searching goes by words
//! meanwhile. A single text that it does not take is taken off the list, but only if it takes others: who declines or garbles everything is
//! broken itself, however few texts it was asked for. So a text is blamed when it was refused before and after another one was taken.
//!
//! What is forgotten loses its vectors with the command that forgets. But a command can die, what another machine forgets arrives with
//! its log, and a file of the knowledge base says something else without telling anybody; so when more is forgotten than there was at the
//! last look, or the index knows of orphans, every vector is held against the index once.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::path::Path;
use std::sync::{Arc, mpsc};

use custos_embed::{EmbedError, Embedder, Vector};
use custos_index::{Index, Key, ToEmbed};
use custos_model::{Event, Kind, PieceId, piece};
use custos_recall::knowledge;
use custos_vectors::{Pen, ScopeTag};
use serde_json::{Map, Value};

use crate::error::WorkerError;
use crate::evidence;
use crate::run::{LOOK, Worker, end_of};
use crate::surroundings::Progress;

/// How many texts are taken from the list at once, and how many pieces are given to the embedder at once.
const TEXTS: usize = 32;
const PIECES: usize = 32;

/// How much of a piece is read. It says what a text is about; what it says further on is in pieces of its own.
const TOKENS: usize = 128;

/// How many texts in a row may be refused before the embedder is suspected.
const REFUSALS: usize = 3;

/// A text that every embedder takes.
const ANY: &str = "memory";

/// How many vectors are held against the index at once.
const SWEPT: usize = 4_096;

/// Where the worker is with its vectors.
#[derive(Default)]
pub(crate) struct Embedding {
    open: Option<(Arc<dyn Embedder>, Pen)>,
    /// Nothing more is to be embedded in this run.
    is_over: bool,
    /// It was looked for vectors that nobody knows.
    is_swept: bool,
}

/// A piece that lacks a vector.
struct Lacking {
    piece: PieceId,
    scope: ScopeTag,
    text: String,
}

/// Why a batch was not embedded.
enum Stopped {
    /// Somebody asked us to end.
    Asked,
    Failed(EmbedError),
}

impl Worker<'_> {
    /// Makes the vectors that are missing, until none is, or something else is to be done; says whether that is so.
    pub(crate) fn embed(&mut self) -> Result<bool, WorkerError> {
        if self.embedding.is_over {
            return Ok(false);
        }
        match self.try_to_embed() {
            // What is wrong with a text or with the vectors is no reason to leave other work undone.
            Err(error @ (WorkerError::Vectors(_) | WorkerError::Log(_))) => {
                self.give_up_embedding(&error.to_string());
                Ok(false)
            }
            done => done,
        }
    }

    fn try_to_embed(&mut self) -> Result<bool, WorkerError> {
        self.sweep()?;
        let Some(open) = &self.around.embedder else { return Ok(false) };
        // An embedder takes longer to open than all that a worker does with an empty log.
        if !self.index.has_texts()? {
            return Ok(false);
        }
        let (embedder, mut pen) = match self.embedding.open.take() {
            Some(opened) => opened,
            None => match open() {
                Ok(embedder) => {
                    let pen = Pen::open(&self.around.log.places().state, embedder.id(), embedder.dims())?;
                    self.index.embed_with(&pen.stamp())?;
                    (embedder, pen)
                }
                Err(error) => {
                    self.blame_embedder(&error);
                    return Ok(false);
                }
            },
        };
        let is_interrupted = self.embed_with(&embedder, &mut pen)?;
        self.embedding.open = Some((embedder, pen));
        Ok(is_interrupted)
    }

    fn embed_with(&mut self, embedder: &Arc<dyn Embedder>, pen: &mut Pen) -> Result<bool, WorkerError> {
        let before = self.report.vectors;
        loop {
            if self.around.stop.is_asked() || end_of(&self.around.log) != self.seen {
                return Ok(true);
            }
            let texts = self.index.unembedded(TEXTS)?;
            if texts.is_empty() {
                break;
            }
            let stopped = self.embed_texts(embedder, pen, &texts)?;
            self.take_out_forgotten(&texts)?;
            match stopped {
                None => self.index.embedded(&texts.iter().map(|text| text.key).collect::<Vec<_>>())?,
                Some(Stopped::Asked) => return Ok(true),
                Some(Stopped::Failed(error)) => {
                    self.blame_embedder(&error);
                    return Ok(false);
                }
            }
        }
        let made = self.report.vectors - before;
        if made > 0 {
            self.note(&format!("vectors {made}, by {}", embedder.id()));
        }
        // Those of another embedder served until there were others.
        let state = &self.around.log.places().state;
        let removed = custos_vectors::remove_others(state, embedder.id(), embedder.dims())?;
        if removed > 0 {
            self.note(&format!("removed the vectors of {removed} other embedders"));
        }
        Ok(false)
    }

    /// Makes the vectors that some texts lack; says why not all, if that is so.
    fn embed_texts(
        &mut self,
        embedder: &Arc<dyn Embedder>,
        pen: &mut Pen,
        texts: &[ToEmbed],
    ) -> Result<Option<Stopped>, WorkerError> {
        let lacking = self.lacking(texts, pen)?;
        for batch in lacking.chunks(PIECES) {
            (self.around.progress)(Progress::Embedded(self.report.vectors));
            match self.embed_batch(embedder, batch) {
                Ok(rows) => self.report.vectors += pen.append(&rows)? as u64,
                Err(stopped) => return Ok(Some(stopped)),
            }
        }
        Ok(None)
    }

    /// Finds the pieces of some texts that have no vector, with their words.
    fn lacking(&mut self, texts: &[ToEmbed], pen: &mut Pen) -> Result<Vec<Lacking>, WorkerError> {
        let (mut lacking, mut shared) = (Vec::new(), Vec::new());
        let mut seen = HashSet::new();
        for text in texts {
            let scope = ScopeTag::of(text.project.as_deref());
            let mut missing = text.pieces.clone();
            missing.retain(|piece| !pen.has(*piece, scope) && seen.insert((*piece, scope)));
            // What another project says in the same words.
            missing.retain(|piece| match pen.vectors().vector(*piece) {
                Some(vector) => {
                    shared.push((*piece, scope, vector));
                    false
                }
                None => true,
            });
            if missing.is_empty() {
                continue;
            }
            let mut words: HashMap<PieceId, String> =
                self.words(text)?.into_iter().map(|words| (PieceId::of(&words), words)).collect();
            let found = missing.into_iter().filter_map(|piece| Some((piece, words.remove(&piece)?)));
            lacking.extend(found.map(|(piece, text)| Lacking { piece, scope, text }));
        }
        if !shared.is_empty() {
            pen.append(&shared)?;
        }
        Ok(lacking)
    }

    /// Reads the words of a text's pieces; none where they were forgotten, or are not on this machine.
    fn words(&mut self, text: &ToEmbed) -> Result<Vec<String>, WorkerError> {
        if matches!(text.kind, Kind::KnowledgeSaved | Kind::KnowledgeUpdated) {
            return Ok(self.index.piece_texts(text.key)?);
        }
        let Some(place) = self.index.locate(text.id)? else { return Ok(Vec::new()) };
        let Some(line) = evidence::line(&self.reader, &place.writer, place.at)? else {
            return Ok(Vec::new());
        };
        let event: Option<Event<'_>> = serde_json::from_slice(&line).ok();
        let event = event.filter(|event| event.id == text.id);
        let body = event.and_then(|event| {
            let body: Map<String, Value> = serde_json::from_str(event.body.get()).ok()?;
            Some(piece::pieces(event.kind, &body))
        });
        Ok(body.unwrap_or_default())
    }

    /// Embeds a few pieces. If they are refused together, each is tried by itself, and those that are refused again, although the embedder
    /// takes others, have no vector.
    fn embed_batch(
        &self,
        embedder: &Arc<dyn Embedder>,
        batch: &[Lacking],
    ) -> Result<Vec<(PieceId, ScopeTag, Vector)>, Stopped> {
        let row = |(lacking, vector): (&Lacking, Vector)| (lacking.piece, lacking.scope, vector);
        let texts: Vec<&str> = batch.iter().map(|lacking| lacking.text.as_str()).collect();
        match self.ask_embedder(embedder, &texts) {
            Ok(vectors) => return Ok(batch.iter().zip(vectors).map(row).collect()),
            Err(Stopped::Failed(EmbedError::Refused(_))) => {}
            Err(stopped) => return Err(stopped),
        }
        let (mut rows, mut refused) = (Vec::new(), Vec::new());
        let mut in_a_row = 0;
        for lacking in batch {
            match self.ask_embedder(embedder, &[&lacking.text]) {
                Ok(vectors) => {
                    rows.extend([lacking].into_iter().zip(vectors).map(row));
                    in_a_row = 0;
                }
                Err(Stopped::Failed(EmbedError::Refused(_))) => {
                    refused.push(lacking);
                    in_a_row += 1;
                    if in_a_row == REFUSALS {
                        self.ask_embedder(embedder, &[ANY])?;
                    }
                }
                Err(stopped) => return Err(stopped),
            }
        }
        if rows.is_empty() && in_a_row < REFUSALS {
            self.ask_embedder(embedder, &[ANY])?;
        }
        for lacking in refused {
            match self.ask_embedder(embedder, &[&lacking.text]) {
                Ok(vectors) => rows.extend([lacking].into_iter().zip(vectors).map(row)),
                Err(Stopped::Failed(EmbedError::Refused(why))) => {
                    self.note(&format!("a text has no vector: {why}"));
                }
                Err(stopped) => return Err(stopped),
            }
        }
        Ok(rows)
    }

    /// Asks the embedder, but waits for it no longer than until somebody asks us to end.
    fn ask_embedder(&self, embedder: &Arc<dyn Embedder>, texts: &[&str]) -> Result<Vec<Vector>, Stopped> {
        let (answers, answer) = mpsc::channel();
        let embedder = Arc::clone(embedder);
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let wanted = texts.len();
        std::thread::spawn(move || {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            // Nobody may wait for it any more.
            let _ = answers.send(embedder.embed_all(&texts, TOKENS));
        });
        loop {
            let stopped = match answer.recv_timeout(LOOK) {
                Ok(Ok(vectors)) if vectors.len() == wanted => return Ok(vectors),
                Ok(Ok(_)) => Stopped::Failed(EmbedError::Refused("it gave fewer vectors than texts".into())),
                Ok(Err(error)) => Stopped::Failed(error),
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    Stopped::Failed(EmbedError::Unavailable("it ended without an answer".into()))
                }
                Err(mpsc::RecvTimeoutError::Timeout) if self.around.stop.is_asked() => Stopped::Asked,
                Err(mpsc::RecvTimeoutError::Timeout) => continue,
            };
            return Err(stopped);
        }
    }

    /// Takes the vectors out that texts got after they were forgotten.
    fn take_out_forgotten(&mut self, texts: &[ToEmbed]) -> Result<(), WorkerError> {
        let keys: Vec<Key> = texts.iter().map(|text| text.key).collect();
        let left = self.index.pieces_of(&keys)?;
        let gone = texts.iter().zip(&left).filter(|(_, left)| left.is_empty());
        let gone: Vec<PieceId> = gone.flat_map(|(text, _)| text.pieces.iter().copied()).collect();
        forget_unknown(&self.around.log.places().state, &mut self.index, &gone)?;
        Ok(())
    }

    /// Looks once for stores of knowledge that are gone, and for vectors of what is no longer there.
    fn sweep(&mut self) -> Result<(), WorkerError> {
        if !self.embedding.is_swept {
            knowledge::drop_lost_stores(&mut self.index)?;
            let stop = &self.around.stop;
            let removed = sweep(&self.around.log.places().state, &mut self.index, &|| stop.is_asked())?;
            self.embedding.is_swept = true;
            if removed > 0 {
                self.note(&format!("removed {removed} vectors of what is no longer there"));
            }
        }
        Ok(())
    }

    fn blame_embedder(&mut self, error: &EmbedError) {
        let why = error.source().map_or_else(String::new, |source| format!(": {source}"));
        self.give_up_embedding(&format!("{error}{why}"));
    }

    /// Leaves what is to be embedded to the next worker, and says why.
    fn give_up_embedding(&mut self, why: &str) {
        self.embedding.is_over = true;
        let words = format!("vectors wait for the next worker, because {why}");
        self.note(&words);
        (self.around.trouble)(&words);
    }
}

/// Takes the vectors out that belong to no text, if something has gone since it was last looked for them; says how many.
///
/// The index must have caught up. Somebody who is asked to end leaves it to the next.
pub fn sweep(state: &Path, index: &mut Index, is_asked: &dyn Fn() -> bool) -> Result<usize, WorkerError> {
    if custos_vectors::stored(state)?.is_empty() {
        return Ok(0);
    }
    let tables = index.status()?.tables;
    let forgotten = tables.iter().find(|(name, _)| *name == "forgotten").map_or(0, |(_, count)| *count);
    let orphaned = index.orphaned()?;
    if orphaned == 0 && forgotten == custos_vectors::forgotten_when_swept(state) {
        return Ok(0);
    }
    let mut removed = 0;
    for pieces in custos_vectors::pieces(state)?.chunks(SWEPT) {
        if is_asked() {
            return Ok(removed);
        }
        removed += forget_unknown(state, index, pieces)?;
    }
    custos_vectors::note_sweep(state, forgotten)?;
    index.adopt(orphaned)?;
    Ok(removed)
}

/// Takes the vectors out of those pieces that no text has; says how many.
fn forget_unknown(state: &Path, index: &mut Index, pieces: &[PieceId]) -> Result<usize, WorkerError> {
    let known = index.with_pieces(pieces)?;
    let unknown = pieces.iter().zip(&known).filter(|(_, keys)| keys.is_empty());
    let unknown: Vec<PieceId> = unknown.map(|(piece, _)| *piece).collect();
    Ok(custos_vectors::forget(state, &unknown)?)
}
