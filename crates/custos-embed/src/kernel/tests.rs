//! All kernels of the machine against sums that are written as they are thought.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Difference, Kernel};
use crate::rows::sketch;

fn sums_as_thought(query: &[i16], rows: &[u8], count: usize) -> Vec<i32> {
    let row_at = |row: usize| &rows[row * query.len()..][..query.len()];
    let product = |(&query, &byte): (&i16, &u8)| i32::from(query) * i32::from(i8::from_ne_bytes([byte]));
    (0..count).map(|row| query.iter().zip(row_at(row)).map(product).sum()).collect()
}

proptest! {
    #[test]
    fn products_are_exact(
        (query, rows, count) in (0..80_usize, 0..9_usize).prop_flat_map(|(width, count)| {
            (vec(any::<i16>(), width), vec(any::<u8>(), width * count), Just(count))
        })
    ) {
        for kernel in Kernel::all() {
            let mut sums = vec![0; count];
            kernel.products(&query, &rows, &mut sums);
            prop_assert_eq!(&sums, &sums_as_thought(&query, &rows, count));
        }
    }

    #[test]
    fn lengths_and_sketches_are_those_of_the_components(
        components in vec(any::<u8>(), 0..200), flipped in any::<(usize, u32)>()
    ) {
        let squares: i32 = components.iter().map(|component| i32::from(component.cast_signed()).pow(2)).sum();
        let mut words: Vec<[u8; 8]> = sketch(&components).map(u64::to_le_bytes).collect();
        for kernel in Kernel::all() {
            prop_assert_eq!(kernel.squares(&components), squares);
            prop_assert!(kernel.is_sketch_of(&words, &components));
            prop_assert!(!kernel.is_sketch_of(&[words.as_slice(), &[[0; 8]]].concat(), &components));
        }
        if !words.is_empty() {
            let at = flipped.0 % words.len();
            words[at][flipped.1 as usize % 8] ^= 1 << (flipped.1 / 8 % 8);
            for kernel in Kernel::all() {
                prop_assert!(!kernel.is_sketch_of(&words, &components));
                prop_assert!(!kernel.is_sketch_of(&words[..words.len() - 1], &components));
            }
        }
    }

    #[test]
    fn differences_are_exact(
        // Mostly of the usual length, and sometimes with more rows than are asked for.
        (sketch, sketches, count) in (prop_oneof![0..9_usize, Just(6)], 0..14_usize, 0..6_usize).prop_flat_map(|(words, count, more)| {
            (vec(any::<u64>(), words), vec(any::<[u8; 8]>(), words * (count + more)), Just(count))
        })
    ) {
        let differ = |row: usize| -> Difference {
            let others = sketches[row * sketch.len()..].iter().map(|word| u64::from_le_bytes(*word));
            sketch.iter().zip(others).map(|(a, b)| (0..64).filter(|bit| (a ^ b) >> bit & 1 == 1).count()).sum::<usize>()
                .try_into().unwrap()
        };
        let expected: Vec<Difference> = (0..count).map(differ).collect();
        for kernel in Kernel::all() {
            let mut counts = vec![0; count];
            kernel.differences(&sketch, &sketches, &mut counts);
            prop_assert_eq!(&counts, &expected);
        }
    }
}

#[cfg(feature = "minilm")]
mod matrices {
    use super::*;
    use crate::kernel::tiling::{STEP, Tile, multiply};
    use crate::minilm::matrix::{Activations, Matrix};

    /// Multiplies as it is thought: each token with each row.
    fn multiplied(tokens: &Activations, matrix: &Matrix<'_>) -> Vec<f32> {
        let mut outputs = Vec::new();
        for token in 0..tokens.count() {
            for row in 0..matrix.rows() {
                let (left, right) = (tokens.steps(token).as_flattened(), matrix.steps(row).as_flattened());
                outputs.push(matrix.output(row, sums_as_thought(left, right, 1)[0], tokens.scale(token)));
            }
        }
        outputs
    }

    fn tiled(tile: impl Tile, tokens: &Activations, matrix: &Matrix<'_>) -> Vec<f32> {
        let mut outputs = vec![0.0; tokens.count() * matrix.rows()];
        multiply(tile, tokens, matrix, &mut outputs);
        outputs
    }

    fn tiled_by(kernel: Kernel, tokens: &Activations, matrix: &Matrix<'_>) -> Vec<f32> {
        match kernel {
            Kernel::Portable(tile) => tiled(tile, tokens, matrix),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(tile) => tiled(tile, tokens, matrix),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(tile) => tiled(tile, tokens, matrix),
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon(tile) => tiled(tile, tokens, matrix),
        }
    }

    #[test]
    fn the_largest_sums_of_the_model_do_not_overflow() {
        for (width, largest) in [(384, 32_767), (1536, 11_008)] {
            assert_eq!(crate::minilm::matrix::largest(width), largest);
            let rows = [vec![127; width], vec![129; width]].concat();
            for kernel in Kernel::all() {
                let mut sums = [0; 2];
                kernel.products(&vec![largest; width], &rows, &mut sums);
                let expected = i64::from(largest) * 127 * i64::try_from(width).unwrap();
                assert_eq!(sums.map(i64::from), [expected, -expected]);
            }
        }
    }

    proptest! {
        #[test]
        fn tiles_make_up_the_whole_matrix(
            (width, numbers, weights, scales) in (1..5_usize, 1..20_usize, 1..24_usize).prop_flat_map(
                |(steps, tokens, pairs)| (
                    Just(steps * STEP),
                    vec(-3.0..3.0_f32, tokens * steps * STEP),
                    vec(any::<u8>(), 2 * pairs * steps * STEP),
                    vec((0.001..0.1_f32).prop_map(f32::to_le_bytes), 2 * pairs),
                )
            )
        ) {
            let mut tokens = Activations::default();
            tokens.quantise(&numbers, width);
            let matrix = Matrix::new(&weights, width, &scales, &scales);
            let expected = multiplied(&tokens, &matrix);
            for kernel in Kernel::all() {
                prop_assert_eq!(&tiled_by(kernel, &tokens, &matrix), &expected);
            }
        }
    }
}
