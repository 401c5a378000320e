//! Reading: the vector of a text, and the texts that are nearest to a query.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use custos_embed::{Direction, EmbedderId, Hit, Vector};
use custos_model::piece::PieceId;

use crate::error::VectorsError;
use crate::mapped::Mapped;
use crate::scope::ScopeTag;
use crate::sections::{Section, Sections};
use crate::shelf::Shelf;
use crate::slots::{Entry, Slots};

/// The rows that are compared in full; of more, the sketches are compared first.
const IN_FULL: usize = 50_000;

/// How many rows get past their sketches: so many for each that is wanted, and at least as many as `FEWEST_SIFTED`.
const SIFTED: usize = 8;
const FEWEST_SIFTED: usize = 2_000;

/// The vectors of one embedder, as they were when they were opened.
#[derive(Debug)]
pub struct Vectors {
    pub(crate) shelf: Shelf,
    state: PathBuf,
    pub(crate) sections: Sections,
    slots: Mapped,
}

impl Vectors {
    /// Opens the vectors of an embedder below a state directory; where there are none, it is empty.
    pub fn open(state: &Path, embedder: &EmbedderId, dims: usize) -> Result<Self, VectorsError> {
        let shelf = Shelf::of(state, embedder, dims)?;
        let sections = Sections::open(&shelf)?;
        let path = slots_path(&shelf);
        let slots = if shelf.mark.is_some() {
            Mapped::open(&path).map_err(VectorsError::io("open", &path))?
        } else {
            Mapped::default()
        };
        Ok(Self { shelf, state: state.to_owned(), sections, slots })
    }

    /// Opens them again if there are others by now, and says whether there are.
    pub fn renew(&mut self) -> Result<bool, VectorsError> {
        let names = Section::Names.path(&self.shelf);
        let len = std::fs::symlink_metadata(&names).map_or(0, |metadata| metadata.len());
        if len == self.sections.bytes(Section::Names).len() as u64 {
            return Ok(false);
        }
        *self = Self::open(&self.state, &self.shelf.embedder, self.shelf.dims)?;
        Ok(true)
    }

    /// Names the embedder whose vectors these are.
    pub fn embedder(&self) -> &EmbedderId {
        &self.shelf.embedder
    }

    /// Says how many rows there are, those included that were forgotten.
    pub fn len(&self) -> usize {
        self.sections.len()
    }

    /// Says whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Gives the vector of a text; none where there is none.
    pub fn vector(&self, piece: PieceId) -> Option<Vector> {
        let row = self.find(Entry { name: piece, scope: None })?;
        Some(Vector::from_bytes(self.shelf.embedder.clone(), self.sections.components(row)))
    }

    /// Gives the cosine of the angle between a query and the vector of a text; none where there is no such vector.
    pub fn similarity(&self, query: &Vector, piece: PieceId) -> Option<f32> {
        let query = self.query(query)?;
        let row = self.find(Entry { name: piece, scope: None })?;
        Some(self.compare(&query, row))
    }

    /// Gives the cosines for many texts, in their order.
    pub fn similarities(&self, query: &Vector, pieces: &[PieceId]) -> Vec<Option<f32>> {
        let Some(query) = self.query(query) else { return vec![None; pieces.len()] };
        // What was embedded together stands together: the next piece is mostly in the next row, and need not be looked up.
        let mut next = 0;
        let similarity = |&piece: &PieceId| {
            let entry = Entry { name: piece, scope: None };
            let row = if self.is_row_of(next, entry) { next } else { self.find(entry)? };
            next = row + 1;
            Some(self.compare(&query, row))
        };
        pieces.iter().map(similarity).collect()
    }

    /// Finds the `count` texts that are nearest to a query, the nearest first, in some scopes or in all.
    ///
    /// Exact up to 50,000 rows in these scopes. Of more, the sketches decide which are looked at, so that one among the last
    /// of those wanted may be missed.
    pub fn nearest(&self, query: &Vector, scopes: Option<&[ScopeTag]>, count: usize) -> Vec<(PieceId, f32)> {
        match scopes {
            // What was forgotten has no scope.
            None => self.nearest_where(query, |scope| scope != 0, count),
            Some([one]) => {
                let one = one.number();
                self.nearest_where(query, |scope| scope == one, count)
            }
            // A project, and what belongs to none: what is asked most often.
            Some([one, other]) => {
                let (one, other) = (one.number(), other.number());
                self.nearest_where(query, |scope| scope == one || scope == other, count)
            }
            Some(several) => {
                let mut several: Vec<u64> = several.iter().map(|scope| scope.number()).collect();
                several.sort_unstable();
                self.nearest_where(query, |scope| several.binary_search(&scope).is_ok(), count)
            }
        }
    }

    fn nearest_where(
        &self,
        query: &Vector,
        is_wanted: impl Fn(u64) -> bool,
        count: usize,
    ) -> Vec<(PieceId, f32)> {
        let Some(rows) = self.sections.rows(&self.shelf.embedder) else { return Vec::new() };
        let scopes = self.sections.scopes();
        let is_wanted = |row: usize| is_wanted(u64::from_le_bytes(scopes[row]));
        let mut wanted = count;
        loop {
            let sifted = wanted.saturating_mul(SIFTED).max(FEWEST_SIFTED);
            let few = IN_FULL.max(sifted);
            // Counted no further than it matters: of millions, the marks alone are many megabytes.
            let there = (0..scopes.len()).filter(|row| is_wanted(*row)).take(few + 1).count();
            let nearest = if there <= few {
                rows.nearest(query, wanted, is_wanted)
            } else {
                rows.nearest_by_sketch(query, wanted, sifted, is_wanted)
            };
            // Another embedder's question has no answer here.
            let Ok(hits) = nearest else { return Vec::new() };
            let mut named = self.named(&hits);
            // The same text of several projects is one answer, and what is damaged is none: then more rows are needed.
            if named.len() >= count || wanted >= there {
                named.truncate(count);
                return named;
            }
            wanted = wanted.saturating_mul(2);
        }
    }

    /// Gives the names of rows, each once, without those that are forgotten or unsound.
    fn named(&self, hits: &[Hit]) -> Vec<(PieceId, f32)> {
        let mut known = HashSet::new();
        let named = hits.iter().filter_map(|hit| {
            let name = self.sections.name(hit.row).filter(|_| self.sections.is_sound(hit.row))?;
            known.insert(name).then_some((name, hit.similarity))
        });
        named.collect()
    }

    /// Says whether there is a sound vector of a text in a scope.
    pub(crate) fn has(&self, piece: PieceId, scope: ScopeTag) -> bool {
        self.find(Entry { name: piece, scope: Some(scope) }).is_some()
    }

    pub(crate) fn slots(&self) -> Slots<'_> {
        Slots::of(&self.slots)
    }

    fn find(&self, entry: Entry) -> Option<usize> {
        self.slots().find(entry, |row| self.is_row_of(row, entry))
    }

    /// Says whether a row, which need not be there, is that of a text and sound.
    fn is_row_of(&self, row: usize, entry: Entry) -> bool {
        self.sections.name(row) == Some(entry.name)
            && entry.scope.is_none_or(|scope| self.sections.scope(row) == scope)
            && self.sections.is_sound(row)
    }

    fn compare(&self, query: &Direction, row: usize) -> f32 {
        query.similarity(self.sections.components(row), self.sections.inverse_length(row))
    }

    /// Makes a query ready, unless it is another embedder's.
    fn query(&self, query: &Vector) -> Option<Direction> {
        let is_ours = *query.embedder() == self.shelf.embedder && query.dims() == self.shelf.dims;
        is_ours.then(|| Direction::of(query.as_bytes()))
    }
}

pub(crate) fn slots_path(shelf: &Shelf) -> PathBuf {
    shelf.dir.join("slots")
}
