//! Fifty texts in many languages, with the tokens and the embeddings that the original model gives in `f64`.

use custos_embed::{Embedder, MiniLm, Vector};
use serde_json::Value;

struct Reference {
    text: String,
    tokens: Vec<u16>,
    embedding: Vec<f64>,
}

fn references() -> Vec<Reference> {
    let reference = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let token = |token: &Value| u16::try_from(token.as_u64().unwrap()).unwrap();
        Reference {
            text: line["text"].as_str().unwrap().to_owned(),
            tokens: line["ids"].as_array().unwrap().iter().map(token).collect(),
            embedding: line["fp32"]
                .as_array()
                .unwrap()
                .iter()
                .map(|number| number.as_f64().unwrap())
                .collect(),
        }
    };
    let references: Vec<Reference> = include_str!("reference.jsonl").lines().map(reference).collect();
    assert_eq!(references.len(), 50);
    references
}

fn cosine(a: impl Iterator<Item = f64> + Clone, b: &[f64]) -> f64 {
    let length = |squares: f64| squares.sqrt();
    let product: f64 = a.clone().zip(b).map(|(a, b)| a * b).sum();
    product / length(a.map(|a| a * a).sum()) / length(b.iter().map(|b| b * b).sum())
}

/// Asserts that the worst and the mean of some cosines are good enough.
fn assert_close(cosines: &[f64], worst: f64, mean: f64) {
    let lowest = cosines.iter().copied().fold(1.0, f64::min);
    let average = cosines.iter().sum::<f64>() / cosines.len() as f64;
    assert!(lowest >= worst && average >= mean, "{lowest} at worst, {average} on average");
}

#[test]
fn tokens_are_those_of_the_reference() {
    for Reference { text, tokens, .. } in references() {
        assert_eq!(MiniLm::new().tokens(&text, MiniLm::MAX_TOKENS), tokens, "{text}");
    }
}

#[test]
fn embeddings_are_close_to_the_reference() {
    let model = MiniLm::new();
    let cosines: Vec<f64> = references()
        .iter()
        .map(|reference| {
            let embedding = model.embedding(&reference.text, MiniLm::MAX_TOKENS);
            assert_eq!(embedding.len(), MiniLm::DIMS);
            cosine(embedding.into_iter().map(f64::from), &reference.embedding)
        })
        .collect();
    assert_close(&cosines, 0.997, 0.9995);
}

#[test]
fn vectors_are_as_close_as_a_byte_allows() {
    let model = MiniLm::new();
    let cosines: Vec<f64> = references()
        .iter()
        .map(|reference| {
            let vector = model.vector(&reference.text, MiniLm::MAX_TOKENS);
            let numbers = vector.as_bytes().iter().map(|byte| f64::from(byte.cast_signed()));
            cosine(numbers, &reference.embedding)
        })
        .collect();
    assert_close(&cosines, 0.9969, 0.9994);
}

/// Holds every machine to the same bits. If it fails because the model or the arithmetic was changed on purpose, stored
/// vectors are of no use any more: `MiniLm::ID` has to change too.
#[test]
fn vectors_are_the_same_on_every_machine() {
    let model = MiniLm::new();
    let bytes = references().into_iter().flat_map(|it| model.vector(&it.text, 32).as_bytes().to_vec());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    assert_eq!(
        (MiniLm::ID, format!("{hash:016x}").as_str()),
        ("all-minilm-l6-v2.int8.1", "55b90c4c7abf661d")
    );
}

#[test]
fn the_trait_gives_what_the_model_gives() {
    let model: &dyn Embedder = &MiniLm::new();
    let texts = ["git rebase", "", "こんにちは"];
    let expected: Vec<Vector> = texts.iter().map(|text| MiniLm::new().vector(text, 32)).collect();
    assert_eq!(model.embed_all(&texts, 32).unwrap(), expected);
    assert_eq!((model.id().as_str(), model.dims()), (MiniLm::ID, expected[0].dims()));
    assert_eq!(expected[0].embedder(), model.id());
}
