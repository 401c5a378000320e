//! The model as a whole, where a test has to see what the crate does not show: the kernels, and a file that is damaged.

use proptest::prelude::*;

use super::MiniLm;
use super::blob::{BlobError, FILE, Model, verify};
use crate::kernel::Kernel;

#[test]
fn the_file_is_as_it_was_built() {
    assert_eq!(MiniLm::verify(), Ok(()));
    assert_eq!(FILE.as_ptr().align_offset(64), 0);
}

#[test]
fn a_file_that_is_not_right_is_told_by_its_fault() {
    let fault = |at: usize| {
        let mut file = FILE.to_vec();
        file[at] ^= 1;
        verify(&file)
    };
    assert_eq!(fault(0), Err(BlobError::Magic));
    assert_eq!(fault(8), Err(BlobError::Version));
    assert_eq!(fault(20), Err(BlobError::Shape));
    assert_eq!(fault(48), Err(BlobError::Shape));
    assert_eq!(fault(67), Err(BlobError::Length));
    assert_eq!(fault(72), Err(BlobError::Checksum));
    assert_eq!(fault(FILE.len() / 2), Err(BlobError::Checksum));
    assert_eq!(fault(FILE.len() - 1), Err(BlobError::Checksum));
}

#[test]
fn a_file_of_another_length_is_not_opened() {
    for length in [0, 7, 127, 128, FILE.len() / 2, FILE.len() - 64, FILE.len() - 1] {
        assert_eq!(Model::open(&FILE[..length]).err(), Some(BlobError::Length), "{length}");
    }
    let longer = [FILE, &[0; 64]].concat();
    assert_eq!(Model::open(&longer).err(), Some(BlobError::Length));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn all_kernels_give_the_same_embedding(text in "(\\PC|[a-z ]{5}){0,40}", limit in 2..80_usize) {
        let embedding = |kernel| -> Vec<u32> {
            let embedding = MiniLm::with(kernel).embedding(&text, limit);
            embedding.into_iter().map(f32::to_bits).collect()
        };
        let expected = embedding(Kernel::PORTABLE);
        for kernel in Kernel::all() {
            prop_assert_eq!(&embedding(kernel), &expected);
        }
    }
}
