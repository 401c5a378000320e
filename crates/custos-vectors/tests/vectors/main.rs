//! Vectors in their files: written, found, forgotten, damaged, and by several at once.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![expect(clippy::float_cmp, reason = "the same integers give the same numbers")]

mod damage;
mod life;
mod nearest;
mod speed;
mod story;
mod together;

use std::path::{Path, PathBuf};

use custos_embed::{EmbedderId, Vector};
use custos_model::PieceId;
use custos_vectors::{Pen, ScopeTag, Vectors};

pub(crate) const DIMS: usize = 70;

pub(crate) fn embedder() -> EmbedderId {
    EmbedderId::new("test.1")
}

/// Names a piece by a number.
pub(crate) fn piece(number: u32) -> PieceId {
    PieceId::of(&format!("piece {number}"))
}

pub(crate) fn scope(number: u32) -> ScopeTag {
    ScopeTag::of(Some(&format!("project {number}")))
}

/// Gives the vector of a piece: the same for the same number, and no two alike.
pub(crate) fn vector(number: u32) -> Vector {
    vector_of(&embedder(), DIMS, number)
}

pub(crate) fn vector_of(embedder: &EmbedderId, dims: usize, number: u32) -> Vector {
    let mut state = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    let numbers = (0..dims).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    });
    Vector::quantise(embedder.clone(), &numbers.collect::<Vec<f32>>())
}

pub(crate) fn row(number: u32, scope_number: u32) -> (PieceId, ScopeTag, Vector) {
    (piece(number), scope(scope_number), vector(number))
}

pub(crate) fn pen(state: &Path) -> Pen {
    Pen::open(state, &embedder(), DIMS).unwrap()
}

pub(crate) fn vectors(state: &Path) -> Vectors {
    Vectors::open(state, &embedder(), DIMS).unwrap()
}

/// Sorts all of some pieces by how near they are to a query.
pub(crate) fn nearest_as_thought(query: &Vector, numbers: &[u32], count: usize) -> Vec<(PieceId, f32)> {
    let mut all: Vec<(PieceId, f32)> =
        numbers.iter().map(|&number| (piece(number), query.similarity(&vector(number)).unwrap())).collect();
    all.sort_by(|one, other| other.1.total_cmp(&one.1));
    all.truncate(count);
    all
}

/// Lists the files of all embedders.
pub(crate) fn files(state: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for directory in std::fs::read_dir(state.join("vectors")).unwrap() {
        let directory = directory.unwrap().path();
        if directory.is_dir() {
            files.extend(std::fs::read_dir(directory).unwrap().map(|file| file.unwrap().path()));
        }
    }
    files.sort();
    files
}
