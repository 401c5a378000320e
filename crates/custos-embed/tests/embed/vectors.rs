//! Vectors: rounding, storing, comparing.

use custos_embed::{EmbedError, Embedder, EmbedderId, Vector};
use proptest::collection::vec;
use proptest::prelude::*;

fn vector(numbers: &[f32]) -> Vector {
    Vector::quantise(EmbedderId::new("test"), numbers)
}

fn components(numbers: &[f32]) -> Vec<i8> {
    vector(numbers).as_bytes().iter().map(|byte| byte.cast_signed()).collect()
}

#[test]
fn the_largest_component_takes_the_whole_range() {
    assert_eq!(components(&[0.5, -0.25, 0.0, 0.001]), [127, -64, 0, 0]);
    assert_eq!(components(&[-1e-30, 5e-31]), [-127, 64]);
    assert_eq!(components(&[f32::MIN_POSITIVE / 8.0, 0.0]), [127, 0]);
    assert_eq!(components(&[0.0, -0.0]), [0, 0]);
    assert_eq!(components(&[]), [0_i8; 0]);
}

#[test]
fn what_is_not_a_number_is_zero_and_the_infinite_is_large() {
    assert_eq!(components(&[f32::NAN, 2.0, -1.0]), [0, 127, -64]);
    assert_eq!(components(&[f32::NEG_INFINITY, f32::MAX, 1.0]), [-127, 127, 0]);
    assert_eq!(components(&[f32::NAN]), [0]);
}

#[test]
#[expect(clippy::float_cmp, reason = "zero is exact")]
fn similarity_is_the_cosine() {
    let similarity = |a: &[f32], b: &[f32]| vector(a).similarity(&vector(b)).unwrap();
    assert_eq!(similarity(&[1.0, 0.0], &[0.0, 3.0]), 0.0);
    assert!((similarity(&[3.0, 4.0], &[6.0, 8.0]) - 1.0).abs() < 1e-6);
    assert!((similarity(&[3.0, 4.0], &[-3.0, -4.0]) + 1.0).abs() < 1e-6);
    assert!((similarity(&[1.0, 0.0], &[1.0, 1.0]) - 0.5_f32.sqrt()).abs() < 1e-6);
    assert_eq!(similarity(&[0.0, 0.0], &[1.0, 1.0]), 0.0);
}

#[test]
fn vectors_of_two_spaces_are_not_compared() {
    let ours = vector(&[1.0, 2.0]);
    let theirs = Vector::quantise(EmbedderId::new("other"), &[1.0, 2.0]);
    let told = ours.similarity(&theirs).unwrap_err().to_string();
    assert_eq!(told, "a vector of test (2 dimensions) cannot be compared to one of other (2 dimensions)");
    assert!(ours.similarity(&vector(&[1.0])).is_err());
}

/// An embedder as others may write one: it fails on one text.
struct Picky(EmbedderId);

impl Embedder for Picky {
    fn id(&self) -> &EmbedderId {
        &self.0
    }

    fn dims(&self) -> usize {
        1
    }

    fn embed(&self, text: &str, _max_tokens: usize) -> Result<Vector, EmbedError> {
        if text == "no" { Err(EmbedError::Refused("not this".into())) } else { Ok(vector(&[1.0])) }
    }
}

#[test]
fn a_batch_succeeds_as_a_whole_or_not_at_all() {
    let picky: &dyn Embedder = &Picky(EmbedderId::new("picky"));
    assert_eq!(picky.embed_all(&["yes", "yes"], 8).unwrap(), [vector(&[1.0]), vector(&[1.0])]);
    let error = picky.embed_all(&["yes", "no"], 8).unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(
        (error.to_string().as_str(), cause.as_str()),
        ("the embedder does not take the text", "not this")
    );
}

proptest! {
    #[test]
    fn stored_vectors_come_back(numbers in vec(any::<f32>(), 0..100)) {
        let vector = vector(&numbers);
        prop_assert_eq!(vector.dims(), numbers.len());
        prop_assert_eq!(&Vector::from_bytes(vector.embedder().clone(), vector.as_bytes()), &vector);
    }

    #[test]
    fn any_bytes_are_a_vector(bytes in vec(any::<u8>(), 0..100)) {
        let vector = Vector::from_bytes(EmbedderId::new("test"), &bytes);
        let itself = vector.similarity(&vector).unwrap();
        let expected = if bytes.iter().all(|&byte| byte == 0) { 0.0 } else { 1.0 };
        prop_assert!((itself - expected).abs() < 1e-5);
    }

    #[test]
    fn rounding_moves_a_vector_little(numbers in vec(-1.0..1.0_f32, 384)) {
        let product: f64 = vector(&numbers).as_bytes().iter().zip(&numbers)
            .map(|(byte, &number)| f64::from(byte.cast_signed()) * f64::from(number)).sum();
        let square = |numbers: &mut dyn Iterator<Item = f64>| numbers.map(|number| number * number).sum::<f64>();
        let length = square(&mut numbers.iter().map(|&number| f64::from(number)))
            * square(&mut vector(&numbers).as_bytes().iter().map(|byte| f64::from(byte.cast_signed())));
        prop_assert!(product / length.sqrt() > 0.9999);
    }
}
