//! The files of a shelf: how wide a row is in each, and what is mapped of them.
//!
//! There are as many rows as the shortest file holds whole. Names are mapped first and written last: by the time that a name
//! is seen, the rest of its row is there.

use std::path::PathBuf;

use custos_embed::{EmbedderId, Rows, inverse_length, is_sketch_of};
use custos_model::piece::PieceId;

use crate::error::VectorsError;
use crate::mapped::Mapped;
use crate::scope::ScopeTag;
use crate::shelf::Shelf;

/// The bytes of a name.
pub(crate) const NAME: usize = 16;

/// The bytes of a scope's mark.
const SCOPE: usize = 8;

/// The bytes of an inverse length.
const LENGTH: usize = 4;

/// The dimensions of which a word of a sketch keeps the signs.
const SIGNS: usize = 64;

/// A file with one field of each row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Names,
    Scopes,
    Components,
    Lengths,
    Sketches,
}

impl Section {
    /// All of them, in the order in which they are written: a row is there when its name is.
    pub(crate) const ALL: [Self; 5] =
        [Self::Components, Self::Lengths, Self::Sketches, Self::Scopes, Self::Names];

    /// Says how many bytes a row has in it.
    pub(crate) const fn width(self, dims: usize) -> usize {
        match self {
            Self::Names => NAME,
            Self::Scopes => SCOPE,
            Self::Components => dims,
            Self::Lengths => LENGTH,
            Self::Sketches => dims.div_ceil(SIGNS) * 8,
        }
    }

    pub(crate) fn path(self, shelf: &Shelf) -> PathBuf {
        shelf.dir.join(match self {
            Self::Names => "names",
            Self::Scopes => "scopes",
            Self::Components => "components",
            Self::Lengths => "lengths",
            Self::Sketches => "sketches",
        })
    }
}

/// The rows of a shelf, as they were when they were mapped.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    dims: usize,
    count: usize,
    names: Mapped,
    scopes: Mapped,
    components: Mapped,
    lengths: Mapped,
    sketches: Mapped,
}

impl Sections {
    /// Maps what a shelf has; nothing where it has none.
    pub(crate) fn open(shelf: &Shelf) -> Result<Self, VectorsError> {
        if shelf.mark.is_none() {
            return Ok(Self { dims: shelf.dims, ..Self::default() });
        }
        let open = |section: Section| {
            let path = section.path(shelf);
            Mapped::open(&path).map_err(VectorsError::io("open", &path))
        };
        let mut sections = Self {
            dims: shelf.dims,
            count: 0,
            names: open(Section::Names)?,
            scopes: open(Section::Scopes)?,
            components: open(Section::Components)?,
            lengths: open(Section::Lengths)?,
            sketches: open(Section::Sketches)?,
        };
        let whole = Section::ALL.map(|section| sections.bytes(section).len() / section.width(shelf.dims));
        sections.count = whole.into_iter().min().unwrap_or(0);
        Ok(sections)
    }

    /// Says how many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Gives all bytes of a section, those of no whole row included.
    pub(crate) fn bytes(&self, section: Section) -> &[u8] {
        match section {
            Section::Names => &self.names,
            Section::Scopes => &self.scopes,
            Section::Components => &self.components,
            Section::Lengths => &self.lengths,
            Section::Sketches => &self.sketches,
        }
    }

    /// Gives the name of a row; none for one that was forgotten.
    pub(crate) fn name(&self, row: usize) -> Option<PieceId> {
        let name = *self.names.as_chunks::<NAME>().0.get(row).filter(|_| row < self.count)?;
        (name != [0; NAME]).then(|| PieceId::from_bytes(name))
    }

    /// Gives the marks of all rows.
    pub(crate) fn scopes(&self) -> &[[u8; SCOPE]] {
        &self.scopes.as_chunks().0[..self.count]
    }

    /// Gives the mark of a row.
    pub(crate) fn scope(&self, row: usize) -> ScopeTag {
        ScopeTag::from_bytes(self.scopes().get(row).copied().unwrap_or_default())
    }

    pub(crate) fn components(&self, row: usize) -> &[u8] {
        &self.components[row * self.dims..][..self.dims]
    }

    pub(crate) fn inverse_length(&self, row: usize) -> f32 {
        f32::from_le_bytes(self.lengths.as_chunks().0[row])
    }

    /// Sees all rows as the search among rows that follow each other takes them.
    pub(crate) fn rows<'a>(&'a self, embedder: &'a EmbedderId) -> Option<Rows<'a>> {
        let whole = |section: Section| &self.bytes(section)[..self.count * section.width(self.dims)];
        let (lengths, sketches) = (whole(Section::Lengths), whole(Section::Sketches));
        Rows::new(embedder, self.dims, whole(Section::Components), lengths, sketches)
    }

    /// Says whether the vector of a row is one that was written: its length and its sketch follow from its components.
    ///
    /// What a power cut, a bad disk or a stranger left there does not agree; a component that lost its sign has the same length, and
    /// another sketch. Zeros have no direction, and are none either.
    pub(crate) fn is_sound(&self, row: usize) -> bool {
        let components = self.components(row);
        let expected = inverse_length(components);
        expected > 0.0
            && expected.to_bits() == self.inverse_length(row).to_bits()
            && is_sketch_of(self.sketch(row), components)
    }

    fn sketch(&self, row: usize) -> &[[u8; 8]] {
        let words = self.dims.div_ceil(SIGNS);
        self.sketches.as_chunks().0.get(row * words..(row + 1) * words).unwrap_or_default()
    }
}
