//! The search among many vectors, against one that sorts them all.

use custos_embed::{EmbedderId, Hit, Rows, Vector, VectorSet, sketch};
use proptest::collection::vec;
use proptest::prelude::*;

fn id() -> EmbedderId {
    EmbedderId::new("test")
}

fn set_of(vectors: &[Vector], dims: usize) -> VectorSet {
    let mut set = VectorSet::new(id(), dims);
    for vector in vectors {
        set.push(vector).unwrap();
    }
    set
}

/// Compares the query with each, sorts, and cuts off.
fn nearest_as_thought(query: &Vector, vectors: &[Vector], count: usize) -> Vec<Hit> {
    let hit = |(row, vector): (usize, &Vector)| Hit { row, similarity: query.similarity(vector).unwrap() };
    let mut hits: Vec<Hit> = vectors.iter().enumerate().map(hit).collect();
    hits.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    hits.truncate(count);
    hits
}

/// Gives vectors that lie in a few bunches, as those of texts do.
fn bunches(count: usize, dims: usize) -> Vec<Vector> {
    let mut state = 1_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let centres: Vec<Vec<f32>> = (0..20).map(|_| (0..dims).map(|_| random()).collect()).collect();
    let around = |centre: &Vec<f32>| -> Vec<f32> { centre.iter().map(|number| number + random()).collect() };
    centres.iter().cycle().take(count).map(around).map(|numbers| Vector::quantise(id(), &numbers)).collect()
}

#[test]
fn the_search_finds_what_sorting_finds() {
    let vectors = bunches(1500, 384);
    let set = set_of(&vectors, 384);
    for query in [0, 777, 1499] {
        for count in [0, 1, 10, 1500, 2000] {
            let expected = nearest_as_thought(&vectors[query], &vectors, count);
            assert_eq!(set.rows().nearest(&vectors[query], count, |_| true).unwrap(), expected);
            // With every row a candidate, sketches leave nothing out.
            assert_eq!(
                set.rows().nearest_by_sketch(&vectors[query], count, 1500, |_| true).unwrap(),
                expected
            );
        }
    }
}

#[test]
fn sketches_find_nearly_all_of_it() {
    let vectors = bunches(5000, 384);
    let set = set_of(&vectors, 384);
    let mut found = 0;
    for query in vectors.iter().step_by(100) {
        let expected = set.rows().nearest(query, 10, |_| true).unwrap();
        let hits = set.rows().nearest_by_sketch(query, 10, 200, |_| true).unwrap();
        assert_eq!(hits[0], expected[0]);
        found += hits.iter().filter(|hit| expected.contains(hit)).count();
    }
    assert!(found >= 450, "{found} of 500");
}

/// Sorts the wanted by how many signs differ, cuts off, and sorts what is left by the angle.
fn nearest_by_sketch_as_thought(
    query: &Vector,
    vectors: &[Vector],
    (count, candidates): (usize, usize),
    is_wanted: impl Fn(usize) -> bool,
) -> Vec<Hit> {
    let signs = |vector: &Vector| -> Vec<u64> { sketch(vector.as_bytes()).collect() };
    let of_query = signs(query);
    let differ = |row: usize| -> u32 {
        of_query.iter().zip(signs(&vectors[row])).map(|(a, b)| (a ^ b).count_ones()).sum()
    };
    let mut rows: Vec<(u32, usize)> =
        (0..vectors.len()).filter(|row| is_wanted(*row)).map(|row| (differ(row), row)).collect();
    rows.sort_unstable();
    rows.truncate(candidates);
    rows.sort_unstable_by_key(|(_, row)| *row);
    let rows: Vec<usize> = rows.into_iter().map(|(_, row)| row).collect();
    let candidates: Vec<Vector> = rows.iter().map(|row| vectors[*row].clone()).collect();
    let mut hits = nearest_as_thought(query, &candidates, count);
    for hit in &mut hits {
        hit.row = rows[hit.row];
    }
    hits
}

#[test]
fn a_guess_at_how_near_the_nearest_are_leaves_none_of_them_out() {
    let spread = bunches(40_000, 64);
    // All that is near lies where it is looked at to guess, or nothing of it does.
    let near = |at: usize| [&spread[..at], &vec![spread[0].clone(); 300], &spread[at + 300..]].concat();
    for vectors in [near(0), near(8_192), near(9_000), spread.clone()] {
        let set = set_of(&vectors, 64);
        let wanted: [fn(usize) -> bool; 3] = [|_| true, |row| row % 7 == 3, |row| row < 500];
        for is_wanted in wanted {
            for (count, candidates) in [(10, 600), (700, 700), (5, 2_000)] {
                let query = &spread[0];
                assert_eq!(
                    set.rows().nearest_by_sketch(query, count, candidates, is_wanted).unwrap(),
                    nearest_by_sketch_as_thought(query, &vectors, (count, candidates), is_wanted)
                );
            }
        }
    }
}

#[test]
fn of_equal_rows_the_first_come_first() {
    let vector = Vector::quantise(id(), &[1.0, -2.0, 3.0]);
    let set = set_of(&vec![vector.clone(); 600], 3);
    let rows = |hits: Vec<Hit>| -> Vec<usize> { hits.into_iter().map(|hit| hit.row).collect() };
    assert_eq!(rows(set.rows().nearest(&vector, 4, |_| true).unwrap()), [0, 1, 2, 3]);
    assert_eq!(rows(set.rows().nearest_by_sketch(&vector, 4, 8, |_| true).unwrap()), [0, 1, 2, 3]);
}

#[test]
fn an_empty_set_has_nothing_near() {
    let set = VectorSet::new(id(), 2);
    let query = Vector::quantise(id(), &[1.0, 2.0]);
    assert!(set.rows().is_empty());
    assert_eq!(set.rows().nearest(&query, 3, |_| true).unwrap(), []);
    assert_eq!(set.rows().nearest_by_sketch(&query, 3, 9, |_| true).unwrap(), []);
}

#[test]
fn a_vector_of_another_space_is_neither_taken_nor_searched() {
    let mut set = set_of(&bunches(3, 8), 8);
    let strangers =
        [Vector::quantise(EmbedderId::new("other"), &[1.0; 8]), Vector::quantise(id(), &[1.0; 9])];
    for stranger in strangers {
        assert!(set.push(&stranger).is_err());
        assert!(set.rows().nearest(&stranger, 1, |_| true).is_err());
        assert!(set.rows().nearest_by_sketch(&stranger, 1, 1, |_| true).is_err());
    }
    assert_eq!(set.rows().len(), 3);
}

#[test]
fn rows_that_were_written_down_are_searched_where_they_lie() {
    let vectors = bunches(40, 100);
    let set = set_of(&vectors, 100);
    let (id, rows) = (id(), set.rows());
    let (components, lengths, sketches) = (rows.components(), rows.inverse_lengths(), rows.sketches());
    let again = Rows::new(&id, 100, components, lengths, sketches).unwrap();
    assert_eq!(
        again.nearest(&vectors[7], 5, |_| true).unwrap(),
        rows.nearest(&vectors[7], 5, |_| true).unwrap()
    );
    assert_eq!((lengths.len(), sketches.len()), (40 * 4, 40 * 2 * 8));

    assert!(Rows::new(&id, 100, &components[1..], lengths, sketches).is_none());
    assert!(Rows::new(&id, 100, components, &lengths[1..], sketches).is_none());
    assert!(Rows::new(&id, 100, components, &lengths[4..], sketches).is_none());
    assert!(Rows::new(&id, 100, components, lengths, &sketches[8..]).is_none());
    assert!(Rows::new(&id, usize::MAX, components, lengths, sketches).is_none());
}

proptest! {
    #[test]
    fn any_rows_are_searched_as_if_sorted(
        (dims, rows, query) in (0..70_usize).prop_flat_map(|dims| {
            (Just(dims), vec(vec(any::<u8>(), dims), 0..40), vec(any::<u8>(), dims))
        }),
        count in 0..50_usize,
    ) {
        let vectors: Vec<Vector> = rows.iter().map(|row| Vector::from_bytes(id(), row)).collect();
        let query = Vector::from_bytes(id(), &query);
        let set = set_of(&vectors, dims);
        let expected = nearest_as_thought(&query, &vectors, count);
        prop_assert_eq!(&set.rows().nearest(&query, count, |_| true).unwrap(), &expected);
        prop_assert_eq!(&set.rows().nearest_by_sketch(&query, count, rows.len(), |_| true).unwrap(), &expected);
    }
}

#[test]
fn a_sketch_has_the_sign_of_every_component() {
    for dims in [1, 7, 8, 63, 64, 65, 100, 384] {
        let components: Vec<u8> = (0..=u8::MAX).cycle().map(|at| at.wrapping_mul(97)).take(dims).collect();
        let words: Vec<u64> = custos_embed::sketch(&components).collect();
        let bits = words.iter().flat_map(|word| (0..64).map(move |at| word >> at & 1 == 1));
        let mut signs: Vec<bool> = components.iter().map(|component| component.cast_signed() < 0).collect();
        signs.resize(dims.next_multiple_of(64), false);
        assert_eq!(bits.collect::<Vec<_>>(), signs, "{dims}");
    }
}
