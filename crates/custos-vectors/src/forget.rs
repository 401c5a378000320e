//! Taking out: rows are overwritten with zeros in place, of every embedder that there is.
//!
//! The name goes last, as it came last: whoever dies in between finds the row again by it. What lies behind the last row may be
//! the half of one, and goes too. The table is written anew without the rows, for its places tell something of their names.

use std::collections::HashSet;
use std::path::Path;

use custos_log::disk::{Disk, OsDisk};
use custos_model::piece::PieceId;

use crate::error::VectorsError;
use crate::mapped::Mapped;
use crate::pen::write;
use crate::sections::{Section, Sections};
use crate::shelf::{self, Shelf};
use crate::slots;

/// Takes the vectors of texts out, those of every embedder, and says how many there were.
///
/// When this returns, no byte of them is left in any file. A directory that nobody can read is removed.
pub fn forget(state: &Path, pieces: &[PieceId]) -> Result<usize, VectorsError> {
    forget_on(&OsDisk, state, pieces)
}

/// Lists the texts that have a vector of any embedder.
pub fn pieces(state: &Path) -> Result<Vec<PieceId>, VectorsError> {
    let mut pieces = Vec::new();
    for stored in shelf::readable(&OsDisk, state)? {
        let sections = Sections::open(&stored)?;
        pieces.extend((0..sections.len()).filter_map(|row| sections.name(row)));
    }
    pieces.sort_unstable();
    pieces.dedup();
    Ok(pieces)
}

/// Gives the number that was noted last; zero where none was.
///
/// Whoever forgets elsewhere, or dies over it, leaves vectors here that nobody knows. The number says how much had been
/// forgotten when somebody last looked for them.
pub fn forgotten_when_swept(state: &Path) -> u64 {
    let read = Mapped::open(&shelf::sweeps(state)).ok();
    read.and_then(|bytes| Some(u64::from_le_bytes(*bytes.first_chunk()?))).unwrap_or(0)
}

/// Notes how much had been forgotten when it was looked for vectors that nobody knows.
pub fn note_sweep(state: &Path, forgotten: u64) -> Result<(), VectorsError> {
    let _lock = shelf::lock(&OsDisk, state)?;
    shelf::write_anew(&OsDisk, &shelf::sweeps(state), &forgotten.to_le_bytes())
}

fn forget_on(disk: &dyn Disk, state: &Path, pieces: &[PieceId]) -> Result<usize, VectorsError> {
    if pieces.is_empty() || shelf::directories(disk, state)?.is_empty() {
        return Ok(0);
    }
    let pieces: HashSet<PieceId> = pieces.iter().copied().collect();
    let _lock = shelf::lock(disk, state)?;
    shelf::remove_unreadable(disk, state)?;
    let mut forgotten = 0;
    for shelf in shelf::readable(disk, state)? {
        forgotten += forget_in(disk, &shelf, &pieces)?;
    }
    Ok(forgotten)
}

fn forget_in(disk: &dyn Disk, shelf: &Shelf, pieces: &HashSet<PieceId>) -> Result<usize, VectorsError> {
    let sections = Sections::open(shelf)?;
    let is_named = |row: &usize| sections.name(*row).is_some_and(|name| pieces.contains(&name));
    let rows: Vec<usize> = (0..sections.len()).filter(is_named).collect();
    for section in Section::ALL {
        let (path, width) = (section.path(shelf), section.width(shelf.dims));
        let behind = sections.bytes(section).len().saturating_sub(sections.len() * width);
        if behind > 0 {
            write(disk, &path, &vec![0; behind], sections.len() * width)?;
        }
        for following in rows.chunk_by(|one, next| one + 1 == *next) {
            let Some(first) = following.first() else { continue };
            write(disk, &path, &vec![0; following.len() * width], first * width)?;
        }
    }
    if !rows.is_empty() {
        shelf::write_anew(disk, &crate::vectors::slots_path(shelf), &slots::anew(&Sections::open(shelf)?))?;
    }
    Ok(rows.len())
}
