//! The search within a scope, against one that sorts.

use custos_embed::{EmbedderId, Vector};
use custos_vectors::{Pen, ScopeTag, Vectors};
use proptest::prelude::*;

use crate::{embedder, piece, vector_of};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn the_nearest_of_a_scope_are_those_that_sorting_finds(
        dims in 1..130_usize,
        rows in prop::collection::vec((0..60_u32, 0..4_u32), 0..120),
        asked in prop::option::of(prop::collection::vec(0..5_u32, 0..3)),
        count in 0..80_usize,
        query in 0..1000_u32,
    ) {
        let state = tempfile::tempdir().unwrap();
        let vector = |number| vector_of(&embedder(), dims, number);
        let mut pen = Pen::open(state.path(), &embedder(), dims).unwrap();
        let all: Vec<_> = rows
            .iter()
            .map(|&(number, project)| (piece(number), crate::scope(project), vector(number)))
            .collect();
        for batch in all.chunks(25) {
            pen.append(batch).unwrap();
        }
        let is_asked = |project: u32| asked.as_ref().is_none_or(|asked| asked.contains(&project));
        let mut expected: Vec<u32> =
            rows.iter().filter(|(_, project)| is_asked(*project)).map(|(number, _)| *number).collect();
        expected.sort_unstable();
        expected.dedup();
        let query = vector(query);
        let mut expected: Vec<_> = expected
            .into_iter()
            .map(|number| (piece(number), query.similarity(&vector(number)).unwrap()))
            .collect();
        // Equals have no order that a caller could count on.
        let sorted = |mut found: Vec<(custos_model::PieceId, f32)>| {
            found.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
            found
        };
        expected = sorted(expected);
        let scopes: Option<Vec<ScopeTag>> =
            asked.map(|asked| asked.into_iter().map(crate::scope).collect());
        let vectors = Vectors::open(state.path(), &embedder(), dims).unwrap();
        let found = vectors.nearest(&query, scopes.as_deref(), expected.len());
        prop_assert_eq!(sorted(found), expected.clone());
        let some: Vec<f32> =
            vectors.nearest(&query, scopes.as_deref(), count).into_iter().map(|(_, near)| near).collect();
        expected.truncate(count);
        prop_assert_eq!(some, expected.into_iter().map(|(_, near)| near).collect::<Vec<f32>>());
    }
}

/// Gives vectors that lie in bunches, as those of texts do.
fn bunched(id: &EmbedderId, dims: usize, number: u32) -> Vector {
    let centre = vector_of(id, dims, number % 50);
    let apart = vector_of(id, dims, number + 1000);
    let add = |(centre, apart): (&u8, &u8)| f32::from(centre.cast_signed()) + f32::from(apart.cast_signed());
    let numbers: Vec<f32> = centre.as_bytes().iter().zip(apart.as_bytes()).map(add).collect();
    Vector::quantise(id.clone(), &numbers)
}

#[test]
fn of_very_many_the_sketches_leave_nearly_all_that_matter() {
    let (state, id, dims) = (tempfile::tempdir().unwrap(), embedder(), 384);
    let mut pen = Pen::open(state.path(), &id, dims).unwrap();
    let (few, many) = (ScopeTag::of(Some("few")), ScopeTag::of(None));
    let all: Vec<_> = (0..60_000_u32)
        .map(|number| {
            let scope = if number % 20 == 0 { few } else { many };
            (piece(number), scope, bunched(&id, dims, number))
        })
        .collect();
    for batch in all.chunks(20_000) {
        pen.append(batch).unwrap();
    }
    let vectors = Vectors::open(state.path(), &id, dims).unwrap();
    let exactly = |query: &Vector, scope: ScopeTag| {
        let of_scope = all.iter().filter(|row| row.1 == scope);
        let mut all: Vec<_> = of_scope.map(|row| (row.0, query.similarity(&row.2).unwrap())).collect();
        all.sort_by(|one, other| other.1.total_cmp(&one.1));
        all.truncate(100);
        all
    };
    let mut found = 0;
    for number in [1, 777, 59_999] {
        let query = bunched(&id, dims, number);
        // A scope of three thousand rows is compared in full, however many there are of others.
        assert_eq!(vectors.nearest(&query, Some(&[few]), 100), exactly(&query, few));
        let expected = exactly(&query, many);
        let nearest = vectors.nearest(&query, Some(&[many]), 100);
        assert_eq!(nearest[0], expected[0]);
        found += nearest.iter().filter(|hit| expected.contains(hit)).count();
        assert_eq!(vectors.nearest(&query, None, 300).len(), 300);
    }
    assert!(found >= 294, "{found} of 300");
}
