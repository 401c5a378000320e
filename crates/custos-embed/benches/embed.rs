//! What an embedding costs, and the search among a hundred thousand.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
#[cfg(feature = "minilm")]
use custos_embed::MiniLm;
use custos_embed::{EmbedderId, Vector, VectorSet};

const ROWS: usize = 100_000;
const DIMS: usize = 384;

#[cfg(feature = "minilm")]
const QUERY: &str = "why is my docker container restarting all the time";

#[cfg(feature = "minilm")]
const DOCUMENT: &str = "The authentication middleware now validates the signature of a token before it looks into the \
    cache of sessions, which removes the race that we saw under load last week. The cache itself is emptied whenever a key \
    is rotated, and a test with two servers holds that down. ";

#[cfg(feature = "minilm")]
fn embed(criterion: &mut Criterion) {
    let model = MiniLm::new();
    let mut group = criterion.benchmark_group("embed");
    for (name, text, tokens) in [("query", QUERY, 12), ("document", DOCUMENT, 60)] {
        let text = text.repeat(2);
        assert_eq!(model.tokens(&text, tokens).len(), tokens);
        group.throughput(Throughput::Elements(1));
        group.bench_function(format!("{name}, {tokens} tokens"), |bencher| {
            bencher.iter(|| model.vector(black_box(&text), tokens));
        });
    }
    group
        .bench_function("tokens alone, 60", |bencher| bencher.iter(|| model.tokens(black_box(DOCUMENT), 60)));
    group.finish();
    criterion.bench_function("verify", |bencher| bencher.iter(MiniLm::verify));
}

#[cfg(not(feature = "minilm"))]
fn embed(_: &mut Criterion) {}

fn search(criterion: &mut Criterion) {
    let id = EmbedderId::new("bench");
    let mut state = 1_u64;
    let mut random_vector = || {
        let bytes: Vec<u8> = (0..DIMS)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                state.to_le_bytes()[7]
            })
            .collect();
        Vector::from_bytes(id.clone(), &bytes)
    };
    let query = random_vector();
    let mut set = VectorSet::new(id.clone(), DIMS);
    for _ in 0..ROWS {
        set.push(&random_vector()).unwrap_or_default();
    }
    let rows = set.rows();
    let mut group = criterion.benchmark_group("search");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function("100,000 rows, best 50", |bencher| {
        bencher.iter(|| rows.nearest(black_box(&query), 50, |_| true));
    });
    group.bench_function("100,000 sketches, best 50 of 1,000", |bencher| {
        bencher.iter(|| rows.nearest_by_sketch(black_box(&query), 50, 1000, |_| true));
    });
    group.finish();
}

criterion_group!(benches, embed, search);
criterion_main!(benches);
