//! Writing: rows at the end, name last, one writer at a time.
//!
//! Nothing is ever cut off: a file that somebody has mapped must not get shorter under their eyes. What a writer that died left
//! behind the last row is written over instead.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use custos_embed::{EmbedderId, Vector, VectorSet};
use custos_log::disk::{Access, Disk, OsDisk};
use custos_model::piece::PieceId;

use crate::error::VectorsError;
use crate::scope::ScopeTag;
use crate::sections::{NAME, Section, Sections};
use crate::shelf::{self, Shelf};
use crate::slots::{self, Additions};
use crate::vectors::{Vectors, slots_path};

/// Writes the vectors of one embedder.
///
/// Several may be open at once: each append is done under a lock and begins with a look at what is there by then.
pub struct Pen {
    disk: Arc<dyn Disk>,
    state: PathBuf,
    vectors: Vectors,
}

impl Pen {
    /// Opens the place of an embedder's vectors below a state directory, and makes it where there is none.
    pub fn open(state: &Path, embedder: &EmbedderId, dims: usize) -> Result<Self, VectorsError> {
        Self::on(Arc::new(OsDisk), state, embedder, dims)
    }

    /// Opens it on a given disk.
    pub fn on(
        disk: Arc<dyn Disk>,
        state: &Path,
        embedder: &EmbedderId,
        dims: usize,
    ) -> Result<Self, VectorsError> {
        // An embedder that cannot be kept leaves no directory.
        Shelf::of(state, embedder, dims)?;
        let _lock = shelf::lock(&*disk, state)?;
        let vectors = prepare(&*disk, state, embedder, dims)?;
        Ok(Self { disk, state: state.to_owned(), vectors })
    }

    /// Names the embedder and the very place where its vectors are.
    ///
    /// It changes when vectors are lost that were there before, so that whoever remembers to have had everything embedded
    /// can tell that this is no longer so.
    pub fn stamp(&self) -> String {
        let shelf = &self.vectors.shelf;
        format!("{} {}", shelf.embedder, shelf.mark.as_deref().unwrap_or_default())
    }

    /// Gives what was written, as it was after the last append of this pen.
    pub fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    /// Says whether there is a vector of a text in a scope.
    pub fn has(&self, piece: PieceId, scope: ScopeTag) -> bool {
        self.vectors.has(piece, scope)
    }

    /// Appends rows, and says how many of them were new.
    ///
    /// When this returns, they survive a power cut. If it fails, some of them may be there.
    pub fn append(&mut self, rows: &[(PieceId, ScopeTag, Vector)]) -> Result<usize, VectorsError> {
        let (embedder, dims) = (self.vectors.shelf.embedder.clone(), self.vectors.shelf.dims);
        let _lock = shelf::lock(&*self.disk, &self.state)?;
        self.vectors = prepare(&*self.disk, &self.state, &embedder, dims)?;
        let mut set = VectorSet::new(embedder.clone(), dims);
        let (mut names, mut scopes) = (Vec::new(), Vec::new());
        let mut known = std::collections::HashSet::new();
        for (piece, scope, vector) in rows {
            if !self.has(*piece, *scope) && known.insert((*piece, *scope)) {
                set.push(vector)?;
                names.extend_from_slice(piece.as_bytes());
                scopes.extend_from_slice(&scope.to_bytes());
            }
        }
        let added = names.len() / NAME;
        let first = self.vectors.len();
        if added == 0 {
            return Ok(0);
        }
        let shelf = &self.vectors.shelf;
        if u32::try_from(first + added).is_err() {
            return Err(VectorsError::Full(shelf.dir.clone()));
        }
        for section in Section::ALL {
            let bytes = match section {
                Section::Components => set.rows().components(),
                Section::Lengths => set.rows().inverse_lengths(),
                Section::Sketches => set.rows().sketches(),
                Section::Scopes => &scopes,
                Section::Names => &names,
            };
            write(&*self.disk, &section.path(shelf), bytes, first * section.width(dims))?;
        }
        enter(&*self.disk, &Vectors::open(&self.state, &embedder, dims)?)?;
        // Opened once more, because the table may be another file by now.
        self.vectors = Vectors::open(&self.state, &embedder, dims)?;
        Ok(added)
    }
}

impl std::fmt::Debug for Pen {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Pen").field("vectors", &self.vectors).finish_non_exhaustive()
    }
}

/// Gets a shelf ready to be written to: it is there, and behind its last row nothing lies that could be taken for one.
fn prepare(
    disk: &dyn Disk,
    state: &Path,
    embedder: &EmbedderId,
    dims: usize,
) -> Result<Vectors, VectorsError> {
    let mut shelf = Shelf::of(state, embedder, dims)?;
    shelf.create(disk)?;
    let sections = Sections::open(&shelf)?;
    let behind = sections.bytes(Section::Names).get(sections.len() * NAME..).unwrap_or_default();
    if behind.iter().any(|&byte| byte != 0) {
        // With whole names among it, another file got shorter, and rows are lost.
        if behind.len() >= NAME {
            shelf.renew_mark(disk)?;
        }
        let zeros = vec![0; behind.len()];
        write(disk, &Section::Names.path(&shelf), &zeros, sections.len() * NAME)?;
    }
    let vectors = Vectors::open(state, embedder, dims)?;
    if vectors.slots().entered() == vectors.len() as u64 {
        return Ok(vectors);
    }
    enter(disk, &vectors)?;
    Vectors::open(state, embedder, dims)
}

/// Enters into the table what is not in it yet.
fn enter(disk: &dyn Disk, vectors: &Vectors) -> Result<(), VectorsError> {
    let (slots, sections, path) = (vectors.slots(), &vectors.sections, slots_path(&vectors.shelf));
    let rows = sections.len();
    let entered = usize::try_from(slots.entered()).unwrap_or(usize::MAX);
    let is_foreign = entered > rows;
    if is_foreign || !slots.holds(rows) || slots.is_better_anew(rows - entered) {
        return shelf::write_anew(disk, &path, &slots::anew(sections));
    }
    let file = disk.open(&path, Access::Edit).map_err(VectorsError::io("open", &path))?;
    for (at, entry) in Additions::to(slots, sections).writes() {
        file.write_all_at(&entry, at).map_err(VectorsError::io("write", &path))?;
    }
    file.write_all_at(&slots::header(rows), 0).map_err(VectorsError::io("write", &path))
}

/// Writes bytes at a place of a file. When this returns, they survive a power cut.
pub(crate) fn write(disk: &dyn Disk, path: &Path, bytes: &[u8], at: usize) -> Result<(), VectorsError> {
    let file = disk.open(path, Access::ReadWrite).map_err(VectorsError::io("open", path))?;
    file.write_all_at(bytes, at as u64).map_err(VectorsError::io("write", path))?;
    file.sync().map_err(VectorsError::io("sync", path))
}
