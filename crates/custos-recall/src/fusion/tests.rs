#![expect(clippy::float_cmp, reason = "what is compared was rounded, or is exact")]

use proptest::prelude::*;

use super::*;
use crate::policy::Policy;

const FUSION: Fusion = Policy::DEFAULT.fusion;

fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

fn row(key: u32, words: f64, deviations: impl Into<Option<f64>>) -> Row<u32> {
    Row { key, words, deviations: deviations.into() }
}

#[test]
fn what_is_ordinary_is_mean_and_standard_deviation() {
    // Mean 0.3; deviations -0.1, 0.1, -0.2, 0.2; variance (0.01 + 0.01 + 0.04 + 0.04) / 4 = 0.025.
    let ordinary = Ordinary::of(&[0.2, 0.4, 0.1, 0.5], 0.02).unwrap();
    assert_eq!((rounded(ordinary.mean), rounded(ordinary.spread)), (0.3, 0.1581));
    assert_eq!(rounded(ordinary.deviations(0.616_227_766)), 2.0);
}

#[test]
fn texts_that_are_all_alike_are_not_pulled_apart() {
    let ordinary = Ordinary::of(&[0.5, 0.5, 0.5], 0.02).unwrap();
    assert_eq!(rounded(ordinary.deviations(0.51)), 0.5);
    assert_eq!(Ordinary::of(&[], 0.02), None);
}

#[test]
fn words_and_meaning_add_up() {
    let measures = measures(&[row(1, 1.0, 2.0), row(2, 0.4, 4.0), row(3, 0.0, -1.0)], &FUSION);
    let sums: Vec<f64> = measures.values().map(|measure| rounded(measure.sum())).collect();
    // 1 + 0.35 * 2; 0.4 + 0.35 * 4; 0 - 0.35.
    assert_eq!(sums, [1.7, 1.8, -0.35]);
}

#[test]
fn a_row_without_a_vector_means_what_its_words_promise() {
    // The two with vectors have 3 and 1 deviations, 2 on average.
    let measures =
        measures(&[row(1, 1.0, 3.0), row(2, 0.5, 1.0), row(3, 1.0, None), row(4, 0.2, None)], &FUSION);
    let meaning: Vec<f64> = measures.values().map(|measure| rounded(measure.meaning)).collect();
    assert_eq!(meaning, [1.05, 0.35, 0.7, 0.14]);
}

#[test]
fn without_any_vector_words_alone_decide() {
    let measures = measures(&[row(1, 1.0, None), row(2, 0.5, None)], &FUSION);
    let sums: Vec<f64> = measures.values().map(|measure| measure.sum()).collect();
    assert_eq!(sums, [1.0, 0.5]);
}

#[test]
fn a_vector_that_is_less_than_ordinary_promises_nothing() {
    let measures = measures(&[row(1, 1.0, -2.0), row(2, 0.5, None)], &FUSION);
    assert_eq!(rounded(measures[&2].sum()), 0.5);
}

#[test]
fn the_better_neighbour_counts_on_each_distance() {
    // In the order of a session: 1 2 3 4 5, with 3 in the middle.
    let mut chain = Chain::new();
    chain.note(3, [Some(1), Some(2), Some(4), Some(5)]);
    let found = measures(
        &[row(1, 0.5, 0.0), row(2, 0.2, 0.0), row(3, 1.0, 0.0), row(4, 0.3, 0.0), row(5, 0.1, -3.0)],
        &FUSION,
    );
    let gains: Vec<f64> = (1..=5).map(|key| rounded(chain.gain(key, &found, &FUSION))).collect();
    // 1: 0.4 * 0.2 + 0.2 * 1; 2: 0.4 * 1 + 0.2 * 0.3; 3: 0.4 * 0.3 + 0.2 * 0.5; 4: 0.4 * 1 + 0.2 * 0.2; 5: 0.4 * 0.3 + 0.2 * 1.
    assert_eq!(gains, [0.28, 0.46, 0.22, 0.44, 0.32]);
}

#[test]
fn two_rows_that_know_of_each_other_make_one_chain() {
    let mut chain = Chain::new();
    chain.note(2, [None, Some(1), Some(3), None]);
    chain.note(3, [None, Some(2), Some(4), None]);
    let found = measures(&[row(1, 1.0, 0.0), row(4, 0.5, 0.0)], &FUSION);
    // 2 has 1 beside it and 4 two places away, though nobody said so at once.
    assert_eq!(rounded(chain.gain(2, &found, &FUSION)), 0.5);
}

#[test]
fn who_has_no_session_gains_nothing() {
    let mut chain = Chain::new();
    chain.note(7, [None; 4]);
    assert_eq!(chain.gain(7, &measures(&[row(8, 1.0, 9.0)], &FUSION), &FUSION), 0.0);
}

proptest! {
    #[test]
    fn every_measure_is_a_number(
        rows in prop::collection::vec((0u32..50, 0.0..1.0f64, prop::option::of(-9.0..9.0f64)), 0..60),
        around in prop::collection::vec((0u32..50, prop::array::uniform4(prop::option::of(0u32..50))), 0..60),
    ) {
        let rows: Vec<Row<u32>> = rows.into_iter().map(|(key, words, deviations)| row(key, words, deviations)).collect();
        let found = measures(&rows, &FUSION);
        let mut chain = Chain::new();
        for (key, around) in around {
            chain.note(key, around);
        }
        for key in 0..50 {
            let gain = chain.gain(key, &found, &FUSION);
            prop_assert!(gain.is_finite() && gain >= 0.0);
        }
        prop_assert!(found.values().all(|measure| measure.sum().is_finite()));
    }

    /// What is nearer to a question by one of the measures, and as near by the other, is never behind.
    #[test]
    fn more_of_either_is_never_less(words in 0.0..1.0f64, deviations in -4.0..8.0f64, more in 0.0..1.0f64) {
        let rows = [row(1, words, deviations), row(2, words + more, deviations), row(3, words, deviations + more)];
        let found = measures(&rows, &FUSION);
        prop_assert!(found[&2].sum() >= found[&1].sum() && found[&3].sum() >= found[&1].sum());
    }
}
